//! Sets: parts that come, go and move, few and many.

use crate::support::*;
use serpentarium::Terrain;
use serpentarium::error::Error;
use serpentarium::terrain::{GroundSample, Heightfield, Nearby, Part, PartId, Plane, TerrainSet, TriangleMesh};
use std::sync::Arc;

/// A pyramid of 1 m x 1 m, 1 m high, open below.
fn boulder() -> Arc<TriangleMesh> {
    let (a, b, c, d) = ([-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.0, 0.5], [-0.5, 0.0, 0.5]);
    let top = [0.0, 1.0, 0.0];
    Arc::new(mesh(soup(&[[a, b, top], [b, c, top], [c, d, top], [d, a, top]])))
}

fn height(terrain: &Terrain, x: f64, y: f64, z: f64) -> Option<f64> {
    terrain.sample_under(x, y, z).map(|ground| ground.height_m)
}

#[test]
fn parts_come_go_and_move_under_names_that_stay() {
    let mut set = TerrainSet::new();
    assert!(set.is_empty() && Terrain::from(set.clone()).sample(0.0, 0.0).is_none());
    let plane = set.insert(Plane::level(0.0)).unwrap();
    let rock = set.insert(boulder()).unwrap();
    let before = set.version();
    set.translate(rock, [10.0, 0.5, 0.0]).unwrap();
    set.translate(rock, [0.0, 0.0, -3.0]).unwrap();
    assert!(set.version() > before && set.len() == 2);
    let terrain = Terrain::from(set.clone());
    assert_eq!(height(&terrain, 10.0, 9.0, -3.0), Some(1.5));
    assert_eq!((height(&terrain, 10.0, 1.0, -3.0), height(&terrain, 0.0, 9.0, 0.0)), (Some(0.0), Some(0.0)));
    set.move_to(rock, [0.0; 3]).unwrap();
    assert_eq!(height(&Terrain::from(set.clone()), 0.0, 9.0, 0.0), Some(1.0));
    // What was given away is a copy.
    assert_eq!(height(&terrain, 0.0, 9.0, 0.0), Some(0.0));
    set.replace(plane, Plane::level(-2.0)).unwrap();
    assert!(matches!(set.remove(rock).unwrap(), Part::Mesh(_)));
    let next = set.insert(boulder()).unwrap();
    assert!(next > rock && next.index() == 2, "names are not given out again");
    assert_eq!(set.parts().map(|(id, ..)| id).collect::<Vec<_>>(), [plane, next]);
    assert_eq!(height(&Terrain::from(set.clone()), 5.0, 9.0, 0.0), Some(-2.0));
    let version = set.version();
    let refused = [
        set.remove(rock).map(drop),
        set.replace(rock, Plane::level(0.0)),
        set.translate(rock, [0.0; 3]),
        set.move_to(next, [0.0, f64::NAN, 0.0]),
        set.translate(next, [2e9, 0.0, 0.0]),
    ];
    for error in refused {
        assert!(matches!(error, Err(Error::Value { .. })), "{error:?}");
    }
    assert_eq!(set.version(), version);
}

/// A map, and boulders on it, each its own part.
fn boulders(count: usize) -> TerrainSet {
    let mut set = TerrainSet::new();
    let ground = Heightfield::from_heights(hills(60, 1.0, 1.0)).unwrap();
    let (rock, map) = (boulder(), ground.clone());
    set.insert(ground).unwrap();
    for index in 0..count {
        let id = set.insert(rock.clone()).unwrap();
        let (x, z) = (((index * 37) % 97) as f64 * 0.55 - 26.0, ((index * 61) % 89) as f64 * 0.6 - 26.0);
        set.translate(id, [x, map.sample(x, z).unwrap().height_m - 0.3, z]).unwrap();
    }
    set
}

/// Each part asked by itself.
fn by_hand(set: &TerrainSet, [x, y, z]: V) -> Option<GroundSample> {
    let mut best: Option<GroundSample> = None;
    for (_, part, offset) in set.parts() {
        let at = sub([x, y, z], offset);
        let found = match part {
            Part::Plane(plane) => plane.sample(at[0], at[2]),
            Part::Heightfield(field) => field.sample(at[0], at[2]),
            Part::Mesh(mesh) => mesh.sample_under(at[0], at[1], at[2]),
        };
        if let Some(mut found) = found {
            found.height_m += offset[1];
            if best.is_none_or(|best| found.height_m > best.height_m) {
                best = Some(found);
            }
        }
    }
    best
}

#[test]
fn few_and_many_parts_are_found_as_by_hand() {
    for count in [3, 12, 13, 400] {
        let set = boulders(count);
        let terrain = Terrain::from(set.clone());
        let unindexed = Terrain::Set(Arc::new(set.clone()));
        let mut on_rocks = 0;
        for step in 0..2000 {
            let (x, z) = (f64::from(step % 50) * 1.03 - 25.7, f64::from(step / 50) * 1.31 - 25.9);
            let y = if step % 3 == 0 { 0.5 } else { 50.0 };
            let found = terrain.sample_under(x, y, z);
            assert_eq!(found, by_hand(&set, [x, y, z]), "{count} at {x} {y} {z}");
            assert_eq!(found, unindexed.sample_under(x, y, z));
            let ground = set.parts().next().map(|(_, part, _)| part.clone());
            let Some(Part::Heightfield(ground)) = ground else { panic!("the map") };
            on_rocks += usize::from(found.unwrap().height_m > ground.sample(x, z).unwrap().height_m);
        }
        assert!(on_rocks > count / 8, "{on_rocks}");
        let (mut one, mut other) = (Nearby::new(), Nearby::new());
        for step in 0..60 {
            let center = [f64::from(step) * 0.8 - 24.0, 0.7, 20.0 - f64::from(step) * 0.7];
            assert_eq!(terrain.gather(center, [1.5; 3], &mut one), unindexed.gather(center, [1.5; 3], &mut other));
            let sweep = |nearby: &Nearby| nearby.swept([0.0, 1.4, 0.0], [0.1, 1.4, 0.1], 0.05, [0.3, -2.5, 0.1]);
            assert_eq!(sweep(&one), sweep(&other));
            assert_eq!(one.closest([0.0; 3]), other.closest([0.0; 3]));
        }
    }
}

#[test]
fn a_cave_under_a_hole_is_entered_through_it() {
    // A map with its middle cell open, and a mesh floor 3 m below.
    let mut grid = hills(9, 1.0, 0.0);
    grid.holes = vec![[4, 4]];
    let floor = [[-3.0_f32, -3.0, -3.0], [3.0, -3.0, -3.0], [0.0, -3.0, 9.0]];
    let mut set = TerrainSet::new();
    let map = set.insert(Heightfield::from_heights(grid).unwrap()).unwrap();
    let cave = set.insert(mesh(soup(&[floor]))).unwrap();
    let terrain = Terrain::from(set);
    assert_eq!((height(&terrain, 0.5, 1.0, 0.5), height(&terrain, 1.5, 1.0, 0.5)), (Some(-3.0), Some(0.0)));
    let mut nearby = Nearby::new();
    terrain.gather([0.5, -1.0, 0.5], [4.0; 3], &mut nearby);
    let fall = |x: f32| nearby.swept([x, 2.0, 0.0], [x, 2.0, 0.0], 0.1, [0.0, -6.0, 0.0]).unwrap();
    assert_eq!((fall(0.0).id.part, fall(1.0).id.part), (cave, map));
    // The hole's border is an edge of its own: a sphere meets it from within the shaft as from above.
    let edge = nearby.swept([0.45, 2.0, 0.0], [0.45, 2.0, 0.0], 0.1, [0.0, -6.0, 0.0]).unwrap();
    assert!(edge.id.part == map && edge.normal[0] < -0.4, "{edge:?}");
    let wall = nearby.swept([0.0, 0.95, 0.0], [0.0, 0.95, 0.0], 0.1, [1.0, 0.0, 0.0]).unwrap();
    assert!(wall.id.part == map && wall.normal[0] < -0.8, "{wall:?}");
    assert_eq!(PartId::default(), map);
}
