//! What a tick says of itself.

use crate::batch::{Fault, SerpentId};
use crate::stages::{Counters, Measures, Stage};
use std::time::{Duration, Instant};

const STAGES: usize = Stage::ALL.len();

/// A creature that a tick took out, and why. It keeps its last good pose until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The creature.
    pub id: SerpentId,
    /// What was wrong with its input.
    pub fault: Fault,
}

/// What a tick did. Allocates only where something was quarantined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time spent in each stage, summed over threads. Measured on every 16th block or so and scaled to the time of all.
    pub stages: [Duration; STAGES],
    /// Time of the whole call, on the calling thread's clock.
    pub elapsed: Duration,
    /// What happened, counted.
    pub counters: Counters,
    /// The largest of what was measured.
    pub measures: Measures,
    /// Creatures quarantined in this tick.
    pub quarantined: Vec<Quarantined>,
    /// Seconds beyond the longest step that were not simulated.
    pub dropped_s: f32,
}

impl StepReport {
    pub(crate) fn resting(dropped_s: f32) -> Self {
        Self { dropped_s, ..Self::default() }
    }

    pub(crate) fn new(tally: &Tally, dropped_s: f32) -> Self {
        let sampled: u64 = tally.sampled_ns.iter().sum();
        let share = |ns: u64| tally.total.mul_f64(if sampled > 0 { ns as f64 / sampled as f64 } else { 0.0 });
        let Tally { counters, measures, .. } = *tally;
        Self { stages: tally.sampled_ns.map(share), counters, measures, dropped_s, ..Self::default() }
    }

    /// Each stage with the time spent in it, in run order.
    pub fn by_stage(&self) -> impl Iterator<Item = (Stage, Duration)> + '_ {
        Stage::ALL.into_iter().zip(self.stages)
    }
}

/// Sums and maxima over blocks. Both are commutative, so any split gives the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub sampled_ns: [u64; STAGES],
    pub total: Duration,
    pub counters: Counters,
    pub measures: Measures,
}

impl Tally {
    pub fn plus(mut self, other: Self) -> Self {
        self.sampled_ns.iter_mut().zip(other.sampled_ns).for_each(|(a, b)| *a += b);
        self.total += other.total;
        self.counters.add(&other.counters);
        self.measures.add(&other.measures);
        self
    }
}

/// Laps of the stages of one block; does nothing for blocks that are not sampled, so that timing costs no time.
pub(crate) struct Clock {
    last: Option<Instant>,
    pub ns: [u64; STAGES],
}

impl Clock {
    pub fn new() -> Self {
        Self { last: None, ns: [0; STAGES] }
    }
    pub fn start(&mut self, sampled: bool) {
        self.last = sampled.then(Instant::now);
    }
    pub fn lap(&mut self, stage: Stage) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.ns[stage as usize] += (now - *last).as_nanos() as u64;
            *last = now;
        }
    }
}
