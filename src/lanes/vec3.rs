//! Eight vectors, one a creature.

use super::{Lane8, Lanes};
use std::ops::{Add, Mul, Neg, Sub};

/// Eight 3-vectors: one register a component.
#[derive(Clone, Copy, Debug)]
pub struct Vec3W<L> {
    /// The x components.
    pub x: L,
    /// The y components.
    pub y: L,
    /// The z components.
    pub z: L,
}

impl<L: Lanes> Vec3W<L> {
    /// From its components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }
    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat([x, y, z]: [f32; 3]) -> Self {
        Self::new(L::splat(x), L::splat(y), L::splat(z))
    }
    /// Lane i takes element i of each component.
    #[inline(always)]
    pub fn load([x, y, z]: &[Lane8; 3]) -> Self {
        Self::new(L::load(x), L::load(y), L::load(z))
    }
    /// Element i of each component takes lane i.
    #[inline(always)]
    pub fn store(self, [x, y, z]: &mut [Lane8; 3]) {
        self.x.store(x);
        self.y.store(y);
        self.z.store(z);
    }
    /// Scalar product; summed as (x + y) + z.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    /// Vector product, right-handed.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }
    /// Squared length.
    #[inline(always)]
    pub fn length_squared(self) -> L {
        self.dot(self)
    }
    /// Length.
    #[inline(always)]
    pub fn length(self) -> L {
        self.length_squared().sqrt()
    }
    /// What is left after taking away the part along the unit vector `axis`.
    #[inline(always)]
    pub fn reject(self, axis: Self) -> Self {
        self - axis * self.dot(axis)
    }
    /// The unit vector along this one, or `fallback` where the squared length is below `least`.
    #[inline(always)]
    pub fn normalize_or(self, least: f32, fallback: Self) -> Self {
        let square = self.length_squared();
        let good = L::splat(least).lt(square);
        let inv = L::splat(1.0) / L::select(good, square, L::splat(1.0)).sqrt();
        Self::select(good, self * inv, fallback)
    }
    /// Takes `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
    }
    /// `self` at 0, `other` at 1.
    #[inline(always)]
    pub fn lerp(self, other: Self, t: L) -> Self {
        self + (other - self) * t
    }
}

macro_rules! componentwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<L: Lanes> $trait for Vec3W<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self::new(self.x $op o.x, self.y $op o.y, self.z $op o.z)
            }
        }
    };
}
componentwise!(Add, add, +);
componentwise!(Sub, sub, -);

impl<L: Lanes> Mul<L> for Vec3W<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: L) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}
impl<L: Lanes> Neg for Vec3W<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}
