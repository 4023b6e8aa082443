//! The ground from above: a tint by height under light from the north-west.

use super::paint::{Rgb, mix, opaque, ramp, scatter, smoothstep};
use super::view::View;
use crate::relief::Relief;
use rayon::prelude::*;
use tiny_skia::Pixmap;

/// Low ground to summits.
pub const TINTS: &[(f32, Rgb)] = &[
    (0.00, [0.50, 0.61, 0.49]),
    (0.18, [0.62, 0.70, 0.53]),
    (0.38, [0.78, 0.78, 0.58]),
    (0.58, [0.86, 0.79, 0.61]),
    (0.78, [0.78, 0.66, 0.52]),
    (1.00, [0.93, 0.90, 0.86]),
];
/// Level ground without heights to tell apart.
const MEADOW: Rgb = [0.80, 0.80, 0.66];
/// Where there is no ground.
const VOID: Rgb = [0.86, 0.85, 0.82];
const SHADE: Rgb = [0.22, 0.22, 0.34];
const SUN: Rgb = [1.0, 0.98, 0.90];
/// Directions to the lights (east, up, south) and their shares: one sun, and two weak ones so that no slope is black.
const LIGHTS: [([f32; 3], f32); 3] =
    [([-0.54, 0.64, -0.54], 0.68), ([-0.80, 0.60, 0.0], 0.16), ([0.0, 0.60, -0.80], 0.16)];
/// What level ground gets of them.
const LEVEL_LIGHT: f32 = 0.64 * 0.68 + 0.60 * 0.32;

/// How a panel shows its ground.
#[derive(Clone, Copy)]
pub struct Style {
    /// Slopes are drawn steeper by this factor.
    pub exaggeration: f32,
    /// The weight of shade; a window on one slope would be dark all over with all of it.
    pub shade: f32,
    /// Size of a unit of the soil's own grain and patches; none leaves them out.
    pub soil_m: Option<f64>,
}

/// Paints every pixel of the pixmap.
pub fn paint_ground(pixmap: &mut Pixmap, relief: &Relief, view: &View, style: Style) {
    let width = view.size_px[0] as usize;
    pixmap.pixels_mut().par_chunks_mut(width).enumerate().for_each(|(row, pixels)| {
        for (column, pixel) in pixels.iter_mut().enumerate() {
            let [x, z] = view.world([column as f64 + 0.5, row as f64 + 0.5]);
            *pixel = opaque(ground_colour(relief, x, z, style));
        }
    });
}

/// Where between the map's lowest and highest point a height is.
fn fraction(relief: &Relief, height_m: f64) -> f32 {
    let [low, high] = relief.range_m;
    ((height_m - low) / (high - low).max(1e-9)) as f32
}

fn ground_colour(relief: &Relief, x: f64, z: f64, style: Style) -> Rgb {
    if relief.is_hole(x, z) {
        return VOID;
    }
    let point = relief.smooth(x, z);
    let mut slope = point.slope.map(|s| s as f32 * style.exaggeration);
    let mut tint = if relief.is_flat() { MEADOW } else { ramp(TINTS, fraction(relief, point.height_m)) };
    if let Some(soil_m) = style.soil_m {
        let (u, v) = (x / soil_m, z / soil_m);
        let grain = soil_slope(u, v);
        slope = [slope[0] + grain[0], slope[1] + grain[1]];
        tint = soil_tint(tint, u, v);
    }
    lit(tint, slope, style.shade)
}

fn lit(tint: Rgb, slope: [f32; 2], shade: f32) -> Rgb {
    let inv_length = 1.0 / (1.0 + slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
    let normal = [-slope[0] * inv_length, inv_length, -slope[1] * inv_length];
    let fall = |to: [f32; 3]| (normal[0] * to[0] + normal[1] * to[1] + normal[2] * to[2]).max(0.0);
    let light: f32 = LIGHTS.iter().map(|(to, share)| share * fall(*to)).sum::<f32>() / LEVEL_LIGHT;
    match light < 1.0 {
        true => mix(tint, SHADE, shade * (1.0 - light)),
        false => mix(tint, SUN, (0.9 * (light - 1.0)).min(0.75)),
    }
}

/// Slopes of a rough soil: noise at a few sizes, from a hand's breadth down to a pebble.
fn soil_slope(x: f64, z: f64) -> [f32; 2] {
    const STEP: f64 = 0.004;
    const HEIGHT: f32 = 0.016;
    let here = roughness(x, z);
    let slope = |there: f32| (there - here) * HEIGHT / STEP as f32;
    [slope(roughness(x + STEP, z)), slope(roughness(x, z + STEP))]
}

fn roughness(x: f64, z: f64) -> f32 {
    noise(x, z, 0.37, 1) * 2.2
        + noise(x, z, 0.12, 2) * 0.9
        + noise(x, z, 0.041, 3) * 0.36
        + noise(x, z, 0.015, 7) * 0.15
}

/// How lush the soil is, 0 to 1: moss above the middle, bare earth below.
pub fn lushness(x: f64, z: f64) -> f32 {
    0.5 + 0.62 * noise(x, z, 0.95, 4) + 0.26 * noise(x, z, 0.27, 5) + 0.14 * noise(x, z, 0.06, 6)
}

fn soil_tint(tint: Rgb, x: f64, z: f64) -> Rgb {
    const MOSS: Rgb = [0.56, 0.63, 0.40];
    const EARTH: Rgb = [0.76, 0.65, 0.50];
    let lush = lushness(x, z);
    let mossy = mix(tint, MOSS, 0.6 * smoothstep(0.50, 0.74, lush));
    mix(mossy, EARTH, 0.6 * smoothstep(0.52, 0.28, lush))
}

/// Unit vectors all around, a sixteenth of a turn apart.
const GRADIENTS: [[f32; 2]; 16] = {
    const A: f32 = 0.923_879_5;
    const B: f32 = 0.382_683_43;
    const C: f32 = std::f32::consts::FRAC_1_SQRT_2;
    let (east, north) = ([[1.0, 0.0], [A, B], [C, C], [B, A]], [[0.0, 1.0], [-B, A], [-C, C], [-A, B]]);
    let (west, south) = ([[-1.0, 0.0], [-A, -B], [-C, -C], [-B, -A]], [[0.0, -1.0], [B, -A], [C, -C], [A, -B]]);
    let mut all = [[0.0; 2]; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = [east, north, west, south][i / 4][i % 4];
        i += 1;
    }
    all
};

/// Gradient noise of about -0.7 to 0.7 with features of about `size_m`. Each salt turns the lattice by its own angle:
/// lattices that agree show as a grid.
fn noise(x: f64, z: f64, size_m: f64, salt: u64) -> f32 {
    let (sin, cos) = (salt as f64 * 0.61).sin_cos();
    let (u, v) = ((cos * x - sin * z) / size_m, (sin * x + cos * z) / size_m);
    let (column, row) = (u.floor(), v.floor());
    let (fu, fv) = ((u - column) as f32, (v - row) as f32);
    let ease = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let at = |i: i64, j: i64| {
        let [gu, gv] = GRADIENTS[(scatter(column as i64 + i, row as i64 + j, salt) * 16.0) as usize % 16];
        gu * (fu - i as f32) + gv * (fv - j as f32)
    };
    let north = at(0, 0) + (at(1, 0) - at(0, 0)) * ease(fu);
    let south = at(0, 1) + (at(1, 1) - at(0, 1)) * ease(fu);
    north + (south - north) * ease(fv)
}
