//! Heads: a neck, wide jaws, a blunt snout, two eyes and now and then a tongue.

use super::coat::Coat;
use super::paint::{Rgb, scatter, solid};
use super::skin::{Station, paint_head, stations};
use super::view::View;
use crate::body::HeadShape;
use tiny_skia::{FillRule, LineCap, Paint, PathBuilder, Pixmap, Stroke, Transform};

/// The outline: place from back to snout, half width of the head's.
const OUTLINE: [(f32, f32); 7] =
    [(-0.10, 0.62), (0.12, 0.86), (0.32, 1.0), (0.50, 0.96), (0.68, 0.76), (0.84, 0.54), (0.90, 0.44)];
/// Where the eyes are: place from back to snout, and to the side, of the half width.
const EYE: (f32, f32) = (0.66, 0.62);

/// A head's axes in pixels.
pub struct HeadView {
    back: [f32; 2],
    forward: [f32; 2],
    radius: f32,
}

impl HeadView {
    pub fn new(head: &HeadShape, view: &View) -> Self {
        let back = view.pixel(head.back[0], head.back[2]);
        let scale = (head.length_m * view.px_per_m) as f32;
        let forward = [head.forward[0] as f32 * scale, head.forward[2] as f32 * scale];
        Self { back, forward, radius: (head.radius_m * view.px_per_m) as f32 }
    }

    /// A place by its share of the length from back to snout and its offset to the left, of the half width.
    fn place(&self, ahead: f32, left: f32) -> [f32; 2] {
        let inv_length = 1.0 / self.forward[0].hypot(self.forward[1]).max(1e-6);
        let leftward = [self.forward[1] * inv_length * self.radius, -self.forward[0] * inv_length * self.radius];
        std::array::from_fn(|i| self.back[i] + ahead * self.forward[i] + left * leftward[i])
    }

    pub fn outline(&self) -> Vec<Station> {
        let spine: Vec<_> = OUTLINE.iter().map(|(ahead, _)| self.place(*ahead, 0.0)).collect();
        let radii: Vec<_> = OUTLINE.iter().map(|(_, half)| half * self.radius).collect();
        stations(&spine, &radii, 1.5)
    }

    pub fn paint(&self, pixmap: &mut Pixmap, coat: &Coat, number: usize) {
        if coat.has_eyes() && scatter(number as i64, 0, 21) < 0.35 {
            self.paint_tongue(pixmap);
        }
        paint_head(pixmap, &self.outline(), coat);
        if coat.has_eyes() {
            self.paint_face(pixmap, coat);
        }
    }

    /// Seen from the side: one eye, above the middle.
    pub fn paint_profile(&self, pixmap: &mut Pixmap, coat: &Coat) {
        paint_head(pixmap, &self.outline(), coat);
        if coat.has_eyes() {
            let up = if self.forward[0] < 0.0 { -1.0 } else { 1.0 };
            let eye = self.place(0.62, 0.34 * up);
            dot(pixmap, eye, 0.25 * self.radius, [0.83, 0.70, 0.36]);
            dot(pixmap, eye, 0.165 * self.radius, [0.05, 0.04, 0.04]);
        }
    }

    /// Eyes and nostrils.
    fn paint_face(&self, pixmap: &mut Pixmap, coat: &Coat) {
        for side in [-1.0, 1.0] {
            let eye = self.place(EYE.0, EYE.1 * side);
            dot(pixmap, eye, 0.25 * self.radius, [0.83, 0.70, 0.36]);
            dot(pixmap, eye, 0.165 * self.radius, [0.05, 0.04, 0.04]);
            let glint = [eye[0] - 0.06 * self.radius, eye[1] - 0.06 * self.radius];
            dot(pixmap, glint, 0.06 * self.radius, [0.95, 0.95, 0.92]);
            dot(pixmap, self.place(0.97, 0.16 * side), 0.06 * self.radius, coat.dark());
        }
    }

    fn paint_tongue(&self, pixmap: &mut Pixmap) {
        let mut builder = PathBuilder::new();
        let fork = self.place(1.42, 0.0);
        let mouth = self.place(0.9, 0.0);
        for side in [-0.34, 0.34] {
            let tip = self.place(1.66, side);
            builder.move_to(mouth[0], mouth[1]);
            builder.line_to(fork[0], fork[1]);
            builder.line_to(tip[0], tip[1]);
        }
        let stroke = Stroke { width: (0.11 * self.radius).max(0.8), line_cap: LineCap::Round, ..Stroke::default() };
        if let Some(path) = builder.finish() {
            pixmap.stroke_path(&path, &tongue_paint(), &stroke, Transform::identity(), None);
        }
    }
}

fn tongue_paint() -> Paint<'static> {
    solid([0.62, 0.16, 0.16], 1.0)
}

fn dot(pixmap: &mut Pixmap, at: [f32; 2], radius: f32, colour: Rgb) {
    if let Some(path) = PathBuilder::from_circle(at[0], at[1], radius) {
        pixmap.fill_path(&path, &solid(colour, 1.0), FillRule::Winding, Transform::identity(), None);
    }
}
