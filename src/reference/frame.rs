//! Twin of `frame`: central tangents and dorsals.

use super::body::Joint;
use super::reject;
use glam::DVec3;

/// A bone's frame: right-handed, side = forward x up.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Along the body, toward the head.
    pub forward: DVec3,
    /// Dorsal.
    pub up: DVec3,
    /// To the right.
    pub side: DVec3,
}

impl Frame {
    /// From forward and any up that is not along it.
    pub fn new(forward: DVec3, up: DVec3) -> Self {
        let (forward, side) = (forward.normalize(), forward.cross(up).normalize());
        Self { forward, up: side.cross(forward), side }
    }
}

/// Squared sine below which a dorsal is too near its tangent.
pub const NEAR: f64 = 1e-2;

/// Turns the bones.
pub fn turn_bones(joints: &[Joint]) -> Vec<Frame> {
    let last = joints.len() - 1;
    let (mut forward, mut up) = (DVec3::NEG_Z, DVec3::Y);
    let mut frames = Vec::with_capacity(joints.len());
    for i in 0..=last {
        let along = joints[i.saturating_sub(1)].at - joints[(i + 1).min(last)].at;
        // Where the body is folded flat there is no central tangent: the one before goes on.
        forward = if along.length() > 1e-6 { along.normalize() } else { forward };
        let dorsal = reject(joints[i].dorsal, forward);
        let carried = if reject(up, forward).length_squared() > NEAR { up } else { across(forward) };
        let frame = Frame::new(forward, if dorsal.length_squared() > NEAR { dorsal } else { carried });
        up = frame.up;
        frames.push(frame);
    }
    frames
}

/// An axis that is surely not along a direction: x, or z where it is.
fn across(forward: DVec3) -> DVec3 {
    if forward.x.abs() > 0.6 { DVec3::Z } else { DVec3::X }
}
