//! The picture: the whole map with every serpent on it, and beside it the liveliest few metres with the serpents as
//! they are.

mod inset;
mod map;
mod turf;

use crate::body::Body;
use crate::draw::lettering::{Anchor, Pen, write};
use crate::draw::paint::{FAINT_INK, INK, PAPER, fill_rect, line, stroke_rect};
use crate::draw::scale::{metres, pen, scale_bar};
use crate::draw::view::View;
use crate::draw::{ground, paint};
use crate::relief::Relief;
use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};

/// What is drawn.
pub struct Subject<'a> {
    pub relief: &'a Relief,
    /// A finer relief of a part, by its corner and size, where the ground has more to show than `relief` does.
    pub close: &'a dyn Fn([f64; 2], [f64; 2]) -> Option<Relief>,
    pub species: &'a str,
    /// A species' usual body length.
    pub length_m: f64,
    pub count: usize,
    /// The creature of a number below `count`; frames and path may be missing.
    pub body: &'a dyn Fn(usize) -> Body,
    pub title: String,
    pub subtitle: String,
}

const SIZE: [u32; 2] = [1600, 1200];
const MARGIN: f32 = 40.0;
const PANELS_TOP: f32 = 132.0;
/// The inset's place: 40 % of the width.
const INSET: [f32; 4] = [920.0, PANELS_TOP, 640.0, 1028.0];
/// What the map may fill: a legend goes below it.
const MAP_ROOM: [f32; 2] = [848.0, 940.0];
/// The inset shows so many body lengths from top to bottom.
const INSET_LENGTHS: f64 = 3.4;

/// Draws a crowd.
pub fn draw(subject: &Subject) -> Result<Pixmap, String> {
    let mut page = new_pixmap(SIZE)?;
    fill_rect(&mut page, [0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32], PAPER, 1.0);
    let map_view = whole_map(subject.relief);
    // What is lively should be in the inset's middle, not at its edge.
    let middle = inset_size_m(subject).map(|metres| 0.8 * metres);
    let (map, spot) = map::draw(subject, &map_view, new_pixmap(map_view.size_px)?, middle);
    let inset_view = inset_view(subject, spot);
    let inset = inset::draw(subject, &inset_view, new_pixmap(inset_view.size_px)?);
    place(&mut page, &map, [MARGIN, PANELS_TOP], 1.0);
    place(&mut page, &inset, [INSET[0], INSET[1]], 0.5);
    frame(&mut page, [MARGIN, PANELS_TOP, map.width() as f32, map.height() as f32]);
    frame(&mut page, INSET);
    join(&mut page, &map_view, &inset_view);
    let inset_foot = [INSET[0] + 18.0, INSET[1] + INSET[3] - 18.0];
    scale_bar(&mut page, 0.5 * inset_view.px_per_m, inset_foot, 0.3 * INSET[2], true);
    legend(&mut page, subject, &map_view);
    heading(&mut page, subject);
    Ok(page)
}

fn new_pixmap([width, height]: [u32; 2]) -> Result<Pixmap, String> {
    Pixmap::new(width, height).ok_or_else(|| format!("no picture of {width} x {height} pixels"))
}

/// The view that fits the whole map into its room.
fn whole_map(relief: &Relief) -> View {
    let size = relief.size_m();
    let px_per_m = (f64::from(MAP_ROOM[0]) / size[0]).min(f64::from(MAP_ROOM[1]) / size[1]);
    let size_px = size.map(|metres| (metres * px_per_m).round().max(1.0) as u32);
    View { corner_m: relief.corner_m, px_per_m, size_px }
}

fn inset_size_m(subject: &Subject) -> [f64; 2] {
    let height = INSET_LENGTHS * subject.length_m;
    [height * f64::from(INSET[2] / INSET[3]), height]
}

/// The inset's view, drawn at twice the size at which it is shown.
fn inset_view(subject: &Subject, spot: [f64; 2]) -> View {
    let px_per_m = 2.0 * f64::from(INSET[3]) / inset_size_m(subject)[1];
    let view = View::around(spot, px_per_m, [2 * INSET[2] as u32, 2 * INSET[3] as u32]);
    view.kept_within(subject.relief.corner_m, subject.relief.size_m())
}

fn place(page: &mut Pixmap, panel: &Pixmap, [x, y]: [f32; 2], scale: f32) {
    let quality = if scale < 1.0 { FilterQuality::Bilinear } else { FilterQuality::Nearest };
    let how = PixmapPaint { quality, ..PixmapPaint::default() };
    page.draw_pixmap(0, 0, panel.as_ref(), &how, Transform::from_row(scale, 0.0, 0.0, scale, x, y), None);
}

fn frame(page: &mut Pixmap, [x, y, w, h]: [f32; 4]) {
    stroke_rect(page, [x - 0.5, y - 0.5, w + 1.0, h + 1.0], 1.6, INK);
    stroke_rect(page, [x - 5.0, y - 5.0, w + 10.0, h + 10.0], 0.8, FAINT_INK);
}

/// A box on the map where the inset is, and two lines to the inset.
fn join(page: &mut Pixmap, map: &View, inset: &View) {
    let size = inset.size_m();
    let middle = map.pixel(inset.corner_m[0] + 0.5 * size[0], inset.corner_m[1] + 0.5 * size[1]);
    // A box of a few metres would hide under its own outline.
    let half = size.map(|metres| (0.5 * metres * map.px_per_m).max(7.0) as f32);
    let [left, top] = [MARGIN + middle[0] - half[0], PANELS_TOP + middle[1] - half[1]];
    let right = left + 2.0 * half[0];
    for (y, target) in [(top, INSET[1]), (top + 2.0 * half[1], INSET[1] + INSET[3])] {
        line(page, [right, y], [INSET[0], target], 2.6, PAPER, 0.55);
        line(page, [right, y], [INSET[0], target], 1.0, INK, 0.85);
    }
    stroke_rect(page, [left, top, 2.0 * half[0], 2.0 * half[1]], 4.6, PAPER);
    stroke_rect(page, [left, top, 2.0 * half[0], 2.0 * half[1]], 1.8, INK);
}

fn heading(page: &mut Pixmap, subject: &Subject) {
    write(page, &subject.title, [MARGIN, 76.0], Anchor::Left, pen(27.0));
    write(page, &subject.subtitle, [MARGIN, 106.0], Anchor::Left, Pen { ink: FAINT_INK, ..pen(11.0) });
}

/// Scale, heights and north, below the map.
fn legend(page: &mut Pixmap, subject: &Subject, map: &View) {
    let bottom = PANELS_TOP + map.size_px[1] as f32;
    scale_bar(page, map.px_per_m, [MARGIN, bottom + 58.0], 0.3 * MAP_ROOM[0], false);
    north(page, [MARGIN + 0.72 * map.size_px[0] as f32, bottom + 34.0]);
    let [low, high] = subject.relief.range_m;
    if subject.relief.is_flat() {
        return;
    }
    const WIDE: u32 = 220;
    let left = MARGIN + 0.5 * (map.size_px[0] - WIDE.min(map.size_px[0])) as f32;
    for i in 0..WIDE {
        let tint = paint::ramp(ground::TINTS, i as f32 / WIDE as f32);
        fill_rect(page, [left + i as f32, bottom + 46.0, 1.5, 12.0], tint, 1.0);
    }
    stroke_rect(page, [left, bottom + 46.0, WIDE as f32, 12.0], 1.0, INK);
    write(page, &metres(low), [left, bottom + 36.0], Anchor::Left, pen(11.0));
    write(page, &metres(high), [left + WIDE as f32, bottom + 36.0], Anchor::Right, pen(11.0));
}

fn north(page: &mut Pixmap, [x, y]: [f32; 2]) {
    write(page, "N", [x, y], Anchor::Middle, pen(13.0));
    line(page, [x, y + 24.0], [x, y + 7.0], 1.4, INK, 1.0);
    line(page, [x - 4.0, y + 12.0], [x, y + 6.0], 1.4, INK, 1.0);
    line(page, [x + 4.0, y + 12.0], [x, y + 6.0], 1.4, INK, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::HeadShape;

    fn body(number: usize) -> Body {
        let start = [0.3 * number as f64 - 1.0, 0.02, 0.2];
        let joints: Vec<_> = (0..20).map(|i| [start[0], start[1], start[2] + 0.04 * f64::from(i)]).collect();
        let head = HeadShape { back: start, forward: [0.0, 0.0, -1.0], length_m: 0.04, radius_m: 0.012 };
        let heads = vec![head];
        Body { radius_m: vec![0.01; joints.len()], joints, heads, segment_m: 0.04, ..Body::default() }
    }

    fn subject<'a>(relief: &'a Relief, count: usize, body: &'a dyn Fn(usize) -> Body) -> Subject<'a> {
        Subject {
            relief,
            close: &|_, _| None,
            species: "grass-snake",
            length_m: 0.8,
            count,
            body,
            title: "8 SNAKES".into(),
            subtitle: String::new(),
        }
    }

    #[test]
    fn a_crowd_leaves_its_marks_on_both_panels() {
        let relief = Relief::flat(0.0, 12.0);
        let (with, without) = (draw(&subject(&relief, 8, &body)).unwrap(), draw(&subject(&relief, 0, &body)).unwrap());
        let differ = |from: u32, to: u32| {
            let columns = (from..to).flat_map(|x| (140..900).map(move |y| (x, y)));
            columns.filter(|(x, y)| with.pixel(*x, *y) != without.pixel(*x, *y)).count()
        };
        assert!(differ(40, 880) > 50, "the map shows no serpent");
        assert!(differ(930, 1560) > 1000, "the inset shows no serpent");
    }

    #[test]
    fn a_broken_or_distant_body_does_no_harm() {
        let relief = Relief::flat(0.0, 12.0);
        let broken = |number: usize| {
            let mut body = body(number);
            body.joints[3] = if number == 0 { [f64::NAN; 3] } else { [1e12; 3] };
            body
        };
        assert!(draw(&subject(&relief, 2, &broken)).is_ok());
    }
}
