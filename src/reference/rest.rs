//! Twin of resting spheres: a sphere is let down on each triangle near it, on its face, its edges and its corners, and the
//! highest of these holds it. Heightfields by their heights; planes by their formula; other ground is not twinned.

use crate::terrain::{Heightfield, Terrain};
use glam::{DVec2, DVec3};

/// Least y of a normal that counts: slopes over 60 degrees count as 60.
const LEAST_Y: f64 = 0.5;

type Triangle = [DVec3; 3];

/// Height of the centre of a sphere that rests on the ground above or below a place, and the normal of the ground there as
/// heads stand by it.
pub fn rest(terrain: &Terrain, at: DVec3, radius: f64) -> Option<(f64, DVec3)> {
    let sample = terrain.sample_under(at.x, at.y, at.z)?;
    let normal = DVec3::from(sample.normal.map(f64::from));
    let height = match terrain {
        Terrain::Heightfield(field) => {
            let near = triangles(field, at, radius);
            near.iter().filter_map(|triangle| let_down(triangle, at, radius)).fold(f64::NEG_INFINITY, f64::max)
        }
        Terrain::Plane(_) => sample.height_m + radius / normal.y.max(LEAST_Y),
        _ => terrain.rest_under(at.x, at.y, at.z, radius as f32)?,
    };
    Some((height, normal))
}

/// How deep a sphere is in the ground, by the nearest point of it; and the way out, between the normal of the face below or
/// above the centre and the direction from that point.
pub fn depth(terrain: &Terrain, at: DVec3, radius: f64) -> (f64, DVec3) {
    let Some(sample) = terrain.sample(at.x, at.z) else { return (f64::NEG_INFINITY, DVec3::Y) };
    let normal = DVec3::from(sample.face_normal.map(f64::from));
    let over = (at.y - sample.height_m) * normal.y;
    let Terrain::Heightfield(field) = terrain else { return (radius - over, normal) };
    let near = triangles(field, at, radius.max(over.abs()));
    let points = near.iter().map(|triangle| nearest(triangle, at));
    let Some(point) = points.min_by(|p, q| (*p - at).length().total_cmp(&(*q - at).length())) else {
        return (radius - over, normal);
    };
    let out = (at - point) * over.signum();
    let distance = out.length();
    let out = if distance > 1e-9 { (normal + out / distance).normalize() } else { normal };
    (radius - distance.copysign(over), out)
}

/// The triangles of cells within `reach` of a place.
fn triangles(field: &Heightfield, at: DVec3, reach: f64) -> Vec<Triangle> {
    let [x0, y0, z0] = field.origin();
    let (cell_x, cell_z) = (field.cell_x_m(), field.cell_z_m());
    let cells = |from: f64, cell: f64, count: usize| {
        let first = ((from - reach) / cell).floor().max(0.0) as usize;
        let last = ((from + reach) / cell).floor().max(0.0) as usize;
        first.min(count - 2)..=last.min(count - 2)
    };
    let vertex = |column: usize, row: usize| {
        let height = f64::from(field.heights()[row * field.columns() + column]);
        DVec3::new(x0 + column as f64 * cell_x, y0 + height, z0 + row as f64 * cell_z)
    };
    let mut found = Vec::new();
    for row in cells(at.z - z0, cell_z, field.rows()) {
        for column in cells(at.x - x0, cell_x, field.columns()) {
            let (start, end) = (vertex(column, row), vertex(column + 1, row + 1));
            found.push([start, vertex(column + 1, row), end]);
            found.push([start, vertex(column, row + 1), end]);
        }
    }
    found
}

/// Where the centre of a sphere is that comes straight down at `at` and meets this triangle.
fn let_down(triangle: &Triangle, at: DVec3, radius: f64) -> Option<f64> {
    let [a, b, c] = *triangle;
    let normal = (b - a).cross(c - a).normalize();
    let normal = if normal.y < 0.0 { -normal } else { normal };
    let mut highest: Option<f64> = None;
    let mut meet = |height: f64| highest = Some(highest.map_or(height, |most| most.max(height)));
    let touch = DVec2::new(at.x, at.z) - DVec2::new(normal.x, normal.z) * radius;
    if covers(triangle, touch) {
        let over = normal.x * (at.x - a.x) + normal.z * (at.z - a.z);
        meet(a.y - over / normal.y + radius / normal.y.max(LEAST_Y));
    }
    for (p, q) in [(a, b), (b, c), (c, a)] {
        // The vertical line against the cylinder round the edge, or the spheres round its ends.
        let along = (q - p).normalize();
        let flat = DVec3::new(at.x - p.x, 0.0, at.z - p.z);
        // flat + up * t, without its part along the edge, is `radius` long.
        let (u, v) = (DVec3::Y - along * along.y, flat - along * flat.dot(along));
        let (square, half, rest) = (u.length_squared(), u.dot(v), v.length_squared() - radius * radius);
        let root = half * half - square * rest;
        if square > 1e-12 && root >= 0.0 {
            let up = (-half + root.sqrt()) / square;
            let on = (flat + DVec3::Y * up).dot(along);
            if (0.0..=(q - p).length()).contains(&on) {
                meet(p.y + up);
            }
        }
        let away = flat.length_squared();
        if away <= radius * radius {
            meet(p.y + (radius * radius - away).sqrt());
        }
    }
    highest
}

fn covers(triangle: &Triangle, at: DVec2) -> bool {
    let [a, b, c] = triangle.map(|p| DVec2::new(p.x, p.z));
    let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| (q - p).perp_dot(at - p));
    sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0)
}

fn nearest(triangle: &Triangle, at: DVec3) -> DVec3 {
    let [a, b, c] = *triangle;
    let normal = (b - a).cross(c - a).normalize();
    let foot = at - normal * normal.dot(at - a);
    if covers(triangle, DVec2::new(foot.x, foot.z)) {
        return foot;
    }
    let on_edge = |(p, q): (DVec3, DVec3)| p.lerp(q, ((at - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0));
    let points = [(a, b), (b, c), (c, a)].map(on_edge);
    points.into_iter().min_by(|p, q| (*p - at).length().total_cmp(&(*q - at).length())).unwrap_or(a)
}
