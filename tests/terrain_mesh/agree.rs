//! A heightfield and the same surface as a mesh give the same answers.

use crate::SEED;
use crate::support::*;
use proptest::prelude::*;
use serpentarium::Terrain;
use serpentarium::terrain::{HeightGrid, Nearby};

fn both(grid: &HeightGrid) -> [Terrain; 2] {
    [field(grid.clone()), mesh(mesh_of(grid)).into()]
}

fn any_grid() -> impl Strategy<Value = HeightGrid> {
    (
        3..9_usize,
        0.2..1.5_f64,
        prop::collection::vec(-0.7..0.7_f32, 81),
        prop::collection::vec([0..9_u32, 0..9_u32], 0..4),
    )
        .prop_map(|(side, cell_m, heights, holes)| {
            let last = side as u32 - 1;
            let heights = heights[..side * side].to_vec();
            HeightGrid {
                heights,
                holes: holes.into_iter().map(|hole| hole.map(|at| at % last)).collect(),
                ..hills(side, cell_m, 0.0)
            }
        })
}

/// Somewhere over the grid, from fractions of its sides.
fn over(grid: &HeightGrid, [x, z]: [f64; 2]) -> [f64; 2] {
    let size = (grid.columns - 1) as f64 * grid.cell_x_m;
    [grid.origin[0] + x * size, grid.origin[2] + z * size]
}

fn close(one: [f32; 3], other: [f32; 3], tolerance: f64) -> bool {
    length(sub(wide(one), wide(other))) < tolerance
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn samples_agree(grid in any_grid(), places in prop::collection::vec([0.0..1.0_f64, 0.0..1.0], 30)) {
        let [field, mesh] = both(&grid);
        for place in places {
            let [x, z] = over(&grid, place);
            // At a hole's border either answer is right.
            let at = |place: f64| place * (grid.columns - 1) as f64;
            if place.iter().any(|&part| (at(part) - at(part).round()).abs() < 1e-4) {
                continue;
            }
            match (field.sample_under(x, 5.0, z), mesh.sample_under(x, 5.0, z)) {
                (None, None) => {}
                (Some(one), Some(other)) => {
                    prop_assert!((one.height_m - other.height_m).abs() < 1e-5, "{one:?} {other:?}");
                    let on_diagonal = (at(place[0]).fract() - at(place[1]).fract()).abs() < 1e-4;
                    prop_assert!(on_diagonal || close(one.face_normal, other.face_normal, 1e-4), "{one:?} {other:?}");
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn queries_from_above_agree(
        grid in any_grid(),
        bodies in prop::collection::vec(([0.05..0.95_f64, 0.05..0.95], 0.0..1.0_f32, point(0.3), 0.02..0.3_f32, point(1.5)), 8),
    ) {
        let [field, mesh] = both(&grid);
        let (mut on_field, mut on_mesh) = (Nearby::new(), Nearby::new());
        for (place, lift, half, radius, way) in bodies {
            let [x, z] = over(&grid, place);
            let Some(ground) = field.sample(x, z) else { continue };
            let center = [x, ground.height_m + f64::from(lift), z];
            field.gather(center, [30.0; 3], &mut on_field);
            mesh.gather(center, [30.0; 3], &mut on_mesh);
            prop_assert_eq!(on_field.len(), on_mesh.len());
            let end = [half[0], half[1].abs(), half[2]];
            // Inside, a heightfield pushes up and a mesh to the middle's side: compared above alone.
            let is_clear = (0..=40).all(|step| {
                let at = along([0.0; 3], wide(end), f64::from(step) / 40.0);
                let under = field.sample(center[0] + at[0], center[2] + at[2]);
                under.is_none_or(|under| center[1] + at[1] > under.height_m + 0.01)
            });
            let [one, other] = [&on_field, &on_mesh].map(|nearby| nearby.closest([0.0, 0.02, 0.0]).unwrap());
            prop_assert!((one.distance - other.distance).abs() < 1e-5, "{one:?} {other:?}");
            if !is_clear {
                continue;
            }
            let [one, other] = [&on_field, &on_mesh].map(|nearby| nearby.contact([0.0; 3], end, radius));
            let depth = |contact: Option<serpentarium::terrain::Contact>| contact.map_or(0.0, |contact| contact.depth);
            prop_assert!((depth(one) - depth(other)).abs() < 2e-5, "{one:?} {other:?}");
            if depth(one) > 0.0 {
                continue;
            }
            let [one, other] = [&on_field, &on_mesh].map(|nearby| nearby.swept([0.0; 3], end, radius, way));
            match (one, other) {
                (None, None) => {}
                (Some(one), Some(other)) => prop_assert!((one.time - other.time).abs() < 1e-4, "{one:?} {other:?}"),
                // A graze, or from behind through a hole.
                (one, other) => prop_assert!(!grid.holes.is_empty() || is_graze(one.or(other), way), "{one:?} {other:?}"),
            }
            let [one, other] = [&on_field, &on_mesh].map(|nearby| nearby.cast_down([0.01, 0.0, 0.02], 20.0));
            prop_assert!(one.map(|hit| hit.time * 1e4).unwrap_or(-1.0) - other.map(|hit| hit.time * 1e4).unwrap_or(-1.0) < 1.0);
        }
    }
}

fn is_graze(hit: Option<serpentarium::terrain::Hit>, way: [f32; 3]) -> bool {
    hit.is_some_and(|hit| dot(wide(hit.normal), wide(way)).abs() < 0.02 * length(wide(way)))
}

#[test]
fn the_way_down_is_the_sample() {
    let grid = hills(12, 0.8, 1.5);
    for terrain in both(&grid) {
        let nearby = everything(&terrain, [0.3, 4.0, -0.2]);
        for step in 0..40 {
            let (x, z) = (0.1 * step as f32 - 2.013, 1.9 - 0.09 * step as f32);
            let hit = nearby.cast_down([x, 0.0, z], 50.0).unwrap();
            let ground = terrain.sample_under(0.3 + f64::from(x), 4.0, f64::from(z) - 0.2).unwrap();
            assert!((nearby.world(hit.point)[1] - ground.height_m).abs() < 1e-5, "{hit:?} {ground:?}");
            assert!(close(hit.normal, ground.face_normal, 1e-4), "{hit:?} {ground:?}");
        }
    }
}
