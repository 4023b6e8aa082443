//! How a body falls: from rest, under gravity, to the surface and no further.

use crate::support::*;
use glam::{DVec3, Vec3};

const G: f64 = 9.81;

fn hanging(height: f64, scale: f32) -> (SerpentBatch, SerpentId) {
    let s = f64::from(scale);
    let spawn = |p| Spawn::at(p, [0.0, (RADIUS + height) * s, 0.0]).facing(X).scale(scale).motion(Motion::Reported);
    alone(Terrain::flat(0.0), body(0.0, true), spawn)
}

#[test]
fn a_body_held_in_the_air_starts_from_rest_when_it_is_freed() {
    let (mut batch, id) = hanging(2.0, 1.0);
    still(&mut batch, 1);
    batch.set_paused(id, true).unwrap();
    let held = pose_bits(&batch, id);
    still(&mut batch, 60);
    assert!(pose_bits(&batch, id) == held, "it moved while it was paused");
    batch.set_paused(id, false).unwrap();
    // One tick of falling before, then from there on.
    for tick in 2..120 {
        let before = joints(&batch, id);
        still(&mut batch, 1);
        let (now, t) = (joints(&batch, id), f64::from(tick) / 60.0);
        let fastest = before.iter().zip(&now).map(|(a, b)| (a.y - b.y) * 60.0).fold(0.0, f64::max);
        assert!(fastest <= 1.01 * G * t, "{fastest} m/s after {t} s");
        assert!(before.iter().zip(&now).all(|(a, b)| b.y <= a.y + 1e-6), "something rose at tick {tick}");
        let least = gaps(&batch, id).into_iter().fold(f64::MAX, f64::min);
        assert!(least > -1e-3 * RADIUS, "it passed the surface by {least} at tick {tick}");
    }
    let gap = gaps(&batch, id)[16];
    assert!(gap < 1e-3 * RADIUS, "the tail hangs by {gap}");
}

#[test]
fn a_tail_falls_as_a_stone_does() {
    let (mut batch, id) = hanging(2.0, 1.0);
    let start = joints(&batch, id)[16].y;
    for tick in 1..36 {
        still(&mut batch, 1);
        let t = f64::from(tick) / 60.0;
        let (fallen, stone) = (start - joints(&batch, id)[16].y, 0.5 * G * t * t);
        assert!((fallen - stone).abs() < 1e-3, "{fallen} m after {t} s, a stone {stone}");
    }
}

#[test]
fn falling_ends_at_the_greatest_speed() {
    let profile = Profile::builder("slow")
        .length_m(8.0)
        .joints(17)
        .radius_m([(0.0, RADIUS), (1.0, RADIUS)])
        .body_follow(true)
        .terrain_reach_m(50.0)
        .max_fall_speed_m_s(1.5)
        .max_bend_deg(90.0)
        .build()
        .unwrap();
    let (mut batch, id) = reported(Terrain::flat(0.0), profile, [0.0, 8.0, 0.0]);
    let mut fastest = 0.0_f64;
    for _ in 0..120 {
        let before = joints(&batch, id);
        still(&mut batch, 1);
        fastest =
            fastest.max(before.iter().zip(joints(&batch, id)).map(|(a, b)| (a.y - b.y) * 60.0).fold(0.0, f64::max));
    }
    assert!((1.4..1.505).contains(&fastest), "{fastest} m/s");
}

#[test]
fn a_huge_step_neither_buries_nor_flings() {
    let (mut batch, id) = hanging(0.5, 1.0);
    let mut fell = 0.0;
    for dt in [0.016, 2.0, 0.016, 0.016, 0.016] {
        let before = joints(&batch, id);
        fell += f64::from(batch.step(dt).unwrap().dropped_s);
        let now = joints(&batch, id);
        let advanced = f64::from(dt.min(0.25));
        let most = before.iter().zip(&now).map(|(a, b)| a.y - b.y).fold(0.0, f64::max);
        assert!(most <= 55.0 * advanced, "{most} m in one step");
        assert!(before.iter().zip(&now).all(|(a, b)| b.y <= a.y + 1e-6), "an impulse");
        assert!(gaps(&batch, id).iter().all(|gap| *gap > -1e-3 * RADIUS), "buried");
    }
    assert!((fell - 1.75).abs() < 1e-5, "dropped {fell} s");
}

#[test]
fn without_ground_in_reach_nothing_falls() {
    let near = |height: f64| {
        let (mut batch, id) = hanging(height, 1.0);
        let before = joints(&batch, id);
        still(&mut batch, 60);
        farthest(&before, &joints(&batch, id))
    };
    assert!(near(19.0) > 1.0);
    assert_eq!(near(21.0), 0.0, "the reach is 20 m");
    let (mut batch, id) = reported(Terrain::None, body(0.0, true), [0.0, 5.0, 0.0]);
    let before = pose_bits(&batch, id);
    still(&mut batch, 1);
    let first = pose_bits(&batch, id);
    still(&mut batch, 60);
    assert!(pose_bits(&batch, id) == first && (before.is_empty() || before == first), "it fell onto nothing");
}

#[test]
fn a_gap_within_the_activation_distance_stays_and_a_greater_one_closes() {
    let settled = |gap: f64| {
        let profile = Profile::builder("case")
            .length_m(8.0)
            .joints(17)
            .radius_m([(0.0, RADIUS), (1.0, RADIUS)])
            .body_follow(true)
            .activation_m(0.05)
            .build()
            .unwrap();
        let (mut batch, id) = reported(Terrain::flat(0.0), profile, [0.0, RADIUS + gap, 0.0]);
        still(&mut batch, 120);
        gaps(&batch, id)[16]
    };
    assert!((settled(0.049) - 0.049).abs() < 1e-5, "it fell at rest");
    // Once it falls, it goes on to the surface, and does not stop at the activation distance.
    assert!(settled(0.051).abs() < 1e-5, "{} m are left", settled(0.051));
}

/// A body of this species that is reported to stand a little above gentle ground, some seconds later.
fn stands_above(name: &str) -> (SerpentBatch, SerpentId) {
    let profile = Profile::embedded(name).unwrap();
    let length = f64::from(profile.length_m());
    let ground = field(101, move |x, z| 0.3 * (0.25 * x).sin() * (0.2 * z).cos());
    let radius = f64::from(profile.radius_m()[0]);
    let height = ground.sample(0.0, 0.0).unwrap().height_m;
    let lift = 0.5 * radius;
    let (mut batch, id) = reported(ground.clone(), profile, [0.0, height + radius + lift, 0.0]);
    for _ in 0..600 {
        let head = batch.head(id).unwrap();
        let x = head.x + 0.5 * length / 60.0;
        let y = ground.rest_under(x, f64::INFINITY, 0.0, radius as f32).unwrap() + lift;
        batch.report_actual_displacement(id, (DVec3::new(x, y, 0.0) - head).as_vec3(), X).unwrap();
        batch.step(DT).unwrap();
    }
    (batch, id)
}

#[test]
fn a_tapering_body_that_is_held_a_little_above_gentle_ground_settles_onto_it() {
    for name in ["grass-snake", "python"] {
        let (batch, id) = stands_above(name);
        let radii: Vec<f64> = batch.radii(id).unwrap().map(f64::from).collect();
        // The head holds the neck: two segments and a half, and what bends down from there.
        let gaps = gaps(&batch, id);
        let worst = gaps[4..].iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        assert!(worst < 0.05 * radii[0], "{name}: {} of the radius; {gaps:?}", worst / radii[0]);
    }
}

#[test]
fn ground_that_is_taken_away_lets_the_body_fall_and_ground_that_comes_up_does_not_lift_it() {
    let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, RADIUS, 0.0]);
    still(&mut batch, 30);
    let before = joints(&batch, id);
    batch.set_terrain(ledge(-3.0, -0.3));
    still(&mut batch, 60);
    assert!(joints(&batch, id) == before, "the ground lifted it");
    batch.set_terrain(along_x(|x| if x > -3.0 { 0.0 } else { -0.3 }));
    let start = joints(&batch, id);
    still(&mut batch, 1);
    assert!(farthest(&start, &joints(&batch, id)) < 0.01, "it snapped");
    still(&mut batch, 120);
    assert!(gaps(&batch, id)[16].abs() < 1e-3, "the tail hangs by {}", gaps(&batch, id)[16]);
    assert!(joints(&batch, id)[16].y < start[16].y - 0.29);
}

#[test]
fn ground_that_falls_away_under_the_middle_is_not_snapped_to() {
    for (width, depth) in [(3.0, 0.3), (0.3, 3.0), (1.0, 3.0)] {
        let (mut batch, id) = reported(Terrain::flat(0.0), body(0.0, true), [0.0, RADIUS, 0.0]);
        still(&mut batch, 10);
        batch.set_terrain(pit(-4.0 - 0.5 * width, width, depth));
        let (mut before, start) = (joints(&batch, id), joints(&batch, id));
        for tick in 1..=240 {
            still(&mut batch, 1);
            let now = joints(&batch, id);
            let step = farthest(&before, &now);
            assert!(step <= 1.02 * G * f64::from(tick) / 3600.0 + 1e-6, "{step} m at tick {tick}");
            assert!(most(&bends(&now)) <= BEND_DEG + 0.1);
            before = now;
        }
        let sag = start.iter().zip(&before).map(|(a, b)| a.y - b.y).fold(0.0, f64::max);
        // A parabola of the limit's curvature over the width, as deep as it may be: half of it bends down.
        let most = (BEND_DEG.to_radians() / 0.5 * width * width / 8.0).min(depth);
        assert!(sag <= 1.1 * most + 0.02, "{width} m wide, {depth} m deep: sags by {sag}, of {most}");
        assert!(width < 1.0 || sag > 0.02, "{width} m wide, {depth} m deep: sags by {sag}");
    }
}

#[test]
fn corrections_over_a_crest_do_not_alternate() {
    let crest = along_x(|x| -0.05 * (x + 4.0) * (x + 4.0));
    let (mut batch, id) = reported(crest, body(0.0, true), [0.0, 0.5, 0.0]);
    still(&mut batch, 1);
    let mut way = [0.0_f64; 17];
    for tick in 0..600 {
        let before = joints(&batch, id);
        still(&mut batch, 1);
        for (i, (a, b)) in before.iter().zip(joints(&batch, id)).enumerate() {
            let moved = b.y - a.y;
            assert!(moved * way[i] >= -(0.01 * RADIUS) * way[i].abs(), "joint {i} turns back at tick {tick}");
            if moved.abs() > 0.01 * RADIUS {
                way[i] = moved.signum();
            }
        }
    }
}

fn at_rate(hz: usize, origin: f64, scale: f32, seconds: f64) -> Vec<DVec3> {
    let s = f64::from(scale);
    let spawn = |p| Spawn::at(p, [origin, 1.2 * s, origin]).facing(X).scale(scale).motion(Motion::Reported);
    let (mut batch, id) = alone(Terrain::flat(0.0), body(0.0, true), spawn);
    for _ in 0..(seconds * hz as f64).round() as usize {
        let step = Vec3::X * (1.07 * scale / hz as f32);
        batch.report_actual_displacement(id, step, X).unwrap();
        batch.step(1.0 / hz as f32).unwrap();
    }
    shape(&batch, id)
}

#[test]
fn rates_agree_while_a_body_falls_and_after() {
    for seconds in [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 12.0, 25.0].map(|sixths| sixths / 6.0) {
        let reference = at_rate(240, 0.0, 1.0, seconds);
        for hz in [30, 60, 144] {
            let off = farthest(&reference, &at_rate(hz, 0.0, 1.0, seconds));
            println!("{hz} Hz after {seconds} s: off by {:.2} % of the diameter", off / (2.0 * RADIUS) * 100.0);
            assert!(off <= 0.05 * 2.0 * RADIUS, "{hz} Hz after {seconds} s: off by {off}");
        }
    }
}

#[test]
fn a_body_falls_at_100_km_as_at_0() {
    for seconds in [0.3, 2.0] {
        let off = farthest(&at_rate(60, 0.0, 1.0, seconds), &at_rate(60, 100_000.0, 1.0, seconds));
        assert!(off <= 1e-4, "{off} m after {seconds} s");
    }
}

#[test]
fn bodies_of_all_sizes_fall_at_all_rates() {
    for scale in [0.05, 1.0, 20.0] {
        for hz in [30.0, 240.0, 1000.0] {
            let (mut batch, id) = hanging(0.5, scale);
            let start = joints(&batch, id)[16].y;
            let seconds = 0.1 * f64::from(scale).sqrt();
            (0..(seconds * f64::from(hz)).round() as usize).for_each(|_| drop(batch.step(1.0 / hz).unwrap()));
            let ticks = (seconds * f64::from(hz)).round();
            let t = ticks / f64::from(hz);
            let (fallen, stone) = (start - joints(&batch, id)[16].y, 0.5 * G * t * t);
            assert!(
                (fallen - stone).abs() < 0.01 * stone + 1e-4 * f64::from(scale),
                "x {scale}, {hz} Hz: {fallen}, {stone}"
            );
        }
    }
}
