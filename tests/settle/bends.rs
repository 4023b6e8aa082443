//! Gravity adds no bend beyond the limit.

use crate::support::*;
use glam::{DVec3, Vec3};

/// Degrees by which a joint may bend more than it may.
const TOLERANCE_DEG: f64 = 0.1;

/// One creature twice, settling and not, moved by the same reports.
struct Twins {
    batch: [SerpentBatch; 2],
    id: [SerpentId; 2],
    worst: f64,
    sunk: f64,
}

impl Twins {
    fn new(terrain: &Terrain, at: [f64; 3], facing: Vec3, amplitude_deg: f64, quality: Quality) -> Self {
        let one = |follows| {
            let spawn = |p| Spawn::at(p, at).facing(facing).quality(quality).motion(Motion::Reported);
            alone(terrain.clone(), body(amplitude_deg, follows), spawn)
        };
        let ([a, b], [i, j]) = {
            let ((a, i), (b, j)) = (one(true), one(false));
            ([a, b], [i, j])
        };
        Self { batch: [a, b], id: [i, j], worst: f64::MIN, sunk: 0.0 }
    }

    fn tick(&mut self, target: Vec3, report: impl Fn(DVec3, Vec3) -> DVec3) {
        for (batch, &id) in self.batch.iter_mut().zip(&self.id) {
            batch.set_guidance(id, target).unwrap();
            batch.begin(DT).unwrap();
            let heading = batch.headings(id).unwrap().effective;
            let moved = report(batch.head(id).unwrap(), heading).as_vec3();
            batch.report_actual_displacement(id, moved, heading).unwrap();
            batch.finish().unwrap();
        }
        let [settled, twin] = [0, 1].map(|i| joints(&self.batch[i], self.id[i]));
        assert_segments(&self.batch[0], self.id[0], "settling");
        let excess = excess_bend(&settled, &knots(&self.batch[1], self.id[1]), BEND_DEG);
        self.worst = self.worst.max(excess);
        let sunk = settled.iter().zip(&twin).map(|(a, b)| b.y - a.y).fold(0.0, f64::max);
        self.sunk = self.sunk.max(sunk);
        assert!(settled[0] == twin[0], "the head is the caller's");
    }

    fn check(&self, what: &str, least_sunk: f64) {
        println!("{what}: {:.3} degrees over what it may, sank {:.3} m", self.worst, self.sunk);
        assert!(self.worst <= TOLERANCE_DEG, "{what}: {} degrees over what it may", self.worst);
        assert!(self.sunk >= least_sunk, "{what}: sank by {} m only", self.sunk);
    }
}

const TIERS: [Quality; 3] = [Quality::Low, Quality::Medium, Quality::High];

/// Runs ticks of a head that goes on level along its heading, with every gait and tier.
fn level(what: &str, terrain: &Terrain, at: [f64; 3], speed: f64, ticks: usize, least: f64) {
    for amplitude in [0.0, 32.0] {
        for quality in TIERS {
            let mut twins = Twins::new(terrain, at, X, amplitude, quality);
            for _ in 0..ticks {
                twins.tick(X, |_, heading| DVec3::new(f64::from(heading.x), 0.0, f64::from(heading.z)) * speed / 60.0);
            }
            twins.check(&format!("{what}, {amplitude} degrees, {quality:?}"), least);
        }
    }
}

/// The same of a head that falls, too, and stands on the ground.
fn walk(what: &str, terrain: &Terrain, at: [f64; 3], speed: f64, ticks: usize, least: f64) {
    for amplitude in [0.0, 32.0] {
        for quality in TIERS {
            let mut twins = Twins::new(terrain, at, X, amplitude, quality);
            let mut fall = 0.0_f64;
            for _ in 0..ticks {
                let ground = terrain.clone();
                let speed_now = fall + 9.81 / 60.0;
                let next = std::cell::Cell::new(speed_now);
                twins.tick(X, |head, heading| {
                    let to = head + DVec3::new(f64::from(heading.x), 0.0, f64::from(heading.z)) * speed / 60.0;
                    let floor = ground.rest_under(to.x, f64::INFINITY, to.z, RADIUS as f32).unwrap();
                    let falls = head.y - speed_now / 60.0;
                    next.set(if falls < floor { 0.0 } else { speed_now });
                    DVec3::new(to.x, falls.max(floor), to.z) - head
                });
                fall = next.get();
            }
            twins.check(&format!("{what}, {amplitude} degrees, {quality:?}"), least);
        }
    }
}

#[test]
fn a_body_in_the_air_over_flat_ground_bends_within_the_limit() {
    level("hanging at rest", &Terrain::flat(0.0), [0.0, 2.2, 0.0], 0.0, 240, 1.5);
    level("hanging and moving", &Terrain::flat(0.0), [0.0, 2.2, 0.0], 1.5, 600, 1.5);
}

#[test]
fn a_body_in_the_air_over_a_slope_bends_within_the_limit() {
    level("over a slope", &tilted(), [0.0, 5.2, 0.0], 1.0, 400, 0.5);
    level("up a slope", &along_x(|x| 0.3 * x), [-4.0, 3.2, 0.0], 1.0, 300, 0.5);
}

#[test]
fn a_body_over_a_ledge_bends_within_the_limit() {
    level("level over a ledge", &ledge(0.0, 3.0), [-1.0, 0.2, 0.0], 1.5, 600, 1.0);
    walk("down a ledge", &ledge(0.0, 1.0), [-1.0, 0.2, 0.0], 1.5, 600, 0.0);
}

#[test]
fn a_body_over_a_pit_bends_within_the_limit() {
    level("over a narrow pit", &pit(0.0, 0.3, 3.0), [-1.0, 0.2, 0.0], 1.0, 600, 0.0);
    level("over a pit of 3 m", &pit(0.0, 3.0, 3.0), [-1.0, 0.2, 0.0], 1.0, 600, 0.05);
}

#[test]
fn a_body_over_hills_bends_within_the_limit() {
    for seed in 0..4 {
        level("over hills", &hills(seed), [0.0, 3.0, 0.0], 1.5, 400, 0.3);
        walk("along hills", &hills(seed), [0.0, 3.0, 0.0], 2.0, 400, 0.0);
    }
}
