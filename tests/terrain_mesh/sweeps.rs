//! Sweeps: times against brute force and the other library, no tunnelling, no catching on flat edges.

use crate::SEED;
use crate::queries::{other_library, vector};
use crate::support::*;
use parry3d::math::{Pose, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::{Ball, Capsule, Shape};
use proptest::prelude::*;
use serpentarium::Terrain;
use serpentarium::terrain::{MeshSource, Nearby, TriangleMesh};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn touches_equal_both_oracles(
        corners in any_triangles(10),
        bodies in prop::collection::vec((point(4.0), point(0.5), 0.02..0.5_f32, point(8.0), any::<bool>()), 4),
    ) {
        let source = soup(&corners);
        let all = triangles(&source);
        let Ok(mesh) = TriangleMesh::from_triangles(source) else { return Ok(()) };
        let nearby = everything(&mesh.into(), [0.0; 3]);
        let library = other_library(&corners);
        for (a, half, radius, way, is_ball) in bodies {
            let b = if is_ball { a } else { [0, 1, 2].map(|axis| a[axis] + half[axis]) };
            let speed = length(wide(way));
            let time = |radius: f64| all.iter().filter_map(|&t| touch_time(t, wide(a), wide(b), radius, wide(way))).fold(f64::INFINITY, f64::min);
            // Between a little thinner and a little thicker: a graze may be either.
            let (early, late) = (time(f64::from(radius) * 1.001 + 1e-5), time(f64::from(radius) * 0.999 - 1e-5));
            let found = nearby.swept(a, b, radius, way);
            let own = found.map_or(f64::INFINITY, |hit| f64::from(hit.time));
            prop_assert!(early - 1e-5 <= own && own <= late + 1e-5, "{own} of {early} to {late}");
            let Some(hit) = found else { continue };
            prop_assert!((length(wide(hit.normal)) - 1.0).abs() < 1e-3);
            prop_assert!(hit.time == 0.0 || dot(wide(hit.normal), wide(way)) < 0.0, "{hit:?} of {way:?}");
            if hit.time > 0.0 && late.is_finite() {
                let middle = [0, 1, 2].map(|axis| 0.5 * (a[axis] + b[axis]));
                let span = [0, 1, 2].map(|axis| 0.5 * half[axis]);
                let shape: Box<dyn Shape> = if is_ball { Box::new(Ball::new(radius)) } else {
                    Box::new(Capsule::new(vector(span.map(|part| -part)), vector(span), radius))
                };
                let cast = query::cast_shapes(
                    &Pose::IDENTITY, Vector::ZERO, &library, &Pose::from_translation(vector(middle)), vector(way), &*shape,
                    ShapeCastOptions::with_max_time_of_impact(1.0),
                ).unwrap();
                // The library's own is off by up to a millimetre, and loses some slivers.
                if let Some(cast) = cast.filter(|cast| cast.time_of_impact > 0.0) {
                    let apart = (f64::from(cast.time_of_impact) - own) * speed;
                    prop_assert!(apart > -0.02, "{own} for {}", cast.time_of_impact);
                }
            }
        }
    }

    #[test]
    fn nothing_is_passed_at_any_speed(at in point(0.9), way in point(1.0), power in 0..5, radius in 0.001..0.1_f32) {
        // Along any way through a slab of 5 cm, from 20 cm above it.
        let slab = slab(0.05);
        let nearby = everything(&mesh(slab).into(), [0.0; 3]);
        let fall = -1.0 - way[1].abs();
        let speed = 10.0_f32.powi(power);
        let way = [way[0] * 0.5 * speed, fall * speed, way[2] * 0.5 * speed];
        let from = [at[0], 0.2 + radius, at[2]];
        let to = [from[0] + 0.05, from[1] + 0.02, from[2]];
        for end in [from, to] {
            let hit = nearby.swept(from, end, radius, way).expect("it is in the way");
            let rest = f64::from(from[1]) + f64::from(way[1] * hit.time) - f64::from(radius);
            prop_assert!(hit.normal == [0.0, 1.0, 0.0] && rest.abs() < 2e-4 + 1e-6 * f64::from(speed), "{rest} {hit:?}");
        }
    }

    #[test]
    fn a_slide_over_flat_ground_is_not_stopped(
        x in -3.0..3.0_f32, z in -3.0..3.0_f32, dx in -3.0..3.0_f32, dz in -3.0..3.0_f32, lift in -1.0..3.0_f32, radius in 0.01..0.3_f32,
    ) {
        for (name, terrain) in flats() {
            let nearby = everything(&terrain, [0.0; 3]);
            // Around touching, by up to three times the touching gap.
            let y = radius * (1.0 + 1e-4 * lift);
            let (a, b) = ([x, y, z], [x + 0.3, y, z + 0.1]);
            for end in [a, b] {
                let hit = nearby.swept(a, end, radius, [dx, 0.0, dz]);
                prop_assert!(hit.is_none(), "{name}: {hit:?}");
                let pressed = nearby.swept(a, end, radius, [dx, -0.3, dz]).unwrap();
                prop_assert_eq!(pressed.normal, [0.0, 1.0, 0.0], "{}", name);
            }
            // Inside by a twentieth: pushed straight up, wherever on the triangles it is.
            let sunk = nearby.contact([x, 0.95 * radius, z], [x + 0.3, 0.95 * radius, z], radius).unwrap();
            prop_assert!(sunk.normal[1] > 0.99999, "{name}: {sunk:?}");
        }
    }
}

/// A box of 2 m x 2 m with its top at 0.
fn slab(thickness: f32) -> MeshSource {
    let corner = |index: u32| {
        let side = |bit: u32| if index & bit == 0 { -1.0 } else { 1.0 };
        [side(1), if index & 2 == 0 { -thickness } else { 0.0 }, side(4)]
    };
    let quads = [[0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let indices = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    MeshSource { positions: (0..8).map(corner).collect(), indices, ..MeshSource::default() }
}

fn flats() -> [(&'static str, Terrain); 3] {
    let grid = hills(40, 0.37, 0.0);
    let fan: Vec<[[f32; 3]; 3]> = (0..12)
        .map(|step| {
            let at = |step: i32| {
                let angle = step as f32 * std::f32::consts::TAU / 12.0;
                [9.0 * angle.cos(), 0.0, 9.0 * angle.sin()]
            };
            [[0.2, 0.0, 0.1], at(step), at((step + 1) % 12)]
        })
        .collect();
    [("mesh", mesh(mesh_of(&grid)).into()), ("field", field(grid)), ("fan", mesh(soup(&fan)).into())]
}

#[test]
fn a_head_at_60_m_s_stops_at_a_slab_of_5_cm() {
    let nearby = everything(&mesh(slab(0.05)).into(), [0.0; 3]);
    for step in 0..100 {
        let from = [-0.9 + 0.018 * step as f32, 0.5 + 0.003 * step as f32, 0.3];
        let hit = nearby.swept(from, from, 0.02, [0.0, -60.0 / 60.0, 0.0]).unwrap();
        assert!((hit.time - (from[1] - 0.02)).abs() < 1e-4 && hit.normal == [0.0, 1.0, 0.0], "{hit:?}");
        // From below as well: a mesh is solid on neither side.
        let from = [from[0], -from[1] - 0.05, from[2]];
        let hit = nearby.swept(from, from, 0.02, [0.0, 60.0 / 60.0, 0.0]).unwrap();
        assert!((hit.time - (-from[1] - 0.07)).abs() < 1e-4 && hit.normal == [0.0, -1.0, 0.0], "{hit:?}");
    }
}

#[test]
fn real_edges_are_met_with_their_own_normals() {
    let nearby = everything(&mesh(slab(0.05)).into(), [0.0; 3]);
    // Onto the long edge at x = 1 from outside and above, at 45 degrees.
    let hit = nearby.swept([2.0, 1.0, 0.0], [2.0, 1.0, 0.0], 0.1, [-2.0, -2.0, 0.0]).unwrap();
    assert!((hit.normal[0] - hit.normal[1]).abs() < 1e-3 && hit.normal[0] > 0.7, "{hit:?}");
    // And its corner.
    let hit = nearby.swept([2.0, 1.0, 2.0], [2.0, 1.0, 2.0], 0.1, [-2.0, -2.0, -2.0]).unwrap();
    assert!(hit.normal.iter().all(|part| (part - 0.577).abs() < 1e-2), "{hit:?}");
}

#[test]
fn sweeps_at_100_km_are_sweeps_at_0() {
    let far = [1e5, 300.0, -1e5];
    let grid = hills(20, 1.0, 2.0);
    let moved = |origin: [f64; 3]| [0, 1, 2].map(|axis| origin[axis] + far[axis]);
    let near: [Terrain; 2] = [field(grid.clone()), mesh(mesh_of(&grid)).into()];
    let origin = moved(grid.origin);
    let away = serpentarium::terrain::HeightGrid { origin, ..grid };
    let there: [Terrain; 2] = [field(away.clone()), mesh(mesh_of(&away)).into()];
    let (mut here, mut over_there) = (Nearby::new(), Nearby::new());
    for (near, there) in near.iter().zip(&there) {
        for step in 0..60 {
            let center = [f64::from(step) * 0.21 - 6.0, 2.7, 4.0 - f64::from(step) * 0.13];
            assert_eq!(
                near.gather(center, [3.0; 3], &mut here),
                there.gather(moved(center), [3.0; 3], &mut over_there)
            );
            let way = [0.7, -2.9, 0.3];
            let [one, other] =
                [&here, &over_there].map(|nearby| nearby.swept([0.0; 3], [0.2, 0.1, 0.0], 0.1, way).unwrap());
            assert!((one.time - other.time).abs() < 1e-5 && one.id == other.id, "{one:?} {other:?}");
            let [one, other] = [&here, &over_there].map(|nearby| nearby.closest([0.1, 0.2, 0.3]).unwrap());
            assert!((one.distance - other.distance).abs() < 1e-5, "{one:?} {other:?}");
            let [one, other] = [(near, center), (there, moved(center))]
                .map(|(terrain, [x, y, z])| terrain.sample_under(x, y + 5.0, z).unwrap());
            assert!((one.height_m + 300.0 - other.height_m).abs() < 1e-5, "{one:?} {other:?}");
        }
    }
}
