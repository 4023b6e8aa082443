//! Ground and obstacles of any shape: a mesh of triangles, as untidy as files have them.
//!
//! Triangles lie in packets of eight that are near each other, one lane each, and a packet is a leaf of the tree. The
//! last packet is filled up with copies of its first triangle: a copy finds what the original finds, under the same id,
//! so no query needs to know how many there are.

mod bake;
mod plan;
mod source;

pub use source::{MeshReport, MeshSource};

use super::heightfield::{check_factor, check_origin, upward_unit};
use super::slope::Slope;
use super::{Footing, GroundLanes, GroundSample, LANES, NO_FACE};
use crate::broadphase::{Box3, Tree};
use crate::constants::UNDER_SLACK_M;
use crate::error::{Error, Result};
use crate::lanes::{Lane8, Lanes, Vec3W, WideLanes};
use plan::Plan;

/// A mesh of triangles, solid on neither side: which way a triangle is wound does not matter. Immutable.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    origin: [f64; 3],
    packets: Vec<Packet>,
    /// One per packet, where normals were given.
    shades: Vec<Shade>,
    /// For each place in a packet the places of the triangles beyond its edges, as seen from above; or [`NO_FACE`].
    beside: Vec<[u32; 3]>,
    /// As in [`Slope`].
    near_radii: Vec<f32>,
    /// Where no two triangles cover a point.
    plan: Option<Plan>,
    tree: Tree,
    report: MeshReport,
}

/// Eight triangles, a lane each. Corners are in metres from the mesh's origin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Packet {
    /// [corner][component][lane].
    pub(super) corners: [[Lane8; 3]; 3],
    /// Unit, by the winding.
    pub(super) normal: [Lane8; 3],
    /// The triangle's index in the source.
    pub(super) face: [u32; LANES],
    /// See [`EdgeBits`](super::EdgeBits).
    pub(super) edges: [u8; LANES],
}

/// The corners' normals of a packet, turned up: [lane][corner].
type Shade = [[[f32; 3]; 3]; LANES];

/// Least vertical part of a triangle's normal of which it has a slope.
const LEAST_PLAN_Y: f32 = 0.02;

/// The surface found under a point.
struct Under {
    height: f32,
    packet: usize,
    lane: usize,
}

impl TriangleMesh {
    /// A mesh of these triangles. Degenerate ones, and all but the first of equal ones, are left out and counted in
    /// [`report`](Self::report).
    ///
    /// # Errors
    /// [`Error::Value`] naming the field of [`MeshSource`] that is out of its range, the first bad position or index, or
    /// `indices` where no triangle has an area.
    pub fn from_triangles(source: MeshSource) -> Result<Self> {
        source.check()?;
        let bake::Baked { packets, shades, beside, is_open, report } = bake::bake(&source)?;
        let tree = Tree::build(&boxes_of(&packets))?;
        let is_open = is_open && plan::is_flat_map(&packets, &tree, beside.len());
        let plan = is_open.then(|| Plan::of(&packets, beside.len(), tree.bounds()));
        let near_radii = plan::near_radii_of(&packets, &beside);
        Ok(Self { origin: source.origin, packets, shades, beside, near_radii, plan, tree, report })
    }

    /// The same mesh `factor` times as large about the world's zero, origin and all.
    ///
    /// # Errors
    /// [`Error::Value`] where `factor` is not positive and finite, or what it gives is out of [`MeshSource`]'s ranges.
    pub fn scaled(&self, factor: f64) -> Result<Self> {
        check_factor(factor)?;
        let origin = self.origin.map(|metres| metres * factor);
        check_origin(origin)?;
        let bounds = self.tree.bounds();
        for side in [bounds.min, bounds.max].as_flattened() {
            source::check_coordinate("factor", f64::from(*side) * factor)?;
        }
        let mut packets = self.packets.clone();
        for packet in &mut packets {
            for part in packet.corners.as_flattened_mut().as_flattened_mut() {
                *part = (f64::from(*part) * factor) as f32;
            }
        }
        let tree = Tree::build(&boxes_of(&packets))?;
        let count = self.beside.len();
        let plan = self.plan.is_some().then(|| Plan::of(&packets, count, tree.bounds()));
        let (shades, beside, near_radii) = (self.shades.clone(), self.beside.clone(), self.near_radii.clone());
        Ok(Self { origin, packets, shades, beside, near_radii, plan, tree, report: self.report })
    }

    /// The same mesh with its origin at `origin`, in world metres.
    ///
    /// # Errors
    /// [`Error::Value`] where a coordinate is not within 1e9 m of 0.
    pub fn at_origin(mut self, origin: [f64; 3]) -> Result<Self> {
        check_origin(origin)?;
        self.origin = origin;
        Ok(self)
    }

    /// What positions are relative to, in world metres.
    #[must_use]
    pub const fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// What was found in the source.
    #[must_use]
    pub const fn report(&self) -> MeshReport {
        self.report
    }

    /// Least and largest corner of the box round the mesh, in world metres.
    #[must_use]
    pub fn bounds_m(&self) -> [[f64; 3]; 2] {
        let Box3 { min, max } = self.tree.bounds();
        [min, max].map(|side| [0, 1, 2].map(|axis| self.origin[axis] + f64::from(side[axis])))
    }

    /// The highest surface at (x, z) in world metres, or `None` where there is none.
    #[must_use]
    pub fn sample(&self, x: f64, z: f64) -> Option<GroundSample> {
        self.sample_under(x, f64::INFINITY, z)
    }

    /// The highest surface at (x, z) that is at or below `y`, in world metres, or `None` where there is none.
    #[must_use]
    pub fn sample_under(&self, x: f64, y: f64, z: f64) -> Option<GroundSample> {
        let (x, z) = ((x - self.origin[0]) as f32, (z - self.origin[2]) as f32);
        let limit = (y - self.origin[1] + UNDER_SLACK_M) as f32;
        let under = self.find_under(x, z, limit)?;
        let (weights, corners) = self.place(&under, x, z);
        let (lane, packet) = (under.lane, &self.packets[under.packet]);
        let [nx, ny, nz] = packet.normal.map(|part| part[lane]);
        let face_normal = if ny < 0.0 { upward_unit(-nx, -ny, -nz) } else { upward_unit(nx, ny, nz) };
        let normal = match self.shades.get(under.packet) {
            Some(shade) => mix(weights, &shade[lane]),
            None => face_normal,
        };
        debug_assert!(corners.iter().all(|corner| corner[1].is_finite()));
        let footing = Footing::of((under.packet * LANES + lane) as u32);
        Some(GroundSample { height_m: self.origin[1] + f64::from(under.height), normal, face_normal, footing })
    }

    /// [`sample_under`](Self::sample_under) at eight points: with its bits, and its cost in every lane.
    #[inline(never)]
    pub(super) fn sample_under_lanes(&self, x: &[f64; LANES], y: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        let mut ground = GroundLanes::MISS;
        for lane in 0..LANES {
            ground.put(lane, self.sample_under(x[lane], y[lane], z[lane]));
        }
        ground
    }

    /// All triangles that may touch `probe`, in metres from the origin.
    #[inline(always)]
    pub(super) fn packets_at(&self, probe: Box3) -> impl Iterator<Item = &Packet> {
        self.tree.walk(probe).map(|leaf| &self.packets[leaf])
    }

    /// Whether no two of its triangles cover a point, as seen from above.
    pub(super) const fn is_open(&self) -> bool {
        self.plan.is_some()
    }

    /// The least height of its triangles as seen from above, where they are open.
    pub(super) fn least_height_m(&self) -> f32 {
        self.plan.as_ref().map_or(f32::INFINITY, |plan| plan.least_height_m)
    }

    /// The place of the highest triangle at (x, z), in world metres.
    pub(super) fn face_at(&self, x: f64, z: f64) -> Option<u32> {
        let under = self.find_under((x - self.origin[0]) as f32, (z - self.origin[2]) as f32, f32::INFINITY)?;
        Some((under.packet * LANES + under.lane) as u32)
    }

    /// A triangle by its place, and the planes of those beside it.
    pub(super) fn slope_of(&self, slot: u32) -> Slope {
        let corners = self.packets[slot as usize / LANES].corner(slot as usize % LANES);
        let [first, ..] = corners;
        let corner = [0, 1, 2].map(|axis| self.origin[axis] + f64::from(first[axis]));
        let points = corners.map(|[x, _, z]| [x - first[0], z - first[2]]);
        let (beside, gain) = (self.beside[slot as usize], self.gain_of(slot));
        let beyond = beside.map(|face| if face == NO_FACE { gain } else { self.gain_of(face) });
        Slope { face: slot, beside, corner, points, gain, beyond, near_radii: self.near_radii[slot as usize] }
    }

    /// Metres up in a metre of x and of z.
    fn gain_of(&self, slot: u32) -> [f32; 2] {
        let packet = &self.packets[slot as usize / LANES];
        let [nx, ny, nz] = packet.normal.map(|part| part[slot as usize % LANES]);
        // A wall has no slope: it is as steep as a number may be.
        let inv = if ny.abs() > LEAST_PLAN_Y { 1.0 / ny } else { 1.0 / LEAST_PLAN_Y };
        [-nx * inv, -nz * inv]
    }

    fn find_under(&self, x: f32, z: f32, limit: f32) -> Option<Under> {
        if let Some(slot) = self.plan.as_ref().and_then(|plan| self.walk_to(plan, x, z)) {
            let (packet, lane) = (slot as usize / LANES, slot as usize % LANES);
            let height = self.packets[packet].height_at(lane, x, z);
            return (height <= limit).then_some(Under { height, packet, lane });
        }
        self.find_in_tree::<WideLanes>(x, z, limit)
    }

    fn find_in_tree<L: Lanes>(&self, x: f32, z: f32, limit: f32) -> Option<Under> {
        let mut best = Under { height: f32::NEG_INFINITY, packet: usize::MAX, lane: 0 };
        let mut walk = self.tree.walk(Box3 { min: [x, f32::NEG_INFINITY, z], max: [x, limit, z] });
        while let Some(packet) = walk.next() {
            let heights = self.packets[packet].heights_under::<L>(x, z, limit);
            for lane in 0..LANES {
                let height = heights[lane];
                // Nothing is higher than minus infinity, so the packet of a tie exists.
                let is_tie = height == best.height && height > f32::NEG_INFINITY;
                if height > best.height || is_tie && self.face(packet, lane) < self.face(best.packet, best.lane) {
                    best = Under { height, packet, lane };
                }
            }
            // What lies lower altogether need not be looked at.
            walk.probe.min[1] = best.height;
        }
        (best.height > f32::NEG_INFINITY).then_some(best)
    }

    fn face(&self, packet: usize, lane: usize) -> u32 {
        self.packets[packet].face[lane]
    }

    /// The triangle's barycentric weights at (x, z), and its corners from there.
    fn place(&self, under: &Under, x: f32, z: f32) -> ([f32; 3], [[f32; 3]; 3]) {
        let corners = self.packets[under.packet].corner(under.lane);
        let [a, b, c] = corners.map(|[px, py, pz]| [px - x, py, pz - z]);
        let weight = |p: [f32; 3], q: [f32; 3]| p[0] * q[2] - p[2] * q[0];
        let weights = [weight(b, c), weight(c, a), weight(a, b)];
        let sum = weights[0] + weights[1] + weights[2];
        (weights.map(|weight| weight / sum), corners)
    }
}

impl Packet {
    /// The corners of one triangle.
    pub(super) fn corner(&self, lane: usize) -> [[f32; 3]; 3] {
        self.corners.map(|corner| corner.map(|part| part[lane]))
    }

    /// The height of one triangle's plane, with the bits of `heights_under`.
    fn height_at(&self, lane: usize, x: f32, z: f32) -> f32 {
        let [a, b, c] = self.corner(lane);
        let ([ax, bx, cx], [az, bz, cz]) = ([a[0] - x, b[0] - x, c[0] - x], [a[2] - z, b[2] - z, c[2] - z]);
        let [at_a, at_b, at_c] = [bx * cz - bz * cx, cx * az - cz * ax, ax * bz - az * bx];
        a[1] + (at_b * (b[1] - a[1]) + at_c * (c[1] - a[1])) / (at_a + at_b + at_c)
    }

    fn bounds(&self) -> Box3 {
        (0..LANES).fold(Box3::EMPTY, |whole, lane| whole.join(&Box3::around(&self.corner(lane))))
    }

    /// Where the vertical line through (x, z) meets each triangle, if at most at `limit`; else minus infinity.
    ///
    /// The line is inside where it passes the three edges on one side. An edge's side is computed from its two ends alone,
    /// and changes sign exactly when they are swapped, so a line never slips between two neighbours.
    #[inline(always)]
    fn heights_under<L: Lanes>(&self, x: f32, z: f32, limit: f32) -> Lane8 {
        let [a, b, c]: [Vec3W<L>; 3] =
            [Vec3W::load(&self.corners[0]), Vec3W::load(&self.corners[1]), Vec3W::load(&self.corners[2])];
        let (x, z, zero) = (L::splat(x), L::splat(z), L::splat(0.0));
        let [ax, bx, cx] = [a.x - x, b.x - x, c.x - x];
        let [az, bz, cz] = [a.z - z, b.z - z, c.z - z];
        let [at_a, at_b, at_c]: [L; 3] = [bx * cz - bz * cx, cx * az - cz * ax, ax * bz - az * bx];
        let left = zero.le(at_a) & zero.le(at_b) & zero.le(at_c);
        let right = at_a.le(zero) & at_b.le(zero) & at_c.le(zero);
        let sum = at_a + at_b + at_c;
        // A vertical triangle has no area from above; its neighbours have its edges.
        let area = sum.lt(zero) | zero.lt(sum);
        let height: L = a.y + (at_b * (b.y - a.y) + at_c * (c.y - a.y)) / L::select(area, sum, L::splat(1.0));
        let hit = (left | right) & area & height.le(L::splat(limit));
        L::select(hit, height, L::splat(f32::NEG_INFINITY)).to_array()
    }
}

fn boxes_of(packets: &[Packet]) -> Vec<Box3> {
    packets.iter().map(Packet::bounds).collect()
}

/// The normal between three corners' normals.
fn mix(weights: [f32; 3], normals: &[[f32; 3]; 3]) -> [f32; 3] {
    let part =
        |axis: usize| weights[0] * normals[0][axis] + weights[1] * normals[1][axis] + weights[2] * normals[2][axis];
    upward_unit(part(0), part(1), part(2))
}

/// [`Error::Value`] of a mesh.
fn refuse<T>(field: &str, value: impl std::fmt::Display, allowed: &str) -> Result<T> {
    Err(Error::value(field, value, allowed))
}
