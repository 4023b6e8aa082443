//! The picture of a scene: a column for each of its windows, a row for each moment, a section above a plan in each.

use crate::body::{Body, HeadShape};
use crate::draw::coat::Coat;
use crate::draw::ground::{Style, paint_ground};
use crate::draw::head::HeadView;
use crate::draw::lettering::{Anchor, Pen, write};
use crate::draw::paint::{FAINT_INK, INK, stroke_rect};
use crate::draw::scale::{pen, scale_bar};
use crate::draw::skin::{Station, paint_body, paint_shadow, stations};
use crate::draw::view::View;
use crate::relief::Relief;
use crate::scenes::{Creature, Look, Scene};
use crate::section::{self, Layer};
use serpentarium::Terrain;
use tiny_skia::{Color, Pixmap, PixmapPaint, Transform};

/// A moment of a run.
pub struct Frame {
    pub time_s: f64,
    pub bodies: Vec<Body>,
}

const MARGIN: f32 = 36.0;
const HEADING: f32 = 96.0;
const GAP: f32 = 22.0;
/// What columns share of the width.
const ROOM_PX: f64 = 2000.0;
/// Bodies thinner than this would not be seen.
const LEAST_RADIUS_PX: f64 = 1.3;
/// Least range of the plan's tints, in body lengths.
const LEAST_RANGE: f64 = 0.5;
/// A plan's ground is sampled once in a square of so many pixels.
const SAMPLE_PX: f64 = 2.0;

/// Draws the strip.
pub fn draw(scene: &Scene, frames: &[Frame]) -> Result<Pixmap, String> {
    let layers = section::layers(&scene.terrain);
    let column_px = (ROOM_PX / scene.looks.len() as f64).clamp(500.0, 1100.0).round();
    let heights = |look: &Look| [look.height_m, look.depth_m].map(|m| (m * column_px / look.width_m).round());
    let lasting = scene.looks.iter().filter(|look| !look.once);
    let row_px = lasting.map(|look| heights(look).iter().sum()).fold(0.0, f64::max) as f32 + GAP + 6.0;
    let width = 2.0 * MARGIN + scene.looks.len() as f32 * (column_px as f32 + GAP) - GAP;
    let mut page = new_pixmap(f64::from(width), f64::from(HEADING + frames.len() as f32 * row_px + MARGIN))?;
    page.fill(Color::from_rgba8(244, 239, 228, 255));
    let title = format!("{} · {}", scene.name.to_uppercase(), scene.about);
    write(&mut page, &title, [MARGIN, 46.0], Anchor::Left, pen(19.0));
    for (column, look) in scene.looks.iter().enumerate() {
        let left = MARGIN + column as f32 * (column_px as f32 + GAP);
        let motion = match scene.creatures[look.creature] {
            Creature::Driven { .. } => "DRIVEN",
            Creature::Reported(_) => "REPORTED",
        };
        let faint = Pen { ink: FAINT_INK, ..pen(11.0) };
        write(&mut page, motion, [left, 76.0], Anchor::Left, faint);
        let shown = if look.once { &frames[frames.len() - 1..] } else { frames };
        for (row, frame) in shown.iter().enumerate() {
            let top = HEADING + row as f32 * row_px;
            let window = Window::new(scene, look, frame, column_px / look.width_m);
            let [side_px, plan_px] = heights(look);
            let side = window.section(&layers, new_pixmap(column_px, side_px)?);
            let plan = window.plan(new_pixmap(column_px, plan_px)?);
            panel(&mut page, &side, [left, top]);
            panel(&mut page, &plan, [left, top + side_px as f32 + 5.0]);
            write(&mut page, &format!("{:.1} S", frame.time_s), [left + 8.0, top + 19.0], Anchor::Left, pen(11.0));
            if row == 0 {
                let foot = [left + 14.0, top + side_px as f32 - 12.0];
                scale_bar(&mut page, column_px / look.width_m, foot, 0.2 * column_px as f32, true);
            }
        }
    }
    Ok(page)
}

fn new_pixmap(width: f64, height: f64) -> Result<Pixmap, String> {
    let [width, height] = [width, height].map(|pixels| pixels.round() as u32);
    Pixmap::new(width, height).ok_or_else(|| format!("no picture of {width} x {height} pixels"))
}

fn panel(page: &mut Pixmap, panel: &Pixmap, [x, y]: [f32; 2]) {
    page.draw_pixmap(x as i32, y as i32, panel.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
    stroke_rect(page, [x.floor(), y.floor(), panel.width() as f32, panel.height() as f32], 1.0, INK);
}

/// A look at a moment.
struct Window<'a> {
    terrain: &'a Terrain,
    look: &'a Look,
    species: &'a str,
    length_m: f64,
    /// World y of the scene's zero.
    zero_m: f64,
    bodies: &'a [Body],
    centre: [f64; 3],
    px_per_m: f64,
}

impl<'a> Window<'a> {
    fn new(scene: &'a Scene, look: &'a Look, frame: &'a Frame, px_per_m: f64) -> Self {
        let joints = &frame.bodies[look.creature].joints;
        let mean = [0, 1, 2].map(|i| joints.iter().map(|joint| joint[i]).sum::<f64>() / joints.len() as f64);
        Self {
            terrain: &scene.terrain,
            look,
            species: scene.profile.name(),
            length_m: f64::from(scene.profile.length_m()),
            zero_m: scene.origin.y,
            bodies: &frame.bodies,
            centre: look.at.map_or(mean, |at| (scene.origin + at).into()),
            px_per_m,
        }
    }

    fn view(&self, size: &Pixmap, middle: [f64; 2]) -> View {
        View::around(middle, self.px_per_m, [size.width(), size.height()])
    }

    fn section(&self, layers: &[Layer], mut pixmap: Pixmap) -> Pixmap {
        let body = &self.bodies[self.look.creature];
        let line = Line::along(body, self.look.unrolled);
        let middle = if self.look.unrolled { 0.5 * line.span() } else { self.centre[0] };
        let view = self.view(&pixmap, [middle, -self.centre[1]]);
        section::paint(&mut pixmap, &view, layers, |along| line.place(along));
        self.paint(&mut pixmap, &view, &line.side(body), self.look.creature, false);
        pixmap
    }

    fn plan(&self, mut pixmap: Pixmap) -> Pixmap {
        let view = self.view(&pixmap, [self.centre[0], self.centre[2]]);
        let counts = view.size_px.map(|pixels| (f64::from(pixels) / SAMPLE_PX).ceil() as usize + 2);
        let below = self.zero_m + self.look.plan_below_m;
        let height = |x: f64, z: f64| self.terrain.sample_under(x, below, z).map(|ground| ground.height_m);
        match Relief::sampled(counts, [SAMPLE_PX / self.px_per_m; 2], view.corner_m, height) {
            Some(mut relief) => {
                // Level ground does not show off its bumps in all colours.
                let [low, high] = relief.range_m;
                let more = (LEAST_RANGE * self.length_m - (high - low)).max(0.0);
                relief.range_m = [low - 0.5 * more, high + 0.5 * more];
                paint_ground(&mut pixmap, &relief, &view, Style { exaggeration: 1.0, shade: 0.7, soil_m: None });
            }
            None => pixmap.fill(Color::from_rgba8(220, 218, 210, 255)),
        }
        for (number, body) in self.bodies.iter().enumerate() {
            let margin = 2.0 * body.segment_m;
            if body.joints.iter().any(|joint| view.sees(*joint, margin)) {
                self.paint(&mut pixmap, &view, body, number, true);
            }
        }
        pixmap
    }

    fn paint(&self, pixmap: &mut Pixmap, view: &View, body: &Body, number: usize, shadow: bool) {
        if !body.joints.iter().flatten().all(|value| value.is_finite()) {
            return;
        }
        let joints: Vec<_> = body.joints.iter().map(|joint| view.pixel(joint[0], joint[2])).collect();
        let radii: Vec<f32> =
            body.radius_m.iter().map(|radius| (radius * view.px_per_m).max(LEAST_RADIUS_PX) as f32).collect();
        let line: Vec<Station> = stations(&joints, &radii, 2.0);
        let girth = radii.iter().copied().fold(0.1, f32::max);
        let coat = Coat::of(self.species, number);
        let heads: Vec<HeadView> = body.heads.iter().map(|head| HeadView::new(head, view)).collect();
        if shadow {
            paint_shadow(pixmap, &line, 1.0);
        }
        paint_body(pixmap, &line, &coat, girth);
        let far = girth < 3.0;
        for head in heads.iter().filter(|_| !far) {
            if shadow {
                head.paint(pixmap, &coat, number);
            } else {
                head.paint_profile(pixmap, &coat);
            }
        }
    }
}

/// A body's line in plan, which its section is cut along.
struct Line {
    /// Where each joint is along the picture.
    along: Vec<f64>,
    /// x and z of each joint.
    plan: Vec<[f64; 2]>,
    unrolled: bool,
}

impl Line {
    fn along(body: &Body, unrolled: bool) -> Self {
        let plan: Vec<_> = body.joints.iter().map(|[x, _, z]| [*x, *z]).collect();
        let mut along: Vec<f64> = plan.iter().map(|[x, _]| *x).collect();
        if unrolled {
            // From the tail on, so that the head is to the right.
            along[plan.len() - 1] = 0.0;
            for i in (0..plan.len() - 1).rev() {
                let [dx, dz] = [0, 1].map(|axis| plan[i][axis] - plan[i + 1][axis]);
                along[i] = along[i + 1] + dx.hypot(dz);
            }
        }
        Self { along, plan, unrolled }
    }

    /// How far along an unrolled body its head is.
    fn span(&self) -> f64 {
        self.along[0]
    }

    /// x and z at a place along the picture. Beyond its ends an unrolled line goes straight on; another one's z stays.
    fn place(&self, at: f64) -> [f64; 2] {
        let last = self.along.len() - 1;
        let inside = (0..last).find(|&i| {
            let [a, b] = [self.along[i], self.along[i + 1]];
            a != b && (a - at) * (b - at) <= 0.0
        });
        if let Some(i) = inside {
            return self.between(i, i + 1, at);
        }
        if self.unrolled {
            return if at > self.along[0] { self.between(1, 0, at) } else { self.between(last - 1, last, at) };
        }
        let off = |i: &usize| (self.along[*i] - at).abs();
        let nearest = (0..=last).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        [at, self.plan[nearest][1]]
    }

    /// On the straight line through two joints.
    fn between(&self, i: usize, j: usize, at: f64) -> [f64; 2] {
        let run = self.along[j] - self.along[i];
        // A body that ends in a vertical goes nowhere.
        let share = if run.abs() > 1e-9 { (at - self.along[i]) / run } else { 0.0 };
        [0, 1].map(|axis| self.plan[i][axis] + share * (self.plan[j][axis] - self.plan[i][axis]))
    }

    /// The body on its side: along the picture, and up it.
    fn side(&self, body: &Body) -> Body {
        let joints = self.along.iter().zip(&body.joints).map(|(along, joint)| [*along, 0.0, -joint[1]]).collect();
        let lie = |head: &HeadShape| {
            let [x, y, z] = head.forward;
            let ahead = if self.unrolled { x.hypot(z) } else { x };
            let [dx, dz] = [0, 1].map(|axis| head.back[2 * axis] - self.plan[0][axis]);
            let along = self.along[0] + if self.unrolled { dx.hypot(dz) } else { dx };
            HeadShape { back: [along, 0.0, -head.back[1]], forward: [ahead, 0.0, -y], ..*head }
        };
        Body { joints, heads: body.heads.iter().map(lie).collect(), ..body.clone() }
    }
}
