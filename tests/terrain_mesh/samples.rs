//! Samples from above and from between floors, what is counted, what is refused.

use crate::SEED;
use crate::support::{any_triangles, field, hills, mesh, mesh_of, soup, triangles};
use parry3d::math::Vector;
use parry3d::query::{Ray, RayCast};
use parry3d::shape::TriMesh;
use proptest::prelude::*;
use serpentarium::Terrain;
use serpentarium::error::Error;
use serpentarium::terrain::{HeightGrid, Heightfield, MeshSource, TriangleMesh};

/// Heights of all triangles at (x, z), each with how far inside the triangle that is, in metres.
fn heights(source: &MeshSource, x: f64, z: f64) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for [a, b, c] in triangles(source) {
        let area = |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (z - p[2]) - (q[2] - p[2]) * (x - p[0]);
        let whole = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
        if whole == 0.0 {
            continue;
        }
        let weights = [area(b, c), area(c, a), area(a, b)].map(|part| part / whole);
        let edges = [[b, c], [c, a], [a, b]].map(|[p, q]| (q[0] - p[0]).hypot(q[2] - p[2]));
        let inside = (0..3).map(|i| weights[i] * whole.abs() / edges[i]).fold(f64::INFINITY, f64::min);
        found.push((weights[0] * a[1] + weights[1] * b[1] + weights[2] * c[1], inside));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn the_highest_surface_at_or_below_is_found(
        corners in any_triangles(60),
        points in prop::collection::vec([-2.5..2.5_f64, -2.5..2.5, -2.5..2.5], 40),
    ) {
        let source = soup(&corners);
        let Ok(mesh) = TriangleMesh::from_triangles(source.clone()) else { return Ok(()) };
        for [x, y, z] in points {
            let all = heights(&source, x, z);
            // Near a border or near the limit either answer is right.
            if all.iter().any(|&(height, inside)| inside.abs() < 1e-3 || inside > 0.0 && (height - y).abs() < 1e-3) {
                continue;
            }
            let wanted = all.iter().filter(|(height, inside)| *inside > 0.0 && *height < y).map(|(height, _)| *height);
            let wanted = wanted.fold(f64::NEG_INFINITY, f64::max);
            match mesh.sample_under(x, y, z) {
                None => prop_assert_eq!(wanted, f64::NEG_INFINITY),
                Some(found) => {
                    // Slivers within a millimetre of upright have any height.
                    prop_assert!((found.height_m - wanted).abs() < 2e-3, "{found:?} for {wanted}");
                    prop_assert!(found.normal[1] > 0.0 && found.face_normal[1] > 0.0);
                    // Who stands on it finds it again.
                    prop_assert_eq!(mesh.sample_under(x, found.height_m, z), Some(found));
                }
            }
        }
    }

    #[test]
    fn samples_equal_ray_casts(corners in any_triangles(40), points in prop::collection::vec([-2.5..2.5_f64, -2.5..2.5], 30)) {
        let source = soup(&corners);
        let Ok(mesh) = TriangleMesh::from_triangles(source.clone()) else { return Ok(()) };
        let positions = source.positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
        let cast_on = TriMesh::new(positions, source.indices.clone()).unwrap();
        for [x, z] in points {
            if heights(&source, x, z).iter().any(|&(_, inside)| inside.abs() < 1e-3) {
                continue;
            }
            let ray = Ray::new(Vector::new(x as f32, 10.0, z as f32), Vector::new(0.0, -1.0, 0.0));
            let cast = cast_on.cast_local_ray(&ray, 100.0, false).map(|time| 10.0 - f64::from(time));
            let found = mesh.sample(x, z).map(|ground| ground.height_m);
            match (cast, found) {
                (None, None) => {}
                (Some(cast), Some(found)) => prop_assert!((cast - found).abs() < 2e-3, "{found} for {cast}"),
                other => prop_assert!(false, "{other:?} at {x}, {z}"),
            }
        }
    }

    #[test]
    fn no_line_slips_between_neighbours(seed in 0..1000_u32, places in prop::collection::vec((0..7_u8, 0..7_u8, 0.0..1.0_f64), 30)) {
        // Corners, edges and diagonals of a bumpy, warped grid.
        let mut source = mesh_of(&hills(8, 1.0, 1.0 + seed as f32 * 1e-3));
        for (index, position) in source.positions.iter_mut().enumerate() {
            position[0] += ((index as u32 * 37 + seed) % 17) as f32 * 0.021;
            position[2] += ((index as u32 * 61 + seed) % 19) as f32 * 0.017;
        }
        let mesh = mesh(source.clone());
        for (column, row, share) in places {
            let start = usize::from(row) * 8 + usize::from(column);
            for end in [start + 1, start + 8, start + 9] {
                let [a, b] = [start, end].map(|index| source.positions[index.min(63)]);
                let at = |axis: usize| f64::from(a[axis]) + share * f64::from(b[axis] - a[axis]) + source.origin[axis];
                let is_inner = (1..6).contains(&column) && (1..6).contains(&row);
                prop_assert!(!is_inner || mesh.sample(at(0), at(2)).is_some(), "{column} {row} {share}");
            }
        }
    }
}

#[test]
fn a_floor_is_found_under_its_ceiling() {
    let level =
        |y: f32| [[[-5.0, y, -5.0], [5.0, y, -5.0], [5.0, y, 5.0]], [[-5.0, y, -5.0], [5.0, y, 5.0], [-5.0, y, 5.0]]];
    let cave = mesh(soup(&[level(0.0), level(3.0), level(8.0)].concat()));
    let under = |y: f64| cave.sample_under(0.3, y, 1.0).map(|ground| ground.height_m);
    assert_eq!((under(2.0), under(3.0), under(7.9), under(100.0)), (Some(0.0), Some(3.0), Some(3.0), Some(8.0)));
    assert_eq!((under(-0.1), under(f64::NAN), under(f64::NEG_INFINITY)), (None, None, None));
    assert_eq!(cave.sample(0.3, 1.0).unwrap().height_m, 8.0);
    assert!(cave.sample(f64::NAN, 0.0).is_none() && cave.sample(0.0, f64::INFINITY).is_none());
}

#[test]
fn given_normals_are_mixed_and_turned_up() {
    let mut source = soup(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]);
    source.normals = Some(vec![[0.0, -2.0, 0.0], [-0.6, -0.8, 0.0], [0.0, -1.0, 0.0]]);
    let shaded = mesh(source.clone());
    let ground = shaded.sample(0.5, 0.0).unwrap();
    assert!(
        (ground.normal[0] - 0.316_227_8).abs() < 1e-6 && (ground.normal[1] - 0.948_683_3).abs() < 1e-6,
        "{ground:?}"
    );
    assert_eq!((ground.face_normal, shaded.report().flat_shaded), ([0.0, 1.0, 0.0], 0));
    for bad in [[f32::NAN, 1.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0], [1.0, -1e-3, 0.0], [f32::INFINITY, 1.0, 0.0]] {
        source.normals = Some(vec![[0.0, -2.0, 0.0], bad, [0.0, -1.0, 0.0]]);
        let flat = mesh(source.clone());
        assert_eq!((flat.sample(0.5, 0.0).unwrap().normal, flat.report().flat_shaded), ([0.0, 1.0, 0.0], 1), "{bad:?}");
    }
}

#[test]
fn untidy_triangles_are_counted() {
    let square =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]];
    let line = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]];
    let double = [[1.0, 0.0, 1.0], [1.0, -0.0, -0.0], [-0.0, 0.0, 0.0]];
    let dot = [[3.0, 3.0, 3.0]; 3];
    let mesh = mesh(soup(&[square[0], line, square[1], double, dot, square[0]]));
    let report = mesh.report();
    assert_eq!((report.triangles, report.degenerate, report.duplicate, report.kept()), (6, 2, 2, 2));
    // Wound against each other, so flat ground to collide with all the same.
    assert_eq!((report.border_edges, report.crowded_edges, report.flipped_edges), (4, 0, 1));
    // The unused corners of the line and the dot count as well.
    assert_eq!(report.vertices, 7);
    assert_eq!(mesh.sample(0.6, 0.3).unwrap().height_m, 0.0);
    assert_eq!(mesh.sample(2.0, 2.0), None);
}

#[test]
fn bad_meshes_are_typed_errors_that_name_the_field() {
    let good = || soup(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]);
    let at = |position: [f32; 3]| MeshSource { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], position], ..good() };
    let bad = [
        ("positions.len()", MeshSource { positions: Vec::new(), ..good() }),
        ("indices.len()", MeshSource { indices: Vec::new(), ..good() }),
        ("indices.len()", MeshSource { indices: vec![[0; 3]; (1 << 24) + 1], ..good() }),
        ("indices[0][2]", MeshSource { indices: vec![[0, 1, 3]], ..good() }),
        ("indices[1][0]", MeshSource { indices: vec![[0, 1, 2], [u32::MAX, 0, 1]], ..good() }),
        ("positions[2].x", at([f32::NAN, 0.0, 0.0])),
        ("positions[2].y", at([0.0, f32::INFINITY, 0.0])),
        ("positions[2].z", at([0.0, 0.0, -1.1e6])),
        ("normals.len()", MeshSource { normals: Some(vec![[0.0, 1.0, 0.0]; 2]), ..good() }),
        ("origin.x", MeshSource { origin: [f64::NAN, 0.0, 0.0], ..good() }),
        ("origin.z", MeshSource { origin: [0.0, 0.0, 2e9], ..good() }),
        ("indices", MeshSource { indices: vec![[0, 0, 1], [2, 2, 2]], ..good() }),
    ];
    for (name, source) in bad {
        let error = TriangleMesh::from_triangles(source).unwrap_err();
        assert!(matches!(&error, Error::Value { field, .. } if field == name), "{name}: {error}");
    }
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(mesh(good()).scaled(factor), Err(Error::Value { .. })), "{factor}");
    }
    assert!(matches!(mesh(good()).at_origin([0.0, f64::NAN, 0.0]), Err(Error::Value { .. })));
}

#[test]
fn a_mesh_can_be_scaled_and_moved() {
    let source = mesh_of(&hills(9, 1.0, 2.0));
    let one = mesh(source);
    let double = one.scaled(2.0).unwrap();
    let moved = one.clone().at_origin([1e5, 7.0, -1e5]).unwrap();
    for step in 0..50 {
        let (x, z) = (-3.9 + 0.15 * f64::from(step), 3.7 - 0.14 * f64::from(step));
        let ground = one.sample(x, z).unwrap();
        let large = double.sample(2.0 * x, 2.0 * z).unwrap();
        assert!((large.height_m - 2.0 * ground.height_m).abs() < 1e-5 && large.face_normal == ground.face_normal);
        let far = moved.sample(x + 4.0 + 1e5, z + 4.0 - 1e5).unwrap();
        assert!((far.height_m - 7.0 - ground.height_m).abs() < 1e-5, "{far:?} {ground:?}");
    }
}

#[test]
fn a_hole_is_a_miss_and_its_neighbours_are_not() {
    let grid = HeightGrid { holes: vec![[2, 3], [0, 0], [6, 6]], ..hills(8, 1.0, 1.0) };
    let (whole, holed) = (field(HeightGrid { holes: Vec::new(), ..grid.clone() }), field(grid.clone()));
    let mut missing = 0;
    for step in 0..70 * 70 {
        let (x, z) = (f64::from(step % 70) * 0.1 + 0.05, f64::from(step / 70) * 0.1 + 0.05);
        let is_hole = grid.holes.contains(&[x as u32, z as u32]);
        let found = holed.sample(x - 3.5, z - 3.5);
        assert_eq!(found, if is_hole { None } else { whole.sample(x - 3.5, z - 3.5) }, "{x} {z}");
        missing += usize::from(found.is_none());
        let lanes = holed.sample_lanes(&[x - 3.5; 8], &[z - 3.5; 8]);
        assert_eq!(lanes.hit, [found.is_some(); 8]);
    }
    assert_eq!(missing, 300);
    for holes in [vec![[7, 0]], vec![[0, 7]], vec![[0, 0], [u32::MAX, 0]]] {
        let error = Heightfield::from_heights(HeightGrid { holes, ..grid.clone() }).unwrap_err();
        assert!(matches!(&error, Error::Value { field, .. } if field.starts_with("holes[")), "{error}");
    }
    let scaled = Heightfield::from_heights(grid).unwrap().scaled(3.0).unwrap();
    assert_eq!((scaled.holes().len(), Terrain::from(scaled).sample(-10.0, -10.0)), (3, None));
}
