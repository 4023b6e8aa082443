//! The way from path to pose against an array of structs that does the same work: what the layout gains, in one run.
#![allow(missing_docs)]

#[path = "baseline/aos.rs"]
mod aos;
mod common;

use aos::{Head, Snake};
use common::{Crowd, DT, PATH_TO_POSE, median, ns_per_joint, short, sum};
use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use serpentarium::{LaneChoice, Profile, SerpentId};
use std::time::{Duration, Instant};

const COUNT: usize = 10_000;
/// Until the last tail has left the path that it was seeded with: a body length at cruising speed is 174 ticks.
const WARMING: usize = 180;
/// Ticks that the ratio is taken from.
const ROUNDS: usize = 40;

/// The structs, and the batch whose heads they follow.
struct Baseline {
    crowd: Crowd,
    ids: Vec<SerpentId>,
    profile: Profile,
    snakes: Vec<Snake>,
    heads: Vec<Head>,
    poses: Vec<[f32; 12]>,
}

impl Baseline {
    fn warm() -> Self {
        let mut crowd = Crowd::new(COUNT, LaneChoice::Auto, false);
        let ids: Vec<SerpentId> = crowd.batch.ids().collect();
        let snakes = ids.iter().map(|&id| snake(&crowd, id)).collect();
        let profile = crowd.batch.profile_of(ids[0]).unwrap().clone();
        crowd.steer();
        let mut baseline = Self { crowd, ids, profile, snakes, heads: Vec::new(), poses: Vec::new() };
        (0..WARMING).for_each(|_| {
            baseline.tick();
        });
        baseline.check();
        baseline
    }

    /// A tick; how long the structs took of it.
    fn tick(&mut self) -> Duration {
        self.crowd.steer();
        self.crowd.batch.step(DT).unwrap();
        let batch = &self.crowd.batch;
        self.heads.clear();
        self.heads.extend(self.ids.iter().map(|&id| {
            let (cohort, slot) = batch.slot(id).unwrap();
            let ground = batch.cohorts()[cohort].blocks()[slot / 8].ground.map(|lanes| lanes[slot % 8]);
            let heading = batch.headings(id).unwrap().effective;
            Head { at: batch.head(id).unwrap(), ground_normal: Vec3::from(ground), heading }
        }));
        let begun = Instant::now();
        self.poses.clear();
        for (snake, head) in self.snakes.iter_mut().zip(&self.heads) {
            snake.follow(head, &self.profile, &mut self.poses);
        }
        begun.elapsed()
    }

    /// Both lay the same bodies. On one path their joints are the same. Each on its own path, the head's places of every
    /// tick against knots at half a segment's distance, they differ by what the curve bends between knots.
    fn check(&self) {
        let same = self.differences(|i| {
            let mut twin = snake(&self.crowd, self.ids[i]);
            twin.lie(&self.profile);
            twin
        });
        let own = self.differences(|i| self.snakes[i].clone());
        let (same, most, worst) = (same[same.len() - 1], own[own.len() * 99 / 100], own[own.len() - 1]);
        println!("joints of batch and structs differ, in segments:");
        println!("  on the same path by up to {same:.5}; on their own 99 % by less than {most:.4}, all by {worst:.4}");
        assert!(same < 0.01 && most < 0.05 && worst < 0.1);
    }

    /// Distances between joints of the batch and of these structs in segments, sorted.
    fn differences(&self, snake: impl Fn(usize) -> Snake) -> Vec<f64> {
        let batch = &self.crowd.batch;
        let mut all = Vec::new();
        for (i, &id) in self.ids.iter().enumerate() {
            let segment = f64::from(self.profile.length_m() * batch.scale(id).unwrap()) / 31.0;
            let snake = snake(i);
            all.extend(batch.joints(id).unwrap().zip(snake.joints()).map(|(a, b)| a.distance(b) / segment));
        }
        all.sort_by(f64::total_cmp);
        all
    }
}

fn snake(crowd: &Crowd, id: SerpentId) -> Snake {
    let path = crowd.batch.knots(id).unwrap().map(|knot| (knot.position, knot.dorsal)).collect::<Vec<_>>();
    Snake::new(crowd.batch.scale(id).unwrap(), path.into_iter())
}

fn path_to_pose(criterion: &mut Criterion) {
    let mut baseline = Baseline::warm();
    let mut avx2 = Crowd::warm(COUNT, LaneChoice::Avx2, false, WARMING);
    let mut wide = Crowd::warm(COUNT, LaneChoice::Wide, false, WARMING);
    let joints = avx2.joints();
    print_ratios(&mut baseline, &mut avx2, &mut wide);
    let mut group = criterion.benchmark_group("path to pose");
    short(&mut group, joints);
    for (name, crowd) in [("batch, avx2", &mut avx2), ("batch, wide", &mut wide)] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| sum(times, || crowd.time_stages(&PATH_TO_POSE)));
        });
    }
    group.bench_function("array of structs", |bencher| bencher.iter_custom(|times| sum(times, || baseline.tick())));
}

/// Tick by tick in turns, so that what else the machine does meets all alike.
fn print_ratios(baseline: &mut Baseline, avx2: &mut Crowd, wide: &mut Crowd) {
    let joints = avx2.joints();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let round = [baseline.tick(), avx2.time_stages(&PATH_TO_POSE), wide.time_stages(&PATH_TO_POSE)];
        times.iter_mut().zip(round).for_each(|(all, time)| all.push(ns_per_joint(time, joints)));
    }
    let least = times.each_ref().map(|all| all.iter().copied().fold(f64::INFINITY, f64::min));
    println!("path to pose over {ROUNDS} ticks in turns, ns a joint:");
    print_row("medians", times.map(median));
    print_row("least", least);
}

fn print_row(name: &str, [structs, avx2, wide]: [f64; 3]) {
    println!(
        "  {name}: structs {structs:.1}, batch avx2 {avx2:.1} ({:.1} x), wide {wide:.1} ({:.1} x)",
        structs / avx2,
        structs / wide
    );
}

criterion_group!(benches, path_to_pose);
criterion_main!(benches);
