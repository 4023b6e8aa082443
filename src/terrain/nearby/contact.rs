//! How deep a capsule is in the ground, and the way out.
//!
//! A mesh pushes from where it is to the capsule's axis; where the axis goes through it, to the side of the axis' middle.
//! Solid ground pushes a point of the axis that is straight below one of its triangles out along that triangle's normal,
//! however deep it is; from above it pushes as a mesh does, and from below or behind not at all.

use super::triangle::{Planes, Triangles, Witness};
use super::{Contact, EdgeBits, FaceId, HalfSpace, Nearby, Packet, add_scaled, dot, extent, lane3, negate, sub};
use crate::broadphase::Box3;
use crate::lanes::{LANES, Lane8, Lanes, Vec3W};

/// Of a distance, as a share of the coordinates: below it, it has no direction.
const NO_DISTANCE: f32 = 1e-7;

/// A witness of one lane.
pub(super) struct Touch {
    pub(super) body: [f32; 3],
    pub(super) ground: [f32; 3],
    pub(super) distance: f32,
    feature: usize,
    normal: [f32; 3],
    offset: f32,
    pub(super) is_solid: bool,
    edges: EdgeBits,
    pub(super) id: FaceId,
}

/// The lanes of a witness as arrays.
pub(super) struct Touches {
    body: [Lane8; 3],
    ground: [Lane8; 3],
    pub(super) square: Lane8,
    feature: Lane8,
}

impl Touches {
    #[inline(always)]
    pub(super) fn new<L: Lanes>(witness: &Witness<L>) -> Self {
        let (mut body, mut ground) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        witness.body.store(&mut body);
        witness.ground.store(&mut ground);
        Self { body, ground, square: witness.square.to_array(), feature: witness.feature.to_array() }
    }

    #[inline(always)]
    pub(super) fn lane(&self, packet: &Packet, lane: usize) -> Touch {
        Touch {
            body: lane3(&self.body, lane),
            ground: lane3(&self.ground, lane),
            distance: self.square[lane].sqrt(),
            feature: self.feature[lane] as usize,
            normal: lane3(&packet.normal, lane),
            offset: packet.offset[lane],
            is_solid: packet.solid[lane] > 0.5,
            edges: packet.edges[lane],
            id: packet.id[lane],
        }
    }
}

impl Touch {
    /// Height of a point over the triangle's plane.
    #[inline(always)]
    fn height(&self, point: [f32; 3]) -> f32 {
        dot(self.normal, point) + self.offset
    }

    /// The face's normal on the side where it is positive; of solid ground always its own.
    #[inline(always)]
    pub(super) fn side(&self, height: f32) -> [f32; 3] {
        if height >= 0.0 || self.is_solid { self.normal } else { negate(self.normal) }
    }

    /// Whether the touched edge or corner stands out on the side that the body is on.
    #[inline(always)]
    fn stands_out(&self, is_behind: bool) -> bool {
        let bits = if is_behind { self.edges >> 3 } else { self.edges };
        match self.feature {
            0 => false,
            edge @ 1..=3 => bits & (1 << (edge - 1)) != 0,
            // A corner is the end of two edges.
            corner => bits & (1 << (corner - 4) | 1 << ((corner - 2) % 3)) != 0,
        }
    }

    /// The normal that a body feels which touches there, and whether it is a face's; `None` where solid ground is
    /// touched from behind. `scale` is the size of the coordinates, `toward` decides where a body is in the face.
    #[inline(always)]
    pub(super) fn felt(&self, scale: f32, toward: f32) -> Option<([f32; 3], bool)> {
        let height = self.height(self.body);
        let is_near = self.distance <= NO_DISTANCE * scale;
        let is_behind = height < 0.0 && !is_near;
        let stands_out = self.stands_out(is_behind);
        if self.is_solid && is_behind && !stands_out {
            return None;
        }
        if stands_out && !is_near {
            let [x, y, z] = sub(self.body, self.ground);
            return Some(([x / self.distance, y / self.distance, z / self.distance], false));
        }
        Some((self.side(if is_near { toward } else { height }), true))
    }
}

impl Nearby {
    /// The deepest contact of a capsule round the local segment from `a` to `b` (a sphere where they are equal) with the
    /// ground, or `None` where it touches none, `radius` is below 0, or an argument is not finite.
    #[inline(always)]
    #[must_use]
    pub fn deepest<L: Lanes>(&self, a: [f32; 3], b: [f32; 3], radius: f32) -> Option<Contact> {
        let scale = extent(&[a, b, [radius; 3]]);
        if scale == f32::INFINITY || radius < 0.0 {
            return None;
        }
        let (mut best, body) = (None, around(a, b, [0.0; 3], radius));
        for packet in &self.packets {
            if packet.is_apart(&body) {
                continue;
            }
            if a == b {
                deepest_in::<L, true>(packet, a, b, radius, scale, &mut best);
            } else {
                deepest_in::<L, false>(packet, a, b, radius, scale, &mut best);
            }
        }
        for space in &self.spaces {
            let (depth, point) = space.depth(a, b, radius);
            keep_deeper(&mut best, Contact { depth, normal: space.normal, point, id: space.id });
        }
        best
    }
}

impl HalfSpace {
    /// Of the deeper end.
    #[inline(always)]
    fn depth(&self, a: [f32; 3], b: [f32; 3], radius: f32) -> (f32, [f32; 3]) {
        let (from, to) = (self.height(a), self.height(b));
        let (height, end) = if to < from { (to, b) } else { (from, a) };
        (radius - height, add_scaled(end, self.normal, -height))
    }
}

impl Packet {
    /// Whether a body in this box stays clear of the packet. What is solid reaches down without end, and comes before what
    /// is not.
    #[inline(always)]
    pub(super) fn is_apart(&self, body: &Box3) -> bool {
        let mut bounds = self.bounds;
        if self.solid[0] > 0.5 {
            bounds.min[1] = f32::NEG_INFINITY;
        }
        !bounds.touches(body)
    }
}

/// The box round a capsule that moves by `way`.
#[inline(always)]
pub(super) fn around(a: [f32; 3], b: [f32; 3], way: [f32; 3], radius: f32) -> Box3 {
    let mut whole = Box3::EMPTY;
    for axis in 0..3 {
        let (low, high) = if a[axis] < b[axis] { (a[axis], b[axis]) } else { (b[axis], a[axis]) };
        let (back, on) = if way[axis] < 0.0 { (way[axis], 0.0) } else { (0.0, way[axis]) };
        (whole.min[axis], whole.max[axis]) = (low + back - radius, high + on + radius);
    }
    whole
}

#[inline(always)]
fn deepest_in<L: Lanes, const POINT: bool>(
    packet: &Packet,
    a: [f32; 3],
    b: [f32; 3],
    radius: f32,
    scale: f32,
    best: &mut Option<Contact>,
) {
    let planes = Planes::<L>::new(packet);
    let (from, to) = (Vec3W::splat(a), Vec3W::splat(b));
    let (first, second) = (planes.height(from), if POINT { planes.height(from) } else { planes.height(to) });
    let mut below = [L::bits(planes.below(from, first)), 0];
    if !POINT {
        below[1] = L::bits(planes.below(to, second));
    }
    // Near enough to the plane and to the box: most are not, and need no more.
    let reach = L::splat(radius);
    let is_near = first.min(second).lt(reach) & (L::splat(0.0) - reach).lt(first.max(second));
    let is_near = L::bits(is_near & planes.touches(&around(a, b, [0.0; 3], radius)));
    if is_near | below[0] | below[1] == 0 {
        return;
    }
    let witness = Triangles::new(planes).nearest::<POINT>(from, to);
    let touching = L::bits(witness.square.lt(L::splat(radius * radius)));
    let touches = Touches::new(&witness);
    for lane in 0..LANES {
        let bit = 1 << lane;
        if (touching | below[0] | below[1]) & bit == 0 {
            continue;
        }
        let touch = touches.lane(packet, lane);
        for (end, below) in [a, b].into_iter().zip(below) {
            if below & bit != 0 {
                let height = touch.height(end);
                let point = add_scaled(end, touch.normal, -height);
                keep_deeper(best, Contact { depth: radius - height, normal: touch.normal, point, id: touch.id });
            }
        }
        if touching & bit != 0 {
            let ends = [touch.height(a), touch.height(b)];
            let middle = ends[0] + ends[1];
            if let Some((normal, is_face)) = touch.felt(scale, middle) {
                let mut depth = radius - touch.distance;
                // An axis through a mesh has an end on the other side.
                if is_face && touch.distance == 0.0 && !touch.is_solid {
                    let wrong = if middle < 0.0 { [-ends[0], -ends[1]] } else { ends };
                    let least = if wrong[1] < wrong[0] { wrong[1] } else { wrong[0] };
                    depth = if least < 0.0 { depth - least } else { depth };
                }
                keep_deeper(best, Contact { depth, normal, point: touch.ground, id: touch.id });
            }
        }
    }
}

/// Keeps the deeper one, of equals that of the lower id; touching alone is no depth.
#[inline(always)]
fn keep_deeper(best: &mut Option<Contact>, contact: Contact) {
    let is_deeper = match best {
        None => true,
        Some(best) => contact.depth > best.depth || contact.depth == best.depth && contact.id < best.id,
    };
    if contact.depth > 0.0 && is_deeper {
        *best = Some(contact);
    }
}
