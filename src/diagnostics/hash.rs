//! The state hash: one number for all that the future depends on.

use crate::batch::{Cohort, Place, SerpentBatch, lane3};

/// 64-bit FNV-1a over words. Not for secrets: for noticing that two machines disagree.
struct Fnv(u64);

impl Fnv {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|value| self.word(u64::from(value.to_bits())));
    }
    fn doubles(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.word(value.to_bits()));
    }
}

impl SerpentBatch {
    /// A hash of everything that future ticks depend on: equal for any number of threads, any instruction set and any
    /// order of slots. It covers positions, paths, headings, phases, sizes, settings and controls of every creature by
    /// rising id; it leaves out timings, previous poses and drawing inputs.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.word(self.tick);
        hash.word(u64::from(self.active_mask));
        for (id, place) in self.handles.iter() {
            hash.word(id.index() as u64);
            hash_creature(&mut hash, &self.cohorts[place.cohort as usize], place);
        }
        hash.0
    }
}

fn hash_creature(hash: &mut Fnv, cohort: &Cohort, place: Place) {
    let (state, lane, slot) = (&cohort.blocks()[place.block()], place.lane(), place.slot as usize);
    hash.doubles(&lane3(&state.origin, lane));
    hash.doubles(&lane3(&state.head, lane));
    hash.doubles(&lane3(&state.anchor, lane));
    for vector in [&state.pen, &state.target, &state.center, &state.effective, &state.dorsal, &state.knot_dorsal] {
        hash.floats(&lane3(vector, lane));
    }
    // A pending report's forward direction is taken by the next tick.
    hash.floats(&lane3(&state.forward, lane));
    hash.floats(&lane3(&state.ground, lane));
    hash.floats(&[state.scale[lane], state.target_scale[lane], state.history_scale[lane]]);
    hash.floats(&[state.fall_speed[lane]]);
    hash.floats(&[state.turn_rate[lane], state.amplitude[lane], state.time_scale[lane]]);
    for word in [state.phase, state.wave_phase, state.walked, state.flags, state.mask, state.guide, state.motion] {
        hash.word(u64::from(word[lane]));
    }
    hash.floats(&cohort.controls.guidance[slot]);
    hash.floats(&[cohort.controls.speed[slot]]);
    hash.floats(&cohort.controls.displacement[slot]);
    hash.doubles(&cohort.controls.head[slot]);
    let shape = cohort.shape();
    let ring = &cohort.knots()[slot * shape.ring_rows()..];
    for back in 0..shape.knots as u32 {
        hash.floats(&ring[shape.ring(state.cursor[lane], back)]);
    }
    for back in 0..shape.falls as u32 {
        hash.floats(&cohort.falls()[slot * shape.falls + shape.ring(state.cursor[lane], back)]);
    }
}
