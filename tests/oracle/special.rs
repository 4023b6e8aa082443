//! Single behaviours that the documents state and random runs rarely meet.

use crate::support::{Case, Ground, Shot};
use glam::DVec3;
use serpentarium::profile::Head;
use serpentarium::reference::{angle, frame, pose, travel};
use serpentarium::{ForwardAxis, Motion, Profile, Quality, SerpentBatch, SerpentId, Spawn, Terrain};

fn slender() -> Profile {
    Profile::builder("slender").length_m(8.0).joints(17).radius_m([(0.0, 0.2), (1.0, 0.2)]).build().unwrap()
}

fn alone(profile: Profile, motion: Motion, terrain: Terrain) -> (SerpentBatch, SerpentId) {
    let mut batch = SerpentBatch::new(terrain);
    let species = batch.add_profile(profile);
    let id = batch.spawn(Spawn::at(species, [0.0, 0.0, 0.0]).motion(motion)).unwrap();
    (batch, id)
}

/// The profile's document: placed by `offset_m` relative to the Body front, *then* turned by yaw and pitch.
#[test]
fn a_mounted_heads_yaw_and_pitch_leave_its_offset_alone() {
    let second = Head::builder("second").offset_m([0.5, 0.2, 0.1]).yaw_deg(40.0).pitch_deg(25.0);
    let profile = Profile::builder("two").length_m(8.0).head(Head::builder("guide")).head(second).build().unwrap();
    let (mut batch, id) = alone(profile.clone(), Motion::Driven, Terrain::None);
    batch.step(1.0 / 60.0).unwrap();
    let shot = Shot::of(&batch, id);
    let front = frame::turn_bones(&shot.joints)[0];
    let [(skull, base), _] = pose::head(&front, shot.joints[0].at, &profile.heads()[1], 1.0, false, &Default::default());
    let row = batch.poses()[batch.pose_rows(id).unwrap()][profile.joints() + 2];
    let twin = pose::row(&skull, base, ForwardAxis::NegZ);
    assert!((row.axis(2).as_dvec3() - twin.col(2).truncate()).length() < 1e-3, "{row:?} {twin:?}");
    assert!((row.position().as_dvec3() - base).length() < 1e-3, "{:?} {base:?}", row.position());
}

/// The turn limit is a limit: a target that keeps just ahead of the centre heading does not pull it faster.
#[test]
fn a_small_turn_limit_holds_against_a_slow_target() {
    let (mut batch, id) = alone(slender(), Motion::Driven, Terrain::None);
    batch.set_turn_rate(id, 0.002).unwrap();
    let dt = 1.0 / 240.0;
    let start = batch.headings(id).unwrap().center.as_dvec3();
    for tick in 1..=240 {
        let yaw = 2e-4 * f64::from(tick);
        batch.set_guidance(id, DVec3::new(-yaw.sin(), 0.0, -yaw.cos()).as_vec3()).unwrap();
        batch.step(dt).unwrap();
    }
    let turned = angle(start, batch.headings(id).unwrap().center.as_dvec3());
    assert!(turned <= 0.002 + 1e-3, "turned {turned} rad in a second at a limit of 0.002 rad/s");
}

/// A turn of a quarter circle in one long tick is a quarter of a turning circle, not a cut through it.
#[test]
fn a_quick_turn_in_one_long_tick_follows_the_turning_circle() {
    for (rate, dt) in [(6.0_f32, 0.25_f32), (10.0, 0.25)] {
        let (mut batch, id) = alone(slender(), Motion::Driven, Terrain::None);
        batch.set_turn_rate(id, rate).unwrap();
        batch.set_amplitude(id, 0.0).unwrap();
        batch.set_speed(id, 4.0).unwrap();
        batch.set_guidance(id, [-0.2, 0.0, 1.0]).unwrap();
        batch.begin(dt).unwrap();
        let shot = Shot::of(&batch, id);
        batch.finish().unwrap();
        let drive = travel::Drive {
            start: shot.head,
            from: shot.vector(&shot.state.center_before),
            to: shot.vector(&shot.state.center),
            dorsal: DVec3::Y,
            amplitude: 0.0,
            phase: 0.0,
            distance: 4.0 * f64::from(dt),
            turns_per_m: 0.25,
            terrain: None,
            radius: 0.2,
        };
        let end = *drive.way(2000).last().unwrap();
        let off = (batch.head(id).unwrap() - end).length();
        assert!(off <= 0.01 * 0.2, "turn of {} rad in a tick: head off by {off} m", rate * dt);
    }
}

/// Turning back on the spot: segments stay exact, and no joint moves more than a small multiple of the head's travel.
#[test]
fn a_fold_moves_no_joint_much_faster_than_the_head() {
    let (mut batch, id) = alone(slender(), Motion::Reported, Terrain::None);
    let step = 0.02;
    for tick in 0..1500 {
        let direction = if (tick / 300) % 2 == 0 { DVec3::NEG_Z } else { DVec3::new(0.05, 0.0, 1.0).normalize() };
        let before: Vec<DVec3> = batch.joints(id).unwrap().collect();
        batch.report_actual_displacement(id, (direction * step).as_vec3(), direction.as_vec3()).unwrap();
        batch.step(1.0 / 60.0).unwrap();
        let after: Vec<DVec3> = batch.joints(id).unwrap().collect();
        for (i, (a, b)) in before.iter().zip(&after).enumerate() {
            assert!((*a - *b).length() <= 4.0 * step, "tick {tick}: joint {i} moved {}", (*a - *b).length());
        }
        for pair in after.windows(2) {
            assert!(((pair[0] - pair[1]).length() - 0.5).abs() <= 5e-6, "tick {tick}");
        }
    }
}

/// A joint of a tapering body is within its radius' difference of the path, on hills too.
#[test]
fn no_joint_leaves_the_ground_that_its_path_lies_on() {
    let case = Case {
        joints: 40,
        length: 2.0,
        radii: [0.01, 0.02, 0.003],
        amplitude_deg: 30.0,
        cycles: 2.0,
        turn_deg_s: 90.0,
        guided: true,
        bend_deg: 0.0,
        wave: [1.0, 0.0],
        scale: 1.0,
        hz: 60.0,
        quality: Quality::High,
        ground: Ground::Flat,
        grows: false,
        seed: 3,
    };
    let terrain = case.terrain();
    let (mut batch, id) = alone(case.profile(), Motion::Driven, terrain.clone());
    batch.set_speed(id, 1.0).unwrap();
    for _ in 0..200 {
        batch.step(1.0 / 60.0).unwrap();
        for (joint, radius) in batch.joints(id).unwrap().zip(batch.radii(id).unwrap()) {
            let ground = terrain.sample(joint.x, joint.z).unwrap();
            let clearance = joint.y - ground.height_m;
            assert!((clearance - f64::from(radius)).abs() <= 2e-3 * f64::from(radius) + 1e-5, "{clearance} {radius}");
        }
    }
}
