//! What ground costs a body: `travel`, `settle` and `guard` of a crowd that crosses hills, on heightfields of three sizes
//! and on a mesh of 100,352 triangles, on one thread; of a crowd whose bodies hang in the air; and the same questions asked
//! of parry3d, on its heightfield and its mesh of the same surface.
//!
//! `travel` is timed whole, so steering and the gait's integration are in it, not the head's sweep alone.
#![allow(missing_docs)]

mod common;
#[path = "common/hills.rs"]
mod hills;

use common::{Crowd, DT, short, sum};
use criterion::{Criterion, criterion_group, criterion_main};
use hills::{CELL_M, SIDE, field_of, height, triangles};
use parry3d::math::{Pose, Vector};
use parry3d::query::{self, Ray, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, HeightField, Shape, TriMesh};
use parry3d::utils::Array2;
use serpentarium::terrain::TriangleMesh;
use serpentarium::{Profile, Settings, Stage, Terrain};
use std::hint::black_box;
use std::time::{Duration, Instant};

const COUNT: usize = 2_000;
/// Where they walk: inside all of the grounds.
const SIZE_M: [f64; 2] = [90.0, 90.0];
const TIMED: [Stage; 3] = [Stage::Travel, Stage::Settle, Stage::Guard];

fn guarded() -> Profile {
    let text = include_str!("../profiles/grass-snake.toml");
    let text = text.replace("prevent_penetration = false", "prevent_penetration = true");
    Profile::from_toml("grass-snake.toml", &text).unwrap()
}

fn mesh() -> Terrain {
    TriangleMesh::from_triangles(triangles()).unwrap().into()
}

fn crowd(terrain: Terrain) -> Crowd {
    let settings = Settings { parallel: false, ..Settings::default() };
    let mut crowd = Crowd::on(terrain, SIZE_M, guarded(), COUNT, settings);
    (0..120).for_each(|_| drop(crowd.tick()));
    crowd
}

type Ground = (&'static str, fn() -> Terrain);

fn walking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ground of a walking crowd");
    short(&mut group, COUNT * 32);
    let grounds: [Ground; 4] = [
        ("heightfield 225 x 225", || field_of(SIDE)),
        ("heightfield 513 x 513", || field_of(513)),
        ("heightfield 2049 x 2049", || field_of(2049)),
        ("mesh", mesh),
    ];
    for (name, terrain) in grounds {
        let mut made = None;
        group.bench_function(name, |bencher| {
            let crowd = made.get_or_insert_with(|| crowd(terrain()));
            bencher.iter_custom(|times| sum(times, || crowd.time_stages(&TIMED)));
        });
        for stage in TIMED {
            let mut made = None;
            group.bench_function(format!("{name}, {} alone", stage.name()), |bencher| {
                let crowd = made.get_or_insert_with(|| crowd(terrain()));
                bencher.iter_custom(|times| sum(times, || crowd.time_stages(&[stage])));
            });
        }
    }
}

/// All bodies a hand's breadth over the ground, falling: the dearest that settling comes to.
fn falling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ground of a falling crowd");
    short(&mut group, COUNT * 32);
    let grounds: [Ground; 2] = [("heightfield", || field_of(SIDE)), ("mesh", mesh)];
    for (name, terrain) in grounds {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                let mut left = 0;
                let mut batch = None;
                sum(times, || {
                    if left == 0 {
                        batch = Some(hanging(terrain()));
                        left = 10;
                    }
                    left -= 1;
                    batch.as_mut().map_or(Duration::ZERO, |batch| batch.time_stages(&TIMED, DT).unwrap())
                })
            });
        });
    }
}

fn hanging(terrain: Terrain) -> serpentarium::SerpentBatch {
    let crowd = crowd(terrain);
    let mut batch = crowd.batch;
    let ids: Vec<_> = batch.ids().collect();
    for id in ids {
        let (head, facing) = (batch.head(id).unwrap(), batch.headings(id).unwrap().center);
        batch.teleport(id, [head.x, head.y + 0.15, head.z], facing).unwrap();
    }
    batch
}

/// A crowd's bodies as parry sees them, and its own ground.
struct Peer {
    field: HeightField,
    mesh: TriMesh,
    /// Joints of each body, and its way in a tick.
    bodies: Vec<(Vec<Vector>, Vector)>,
    radii: Vec<f32>,
}

impl Peer {
    fn new() -> Self {
        let source = triangles();
        let positions = source.positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
        let mesh = TriMesh::new(positions, source.indices).unwrap();
        let size = (SIDE - 1) as f32 * CELL_M;
        let heights = (0..SIDE * SIDE).map(|index| height(index / SIDE, index % SIDE)).collect();
        let field = HeightField::new(Array2::new(SIDE, SIDE, heights), Vector::new(size, 1.0, size));
        let crowd = crowd(field_of(SIDE));
        let body = |id| {
            let joints = crowd.batch.joints(id).unwrap().map(|p| Vector::new(p.x as f32, p.y as f32, p.z as f32));
            let way = crowd.batch.headings(id).unwrap().effective * (0.6 * DT);
            (joints.collect(), Vector::new(way.x, way.y, way.z))
        };
        let bodies = crowd.batch.ids().map(body).collect();
        Self { field, mesh, bodies, radii: guarded().radius_m().to_vec() }
    }

    /// The head's sweep, a ray down from it, and the depth of each section.
    fn ask(&self, ground: &dyn Shape) {
        let capsule = Capsule::new(Vector::ZERO, Vector::new(0.0, 0.0, -0.02), self.radii[0]);
        let options = ShapeCastOptions::default();
        let (down, still) = (Vector::new(0.0, -1.0, 0.0), Vector::ZERO);
        for (joints, way) in &self.bodies {
            let at = Pose::from_translation(joints[0] + Vector::new(0.0, 0.01, 0.0));
            let _ = black_box(query::cast_shapes(&at, *way, &capsule, &Pose::IDENTITY, still, ground, options));
            black_box(ground.cast_local_ray(&Ray::new(joints[0], down), 2.0, true));
            for (joint, radius) in joints.iter().zip(&self.radii) {
                let ball = Ball::new(*radius);
                let _ = black_box(query::contact(&Pose::IDENTITY, ground, &Pose::from_translation(*joint), &ball, 0.0));
            }
        }
    }
}

fn peers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ground of the same crowd by parry3d");
    short(&mut group, COUNT * 32);
    let mut made = None;
    for name in ["heightfield", "mesh"] {
        group.bench_function(name, |bencher| {
            let peer = made.get_or_insert_with(Peer::new);
            let ground: &dyn Shape = if name == "mesh" { &peer.mesh } else { &peer.field };
            bencher.iter_custom(|times| {
                sum(times, || {
                    let begun = Instant::now();
                    peer.ask(ground);
                    begun.elapsed()
                })
            });
        });
    }
}

criterion_group!(benches, walking, falling, peers);
criterion_main!(benches);
