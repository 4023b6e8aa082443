//! Which segments of a body may touch ground at all: a look at planes and boxes, before anything is gathered.
//!
//! Heights over a triangle's plane and radii are linear along a segment, so a segment whose ends are clear of a plane is
//! clear of it on its whole length. Bodies on their way lie on the ground and not in it, and nearly none of their segments
//! has to be asked for more.

use super::mesh::TriangleMesh;
use super::nearby::Nearby;
use super::{LANES, Terrain};
use crate::broadphase::Box3;
use crate::lanes::{Kernel, Lane8, Lanes, Row4, Vec3W};

/// A body's sections in front of a terrain.
pub(crate) struct Skim<'a> {
    pub terrain: &'a Terrain,
    /// What the sections are relative to, in world metres.
    pub origin: [f64; 3],
    /// x, y, z and radius of each section.
    pub sections: &'a [Row4],
    /// Share of the radius that counts as touching no more.
    pub slop: f32,
    /// Where the ground is, where it is not one mesh.
    pub nearby: &'a mut Nearby,
    /// The sections as the mesh sees them.
    pub local: &'a mut Vec<Row4>,
    /// For each section whether the segment that ends there may touch; yields how many may.
    pub touches: &'a mut Vec<bool>,
    pub count: &'a mut usize,
}

impl Kernel for Skim<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { terrain, origin, sections, slop, nearby, local, touches, count } = self;
        touches.clear();
        touches.resize(sections.len(), false);
        let bounds = bounds(sections);
        if let Terrain::Mesh(mesh) = terrain {
            see_from(mesh, origin, sections, local);
            let probe = self::bounds(local);
            for packet in mesh.packets_at(probe) {
                let solid = L::mask_from_bits(0);
                skim::<L>(&packet.corners, &packet.normal, solid, local, slop, touches);
            }
        } else {
            let center = [0, 1, 2].map(|c| 0.5 * (bounds.min[c] + bounds.max[c]));
            let half = [0, 1, 2].map(|c| 0.5 * (bounds.max[c] - bounds.min[c]));
            let world = [0, 1, 2].map(|c| origin[c] + f64::from(center[c]));
            terrain.gather(world, half, nearby);
            local.clear();
            local.extend(sections.iter().map(|[x, y, z, r]| [x - center[0], y - center[1], z - center[2], *r]));
            nearby.skim::<L>(local, slop, touches);
        }
        *count = touches.iter().map(|&touches| usize::from(touches)).sum();
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
    slop: f32,
    touches: &mut [bool],
) {
    let normal = Vec3W::<L>::load(normal);
    let [a, b, c]: [Vec3W<L>; 3] = [0, 1, 2].map(|corner| Vec3W::load(&corners[corner]));
    let offset = normal.dot(a);
    let min = [a.x.min(b.x).min(c.x), a.y.min(b.y).min(c.y), a.z.min(b.z).min(c.z)];
    let max = [a.x.max(b.x).max(c.x), a.y.max(b.y).max(c.y), a.z.max(b.z).max(c.z)];
    // Outward across each edge, in the triangle's plane: beyond one of them a segment is clear, too.
    let outward = [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let across = (to - from).cross(normal).normalize_or(1e-30, Vec3W::splat([0.0; 3]));
        (across, across.dot(from))
    });
    let none = L::mask_from_bits(0);
    let (mut was_low, mut was_under, mut was_beyond, mut last) = (none, none, [none; 3], sections[0]);
    for (i, &section) in sections.iter().enumerate() {
        let [x, y, z, radius] = section;
        let height = normal.dot(Vec3W::splat([x, y, z])) - offset;
        let low = height.lt(L::splat(radius * (1.0 - slop)));
        let under = height.lt(L::splat(radius * (slop - 1.0)));
        let beyond = outward.map(|(across, edge)| L::splat(radius).lt(across.dot(Vec3W::splat([x, y, z])) - edge));
        let past = (beyond[0] & was_beyond[0]) | (beyond[1] & was_beyond[1]) | (beyond[2] & was_beyond[2]);
        // A sheet has two sides to be on; what is solid reaches down without end.
        let reaches = (low | was_low) & ((!(under & was_under) & !past) | solid);
        if i > 0 && !touches[i] && L::any(reaches) {
            let room = if radius > last[3] { radius } else { last[3] };
            let mut near = reaches;
            for axis in 0..3 {
                let (low, high) =
                    if last[axis] < section[axis] { (last[axis], section[axis]) } else { (section[axis], last[axis]) };
                // What is solid reaches down without end.
                let over = L::splat(low - room).le(max[axis]);
                let under = min[axis].le(L::splat(high + room));
                near = near & over & if axis == 1 { under | solid } else { under };
            }
            touches[i] = L::any(near);
        }
        (was_low, was_under, was_beyond, last) = (low, under, beyond, section);
    }
}

const _: () = assert!(LANES == crate::lanes::LANES);
