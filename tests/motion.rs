//! What creatures do with the movement they are given: sources, gait, history, heads, growth.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

fn reported(at: [f64; 3]) -> (SerpentBatch, SerpentId) {
    alone(Terrain::None, case_body(), |p| Spawn::at(p, at).motion(Motion::Reported))
}

fn driven(speed: f32) -> (SerpentBatch, SerpentId) {
    alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]).driven(speed))
}

fn report(batch: &mut SerpentBatch, id: SerpentId, moved: Vec3, forward: Vec3) {
    batch.report_actual_displacement(id, moved, forward).unwrap();
    batch.step(DT).unwrap();
}

fn steps(batch: &mut SerpentBatch, count: usize) {
    (0..count).for_each(|_| drop(batch.step(DT).unwrap()));
}

#[test]
fn an_observed_creature_moves_with_its_transform_and_a_report_takes_its_place_for_one_tick() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]));
    let head = |batch: &SerpentBatch| -batch.head(id).unwrap().z;
    batch.set_head_transform(id, [0.0, 0.0, -0.3], [0.0, 0.0, -1.0]).unwrap();
    batch.step(DT).unwrap();
    assert!((head(&batch) - 0.3).abs() < 1e-6);
    batch.set_head_transform(id, [0.0, 0.0, -0.5], [0.0, 0.0, -1.0]).unwrap();
    let phase = batch.phases(id).unwrap().0;
    report(&mut batch, id, Vec3::NEG_Z * 0.1, Vec3::NEG_Z);
    assert!((head(&batch) - 0.4).abs() < 1e-6, "not both: {}", head(&batch));
    let turned = f64::from(batch.phases(id).unwrap().0 - phase) / 4_294_967_296.0;
    assert!((turned - 0.1 * 2.0 / 8.0).abs() < 1e-6, "counted once: {turned}");
    batch.step(DT).unwrap();
    assert!((head(&batch) - 0.5).abs() < 1e-6, "observed again");
    batch.set_head_transform(id, [0.0, 0.0, -0.9], [0.0, 0.0, -1.0]).unwrap();
    report(&mut batch, id, Vec3::ZERO, Vec3::NEG_Z);
    assert!((head(&batch) - 0.5).abs() < 1e-6, "a report of nothing is a report");
}

#[test]
fn several_reports_of_a_tick_add_up() {
    let (mut batch, id) = reported([0.0; 3]);
    batch.report_actual_displacement(id, [0.1, 0.0, 0.0], X).unwrap();
    report(&mut batch, id, Vec3::new(0.2, 0.0, -0.4), Vec3::NEG_Z);
    assert!((batch.head(id).unwrap() - DVec3::new(0.3, 0.0, -0.4)).length() < 1e-6);
    steps(&mut batch, 1);
    assert!((batch.head(id).unwrap() - DVec3::new(0.3, 0.0, -0.4)).length() < 1e-6, "taken once");
}

#[test]
fn begin_gives_the_headings_of_this_tick_for_the_caller_to_report_along() {
    let (mut batch, id) = reported([0.0; 3]);
    let (mut at, mut yawed, mut turned) = (DVec3::ZERO, false, false);
    for _ in 0..240 {
        let before = batch.headings(id).unwrap().center;
        batch.set_guidance(id, X).unwrap();
        batch.begin(DT).unwrap();
        let now = batch.headings(id).unwrap();
        turned |= now.center != before;
        assert!(before.angle_between(now.center) <= 1.01 * 90_f32.to_radians() * DT, "turn rate");
        yawed |= now.effective.angle_between(now.center) > 0.3;
        batch.report_actual_displacement(id, now.effective * 0.03, now.effective).unwrap();
        at += (now.effective * 0.03).as_dvec3();
        batch.finish().unwrap();
        assert!((batch.head(id).unwrap() - at).length() < 1e-5);
        assert_eq!(batch.headings(id).unwrap().effective, now.effective);
    }
    assert!(yawed && turned);
    assert!(batch.headings(id).unwrap().center.distance(X) < 1e-5);
}

#[test]
fn a_reported_gait_bends_the_body_as_a_driven_one() {
    let (mut batch, driven) = driven(2.0);
    let profile = batch.add_profile(case_body());
    let reported = batch.spawn(Spawn::at(profile, [0.0; 3]).motion(Motion::Reported)).unwrap();
    for _ in 0..600 {
        batch.begin(1.0 / 240.0).unwrap();
        let heading = batch.headings(reported).unwrap().effective;
        batch.report_actual_displacement(reported, heading * (2.0 / 240.0), heading).unwrap();
        batch.finish().unwrap();
    }
    // The reporter takes the heading at each tick's start: half a tick of a wave behind.
    let gap = farthest(&joints(&batch, driven), &joints(&batch, reported));
    assert!(gap < 0.03, "{gap}");
    let lateral = joints(&batch, driven).iter().map(|joint| joint.x.abs()).fold(0.0, f64::max);
    assert!(lateral > 0.15, "no S-curve: {lateral}");
}

#[test]
fn a_driven_creature_goes_at_its_speed_and_backward_on_its_own_path() {
    let (mut batch, id) = driven(1.5);
    let mut states = vec![joints(&batch, id)];
    for tick in 0..240 {
        batch.set_guidance(id, if tick < 120 { Vec3::NEG_Z } else { Vec3::NEG_Z + X * 0.2 }).unwrap();
        steps(&mut batch, 1);
        states.push(joints(&batch, id));
    }
    // With the centre heading at rest, backing up goes through the same poses.
    batch.set_speed(id, -1.5).unwrap();
    for tick in (180..240).rev() {
        steps(&mut batch, 1);
        let gap = farthest(&states[tick], &joints(&batch, id));
        assert!(gap < 0.02 * 0.5, "{gap} off its own path, back at tick {tick}");
    }
}

#[test]
fn a_preview_moves_the_body_and_not_the_root() {
    let root = DVec3::new(5.0, 2.0, -9000.0);
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, root).preview(0.5));
    let straight = shape(&batch, id);
    for _ in 0..600 {
        steps(&mut batch, 1);
        assert!((batch.head(id).unwrap() - root).length() < 1e-6);
        assert!((joints(&batch, id)[0] - root).length() < 1e-5);
        assert_segments(&batch, id, "preview");
    }
    assert!(farthest(&straight, &shape(&batch, id)) > 0.2, "the gait shows");
    let turns = f64::from(batch.phases(id).unwrap().0) / 4_294_967_296.0;
    assert!((turns - (600.0 * f64::from(DT) * 0.5 * 2.0).rem_euclid(1.0)).abs() < 1e-3, "{turns}");
    // As a driven creature of the same speed, seen from its head.
    let (mut twin, other) = alone(Terrain::None, case_body(), |p| Spawn::at(p, root).driven(4.0));
    steps(&mut twin, 600);
    let gap = farthest(&shape(&twin, other), &shape(&batch, id));
    assert!(gap < 2e-3, "{gap}");
    assert!(batch.velocities(id).unwrap().next().unwrap().length() < 1e-3, "the root rests");
}

#[test]
fn reset_lays_the_path_straight_behind_the_heading_where_it_stands() {
    let (mut batch, id) = driven(2.0);
    batch.set_guidance(id, X).unwrap();
    steps(&mut batch, 200);
    let (head, center) = (batch.head(id).unwrap(), batch.headings(id).unwrap().center.as_dvec3());
    batch.reset_motion_tracking(id).unwrap();
    let straight: Vec<DVec3> = (0..17).map(|i| head - center * 0.5 * f64::from(i)).collect();
    assert!(farthest(&straight, &joints(&batch, id)) < 1e-4);
    assert_eq!(batch.phases(id), Ok((0, 0)));
    steps(&mut batch, 10);
    assert!((batch.head(id).unwrap() - head).length() > 0.2, "it goes on");
}

#[test]
fn transverse_settling_moves_the_whole_straight_seed() {
    for (moved, observed) in
        [(Vec3::NEG_Y * 0.13, false), (X * 0.1, false), (Vec3::new(0.1, -0.2, 0.001), false), (Vec3::NEG_Y * 0.4, true)]
    {
        let motion = if observed { Motion::Observed } else { Motion::Reported };
        let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [1.0, 2.0, 3.0]).motion(motion));
        let before = joints(&batch, id);
        for tick in 1..=3 {
            if observed {
                let to = before[0] + moved.as_dvec3() * f64::from(tick);
                batch.set_head_transform(id, to, [0.0, 0.0, -1.0]).unwrap();
                batch.step(DT).unwrap();
            } else {
                report(&mut batch, id, moved, Vec3::NEG_Z);
            }
        }
        let expected: Vec<DVec3> = before.iter().map(|joint| *joint + 3.0 * moved.as_dvec3()).collect();
        let gap = farthest(&expected, &joints(&batch, id));
        assert!(gap < 1e-5, "{moved}: {gap}");
        assert_eq!(batch.phases(id), Ok((0, 0)));
        // From the first longitudinal travel on, height is recorded.
        batch.set_motion(id, Motion::Reported).unwrap();
        (0..20).for_each(|_| report(&mut batch, id, Vec3::NEG_Z * 0.1, Vec3::NEG_Z));
        let tail = joints(&batch, id)[16];
        report(&mut batch, id, Vec3::Y * 0.1, Vec3::NEG_Z);
        assert!((joints(&batch, id)[16] - tail).length() < 0.1 && (joints(&batch, id)[16].y - tail.y).abs() < 1e-5);
    }
}

#[test]
fn genuine_heights_stay_in_the_path() {
    let (mut batch, id) = reported([0.0; 3]);
    let hill = |z: f64| 0.5 * (0.8 * z).sin();
    let mut at = DVec3::ZERO;
    for tick in 1..=300 {
        let z = -0.05 * f64::from(tick);
        let to = DVec3::new(0.0, hill(z), z);
        report(&mut batch, id, (to - at).as_vec3(), Vec3::NEG_Z);
        at = to;
    }
    for joint in joints(&batch, id) {
        assert!((joint.y - hill(joint.z)).abs() < 0.01, "{joint} for {}", hill(joint.z));
    }
}

#[test]
fn backing_up_brings_the_body_back_onto_its_path() {
    let (mut batch, id) = reported([0.0; 3]);
    let way: Vec<Vec3> = (0..150).map(|tick| Vec3::new((tick as f32 * 0.03).sin(), 0.0, -1.0).normalize()).collect();
    let mut states = vec![joints(&batch, id)];
    for way in &way {
        report(&mut batch, id, *way * 0.05, *way);
        states.push(joints(&batch, id));
    }
    for (i, way) in way.iter().enumerate().rev() {
        report(&mut batch, id, *way * -0.05, *way);
        let gap = farthest(&states[i], &joints(&batch, id));
        assert!(gap < 0.02 * 0.5, "{gap} off at {i}");
        assert_segments(&batch, id, "backward");
    }
    // Beyond what the history holds it goes on straight along the tail.
    let (tail, ahead) = (joints(&batch, id)[16], joints(&batch, id)[0]);
    let along = (tail - ahead).normalize().as_vec3();
    (0..1000).for_each(|_| report(&mut batch, id, along * 0.05, -along));
    assert_segments(&batch, id, "out of reserve");
    let off = joints(&batch, id).into_iter().map(|joint| (joint - ahead).reject_from(along.as_dvec3()).length());
    assert!(off.fold(0.0, f64::max) < 0.05, "bent beyond the reserve");
}

#[test]
fn lateral_travel_is_recorded_and_turns_no_phase() {
    let (mut batch, id) = reported([0.0; 3]);
    report(&mut batch, id, Vec3::NEG_Z * 0.1, Vec3::NEG_Z);
    let phases = batch.phases(id).unwrap();
    for _ in 0..60 {
        report(&mut batch, id, X * 0.05, Vec3::NEG_Z);
        assert_eq!(batch.phases(id).unwrap(), phases);
        assert_segments(&batch, id, "lateral");
    }
    assert!((joints(&batch, id)[4] - DVec3::new(1.0, 0.0, -0.1)).length() < 1e-3, "the path is the achieved way");
}

#[test]
fn without_head_guidance_the_heading_is_the_target_and_the_path_the_roots() {
    let (mut batch, id) = reported([0.0; 3]);
    batch.set_head_guided(id, false).unwrap();
    for tick in 0..200 {
        let way = if tick < 100 { Vec3::NEG_Z } else { X };
        batch.set_guidance(id, way).unwrap();
        batch.begin(DT).unwrap();
        let now = batch.headings(id).unwrap();
        assert!(now.center.distance(way) < 1e-6 && now.effective.distance(way) < 1e-6, "{tick}: {now:?}");
        batch.report_actual_displacement(id, way * 0.05, way).unwrap();
        batch.finish().unwrap();
    }
    let line = [DVec3::Z * 20.0, DVec3::NEG_Z * 5.0, DVec3::new(5.0, 0.0, -5.0)];
    let off = joints(&batch, id).iter().map(|joint| off_line(*joint, &line)).fold(0.0, f64::max);
    assert!(off < 0.25, "{off}");
    let unguided = Profile::builder("u").head_guided(false).build().unwrap();
    let (mut batch, id) = alone(Terrain::None, unguided, |p| Spawn::at(p, [0.0; 3]).driven(0.5));
    steps(&mut batch, 200);
    assert!(joints(&batch, id).iter().all(|joint| joint.x.abs() < 1e-6), "it yaws");
}

fn two_headed() -> Profile {
    use serpentarium::profile::Head;
    let head = |name, side: f64| Head::builder(name).offset_m([side, 0.05, 0.1]).yaw_deg(-side * 100.0);
    Profile::builder("two").length_m(4.0).joints(17).head(head("left", -0.2)).head(head("right", 0.2)).build().unwrap()
}

#[test]
fn a_slow_observed_creature_turns_its_phase_by_all_that_it_travels() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]));
    batch.set_amplitude(id, 0.0).unwrap();
    // Each step is less than the noise threshold of a segment's thousandth.
    for tick in 1..=3000 {
        batch.set_head_transform(id, [0.0, 0.0, -1e-4 * f64::from(tick)], [0.0, 0.0, -1.0]).unwrap();
        batch.step(1.0 / 240.0).unwrap();
    }
    let turns = f64::from(batch.phases(id).unwrap().0) / 4_294_967_296.0;
    assert!((turns - 0.3 * 2.0 / 8.0).abs() < 5e-4 * 2.0 / 8.0, "{turns}");
    assert!((joints(&batch, id)[16].z - 7.7).abs() < 1e-3, "the body came along");
}

#[test]
fn another_guiding_head_leaves_the_body_where_it_lies() {
    let run = |switch: bool| {
        let (mut batch, id) = alone(Terrain::flat(0.0), two_headed(), |p| Spawn::at(p, [0.0; 3]).driven(1.0));
        let mut bodies = Vec::new();
        for tick in 0..120 {
            if switch && tick % 20 == 10 {
                batch.set_guiding_head(id, tick / 20 % 2).unwrap();
            }
            steps(&mut batch, 1);
            assert_eq!(rows(&batch, id).len(), 17 + 4);
            bodies.push(bits(&rows(&batch, id)[..17]));
        }
        bodies
    };
    assert!(run(false) == run(true));
}

#[test]
fn heads_that_do_not_guide_are_not_posed_by_locomotion() {
    let (mut batch, id) = alone(Terrain::None, two_headed(), |p| Spawn::at(p, [0.0; 3]).driven(1.0));
    for _ in 0..120 {
        steps(&mut batch, 1);
        let rows = rows(&batch, id);
        let inverse = rows[0].to_mat4().inverse();
        // In the frame of the Body front: 0.2 to the right, 0.05 up, 0.1 ahead, turned 20 degrees to the right.
        let mounted = inverse * rows[19].to_mat4();
        assert!(mounted.w_axis.truncate().distance(Vec3::new(0.2, 0.05, -0.1)) < 1e-5, "{mounted}");
        let ahead = -mounted.z_axis.truncate();
        assert!(
            ahead.distance(Vec3::new(20_f32.to_radians().sin(), 0.0, -20_f32.to_radians().cos())) < 1e-4,
            "{ahead}"
        );
    }
}

#[test]
fn jaw_and_gaze_turn_their_rows_and_nothing_else() {
    let run = |look: bool| {
        let (mut batch, id) = driven(2.0);
        let mut states = Vec::new();
        for tick in 0..120 {
            if look {
                batch.set_jaw(id, 0, (tick as f32 * 0.1).sin().abs()).unwrap();
                batch.set_gaze(id, 0, (tick as f32 * 0.07).sin(), 0.4).unwrap();
            }
            steps(&mut batch, 1);
            states.push((batch.state_hash(), bits(&rows(&batch, id)[..17]), batch.headings(id)));
        }
        (states, bits(&rows(&batch, id)[17..]))
    };
    let (blank, looking) = (run(false), run(true));
    assert!(blank.0 == looking.0);
    assert!(blank.1 != looking.1);
}

#[test]
fn the_jaw_opens_downward_as_far_as_the_profile_lets_it() {
    let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::at(p, [0.0; 3]));
    let most = batch.profile_of(id).unwrap().heads()[0].max_jaw_rad;
    for (asked, given) in [(0.0, 0.0), (0.3, 0.3), (3.0, most)] {
        batch.set_jaw(id, 0, asked).unwrap();
        steps(&mut batch, 1);
        let [head, jaw] = [17, 18].map(|row| -rows(&batch, id)[row].axis(2));
        assert!((head.angle_between(jaw) - given).abs() < 1e-3, "{asked}: {}", head.angle_between(jaw));
        assert!(given == 0.0 || jaw.y < head.y, "opens downward");
    }
    batch.set_gaze(id, 0, 0.5, 0.0).unwrap();
    steps(&mut batch, 1);
    assert!(
        (-rows(&batch, id)[17].axis(2)).distance(Vec3::new(-0.5_f32.sin(), 0.0, -0.5_f32.cos())) < 1e-3,
        "yaw is to the left"
    );
    batch.set_gaze(id, 0, 0.0, 0.5).unwrap();
    steps(&mut batch, 1);
    assert!(
        (-rows(&batch, id)[17].axis(2)).distance(Vec3::new(0.0, 0.5_f32.sin(), -0.5_f32.cos())) < 1e-3,
        "pitch is up"
    );
}

/// Grows (or shrinks) a driven creature, and gives the worst step of a joint beyond what travel and growth explain, as
/// a share of the segment.
fn worst_growth_jump(terrain: Terrain, from: f32, to: f32, speed: f32) -> f64 {
    let (mut batch, id) = alone(terrain, case_body(), |p| Spawn::at(p, [0.0; 3]).scale(from).driven(speed));
    steps(&mut batch, 200);
    batch.set_scale(id, to).unwrap();
    let (mut before, mut length, mut worst) = (joints(&batch, id), segment(&batch, id) * 16.0, 0.0_f64);
    for _ in 0..900 {
        let phase = batch.phases(id).unwrap();
        steps(&mut batch, 1);
        let now = (joints(&batch, id), segment(&batch, id) * 16.0);
        let explained = 1.2 * f64::from((speed * DT).abs()) + 1.2 * (now.1 - length).abs();
        worst = worst.max((farthest(&before, &now.0) - explained) / segment(&batch, id));
        (before, length) = now;
        assert_segments(&batch, id, "growth");
        assert!(speed != 0.0 || phase == batch.phases(id).unwrap());
        let grown = f64::from((batch.scale(id).unwrap() - from).abs() / from);
        assert!(grown <= 20.0);
    }
    assert_eq!(batch.scale(id), Ok(to));
    worst
}

fn assert_no_growth_jump(cases: &[(f32, f32, f32)]) {
    for &(from, to, speed) in cases {
        for terrain in [Terrain::None, Terrain::flat(0.0)] {
            let worst = worst_growth_jump(terrain, from, to, speed);
            // Backing up beside the path takes a knot back and connects anew, a share of a segment at a time.
            let allowed = if speed < 0.0 { 0.2 } else { 0.02 };
            assert!(worst < allowed, "{from} to {to} at {speed}: a joint jumped by {worst} of a segment");
        }
    }
}

#[test]
fn growth_moves_no_joint_by_more_than_travel_and_growth_explain() {
    assert_no_growth_jump(&[(1.0, 2.0, 2.0), (1.0, 2.0, 0.0), (1.0, 3.0, -1.0)]);
}

#[test]
fn tenfold_growth_moves_no_joint_by_more_than_travel_and_growth_explain() {
    assert_no_growth_jump(&[(0.5, 5.0, 1.0), (0.5, 5.0, 0.0)]);
}

#[test]
fn shrinking_moves_no_joint_by_more_than_travel_and_growth_explain() {
    assert_no_growth_jump(&[(4.0, 1.0, 2.0), (1.0, 0.3, 0.0), (20.0, 10.0, 5.0)]);
}

#[test]
fn a_creature_that_grows_at_rest_on_the_ground_keeps_its_clearance() {
    let (mut batch, id) = alone(Terrain::flat(1.0), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0));
    steps(&mut batch, 60);
    batch.set_speed(id, 0.0).unwrap();
    batch.set_scale(id, 2.0).unwrap();
    steps(&mut batch, 300);
    let radius = 0.2 * f64::from(batch.scale(id).unwrap());
    let clearance = batch.head(id).unwrap().y - 1.0;
    assert!((clearance - radius).abs() < 1e-3, "clearance {clearance} for a radius of {radius}");
}

#[test]
fn scale_ten_with_ten_times_the_speed_gives_ten_times_the_pose() {
    for profile in species() {
        let (speed, name) = (profile.speed_m_s(), profile.name().to_owned());
        let spawn = |scale: f32| move |p| Spawn::at(p, [0.0; 3]).scale(scale).driven(scale * speed);
        let (mut small, a) = alone(Terrain::None, profile.clone(), spawn(1.0));
        let (mut large, b) = alone(Terrain::None, profile, spawn(10.0));
        for tick in 0..300 {
            let way = if tick < 150 { X } else { Vec3::NEG_Z };
            small.set_guidance(a, way).unwrap();
            large.set_guidance(b, way).unwrap();
            steps(&mut small, 1);
            steps(&mut large, 1);
        }
        let tenfold: Vec<DVec3> = joints(&small, a).iter().map(|joint| *joint * 10.0).collect();
        let gap = farthest(&tenfold, &joints(&large, b)) / segment(&large, b);
        assert!(gap < 1e-3, "{name}: {gap} of a segment");
    }
}

#[test]
fn a_coil_lies_on_the_path_it_was_spawned_along() {
    let coil: Vec<DVec3> = (0..400)
        .map(|i| {
            let angle = f64::from(i) * 0.04;
            let radius = 0.8 + 0.03 * angle;
            DVec3::new(radius * angle.cos(), 0.02 * angle, radius * angle.sin())
        })
        .collect();
    for scale in [0.5, 1.0] {
        let (mut batch, id) = alone(Terrain::None, case_body(), |p| Spawn::along(p, coil.clone()).scale(scale));
        for tick in 0..2 {
            let off = joints(&batch, id).iter().map(|joint| off_line(*joint, &coil)).fold(0.0, f64::max);
            let spacing = segment(&batch, id) / batch.cohorts()[0].shape().knots_per_segment as f64;
            let sag = spacing * spacing / 0.8 / 8.0;
            assert!(off <= (0.02 * segment(&batch, id)).max(1.1 * sag), "{off} off the coil at tick {tick}");
            assert_eq!(batch.head(id).unwrap(), coil[0]);
            assert_segments(&batch, id, "coil");
            batch.step(DT).unwrap();
        }
    }
}

#[test]
fn a_creature_that_faces_upward_lies_straight_below_its_head() {
    for (motion, terrain) in
        [Motion::Observed, Motion::Reported, Motion::Driven, Motion::Preview].map(|m| (m, Terrain::None))
    {
        let facing = Vec3::new(0.0, 0.8, -0.6);
        let spawn = |p| Spawn::at(p, [0.0; 3]).driven(1.0).motion(motion).facing(facing);
        let (mut batch, id) = alone(terrain, case_body(), spawn);
        let straight: Vec<DVec3> = (0..17).map(|i| facing.as_dvec3() * -0.5 * f64::from(i)).collect();
        assert!(farthest(&straight, &joints(&batch, id)) < 1e-4, "{motion:?}: spawned {:?}", joints(&batch, id)[16]);
        batch.teleport(id, [0.0; 3], Vec3::Y).unwrap();
        let straight: Vec<DVec3> = (0..17).map(|i| DVec3::NEG_Y * 0.5 * f64::from(i)).collect();
        assert!(farthest(&straight, &joints(&batch, id)) < 1e-4, "{motion:?}: teleported {:?}", joints(&batch, id)[16]);
    }
}

#[test]
fn a_path_shorter_than_the_body_goes_on_straight() {
    let path = [DVec3::ZERO, DVec3::Z * 2.0, DVec3::new(1.0, 0.0, 2.0)];
    let (batch, id) = alone(Terrain::None, case_body(), |p| Spawn::along(p, path));
    let line = [path[0], path[1], DVec3::new(20.0, 0.0, 2.0)];
    let off = joints(&batch, id).iter().map(|joint| off_line(*joint, &line)).fold(0.0, f64::max);
    assert!(off < 0.25, "{off}");
    assert!(joints(&batch, id)[16].x > 4.5);
    assert!(batch.headings(id).unwrap().center.distance(Vec3::NEG_Z) < 1e-6);
}

#[test]
fn a_u_turn_moves_no_joint_by_more_than_six_times_the_heads_travel() {
    for (travel, back) in
        [(0.05, Z), (0.1, Z), (0.1, Vec3::new(0.1, 0.0, 1.0)), (0.3, Z), (0.1, Vec3::new(0.0, 0.2, 1.0))]
    {
        let (mut batch, id) = reported([0.0; 3]);
        (0..60).for_each(|_| report(&mut batch, id, Vec3::NEG_Z * travel, Vec3::NEG_Z));
        let back = back.normalize();
        for tick in 0..120 {
            let before = joints(&batch, id);
            report(&mut batch, id, back * travel, back);
            let moved = farthest(&before, &joints(&batch, id)) / f64::from(travel);
            assert!(moved <= 6.0, "a joint moved {moved} times the travel of {travel} toward {back}, tick {tick}");
            assert_segments(&batch, id, "U-turn");
        }
    }
}

#[test]
fn random_zigzags_within_a_segment_move_no_joint_by_more_than_four_segments_and_seldom_by_much() {
    // Steps of an eighth of a segment that turn at random every few steps: corners follow each other within a segment,
    // which takes back knots several at a time. No snake moves so; nothing may break all the same.
    let mut random = Random(12);
    let (mut batch, id) = reported([0.0; 3]);
    let mut moves = Vec::new();
    for _ in 0..400 {
        let way = random.heading();
        for _ in 0..1 + random.word() % 12 {
            let before = joints(&batch, id);
            report(&mut batch, id, way * 0.06, way);
            moves.push(farthest(&before, &joints(&batch, id)));
            assert_segments(&batch, id, "zigzag");
        }
    }
    moves.sort_by(f64::total_cmp);
    let worst = moves[moves.len() - 1] / segment(&batch, id);
    assert!(worst <= 4.0, "a joint moved {worst} segments in a tick");
    let usual = moves[moves.len() * 98 / 100] / 0.06;
    assert!(usual <= 10.0, "one tick in fifty moves a joint by more than {usual} times the travel");
}

#[test]
fn a_driven_creature_that_turns_on_the_spot_keeps_its_joints_together() {
    for rate in [1.5, 20.0, 1000.0] {
        let (mut batch, id) = driven(2.0);
        batch.set_turn_rate(id, rate).unwrap();
        for tick in 0..400 {
            batch.set_guidance(id, if tick / 60 % 2 == 0 { Vec3::NEG_Z } else { Z }).unwrap();
            let before = joints(&batch, id);
            steps(&mut batch, 1);
            let moved = farthest(&before, &joints(&batch, id)) / (2.0 * f64::from(DT));
            // Turning circles down to nothing, while a segment is half a metre long.
            assert!(moved <= 10.0, "a joint moved {moved} times the travel at {rate} rad/s, tick {tick}");
            assert_segments(&batch, id, "turn on the spot");
        }
    }
}

#[test]
fn a_head_that_backs_away_from_its_path_takes_nothing_back() {
    // It faces across the path and away from it, and goes backward: the body is ahead, but not passed.
    for degrees in [60.0_f32, 100.0, 135.0, 180.0] {
        let (mut batch, id) = reported([0.0; 3]);
        (0..60).for_each(|_| report(&mut batch, id, Vec3::NEG_Z * 0.1, Vec3::NEG_Z));
        let (sin, cos) = degrees.to_radians().sin_cos();
        let facing = Vec3::new(sin, 0.0, -cos);
        let mut popped = 0;
        for tick in 0..40 {
            let before = joints(&batch, id);
            batch.report_actual_displacement(id, facing * -0.05, facing).unwrap();
            let counters = batch.step(DT).unwrap().counters;
            popped += counters.knots_popped;
            let moved = farthest(&before, &joints(&batch, id)) / 0.05;
            assert!(moved <= 6.0, "{degrees}: a joint moved {moved} times the travel, tick {tick}");
            assert_segments(&batch, id, "backing away");
        }
        // Two metres: at 60 degrees half of that along the path, in knots of a quarter of a metre, and the corner.
        let most = if degrees < 90.0 { 8 } else { 2 };
        assert!(popped <= most, "{degrees}: {popped} knots taken back");
    }
}

#[test]
fn backing_up_on_hills_lays_no_two_knots_on_one_point_and_keeps_the_path_on_the_ground() {
    for (seed, hz) in [(2_u64, 30.0), (3, 60.0), (4, 144.0)] {
        let phase = seed as f64;
        let hills = field(129, move |x, z| 0.9 * (0.7 * x + phase).sin() * (0.5 * z - phase).cos());
        let spawn = |p| Spawn::at(p, [64.0, 0.0, 64.0]).driven(-6.0);
        let (mut batch, id) = alone(hills.clone(), case_body(), spawn);
        let mut random = Random(seed);
        for tick in 0..600 {
            if tick % 50 == 0 {
                batch.set_guidance(id, random.heading()).unwrap();
                batch.set_speed(id, if tick % 200 < 150 { -6.0 } else { 4.0 }).unwrap();
            }
            let counters = batch.step(1.0 / hz).unwrap().counters;
            assert!(counters.knots_laid <= 8, "seed {seed}, tick {tick}: {} knots laid", counters.knots_laid);
            assert_segments(&batch, id, "backing up on hills");
        }
        let knots: Vec<DVec3> = batch.knots(id).unwrap().map(|knot| knot.position).collect();
        let spacing = 0.5 / batch.cohorts()[0].shape().knots_per_segment as f64;
        for (i, pair) in knots[1..].windows(2).enumerate() {
            let link = (pair[0] - pair[1]).length();
            assert!(link > 0.2 * spacing, "seed {seed}: knots {i} and the next {link} apart");
        }
        for knot in knots {
            let Some(rests) = hills.rest_under(knot.x, f64::INFINITY, knot.z, 0.2) else { continue };
            let off = knot.y - rests;
            assert!(off.abs() < 0.02, "seed {seed}: a knot {off} off the ground");
        }
    }
}
