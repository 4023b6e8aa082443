//! Creatures taken out of the tick and let back in, and inputs at the edge of what is allowed.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::{Motion, Quality, SerpentBatch, SerpentId, Spawn, Terrain};

fn driven(speed: f32) -> (SerpentBatch, SerpentId) {
    alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).driven(speed))
}

fn steps(batch: &mut SerpentBatch, count: usize) {
    (0..count).for_each(|_| drop(batch.step(DT).unwrap()));
}

#[test]
fn a_released_creature_goes_on_with_the_controls_that_were_good() {
    let (mut batch, id) = driven(2.0);
    let profile = batch.add_profile(case_body());
    steps(&mut batch, 30);
    batch.controls_mut(profile).for_each(|slices| slices.guidance[0] = [f32::NAN; 3]);
    assert_eq!(batch.step(DT).unwrap().quarantined.len(), 1);
    let before = batch.head(id).unwrap();
    steps(&mut batch, 10);
    assert_eq!(batch.head(id).unwrap(), before);
    batch.release(id).unwrap();
    assert_eq!(batch.quarantine(id), Ok(None));
    steps(&mut batch, 30);
    let moved = (batch.head(id).unwrap() - before).length();
    assert!(moved > 0.8, "its speed was good, but it moved only {moved} m in half a second");
}

#[test]
fn releasing_a_healthy_creature_changes_nothing() {
    let (mut batch, id) = driven(2.0);
    steps(&mut batch, 30);
    let hash = batch.state_hash();
    batch.release(id).unwrap();
    assert_eq!(hash, batch.state_hash());
}

#[test]
fn a_bad_report_leaves_the_last_good_pose_bit_for_bit() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    let profile = batch.add_profile(case_body());
    steps(&mut batch, 30);
    batch.set_guidance(id, X).unwrap();
    batch.set_scale(id, 2.0).unwrap();
    steps(&mut batch, 5);
    let good = pose_bits(&batch, id);
    batch.controls_mut(profile).for_each(|slices| slices.displacement[0] = [f32::NAN; 3]);
    assert_eq!(batch.step(DT).unwrap().quarantined.len(), 1);
    assert_eq!(good, pose_bits(&batch, id));
    steps(&mut batch, 5);
    assert_eq!(good, pose_bits(&batch, id));
}

fn assert_sound(batch: &SerpentBatch, context: &str) {
    assert_finite(batch);
    let fault = orthonormal_fault(batch.poses());
    assert!(fault <= 1e-5, "{context}: frames off by {fault}");
    for id in batch.ids() {
        assert_segments(batch, id, context);
        let bounds = batch.bounds(id).unwrap();
        assert!(bounds.min.is_finite() && bounds.max.is_finite(), "{context}");
        assert!(batch.velocities(id).unwrap().all(Vec3::is_finite), "{context}");
        assert!(batch.knots(id).unwrap().all(|knot| knot.position.is_finite()), "{context}");
    }
}

#[test]
fn the_fastest_and_sharpest_settings_stay_sound() {
    for terrain in [Terrain::None, Terrain::flat(0.0), tilted(), Terrain::embedded("jacksboro").unwrap()] {
        let mut batch = quiet(terrain);
        let ids = crowd(&mut batch, 25, 3);
        let mut random = Random(8);
        for tick in 0..120 {
            for &id in &ids {
                batch.set_motion(id, [Motion::Driven, Motion::Preview][random.word() as usize % 2]).unwrap();
                let guidance = Vec3::new(1.0, 3.0, -1.0) * random.heading() * random.between(1e-18, 1e18) as f32;
                batch.set_guidance(id, guidance).unwrap();
                batch.set_speed(id, [1e4, -1e4, 0.0, 3.0, 1e-6, -0.5][random.word() as usize % 6]).unwrap();
                batch.set_turn_rate(id, [0.0, 1000.0, 3.0][random.word() as usize % 3]).unwrap();
                batch.set_amplitude(id, random.between(0.0, 1.4) as f32).unwrap();
                batch.set_time_scale(id, random.between(0.0, 10.0) as f32).unwrap();
                batch.set_scale(id, random.between(0.05, 20.0) as f32).unwrap();
            }
            batch.step([0.25, DT, 1e-6, 3.0][tick % 4]).unwrap();
            assert_sound(&batch, "fastest");
        }
    }
}

/// Runs this on a thread of its own: a step that does not come back fails the test instead of hanging it.
fn within_seconds(work: impl FnOnce() + Send + 'static) {
    let (done, wait) = std::sync::mpsc::channel();
    let worker = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    match wait.recv_timeout(std::time::Duration::from_secs(4)) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("a step does not come back"),
        _ => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}

#[test]
fn a_far_report_back_along_the_path_comes_back_soon() {
    for (scale, metres) in [(1.0, 1e3), (1.0, 1e6), (0.05, 1e4), (0.05, 1e6)] {
        within_seconds(move || {
            let spawn = |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported).scale(scale);
            let (mut batch, id) = alone(Terrain::None, case_body(), spawn);
            for moved in [Vec3::NEG_Z * 3.0, Vec3::new(0.1, 0.0, 1.0) * metres] {
                batch.report_actual_displacement(id, moved, moved).unwrap();
                batch.step(DT).unwrap();
                assert_sound(&batch, "far and back");
            }
        });
    }
}

#[test]
fn the_largest_reports_and_transforms_stay_sound() {
    for motion in [Motion::Reported, Motion::Observed] {
        for scale in [0.05, 1.0, 20.0] {
            within_seconds(move || move_wildly(motion, scale));
        }
    }
}

fn move_wildly(motion: Motion, scale: f32) {
    let mut random = Random(4);
    let spawn = |p| Spawn::at(p, [0.0; 3]).motion(motion).scale(scale);
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), spawn);
    for _ in 0..300 {
        let size = 10_f64.powf(random.between(-9.0, 6.0));
        let moved = (random.heading() + Vec3::Y * random.between(-1.0, 1.0) as f32).as_dvec3() * 0.7 * size;
        let to = batch.head(id).unwrap() + moved;
        let inside = to.abs().max_element() < 9e6;
        match motion {
            Motion::Observed if inside => batch.set_head_transform(id, to, X).unwrap(),
            _ => batch.report_actual_displacement(id, moved.as_vec3(), random.heading()).unwrap(),
        }
        batch.step(DT).unwrap();
        assert_eq!(batch.quarantine(id), Ok(None));
        assert_sound(&batch, &format!("{motion:?} of {size} m at scale {scale}"));
    }
}

#[test]
fn reports_that_add_up_beyond_the_limit_quarantine_and_nothing_worse() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported));
    (0..3).for_each(|_| batch.report_actual_displacement(id, [9e5, 0.0, 0.0], X).unwrap());
    assert_eq!(batch.step(DT).unwrap().quarantined.len(), 1);
    assert_sound(&batch, "sum");
    batch.release(id).unwrap();
    batch.report_actual_displacement(id, X * 0.5, X).unwrap();
    assert!(batch.step(DT).unwrap().quarantined.is_empty());
    assert!((batch.head(id).unwrap() - DVec3::X * 0.5).length() < 1e-6);
}

#[test]
fn growth_far_beyond_the_recorded_path_goes_on_straight() {
    for name in ["worm", "grass-snake", "python"] {
        let profile = serpentarium::Profile::embedded(name).unwrap();
        let (mut batch, id) = alone(Terrain::None, profile, |p| Spawn::at(p, [0.0; 3]).scale(0.05));
        batch.set_time_scale(id, 10.0).unwrap();
        batch.set_scale(id, 20.0).unwrap();
        for _ in 0..200 {
            batch.step(DT).unwrap();
            let last = joints(&batch, id).pop().unwrap();
            let length = segment(&batch, id) * (batch.joints(id).unwrap().len() - 1) as f64;
            assert!(
                (last - DVec3::Z * length).length() < 0.02 * length,
                "{name} at scale {}: {last} for {length}",
                batch.scale(id).unwrap()
            );
        }
        assert_eq!(batch.scale(id), Ok(20.0));
    }
}

#[test]
fn a_random_life_of_spawns_despawns_and_settings_stays_sound() {
    let mut batch = quiet(Terrain::embedded("jacksboro").unwrap());
    let mut ids = crowd(&mut batch, 30, 1);
    let mut random = Random(99);
    for tick in 0..400 {
        let id = ids[random.word() as usize % ids.len()];
        let at = [random.between(-190.0, 190.0), 2.0, random.between(-200.0, 200.0)];
        match random.word() % 9 {
            0 => batch.teleport(id, at, random.heading()).unwrap(),
            1 => batch.reset_motion_tracking(id).unwrap(),
            2 => batch.set_quality(id, [Quality::Low, Quality::Medium, Quality::High][tick % 3]).unwrap(),
            3 => batch
                .set_motion(id, [Motion::Driven, Motion::Observed, Motion::Reported, Motion::Preview][tick % 4])
                .unwrap(),
            4 => batch.set_head_guided(id, tick % 2 == 0).unwrap(),
            5 => batch.set_paused(id, tick % 3 == 0).unwrap(),
            6 => batch.set_scale(id, random.between(0.05, 5.0) as f32).unwrap(),
            7 => batch.set_speed(id, random.between(-2.0, 4.0) as f32).unwrap(),
            _ => {
                batch.despawn(id).unwrap();
                ids.retain(|&living| living != id);
                ids.extend(crowd(&mut batch, 1, random.word()));
            }
        }
        steer(&mut batch, tick as u64);
        batch.step(DT).unwrap();
        assert_sound(&batch, "life");
        assert_eq!(batch.len(), 30);
    }
}
