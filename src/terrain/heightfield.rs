//! A grid of heights, each cell two triangles: the same surface as a mesh of those triangles.
//!
//! Row 0 is north, at the smallest z; column 0 is west, at the smallest x. A cell's diagonal runs from (column, row) to
//! (column + 1, row + 1). The border itself is ground on all four edges; beyond it is a miss. So is a cell that is a hole;
//! a point on the edge between a hole and ground belongs to the cell that starts there.
//!
//! Precision: cell and fraction come from f64, the triangle is interpolated in f32 as differences from one corner, and
//! the corner's height is added in f64.

use super::corner::near_radii;
use super::slope::{NO_FACE, Slope};
use super::{Footing, GroundLanes, GroundSample, LANES, keep_f32, keep_f64};
use crate::error::{Error, Result};

/// Most columns or rows.
pub(super) const MAX_SIDE: usize = 32_768;
/// Most samples: 2.7 GB at 20 bytes each.
const MAX_SAMPLES: usize = 1 << 27;
const MIN_CELL_M: f64 = 1e-3;
const MAX_CELL_M: f64 = 1e5;
/// Largest height above or below the origin's y; with [`MIN_CELL_M`] it keeps squared slopes inside f32.
const MAX_HEIGHT_M: f32 = 1e6;
/// Beyond it f64 itself is coarser than a tenth of a micrometre.
const MAX_ORIGIN_M: f64 = 1e9;

/// A few f32 steps at 1.
pub(crate) const MIN_MIXED_Y: f32 = 1e-6;

/// What a [`Heightfield`] is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightGrid {
    /// Samples per row, along +x: 2 to 32,768.
    pub columns: usize,
    /// Rows, along +z: 2 to 32,768; at most 2^27 samples altogether.
    pub rows: usize,
    /// Metres from one column to the next: 0.001 to 100,000.
    pub cell_x_m: f64,
    /// Metres from one row to the next: 0.001 to 100,000.
    pub cell_z_m: f64,
    /// World x of column 0, the y that is added to every height, world z of row 0: each within 1e9 m of 0.
    pub origin: [f64; 3],
    /// `rows` x `columns` heights in metres above `origin[1]`, row 0 (north) first: each within 1e6 m of 0.
    pub heights: Vec<f32>,
    /// Cells without ground, as (column, row) of their first corner, so below `columns - 1` and `rows - 1`; in any order.
    /// A cave's mouth, where a mesh goes on.
    pub holes: Vec<[u32; 2]>,
}

/// A heightfield: a regular grid of heights, with cells that may be unequal in x and z. Immutable.
#[derive(Debug, Clone, PartialEq)]
pub struct Heightfield {
    grid: HeightGrid,
    /// One per sample, beside `grid.heights`, so that a query reads a triangle's corner in one 16-byte load.
    vertices: Vec<Vertex>,
    /// A bit for each sample, set where the cell that starts there is a hole; empty where there are no holes.
    holes: Vec<u64>,
    across: Axis,
    down: Axis,
    min_height: f32,
    max_height: f32,
}

/// Height above the origin's y, then the vertex normal's x, y, z.
pub(super) type Vertex = [f32; 4];

/// A point's cell, its triangle there, and its place in that.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Sample at the cell's (column, row), where the diagonal starts.
    start: u32,
    /// Sample off the diagonal: (column + 1, row) or (column, row + 1).
    side: u32,
    /// The larger of the two fractions: how far along the edge start -> side.
    far: f32,
    /// The smaller: how far along side -> end. Barycentric weights are 1 - far, far - near, near.
    near: f32,
}

impl Place {
    /// The triangle's number.
    #[inline(always)]
    const fn face(&self) -> u32 {
        2 * self.start + (self.side - self.start != 1) as u32
    }
}

impl Heightfield {
    /// A heightfield of `grid`, normals precomputed.
    ///
    /// # Errors
    /// [`Error::Value`] naming the field of [`HeightGrid`] that is out of its range, or the first bad height.
    pub fn from_heights(grid: HeightGrid) -> Result<Self> {
        check(&grid)?;
        let vertices = bake_vertices(&grid);
        let across = Axis::new(grid.origin[0], grid.cell_x_m, grid.columns);
        let down = Axis::new(grid.origin[2], grid.cell_z_m, grid.rows);
        let (mut min_height, mut max_height) = (f32::INFINITY, f32::NEG_INFINITY);
        for &height in &grid.heights {
            min_height = if height < min_height { height } else { min_height };
            max_height = if height > max_height { height } else { max_height };
        }
        let holes = bake_holes(&grid);
        Ok(Self { grid, vertices, holes, across, down, min_height, max_height })
    }

    /// The same surface `factor` times as large about the world's zero: cells, heights and origin alike, so that slopes
    /// stay.
    ///
    /// # Errors
    /// [`Error::Value`] where `factor` is not positive and finite, or what it gives is out of [`HeightGrid`]'s ranges.
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        check_factor(factor)?;
        let mut grid = self.grid.clone();
        grid.cell_x_m *= factor;
        grid.cell_z_m *= factor;
        grid.origin = grid.origin.map(|metres| metres * factor);
        for height in &mut grid.heights {
            *height = (f64::from(*height) * factor) as f32;
        }
        Self::from_heights(grid)
    }

    /// The same surface with column 0, row 0 at `origin`, in world metres; heights are above `origin[1]`.
    ///
    /// # Errors
    /// [`Error::Value`] where a coordinate is not within 1e9 m of 0.
    pub fn at_origin(mut self, origin: [f64; 3]) -> Result<Self> {
        check_origin(origin)?;
        self.grid.origin = origin;
        self.across = Axis::new(origin[0], self.grid.cell_x_m, self.grid.columns);
        self.down = Axis::new(origin[2], self.grid.cell_z_m, self.grid.rows);
        Ok(self)
    }

    /// Samples per row, along +x.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.grid.columns
    }

    /// Rows, along +z; row 0 is north.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.grid.rows
    }

    /// The smaller side of a cell, in metres.
    pub(crate) fn least_cell_m(&self) -> f32 {
        let (x, z) = (self.grid.cell_x_m, self.grid.cell_z_m);
        (if x < z { x } else { z }) as f32
    }

    /// Metres from one column to the next, along x.
    #[must_use]
    pub const fn cell_x_m(&self) -> f64 {
        self.grid.cell_x_m
    }

    /// Metres from one row to the next, along z.
    #[must_use]
    pub const fn cell_z_m(&self) -> f64 {
        self.grid.cell_z_m
    }

    /// World x of column 0, the y added to every height, world z of row 0.
    #[must_use]
    pub const fn origin(&self) -> [f64; 3] {
        self.grid.origin
    }

    /// Metres from the first column to the last and from the first row to the last.
    #[must_use]
    pub const fn extent_m(&self) -> [f64; 2] {
        [(self.grid.columns - 1) as f64 * self.grid.cell_x_m, (self.grid.rows - 1) as f64 * self.grid.cell_z_m]
    }

    /// `rows` x `columns` heights in metres above `origin()[1]`, row 0 (north) first.
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.grid.heights
    }

    /// World y of the lowest sample, in metres.
    #[must_use]
    pub fn min_height_m(&self) -> f64 {
        self.grid.origin[1] + f64::from(self.min_height)
    }

    /// World y of the highest sample, in metres.
    #[must_use]
    pub fn max_height_m(&self) -> f64 {
        self.grid.origin[1] + f64::from(self.max_height)
    }

    /// The cells without ground, as (column, row), as they were given.
    #[must_use]
    pub fn holes(&self) -> &[[u32; 2]] {
        &self.grid.holes
    }

    /// The surface at (x, z) in world metres; `None` in a hole, beyond the border or where a coordinate is NaN.
    #[must_use]
    pub fn sample(&self, x: f64, z: f64) -> Option<GroundSample> {
        if !self.covers(x, z) {
            return None;
        }
        let place = self.place(x, z, true);
        if self.is_hole(place.start) {
            return None;
        }
        let corners = self.corners(place.start, place.side);
        let mixed = interpolate(place.far, place.near, corners);
        Some(GroundSample {
            height_m: self.world_height(corners[0][0], mixed[0]),
            normal: upward_unit(mixed[1], mixed[2], mixed[3]),
            face_normal: self.face_normal(place.side - place.start == 1, corners.map(|corner| corner[0])),
            footing: Footing::of(place.face()),
        })
    }

    /// [`sample`](Self::sample) at eight points, with the same bits. Loops over lanes are kept apart so that each
    /// vectorises: the first across lanes, the gather across a vertex's four parts.
    #[inline(always)]
    #[must_use]
    pub fn sample_lanes(&self, x: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        let mut ground = GroundLanes::MISS;
        let [mut start, mut side] = [[0_u32; LANES]; 2];
        let [mut far, mut near] = [[0.0_f32; LANES]; 2];
        for lane in 0..LANES {
            let hit = self.covers(x[lane], z[lane]);
            let place = self.place(x[lane], z[lane], hit);
            (start[lane], side[lane], far[lane], near[lane]) = (place.start, place.side, place.far, place.near);
            ground.hit[lane] = hit;
            ground.footing[lane] = Footing::of(place.face());
        }
        // One branch for eight points where there are no holes.
        if !self.holes.is_empty() {
            for lane in 0..LANES {
                ground.hit[lane] &= !self.is_hole(start[lane]);
            }
        }
        let (mut mixed, mut start_height) = ([[0.0_f32; 4]; LANES], [0.0_f32; LANES]);
        for lane in 0..LANES {
            let corners = self.corners(start[lane], side[lane]);
            mixed[lane] = interpolate(far[lane], near[lane], corners);
            start_height[lane] = corners[0][0];
        }
        self.finish_lanes(&start_height, &mixed, &mut ground);
        ground
    }

    /// Heights and unit normals from the mixed vertices; [`GroundLanes::MISS`] where a lane missed.
    #[inline(always)]
    fn finish_lanes(&self, start_height: &[f32; LANES], mixed: &[Vertex; LANES], ground: &mut GroundLanes) {
        for lane in 0..LANES {
            let height_m = self.world_height(start_height[lane], mixed[lane][0]);
            ground.height_m[lane] = keep_f64(ground.hit[lane], height_m);
        }
        for (lane, &[_, x, y, z]) in mixed.iter().enumerate() {
            let normal = upward_unit(x, y, z);
            let hit = ground.hit[lane];
            ground.normal[0][lane] = keep_f32(hit, normal[0], 0.0);
            ground.normal[1][lane] = keep_f32(hit, normal[1], 1.0);
            ground.normal[2][lane] = keep_f32(hit, normal[2], 0.0);
        }
    }

    /// The triangle at a point; `None` where there is no ground.
    #[inline(always)]
    pub(super) fn slope_at(&self, x: f64, z: f64) -> Option<Slope> {
        if !self.covers(x, z) {
            return None;
        }
        let ((column, along_x), (row, along_z)) = (self.across.locate(x, true), self.down.locate(z, true));
        let slope = self.slope_in([column, row], along_x >= along_z);
        (!self.is_hole(slope.face / 2)).then_some(slope)
    }

    /// A triangle by its number: twice its cell's first sample, and one more for the western one.
    pub(super) fn slope_of(&self, face: u32) -> Slope {
        let (start, columns) = (face / 2, self.grid.columns as u32);
        self.slope_in([start % columns, start / columns], face.is_multiple_of(2))
    }

    /// As a cell's diagonal has it.
    #[inline(always)]
    pub(super) fn near_radii(&self) -> f32 {
        let [x, z] = [self.grid.cell_x_m as f32, self.grid.cell_z_m as f32];
        near_radii(if x < z { x } else { z } / (x * x + z * z).sqrt())
    }

    /// A triangle, and the planes of those beside it.
    #[inline(always)]
    fn slope_in(&self, [column, row]: [u32; 2], is_east: bool) -> Slope {
        let columns = self.grid.columns as u32;
        let start = row * columns + column;
        let face = 2 * start + u32::from(!is_east);
        let [size_x, size_z] = [self.grid.cell_x_m as f32, self.grid.cell_z_m as f32];
        let corner = [
            self.grid.origin[0] + f64::from(column) * self.grid.cell_x_m,
            self.grid.origin[1] + f64::from(self.height(start)),
            self.grid.origin[2] + f64::from(row) * self.grid.cell_z_m,
        ];
        // Beyond the first edge, from the start to the corner off the diagonal; beyond the second; beyond the diagonal.
        let (side, beyond) = if is_east {
            let north = (row > 0).then(|| face - 2 * columns + 1);
            let east = (column + 2 < columns).then(|| face + 2 + 1);
            ([size_x, 0.0], [north, east, Some(face + 1)])
        } else {
            let west = (column > 0).then(|| face - 2 - 1);
            let south = (row + 2 < self.grid.rows as u32).then(|| face + 2 * columns - 1);
            ([0.0, size_z], [west, south, Some(face - 1)])
        };
        let gain = self.gain_of(face);
        let mut slope = Slope {
            face,
            beside: [NO_FACE; 3],
            corner,
            points: [[0.0; 2], side, [size_x, size_z]],
            gain,
            beyond: [gain; 3],
            near_radii: self.near_radii(),
        };
        for (k, face) in beyond.into_iter().enumerate() {
            if let Some(face) = face
                && !self.is_hole(face / 2)
            {
                (slope.beside[k], slope.beyond[k]) = (face, self.gain_of(face));
            }
        }
        slope
    }

    /// Metres up in a metre of x and of z.
    #[inline(always)]
    pub(super) fn gain_of(&self, face: u32) -> [f32; 2] {
        let (start, columns) = (face / 2, self.grid.columns as u32);
        let (is_east, end) = (face.is_multiple_of(2), start + columns + 1);
        let side = self.height(start + if is_east { 1 } else { columns });
        let (first, second) = (side - self.height(start), self.height(end) - side);
        let (along_x, along_z) = if is_east { (first, second) } else { (second, first) };
        [along_x * self.across.cells_per_m as f32, along_z * self.down.cells_per_m as f32]
    }

    #[inline(always)]
    fn height(&self, sample: u32) -> f32 {
        self.vertices[sample as usize][0]
    }

    /// False where a coordinate is NaN.
    #[inline(always)]
    fn covers(&self, x: f64, z: f64) -> bool {
        self.across.covers(x) & self.down.covers(z)
    }

    /// Whether the cell that starts at this sample is a hole.
    #[inline(always)]
    pub(super) fn is_hole(&self, start: u32) -> bool {
        match self.holes.get(start as usize / 64) {
            None => false,
            Some(bits) => (bits >> (start % 64)) & 1 != 0,
        }
    }

    /// Any place inside where `is_covered` is false.
    #[inline(always)]
    fn place(&self, x: f64, z: f64, is_covered: bool) -> Place {
        let (column, fraction_x) = self.across.locate(x, is_covered);
        let (row, fraction_z) = self.down.locate(z, is_covered);
        // At most 2^15 columns, 2^27 samples.
        let columns = self.grid.columns as u32;
        let start = row * columns + column;
        let is_east = fraction_x >= fraction_z;
        Place {
            start,
            side: start + if is_east { 1 } else { columns },
            far: if is_east { fraction_x } else { fraction_z },
            near: if is_east { fraction_z } else { fraction_x },
        }
    }

    /// The triangle's vertices: start, side, end. `locate` keeps column and row one short of the last, so that all
    /// three exist.
    #[inline(always)]
    pub(super) fn corners(&self, start: u32, side: u32) -> [Vertex; 3] {
        let (start, side) = (start as usize, side as usize);
        [self.vertices[start], self.vertices[side], self.vertices[start + self.grid.columns + 1]]
    }

    #[inline(always)]
    fn world_height(&self, start: f32, rise: f32) -> f64 {
        self.grid.origin[1] + f64::from(start) + f64::from(rise)
    }

    fn face_normal(&self, is_east: bool, [start, side, end]: [f32; 3]) -> [f32; 3] {
        let (first, second) = (f64::from(side - start), f64::from(end - side));
        let (along_x, along_z) = if is_east { (first, second) } else { (second, first) };
        unit([-along_x / self.grid.cell_x_m, 1.0, -along_z / self.grid.cell_z_m])
    }
}

/// One axis of the grid: world coordinate to cell and fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    min: f64,
    /// The last sample's coordinate: itself still ground.
    max: f64,
    cells_per_m: f64,
    last_cell: f64,
}

impl Axis {
    fn new(min: f64, cell_m: f64, samples: usize) -> Self {
        let last_cell = (samples - 2) as f64;
        Self { min, max: min + (last_cell + 1.0) * cell_m, cells_per_m: 1.0 / cell_m, last_cell }
    }

    /// False for NaN.
    #[inline(always)]
    fn covers(&self, at: f64) -> bool {
        (at >= self.min) & (at <= self.max)
    }

    /// Cell and fraction in it, [0, 1]; the first cell where `is_covered` is false. On the last sample, and where
    /// rounding passes it, it is the last cell's far side.
    #[inline(always)]
    fn locate(&self, at: f64, is_covered: bool) -> (u32, f32) {
        // 2^52: f64 has no bits for fractions there, so adding it rounds to a whole number that stands in the low bits.
        // Without SSE4.1 `f64::floor` is a call, and a cast to integer does not vectorise.
        const WHOLE: f64 = 4_503_599_627_370_496.0;
        let cells = if is_covered { (at - self.min) * self.cells_per_m } else { 0.0 };
        let nearest = (cells + WHOLE) - WHOLE;
        let floor = if nearest > cells { nearest - 1.0 } else { nearest };
        let cell = if floor > self.last_cell { self.last_cell } else { floor };
        let fraction = (cells - cell) as f32;
        ((cell + WHOLE).to_bits() as u32, if fraction > 1.0 { 1.0 } else { fraction })
    }
}

/// The rise above the start corner, then the sum of the corners' normals by barycentric weights, not yet unit. All
/// from differences, so that level ground is exactly level; one expression for the four parts, so that they go as one
/// vector.
#[inline(always)]
fn interpolate(far: f32, near: f32, [start, side, end]: [Vertex; 3]) -> Vertex {
    let base = [0.0, start[1], start[2], start[3]];
    let mut mixed = [0.0; 4];
    for part in 0..4 {
        mixed[part] = base[part] + (far * (side[part] - start[part]) + near * (end[part] - side[part]));
    }
    mixed
}

/// Divided by the length itself, so that upright normals give exactly (0, 1, 0). Corners' y are positive, but between
/// opposite walls steeper than 1e6 all three parts can round to 0: the least y keeps the length from vanishing.
#[inline(always)]
pub(super) fn upward_unit(x: f32, y: f32, z: f32) -> [f32; 3] {
    let y = if y > MIN_MIXED_Y { y } else { MIN_MIXED_Y };
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

fn unit([x, y, z]: [f64; 3]) -> [f32; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [(x / length) as f32, (y / length) as f32, (z / length) as f32]
}

fn check(grid: &HeightGrid) -> Result<()> {
    for (field, count) in [("columns", grid.columns), ("rows", grid.rows)] {
        if !(2..=MAX_SIDE).contains(&count) {
            return Err(Error::value(field, count, "2 to 32768"));
        }
    }
    for (field, cell_m) in [("cell_x_m", grid.cell_x_m), ("cell_z_m", grid.cell_z_m)] {
        if !(MIN_CELL_M..=MAX_CELL_M).contains(&cell_m) {
            return Err(Error::value(field, cell_m, "0.001 to 100000 m"));
        }
    }
    check_origin(grid.origin)?;
    // Cannot overflow: both sides are at most 2^15.
    let samples = grid.columns * grid.rows;
    if samples > MAX_SAMPLES {
        return Err(Error::value("columns * rows", samples, "at most 134217728 samples"));
    }
    if grid.heights.len() != samples {
        let allowed = format!("columns * rows = {samples} heights");
        return Err(Error::value("heights.len()", grid.heights.len(), &allowed));
    }
    check_holes(grid)?;
    check_heights(grid)
}

fn check_holes(grid: &HeightGrid) -> Result<()> {
    let is_bad = |&[column, row]: &[u32; 2]| column as usize >= grid.columns - 1 || row as usize >= grid.rows - 1;
    match grid.holes.iter().position(is_bad) {
        None => Ok(()),
        Some(index) => {
            let [column, row] = grid.holes[index];
            let allowed = format!("a column below {} and a row below {}", grid.columns - 1, grid.rows - 1);
            Err(Error::value(&format!("holes[{index}]"), format!("column {column}, row {row}"), &allowed))
        }
    }
}

fn bake_holes(grid: &HeightGrid) -> Vec<u64> {
    if grid.holes.is_empty() {
        return Vec::new();
    }
    let mut bits = vec![0; grid.heights.len().div_ceil(64)];
    for &[column, row] in &grid.holes {
        let start = row as usize * grid.columns + column as usize;
        bits[start / 64] |= 1 << (start % 64);
    }
    bits
}

pub(super) fn check_factor(factor: f64) -> Result<()> {
    if factor > 0.0 && factor.is_finite() {
        return Ok(());
    }
    Err(Error::value("factor", factor, "positive and finite"))
}

pub(super) fn check_origin(origin: [f64; 3]) -> Result<()> {
    for (axis, metres) in ["x", "y", "z"].into_iter().zip(origin) {
        if !(-MAX_ORIGIN_M..=MAX_ORIGIN_M).contains(&metres) {
            return Err(Error::value(&format!("origin.{axis}"), metres, "-1e9 to 1e9 m"));
        }
    }
    Ok(())
}

fn check_heights(grid: &HeightGrid) -> Result<()> {
    let is_bad = |height: &f32| !(-MAX_HEIGHT_M..=MAX_HEIGHT_M).contains(height);
    match grid.heights.iter().position(is_bad) {
        None => Ok(()),
        Some(index) => {
            let field = format!("heights[{index}] (column {}, row {})", index % grid.columns, index / grid.columns);
            Err(Error::value(&field, grid.heights[index], "-1e6 to 1e6 m"))
        }
    }
}

fn bake_vertices(grid: &HeightGrid) -> Vec<Vertex> {
    let mut vertices = Vec::with_capacity(grid.heights.len());
    for row in 0..grid.rows {
        for column in 0..grid.columns {
            let [x, y, z] = vertex_normal(grid, column, row);
            vertices.push([grid.heights[row * grid.columns + column], x, y, z]);
        }
    }
    vertices
}

/// The area-weighted mean of the normals of the (at most six) triangles that meet at a vertex. Cross products all have
/// the same y here, as every triangle covers half a cell: summing slopes weights by area.
fn vertex_normal(grid: &HeightGrid, column: usize, row: usize) -> [f32; 3] {
    let (west, east) = (column > 0, column + 1 < grid.columns);
    let (north, south) = (row > 0, row + 1 < grid.rows);
    let mut sum = [0.0; 3];
    // The diagonal's two ends touch both triangles of their cell, the other two corners one.
    let touching = [
        (north && west, 1, 1, true),
        (north && west, 1, 1, false),
        (north && east, 0, 1, false),
        (south && west, 1, 0, true),
        (south && east, 0, 0, true),
        (south && east, 0, 0, false),
    ];
    for (exists, back_columns, back_rows, is_east) in touching {
        if exists {
            let [along_x, along_z] = triangle_slope(grid, column - back_columns, row - back_rows, is_east);
            sum = [sum[0] - along_x, sum[1] + 1.0, sum[2] - along_z];
        }
    }
    unit(sum)
}

/// Metres up per metre of x and of z, of one triangle of a cell.
fn triangle_slope(grid: &HeightGrid, column: usize, row: usize, is_east: bool) -> [f64; 2] {
    let start = row * grid.columns + column;
    let side = start + if is_east { 1 } else { grid.columns };
    let height = |index: usize| f64::from(grid.heights[index]);
    let (first, second) = (height(side) - height(start), height(start + grid.columns + 1) - height(side));
    let (along_x, along_z) = if is_east { (first, second) } else { (second, first) };
    [along_x / grid.cell_x_m, along_z / grid.cell_z_m]
}

#[cfg(test)]
mod tests;
