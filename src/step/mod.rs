//! The tick: order, parallelism, timings; no maths.

#[cfg(feature = "reference")]
mod bench;
mod blocks;
mod place;
mod report;
mod resolve;

pub use report::{Quarantined, StepReport};
pub use resolve::ResolvedDisplacement;

use crate::batch::{BlockMut, Fault, PoseMap, SerpentBatch, Settings, flag};
use crate::constants::MAX_STEP_S;
use crate::error::{Error, Result};
use crate::lanes::Isa;
use crate::stages::ahead::{Ahead, NextPaths};
use crate::stages::{self, Context, Scratch, Stage, Task};
use crate::terrain::Terrain;
use blocks::{SAMPLE, Shared};
use report::{Clock, Tally};
use std::time::Instant;

/// Which half of a tick to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Begin,
    Finish,
    Whole,
}

/// A block and the pose rows of its creatures.
pub(crate) struct Unit<'a> {
    pub block: BlockMut<'a>,
    pub rows: &'a mut [[f32; 12]],
}

/// A tick of one block or two: the whole order. Only `body` works on both at once; `ahead` are the paths that come next.
pub(crate) fn tick_blocks(
    units: &mut [Unit<'_>],
    ahead: &Ahead<'_>,
    shared: &Shared<'_>,
    scratch: &mut Scratch,
    clock: &mut Clock,
) {
    for Unit { block, .. } in units.iter_mut() {
        before_body(&mut Task { block, scratch, context: &shared.context }, shared.part, clock);
    }
    if shared.part != Part::Begin {
        let isa = shared.context.isa;
        match &mut *units {
            [a, b] => stages::body::march_joints(isa, &mut a.block, Some(&mut b.block), [a.rows, b.rows]),
            one => {
                for Unit { block, rows } in one {
                    stages::body::march_joints(isa, block, None, [rows, &[]]);
                }
            }
        }
        clock.lap(Stage::Body);
        for (index, Unit { block, rows }) in units.iter_mut().enumerate() {
            after_body(&mut Task { block, scratch, context: &shared.context }, rows, ahead.block(index), clock);
        }
    }
}

fn before_body(task: &mut Task<'_, '_>, part: Part, clock: &mut Clock) {
    if part != Part::Finish {
        stages::command::take_targets(task);
        clock.lap(Stage::Command);
        stages::guidance::turn_headings(task);
        clock.lap(Stage::Guidance);
    }
    if part != Part::Begin {
        stages::command::take_reports(task);
        clock.lap(Stage::Command);
        stages::travel::move_heads(task);
        clock.lap(Stage::Travel);
        stages::record::lay_path(task);
        clock.lap(Stage::Record);
        stages::settle::settle_paths(task);
        clock.lap(Stage::Settle);
    }
}

fn after_body(task: &mut Task<'_, '_>, rows: &mut [[f32; 12]], next: Option<NextPaths<'_>>, clock: &mut Clock) {
    stages::undulate::add_wave(task);
    clock.lap(Stage::Undulate);
    stages::guard::keep_out(task);
    clock.lap(Stage::Guard);
    stages::bound::box_bodies(task);
    clock.lap(Stage::Bound);
    stages::frame::turn_bones(task, next);
    clock.lap(Stage::Frame);
    stages::pose::write_rows(task, rows);
    clock.lap(Stage::Pose);
}

impl SerpentBatch {
    /// Advances every creature by `dt` seconds: `begin` and `finish` in one.
    ///
    /// A step longer than 0.25 s is cut to that, and the report says how much time was dropped; displacements that were
    /// reported are taken whole. A step of 0 changes nothing, but brings the pose rows up to date with the population.
    ///
    /// # Errors
    /// [`Error::Value`] where `dt` is negative or not finite; [`Error::Turn`] between `begin` and `finish`. Nothing is
    /// changed then.
    pub fn step(&mut self, dt: f32) -> Result<StepReport> {
        let (dt, dropped) = self.open_step("step", dt)?;
        Ok(self.run(Part::Whole, dt, dropped))
    }

    /// Takes the guidance of a tick of `dt` seconds and turns the headings. Afterwards the caller reads
    /// [`headings`](Self::headings), decides, moves its own controllers and reports; then calls [`finish`](Self::finish).
    ///
    /// # Errors
    /// As of [`step`](Self::step).
    pub fn begin(&mut self, dt: f32) -> Result<()> {
        let (dt, dropped) = self.open_step("begin", dt)?;
        if dt > 0.0 {
            self.run(Part::Begin, dt, dropped);
        }
        self.open = Some((dt, dropped));
        Ok(())
    }

    /// Takes the reports and does the rest of the tick that `begin` opened.
    ///
    /// # Errors
    /// [`Error::Turn`] without a `begin`.
    pub fn finish(&mut self) -> Result<StepReport> {
        let allowed = "finish after begin";
        let (dt, dropped) = self.open.take().ok_or(Error::Turn { call: "finish", allowed })?;
        Ok(self.run(Part::Finish, dt, dropped))
    }

    /// Writes the pose rows anew from the present joints, without a tick: after spawning or despawning while paused.
    pub fn refresh_poses(&mut self) {
        self.map_rows();
        let context = context(&self.settings, self.isa, &self.terrain, self.active_mask, 0.0);
        let (isa, mut rows) = (context.isa, &mut self.poses[..]);
        let mut scratch = Scratch::new();
        for cohort in &mut self.cohorts {
            let per_block = crate::lanes::LANES * cohort.shape().rows();
            let (own, rest) = std::mem::take(&mut rows).split_at_mut(cohort.len() * cohort.shape().rows());
            rows = rest;
            for (index, rows) in own.chunks_mut(per_block).enumerate() {
                let block = &mut cohort.block_mut(index);
                stages::frame::frames(isa, block.joints, None, &mut scratch.frames);
                stages::pose::write_rows(&mut Task { block, scratch: &mut scratch, context: &context }, rows);
            }
        }
    }

    pub(crate) fn require_closed(&self, call: &'static str) -> Result<()> {
        match self.open {
            None => Ok(()),
            Some(_) => Err(Error::Turn { call, allowed: "finish, which begin waits for" }),
        }
    }

    fn open_step(&self, call: &'static str, dt: f32) -> Result<(f32, f32)> {
        self.require_closed(call)?;
        if !(0.0..=f32::MAX).contains(&dt) {
            return Err(Error::value("dt", dt, "0 s or more, finite"));
        }
        Ok(if dt > MAX_STEP_S { (MAX_STEP_S, dt - MAX_STEP_S) } else { (dt, 0.0) })
    }

    fn run(&mut self, part: Part, dt: f32, dropped: f32) -> StepReport {
        let begun = Instant::now();
        if dt == 0.0 {
            if self.pose_map.outdated {
                self.refresh_poses();
            }
            return StepReport::resting(dropped);
        }
        if part != Part::Begin {
            self.turn_over(dt);
        }
        let context = context(&self.settings, self.isa, &self.terrain, self.active_mask, dt);
        let shared = Shared { context, part, parallel: self.settings.parallel, sample: SAMPLE };
        let tally = blocks::run_cohorts(&mut self.cohorts, &mut self.poses, &shared);
        let mut report = self.report(&tally, dropped);
        report.elapsed = begun.elapsed();
        report
    }

    /// Makes the present joints the previous ones, and counts the tick.
    fn turn_over(&mut self, dt: f32) {
        self.map_rows();
        self.cohorts.iter_mut().for_each(|cohort| cohort.now = 1 - cohort.now);
        (self.tick, self.time_s, self.last_dt) = (self.tick + 1, self.time_s + f64::from(dt), dt);
    }

    fn report(&mut self, tally: &Tally, dropped: f32) -> StepReport {
        let mut report = StepReport::new(tally, dropped);
        if tally.counters.quarantined > 0 {
            report.quarantined = self.newly_quarantined();
        }
        report
    }

    /// The creatures that this tick quarantined, by rising index.
    fn newly_quarantined(&mut self) -> Vec<Quarantined> {
        let mut list = Vec::new();
        for (id, place) in self.handles.iter() {
            let state = &mut self.cohorts[place.cohort as usize].blocks[place.block()];
            let flags = state.flags[place.lane()];
            if flags & flag::QUARANTINED != 0 && flags & flag::KNOWN == 0 {
                state.put(place.lane(), flag::KNOWN, true);
                list.extend(Fault::from_flags(flags).map(|fault| Quarantined { id, fault }));
            }
        }
        list
    }

    /// Brings the row map and the length of the pose table up to date with the population.
    fn map_rows(&mut self) {
        if !self.pose_map.outdated {
            return;
        }
        let PoseMap { version, creatures, by_index, outdated } = &mut self.pose_map;
        creatures.clear();
        let mut first = 0;
        for cohort in &self.cohorts {
            for &id in cohort.ids() {
                creatures.push((id, first as u32));
                first += cohort.shape().rows();
            }
        }
        let highest = creatures.iter().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        by_index.clear();
        by_index.resize(highest, u32::MAX);
        for (at, (id, _)) in creatures.iter().enumerate() {
            by_index[id.index()] = at as u32;
        }
        self.poses.resize(first, [0.0; 12]);
        (*version, *outdated) = (*version + 1, false);
    }
}

/// What the blocks of a tick share. Its parts are named one by one, so that the cohorts can be borrowed beside it.
fn context<'a>(settings: &Settings, isa: Isa, terrain: &'a Terrain, active_mask: u32, dt: f32) -> Context<'a> {
    let Settings { forward_axis, pose_origin, .. } = *settings;
    Context { isa, dt, terrain, active_mask, forward_axis, pose_origin }
}
