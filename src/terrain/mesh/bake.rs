//! From untidy triangles to packets: corners are welded, what has no area or is there twice is left out, edges are
//! classified, and what is near each other comes into one packet.
//!
//! All by sorting, so that the outcome is a function of the source alone.

use super::source::{MeshReport, MeshSource};
use super::{LEAST_PLAN_Y, Packet, Shade, refuse};
use crate::constants::{DEGENERATE_SHARE, FLAT_EDGE_SINE};
use crate::error::Result;
use crate::lanes::LANES;
use crate::terrain::NO_FACE;
use crate::terrain::vector::{cross, dot, length, sub, unit};

/// The least share of a face normal's y that its corners' normals have: less, and the clearance over a slope of that
/// normal would be a multiple of what the face needs.
const LEAST_SHADE_Y: f64 = 0.25;

/// What a mesh keeps of its source.
pub(super) struct Baked {
    pub(super) packets: Vec<Packet>,
    pub(super) shades: Vec<Shade>,
    pub(super) beside: Vec<[u32; 3]>,
    /// Whether at every edge the two triangles are on its two sides as seen from above, and none is upright.
    pub(super) is_open: bool,
    pub(super) report: MeshReport,
}

/// A triangle that is kept.
struct Face {
    /// Index in the source.
    index: u32,
    /// Its corners' welded numbers.
    welded: [u32; 3],
    corners: [[f64; 3]; 3],
    normal: [f64; 3],
    edges: u8,
    /// The triangles beyond its edges; [`NO_FACE`] where there is none, or it is not beyond as seen from above.
    beside: [u32; 3],
}

pub(super) fn bake(source: &MeshSource) -> Result<Baked> {
    let mut report = MeshReport { triangles: source.indices.len(), ..MeshReport::default() };
    let welded = weld(source, &mut report);
    let mut faces = faces(source, &welded, &mut report);
    drop_duplicates(&mut faces, &mut report);
    if faces.is_empty() {
        let value = format!("{} without an area", report.degenerate);
        return refuse("indices", value, "at least one triangle with an area");
    }
    classify_edges(&mut faces, &mut report);
    let is_open = is_open(&faces, &report);
    let mut order: Vec<u32> = (0..faces.len() as u32).collect();
    let middles: Vec<[f64; 3]> = faces.iter().map(middle).collect();
    cluster(&mut order, &middles);
    let (mut packets, mut shades, mut slots) = (Vec::new(), Vec::new(), vec![NO_FACE; faces.len() + 1]);
    for eight in order.chunks_mut(LANES) {
        eight.sort_unstable();
        // The last one is filled up with copies of its first.
        let lanes: [&Face; LANES] =
            std::array::from_fn(|lane| &faces[eight[if lane < eight.len() { lane } else { 0 }] as usize]);
        for (lane, &face) in eight.iter().enumerate() {
            slots[face as usize] = (packets.len() * LANES + lane) as u32;
        }
        packets.push(pack(lanes));
        if let Some(normals) = &source.normals {
            let shaded =
                lanes.map(|face| shade(face, source.indices[face.index as usize].map(|i| normals[i as usize])));
            report.flat_shaded += shaded[..eight.len()].iter().filter(|(_, is_flat)| *is_flat).count();
            shades.push(shaded.map(|(normals, _)| normals));
        }
    }
    let mut beside = vec![[NO_FACE; 3]; faces.len()];
    for (face, &slot) in faces.iter().zip(&slots) {
        beside[slot as usize] = face.beside.map(|other| slots[(other as usize).min(faces.len())]);
    }
    Ok(Baked { packets, shades, beside, is_open, report })
}

/// A number for each position of the source, the same for equal ones.
fn weld(source: &MeshSource, report: &mut MeshReport) -> Vec<u32> {
    let mut is_used = vec![false; source.positions.len()];
    for &index in source.indices.as_flattened() {
        is_used[index as usize] = true;
    }
    // Adding zero makes 0 of -0.
    let key = |index: u32| source.positions[index as usize].map(|part| (part + 0.0).to_bits());
    let mut order: Vec<([u32; 3], u32)> = (0..source.positions.len() as u32)
        .filter(|&index| is_used[index as usize])
        .map(|index| (key(index), index))
        .collect();
    order.sort_unstable();
    let mut welded = vec![0; source.positions.len()];
    let mut last = None;
    for (key, index) in order {
        if last != Some(key) {
            report.vertices += 1;
            last = Some(key);
        }
        welded[index as usize] = report.vertices as u32 - 1;
    }
    welded
}

/// The triangles that have an area.
fn faces(source: &MeshSource, welded: &[u32], report: &mut MeshReport) -> Vec<Face> {
    let mut faces = Vec::with_capacity(source.indices.len());
    for (index, triangle) in source.indices.iter().enumerate() {
        let corners = triangle.map(|corner| source.positions[corner as usize].map(|part| f64::from(part + 0.0)));
        match normal_of(&corners) {
            None => report.degenerate += 1,
            Some(normal) => {
                let welded = triangle.map(|corner| welded[corner as usize]);
                faces.push(Face { index: index as u32, welded, corners, normal, edges: 0, beside: [NO_FACE; 3] });
            }
        }
    }
    faces
}

/// The unit normal by the winding, or `None` where the triangle is as good as a line.
fn normal_of([a, b, c]: &[[f64; 3]; 3]) -> Option<[f64; 3]> {
    let normal = cross(sub(*b, *a), sub(*c, *a));
    let longest = [sub(*b, *a), sub(*c, *b), sub(*a, *c)].map(|edge| dot(edge, edge)).into_iter().fold(0.0, larger);
    // Twice the area is the longest edge times the height over it.
    (length(normal) > DEGENERATE_SHARE * longest).then(|| unit(normal))
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn drop_duplicates(faces: &mut Vec<Face>, report: &mut MeshReport) {
    let mut keys: Vec<([u32; 3], u32)> = faces
        .iter()
        .enumerate()
        .map(|(place, face)| {
            let mut corners = face.welded;
            corners.sort_unstable();
            (corners, place as u32)
        })
        .collect();
    keys.sort_unstable();
    let mut is_extra = vec![false; faces.len()];
    for pair in keys.windows(2) {
        is_extra[pair[1].1 as usize] = pair[0].0 == pair[1].0;
    }
    let mut place = 0;
    faces.retain(|_| {
        place += 1;
        !is_extra[place - 1]
    });
    report.duplicate = place - faces.len();
}

/// Finds which edges a body can touch by themselves: see [`EdgeBits`](crate::terrain::nearby::edges).
fn classify_edges(faces: &mut [Face], report: &mut MeshReport) {
    // The two ends, lower number first; the face and which of its edges it is.
    let mut uses: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(faces.len() * 3);
    for (place, face) in faces.iter().enumerate() {
        for edge in 0..3 {
            let [from, to] = [face.welded[edge], face.welded[(edge + 1) % 3]];
            let ends = if from < to { [from, to] } else { [to, from] };
            uses.push((ends, place as u32, edge as u8));
        }
    }
    uses.sort_unstable();
    for shared in uses.chunk_by(|one, other| one.0 == other.0) {
        let ends = |(_, place, edge): ([u32; 2], u32, u8)| (place as usize, usize::from(edge));
        if let [one, other] = shared {
            let (one, other) = (ends(*one), ends(*other));
            report.flipped_edges += usize::from(from(faces, one) == from(faces, other));
            let bits = [ridge(faces, one, other), ridge(faces, other, one)];
            if is_beyond(faces, one, other) {
                faces[one.0].beside[one.1] = other.0 as u32;
                faces[other.0].beside[other.1] = one.0 as u32;
            }
            faces[one.0].edges |= bits[0] << one.1;
            faces[other.0].edges |= bits[1] << other.1;
            continue;
        }
        let count = if shared.len() == 1 { &mut report.border_edges } else { &mut report.crowded_edges };
        *count += 1;
        for &(_, place, edge) in shared {
            faces[place as usize].edges |= 0b1001 << edge;
        }
    }
}

/// Whether two faces with a common edge are on its two sides, as seen from above.
fn is_beyond(faces: &[Face], (place, edge): (usize, usize), (other, other_edge): (usize, usize)) -> bool {
    let [start, end, inner] = [0, 1, 2].map(|step| faces[place].corners[(edge + step) % 3]);
    let outer = faces[other].corners[(other_edge + 2) % 3];
    let side = |p: [f64; 3]| (end[0] - start[0]) * (p[2] - start[2]) - (end[2] - start[2]) * (p[0] - start[0]);
    side(inner) * side(outer) < 0.0
}

/// Whether every edge is the border or has its two faces on its two sides, and no face is upright.
fn is_open(faces: &[Face], report: &MeshReport) -> bool {
    let borders: usize = faces.iter().map(|face| face.beside.iter().filter(|&&other| other == NO_FACE).count()).sum();
    let lies = |face: &Face| face.normal[1].abs() >= 2.0 * f64::from(LEAST_PLAN_Y);
    report.crowded_edges == 0 && borders == report.border_edges && faces.iter().all(lies)
}

fn from(faces: &[Face], (place, edge): (usize, usize)) -> u32 {
    faces[place].welded[edge]
}

/// Bit 0 where the edge stands out on the side of the face's normal, bit 3 where on the other side.
fn ridge(faces: &[Face], (place, edge): (usize, usize), (other, other_edge): (usize, usize)) -> u8 {
    let face = &faces[place];
    let [start, end, inner] = [0, 1, 2].map(|step| face.corners[(edge + step) % 3]);
    let outer = sub(faces[other].corners[(other_edge + 2) % 3], start);
    let along = unit(sub(end, start));
    // The neighbour's far corner: how high over this face's plane, and how far from the edge.
    let height = dot(outer, face.normal);
    let flat_inward = cross(face.normal, along);
    let inward =
        if dot(sub(inner, start), flat_inward) < 0.0 { -dot(outer, flat_inward) } else { dot(outer, flat_inward) };
    let away = (height * height + inward * inward).sqrt();
    let is_flat = height.abs() <= FLAT_EDGE_SINE * away;
    match (is_flat, inward > 0.0, height < 0.0) {
        // Folded back onto the face: a blade, which stands out on both sides.
        (true, true, _) => 0b1001,
        (true, false, _) => 0,
        (false, _, true) => 0b0001,
        (false, _, false) => 0b1000,
    }
}

/// Three times the middle.
fn middle(face: &Face) -> [f64; 3] {
    let [a, b, c] = face.corners;
    [0, 1, 2].map(|axis| a[axis] + b[axis] + c[axis])
}

/// Puts near faces beside each other: halves at the median of the longest axis, at a multiple of eight, so that all
/// packets but the last are full. Depth is at most the logarithm of the count.
fn cluster(order: &mut [u32], middles: &[[f64; 3]]) {
    if order.len() <= LANES {
        return;
    }
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for &face in order.iter() {
        for axis in 0..3 {
            let at = middles[face as usize][axis];
            bounds[0][axis] = if at < bounds[0][axis] { at } else { bounds[0][axis] };
            bounds[1][axis] = if at > bounds[1][axis] { at } else { bounds[1][axis] };
        }
    }
    let size = sub(bounds[1], bounds[0]);
    let axis = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let half = order.len().div_ceil(2).next_multiple_of(LANES);
    // Ties by number make the two halves, as sets, the only ones possible.
    order.select_nth_unstable_by(half, |&one, &other| {
        middles[one as usize][axis].total_cmp(&middles[other as usize][axis]).then(one.cmp(&other))
    });
    let (before, after) = order.split_at_mut(half);
    cluster(before, middles);
    cluster(after, middles);
}

fn pack(lanes: [&Face; LANES]) -> Packet {
    let part = |corner: usize, axis: usize| lanes.map(|face| face.corners[corner][axis] as f32);
    Packet {
        corners: [0, 1, 2].map(|corner| [0, 1, 2].map(|axis| part(corner, axis))),
        normal: [0, 1, 2].map(|axis| lanes.map(|face| face.normal[axis] as f32)),
        face: lanes.map(|face| face.index),
        edges: lanes.map(|face| face.edges),
    }
}

/// The corners' normals on the upper side of the face, and whether the face's own had to do.
fn shade(face: &Face, given: [[f32; 3]; 3]) -> ([[f32; 3]; 3], bool) {
    let up = if face.normal[1] < 0.0 { face.normal.map(|part| -part) } else { face.normal };
    let given = given.map(|normal| normal.map(f64::from));
    let sides = given.map(|normal| dot(normal, up));
    let is_upper = sides.iter().all(|&side| side > 0.0);
    let is_lower = sides.iter().all(|&side| side < 0.0);
    let turned = given.map(|normal| unit(if is_lower { normal.map(|part| -part) } else { normal }));
    let is_usable = (is_upper || is_lower)
        && turned.as_flattened().iter().all(|part| part.is_finite())
        && turned.iter().all(|normal| normal[1] >= LEAST_SHADE_Y * up[1]);
    let normals = if is_usable { turned } else { [up; 3] };
    (normals.map(|normal| normal.map(|part| part as f32)), !is_usable)
}
