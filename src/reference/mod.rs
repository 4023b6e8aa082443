//! The oracle: a slow scalar f64 twin of each stage, written from the documents, for tests alone.
//!
//! Twins share no formulas with the stages where there is a choice: rotations are Rodrigues', exits are found by
//! sampling and bisection, headings are integrated in hundreds of small steps. They use the standard library's sin, cos
//! and acos, so their bits differ between machines: compare by tolerance. Same file names as the stages; `rest` is
//! the ground's; `creature` strings them together.

pub mod body;
pub mod bound;
pub mod command;
pub mod creature;
pub mod frame;
pub mod guard;
pub mod guidance;
pub mod pose;
pub mod record;
pub mod rest;
pub mod settle;
pub mod travel;
pub mod undulate;

use glam::DVec3;

/// `v` turned about the unit vector `axis` by `angle` radians, counter-clockwise seen against the axis (Rodrigues).
pub fn rotate(v: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    v * cos + axis.cross(v) * sin + axis * axis.dot(v) * (1.0 - cos)
}

/// `v` without its part along `axis`, of any length; `v` where the axis is zero.
pub fn reject(v: DVec3, axis: DVec3) -> DVec3 {
    let axis = axis.normalize_or_zero();
    v - axis * v.dot(axis)
}

/// The angle between two vectors, in radians; exact for small angles too.
pub fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

/// `v` turned as `from` turns to `to`, about their common perpendicular; unturned where they are (anti)parallel.
pub fn carry(v: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    from.cross(to).try_normalize().map_or(v, |axis| rotate(v, axis, angle(from, to)))
}

/// The first u in [from, 1] at which `outside` holds, found by sampling and bisection; None where no sample is outside.
pub fn first_outside(from: f64, samples: usize, outside: impl Fn(f64) -> bool) -> Option<f64> {
    let mut inside = from;
    for sample in 0..=samples {
        let u = from + (1.0 - from) * sample as f64 / samples as f64;
        if outside(u) {
            return Some(if sample == 0 { from } else { bisect(inside, u, &outside) });
        }
        inside = u;
    }
    None
}

/// Where `outside` begins between a parameter at which it does not hold and one at which it does.
fn bisect(mut inside: f64, mut outer: f64, outside: &impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (inside + outer);
        if outside(middle) { outer = middle } else { inside = middle }
    }
    outer
}
