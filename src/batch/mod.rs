//! The batch and what it holds: cohorts of blocks, handles, controls, read access.
//!
//! Nothing here advances time. What needs the tick's kernels (spawning, teleporting, stepping) is in `step`.

mod cohort;
mod controls;
mod direction;
mod handles;
mod read;
mod seed;
mod setters;
mod spawn;
mod state;

pub use crate::id::SerpentId;
pub(crate) use cohort::{ASKED_FALL, BlockMut, NEW_FALL, put_row, renew_falls, walked_fall};
pub use cohort::{Cohort, HeadLanes, JointLanes, Shape};
pub use controls::ControlSlices;
pub use direction::unpack_direction;
pub(crate) use direction::{
    HALF as DIRECTION_HALF, direction_fields, pack_direction, pack_direction_lanes, pack_fields, rotate_with,
    unpack_direction_lanes,
};
pub(crate) use handles::{Handles, Place};
pub use read::{BufferBytes, HeadGround, Headings, Knot, MemoryReport};
pub(crate) use seed::{Seed, resample_lane, resize_lane, seed_lane, snap};
pub(crate) use spawn::perpendicular;
pub use spawn::{Motion, Spawn};
pub(crate) use state::set_lane3;
pub use state::{BlockState, Vec8, flag, lane3};

use crate::error::{Error, Result};
use crate::lanes::{Isa, LaneChoice};
use crate::profile::{Profile, Quality, Tier};
use crate::terrain::Terrain;
use std::sync::Arc;

/// Names a profile of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileId {
    pub(crate) index: u32,
    pub(crate) batch: u32,
}

/// Which axis of an exported frame points forward, toward the snout. Up is +Y in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForwardAxis {
    /// -Z forward, +X right: Bevy's and a camera's.
    #[default]
    NegZ,
    /// +Z forward, +X left: of glTF assets.
    PosZ,
    /// +X forward, +Z right: Unreal's forward.
    PosX,
}

/// What a batch is made with; all of it has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Spread blocks over the rayon pool that `step` is called in (the global one outside of any). Off: the calling
    /// thread does all. The results are the same bits.
    pub parallel: bool,
    /// Which lanes to use. The results are the same bits.
    pub lanes: LaneChoice,
    /// Forward axis of the exported frames.
    pub forward_axis: ForwardAxis,
    /// World position that pose rows are relative to, in metres: the camera's neighbourhood in a large world.
    pub pose_origin: [f64; 3],
    /// Tiers low, medium and high; None takes the embedded file.
    pub tiers: [Option<Tier>; 3],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            parallel: true,
            lanes: LaneChoice::Auto,
            forward_axis: ForwardAxis::NegZ,
            pose_origin: [0.0; 3],
            tiers: [None, None, None],
        }
    }
}

/// Why a creature is out of the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A guidance direction that is not finite.
    #[error("guidance is not finite")]
    Guidance,
    /// A speed that is not finite or beyond the largest.
    #[error("speed is not finite or beyond 1e4")]
    Speed,
    /// A displacement that is not finite or beyond the largest.
    #[error("displacement is not finite or beyond 1e6 m")]
    Displacement,
    /// A head position that is not finite or beyond the largest coordinate.
    #[error("head position is not finite or beyond 1e7 m")]
    Head,
}

impl Fault {
    const ALL: [Self; 4] = [Self::Guidance, Self::Speed, Self::Displacement, Self::Head];

    /// The fault as bits 16.. of a creature's flags.
    pub(crate) fn flag(self) -> u32 {
        (1 << 16) << self as u32
    }
    pub(crate) fn mask() -> u32 {
        Self::ALL.iter().fold(0, |bits, fault| bits | fault.flag())
    }
    pub(crate) fn from_flags(flags: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| flags & fault.flag() != 0)
    }
}

/// Where each creature's pose rows lie: rebuilt by the pass that writes the rows after the population changed.
#[derive(Debug, Default)]
pub(crate) struct PoseMap {
    pub version: u64,
    /// By pose order: creature and its first row.
    pub creatures: Vec<(SerpentId, u32)>,
    /// By handle index: position in `creatures`, or `u32::MAX`.
    pub by_index: Vec<u32>,
    /// The population changed since.
    pub outdated: bool,
}

/// A crowd of serpents, advanced together.
///
/// See the crate's documentation for the whole story and an example.
#[derive(Debug)]
pub struct SerpentBatch {
    pub(crate) settings: Settings,
    pub(crate) isa: Isa,
    pub(crate) terrain: Terrain,
    pub(crate) profiles: Vec<Arc<Profile>>,
    pub(crate) cohorts: Vec<Cohort>,
    pub(crate) handles: Handles,
    pub(crate) poses: Vec<[f32; 12]>,
    pub(crate) pose_map: PoseMap,
    pub(crate) active_mask: u32,
    pub(crate) tick: u64,
    pub(crate) time_s: f64,
    /// The step that `begin` opened, in seconds, and what it dropped.
    pub(crate) open: Option<(f32, f32)>,
    /// Length of the last tick that moved time, in seconds; 0 before the first.
    pub(crate) last_dt: f32,
}

impl SerpentBatch {
    /// An empty batch on this terrain, with default settings.
    pub fn new(terrain: Terrain) -> Self {
        let settings = Settings::default();
        Self {
            isa: settings.lanes.pick(),
            settings,
            terrain,
            profiles: Vec::new(),
            cohorts: Vec::new(),
            handles: Handles::new(),
            poses: Vec::new(),
            pose_map: PoseMap::default(),
            active_mask: !0,
            tick: 0,
            time_s: 0.0,
            open: None,
            last_dt: 0.0,
        }
    }

    /// An empty batch on this terrain, with these settings.
    ///
    /// # Errors
    /// [`Error::Value`] where `pose_origin` is not finite or beyond 1e7 m.
    pub fn with_settings(terrain: Terrain, settings: Settings) -> Result<Self> {
        check_position("settings.pose_origin", settings.pose_origin)?;
        let mut batch = Self::new(terrain);
        batch.isa = settings.lanes.pick();
        batch.settings = settings;
        Ok(batch)
    }

    /// Makes a species known. Adding an equal profile again gives the same id.
    pub fn add_profile(&mut self, profile: Profile) -> ProfileId {
        let known = self.profiles.iter().position(|known| **known == profile);
        let index = known.unwrap_or_else(|| {
            self.profiles.push(Arc::new(profile));
            self.profiles.len() - 1
        });
        self.profile_id(index as u32)
    }

    /// The profile of this id.
    ///
    /// # Errors
    /// [`Error::Value`] where the batch has no such profile.
    pub fn profile(&self, id: ProfileId) -> Result<&Profile> {
        self.known_profile(id).map(|profile| &**profile)
    }

    pub(crate) fn profile_id(&self, index: u32) -> ProfileId {
        ProfileId { index, batch: self.handles.batch() }
    }

    fn known_profile(&self, id: ProfileId) -> Result<&Arc<Profile>> {
        let own = id.batch == self.handles.batch();
        self.profiles.get(id.index as usize).filter(|_| own).ok_or_else(|| self.no_profile(id))
    }

    fn no_profile(&self, id: ProfileId) -> Error {
        let allowed = format!("the ids that this batch gave out for its {} profiles", self.profiles.len());
        Error::value("profile", format!("{id:?}"), &allowed)
    }

    /// The cohort of a profile and tier, made where there is none yet.
    pub(crate) fn cohort_index(&mut self, id: ProfileId, quality: Quality) -> Result<usize> {
        let known = |c: &Cohort| c.profile_index == id.index && c.quality == quality;
        let profile = self.known_profile(id)?.clone();
        if let Some(index) = self.cohorts.iter().position(known) {
            return Ok(index);
        }
        let tier = match &self.settings.tiers[quality as usize] {
            Some(tier) => tier.clone(),
            None => Tier::embedded(quality)?,
        };
        self.cohorts.push(Cohort::new(id.index, profile, quality, &tier));
        Ok(self.cohorts.len() - 1)
    }

    /// Room for `additional` more creatures of this profile and tier, so that spawning them allocates nothing.
    ///
    /// # Errors
    /// [`Error::Value`] where the batch has no such profile.
    pub fn reserve(&mut self, profile: ProfileId, quality: Quality, additional: usize) -> Result<()> {
        let cohort = self.cohort_index(profile, quality)?;
        self.cohorts[cohort].reserve(additional);
        // What all cohorts share has room for all that each of them has room for.
        let creatures: usize = self.cohorts.iter().map(|cohort| cohort.ids.capacity()).sum();
        let rows: usize = self.cohorts.iter().map(|cohort| cohort.ids.capacity() * cohort.shape.rows()).sum();
        self.handles.reserve_total(creatures);
        reserve_total(&mut self.poses, rows);
        reserve_total(&mut self.pose_map.creatures, creatures);
        reserve_total(&mut self.pose_map.by_index, creatures);
        Ok(())
    }

    /// Takes a creature out. Its handle is stale from now on; its pose rows stay until the next tick.
    ///
    /// # Errors
    /// [`Error::Handle`] where the handle is stale or foreign.
    pub fn despawn(&mut self, id: SerpentId) -> Result<()> {
        let place = self.handles.place(id)?;
        self.handles.remove(id);
        self.vacate(place);
        Ok(())
    }

    /// Closes the gap that a slot leaves: the cohort's last creature moves there.
    pub(crate) fn vacate(&mut self, place: Place) {
        let cohort = &mut self.cohorts[place.cohort as usize];
        let last = cohort.len() - 1;
        if place.slot as usize != last {
            cohort.copy_slot(place.slot as usize, last);
            self.handles.move_to(cohort.ids[place.slot as usize], place);
        }
        cohort.pop();
        self.pose_map.outdated = true;
    }

    /// Takes all creatures out. Every handle is stale from now on; profiles, settings and capacity stay.
    pub fn clear(&mut self) {
        for cohort in &mut self.cohorts {
            cohort.ids.iter().for_each(|&id| self.handles.remove(id));
            cohort.clear();
        }
        self.pose_map.outdated = true;
    }

    /// The ground.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Other ground from the next tick on: an edit is a set with a part moved, replaced or removed, given anew. Creatures on
    /// it keep their paths, and meet the new ground as they move; those that move themselves are lifted out of it, and
    /// whatever rested on the old one wakes and may fall.
    pub fn set_terrain(&mut self, terrain: Terrain) {
        self.terrain = terrain;
        for cohort in &mut self.cohorts {
            cohort.meet(&self.terrain);
        }
    }
}

/// Makes room for `total` elements in all.
pub(crate) fn reserve_total<T>(buffer: &mut Vec<T>, total: usize) {
    buffer.reserve_exact(total.saturating_sub(buffer.len()));
}

/// Refuses a position that is not finite or too far out.
pub(crate) fn check_position(field: &str, p: [f64; 3]) -> Result<()> {
    let limit = crate::constants::MAX_COORDINATE_M;
    // Written so that NaN fails.
    match p.iter().all(|c| c.abs() <= limit) {
        true => Ok(()),
        false => Err(Error::value(field, format!("{p:?}"), "finite, within 1e7 m of the world's origin")),
    }
}

/// The unit vector along `v`.
pub(crate) fn check_direction(field: &str, v: [f32; 3]) -> Result<[f32; 3]> {
    // In f64, so that no finite direction overflows.
    let d = v.map(f64::from);
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    match square.is_finite() && square > 1e-24 {
        // What is a unit vector already keeps its bits: a heading handed back is the heading.
        true if (square - 1.0).abs() < 1e-6 => Ok(v),
        true => Ok(d.map(|c| (c / square.sqrt()) as f32)),
        false => Err(Error::value(field, format!("{v:?}"), "a finite direction longer than 1e-12")),
    }
}

/// Refuses a number outside `[least, most]`.
pub(crate) fn check_range(field: &str, value: f32, least: f32, most: f32) -> Result<f32> {
    match value >= least && value <= most {
        true => Ok(value),
        false => Err(Error::value(field, value, &format!("{least} to {most}"))),
    }
}
