//! Twin of `guidance`: the turn-rate-limited centre heading and the gait's yaw.

use super::{angle, reject, rotate};
use glam::DVec3;
use std::f64::consts::TAU;

/// What guidance reads. Directions are unit vectors, angles radians, the phase turns.
#[derive(Clone, Copy, Debug)]
pub struct Steering {
    /// Centre heading before the tick.
    pub center: DVec3,
    /// Heading asked for.
    pub target: DVec3,
    /// What headings turn about: the ground's normal on the ground, else the dorsal.
    pub axis: DVec3,
    /// On the ground: headings lie in its plane.
    pub grounded: bool,
    /// Off: no turn limit and no yaw.
    pub guided: bool,
    /// Most that the centre heading turns in this tick.
    pub limit: f64,
    /// Amplitude of the yaw.
    pub amplitude: f64,
    /// Phase of the gait.
    pub phase: f64,
}

/// What guidance writes.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    /// Centre heading that the tick starts from.
    pub before: DVec3,
    /// Centre heading that it ends with.
    pub center: DVec3,
    /// The centre heading with the yaw, at the phase of the tick's start.
    pub effective: DVec3,
}

/// Turns the headings.
pub fn turn_headings(steering: &Steering) -> Turned {
    let Steering { center, target, axis, grounded, guided, limit, amplitude, phase } = *steering;
    let flat = |v: DVec3| if grounded { on_plane(v, axis).unwrap_or(center) } else { v };
    let (before, target) = (flat(center), flat(target));
    if !guided {
        return Turned { before, center: target, effective: target };
    }
    let center = turn_toward(before, target, axis, limit);
    Turned { before, center, effective: yaw(center, axis, amplitude * (TAU * phase).sin()) }
}

/// The unit vector in the plane across `normal` with the bearing of `v`, seen from above; in a plane that is nearly upright
/// what is left of `v` there. None where that is nothing.
pub fn on_plane(v: DVec3, normal: DVec3) -> Option<DVec3> {
    // Seen from above: v and the direction sought lie in one upright plane.
    let seen = v.cross(DVec3::Y).cross(normal)
        * if v.cross(DVec3::Y).cross(normal).dot(v.with_y(0.0)) < 0.0 { -1.0 } else { 1.0 };
    if normal.y > 0.1 { seen.try_normalize() } else { reject(v, normal).try_normalize() }
}

/// `from` turned toward `to` by at most `limit`; opposite directions turn left about `dorsal`.
pub fn turn_toward(from: DVec3, to: DVec3, dorsal: DVec3, limit: f64) -> DVec3 {
    let between = angle(from, to);
    if between <= limit {
        return to;
    }
    let axis = from.cross(to);
    let axis = if axis.length() > 1e-6 { axis } else { reject(dorsal, from) };
    rotate(from, axis.normalize(), limit)
}

/// `center` turned left by `angle` about the part of `dorsal` perpendicular to it.
pub fn yaw(center: DVec3, dorsal: DVec3, angle: f64) -> DVec3 {
    reject(dorsal, center).try_normalize().map_or(center, |axis| rotate(center, axis, angle))
}
