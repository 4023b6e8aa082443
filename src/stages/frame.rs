//! frame: turns the bones.
//!
//! Reads joints and the dorsal directions along them. Writes bone frames. A bone's forward is the central tangent, from
//! the joint behind to the joint before (one-sided at the ends); its up is the knot's dorsal, perpendicular to that;
//! where the two are nearly parallel the neighbour's is carried over. So a raised head does not roll the belly, and no
//! direction is a pole. Parallel: its own lanes only.

use super::ahead::NextPaths;
use super::{Task, position};
use crate::batch::{JointLanes, unpack_direction_lanes};
use crate::constants::{DIRECTION_EPSILON, FRAME_EPSILON};
use crate::lanes::{Isa, Kernel, Lane8, Lanes, Vec3W, dispatch};

struct Frame<'a> {
    next: Option<NextPaths<'a>>,
    joints: &'a [JointLanes],
    frames: &'a mut [[Lane8; 9]],
}

/// Runs the stage on one block; meanwhile it asks for the paths that are marched along next.
pub(crate) fn turn_bones(task: &mut Task<'_, '_>, next: Option<NextPaths<'_>>) {
    frames(task.context.isa, task.block.joints, next, &mut task.scratch.frames);
}

/// The frames of any joints of a block; grows the buffer where it is too short.
pub(crate) fn frames(isa: Isa, joints: &[JointLanes], next: Option<NextPaths<'_>>, frames: &mut Vec<[Lane8; 9]>) {
    if frames.len() < joints.len() {
        frames.resize(joints.len(), [[0.0; 8]; 9]);
    }
    dispatch(isa, Frame { next, joints, frames: &mut frames[..joints.len()] });
}

impl Kernel for Frame<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { next, joints, frames } = self;
        let ahead = Vec3W::<L>::splat([0.0, 0.0, -1.0]);
        let (mut tangent, mut up) = (ahead, Vec3W::splat([0.0, 1.0, 0.0]));
        let mut front = position(&joints[0]);
        let mut here = front;
        for (i, frame) in frames.iter_mut().enumerate() {
            if let Some(next) = &next {
                next.prefetch(i);
            }
            let behind = if i + 1 < joints.len() { position(&joints[i + 1]) } else { here };
            let along = front - behind;
            let square = along.length_squared();
            tangent = if L::bits(L::splat(DIRECTION_EPSILON).lt(square)) == 0xff {
                along * (L::splat(1.0) / square.sqrt())
            } else {
                along.normalize_or(DIRECTION_EPSILON, tangent)
            };
            let dorsal = unpack_direction_lanes(L::load(&joints[i][3])).reject(tangent);
            let square = dorsal.length_squared();
            let good = L::splat(FRAME_EPSILON).lt(square);
            up = if L::bits(good) == 0xff {
                dorsal * (L::splat(1.0) / square.sqrt())
            } else {
                // The neighbour's dorsal is not perpendicular to this tangent yet; it may even lie along it.
                let carried = up.reject(tangent).normalize_or(FRAME_EPSILON, across(tangent));
                let up = dorsal.normalize_or(FRAME_EPSILON, carried);
                // A short remainder has lost digits: once more makes it square.
                let again = up.reject(tangent).normalize_or(FRAME_EPSILON, carried);
                // Each lane takes its own way: a creature's bits never depend on its neighbours.
                Vec3W::select(good, dorsal * (L::splat(1.0) / square.sqrt()), again)
            };
            store(frame, 0, tangent);
            store(frame, 3, up);
            store(frame, 6, tangent.cross(up));
            (front, here) = (here, behind);
        }
    }
}

/// A unit vector across another: the nearest to the axis that it has least of among x and z.
#[inline(always)]
pub(super) fn across<L: Lanes>(v: Vec3W<L>) -> Vec3W<L> {
    let along_x = L::splat(0.6).lt(v.x.abs());
    let axis = Vec3W::select(along_x, Vec3W::splat([0.0, 0.0, 1.0]), Vec3W::splat([1.0, 0.0, 0.0]));
    axis.reject(v).normalize_or(DIRECTION_EPSILON, axis)
}

#[inline(always)]
fn store<L: Lanes>(frame: &mut [Lane8; 9], first: usize, v: Vec3W<L>) {
    v.x.store(&mut frame[first]);
    v.y.store(&mut frame[first + 1]);
    v.z.store(&mut frame[first + 2]);
}
