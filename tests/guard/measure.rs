//! How deep bodies are in the ground, by f64 geometry that shares nothing with the guard.

use super::common::*;
use glam::DVec3;
use serpentarium::terrain::{HeightGrid, MeshSource, TriangleMesh};
use serpentarium::{Heightfield, Profile, SerpentBatch, SerpentId, Terrain};

pub type Triangle = [DVec3; 3];

/// The deepest joint, and the deepest place along a segment, as shares of the radius there. The first joint is the
/// caller's, and so are segments whose ends the guard could not bring out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depths {
    pub joint: f64,
    pub chord: f64,
    /// Where that is: the segment's number, and the share of it.
    pub place: (usize, f64),
}

impl Depths {
    pub fn worst(self, other: Self) -> Self {
        let deeper = if other.chord > self.chord { other } else { self };
        Self { joint: self.joint.max(other.joint), ..deeper }
    }
}

/// Measures a body by a function of place and radius.
pub fn depths(batch: &SerpentBatch, id: SerpentId, depth: impl Fn(DVec3, f64) -> f64) -> Depths {
    let (joints, radii) = (joints(batch, id), batch.radii(id).unwrap().map(f64::from).collect::<Vec<_>>());
    let share = |at: DVec3, radius: f64| depth(at, radius) / radius;
    let mut all = Depths::default();
    let is_out = share(joints[0], radii[0]) < 0.01;
    for i in 1..joints.len() {
        all.joint = all.joint.max(share(joints[i], radii[i]));
        if i > 1 || is_out {
            for k in 1..8 {
                let t = f64::from(k) / 8.0;
                let radius = radii[i - 1] + t * (radii[i] - radii[i - 1]);
                let chord = share(joints[i - 1].lerp(joints[i], t), radius);
                if chord > all.chord {
                    (all.chord, all.place) = (chord, (i, t));
                }
            }
        }
    }
    all
}

/// Against planes and heightfields: by the nearest point of them.
pub fn open_depth(terrain: &Terrain, at: DVec3, radius: f64) -> f64 {
    let (depth, _) = serpentarium::reference::rest::depth(terrain, at, radius);
    if depth.is_finite() { depth } else { 0.0 }
}

/// Against triangles of a surface with everything above it free.
pub fn surface_depth(triangles: &[Triangle], at: DVec3, radius: f64) -> f64 {
    let distance = nearest(triangles, at);
    let is_under = triangles.iter().any(|&triangle| height_over(triangle, at).is_some_and(|height| height < 0.0));
    radius - if is_under { -distance } else { distance }
}

pub fn nearest(triangles: &[Triangle], at: DVec3) -> f64 {
    triangles.iter().map(|&triangle| (nearest_point(triangle, at) - at).length()).fold(f64::INFINITY, f64::min)
}

/// The height of a point over a triangle that it is straight above or below.
fn height_over([a, b, c]: Triangle, at: DVec3) -> Option<f64> {
    let side = |from: DVec3, to: DVec3| (to.x - from.x) * (at.z - from.z) - (to.z - from.z) * (at.x - from.x);
    let [ab, bc, ca] = [side(a, b), side(b, c), side(c, a)];
    let is_over = ab >= 0.0 && bc >= 0.0 && ca >= 0.0 || ab <= 0.0 && bc <= 0.0 && ca <= 0.0;
    let sum = ab + bc + ca;
    (is_over && sum != 0.0).then(|| at.y - (a.y * bc + b.y * ca + c.y * ab) / sum)
}

/// Ericson, Real-Time Collision Detection, 5.1.5.
fn nearest_point([a, b, c]: Triangle, p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// A grid of square cells with its middle at 0, of a height over (x, z).
pub fn grid(samples: usize, cell: f64, height: impl Fn(f64, f64) -> f64) -> HeightGrid {
    let half = 0.5 * (samples - 1) as f64 * cell;
    let at = |i: usize| height((i % samples) as f64 * cell - half, (i / samples) as f64 * cell - half) as f32;
    HeightGrid {
        columns: samples,
        rows: samples,
        cell_x_m: cell,
        cell_z_m: cell,
        origin: [-half, 0.0, -half],
        heights: (0..samples * samples).map(at).collect(),
        holes: Vec::new(),
    }
}

pub fn field_of(grid: HeightGrid) -> Terrain {
    Heightfield::from_heights(grid).unwrap().into()
}

/// The same surface as triangles.
pub fn triangles_of(grid: &HeightGrid) -> Vec<Triangle> {
    let at = |column: usize, row: usize| {
        let height = f64::from(grid.heights[row * grid.columns + column]);
        DVec3::from(grid.origin) + DVec3::new(column as f64 * grid.cell_x_m, height, row as f64 * grid.cell_z_m)
    };
    let cells = (0..grid.rows - 1).flat_map(|row| (0..grid.columns - 1).map(move |column| (column, row)));
    cells
        .flat_map(|(column, row)| {
            let (start, end) = (at(column, row), at(column + 1, row + 1));
            [[start, end, at(column + 1, row)], [start, at(column, row + 1), end]]
        })
        .collect()
}

pub fn mesh_of(triangles: &[Triangle]) -> Terrain {
    let positions = triangles.as_flattened().iter().map(|at| at.as_vec3().into()).collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriangleMesh::from_triangles(MeshSource { positions, indices, ..MeshSource::default() }).unwrap().into()
}

/// A rectangle from a corner along two edges, in cells.
pub fn sheet(corner: DVec3, one: DVec3, two: DVec3, cells: usize) -> Vec<Triangle> {
    let at = |i: usize, k: usize| corner + one * (i as f64 / cells as f64) + two * (k as f64 / cells as f64);
    let cell = |i: usize, k: usize| {
        let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..cells * cells).flat_map(|n| cell(n % cells, n / cells)).collect()
}

/// A species with the guard on, or off.
pub fn species_with(name: &str, guard: bool) -> Profile {
    let text = std::fs::read_to_string(format!("{}/profiles/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (off, on) = ("prevent_penetration = false", "prevent_penetration = true");
    assert!(text.contains(off));
    Profile::from_toml(name, &if guard { text.replace(off, on) } else { text }).unwrap()
}

/// 8 m, 16 segments, radius 0.2 in the middle and half of it at the ends.
pub fn guarded(guard: bool) -> Profile {
    let body = Profile::builder("guarded").length_m(8.0).joints(17);
    body.radius_m([(0.0, 0.1), (0.4, 0.2), (1.0, 0.1)]).prevent_penetration(guard).build().unwrap()
}
