//! The crowd that the benches measure, and how long they take over it.
#![allow(dead_code)]

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, SamplingMode, Throughput};
use glam::Vec3;
use serpentarium::{LaneChoice, Profile, ProfileId, SerpentBatch, Settings, Spawn, Stage, StepReport, Terrain};
use std::time::{Duration, Instant};

pub const DT: f32 = 1.0 / 60.0;

/// From the heads' new places to the pose rows.
pub const PATH_TO_POSE: [Stage; 4] = [Stage::Record, Stage::Body, Stage::Frame, Stage::Pose];

/// Grass snakes of 32 joints at their cruising speed, wandering over the embedded map.
pub struct Crowd {
    pub batch: SerpentBatch,
    snake: ProfileId,
    time_s: f32,
}

impl Crowd {
    pub fn new(count: usize, lanes: LaneChoice, parallel: bool) -> Self {
        let settings = Settings { parallel, lanes, ..Settings::default() };
        let snake = Profile::embedded("grass-snake").unwrap();
        // Over most of the map's 400 m x 420 m: nobody reaches the edge.
        Self::on(Terrain::embedded("jacksboro").unwrap(), [360.0, 380.0], snake, count, settings)
    }

    /// So many of a species on any ground, about its middle over so many metres.
    pub fn on(terrain: Terrain, size_m: [f64; 2], species: Profile, count: usize, settings: Settings) -> Self {
        let mut batch = SerpentBatch::with_settings(terrain, settings).unwrap();
        let snake = batch.add_profile(species);
        let speed = batch.profile(snake).unwrap().speed_m_s();
        let spawns: Vec<Spawn> = (0..count as u64)
            .map(|tag| {
                let [x, z, size] = [1, 2, 3].map(|salt| noise(tag, salt));
                let at = [f64::from(x - 0.5) * size_m[0], 0.0, f64::from(z - 0.5) * size_m[1]];
                let scale = 0.8 + 0.45 * size;
                let spawn = Spawn::at(snake, at).scale(scale).driven(speed * scale).tag(tag);
                spawn.facing(way(tag, 0.0))
            })
            .collect();
        batch.spawn_many(&spawns).unwrap();
        Self { batch, snake, time_s: 0.0 }
    }

    /// The same after some ticks, when paths are no longer the straight ones that creatures are seeded with.
    pub fn warm(count: usize, lanes: LaneChoice, parallel: bool, ticks: usize) -> Self {
        let mut crowd = Self::new(count, lanes, parallel);
        (0..ticks).for_each(|_| drop(crowd.tick()));
        crowd
    }

    pub fn joints(&self) -> usize {
        self.batch.len() * self.batch.profile(self.snake).unwrap().joints()
    }

    /// What a caller does between ticks: not part of what is measured.
    pub fn steer(&mut self) {
        self.time_s += DT;
        for controls in self.batch.controls_mut(self.snake) {
            for (guidance, &tag) in controls.guidance.iter_mut().zip(controls.tags) {
                *guidance = way(tag, self.time_s).into();
            }
        }
    }

    /// A tick, and how long it took.
    pub fn tick(&mut self) -> (StepReport, Duration) {
        self.steer();
        let begun = Instant::now();
        let report = self.batch.step(DT).unwrap();
        (report, begun.elapsed())
    }

    /// A tick; how long the stages took of it.
    pub fn time_stages(&mut self, stages: &[Stage]) -> Duration {
        self.steer();
        self.batch.time_stages(stages, DT).unwrap()
    }
}

/// Where a wanderer wants to go: to and fro about a way of its own.
fn way(tag: u64, time_s: f32) -> Vec3 {
    let [base, start, rate] = [4, 5, 6].map(|salt| noise(tag, salt) * std::f32::consts::TAU);
    let angle = base + 1.2 * (start + time_s * (0.3 + 0.1 * rate)).sin();
    Vec3::new(angle.sin(), 0.0, angle.cos())
}

/// A number of 0..1 out of a creature's tag: SplitMix64's mixing.
fn noise(tag: u64, salt: u64) -> f32 {
    let z = (tag * 8 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
}

/// Ten samples in a good second; rates are joints a second, so 40 Melem/s is 25 ns a joint.
pub fn short(group: &mut BenchmarkGroup<'_, WallTime>, joints: usize) {
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1200));
    group.throughput(Throughput::Elements(joints as u64));
}

/// Calls `once` so many times and adds up what it says it took.
pub fn sum(times: u64, mut once: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| once()).sum()
}

pub fn ns_per_joint(time: Duration, joints: usize) -> f64 {
    time.as_nanos() as f64 / joints as f64
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
