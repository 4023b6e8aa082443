//! bound: boxes the creature.
//!
//! Reads joints. Writes each creature's box, which holds every joint with its radius and the heads at any gaze; measures
//! how much bodies bend.
//! Parallel: its own lanes only.

use super::{Task, position, raise};
use crate::batch::{BlockState, JointLanes, flag};
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, ScalarLanes, Vec3W, asin, dispatch};
use crate::profile::Profile;

struct Bound<'a> {
    state: &'a mut BlockState,
    profile: &'a Profile,
    joints: &'a [JointLanes],
    /// The largest square of the difference between adjacent segments, in metres.
    bends: &'a mut Lane8,
}

/// Runs the stage on one block.
pub(crate) fn box_bodies(task: &mut Task<'_, '_>) {
    let bends = boxes(task.context.isa, task.block);
    let (state, most) = (&*task.block.state, &mut task.scratch.measures.largest_bend_rad);
    let mut chord = 0.0;
    for lane in 0..LANES {
        if state.has(lane, flag::LIVE) {
            raise(&mut chord, bends[lane] / (state.segment[lane] * state.segment[lane]));
        }
    }
    // The chord of an angle on the unit sphere: 2 sin(a / 2).
    let half = if chord < 4.0 { 0.5 * chord.sqrt() } else { 1.0 };
    raise(most, 2.0 * asin(ScalarLanes::splat(half)).to_array()[0]);
}

/// The same outside a tick. Yields the squares of the largest differences between adjacent segments.
pub(crate) fn boxes(isa: Isa, block: &mut crate::batch::BlockMut<'_>) -> Lane8 {
    let mut bends = [0.0; LANES];
    dispatch(isa, Bound { state: block.state, profile: block.profile, joints: block.joints, bends: &mut bends });
    bends
}

impl Kernel for Bound<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, profile, joints, bends } = self;
        let scale = L::load(&state.scale);
        let (radius, reach) = (profile.radius_m(), head_reach(profile));
        let mut before = position::<L>(&joints[0]);
        let (mut min, mut max) = around(before, scale * L::splat(if radius[0] > reach { radius[0] } else { reach }));
        let (mut way, mut bend) = (position(&joints[1]) - before, L::splat(0.0));
        for (joint, radius) in joints.iter().zip(radius).skip(1) {
            let at = position(joint);
            let (low, high) = around(at, scale * L::splat(*radius));
            let here = at - before;
            bend = (here - way).length_squared().max(bend);
            (before, way) = (at, here);
            min = Vec3W::new(min.x.min(low.x), min.y.min(low.y), min.z.min(low.z));
            max = Vec3W::new(max.x.max(high.x), max.y.max(high.y), max.z.max(high.z));
        }
        min.store(&mut state.bounds_min);
        max.store(&mut state.bounds_max);
        bend.store(bends);
    }
}

#[inline(always)]
fn around<L: Lanes>(at: Vec3W<L>, radius: L) -> (Vec3W<L>, Vec3W<L>) {
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
