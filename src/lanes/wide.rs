//! Lanes on the `wide` crate: two four-lane halves, since SSE2 and NEON have no wider registers and `wide` transposes
//! four at a time. Its min, max, reductions and transcendentals are not used: they differ between instruction sets.

use super::{LANES, Lane8, Lanes, Rings, Row4};
use ::wide::{f32x4, i32x4};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Eight `f32` as two `wide` vectors.
#[derive(Clone, Copy, Debug)]
pub struct WideLanes([f32x4; 2]);

/// A comparison's result: all bits of a lane set, or none.
#[derive(Clone, Copy, Debug)]
pub struct WideMask([f32x4; 2]);

macro_rules! halves {
    ($type:ident, $trait:ident, $method:ident, $op:tt) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self([self.0[0] $op other.0[0], self.0[1] $op other.0[1]])
            }
        }
    };
}
halves!(WideLanes, Add, add, +);
halves!(WideLanes, Sub, sub, -);
halves!(WideLanes, Mul, mul, *);
halves!(WideLanes, Div, div, /);
halves!(WideMask, BitAnd, bitand, &);
halves!(WideMask, BitOr, bitor, |);

impl Neg for WideLanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // A flip of the sign bit, so that -(+0) is -0 everywhere.
        let sign = f32x4::splat(-0.0);
        Self([self.0[0] ^ sign, self.0[1] ^ sign])
    }
}
impl Not for WideMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self([!self.0[0], !self.0[1]])
    }
}

#[inline(always)]
fn ten_bits_half<const SHIFT: i32>(half: f32x4) -> f32x4 {
    let bits: i32x4 = bytemuck::cast(half);
    f32x4::from_i32x4((bits >> SHIFT as u32) & i32x4::splat(0x3ff))
}

#[inline(always)]
fn from_ten_bits_half(a: f32x4, b: f32x4, c: f32x4) -> f32x4 {
    bytemuck::cast(a.fast_trunc_int() | (b.fast_trunc_int() << 10_u32) | (c.fast_trunc_int() << 20_u32))
}

#[inline(always)]
fn transpose_rows(low: [&[Row4; 2]; 4], high: [&[Row4; 2]; 4], row: usize) -> [WideLanes; 4] {
    let (lo, hi) = (transpose_four(low, row), transpose_four(high, row));
    [WideLanes([lo[0], hi[0]]), WideLanes([lo[1], hi[1]]), WideLanes([lo[2], hi[2]]), WideLanes([lo[3], hi[3]])]
}

#[inline(always)]
fn transpose_four(pairs: [&[Row4; 2]; 4], row: usize) -> [f32x4; 4] {
    let [a, b, c, d] = pairs;
    f32x4::transpose([f32x4::new(a[row]), f32x4::new(b[row]), f32x4::new(c[row]), f32x4::new(d[row])])
}

impl Lanes for WideLanes {
    type Mask = WideMask;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([f32x4::splat(value); 2])
    }
    #[inline(always)]
    fn load(lanes: &Lane8) -> Self {
        Self(bytemuck::cast(*lanes))
    }
    #[inline(always)]
    fn store(self, lanes: &mut Lane8) {
        *lanes = bytemuck::cast(self.0);
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self([self.0[0].sqrt(), self.0[1].sqrt()])
    }
    #[inline(always)]
    fn lt(self, other: Self) -> WideMask {
        WideMask([self.0[0].simd_lt(other.0[0]), self.0[1].simd_lt(other.0[1])])
    }
    #[inline(always)]
    fn le(self, other: Self) -> WideMask {
        WideMask([self.0[0].simd_le(other.0[0]), self.0[1].simd_le(other.0[1])])
    }
    #[inline(always)]
    fn select(mask: WideMask, yes: Self, no: Self) -> Self {
        Self([mask.0[0].select(yes.0[0], no.0[0]), mask.0[1].select(yes.0[1], no.0[1])])
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    fn max(self, other: Self) -> Self {
        use std::arch::x86_64::{__m128, _mm_max_ps};
        // The instruction yields its second operand on ties and NaN, as the trait's compare and select do.
        let [a, b]: [[__m128; 2]; 2] = bytemuck::cast([self.0, other.0]);
        // SAFETY: SSE is part of x86-64.
        Self(bytemuck::cast(unsafe { [_mm_max_ps(a[0], b[0]), _mm_max_ps(a[1], b[1])] }))
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    fn min(self, other: Self) -> Self {
        use std::arch::x86_64::{__m128, _mm_min_ps};
        let [a, b]: [[__m128; 2]; 2] = bytemuck::cast([self.0, other.0]);
        // SAFETY: SSE is part of x86-64.
        Self(bytemuck::cast(unsafe { [_mm_min_ps(a[0], b[0]), _mm_min_ps(a[1], b[1])] }))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self([self.0[0].abs(), self.0[1].abs()])
    }
    #[inline(always)]
    fn bits(mask: WideMask) -> u32 {
        mask.0[0].to_bitmask() | (mask.0[1].to_bitmask() << 4)
    }
    #[inline(always)]
    fn to_i32(self) -> [i32; LANES] {
        bytemuck::cast([self.0[0].fast_trunc_int(), self.0[1].fast_trunc_int()])
    }
    #[inline(always)]
    fn from_i32(values: &[i32; LANES]) -> Self {
        let halves: [i32x4; 2] = bytemuck::cast(*values);
        Self([f32x4::from_i32x4(halves[0]), f32x4::from_i32x4(halves[1])])
    }
    #[inline(always)]
    fn ten_bits<const SHIFT: i32>(self) -> Self {
        Self([ten_bits_half::<SHIFT>(self.0[0]), ten_bits_half::<SHIFT>(self.0[1])])
    }
    #[inline(always)]
    fn from_ten_bits([a, b, c]: [Self; 3]) -> Self {
        Self([from_ten_bits_half(a.0[0], b.0[0], c.0[0]), from_ten_bits_half(a.0[1], b.0[1], c.0[1])])
    }
    #[inline(always)]
    fn gather_rings(rings: Rings<'_>, cursor: &[u32; LANES], back: Self) -> [[Self; 4]; 2] {
        let (starts, cursor): ([i32x4; 2], [i32x4; 2]) = (bytemuck::cast(rings.starts()), bytemuck::cast(*cursor));
        let mask = i32x4::splat(rings.mask as i32);
        let low = starts[0] + ((cursor[0] - back.0[0].fast_trunc_int()) & mask);
        let high = starts[1] + ((cursor[1] - back.0[1].fast_trunc_int()) & mask);
        let [i0, i1, i2, i3, i4, i5, i6, i7]: [u32; LANES] = bytemuck::cast([low, high]);
        let low = [rings.pair(i0), rings.pair(i1), rings.pair(i2), rings.pair(i3)];
        let high = [rings.pair(i4), rings.pair(i5), rings.pair(i6), rings.pair(i7)];
        [transpose_rows(low, high, 0), transpose_rows(low, high, 1)]
    }
    #[inline(always)]
    fn scatter_rows12(v: [Self; 12], out: &mut [[f32; 12]], first: usize, stride: usize, count: usize) {
        for half in 0..2 {
            let a = f32x4::transpose([v[0].0[half], v[1].0[half], v[2].0[half], v[3].0[half]]);
            let b = f32x4::transpose([v[4].0[half], v[5].0[half], v[6].0[half], v[7].0[half]]);
            let c = f32x4::transpose([v[8].0[half], v[9].0[half], v[10].0[half], v[11].0[half]]);
            let here = first + half * 4 * stride;
            if count >= half * 4 + 4 {
                // The usual case: one check for the four rows, and all indices known.
                let rows = &mut out[here..here + 3 * stride + 1];
                rows[0] = bytemuck::cast([a[0], b[0], c[0]]);
                rows[stride] = bytemuck::cast([a[1], b[1], c[1]]);
                rows[2 * stride] = bytemuck::cast([a[2], b[2], c[2]]);
                rows[3 * stride] = bytemuck::cast([a[3], b[3], c[3]]);
            } else {
                for lane in 0..count.saturating_sub(half * 4) {
                    out[here + lane * stride] = bytemuck::cast([a[lane], b[lane], c[lane]]);
                }
            }
        }
    }
}
