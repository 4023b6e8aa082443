//! Displacements that the ground allows, for callers that move their heads themselves.

use crate::batch::{SerpentBatch, SerpentId};
use crate::constants::MAX_DISPLACEMENT_M;
use crate::error::{Error, Result};
use crate::stages::sweep;
use crate::terrain::Nearby;
use glam::Vec3;
use rayon::prelude::*;
use std::cell::RefCell;

thread_local! {
    static NEARBY: RefCell<Nearby> = RefCell::new(Nearby::with_capacity(256));
}

/// What the ground leaves of a head's displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedDisplacement {
    /// The safe displacement in world axes, in metres.
    pub world: Vec3,
    /// How often the way was turned along ground, or pushed out of it.
    pub hits: u32,
    /// Unit normal of the ground that was met first; zero where the way was free or began inside.
    pub normal: Vec3,
    /// Share of the wanted way that was free before that, 0 to 1.
    pub free: f32,
}

impl SerpentBatch {
    /// What the ground leaves of a displacement of the guiding head, in metres. A capsule round the whole head, with the
    /// lower jaw at its angle, is swept along it; after a hit the rest goes along the plane that was hit, several in turn;
    /// a head that is in the ground is pushed out first. Changes nothing: report what you make of it.
    ///
    /// Meant for between [`begin`](Self::begin), after which the headings are this tick's, and [`finish`](Self::finish).
    /// Creatures that move themselves do the same by themselves.
    ///
    /// # Errors
    /// [`Error::Value`] where a component is not within 1e6 m; [`Error::Handle`].
    pub fn resolve_guidance_displacement(
        &self,
        id: SerpentId,
        displacement: impl Into<Vec3>,
    ) -> Result<ResolvedDisplacement> {
        let way = displacement.into();
        if !way.to_array().iter().all(|c| c.abs() <= MAX_DISPLACEMENT_M) {
            return Err(Error::value("displacement", format!("{way:?}"), "within 1e6 m, finite"));
        }
        let place = self.place(id)?;
        let cohort = &self.cohorts[place.cohort as usize];
        let heads = cohort.shape().heads;
        let inputs = &cohort.head_inputs[place.block() * heads..(place.block() + 1) * heads];
        let volume = sweep::head_volume(cohort.profile(), &cohort.blocks[place.block()], inputs, place.lane());
        let slide = |nearby: &mut Nearby| {
            sweep::slide(self.isa, &self.terrain, &volume, way, (sweep::Start::PushedOut, f32::INFINITY), nearby)
        };
        let slid = NEARBY.with_borrow_mut(slide);
        Ok(ResolvedDisplacement { world: slid.moved, hits: slid.hits, normal: slid.normal, free: slid.free })
    }

    /// [`resolve_guidance_displacement`](Self::resolve_guidance_displacement) for many: each of `displacements`, in metres,
    /// becomes what the ground leaves of it for the creature at the same index of `ids`. On the rayon pool where the
    /// batch is parallel.
    ///
    /// # Errors
    /// [`Error::Value`] where the lengths differ or a component is not within 1e6 m; [`Error::Handle`]. Then some may have
    /// been resolved already.
    pub fn resolve_guidance_displacements(&self, ids: &[SerpentId], displacements: &mut [Vec3]) -> Result<()> {
        if ids.len() != displacements.len() {
            let allowed = format!("as many as ids, {}", ids.len());
            return Err(Error::value("displacements.len()", displacements.len(), &allowed));
        }
        let resolve = |(&id, way): (&SerpentId, &mut Vec3)| -> Result<()> {
            *way = self.resolve_guidance_displacement(id, *way)?.world;
            Ok(())
        };
        if self.settings.parallel {
            ids.par_iter().zip(displacements).with_min_len(64).try_for_each(resolve)
        } else {
            ids.iter().zip(displacements).try_for_each(resolve)
        }
    }
}
