//! Snakes by the ten thousand.
#![deny(missing_docs, unsafe_code)]

pub mod batch;
pub mod constants;
mod diagnostics;
pub mod error;
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
    BlockState, Cohort, ControlSlices, Fault, ForwardAxis, Headings, Knot, MemoryReport, Motion, ProfileId,
    SerpentBatch, SerpentId, Settings, Spawn,
};
pub use error::{Error, HandleFault, Result};
pub use lanes::LaneChoice;
pub use pose::{Aabb, Attachment, Pose};
pub use profile::{Profile, ProfileBuilder, Quality, Tier};
pub use stages::{Counters, Stage};
pub use step::{Quarantined, StepReport};
pub use terrain::{Heightfield, Terrain};
