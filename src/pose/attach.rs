//! Points on a body, for what a game hangs on it.

use crate::batch::{SerpentBatch, SerpentId, check_range};
use crate::error::Result;
use glam::{DVec3, Vec3};

/// A point of a body's axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// World position in metres.
    pub position: DVec3,
    /// Unit vector along the body, toward the head.
    pub tangent: Vec3,
    /// Velocity over the last tick, in metres a second.
    pub velocity: Vec3,
}

impl SerpentBatch {
    /// The point at a fraction of the body: 0 is the Body front, 1 the tail's end.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) outside 0 to 1; [`Error::Handle`](crate::Error::Handle).
    pub fn attachment(&self, id: SerpentId, fraction: f32) -> Result<Attachment> {
        check_range("fraction", fraction, 0.0, 1.0)?;
        let segments = self.joints(id)?.len() - 1;
        let along = f64::from(fraction) * segments as f64;
        let first = (along as usize).min(segments - 1);
        let share = along - first as f64;
        let mut joints = self.joints(id)?.skip(first);
        let mut velocities = self.velocities(id)?.skip(first);
        let (a, b) = (joints.next().unwrap_or_default(), joints.next().unwrap_or_default());
        let (v, w) = (velocities.next().unwrap_or_default(), velocities.next().unwrap_or_default());
        Ok(Attachment {
            position: a + (b - a) * share,
            tangent: ((a - b) / (a - b).length()).as_vec3(),
            velocity: v + (w - v) * share as f32,
        })
    }
}
