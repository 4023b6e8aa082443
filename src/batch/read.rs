//! Read access: borrowed from the buffers, never copied.

use super::{Cohort, Fault, Motion, Place, SerpentBatch, SerpentId, flag, lane3, unpack_direction};
use crate::error::Result;
use crate::lanes::LANES;
use crate::profile::{Profile, Quality};
use glam::{DVec3, Vec3};

/// The three directions of the guiding head: unit vectors in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headings {
    /// What guidance asked for.
    pub target: Vec3,
    /// The target, limited by the turn rate.
    pub center: Vec3,
    /// The centre heading with the gait's yaw: where the head points, and where to move.
    pub effective: Vec3,
}

/// The ground under a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadGround {
    /// World y of the surface straight under the head, in metres.
    pub height_m: f64,
    /// Of the triangle that is hit there: it jumps at edges.
    pub raw_normal: Vec3,
    /// Interpolated over the heightfield's samples or the mesh's vertices; the triangle's own where a mesh has no others.
    pub resolved_normal: Vec3,
    /// The back of the head: what the gait yaws about and bodies are aligned with, turned toward the resolved normal as
    /// fast as the head travels, and perpendicular to the way.
    pub blended_normal: Vec3,
}

/// A point of the path history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// World position in metres.
    pub position: DVec3,
    /// Dorsal direction, of unit length within 0.002.
    pub dorsal: Vec3,
}

/// Bytes that one buffer holds, its spare capacity included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferBytes {
    /// The buffer's name.
    pub name: &'static str,
    /// Bytes.
    pub bytes: usize,
}

/// Memory by buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryReport {
    /// One entry per kind of buffer, summed over cohorts.
    pub buffers: Vec<BufferBytes>,
}

impl MemoryReport {
    /// All buffers together, in bytes.
    pub fn total(&self) -> usize {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

impl SerpentBatch {
    /// Living creatures.
    pub fn len(&self) -> usize {
        self.handles.len()
    }
    /// Whether nobody lives here.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Handles of all living creatures, by rising index: the same order wherever their data lies.
    pub fn ids(&self) -> impl Iterator<Item = SerpentId> + '_ {
        self.handles.iter().map(|(id, _)| id)
    }
    /// Whether the handle names a living creature of this batch.
    pub fn contains(&self, id: SerpentId) -> bool {
        self.handles.place(id).is_ok()
    }
    /// The cohorts: one for each profile and tier in use, with their buffers.
    pub fn cohorts(&self) -> &[Cohort] {
        &self.cohorts
    }
    /// Ticks that moved time.
    pub fn tick(&self) -> u64 {
        self.tick
    }
    /// Time that passed in the batch, in seconds.
    pub fn time_s(&self) -> f64 {
        self.time_s
    }
    /// Name of the instruction set in use.
    pub fn isa(&self) -> &'static str {
        self.isa.name()
    }

    pub(crate) fn view(&self, id: SerpentId) -> Result<(&Cohort, Place)> {
        let place = self.handles.place(id)?;
        Ok((&self.cohorts[place.cohort as usize], place))
    }

    /// Cohort (an index into [`cohorts`](Self::cohorts)) and slot where the creature's data lies now. A despawn or a
    /// change of tier may move it.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle), as everything here.
    pub fn slot(&self, id: SerpentId) -> Result<(usize, usize)> {
        self.handles.place(id).map(|place| (place.cohort as usize, place.slot as usize))
    }

    /// World position of the head, which is joint 0, in metres.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn head(&self, id: SerpentId) -> Result<DVec3> {
        let (cohort, place) = self.view(id)?;
        let state = &cohort.blocks[place.block()];
        let (origin, head) = (lane3(&state.origin, place.lane()), lane3(&state.head, place.lane()));
        Ok(DVec3::from(origin) + DVec3::from(head))
    }

    /// The three directions. After `begin` they are this tick's.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn headings(&self, id: SerpentId) -> Result<Headings> {
        let (cohort, place) = self.view(id)?;
        let (state, lane) = (&cohort.blocks[place.block()], place.lane());
        Ok(Headings {
            target: lane3(&state.target, lane).into(),
            center: lane3(&state.center, lane).into(),
            effective: lane3(&state.effective, lane).into(),
        })
    }

    /// Phase of the gait and of the vertical wave, in turns of 2^-32.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn phases(&self, id: SerpentId) -> Result<(u32, u32)> {
        let (cohort, place) = self.view(id)?;
        let state = &cohort.blocks[place.block()];
        Ok((state.phase[place.lane()], state.wave_phase[place.lane()]))
    }

    /// World positions of the joints, in metres, from the Body front to the tail.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn joints(&self, id: SerpentId) -> Result<impl ExactSizeIterator<Item = DVec3> + '_> {
        let (cohort, place) = self.view(id)?;
        let origin = DVec3::from(lane3(&cohort.blocks[place.block()].origin, place.lane()));
        let count = cohort.shape.joints;
        let block = &cohort.joints()[place.block() * count..(place.block() + 1) * count];
        let lane = place.lane();
        Ok(block
            .iter()
            .map(move |[x, y, z, _]| origin + DVec3::new(f64::from(x[lane]), f64::from(y[lane]), f64::from(z[lane]))))
    }

    /// Velocities of the joints over the last tick, in metres a second.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn velocities(&self, id: SerpentId) -> Result<impl ExactSizeIterator<Item = Vec3> + '_> {
        let (cohort, place) = self.view(id)?;
        let (state, lane, count) = (&cohort.blocks[place.block()], place.lane(), cohort.shape.joints);
        let shift =
            (DVec3::from(lane3(&state.origin, lane)) - DVec3::from(lane3(&state.previous_origin, lane))).as_vec3();
        // A step too short to divide by is no step.
        let rate = if self.last_dt > 1e-9 { 1.0 / self.last_dt } else { 0.0 };
        let range = place.block() * count..(place.block() + 1) * count;
        let pairs = cohort.joints()[range.clone()].iter().zip(&cohort.previous_joints()[range]);
        Ok(pairs.map(move |(now, before)| {
            let at = |joint: &super::JointLanes| Vec3::new(joint[0][lane], joint[1][lane], joint[2][lane]);
            (at(now) - at(before) + shift) * rate
        }))
    }

    /// The path history, newest first: the first is the front of the path, at the head.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn knots(&self, id: SerpentId) -> Result<impl ExactSizeIterator<Item = Knot> + '_> {
        let (cohort, place) = self.view(id)?;
        let (state, lane, shape) = (&cohort.blocks[place.block()], place.lane(), cohort.shape);
        let origin = DVec3::from(lane3(&state.origin, lane));
        let ring = &cohort.knots[place.slot as usize * shape.ring_rows()..];
        let cursor = state.cursor[lane];
        Ok((0..shape.knots as u32).map(move |back| {
            let [x, y, z, dorsal] = ring[shape.ring(cursor, back)];
            Knot { position: origin + Vec3::new(x, y, z).as_dvec3(), dorsal: unpack_direction(dorsal).into() }
        }))
    }

    /// Radii at the joints, in metres.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn radii(&self, id: SerpentId) -> Result<impl ExactSizeIterator<Item = f32> + '_> {
        let (cohort, place) = self.view(id)?;
        let scale = cohort.blocks[place.block()].scale[place.lane()];
        Ok(cohort.profile.radius_m().iter().map(move |radius| radius * scale))
    }

    /// Its size now, on the way to what `set_scale` asked for.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn scale(&self, id: SerpentId) -> Result<f32> {
        let (cohort, place) = self.view(id)?;
        Ok(cohort.blocks[place.block()].scale[place.lane()])
    }

    /// Its profile.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn profile_of(&self, id: SerpentId) -> Result<&Profile> {
        self.view(id).map(|(cohort, _)| cohort.profile())
    }

    /// The id of its profile, for [`controls_mut`](Self::controls_mut).
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn profile_id_of(&self, id: SerpentId) -> Result<super::ProfileId> {
        self.view(id).map(|(cohort, _)| self.profile_id(cohort.profile_index))
    }

    /// Its quality tier.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn quality(&self, id: SerpentId) -> Result<Quality> {
        self.view(id).map(|(cohort, _)| cohort.quality)
    }

    /// Its tag.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn tag(&self, id: SerpentId) -> Result<u64> {
        let (cohort, place) = self.view(id)?;
        Ok(cohort.tags[place.slot as usize])
    }

    /// Where its movement comes from.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn motion(&self, id: SerpentId) -> Result<Motion> {
        let (cohort, place) = self.view(id)?;
        Ok(match cohort.blocks[place.block()].motion[place.lane()] {
            0 => Motion::Observed,
            1 => Motion::Reported,
            2 => Motion::Driven,
            _ => Motion::Preview,
        })
    }

    /// Why it is out of the tick, or None.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn quarantine(&self, id: SerpentId) -> Result<Option<Fault>> {
        let (cohort, place) = self.view(id)?;
        let flags = cohort.blocks[place.block()].flags[place.lane()];
        Ok(if flags & flag::QUARANTINED == 0 { None } else { Fault::from_flags(flags) })
    }

    /// Whether it stands on the ground.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn grounded(&self, id: SerpentId) -> Result<bool> {
        let (cohort, place) = self.view(id)?;
        Ok(cohort.blocks[place.block()].has(place.lane(), flag::GROUNDED))
    }

    /// The ground under its head, and the three normals there; none where there is no ground.
    ///
    /// # Errors
    /// [`Error::Handle`](crate::Error::Handle).
    pub fn ground_under(&self, id: SerpentId) -> Result<Option<HeadGround>> {
        let (cohort, place) = self.view(id)?;
        let (state, lane) = (&cohort.blocks[place.block()], place.lane());
        let [x, y, z] = self.head(id)?.to_array();
        // A head that is a little in the ground stands on it all the same.
        let radius = cohort.profile.radius_m()[0] * state.scale[lane];
        let found = self.terrain.sample_under(x, y + f64::from(radius), z);
        Ok(found.map(|ground| HeadGround {
            height_m: ground.height_m,
            raw_normal: ground.face_normal.into(),
            resolved_normal: ground.normal.into(),
            blended_normal: lane3(&state.dorsal, lane).into(),
        }))
    }

    /// Bytes that the batch holds, by buffer.
    pub fn memory(&self) -> MemoryReport {
        let sum = |bytes: fn(&Cohort) -> usize| self.cohorts.iter().map(bytes).sum();
        let entry = |name, bytes| BufferBytes { name, bytes };
        let buffers = vec![
            entry("block state", sum(|c| c.blocks.capacity() * size_of::<super::BlockState>())),
            entry("controls", sum(|c| c.controls.bytes())),
            entry("path history", sum(|c| c.knots.capacity() * size_of::<crate::lanes::Row4>())),
            entry("fallen knots", sum(|c| c.falls.capacity() * size_of::<crate::lanes::Row4>())),
            entry("joints", sum(|c| c.joints[0].capacity() * size_of::<super::JointLanes>())),
            entry("previous joints", sum(|c| c.joints[1].capacity() * size_of::<super::JointLanes>())),
            entry("head inputs", sum(|c| c.head_inputs.capacity() * size_of::<super::HeadLanes>())),
            entry("ids and tags", sum(|c| c.ids.capacity() * size_of::<SerpentId>() + c.tags.capacity() * 8)),
            entry("handles", self.handles.capacity_bytes()),
            entry("pose rows", self.poses.capacity() * 48),
            entry("pose map", self.pose_map.creatures.capacity() * 16 + self.pose_map.by_index.capacity() * 4),
        ];
        MemoryReport { buffers }
    }
}

const _: () = assert!(LANES == 8, "block layouts are documented for eight lanes");
