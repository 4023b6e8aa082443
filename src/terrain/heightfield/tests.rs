//! Heights and look-ups.

use super::*;

fn grid(columns: usize, rows: usize, height: impl Fn(usize, usize) -> f32) -> HeightGrid {
    let heights = (0..columns * rows).map(|index| height(index % columns, index / columns)).collect();
    HeightGrid { columns, rows, cell_x_m: 1.0, cell_z_m: 1.0, origin: [0.0; 3], heights, holes: Vec::new() }
}

#[test]
fn diagonal_runs_from_the_first_corner_to_the_opposite_one() {
    // Lifting one end of the diagonal lifts its middle; lifting a corner off it does not.
    let on = Heightfield::from_heights(grid(2, 2, |column, row| (column + row == 2) as u8 as f32)).unwrap();
    assert_eq!(on.sample(0.5, 0.5).unwrap().height_m, 0.5);
    let off = Heightfield::from_heights(grid(2, 2, |column, row| (column > row) as u8 as f32)).unwrap();
    assert_eq!(off.sample(0.5, 0.5).unwrap().height_m, 0.0);
    assert_eq!(off.sample(0.75, 0.25).unwrap().height_m, 0.5);
    assert_eq!(off.sample(0.25, 0.75).unwrap().height_m, 0.0);
}

#[test]
fn locate_is_floor_and_remainder() {
    let axis = Axis::new(-3.0, 0.25, 9);
    for (at, cell, fraction) in [(-3.0, 0, 0.0), (-2.875, 0, 0.5), (-2.75, 1, 0.0), (-1.0, 7, 1.0), (-1.0625, 7, 0.75)]
    {
        assert_eq!(axis.locate(at, true), (cell, fraction), "{at}");
    }
    assert_eq!(axis.locate(f64::NAN, false), (0, 0.0));
    assert!(!axis.covers(f64::NAN) && !axis.covers(-0.999) && !axis.covers(-3.001));
}

#[test]
fn far_edge_of_a_cell_size_without_exact_sum_is_ground() {
    for samples in [2, 3, 11, 64, 403] {
        for (min, cell_m) in [(0.0, 0.1), (0.3, 1.240_057_098_556_125_4), (1e5, 0.7), (-77.7, 1.0 / 3.0)] {
            let axis = Axis::new(min, cell_m, samples);
            let (cell, fraction) = axis.locate(axis.max, true);
            assert!(axis.covers(axis.max) && cell as usize == samples - 2, "{samples} {min} {cell_m}: {cell}");
            assert!((1.0 - fraction).abs() < 1e-6, "{samples} {min} {cell_m}: {fraction}");
        }
    }
}

#[test]
fn steepest_allowed_slopes_have_finite_unit_normals() {
    let mut spikes = grid(3, 3, |column, row| if (column + row) % 2 == 0 { MAX_HEIGHT_M } else { -MAX_HEIGHT_M });
    (spikes.cell_x_m, spikes.cell_z_m) = (MIN_CELL_M, MIN_CELL_M);
    let field = Heightfield::from_heights(spikes).unwrap();
    for step in 0..=400 {
        let at = f64::from(step) * 5e-6;
        let ground = field.sample(at, 2e-3 - at).unwrap();
        for [x, y, z] in [ground.normal, ground.face_normal] {
            assert!(((x * x + y * y + z * z).sqrt() - 1.0).abs() < 1e-5 && y > 0.0, "{ground:?}");
        }
        assert!(ground.height_m.is_finite());
    }
}
