//! Which segments of a body may touch ground at all: a look at planes and boxes, before anything is gathered.
//!
//! Heights over a triangle's plane and radii are linear along a segment, so a segment whose ends are clear of a plane is
//! clear of it on its whole length. Bodies on their way lie on the ground and not in it, and nearly none of their segments
//! has to be asked for more.

use super::Terrain;
use super::mesh::TriangleMesh;
use super::nearby::Nearby;
use crate::broadphase::Box3;
use crate::lanes::{Kernel, Lane8, Lanes, Row4, Vec3W, closest_between_segments};

/// A body's sections in front of a terrain.
pub(crate) struct Skim<'a> {
    pub terrain: &'a Terrain,
    /// What the sections are relative to, in world metres.
    pub origin: [f64; 3],
    /// x, y, z and radius of each section.
    pub sections: &'a [Row4],
    /// Shares of the radius that count as touching no more: of sections, and along segments at edges.
    pub slops: [f32; 2],
    /// Where the ground is, where it is not one mesh.
    pub nearby: &'a mut Nearby,
    /// The sections as the mesh sees them.
    pub local: &'a mut Vec<Row4>,
    /// For each section whether the segment that ends there may touch.
    pub touches: &'a mut Vec<bool>,
}

impl Kernel for Skim<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { terrain, origin, sections, slops, nearby, local, touches } = self;
        touches.clear();
        touches.resize(sections.len(), false);
        let bounds = bounds(sections);
        if let Terrain::Mesh(mesh) = terrain {
            see_from(mesh, origin, sections, local);
            for packet in mesh.packets_at(self::bounds(local)) {
                let solid = L::mask_from_bits(0);
                skim::<L>(&packet.corners, &packet.normal, solid, local, slops, touches);
            }
        } else {
            let center = [0, 1, 2].map(|c| 0.5 * (bounds.min[c] + bounds.max[c]));
            let half = [0, 1, 2].map(|c| 0.5 * (bounds.max[c] - bounds.min[c]));
            let world = [0, 1, 2].map(|c| origin[c] + f64::from(center[c]));
            terrain.gather(world, half, nearby);
            local.clear();
            local.extend(sections.iter().map(|[x, y, z, r]| [x - center[0], y - center[1], z - center[2], *r]));
            nearby.skim::<L>(local, slops, touches);
        }
    }
}

/// The sections relative to a mesh's own origin.
#[inline(always)]
fn see_from(mesh: &TriangleMesh, origin: [f64; 3], sections: &[Row4], local: &mut Vec<Row4>) {
    let to = mesh.origin();
    let shift = [0, 1, 2].map(|c| origin[c] - to[c]);
    local.clear();
    for &[x, y, z, radius] in sections {
        let [x, y, z] = [shift[0] + f64::from(x), shift[1] + f64::from(y), shift[2] + f64::from(z)];
        local.push([x as f32, y as f32, z as f32, radius]);
    }
}

/// The box round all sections.
#[inline(always)]
fn bounds(sections: &[Row4]) -> Box3 {
    let mut whole = Box3::EMPTY;
    for &[x, y, z, r] in sections {
        whole = whole.join(&Box3 { min: [x - r, y - r, z - r], max: [x + r, y + r, z + r] });
    }
    whole
}

/// Marks the segments that may touch one of eight triangles; below those in `solid` it is inside.
#[inline(always)]
pub(super) fn skim<L: Lanes>(
    corners: &[[Lane8; 3]; 3],
    normal: &[Lane8; 3],
    solid: L::Mask,
    sections: &[Row4],
    slops: [f32; 2],
    touches: &mut [bool],
) {
    let eight = Eight::<L>::new(corners, normal);
    let mut last = eight.see(sections[0], slops[0]);
    for (touches, &section) in touches.iter_mut().zip(sections).skip(1) {
        let next = eight.see(section, slops[0]);
        // A sheet has two sides to be on; what is solid reaches down without end.
        let past =
            (last.beyond[0] & next.beyond[0]) | (last.beyond[1] & next.beyond[1]) | (last.beyond[2] & next.beyond[2]);
        let reaches = (last.low | next.low) & ((!(last.under & next.under) & !past) | solid);
        if !*touches && L::any(reaches) {
            *touches = L::any(reaches & (solid | eight.meets(&last, &next, slops)));
        }
        last = next;
    }
}

/// Eight triangles.
struct Eight<L> {
    corners: [Vec3W<L>; 3],
    normal: Vec3W<L>,
    /// Outward across each edge, in the triangle's plane, and how far out of the first corner the edge is.
    outward: [(Vec3W<L>, L); 3],
}

/// A section in front of eight triangles.
#[derive(Clone, Copy)]
struct Seen<L: Lanes> {
    at: Vec3W<L>,
    radius: L,
    height: L,
    /// Metres beyond each edge, in the triangle's plane.
    out: [L; 3],
    /// In or behind the plane; behind it; and beyond an edge by more than the radius.
    low: L::Mask,
    under: L::Mask,
    beyond: [L::Mask; 3],
}

impl<L: Lanes> Eight<L> {
    #[inline(always)]
    fn new(corners: &[[Lane8; 3]; 3], normal: &[Lane8; 3]) -> Self {
        let normal = Vec3W::<L>::load(normal);
        let corners = [Vec3W::load(&corners[0]), Vec3W::load(&corners[1]), Vec3W::load(&corners[2])];
        let [a, b, c] = corners;
        let mut outward = [(a, L::splat(0.0)); 3];
        for ((from, to), edge) in [(a, b), (b, c), (c, a)].into_iter().zip(&mut outward) {
            let across = (to - from).cross(normal).normalize_or(1e-30, Vec3W::splat([0.0; 3]));
            *edge = (across, across.dot(from - a));
        }
        Self { corners, normal, outward }
    }

    #[inline(always)]
    fn see(&self, [x, y, z, radius]: Row4, slop: f32) -> Seen<L> {
        let (at, none) = (Vec3W::splat([x, y, z]), L::mask_from_bits(0));
        // From a corner: far from the mesh's origin a product of coordinates has lost a thin tail's radius.
        let from = at - self.corners[0];
        let height = self.normal.dot(from);
        let (mut out, mut beyond) = ([height; 3], [none; 3]);
        for (k, (across, edge)) in self.outward.iter().enumerate() {
            out[k] = across.dot(from) - *edge;
            beyond[k] = L::splat(radius).lt(out[k]);
        }
        let low = height.lt(L::splat(radius * (1.0 - slop)));
        let under = height.lt(L::splat(radius * (slop - 1.0)));
        Seen { at, radius: L::splat(radius), height, out, low, under, beyond }
    }

    /// Whether an end is in a triangle, the axis goes through it, or a segment is in one of its edges.
    #[inline(always)]
    fn meets(&self, from: &Seen<L>, to: &Seen<L>, slops: [f32; 2]) -> L::Mask {
        let zero = L::splat(0.0);
        let mut meets = (from.low & !from.under & from.is_over()) | (to.low & !to.under & to.is_over());
        // Through the plane, and where.
        let run = from.height - to.height;
        let changes = (from.height.lt(zero) & !to.height.lt(zero)) | (to.height.lt(zero) & !from.height.lt(zero));
        let share = from.height / L::select(changes, run, L::splat(1.0));
        let mut through = changes;
        for k in 0..3 {
            through = through & (from.out[k] + (to.out[k] - from.out[k]) * share).le(zero);
        }
        meets = meets | through;
        let way = to.at - from.at;
        let length = way.length();
        let [a, b, c] = self.corners;
        for (start, end) in [(a, b), (b, c), (c, a)] {
            let (s, t) = closest_between_segments(from.at, way, start, end - start);
            let apart = (from.at + way * s) - (start + (end - start) * t);
            // Sections count by the smaller share, and so does what is within a radius of one: there it is nearly as deep.
            let is_section = (s * length).le(from.radius) | ((L::splat(1.0) - s) * length).le(to.radius);
            let shy = L::select(is_section, L::splat(1.0 - slops[0]), L::splat(1.0 - slops[1]));
            let radius = (from.radius + (to.radius - from.radius) * s) * shy;
            meets = meets | apart.length_squared().lt(radius * radius);
        }
        meets
    }
}

impl<L: Lanes> Seen<L> {
    /// Straight over the triangle.
    #[inline(always)]
    fn is_over(&self) -> L::Mask {
        let zero = L::splat(0.0);
        self.out[0].le(zero) & self.out[1].le(zero) & self.out[2].le(zero)
    }
}
