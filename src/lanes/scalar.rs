//! Lanes as a plain array: slow, obviously right, and the oracle of the others.

use super::{LANES, Lane8, Lanes, Rings, Row4};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Eight `f32` in an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalarLanes(Lane8);

/// Eight truth values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalarMask([bool; LANES]);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for ScalarLanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] $op other.0[i]))
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl Neg for ScalarLanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}
impl BitAnd for ScalarMask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] && other.0[i]))
    }
}
impl BitOr for ScalarMask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] || other.0[i]))
    }
}
impl Not for ScalarMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|x| !x))
    }
}

impl Lanes for ScalarLanes {
    type Mask = ScalarMask;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn load(lanes: &Lane8) -> Self {
        Self(*lanes)
    }
    #[inline(always)]
    fn store(self, lanes: &mut Lane8) {
        *lanes = self.0;
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> ScalarMask {
        ScalarMask(std::array::from_fn(|i| self.0[i] < other.0[i]))
    }
    #[inline(always)]
    fn le(self, other: Self) -> ScalarMask {
        ScalarMask(std::array::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn select(mask: ScalarMask, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn bits(mask: ScalarMask) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | (u32::from(mask.0[i]) << i))
    }
    #[inline(always)]
    fn to_i32(self) -> [i32; LANES] {
        self.0.map(|x| x as i32)
    }
    #[inline(always)]
    fn from_i32(values: &[i32; LANES]) -> Self {
        Self(values.map(|x| x as f32))
    }
    #[inline(always)]
    fn ten_bits<const SHIFT: i32>(self) -> Self {
        Self(self.0.map(|x| ((x.to_bits() >> SHIFT) & 0x3ff) as f32))
    }
    #[inline(always)]
    fn from_ten_bits([a, b, c]: [Self; 3]) -> Self {
        Self(std::array::from_fn(|i| f32::from_bits(a.0[i] as u32 | ((b.0[i] as u32) << 10) | ((c.0[i] as u32) << 20))))
    }
    #[inline(always)]
    fn gather_rings(rings: Rings<'_>, cursor: &[u32; LANES], back: Self) -> [[Self; 4]; 2] {
        let (starts, back) = (rings.starts(), back.to_i32());
        let pairs: [&[Row4; 2]; LANES] = std::array::from_fn(|lane| {
            rings.pair(starts[lane] + (cursor[lane].wrapping_sub(back[lane] as u32) & rings.mask))
        });
        std::array::from_fn(|row| std::array::from_fn(|c| Self(std::array::from_fn(|lane| pairs[lane][row][c]))))
    }
    #[inline(always)]
    fn scatter_rows12(vectors: [Self; 12], out: &mut [[f32; 12]], first: usize, stride: usize, count: usize) {
        for lane in 0..count {
            out[first + lane * stride] = std::array::from_fn(|k| vectors[k].0[lane]);
        }
    }
}
