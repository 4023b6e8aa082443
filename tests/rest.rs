//! Spheres at rest on ground: they touch it and are not in it, by parry3d's distances to the same triangles.

mod common;

use common::Random;
use parry3d::math::Vector;
use parry3d::query::PointQuery;
use parry3d::shape::TriMesh;
use serpentarium::Terrain;
use serpentarium::terrain::{HeightGrid, Heightfield, MeshSource, TriangleMesh};

const SIDE: usize = 33;

/// A surface as a heightfield, as a mesh, and as parry sees it.
struct Ground {
    terrains: [(&'static str, Terrain); 2],
    peer: TriMesh,
}

fn ground(cell: f32, origin: [f64; 3], height: impl Fn(f32, f32) -> f32) -> Ground {
    let at = |i: usize| (i % SIDE, i / SIDE);
    let heights: Vec<f32> = (0..SIDE * SIDE).map(|i| height(at(i).0 as f32 * cell, at(i).1 as f32 * cell)).collect();
    let positions: Vec<[f32; 3]> =
        (0..SIDE * SIDE).map(|i| [at(i).0 as f32 * cell, heights[i], at(i).1 as f32 * cell]).collect();
    let mut indices = Vec::new();
    for row in 0..SIDE - 1 {
        for column in 0..SIDE - 1 {
            let [start, end] = [row * SIDE + column, (row + 1) * SIDE + column + 1].map(|i| i as u32);
            indices.push([start, end - SIDE as u32, end]);
            indices.push([start, end, start + SIDE as u32]);
        }
    }
    let vertices = positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
    let peer = TriMesh::new(vertices, indices.clone()).unwrap();
    let cell_m = f64::from(cell);
    let grid =
        HeightGrid { columns: SIDE, rows: SIDE, cell_x_m: cell_m, cell_z_m: cell_m, origin, heights, holes: vec![] };
    let mesh = MeshSource { positions, indices, origin, ..MeshSource::default() };
    let terrains = [
        ("field", Heightfield::from_heights(grid).unwrap().into()),
        ("mesh", TriangleMesh::from_triangles(mesh).unwrap().into()),
    ];
    Ground { terrains, peer }
}

/// Of spheres all over the ground, how much nearer or farther than its radius one may be from it, as a share.
fn check(name: &str, ground: &Ground, cell: f32, origin: [f64; 3], radius: f32, slack: f32) {
    let mut random = Random(7);
    let width = f64::from(cell) * (SIDE - 1) as f64;
    let edge = f64::from(2.0 * radius);
    let mut worst = [0.0_f32; 2];
    for step in 0..4000 {
        let [mut x, mut z] = [0; 2].map(|_| random.between(edge, width - edge));
        if step % 2 == 0 {
            // Within a radius of an edge or a diagonal.
            x = (x / f64::from(cell)).round() * f64::from(cell) + random.between(-1.0, 1.0) * f64::from(radius);
            x = x.clamp(edge, width - edge);
            z = if step % 4 == 0 { x + random.between(-1.0, 1.0) * f64::from(radius) } else { z }
                .clamp(edge, width - edge);
        }
        for (kind, terrain) in &ground.terrains {
            let y = terrain.rest_under(origin[0] + x, f64::INFINITY, origin[2] + z, radius).unwrap() - origin[1];
            let apart = ground.peer.distance_to_local_point(Vector::new(x as f32, y as f32, z as f32), true);
            let off = (apart - radius) / radius;
            worst = [worst[0].min(off), worst[1].max(off)];
            assert!(off.abs() < slack, "{name}, {kind}: {off} radii off at {x}, {z}");
        }
    }
    println!("{name}: {worst:?} radii");
}

#[test]
fn spheres_touch_hills_and_are_not_in_them() {
    let hills = |x: f32, z: f32| 0.8 * (0.9 * x).sin() * (0.7 * z).cos() + 0.3 * (2.1 * x + z).sin();
    for origin in [[0.0; 3], [100_000.0, -300.0, 70_000.0]] {
        let ground = ground(1.0, origin, hills);
        for radius in [0.005, 0.05] {
            check("hills", &ground, 1.0, origin, radius, 0.02);
        }
    }
}

#[test]
fn spheres_touch_ridges_valleys_and_slopes_of_sixty_degrees() {
    let roof = |x: f32, _: f32| 1.7 * (x % 8.0 - 4.0).abs();
    let ground = ground(1.0, [0.0; 3], roof);
    check("roofs", &ground, 1.0, [0.0; 3], 0.05, 1e-3);
}

#[test]
fn the_height_of_a_resting_sphere_goes_on_over_edges() {
    let rough = |x: f32, z: f32| 0.2 * (3.0 * x).sin() * (2.3 * z).cos() + 0.1 * (5.0 * x - 4.0 * z).sin();
    let ground = ground(0.5, [0.0; 3], rough);
    for (kind, terrain) in &ground.terrains {
        for row in 0..40 {
            let (mut last, step) = (None, 1e-4);
            for i in 0..100_000 {
                let (x, z) = (2.0 + step * f64::from(i), 2.0 + 0.27 * f64::from(row) + 0.13 * step * f64::from(i));
                let y = terrain.rest_under(x, f64::INFINITY, z, 0.05).unwrap();
                // No slope is over 60 degrees here.
                let jump = last.map_or(0.0, |last: f64| (y - last).abs());
                assert!(jump < 0.001 + 4.0 * step, "{kind}: {jump} m at {x}, {z}");
                last = Some(y);
            }
        }
    }
}
