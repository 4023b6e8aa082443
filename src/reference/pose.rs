//! Twin of `pose`: rows of body joints, heads and jaws.

use super::frame::Frame;
use super::{reject, rotate};
use crate::batch::ForwardAxis;
use crate::profile::Head;
use glam::{DMat4, DVec3};

/// One head's inputs: radians.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadInput {
    /// Opening of the jaw.
    pub jaw: f64,
    /// Gaze to the left.
    pub gaze_yaw: f64,
    /// Gaze upward.
    pub gaze_pitch: f64,
}

/// The row of a frame at a position, as a matrix whose columns are the axes that `axis` asks for.
pub fn row(frame: &Frame, at: DVec3, axis: ForwardAxis) -> DMat4 {
    let (x, z) = match axis {
        ForwardAxis::NegZ => (frame.side, -frame.forward),
        ForwardAxis::PosZ => (-frame.side, frame.forward),
        ForwardAxis::PosX => (frame.forward, frame.side),
    };
    DMat4::from_cols(x.extend(0.0), frame.up.extend(0.0), z.extend(0.0), at.extend(1.0))
}

/// The frame of a guiding head: along the effective heading, dorsal up; where these are near each other, the body's up.
pub fn guiding(body: &Frame, effective: DVec3, dorsal: DVec3) -> Frame {
    let near = reject(dorsal, effective).length_squared() <= super::frame::NEAR;
    Frame::new(effective, if near { body.up } else { dorsal })
}

/// Skull and jaw of a head: frame and position of each. `front` is the frame that the offset is in (the Body front's, or
/// [`guiding`]'s); a head that guides looks along it, another is first turned by its yaw and pitch.
pub fn head(front: &Frame, at: DVec3, head: &Head, scale: f64, guides: bool, input: &HeadInput) -> [(Frame, DVec3); 2] {
    let [right, up, ahead] = head.offset_m.map(|metres| f64::from(metres) * scale);
    let base = at + front.side * right + front.up * up + front.forward * ahead;
    let (yaw, pitch) = if guides { (0.0, 0.0) } else { (f64::from(head.yaw_rad), f64::from(head.pitch_rad)) };
    let mounted = pitched(&turned(front, yaw), pitch);
    let skull = pitched(&turned(&mounted, input.gaze_yaw), input.gaze_pitch);
    let hinge = base + skull.forward * f64::from(head.jaw_hinge_m) * scale;
    [(skull, base), (pitched(&skull, -input.jaw), hinge)]
}

/// Turned left about its up.
fn turned(frame: &Frame, yaw: f64) -> Frame {
    Frame::new(rotate(frame.forward, frame.up, yaw), frame.up)
}

/// Pitched upward about its side.
fn pitched(frame: &Frame, pitch: f64) -> Frame {
    let forward = rotate(frame.forward, frame.side, pitch);
    Frame { forward, up: rotate(frame.up, frame.side, pitch), side: frame.side }
}
