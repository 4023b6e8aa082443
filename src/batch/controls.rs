//! What the caller sets each tick, as plain slices over a cohort's slots.

use super::SerpentId;

/// The control buffers of a cohort, padded to whole blocks.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    pub guidance: Vec<[f32; 3]>,
    pub speed: Vec<f32>,
    pub displacement: Vec<[f32; 3]>,
    pub head: Vec<[f64; 3]>,
}

impl Controls {
    pub fn resize(&mut self, slots: usize) {
        self.guidance.resize(slots, [0.0; 3]);
        self.speed.resize(slots, 0.0);
        self.displacement.resize(slots, [0.0; 3]);
        self.head.resize(slots, [0.0; 3]);
    }
    pub fn reserve(&mut self, slots: usize) {
        self.guidance.reserve(slots);
        self.speed.reserve(slots);
        self.displacement.reserve(slots);
        self.head.reserve(slots);
    }
    pub fn copy(&mut self, to: usize, from: usize) {
        self.guidance[to] = self.guidance[from];
        self.speed[to] = self.speed[from];
        self.displacement[to] = self.displacement[from];
        self.head[to] = self.head[from];
    }
    pub fn bytes(&self) -> usize {
        self.guidance.capacity() * 12
            + self.speed.capacity() * 4
            + self.displacement.capacity() * 12
            + self.head.capacity() * 24
    }
}

/// The controls of all creatures of one profile and tier: element i of every slice is the creature `ids[i]`.
///
/// Written between ticks (or between `begin` and `finish`, for `displacement`); nothing is checked here, the tick's
/// `command` stage looks at each value and quarantines a creature whose value is not finite.
#[derive(Debug)]
pub struct ControlSlices<'a> {
    /// Handle of each creature.
    pub ids: &'a [SerpentId],
    /// The tag given at spawn, of each creature.
    pub tags: &'a [u64],
    /// Direction to head for, in world axes, of any length; (0, 0, 0) keeps the one before.
    pub guidance: &'a mut [[f32; 3]],
    /// Speed of driven creatures in metres a second, of previewed ones in body lengths a second; negative backs up.
    pub speed: &'a mut [f32],
    /// World displacement of this tick, in metres, of reported creatures; taken and zeroed by the tick. For an observed
    /// creature a value other than zero is a manual report.
    pub displacement: &'a mut [[f32; 3]],
    /// World position of the head, in metres, of observed creatures.
    pub head: &'a mut [[f64; 3]],
}
