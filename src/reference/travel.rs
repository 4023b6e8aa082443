//! Twin of `travel`: the head's way in one tick, and the distance that counts.

use super::guidance::{on_plane, yaw};
use super::rest::rest;
use super::{angle, reject, rotate};
use crate::constants::{LATERAL_SHARE, SETTLE_SHARE};
use crate::terrain::Terrain;
use glam::DVec3;
use std::f64::consts::TAU;

/// A driven head's tick. Directions are unit vectors, angles radians, phases turns, lengths metres.
#[derive(Clone, Copy, Debug)]
pub struct Drive<'a> {
    /// World position of the head before.
    pub start: DVec3,
    /// Centre heading at the tick's start.
    pub from: DVec3,
    /// Centre heading at its end.
    pub to: DVec3,
    /// Share of the tick after which the centre heading stands at `to`, having turned at its full rate.
    pub turn_share: f64,
    /// Axis of the yaw at the start: the ground's normal, or the dorsal.
    pub axis: DVec3,
    /// On the ground at the start: headings keep their bearing over its slopes.
    pub grounded: bool,
    /// Amplitude of the yaw; 0 for creatures that are not guided.
    pub amplitude: f64,
    /// Phase at the tick's start.
    pub phase: f64,
    /// Signed distance of the tick.
    pub distance: f64,
    /// Phase that a metre adds: cycles by body length.
    pub turns_per_m: f64,
    /// Ground that the head is kept on.
    pub terrain: Option<&'a Terrain>,
    /// The head's radius, its scale included.
    pub radius: f64,
}

impl Drive<'_> {
    /// The effective heading at a share of the tick, over ground of this normal: the centre heading turns at its full rate, the phase moves evenly.
    pub fn heading(&self, share: f64, normal: DVec3) -> DVec3 {
        let axis = self.from.cross(self.to).try_normalize();
        let turned = (share / self.turn_share).min(1.0);
        let center = axis.map_or(self.from, |axis| rotate(self.from, axis, turned * angle(self.from, self.to)));
        let center = if self.grounded { on_plane(center, normal).unwrap_or(self.to) } else { center };
        let phase = self.phase + self.turns_per_m * self.distance * share;
        yaw(center, normal, self.amplitude * (TAU * phase).sin())
    }

    /// The way as a fine polyline of `steps` links, the start first.
    pub fn way(&self, steps: usize) -> Vec<DVec3> {
        let link = self.distance / steps as f64;
        let (mut at, mut normal) = (self.start, self.axis);
        let mut way = vec![at];
        for step in 0..steps {
            let free = at + self.heading((step as f64 + 0.5) / steps as f64, normal) * link;
            let stood = self.terrain.and_then(|terrain| stand(terrain, free, self.radius));
            (at, normal) = stood.unwrap_or((free, normal));
            way.push(at);
        }
        way
    }
}

/// Share of a tick that a turn takes at a rate of `limit` radians a tick.
pub fn turn_share(from: DVec3, to: DVec3, limit: f64) -> f64 {
    (angle(from, to) / limit.max(1e-12)).clamp(1e-6, 1.0)
}

/// Where a sphere of this radius stands above or below `at`, and the ground's normal; None where there is no ground.
pub fn stand(terrain: &Terrain, at: DVec3, radius: f64) -> Option<(DVec3, DVec3)> {
    let (height, normal) = rest(terrain, DVec3::new(at.x, f64::INFINITY, at.z), radius)?;
    Some((DVec3::new(at.x, height, at.z), normal))
}

/// Signed distance of a displacement along `forward` in the ground's plane; lateral movement is none.
pub fn longitudinal(moved: DVec3, forward: DVec3, ground: Option<DVec3>) -> f64 {
    let flat = ground.map_or(forward, |normal| reject(forward, normal));
    let flat = if flat.length() > 1e-3 { flat.normalize() } else { forward };
    let distance = moved.dot(flat);
    if distance.abs() <= f64::from(LATERAL_SHARE) * moved.length() { 0.0 } else { distance }
}

/// Whether a displacement before the first longitudinal travel takes the whole seed along.
pub fn settles(moved: DVec3, forward: DVec3) -> bool {
    moved != DVec3::ZERO && moved.dot(forward).abs() <= f64::from(SETTLE_SHARE) * moved.length()
}
