//! undulate: adds the vertical wave.
//!
//! Reads wave phases, joints. Writes joints. Each segment's direction is pitched about its side axis by bend * profile *
//! sin(phase - cycles * fraction), so the length holds by construction and joint 0 stays. A profile without bend skips
//! the stage. Source: the serpentine document, "Vertical wave". Parallel: its own lanes only.

use super::guidance::phase_turns;
use super::{Task, position};
use crate::batch::{BlockState, JointLanes, unpack_direction_lanes};
use crate::constants::{DIRECTION_EPSILON, FRAME_EPSILON};
use crate::lanes::{Isa, Kernel, Lanes, Vec3W, cos_turns, dispatch, sin_turns};
use crate::profile::Profile;

/// Radians to turns.
const TURNS: f32 = 0.159_154_94;

struct Undulate<'a> {
    state: &'a BlockState,
    profile: &'a Profile,
    joints: &'a mut [JointLanes],
}

/// Runs the stage on one block.
pub(crate) fn add_wave(task: &mut Task<'_, '_>) {
    wave(task.context.isa, task.block);
}

/// The same outside a tick.
pub(crate) fn wave(isa: Isa, block: &mut crate::batch::BlockMut<'_>) {
    if block.profile.wave_bend_rad() != 0.0 {
        dispatch(isa, Undulate { state: block.state, profile: block.profile, joints: block.joints });
    }
}

impl Kernel for Undulate<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, profile, joints } = self;
        let segments = joints.len() - 1;
        let segment = L::load(&state.segment);
        let phase = phase_turns::<L>(&state.wave_phase) + L::splat(profile.wave_phase_turns());
        let per_segment = profile.wave_cycles() / segments as f32;
        let mut before = position(&joints[0]);
        let mut placed = before;
        let mut up = Vec3W::<L>::splat([0.0, 1.0, 0.0]);
        for i in 0..segments {
            let next = position(&joints[i + 1]);
            // Toward the tail; the pitch lifts the tailward end.
            let along = (next - before).normalize_or(DIRECTION_EPSILON, Vec3W::splat([0.0, 0.0, 1.0]));
            up = unpack_direction_lanes(L::load(&joints[i][3])).reject(along).normalize_or(FRAME_EPSILON, up);
            let bend = L::splat(profile.wave_bend_rad() * profile.wave_amplitude()[i] * TURNS);
            let pitch = bend * sin_turns(phase - L::splat(per_segment * i as f32));
            let turned = (along * cos_turns(pitch) + up * sin_turns(pitch)).normalize_or(DIRECTION_EPSILON, along);
            placed = placed + turned * segment;
            let [x, y, z, _] = &mut joints[i + 1];
            placed.x.store(x);
            placed.y.store(y);
            placed.z.store(z);
            before = next;
        }
    }
}
