//! Ground queries on a heightfield and on a mesh of the same 100,352 triangles, beside the same queries through parry3d on
//! the same surface. A number is for one query (of eight points for samples in lanes), at 256 places in turn.
#![allow(missing_docs, unsafe_code)]

#[path = "common/hills.rs"]
mod hills;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use hills::{CELL_M, SIDE, field_of, height, triangles};
use parry3d::math::{Pose, Vector};
use parry3d::query::{self, PointQuery, Ray, RayCast, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, HeightField, Shape, TriMesh};
use parry3d::utils::Array2;
use serpentarium::Terrain;
use serpentarium::lanes::WideLanes;
use serpentarium::terrain::{Closest, Contact, Hit, Nearby, TriangleMesh};
use std::hint::black_box;
use std::time::Duration;

const PLACES: usize = 256;
/// A snake's head: its radius, the neck behind it, and a tick's way at 6 m/s.
const RADIUS: f32 = 0.03;
const NECK: [f32; 3] = [0.12, 0.0, 0.05];
const WAY: [f32; 3] = [0.09, -0.04, 0.03];
/// A way that mostly leads past the ground.
const CLEAR_WAY: [f32; 3] = [0.09, 0.03, 0.03];
/// What is gathered about it: all that it may meet in a tick.
const HALF: [f32; 3] = [0.24, 0.3, 0.24];

struct Scene {
    field: Terrain,
    mesh: Terrain,
    other_field: HeightField,
    other_mesh: TriMesh,
    /// Heads a centimetre clear of the ground.
    places: Vec<[f64; 3]>,
}

impl Scene {
    fn new() -> Self {
        let source = triangles();
        let positions = source.positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
        let other_mesh = TriMesh::new(positions, source.indices.clone()).unwrap();
        let size = (SIDE - 1) as f32 * CELL_M;
        let heights = (0..SIDE * SIDE).map(|index| height(index / SIDE, index % SIDE)).collect();
        let other_field = HeightField::new(Array2::new(SIDE, SIDE, heights), Vector::new(size, 1.0, size));
        let field = field_of(SIDE);
        let mesh = Terrain::from(TriangleMesh::from_triangles(source).unwrap());
        let place = |index: usize| {
            let (x, z) = (((index * 97) % 251) as f64 * 0.41 - 51.0, ((index * 53) % 241) as f64 * 0.43 - 51.0);
            let ground = field.sample(x, z).unwrap();
            [x, ground.height_m + f64::from(RADIUS / ground.face_normal[1]) + 0.01, z]
        };
        let places = (0..PLACES).map(place).collect();
        Self { field, mesh, other_field, other_mesh, places }
    }

    fn terrains(&self) -> [(&'static str, &Terrain); 2] {
        [("heightfield", &self.field), ("mesh", &self.mesh)]
    }

    fn gathered(&self, terrain: &Terrain) -> Vec<Nearby> {
        let gather = |&place: &[f64; 3]| {
            let mut nearby = Nearby::new();
            terrain.gather(place, HALF, &mut nearby);
            nearby
        };
        self.places.iter().map(gather).collect()
    }
}

/// Runs `query` at one place after the other.
fn each<R>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut query: impl FnMut(usize) -> R) {
    let mut index = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            index = (index + 1) % PLACES;
            black_box(query(index))
        });
    });
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    group
}

/// A query with the lanes that the crate is compiled for, and with AVX2.
macro_rules! on_lanes {
    ($plain:ident, $wide:ident, $method:ident, ($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(never)]
        fn $plain(nearby: &Nearby, $($argument: $type),*) -> $result {
            nearby.$method::<WideLanes>($($argument),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $wide(nearby: &Nearby, $($argument: $type),*) -> $result {
            nearby.$method::<serpentarium::lanes::Avx2Lanes>($($argument),*)
        }
    };
}
on_lanes!(sweep_plain, sweep_avx2, sweep, (a: [f32; 3], b: [f32; 3], radius: f32, way: [f32; 3]) -> Option<Hit>);
on_lanes!(deepest_plain, deepest_avx2, deepest, (a: [f32; 3], b: [f32; 3], radius: f32) -> Option<Contact>);
on_lanes!(closest_plain, closest_avx2, closest_point, (point: [f32; 3]) -> Option<Closest>);

/// One benchmark with each kind of lanes.
macro_rules! both {
    ($group:expr, $name:expr, $gathered:expr, $plain:ident, $wide:ident, ($($argument:expr),*)) => {
        each($group, &format!("{} plain", $name), |index| $plain(&$gathered[index], $($argument),*));
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            each($group, &format!("{} avx2", $name), |index| unsafe { $wide(&$gathered[index], $($argument),*) });
        }
    };
}

fn samples(criterion: &mut Criterion) {
    let scene = Scene::new();
    let mut group = group(criterion, "sample eight");
    let eight = |index: usize, axis: usize| -> [f64; 8] {
        std::array::from_fn(|lane| scene.places[(index + 31 * lane) % PLACES][axis])
    };
    let points: Vec<[[f64; 8]; 3]> = (0..PLACES).map(|index| [0, 1, 2].map(|axis| eight(index, axis))).collect();
    for (name, terrain) in scene.terrains() {
        each(&mut group, name, |index| {
            let [x, y, z] = &points[index];
            terrain.sample_under_lanes(x, y, z)
        });
    }
    let down = |index: usize, lane: usize| {
        let [x, y, z] = points[index].map(|part| part[lane] as f32);
        Ray::new(Vector::new(x, y, z), Vector::new(0.0, -1.0, 0.0))
    };
    each(&mut group, "parry heightfield", |index| -> [_; 8] {
        std::array::from_fn(|lane| scene.other_field.cast_local_ray_and_get_normal(&down(index, lane), 100.0, false))
    });
    each(&mut group, "parry mesh", |index| -> [_; 8] {
        std::array::from_fn(|lane| scene.other_mesh.cast_local_ray_and_get_normal(&down(index, lane), 100.0, false))
    });
}

fn gathering(criterion: &mut Criterion) {
    let scene = Scene::new();
    let mut group = group(criterion, "gather");
    for (name, terrain) in scene.terrains() {
        let mut nearby = Nearby::with_capacity(256);
        let all: usize = scene.places.iter().map(|&place| terrain.gather(place, HALF, &mut nearby)).sum();
        println!("{name}: {:.1} triangles a gathering", all as f64 / PLACES as f64);
        each(&mut group, name, |index| terrain.gather(scene.places[index], HALF, &mut nearby));
    }
}

fn body(place: [f64; 3]) -> Pose {
    Pose::from_translation(Vector::new(place[0] as f32, place[1] as f32, place[2] as f32))
}

fn sweeps(criterion: &mut Criterion) {
    let scene = Scene::new();
    let mut group = group(criterion, "sweep");
    for (name, terrain) in scene.terrains() {
        let gathered = scene.gathered(terrain);
        let zero = [0.0; 3];
        both!(&mut group, format!("sphere {name}"), gathered, sweep_plain, sweep_avx2, (zero, zero, RADIUS, WAY));
        both!(&mut group, format!("capsule {name}"), gathered, sweep_plain, sweep_avx2, (zero, NECK, RADIUS, WAY));
        both!(
            &mut group,
            format!("capsule clear {name}"),
            gathered,
            sweep_plain,
            sweep_avx2,
            (zero, NECK, RADIUS, CLEAR_WAY)
        );
        let hits =
            |end, way| gathered.iter().filter(|nearby| sweep_plain(nearby, zero, end, RADIUS, way).is_some()).count();
        let (spheres, capsules, clear) = (hits(zero, WAY), hits(NECK, WAY), hits(NECK, CLEAR_WAY));
        println!("{name}: of {PLACES}, {spheres} spheres hit, {capsules} capsules, {clear} on the clear way");
    }
    let way = Vector::new(WAY[0], WAY[1], WAY[2]);
    let ball = Ball::new(RADIUS);
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let cast = |ground: &dyn Shape, moving: &dyn Shape, index: usize| {
        let pose = body(scene.places[index]);
        query::cast_shapes(&Pose::IDENTITY, Vector::ZERO, ground, &pose, way, moving, options)
    };
    let neck = Capsule::new(Vector::ZERO, Vector::new(NECK[0], NECK[1], NECK[2]), RADIUS);
    for (name, body) in [("sphere", &ball as &dyn Shape), ("capsule", &neck)] {
        each(&mut group, &format!("{name} parry heightfield"), |index| cast(&scene.other_field, body, index));
        each(&mut group, &format!("{name} parry mesh"), |index| cast(&scene.other_mesh, body, index));
    }
}

fn contacts(criterion: &mut Criterion) {
    let scene = Scene::new();
    let mut group = group(criterion, "contact");
    // Half a radius lower: in the ground.
    let (low, end) = ([0.0, -0.5 * RADIUS - 0.01, 0.0], [NECK[0], NECK[1] - 0.5 * RADIUS - 0.01, NECK[2]]);
    for (name, terrain) in scene.terrains() {
        let gathered = scene.gathered(terrain);
        both!(&mut group, format!("deepest sphere {name}"), gathered, deepest_plain, deepest_avx2, (low, low, RADIUS));
        both!(&mut group, format!("deepest capsule {name}"), gathered, deepest_plain, deepest_avx2, (low, end, RADIUS));
        both!(&mut group, format!("closest {name}"), gathered, closest_plain, closest_avx2, (low));
    }
    let ball = Ball::new(RADIUS);
    let contact = |ground: &dyn Shape, index: usize| {
        let [x, y, z] = scene.places[index];
        query::contact(&Pose::IDENTITY, ground, &body([x, y + f64::from(low[1]), z]), &ball, 0.0)
    };
    each(&mut group, "deepest sphere parry heightfield", |index| contact(&scene.other_field, index));
    each(&mut group, "deepest sphere parry mesh", |index| contact(&scene.other_mesh, index));
    each(&mut group, "closest parry mesh", |index| {
        let [x, y, z] = scene.places[index].map(|part| part as f32);
        scene.other_mesh.project_local_point(Vector::new(x, y + low[1], z), false)
    });
}

fn building(criterion: &mut Criterion) {
    let mut group = group(criterion, "build");
    group.sample_size(10);
    let source = triangles();
    group.bench_function("mesh", |bencher| {
        bencher.iter_with_large_drop(|| TriangleMesh::from_triangles(source.clone()).unwrap());
    });
    group.bench_function("parry mesh", |bencher| {
        bencher.iter_with_large_drop(|| {
            let positions = source.positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
            TriMesh::new(positions, source.indices.clone()).unwrap()
        });
    });
}

criterion_group!(benches, samples, gathering, sweeps, contacts, building);
criterion_main!(benches);
