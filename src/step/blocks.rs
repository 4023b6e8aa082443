//! Spreads the blocks of all cohorts over threads.

use super::report::{Clock, Tally};
use super::{Part, Unit, tick_blocks};
use crate::batch::{BlockMut, BlockState, Cohort, HeadLanes, JointLanes, Shape};
use crate::lanes::{LANES, Row4};
use crate::profile::Profile;
use crate::stages::ahead::Ahead;
use crate::stages::{Context, Scratch};
use std::cell::RefCell;
use std::time::Instant;

/// Blocks that one thread takes at a time: enough to outweigh the handing over, few enough to share out evenly.
const GRAIN: usize = 8;
/// One pair of blocks in this many has its stages timed.
pub(crate) const SAMPLE: usize = 8;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// What the blocks of a tick share.
pub(crate) struct Shared<'a> {
    pub context: Context<'a>,
    pub part: Part,
    pub parallel: bool,
    /// One pair of blocks in this many has its stages timed.
    pub sample: usize,
}

/// Runs the tick's part on every block; `rows` are the pose rows of all cohorts in order.
pub(crate) fn run_cohorts(cohorts: &mut [Cohort], rows: &mut [[f32; 12]], shared: &Shared<'_>) -> Tally {
    let Some((first, rest)) = cohorts.split_first_mut() else { return Tally::default() };
    // While the map is outdated (`begin` after a spawn) the table is too short for the cohorts; `begin` writes no rows.
    let own = if shared.part == Part::Begin { 0 } else { first.len() * first.shape().rows() };
    let (own, others) = rows.split_at_mut(own);
    let slices = BlockSlices::of(first, own);
    if rest.is_empty() || !shared.parallel {
        return run(slices, shared).plus(run_cohorts(rest, others, shared));
    }
    let (a, b) = rayon::join(|| run(slices, shared), || run_cohorts(rest, others, shared));
    a.plus(b)
}

/// A range of a cohort's blocks: one slice of every buffer.
pub(crate) struct BlockSlices<'a> {
    shape: &'a Shape,
    profile: &'a Profile,
    first: usize,
    blocks: &'a mut [BlockState],
    guidance: &'a mut [[f32; 3]],
    speed: &'a [f32],
    displacement: &'a mut [[f32; 3]],
    observed: &'a [[f64; 3]],
    knots: &'a mut [Row4],
    falls: &'a mut [Row4],
    joints: &'a mut [JointLanes],
    head_inputs: &'a [HeadLanes],
    rows: &'a mut [[f32; 12]],
}

impl<'a> BlockSlices<'a> {
    fn of(cohort: &'a mut Cohort, rows: &'a mut [[f32; 12]]) -> Self {
        let controls = &mut cohort.controls;
        Self {
            shape: &cohort.shape,
            profile: &cohort.profile,
            first: 0,
            blocks: &mut cohort.blocks,
            guidance: &mut controls.guidance,
            speed: &controls.speed,
            displacement: &mut controls.displacement,
            observed: &controls.head,
            knots: &mut cohort.knots,
            falls: &mut cohort.falls,
            joints: &mut cohort.joints[cohort.now],
            head_inputs: &cohort.head_inputs,
            rows,
        }
    }

    /// The paths of the next pair of blocks, as far as there is one.
    fn ahead(&self) -> Ahead<'_> {
        let count = self.blocks.len().min(2);
        let rows = count * LANES * self.shape.ring_rows();
        Ahead { shape: self.shape, knots: &self.knots[..rows], blocks: &self.blocks[..count] }
    }

    /// The block, where there is one and no more.
    fn unit(self) -> Option<Unit<'a>> {
        let [state] = self.blocks else { return None };
        let block = BlockMut {
            shape: self.shape,
            profile: self.profile,
            state,
            guidance: self.guidance,
            speed: self.speed,
            displacement: self.displacement,
            observed: self.observed,
            knots: self.knots,
            falls: self.falls,
            joints: self.joints,
            head_inputs: self.head_inputs,
        };
        Some(Unit { block, rows: self.rows })
    }

    /// The first `count` blocks and the rest.
    fn split(self, count: usize) -> (Self, Self) {
        let (shape, profile, slots) = (self.shape, self.profile, count * LANES);
        let (blocks, blocks2) = self.blocks.split_at_mut(count);
        let (guidance, guidance2) = self.guidance.split_at_mut(slots);
        let (speed, speed2) = self.speed.split_at(slots);
        let (displacement, displacement2) = self.displacement.split_at_mut(slots);
        let (observed, observed2) = self.observed.split_at(slots);
        let (knots, knots2) = self.knots.split_at_mut(slots * shape.ring_rows());
        let (falls, falls2) = self.falls.split_at_mut(slots * shape.falls);
        let (joints, joints2) = self.joints.split_at_mut(count * shape.joints);
        let (head_inputs, head_inputs2) = self.head_inputs.split_at(count * shape.heads);
        let split = self.rows.len().min(slots * shape.rows());
        let (rows, rows2) = self.rows.split_at_mut(split);
        let first = self.first;
        (
            Self {
                shape,
                profile,
                first,
                blocks,
                guidance,
                speed,
                displacement,
                observed,
                knots,
                falls,
                joints,
                head_inputs,
                rows,
            },
            Self {
                shape,
                profile,
                first: first + count,
                blocks: blocks2,
                guidance: guidance2,
                speed: speed2,
                displacement: displacement2,
                observed: observed2,
                knots: knots2,
                falls: falls2,
                joints: joints2,
                head_inputs: head_inputs2,
                rows: rows2,
            },
        )
    }
}

fn run(slices: BlockSlices<'_>, shared: &Shared<'_>) -> Tally {
    let count = slices.blocks.len();
    if count > GRAIN && shared.parallel {
        let (a, b) = slices.split(count / 2);
        let (a, b) = rayon::join(|| run(a, shared), || run(b, shared));
        return a.plus(b);
    }
    SCRATCH.with_borrow_mut(|scratch| run_here(slices, shared, scratch))
}

/// The blocks in pairs, on this thread.
fn run_here(mut slices: BlockSlices<'_>, shared: &Shared<'_>, scratch: &mut Scratch) -> Tally {
    let begun = Instant::now();
    let mut clock = Clock::new();
    (scratch.counters, scratch.measures) = Default::default();
    // Before anything is warm, so that growth allocates nothing later.
    crate::batch::reserve_total(&mut scratch.ring, slices.shape.ring_rows());
    crate::batch::reserve_total(&mut scratch.falls, slices.shape.falls);
    scratch.settling.reserve(slices.shape.falls);
    if slices.profile.ground().prevent_penetration {
        scratch.guard.reserve(slices.shape.joints);
    }
    while !slices.blocks.is_empty() {
        let count = slices.blocks.len().min(2);
        let (pair, rest) = slices.split(count);
        slices = rest;
        let ahead = slices.ahead();
        clock.start((pair.first / 2).is_multiple_of(shared.sample));
        let (one, two) = pair.split(1);
        match (one.unit(), two.unit()) {
            (Some(one), Some(two)) => tick_blocks(&mut [one, two], &ahead, shared, scratch, &mut clock),
            (Some(one), None) => tick_blocks(&mut [one], &ahead, shared, scratch, &mut clock),
            _ => {}
        }
    }
    let Scratch { counters, measures, .. } = *scratch;
    Tally { sampled_ns: clock.ns, total: begun.elapsed(), counters, measures }
}
