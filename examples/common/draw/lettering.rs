//! Letters drawn with a pen: a stroke font small enough to read at a glance, since a picture needs a few labels and no
//! font file.

use super::paint::{Rgb, solid};
use tiny_skia::{LineCap, LineJoin, Path, PathBuilder, Pixmap, Point, Stroke, Transform};

/// Each glyph's strokes on a grid of 4 x 6, as `xy` digits from the upper left corner; a comma lifts the pen, a lone
/// point is a dot. Obtuse corners are drawn round.
const GLYPHS: &[(char, &str)] = &[
    ('0', "20 30 41 45 36 16 05 01 10 20"),
    ('1', "01 20 26"),
    ('2', "01 10 30 41 42 06 46"),
    ('3', "01 10 30 41 42 33 23,33 44 45 36 16 05"),
    ('4', "36 30 04 44"),
    ('5', "40 10 03 33 44 45 36 16 05"),
    ('6', "41 30 10 01 05 16 36 45 44 33 13 04"),
    ('7', "00 40 16"),
    ('8', "20 30 41 42 33 13 02 01 10 20,13 04 05 16 36 45 44 33"),
    ('9', "05 16 36 45 41 30 10 01 02 13 33 42"),
    ('A', "06 20 46,14 34"),
    ('B', "03 33 42 41 30 00 06 36 45 44 33"),
    ('C', "41 30 10 01 05 16 36 45"),
    ('D', "03 00 30 41 45 36 06 03"),
    ('E', "40 00 06 46,03 33"),
    ('F', "40 00 06,03 33"),
    ('G', "41 30 10 01 05 16 36 45 43 23"),
    ('H', "00 06,40 46,03 43"),
    ('I', "00 06"),
    ('J', "30 35 26 16 05"),
    ('K', "00 06,40 03 46"),
    ('L', "00 06 46"),
    ('M', "06 00 24 40 46"),
    ('N', "06 00 46 40"),
    ('O', "20 30 41 45 36 16 05 01 10 20"),
    ('P', "06 00 30 41 42 33 03"),
    ('Q', "20 30 41 45 36 16 05 01 10 20,34 46"),
    ('R', "06 00 30 41 42 33 03,23 46"),
    ('S', "41 30 10 01 02 13 33 44 45 36 16 05"),
    ('T', "00 40,20 26"),
    ('U', "00 05 16 36 45 40"),
    ('V', "00 26 40"),
    ('W', "00 16 22 36 40"),
    ('X', "00 46,40 06"),
    ('Y', "00 23 40,23 26"),
    ('Z', "00 40 06 46"),
    ('c', "43 32 12 03 05 16 36 45"),
    ('m', "06 02,03 12 22 23 26,23 32 42 43 46"),
    ('k', "00 06,32 04 36"),
    ('-', "13 33"),
    ('.', "06"),
    (',', "15 07"),
    (':', "02,05"),
    ('/', "06 40"),
    ('·', "23"),
];

/// Advance of a space, in grid units.
const SPACE: f32 = 2.6;
/// Gap between letters, in grid units.
const GAP: f32 = 1.7;

/// A way of writing: the height of capitals in pixels and the pen's width.
#[derive(Clone, Copy)]
pub struct Pen {
    pub height: f32,
    pub width: f32,
    pub ink: Rgb,
}

/// Where a text hangs on its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

/// Writes `text` with its baseline through (x, y); what the font lacks is left out.
pub fn write(pixmap: &mut Pixmap, text: &str, [x, y]: [f32; 2], anchor: Anchor, pen: Pen) {
    let unit = pen.height / 6.0;
    let shift = match anchor {
        Anchor::Left => 0.0,
        Anchor::Middle => 0.5,
        Anchor::Right => 1.0,
    };
    let mut cursor = x - shift * width(text) * unit;
    let mut builder = PathBuilder::new();
    for letter in text.chars() {
        let strokes = glyph(letter);
        for stroke in strokes.split(',').filter(|stroke| !stroke.is_empty()) {
            let at = |(gx, gy)| Point::from_xy(cursor + gx * unit, y - pen.height + gy * unit);
            trace(&mut builder, &points(stroke).map(at).collect::<Vec<_>>());
        }
        cursor += advance(letter, strokes) * unit;
    }
    ink(pixmap, builder.finish(), pen);
}

fn ink(pixmap: &mut Pixmap, path: Option<Path>, pen: Pen) {
    let stroke = Stroke { width: pen.width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    if let Some(path) = path {
        pixmap.stroke_path(&path, &solid(pen.ink, 1.0), &stroke, Transform::identity(), None);
    }
}

fn glyph(letter: char) -> &'static str {
    let find = |wanted| GLYPHS.iter().find(|(known, _)| *known == wanted);
    find(letter).or_else(|| find(letter.to_ascii_uppercase())).map_or("", |(_, strokes)| strokes)
}

fn points(stroke: &str) -> impl Iterator<Item = (f32, f32)> {
    let digit = |byte: u8| f32::from(byte - b'0');
    stroke.split(' ').map(move |pair| (digit(pair.as_bytes()[0]), digit(pair.as_bytes()[1])))
}

fn advance(letter: char, strokes: &str) -> f32 {
    let right = strokes.split(',').filter(|s| !s.is_empty()).flat_map(points).map(|(x, _)| x).fold(0.0, f32::max);
    if letter == ' ' { SPACE } else { right + GAP }
}

/// In grid units.
fn width(text: &str) -> f32 {
    text.chars().map(|letter| advance(letter, glyph(letter))).sum::<f32>() - GAP
}

/// One stroke: straight to sharp corners, round through obtuse ones.
fn trace(builder: &mut PathBuilder, stroke: &[Point]) {
    let (Some(&first), Some(&last)) = (stroke.first(), stroke.last()) else { return };
    builder.move_to(first.x, first.y);
    for corner in stroke.windows(3) {
        let (into, out) = (corner[1] - corner[0], corner[2] - corner[1]);
        let (before, after) = (middle(corner[0], corner[1]), middle(corner[1], corner[2]));
        if into.dot(out) > 0.45 * into.length() * out.length() {
            builder.line_to(before.x, before.y);
            builder.quad_to(corner[1].x, corner[1].y, after.x, after.y);
        } else {
            builder.line_to(corner[1].x, corner[1].y);
        }
    }
    // A dot is a line too short to see: its round caps are the dot.
    let nudge = if stroke.len() == 1 { 0.01 } else { 0.0 };
    builder.line_to(last.x + nudge, last.y);
}

fn middle(a: Point, b: Point) -> Point {
    Point::from_xy(0.5 * (a.x + b.x), 0.5 * (a.y + b.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_stays_on_its_grid() {
        for (letter, strokes) in GLYPHS {
            assert!(strokes.bytes().all(|byte| b"01234567 ,".contains(&byte)), "{letter}");
            assert!(strokes.split([',', ' ']).all(|pair| pair.len() == 2), "{letter}");
        }
    }

    #[test]
    fn text_of_unknown_letters_is_blank_and_harmless() {
        let mut pixmap = Pixmap::new(40, 20).unwrap();
        let pen = Pen { height: 10.0, width: 1.0, ink: [0.0; 3] };
        write(&mut pixmap, "\u{1F40D}", [0.0, 15.0], Anchor::Left, pen);
        assert!(pixmap.data().iter().all(|&byte| byte == 0));
        write(&mut pixmap, "1", [5.0, 15.0], Anchor::Left, pen);
        assert!(pixmap.data().iter().any(|&byte| byte > 0));
    }
}
