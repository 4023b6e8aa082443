//! Creatures put into the world between ticks: spawned, teleported, moved to another tier. Their history is seeded and
//! their joints are posed by the tick's own stages, so that what can be read right after is what a tick would show.

use crate::batch::{
    BlockState, Cohort, Motion, Place, Seed, SerpentBatch, SerpentId, Spawn, check_direction, check_position, flag,
    lane3, perpendicular, resample_lane, resize_lane, seed_lane, set_lane3,
};
use crate::error::Result;
use crate::lanes::Isa;
use crate::profile::Quality;
use crate::stages::{body, bound, guard, travel, undulate};
use crate::terrain::{Terrain, Walls};
use glam::{DVec3, Vec3};

impl SerpentBatch {
    /// Puts a creature into the world. It can be read at once; its pose rows come with the next tick.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) where the spawn is out of range; [`Error::Turn`](crate::Error::Turn)
    /// between `begin` and `finish`. Nothing is changed then.
    pub fn spawn(&mut self, spawn: Spawn) -> Result<SerpentId> {
        self.spawn_many(std::slice::from_ref(&spawn)).map(|ids| ids[0])
    }

    /// Puts creatures into the world, all or, where one of them is refused, none.
    ///
    /// # Errors
    /// As of [`spawn`](Self::spawn).
    pub fn spawn_many(&mut self, spawns: &[Spawn]) -> Result<Vec<SerpentId>> {
        self.require_closed("spawn")?;
        let mut checked = Vec::with_capacity(spawns.len());
        for spawn in spawns {
            self.profile(spawn.profile)?;
            checked.push(spawn.checked()?);
        }
        let mut ids = Vec::with_capacity(spawns.len());
        let mut touched = Vec::new();
        for (spawn, (facing, up)) in spawns.iter().zip(checked) {
            let cohort = self.cohort_index(spawn.profile, spawn.quality)?;
            let place = self.take_slot(cohort, spawn.tag);
            self.set_up(place, spawn, facing, up);
            touched.push((place.cohort, place.block()));
            ids.push(self.cohorts[cohort].ids[place.slot as usize]);
        }
        touched.dedup();
        for (cohort, block) in touched {
            pose_block(&mut self.cohorts[cohort as usize], block, self.isa, &self.terrain);
        }
        for &id in &ids {
            let place = self.place(id)?;
            forget_previous(&mut self.cohorts[place.cohort as usize], place);
        }
        Ok(ids)
    }

    fn take_slot(&mut self, cohort: usize, tag: u64) -> Place {
        let mut place = Place { cohort: cohort as u32, slot: self.cohorts[cohort].len() as u32 };
        let id = self.handles.insert(place);
        place.slot = self.cohorts[cohort].push(id, tag) as u32;
        self.pose_map.outdated = true;
        place
    }

    fn set_up(&mut self, place: Place, spawn: &Spawn, facing: [f32; 3], up: [f32; 3]) {
        let (slot, lane) = (place.slot as usize, place.lane());
        let cohort = &mut self.cohorts[place.cohort as usize];
        cohort.controls.guidance[slot] = facing;
        cohort.controls.speed[slot] = spawn.speed.unwrap_or_else(|| match spawn.motion {
            Motion::Driven => cohort.profile.speed_m_s() * spawn.scale,
            Motion::Preview => cohort.profile.speed_m_s() / cohort.profile.length_m(),
            Motion::Observed | Motion::Reported => 0.0,
        });
        cohort.controls.displacement[slot] = [0.0; 3];
        let profile = cohort.profile.clone();
        let state = &mut cohort.blocks[place.block()];
        state.flags[lane] = flag::LIVE;
        state.put(lane, flag::GUIDED, profile.head_guided());
        state.put(lane, flag::FOLLOWS, profile.follow_ground());
        state.motion[lane] = spawn.motion as u32;
        state.mask[lane] = spawn.mask;
        (state.guide[lane], state.time_scale[lane]) = (0, 1.0);
        (state.scale[lane], state.target_scale[lane]) = (spawn.scale, spawn.scale);
        state.turn_rate[lane] = profile.max_turn_speed_rad_s();
        state.amplitude[lane] = profile.steering_amplitude_rad();
        let seed = if spawn.path.is_empty() { Seed::Straight } else { Seed::Path(&spawn.path) };
        self.stand(place, spawn.position, facing, up, &seed);
    }

    /// Puts a lane at a world position with this facing and up, and seeds its history.
    fn stand(&mut self, place: Place, position: DVec3, facing: [f32; 3], up: [f32; 3], seed: &Seed<'_>) {
        let (slot, lane) = (place.slot as usize, place.lane());
        let cohort = &mut self.cohorts[place.cohort as usize];
        let mut block = cohort.block_mut(place.block());
        resize_lane(block.state, lane, block.profile, block.shape, true);
        let radius = block.profile.radius_m()[0] * block.state.scale[lane];
        let follower = block.state.has(lane, flag::FOLLOWS) && block.state.motion[lane] == Motion::Driven as u32;
        let ground = follower.then(|| ground_at(&self.terrain, position, radius)).flatten();
        let (position, up) = ground.map_or((position, up), |(on_ground, normal)| (on_ground, normal));
        let facing = if ground.is_some() { perpendicular(facing, up) } else { facing };
        let up = perpendicular(up, facing);
        let state = &mut *block.state;
        for c in 0..3 {
            (state.origin[c][lane], state.head[c][lane]) = (position[c], 0.0);
        }
        for field in [
            &mut state.target,
            &mut state.center_before,
            &mut state.center,
            &mut state.effective,
            &mut state.effective_before,
            &mut state.forward,
        ] {
            set_lane3(field, lane, facing);
        }
        set_lane3(&mut state.dorsal, lane, up);
        let normal = ground.map(|_| up).or_else(|| stands_on(&self.terrain, state, lane, position, radius));
        set_lane3(&mut state.ground, lane, normal.unwrap_or([0.0; 3]));
        state.put(lane, flag::GROUNDED, normal.is_some());
        (state.phase[lane], state.wave_phase[lane]) = (0, 0);
        state.fall_speed[lane] = 0.0;
        state.put(lane, flag::FALLS, false);
        // Only who is driven follows the ground: for others the path is what the caller says.
        let terrain = if follower { &self.terrain } else { &Terrain::None };
        seed_lane(&mut block, lane, terrain, seed);
        cohort.controls.head[slot] = position.into();
    }

    /// Puts a creature elsewhere: its path is cleared and lies straight behind the new facing, its gait starts anew,
    /// its guidance is the new facing, and no pose lies between.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) where the position is not finite or beyond 1e7 m or the facing is none;
    /// [`Error::Turn`](crate::Error::Turn) between `begin` and `finish`; [`Error::Handle`](crate::Error::Handle).
    pub fn teleport(&mut self, id: SerpentId, position: impl Into<DVec3>, facing: impl Into<Vec3>) -> Result<()> {
        self.require_closed("teleport")?;
        let position = position.into();
        check_position("position", position.into())?;
        let facing = check_direction("facing", facing.into().into())?;
        let place = self.place(id)?;
        self.cohorts[place.cohort as usize].controls.guidance[place.slot as usize] = facing;
        self.stand_anew(place, position, facing);
        Ok(())
    }

    /// Clears the path and lays it straight behind the centre heading. An observed creature is taken to be where its
    /// transform was last set: for a caller that moved the transform itself.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) where an observed position is not finite; [`Error::Turn`](crate::Error::Turn)
    /// between `begin` and `finish`; [`Error::Handle`](crate::Error::Handle).
    pub fn reset_motion_tracking(&mut self, id: SerpentId) -> Result<()> {
        self.require_closed("reset_motion_tracking")?;
        let (place, motion, head) = (self.place(id)?, self.motion(id)?, self.head(id)?);
        let cohort = &self.cohorts[place.cohort as usize];
        let observed = cohort.controls.head[place.slot as usize];
        let facing = lane3(&cohort.blocks[place.block()].center, place.lane());
        let position = if motion == Motion::Observed { observed } else { head.into() };
        check_position("head", position)?;
        self.stand_anew(place, position.into(), facing);
        Ok(())
    }

    fn stand_anew(&mut self, place: Place, position: DVec3, facing: [f32; 3]) {
        let up = lane3(&self.cohorts[place.cohort as usize].blocks[place.block()].dorsal, place.lane());
        self.stand(place, position, facing, up, &Seed::Straight);
        let cohort = &mut self.cohorts[place.cohort as usize];
        pose_block(cohort, place.block(), self.isa, &self.terrain);
        forget_previous(cohort, place);
    }

    /// Moves a creature to another quality tier. Its path, phases and settings go with it.
    ///
    /// # Errors
    /// [`Error::Turn`](crate::Error::Turn) between `begin` and `finish`; [`Error::Handle`](crate::Error::Handle).
    pub fn set_quality(&mut self, id: SerpentId, quality: Quality) -> Result<()> {
        self.require_closed("set_quality")?;
        let old = self.place(id)?;
        let from = old.cohort as usize;
        if self.cohorts[from].quality() == quality {
            return Ok(());
        }
        let profile = self.profile_id(self.cohorts[from].profile_index);
        let to = self.cohort_index(profile, quality)?;
        let tag = self.cohorts[from].tags[old.slot as usize];
        let slot = self.cohorts[to].push(id, tag) as u32;
        let place = Place { cohort: to as u32, slot };
        let [source, target] = if from < to {
            let (a, b) = self.cohorts.split_at_mut(to);
            [&mut a[from], &mut b[0]]
        } else {
            let (a, b) = self.cohorts.split_at_mut(from);
            [&mut b[0], &mut a[to]]
        };
        carry_over(source, old, target, place);
        pose_block(target, place.block(), self.isa, &self.terrain);
        self.handles.move_to(id, place);
        self.vacate(old);
        Ok(())
    }
}

/// Where a head of this radius stands on the ground below or above a position, and the normal there.
fn ground_at(terrain: &Terrain, position: DVec3, radius: f32) -> Option<(DVec3, [f32; 3])> {
    // Of several floors the one that it is put over; where it is under all, the highest.
    let under = terrain.sample_under(position.x, position.y + f64::from(radius), position.z);
    let sample = under.or_else(|| terrain.sample(position.x, position.z))?;
    let height = terrain.rest_on(sample.footing, position.x, position.z, radius, Walls::Lean);
    Some((DVec3::new(position.x, height, position.z), sample.normal))
}

/// The normal of the ground that a creature which its caller moves stands on, if it does.
fn stands_on(terrain: &Terrain, state: &BlockState, lane: usize, position: DVec3, radius: f32) -> Option<[f32; 3]> {
    let sample = terrain.sample_under(position.x, position.y + f64::from(radius), position.z)?;
    let near = travel::near_ground(position.y - sample.height_m, radius, sample.normal[1]);
    let walks = state.has(lane, flag::FOLLOWS) && state.motion[lane] != Motion::Preview as u32;
    (near && walks).then_some(sample.normal)
}

/// Poses a block outside the tick. The joints are a function of heads, knots, phases and the ground, so that those of
/// creatures which did not change come out as they were, bit for bit.
fn pose_block(cohort: &mut Cohort, block: usize, isa: Isa, terrain: &Terrain) {
    let mut block = cohort.block_mut(block);
    body::march_joints(isa, &mut block, None, [&[]; 2]);
    undulate::wave(isa, &mut block);
    guard::push_out(isa, &mut block, terrain, &mut guard::Work::new());
    bound::boxes(isa, &mut block);
}

/// Makes the previous pose the present one: nothing lies between.
fn forget_previous(cohort: &mut Cohort, place: Place) {
    let (lane, joints) = (place.lane(), cohort.shape().joints);
    let state = &mut cohort.blocks[place.block()];
    state.previous_origin.iter_mut().zip(&state.origin).for_each(|(before, now)| before[lane] = now[lane]);
    let (first, second) = cohort.joints.split_at_mut(1);
    let (now, before) = if cohort.now == 0 { (&first[0], &mut second[0]) } else { (&second[0], &mut first[0]) };
    for joint in place.block() * joints..(place.block() + 1) * joints {
        for component in 0..4 {
            before[joint][component][lane] = now[joint][component][lane];
        }
    }
}

/// Copies a creature into a cohort of the same profile and another tier; the history is laid anew where the spacing differs.
fn carry_over(source: &mut Cohort, old: Place, target: &mut Cohort, place: Place) {
    let (from, to) = (old.slot as usize, place.slot as usize);
    target.blocks[place.block()].copy_lane(place.lane(), &source.blocks[old.block()], old.lane());
    target.controls.guidance[to] = source.controls.guidance[from];
    target.controls.speed[to] = source.controls.speed[from];
    target.controls.displacement[to] = source.controls.displacement[from];
    target.controls.head[to] = source.controls.head[from];
    let (heads, joints) = (source.shape().heads, source.shape().joints);
    for head in 0..heads {
        let input = source.head_inputs[old.block() * heads + head];
        let output = &mut target.head_inputs[place.block() * heads + head];
        output.jaw[place.lane()] = input.jaw[old.lane()];
        output.gaze_yaw[place.lane()] = input.gaze_yaw[old.lane()];
        output.gaze_pitch[place.lane()] = input.gaze_pitch[old.lane()];
    }
    let before = (&source.joints[1 - source.now], &mut target.joints[1 - target.now]);
    for joint in 0..joints {
        for component in 0..4 {
            let value = before.0[old.block() * joints + joint][component][old.lane()];
            before.1[place.block() * joints + joint][component][place.lane()] = value;
        }
    }
    let count = source.shape().ring_rows();
    let ring = &source.knots[from * count..(from + 1) * count];
    let (lane, cursor) = (place.lane(), source.blocks[old.block()].cursor[old.lane()]);
    let mut block = target.block_mut(place.block());
    if block.shape.knots_per_segment == source.shape.knots_per_segment {
        block.shape.ring_of(block.knots, lane).copy_from_slice(ring);
        let (falls, to) = (block.shape.falls, lane * block.shape.falls);
        block.falls[to..to + falls].copy_from_slice(&source.falls[from * falls..(from + 1) * falls]);
        return;
    }
    resize_lane(block.state, lane, block.profile, block.shape, true);
    let falls = &source.falls[from * source.shape.falls..(from + 1) * source.shape.falls];
    resample_lane(&mut block, lane, ring, falls, cursor);
}
