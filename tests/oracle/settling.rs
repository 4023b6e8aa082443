//! Random bodies over random ground: what falls by itself falls as its twin, nothing falls faster or is pulled up, and no
//! bend passes the limit.

use crate::support::{Case, Ground, Random, Shot, cases};
use glam::DVec3;
use proptest::prelude::*;
use serpentarium::batch::flag;
use serpentarium::reference::settle::{Fall, Law, bend, fall_alone, gap};
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Settings, Spawn};

const LIMIT_DEG: f64 = 20.0;

fn profile(case: &Case) -> Profile {
    Profile::builder("case")
        .length_m(case.length)
        .joints(case.joints.max(6))
        .radius_m([(0.0, 0.01 * case.length), (1.0, 0.01 * case.length)])
        .steering_amplitude_deg(case.amplitude_deg.min(30.0))
        .steering_cycles(case.cycles.min(1.5))
        .body_follow(true)
        .terrain_reach_m(3.0 * case.length)
        .max_bend_deg(LIMIT_DEG)
        .build()
        .unwrap()
}

/// What settling keeps of the knots, newest first: gap (None without ground, or before it was asked for) and fall.
fn falls(batch: &SerpentBatch, id: SerpentId) -> Vec<(Option<f64>, Fall)> {
    let (cohort, slot) = batch.slot(id).unwrap();
    let cohort = &batch.cohorts()[cohort];
    let (shape, cursor) = (cohort.shape(), cohort.blocks()[slot / 8].cursor[slot % 8]);
    let row = |back| cohort.falls()[slot * shape.falls + shape.ring(cursor, back)].map(f64::from);
    let read = |[gap, drop, velocity, _]: [f64; 4]| (Some(gap).filter(|gap| gap.abs() < 1e30), Fall { drop, velocity });
    (0..shape.knots as u32).map(row).map(read).collect()
}

fn run(case: &Case) {
    let profile = profile(case);
    let settings = Settings { parallel: false, ..Settings::default() };
    let ground = if case.ground == Ground::None { Ground::Field } else { case.ground };
    let terrain = ground.terrain(case.body(), case.seed ^ 77);
    let mut batch = SerpentBatch::with_settings(terrain, settings).unwrap();
    let species = batch.add_profile(profile.clone());
    let mut random = Random(case.seed);
    let top = batch.terrain().sample(0.0, 0.0).unwrap().height_m;
    let at = [0.0, top + random.range(0.1, 1.5) * case.body(), 0.0];
    let facing = random.direction(0.0).as_vec3();
    let spawn = Spawn::at(species, at).facing(facing).scale(case.scale).quality(case.quality);
    let id = batch.spawn(spawn.motion(Motion::Reported)).unwrap();
    let dt = 1.0 / case.hz;
    for tick in 0..90 {
        if tick % 30 == 0 {
            let target = random.direction(0.3);
            batch.set_guidance(id, target.as_vec3()).unwrap();
        }
        let before = falls(&batch, id);
        batch.begin(dt).unwrap();
        let heading = batch.headings(id).unwrap().effective;
        let pace = if tick < 20 { 0.0 } else { 0.5 * case.body() * f64::from(dt) };
        batch.report_actual_displacement(id, heading * pace as f32, heading).unwrap();
        let counters = batch.finish().unwrap().counters;
        if counters.knots_popped == 0 && tick > 0 {
            check(&batch, id, &profile, &before, counters.knots_laid as usize, f64::from(dt));
        }
    }
}

fn check(batch: &SerpentBatch, id: SerpentId, profile: &Profile, before: &[(Option<f64>, Fall)], laid: usize, dt: f64) {
    let (shot, after) = (Shot::of(batch, id), falls(batch, id));
    let (k, scale, ground) = (shot.per_segment, shot.scalar(&shot.state.scale), profile.ground());
    let law = Law {
        gravity: f64::from(ground.gravity_m_s2),
        max_speed: f64::from(ground.max_fall_speed_m_s),
        activation: f64::from(ground.activation_m) * scale,
    };
    let radius = f64::from(profile.radius_m()[0]) * scale;
    let body = (profile.joints() - 1) * k;
    let grain = 4.0 * shot.grain() + 1e-5 * radius;
    let sunk: Vec<DVec3> = shot.knots.iter().map(|knot| knot.at).collect();
    let up = |i: usize| sunk[i] + DVec3::Y * after[i].1.drop;
    let path: Vec<DVec3> = (0..sunk.len()).map(up).collect();
    let mut alone = path.clone();
    let mut all_fall = true;
    // A segment behind the tail falls along, and may hold it.
    let end = body + k - laid;
    for i in laid + 1..end {
        let (Some(gap_before), from) = before[i - laid] else { return };
        let twin = fall_alone(gap_before, from, &law, dt);
        let drop = after[i].1.drop;
        assert!(drop <= twin.drop + grain, "settle: knot {i} fell to {drop}, its twin {}", twin.drop);
        assert!(drop >= from.drop.min(gap_before.max(0.0)) - grain, "settle: knot {i} was pulled up");
        alone[i].y -= if i > 2 * k + 2 { twin.drop } else { 0.0 };
        all_fall &= after[i].0.is_some();
        // Ground is asked for from where the knot was laid; at an edge of the field's triangles rounding may choose.
        if let Some(found) = gap(batch.terrain(), path[i], radius, f64::from(ground.reach_m) * scale) {
            assert!(
                (found - gap_before).abs() <= 1e-3 * radius + 1e-5 * found.abs() + grain,
                "settle: gap {gap_before}, {found}"
            );
        }
    }
    let limit = LIMIT_DEG.to_radians();
    let mut most = 0.0_f64;
    for i in k + 1..end - k {
        let (laid, sunk) = (bend(&path, i, k), bend(&sunk, i, k));
        let allowed = laid.max(limit) + 0.1_f64.to_radians();
        assert!(
            sunk <= allowed,
            "settle: bends by {} at knot {i}, allowed {}",
            sunk.to_degrees(),
            allowed.to_degrees()
        );
        most = most.max(0.2 * laid);
    }
    // Between links, each of which has its share of the limit.
    for i in 2..end - 1 {
        most = most.max(bend(&alone, i, 1) * k as f64 * 0.3);
    }
    // What bends little when all behind the neck falls by itself is held by nothing.
    let level = path.windows(2).all(|pair| (pair[0].y - pair[1].y).abs() < 0.3 * (pair[0] - pair[1]).length());
    if all_fall && level && most < 0.1 * limit && shot.has(flag::HANGS) {
        for i in laid.max(2 * k + 2) + 1..body {
            let (Some(gap), from) = before[i - laid] else { return };
            let twin = fall_alone(gap, from, &law, dt);
            assert!((after[i].1.drop - twin.drop).abs() <= grain, "settle: knot {i}: {:?}, twin {twin:?}", after[i]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, max_shrink_iters: 40, rng_seed: crate::seed(), ..ProptestConfig::default() })]

    #[test]
    fn bodies_settle_as_their_twins(case in cases()) {
        run(&case);
    }
}
