//! A body as it is: every pixel within the radius of the centre line takes its place along and across the body, its
//! light from there, and its colour from the coat.

use super::coat::Coat;
use super::paint::{Rgb, blend, mix, scale, smoothstep};
use tiny_skia::Pixmap;

/// A point of the centre line in pixels, with the radius there and the arc from the front in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    pub at: [f32; 2],
    pub radius: f32,
    pub arc: f32,
}

/// What a pixel near a centre line knows of it.
#[derive(Clone, Copy)]
struct Touch {
    /// Distance from the line, of the radius there.
    share: f32,
    /// The way from the line to the pixel, in radii.
    off: [f32; 2],
    /// Signed place across the body: -1 at its right edge, 1 at its left.
    across: f32,
    arc: f32,
    radius: f32,
}

/// The pixels around a line, in a box of the pixmap.
struct Swath {
    corner: [i32; 2],
    width: usize,
    touches: Vec<Touch>,
}

const FAR: Touch = Touch { share: f32::INFINITY, off: [0.0; 2], across: 0.0, arc: 0.0, radius: 1.0 };
/// Directions of the sun and of its mirror image for a viewer above: right, up, down the picture.
const SUN: [f32; 3] = [-0.54, 0.64, -0.54];
const GLINT: [f32; 3] = [-0.30, 0.905, -0.30];

/// A smooth line through the joints (Catmull-Rom), a station every `step` pixels or less.
pub fn stations(joints: &[[f32; 2]], radii: &[f32], step: f32) -> Vec<Station> {
    let mut line: Vec<Station> = Vec::new();
    let last = joints.len() - 1;
    for i in 0..last {
        let around = [joints[i.saturating_sub(1)], joints[i], joints[i + 1], joints[(i + 2).min(last)]];
        // The upper limit is for a body that is broken: its segments may be of any length.
        let pieces = (distance(joints[i], joints[i + 1]) / step).ceil().clamp(1.0, 500.0) as usize;
        for k in 0..pieces {
            let t = k as f32 / pieces as f32;
            append(&mut line, spline(around, t), radii[i] + t * (radii[i + 1] - radii[i]));
        }
    }
    append(&mut line, joints[last], radii[last]);
    line
}

fn append(line: &mut Vec<Station>, at: [f32; 2], radius: f32) {
    let arc = line.last().map_or(0.0, |last| last.arc + distance(last.at, at));
    line.push(Station { at, radius, arc });
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    (b[0] - a[0]).hypot(b[1] - a[1])
}

fn spline(p: [[f32; 2]; 4], t: f32) -> [f32; 2] {
    std::array::from_fn(|i| {
        let (a, b, c, d) = (p[0][i], p[1][i], p[2][i], p[3][i]);
        b + 0.5 * t * ((c - a) + t * ((2.0 * a - 5.0 * b + 4.0 * c - d) + t * (3.0 * (b - c) + d - a)))
    })
}

/// A soft shadow, away from the sun; `lift` is the line's height above the ground in radii.
pub fn paint_shadow(pixmap: &mut Pixmap, line: &[Station], lift: f32) {
    const REACH: f32 = 2.1;
    let shift = 0.55 * lift;
    let moved: Vec<Station> =
        line.iter().map(|s| Station { at: [s.at[0] + shift * s.radius, s.at[1] + shift * s.radius], ..*s }).collect();
    sweep(pixmap, &moved, REACH).paint(pixmap, |touch| {
        let ink = 1.0 - smoothstep(0.45, REACH, touch.share);
        ([0.10, 0.10, 0.13], 0.62 * ink)
    });
}

/// The body itself; `girth` is the thickest radius, by which the coat's marks are sized.
pub fn paint_body(pixmap: &mut Pixmap, line: &[Station], coat: &Coat, girth: f32) {
    let whole = line.last().map_or(1.0, |last| last.arc.max(1e-3));
    sweep(pixmap, line, 1.3).paint(pixmap, |touch| {
        let colour = coat.body(touch.arc / girth, touch.across, touch.arc / whole);
        (lit(colour, touch), edge(touch))
    });
}

/// A head: a line that swells and narrows, in the coat's plain colour.
pub fn paint_head(pixmap: &mut Pixmap, line: &[Station], coat: &Coat) {
    sweep(pixmap, line, 1.3).paint(pixmap, |touch| (lit(coat.head(touch.across), touch), edge(touch)));
}

/// How much of a pixel at the rim is covered.
fn edge(touch: &Touch) -> f32 {
    ((1.0 - touch.share) * touch.radius + 0.5).clamp(0.0, 1.0)
}

/// The light on a round body.
fn lit(colour: Rgb, touch: &Touch) -> Rgb {
    let up = (1.0 - touch.share * touch.share).max(0.0).sqrt();
    let fall = |to: [f32; 3]| (touch.off[0] * to[0] + up * to[1] + touch.off[1] * to[2]).max(0.0);
    let diffuse = 0.50 + 0.72 * fall(SUN);
    mix(scale(colour, diffuse), [1.0, 0.98, 0.92], 0.42 * fall(GLINT).powi(28))
}

/// Finds for every pixel within `reach` radii the nearest place of the line.
fn sweep(pixmap: &Pixmap, line: &[Station], reach: f32) -> Swath {
    let mut swath = Swath::around(pixmap, line, reach);
    for pair in line.windows(2) {
        swath.add(&pair[0], &pair[1], reach);
    }
    swath
}

impl Swath {
    /// An empty box around a line, within the pixmap.
    fn around(pixmap: &Pixmap, line: &[Station], reach: f32) -> Self {
        let bound = |axis: usize, limit: u32| {
            let low = line.iter().map(|s| s.at[axis] - reach * s.radius).fold(f32::INFINITY, f32::min);
            let high = line.iter().map(|s| s.at[axis] + reach * s.radius).fold(f32::NEG_INFINITY, f32::max);
            ((low - 2.0).max(0.0) as i32, (high + 2.0).clamp(0.0, limit as f32) as i32)
        };
        let ((left, right), (top, bottom)) = (bound(0, pixmap.width()), bound(1, pixmap.height()));
        let (width, height) = ((right - left).max(0) as usize, (bottom - top).max(0) as usize);
        Self { corner: [left, top], width, touches: vec![FAR; width * height] }
    }

    /// One straight piece of the line.
    fn add(&mut self, a: &Station, b: &Station, reach: f32) {
        let run = [b.at[0] - a.at[0], b.at[1] - a.at[1]];
        let inv_squared = 1.0 / (run[0] * run[0] + run[1] * run[1]).max(1e-9);
        let margin = reach * a.radius.max(b.radius) + 1.0;
        let height = self.touches.len() / self.width.max(1);
        let span = |axis: usize, count: usize| {
            let (low, high) = (a.at[axis].min(b.at[axis]) - margin, a.at[axis].max(b.at[axis]) + margin);
            let index = |at: f32| (at - self.corner[axis] as f32).clamp(0.0, count as f32) as usize;
            index(low)..index(high)
        };
        let columns = span(0, self.width);
        for row in span(1, height) {
            for column in columns.clone() {
                let pixel = self.centre(column, row);
                let to = [pixel[0] - a.at[0], pixel[1] - a.at[1]];
                let t = ((to[0] * run[0] + to[1] * run[1]) * inv_squared).clamp(0.0, 1.0);
                let touch = touch(a, b, t, run, [to[0] - t * run[0], to[1] - t * run[1]]);
                let best = &mut self.touches[row * self.width + column];
                if touch.share < best.share.min(reach) {
                    *best = touch;
                }
            }
        }
    }

    fn centre(&self, column: usize, row: usize) -> [f32; 2] {
        [self.corner[0] as f32 + column as f32 + 0.5, self.corner[1] as f32 + row as f32 + 0.5]
    }

    /// Blends a colour and its opacity into every touched pixel.
    fn paint(&self, pixmap: &mut Pixmap, look: impl Fn(&Touch) -> (Rgb, f32)) {
        let stride = pixmap.width() as usize;
        let start = self.corner[1] as usize * stride + self.corner[0] as usize;
        let pixels = pixmap.pixels_mut();
        for (i, touch) in self.touches.iter().enumerate().filter(|(_, touch)| touch.share.is_finite()) {
            let (colour, alpha) = look(touch);
            if alpha > 0.0 {
                blend(&mut pixels[start + i / self.width * stride + i % self.width], colour, alpha);
            }
        }
    }
}

fn touch(a: &Station, b: &Station, t: f32, run: [f32; 2], off: [f32; 2]) -> Touch {
    let radius = (a.radius + t * (b.radius - a.radius)).max(0.05);
    let share = off[0].hypot(off[1]) / radius;
    // Down the picture is +y: seen with the head ahead, the left side has a positive cross product toward the tail.
    let side = run[0] * off[1] - run[1] * off[0];
    Touch {
        share,
        off: [off[0] / radius, off[1] / radius],
        across: share.min(1.0).copysign(side),
        arc: a.arc + t * (b.arc - a.arc),
        radius,
    }
}
