//! Lanes on AVX2 registers, for x86-64 processors that have them: see `isa` for how that is made sure.
#![allow(unsafe_code)]

use super::{LANES, Lane8, Lanes, Rings};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Eight `f32` in a 256-bit register.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Lanes(__m256);

/// A comparison's result: all bits of a lane set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Mask(__m256);

// SAFETY (every block of this file): the intrinsics need AVX2. A value of these types exists only inside kernels that
// `isa::dispatch` entered through its `target_feature(enable = "avx2")` function, which `Isa::Avx2` alone selects, and
// `LaneChoice::pick` yields that only after `is_x86_feature_detected!`. Loads and stores go through references to
// arrays of the exact size, and need no alignment.

macro_rules! binary {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}
binary!(Avx2Lanes, Add, add, _mm256_add_ps);
binary!(Avx2Lanes, Sub, sub, _mm256_sub_ps);
binary!(Avx2Lanes, Mul, mul, _mm256_mul_ps);
binary!(Avx2Lanes, Div, div, _mm256_div_ps);
binary!(Avx2Mask, BitAnd, bitand, _mm256_and_ps);
binary!(Avx2Mask, BitOr, bitor, _mm256_or_ps);

impl Neg for Avx2Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}
impl Not for Avx2Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) })
    }
}

/// Transposes 4 x 4 within each 128-bit half.
#[inline(always)]
fn transpose_halves(v: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: see above.
    unsafe {
        let (t0, t1) = (_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
        let (t2, t3) = (_mm256_unpacklo_ps(v[2], v[3]), _mm256_unpackhi_ps(v[2], v[3]));
        [
            _mm256_shuffle_ps::<0x44>(t0, t2),
            _mm256_shuffle_ps::<0xee>(t0, t2),
            _mm256_shuffle_ps::<0x44>(t1, t3),
            _mm256_shuffle_ps::<0xee>(t1, t3),
        ]
    }
}

/// Transposes 8 x 8.
#[inline(always)]
fn transpose(v: [__m256; 8]) -> [__m256; 8] {
    let a = transpose_halves([v[0], v[1], v[2], v[3]]);
    let b = transpose_halves([v[4], v[5], v[6], v[7]]);
    // SAFETY: see above.
    unsafe {
        [
            _mm256_permute2f128_ps::<0x20>(a[0], b[0]),
            _mm256_permute2f128_ps::<0x20>(a[1], b[1]),
            _mm256_permute2f128_ps::<0x20>(a[2], b[2]),
            _mm256_permute2f128_ps::<0x20>(a[3], b[3]),
            _mm256_permute2f128_ps::<0x31>(a[0], b[0]),
            _mm256_permute2f128_ps::<0x31>(a[1], b[1]),
            _mm256_permute2f128_ps::<0x31>(a[2], b[2]),
            _mm256_permute2f128_ps::<0x31>(a[3], b[3]),
        ]
    }
}

/// The eight numbers, two at a time: half as many moves between register files as one at a time.
#[inline(always)]
fn scalars(v: __m256i) -> [u32; LANES] {
    // SAFETY: see above.
    let pairs = unsafe {
        let (low, high) = (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
        [_mm_cvtsi128_si64(low), _mm_extract_epi64::<1>(low), _mm_cvtsi128_si64(high), _mm_extract_epi64::<1>(high)]
    };
    let [a, b, c, d] = pairs;
    let high = 32;
    [
        a as u32,
        (a >> high) as u32,
        b as u32,
        (b >> high) as u32,
        c as u32,
        (c >> high) as u32,
        d as u32,
        (d >> high) as u32,
    ]
}

#[inline(always)]
fn load_pair(rings: Rings<'_>, index: u32) -> __m256 {
    // SAFETY: see above; a pair of rows is eight floats.
    unsafe { _mm256_loadu_ps(rings.pair(index).as_ptr().cast()) }
}

impl Lanes for Avx2Lanes {
    type Mask = Avx2Mask;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_ps(value) })
    }
    #[inline(always)]
    fn load(lanes: &Lane8) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_loadu_ps(lanes.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, lanes: &mut Lane8) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Avx2Mask {
        // SAFETY: see above.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn le(self, other: Self) -> Avx2Mask {
        // SAFETY: see above.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: Avx2Mask, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // The instruction yields its second operand on ties and NaN, as the trait's compare and select do.
        // SAFETY: see above.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn bits(mask: Avx2Mask) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(mask.0) as u32 }
    }
    #[inline(always)]
    fn to_i32(self) -> [i32; LANES] {
        let mut out = [0; LANES];
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_cvttps_epi32(self.0)) };
        out
    }
    #[inline(always)]
    fn from_i32(values: &[i32; LANES]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_cvtepi32_ps(_mm256_loadu_si256(values.as_ptr().cast())) })
    }
    #[inline(always)]
    fn ten_bits<const SHIFT: i32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let field = _mm256_srli_epi32::<SHIFT>(_mm256_castps_si256(self.0));
            _mm256_cvtepi32_ps(_mm256_and_si256(field, _mm256_set1_epi32(0x3ff)))
        })
    }
    #[inline(always)]
    fn from_ten_bits([a, b, c]: [Self; 3]) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let (a, b, c) = (_mm256_cvttps_epi32(a.0), _mm256_cvttps_epi32(b.0), _mm256_cvttps_epi32(c.0));
            let high = _mm256_or_si256(_mm256_slli_epi32::<10>(b), _mm256_slli_epi32::<20>(c));
            _mm256_castsi256_ps(_mm256_or_si256(a, high))
        })
    }
    #[inline(always)]
    fn gather_rings(rings: Rings<'_>, cursor: &[u32; LANES], back: Self) -> [[Self; 4]; 2] {
        let starts = rings.starts();
        // SAFETY: see above.
        let index = unsafe {
            let place = _mm256_sub_epi32(_mm256_loadu_si256(cursor.as_ptr().cast()), _mm256_cvttps_epi32(back.0));
            let place = _mm256_and_si256(place, _mm256_set1_epi32(rings.mask as i32));
            _mm256_add_epi32(place, _mm256_loadu_si256(starts.as_ptr().cast()))
        };
        let [i0, i1, i2, i3, i4, i5, i6, i7] = scalars(index);
        // Written out: a closure is compiled without the caller's instruction set.
        let [x, y, z, w, x2, y2, z2, w2] = transpose([
            load_pair(rings, i0),
            load_pair(rings, i1),
            load_pair(rings, i2),
            load_pair(rings, i3),
            load_pair(rings, i4),
            load_pair(rings, i5),
            load_pair(rings, i6),
            load_pair(rings, i7),
        ]);
        [[Self(x), Self(y), Self(z), Self(w)], [Self(x2), Self(y2), Self(z2), Self(w2)]]
    }
    #[inline(always)]
    fn scatter_rows12(v: [Self; 12], out: &mut [[f32; 12]], first: usize, stride: usize, count: usize) {
        let a = transpose_halves([v[0].0, v[1].0, v[2].0, v[3].0]);
        let b = transpose_halves([v[4].0, v[5].0, v[6].0, v[7].0]);
        let c = transpose_halves([v[8].0, v[9].0, v[10].0, v[11].0]);
        // One check for all rows.
        let out = &mut out[first..][..(count.max(1) - 1) * stride + 1];
        let base = out.as_mut_ptr();
        if count >= LANES {
            // The usual case: nothing is decided per row.
            for lane in 0..LANES {
                // SAFETY: lane < count, so the row is inside `out`.
                unsafe { put_row(base.add(lane * stride), lane, &a, &b, &c) };
            }
        } else {
            for lane in 0..count {
                // SAFETY: as above.
                unsafe { put_row(base.add(lane * stride), lane, &a, &b, &c) };
            }
        }
    }
}

/// Writes a lane's row out of three transposed quarters.
///
/// # Safety
/// `row` must be valid for writing, and the processor must have AVX2.
#[inline(always)]
unsafe fn put_row(row: *mut [f32; 12], lane: usize, a: &[__m256; 4], b: &[__m256; 4], c: &[__m256; 4]) {
    // SAFETY: the row holds twelve floats.
    unsafe {
        let row: *mut f32 = row.cast();
        if lane < 4 {
            _mm256_storeu_ps(row, _mm256_permute2f128_ps::<0x20>(a[lane], b[lane]));
            _mm_storeu_ps(row.add(8), _mm256_castps256_ps128(c[lane]));
        } else {
            _mm256_storeu_ps(row, _mm256_permute2f128_ps::<0x31>(a[lane - 4], b[lane - 4]));
            _mm_storeu_ps(row.add(8), _mm256_extractf128_ps::<1>(c[lane - 4]));
        }
    }
}
