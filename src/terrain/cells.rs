//! Triangles under eight points of a heightfield at once: what is inside, with whole cells all round, in lanes.
//!
//! A triangle and those beyond its edges have six corners. With P along x and Q along z for a cell's eastern triangle, and the
//! other way round for its western one, both have the same formulas.

use super::heightfield::Heightfield;
use super::slope::{Slopes, Walls};
use crate::lanes::{EachLane, LANES, Lane8, Lanes};

/// Cells from an origin beyond which nobody looks: whole numbers up to here are exact in f32.
const MOST_CELLS: f64 = 1_048_576.0;

/// Where a heightfield is from the origins of eight creatures.
pub(crate) struct Cells<'a> {
    field: &'a Heightfield,
    /// Column and row of each origin, and how far in its cell it is, in metres.
    base: [[i32; LANES]; 2],
    off: [Lane8; 2],
}

impl<'a> Cells<'a> {
    pub(crate) fn new(field: &'a Heightfield, origin: &[[f64; LANES]; 3]) -> Self {
        let mut cells = Self { field, base: [[0; LANES]; 2], off: [[0.0; LANES]; 2] };
        let sizes = [field.cell_x_m(), field.cell_z_m()];
        for (axis, world) in [0, 2].into_iter().enumerate() {
            for lane in 0..LANES {
                let from = origin[world][lane] - field.origin()[world];
                let at = from / sizes[axis];
                // Too far, or not a number: then every point is.
                let is_near = at > -MOST_CELLS && at < MOST_CELLS;
                let cell = if is_near { at as i32 } else { i32::MIN };
                cells.base[axis][lane] = cell;
                cells.off[axis][lane] = if is_near { (from - f64::from(cell) * sizes[axis]) as f32 } else { 0.0 };
            }
        }
        cells
    }

    /// Metres along x and z.
    #[inline(always)]
    pub(crate) fn size_m(&self) -> [f32; 2] {
        [self.field.cell_x_m() as f32, self.field.cell_z_m() as f32]
    }

    /// Puts the triangles under these lanes' points, which are relative to the origins, into `slopes`. Yields the lanes for
    /// which the cell is not whole, or has no whole cells round it: they are left as they were. `derive` has to follow.
    #[inline(always)]
    pub(crate) fn look_up<L: Lanes>(
        &self,
        lanes: u32,
        origin_y: &[f64; LANES],
        [x, z]: [L; 2],
        slopes: &mut Slopes,
        beside: &mut [[u32; 3]; LANES],
    ) -> u32 {
        let field = self.field;
        let size = self.size_m();
        let (near_x, near_z) = (x + L::load(&self.off[0]), z + L::load(&self.off[1]));
        let (cell_x, part_x) = floor(near_x * L::splat(1.0 / size[0]));
        let (cell_z, part_z) = floor(near_z * L::splat(1.0 / size[1]));
        let east = part_z.le(part_x);
        let is_east = L::bits(east);
        let (columns, rows) = (field.columns() as i32, field.rows() as i32);
        let (mut left, mut low) = (0, [0.0; LANES]);
        let mut heights = [[0.0; LANES]; 6];
        for lane in EachLane(lanes) {
            let column = self.base[0][lane].wrapping_add(cell_x[lane]);
            let row = self.base[1][lane].wrapping_add(cell_z[lane]);
            if column < 1 || row < 1 || column > columns - 3 || row > rows - 3 || !field.holes().is_empty() {
                left |= 1 << lane;
                continue;
            }
            let start = (row * columns + column) as u32;
            let is_east = is_east & (1 << lane) != 0;
            let six = field.six(start, is_east);
            for (heights, &height) in heights.iter_mut().zip(&six.heights) {
                heights[lane] = height - six.heights[0];
            }
            low[lane] = (field.origin()[1] - origin_y[lane] + f64::from(six.heights[0])) as f32;
            (slopes.face[lane], beside[lane]) = (six.face, six.beside);
        }
        let taken = L::mask_from_bits(lanes & !left);
        let [side, end] = [L::load(&heights[1]), L::load(&heights[2])];
        let [north, far, near] = [L::load(&heights[3]), L::load(&heights[4]), L::load(&heights[5])];
        let mut gains =
            [[side, end - side], [side, L::splat(0.0) - north], [far - end, end - side], [end - near, near]];
        let per_m = [L::splat(1.0 / size[0]), L::splat(1.0 / size[1])];
        for gain in &mut gains {
            let [p, q] = *gain;
            *gain = [L::select(east, p, q) * per_m[0], L::select(east, q, p) * per_m[1]];
        }
        let corner = [
            L::from_i32(&cell_x) * L::splat(size[0]) - L::load(&self.off[0]),
            L::from_i32(&cell_z) * L::splat(size[1]) - L::load(&self.off[1]),
        ];
        let zero = L::splat(0.0);
        let side = [L::select(east, L::splat(size[0]), zero), L::select(east, zero, L::splat(size[1]))];
        let points = [[zero, zero], side, [L::splat(size[0]), L::splat(size[1])]];
        slopes.take(taken, corner, L::load(&low), points, gains, field.near_radii());
        left
    }
}

impl Heightfield {
    /// Where a sphere rests on a triangle whose edges are out of its reach, as most are: world height of its centre, and how high
    /// that is over the plane, in radii. `None` where an edge is nearer.
    #[inline(always)]
    pub(super) fn rest_inside(&self, face: u32, [x, z]: [f64; 2], radius: f32, walls: Walls) -> Option<(f64, f32)> {
        let (start, columns) = ((face / 2) as usize, self.columns());
        let (column, row) = (start % columns, start / columns);
        let [x0, y0, z0] = self.origin();
        let [size_x, size_z] = [self.cell_x_m() as f32, self.cell_z_m() as f32];
        let near_x = (x - (x0 + column as f64 * self.cell_x_m())) as f32;
        let near_z = (z - (z0 + row as f64 * self.cell_z_m())) as f32;
        let off_diagonal = size_z * near_x - size_x * near_z;
        let (sides, off_diagonal) = if face.is_multiple_of(2) {
            ([near_z, size_x - near_x], off_diagonal)
        } else {
            ([near_x, size_z - near_z], -off_diagonal)
        };
        let reach = radius * (size_x * size_x + size_z * size_z).sqrt();
        if !(sides[0] >= radius && sides[1] >= radius && off_diagonal >= reach) {
            return None;
        }
        let ([gx, gz], most) = (self.gain_of(face), walls.most_lean());
        let lean = (1.0 + gx * gx + gz * gz).sqrt();
        let over = radius * if lean < most { lean } else { most };
        Some((y0 + f64::from(self.heights()[start]) + f64::from(gx * near_x + gz * near_z + over), lean))
    }

    /// The corners of a triangle and of those beyond its edges, in a cell that has whole ones all round.
    #[inline(always)]
    fn six(&self, start: u32, is_east: bool) -> Six {
        let (columns, face) = (self.columns() as u32, 2 * start + u32::from(!is_east));
        let (side, beyond) = if is_east {
            (start + 1, [start - columns, start + columns + 2, start + columns])
        } else {
            (start + columns, [start - 1, start + 2 * columns + 1, start + 1])
        };
        let beside = if is_east {
            [face - 2 * columns + 1, face + 2 + 1, face + 1]
        } else {
            [face - 2 - 1, face + 2 * columns - 1, face - 1]
        };
        let heights = self.heights();
        let corners = [start, side, start + columns + 1, beyond[0], beyond[1], beyond[2]];
        Six { face, beside, heights: corners.map(|sample| heights[sample as usize]) }
    }
}

/// Six corners: of a triangle, and of those beyond its edges.
struct Six {
    face: u32,
    beside: [u32; 3],
    /// Start, side, end; beyond start to side, beyond side to end, beyond the diagonal.
    heights: [f32; 6],
}

/// The whole number at or below, and what is over it.
#[inline(always)]
fn floor<L: Lanes>(value: L) -> ([i32; LANES], L) {
    let most = L::splat(MOST_CELLS as f32);
    let value = value.max(L::splat(-MOST_CELLS as f32)).min(most);
    let cut = L::from_i32(&value.to_i32());
    let whole = cut - L::select(value.lt(cut), L::splat(1.0), L::splat(0.0));
    (whole.to_i32(), value - whole)
}
