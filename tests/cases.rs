//! The cases that broke other systems, each with its input and the right answer.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::terrain::HeightGrid;
use serpentarium::{
    Fault, ForwardAxis, Heightfield, LaneChoice, Motion, Pose, Profile, SerpentBatch, SerpentId, Settings, Spawn,
    Terrain,
};

fn reported(at: [f64; 3], facing: Vec3) -> (SerpentBatch, SerpentId) {
    alone(Terrain::None, case_body(), |p| Spawn::at(p, at).facing(facing).motion(Motion::Reported))
}

fn report(batch: &mut SerpentBatch, id: SerpentId, moved: Vec3, forward: Vec3) {
    batch.report_actual_displacement(id, moved, forward).unwrap();
    batch.step(DT).unwrap();
}

#[test]
fn case_1_body_does_not_cut_corners() {
    let (mut batch, id) = reported([0.0; 3], Z);
    let line = [DVec3::NEG_Z * 20.0, DVec3::Z * 10.0, DVec3::new(10.0, 0.0, 10.0)];
    let spacing = 0.5 / batch.cohorts()[0].shape().knots_per_segment as f64;
    for tick in 0..200 {
        let way = if tick < 100 { Z } else { X };
        report(&mut batch, id, way * 0.1, way);
        assert_segments(&batch, id, "corner");
        for joint in joints(&batch, id) {
            let near_corner = (joint - line[1]).length() < 0.5;
            let allowed = if near_corner { spacing } else { 1e-3 };
            assert!(off_line(joint, &line) <= allowed, "tick {tick}: {joint} off by {}", off_line(joint, &line));
        }
    }
    let tail = joints(&batch, id)[16];
    assert!((tail - DVec3::new(2.0, 0.0, 10.0)).length() < 0.1, "{tail}");
}

#[test]
fn case_3_noise_of_a_stopped_observed_head_fills_nothing() {
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0, 0.2, 0.0]));
    for tick in 1..=50 {
        batch.set_head_transform(id, [0.0, 0.2, -0.1 * f64::from(tick)], [0.0, 0.0, -1.0]).unwrap();
        batch.step(DT).unwrap();
    }
    let rest = batch.head(id).unwrap();
    let (phases, knots, before) = (batch.phases(id).unwrap(), history(&batch, id), joints(&batch, id));
    let (mut random, mut grown) = (Random(3), 0_i64);
    for _ in 0..600 {
        let mut noise = || random.between(-1e-5, 1e-5);
        batch.set_head_transform(id, rest + DVec3::new(noise(), noise(), noise()), [0.0, 0.0, -1.0]).unwrap();
        let counters = batch.step(DT).unwrap().counters;
        grown += counters.knots_laid as i64 - counters.knots_popped as i64;
        assert_eq!(batch.phases(id).unwrap(), phases);
        let moved = farthest(&before, &joints(&batch, id));
        assert!(moved <= 4e-5, "noise moved a joint by {moved}");
    }
    // A knot that lies just at the head may come and go.
    let same = |back: usize| (history(&batch, id)[(20 + grown) as usize + back] - knots[20 + back]).length() < 1e-6;
    assert!(grown.abs() <= 1 && (0..20).all(same), "{grown} knots from noise");
}

fn history(batch: &SerpentBatch, id: SerpentId) -> Vec<DVec3> {
    batch.knots(id).unwrap().map(|knot| knot.position).collect()
}

#[test]
fn case_3_noise_of_a_stopped_reported_head_fills_nothing() {
    let (mut batch, id) = reported([0.0; 3], Z);
    (0..50).for_each(|_| report(&mut batch, id, Z * 0.1, Z));
    let (knots, before, phase) = (history(&batch, id), joints(&batch, id), batch.phases(id).unwrap().0);
    let (mut random, mut last, mut grown) = (Random(5), DVec3::ZERO, 0_i64);
    for _ in 0..600 {
        let mut noise = || random.between(-1e-5, 1e-5);
        let to = DVec3::new(noise(), noise(), noise());
        batch.report_actual_displacement(id, (to - last).as_vec3(), Z).unwrap();
        let counters = batch.step(DT).unwrap().counters;
        grown += counters.knots_laid as i64 - counters.knots_popped as i64;
        last = to;
        let moved = farthest(&before, &joints(&batch, id));
        assert!(moved <= 4e-5, "noise moved a joint by {moved}");
        let turned = f64::from((batch.phases(id).unwrap().0.wrapping_sub(phase)) as i32) / 4_294_967_296.0;
        assert!(turned.abs() < 1e-5, "noise turned the phase by {turned}");
    }
    assert!(grown.abs() <= 1 && (history(&batch, id)[20] - knots[20]).length() < 0.3, "{grown} knots from noise");
}

#[test]
fn case_4_teleport_leaves_no_streak() {
    for motion in [Motion::Observed, Motion::Reported, Motion::Driven, Motion::Preview] {
        let spawn = |p| Spawn::at(p, [0.0; 3]).driven(2.0).motion(motion);
        let (mut batch, id) = alone(Terrain::None, case_body(), spawn);
        for tick in 0..120 {
            let way = if tick < 60 { Vec3::NEG_Z } else { X };
            batch.set_guidance(id, way).unwrap();
            let head = batch.head(id).unwrap();
            batch.set_head_transform(id, head + way.as_dvec3() * 0.03, way).unwrap();
            if motion == Motion::Reported {
                batch.report_actual_displacement(id, way * 0.03, way).unwrap();
            }
            batch.step(DT).unwrap();
        }
        let target = DVec3::new(300.0, 0.0, -400.0);
        batch.teleport(id, target, [0.0, 0.0, 3.0]).unwrap();
        assert_straight(&batch, id, target, DVec3::Z, &format!("{motion:?}"));
        assert!(batch.velocities(id).unwrap().all(|v| v == Vec3::ZERO), "{motion:?}");
        batch.refresh_poses();
        let mut between = batch.poses().to_vec();
        batch.interpolate_poses(0.3, &mut between).unwrap();
        let far = |pose: &Pose| (pose.position().as_dvec3() - target).length() > 9.0;
        assert!(!between.iter().any(far), "{motion:?}: a pose in between");
        batch.set_speed(id, 0.0).unwrap();
        batch.step(DT).unwrap();
        assert_straight(&batch, id, target, DVec3::Z, &format!("{motion:?} after a tick"));
    }
}

fn assert_straight(batch: &SerpentBatch, id: SerpentId, head: DVec3, facing: DVec3, context: &str) {
    assert_segments(batch, id, context);
    let expected: Vec<DVec3> = (0..17).map(|i| head - facing * 0.5 * f64::from(i)).collect();
    let gap = farthest(&expected, &joints(batch, id));
    assert!(gap < 1e-4, "{context}: {gap} off the straight seed");
}

#[test]
fn case_4_reset_takes_an_observed_jump_as_a_teleport() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).facing(X));
    batch.set_head_transform(id, [0.5, 0.0, 0.0], X).unwrap();
    batch.step(DT).unwrap();
    let target = DVec3::new(-500.0, 3.0, 20.0);
    batch.set_head_transform(id, target, X).unwrap();
    batch.reset_motion_tracking(id).unwrap();
    assert_straight(&batch, id, target, DVec3::X, "reset");
    let phases = batch.phases(id).unwrap();
    batch.step(DT).unwrap();
    assert_straight(&batch, id, target, DVec3::X, "the tick after");
    assert_eq!(phases, batch.phases(id).unwrap());
}

fn assert_no_flips(batch: &SerpentBatch, id: SerpentId, context: &str) {
    assert_finite(batch);
    assert!(orthonormal_fault(rows(batch, id)) <= 1e-5);
    for (i, (bend, twist)) in bend_and_twist(&frames(batch, id)).into_iter().enumerate() {
        let (bend, twist) = (bend.to_degrees(), twist.to_degrees());
        // Ten degrees a diameter of 0.4 m, over 0.5 m, may turn a dorsal toward level.
        assert!(twist <= bend + 12.8, "{context}: twist {twist} with bend {bend} at joint {i}, tick {}", batch.tick());
    }
}

#[test]
fn case_6_frames_hold_on_a_vertical_path_with_a_sharp_turn() {
    for facing in [Vec3::NEG_Z, Vec3::Y, X, Vec3::new(-0.3, 0.1, 0.8)] {
        let (mut batch, id) = reported([0.0; 3], facing);
        for tick in 0..160 {
            let way = if tick < 80 { Vec3::Y } else { X };
            batch.set_guidance(id, way).unwrap();
            report(&mut batch, id, way * 0.1, way);
            assert_no_flips(&batch, id, &format!("from {facing}"));
        }
    }
}

#[test]
fn case_6_frames_hold_through_a_full_vertical_loop() {
    for (facing, side) in [(Vec3::NEG_Z, X), (X, Z), (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.8, 0.0, -0.6))] {
        let (mut batch, id) = reported([0.0; 3], facing);
        let mut at = Vec3::ZERO;
        for tick in 1..=400 {
            let angle = (tick as f32 - 60.0).clamp(0.0, 240.0) / 240.0 * std::f32::consts::TAU;
            let ahead = 0.1 * (tick as f32).min(60.0) + 0.1 * (tick as f32 - 300.0).max(0.0);
            let to = facing * (ahead + 2.5 * angle.sin())
                + Vec3::Y * (2.5 - 2.5 * angle.cos())
                + side * (tick as f32 * 0.002);
            batch.set_guidance(id, to - at).unwrap();
            report(&mut batch, id, to - at, to - at);
            at = to;
            assert_no_flips(&batch, id, "loop");
        }
    }
}

#[test]
fn case_9_zero_and_vertical_guidance_keep_finite_unit_frames() {
    for terrain in [Terrain::None, Terrain::flat(0.0), tilted()] {
        for (guided, bad) in
            [true, false].into_iter().flat_map(|g| [[0.0; 3], [0.0, 1.0, 0.0], [0.0, -9.0, 0.0]].map(|b| (g, b)))
        {
            let (mut batch, id) = alone(terrain.clone(), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(1.5));
            batch.set_head_guided(id, guided).unwrap();
            (0..60).for_each(|_| drop(batch.step(DT).unwrap()));
            let center = batch.headings(id).unwrap().center;
            for _ in 0..120 {
                batch.set_guidance(id, bad).unwrap();
                batch.step(DT).unwrap();
                assert_finite(&batch);
                assert!(orthonormal_fault(rows(&batch, id)) <= 1e-5);
                assert_segments(&batch, id, "guidance");
            }
            let now = batch.headings(id).unwrap();
            assert!([now.target, now.center, now.effective].iter().all(|v| (v.length() - 1.0).abs() < 1e-5), "{now:?}");
            if bad == [0.0; 3] {
                assert!((now.center - center).length() < 1e-3, "zero guidance turned {center} to {}", now.center);
            }
        }
    }
}

#[test]
fn case_9_coincident_path_points_are_harmless() {
    let a = DVec3::new(1.0, 2.0, 3.0);
    let paths = [
        vec![a, a, a - DVec3::X * 4.0, a - DVec3::X * 4.0, a - DVec3::new(4.0, 0.0, 6.0)],
        vec![a, a],
        vec![a, a - DVec3::X, a],
        vec![a, a - DVec3::Y * 3.0, a - DVec3::Y * 3.0, a - DVec3::Y * 3.0],
    ];
    for terrain in [Terrain::None, Terrain::flat(0.0)] {
        for path in &paths {
            let (mut batch, id) = alone(terrain.clone(), case_body(), |p| Spawn::along(p, path.clone()).driven(1.0));
            for _ in 0..60 {
                assert_segments(&batch, id, &format!("{path:?}"));
                batch.step(DT).unwrap();
                assert_finite(&batch);
                assert!(orthonormal_fault(rows(&batch, id)) <= 1e-5);
            }
        }
    }
}

#[test]
fn case_9_two_reports_to_one_point_are_harmless() {
    let (mut batch, id) = reported([0.0; 3], Z);
    for moved in [0.1, 0.0, 0.0, 0.1, -0.1, 0.1, 1e-30, -1e-30, f32::MIN_POSITIVE] {
        report(&mut batch, id, Z * moved, Z);
        assert_no_flips(&batch, id, "coincident");
        assert_segments(&batch, id, "coincident");
    }
}

#[test]
fn case_17_one_huge_step_is_capped() {
    for terrain in [Terrain::flat(0.0), tilted()] {
        let (mut batch, id) = alone(terrain.clone(), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
        (0..60).for_each(|_| drop(batch.step(DT).unwrap()));
        for (dt, dropped) in [(0.016, 0.0), (2.0, 1.75), (0.016, 0.0)] {
            let before = joints(&batch, id);
            assert_eq!(batch.step(dt).unwrap().dropped_s, dropped);
            let travel = 2.0 * f64::from(dt - dropped);
            let moved = farthest(&before, &joints(&batch, id));
            assert!(moved <= 2.0 * travel + 1e-4, "a joint moved {moved} for {travel} of travel");
            assert_segments(&batch, id, "huge step");
            let head = batch.head(id).unwrap();
            let gap = head.y - terrain.rest_under(head.x, head.y, head.z, 0.2).unwrap();
            assert!(gap.abs() < 1e-4, "buried: {gap}");
        }
        let speed = batch.velocities(id).unwrap().map(Vec3::length).fold(0.0, f32::max);
        assert!(speed < 4.0, "an impulse is left: {speed}");
    }
}

#[test]
fn case_18_pause_changes_no_bit() {
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    (0..60).for_each(|_| drop(batch.step(DT).unwrap()));
    let (before, hash) = (pose_bits(&batch, id), batch.state_hash());
    for _ in 0..100 {
        batch.step(0.0).unwrap();
        assert_eq!((&before, hash), (&pose_bits(&batch, id), batch.state_hash()));
    }
    batch.set_paused(id, true).unwrap();
    (0..100).for_each(|_| drop(batch.step(DT).unwrap()));
    assert_eq!(before, pose_bits(&batch, id));
}

#[test]
fn case_18_slow_motion_gives_the_same_poses_later() {
    for terrain in [Terrain::None, Terrain::flat(0.0), tilted()] {
        let (mut fast, a) = alone(terrain.clone(), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
        let (mut slow, b) = alone(terrain, case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
        slow.set_time_scale(b, 0.25).unwrap();
        for tick in 0..180 {
            let way = if tick < 90 { X } else { Vec3::NEG_Z };
            fast.set_guidance(a, way).unwrap();
            slow.set_guidance(b, way).unwrap();
            fast.step(DT).unwrap();
            (0..4).for_each(|_| drop(slow.step(DT).unwrap()));
            let gap = farthest(&joints(&fast, a), &joints(&slow, b));
            assert!(gap <= 0.01 * 0.2, "{gap} at tick {tick}");
        }
    }
}

#[test]
fn case_21_all_four_edges_are_alike_and_beyond_is_a_miss() {
    let heights = vec![2.0; 64 * 64];
    let grid = HeightGrid {
        columns: 64,
        rows: 64,
        cell_x_m: 1.0,
        cell_z_m: 1.0,
        origin: [0.0; 3],
        heights,
        holes: Vec::new(),
    };
    let terrain: Terrain = Heightfield::from_heights(grid).unwrap().into();
    for at in [0.0, 0.5, 62.5, 63.0] {
        for (x, z) in [(at, 31.0), (31.0, at), (at, at), (at, 63.0 - at)] {
            assert_eq!(terrain.sample(x, z).map(|ground| ground.height_m), Some(2.0), "{x} {z}");
        }
    }
    for (x, z) in [(63.01, 31.0), (-0.01, 31.0), (31.0, 63.01), (31.0, -0.01)] {
        assert!(terrain.sample(x, z).is_none(), "{x} {z}");
    }
    let ways = [(X, [60.0, 0.0, 31.5]), (-X, [3.0, 0.0, 31.5]), (Z, [31.5, 0.0, 60.0]), (-Z, [31.5, 0.0, 3.0])];
    let runs = ways.map(|(way, at)| off_the_edge(&terrain, way, at));
    for run in &runs {
        assert_eq!(run, &runs[0], "the edges differ");
    }
}

/// Drives straight over an edge 3 m ahead: at each tick whether it stands and its height; no fall may start.
fn off_the_edge(terrain: &Terrain, way: Vec3, at: [f64; 3]) -> Vec<(bool, i64)> {
    let profile = Profile::builder("straight").length_m(8.0).joints(17).radius_m([(0.0, 0.2), (1.0, 0.2)]);
    let profile = profile.steering_amplitude_deg(0.0).build().unwrap();
    let (mut batch, id) = alone(terrain.clone(), profile, |p| Spawn::at(p, at).facing(way).driven(3.0));
    let run = |batch: &mut SerpentBatch| {
        let report = batch.step(DT).unwrap();
        let (stands, head) = (batch.grounded(id).unwrap(), batch.head(id).unwrap());
        let ahead = (head - DVec3::from(at)).dot(way.as_dvec3());
        assert!((head.y - 2.2).abs() < 1e-5, "{way}: at height {} after {ahead} m", head.y);
        assert!(stands || ahead > 2.9, "{way}: lost the ground after {ahead} m");
        assert!(!stands || ahead < 3.1, "{way}: stands on nothing after {ahead} m");
        assert_eq!(report.counters.off_ground, u64::from(!stands), "{way}");
        assert_finite(batch);
        (stands, (head.y * 1e4).round() as i64)
    };
    (0..120).map(|_| run(&mut batch)).collect()
}

#[test]
fn case_25_far_from_the_origin_it_moves_the_same() {
    let run = |offset: DVec3| {
        let settings = Settings { pose_origin: offset.into(), parallel: false, ..Settings::default() };
        let mut batch = SerpentBatch::with_settings(Terrain::flat(0.5), settings).unwrap();
        let profile = batch.add_profile(case_body());
        let driven = batch.spawn(Spawn::at(profile, offset + DVec3::new(0.3, 0.0, 0.7)).driven(2.0)).unwrap();
        let still = Spawn::at(profile, offset + DVec3::new(1.3, 2.0, 9.7)).facing(X).motion(Motion::Reported);
        let reported = batch.spawn(still).unwrap();
        let mut shapes = Vec::new();
        for tick in 0..600 {
            let way = Vec3::new((tick as f32 * 0.02).cos(), 0.0, (tick as f32 * 0.02).sin());
            batch.set_guidance(driven, [X, Z, -X, -Z][tick / 150]).unwrap();
            batch.report_actual_displacement(reported, way * 0.02 + Vec3::Y * 0.003, way).unwrap();
            batch.step(DT).unwrap();
            shapes.extend([driven, reported].map(|id| shape(&batch, id)));
        }
        let rows: Vec<DVec3> = batch.poses().iter().map(|pose| pose.position().as_dvec3()).collect();
        (shapes, rows)
    };
    let (near, near_rows) = run(DVec3::ZERO);
    for distance in [2048.0, 100_000.0] {
        for offset in [DVec3::X, DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, -1.0)] {
            let (far, far_rows) = run(offset * distance);
            let gap = near.iter().zip(&far).map(|(a, b)| farthest(a, b)).fold(0.0, f64::max);
            assert!(gap <= 1e-4, "{gap} at {distance} m along {offset}");
            let gap = farthest(&near_rows, &far_rows);
            assert!(gap <= 1e-4, "rows differ by {gap} at {distance} m along {offset}");
        }
    }
}

#[test]
fn case_26_a_thousand_snakes_give_one_hash_on_any_threads() {
    let run = |threads: Option<usize>| {
        let settings = Settings { parallel: threads.is_some(), ..Settings::default() };
        let mut batch = SerpentBatch::with_settings(Terrain::embedded("jacksboro").unwrap(), settings).unwrap();
        let work = |batch: &mut SerpentBatch| {
            crowd(batch, 1000, 26);
            for tick in 0..60 {
                steer(batch, tick);
                batch.step(DT).unwrap();
            }
        };
        match threads {
            None => work(&mut batch),
            Some(n) => rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap().install(|| work(&mut batch)),
        }
        assert_finite(&batch);
        (batch.state_hash(), bits(batch.poses()))
    };
    let (hash, poses) = run(None);
    for threads in [1, 2, 8, 16] {
        let other = run(Some(threads));
        assert_eq!(hash, other.0, "{threads} threads");
        assert!(poses == other.1, "{threads} threads");
    }
}

#[test]
fn case_26_all_lanes_give_one_hash() {
    let run = |lanes| {
        let settings = Settings { lanes, parallel: false, ..Settings::default() };
        let mut batch = SerpentBatch::with_settings(Terrain::embedded("jacksboro").unwrap(), settings).unwrap();
        crowd(&mut batch, 57, 4);
        for tick in 0..120 {
            steer(&mut batch, tick);
            batch.step(DT).unwrap();
        }
        (batch.state_hash(), bits(batch.poses()))
    };
    let scalar = run(LaneChoice::Scalar);
    assert!(scalar == run(LaneChoice::Wide) && scalar == run(LaneChoice::Avx2) && scalar == run(LaneChoice::Auto));
}

#[test]
fn case_31_the_snout_leads_in_every_forward_axis() {
    for (axis, column, sign) in [(ForwardAxis::NegZ, 2, -1.0), (ForwardAxis::PosZ, 2, 1.0), (ForwardAxis::PosX, 0, 1.0)]
    {
        for way in [Z, -Z, X, Vec3::new(-0.6, 0.0, 0.8)] {
            let settings = Settings { forward_axis: axis, ..Settings::default() };
            let mut batch = SerpentBatch::with_settings(Terrain::flat(0.0), settings).unwrap();
            let profile = batch.add_profile(case_body());
            let id = batch.spawn(Spawn::at(profile, [0.0; 3]).facing(way).driven(1.0)).unwrap();
            (0..60).for_each(|_| drop(batch.step(DT).unwrap()));
            let rows = rows(&batch, id);
            assert!(orthonormal_fault(rows) <= 1e-5, "{axis:?}: mirrored or skewed");
            for row in &rows[..17] {
                assert!((row.axis(column) * sign).dot(way) > 0.7, "{axis:?} {way}: a bone points backward");
                assert!(row.axis(1).dot(Vec3::Y) > 0.99, "{axis:?}");
            }
            let snout = rows[17].position() + rows[17].axis(column) * sign * 0.2;
            assert!((snout - rows[0].position()).dot(way) > 0.1, "{axis:?} {way}: the snout trails");
            assert!((rows[16].position() - rows[0].position()).dot(way) < -6.0, "{axis:?} {way}: the tail leads");
        }
    }
}

/// Poisons snake 7 of 1,000 through the control slices at tick 5, and returns its fault and the hash of the others.
#[allow(clippy::type_complexity)]
fn poisoned(poison: Option<&dyn Fn(&mut serpentarium::ControlSlices<'_>, usize)>) -> (Option<Fault>, u64) {
    let mut batch = quiet(Terrain::flat(0.0));
    let profile = batch.add_profile(case_body());
    let spawns: Vec<Spawn> = (0..1000)
        .map(|i| {
            let spawn = Spawn::at(profile, [f64::from(i % 40) * 3.0, 0.2, f64::from(i / 40) * 12.0]);
            [spawn.clone().driven(1.0), spawn.clone(), spawn.motion(Motion::Reported)][i as usize % 3].clone()
        })
        .collect();
    let ids = batch.spawn_many(&spawns).unwrap();
    for tick in 0..12 {
        for mut slices in batch.controls_mut(profile) {
            let seven = slices.ids.iter().position(|id| *id == ids[7]).unwrap();
            if let (5, Some(poison)) = (tick, poison) {
                poison(&mut slices, seven);
            }
        }
        let report = batch.step(DT).unwrap();
        let expected = if tick == 5 && poison.is_some() { vec![ids[7]] } else { vec![] };
        assert_eq!(report.quarantined.iter().map(|q| q.id).collect::<Vec<_>>(), expected, "tick {tick}");
        assert_finite(&batch);
        assert_segments(&batch, ids[7], "poisoned");
    }
    let fault = batch.quarantine(ids[7]).unwrap();
    batch.despawn(ids[7]).unwrap();
    (fault, batch.state_hash())
}

#[test]
fn case_39_one_bad_input_takes_out_its_snake_alone() {
    let (none, clean) = poisoned(None);
    assert_eq!(none, None);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let wide = f64::from(bad);
        assert_eq!(poisoned(Some(&|s, i| s.guidance[i][1] = bad)), (Some(Fault::Guidance), clean));
        assert_eq!(poisoned(Some(&|s, i| s.speed[i] = bad)), (Some(Fault::Speed), clean));
        assert_eq!(poisoned(Some(&|s, i| s.displacement[i][2] = bad)), (Some(Fault::Displacement), clean));
        assert_eq!(poisoned(Some(&|s, i| s.head[i][0] = wide)), (Some(Fault::Head), clean));
    }
    assert_eq!(poisoned(Some(&|s, i| s.speed[i] = -3e38)), (Some(Fault::Speed), clean));
    assert_eq!(poisoned(Some(&|s, i| s.displacement[i] = [3e38; 3])), (Some(Fault::Displacement), clean));
    assert_eq!(poisoned(Some(&|s, i| s.head[i] = [1e300; 3])), (Some(Fault::Head), clean));
    assert_eq!(poisoned(None), (None, clean));
}
