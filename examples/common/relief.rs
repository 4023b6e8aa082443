//! The ground as a plain grid of heights: what measurements on heightfields and pictures read, so that neither leans on
//! the library's own terrain queries. A ground of another kind is sampled from above, for pictures.
// No example needs all of it.
#![allow(dead_code)]

/// Vertex heights of a regular grid; row 0 is the northern edge (smallest z), column 0 the western (smallest x).
#[derive(Clone, Debug)]
pub struct Relief {
    pub columns: usize,
    pub rows: usize,
    /// Size of a cell in x and in z.
    pub cell_m: [f64; 2],
    /// x and z of the first vertex.
    pub corner_m: [f64; 2],
    heights_m: Vec<f64>,
    /// Vertices without ground; empty where there is ground everywhere.
    holes: Vec<bool>,
    /// Lowest and highest vertex.
    pub range_m: [f64; 2],
}

/// A surface point and its two slopes, as interpolated for drawing.
#[derive(Clone, Copy, Debug)]
pub struct SmoothPoint {
    pub height_m: f64,
    pub slope: [f64; 2],
}

impl Relief {
    /// A grid of at least 2 x 2 heights, row by row from the north-western corner.
    pub fn new(columns: usize, cell_m: [f64; 2], corner_m: [f64; 2], heights_m: Vec<f64>) -> Self {
        let rows = heights_m.len() / columns;
        let low = heights_m.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights_m.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { columns, rows, cell_m, corner_m, heights_m, holes: Vec::new(), range_m: [low, high] }
    }

    /// A grid of samples, some of which may have met no ground; none where all did.
    pub fn sampled(
        [columns, rows]: [usize; 2],
        cell_m: [f64; 2],
        corner_m: [f64; 2],
        height_m: impl Fn(f64, f64) -> Option<f64>,
    ) -> Option<Self> {
        let at = |i: usize| [i % columns, i / columns].map(|i| i as f64);
        let samples: Vec<_> = (0..columns * rows)
            .map(at)
            .map(|[u, v]| height_m(corner_m[0] + u * cell_m[0], corner_m[1] + v * cell_m[1]))
            .collect();
        let lowest = samples.iter().flatten().copied().reduce(f64::min)?;
        let heights_m = samples.iter().map(|sample| sample.unwrap_or(lowest)).collect();
        let holes: Vec<bool> = samples.iter().map(Option::is_none).collect();
        let holes = if holes.contains(&true) { holes } else { Vec::new() };
        Some(Self { holes, ..Self::new(columns, cell_m, corner_m, heights_m) })
    }

    pub fn has_holes(&self) -> bool {
        !self.holes.is_empty()
    }

    /// Whether the cell at a place lacks ground at one of its corners.
    pub fn is_hole(&self, x: f64, z: f64) -> bool {
        let [column, row] = self.cell(x, z);
        let lacks = |column: usize, row: usize| self.holes[row * self.columns + column];
        self.has_holes() && (0..4).any(|i| lacks(column + i % 2, row + i / 2))
    }

    /// Middles of the cells that have ground, in order.
    pub fn whole_cells(&self) -> Vec<[f64; 2]> {
        let cells = (0..self.rows - 1).flat_map(|row| (0..self.columns - 1).map(move |column| [column, row]));
        let middle = |cell: [usize; 2]| [0, 1].map(|i| self.corner_m[i] + (cell[i] as f64 + 0.5) * self.cell_m[i]);
        cells.map(middle).filter(|[x, z]| !self.is_hole(*x, *z)).collect()
    }

    /// One level square cell around the origin.
    pub fn flat(height_m: f64, side_m: f64) -> Self {
        Self::new(2, [side_m; 2], [-0.5 * side_m; 2], vec![height_m; 4])
    }

    pub fn is_flat(&self) -> bool {
        self.range_m[0] == self.range_m[1]
    }

    /// Extent in x and in z.
    pub fn size_m(&self) -> [f64; 2] {
        [(self.columns - 1) as f64 * self.cell_m[0], (self.rows - 1) as f64 * self.cell_m[1]]
    }

    pub fn centre_m(&self) -> [f64; 2] {
        let size = self.size_m();
        [self.corner_m[0] + 0.5 * size[0], self.corner_m[1] + 0.5 * size[1]]
    }

    /// Grid coordinates, 0 at the first vertex and 1 at the next.
    fn grid(&self, x: f64, z: f64) -> [f64; 2] {
        [(x - self.corner_m[0]) / self.cell_m[0], (z - self.corner_m[1]) / self.cell_m[1]]
    }

    /// The cell at a place, clamped to the grid.
    pub fn cell(&self, x: f64, z: f64) -> [usize; 2] {
        let [u, v] = self.grid(x, z);
        [(u.max(0.0) as usize).min(self.columns - 2), (v.max(0.0) as usize).min(self.rows - 2)]
    }

    pub fn contains(&self, x: f64, z: f64) -> bool {
        let [u, v] = self.grid(x, z);
        (0.0..=(self.columns - 1) as f64).contains(&u) && (0.0..=(self.rows - 1) as f64).contains(&v)
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.heights_m[row * self.columns + column]
    }

    fn vertex(&self, column: usize, row: usize) -> [f64; 3] {
        let x = self.corner_m[0] + column as f64 * self.cell_m[0];
        [x, self.at(column, row), self.corner_m[1] + row as f64 * self.cell_m[1]]
    }

    /// The two triangles of a cell: its diagonal runs from the north-western to the south-eastern corner.
    pub fn triangles(&self, [column, row]: [usize; 2]) -> [[[f64; 3]; 3]; 2] {
        let (north_west, south_east) = (self.vertex(column, row), self.vertex(column + 1, row + 1));
        [[north_west, self.vertex(column, row + 1), south_east], [north_west, south_east, self.vertex(column + 1, row)]]
    }

    /// Height of the triangles under a place on the grid.
    pub fn height_m(&self, x: f64, z: f64) -> f64 {
        let [column, row] = self.cell(x, z);
        let [u, v] = self.grid(x, z);
        let (fx, fz) = (u - column as f64, v - row as f64);
        let (base, far) = (self.at(column, row), self.at(column + 1, row + 1));
        let (along_x, along_z) = match fx >= fz {
            true => (self.at(column + 1, row) - base, far - self.at(column + 1, row)),
            false => (far - self.at(column, row + 1), self.at(column, row + 1) - base),
        };
        base + fx * along_x + fz * along_z
    }

    /// How far off the ground a ball may be at most, seen vertically, and still touch it: 1 / (the normal's y) of the
    /// steepest triangle.
    pub fn steepness(&self) -> f64 {
        let across = |a: f64, b: f64, cell: f64| ((b - a) / cell).powi(2);
        let mut worst: f64 = 0.0;
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let (a, b) = (self.at(column, row), self.at(column + 1, row));
                let (c, d) = (self.at(column, row + 1), self.at(column + 1, row + 1));
                let [cell_x, cell_z] = self.cell_m;
                worst = worst.max(across(a, b, cell_x) + across(b, d, cell_z));
                worst = worst.max(across(c, d, cell_x) + across(a, c, cell_z));
            }
        }
        (1.0 + worst).sqrt()
    }

    /// A smooth surface through the vertices (Catmull-Rom in both directions), for shading without facets.
    pub fn smooth(&self, x: f64, z: f64) -> SmoothPoint {
        let [column, row] = self.cell(x, z);
        let [u, v] = self.grid(x, z);
        let (across, d_across) = catmull_rom(u - column as f64);
        let (down, d_down) = catmull_rom(v - row as f64);
        let mut point = SmoothPoint { height_m: 0.0, slope: [0.0; 2] };
        for (j, (weight, d_weight)) in down.into_iter().zip(d_down).enumerate() {
            let line = (row + j).saturating_sub(1).min(self.rows - 1);
            let (mut height, mut slope) = (0.0, 0.0);
            for i in 0..4 {
                let h = self.at((column + i).saturating_sub(1).min(self.columns - 1), line);
                height += across[i] * h;
                slope += d_across[i] * h;
            }
            point.height_m += weight * height;
            point.slope[0] += weight * slope / self.cell_m[0];
            point.slope[1] += d_weight * height / self.cell_m[1];
        }
        point
    }
}

/// Weights of four neighbours at fraction `t` between the middle two, and the weights' derivatives.
fn catmull_rom(t: f64) -> ([f64; 4], [f64; 4]) {
    let (t2, t3) = (t * t, t * t * t);
    let weights =
        [-0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1.0, -1.5 * t3 + 2.0 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2];
    let slopes = [-1.5 * t2 + 2.0 * t - 0.5, 4.5 * t2 - 5.0 * t, -4.5 * t2 + 4.0 * t + 0.5, 1.5 * t2 - t];
    (weights, slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane of slope 0.5 in x and -0.25 in z, in cells of 2 x 4 m.
    fn tilted() -> Relief {
        let heights = (0..5 * 4).map(|i| 0.5 * 2.0 * (i % 5) as f64 - 0.25 * 4.0 * (i / 5) as f64).collect();
        Relief::new(5, [2.0, 4.0], [10.0, -20.0], heights)
    }

    #[test]
    fn a_plane_is_a_plane_in_every_view() {
        let relief = tilted();
        let expected = 0.5 * 3.3 - 0.25 * 5.1;
        assert!((relief.height_m(13.3, -14.9) - expected).abs() < 1e-12);
        let smooth = relief.smooth(13.3, -14.9);
        assert!((smooth.height_m - expected).abs() < 1e-12);
        assert!((smooth.slope[0] - 0.5).abs() < 1e-12 && (smooth.slope[1] + 0.25).abs() < 1e-12);
        assert!((relief.steepness() - (1.0f64 + 0.25 + 0.0625).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_edges_belong_to_the_grid() {
        let relief = tilted();
        assert!(relief.contains(10.0, -20.0) && relief.contains(18.0, -8.0));
        assert!(!relief.contains(18.001, -8.0) && !relief.contains(10.0, -20.001));
        assert_eq!(relief.cell(18.0, -8.0), [3, 2]);
    }

    #[test]
    fn cells_beside_a_missed_sample_are_holes() {
        let height = |x: f64, z: f64| (x != 1.0 || z != 1.0).then_some(5.0 + x);
        let relief = Relief::sampled([4, 3], [1.0, 1.0], [0.0, 0.0], height).unwrap();
        assert_eq!(relief.range_m, [5.0, 8.0]);
        assert_eq!(relief.whole_cells(), [[2.5, 0.5], [2.5, 1.5]]);
        assert!(relief.is_hole(0.5, 1.5) && !relief.is_hole(2.5, 1.5));
        assert!(Relief::sampled([4, 3], [1.0, 1.0], [0.0, 0.0], |_, _| None).is_none());
        assert!(!tilted().is_hole(13.0, -14.0));
    }
}
