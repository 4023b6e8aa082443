//! Grounds, and a brute force in f64 that shares nothing with the library.

use proptest::prelude::*;
use serpentarium::Terrain;
use serpentarium::lanes::WideLanes;
use serpentarium::terrain::{Closest, Contact, HeightGrid, Heightfield, Hit, MeshSource, Nearby, TriangleMesh};

/// Queries with the lanes that the crate is compiled for. They are inlined wherever they are called: here once each, so that
/// the tests compile in a moment.
pub trait Ask {
    fn closest(&self, point: [f32; 3]) -> Option<Closest>;
    fn contact(&self, a: [f32; 3], b: [f32; 3], radius: f32) -> Option<Contact>;
    fn swept(&self, a: [f32; 3], b: [f32; 3], radius: f32, way: [f32; 3]) -> Option<Hit>;
    fn cast(&self, from: [f32; 3], direction: [f32; 3], max: f32) -> Option<Hit>;
    fn cast_down(&self, from: [f32; 3], max: f32) -> Option<Hit>;
}

impl Ask for Nearby {
    #[inline(never)]
    fn closest(&self, point: [f32; 3]) -> Option<Closest> {
        self.closest_point::<WideLanes>(point)
    }
    #[inline(never)]
    fn contact(&self, a: [f32; 3], b: [f32; 3], radius: f32) -> Option<Contact> {
        self.deepest::<WideLanes>(a, b, radius)
    }
    #[inline(never)]
    fn swept(&self, a: [f32; 3], b: [f32; 3], radius: f32, way: [f32; 3]) -> Option<Hit> {
        self.sweep::<WideLanes>(a, b, radius, way)
    }
    #[inline(never)]
    fn cast(&self, from: [f32; 3], direction: [f32; 3], max: f32) -> Option<Hit> {
        self.ray::<WideLanes>(from, direction, max)
    }
    #[inline(never)]
    fn cast_down(&self, from: [f32; 3], max: f32) -> Option<Hit> {
        self.ray_down::<WideLanes>(from, max)
    }
}

pub type V = [f64; 3];
pub type Triangle = [V; 3];

pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn along(a: V, b: V, share: f64) -> V {
    [0, 1, 2].map(|axis| a[axis] + b[axis] * share)
}

pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

pub fn wide(a: [f32; 3]) -> V {
    a.map(f64::from)
}

/// A mesh whose triangles have corners of their own.
pub fn soup(triangles: &[[[f32; 3]; 3]]) -> MeshSource {
    let indices = (0..triangles.len() as u32).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
    MeshSource { positions: triangles.as_flattened().to_vec(), indices, ..MeshSource::default() }
}

pub fn mesh(source: MeshSource) -> TriangleMesh {
    TriangleMesh::from_triangles(source).unwrap()
}

/// The source's triangles in f64.
pub fn triangles(source: &MeshSource) -> Vec<Triangle> {
    source.indices.iter().map(|corners| corners.map(|corner| wide(source.positions[corner as usize]))).collect()
}

/// Everything of `terrain` within 1 km of `center`.
pub fn everything(terrain: &Terrain, center: V) -> Nearby {
    let mut nearby = Nearby::new();
    terrain.gather(center, [1000.0; 3], &mut nearby);
    nearby
}

/// The point of a triangle nearest to a point (Ericson, Real-Time Collision Detection, 5.1.5).
pub fn nearest_point([a, b, c]: Triangle, p: V) -> V {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return along(a, ab, d1 / (d1 - d3));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return along(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    along(along(a, ab, vb / sum), ac, vc / sum)
}

/// Where a convex function over 0..1 is least.
pub fn least(function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if function(left) <= function(right) { high = right } else { low = left }
    }
    let middle = 0.5 * (low + high);
    [0.0, 1.0, middle].into_iter().min_by(|&one, &other| function(one).total_cmp(&function(other))).unwrap()
}

/// Distance of a triangle from the segment a to b. It is convex along the segment.
pub fn distance(triangle: Triangle, a: V, b: V) -> f64 {
    let at = |share: f64| {
        let point = along(a, sub(b, a), share);
        length(sub(point, nearest_point(triangle, point)))
    };
    if a == b { at(0.0) } else { at(least(at)) }
}

/// When a capsule first touches a triangle, as a share of its way. The gap is convex in time.
pub fn touch_time(triangle: Triangle, a: V, b: V, radius: f64, way: V) -> Option<f64> {
    let gap = |time: f64| distance(triangle, along(a, way, time), along(b, way, time)) - radius;
    if gap(0.0) <= 0.0 {
        return Some(0.0);
    }
    let nearest = least(gap);
    if gap(nearest) > 0.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, nearest);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gap(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}

pub fn point(size: f32) -> impl Strategy<Value = [f32; 3]> {
    [-size..size, -size..size, -size..size]
}

/// Triangles of all shapes: any corners, slivers, needles, level ones, doubles and points.
pub fn any_triangles(most: usize) -> impl Strategy<Value = Vec<[[f32; 3]; 3]>> {
    let free = [point(3.0), point(3.0), point(3.0)];
    let sliver = (point(3.0), point(3.0), point(0.01)).prop_map(|(a, b, c)| {
        let middle = [0, 1, 2].map(|axis| 0.5 * (a[axis] + b[axis]) + c[axis]);
        [a, b, middle]
    });
    let small = (point(3.0), point(0.02), point(0.02))
        .prop_map(|(a, b, c)| [a, [0, 1, 2].map(|axis| a[axis] + b[axis]), [0, 1, 2].map(|axis| a[axis] + c[axis])]);
    let level = ([point(3.0), point(3.0), point(3.0)], -2.0..2.0_f32)
        .prop_map(|(corners, y)| corners.map(|[x, _, z]| [x, y, z]));
    let upright = ([point(3.0), point(3.0), point(3.0)], -2.0..2.0_f32)
        .prop_map(|(corners, x)| corners.map(|[_, y, z]| [x, y, z]));
    prop::collection::vec(prop_oneof![4 => free, 1 => sliver, 1 => small, 1 => level, 1 => upright], 1..most)
}

pub fn hills(side: usize, cell_m: f64, rise: f32) -> HeightGrid {
    let height = |column: usize, row: usize| {
        rise * (((column * 7 + row * 13) % 11) as f32 * 0.09 + ((column * 3 + row) % 5) as f32 * 0.05)
    };
    let heights = (0..side * side).map(|index| height(index % side, index / side)).collect();
    let origin = [-0.5 * (side - 1) as f64 * cell_m, 0.0, -0.5 * (side - 1) as f64 * cell_m];
    HeightGrid { columns: side, rows: side, cell_x_m: cell_m, cell_z_m: cell_m, origin, heights, holes: Vec::new() }
}

/// The triangles of a grid, wound one way and the other in turns.
pub fn mesh_of(grid: &HeightGrid) -> MeshSource {
    let columns = grid.columns as u32;
    let at = |index: usize| {
        let (column, row) = ((index % grid.columns) as f64, (index / grid.columns) as f64);
        [(column * grid.cell_x_m) as f32, grid.heights[index], (row * grid.cell_z_m) as f32]
    };
    let positions = (0..grid.heights.len()).map(at).collect();
    let mut indices = Vec::new();
    for row in 0..grid.rows as u32 - 1 {
        for column in 0..columns - 1 {
            if grid.holes.contains(&[column, row]) {
                continue;
            }
            let start = row * columns + column;
            let [east, south, end] = [start + 1, start + columns, start + columns + 1];
            indices.push([start, end, east]);
            indices.push(if column % 2 == 0 { [start, south, end] } else { [end, south, start] });
        }
    }
    MeshSource { origin: grid.origin, positions, normals: None, indices }
}

pub fn field(grid: HeightGrid) -> Terrain {
    Heightfield::from_heights(grid).unwrap().into()
}
