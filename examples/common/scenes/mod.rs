//! Scenes: a ground, creatures that move over it, and where to look. Defined once for tests, benches and examples.
//!
//! Creatures go toward +X as a rule.
// No user needs all of it.
#![allow(dead_code)]

mod grounds;
mod list;

pub use list::{NAMES, named};

use glam::{DVec3, Vec3};
use serpentarium::{Profile, Result, SerpentBatch, SerpentId, Settings, Spawn, StepReport, Terrain};

pub const DT: f32 = 1.0 / 60.0;

/// One scene.
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: &'static str,
    /// What to look for, in capitals.
    pub about: &'static str,
    pub terrain: Terrain,
    pub profile: Profile,
    pub creatures: Vec<Creature>,
    pub seconds: f64,
    pub looks: Vec<Look>,
    /// Where the scene's own zero is in the world.
    pub origin: DVec3,
}

/// One creature and how it moves.
#[derive(Clone, Debug)]
pub enum Creature {
    /// The batch moves it.
    Driven {
        /// Where its head starts, from the scene's zero.
        head: DVec3,
        speed_m_s: f32,
        /// From which second on it wants to go which way; the first is how it faces.
        ways: Vec<(f64, Vec3)>,
    },
    /// A controller of the scene moves it.
    Reported(Rail),
}

/// A path of a head at a steady speed: position as a function of time.
#[derive(Clone, Debug)]
pub struct Rail {
    /// Dense points from the tail's start to the head's end, from the scene's zero.
    points: Vec<DVec3>,
    /// Length of the path up to each point.
    arcs_m: Vec<f64>,
    /// Where on it the head starts.
    start_m: f64,
    speed_m_s: f64,
}

impl Rail {
    /// A path whose head starts `start_m` along the points, so that a body of that length lies on it.
    pub fn new(points: Vec<DVec3>, start_m: f64, speed_m_s: f64) -> Self {
        let mut arcs_m = vec![0.0; points.len()];
        for i in 1..points.len() {
            arcs_m[i] = arcs_m[i - 1] + points[i].distance(points[i - 1]);
        }
        Self { points, arcs_m, start_m, speed_m_s }
    }

    /// Where the head is after so many seconds, and at the path's end for ever after.
    pub fn at(&self, seconds: f64) -> DVec3 {
        self.place(self.start_m + self.speed_m_s * seconds)
    }

    fn place(&self, arc_m: f64) -> DVec3 {
        let next = self.arcs_m.partition_point(|arc| *arc <= arc_m).clamp(1, self.points.len() - 1);
        let link_m = self.arcs_m[next] - self.arcs_m[next - 1];
        let share = ((arc_m - self.arcs_m[next - 1]) / link_m.max(1e-12)).clamp(0.0, 1.0);
        self.points[next - 1].lerp(self.points[next], share)
    }

    /// The points behind the head at the start, from there back.
    fn seed(&self) -> Vec<DVec3> {
        let behind = self.arcs_m.iter().zip(&self.points).rev().filter(|(arc, _)| **arc < self.start_m - 1e-6);
        std::iter::once(self.at(0.0)).chain(behind.map(|(_, point)| *point)).collect()
    }
}

/// A window on one creature: a section along its body, seen from the side, above a plan.
#[derive(Clone, Debug)]
pub struct Look {
    pub creature: usize,
    /// What the window is centred on, from the scene's zero; none follows the creature.
    pub at: Option<DVec3>,
    /// The section is unrolled: to the right is the way along the body, head ahead, not +X.
    pub unrolled: bool,
    /// Drawn of the last moment alone: what changes little.
    pub once: bool,
    pub width_m: f64,
    /// Of the section.
    pub height_m: f64,
    /// Of the plan, from top to bottom.
    pub depth_m: f64,
    /// What is higher than this above the scene's zero is left out of the plan: a cave's roof.
    pub plan_below_m: f64,
}

/// A scene that runs.
pub struct Run {
    pub scene: Scene,
    pub batch: SerpentBatch,
    pub ids: Vec<SerpentId>,
    pub ticks: u64,
}

impl Scene {
    /// Sets the scene's ground and creatures up in a batch.
    pub fn start(self, settings: Settings) -> Result<Run> {
        let mut batch = SerpentBatch::with_settings(self.terrain.clone(), settings)?;
        let profile = batch.add_profile(self.profile.clone());
        let spawn = |(number, creature): (usize, &Creature)| {
            let spawn = match creature {
                Creature::Driven { head, speed_m_s, ways } => {
                    Spawn::at(profile, self.origin + *head).facing(ways[0].1).driven(*speed_m_s)
                }
                Creature::Reported(rail) => {
                    let path = rail.seed().into_iter().map(|point| self.origin + point);
                    Spawn::along(profile, path).motion(serpentarium::Motion::Reported)
                }
            };
            spawn.tag(number as u64)
        };
        let spawns: Vec<Spawn> = self.creatures.iter().enumerate().map(spawn).collect();
        let ids = batch.spawn_many(&spawns)?;
        for (creature, id) in self.creatures.iter().zip(&ids) {
            if let Creature::Reported(_) = creature {
                // The path winds by itself: its head looks where it goes.
                batch.set_head_guided(*id, false)?;
            }
        }
        Ok(Run { scene: self, batch, ids, ticks: 0 })
    }
}

impl Run {
    pub fn time_s(&self) -> f64 {
        self.ticks as f64 * f64::from(DT)
    }

    pub fn joints(&self) -> usize {
        self.ids.len() * self.scene.profile.joints()
    }

    /// What a game does before a tick: guidance and reports.
    pub fn steer(&mut self) -> Result<()> {
        let (now, then) = (self.time_s(), (self.ticks + 1) as f64 * f64::from(DT));
        for (creature, id) in self.scene.creatures.iter().zip(&self.ids) {
            match creature {
                Creature::Driven { ways, .. } => {
                    let way = ways.iter().rev().find(|(from, _)| *from <= now).unwrap_or(&ways[0]);
                    self.batch.set_guidance(*id, way.1)?;
                }
                Creature::Reported(rail) => {
                    let moved = rail.at(then) - rail.at(now);
                    if moved != DVec3::ZERO {
                        self.batch.set_guidance(*id, moved.as_vec3())?;
                        self.batch.report_actual_displacement(*id, moved.as_vec3(), moved.as_vec3())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The tick after [`steer`](Self::steer).
    pub fn step(&mut self) -> Result<StepReport> {
        self.ticks += 1;
        self.batch.step(DT)
    }

    pub fn tick(&mut self) -> Result<StepReport> {
        self.steer()?;
        self.step()
    }
}
