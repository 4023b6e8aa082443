//! Random creatures, tick by tick: what each stage makes of its inputs against what its twin makes of the same.

use crate::support::{Case, Ground, Random, Shot, cases, distance_to};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use serpentarium::batch::flag;
use serpentarium::constants::{CORNER_COSINE, TWIST_PER_DIAMETER_RAD};
use serpentarium::reference::{angle, body, bound, command, frame, guidance, pose, record, travel, undulate};
use serpentarium::{ForwardAxis, Motion, Profile, SerpentBatch, SerpentId, Settings, Spawn, Terrain};
use std::f64::consts::PI;

/// Links that the twin integrates a tick in.
const STEPS: usize = 192;
const TURN: f64 = 4_294_967_296.0;
const AXES: [ForwardAxis; 3] = [ForwardAxis::NegZ, ForwardAxis::PosZ, ForwardAxis::PosX];

/// One creature under test.
struct Rig {
    batch: SerpentBatch,
    id: SerpentId,
    profile: Profile,
    terrain: Terrain,
    motion: Motion,
    axis: ForwardAxis,
    origin: DVec3,
    dt: f32,
    inputs: [pose::HeadInput; 2],
}

/// A tick's shots and what was reported in it.
struct Tick {
    before: Shot,
    mid: Shot,
    after: Shot,
    target: DVec3,
    moved: DVec3,
    forward: DVec3,
    popped: u64,
    laid: u64,
    resampled: bool,
}

fn rig(case: &Case, motion: Motion) -> Rig {
    let mut random = Random(case.seed);
    let axis = AXES[(random.unit() * 3.0) as usize];
    let origin = DVec3::new(random.range(-9.0, 9.0), 1.0, random.range(-9.0, 9.0));
    let settings = Settings { forward_axis: axis, pose_origin: origin.into(), parallel: false, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(case.terrain(), settings).unwrap();
    let profile = case.profile();
    let species = batch.add_profile(profile.clone());
    let spawn = Spawn::at(species, [0.31, 0.5, -0.17]).facing(random.direction(0.5).as_vec3());
    let id = batch.spawn(spawn.scale(case.scale).quality(case.quality).motion(motion)).unwrap();
    let mut rig = Rig {
        batch,
        id,
        profile,
        terrain: case.terrain(),
        motion,
        axis,
        origin,
        dt: 1.0 / case.hz,
        inputs: Default::default(),
    };
    rig.look(&mut random);
    rig
}

impl Rig {
    /// Random gazes and jaws.
    fn look(&mut self, random: &mut Random) {
        for head in 0..2 {
            let [jaw, yaw, pitch] =
                [random.range(0.0, 0.7), random.range(-1.0, 1.0), random.range(-1.0, 1.0)].map(|x| x as f32);
            self.batch.set_jaw(self.id, head, jaw).unwrap();
            self.batch.set_gaze(self.id, head, yaw, pitch).unwrap();
            let [jaw, gaze_yaw, gaze_pitch] = [jaw, yaw, pitch].map(f64::from);
            self.inputs[head] = pose::HeadInput { jaw, gaze_yaw, gaze_pitch };
        }
    }

    /// A tick toward `target`; `report` gives the displacement and forward for the headings after `begin`.
    fn tick(&mut self, target: DVec3, report: impl FnOnce(&Shot) -> Option<(DVec3, DVec3)>) -> Tick {
        let before = Shot::of(&self.batch, self.id);
        self.batch.set_guidance(self.id, target.as_vec3()).unwrap();
        self.batch.begin(self.dt).unwrap();
        let mid = Shot::of(&self.batch, self.id);
        let (mut moved, mut forward) = (DVec3::ZERO, mid.vector(&mid.state.effective));
        if let Some(report) = report(&mid) {
            let [m, f] = [report.0.as_vec3(), report.1.as_vec3()];
            self.batch.report_actual_displacement(self.id, m, f).unwrap();
            (moved, forward) = (m.as_dvec3(), f.as_dvec3());
        }
        let counters = self.batch.finish().unwrap().counters;
        let (popped, laid) = (counters.knots_popped, counters.knots_laid);
        let after = Shot::of(&self.batch, self.id);
        let resampled = after.state.history_scale[mid.lane] != mid.state.history_scale[mid.lane];
        Tick { before, mid, after, target: target.normalize(), moved, forward, popped, laid, resampled }
    }

    fn check(&self, tick: &Tick) {
        self.check_command(tick);
        self.check_guidance(tick);
        let way = self.check_travel(tick);
        // Growing lifts the knots of a creature on the ground, before they can be read.
        let grows = tick.mid.state.scale[tick.mid.lane] != tick.after.state.scale[tick.after.lane];
        if way.len() > 1 && !(grows && (tick.resampled || tick.mid.has(flag::GROUNDED))) {
            self.check_record(tick, &way);
        }
        self.check_body(&tick.after);
        self.check_bound(&tick.after);
        self.check_poses(&tick.after);
    }

    fn check_command(&self, Tick { before, after, .. }: &Tick) {
        let target = before.scalar(&before.state.target_scale);
        let wanted = command::grow(before.scalar(&before.state.scale), target, f64::from(self.dt));
        let scale = after.scalar(&after.state.scale);
        assert!((scale - wanted).abs() <= 1e-6 * wanted, "command: scale {scale}, twin {wanted}");
    }

    fn check_guidance(&self, Tick { before, mid, target, .. }: &Tick) {
        let steering = guidance::Steering {
            center: before.vector(&before.state.center),
            target: *target,
            axis: before.axis(),
            grounded: before.has(flag::GROUNDED),
            guided: before.has(flag::GUIDED),
            limit: before.scalar(&before.state.turn_rate) * f64::from(self.dt),
            amplitude: before.scalar(&before.state.amplitude),
            phase: before.phase(),
        };
        let twin = guidance::turn_headings(&steering);
        let left = angle(twin.before, twin.center) - steering.limit;
        // A cosine in f32 cannot tell angles closer than 3.5e-4 apart; straight back, the axis is ill-conditioned.
        let blurred = steering.guided && left.abs() < 1e-6 && angle(twin.center, *target) < 5e-4;
        let opposite = angle(twin.before, *target) > PI - 0.02 || before.axis().dot(*target).abs() > 0.995;
        let tolerance = if blurred { 6e-4 } else { 2e-5 };
        let off = angle(mid.vector(&mid.state.center), twin.center);
        assert!(opposite || off <= tolerance, "guidance: centre off by {off} rad");
        let off = angle(mid.vector(&mid.state.effective), twin.effective);
        assert!(opposite || off <= tolerance, "guidance: effective off by {off} rad");
    }

    /// Returns the head's way, in the frame of the path before.
    fn check_travel(&self, tick: &Tick) -> Vec<DVec3> {
        let Tick { before: _, mid, after, moved, forward, .. } = tick;
        let driven = matches!(self.motion, Motion::Driven | Motion::Preview);
        let length = after.scalar(&after.state.length);
        let speed = mid.scalar(&mid.state.speed);
        let (way, distance) = if driven {
            let distance = speed * f64::from(self.dt);
            (self.drive(mid, after, distance).way(STEPS), distance)
        } else {
            let settles = mid.has(flag::FRESH) && travel::settles(*moved, *forward);
            let distance = if settles { 0.0 } else { travel::longitudinal(*moved, *forward, mid.normal()) };
            (vec![mid.head, mid.head + *moved], distance)
        };
        let end = way[way.len() - 1];
        let end = if self.motion == Motion::Preview { mid.head } else { end };
        let turn = angle(mid.vector(&mid.state.center_before), mid.vector(&mid.state.center));
        // Simpson's rule over the kink where the turn ends.
        let kink = if driven { 0.1 * turn * distance.abs() } else { 0.0 };
        // On hills a piece takes the mean of two slopes, the twin two hundred; growing lifts a head off its slope.
        let hills = if matches!(self.terrain, Terrain::Heightfield(_)) { 0.02 * distance.abs() } else { 0.0 };
        let grown = (after.scalar(&after.state.scale) - mid.scalar(&mid.state.scale)).abs();
        let lifted = 1.5 * grown * f64::from(self.profile.radius_m()[0]);
        let tolerance = 5e-4 * distance.abs() + kink + hills + lifted + mid.grain() + 1e-6 * moved.length();
        let off = (after.head - end).length();
        let dorsal = mid.axis().dot(mid.vector(&mid.state.center));
        if driven && (turn > 0.35 || dorsal.abs() > 0.99) {
            // Quick turns are tests of their own in `special`; along the dorsal the yaw has no axis.
            return Vec::new();
        }
        let allowed = format!("allowed {tolerance}, distance {distance}, turn {turn}, cosine to dorsal {dorsal}");
        assert!(off <= tolerance, "travel: head off by {off}, {allowed}");
        // Where the forward direction all but points into the ground, its part in the plane is noise.
        let steep = |normal: DVec3| serpentarium::reference::reject(*forward, normal).length() < 0.05;
        if driven || !mid.normal().is_some_and(steep) {
            self.check_phases(mid, after, distance, length, moved.length());
        }
        way
    }

    fn drive(&self, mid: &Shot, after: &Shot, distance: f64) -> travel::Drive<'_> {
        let follows = self.motion == Motion::Driven && mid.has(flag::FOLLOWS);
        travel::Drive {
            start: mid.head,
            // Without head guidance there is no turn to take time.
            from: mid.vector(if mid.has(flag::GUIDED) { &mid.state.center_before } else { &mid.state.center }),
            to: mid.vector(&mid.state.center),
            turn_share: travel::turn_share(
                mid.vector(&mid.state.center_before),
                mid.vector(&mid.state.center),
                mid.scalar(&mid.state.turn_rate) * f64::from(self.dt),
            ),
            axis: mid.axis(),
            grounded: mid.has(flag::GROUNDED),
            amplitude: if mid.has(flag::GUIDED) { mid.scalar(&mid.state.amplitude) } else { 0.0 },
            phase: mid.phase(),
            distance,
            turns_per_m: f64::from(self.profile.steering_cycles()) / after.scalar(&after.state.length),
            terrain: follows.then_some(&self.terrain),
            radius: f64::from(self.profile.radius_m()[0]) * after.scalar(&after.state.scale),
        }
    }

    fn check_phases(&self, mid: &Shot, after: &Shot, distance: f64, length: f64, moved: f64) {
        let profile = &self.profile;
        let phases = [
            (mid.state.phase, after.state.phase, profile.steering_cycles()),
            (mid.state.wave_phase, after.state.wave_phase, profile.wave_cycles()),
        ];
        for (from, to, cycles) in phases {
            let advanced = f64::from(to[mid.lane].wrapping_sub(from[mid.lane]) as i32);
            let wanted = distance * f64::from(cycles) / length * TURN;
            let off = (advanced - wanted).abs();
            // Of a mostly lateral displacement the share along the heading is a small difference in f32.
            let tolerance = 2.0 + 2e-6 * wanted.abs() + 1e-6 * moved * f64::from(cycles) / length * TURN;
            assert!(off <= tolerance, "travel: phase {advanced}, twin {wanted} (2^-32 turns)");
        }
    }

    fn check_record(&self, tick: &Tick, way: &[DVec3]) {
        let Tick { mid, after, moved, forward, popped, .. } = tick;
        let on_ground = self.motion == Motion::Driven && after.has(flag::GROUNDED);
        let floor = record::Floor {
            terrain: on_ground.then_some(&self.terrain),
            radius: f64::from(self.profile.radius_m()[0]) * after.scalar(&after.state.scale),
            normal: after.normal(),
        };
        let mut path = mid.path(&self.profile);
        path.diameter = 2.0 * floor.radius;
        let backs = after.scalar(&after.state.travelled) < 0.0;
        let end = way[way.len() - 1];
        let reported = !matches!(self.motion, Motion::Driven | Motion::Preview);
        // With several pieces it depends on where they end which knots are taken back.
        if *popped > 0 && !reported {
            return;
        }
        if backs && reported {
            path.facing = Some(*forward);
        }
        if reported && mid.has(flag::FRESH) && travel::settles(*moved, *forward) {
            path.shift(*moved);
        } else if (end - way[0]).length() > 0.0 {
            path.follow(way, &floor);
        }
        if self.motion == Motion::Preview {
            path.shift(mid.head - end);
        }
        // Across the way knots lie closer than along it: they are on it.
        let laid = after.state.cursor[after.lane].wrapping_sub(mid.state.cursor[mid.lane]) as i32;
        let hills = if matches!(self.terrain, Terrain::Heightfield(_)) { 2.0 } else { 0.0 };
        // Several knots in a tick: where the first lies decides where all do, along the way. Across it they are held below.
        if laid <= 2 {
            // Backing up leaves corners, across which a dorsal turns by as much as the links' directions differ.
            let (corners, slack) = if backs { (2.5, 0.05) } else { (0.0, 0.03) };
            compare_paths(&path, after, tick.laid as f64, hills + corners, slack);
        }
        let shift = if self.motion == Motion::Preview { end - mid.head } else { DVec3::ZERO };
        let laid = if *popped == 0 && after.scalar(&after.state.travelled) >= 0.0 { laid as usize } else { 0 };
        for knot in after.knots.iter().skip(1).take(laid) {
            let off = distance_to(way, knot.at + shift);
            // Contract 3: within 0.02 of a segment. A turn that ends inside a piece of the way takes half of that.
            let tolerance = 0.02 * after.segment() + 2.0 * after.grain();
            assert!(off <= tolerance, "record: a knot is {off} from the way, segment {}", after.segment());
        }
    }

    fn check_body(&self, after: &Shot) {
        // Tests of their own in `special`: backing up beside the path, growth, folds.
        if after.has_long_link() || after.has_grown() || after.has_fold() {
            return;
        }
        let scale = after.scalar(&after.state.scale);
        let radii = self.profile.radius_m();
        let offsets: Vec<f64> = radii.iter().map(|radius| f64::from(radius - radii[0]) * scale).collect();
        let mut path = vec![record::Knot { at: after.head, dorsal: after.vector(&after.state.dorsal) }];
        path.extend(&after.knots);
        // Where it hangs by a hair whether two knots make a corner.
        let hair = |pair: &[record::Knot]| (pair[0].dorsal.dot(pair[1].dorsal) - f64::from(CORNER_COSINE)).abs() < 1e-3;
        let unsure = path.windows(2).any(hair);
        let mut twin = body::march_joints(&path, &offsets, after.segment());
        let dorsals: Vec<DVec3> = twin.iter().map(|joint| joint.dorsal).collect();
        twin.iter_mut().zip(&after.joints).for_each(|(twin, joint)| twin.dorsal = joint.dorsal);
        undulate::add_wave(&mut twin, &self.profile, after.wave_phase(), after.segment());
        if stretched(&path, &offsets, after) {
            return;
        }
        let tolerance = 1e-3 * after.segment() + 2.0 * after.grain();
        for (i, (joint, twin)) in after.joints.iter().zip(&twin).enumerate() {
            let off = (joint.at - twin.at).length();
            assert!(
                off <= tolerance,
                "body: joint {i} off by {off}, allowed {tolerance}, segment {}, {}",
                after.segment(),
                after.describe()
            );
            // As vectors, since between two opposite knots there is no direction left; a shift along a link shifts it too.
            let (turn, spacing) = ((joint.dorsal - dorsals[i]).length(), after.scalar(&after.state.spacing));
            let allowed = 0.004 + 2.5 * (off + after.grain()) / spacing;
            assert!(
                unsure || turn <= allowed,
                "body: dorsal {i} off by {turn}, allowed {allowed}, {}",
                after.describe()
            );
        }
    }

    fn check_bound(&self, after: &Shot) {
        let joints: Vec<DVec3> = after.joints.iter().map(|joint| joint.at).collect();
        let twin = bound::box_body(&joints, &self.profile, after.scalar(&after.state.scale));
        let bounds = self.batch.bounds(self.id).unwrap();
        let off = (bounds.min - twin.min).abs().max((bounds.max - twin.max).abs()).max_element();
        assert!(off <= after.grain(), "bound: off by {off}");
    }

    fn check_poses(&self, after: &Shot) {
        let frames = frame::turn_bones(&after.joints);
        let sine = |(joint, frame): (&body::Joint, &frame::Frame)| {
            serpentarium::reference::reject(joint.dorsal, frame.forward).length_squared()
        };
        if after.joints.iter().zip(&frames).any(|pair| (sine(pair) - frame::NEAR).abs() < 1e-4) {
            return;
        }
        let scale = after.scalar(&after.state.scale);
        let mut rows: Vec<_> = frames.iter().zip(&after.joints).map(|(frame, joint)| (*frame, joint.at)).collect();
        let guiding =
            pose::guiding(&frames[0], after.vector(&after.state.effective), after.vector(&after.state.dorsal));
        for (index, head) in self.profile.heads().iter().enumerate() {
            let front = if index == 0 { guiding } else { frames[0] };
            rows.extend(pose::head(&front, after.joints[0].at, head, scale, index == 0, &self.inputs[index]));
        }
        let poses = &self.batch.poses()[self.batch.pose_rows(self.id).unwrap()];
        assert_eq!(poses.len(), rows.len());
        for (i, ((frame, at), pose)) in rows.iter().zip(poses).enumerate() {
            compare_row(i, pose::row(frame, *at - self.origin, self.axis), pose, after.grain());
        }
    }
}

fn compare_row(i: usize, twin: glam::DMat4, pose: &serpentarium::Pose, grain: f64) {
    for axis in 0..3 {
        let off = (pose.axis(axis).as_dvec3() - twin.col(axis).truncate()).length();
        assert!(off <= 5e-4, "pose: row {i}, axis {axis} off by {off}");
    }
    let at = twin.col(3).truncate();
    let off = (pose.position().as_dvec3() - at).length();
    assert!(off <= grain + 1e-6 * at.length(), "pose: row {i} off by {off}");
}

/// Whether taper with bend or twist makes links of the offset curve longer than the path's. The march skips too far
/// then: `a_thick_middle_follows_its_offset_curve_over_a_crest` in `special`.
fn stretched(path: &[record::Knot], offsets: &[f64], after: &Shot) -> bool {
    let most = offsets.iter().fold(0.0, |most: f64, offset| most.max(offset.abs()));
    path.windows(2).any(|pair| (pair[0].dorsal - pair[1].dorsal).length() * most > 2e-3 * after.segment())
}

/// Positions within so many segments; dorsals within a degree, two more on hills, and 0.3 for each knot laid: the stage takes the
/// limit for its own tangent.
fn compare_paths(path: &record::Path, after: &Shot, laid: f64, hills: f64, slack: f64) {
    let tolerance = slack * after.segment() + 2.0 * after.grain();
    let count = path.knots.len() - 1;
    // A knot that one of the two laid just before the tick's end, and the other will lay in the next.
    let left = [&path.knots[..], &after.knots[..]].map(|knots| (knots[0].at - knots[1].at).length() / path.spacing);
    // Where the way leaves the newest knot's sphere at a slant, a little sideways is far along.
    let out = |pair: &[record::Knot]| (pair[0].at - pair[1].at).normalize_or_zero();
    let slant = path.knots[..4].windows(3).any(|knots| out(&knots[..2]).dot(out(&knots[1..])) < 0.7);
    if slant || left.iter().any(|left| !(0.03..0.97).contains(left)) {
        return;
    }
    // The limit on the twist is meant for knots closer than a diameter or two; for thin bodies it is no small angle.
    let thin = f64::from(TWIST_PER_DIAMETER_RAD) * path.spacing > 0.2 * path.diameter;
    for (i, (knot, twin)) in after.knots.iter().zip(&path.knots).enumerate().take(count) {
        let off = (knot.at - twin.at).length();
        assert!(
            off <= tolerance,
            "record: knot {i} off by {off}, allowed {tolerance}, spacing {}, {}",
            path.spacing,
            after.describe()
        );
        // Of a short link the direction is coarse, and so is the dorsal across it.
        let short = i == 0 && (left[1] < 0.25 || after.state.travelled[after.lane] < 0.0);
        let allowed = hills + 1.0 + 0.3 * laid;
        let off = angle(knot.dorsal, twin.dorsal).to_degrees();
        assert!(thin || short || off <= allowed, "record: dorsal {i} off by {off} degrees, {}", after.describe());
    }
}

/// Ticks of a driven or previewed creature whose guidance and speed change now and then.
fn run_driven(case: &Case, motion: Motion, ticks: usize) {
    let mut rig = rig(case, motion);
    let mut random = Random(case.seed ^ 1);
    let steepest = if case.ground == Ground::None { 1.2 } else { 0.3 };
    let unit = if motion == Motion::Preview { 1.0 } else { case.body() };
    let (mut goal, mut target) = (random.direction(steepest), rig.batch.headings(rig.id).unwrap().center.as_dvec3());
    for tick in 0..ticks {
        if tick % 20 == 0 {
            goal = random.direction(steepest);
            let speed = random.range(-0.4, 2.0) * unit;
            rig.batch.set_speed(rig.id, speed as f32).unwrap();
        }
        // Without a guide nothing limits the turn but the caller.
        target = if case.guided { goal } else { guidance::turn_toward(target, goal, DVec3::Y, 0.2) };
        if tick == ticks / 2 && case.grows {
            rig.batch.set_scale(rig.id, case.scale * 1.4).unwrap();
        }
        let tick = rig.tick(target, |_| None);
        rig.check(&tick);
    }
}

/// Ticks of a reported creature: mostly forward along the heading, sometimes sideways, back, or not at all.
fn run_reported(case: &Case, ticks: usize) {
    let mut rig = rig(case, Motion::Reported);
    let mut random = Random(case.seed ^ 2);
    let mut target = random.direction(1.3);
    let step = case.body() * f64::from(rig.dt);
    let mut kind = 0.0;
    for tick in 0..ticks {
        if tick % 12 == 0 {
            (target, kind) = (random.direction(1.3), if tick == 0 { 0.65 } else { random.unit() });
        }
        let pace = random.range(0.2, 2.0) * step;
        let tick = rig.tick(target, |mid| {
            let forward = mid.vector(&mid.state.effective);
            let side = forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
            let moved = match kind {
                k if k < 0.6 => forward * pace,
                k if k < 0.7 => side * pace,
                k if k < 0.8 => -forward * pace,
                k if k < 0.9 => (forward + side * 0.3) * pace,
                _ => DVec3::ZERO,
            };
            Some((moved, forward))
        });
        rig.check(&tick);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, max_shrink_iters: 60, rng_seed: crate::seed(), ..ProptestConfig::default() })]

    #[test]
    fn driven_creatures_do_as_their_twins(case in cases()) {
        run_driven(&case, Motion::Driven, 80);
    }

    #[test]
    fn previewed_creatures_do_as_their_twins(case in cases()) {
        run_driven(&case, Motion::Preview, 60);
    }

    #[test]
    fn reported_creatures_do_as_their_twins(case in cases()) {
        run_reported(&case, 96);
    }

    #[test]
    fn opposite_targets_turn_left(case in cases()) {
        let mut rig = rig(&case, Motion::Driven);
        let facing = rig.batch.headings(rig.id).unwrap().center;
        let up = Shot::of(&rig.batch, rig.id).state.dorsal;
        let tick = rig.tick(-facing.as_dvec3(), |_| None);
        let left = Vec3::new(up[0][0], up[1][0], up[2][0]).cross(facing);
        let turned = tick.mid.vector(&tick.mid.state.center).as_vec3();
        let sine = (f64::from(rig.profile.max_turn_speed_rad_s()) * f64::from(rig.dt)).sin() as f32;
        prop_assert!(!case.guided || (turned.dot(left) - sine).abs() < 1e-5, "{turned:?} {left:?} {sine}");
    }
}
