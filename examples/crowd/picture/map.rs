//! The whole map, and where on it most is going on.

use super::Subject;
use crate::body::Body;
use crate::draw::coat::Coat;
use crate::draw::ground::{Style, paint_ground};
use crate::draw::paint::{line, solid};
use crate::draw::view::View;
use tiny_skia::{LineCap, LineJoin, PathBuilder, Pixmap, Stroke, Transform};

/// Thinner bodies are drawn this wide, or they would not be seen.
const LEAST_PX: f32 = 1.5;
/// The inset is looked for in steps of a quarter of its size.
const STEPS: usize = 4;
/// More places than these are not looked at one by one.
const MOST_BINS: f64 = 4e6;

/// Draws the map, and finds the middle of the liveliest window of a size.
pub fn draw(subject: &Subject, view: &View, mut map: Pixmap, window_m: [f64; 2]) -> (Pixmap, [f64; 2]) {
    paint_ground(&mut map, subject.relief, view, Style { exaggeration: 1.25, shade: 0.85, soil_m: None });
    if subject.relief.is_flat() {
        grid(&mut map, view, 10.0, 0.22);
    }
    let mut liveliness = Liveliness::new(subject, window_m);
    for number in 0..subject.count {
        let body = (subject.body)(number);
        if body.joints.iter().flatten().all(|value| value.is_finite()) {
            liveliness.count(&body);
            trace(&mut map, &body, view, &Coat::of(subject.species, number));
        }
    }
    let spot = liveliness.best();
    (map, spot)
}

/// Level ground says nothing of its size: a faint grid does, of about `parts` cells.
pub fn grid(pixmap: &mut Pixmap, view: &View, parts: f64, alpha: f32) {
    let size = view.size_m();
    let step = crate::draw::scale::round_length(size[0].max(size[1]) / parts);
    let [w, h] = view.size_px.map(|pixels| pixels as f32);
    let ticks = |corner: f64, extent: f64| {
        let first = (corner / step).ceil() as i64;
        (first..).map(move |i| i as f64 * step).take_while(move |at| *at <= corner + extent)
    };
    for x in ticks(view.corner_m[0], size[0]) {
        let at = view.pixel(x, 0.0)[0];
        line(pixmap, [at, 0.0], [at, h], w / 900.0, [0.30, 0.31, 0.24], alpha);
    }
    for z in ticks(view.corner_m[1], size[1]) {
        let at = view.pixel(0.0, z)[1];
        line(pixmap, [0.0, at], [w, at], w / 900.0, [0.30, 0.31, 0.24], alpha);
    }
}

/// A body as a line, through as many of its joints as can be told apart.
fn trace(map: &mut Pixmap, body: &Body, view: &View, coat: &Coat) {
    let mut builder = PathBuilder::new();
    let mut drawn: Option<[f32; 2]> = None;
    let last = body.joints.len().saturating_sub(1);
    for (i, joint) in body.joints.iter().enumerate() {
        let at = view.pixel(joint[0], joint[2]);
        match drawn {
            None => builder.move_to(at[0], at[1]),
            Some(from) if i < last && (at[0] - from[0]).hypot(at[1] - from[1]) < 0.7 => continue,
            Some(_) => builder.line_to(at[0], at[1]),
        }
        drawn = Some(at);
    }
    let thickest = body.radius_m.iter().copied().fold(0.0, f64::max);
    let width = ((2.0 * thickest * view.px_per_m) as f32).max(LEAST_PX);
    let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    if let Some(path) = builder.finish() {
        map.stroke_path(&path, &solid(coat.plain(), 1.0), &stroke, Transform::identity(), None);
    }
}

/// Counts joints and heads in bins over the map.
struct Liveliness {
    corner_m: [f64; 2],
    bin_m: [f64; 2],
    bins: [usize; 2],
    counts: Vec<f32>,
    centre_m: [f64; 2],
}

impl Liveliness {
    fn new(subject: &Subject, window_m: [f64; 2]) -> Self {
        let size = subject.relief.size_m();
        let wanted = window_m.map(|metres| metres / STEPS as f64);
        let coarser = (size[0] * size[1] / (wanted[0] * wanted[1]) / MOST_BINS).sqrt().max(1.0);
        let bin_m = wanted.map(|metres| metres * coarser);
        let bins = [0, 1].map(|i| (size[i] / bin_m[i]).ceil().max(STEPS as f64) as usize);
        let centre_m = subject.relief.centre_m();
        Self { corner_m: subject.relief.corner_m, bin_m, bins, counts: vec![0.0; bins[0] * bins[1]], centre_m }
    }

    fn count(&mut self, body: &Body) {
        let share = 1.0 / body.joints.len().max(1) as f32;
        for joint in &body.joints {
            self.add(*joint, share);
        }
        // A head is worth a body: a window full of tails would be a pity.
        for head in &body.heads {
            self.add(head.back, 1.0);
        }
    }

    fn add(&mut self, [x, _, z]: [f64; 3], worth: f32) {
        let at = [(x - self.corner_m[0]) / self.bin_m[0], (z - self.corner_m[1]) / self.bin_m[1]];
        if (0..2).all(|i| at[i] >= 0.0 && at[i] < self.bins[i] as f64) {
            self.counts[at[1] as usize * self.bins[0] + at[0] as usize] += worth;
        }
    }

    /// The centre of what the fullest window holds; the map's where nothing is.
    fn best(&self) -> [f64; 2] {
        let windows = (0..=self.bins[1] - STEPS).flat_map(|row| (0..=self.bins[0] - STEPS).map(move |c| [c, row]));
        let (mut most, mut best) = (0.0, self.centre_m);
        for [column, row] in windows {
            let held: f32 = self.lines(column, row).flat_map(|start| &self.counts[start..start + STEPS]).sum();
            if held > most {
                (most, best) = (held, self.balance(column, row, held));
            }
        }
        best
    }

    /// Indices at which the lines of a window start.
    fn lines(&self, column: usize, row: usize) -> impl Iterator<Item = usize> {
        let across = self.bins[0];
        (row..row + STEPS).map(move |line| line * across + column)
    }

    /// Centre of gravity of a window.
    fn balance(&self, column: usize, row: usize, held: f32) -> [f64; 2] {
        let mut moment = [0.0; 2];
        for (down, start) in self.lines(column, row).enumerate() {
            for (along, count) in self.counts[start..start + STEPS].iter().enumerate() {
                let place = [column + along, row + down].map(|bin| bin as f64 + 0.5);
                (0..2).for_each(|i| moment[i] += f64::from(*count) * place[i]);
            }
        }
        [0, 1].map(|i| self.corner_m[i] + self.bin_m[i] * moment[i] / f64::from(held))
    }
}
