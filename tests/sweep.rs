//! Heads against ground: walls, inclines, ledges, ceilings.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::terrain::TerrainSet;
use serpentarium::terrain::{MeshSource, TriangleMesh};
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

/// A body of 1 m and 1 cm radius, with a head of 3 cm and 1.2 cm radius.
fn snake() -> Profile {
    Profile::builder("snake")
        .length_m(1.0)
        .radius_m([(0.0, 0.01), (1.0, 0.004)])
        .steering_amplitude_deg(0.0)
        .max_turn_speed_deg_s(720.0)
        .body_follow(true)
        .head(serpentarium::profile::Head::builder("head").length_m(0.03).radius_m(0.012).jaw_length_m(0.026))
        .build()
        .unwrap()
}

/// An upright box, as a mesh.
fn block(least: [f32; 3], most: [f32; 3]) -> TriangleMesh {
    let corner = |i: usize| [0, 1, 2].map(|c| if i >> c & 1 == 0 { least[c] } else { most[c] });
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let indices = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let positions = (0..8).map(corner).collect();
    TriangleMesh::from_triangles(MeshSource { origin: [0.0; 3], positions, normals: None, indices }).unwrap()
}

/// Level ground and these boxes on it.
fn with_blocks(blocks: &[([f32; 3], [f32; 3])], origin: [f64; 3]) -> Terrain {
    let mut set = TerrainSet::new();
    set.insert(serpentarium::terrain::Plane::level(origin[1])).unwrap();
    for (least, most) in blocks {
        set.insert(block(*least, *most).at_origin(origin).unwrap()).unwrap();
    }
    set.into()
}

fn walker(terrain: Terrain, at: [f64; 3], speed: f32) -> (SerpentBatch, SerpentId) {
    alone(terrain, snake(), |p| Spawn::at(p, at).facing(X).driven(speed))
}

#[test]
fn a_head_at_60_m_s_stops_before_a_slab_of_5_cm() {
    for origin in [[0.0; 3], [1e5, 0.0, -1e5]] {
        let terrain = with_blocks(&[([2.0, -1.0, -50.0], [2.05, 30.0, 50.0])], origin);
        let (mut batch, id) = walker(terrain, origin, 60.0);
        for _ in 0..30 {
            batch.set_guidance(id, X).unwrap();
            batch.step(DT).unwrap();
            let head = batch.head(id).unwrap() - DVec3::from(origin);
            assert!(head.x <= 2.0 - 0.012, "went to {head}");
            assert_segments(&batch, id, "slab");
            for joint in joints(&batch, id) {
                assert!(joint.x - origin[0] <= 2.0, "{joint} is behind the slab");
            }
        }
        let head = batch.head(id).unwrap() - DVec3::from(origin);
        assert!(head.x > 1.9, "stopped far off, at {head}");
    }
}

#[test]
fn a_head_turns_along_a_wall_and_rests_in_a_corner() {
    let walls = [([1.0, -1.0, -50.0], [1.5, 3.0, 50.0]), ([-50.0, -1.0, 1.0], [50.0, 3.0, 1.5])];
    let (mut batch, id) = walker(with_blocks(&walls, [0.0; 3]), [0.0; 3], 1.0);
    let aim = Vec3::new(1.0, 0.0, 0.4);
    let mut rested = 0;
    for tick in 0..300 {
        batch.set_guidance(id, aim).unwrap();
        let before = joints(&batch, id);
        let report = batch.step(DT).unwrap();
        let (head, after) = (batch.head(id).unwrap(), joints(&batch, id));
        assert!(head.x <= 1.0 && head.z <= 1.0 && head.y.abs() < 0.1, "{head}");
        assert_segments(&batch, id, "walls");
        if tick == 90 {
            assert!(head.x > 0.9 && head.z > 0.3, "slides along the wall: {head}");
            assert!(report.counters.slid == 1, "{:?}", report.counters);
        }
        if tick >= 240 {
            assert_eq!(report.counters.stopped, 1, "tick {tick}");
            rested += u32::from(before == after);
        }
    }
    assert_eq!(rested, 60, "trembles in the corner");
    let head = batch.head(id).unwrap();
    assert!(head.x > 0.95 && head.z > 0.95, "{head}");
    // And it gets out again.
    for _ in 0..60 {
        batch.set_guidance(id, Vec3::new(-1.0, 0.0, -1.0)).unwrap();
        batch.step(DT).unwrap();
    }
    assert!(batch.head(id).unwrap().x < 0.8, "stuck in the corner");
}

/// A ramp that rises along x from 0 at this angle, 2 m long, as a heightfield of 2 cm cells.
fn ramp(degrees: f64) -> Terrain {
    let rise = degrees.to_radians().tan();
    let heights = (0..201 * 3).map(|i| (rise * ((i % 201) as f64 * 0.02 - 2.0).max(0.0)) as f32).collect();
    let grid = serpentarium::terrain::HeightGrid {
        columns: 201,
        rows: 3,
        cell_x_m: 0.02,
        cell_z_m: 10.0,
        origin: [-2.0, 0.0, -10.0],
        heights,
        holes: Vec::new(),
    };
    Terrain::from(serpentarium::Heightfield::from_heights(grid).unwrap())
}

#[test]
fn a_head_climbs_up_to_its_limit_and_no_further() {
    for (degrees, climbs) in [(20.0, true), (45.0, true), (58.0, true), (60.0, true), (65.0, false), (80.0, false)] {
        let (mut batch, id) = walker(ramp(degrees), [-1.0, 0.0, 0.0], 0.5);
        for _ in 0..240 {
            batch.set_guidance(id, X).unwrap();
            batch.step(DT).unwrap();
            assert_segments(&batch, id, "ramp");
        }
        let head = batch.head(id).unwrap();
        assert_eq!(head.y > 0.2, climbs, "{degrees} degrees: {head}");
        assert!(climbs || head.x < 0.05, "{degrees} degrees: {head}");
    }
}

#[test]
fn a_head_that_walks_off_a_ledge_falls_as_gravity_says_and_lands() {
    let ledge = [([-5.0, -1.0, -5.0], [0.5, 1.0, 5.0])];
    for hz in [30.0_f32, 60.0, 240.0] {
        let (mut batch, id) = walker(with_blocks(&ledge, [0.0; 3]), [-1.0, 1.0, 0.0], 0.5);
        assert!((batch.head(id).unwrap().y - 1.01).abs() < 1e-4, "stands on the block");
        let (mut left, mut landed) = (None, None);
        for tick in 0..(6.0 * hz) as usize {
            let before = batch.head(id).unwrap();
            batch.set_guidance(id, X).unwrap();
            batch.step(1.0 / hz).unwrap();
            let head = batch.head(id).unwrap();
            assert_segments(&batch, id, "ledge");
            let time = tick as f64 / f64::from(hz);
            if left.is_none() && head.y < 1.00999 {
                left = Some(time);
            }
            if let (Some(left), None) = (left, landed) {
                let speed = (before.y - head.y) * f64::from(hz);
                assert!(
                    speed <= 9.81 * (time + 1.0 / f64::from(hz) - left) + 1e-3,
                    "{speed} m/s after {}",
                    time - left
                );
                if head.y < 0.0101 {
                    landed = Some(time);
                }
            }
        }
        let fall = landed.unwrap() - left.unwrap();
        let wanted = (2.0 * 1.0 / 9.81_f64).sqrt();
        assert!((fall - wanted).abs() < 2.5 / f64::from(hz) + 0.01, "{hz} Hz: fell for {fall}, wanted {wanted}");
        for joint in joints(&batch, id) {
            assert!(joint.y < 0.02, "{hz} Hz: the body is down: {joint}");
        }
    }
}

#[test]
fn a_cave_has_a_floor_under_its_ceiling() {
    let cave = [([-20.0, 0.5, -20.0], [20.0, 0.8, 20.0])];
    let (mut batch, id) = walker(with_blocks(&cave, [0.0; 3]), [0.0; 3], 0.5);
    batch.teleport(id, [0.0, 0.1, 0.0], X).unwrap();
    for _ in 0..120 {
        batch.set_guidance(id, X).unwrap();
        batch.step(DT).unwrap();
        let head = batch.head(id).unwrap();
        assert!((head.y - 0.01).abs() < 1e-4, "{head}");
    }
    assert!(batch.head(id).unwrap().x > 0.9);
}

#[test]
fn resolving_a_displacement_changes_nothing_and_is_safe() {
    let wall = [([1.0, -1.0, -50.0], [1.5, 3.0, 50.0])];
    let spawn = |p| Spawn::at(p, [0.0, 0.5, 0.0]).facing(X).motion(Motion::Reported);
    let (mut batch, id) = alone(with_blocks(&wall, [0.0; 3]), snake(), spawn);
    batch.begin(DT).unwrap();
    let hash = batch.state_hash();
    let free = batch.resolve_guidance_displacement(id, [0.3, 0.0, 0.2]).unwrap();
    assert_eq!((free.world, free.hits, free.free), (Vec3::new(0.3, 0.0, 0.2), 0, 1.0));
    let wall = batch.resolve_guidance_displacement(id, [3.0, 0.0, 0.6]).unwrap();
    // The snout is 3 cm ahead of joint 0.
    assert!(wall.world.x < 1.0 - 0.03 && wall.world.x > 0.95, "{wall:?}");
    assert!((wall.world.z - 0.6).abs() < 0.01 && wall.normal.x < -0.99 && wall.free < 0.34, "{wall:?}");
    let ground = batch.resolve_guidance_displacement(id, [0.0, -3.0, 0.0]).unwrap();
    assert!((ground.world.y + 0.5 - 0.012).abs() < 1e-3, "{ground:?}");
    // An open jaw reaches further down.
    assert_eq!(batch.state_hash(), hash);
    batch.finish().unwrap();
    batch.set_jaw(id, 0, 0.7).unwrap();
    let open = batch.resolve_guidance_displacement(id, [0.0, -3.0, 0.0]).unwrap();
    assert!(open.world.y > ground.world.y + 0.005, "{open:?} {ground:?}");
    let mut many = [Vec3::new(3.0, 0.0, 0.6); 2];
    batch.resolve_guidance_displacements(&[id, id], &mut many).unwrap();
    assert_eq!(many[0], many[1]);
    assert!(batch.resolve_guidance_displacement(id, [f32::NAN, 0.0, 0.0]).is_err());
    assert!(batch.resolve_guidance_displacements(&[id], &mut many).is_err());
}
