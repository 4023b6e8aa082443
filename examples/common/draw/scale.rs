//! Bars of a round length, and lengths in words.

use super::lettering::{Anchor, Pen, write};
use super::paint::{INK, PAPER, fill_rect, stroke_rect};
use tiny_skia::Pixmap;

pub fn pen(height: f32) -> Pen {
    Pen { height, width: 0.6 + 0.075 * height, ink: INK }
}

/// A bar of a round length with its label above; `foot` is its lower left end.
pub fn scale_bar(page: &mut Pixmap, px_per_m: f64, foot: [f32; 2], most_px: f32, plate: bool) {
    let length_m = round_length(f64::from(most_px) / px_per_m);
    let wide = (length_m * px_per_m) as f32;
    let [x, y] = foot;
    if plate {
        fill_rect(page, [x - 8.0, y - 36.0, wide + 16.0, 44.0], PAPER, 0.82);
    }
    fill_rect(page, [x, y - 8.0, wide, 8.0], PAPER, 1.0);
    for i in [0.0, 2.0] {
        fill_rect(page, [x + 0.25 * i * wide, y - 8.0, 0.25 * wide, 8.0], INK, 1.0);
    }
    stroke_rect(page, [x, y - 8.0, wide, 8.0], 1.0, INK);
    write(page, &metres(length_m), [x + 0.5 * wide, y - 16.0], Anchor::Middle, pen(12.0));
}

/// The longest of 1, 2 or 5 times a power of ten up to a length.
pub fn round_length(most_m: f64) -> f64 {
    let decade = 10f64.powf(most_m.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|lead| lead * decade).find(|length| *length <= most_m).unwrap_or(decade)
}

pub fn metres(length_m: f64) -> String {
    match length_m.abs() {
        km if km >= 1000.0 => format!("{} km", round_to(length_m / 1000.0, 10.0)),
        m if m >= 1.0 || m == 0.0 => format!("{} m", round_to(length_m, if m < 20.0 { 10.0 } else { 1.0 })),
        _ => format!("{} cm", round_to(length_m * 100.0, 10.0)),
    }
}

fn round_to(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_round_lengths() {
        for (most, expected, label) in
            [(0.73, 0.5, "50 cm"), (1.0, 1.0, "1 m"), (299.0, 200.0, "200 m"), (7e3, 5e3, "5 km")]
        {
            assert_eq!(round_length(most), expected);
            assert_eq!(metres(expected), label);
        }
    }
}
