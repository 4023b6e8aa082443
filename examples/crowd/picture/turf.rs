//! Grass tufts and pebbles on the ground, so that a window of a few metres has something to tell its size by.

use crate::draw::ground::lushness;
use crate::draw::paint::{Rgb, mix, scale, scatter, solid};
use crate::draw::view::View;
use crate::relief::Relief;
use tiny_skia::{FillRule, LineCap, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// Cells of this size hold a tuft or a pebble at most; in units of the soil.
const CELL: f64 = 0.075;

/// Scatters them over the ground in a view; `soil_m` is the size of a unit of the soil.
pub fn paint_turf(pixmap: &mut Pixmap, relief: &Relief, view: &View, soil_m: f64) {
    let size = view.size_m();
    let index = |at: f64| (at / (CELL * soil_m)).floor() as i64;
    let px = (view.px_per_m * soil_m) as f32;
    for row in index(view.corner_m[1]) - 1..=index(view.corner_m[1] + size[1]) + 1 {
        for column in index(view.corner_m[0]) - 1..=index(view.corner_m[0] + size[0]) + 1 {
            let jitter = |salt| f64::from(scatter(column, row, salt));
            let (x, z) = ((column as f64 + jitter(31)) * CELL, (row as f64 + jitter(32)) * CELL);
            if relief.is_hole(x * soil_m, z * soil_m) {
                continue;
            }
            let at = view.pixel(x * soil_m, z * soil_m);
            let lot = scatter(column, row, 33);
            if lot < 1.6 * (lushness(x, z) - 0.50) {
                tuft(pixmap, at, px, [column, row]);
            } else if lot > 0.965 {
                pebble(pixmap, at, px * (0.005 + 0.011 * scatter(column, row, 34)), scatter(column, row, 35));
            }
        }
    }
}

/// A few blades that lean out from one root.
fn tuft(pixmap: &mut Pixmap, root: [f32; 2], px: f32, [column, row]: [i64; 2]) {
    let count = 6 + (6.0 * scatter(column, row, 36)) as u64;
    for blade in 0..count {
        let pick = |salt: u64| scatter(column, row, 40 + 8 * blade + salt);
        // Blades grow up, and so lean up the picture more than down: as if seen a little from the south.
        let (dx, dy) = (2.0 * pick(0) - 1.0, 1.2 * pick(1) - 1.0);
        let length = px * (0.016 + 0.028 * pick(2));
        let tip = [root[0] + dx * length, root[1] + dy * length];
        let bow = [root[0] + (0.55 * dx + 0.25 * dy) * length, root[1] + (0.55 * dy - 0.25 * dx) * length];
        let green = mix([0.33, 0.42, 0.22], [0.62, 0.63, 0.36], pick(3));
        curve(pixmap, [shifted(root, px), shifted(bow, px), shifted(tip, px)], 0.0045 * px, [0.12, 0.13, 0.10], 0.25);
        curve(pixmap, [root, bow, tip], 0.004 * px, green, 0.85);
    }
}

fn shifted(at: [f32; 2], px: f32) -> [f32; 2] {
    [at[0] + 0.004 * px, at[1] + 0.005 * px]
}

fn curve(pixmap: &mut Pixmap, [from, bow, to]: [[f32; 2]; 3], width: f32, colour: Rgb, alpha: f32) {
    let mut builder = PathBuilder::new();
    builder.move_to(from[0], from[1]);
    builder.quad_to(bow[0], bow[1], to[0], to[1]);
    let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
    if let Some(path) = builder.finish() {
        pixmap.stroke_path(&path, &solid(colour, alpha), &stroke, Transform::identity(), None);
    }
}

fn pebble(pixmap: &mut Pixmap, [x, y]: [f32; 2], radius: f32, shade: f32) {
    let stone = mix([0.58, 0.56, 0.52], [0.78, 0.75, 0.68], shade);
    let layers =
        [(0.22, 1.05, [0.15, 0.14, 0.14], 0.35), (0.0, 1.0, scale(stone, 0.82), 1.0), (-0.16, 0.72, stone, 1.0)];
    for (shift, size, colour, alpha) in layers {
        let (w, h) = (2.0 * radius * size, 1.5 * radius * size);
        let (left, top) = (x + shift * radius - 0.5 * w, y + shift * radius - 0.5 * h);
        let oval = Rect::from_xywh(left, top, w, h).and_then(PathBuilder::from_oval);
        if let Some(path) = oval {
            pixmap.fill_path(&path, &solid(colour, alpha), FillRule::Winding, Transform::identity(), None);
        }
    }
}
