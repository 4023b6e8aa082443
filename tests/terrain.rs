//! Terrain through its public interface: against a brute force of its own and against ray casts on the same surface.

use parry3d::math::Vector;
use parry3d::query::{Ray, RayCast};
use parry3d::shape::TriMesh;
use proptest::prelude::*;
use serpentarium::error::Error;
use serpentarium::terrain::{GroundLanes, GroundSample, HeightGrid, Heightfield, Plane, Terrain};

/// The surface as a list of triangles in f64, with nothing shared with the library but the statement of its diagonal.
struct Mesh {
    corners: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
}

impl Mesh {
    fn new(grid: &HeightGrid) -> Self {
        let mut corners = Vec::new();
        for (index, &height) in grid.heights.iter().enumerate() {
            let (column, row) = (index % grid.columns, index / grid.columns);
            let x = grid.origin[0] + column as f64 * grid.cell_x_m;
            let z = grid.origin[2] + row as f64 * grid.cell_z_m;
            corners.push([x, grid.origin[1] + f64::from(height), z]);
        }
        let mut triangles = Vec::new();
        for row in 0..grid.rows - 1 {
            for column in 0..grid.columns - 1 {
                let [here, east] = [row * grid.columns + column, row * grid.columns + column + 1];
                let [south, opposite] = [here + grid.columns, east + grid.columns];
                triangles.push([here, opposite, east]);
                triangles.push([here, south, opposite]);
            }
        }
        Self { corners, triangles }
    }

    /// Upward cross product, twice the area long.
    fn cross(&self, [a, b, c]: [usize; 3]) -> [f64; 3] {
        let [a, b, c] = [self.corners[a], self.corners[b], self.corners[c]];
        let [u, v] = [[b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]];
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        if normal[1] < 0.0 { normal.map(|part| -part) } else { normal }
    }

    fn vertex_normals(&self) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; self.corners.len()];
        for &triangle in &self.triangles {
            let normal = self.cross(triangle);
            for corner in triangle {
                sums[corner] = [sums[corner][0] + normal[0], sums[corner][1] + normal[1], sums[corner][2] + normal[2]];
            }
        }
        sums.into_iter().map(unit).collect()
    }

    /// The triangle that holds (x, z) most inside, and the point's barycentric weights there.
    fn find(&self, x: f64, z: f64) -> ([usize; 3], [f64; 3]) {
        let mut best = ([0; 3], [f64::NEG_INFINITY; 3]);
        for &triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| self.corners[corner]);
            let area =
                |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            let [flat_a, flat_b, flat_c] = [[a[0], a[2]], [b[0], b[2]], [c[0], c[2]]];
            let whole = area(flat_a, flat_b, flat_c);
            let weights = [area([x, z], flat_b, flat_c), area(flat_a, [x, z], flat_c), area(flat_a, flat_b, [x, z])];
            let weights = weights.map(|part| part / whole);
            if least(weights) > least(best.1) {
                best = (triangle, weights);
            }
        }
        best
    }
}

fn least(weights: [f64; 3]) -> f64 {
    weights.into_iter().fold(f64::INFINITY, f64::min)
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
    vector.map(|part| part / length)
}

fn distance(a: [f32; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (f64::from(a[axis]) - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn length(normal: [f32; 3]) -> f64 {
    distance(normal, [0.0; 3])
}

/// `count` x and z inside the field's borders, spread by fractions of the extent.
fn inside(field: &Heightfield, fractions: (f64, f64)) -> (f64, f64) {
    let ([origin_x, _, origin_z], [extent_x, extent_z]) = (field.origin(), field.extent_m());
    (origin_x + fractions.0 * extent_x, origin_z + fractions.1 * extent_z)
}

fn any_grid() -> impl Strategy<Value = HeightGrid> {
    let sizes = (2..12_usize, 2..12_usize, 0.1..5.0_f64, 0.1..5.0_f64);
    let origin = (-50.0..50.0_f64, -10.0..10.0_f64, -50.0..50.0_f64);
    (sizes, origin).prop_flat_map(|((columns, rows, cell_x_m, cell_z_m), (x, y, z))| {
        prop::collection::vec(-3.0..3.0_f32, columns * rows).prop_map(move |heights| HeightGrid {
            columns,
            rows,
            cell_x_m,
            cell_z_m,
            origin: [x, y, z],
            heights,
            holes: Vec::new(),
        })
    })
}

fn fractions() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((0.0..=1.0_f64, 0.0..=1.0_f64), 24)
}

fn hills(columns: usize, rows: usize, cell_m: [f64; 2], origin: [f64; 3]) -> HeightGrid {
    let height =
        |column: usize, row: usize| ((column * 7 + row * 13) % 11) as f32 * 0.37 - ((column * row) % 5) as f32 * 0.21;
    let heights = (0..columns * rows).map(|index| height(index % columns, index / columns)).collect();
    HeightGrid { columns, rows, cell_x_m: cell_m[0], cell_z_m: cell_m[1], origin, heights, holes: Vec::new() }
}

fn lane(ground: &GroundLanes, lane: usize) -> Option<(u64, [u32; 3])> {
    let bits = (ground.height_m[lane].to_bits(), ground.normal.map(|part| part[lane].to_bits()));
    ground.hit[lane].then_some(bits)
}

fn bits(sample: Option<GroundSample>) -> Option<(u64, [u32; 3])> {
    sample.map(|ground| (ground.height_m.to_bits(), ground.normal.map(f32::to_bits)))
}

/// `sample_lanes` against `sample` at every point, eight at a time, the rest of the last eight being misses.
fn assert_lanes_equal(terrain: &Terrain, points: &[(f64, f64)]) {
    for eight in points.chunks(8) {
        let (mut x, mut z) = ([f64::NAN; 8], [f64::NAN; 8]);
        for (slot, point) in eight.iter().enumerate() {
            (x[slot], z[slot]) = *point;
        }
        let ground = terrain.sample_lanes(&x, &z);
        for slot in 0..8 {
            assert_eq!(
                lane(&ground, slot),
                bits(terrain.sample(x[slot], z[slot])),
                "lane {slot} at {}, {}",
                x[slot],
                z[slot]
            );
            if !ground.hit[slot] {
                let rest = (ground.height_m[slot], ground.normal.map(|part| part[slot]));
                assert_eq!(rest, (0.0, [0.0, 1.0, 0.0]), "a miss has stated values");
            }
        }
    }
}

proptest! {
    #[test]
    fn heights_and_normals_equal_a_brute_force(grid in any_grid(), fractions in fractions()) {
        let mesh = Mesh::new(&grid);
        let vertex_normals = mesh.vertex_normals();
        let field = Heightfield::from_heights(grid).unwrap();
        for fraction in fractions {
            let (x, z) = inside(&field, fraction);
            let ground = field.sample(x, z).unwrap();
            let (triangle, weights) = mesh.find(x, z);
            let height: f64 = (0..3).map(|corner| weights[corner] * mesh.corners[triangle[corner]][1]).sum();
            prop_assert!((ground.height_m - height).abs() < 2e-6, "{} for {height} at {x}, {z}", ground.height_m);
            let part = |corner: usize, axis: usize| weights[corner] * vertex_normals[triangle[corner]][axis];
            let mixed = |axis: usize| (0..3).map(|corner| part(corner, axis)).sum();
            let normal = unit([mixed(0), mixed(1), mixed(2)]);
            prop_assert!(distance(ground.normal, normal) < 2e-5, "{:?} for {normal:?}", ground.normal);
            prop_assert!((length(ground.normal) - 1.0).abs() < 1e-6 && (length(ground.face_normal) - 1.0).abs() < 1e-6);
            // On an edge either face is right.
            if least(weights) > 1e-6 {
                let face = unit(mesh.cross(triangle));
                prop_assert!(distance(ground.face_normal, face) < 2e-6, "{:?} for {face:?}", ground.face_normal);
            }
        }
    }

    #[test]
    fn heights_equal_ray_casts_on_the_same_mesh(grid in any_grid(), fractions in fractions()) {
        let mesh = Mesh::new(&grid);
        let vector = |corner: &[f64; 3]| Vector::new(corner[0] as f32, corner[1] as f32, corner[2] as f32);
        let corners = mesh.corners.iter().map(vector);
        let triangles = mesh.triangles.iter().map(|triangle| triangle.map(|corner| corner as u32)).collect();
        let cast_on = TriMesh::new(corners.collect(), triangles).unwrap();
        // The ray's x and z are f32, up to 110 m: 4e-6 m aside, times the slope.
        let tolerance = 3e-5 + 1e-5 * 6.0 / grid.cell_x_m.min(grid.cell_z_m);
        let field = Heightfield::from_heights(grid).unwrap();
        for fraction in fractions {
            let (x, z) = inside(&field, fraction);
            let (_, weights) = mesh.find(x, z);
            // A ray through an edge may pass between both triangles in f32.
            if least(weights) < 2e-3 {
                continue;
            }
            let ray = Ray::new(Vector::new(x as f32, 20.0, z as f32), Vector::new(0.0, -1.0, 0.0));
            let hit = cast_on.cast_local_ray_and_get_normal(&ray, 100.0, true).unwrap();
            let ground = field.sample(x, z).unwrap();
            let height = 20.0 - f64::from(hit.time_of_impact);
            prop_assert!((ground.height_m - height).abs() < tolerance, "{} for {height} at {x}, {z}", ground.height_m);
            let normal = [f64::from(hit.normal.x), f64::from(hit.normal.y), f64::from(hit.normal.z)];
            prop_assert!(distance(ground.face_normal, normal) < 1e-3, "{:?} for {normal:?}", ground.face_normal);
        }
    }

    #[test]
    fn lanes_have_the_bits_of_single_samples(
        grid in any_grid(),
        fractions in prop::collection::vec((-0.2..1.2_f64, -0.2..1.2_f64), 1..40),
    ) {
        let field = Heightfield::from_heights(grid).unwrap();
        let points: Vec<_> = fractions.into_iter().map(|fraction| inside(&field, fraction)).collect();
        assert_lanes_equal(&field.into(), &points);
    }

    #[test]
    fn a_planar_grid_is_its_plane(
        slope in (-1.5..1.5_f32, -1.5..1.5_f32),
        cell_m in (0.1..5.0_f64, 0.1..5.0_f64),
        fractions in fractions(),
    ) {
        let slope = [f64::from(slope.0), f64::from(slope.1)];
        let mut grid = hills(9, 7, [cell_m.0, cell_m.1], [0.0; 3]);
        for (index, height) in grid.heights.iter_mut().enumerate() {
            let (column, row) = ((index % 9) as f64, (index / 9) as f64);
            *height = (slope[0] * column * cell_m.0 + slope[1] * row * cell_m.1) as f32;
        }
        let up = unit([-slope[0], 1.0, -slope[1]]);
        let field = Heightfield::from_heights(grid).unwrap();
        let plane = Plane::tilted(0.0, up.map(|part| part as f32)).unwrap();
        for fraction in fractions {
            let (x, z) = inside(&field, fraction);
            let (on_grid, on_plane) = (field.sample(x, z).unwrap(), plane.sample(x, z).unwrap());
            prop_assert!((on_grid.height_m - on_plane.height_m).abs() < 4e-5, "{on_grid:?} for {on_plane:?}");
            // f32 heights of up to 90 m, off by 4e-6 m over a cell of 0.1 m or more.
            for normal in [on_grid.normal, on_grid.face_normal] {
                prop_assert!(distance(normal, up) < 1e-4, "{normal:?} for {up:?}");
            }
            prop_assert!(distance(on_plane.normal, up) < 1e-6);
        }
    }
}

#[test]
fn all_four_edges_are_ground_and_beyond_them_is_none() {
    let terrain = Terrain::from(Heightfield::from_heights(hills(64, 64, [1.0, 1.0], [0.0; 3])).unwrap());
    let (on, off) = ([0.0, 0.5, 62.5, 63.0], [63.01, -0.01]);
    for a in on {
        for b in on {
            assert!(terrain.sample(a, b).is_some(), "{a}, {b}");
        }
        for b in off {
            assert!(terrain.sample(a, b).is_none() && terrain.sample(b, a).is_none(), "{a}, {b}");
        }
    }
    let points: Vec<_> =
        on.into_iter().chain(off).flat_map(|a| on.into_iter().chain(off).map(move |b| (a, b))).collect();
    assert_lanes_equal(&terrain, &points);
}

#[test]
fn every_sample_point_has_its_own_height() {
    let grid = hills(40, 23, [1.0, 1.25], [-20.0, 3.0, 7.5]);
    let field = Heightfield::from_heights(grid.clone()).unwrap();
    for (index, &height) in grid.heights.iter().enumerate() {
        let (column, row) = (index % 40, index / 40);
        let (x, z) = (-20.0 + column as f64, 7.5 + row as f64 * 1.25);
        let (found, wanted) = (field.sample(x, z).unwrap().height_m, 3.0 + f64::from(height));
        // Where a cell starts its height is exact; the last column and row are reached by f32 differences.
        let tolerance = if column < 39 && row < 22 { 0.0 } else { 1e-6 };
        assert!((found - wanted).abs() <= tolerance, "{found} for {wanted} at {x}, {z}");
    }
    assert_eq!(field.heights(), grid.heights);
    assert_eq!((field.columns(), field.rows()), (40, 23));
    assert_eq!((field.cell_x_m(), field.cell_z_m(), field.extent_m()), (1.0, 1.25, [39.0, 27.5]));
    let highest = grid.heights.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(field.max_height_m(), 3.0 + f64::from(highest));
}

#[test]
fn ground_at_a_hundred_kilometres_is_the_ground_at_zero() {
    let near = Heightfield::from_heights(hills(30, 30, [1.0, 1.24], [0.0; 3])).unwrap();
    let far_origin = [1e5, 0.0, -1e5];
    let far = near.clone().at_origin(far_origin).unwrap();
    assert_eq!(far.origin(), far_origin);
    for step in 0..900 {
        let (x, z) = (0.03 * f64::from(step) + 0.001, 35.9 - 0.0397 * f64::from(step));
        let [here, there] = [near.sample(x, z).unwrap(), far.sample(1e5 + x, -1e5 + z).unwrap()];
        assert!((here.height_m - there.height_m).abs() < 1e-6, "{here:?} {there:?} at {x}, {z}");
        assert!(distance(here.normal, there.normal.map(f64::from)) < 1e-5, "{here:?} {there:?}");
    }
}

#[test]
fn coordinates_that_are_not_finite_are_misses() {
    let field = Heightfield::from_heights(hills(5, 5, [1.0, 1.0], [0.0; 3])).unwrap();
    let tilted = Plane::tilted(1.0, [0.6, 0.8, 0.0]).unwrap();
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for terrain in [Terrain::None, Terrain::flat(0.0), tilted.into(), field.into()] {
        for value in bad {
            assert_eq!(terrain.sample(value, 1.0), None);
            assert_eq!(terrain.sample(1.0, value), None);
        }
        let mut points: Vec<_> =
            bad.into_iter().flat_map(|value| [(value, 1.0), (1.0, value), (value, value)]).collect();
        points.extend([(1.0, 2.0), (f64::MAX, f64::MIN), (-0.0, 0.0), (f64::MIN_POSITIVE, 3.999)]);
        assert_lanes_equal(&terrain, &points);
    }
}

#[test]
fn flat_ground_is_exactly_flat() {
    let level = HeightGrid { heights: vec![0.1; 48], ..hills(8, 6, [0.7, 1.3], [0.0; 3]) };
    let field = Heightfield::from_heights(level).unwrap();
    for step in 0..60 {
        let (x, z) = (0.08 * f64::from(step), 0.1 * f64::from(step));
        let up = [0.0, 1.0, 0.0];
        let seen = |sample: Option<GroundSample>| sample.map(|it| (it.height_m, it.normal, it.face_normal));
        assert_eq!(seen(Terrain::flat(-2.5).sample(x * 1e6, z * -1e6)), Some((-2.5, up, up)));
        assert_eq!(seen(field.sample(x, z)), Some((f64::from(0.1_f32), up, up)));
    }
    assert_eq!(Terrain::default(), Terrain::None);
}

#[test]
fn scaling_keeps_slopes() {
    let field = Heightfield::from_heights(hills(12, 9, [1.0, 1.5], [3.0, -2.0, 5.0])).unwrap();
    let double = field.scaled(2.0).unwrap();
    for step in 0..50 {
        let (x, z) = (3.1 + 0.2 * f64::from(step), 5.2 + 0.21 * f64::from(step));
        let [one, two] = [field.sample(x, z).unwrap(), double.sample(2.0 * x, 2.0 * z).unwrap()];
        assert!((2.0 * one.height_m - two.height_m).abs() < 1e-6 && one.normal == two.normal, "{one:?} {two:?}");
    }
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        assert!(matches!(field.scaled(factor), Err(Error::Value { .. })), "{factor}");
    }
}

#[test]
fn bad_grids_are_typed_errors_that_name_the_field() {
    let good = || hills(4, 3, [1.0, 1.0], [0.0; 3]);
    let with_height = |height| HeightGrid { heights: [vec![0.0; 9], vec![height; 3]].concat(), ..good() };
    let bad = [
        ("columns", HeightGrid { columns: 1, ..good() }),
        ("rows", HeightGrid { rows: 0, ..good() }),
        ("columns", HeightGrid { columns: usize::MAX, rows: usize::MAX, ..good() }),
        ("rows", HeightGrid { columns: 2, rows: usize::MAX, ..good() }),
        ("columns * rows", HeightGrid { columns: 32_768, rows: 32_768, ..good() }),
        ("heights.len()", HeightGrid { rows: 4, ..good() }),
        ("heights.len()", HeightGrid { heights: Vec::new(), ..good() }),
        ("cell_x_m", HeightGrid { cell_x_m: 0.0, ..good() }),
        ("cell_x_m", HeightGrid { cell_x_m: f64::NAN, ..good() }),
        ("cell_z_m", HeightGrid { cell_z_m: -1.0, ..good() }),
        ("cell_z_m", HeightGrid { cell_z_m: f64::INFINITY, ..good() }),
        ("origin.y", HeightGrid { origin: [0.0, f64::NAN, 0.0], ..good() }),
        ("origin.z", HeightGrid { origin: [0.0, 0.0, f64::NEG_INFINITY], ..good() }),
        ("heights[9] (column 1, row 2)", with_height(f32::NAN)),
        ("heights[9] (column 1, row 2)", with_height(f32::INFINITY)),
        ("heights[9] (column 1, row 2)", with_height(-2e6)),
    ];
    for (name, grid) in bad {
        let error = Heightfield::from_heights(grid).unwrap_err();
        assert!(matches!(&error, Error::Value { field, .. } if field == name), "{name}: {error}");
    }
}

#[cfg(feature = "png")]
mod files {
    use super::*;
    use std::path::PathBuf;

    fn profiles() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("profiles/terrain")
    }

    #[test]
    fn the_embedded_map_is_the_file_and_loads_from_either_path() {
        let embedded = Terrain::embedded("jacksboro").unwrap();
        assert_eq!(Terrain::load(profiles().join("jacksboro.png")).unwrap(), embedded);
        assert_eq!(Terrain::load(profiles().join("jacksboro.toml")).unwrap(), embedded);
    }

    #[test]
    fn the_embedded_map_keeps_the_slopes_of_the_place() {
        let map = Heightfield::embedded("jacksboro").unwrap();
        let (mut lowest, mut highest, mut least_up) = (f64::MAX, f64::MIN, 1.0_f32);
        let mut points = Vec::new();
        for column in 0..403 {
            for row in 0..344 {
                let (x, z) = inside(&map, (f64::from(column) / 402.0, f64::from(row) / 343.0));
                let ground = map.sample(x, z).unwrap();
                lowest = lowest.min(ground.height_m);
                highest = highest.max(ground.height_m);
                least_up = if ground.normal[1] < least_up { ground.normal[1] } else { least_up };
                points.push((x + 0.3, z - 0.2));
            }
        }
        assert!(lowest.abs() < 1e-4 && (highest - 11.264).abs() < 1e-3, "{lowest} to {highest}");
        let steepest_deg = least_up.acos().to_degrees();
        assert!((30.0..40.0).contains(&steepest_deg), "{steepest_deg}");
        assert_lanes_equal(&map.into(), &points);
    }

    #[test]
    fn files_that_are_not_there_are_typed_errors() {
        let missing = Terrain::load(profiles().join("nowhere.toml")).unwrap_err();
        assert!(matches!(&missing, Error::File { file, .. } if file.ends_with("nowhere.toml")), "{missing}");
        for name in ["jacksboro", "jacksboro.tif", ""] {
            let error = Terrain::load(name).unwrap_err();
            assert!(matches!(&error, Error::Name { kind: "terrain", .. }), "{error}");
        }
        assert!(matches!(Terrain::embedded("nowhere"), Err(Error::Name { .. })));
    }
}
