//! The picture of a scene: a column for each of its windows, a row for each moment.

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
/// A plan's ground is sampled once in a square of so many pixels.
const SAMPLE_PX: f64 = 2.0;

/// Draws the strip.
pub fn draw(scene: &Scene, frames: &[Frame]) -> Result<Pixmap, String> {
    let layers = section::layers(&scene.terrain);
    let column_px = (ROOM_PX / scene.looks.len() as f64).clamp(500.0, 1100.0).round();
    let heights = |look: &Look| [look.height_m, look.depth_m].map(|m| (m * column_px / look.width_m).round());
    let row_px = scene.looks.iter().map(|look| heights(look).iter().sum()).fold(0.0, f64::max) as f32 + GAP + 6.0;
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
        for (row, frame) in frames.iter().enumerate() {
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

/// A look at a moment, in the coordinates of its pictures: along, up, and down the plan.
struct Window<'a> {
    terrain: &'a Terrain,
    look: &'a Look,
    species: &'a str,
    /// World y of the scene's zero.
    zero_m: f64,
    bodies: Vec<Body>,
    centre: [f64; 3],
    px_per_m: f64,
}

impl<'a> Window<'a> {
    fn new(scene: &'a Scene, look: &'a Look, frame: &Frame, px_per_m: f64) -> Self {
        let bodies: Vec<Body> = frame.bodies.iter().map(|body| turned(body, look.along_z)).collect();
        let body = &bodies[look.creature];
        let mean = [0, 1, 2].map(|i| body.joints.iter().map(|joint| joint[i]).sum::<f64>() / body.joints.len() as f64);
        let centre = look.at.map_or(mean, |at| turn((scene.origin + at).into(), look.along_z));
        // A plan shows the creature wherever its place was set, if that is at the place's side.
        let zero_m = scene.origin.y;
        Self { terrain: &scene.terrain, look, species: scene.profile.name(), zero_m, bodies, centre, px_per_m }
    }

    fn view(&self, size: &Pixmap, down: f64) -> View {
        View::around([self.centre[0], down], self.px_per_m, [size.width(), size.height()])
    }

    /// The world's x and z at a place of the plan.
    fn world(&self, along: f64, down: f64) -> [f64; 2] {
        if self.look.along_z { [-down, along] } else { [along, down] }
    }

    fn section(&self, layers: &[Layer], mut pixmap: Pixmap) -> Pixmap {
        let view = self.view(&pixmap, -self.centre[1]);
        let body = &self.bodies[self.look.creature];
        section::paint(&mut pixmap, &view, layers, |along| self.world(along, across(body, along)));
        // On its side: up the picture is up.
        let lie = |[along, up, down]: [f64; 3]| [along, down, -up];
        self.paint(&mut pixmap, &view, &mapped(body, lie), self.look.creature, false);
        pixmap
    }

    fn plan(&self, mut pixmap: Pixmap) -> Pixmap {
        let view = self.view(&pixmap, self.centre[2]);
        let counts = view.size_px.map(|pixels| (f64::from(pixels) / SAMPLE_PX).ceil() as usize + 2);
        let below = self.zero_m + self.look.plan_below_m;
        let height = |along: f64, down: f64| {
            let [x, z] = self.world(along, down);
            self.terrain.sample_under(x, below, z).map(|ground| ground.height_m)
        };
        let cell = SAMPLE_PX / self.px_per_m;
        match Relief::sampled(counts, [cell; 2], view.corner_m, height) {
            Some(relief) => {
                let style = Style { exaggeration: 1.0, shade: 0.7, soil_m: None };
                paint_ground(&mut pixmap, &relief, &view, style);
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

/// How far across the plan a body is at a place along it; beyond its ends as at the end.
fn across(body: &Body, along: f64) -> f64 {
    let straddles = |pair: &&[[f64; 3]]| (pair[0][0] - along) * (pair[1][0] - along) <= 0.0 && pair[0][0] != pair[1][0];
    match body.joints.windows(2).find(straddles) {
        Some(pair) => {
            let share = (along - pair[0][0]) / (pair[1][0] - pair[0][0]);
            pair[0][2] + share * (pair[1][2] - pair[0][2])
        }
        None => {
            let off = |joint: &&[f64; 3]| (joint[0] - along).abs();
            let nearest = body.joints.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
            nearest.map_or(0.0, |joint| joint[2])
        }
    }
}

/// World coordinates as along, up, down the plan.
fn turn([x, y, z]: [f64; 3], along_z: bool) -> [f64; 3] {
    if along_z { [z, y, -x] } else { [x, y, z] }
}

fn turned(body: &Body, along_z: bool) -> Body {
    mapped(body, |at| turn(at, along_z))
}

fn mapped(body: &Body, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let head = |head: &HeadShape| HeadShape { back: map(head.back), forward: map(head.forward), ..*head };
    Body {
        joints: body.joints.iter().map(|joint| map(*joint)).collect(),
        heads: body.heads.iter().map(head).collect(),
        ..body.clone()
    }
}
