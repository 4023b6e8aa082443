//! The only home of SIMD types: eight creatures abreast, one in each lane.
//!
//! Kernels are generic over [`Lanes`] and never see an instruction set. Three implementations exist, and they agree
//! bit for bit on every input a kernel produces: [`ScalarLanes`] (arrays, the oracle), [`WideLanes`] (the `wide` crate's
//! four-lane halves: SSE2, NEON or scalar, fixed when compiled) and, on x86-64, [`Avx2Lanes`] (picked at run time).
//! Only operations whose result IEEE 754 fixes are offered: + - * /, square root, compare, select, exact integer moves.
//!
//! Everything here is `#[inline(always)]`, since a kernel takes the instruction set of the entry point it is inlined
//! into (see `isa`); a function left outside that entry would be compiled for the baseline, and a closure was: 4 x slower.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod isa;
mod math;
mod scalar;
mod segments;
mod vec3;
mod wide;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2Lanes;
pub use isa::{Isa, LaneChoice};
pub(crate) use isa::{Kernel, dispatch};
pub use math::{asin, cos_turns, round_nearest, sin_turns};
pub use scalar::ScalarLanes;
pub use segments::closest_between_segments;
pub use vec3::Vec3W;
pub use wide::WideLanes;

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Creatures in a block: one lane each.
pub const LANES: usize = 8;

/// The lanes of these bits, from the lowest: a few of eight are come to in as many steps.
pub(crate) struct EachLane(pub u32);

impl Iterator for EachLane {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize % LANES;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// One scalar of each creature of a block.
pub type Lane8 = [f32; LANES];

/// A row of four scalars of one creature: how the path history keeps a knot.
pub type Row4 = [f32; 4];

/// Eight rings of rows, one a creature, one after the other. Each ends with a copy of its first row, so that a row and
/// the next newer one always lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Rings<'a> {
    rows: &'a [Row4],
    /// Capacity of a ring, less one.
    mask: u32,
}

impl<'a> Rings<'a> {
    /// The rings in `rows`: eight times a power of two and one.
    ///
    /// # Panics
    /// Where the length is not that.
    #[inline(always)]
    pub fn new(rows: &'a [Row4]) -> Self {
        let stride = rows.len() / LANES;
        assert!(stride > 1 && (stride - 1).is_power_of_two() && stride * LANES == rows.len() && stride < 1 << 24);
        Self { rows, mask: stride as u32 - 2 }
    }

    /// Where each lane's ring begins.
    #[inline(always)]
    fn starts(self) -> [u32; LANES] {
        let stride = self.mask + 2;
        [0, stride, 2 * stride, 3 * stride, 4 * stride, 5 * stride, 6 * stride, 7 * stride]
    }

    /// The row `index` of the rows of all rings, and the next newer one.
    ///
    /// `index` must be a lane's start plus at most `mask`; the gathers mask it so.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn pair(self, index: u32) -> &'a [Row4; 2] {
        debug_assert!(index as usize + 1 < self.rows.len());
        // SAFETY: index + 1 <= start + mask + 1, the last row of the lane's ring, and `new` made sure of the rows of all
        // lanes. Checked indexing cost the march a tenth of its time.
        unsafe { &*self.rows.as_ptr().add(index as usize).cast() }
    }
}

/// Eight `f32`, one a creature. See the module for what implementations promise.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// What a comparison yields: a truth value in each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// The same value in every lane.
    fn splat(value: f32) -> Self;
    /// Lane i takes element i.
    fn load(lanes: &Lane8) -> Self;
    /// Element i takes lane i.
    fn store(self, lanes: &mut Lane8);
    /// The correctly rounded square root.
    fn sqrt(self) -> Self;
    /// The sign bit cleared.
    fn abs(self) -> Self;
    /// self < other; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// Takes `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Bit i is lane i's truth value.
    fn bits(mask: Self::Mask) -> u32;
    /// Truncation toward zero. The caller keeps the values within `i32`: outside, instruction sets differ.
    fn to_i32(self) -> [i32; LANES];
    /// Nearest `f32` to each integer.
    fn from_i32(values: &[i32; LANES]) -> Self;
    /// The ten bits from `SHIFT` of each lane's bit pattern, as a number 0 to 1023.
    fn ten_bits<const SHIFT: i32>(self) -> Self;
    /// The bit pattern a | b << 10 | c << 20 of the truncated values, each 0 to 1023.
    fn from_ten_bits(fields: [Self; 3]) -> Self;
    /// Of each ring the row `back` places below `cursor`, modulo the capacity, and the next newer row: one vector per
    /// component. `back` holds whole numbers.
    fn gather_rings(rings: Rings<'_>, cursor: &[u32; LANES], back: Self) -> [[Self; 4]; 2];
    /// Lane i of the twelve vectors becomes row `first + i * stride` of `out`, for the first `count` lanes.
    fn scatter_rows12(vectors: [Self; 12], out: &mut [[f32; 12]], first: usize, stride: usize, count: usize);

    /// The larger of the two; `other` where they are equal or either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    /// The smaller of the two; `other` where they are equal or either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    /// Whether any lane of the mask is set.
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::bits(mask) != 0
    }
    /// The lanes as an array.
    #[inline(always)]
    fn to_array(self) -> Lane8 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes
    }
    /// A mask from bits: lane i is set where bit i is.
    #[inline(always)]
    fn mask_from_bits(bits: u32) -> Self::Mask {
        let mut lanes = [0.0; LANES];
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = ((bits >> lane) & 1) as f32;
        }
        Self::splat(0.5).lt(Self::load(&lanes))
    }
}

/// Asks for the memory of rows that are about to be written. The eight streams of a block's pose rows are too short for
/// the processor's own prefetching: asked for while the march computes, the write takes a third of its time.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(rows: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start: *const i8 = rows.as_ptr().cast();
        for line in (0..size_of_val(rows)).step_by(64) {
            // SAFETY: a prefetch reads nothing, at any address; this one is inside the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = rows;
}
