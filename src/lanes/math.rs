//! Functions of our own, from + - * / and select, so that every machine gives the same bits.

use super::Lanes;

/// 1.5 x 2^23: adding it pushes the fraction out of an `f32`, rounding to nearest even; taking it away gives the integer.
const ROUND: f32 = 12_582_912.0;

/// The nearest integer, ties to even, for |x| up to 2^22.
#[inline(always)]
pub fn round_nearest<L: Lanes>(x: L) -> L {
    (x + L::splat(ROUND)) - L::splat(ROUND)
}

/// sin(2 pi x) for x in turns, |x| up to 2^22; exact at whole and quarter turns, elsewhere within 2e-7.
///
/// The quarter-wave polynomial is the Taylor series of sin(2 pi y) on |y| <= 1/4 to y^13, whose remainder there is below
/// (pi/2)^15 / 15! = 7e-10.
#[inline(always)]
pub fn sin_turns<L: Lanes>(x: L) -> L {
    let y = x - round_nearest(x);
    // Fold the outer quarters back: sin(2 pi y) = sin(2 pi (1/2 - y)).
    let half = L::select(y.lt(L::splat(0.0)), L::splat(-0.5), L::splat(0.5));
    let y = L::select(L::splat(0.25).lt(y.abs()), half - y, y);
    let s = y * y;
    // (2 pi)^k / k! with alternating sign, k = 13 down to 1.
    let mut sum = L::splat(3.819_952_6);
    for coefficient in [-15.094_643, 42.058_693, -76.705_86, 81.605_25, -41.341_7, 6.283_185_5] {
        sum = sum * s + L::splat(coefficient);
    }
    sum * y
}

/// asin(x) in radians for 0 <= x <= 1, within 3e-7: pi / 2 - sqrt(1 - x) times a polynomial.
/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 4.4.46.
#[inline(always)]
pub fn asin<L: Lanes>(x: L) -> L {
    let mut sum = L::splat(-0.001_262_491_1);
    for coefficient in [
        0.006_670_09,
        -0.017_088_126,
        0.030_891_88,
        -0.050_174_305,
        0.088_978_99,
        -0.214_598_8,
        std::f32::consts::FRAC_PI_2,
    ] {
        sum = sum * x + L::splat(coefficient);
    }
    L::splat(std::f32::consts::FRAC_PI_2) - (L::splat(1.0) - x).max(L::splat(0.0)).sqrt() * sum
}

/// cos(2 pi x) for x in turns, |x| up to 2^21; within 2e-7.
#[inline(always)]
pub fn cos_turns<L: Lanes>(x: L) -> L {
    sin_turns(x - round_nearest(x) + L::splat(0.25))
}
