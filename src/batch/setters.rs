//! What the caller sets on one creature, by handle. Everything is checked here, at the boundary, once.

use super::{
    BlockState, Cohort, ControlSlices, Fault, Motion, Place, ProfileId, SerpentBatch, SerpentId, check_direction,
    check_position, check_range, flag, set_lane3,
};
use crate::constants::{MAX_DISPLACEMENT_M, MAX_SPEED_M_S, SCALE_RANGE};
use crate::error::{Error, Result};
use crate::lanes::LANES;
use glam::{DVec3, Vec3};

impl SerpentBatch {
    pub(crate) fn place(&self, id: SerpentId) -> Result<Place> {
        self.handles.place(id)
    }

    pub(crate) fn cohort_of(&mut self, id: SerpentId) -> Result<(&mut Cohort, usize)> {
        let place = self.handles.place(id)?;
        Ok((&mut self.cohorts[place.cohort as usize], place.slot as usize))
    }

    fn state_of(&mut self, id: SerpentId) -> Result<(&mut BlockState, usize)> {
        let place = self.handles.place(id)?;
        Ok((&mut self.cohorts[place.cohort as usize].blocks[place.block()], place.lane()))
    }

    /// Control slices of all creatures of a profile: one item for each quality tier in use, all of them contiguous.
    pub fn controls_mut(&mut self, profile: ProfileId) -> impl Iterator<Item = ControlSlices<'_>> {
        let own = profile.batch == self.handles.batch();
        self.cohorts.iter_mut().filter(move |cohort| cohort.profile_index == profile.index && own).map(|cohort| {
            let count = cohort.ids.len();
            let controls = &mut cohort.controls;
            ControlSlices {
                ids: &cohort.ids,
                tags: &cohort.tags,
                guidance: &mut controls.guidance[..count],
                speed: &mut controls.speed[..count],
                displacement: &mut controls.displacement[..count],
                head: &mut controls.head[..count],
            }
        })
    }

    /// Direction that the guiding head heads for, in world axes; the zero vector keeps the one before.
    ///
    /// # Errors
    /// [`Error::Value`] where it is not finite; [`Error::Handle`].
    pub fn set_guidance(&mut self, id: SerpentId, direction: impl Into<Vec3>) -> Result<()> {
        let direction = direction.into();
        if !direction.is_finite() {
            return Err(Error::value("guidance", format!("{direction:?}"), "a finite direction"));
        }
        let (cohort, slot) = self.cohort_of(id)?;
        cohort.controls.guidance[slot] = direction.into();
        Ok(())
    }

    /// Speed of a driven creature, in metres a second, or of a previewed one, in body lengths a second; negative backs up.
    ///
    /// # Errors
    /// [`Error::Value`] beyond 1e4; [`Error::Handle`].
    pub fn set_speed(&mut self, id: SerpentId, speed: f32) -> Result<()> {
        check_range("speed", speed, -MAX_SPEED_M_S, MAX_SPEED_M_S)?;
        let (cohort, slot) = self.cohort_of(id)?;
        cohort.controls.speed[slot] = speed;
        Ok(())
    }

    /// Where its movement comes from, from the next tick on. The path stays; an observed creature is observed from here.
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn set_motion(&mut self, id: SerpentId, motion: Motion) -> Result<()> {
        let head = self.head(id)?;
        let (cohort, slot) = self.cohort_of(id)?;
        cohort.controls.head[slot] = head.into();
        let (state, lane) = self.state_of(id)?;
        state.motion[lane] = motion as u32;
        // A previewed path may have been moved anywhere.
        state.put(lane, flag::ASKS, true);
        Ok(())
    }

    /// What the creature really moved in this tick, in metres, and the forward direction that its travel is measured
    /// along (the effective heading it was given, as a rule). Several reports add up; the last forward counts. For an
    /// observed creature the report takes the place of the observation in this tick.
    ///
    /// # Errors
    /// [`Error::Value`] where the displacement is not finite or beyond 1e6 m, or the forward direction is none, or
    /// the creature moves itself; [`Error::Handle`].
    pub fn report_actual_displacement(
        &mut self,
        id: SerpentId,
        displacement: impl Into<Vec3>,
        forward: impl Into<Vec3>,
    ) -> Result<()> {
        let displacement = displacement.into();
        let largest = displacement.abs().max_element();
        check_range("displacement", if displacement.is_nan() { f32::NAN } else { largest }, 0.0, MAX_DISPLACEMENT_M)?;
        let forward = check_direction("forward", forward.into().into())?;
        let motion = self.motion(id)?;
        if matches!(motion, Motion::Driven | Motion::Preview) {
            return Err(Error::value("motion", format!("{motion:?}"), "Observed or Reported, to take a report"));
        }
        let (cohort, slot) = self.cohort_of(id)?;
        let sum = &mut cohort.controls.displacement[slot];
        *sum = (Vec3::from(*sum) + displacement).into();
        let (state, lane) = self.state_of(id)?;
        set_lane3(&mut state.forward, lane, forward);
        state.put(lane, flag::REPORTED | flag::FORWARD, true);
        Ok(())
    }

    /// Where the caller's own controller has the head of an observed creature: world position in metres, and the
    /// direction it faces. That is its heading where head guidance is off; where it is on, guidance alone turns the heading.
    ///
    /// # Errors
    /// [`Error::Value`] where the position is not finite or beyond 1e7 m, or the direction is none; [`Error::Handle`].
    pub fn set_head_transform(
        &mut self,
        id: SerpentId,
        position: impl Into<DVec3>,
        forward: impl Into<Vec3>,
    ) -> Result<()> {
        let position: [f64; 3] = position.into().into();
        check_position("head", position)?;
        let forward = check_direction("forward", forward.into().into())?;
        let (cohort, slot) = self.cohort_of(id)?;
        cohort.controls.head[slot] = position;
        let (state, lane) = self.state_of(id)?;
        if !state.has(lane, flag::GUIDED) {
            set_lane3(&mut state.forward, lane, forward);
            state.put(lane, flag::FORWARD, true);
            let (cohort, slot) = self.cohort_of(id)?;
            cohort.controls.guidance[slot] = forward;
        }
        Ok(())
    }

    /// Size that the creature grows to, 0.05 to 20, at a quarter of its size a second. The phase does not move.
    ///
    /// # Errors
    /// [`Error::Value`]; [`Error::Handle`].
    pub fn set_scale(&mut self, id: SerpentId, scale: f32) -> Result<()> {
        check_range("scale", scale, SCALE_RANGE[0], SCALE_RANGE[1])?;
        let (state, lane) = self.state_of(id)?;
        state.target_scale[lane] = scale;
        Ok(())
    }

    /// Highest turn rate of its centre heading, in radians a second.
    ///
    /// # Errors
    /// [`Error::Value`] outside 0 to 1000; [`Error::Handle`].
    pub fn set_turn_rate(&mut self, id: SerpentId, radians_s: f32) -> Result<()> {
        check_range("turn rate", radians_s, 0.0, 1000.0)?;
        let (state, lane) = self.state_of(id)?;
        state.turn_rate[lane] = radians_s;
        Ok(())
    }

    /// Amplitude of the gait's yaw, in radians.
    ///
    /// # Errors
    /// [`Error::Value`] outside 0 to 1.4 (80 degrees); [`Error::Handle`].
    pub fn set_amplitude(&mut self, id: SerpentId, radians: f32) -> Result<()> {
        check_range("amplitude", radians, 0.0, 1.4)?;
        let (state, lane) = self.state_of(id)?;
        state.amplitude[lane] = radians;
        Ok(())
    }

    /// Factor on the time that passes for it.
    ///
    /// # Errors
    /// [`Error::Value`] outside 0 to 10; [`Error::Handle`].
    pub fn set_time_scale(&mut self, id: SerpentId, factor: f32) -> Result<()> {
        check_range("time scale", factor, 0.0, 10.0)?;
        let (state, lane) = self.state_of(id)?;
        state.time_scale[lane] = factor;
        Ok(())
    }

    /// Pauses it: its pose keeps every bit. Reports made meanwhile wait, and are taken when it goes on.
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn set_paused(&mut self, id: SerpentId, paused: bool) -> Result<()> {
        let (state, lane) = self.state_of(id)?;
        state.put(lane, flag::PAUSED, paused);
        Ok(())
    }

    /// Its mask: see [`set_active_mask`](Self::set_active_mask).
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn set_mask(&mut self, id: SerpentId, mask: u32) -> Result<()> {
        let (state, lane) = self.state_of(id)?;
        state.mask[lane] = mask;
        Ok(())
    }

    /// Only creatures whose mask shares a bit with this one advance; the others rest as if paused. All bits by default.
    pub fn set_active_mask(&mut self, mask: u32) {
        self.active_mask = mask;
    }

    /// Turns head guidance on or off. Off: neither turn limit nor yaw; the path is the achieved movement, and the
    /// heading is the guidance direction itself.
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn set_head_guided(&mut self, id: SerpentId, guided: bool) -> Result<()> {
        let (state, lane) = self.state_of(id)?;
        state.put(lane, flag::GUIDED, guided);
        Ok(())
    }

    /// Which head guides. The path belongs to the Body front, so the body stays as it lies.
    ///
    /// # Errors
    /// [`Error::Value`] where the profile has no such head; [`Error::Handle`].
    pub fn set_guiding_head(&mut self, id: SerpentId, head: usize) -> Result<()> {
        let heads = self.cohort_of(id)?.0.shape.heads;
        check_head(head, heads)?;
        let (state, lane) = self.state_of(id)?;
        state.guide[lane] = head as u32;
        Ok(())
    }

    /// Opening of a head's lower jaw, in radians, limited to the profile's largest. It never reaches guidance.
    ///
    /// # Errors
    /// [`Error::Value`] where there is no such head or the angle is not 0 to pi; [`Error::Handle`].
    pub fn set_jaw(&mut self, id: SerpentId, head: usize, radians: f32) -> Result<()> {
        check_range("jaw", radians, 0.0, std::f32::consts::PI)?;
        let (cohort, slot) = self.cohort_of(id)?;
        check_head(head, cohort.shape.heads)?;
        let most = cohort.profile.heads()[head].max_jaw_rad;
        let input = &mut cohort.head_inputs[slot / LANES * cohort.shape.heads + head];
        input.jaw[slot % LANES] = if radians < most { radians } else { most };
        Ok(())
    }

    /// Gaze of a head relative to its own forward: to the left and upward, in radians. It never reaches guidance.
    ///
    /// # Errors
    /// [`Error::Value`] where there is no such head or an angle is beyond pi; [`Error::Handle`].
    pub fn set_gaze(&mut self, id: SerpentId, head: usize, yaw: f32, pitch: f32) -> Result<()> {
        let pi = std::f32::consts::PI;
        check_range("gaze yaw", yaw, -pi, pi)?;
        check_range("gaze pitch", pitch, -pi, pi)?;
        let (cohort, slot) = self.cohort_of(id)?;
        check_head(head, cohort.shape.heads)?;
        let input = &mut cohort.head_inputs[slot / LANES * cohort.shape.heads + head];
        (input.gaze_yaw[slot % LANES], input.gaze_pitch[slot % LANES]) = (yaw, pitch);
        Ok(())
    }

    /// Lets a quarantined creature back into the tick, with the control that was not finite cleared. Any other creature
    /// stays as it is.
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn release(&mut self, id: SerpentId) -> Result<()> {
        let (fault, head) = (self.quarantine(id)?, self.head(id)?);
        let Some(fault) = fault else { return Ok(()) };
        let (cohort, slot) = self.cohort_of(id)?;
        match fault {
            Fault::Guidance => cohort.controls.guidance[slot] = [0.0; 3],
            Fault::Speed => cohort.controls.speed[slot] = 0.0,
            Fault::Displacement => cohort.controls.displacement[slot] = [0.0; 3],
            Fault::Head => cohort.controls.head[slot] = head.into(),
        }
        let (state, lane) = self.state_of(id)?;
        state.put(lane, flag::QUARANTINED | flag::KNOWN | Fault::mask(), false);
        Ok(())
    }

    /// Keeps another tag beside the creature.
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn set_tag(&mut self, id: SerpentId, tag: u64) -> Result<()> {
        let (cohort, slot) = self.cohort_of(id)?;
        cohort.tags[slot] = tag;
        Ok(())
    }
}

fn check_head(head: usize, heads: usize) -> Result<()> {
    if head < heads { Ok(()) } else { Err(Error::value("head", head, &format!("below {heads}"))) }
}
