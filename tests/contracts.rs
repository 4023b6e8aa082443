//! The design's contracts, each over species, sizes and grounds, measured from the public interface.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

const SCALES: [f32; 5] = [0.05, 0.4, 1.0, 3.7, 20.0];

fn grounds() -> [(&'static str, Terrain); 3] {
    [("flat", Terrain::flat(0.25)), ("tilted", tilted()), ("jacksboro", Terrain::embedded("jacksboro").unwrap())]
}

/// All species at all scales on one ground, driven at two thirds of a body length a second.
fn everyone(terrain: &Terrain) -> SerpentBatch {
    let mut batch = quiet(terrain.clone());
    for (row, profile) in species().into_iter().enumerate() {
        let length = profile.length_m();
        let id = batch.add_profile(profile);
        for (column, scale) in SCALES.into_iter().enumerate() {
            let at = [column as f64 * 7.0 - 14.0, 0.0, row as f64 * 9.0 - 18.0];
            batch.spawn(Spawn::at(id, at).facing([1.0, 0.0, 0.3]).scale(scale).driven(length * scale * 0.67)).unwrap();
        }
    }
    batch
}

/// Steers everyone round at fixed times.
fn turn_everyone(batch: &mut SerpentBatch, tick: usize) {
    let ways = [[1.0, 0.0, 0.3], [0.0, 0.2, 1.0], [-1.0, -0.5, 0.2], [-0.2, 0.0, -1.0]];
    for id in batch.ids().collect::<Vec<_>>() {
        batch.set_guidance(id, ways[tick / 45 % 4]).unwrap();
    }
}

#[test]
fn segments_keep_their_length_on_every_tick() {
    for (ground, terrain) in grounds() {
        let mut batch = everyone(&terrain);
        for tick in 0..240 {
            turn_everyone(&mut batch, tick);
            batch.step(DT).unwrap();
            for id in batch.ids() {
                assert_segments(&batch, id, ground);
            }
        }
    }
}

#[test]
fn segments_keep_their_length_from_two_joints_to_512() {
    for count in [2, 3, 5, 33, 512] {
        let profile = Profile::builder("n").length_m(4.0).joints(count).build().unwrap();
        let (mut batch, id) = alone(Terrain::flat(0.0), profile, |p| Spawn::at(p, [0.0; 3]).driven(3.0));
        for tick in 0..360 {
            turn_everyone(&mut batch, tick);
            batch.step(DT).unwrap();
            assert_segments(&batch, id, &format!("{count} joints"));
        }
        assert_finite(&batch);
        assert_eq!(batch.joints(id).unwrap().len(), count);
    }
}

#[test]
fn segments_keep_their_length_under_wild_reports() {
    let mut random = Random(7);
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported));
    for _ in 0..2000 {
        let size = [0.0, 1e-4, 0.02, 0.5, 3.0, 40.0][random.word() as usize % 6];
        let part = |random: &mut Random| (random.between(-1.0, 1.0) * size) as f32;
        let moved = Vec3::new(part(&mut random), part(&mut random), part(&mut random));
        let forward = random.heading();
        batch.report_actual_displacement(id, moved, forward).unwrap();
        batch.step(DT).unwrap();
        assert_segments(&batch, id, &format!("after {moved}"));
        assert_finite(&batch);
    }
}

#[test]
fn joint_0_is_at_the_head_and_the_head_where_reports_put_it() {
    let (mut batch, id) =
        alone(Terrain::None, case_body(), |p| Spawn::at(p, [3.0, 1.0, -2.0]).motion(Motion::Reported));
    let mut expected = DVec3::new(3.0, 1.0, -2.0);
    let mut random = Random(3);
    for _ in 0..600 {
        let moved = random.heading() * 0.07 + Vec3::Y * 0.01;
        batch.report_actual_displacement(id, moved, moved).unwrap();
        batch.step(DT).unwrap();
        expected += moved.as_dvec3();
        assert!((batch.head(id).unwrap() - expected).length() < 1e-9);
        let front = joints(&batch, id)[0];
        assert!((front - expected).length() <= 2.0 * ulp(local_size(&batch, id)), "{front} {expected}");
    }
}

#[test]
fn joint_0_follows_an_observed_transform_and_a_driven_head_everywhere() {
    let start = [100.0, 4.0, -7.0];
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, start));
    for tick in 1..=300 {
        let angle = f64::from(tick) * 0.02;
        let at = DVec3::from(start) + DVec3::new(5.0 * angle.cos() - 5.0, 0.01 * f64::from(tick), 5.0 * angle.sin());
        batch.set_head_transform(id, at, [0.0, 0.0, 1.0]).unwrap();
        batch.step(DT).unwrap();
        assert!((joints(&batch, id)[0] - at).length() < 2e-6, "{tick}");
    }
    for (ground, terrain) in grounds() {
        let mut batch = everyone(&terrain);
        for tick in 0..90 {
            turn_everyone(&mut batch, tick);
            batch.step(DT).unwrap();
            for id in batch.ids() {
                let gap = (joints(&batch, id)[0] - batch.head(id).unwrap()).length();
                assert!(gap <= 2.0 * ulp(local_size(&batch, id)), "{ground}: {gap}");
            }
        }
    }
}

/// Runs one driven creature, and gives the worst distance of a joint from the way of its head, in segments.
fn worst_path_deviation(terrain: &Terrain, profile: &Profile, scale: f32, offset: impl Fn(usize) -> DVec3) -> f64 {
    let speed = profile.length_m() * scale * 0.6;
    let (mut batch, id) =
        alone(terrain.clone(), profile.clone(), |p| Spawn::at(p, [0.0; 3]).scale(scale).driven(speed));
    let mut way: Vec<DVec3> = (0..profile.joints()).map(|i| joints(&batch, id)[i] - offset(i)).rev().collect();
    let mut worst = 0.0_f64;
    for tick in 0..720 {
        let side = if tick / 180 % 2 == 0 { 1.0 } else { -1.0 };
        batch.set_guidance(id, [side, 0.0, -0.4]).unwrap();
        batch.step(1.0 / 240.0).unwrap();
        way.push(batch.head(id).unwrap());
        if tick % 16 == 0 {
            let off = joints(&batch, id).into_iter().enumerate().map(|(i, joint)| off_line(joint - offset(i), &way));
            worst = worst.max(off.fold(0.0, f64::max) / segment(&batch, id));
        }
    }
    worst
}

/// What the knots' sag allows: spacing^2 x curvature / 8, but 0.02 at the least; in segments.
fn allowed_deviation(profile: &Profile) -> f64 {
    let (length, joints) = (f64::from(profile.length_m()), profile.joints() as f64 - 1.0);
    let gait = std::f64::consts::TAU * f64::from(profile.steering_amplitude_rad() * profile.steering_cycles()) / length;
    let turn = f64::from(profile.max_turn_speed_rad_s()) / (0.6 * length);
    let spacing = 0.5 * length / joints;
    (spacing * spacing * (gait + turn) / 8.0 / (length / joints)).max(0.02)
}

#[test]
fn joints_lie_on_the_way_of_the_head_offset_for_taper() {
    for profile in species().into_iter().filter(|profile| profile.wave_bend_rad() == 0.0) {
        for scale in [0.05, 1.0, 20.0] {
            let radius = profile.radius_m().to_vec();
            for (terrain, up) in [(Terrain::flat(0.0), DVec3::Y), (tilted(), tilted_normal())] {
                let taper = |i: usize| up * f64::from((radius[i] - radius[0]) * scale);
                let worst = worst_path_deviation(&terrain, &profile, scale, taper);
                let allowed = allowed_deviation(&profile);
                assert!(worst <= allowed, "{} x {scale}: {worst} segments, allowed {allowed}", profile.name());
            }
        }
    }
}

fn tilted_normal() -> DVec3 {
    Vec3::from(tilted().sample(0.0, 0.0).unwrap().normal).as_dvec3()
}

#[test]
fn joints_lie_on_the_way_of_the_head_over_real_ground() {
    let profile = uniform("rope", 2.0, 33, 0.03);
    let worst = worst_path_deviation(&Terrain::embedded("jacksboro").unwrap(), &profile, 1.0, |_| DVec3::ZERO);
    // The ground's creases are corners: a knot spacing is what they allow, and a fifth of it is what they need here.
    assert!(worst <= 0.1, "{worst}");
}

#[test]
fn phase_comes_back_exactly_with_the_same_reports_backward() {
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported));
    let mut random = Random(11);
    let way: Vec<f32> = (0..500).map(|_| random.between(-0.02, 0.1) as f32).collect();
    let forward = Vec3::new(0.6, 0.0, -0.8);
    for travel in way.iter().copied().chain(way.iter().rev().map(|travel| -travel)) {
        batch.report_actual_displacement(id, forward * travel, forward).unwrap();
        batch.step(DT).unwrap();
    }
    assert_eq!(batch.phases(id).unwrap(), (0, 0));
}

#[test]
fn lateral_travel_leaves_the_phases_alone() {
    for profile in species() {
        let (mut batch, id) = alone(Terrain::None, profile, |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported));
        let mut report = |moved: Vec3| {
            batch.report_actual_displacement(id, moved, Vec3::NEG_Z).unwrap();
            batch.step(DT).unwrap();
            batch.phases(id).unwrap()
        };
        let before = report(Vec3::NEG_Z * 0.0123);
        assert_ne!(before, (0, 0));
        for tick in 0..100 {
            let side = if tick % 3 == 0 { Vec3::X } else { Vec3::new(-0.3, 0.4, 0.0) };
            assert_eq!(report(side * 0.011), before);
        }
    }
}

#[test]
fn a_thousand_idle_ticks_leave_every_pose_bit_alone() {
    for (ground, terrain) in grounds() {
        let mut batch = everyone(&terrain);
        for tick in 0..100 {
            turn_everyone(&mut batch, tick);
            batch.step(DT).unwrap();
        }
        for id in batch.ids().collect::<Vec<_>>() {
            batch.set_guidance(id, batch.headings(id).unwrap().center).unwrap();
            batch.set_speed(id, 0.0).unwrap();
        }
        batch.step(DT).unwrap();
        let (before, phases) = (bits(batch.poses()), batch.ids().map(|id| batch.phases(id)).collect::<Vec<_>>());
        for _ in 0..1000 {
            batch.step(DT).unwrap();
        }
        assert!(before == bits(batch.poses()), "{ground}: a pose moved at rest");
        assert_eq!(phases, batch.ids().map(|id| batch.phases(id)).collect::<Vec<_>>());
    }
}

#[test]
fn rest_keeps_every_bit_also_where_the_turn_rate_is_zero() {
    let (mut batch, id) = alone(tilted(), case_body(), |p| Spawn::at(p, [0.0; 3]).facing([0.3, 0.0, 1.0]).driven(1.0));
    (0..50).for_each(|_| drop(batch.step(DT).unwrap()));
    batch.set_speed(id, 0.0).unwrap();
    batch.set_turn_rate(id, 0.0).unwrap();
    batch.set_guidance(id, [1.0, 0.4, -0.2]).unwrap();
    batch.step(DT).unwrap();
    let before = pose_bits(&batch, id);
    (0..1000).for_each(|_| drop(batch.step(DT).unwrap()));
    assert_eq!(before, pose_bits(&batch, id));
}

#[test]
fn wavelength_is_the_body_length_over_the_cycles_at_any_speed_and_scale() {
    for (scale, speed) in [(0.05, 0.02), (1.0, 0.2), (1.0, 6.0), (20.0, 90.0)] {
        let profile = Profile::builder("w").length_m(2.0).steering_cycles(1.75).build().unwrap();
        let (mut batch, id) = alone(Terrain::None, profile, |p| Spawn::at(p, [0.0; 3]).scale(scale).driven(speed));
        let wavelength = 2.0 * f64::from(scale) / 1.75;
        let mut travelled = 0.0;
        for _ in 0..400 {
            batch.step(DT).unwrap();
            travelled += f64::from(speed * DT);
            let (phase, turns) = (f64::from(batch.phases(id).unwrap().0) / 4_294_967_296.0, travelled / wavelength);
            let gap = (phase - turns).rem_euclid(1.0);
            assert!(gap.min(1.0 - gap) < 1e-4, "scale {scale} speed {speed}: {phase} for {turns}");
        }
    }
}

/// Runs a driven creature for three seconds at this rate, steered at fixed times.
fn run_at(hz: u32, terrain: &Terrain, profile: &Profile, scale: f32, speed: f32) -> Vec<DVec3> {
    let spawn = |p| Spawn::at(p, [1.3, 0.0, 2.1]).scale(scale).facing([0.2, 0.0, -1.0]).driven(speed);
    let (mut batch, id) = alone(terrain.clone(), profile.clone(), spawn);
    let ways =
        [[0.2, 0.0, -1.0], [1.0, 0.0, -0.3], [0.4, 0.0, 0.9], [-0.2, 0.0, 1.0], [1.0, 0.0, 0.0], [0.3, 0.0, -0.5]];
    for tick in 0..3 * hz {
        if tick % (hz / 2) == 0 {
            batch.set_guidance(id, ways[(tick / (hz / 2)) as usize]).unwrap();
        }
        batch.step((1.0 / f64::from(hz)) as f32).unwrap();
    }
    joints(&batch, id)
}

/// How far 30, 60 and 144 Hz are from 240 Hz at worst, in the body's greatest radius.
fn rate_gap(terrain: &Terrain, profile: &Profile, scale: f32, speed: f32) -> f64 {
    let fine = run_at(240, terrain, profile, scale, speed);
    let radius = profile.radius_m().iter().copied().fold(0.0, f32::max) * scale;
    let gap = |hz| farthest(&fine, &run_at(hz, terrain, profile, scale, speed)) / f64::from(radius);
    [30, 60, 144].map(gap).into_iter().fold(0.0, f64::max)
}

#[test]
fn driven_creatures_move_alike_at_30_60_144_and_240_hz_on_a_plane() {
    for (ground, terrain) in [("none", Terrain::None), ("flat", Terrain::flat(0.0)), ("tilted", tilted())] {
        for profile in species() {
            for (scale, speed) in [(1.0, 1.0), (0.2, 0.4), (5.0, 2.0)] {
                let gap = rate_gap(&terrain, &profile, scale, speed * profile.speed_m_s());
                assert!(gap <= 0.01, "{} x {scale} on {ground}: {gap} radii", profile.name());
            }
        }
    }
}

#[test]
fn driven_creatures_move_alike_at_30_60_144_and_240_hz_when_they_hurry() {
    for profile in species() {
        let gap = rate_gap(&Terrain::None, &profile, 1.0, 1.5 * profile.length_m());
        assert!(gap <= 0.01, "{}: {gap} radii", profile.name());
    }
}

#[test]
fn driven_creatures_move_alike_at_30_60_144_and_240_hz_on_real_ground() {
    let terrain = Terrain::embedded("jacksboro").unwrap();
    for profile in species() {
        let gap = rate_gap(&terrain, &profile, 1.0, profile.speed_m_s());
        assert!(gap <= 0.01, "{}: {gap} radii", profile.name());
    }
}

#[allow(clippy::type_complexity)]
fn snapshot(batch: &SerpentBatch, id: SerpentId) -> (Vec<[u32; 12]>, Vec<[u32; 12]>, u64, Vec<Vec3>) {
    let mut between = batch.poses().to_vec();
    batch.interpolate_poses(0.4, &mut between).unwrap();
    (bits(batch.poses()), bits(&between), batch.state_hash(), batch.velocities(id).unwrap().collect())
}

#[test]
fn a_step_of_zero_changes_nothing_the_previous_pose_included() {
    let (mut batch, id) = alone(tilted(), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    (0..40).for_each(|_| drop(batch.step(DT).unwrap()));
    let before = snapshot(&batch, id);
    for _ in 0..50 {
        batch.step(0.0).unwrap();
        batch.begin(0.0).unwrap();
        batch.finish().unwrap();
    }
    assert!(before == snapshot(&batch, id));
    let next = |batch: &mut SerpentBatch| (batch.step(DT).unwrap(), snapshot(batch, id)).1;
    let (mut twin, _) = alone(tilted(), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    (0..40).for_each(|_| drop(twin.step(DT).unwrap()));
    let expected = (twin.step(DT).unwrap(), twin.poses().to_vec()).1;
    assert_eq!(next(&mut batch).0, bits(&expected));
}

#[test]
fn a_huge_step_is_cut_and_the_dropped_time_reported() {
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    let report = batch.step(10.0).unwrap();
    assert_eq!((report.dropped_s, batch.time_s()), (9.75, 0.25));
    assert!((batch.head(id).unwrap() - DVec3::Y * 0.2).length() <= 0.5 + 1e-4);
    assert_eq!(batch.step(DT).unwrap().dropped_s, 0.0);
    batch.begin(1.25).unwrap();
    assert_eq!(batch.finish().unwrap().dropped_s, 1.0);
    assert_eq!(batch.step(f32::MAX).unwrap().dropped_s, f32::MAX - 0.25);
    assert_finite(&batch);
}

#[test]
fn a_reported_displacement_is_never_dropped() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).motion(Motion::Reported));
    let mut expected = 0.0;
    let mut report = |batch: &mut SerpentBatch, metres: f32| {
        batch.report_actual_displacement(id, Vec3::NEG_Z * metres, Vec3::NEG_Z).unwrap();
        expected += f64::from(metres);
        expected
    };
    let at = |batch: &SerpentBatch| -batch.head(id).unwrap().z;
    let want = report(&mut batch, 30.0);
    batch.step(100.0).unwrap();
    assert!((at(&batch) - want).abs() < 1e-6, "a huge step");
    let want = report(&mut batch, 0.5);
    batch.step(0.0).unwrap();
    batch.step(DT).unwrap();
    assert!((at(&batch) - want).abs() < 1e-6, "a step of zero");
    batch.set_paused(id, true).unwrap();
    let want = report(&mut batch, 0.25) + 0.0 * report(&mut batch, 0.0);
    batch.step(DT).unwrap();
    batch.set_paused(id, false).unwrap();
    batch.step(DT).unwrap();
    assert!((at(&batch) - want).abs() < 1e-6, "a pause");
    batch.set_time_scale(id, 0.0).unwrap();
    let want = report(&mut batch, 0.125);
    batch.step(DT).unwrap();
    batch.set_time_scale(id, 1.0).unwrap();
    batch.step(DT).unwrap();
    assert!((at(&batch) - want).abs() < 1e-6, "time stood still");
}

#[test]
fn a_quarter_of_the_time_scale_is_a_quarter_of_the_step() {
    let spawn = |p| Spawn::at(p, [0.0; 3]).driven(2.0);
    let (mut slow, id) = alone(tilted(), case_body(), spawn);
    let (mut short, other) = alone(tilted(), case_body(), spawn);
    slow.set_time_scale(id, 0.25).unwrap();
    for tick in 0..240 {
        let way = if tick < 120 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        slow.set_guidance(id, way).unwrap();
        short.set_guidance(other, way).unwrap();
        slow.step(DT).unwrap();
        short.step(DT / 4.0).unwrap();
        assert_eq!(pose_bits(&slow, id), pose_bits(&short, other));
    }
}

#[test]
fn frames_are_orthonormal_and_twist_no_more_than_they_bend() {
    for (ground, terrain) in grounds() {
        let mut batch = everyone(&terrain);
        for tick in 0..240 {
            turn_everyone(&mut batch, tick);
            batch.step(DT).unwrap();
            let fault = orthonormal_fault(batch.poses());
            assert!(fault <= 1e-5, "{ground}: {fault}");
            for id in batch.ids() {
                let (excess, name) = (twist_excess_deg(&batch, id), batch.profile_of(id).unwrap().name());
                assert!(excess <= 0.3, "{ground}: {name} twists by {excess} degrees too much at tick {tick}");
            }
        }
    }
}

/// How far the body is rolled at worst: a tapering body's axis is pitched on level ground, its sides are level.
fn belly_tilt_deg(batch: &SerpentBatch, id: SerpentId) -> f32 {
    let roll = |(forward, up): (Vec3, Vec3)| {
        let level = forward.cross(Vec3::Y).normalize();
        up.dot(level).atan2(up.y).abs().to_degrees()
    };
    frames(batch, id).into_iter().map(roll).fold(0.0, f32::max)
}

#[test]
fn a_driven_body_lies_belly_down_on_level_ground_after_a_steep_hill() {
    // A ridge of 45 degrees across the way, met at a slant.
    let terrain = field(121, |_, z| (8.0 - (z + 12.0).abs()).clamp(0.0, 6.0));
    for profile in [uniform("rope", 4.0, 33, 0.08), Profile::embedded("python").unwrap()] {
        let spawn = |p| Spawn::at(p, [0.0, 0.0, 10.0]).facing([0.4, 0.0, -1.0]).driven(2.0);
        let (mut batch, id) = alone(terrain.clone(), profile, spawn);
        (0..1620).for_each(|_| drop(batch.step(DT).unwrap()));
        let back = joints(&batch, id).last().copied().unwrap();
        assert!(back.z < -21.0, "still on the hill: {back}");
        assert!(belly_tilt_deg(&batch, id) <= 2.0, "{} degrees", belly_tilt_deg(&batch, id));
    }
}

#[test]
fn a_reported_body_lies_belly_down_on_level_ground_after_a_climb() {
    let spawn = |p| Spawn::at(p, [0.0, 0.2, 0.0]).motion(Motion::Reported);
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), spawn);
    // Straight up a wall with a turn to the side on it, over the top to the other side, down, and away.
    let legs = [(Vec3::NEG_Z, 30), (Vec3::Y, 20), (Vec3::X, 20), (Vec3::Y, 20), (Vec3::NEG_Z, 20)];
    let down = [(Vec3::NEG_Y, 40), (Vec3::NEG_Z, 120)];
    for (way, count) in legs.into_iter().chain(down) {
        for _ in 0..count {
            batch.report_actual_displacement(id, way * 0.1, way).unwrap();
            batch.step(DT).unwrap();
            assert!(twist_excess_deg(&batch, id) <= 0.3, "{}", twist_excess_deg(&batch, id));
        }
    }
    assert!(belly_tilt_deg(&batch, id) <= 2.0, "{} degrees", belly_tilt_deg(&batch, id));
}

#[test]
fn one_poisoned_creature_keeps_its_last_good_pose_and_leaves_the_others_bits_alone() {
    let mut batch = everyone(&Terrain::embedded("jacksboro").unwrap());
    let mut clean = everyone(&Terrain::embedded("jacksboro").unwrap());
    let victim = batch.ids().nth(8).unwrap();
    for tick in 0..60 {
        turn_everyone(&mut batch, tick);
        turn_everyone(&mut clean, tick);
        let good = (tick > 0).then(|| pose_bits(&batch, victim));
        if tick == 30 {
            poison_guidance(&mut batch, victim);
        }
        let report = batch.step(DT).unwrap();
        clean.step(DT).unwrap();
        assert_eq!(report.quarantined.len(), usize::from(tick == 30));
        assert_finite(&batch);
        if tick >= 30 {
            assert_eq!(good.unwrap(), pose_bits(&batch, victim));
        }
    }
    for (a, b) in batch.ids().zip(clean.ids()).filter(|(a, _)| *a != victim) {
        assert_eq!(pose_bits(&batch, a), pose_bits(&clean, b));
    }
}

fn poison_guidance(batch: &mut SerpentBatch, victim: SerpentId) {
    let profile = batch.add_profile(batch.profile_of(victim).unwrap().clone());
    for slices in batch.controls_mut(profile) {
        if let Some(at) = slices.ids.iter().position(|id| *id == victim) {
            slices.guidance[at] = [0.0, f32::NAN, 1.0];
        }
    }
}
