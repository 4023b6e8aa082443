//! Spheres that rest near a corner, where more than two planes meet: let straight down on eight triangles at a time.

use super::Terrain;
use super::heightfield::Heightfield;
use super::mesh::TriangleMesh;
use super::slope::{Slope, Walls};
use crate::lanes::{LANES, Lane8, Lanes, Vec3W, WideLanes};

/// How near a corner is at least, seen from above and in radii, for a sphere to be held against all its triangles.
const NEAR_RADII: f32 = 1.5;

/// How near a corner is, in radii, where a triangle beyond one of its edges has an angle of this sine: so near are things
/// beyond that triangle. For 42 degrees and more that is the least.
pub(super) fn near_radii(sine: f32) -> f32 {
    let near = 1.0 / if sine > 1e-6 { sine } else { 1e-6 };
    if near > NEAR_RADII { near } else { NEAR_RADII }
}

impl Slope {
    /// Whether a sphere at (x, z), in world metres, is beside an edge and near one of the triangle's corners.
    #[inline(always)]
    pub(crate) fn is_near_corner(&self, x: f64, z: f64, radius: f32) -> bool {
        let [x, z] = [(x - self.corner[0]) as f32, (z - self.corner[2]) as f32];
        let most = self.near_radii * radius;
        let near = |[px, pz]: [f32; 2]| (x - px) * (x - px) + (z - pz) * (z - pz) < most * most;
        let is_near = near(self.points[0]) | near(self.points[1]) | near(self.points[2]);
        is_near && !(0..3).all(|k| self.inside(k, x, z) >= radius)
    }
}

/// The lanes of spheres within so many metres of one of these corners: places are seen from where the corners are.
#[inline(always)]
pub(super) fn near_corners<L: Lanes>(x: L, z: L, points: &[[Lane8; 2]; 3], most: L) -> L::Mask {
    let mut near = L::mask_from_bits(0);
    for [px, pz] in points {
        let (away_x, away_z) = (x - L::load(px), z - L::load(pz));
        near = near | (away_x * away_x + away_z * away_z).lt(most * most);
    }
    near
}

impl Terrain {
    /// World height of the centre of a sphere at rest near a corner of open ground, on what is not over `limit`.
    pub(crate) fn rest_at_corner(&self, at: [f64; 3], radius: f32) -> f64 {
        match self {
            Self::Heightfield(field) => field.rest_at_corner(at, radius, Walls::Lean).centre_m,
            Self::Mesh(mesh) => mesh.rest_at_corner(at, radius, Walls::Lean).centre_m,
            Self::None | Self::Plane(_) | Self::Set(_) => f64::NEG_INFINITY,
        }
    }
}

impl Heightfield {
    /// On the triangles of all cells within the radius, four cells at a time, where they are not over `limit`; of those within
    /// [`MOST_CELLS`] of the nearest.
    #[inline(never)]
    pub(super) fn rest_at_corner(&self, [x, limit, z]: [f64; 3], radius: f32, walls: Walls) -> Rest {
        let [x0, y0, z0] = self.origin();
        let range = |at: f64, cell: f64, samples: usize| {
            let (last, most) = (samples - 2, MOST_CELLS);
            let cell_of = |at: f64| if (at / cell) as usize <= last { (at / cell) as usize } else { last };
            let [first, middle, end] = [at - f64::from(radius), at, at + f64::from(radius)].map(cell_of);
            (first.max(middle.saturating_sub(most)), end.min(middle + most))
        };
        let (west, east) = range(x - x0, self.cell_x_m(), self.columns());
        let (north, south) = range(z - z0, self.cell_z_m(), self.rows());
        let base = y0 + f64::from(self.heights()[north * self.columns() + west]);
        let limit = (limit - base) as f32;
        let (mut rest, mut corners, mut count) = ([f32::NEG_INFINITY; 2], NOTHING, 0);
        for row in north..=south {
            for column in west..=east {
                if self.is_hole((row * self.columns() + column) as u32) {
                    continue;
                }
                self.put_cell([column, row], [x, base, z], &mut corners, count);
                count += 2;
                if count == LANES {
                    raise(&mut rest, &let_down::<WideLanes>(&corners, [0.0; 2], radius, limit, walls.most_lean()));
                    (corners, count) = (NOTHING, 0);
                }
            }
        }
        if count > 0 {
            raise(&mut rest, &let_down::<WideLanes>(&corners, [0.0; 2], radius, limit, walls.most_lean()));
        }
        Rest::over(base, rest)
    }

    /// Puts a cell's two triangles, as seen from `from`, into two lanes.
    fn put_cell(&self, [column, row]: [usize; 2], from: [f64; 3], corners: &mut [[Lane8; 3]; 3], lane: usize) {
        let [x0, y0, z0] = self.origin();
        let vertex = |column: usize, row: usize| {
            let height = y0 + f64::from(self.heights()[row * self.columns() + column]);
            let [x, z] = [x0 + column as f64 * self.cell_x_m(), z0 + row as f64 * self.cell_z_m()];
            [(x - from[0]) as f32, (height - from[1]) as f32, (z - from[2]) as f32]
        };
        let (start, end) = (vertex(column, row), vertex(column + 1, row + 1));
        for (half, side) in [vertex(column + 1, row), vertex(column, row + 1)].into_iter().enumerate() {
            for (corner, at) in corners.iter_mut().zip([start, side, end]) {
                (0..3).for_each(|axis| corner[axis][lane + half] = at[axis]);
            }
        }
    }
}

/// Cells to each side of the nearest that a sphere is let down on.
const MOST_CELLS: usize = 4;

/// Triangles of no size, far below.
const NOTHING: [[Lane8; 3]; 3] = [[[0.0; LANES], [-1e9; LANES], [0.0; LANES]]; 3];

impl TriangleMesh {
    /// On all triangles that are at (x, z) within the radius, seen from above, and whose plane there is not over `limit`.
    #[inline(never)]
    pub(super) fn rest_at_corner(&self, [x, limit, z]: [f64; 3], radius: f32, walls: Walls) -> Rest {
        let origin = self.origin();
        let [x, z] = [(x - origin[0]) as f32, (z - origin[2]) as f32];
        let limit = (limit - origin[1]) as f32;
        let probe = crate::broadphase::Box3 {
            min: [x - radius, f32::NEG_INFINITY, z - radius],
            max: [x + radius, limit, z + radius],
        };
        let mut rest = [f32::NEG_INFINITY; 2];
        for packet in self.packets_at(probe) {
            raise(&mut rest, &let_down::<WideLanes>(&packet.corners, [x, z], radius, limit, walls.most_lean()));
        }
        Rest::over(origin[1], rest)
    }
}

/// A sphere at rest: world heights of its centre, and of the point where it touches.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub centre_m: f64,
    pub touch_m: f64,
}

impl Rest {
    fn over(base: f64, [centre, touch]: [f32; 2]) -> Self {
        Self { centre_m: base + f64::from(centre), touch_m: base + f64::from(touch) }
    }
}

/// The higher centre, and its touch.
fn raise(rest: &mut [f32; 2], [centres, touches]: &[Lane8; 2]) {
    for (&centre, &touch) in centres.iter().zip(touches) {
        *rest = if centre > rest[0] { [centre, touch] } else { *rest };
    }
}

/// Where the centre of a sphere is that comes straight down at (x, z) and meets each of eight triangles, on its face, its
/// edges or its corners; minus infinity where it passes, or only meets what is higher than `limit`. `lean` is the most that it
/// is over a face, in radii. Also the heights at which it touches.
#[inline(always)]
fn let_down<L: Lanes>(corners: &[[Lane8; 3]; 3], [x, z]: [f32; 2], radius: f32, limit: f32, lean: f32) -> [Lane8; 2] {
    let at = Vec3W::new(L::splat(x), L::splat(0.0), L::splat(z));
    let (zero, one, radius) = (L::splat(0.0), L::splat(1.0), L::splat(radius));
    let [a, b, c]: [Vec3W<L>; 3] = [Vec3W::load(&corners[0]), Vec3W::load(&corners[1]), Vec3W::load(&corners[2])];
    let [a, b, c] = [a - at, b - at, c - at];
    let none = L::splat(f32::NEG_INFINITY);
    let (mut most, mut touch) = (none, none);
    // The face, where what the sphere touches first is in it.
    let normal = (b - a).cross(c - a).normalize_or(1e-30, Vec3W::splat([0.0; 3]));
    let up = L::select(normal.y.lt(zero), L::splat(-1.0), one);
    let normal = normal * up;
    let lies = L::splat(1e-3).lt(normal.y);
    let upright = L::select(lies, normal.y, one);
    let (touch_x, touch_z) = (zero - normal.x * radius, zero - normal.z * radius);
    let mut sides = [zero; 3];
    for (side, (p, q)) in sides.iter_mut().zip([(a, b), (b, c), (c, a)]) {
        *side = (q.x - p.x) * (touch_z - p.z) - (q.z - p.z) * (touch_x - p.x);
    }
    let is_in = (zero.le(sides[0]) & zero.le(sides[1]) & zero.le(sides[2]))
        | (sides[0].le(zero) & sides[1].le(zero) & sides[2].le(zero));
    let plane = a.y + (normal.x * a.x + normal.z * a.z) / upright;
    let lean = (one / upright).min(L::splat(lean));
    let centre = plane + radius * lean;
    let meets = lies & is_in & plane.le(L::splat(limit));
    most = L::select(meets, centre, most);
    touch = L::select(meets, centre - radius * normal.y, touch);
    for (p, q) in [(a, b), (b, c), (c, a)] {
        // The vertical line against the cylinder round an edge.
        let along = q - p;
        let inv = one / along.length_squared().max(L::splat(1e-30));
        let rise = along.y * inv;
        let flat = zero - (p.x * along.x + p.z * along.z);
        let (ux, uy, uz) = (zero - along.x * rise, one - along.y * rise, zero - along.z * rise);
        let share = flat * inv;
        let (vx, vy, vz) = (zero - p.x - along.x * share, zero - along.y * share, zero - p.z - along.z * share);
        let square = ux * ux + uy * uy + uz * uz;
        let half = ux * vx + uy * vy + uz * vz;
        let rest = vx * vx + vy * vy + vz * vz - radius * radius;
        let root = half * half - square * rest;
        let leans = L::splat(1e-6).lt(square);
        let height = (root.max(zero).sqrt() - half) / L::select(leans, square, one);
        let on = share + height * rise;
        let meets = leans & zero.le(root) & zero.le(on) & on.le(one);
        let centre = p.y + height;
        let meets = meets & most.lt(centre) & (centre - radius).le(L::splat(limit));
        most = L::select(meets, centre, most);
        touch = L::select(meets, p.y + along.y * on, touch);
        // A corner.
        let away = radius * radius - (p.x * p.x + p.z * p.z);
        let centre = p.y + away.max(zero).sqrt();
        let meets = zero.le(away) & most.lt(centre) & p.y.le(L::splat(limit));
        most = L::select(meets, centre, most);
        touch = L::select(meets, p.y, touch);
    }
    [most.to_array(), touch.to_array()]
}
