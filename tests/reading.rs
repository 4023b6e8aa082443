//! What is read of a body between ticks: attachments, velocities, bounds, poses between two ticks.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::{Pose, SerpentBatch, SerpentId, Spawn, Terrain};

fn driven(speed: f32) -> (SerpentBatch, SerpentId) {
    alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).driven(speed))
}

fn steps(batch: &mut SerpentBatch, count: usize) {
    (0..count).for_each(|_| drop(batch.step(DT).unwrap()));
}

#[test]
fn attachments_and_velocities_are_those_of_the_joints() {
    let (mut batch, id) = driven(2.0);
    batch.set_guidance(id, X).unwrap();
    steps(&mut batch, 100);
    let before = joints(&batch, id);
    steps(&mut batch, 1);
    let now = joints(&batch, id);
    let moved: Vec<Vec3> = now.iter().zip(&before).map(|(a, b)| ((*a - *b) / f64::from(DT)).as_vec3()).collect();
    for (velocity, moved) in batch.velocities(id).unwrap().zip(&moved) {
        assert!(velocity.distance(*moved) < 1e-3, "{velocity} {moved}");
    }
    for i in 0..=32 {
        let at = batch.attachment(id, i as f32 / 32.0).unwrap();
        let (first, half) = ((i / 2).min(15), i % 2 == 1);
        let (a, b) = (now[first], now[first + 1]);
        let expected = if half { (a + b) / 2.0 } else { now[i / 2] };
        assert!((at.position - expected).length() < 1e-6, "{i}");
        assert!(at.tangent.distance((a - b).normalize().as_vec3()) < 1e-5, "{i}");
        let (v, w) = (moved[first], moved[first + 1]);
        assert!(at.velocity.distance(if half { (v + w) / 2.0 } else { moved[i / 2] }) < 2e-3, "{i}");
    }
}

#[test]
fn velocities_are_finite_after_the_shortest_steps() {
    for dt in [1e-10, 1e-30, f32::MIN_POSITIVE, 1e-40, f32::from_bits(1)] {
        let (mut batch, id) = driven(2.0);
        steps(&mut batch, 10);
        batch.step(dt).unwrap();
        assert_finite(&batch);
        assert!(batch.velocities(id).unwrap().all(|v| v.is_finite()), "{dt:e}");
        assert!(batch.attachment(id, 0.5).unwrap().velocity.is_finite(), "{dt:e}");
    }
}

#[test]
fn bounds_hold_every_joint_with_its_radius_and_the_heads() {
    let mut batch = quiet(Terrain::embedded("jacksboro").unwrap());
    let ids = crowd(&mut batch, 40, 77);
    for tick in 0..60 {
        steer(&mut batch, tick);
        for &id in &ids {
            batch.set_jaw(id, 0, 0.9).unwrap();
            batch.set_gaze(id, 0, (tick as f32).sin() * 3.0, 1.0).unwrap();
        }
        batch.step(DT).unwrap();
        ids.iter().for_each(|&id| assert_bounded(&batch, id));
    }
}

fn assert_bounded(batch: &SerpentBatch, id: SerpentId) {
    let mut bounds = batch.bounds(id).unwrap();
    let scale = batch.scale(id).unwrap();
    (bounds.min, bounds.max) = (bounds.min - 4e-6, bounds.max + 4e-6);
    let hold = |at: DVec3, radius: f32| {
        let radius = DVec3::splat(f64::from(radius));
        assert!(bounds.contains(at - radius) && bounds.contains(at + radius), "{at} with {radius} outside {bounds:?}");
    };
    joints(batch, id).into_iter().zip(batch.radii(id).unwrap()).for_each(|(joint, radius)| hold(joint, radius));
    let profile = batch.profile_of(id).unwrap();
    for (head, rows) in profile.heads().iter().zip(rows(batch, id)[profile.joints()..].chunks(2)) {
        let tip = |row: &Pose, length: f32| (row.position() - row.axis(2) * length * scale).as_dvec3();
        hold(rows[0].position().as_dvec3(), head.radius_m * scale);
        hold(tip(&rows[0], head.length_m), 0.0);
        hold(tip(&rows[1], head.jaw_length_m), 0.0);
    }
}

#[test]
fn interpolation_runs_from_the_previous_tick_to_this_one() {
    let mut batch = quiet(tilted());
    let ids = crowd(&mut batch, 20, 6);
    for tick in 0..30 {
        steer(&mut batch, tick);
        batch.step(DT).unwrap();
    }
    let before = batch.poses().to_vec();
    batch.step(DT).unwrap();
    let mut out = batch.poses().to_vec();
    let close =
        |a: &[Pose], b: &[Pose], most: f32| a.iter().zip(b).all(|(a, b)| a.position().distance(b.position()) < most);
    batch.interpolate_poses(1.0, &mut out).unwrap();
    assert!(close(&out, batch.poses(), 1e-5));
    for &id in &ids {
        let (range, count) = (batch.pose_rows(id).unwrap(), batch.profile_of(id).unwrap().joints());
        batch.interpolate_poses(0.0, &mut out).unwrap();
        assert!(close(&out[range.clone()][..count], &before[range.clone()][..count], 1e-5));
        batch.interpolate_poses(0.5, &mut out).unwrap();
        assert!(orthonormal_fault(&out) <= 1e-5);
        for i in range.clone().take(count) {
            let middle = (before[i].position() + batch.poses()[i].position()) / 2.0;
            assert!(out[i].position().distance(middle) < 1e-5);
        }
    }
}

#[test]
fn heads_are_interpolated_with_their_bodies() {
    let (mut batch, id) = driven(4.0);
    batch.set_guidance(id, X).unwrap();
    steps(&mut batch, 30);
    let before = rows(&batch, id)[17];
    steps(&mut batch, 1);
    assert!(before.axis(2).distance(rows(&batch, id)[17].axis(2)) > 0.01, "it turned");
    let mut out = batch.poses().to_vec();
    batch.interpolate_poses(0.0, &mut out).unwrap();
    let (position, axis) = (out[17].position().distance(before.position()), out[17].axis(2).distance(before.axis(2)));
    assert!(position < 1e-4 && axis < 2e-3, "the head is {position} m and {axis} off the previous tick's");
}

#[test]
fn interpolation_starts_at_the_previous_tick_also_after_slots_and_tiers_moved() {
    let mut batch = quiet(tilted());
    let ids = crowd(&mut batch, 30, 6);
    for tick in 0..30 {
        steer(&mut batch, tick);
        batch.step(DT).unwrap();
    }
    let before: Vec<_> = ids.iter().map(|&id| rows(&batch, id).to_vec()).collect();
    batch.step(DT).unwrap();
    ids[..9].iter().for_each(|&id| batch.despawn(id).unwrap());
    ids[9..15].iter().for_each(|&id| batch.set_quality(id, serpentarium::Quality::High).unwrap());
    batch.refresh_poses();
    let mut out = batch.poses().to_vec();
    batch.interpolate_poses(0.0, &mut out).unwrap();
    for (&id, before) in ids.iter().zip(&before).skip(9) {
        let (range, count) = (batch.pose_rows(id).unwrap(), batch.profile_of(id).unwrap().joints());
        for (row, before) in out[range].iter().zip(before).take(count) {
            assert!(row.position().distance(before.position()) < 1e-5, "{id:?}");
        }
    }
}

#[test]
fn a_resting_creature_is_drawn_where_it_rests_at_every_share() {
    let (mut batch, id) = driven(3.0);
    steps(&mut batch, 30);
    batch.set_paused(id, true).unwrap();
    steps(&mut batch, 2);
    let mut out = batch.poses().to_vec();
    for alpha in [0.0, 0.3, 1.0] {
        batch.interpolate_poses(alpha, &mut out).unwrap();
        assert!(out.iter().zip(batch.poses()).all(|(a, b)| a.position().distance(b.position()) < 1e-6), "{alpha}");
    }
    assert!(batch.velocities(id).unwrap().all(|velocity| velocity == Vec3::ZERO));
}

#[test]
fn interpolation_starts_at_the_previous_tick_also_where_origins_move() {
    for preview in [false, true] {
        let spawn = |p| if preview { Spawn::at(p, [0.0; 3]).preview(5.0) } else { Spawn::at(p, [0.0; 3]).driven(40.0) };
        let (mut batch, id) = alone(Terrain::None, case_body(), spawn);
        batch.step(DT).unwrap();
        for tick in 0..200 {
            let (before, mut out) = (batch.poses().to_vec(), batch.poses().to_vec());
            batch.step(DT).unwrap();
            batch.interpolate_poses(0.0, &mut out).unwrap();
            let gap = |(a, b): (&Pose, &Pose)| a.position().distance(b.position());
            let worst = out.iter().zip(&before).take(17).map(gap).fold(0.0, f32::max);
            assert!(worst < 1e-4, "{worst} m at tick {tick}");
            // A joint goes at the head's speed, or a little faster where the path is bent.
            assert!(batch.velocities(id).unwrap().all(|velocity| velocity.length() < 50.0), "velocity at tick {tick}");
        }
    }
}
