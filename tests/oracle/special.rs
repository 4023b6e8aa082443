//! Single behaviours that the documents state and random runs rarely meet, or that `stages` leaves out because they fail.

use crate::support::{Case, Ground, Shot, distance_to};
use glam::DVec3;
use serpentarium::profile::Head;
use serpentarium::reference::{angle, body, frame, pose, record, travel};
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
    let [(skull, base), _] =
        pose::head(&front, shot.joints[0].at, &profile.heads()[1], 1.0, false, &Default::default());
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
    for (rate, dt) in [(4.0_f32, 0.25_f32), (6.0, 0.25), (10.0, 0.25)] {
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
            turn_share: 1.0,
            axis: DVec3::Y,
            grounded: false,
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

/// Without a guide there is no turn limit: the head moves along the heading that `begin` shows, at once.
#[test]
fn an_unguided_driven_head_moves_along_the_heading_shown() {
    let (mut batch, id) = alone(slender(), Motion::Driven, Terrain::None);
    batch.set_head_guided(id, false).unwrap();
    batch.set_speed(id, 4.0).unwrap();
    batch.step(1.0 / 60.0).unwrap();
    let before = batch.head(id).unwrap();
    batch.set_guidance(id, [1.0, 0.0, 0.0]).unwrap();
    batch.begin(1.0 / 60.0).unwrap();
    let heading = batch.headings(id).unwrap().effective.as_dvec3();
    batch.finish().unwrap();
    let off = (batch.head(id).unwrap() - before - heading * (4.0 / 60.0)).length();
    assert!(off <= 1e-4, "moved {off} m off the heading {heading}");
}

/// Largest distance of a joint from the curve that the body's document says it lies on, in segments.
fn off_curve(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let shot = Shot::of(batch, id);
    let radii: Vec<f64> = batch.radii(id).unwrap().map(f64::from).collect();
    let mut path = vec![record::Knot { at: shot.head, dorsal: shot.vector(&shot.state.dorsal) }];
    path.extend(&shot.knots);
    let off = |(i, joint): (usize, &body::Joint)| {
        let curve: Vec<DVec3> = path.iter().map(|knot| knot.at + knot.dorsal * (radii[i] - radii[0])).collect();
        distance_to(&curve, joint.at)
    };
    shot.joints.iter().enumerate().map(off).fold(0.0, f64::max) / shot.segment()
}

fn report(batch: &mut SerpentBatch, id: SerpentId, moved: DVec3, forward: DVec3) {
    batch.report_actual_displacement(id, moved.as_vec3(), forward.as_vec3()).unwrap();
    batch.step(1.0 / 60.0).unwrap();
}

/// Where the middle is thicker than the head, links of its offset curve are longer over a crest than the path's.
#[test]
fn a_thick_middle_follows_its_offset_curve_over_a_crest() {
    let radii = [(0.0, 0.1), (0.4, 0.35), (1.0, 0.02)];
    let profile = Profile::builder("thick").length_m(8.0).joints(17).radius_m(radii).build().unwrap();
    let (mut batch, id) = alone(profile, Motion::Reported, Terrain::None);
    let mut worst = 0.0_f64;
    for tick in 0..600 {
        // Over the top of a vertical circle of radius 1, two segments, then straight on downward.
        let pitch = (0.02 * f64::from(tick) - 4.0).clamp(0.0, 1.5);
        let forward = DVec3::new(0.0, -pitch.sin(), -pitch.cos());
        report(&mut batch, id, forward * 0.02, forward);
        worst = worst.max(off_curve(&batch, id));
    }
    assert!(worst <= 0.02, "{worst} segments off the curve");
}

/// Backing up beside the path connects the head by a link no longer than the spacing, or the march passes its exit.
#[test]
fn joints_stay_on_the_path_after_backing_up_beside_it() {
    let (mut batch, id) = alone(slender(), Motion::Reported, Terrain::None);
    (0..200).for_each(|_| report(&mut batch, id, DVec3::NEG_Z * 0.05, DVec3::NEG_Z));
    let back = DVec3::new(1.0, 0.0, 1.0).normalize();
    let mut worst = (0.0_f64, 0.0_f64);
    for _ in 0..80 {
        report(&mut batch, id, back * 0.05, DVec3::NEG_Z);
        let knots: Vec<DVec3> = batch.knots(id).unwrap().map(|knot| knot.position).collect();
        let link = knots.windows(2).map(|pair| (pair[0] - pair[1]).length()).fold(0.0, f64::max);
        worst = (worst.0.max(off_curve(&batch, id)), worst.1.max(link));
    }
    assert!(worst.0 <= 0.02 && worst.1 <= 0.26, "{} segments off the path, a link of {} m", worst.0, worst.1);
}

#[test]
fn joints_stay_on_the_path_while_growing() {
    let (mut batch, id) = alone(slender(), Motion::Driven, Terrain::None);
    batch.set_speed(id, 4.0).unwrap();
    let mut worst = 0.0_f64;
    for tick in 0..240 {
        batch.set_scale(id, if tick < 120 { 1.6 } else { 0.8 }).unwrap();
        batch.step(1.0 / 60.0).unwrap();
        worst = worst.max(off_curve(&batch, id));
    }
    assert!(worst <= 0.02, "{worst} segments off the path");
}

/// The same for a swimmer: its dorsal turns no faster than its bends and the levelling make it, in every tick.
#[test]
fn a_dorsal_does_not_jump_where_a_knot_was_just_laid() {
    let mut batch = SerpentBatch::new(Terrain::None);
    let species = batch.add_profile(Profile::embedded("sea-serpent").unwrap());
    let length = batch.profile(species).unwrap().length_m();
    let id = batch.spawn(Spawn::at(species, [0.0; 3]).quality(Quality::High).driven(0.8 * length)).unwrap();
    batch.set_guidance(id, [1.0, 0.3, -1.0]).unwrap();
    let mut before = DVec3::Y;
    let mut worst = (0.0_f64, 0);
    for tick in 0..3000 {
        batch.set_guidance(id, [(tick as f32 * 0.01).sin(), 0.2, (tick as f32 * 0.01).cos()]).unwrap();
        batch.step(1.0 / 60.0).unwrap();
        let shot = Shot::of(&batch, id);
        let dorsal = shot.vector(&shot.state.dorsal);
        worst = if angle(before, dorsal) > worst.0 { (angle(before, dorsal), tick) } else { worst };
        before = dorsal;
    }
    assert!(worst.0 <= 0.06, "the dorsal turned {} degrees in tick {}", worst.0.to_degrees(), worst.1);
}

/// On a plane headings lie in the plane in every tick, also right after a knot was laid under the head.
#[test]
fn headings_on_a_plane_stay_in_it() {
    let terrain = Ground::Tilted.terrain(1.0, 0);
    let normal = DVec3::from(terrain.sample(0.0, 0.0).unwrap().normal.map(f64::from));
    for (name, quality) in [("grass-snake", Quality::Medium), ("grass-snake", Quality::High), ("python", Quality::High)]
    {
        let mut batch = SerpentBatch::new(terrain.clone());
        let profile = Profile::embedded(name).unwrap();
        let speed = 0.8 * profile.length_m();
        let species = batch.add_profile(profile);
        let id = batch.spawn(Spawn::at(species, [0.1, 0.0, 0.2]).quality(quality).driven(speed)).unwrap();
        let mut worst = 0.0_f64;
        for tick in 0..600 {
            batch.set_guidance(id, [(tick as f32 * 0.01).sin(), 0.0, -1.0]).unwrap();
            batch.step(1.0 / 60.0).unwrap();
            worst = worst.max(batch.headings(id).unwrap().effective.as_dvec3().dot(normal).abs());
        }
        assert!(worst <= 5e-3, "{name} {quality}: a heading {} degrees off the plane", worst.to_degrees());
    }
}

/// A change of tier lays the knots anew along the path, from the head to the tail without turning back.
#[test]
fn a_change_of_tier_keeps_the_path() {
    for (from, to) in [(Quality::Low, Quality::High), (Quality::High, Quality::Low), (Quality::Medium, Quality::High)] {
        let mut batch = SerpentBatch::new(Terrain::None);
        let species = batch.add_profile(slender());
        let id = batch.spawn(Spawn::at(species, [0.0; 3]).quality(from).driven(4.0)).unwrap();
        (0..150).for_each(|_| drop(batch.step(1.0 / 60.0).unwrap()));
        let old = Shot::of(&batch, id);
        batch.set_quality(id, to).unwrap();
        let new = Shot::of(&batch, id);
        let way: Vec<DVec3> = old.knots.iter().map(|knot| knot.at).collect();
        for (i, knot) in new.knots.iter().take(16 * new.per_segment + 2).enumerate() {
            assert!(distance_to(&way, knot.at) <= 1e-4, "{from} to {to}: knot {i} left the path");
        }
        for (i, (a, b)) in old.joints.iter().zip(&new.joints).enumerate() {
            let moved = (a.at - b.at).length();
            assert!(moved <= 0.02, "{from} to {to}: joint {i} moved {moved} m");
        }
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

/// Joints of a tapering body stand on level ground, each by its own radius.
#[test]
fn a_tapering_body_stands_on_level_ground() {
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
