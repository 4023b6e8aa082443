//! Segments against segments.

use super::{Lanes, Vec3W};

/// Shares of both segments, from p along dp and from q along dq, at which they come nearest.
#[inline(always)]
pub fn closest_between_segments<L: Lanes>(p: Vec3W<L>, dp: Vec3W<L>, q: Vec3W<L>, dq: Vec3W<L>) -> (L, L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let r = p - q;
    let (a, e, b) = (dp.dot(dp), dq.dot(dq), dp.dot(dq));
    let (c, f) = (dp.dot(r), dq.dot(r));
    let tiny = L::splat(1e-30);
    let bottom = a * e - b * b;
    let crosses = (L::splat(1e-6) * a * e).lt(bottom) & zero.lt(bottom);
    let s = L::select(crosses, (b * f - c * e) / L::select(crosses, bottom, one), L::splat(0.5));
    let s = s.max(zero).min(one);
    let t = ((b * s + f) / e.max(tiny)).max(zero).min(one);
    let s = ((b * t - c) / a.max(tiny)).max(zero).min(one);
    (s, t)
}
