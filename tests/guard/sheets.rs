//! Meshes: thin sheets, walls, tunnels. They must never swallow a snake.

use super::common::*;
use super::measure::*;
use glam::DVec3;
use serpentarium::{Motion, SerpentBatch, SerpentId, Spawn, Terrain};

/// A guarded creature along a path that was laid before the sheet was there.
fn lying(path: &[DVec3]) -> (SerpentBatch, SerpentId) {
    let (mut batch, profile) = batch_of(Terrain::None, guarded(true));
    let points: Vec<[f64; 3]> = path.iter().map(|&at| at.into()).collect();
    let id = batch.spawn(Spawn::along(profile, points).motion(Motion::Reported)).unwrap();
    (batch, id)
}

fn assert_side(batch: &SerpentBatch, id: SerpentId, point: DVec3, normal: DVec3, context: &str) {
    let radii: Vec<f64> = batch.radii(id).unwrap().map(f64::from).collect();
    for (i, joint) in joints(batch, id).into_iter().enumerate().skip(1) {
        let height = (joint - point).dot(normal);
        assert!(height >= 0.99 * radii[i], "{context}: joint {i} is {height} m from the sheet, radius {}", radii[i]);
    }
    assert_segments(batch, id, context);
    assert_finite(batch);
}

#[test]
fn a_body_that_lies_through_a_sheet_comes_out_on_the_heads_side() {
    let mut random = Random(17);
    for case in 0..200 {
        // A winding body, and a sheet through it: any tilt, anywhere behind the head.
        let swing = random.between(0.0, 0.8);
        let path: Vec<DVec3> =
            (0..60).map(|i| f64::from(i) * 0.2).map(|s| DVec3::new(-s, 0.0, swing * (0.9 * s).sin())).collect();
        let (mut batch, id) = lying(&path);
        let head = batch.head(id).unwrap();
        let normal =
            DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)).normalize();
        // The head has its own radius of room, at least.
        let point = head - normal * random.between(0.12, 2.5);
        let (one, two) = normal.any_orthonormal_pair();
        let cells = 1 + case % 7;
        batch.set_terrain(mesh_of(&sheet(point - (one + two) * 30.0, one * 60.0, two * 60.0, cells)));
        batch.step(DT).unwrap();
        assert_side(&batch, id, point, normal, &format!("case {case}"));
    }
}

#[test]
fn a_head_that_turns_round_the_end_of_a_wall_takes_no_section_through_it() {
    // A wall along X that ends at x = 0; the head comes along one side and goes back along the other, close to it.
    for (gap, turn) in [(0.25, 0.3), (0.21, 0.25), (0.4, 0.4)] {
        let wall = sheet(DVec3::new(-30.0, -3.0, 0.0), DVec3::X * 30.0, DVec3::Y * 6.0, 10);
        let way = |s: f64| {
            let half = std::f64::consts::PI * gap;
            match s {
                s if s < 10.0 + turn => DVec3::new(s - 10.0, 0.0, gap),
                s if s < 10.0 + turn + half => {
                    let angle = (s - 10.0 - turn) / gap;
                    DVec3::new(turn + gap * angle.sin(), 0.0, gap * angle.cos())
                }
                s => DVec3::new(turn - (s - 10.0 - turn - half), 0.0, -gap),
            }
        };
        let spawn = |p| Spawn::at(p, way(0.0)).facing(X).motion(Motion::Reported);
        let (mut batch, id) = alone(mesh_of(&wall), guarded(true), spawn);
        let mut worst = Depths::default();
        for tick in 1..=400 {
            let moved = (way(f64::from(tick) * 0.05) - batch.head(id).unwrap()).as_vec3();
            batch.report_actual_displacement(id, moved, moved.normalize()).unwrap();
            batch.step(DT).unwrap();
            worst = worst.worst(depths(&batch, id, |at, radius| radius - nearest(&wall, at)));
            assert_segments(&batch, id, "wall");
        }
        assert!(worst.joint <= 0.01, "gap {gap}: {worst:?}");
        assert!(worst.chord <= 0.1, "gap {gap}: {worst:?}");
    }
}

#[test]
fn a_body_in_a_bent_tunnel_stays_in_it() {
    // A square tunnel, 0.6 wide, that turns by a right angle; the way cuts the corner.
    let (w, long) = (0.3, 12.0);
    let wall = |a: DVec3, b: DVec3| sheet(DVec3::new(a.x, -w, a.z), b - a, DVec3::Y * 2.0 * w, 6);
    let flat = |y: f64| {
        let first = sheet(DVec3::new(-long, y, -w), DVec3::X * (long + w), DVec3::Z * 2.0 * w, 8);
        [first, sheet(DVec3::new(-w, y, w), DVec3::X * 2.0 * w, DVec3::Z * long, 8)].concat()
    };
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let triangles = [
        flat(-w),
        flat(w),
        wall(at(-long, -w), at(w, -w)),
        wall(at(w, -w), at(w, long)),
        wall(at(-long, w), at(-w, w)),
        wall(at(-w, w), at(-w, long)),
    ]
    .concat();
    // Along the middle, but round the corner so tightly that sections are in its edge.
    let way = |s: f64| {
        if s < 9.9 {
            at(s - 10.0, 0.0)
        } else if s < 10.2 {
            at(-0.1 + (s - 9.9) * 0.7, (s - 9.9) * 0.7)
        } else {
            at(0.11, s - 9.99)
        }
    };
    let spawn = |p| Spawn::at(p, way(0.0)).facing(X).motion(Motion::Reported);
    let (mut batch, id) = alone(mesh_of(&triangles), guarded(true), spawn);
    let mut worst = Depths::default();
    for tick in 1..=300 {
        let moved = (way(f64::from(tick) * 0.06) - batch.head(id).unwrap()).as_vec3();
        batch.report_actual_displacement(id, moved, moved.normalize()).unwrap();
        batch.step(DT).unwrap();
        worst = worst.worst(depths(&batch, id, |at, radius| radius - nearest(&triangles, at)));
        for joint in joints(&batch, id).into_iter().skip(1) {
            assert!(joint.y.abs() < w && (joint.z.abs() < w || joint.x.abs() < w), "outside at {joint}, tick {tick}");
        }
        assert_segments(&batch, id, "tunnel");
    }
    assert!(worst.joint <= 0.01, "{worst:?}");
    assert!(worst.chord <= 0.1, "{worst:?}");
}
