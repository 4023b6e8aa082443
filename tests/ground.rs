//! Creatures on ground: clearance, slopes, and what terrain does to speed and phase.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

fn steps(batch: &mut SerpentBatch, count: usize) {
    (0..count).for_each(|_| drop(batch.step(DT).unwrap()));
}

/// The worst difference between a joint's distance from the plane and its radius, in radii at the neck.
fn clearance_fault(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let radii: Vec<f32> = batch.radii(id).unwrap().collect();
    let fault = |(joint, radius): (DVec3, &f32)| {
        let ground = batch.terrain().sample(joint.x, joint.z).unwrap();
        let distance = (joint.y - ground.height_m) * f64::from(ground.normal[1]);
        (distance - f64::from(*radius)).abs() / f64::from(radii[0])
    };
    joints(batch, id).into_iter().zip(&radii).map(fault).fold(0.0, f64::max)
}

#[test]
fn every_joint_of_a_driven_creature_stands_its_radius_above_a_plane() {
    for terrain in [Terrain::flat(-3.0), tilted()] {
        for profile in species().into_iter().filter(Profile::follow_ground) {
            for scale in [0.05, 1.0, 20.0] {
                let speed = profile.length_m() * scale * 0.5;
                let spawn = |p| Spawn::at(p, [3.0, 70.0, 1.0]).scale(scale).driven(speed);
                let (mut batch, id) = alone(terrain.clone(), profile.clone(), spawn);
                for tick in 0..240 {
                    let fault = clearance_fault(&batch, id);
                    assert!(fault < 0.01, "{} x {scale}: off by {fault} radii at tick {tick}", profile.name());
                    batch.set_guidance(id, [X, Z][tick / 120]).unwrap();
                    steps(&mut batch, 1);
                    assert_eq!(batch.grounded(id), Ok(true));
                }
            }
        }
    }
}

#[test]
fn backs_of_a_driven_body_on_a_plane_point_along_its_normal() {
    let normal = Vec3::from(tilted().sample(0.0, 0.0).unwrap().normal);
    for (scale, speed) in [(0.05, 0.02), (0.4, 0.7), (1.0, 2.0), (3.7, 9.0), (20.0, 40.0)] {
        let (mut batch, id) = alone(tilted(), case_body(), |p| Spawn::at(p, [0.0; 3]).scale(scale).driven(speed));
        for tick in 0..900 {
            batch.set_guidance(id, [X, Z, -X, -Z][tick / 45 % 4]).unwrap();
            steps(&mut batch, 1);
            for (i, (_, up)) in frames(&batch, id).into_iter().enumerate() {
                let off = up.angle_between(normal).to_degrees();
                assert!(off < 0.5, "scale {scale}: {off} degrees off at joint {i}, tick {tick}");
            }
        }
    }
}

#[test]
fn a_head_stands_its_radius_above_real_ground() {
    let mut batch = quiet(Terrain::embedded("jacksboro").unwrap());
    let ids = crowd(&mut batch, 30, 12);
    for tick in 0..240 {
        steer(&mut batch, tick);
        steps(&mut batch, 1);
        for &id in ids.iter().filter(|&&id| batch.motion(id) == Ok(Motion::Driven)) {
            if !batch.profile_of(id).unwrap().follow_ground() {
                continue;
            }
            let head = batch.head(id).unwrap();
            let radius = batch.radii(id).unwrap().next().unwrap();
            let gap = head.y - batch.terrain().rest_under(head.x, f64::INFINITY, head.z, radius).unwrap();
            assert!(gap.abs() < 0.01 * f64::from(radius), "{gap} m off at tick {tick}");
        }
    }
}

#[test]
fn a_driven_creature_keeps_its_speed_along_a_slope() {
    let profile = Profile::builder("straight").length_m(2.0).steering_amplitude_deg(0.0).build().unwrap();
    for way in [X, -X, Z, Vec3::new(0.6, 0.0, -0.8)] {
        let (mut batch, id) = alone(tilted(), profile.clone(), |p| Spawn::at(p, [0.0; 3]).facing(way).driven(1.0));
        let start = batch.head(id).unwrap();
        steps(&mut batch, 120);
        let moved = batch.head(id).unwrap() - start;
        assert!((moved.length() - 2.0).abs() < 1e-3, "{way}: {} m in two seconds", moved.length());
        // Which way it goes in plan is the way it was told.
        let plan = Vec3::new(moved.x as f32, 0.0, moved.z as f32);
        let headed = batch.headings(id).unwrap().center;
        assert!(plan.normalize().distance(Vec3::new(headed.x, 0.0, headed.z).normalize()) < 1e-3, "{way}: {plan}");
    }
}

#[test]
fn reported_travel_up_a_slope_counts_along_the_slope() {
    let terrain = tilted();
    let height = |x: f64| terrain.sample(x, 0.0).unwrap();
    let at = |x: f64| {
        let ground = height(x);
        DVec3::new(x, ground.height_m + 0.2 / f64::from(ground.normal[1]), 0.0)
    };
    let spawn = |p| Spawn::at(p, at(0.0)).facing(X).motion(Motion::Reported);
    let (mut batch, id) = alone(terrain.clone(), case_body(), spawn);
    // One tick at rest: the ground under a head is felt in a tick.
    batch.report_actual_displacement(id, Vec3::ZERO, X).unwrap();
    steps(&mut batch, 1);
    for tick in 0..100 {
        let (from, to) = (at(0.03 * f64::from(tick)), at(0.03 * f64::from(tick + 1)));
        batch.report_actual_displacement(id, (to - from).as_vec3(), X).unwrap();
        steps(&mut batch, 1);
    }
    // The way that is straight ahead on the slope is X in plan only where the slope runs along X: here it also falls
    // along Z, so the way of steepest agreement with X is what counts.
    let (normal, moved) = (Vec3::from(height(0.0).normal).as_dvec3(), at(3.0) - at(0.0));
    let ahead = DVec3::X.reject_from_normalized(normal).normalize();
    let turns = f64::from(batch.phases(id).unwrap().0) / 4_294_967_296.0;
    assert!((turns - moved.dot(ahead) * 2.0 / 8.0).abs() < 1e-3, "{turns} for {}", moved.dot(ahead) / 4.0);
    assert!(moved.dot(ahead) > 3.1, "the slope is longer than its plan");
}

#[test]
fn other_ground_is_met_as_they_move_and_keeps_the_path() {
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(1.0));
    steps(&mut batch, 60);
    batch.set_terrain(Terrain::flat(0.3));
    let before = joints(&batch, id);
    steps(&mut batch, 120);
    assert!((batch.head(id).unwrap().y - 0.5).abs() < 1e-5);
    let tail = joints(&batch, id)[16];
    assert!((tail.y - before[16].y).abs() < 1e-3, "the tail was lifted to {tail}");
    assert_segments(&batch, id, "other ground");
}

#[test]
fn a_spawn_and_a_teleport_leave_the_neighbours_in_the_block_alone() {
    let mut batch = quiet(Terrain::embedded("jacksboro").unwrap());
    let ids = crowd(&mut batch, 60, 21);
    for tick in 0..40 {
        steer(&mut batch, tick);
        steps(&mut batch, 1);
        let id = ids[tick as usize % ids.len()];
        let before: Vec<_> = ids.iter().filter(|&&other| other != id).map(|&other| joints(&batch, other)).collect();
        batch.teleport(id, [1.0, 0.0, tick as f64], X).unwrap();
        let new = crowd(&mut batch, 1, tick);
        let after: Vec<_> = ids.iter().filter(|&&other| other != id).map(|&other| joints(&batch, other)).collect();
        assert!(before == after, "a neighbour moved");
        batch.despawn(new[0]).unwrap();
    }
}
