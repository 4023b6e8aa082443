//! Hills, as a heightfield and as a mesh of the same 100,352 triangles.

use serpentarium::Terrain;
use serpentarium::terrain::{HeightGrid, Heightfield, MeshSource};

/// Samples a side: 224 x 224 cells of half a metre.
pub const SIDE: usize = 225;
pub const CELL_M: f32 = 0.5;

pub fn height(column: usize, row: usize) -> f32 {
    let (x, z) = (column as f32 * CELL_M, row as f32 * CELL_M);
    (0.31 * x).sin() * (0.27 * z).cos() * 1.5 + (1.7 * x + 0.9 * z).sin() * 0.1
}

/// So many samples a side, with the middle at x = z = 0.
pub fn field_of(side: usize) -> Terrain {
    let heights = (0..side * side).map(|index| height(index % side, index / side)).collect();
    let (half, cell) = (0.5 * (side - 1) as f64 * f64::from(CELL_M), f64::from(CELL_M));
    let origin = [-half, 0.0, -half];
    let grid =
        HeightGrid { columns: side, rows: side, cell_x_m: cell, cell_z_m: cell, origin, heights, holes: Vec::new() };
    Heightfield::from_heights(grid).unwrap().into()
}

pub fn triangles() -> MeshSource {
    let half = 0.5 * (SIDE - 1) as f32 * CELL_M;
    let at = |index: usize| {
        let (column, row) = (index % SIDE, index / SIDE);
        [column as f32 * CELL_M - half, height(column, row), row as f32 * CELL_M - half]
    };
    let mut indices = Vec::new();
    for row in 0..SIDE as u32 - 1 {
        for column in 0..SIDE as u32 - 1 {
            let start = row * SIDE as u32 + column;
            let [east, south, end] = [start + 1, start + SIDE as u32, start + SIDE as u32 + 1];
            indices.extend([[start, end, east], [start, south, end]]);
        }
    }
    MeshSource { positions: (0..SIDE * SIDE).map(at).collect(), indices, ..MeshSource::default() }
}
