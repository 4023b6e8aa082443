//! pose: writes the pose rows.
//!
//! Reads frames, joints, headings, jaws and gazes. Writes the creature-major rows: body joints, then for each head its
//! own row and its jaw's. The one transposed write of the tick. Parallel: a block's rows are its own.

use super::{Context, Task};
use crate::batch::{BlockState, ForwardAxis, HeadLanes, JointLanes, Shape};
use crate::constants::{DIRECTION_EPSILON, FRAME_EPSILON};
use crate::lanes::{Kernel, LANES, Lane8, Lanes, Vec3W, cos_turns, dispatch, sin_turns};
use crate::profile::Profile;

/// Radians to turns.
const TURNS: f32 = 0.159_154_94;

pub(crate) struct Pose<'a> {
    pub state: &'a BlockState,
    pub profile: &'a Profile,
    pub shape: &'a Shape,
    pub joints: &'a [JointLanes],
    pub frames: &'a [[Lane8; 9]],
    pub head_inputs: &'a [HeadLanes],
    /// World positions of the local zeros.
    pub origin: [[f64; LANES]; 3],
    /// Share of the way from the previous tick's heading to this one's: 1 for this tick's pose.
    pub alpha: f32,
    pub axis: ForwardAxis,
    pub pose_origin: [f64; 3],
    /// The rows of the block's creatures, one creature after the other.
    pub rows: &'a mut [[f32; 12]],
}

/// Runs the stage on one block, for as many creatures as `rows` has room for.
pub(crate) fn write_rows(task: &mut Task<'_, '_>, rows: &mut [[f32; 12]]) {
    let Task { block, scratch, context } = task;
    let Context { isa, forward_axis: axis, pose_origin, .. } = **context;
    let frames = &scratch.frames[..block.joints.len()];
    let (state, profile, shape) = (&*block.state, block.profile, block.shape);
    let (joints, head_inputs, origin) = (&*block.joints, block.head_inputs, state.origin);
    let alpha = 1.0;
    dispatch(isa, Pose { state, profile, shape, joints, frames, head_inputs, origin, alpha, axis, pose_origin, rows });
}

/// A frame of each creature: unit vectors, side = forward x up.
#[derive(Clone, Copy)]
struct FrameW<L> {
    forward: Vec3W<L>,
    up: Vec3W<L>,
    side: Vec3W<L>,
}

impl Kernel for Pose<'_> {
    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let stride = self.shape.rows();
        let count = self.rows.len() / stride;
        let shift = self.shift::<L>();
        for (i, (joint, frame)) in self.joints.iter().zip(self.frames).enumerate() {
            let at = Vec3W::new(L::load(&joint[0]), L::load(&joint[1]), L::load(&joint[2])) + shift;
            write(self.axis, load(frame), at, self.rows, i, stride, count);
        }
        for head in 0..self.shape.heads {
            let row = self.joints.len() + 2 * head;
            self.head_rows::<L>(head, shift, row, count);
        }
    }
}

impl Pose<'_> {
    /// From local zeros to the space of the rows.
    #[inline(always)]
    fn shift<L: Lanes>(&self) -> Vec3W<L> {
        let mut shift = [[0.0; LANES]; 3];
        for c in 0..3 {
            for lane in 0..LANES {
                shift[c][lane] = (self.origin[c][lane] - self.pose_origin[c]) as f32;
            }
        }
        Vec3W::load(&shift)
    }

    /// The guide looks along the effective heading; the other heads rest on the Body front's frame.
    #[inline(always)]
    fn head_rows<L: Lanes>(&mut self, index: usize, shift: Vec3W<L>, row: usize, count: usize) {
        let head = &self.profile.heads()[index];
        let scale = L::load(&self.state.scale);
        let front = Vec3W::new(L::load(&self.joints[0][0]), L::load(&self.joints[0][1]), L::load(&self.joints[0][2]));
        let body = load::<L>(&self.frames[0]);
        let mounted = pitched(turned(body, L::splat(head.yaw_rad * TURNS)), L::splat(head.pitch_rad * TURNS));
        let (guides, guiding) = (self.guides::<L>(index), self.guiding::<L>(body));
        let base = FrameW::select(guides, guiding, mounted);
        // A guiding head swings its whole mount; the others are fixed to the Body front.
        let neck = FrameW::select(guides, guiding, body);
        let [right, up, ahead] = head.offset_m;
        let (right, up, ahead) = (scale * L::splat(right), scale * L::splat(up), scale * L::splat(ahead));
        let at = front + shift + neck.side * right + neck.up * up + neck.forward * ahead;
        let input = &self.head_inputs[index];
        let yawed = turned(base, L::load(&input.gaze_yaw) * L::splat(TURNS));
        let frame = pitched(yawed, L::load(&input.gaze_pitch) * L::splat(TURNS));
        let hinge = at + frame.forward * (scale * L::splat(head.jaw_hinge_m));
        let jaw = pitched(frame, -(L::load(&input.jaw) * L::splat(TURNS)));
        let stride = self.shape.rows();
        write(self.axis, frame, at, self.rows, row, stride, count);
        write(self.axis, jaw, hinge, self.rows, row + 1, stride, count);
    }

    #[inline(always)]
    fn guides<L: Lanes>(&self, index: usize) -> L::Mask {
        let guides = (0..LANES).fold(0, |m, l| m | (u32::from(self.state.guide[l] as usize == index) << l));
        L::mask_from_bits(guides)
    }

    /// The frame of a guiding head: along the effective heading, dorsal up.
    #[inline(always)]
    fn guiding<L: Lanes>(&self, body: FrameW<L>) -> FrameW<L> {
        let now = Vec3W::load(&self.state.effective);
        let forward = if self.alpha == 1.0 {
            now
        } else {
            let before = Vec3W::load(&self.state.effective_before);
            before.lerp(now, L::splat(self.alpha)).normalize_or(DIRECTION_EPSILON, now)
        };
        let dorsal = Vec3W::<L>::load(&self.state.dorsal).reject(forward);
        let carried = body.up.reject(forward).normalize_or(DIRECTION_EPSILON, body.up);
        let up = dorsal.normalize_or(FRAME_EPSILON, carried);
        FrameW { forward, up, side: forward.cross(up) }
    }
}

impl<L: Lanes> FrameW<L> {
    #[inline(always)]
    fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self {
            forward: Vec3W::select(mask, yes.forward, no.forward),
            up: Vec3W::select(mask, yes.up, no.up),
            side: Vec3W::select(mask, yes.side, no.side),
        }
    }
}

#[inline(always)]
fn load<L: Lanes>(frame: &[Lane8; 9]) -> FrameW<L> {
    FrameW { forward: load3(frame, 0), up: load3(frame, 3), side: load3(frame, 6) }
}

#[inline(always)]
fn load3<L: Lanes>(frame: &[Lane8; 9], first: usize) -> Vec3W<L> {
    Vec3W::new(L::load(&frame[first]), L::load(&frame[first + 1]), L::load(&frame[first + 2]))
}

/// Turned left about its up.
#[inline(always)]
fn turned<L: Lanes>(f: FrameW<L>, yaw: L) -> FrameW<L> {
    // Most heads look straight ahead most of the time.
    let still = yaw.abs().le(L::splat(0.0));
    if L::bits(still) == 0xff {
        return f;
    }
    let (cos, sin) = (cos_turns(yaw), sin_turns(yaw));
    let turned = FrameW { forward: f.forward * cos - f.side * sin, side: f.side * cos + f.forward * sin, up: f.up };
    // Each lane takes its own way: a creature's bits never depend on its neighbours.
    FrameW::select(still, f, turned)
}

/// Pitched up about its side.
#[inline(always)]
fn pitched<L: Lanes>(f: FrameW<L>, pitch: L) -> FrameW<L> {
    let still = pitch.abs().le(L::splat(0.0));
    if L::bits(still) == 0xff {
        return f;
    }
    let (cos, sin) = (cos_turns(pitch), sin_turns(pitch));
    let pitched = FrameW { forward: f.forward * cos + f.up * sin, up: f.up * cos - f.forward * sin, side: f.side };
    FrameW::select(still, f, pitched)
}

/// Writes row `row` of each of the first `count` creatures: three rows of x, y, z axis and position.
#[inline(always)]
fn write<L: Lanes>(
    axis: ForwardAxis,
    f: FrameW<L>,
    at: Vec3W<L>,
    rows: &mut [[f32; 12]],
    row: usize,
    stride: usize,
    count: usize,
) {
    let (x, y, z) = match axis {
        ForwardAxis::NegZ => (f.side, f.up, -f.forward),
        ForwardAxis::PosZ => (-f.side, f.up, f.forward),
        ForwardAxis::PosX => (f.forward, f.up, f.side),
    };
    let vectors = [x.x, y.x, z.x, at.x, x.y, y.y, z.y, at.y, x.z, y.z, z.z, at.z];
    L::scatter_rows12(vectors, rows, row, stride, count);
}
