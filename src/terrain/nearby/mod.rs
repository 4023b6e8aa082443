//! What ground is near a body: gathered once, then asked many things.
//!
//! Everything is in f32 from the f64 centre of the gathering, so ground at 100 km is as exact as at 0. Triangles lie in
//! packets of eight lanes, and a packet that is not full has copies of its first triangle: a copy finds what the original
//! finds, under the same id. Planes are half-spaces in a list of their own.
//!
//! Answers do not depend on the order of gathering: of equal ones that of the lower [`FaceId`] counts.

mod contact;
mod gather;
mod point;
mod sweep;
mod triangle;

use super::LANES;
use super::set::PartId;
use crate::broadphase::Box3;
use crate::lanes::{Lane8, Lanes, Row4};

/// Which edges of a triangle a body can touch by themselves. Bit i: the edge from corner i stands out on the side that
/// the normal points to; bit 3 + i: on the other side. What does not stand out is flat or a valley: there the faces beside
/// it are touched first, and a touch of the edge with a normal of its own would be rounding, on which a sliding body
/// catches.
pub(super) type EdgeBits = u8;

/// Names one face of a terrain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FaceId {
    /// The part of the set; the first where the terrain is no set.
    pub part: PartId,
    /// The triangle's index in its [`MeshSource`](super::MeshSource). In a heightfield twice the index of the cell's first
    /// sample, and one more for the triangle to the west. 0 in a plane.
    pub face: u32,
}

/// The point of the ground nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// On the ground, in metres from the gathering's centre.
    pub point: [f32; 3],
    /// Metres to it; negative where the asked point is inside solid ground.
    pub distance: f32,
    /// Unit vector from the ground to where a body is free: toward the asked point, or out of what is solid.
    pub normal: [f32; 3],
    /// The face it is on.
    pub id: FaceId,
}

/// Ground that a body is in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Metres that the body has to be moved along `normal` to touch only.
    pub depth: f32,
    /// The way out: a unit vector.
    pub normal: [f32; 3],
    /// On the ground, in metres from the gathering's centre.
    pub point: [f32; 3],
    /// The face that is touched.
    pub id: FaceId,
}

/// Where something that moves meets the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// How much of the way was made: 0 to 1 of a sweep's displacement, 0 to `max` of a ray's direction.
    pub time: f32,
    /// Of the ground, against the movement: a unit vector. At time 0 of a sweep that begins inside, the way out.
    pub normal: [f32; 3],
    /// On the ground, in metres from the gathering's centre.
    pub point: [f32; 3],
    /// The face that is met.
    pub id: FaceId,
}

/// The ground near a body, collected by [`Terrain::gather`](super::Terrain::gather). One is used again and again, so that
/// it soon stops allocating.
#[derive(Debug, Clone, Default)]
pub struct Nearby {
    center: [f64; 3],
    half: [f32; 3],
    packets: Vec<Packet>,
    count: usize,
    spaces: Vec<HalfSpace>,
    growths: u64,
}

/// Eight triangles, a lane each.
#[derive(Debug, Clone)]
struct Packet {
    bounds: Box3,
    /// [corner][component][lane].
    corners: [[Lane8; 3]; 3],
    /// Unit; of solid ground upward.
    normal: [Lane8; 3],
    /// Normal . p + offset is the height of p over the triangle's plane.
    offset: Lane8,
    /// 1 where below the triangle it is inside, else 0.
    solid: Lane8,
    id: [FaceId; LANES],
    edges: [EdgeBits; LANES],
}

/// One triangle before it has a lane.
struct Face {
    corners: [[f32; 3]; 3],
    normal: [f32; 3],
    offset: f32,
    is_solid: bool,
    id: FaceId,
    edges: EdgeBits,
}

/// All points where normal . p + offset is below 0.
#[derive(Debug, Clone, Copy)]
struct HalfSpace {
    normal: [f32; 3],
    offset: f32,
    id: FaceId,
}

impl Nearby {
    /// Room for none.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Room for so many triangles, and four planes.
    #[must_use]
    pub fn with_capacity(triangles: usize) -> Self {
        let packets = Vec::with_capacity(triangles.div_ceil(LANES));
        Self { packets, spaces: Vec::with_capacity(4), ..Self::default() }
    }

    /// Marks the segments of a body that may touch what was gathered: see the module `skim`.
    #[inline(always)]
    pub(in crate::terrain) fn skim<L: Lanes>(&self, sections: &[Row4], slops: [f32; 2], touches: &mut [bool]) {
        for packet in &self.packets {
            let solid = L::splat(0.5).lt(L::load(&packet.solid));
            super::skim::skim::<L>(&packet.corners, &packet.normal, solid, sections, slops, touches);
        }
        for space in &self.spaces {
            for i in 1..sections.len() {
                let is_low = |[x, y, z, r]: Row4| space.height([x, y, z]) < r * (1.0 - slops[0]);
                touches[i] |= is_low(sections[i - 1]) || is_low(sections[i]);
            }
        }
    }

    /// Forgets what was gathered, and keeps the room.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.spaces.clear();
        self.count = 0;
    }

    /// Triangles gathered.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is neither a triangle nor a plane.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.spaces.is_empty()
    }

    /// How often a gathering had to allocate since this was made. It stands still once the room suffices.
    #[must_use]
    pub const fn growths(&self) -> u64 {
        self.growths
    }

    /// What everything is relative to, in world metres.
    #[must_use]
    pub const fn center(&self) -> [f64; 3] {
        self.center
    }

    /// Half the sides of the gathered box, in metres.
    #[must_use]
    pub const fn half(&self) -> [f32; 3] {
        self.half
    }

    /// A world position as queries take it.
    #[must_use]
    pub fn local(&self, world: [f64; 3]) -> [f32; 3] {
        [0, 1, 2].map(|axis| (world[axis] - self.center[axis]) as f32)
    }

    /// An answer's point in world metres.
    #[must_use]
    pub fn world(&self, local: [f32; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.center[axis] + f64::from(local[axis]))
    }

    /// Whether the ball of this radius about a local point lies in the gathered box, so that answers about it are whole.
    #[must_use]
    pub fn covers(&self, point: [f32; 3], radius: f32) -> bool {
        (0..3).all(|axis| -self.half[axis] <= point[axis] - radius && point[axis] + radius <= self.half[axis])
    }
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn add_scaled(a: [f32; 3], b: [f32; 3], factor: f32) -> [f32; 3] {
    [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}

#[inline(always)]
fn negate([x, y, z]: [f32; 3]) -> [f32; 3] {
    [-x, -y, -z]
}

/// One lane of three components.
#[inline(always)]
fn lane3([x, y, z]: &[Lane8; 3], lane: usize) -> [f32; 3] {
    [x[lane], y[lane], z[lane]]
}

/// The largest magnitude among the coordinates, or infinity where one is not finite.
#[inline(always)]
fn extent(points: &[[f32; 3]]) -> f32 {
    let mut largest = 0.0;
    for &part in points.as_flattened() {
        if !part.is_finite() {
            return f32::INFINITY;
        }
        largest = if part.abs() > largest { part.abs() } else { largest };
    }
    largest
}

impl HalfSpace {
    #[inline(always)]
    fn height(&self, point: [f32; 3]) -> f32 {
        dot(self.normal, point) + self.offset
    }
}
