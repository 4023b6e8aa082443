//! How a creature comes into the batch.

use super::{ProfileId, check_direction, check_position, check_range};
use crate::constants::{MAX_SPEED_M_S, SCALE_RANGE};
use crate::error::{Error, Result};
use crate::profile::Quality;
use glam::{DVec3, Vec3};

/// Where a creature's movement comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Motion {
    /// The caller sets the head's transform, the batch takes the difference. A report in a tick takes its place.
    #[default]
    Observed = 0,
    /// The caller reports each displacement.
    Reported = 1,
    /// The batch moves the head at a speed along its effective heading, on the ground where the profile follows it.
    Driven = 2,
    /// A virtual forward speed, in body lengths a second, feeds gait and history while the head stays where it is.
    Preview = 3,
}

/// What to spawn: made with [`Spawn::at`] or [`Spawn::along`], refined by its methods, checked by the batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Spawn {
    pub(crate) profile: ProfileId,
    pub(crate) position: DVec3,
    pub(crate) facing: Vec3,
    pub(crate) up: Vec3,
    pub(crate) path: Vec<DVec3>,
    pub(crate) scale: f32,
    pub(crate) quality: Quality,
    pub(crate) motion: Motion,
    pub(crate) speed: Option<f32>,
    pub(crate) tag: u64,
    pub(crate) mask: u32,
}

impl Spawn {
    /// A straight creature whose head (the Body front) is at this world position, in metres, facing -Z with +Y up.
    pub fn at(profile: ProfileId, position: impl Into<DVec3>) -> Self {
        Self {
            profile,
            position: position.into(),
            facing: Vec3::NEG_Z,
            up: Vec3::Y,
            path: Vec::new(),
            scale: 1.0,
            quality: Quality::default(),
            motion: Motion::default(),
            speed: None,
            tag: 0,
            mask: !0,
        }
    }

    /// A creature that lies along this path, from its head to its tail, in metres: a coil, a curve round a tree. A path
    /// shorter than the body goes on straight.
    pub fn along(profile: ProfileId, path: impl IntoIterator<Item = impl Into<DVec3>>) -> Self {
        let path: Vec<DVec3> = path.into_iter().map(Into::into).collect();
        let mut spawn = Self::at(profile, path.first().copied().unwrap_or(DVec3::NAN));
        if let [first, second, ..] = path[..] {
            spawn.facing = (first - second).as_vec3();
        }
        spawn.path = path;
        spawn
    }

    /// Which way it faces, in world axes; of any length.
    pub fn facing(mut self, direction: impl Into<Vec3>) -> Self {
        self.facing = direction.into();
        self
    }
    /// Which way its back faces, in world axes; made perpendicular to the facing.
    pub fn up(mut self, direction: impl Into<Vec3>) -> Self {
        self.up = direction.into();
        self
    }
    /// Its size as a factor on the profile, 0.05 to 20; 1 by default.
    pub fn scale(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }
    /// Its quality tier.
    pub fn quality(mut self, quality: Quality) -> Self {
        self.quality = quality;
        self
    }
    /// Where its movement comes from.
    pub fn motion(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }
    /// Driven at this speed, in metres a second.
    pub fn driven(mut self, speed_m_s: f32) -> Self {
        self.motion = Motion::Driven;
        self.speed = Some(speed_m_s);
        self
    }
    /// Previewed at this speed, in body lengths a second.
    pub fn preview(mut self, lengths_s: f32) -> Self {
        self.motion = Motion::Preview;
        self.speed = Some(lengths_s);
        self
    }
    /// A number of the caller's own, kept beside the creature.
    pub fn tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }
    /// Its mask: see [`SerpentBatch::set_active_mask`](crate::SerpentBatch::set_active_mask).
    pub fn mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }

    /// Facing and up as unit vectors, up perpendicular to facing; everything else in range.
    pub(crate) fn checked(&self) -> Result<([f32; 3], [f32; 3])> {
        check_position("spawn.position", self.position.into())?;
        self.path.iter().try_for_each(|point| check_position("spawn.path", (*point).into()))?;
        if self.path.len() == 1 {
            return Err(Error::value("spawn.path", "1 point", "two or more points"));
        }
        check_range("spawn.scale", self.scale, SCALE_RANGE[0], SCALE_RANGE[1])?;
        check_range("spawn.speed", self.speed.unwrap_or(0.0), -MAX_SPEED_M_S, MAX_SPEED_M_S)?;
        // A path that begins with the same point twice has no facing of its own: the default stands in.
        let degenerate = !self.path.is_empty() && self.facing == Vec3::ZERO;
        let facing = if degenerate { Vec3::NEG_Z } else { self.facing };
        let facing = check_direction("spawn.facing", facing.into())?;
        let up = check_direction("spawn.up", self.up.into())?;
        Ok((facing, perpendicular(up, facing)))
    }
}

/// `up` made perpendicular to the unit vector `along`; where they are parallel, the axis least along it takes its place.
pub(crate) fn perpendicular(up: [f32; 3], along: [f32; 3]) -> [f32; 3] {
    let along = Vec3::from(along);
    let reject = |v: Vec3| v - along * v.dot(along);
    let candidates = [Vec3::from(up), Vec3::Z, Vec3::X];
    let best = candidates.map(reject).into_iter().find(|v| v.length_squared() > 1e-6).unwrap_or(Vec3::Y);
    (best / best.length_squared().sqrt()).into()
}
