//! Scratch: the crowd that the benches measure, and how long they take over it.
#![allow(dead_code)]

use glam::Vec3;
use serpentarium::{Profile, ProfileId, SerpentBatch, Settings, Spawn, Stage, StepReport, Terrain};
use std::time::Duration;

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
    pub fn new(count: usize, name: &str, guard: bool) -> Self {
        let settings = Settings { parallel: false, ..Settings::default() };
        let mut batch = SerpentBatch::with_settings(Terrain::embedded("jacksboro").unwrap(), settings).unwrap();
        let text = std::fs::read_to_string(format!("profiles/{name}.toml")).unwrap();
        let text = if guard { text + "\nprevent_penetration = true\n" } else { text };
        let snake = batch.add_profile(Profile::from_toml("x", &text).unwrap());
        let speed = batch.profile(snake).unwrap().speed_m_s();
        let spawns: Vec<Spawn> = (0..count as u64)
            .map(|tag| {
                let [x, z, size] = [1, 2, 3].map(|salt| noise(tag, salt));
                // Over most of the map's 400 m x 420 m: nobody reaches the edge.
                let at = [f64::from(x - 0.5) * 360.0, 0.0, f64::from(z - 0.5) * 380.0];
                let scale = 0.8 + 0.45 * size;
                let spawn = Spawn::at(snake, at).scale(scale).driven(speed * scale).tag(tag);
                spawn.facing(way(tag, 0.0))
            })
            .collect();
        batch.spawn_many(&spawns).unwrap();
        Self { batch, snake, time_s: 0.0 }
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
    pub fn tick(&mut self) -> StepReport {
        self.steer();
        self.batch.step(DT).unwrap()
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
