//! Snakes by the ten thousand: given where the heads go, the pose of every joint of every body, each tick.
//!
//! The priorities, in this order: the pose is right, on every tick; nanoseconds per joint; the same bits everywhere; a
//! calm, small interface.
//!
#![doc = include_str!("../docs/example.md")]
//!
//! A tick runs the [stages](Stage) command, guidance, travel, record, body, undulate, guard, bound, frame and pose, each a
//! kernel over a block of eight creatures. What they do is in docs/pipeline.md, the layout and its reasons in
//! docs/architecture.md, units and axes in docs/conventions.md.
#![deny(missing_docs, unsafe_code)]

pub mod batch;
pub mod broadphase;
pub mod constants;
mod diagnostics;
pub mod error;
mod id;
pub mod lanes;
pub mod pose;
pub mod profile;
#[doc(hidden)]
#[cfg(feature = "reference")]
pub mod reference;
mod stages;
mod step;
pub mod terrain;

pub use batch::{
    BlockState, Cohort, ControlSlices, Fault, ForwardAxis, HeadGround, Headings, Knot, MemoryReport, Motion, ProfileId,
    SerpentBatch, SerpentId, Settings, Spawn,
};
pub use error::{Error, HandleFault, Result};
pub use lanes::LaneChoice;
pub use pose::{Aabb, Attachment, Pose};
pub use profile::{Profile, ProfileBuilder, Quality, Tier};
pub use stages::{Counters, Measures, Stage};
pub use step::{Quarantined, ResolvedDisplacement, StepReport};
pub use terrain::{Heightfield, Terrain, TerrainSet, TriangleMesh};
