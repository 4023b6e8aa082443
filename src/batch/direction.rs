//! A unit vector in 30 bits, so that a knot with its dorsal direction is one 16-byte row.
//!
//! Ten bits a component, error below 0.001, about 0.1 degrees. The two top bits stay clear: the pattern, moved through
//! `f32` registers, is never a NaN.

use crate::lanes::{Lanes, Vec3W};

/// The field that stands for zero.
pub(crate) const HALF: f32 = 511.0;

/// The three components, packed; each must lie within -1 and 1.
#[inline(always)]
pub(crate) fn pack_direction_lanes<L: Lanes>(v: Vec3W<L>) -> L {
    let (half, offset) = (L::splat(HALF), L::splat(HALF + 0.5));
    L::from_ten_bits([v.x * half + offset, v.y * half + offset, v.z * half + offset])
}

/// The vector out of its packed form: nearly of unit length.
#[inline(always)]
pub(crate) fn unpack_direction_lanes<L: Lanes>(bits: L) -> Vec3W<L> {
    let (half, inv) = (L::splat(HALF), L::splat(1.0 / HALF));
    Vec3W::new(
        (bits.ten_bits::<0>() - half) * inv,
        (bits.ten_bits::<10>() - half) * inv,
        (bits.ten_bits::<20>() - half) * inv,
    )
}

/// The three fields of a packed direction, 0 to 1022, of which 511 is zero: linear in the components, so that mixing and
/// scaling can be done on fields.
#[inline(always)]
pub(crate) fn direction_fields<L: Lanes>(bits: L) -> Vec3W<L> {
    Vec3W::new(bits.ten_bits::<0>(), bits.ten_bits::<10>(), bits.ten_bits::<20>())
}

/// Fields packed again, rounded to nearest.
#[inline(always)]
pub(crate) fn pack_fields<L: Lanes>(v: Vec3W<L>) -> L {
    let half = L::splat(0.5);
    L::from_ten_bits([v.x + half, v.y + half, v.z + half])
}

/// [`pack_direction_lanes`] for one vector.
pub(crate) fn pack_direction(v: [f32; 3]) -> f32 {
    let field = |x: f32| (x * HALF + (HALF + 0.5)) as u32 & 0x3ff;
    f32::from_bits(field(v[0]) | (field(v[1]) << 10) | (field(v[2]) << 20))
}

/// The direction that [`Cohort::knots`](super::Cohort::knots) and [`Cohort::joints`](super::Cohort::joints) keep in
/// their fourth component: a vector whose length is 1 within 0.002.
pub fn unpack_direction(bits: f32) -> [f32; 3] {
    let field = |shift: u32| (((bits.to_bits() >> shift) & 0x3ff) as f32 - HALF) * (1.0 / HALF);
    [field(0), field(10), field(20)]
}

/// `v` turned as the unit vector `from` turns to `to`, by the smallest rotation: the product of two reflections. For
/// opposite directions, where that is not defined, `v` stays.
pub(crate) fn rotate_with(v: [f32; 3], from: [f32; 3], to: [f32; 3]) -> [f32; 3] {
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let both = [from[0] + to[0], from[1] + to[1], from[2] + to[2]];
    let square = 0.5 * dot(both, both);
    if square < 1e-6 {
        return v;
    }
    let (a, b) = (dot(both, v) / square, 2.0 * dot(from, v));
    [v[0] - both[0] * a + to[0] * b, v[1] - both[1] * a + to[1] * b, v[2] - both[2] * a + to[2] * b]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{LANES, ScalarLanes, WideLanes};

    #[test]
    fn packing_keeps_a_direction_within_a_tenth_of_a_degree() {
        for i in 0..2000 {
            let (a, b) = (i as f32 * 0.731, i as f32 * 0.377);
            let v = [a.sin() * b.cos(), a.cos(), a.sin() * b.sin()];
            let back = unpack_direction(pack_direction(v));
            let error = (0..3).map(|c| (v[c] - back[c]).powi(2)).sum::<f32>().sqrt();
            assert!(error < 0.0018, "{v:?} {back:?}");
        }
        for axis in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]] {
            assert_eq!(unpack_direction(pack_direction(axis)), axis, "axes are exact");
        }
    }

    fn lanes_agree<L: Lanes>() {
        let v = Vec3W::<L>::load(&[[0.6; LANES], [-0.8; LANES], [0.0; LANES]]);
        let packed = pack_direction_lanes(v);
        assert_eq!(packed.to_array()[3].to_bits(), pack_direction([0.6, -0.8, 0.0]).to_bits());
        let back = unpack_direction_lanes(packed);
        assert_eq!(
            [back.x.to_array()[0], back.y.to_array()[0], back.z.to_array()[0]],
            unpack_direction(packed.to_array()[0])
        );
    }

    #[test]
    fn lanes_pack_as_scalars_do() {
        lanes_agree::<ScalarLanes>();
        lanes_agree::<WideLanes>();
    }
}
