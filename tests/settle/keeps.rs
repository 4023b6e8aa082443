//! What has fallen stays where it is in the world, goes with its creature, and costs nothing once it rests.

use crate::support::*;
use glam::{DVec3, Vec3};
use serpentarium::{LaneChoice, Settings};

/// A head that goes over a ledge and down it, then on; yields the joints of each tick.
fn over_the_ledge(
    batch: &mut SerpentBatch,
    id: SerpentId,
    ticks: usize,
    step: f64,
    mut each: impl FnMut(&SerpentBatch),
) {
    for _ in 0..ticks {
        batch.report_actual_displacement(id, (DVec3::X * step).as_vec3(), X).unwrap();
        batch.step(DT).unwrap();
        each(batch);
    }
}

fn level_over_ledge() -> (SerpentBatch, SerpentId) {
    reported(ledge(0.0, 1.0), body(0.0, true), [-1.0, RADIUS, 0.0])
}

#[test]
fn nothing_that_has_fallen_is_pulled_up_again_while_the_head_goes_on() {
    for seed in 0..4 {
        for amplitude in [0.0, 32.0] {
            let ground = hills(seed);
            let (mut batch, id) = reported(ground, body(amplitude, true), [0.0, 3.0, 0.0]);
            let mut random = Random(seed);
            let mut target = X;
            for tick in 0..500 {
                if tick % 50 == 0 {
                    target = random.heading();
                }
                batch.set_guidance(id, target).unwrap();
                batch.begin(DT).unwrap();
                let heading = batch.headings(id).unwrap().effective;
                let level = Vec3::new(heading.x, 0.0, heading.z);
                let before = knots(&batch, id);
                batch.report_actual_displacement(id, level * (1.5 * DT), heading).unwrap();
                let counters = batch.finish().unwrap().counters;
                if counters.knots_popped > 0 {
                    continue;
                }
                let laid = counters.knots_laid as usize;
                let rise = |(a, b): (&DVec3, &DVec3)| b.y - a.y;
                let now = knots(&batch, id);
                let most = before[1..].iter().zip(&now[1 + laid..]).map(rise).fold(0.0, f64::max);
                assert!(most <= 1e-3 * RADIUS, "a knot rose by {most} at tick {tick}");
            }
        }
    }
}

#[test]
fn a_body_at_rest_keeps_every_bit_and_is_passed_over() {
    for (ground, height) in
        [(ledge(-3.0, 1.0), RADIUS), (Terrain::flat(0.0), 1.5), (hills(3), 3.0), (pit(-5.0, 2.0, 3.0), RADIUS)]
    {
        let (mut batch, id) = reported(ground, body(32.0, true), [0.0, height, 0.0]);
        still(&mut batch, 900);
        let (bits, falls) = (pose_bits(&batch, id), batch.cohorts()[0].falls().to_vec());
        let mut looked = 0;
        for _ in 0..200 {
            looked += batch.step(DT).unwrap().counters.knots_supported;
            assert!(pose_bits(&batch, id) == bits, "a pose changed");
        }
        assert!(batch.cohorts()[0].falls() == falls, "something fell");
        assert_eq!(looked, 0, "it is looked at");
    }
}

#[test]
fn backing_up_over_what_has_fallen_leaps_nowhere() {
    for speed in [0.5, 2.0] {
        let (mut batch, id) = level_over_ledge();
        over_the_ledge(&mut batch, id, 400, 0.02, |_| {});
        let step = speed / 60.0;
        let mut fastest = 0.0_f64;
        for tick in 0..(6.0 / step) as usize {
            let before = joints(&batch, id);
            batch.report_actual_displacement(id, (DVec3::X * -step).as_vec3(), X).unwrap();
            batch.step(DT).unwrap();
            assert_segments(&batch, id, "backing up");
            let moved = farthest(&before, &joints(&batch, id));
            fastest = fastest.max(moved / step);
            assert!(most(&bends(&joints(&batch, id))) <= BEND_DEG + 0.1, "tick {tick}");
        }
        println!("backing up at {speed} m/s: joints move by {fastest:.1} times the head's travel");
        assert!(fastest < 12.0, "joints move by {fastest} times the head's travel");
    }
}

#[test]
fn pause_and_no_time_keep_every_bit_of_a_fall() {
    let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, 2.0, 0.0]);
    still(&mut batch, 10);
    let (bits, hash) = (pose_bits(&batch, id), batch.cohorts()[0].falls().to_vec());
    (0..100).for_each(|_| drop(batch.step(0.0).unwrap()));
    assert!(pose_bits(&batch, id) == bits && batch.cohorts()[0].falls() == hash);
    let (mut other, twin) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, 2.0, 0.0]);
    still(&mut other, 10);
    still(&mut batch, 30);
    still(&mut other, 30);
    assert!(pose_bits(&batch, id) == pose_bits(&other, twin), "a pause changed the fall");
}

#[test]
fn growing_while_it_hangs_moves_nothing_far() {
    for target in [1.6, 0.5] {
        let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, 2.0, 0.0]);
        still(&mut batch, 20);
        batch.set_scale(id, target).unwrap();
        for tick in 0..400 {
            let before = joints(&batch, id);
            still(&mut batch, 1);
            assert_segments(&batch, id, "growing");
            let now = joints(&batch, id);
            let drop = before.iter().zip(&now).map(|(a, b)| (a.y - b.y).abs()).fold(0.0, f64::max);
            // When its path is laid anew at wider spacing, the stretch that the head holds grows with it at once.
            assert!(drop < 0.25, "{drop} m at tick {tick}");
            let worst = most(&bends(&now));
            assert!(worst <= BEND_DEG + 1.0, "{worst} degrees at tick {tick}");
            let least = gaps(&batch, id).into_iter().fold(f64::MAX, f64::min);
            assert!(least > -0.02 * RADIUS * f64::from(target), "sunk in by {least} at tick {tick}");
        }
        assert!(gaps(&batch, id)[16].abs() < 0.05 * RADIUS);
    }
}

#[test]
fn another_tier_takes_the_fall_along() {
    for (from, to) in [(Quality::Medium, Quality::High), (Quality::High, Quality::Low), (Quality::Low, Quality::Medium)]
    {
        let spawn = |p| Spawn::at(p, [0.0, 2.0, 0.0]).facing(X).quality(from).motion(Motion::Reported);
        let (mut batch, id) = alone(Terrain::flat(0.0), body(0.0, true), spawn);
        still(&mut batch, 25);
        let before = joints(&batch, id);
        batch.set_quality(id, to).unwrap();
        let off = farthest(&before, &joints(&batch, id));
        assert!(off < 0.02, "{from:?} to {to:?}: moved by {off}");
        still(&mut batch, 200);
        assert!(gaps(&batch, id)[16].abs() < 1e-3);
        assert!(most(&bends(&joints(&batch, id))) <= BEND_DEG + 0.1);
    }
}

#[test]
fn a_teleport_starts_anew() {
    let (mut batch, id) = level_over_ledge();
    over_the_ledge(&mut batch, id, 300, 0.02, |_| {});
    batch.teleport(id, [-20.0, RADIUS, 3.0], -X).unwrap();
    let start = joints(&batch, id);
    assert!(start.iter().all(|joint| (joint.y - RADIUS).abs() < 1e-5));
    still(&mut batch, 120);
    assert!(farthest(&start[..10], &joints(&batch, id)[..10]) < 1e-5, "something fell on level ground");
}

#[test]
fn a_seed_that_its_controller_lowers_falls_to_the_ground_from_there() {
    let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, 2.0, 0.0]);
    for _ in 0..30 {
        batch.report_actual_displacement(id, Vec3::NEG_Y * 0.05, X).unwrap();
        batch.step(DT).unwrap();
    }
    still(&mut batch, 200);
    let gaps = gaps(&batch, id);
    assert!(gaps.iter().all(|gap| *gap > -1e-3), "buried: {gaps:?}");
    assert!(gaps[16].abs() < 1e-3, "{gaps:?}");
}

#[test]
fn falls_go_with_their_creatures_when_others_leave() {
    let alone_at = |x: f64| {
        let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [x, 1.0 + 0.1 * x, 0.0]);
        still(&mut batch, 40);
        joints(&batch, id)
    };
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), body(0.0, true));
    let spawn = |i: usize| {
        let x = i as f64;
        Spawn::at(profile, [x, 1.0 + 0.1 * x, 0.0]).facing(X).motion(Motion::Reported)
    };
    let ids = batch.spawn_many(&(0..19).map(spawn).collect::<Vec<_>>()).unwrap();
    still(&mut batch, 15);
    for gone in [0, 3, 9, 17] {
        batch.despawn(ids[gone]).unwrap();
    }
    still(&mut batch, 25);
    for i in (0..19).filter(|i| ![0, 3, 9, 17].contains(i)) {
        assert!(joints(&batch, ids[i]) == alone_at(i as f64), "creature {i}");
    }
}

#[test]
fn a_quarantined_creature_hangs_where_it_was_and_no_other_notices() {
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), body(0.0, true));
    let spawn = Spawn::at(profile, [0.0, 2.0, 0.0]).facing(X).motion(Motion::Reported);
    let ids = batch.spawn_many(&vec![spawn; 3]).unwrap();
    still(&mut batch, 10);
    for slices in batch.controls_mut(profile) {
        slices.guidance[1] = [f32::NAN; 3];
    }
    still(&mut batch, 1);
    let held = joints(&batch, ids[1]);
    still(&mut batch, 30);
    assert!(joints(&batch, ids[1]) == held);
    assert!(joints(&batch, ids[0]) == joints(&batch, ids[2]));
    batch.release(ids[1]).unwrap();
    still(&mut batch, 200);
    assert!(farthest(&joints(&batch, ids[1]), &joints(&batch, ids[0])) < 1e-4);
    assert_finite(&batch);
}

fn hash_of(lanes: LaneChoice, parallel: bool) -> u64 {
    let settings = Settings { parallel, lanes, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(hills(5), settings).unwrap();
    let ids = crowd(&mut batch, 60, 5);
    for &id in &ids {
        let motion = if batch.tag(id).unwrap().is_multiple_of(2) { Motion::Observed } else { Motion::Driven };
        batch.set_motion(id, motion).unwrap();
    }
    for tick in 0..60 {
        steer(&mut batch, tick);
        batch.step(DT).unwrap();
    }
    batch.state_hash()
}

#[test]
fn threads_and_lanes_give_one_hash() {
    let one = hash_of(LaneChoice::Scalar, false);
    for lanes in [LaneChoice::Auto, LaneChoice::Wide] {
        for parallel in [false, true] {
            assert_eq!(hash_of(lanes, parallel), one, "{lanes:?}");
        }
    }
}
