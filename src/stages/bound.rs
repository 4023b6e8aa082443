//! bound: boxes the creature.
//!
//! Reads joints. Writes each creature's box, which holds every joint with its radius and the heads at any gaze.
//! Parallel: its own lanes only.

use super::Task;
use crate::batch::{BlockState, JointLanes};
use crate::lanes::{Isa, Kernel, Lanes, Vec3W, dispatch};
use crate::profile::Profile;

struct Bound<'a> {
    state: &'a mut BlockState,
    profile: &'a Profile,
    joints: &'a [JointLanes],
}

/// Runs the stage on one block.
pub(crate) fn box_bodies(task: &mut Task<'_, '_>) {
    boxes(task.context.isa, task.block);
}

/// The same outside a tick.
pub(crate) fn boxes(isa: Isa, block: &mut crate::batch::BlockMut<'_>) {
    dispatch(isa, Bound { state: block.state, profile: block.profile, joints: block.joints });
}

impl Kernel for Bound<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, profile, joints } = self;
        let scale = L::load(&state.scale);
        let (mut min, mut max) = around(&joints[0], scale * L::splat(head_reach(profile)));
        for (joint, radius) in joints.iter().zip(profile.radius_m()) {
            let (low, high) = around(joint, scale * L::splat(*radius));
            min = Vec3W::new(min.x.min(low.x), min.y.min(low.y), min.z.min(low.z));
            max = Vec3W::new(max.x.max(high.x), max.y.max(high.y), max.z.max(high.z));
        }
        min.store(&mut state.bounds_min);
        max.store(&mut state.bounds_max);
    }
}

#[inline(always)]
fn around<L: Lanes>(joint: &JointLanes, radius: L) -> (Vec3W<L>, Vec3W<L>) {
    let at = Vec3W::new(L::load(&joint[0]), L::load(&joint[1]), L::load(&joint[2]));
    let r = Vec3W::new(radius, radius, radius);
    (at - r, at + r)
}

/// How far any part of any head can be from the Body front at scale 1, in metres.
fn head_reach(profile: &Profile) -> f32 {
    profile.heads().iter().fold(0.0, |reach, head| {
        let [x, y, z] = head.offset_m;
        let skull = if head.length_m > head.jaw_hinge_m + head.jaw_length_m {
            head.length_m
        } else {
            head.jaw_hinge_m + head.jaw_length_m
        };
        let extent = (x * x + y * y + z * z).sqrt() + skull + head.radius_m;
        if extent > reach { extent } else { reach }
    })
}
