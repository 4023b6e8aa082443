//! The tick with a stopwatch round some of its stages, for the benches.

use super::context;
use crate::batch::SerpentBatch;
use crate::error::Result;
use crate::lanes::LANES;
use crate::stages::{self, Scratch, Stage, Task};
use std::time::{Duration, Instant};

impl SerpentBatch {
    /// A whole tick on the calling thread; returns the time that the `timed` stages took of it, the stopwatch's own
    /// included (two readings a block; with no stage it is that alone).
    ///
    /// Block by block, as in the tick, so that a stage finds its data where the tick would have it: in the caches. The
    /// timed stages run one after the other. Others that the tick has between them come after, so of `undulate` and
    /// `bound` a bench may time neither, both, or what needs no wave.
    ///
    /// # Errors
    /// As of [`step`](Self::step).
    #[doc(hidden)]
    pub fn time_stages(&mut self, timed: &[Stage], dt: f32) -> Result<Duration> {
        let (dt, _) = self.open_step("time_stages", dt)?;
        self.turn_over(dt);
        let context = context(&self.settings, self.isa, &self.terrain, self.active_mask, dt);
        let mut scratch = Scratch::new();
        let mut rows = &mut self.poses[..];
        let mut sum = Duration::ZERO;
        for cohort in &mut self.cohorts {
            let per_creature = cohort.shape().rows();
            let (own, rest) = std::mem::take(&mut rows).split_at_mut(cohort.len() * per_creature);
            rows = rest;
            for (index, rows) in own.chunks_mut(LANES * per_creature).enumerate() {
                let block = &mut cohort.block_mut(index);
                sum += time_block(timed, &mut Task { block, scratch: &mut scratch, context: &context }, rows);
            }
        }
        Ok(sum)
    }
}

fn time_block(timed: &[Stage], task: &mut Task<'_, '_>, rows: &mut [[f32; 12]]) -> Duration {
    let first = timed.first().map_or(0, |&stage| stage as usize);
    let (before, after) = Stage::ALL.split_at(first);
    before.iter().for_each(|&stage| run_stage(stage, task, rows));
    let begun = Instant::now();
    timed.iter().for_each(|&stage| run_stage(stage, task, rows));
    let time = begun.elapsed();
    after.iter().filter(|stage| !timed.contains(stage)).for_each(|&stage| run_stage(stage, task, rows));
    time
}

/// Both halves of `command` are one here: for creatures that move themselves nothing lies between.
fn run_stage(stage: Stage, task: &mut Task<'_, '_>, rows: &mut [[f32; 12]]) {
    match stage {
        Stage::Command => {
            stages::command::take_targets(task);
            stages::command::take_reports(task);
        }
        Stage::Guidance => stages::guidance::turn_headings(task),
        Stage::Travel => stages::travel::move_heads(task),
        Stage::Record => stages::record::lay_path(task),
        Stage::Body => stages::body::march_joints(task),
        Stage::Undulate => stages::undulate::add_wave(task),
        Stage::Bound => stages::bound::box_bodies(task),
        Stage::Frame => stages::frame::turn_bones(task),
        Stage::Pose => stages::pose::write_rows(task, rows),
    }
}
