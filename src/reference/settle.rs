//! Twin of `settle`: how far a knot falls by itself, and how sharply a path bends, by exact angles. Which of the ways to stay
//! within the limit the stage takes is its own; what all of them have in common is said here.

use super::angle;
use super::rest::rest;
use crate::terrain::Terrain;
use glam::DVec3;

/// Steps that a tick's fall is integrated in.
const STEPS: usize = 500;

/// How a species falls, at a creature's scale.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// In m/s^2.
    pub gravity: f64,
    /// In m/s.
    pub max_speed: f64,
    /// Gap at which a knot at rest does not start, in metres.
    pub activation: f64,
}

/// A knot's fall: drop so far, in metres, and velocity downward, in m/s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fall {
    /// From where it was laid.
    pub drop: f64,
    /// Downward.
    pub velocity: f64,
}

/// The gap between where a knot was laid and where it touches the ground, if that is in reach.
pub fn gap(terrain: &Terrain, laid: DVec3, radius: f64, reach: f64) -> Option<f64> {
    let (height, _) = rest(terrain, laid, radius)?;
    Some(laid.y - height).filter(|gap| *gap <= reach)
}

/// Where a knot is after `dt` seconds that nothing else holds, over a gap of this size.
pub fn fall_alone(gap: f64, from: Fall, law: &Law, dt: f64) -> Fall {
    let mut fall = from;
    let bottom = gap.max(0.0);
    if fall.drop >= bottom || (fall.velocity <= 0.0 && bottom - fall.drop <= law.activation) {
        return Fall { drop: fall.drop.min(bottom), velocity: 0.0 };
    }
    let step = dt / STEPS as f64;
    for _ in 0..STEPS {
        let faster = (fall.velocity + law.gravity * step).min(law.max_speed);
        fall.drop += 0.5 * (fall.velocity + faster) * step;
        fall.velocity = faster;
        if fall.drop >= bottom {
            return Fall { drop: bottom, velocity: 0.0 };
        }
    }
    fall
}

/// The angle between the chords of a segment, `links` links long, before and behind a knot, in radians.
pub fn bend(path: &[DVec3], knot: usize, links: usize) -> f64 {
    angle(path[knot - links] - path[knot], path[knot] - path[knot + links])
}
