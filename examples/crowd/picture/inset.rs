//! A few metres of the crowd, as they are: the ground finely shaded, the bodies at their true width.

use super::Subject;
use super::map::grid;
use super::turf::paint_turf;
use crate::body::Body;
use crate::draw::coat::Coat;
use crate::draw::ground::{Style, paint_ground};
use crate::draw::head::HeadView;
use crate::draw::skin::{Station, paint_body, paint_shadow, stations};
use crate::draw::view::View;
use crate::relief::Relief;
use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};

/// A serpent in sight, ready to draw.
struct Figure {
    number: usize,
    /// Mean height: a body above another is drawn later.
    height_m: f64,
    line: Vec<Station>,
    heads: Vec<HeadView>,
    girth: f32,
}

/// Draws the window.
pub fn draw(subject: &Subject, view: &View, mut inset: Pixmap) -> Pixmap {
    // At a snake's scale the soil has its natural grain; a window of another size has it in proportion.
    let soil_m = view.size_m()[1] / 3.2;
    let style = Style { exaggeration: 0.7, shade: 0.6, soil_m: Some(soil_m) };
    let mut close = (subject.close)(view.corner_m, view.size_m());
    // In the tints of the whole map.
    close.iter_mut().for_each(|close| close.range_m = subject.relief.range_m);
    let relief = close.as_ref().unwrap_or(subject.relief);
    paint_coarsely(&mut inset, relief, view, style);
    if subject.relief.is_flat() {
        grid(&mut inset, view, 6.0, 0.5);
    }
    paint_turf(&mut inset, relief, view, soil_m);
    let mut figures: Vec<Figure> = (0..subject.count).filter_map(|number| figure(subject, view, number)).collect();
    figures.sort_by(|a, b| a.height_m.total_cmp(&b.height_m));
    for figure in &figures {
        figure.paint(&mut inset, subject.species);
    }
    inset
}

/// The ground in pixels of twice the size: it is soft, and takes most of the time.
fn paint_coarsely(inset: &mut Pixmap, relief: &Relief, view: &View, style: Style) {
    let half = View { px_per_m: 0.5 * view.px_per_m, size_px: view.size_px.map(|pixels| pixels.div_ceil(2)), ..*view };
    if let Some(mut ground) = Pixmap::new(half.size_px[0], half.size_px[1]) {
        paint_ground(&mut ground, relief, &half, style);
        let how = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
        inset.draw_pixmap(0, 0, ground.as_ref(), &how, Transform::from_scale(2.0, 2.0), None);
    }
}

/// The creature of a number, if any of it can be seen.
fn figure(subject: &Subject, view: &View, number: usize) -> Option<Figure> {
    let body = (subject.body)(number);
    if body.joints.is_empty() || !body.joints.iter().flatten().all(|value| value.is_finite()) {
        return None;
    }
    let margin = body.segment_m + 2.0 * body.radius_m.iter().copied().fold(0.0, f64::max);
    let seen = body.joints.iter().any(|joint| view.sees(*joint, margin));
    seen.then(|| Figure::new(number, &body, view))
}

impl Figure {
    fn new(number: usize, body: &Body, view: &View) -> Self {
        let joints: Vec<_> = body.joints.iter().map(|joint| view.pixel(joint[0], joint[2])).collect();
        let radii: Vec<_> = body.radius_m.iter().map(|radius| (radius * view.px_per_m) as f32).collect();
        Self {
            number,
            height_m: body.joints.iter().map(|joint| joint[1]).sum::<f64>() / joints.len() as f64,
            line: stations(&joints, &radii, 2.0),
            heads: body.heads.iter().map(|head| HeadView::new(head, view)).collect(),
            girth: radii.iter().copied().fold(0.1, f32::max),
        }
    }

    fn paint(&self, inset: &mut Pixmap, species: &str) {
        let coat = Coat::of(species, self.number);
        paint_shadow(inset, &self.line, 1.0);
        for head in &self.heads {
            paint_shadow(inset, &head.outline(), 1.0);
        }
        paint_body(inset, &self.line, &coat, self.girth);
        for head in &self.heads {
            head.paint(inset, &coat, self.number);
        }
    }
}
