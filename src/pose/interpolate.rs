//! Poses between two ticks, for renderers that draw at another rate.

use super::Pose;
use crate::batch::{Cohort, JointLanes, SerpentBatch, pack_direction_lanes, unpack_direction_lanes};
use crate::error::{Error, Result};
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, Vec3W, dispatch};
use crate::stages::frame::frames;
use crate::stages::pose::Pose as PoseRows;

/// Joints of one block between the previous tick's and the current, relative to the current origins.
struct Blend<'a> {
    before: &'a [JointLanes],
    now: &'a [JointLanes],
    /// Previous minus current origin.
    shift: [Lane8; 3],
    alpha: f32,
    out: &'a mut [JointLanes],
}

impl Kernel for Blend<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (shift, alpha) = (Vec3W::<L>::load(&self.shift), L::splat(self.alpha));
        for ((before, now), out) in self.before.iter().zip(self.now).zip(self.out) {
            let at = position(before) + shift;
            let at = at.lerp(position(now), alpha);
            let dorsal = unpack_direction_lanes::<L>(L::load(&before[3]));
            let dorsal = dorsal.lerp(unpack_direction_lanes(L::load(&now[3])), alpha);
            at.x.store(&mut out[0]);
            at.y.store(&mut out[1]);
            at.z.store(&mut out[2]);
            pack_direction_lanes(dorsal).store(&mut out[3]);
        }
    }
}

#[inline(always)]
fn position<L: Lanes>(joint: &JointLanes) -> Vec3W<L> {
    Vec3W::new(L::load(&joint[0]), L::load(&joint[1]), L::load(&joint[2]))
}

impl SerpentBatch {
    /// Writes the poses at `alpha` of the way from the previous tick (0) to the current (1), in the layout of
    /// [`poses`](Self::poses), which stays as it is. A creature that was spawned or teleported since the previous tick
    /// is drawn where it is now: no pose lies between.
    ///
    /// # Errors
    /// [`Error::Value`] where `alpha` is not 0 to 1, `out` is not as long as `poses()`, or the population changed since
    /// the slice was written (see [`refresh_poses`](Self::refresh_poses)).
    pub fn interpolate_poses(&self, alpha: f32, out: &mut [Pose]) -> Result<()> {
        crate::batch::check_range("alpha", alpha, 0.0, 1.0)?;
        if out.len() != self.poses.len() {
            return Err(Error::value("out.len()", out.len(), &format!("{}, as poses() has", self.poses.len())));
        }
        if self.pose_map.outdated {
            return Err(Error::value("poses", "outdated", "after a tick or refresh_poses()"));
        }
        let mut rows: &mut [[f32; 12]] = bytemuck::cast_slice_mut(out);
        let mut scratch = Scratch::default();
        for cohort in &self.cohorts {
            let (own, rest) = std::mem::take(&mut rows).split_at_mut(cohort.len() * cohort.shape().rows());
            rows = rest;
            let per_block = LANES * cohort.shape().rows();
            for (block, rows) in own.chunks_mut(per_block).enumerate() {
                self.interpolate_block(cohort, block, alpha, &mut scratch, rows);
            }
        }
        Ok(())
    }

    fn interpolate_block(
        &self,
        cohort: &Cohort,
        block: usize,
        alpha: f32,
        scratch: &mut Scratch,
        rows: &mut [[f32; 12]],
    ) {
        let (shape, state) = (cohort.shape(), &cohort.blocks()[block]);
        let joints = block * shape.joints..(block + 1) * shape.joints;
        scratch.joints.resize(shape.joints, [[0.0; LANES]; 4]);
        let mut shift = [[0.0; LANES]; 3];
        for c in 0..3 {
            for lane in 0..LANES {
                shift[c][lane] = (state.previous_origin[c][lane] - state.origin[c][lane]) as f32;
            }
        }
        let (before, now) = (&cohort.previous_joints()[joints.clone()], &cohort.joints()[joints]);
        let isa: Isa = self.isa;
        dispatch(isa, Blend { before, now, shift, alpha, out: &mut scratch.joints });
        frames(isa, &scratch.joints, None, &mut scratch.frames);
        let kernel = PoseRows {
            state,
            profile: cohort.profile(),
            shape: &shape,
            joints: &scratch.joints,
            frames: &scratch.frames[..shape.joints],
            head_inputs: &cohort.head_inputs[block * shape.heads..(block + 1) * shape.heads],
            origin: state.origin,
            alpha,
            axis: self.settings.forward_axis,
            pose_origin: self.settings.pose_origin,
            rows,
        };
        dispatch(isa, kernel);
    }
}

#[derive(Default)]
struct Scratch {
    joints: Vec<JointLanes>,
    frames: Vec<[Lane8; 9]>,
}
