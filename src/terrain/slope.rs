//! One triangle of ground with what lies beyond its edges: how high a sphere is that rests there.
//!
//! A sphere that rests on a triangle is its radius over the triangle's plane. Near an edge it may rest on more: in a valley
//! on both planes, of which the higher holds it; over a crest on this plane, on the edge itself or on the plane beyond,
//! whichever it touches from above. So the height at which it rests is continuous over edges, and true to the triangles.
//! Derivation: docs/derivations/rest.md.
//!
//! Who goes over ground in short steps is on one triangle for many of them: looked up once, a step then costs a few products
//! in lanes.

use super::corner::near_corners;
use super::plane::Plane;
use crate::constants::CLEARANCE_LEAST_Y;
use crate::lanes::{LANES, Lane8, Lanes, Vec3W, WideLanes};

/// No triangle.
pub(crate) const NO_FACE: u32 = u32::MAX;

/// Slope across an edge that a way over it has at most: a steeper one runs beside it.
const MOST_STEEP: f32 = 2.0;

/// Metres up for a metre away from an edge, at most.
const MOST_SECANT: f32 = 3.0;

/// As wide as no ground is, in metres: where a plane's edges are.
const ENDLESS_M: f32 = 1e15;

/// What slopes over 60 degrees are to a sphere at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walls {
    /// No steeper than 60 degrees: a sphere leans on them, and is not raised by many radii.
    Lean,
    /// As steep as they are, so that what comes near them has a long way up.
    Count,
}

impl Walls {
    /// How many radii over a plane a sphere's centre is at most.
    #[inline(always)]
    pub(super) const fn most_lean(self) -> f32 {
        match self {
            Self::Lean => 1.0 / CLEARANCE_LEAST_Y,
            Self::Count => 1e6,
        }
    }
}

/// A triangle of a heightfield or a mesh, or a plane, which has no end; seen from above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slope {
    /// Names the triangle.
    pub face: u32,
    /// The triangles beyond its edges, or [`NO_FACE`]: from the first corner to the second, to the third, and back.
    pub beside: [u32; 3],
    /// A point of its plane, in world metres.
    pub corner: [f64; 3],
    /// x and z of its corners, from there.
    pub points: [[f32; 2]; 3],
    /// What the height gains in a metre of x and of z.
    pub gain: [f32; 2],
    /// The same of the planes beyond the edges; its own where there is none.
    pub beyond: [[f32; 2]; 3],
    /// How near its corners are, in radii, for a sphere to touch more than the planes beyond its edges.
    pub near_radii: f32,
}

impl Slope {
    /// From below or above a point, so that a far plane is as exact as a near one.
    #[inline(always)]
    pub(super) fn of_plane(plane: &Plane, x: f64, z: f64) -> Self {
        let [nx, ny, nz] = plane.normal();
        let (gain, far) = ([-nx / ny, -nz / ny], ENDLESS_M);
        let points = [[-far, -far], [far, -far], [0.0, far]];
        let corner = [x, plane.height_at(x, z), z];
        Self { face: 0, beside: [NO_FACE; 3], corner, points, gain, beyond: [gain; 3], near_radii: 0.0 }
    }

    /// World height of the centre of a sphere of this radius that rests at (x, z), in world metres.
    pub(crate) fn rest_m(&self, x: f64, z: f64, radius: f32, walls: Walls) -> f64 {
        let [near_x, near_z] = [(x - self.corner[0]) as f32, (z - self.corner[2]) as f32];
        if (0..3).all(|k| self.inside(k, near_x, near_z) >= radius) {
            let [gx, gz] = self.gain;
            let (lean, most) = ((1.0 + gx * gx + gz * gz).sqrt(), walls.most_lean());
            let over = radius * if lean < most { lean } else { most };
            return self.corner[1] + f64::from(gx * near_x + gz * near_z + over);
        }
        let mut slopes = Slopes::NONE;
        slopes.put(0, self, self.corner);
        slopes.derive::<WideLanes>(None);
        let place = slopes.place(WideLanes::splat(near_x), WideLanes::splat(near_z));
        let rests = slopes.height(&place) + slopes.over(&place, WideLanes::splat(radius), walls);
        self.corner[1] + f64::from(rests.to_array()[0])
    }

    /// Metres that a point is inside of an edge.
    pub(super) fn inside(&self, k: usize, x: f32, z: f32) -> f32 {
        let ([ax, az], [bx, bz], [cx, cz]) = (self.points[k], self.points[(k + 1) % 3], self.points[(k + 2) % 3]);
        let (along_x, along_z) = (bx - ax, bz - az);
        let left = |x: f32, z: f32| along_x * (z - az) - along_z * (x - ax);
        let inside = left(x, z) / (along_x * along_x + along_z * along_z).sqrt();
        if left(cx, cz) < 0.0 { -inside } else { inside }
    }

    /// World height of its plane at (x, z).
    pub(crate) fn height_m(&self, x: f64, z: f64) -> f64 {
        let [x, z] = [(x - self.corner[0]) as f32, (z - self.corner[2]) as f32];
        self.corner[1] + f64::from(self.gain[0] * x + self.gain[1] * z)
    }

    /// Unit, upward.
    pub(crate) fn normal(&self) -> [f32; 3] {
        let [gx, gz] = self.gain;
        let inv = 1.0 / (1.0 + gx * gx + gz * gz).sqrt();
        [-gx * inv, inv, -gz * inv]
    }

    /// Whether the plane beyond an edge falls away from this one.
    pub(crate) fn is_crest(&self, k: usize) -> bool {
        let [x, z] = self.across(k);
        let ([ax, az], [cx, cz]) = (self.points[k], self.points[(k + 2) % 3]);
        let inner = (cx - ax) * x + (cz - az) * z;
        let fold = (self.beyond[k][0] - self.gain[0]) * x + (self.beyond[k][1] - self.gain[1]) * z;
        if inner < 0.0 { fold < 0.0 } else { fold > 0.0 }
    }

    /// The direction in plan across an edge.
    fn across(&self, k: usize) -> [f32; 2] {
        let ([ax, az], [bx, bz]) = (self.points[k], self.points[(k + 1) % 3]);
        let inv = 1.0 / ((bx - ax) * (bx - ax) + (bz - az) * (bz - az)).sqrt();
        [(az - bz) * inv, (bx - ax) * inv]
    }

    /// Where the way from one place to another, as x and z from the corner, leaves over an edge: not the one to the face
    /// that it `came` from.
    pub(crate) fn leave(&self, [[ax, az], [bx, bz]]: [[f32; 2]; 2], came: u32) -> Option<Crossing> {
        let mut first: Option<Crossing> = None;
        for k in 0..3 {
            let ([px, pz], [qx, qz], [ox, oz]) = (self.points[k], self.points[(k + 1) % 3], self.points[(k + 2) % 3]);
            let (along_x, along_z) = (qx - px, qz - pz);
            let left = |x: f32, z: f32| along_x * (z - pz) - along_z * (x - px);
            let turn = if left(ox, oz) < 0.0 { -1.0 } else { 1.0 };
            let (start, end) = (turn * left(ax, az), turn * left(bx, bz));
            if end >= 0.0 || end >= start || came != NO_FACE && self.beside[k] == came {
                continue;
            }
            let share = if start > 0.0 { start / (start - end) } else { 0.0 };
            if first.is_none_or(|crossing| share < crossing.share) {
                let [gx, gz] = [0, 1].map(|axis| self.beyond[k][axis] - self.gain[axis]);
                let fold = turn * (gz * along_x - gx * along_z);
                first = Some(Crossing { share, beside: self.beside[k], is_crest: fold > 0.0, across: self.across(k) });
            }
        }
        first
    }
}

/// Where a way leaves a triangle.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    /// Of the way.
    pub share: f32,
    /// The triangle beyond, or [`NO_FACE`].
    pub beside: u32,
    pub is_crest: bool,
    /// The direction in plan across the edge.
    pub across: [f32; 2],
}

/// A triangle of each lane.
pub(crate) struct Slopes {
    pub face: [u32; LANES],
    /// A point of the plane, and the height there.
    x: Lane8,
    z: Lane8,
    pub height: Lane8,
    points: [[Lane8; 2]; 3],
    pub gain: [Lane8; 2],
    beyond: [[Lane8; 2]; 3],
    near_radii: Lane8,
    /// Lanes whose triangle was put, and not taken from a cell.
    odd: u32,
    /// What follows from these. Unit, upward.
    pub normal: [Lane8; 3],
    /// Height of a resting sphere's centre straight over the plane, in radii.
    lean: Lane8,
    edges: [Edges; 3],
}

/// An edge of each lane's triangle, and the plane beyond it.
struct Edges {
    /// Metres that a point is inside: `across` . (x, z) - `start`.
    across: [Lane8; 2],
    start: Lane8,
    /// Metres that the plane beyond is higher than this one in a metre inside: above 0 at a crest, below 0 in a valley.
    fold: Lane8,
    /// `lean` of the plane beyond.
    lean: Lane8,
    /// Metres up in a metre toward the edge.
    ascent: Lane8,
    /// Metres along the edge in a metre of it seen from above.
    secant: Lane8,
}

const NO_EDGES: Edges = Edges {
    across: [[0.0; LANES]; 2],
    start: [f32::INFINITY; LANES],
    fold: [0.0; LANES],
    lean: [1.0; LANES],
    ascent: [0.0; LANES],
    secant: [1.0; LANES],
};

/// Where a point is on a triangle.
#[derive(Clone, Copy)]
pub(crate) struct Place<L> {
    /// From the triangle's own point.
    x: L,
    z: L,
    /// Metres inside of each edge, and of the nearest.
    inside: [L; 3],
    pub room: L,
}

impl Slopes {
    /// No ground, on which no point is, so that each is looked up.
    pub(crate) const NONE: Self = Self {
        face: [NO_FACE; LANES],
        x: [0.0; LANES],
        z: [0.0; LANES],
        height: [f32::NEG_INFINITY; LANES],
        points: [[[0.0; LANES]; 2]; 3],
        gain: [[0.0; LANES]; 2],
        beyond: [[[0.0; LANES]; 2]; 3],
        near_radii: [0.0; LANES],
        odd: 0,
        normal: [[0.0; LANES], [1.0; LANES], [0.0; LANES]],
        lean: [1.0; LANES],
        edges: [NO_EDGES; 3],
    };

    /// Takes a triangle, as seen from `origin`; [`derive`](Self::derive) has to follow.
    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, slope: &Slope, origin: [f64; 3]) {
        self.face[lane] = slope.face;
        self.odd |= 1 << lane;
        self.x[lane] = (slope.corner[0] - origin[0]) as f32;
        self.height[lane] = (slope.corner[1] - origin[1]) as f32;
        self.z[lane] = (slope.corner[2] - origin[2]) as f32;
        self.near_radii[lane] = slope.near_radii;
        for axis in 0..2 {
            self.gain[axis][lane] = slope.gain[axis];
            for (points, point) in self.points.iter_mut().zip(&slope.points) {
                points[axis][lane] = point[axis];
            }
            for (beyond, gain) in self.beyond.iter_mut().zip(&slope.beyond) {
                beyond[axis][lane] = gain[axis];
            }
        }
    }

    /// Takes triangles in these lanes: a point of each, corners from there, what heights gain on it and beyond its edges,
    /// and how near corners are.
    #[inline(always)]
    pub(super) fn take<L: Lanes>(
        &mut self,
        lanes: L::Mask,
        [x, z]: [L; 2],
        height: L,
        points: [[L; 2]; 3],
        [gain, beyond @ ..]: [[L; 2]; 4],
        near_radii: f32,
    ) {
        self.odd &= !L::bits(lanes);
        keep(lanes, &mut self.near_radii, L::splat(near_radii));
        keep(lanes, &mut self.x, x);
        keep(lanes, &mut self.z, z);
        keep(lanes, &mut self.height, height);
        for axis in 0..2 {
            keep(lanes, &mut self.gain[axis], gain[axis]);
            for k in 0..3 {
                keep(lanes, &mut self.points[k][axis], points[k][axis]);
                keep(lanes, &mut self.beyond[k][axis], beyond[k][axis]);
            }
        }
    }

    /// The direction in plan across an edge of a lane's triangle.
    #[inline(always)]
    pub(crate) fn across(&self, k: usize, lane: usize) -> [f32; 2] {
        [self.edges[k].across[0][lane], self.edges[k].across[1][lane]]
    }

    /// Takes nothing.
    pub(crate) fn clear(&mut self, lane: usize) {
        (self.face[lane], self.height[lane]) = (NO_FACE, f32::NEG_INFINITY);
        self.odd |= 1 << lane;
        self.points.as_flattened_mut().iter_mut().for_each(|part| part[lane] = f32::NAN);
    }

    /// Works out what follows from the triangles, of which those taken are of `cells` of this size. One without corners has no
    /// inside.
    #[inline(always)]
    pub(crate) fn derive<L: Lanes>(&mut self, cells: Option<[f32; 2]>) {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let gain = [L::load(&self.gain[0]), L::load(&self.gain[1])];
        let length = secant(gain);
        let inv = one / length;
        (zero - gain[0] * inv).store(&mut self.normal[0]);
        inv.store(&mut self.normal[1]);
        (zero - gain[1] * inv).store(&mut self.normal[2]);
        length.store(&mut self.lean);
        for k in 0..3 {
            let mut line = match cells {
                Some(size) => self.line_of_cell(k, size),
                None => self.line_of_points(k),
            };
            if cells.is_some() && self.odd != 0 {
                let (odd, points) = (L::mask_from_bits(self.odd), self.line_of_points(k));
                for (part, of_points) in line.iter_mut().zip(points) {
                    *part = L::select(odd, of_points, *part);
                }
            }
            let [across_x, across_z, start] = line;
            let rise = gain[0] * across_z - gain[1] * across_x;
            let beyond = [L::load(&self.beyond[k][0]), L::load(&self.beyond[k][1])];
            let edge = &mut self.edges[k];
            across_x.store(&mut edge.across[0]);
            across_z.store(&mut edge.across[1]);
            start.store(&mut edge.start);
            (zero - (gain[0] * across_x + gain[1] * across_z)).store(&mut edge.ascent);
            secant([rise, zero]).store(&mut edge.secant);
            ((beyond[0] - gain[0]) * across_x + (beyond[1] - gain[1]) * across_z).store(&mut edge.fold);
            secant(beyond).store(&mut edge.lean);
        }
    }

    /// An edge in plan: the direction across it, inward, and where it starts along that.
    #[inline(always)]
    fn line_of_points<L: Lanes>(&self, k: usize) -> [L; 3] {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let point = |k: usize| [L::load(&self.points[k % 3][0]), L::load(&self.points[k % 3][1])];
        let ([from_x, from_z], [to_x, to_z], [third_x, third_z]) = (point(k), point(k + 1), point(k + 2));
        let (along_x, along_z) = (to_x - from_x, to_z - from_z);
        let turn = zero.le(along_x * (third_z - from_z) - along_z * (third_x - from_x));
        let inv = one / (along_x * along_x + along_z * along_z).sqrt();
        let inv = L::select(turn, inv, zero - inv);
        let (across_x, across_z) = (zero - along_z * inv, along_x * inv);
        [across_x, across_z, across_x * from_x + across_z * from_z]
    }

    /// The same in a cell of this size, which is known beforehand: the sides of its eastern triangle are those along x and
    /// then z, of its western one the other way round; the third is the diagonal.
    #[inline(always)]
    fn line_of_cell<L: Lanes>(&self, k: usize, [size_x, size_z]: [f32; 2]) -> [L; 3] {
        let east = L::splat(0.0).lt(L::load(&self.points[1][0]));
        let inv = 1.0 / (size_x * size_x + size_z * size_z).sqrt();
        let (eastern, western) = match k {
            0 => ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
            1 => ([-1.0, 0.0, -size_x], [0.0, -1.0, -size_z]),
            _ => ([size_z * inv, -size_x * inv, 0.0], [-size_z * inv, size_x * inv, 0.0]),
        };
        let either = |part: usize| L::select(east, L::splat(eastern[part]), L::splat(western[part]));
        [either(0), either(1), either(2)]
    }

    /// Where points are, in metres from what the triangles were seen from.
    #[inline(always)]
    pub(crate) fn place<L: Lanes>(&self, x: L, z: L) -> Place<L> {
        let (x, z) = (x - L::load(&self.x), z - L::load(&self.z));
        let mut inside = [x; 3];
        for (inside, edge) in inside.iter_mut().zip(&self.edges) {
            *inside = x * L::load(&edge.across[0]) + z * L::load(&edge.across[1]) - L::load(&edge.start);
        }
        // The minimum yields its second operand where one is NaN.
        Place { x, z, inside, room: inside[1].min(inside[2]).min(inside[0]) }
    }

    /// Height of the triangles' planes, of which a place may be outside.
    #[inline(always)]
    pub(crate) fn height<L: Lanes>(&self, place: &Place<L>) -> L {
        L::load(&self.height) + (place.x * L::load(&self.gain[0]) + place.z * L::load(&self.gain[1]))
    }

    /// Lanes of spheres near a corner of their triangle, where more holds them than the planes beyond its edges.
    #[inline(always)]
    pub(crate) fn near_corners<L: Lanes>(&self, place: &Place<L>, radius: L) -> L::Mask {
        let near = near_corners(place.x, place.z, &self.points, radius * L::load(&self.near_radii));
        near & place.room.lt(radius)
    }

    /// How high over the plane the centres of resting spheres are.
    #[inline(always)]
    pub(crate) fn over<L: Lanes>(&self, place: &Place<L>, radius: L, walls: Walls) -> L {
        radius * L::load(&self.lean).min(L::splat(walls.most_lean())) + self.bear(place, radius, walls).0
    }

    /// What the edges and the planes beyond change of that, and what the height of a resting sphere gains in a metre of x and
    /// of z.
    #[inline(always)]
    pub(crate) fn bear<L: Lanes>(&self, place: &Place<L>, radius: L, walls: Walls) -> (L, [L; 2]) {
        let (zero, most) = (L::splat(0.0), L::splat(walls.most_lean()));
        let plain = radius * L::load(&self.lean).min(most);
        let mut gain = [L::load(&self.gain[0]), L::load(&self.gain[1])];
        if !L::any(place.room.lt(radius)) {
            return (zero, gain);
        }
        let (mut over, mut over_gain) = (plain, gain);
        let (mut held, mut held_gain) = (L::splat(f32::NEG_INFINITY), gain);
        for (edge, &inside) in self.edges.iter().zip(&place.inside) {
            let (fold, ascent, secant) = (L::load(&edge.fold), L::load(&edge.ascent), L::load(&edge.secant));
            let across = [L::load(&edge.across[0]), L::load(&edge.across[1])];
            let inside = inside.max(zero);
            let beyond = fold * inside + radius * L::load(&edge.lean).min(most);
            // A plane that is lower here than this one holds nothing, however low a crest lets the sphere be.
            let in_valley = fold.lt(zero) & held.lt(beyond) & plain.lt(beyond);
            held = L::select(in_valley, beyond, held);
            let height = (radius * radius - inside * inside).max(zero).sqrt();
            let level = inside * secant;
            let over_crest = zero.lt(fold) & inside.lt(radius) & level.lt(ascent * height);
            let on_edge = over_crest & ((ascent - fold) * height).lt(level);
            let touched = L::select(on_edge, ascent * inside + secant * height, beyond);
            let lower = over_crest & touched.lt(over);
            over = L::select(lower, touched, over);
            // Off the edge it goes as round as the sphere is.
            let round = ascent - level / L::select(on_edge, height, L::splat(1.0));
            let steeper = L::select(on_edge, round, fold);
            for axis in 0..2 {
                let there = gain[axis] + across[axis] * steeper;
                held_gain[axis] = L::select(in_valley, gain[axis] + across[axis] * fold, held_gain[axis]);
                over_gain[axis] = L::select(lower, there, over_gain[axis]);
            }
        }
        let is_held = over.lt(held);
        for axis in 0..2 {
            gain[axis] = L::select(is_held, held_gain[axis], over_gain[axis]);
        }
        (L::select(is_held, held, over) - plain, gain)
    }
}

/// Puts new values into these lanes.
#[inline(always)]
fn keep<L: Lanes>(lanes: L::Mask, old: &mut Lane8, new: L) {
    L::select(lanes, new, L::load(old)).store(old);
}

/// A way over an edge: how deep a ball on it comes into the edge at most, which may be before or after it is straight over it;
/// the metres straight up that bring it a metre out, and
/// the share of the way where that is. The ball's centre is `high` over the edge where it crosses it, at a
/// share of the way; `across` is the direction across the edge in plan, `gain` the slope beside it.
#[inline(always)]
pub(crate) fn into_crest<L: Lanes>(
    way: Vec3W<L>,
    across: [L; 2],
    gain: [L; 2],
    high: L,
    share: L,
    radius: L,
) -> [L; 3] {
    let (zero, one, least) = (L::splat(0.0), L::splat(1.0), L::splat(1e-9));
    let [x, z] = across;
    let (over, along) = (way.x * x + way.z * z, way.z * x - way.x * z);
    let slope = gain[1] * x - gain[0] * z;
    let climb = way.y - slope * along;
    let run = over.abs();
    let steep = (climb.abs() / run.max(least)).min(L::splat(MOST_STEEP));
    // It is nearer to the edge on the side where the way is lower.
    let room = run * L::select(zero.lt(climb), share, one - share);
    let flat = one / (one + slope * slope);
    let off = (high.max(zero) * steep * flat / (one + steep * steep * flat)).min(room);
    let height = high - steep * off;
    let apart = (off * off + flat * height * height).sqrt();
    let secant = (apart / (flat * height.abs()).max(least)).min(L::splat(MOST_SECANT));
    let aside = off / run.max(least);
    let deepest = share + L::select(zero.lt(climb), zero - aside, aside);
    [radius - L::select(height.lt(zero), zero - apart, apart), secant, deepest]
}

/// The length of what is one seen from above.
#[inline(always)]
fn secant<L: Lanes>([gx, gz]: [L; 2]) -> L {
    (L::splat(1.0) + gx * gx + gz * gz).sqrt()
}
