//! The tick with every block's stages timed, for the benches.

use super::blocks::{Shared, run_cohorts};
use super::{Part, context};
use crate::batch::SerpentBatch;
use crate::error::Result;
use crate::stages::Stage;
use std::time::Duration;

impl SerpentBatch {
    /// A whole tick on the calling thread; returns the time that the `timed` stages took of it, the clock's own included
    /// (a reading for each stage of a block).
    ///
    /// # Errors
    /// As of [`step`](Self::step).
    #[doc(hidden)]
    pub fn time_stages(&mut self, timed: &[Stage], dt: f32) -> Result<Duration> {
        let (dt, _) = self.open_step("time_stages", dt)?;
        self.turn_over(dt);
        let context = context(&self.settings, self.isa, &self.terrain, self.active_mask, dt);
        let shared = Shared { context, part: Part::Whole, parallel: false, sample: 1 };
        let tally = run_cohorts(&mut self.cohorts, &mut self.poses, &shared);
        Ok(timed.iter().map(|&stage| Duration::from_nanos(tally.sampled_ns[stage as usize])).sum())
    }
}
