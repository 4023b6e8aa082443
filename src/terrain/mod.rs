//! The ground: nothing, a plane, a heightfield, a mesh of triangles, or a set of these; heights and normals at a point, for
//! one point or eight lanes, and what is near a body, gathered once and then asked many things ([`Nearby`]).
//!
//! Planes and heightfields are *solid*: what is below them is inside. A mesh is a *sheet*, with a free side on both.
//!
//! Y up, +X east, -Z north, metres. Positions and heights are f64: ground at 100 km is as exact as at 0. A point where
//! there is no ground (beyond a heightfield's edge, or a coordinate that is not finite) is a *miss*, never an error.

mod cells;
mod corner;
mod heightfield;
mod mesh;
mod nearby;
mod plane;
#[cfg(feature = "png")]
mod png;
mod rest;
mod set;
mod skim;
mod slope;
mod vector;

pub use heightfield::{HeightGrid, Heightfield};
pub use mesh::{MeshReport, MeshSource, TriangleMesh};
pub use nearby::{Closest, Contact, FaceId, Hit, Nearby};
pub use plane::Plane;
pub use set::{Part, PartId, TerrainSet};

use crate::constants::CLEARANCE_LEAST_Y;
#[cfg(feature = "png")]
use crate::error::Result;
pub(crate) use cells::Cells;
pub(crate) use skim::Skim;
pub(crate) use slope::{NO_FACE, Place, Slopes, Walls, into_crest};
use std::sync::Arc;

/// How high the centre of a sphere of this radius is over the ground that it stands on, measured straight down.
#[inline(always)]
pub(crate) fn clearance(radius: f32, normal_y: f32) -> f32 {
    radius / if normal_y > CLEARANCE_LEAST_Y { normal_y } else { CLEARANCE_LEAST_Y }
}

/// Points in one batched query.
const LANES: usize = 8;

/// What a batch's creatures stand on. Clones share samples, triangles and parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Terrain {
    /// No ground anywhere: every sample is a miss.
    #[default]
    None,
    /// One plane without end.
    Plane(Plane),
    /// A grid of heights.
    Heightfield(Arc<Heightfield>),
    /// Triangles of any shape.
    Mesh(Arc<TriangleMesh>),
    /// Several of these.
    Set(Arc<TerrainSet>),
}

/// The ground at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundSample {
    /// World y of the surface, in metres.
    pub height_m: f64,
    /// Unit normal interpolated between the triangle's corners: continuous, for orientation and clearance.
    pub normal: [f32; 3],
    /// Unit normal of the triangle itself: it jumps at edges, and is what a collision with the surface meets.
    pub face_normal: [f32; 3],
    pub(crate) footing: Footing,
}

/// Names the triangle on which a point is.
#[derive(Debug, Clone, Copy, Default, Eq)]
pub(crate) struct Footing {
    /// The part of the set.
    pub part: PartId,
    /// As the part itself numbers them.
    pub face: u32,
}

/// The same ground is the same wherever it was found.
impl PartialEq for Footing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Footing {
    #[inline(always)]
    const fn of(face: u32) -> Self {
        Self { part: PartId(0), face }
    }
}

/// The ground at eight points, one a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundLanes {
    /// World y of the surface, in metres; 0 in a lane that missed.
    pub height_m: [f64; LANES],
    /// x, y and z of [`GroundSample::normal`]; straight up in a lane that missed.
    pub normal: [[f32; LANES]; 3],
    /// Whether there is ground at the lane's point.
    pub hit: [bool; LANES],
    pub(crate) footing: [Footing; LANES],
}

impl GroundLanes {
    /// Every lane a miss.
    pub const MISS: Self = Self {
        height_m: [0.0; LANES],
        normal: [[0.0; LANES], [1.0; LANES], [0.0; LANES]],
        hit: [false; LANES],
        footing: [Footing { part: PartId(0), face: 0 }; LANES],
    };

    fn put(&mut self, lane: usize, sample: Option<GroundSample>) {
        if let Some(GroundSample { height_m, normal, footing, .. }) = sample {
            (self.hit[lane], self.footing[lane]) = (true, footing);
            self.height_m[lane] = height_m;
            for axis in 0..3 {
                self.normal[axis][lane] = normal[axis];
            }
        }
    }
}

impl Terrain {
    /// A level plane at `height_m`. A height that is not finite makes every sample a miss.
    #[must_use]
    pub const fn flat(height_m: f64) -> Self {
        Self::Plane(Plane::level(height_m))
    }

    /// A map that ships with the library; [`Heightfield::embedded_names`] lists them.
    ///
    /// # Errors
    /// [`Error::Name`](crate::error::Error::Name) for any other name.
    #[cfg(feature = "png")]
    pub fn embedded(name: &str) -> Result<Self> {
        Heightfield::embedded(name).map(Self::from)
    }

    /// A map from files; see [`Heightfield::load`].
    ///
    /// # Errors
    /// As [`Heightfield::load`].
    #[cfg(feature = "png")]
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self> {
        Heightfield::load(path).map(Self::from)
    }

    /// Whether there can be several floors, one over the other, or obstacles that no height tells of.
    #[inline(always)]
    pub(crate) fn has_floors(&self) -> bool {
        matches!(self, Self::Mesh(_) | Self::Set(_))
    }

    /// The least size, in metres, of what sticks out of open ground: a cell of a heightfield, the least height of a mesh's
    /// triangles as seen from above. Infinite where nothing does.
    #[inline(always)]
    pub(crate) fn finest_m(&self) -> f32 {
        match self {
            Self::Heightfield(field) => field.least_cell_m(),
            Self::Mesh(mesh) => mesh.least_height_m(),
            _ => f32::INFINITY,
        }
    }

    /// The highest ground at (x, z) in world metres, or `None` where there is none.
    #[must_use]
    pub fn sample(&self, x: f64, z: f64) -> Option<GroundSample> {
        self.sample_under(x, f64::INFINITY, z)
    }

    /// The ground straight under (x, y, z) in world metres, or `None` where there is none: the highest surface at or below
    /// `y`, which of several floors is the one to stand on. What is solid counts wherever it is: a point below it is
    /// inside, and its ground is the surface above. A mesh's surface within a micrometre above `y` counts as at it.
    #[must_use]
    pub fn sample_under(&self, x: f64, y: f64, z: f64) -> Option<GroundSample> {
        match self {
            Self::None => None,
            Self::Plane(plane) => plane.sample(x, z),
            Self::Heightfield(field) => field.sample(x, z),
            Self::Mesh(mesh) => mesh.sample_under(x, y, z),
            Self::Set(set) => set.sample_under(x, y, z),
        }
    }

    /// World y of the centre of a sphere that rests on the ground straight under (x, y, z), in world metres, touching it and
    /// not in it; `None` where there is no ground. Which of several floors is the ground is as for
    /// [`sample_under`](Self::sample_under). `radius` in metres. Where triangles are smaller than the radius, what lies
    /// beyond the nearest ones may not be felt, and slopes over 60 degrees count as 60.
    #[must_use]
    pub fn rest_under(&self, x: f64, y: f64, z: f64, radius: f32) -> Option<f64> {
        self.sample_under(x, y, z).map(|sample| self.rest_on(sample.footing, x, z, radius, Walls::Lean))
    }

    /// The ground at eight points: in each lane the bits that [`sample`](Self::sample) gives.
    // Inlined into the caller, so that it is compiled for the caller's instruction set.
    #[inline(always)]
    #[must_use]
    pub fn sample_lanes(&self, x: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        self.sample_under_lanes(x, &[f64::INFINITY; LANES], z)
    }

    /// The ground under eight points: in each lane the bits that [`sample_under`](Self::sample_under) gives.
    #[inline(always)]
    #[must_use]
    pub fn sample_under_lanes(&self, x: &[f64; LANES], y: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        match self {
            Self::None => GroundLanes::MISS,
            Self::Plane(plane) => plane_lanes(plane, x, z),
            Self::Heightfield(field) => field.sample_lanes(x, z),
            Self::Mesh(mesh) => mesh.sample_under_lanes(x, y, z),
            Self::Set(set) => set.sample_under_lanes(x, y, z),
        }
    }

    /// Collects into `out` all ground that touches the box of these half sizes about `center`, in world metres, for as
    /// many queries as follow; yields how many triangles that is. Solid ground touches the box where it is above it, too.
    /// A centre or a size that is not finite, or a size below 0, finds nothing.
    ///
    /// Allocates where `out` has too little room: see [`Nearby::growths`].
    pub fn gather(&self, center: [f64; 3], half: [f32; 3], out: &mut Nearby) -> usize {
        if out.begin(center, half) {
            match self {
                Self::None => {}
                Self::Plane(plane) => out.add_plane(plane, PartId::default(), [0.0; 3]),
                Self::Heightfield(field) => out.add_field(field, PartId::default(), [0.0; 3]),
                Self::Mesh(mesh) => out.add_mesh(mesh, PartId::default(), [0.0; 3]),
                Self::Set(set) => set.gather(out),
            }
        }
        out.len()
    }
}

impl From<TriangleMesh> for Terrain {
    fn from(mesh: TriangleMesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl From<TerrainSet> for Terrain {
    fn from(set: TerrainSet) -> Self {
        Self::Set(Arc::new(set.indexed()))
    }
}

impl From<Heightfield> for Terrain {
    fn from(field: Heightfield) -> Self {
        Self::Heightfield(Arc::new(field))
    }
}

impl From<Plane> for Terrain {
    fn from(plane: Plane) -> Self {
        Self::Plane(plane)
    }
}

#[inline(always)]
fn plane_lanes(plane: &Plane, x: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
    let mut ground = GroundLanes::MISS;
    let normal = plane.normal();
    for lane in 0..LANES {
        let height_m = plane.height_at(x[lane], z[lane]);
        let hit = height_m.is_finite();
        ground.hit[lane] = hit;
        ground.height_m[lane] = keep_f64(hit, height_m);
        ground.normal[0][lane] = keep_f32(hit, normal[0], 0.0);
        ground.normal[1][lane] = keep_f32(hit, normal[1], 1.0);
        ground.normal[2][lane] = keep_f32(hit, normal[2], 0.0);
    }
    ground
}

/// `value` where `is_kept`, else `other`; from bits, as a choice of costly values compiles to a branch in every lane.
#[inline(always)]
fn keep_f32(is_kept: bool, value: f32, other: f32) -> f32 {
    let mask = u32::from(is_kept).wrapping_neg();
    f32::from_bits((value.to_bits() & mask) | (other.to_bits() & !mask))
}

/// `value` where `is_kept`, else 0.
#[inline(always)]
fn keep_f64(is_kept: bool, value: f64) -> f64 {
    f64::from_bits(value.to_bits() & u64::from(is_kept).wrapping_neg())
}
