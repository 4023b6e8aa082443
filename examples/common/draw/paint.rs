//! Colours, and the few ways in which the picture puts them down.

use tiny_skia::{Color, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, Transform};

/// Display values, 0 to 1.
pub type Rgb = [f32; 3];

pub const PAPER: Rgb = [0.957, 0.937, 0.894];
pub const INK: Rgb = [0.20, 0.18, 0.16];
pub const FAINT_INK: Rgb = [0.45, 0.41, 0.36];

pub fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

pub fn scale(a: Rgb, factor: f32) -> Rgb {
    a.map(|channel| channel * factor)
}

/// 0 below `low`, 1 above `high`, smooth between.
pub fn smoothstep(low: f32, high: f32, value: f32) -> f32 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A ramp through colour stops, each at a fraction from 0 to 1.
pub fn ramp(stops: &[(f32, Rgb)], at: f32) -> Rgb {
    let upper = stops.iter().position(|(stop, _)| *stop >= at).unwrap_or(stops.len() - 1);
    let (low, high) = (stops[upper.saturating_sub(1)], stops[upper]);
    if high.0 > low.0 { mix(low.1, high.1, ((at - low.0) / (high.0 - low.0)).clamp(0.0, 1.0)) } else { high.1 }
}

fn byte(channel: f32) -> u8 {
    (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

pub fn opaque(colour: Rgb) -> PremultipliedColorU8 {
    let [r, g, b] = colour.map(byte);
    PremultipliedColorU8::from_rgba(r, g, b, 255).unwrap_or(PremultipliedColorU8::TRANSPARENT)
}

/// Lays a colour over an opaque pixel.
pub fn blend(pixel: &mut PremultipliedColorU8, colour: Rgb, alpha: f32) {
    let under = [pixel.red(), pixel.green(), pixel.blue()].map(|channel| f32::from(channel) / 255.0);
    *pixel = opaque(mix(under, colour, alpha));
}

pub fn solid(colour: Rgb, alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    let [r, g, b] = colour.map(byte);
    paint.set_color(Color::from_rgba8(r, g, b, byte(alpha)));
    paint
}

/// A filled rectangle; one without area is none.
pub fn fill_rect(pixmap: &mut Pixmap, [x, y, w, h]: [f32; 4], colour: Rgb, alpha: f32) {
    if let Some(rect) = Rect::from_xywh(x, y, w, h) {
        pixmap.fill_rect(rect, &solid(colour, alpha), Transform::identity(), None);
    }
}

pub fn stroke_rect(pixmap: &mut Pixmap, [x, y, w, h]: [f32; 4], width: f32, colour: Rgb) {
    if let Some(rect) = Rect::from_xywh(x, y, w, h) {
        let stroke = Stroke { width, ..Stroke::default() };
        let path = PathBuilder::from_rect(rect);
        pixmap.stroke_path(&path, &solid(colour, 1.0), &stroke, Transform::identity(), None);
    }
}

pub fn line(pixmap: &mut Pixmap, from: [f32; 2], to: [f32; 2], width: f32, colour: Rgb, alpha: f32) {
    let mut builder = PathBuilder::new();
    builder.move_to(from[0], from[1]);
    builder.line_to(to[0], to[1]);
    if let Some(path) = builder.finish() {
        let stroke = Stroke { width, ..Stroke::default() };
        pixmap.stroke_path(&path, &solid(colour, alpha), &stroke, Transform::identity(), None);
    }
}

/// A value in 0..1 that looks random, the same for the same three numbers.
pub fn scatter(a: i64, b: i64, salt: u64) -> f32 {
    let mut x = (a as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (b as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F) ^ salt;
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 40) as f32 / (1u64 << 24) as f32
}
