//! What scenes stand on, built in code. Lengths are metres from the scene's zero.

use glam::{DVec3, Vec3};
use serpentarium::Heightfield;
use serpentarium::terrain::{HeightGrid, MeshSource, TriangleMesh};

/// A rectangle of ground in cells.
#[derive(Clone, Copy)]
pub struct Plot {
    /// Least x and z.
    pub corner: [f64; 2],
    pub size: [f64; 2],
    pub cell: f64,
}

impl Plot {
    fn counts(&self) -> [usize; 2] {
        self.size.map(|metres| (metres / self.cell).round() as usize + 1)
    }

    fn place(&self, column: usize, row: usize) -> [f64; 2] {
        [self.corner[0] + column as f64 * self.cell, self.corner[1] + row as f64 * self.cell]
    }
}

/// A heightfield over a plot.
pub fn field(plot: Plot, origin: DVec3, height: impl Fn(f64, f64) -> f64) -> Heightfield {
    let [columns, rows] = plot.counts();
    let at = |i: usize| {
        let [x, z] = plot.place(i % columns, i / columns);
        height(x, z) as f32
    };
    let grid = HeightGrid {
        columns,
        rows,
        cell_x_m: plot.cell,
        cell_z_m: plot.cell,
        origin: (origin + DVec3::new(plot.corner[0], 0.0, plot.corner[1])).into(),
        heights: (0..columns * rows).map(at).collect(),
        holes: Vec::new(),
    };
    Heightfield::from_heights(grid).expect("a scene's field is in range")
}

/// Triangles with corners of their own; the library welds them.
#[derive(Default)]
struct Soup(Vec<[f32; 3]>);

impl Soup {
    fn triangle(&mut self, corners: [DVec3; 3]) {
        self.0.extend(corners.map(|corner| corner.as_vec3().to_array()));
    }

    /// Corners in a ring.
    fn quad(&mut self, [a, b, c, d]: [DVec3; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    fn mesh(self, origin: DVec3) -> TriangleMesh {
        let indices = (0..self.0.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let source = MeshSource { origin: origin.into(), positions: self.0, indices, normals: None };
        TriangleMesh::from_triangles(source).expect("a scene's mesh is in range")
    }
}

/// A line of (x, y) drawn out from one z to another: an open sheet.
pub fn extruded(line: &[[f64; 2]], z: [f64; 2], pieces: usize, origin: DVec3) -> TriangleMesh {
    let mut soup = Soup::default();
    let step = (z[1] - z[0]) / pieces as f64;
    for pair in line.windows(2) {
        for piece in 0..pieces {
            let [near, far] = [piece, piece + 1].map(|i| z[0] + i as f64 * step);
            let at = |i: usize, z: f64| DVec3::new(pair[i][0], pair[i][1], z);
            soup.quad([at(0, near), at(0, far), at(1, far), at(1, near)]);
        }
    }
    soup.mesh(origin)
}

/// A floor over a plot: an open sheet.
pub fn sheet(plot: Plot, origin: DVec3, height: impl Fn(f64, f64) -> f64) -> TriangleMesh {
    let mut soup = Soup::default();
    add_sheet(&mut soup, plot, &height);
    soup.mesh(origin)
}

/// A slab between two surfaces over a plot, closed all around.
pub fn slab(
    plot: Plot,
    origin: DVec3,
    bottom: impl Fn(f64, f64) -> f64,
    top: impl Fn(f64, f64) -> f64,
) -> TriangleMesh {
    let mut soup = Soup::default();
    add_sheet(&mut soup, plot, &bottom);
    add_sheet(&mut soup, plot, &top);
    let [columns, rows] = plot.counts();
    let mut wall = |a: [usize; 2], b: [usize; 2]| {
        let [[ax, az], [bx, bz]] = [a, b].map(|[column, row]| plot.place(column, row));
        let at = |x: f64, z: f64, height: &dyn Fn(f64, f64) -> f64| DVec3::new(x, height(x, z), z);
        soup.quad([at(ax, az, &bottom), at(bx, bz, &bottom), at(bx, bz, &top), at(ax, az, &top)]);
    };
    for column in 0..columns - 1 {
        wall([column, 0], [column + 1, 0]);
        wall([column, rows - 1], [column + 1, rows - 1]);
    }
    for row in 0..rows - 1 {
        wall([0, row], [0, row + 1]);
        wall([columns - 1, row], [columns - 1, row + 1]);
    }
    soup.mesh(origin)
}

fn add_sheet(soup: &mut Soup, plot: Plot, height: &dyn Fn(f64, f64) -> f64) {
    let [columns, rows] = plot.counts();
    let at = |column: usize, row: usize| {
        let [x, z] = plot.place(column, row);
        DVec3::new(x, height(x, z), z)
    };
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            soup.quad([at(column, row), at(column, row + 1), at(column + 1, row + 1), at(column + 1, row)]);
        }
    }
}

/// A rock about `centre`: a ball of 512 faces, dented by its seed.
pub fn rock(centre: DVec3, radius_m: f64, seed: f64, origin: DVec3) -> TriangleMesh {
    let mut faces = Vec::new();
    for signs in 0..8 {
        let sign = |bit: u32| if signs & bit == 0 { 1.0 } else { -1.0 };
        faces.push([DVec3::X * sign(1), DVec3::Y * sign(2), DVec3::Z * sign(4)]);
    }
    for _ in 0..3 {
        faces = faces.into_iter().flat_map(quarter).collect();
    }
    let mut soup = Soup::default();
    let place = |way: DVec3| {
        let dent = rough(3.0 * way.x + seed, 3.0 * way.z - seed) + rough(2.0 * way.y - 3.0 * seed, 2.0 * way.x);
        // Flatter than a ball, as what lies about is.
        centre + way * DVec3::new(1.15, 0.65, 1.0) * radius_m * (1.0 + 0.09 * dent)
    };
    faces.into_iter().for_each(|face| soup.triangle(face.map(place)));
    soup.mesh(origin)
}

/// A face of a ball in four.
fn quarter([a, b, c]: [DVec3; 3]) -> [[DVec3; 3]; 4] {
    let middle = |p: DVec3, q: DVec3| (p + q).normalize();
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

/// Smooth bumps of about -1 to 1, a few units apart.
pub fn rough(x: f64, z: f64) -> f64 {
    0.45 * (1.9 * x + 1.3 * z).sin() * (2.3 * z - 0.7 * x + 0.5).cos()
        + 0.35 * (4.3 * x - 2.9 * z + 1.7).sin()
        + 0.2 * (7.9 * x + 8.3 * z).sin()
}

/// A unit vector in the plane at this angle from +X toward +Z.
pub fn way(degrees: f32) -> Vec3 {
    let angle = degrees.to_radians();
    Vec3::new(angle.cos(), 0.0, angle.sin())
}
