//! A mesh that is a function of the place, as terrain usually is: seen from above no two of its triangles cover a point. There
//! the triangle under a point is found without the tree, by a grid of triangles to begin at and a walk across edges.

use super::{Packet, TriangleMesh};
use crate::broadphase::{Box3, Tree};
use crate::lanes::LANES;
use crate::terrain::NO_FACE;
use crate::terrain::corner::near_radii;

/// Steps of a walk until the tree is asked. A walk begins within a few triangles of its end.
const MAX_STEPS: usize = 64;

/// Depth in plan, as a share of the larger of two triangles, up to which they only touch.
const TOUCH_SHARE: f64 = 1e-5;

/// A triangle for each cell of a grid.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    min: [f32; 2],
    cells_per_m: [f32; 2],
    sides: [usize; 2],
    /// The least height of a triangle in plan.
    pub(super) least_height_m: f32,
    /// Row by row; the nearest one where a cell has none.
    begin: Vec<u32>,
}

impl Plan {
    /// A grid of about one cell a triangle over the first `count` triangles of these packets.
    pub(super) fn of(packets: &[Packet], count: usize, bounds: Box3) -> Self {
        let min = [bounds.min[0], bounds.min[2]];
        let size = [bounds.max[0] - min[0], bounds.max[2] - min[1]].map(|side| if side > 0.0 { side } else { 1.0 });
        let cell = (f64::from(size[0]) * f64::from(size[1]) / count as f64).sqrt() as f32;
        let sides = size.map(|side| ((side / cell) as usize).clamp(1, 4096));
        let cells_per_m = [0, 1].map(|axis| sides[axis] as f32 / size[axis]);
        let least_height_m = f32::INFINITY;
        let mut plan = Self { min, cells_per_m, sides, least_height_m, begin: vec![NO_FACE; sides[0] * sides[1]] };
        for slot in 0..count {
            let corners = packets[slot / LANES].corner(slot % LANES);
            let height = height_in_plan(&corners);
            plan.least_height_m = if height < plan.least_height_m { height } else { plan.least_height_m };
            let middle = [0, 2].map(|axis| (corners[0][axis] + corners[1][axis] + corners[2][axis]) / 3.0);
            let cell = plan.cell(middle[0], middle[1]);
            let begin = &mut plan.begin[cell];
            *begin = if *begin == NO_FACE { slot as u32 } else { *begin };
        }
        plan.fill();
        plan
    }

    /// Gives cells without a triangle that of a cell beside them.
    fn fill(&mut self) {
        let [columns, _] = self.sides;
        for row in self.begin.chunks_mut(columns) {
            spread(row.iter_mut());
            spread(row.iter_mut().rev());
        }
        for column in 0..columns {
            spread(self.begin.iter_mut().skip(column).step_by(columns));
            spread(self.begin.iter_mut().skip(column).step_by(columns).rev());
        }
    }

    fn cell(&self, x: f32, z: f32) -> usize {
        let along = |at: f32, axis: usize| {
            let cell = ((at - self.min[axis]) * self.cells_per_m[axis]) as usize;
            let last = self.sides[axis] - 1;
            if cell < last { cell } else { last }
        };
        along(z, 1) * self.sides[0] + along(x, 0)
    }
}

/// For each triangle, how near its corners are for a sphere to touch what is beyond the triangles beyond its edges.
pub(super) fn near_radii_of(packets: &[Packet], beside: &[[u32; 3]]) -> Vec<f32> {
    let corners = |slot: u32| packets[slot as usize / LANES].corner(slot as usize % LANES).map(|[x, _, z]| [x, z]);
    let around = |&faces: &[u32; 3], slot: usize| {
        let (own, mut least) = (corners(slot as u32), 1.0);
        for (k, &face) in faces.iter().enumerate().filter(|(_, face)| **face != NO_FACE) {
            let sines = sines_of(&corners(face));
            for (corner, sine) in corners(face).into_iter().zip(sines) {
                let is_shared = corner == own[k] || corner == own[(k + 1) % 3];
                least = if is_shared && sine < least { sine } else { least };
            }
        }
        near_radii(least)
    };
    beside.iter().enumerate().map(|(slot, faces)| around(faces, slot)).collect()
}

/// Sines of a triangle's angles; 1 for those over a right angle.
fn sines_of(corners: &[[f32; 2]; 3]) -> [f32; 3] {
    std::array::from_fn(|k| {
        let way = |to: [f32; 2]| [to[0] - corners[k][0], to[1] - corners[k][1]];
        let ([ax, az], [bx, bz]) = (way(corners[(k + 1) % 3]), way(corners[(k + 2) % 3]));
        let (along, square) = (ax * bx + az * bz, (ax * ax + az * az) * (bx * bx + bz * bz));
        let sine = (ax * bz - az * bx).abs() / square.sqrt();
        // Of no length: no angle.
        if square > 0.0 && along <= 0.0 {
            1.0
        } else if sine > 0.0 {
            sine
        } else {
            0.0
        }
    })
}

/// Twice the area over the longest side.
fn height_in_plan([a, b, c]: &[[f32; 3]; 3]) -> f32 {
    let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| [q[0] - p[0], q[2] - p[2]]);
    let longest =
        sides.map(|[x, z]| x * x + z * z).into_iter().fold(0.0, |most, side| if side > most { side } else { most });
    let [first, second, _] = sides;
    (first[0] * second[1] - first[1] * second[0]).abs() / longest.sqrt()
}

/// Lets each cell without a triangle have that of the one before.
fn spread<'a>(cells: impl Iterator<Item = &'a mut u32>) {
    let mut last = NO_FACE;
    for cell in cells {
        *cell = if *cell == NO_FACE { last } else { *cell };
        last = *cell;
    }
}

impl TriangleMesh {
    /// The place of the triangle over or under (x, z), from the mesh's origin, by a walk from the grid. `None` where that
    /// leads to no triangle, which does not mean that there is none.
    pub(super) fn walk_to(&self, plan: &Plan, x: f32, z: f32) -> Option<u32> {
        let mut slot = plan.begin[plan.cell(x, z)];
        for _ in 0..MAX_STEPS {
            let [a, b, c] = self.packets[slot as usize / LANES].corner(slot as usize % LANES);
            let [a, b, c] = [a, b, c].map(|[px, _, pz]| [px - x, pz - z]);
            // As in `heights_under`: an edge's side is computed from its two ends alone.
            let side = |p: [f32; 2], q: [f32; 2]| p[0] * q[1] - p[1] * q[0];
            let sides = [side(a, b), side(b, c), side(c, a)];
            let turn = sides[0] + sides[1] + sides[2];
            let Some(edge) = sides.iter().position(|&side| if turn < 0.0 { side > 0.0 } else { side < 0.0 }) else {
                return Some(slot);
            };
            slot = self.beside[slot as usize][edge];
            if slot == NO_FACE {
                return None;
            }
        }
        None
    }
}

/// Whether no two of these triangles cover a point, as seen from above.
pub(super) fn is_flat_map(packets: &[Packet], tree: &Tree, count: usize) -> bool {
    let corners =
        |slot: usize| packets[slot / LANES].corner(slot % LANES).map(|[x, _, z]| [f64::from(x), f64::from(z)]);
    (0..count).all(|slot| {
        let own = Box3::around(&packets[slot / LANES].corner(slot % LANES));
        let (mut probe, one) = (own, corners(slot));
        (probe.min[1], probe.max[1]) = (f32::NEG_INFINITY, f32::INFINITY);
        tree.walk(probe).all(|leaf| {
            let first = leaf * LANES;
            // Each pair once; copies that fill up the last packet are beyond the count.
            let others = (if first > slot { first } else { slot + 1 })..first + LANES;
            others.filter(|&other| other < count).all(|other| touch_at_most(&one, &corners(other)))
        })
    })
}

/// Whether some edge of one of two triangles has the other beyond it.
fn touch_at_most(one: &[[f64; 2]; 3], other: &[[f64; 2]; 3]) -> bool {
    separates(one, other) || separates(other, one)
}

fn separates(one: &[[f64; 2]; 3], other: &[[f64; 2]; 3]) -> bool {
    (0..3).any(|k| {
        let [a, b, c] = [one[k], one[(k + 1) % 3], one[(k + 2) % 3]];
        let (along_x, along_z) = (b[0] - a[0], b[1] - a[1]);
        let out = |p: [f64; 2]| along_x * (p[1] - a[1]) - along_z * (p[0] - a[0]);
        let inner = out(c);
        let slack = TOUCH_SHARE * inner.abs();
        other.iter().all(|&p| if inner < 0.0 { out(p) >= -slack } else { out(p) <= slack })
    })
}
