//! Twin of `command`: growth, and which displacement counts.

use crate::constants::GROWTH_PER_S;

/// The scale after `dt` seconds on the way from `scale` to `target`: a quarter of its size a second.
pub fn grow(scale: f64, target: f64, dt: f64) -> f64 {
    let most = scale * f64::from(GROWTH_PER_S) * dt;
    target.clamp(scale - most, scale + most)
}
