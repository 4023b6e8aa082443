//! Ground without end: one plane, level or tilted.

use super::GroundSample;
use crate::error::{Error, Result};

/// A steeper plane is a wall: heights on it would lose what precision f64 has.
const MIN_NORMAL_Y: f64 = 1e-3;

/// How far from 1 the length of a given normal may be; what is within is made unit.
const NORMAL_LENGTH_TOLERANCE: f64 = 1e-3;

/// A plane that covers every finite x and z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    height_m: f64,
    normal: [f32; 3],
    /// Metres up per metre of x and of z.
    slope: [f64; 2],
}

impl Plane {
    /// A level plane at `height_m`. A height that is not finite makes every sample a miss.
    #[must_use]
    pub const fn level(height_m: f64) -> Self {
        Self { height_m, normal: [0.0, 1.0, 0.0], slope: [0.0, 0.0] }
    }

    /// A plane through (0, `height_m`, 0) with the upward unit `normal` (x, y, z).
    ///
    /// # Errors
    /// [`Error::Value`] where `height_m` is not finite, or `normal` is not unit within 0.001 or its y is below 0.001.
    pub fn tilted(height_m: f64, normal: [f32; 3]) -> Result<Self> {
        if !height_m.is_finite() {
            return Err(Error::value("plane.height_m", height_m, "finite metres"));
        }
        let [x, y, z] = normal.map(f64::from);
        let length = (x * x + y * y + z * z).sqrt();
        let is_unit = (1.0 - NORMAL_LENGTH_TOLERANCE..=1.0 + NORMAL_LENGTH_TOLERANCE).contains(&length);
        if !is_unit || y < MIN_NORMAL_Y {
            let allowed = "length 1 within 0.001, y at least 0.001";
            return Err(Error::value("plane.normal", format!("{normal:?}"), allowed));
        }
        let unit = [(x / length) as f32, (y / length) as f32, (z / length) as f32];
        Ok(Self { height_m, normal: unit, slope: [-x / y, -z / y] })
    }

    /// The height at x = z = 0, in metres.
    #[must_use]
    pub const fn height_m(&self) -> f64 {
        self.height_m
    }

    /// The upward unit normal.
    #[must_use]
    pub const fn normal(&self) -> [f32; 3] {
        self.normal
    }

    /// The ground at (x, z); `None` where a coordinate, or the height there, is not finite.
    #[must_use]
    pub fn sample(&self, x: f64, z: f64) -> Option<GroundSample> {
        let height_m = self.height_at(x, z);
        let footing = super::Footing::default();
        let sample = GroundSample { height_m, normal: self.normal, face_normal: self.normal, footing };
        height_m.is_finite().then_some(sample)
    }

    /// Not finite where x or z is not: even a level slope, 0, times infinity is NaN.
    #[inline(always)]
    pub(super) fn height_at(&self, x: f64, z: f64) -> f64 {
        self.height_m + (self.slope[0] * x + self.slope[1] * z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilted_plane_rises_against_its_normal() {
        let plane = Plane::tilted(2.0, [-0.6, 0.8, 0.0]).unwrap();
        let ground = plane.sample(4.0, 100.0).unwrap();
        assert!((ground.height_m - 5.0).abs() < 1e-6, "{ground:?}");
        assert_eq!(ground.normal, ground.face_normal);
    }

    #[test]
    fn refuses_what_is_not_an_upward_unit_normal() {
        let bad = [
            [0.0, -1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0; 3],
            [f32::NAN, 1.0, 0.0],
            [0.0, f32::INFINITY, 0.0],
        ];
        for normal in bad {
            assert!(matches!(Plane::tilted(0.0, normal), Err(Error::Value { .. })), "{normal:?}");
        }
        assert!(Plane::tilted(f64::NAN, [0.0, 1.0, 0.0]).is_err());
    }

    #[test]
    fn coordinates_that_are_not_finite_are_a_miss() {
        let plane = Plane::level(1.0);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(plane.sample(bad, 0.0).is_none() && plane.sample(0.0, bad).is_none(), "{bad}");
        }
        assert!(Plane::level(f64::NAN).sample(0.0, 0.0).is_none());
    }
}
