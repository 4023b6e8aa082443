//! What renderers take: pose rows, boxes, poses between ticks, attachment points.

mod attach;
mod interpolate;

pub use attach::Attachment;

use crate::batch::{SerpentBatch, SerpentId, lane3};
use crate::error::Result;
use glam::{DVec3, Mat4, Vec3, Vec4};
use std::ops::Range;

/// A bone's affine transform: the upper three rows of a matrix, row-major. 48 bytes, of which bytes 0 to 15 are the
/// x row, 16 to 31 the y row and 32 to 47 the z row; in each the x, y and z axis' component and the position's.
///
/// Axes are unit vectors; which of them points forward is [`Settings::forward_axis`](crate::Settings::forward_axis).
/// Positions are in metres, relative to [`Settings::pose_origin`](crate::Settings::pose_origin).
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pose {
    /// The x, y and z row.
    pub rows: [[f32; 4]; 3],
}

impl Pose {
    /// Position, in metres.
    pub fn position(&self) -> Vec3 {
        Vec3::new(self.rows[0][3], self.rows[1][3], self.rows[2][3])
    }
    /// Axis 0, 1 or 2 as a unit vector.
    pub fn axis(&self, axis: usize) -> Vec3 {
        Vec3::new(self.rows[0][axis], self.rows[1][axis], self.rows[2][axis])
    }
    /// The same as a column-major 4 x 4 matrix.
    pub fn to_mat4(&self) -> Mat4 {
        let [x, y, z] = self.rows.map(Vec4::from_array);
        Mat4::from_cols(x, y, z, Vec4::W).transpose()
    }
}

/// A box in world axes, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: DVec3,
    /// Upper corner.
    pub max: DVec3,
}

impl Aabb {
    /// Whether the point is inside or on the boundary.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }
}

impl SerpentBatch {
    /// The poses of all creatures, one after the other: for each its body joints from the Body front to the tail, then
    /// a row for each head and one for its jaw. Where a creature's rows lie tells [`pose_rows`](Self::pose_rows).
    ///
    /// The slice is what the last tick wrote. A spawn or a despawn leaves it alone until the next tick or
    /// [`refresh_poses`](Self::refresh_poses): a new creature has no rows until then, a despawned one keeps them.
    pub fn poses(&self) -> &[Pose] {
        bytemuck::cast_slice(&self.poses)
    }

    /// Indices into [`poses`](Self::poses) of the creature's rows; empty for a creature spawned since the slice was written.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn pose_rows(&self, id: SerpentId) -> Result<Range<usize>> {
        let (cohort, _) = self.view(id)?;
        let entry = self.pose_map.by_index.get(id.index()).and_then(|&at| self.pose_map.creatures.get(at as usize));
        Ok(match entry {
            Some(&(owner, first)) if owner == id => first as usize..first as usize + cohort.shape().rows(),
            _ => 0..0,
        })
    }

    /// The creatures in the order of their rows, each with its first row.
    pub fn pose_order(&self) -> &[(SerpentId, u32)] {
        &self.pose_map.creatures
    }

    /// Changes whenever rows move: what is built on [`pose_rows`](Self::pose_rows) is good while it stays.
    pub fn pose_version(&self) -> u64 {
        self.pose_map.version
    }

    /// Box in world axes that holds every joint and head with its radius.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn bounds(&self, id: SerpentId) -> Result<Aabb> {
        let (cohort, place) = self.view(id)?;
        let (state, lane) = (&cohort.blocks[place.block()], place.lane());
        let origin = DVec3::from(lane3(&state.origin, lane));
        Ok(Aabb {
            min: origin + Vec3::from(lane3(&state.bounds_min, lane)).as_dvec3(),
            max: origin + Vec3::from(lane3(&state.bounds_max, lane)).as_dvec3(),
        })
    }

    /// World position that the rows are relative to, from the next write on.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) where it is not finite or beyond 1e7 m.
    pub fn set_pose_origin(&mut self, origin: impl Into<DVec3>) -> Result<()> {
        let origin: [f64; 3] = origin.into().into();
        crate::batch::check_position("pose origin", origin)?;
        self.settings.pose_origin = origin;
        Ok(())
    }
}
