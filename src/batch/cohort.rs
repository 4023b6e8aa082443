//! All creatures of one profile and tier: contiguous buffers in blocks of eight lanes.

use super::controls::Controls;
use super::state::BlockState;
use super::{Motion, SerpentId, flag};
use crate::lanes::{LANES, Lane8, Row4};
use crate::profile::{Profile, Quality, Tier};
use crate::terrain::{Terrain, Walls};
use std::sync::Arc;

/// A joint of each creature of a block: x, y, z relative to the creature's origin, and the packed dorsal direction.
pub type JointLanes = [Lane8; 4];

/// Drawing and sweep inputs of one head of each creature of a block, in radians. They never reach guidance.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadLanes {
    /// Opening of the lower jaw.
    pub jaw: Lane8,
    /// Gaze to the left, about the dorsal axis.
    pub gaze_yaw: Lane8,
    /// Gaze upward.
    pub gaze_pitch: Lane8,
}

/// Counts that every creature of a cohort shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Joints of a body.
    pub joints: usize,
    /// Heads.
    pub heads: usize,
    /// Knots of the path history, the pen's included: a power of two.
    pub knots: usize,
    /// Knots per segment length.
    pub knots_per_segment: usize,
    /// Rows that settling keeps of a creature: one a knot where the body follows the ground, else none.
    pub falls: usize,
}

impl Shape {
    pub(crate) fn new(profile: &Profile, tier: &Tier) -> Self {
        let knots_per_segment = tier.knots_per_segment();
        // The body, as much again for backing up, and the ends; growth up to the next resampling fits in the reserve.
        let needed = 2 * (profile.joints() - 1) * knots_per_segment + 4;
        let knots = needed.next_power_of_two();
        let falls = if profile.ground().body_follow { knots } else { 0 };
        Self { joints: profile.joints(), heads: profile.heads().len(), knots, knots_per_segment, falls }
    }

    /// Pose rows of a creature: its joints, then a row for each head and one for its jaw.
    pub fn rows(&self) -> usize {
        self.joints + 2 * self.heads
    }

    /// Rows of a creature's ring: its knots, and a copy of row 0.
    #[inline(always)]
    pub fn ring_rows(&self) -> usize {
        self.knots + 1
    }

    /// The ring of a lane, out of its block's.
    #[inline(always)]
    pub(crate) fn ring_of<'a>(&self, knots: &'a mut [Row4], lane: usize) -> &'a mut [Row4] {
        &mut knots[lane * self.ring_rows()..(lane + 1) * self.ring_rows()]
    }

    /// Ring index of the knot `back` places behind the pen.
    #[inline(always)]
    pub fn ring(&self, cursor: u32, back: u32) -> usize {
        cursor.wrapping_sub(back) as usize & (self.knots - 1)
    }
}

/// Writes row `index` of a ring, and its copy where it has one.
#[inline(always)]
pub(crate) fn put_row(ring: &mut [Row4], index: usize, row: Row4) {
    ring[index] = row;
    if index == 0 {
        ring[ring.len() - 1] = row;
    }
}

/// What settling keeps of a knot that nobody has asked for yet; see the `settle` stage.
pub(crate) const NEW_FALL: Row4 = [f32::MAX, 0.0, 0.0, 0.0];

/// The gap of a knot with no ground in reach.
pub(crate) const ASKED_FALL: f32 = -f32::MAX;

/// Raises a head of this radius that is in the ground to where it stands on it.
fn lift_out(state: &mut BlockState, lane: usize, terrain: &Terrain, radius: f32) {
    let at: [f64; 3] = std::array::from_fn(|c| state.origin[c][lane] + state.head[c][lane]);
    let Some(ground) = terrain.sample_under(at[0], at[1] + f64::from(radius), at[2]) else { return };
    let rise = terrain.rest_on(ground.footing, at[0], at[2], radius, Walls::Lean) - at[1];
    if rise > 0.0 {
        state.head[1][lane] += rise;
    }
}

/// What it keeps of a knot that was laid on the ground: no gap, the normal straight up.
pub(crate) fn walked_fall() -> Row4 {
    [0.0, 0.0, 0.0, super::pack_direction([0.0, 1.0, 0.0])]
}

/// Forgets what a lane's knots have fallen: they lie where they are.
pub(crate) fn renew_falls(block: &mut BlockMut<'_>, lane: usize) {
    let falls = block.shape.falls;
    block.falls[lane * falls..(lane + 1) * falls].fill(NEW_FALL);
    block.state.walked[lane] = 0;
    block.state.put(lane, super::flag::STILL | super::flag::ASKS, false);
    block.state.put(lane, super::flag::HANGS, falls > 0);
}

/// See the module.
#[derive(Debug)]
pub struct Cohort {
    pub(crate) shape: Shape,
    pub(crate) profile_index: u32,
    pub(crate) profile: Arc<Profile>,
    pub(crate) quality: Quality,
    pub(crate) blocks: Vec<BlockState>,
    pub(crate) controls: Controls,
    /// Creature-major rings, `shape.ring_rows()` rows each: x, y, z relative to the origin, and the packed dorsal. A knot
    /// is written once and gathered once per joint and tick, by eight creatures at different ring positions: as a 16-byte
    /// row beside the next newer one, both ends of a link are one 32-byte load a creature, and a transpose.
    pub(crate) knots: Vec<Row4>,
    /// Creature-major as the rings, `shape.falls` rows each: gap, drop, velocity and packed ground normal of each knot. See
    /// the `settle` stage.
    pub(crate) falls: Vec<Row4>,
    /// `[block][joint]`; `now` names the current of the two, the other is the previous tick's.
    pub(crate) joints: [Vec<JointLanes>; 2],
    pub(crate) now: usize,
    /// `[block][head]`.
    pub(crate) head_inputs: Vec<HeadLanes>,
    pub(crate) ids: Vec<SerpentId>,
    pub(crate) tags: Vec<u64>,
}

/// One block of a cohort, as the stages see it.
pub(crate) struct BlockMut<'a> {
    pub shape: &'a Shape,
    pub profile: &'a Profile,
    pub state: &'a mut BlockState,
    pub guidance: &'a mut [[f32; 3]],
    pub speed: &'a [f32],
    pub displacement: &'a mut [[f32; 3]],
    pub observed: &'a [[f64; 3]],
    pub knots: &'a mut [Row4],
    pub falls: &'a mut [Row4],
    pub joints: &'a mut [JointLanes],
    pub head_inputs: &'a [HeadLanes],
}

impl Cohort {
    pub(crate) fn new(profile_index: u32, profile: Arc<Profile>, quality: Quality, tier: &Tier) -> Self {
        Self {
            shape: Shape::new(&profile, tier),
            profile_index,
            profile,
            quality,
            blocks: Vec::new(),
            controls: Controls::default(),
            knots: Vec::new(),
            falls: Vec::new(),
            joints: [Vec::new(), Vec::new()],
            now: 0,
            head_inputs: Vec::new(),
            ids: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Creatures.
    pub fn len(&self) -> usize {
        self.ids.len()
    }
    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
    /// The counts that its creatures share.
    pub fn shape(&self) -> Shape {
        self.shape
    }
    /// Its quality tier.
    pub fn quality(&self) -> Quality {
        self.quality
    }
    /// Its profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
    /// Handle of the creature in each slot.
    pub fn ids(&self) -> &[SerpentId] {
        &self.ids
    }
    /// State of creature `slot`: block slot / 8, lane slot % 8.
    pub fn blocks(&self) -> &[BlockState] {
        &self.blocks
    }
    /// Path histories: creature `slot` has rows `slot * shape.ring_rows() ..`, a ring of `shape.knots` rows whose pen lies
    /// at `cursor` modulo that and whose older knots lie below it, then a copy of its row 0.
    pub fn knots(&self) -> &[Row4] {
        &self.knots
    }
    /// What has fallen: creature `slot` has rows `slot * shape.falls ..`, in the order of its ring without the copy: gap to
    /// the ground from where the knot was laid, drop so far (both in metres), velocity downward in m/s, packed ground normal.
    /// The rows of its newest `walked` knots are not written: they lie on the ground.
    pub fn falls(&self) -> &[Row4] {
        &self.falls
    }
    /// Joints: element `block * shape.joints + joint` holds x, y, z and packed dorsal of eight creatures.
    pub fn joints(&self) -> &[JointLanes] {
        &self.joints[self.now]
    }
    /// The previous tick's joints, relative to each creature's `previous_origin`.
    pub fn previous_joints(&self) -> &[JointLanes] {
        &self.joints[1 - self.now]
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        let creatures = self.len() + additional;
        let blocks = creatures.div_ceil(LANES).saturating_sub(self.blocks.len());
        self.blocks.reserve(blocks);
        self.knots.reserve(blocks * LANES * self.shape.ring_rows());
        self.falls.reserve(blocks * LANES * self.shape.falls);
        self.joints.iter_mut().for_each(|joints| joints.reserve(blocks * self.shape.joints));
        self.head_inputs.reserve(blocks * self.shape.heads);
        self.controls.reserve(blocks * LANES);
        self.ids.reserve(additional);
        self.tags.reserve(additional);
    }

    /// Adds a slot at the end, with a harmless state.
    pub(crate) fn push(&mut self, id: SerpentId, tag: u64) -> usize {
        let slot = self.ids.len();
        self.ids.push(id);
        self.tags.push(tag);
        if self.ids.len() > self.blocks.len() * LANES {
            self.push_block();
        }
        slot
    }

    fn push_block(&mut self) {
        self.blocks.push(BlockState::empty());
        self.controls.resize(self.blocks.len() * LANES);
        let up = crate::batch::pack_direction([0.0, 1.0, 0.0]);
        for _ in 0..LANES {
            // A straight path, so that a lane without a creature costs the march no more than one with.
            self.knots.extend((0..self.shape.ring_rows()).map(|i| {
                let back = (2 * self.shape.knots - i) % self.shape.knots;
                [0.0, 0.0, back as f32, up]
            }));
        }
        self.falls.resize(self.falls.len() + LANES * self.shape.falls, NEW_FALL);
        for joints in &mut self.joints {
            joints.resize(joints.len() + self.shape.joints, [[0.0; LANES]; 4]);
        }
        self.head_inputs.resize(self.head_inputs.len() + self.shape.heads, HeadLanes::default());
    }

    /// Makes slot `to` a copy of slot `from`, its handle and tag included.
    pub(crate) fn copy_slot(&mut self, to: usize, from: usize) {
        let source = self.blocks[from / LANES].clone();
        self.blocks[to / LANES].copy_lane(to % LANES, &source, from % LANES);
        self.controls.copy(to, from);
        let knots = self.shape.ring_rows();
        self.knots.copy_within(from * knots..(from + 1) * knots, to * knots);
        let falls = self.shape.falls;
        self.falls.copy_within(from * falls..(from + 1) * falls, to * falls);
        let (heads, count) = (self.shape.heads, self.shape.joints);
        for joints in &mut self.joints {
            for joint in 0..count {
                for component in 0..4 {
                    let value = joints[from / LANES * count + joint][component][from % LANES];
                    joints[to / LANES * count + joint][component][to % LANES] = value;
                }
            }
        }
        for head in 0..heads {
            let source = self.head_inputs[from / LANES * heads + head];
            let target = &mut self.head_inputs[to / LANES * heads + head];
            target.jaw[to % LANES] = source.jaw[from % LANES];
            target.gaze_yaw[to % LANES] = source.gaze_yaw[from % LANES];
            target.gaze_pitch[to % LANES] = source.gaze_pitch[from % LANES];
        }
        self.ids[to] = self.ids[from];
        self.tags[to] = self.tags[from];
    }

    /// Meets other ground: heads that the batch keeps on it come out of it, and what has settled is asked for anew.
    pub(crate) fn meet(&mut self, terrain: &Terrain) {
        let radius = self.profile.radius_m()[0];
        for state in &mut self.blocks {
            for lane in 0..LANES {
                state.put(lane, flag::ASKS, self.shape.falls > 0);
                if state.motion[lane] == Motion::Driven as u32 && state.has(lane, flag::FOLLOWS) {
                    lift_out(state, lane, terrain, radius * state.scale[lane]);
                }
            }
        }
    }

    /// Takes the last creature's slot away. Blocks that become empty are given up, their capacity is kept.
    pub(crate) fn pop(&mut self) {
        self.ids.pop();
        self.tags.pop();
        let slot = self.ids.len();
        if let Some(block) = self.blocks.get_mut(slot / LANES) {
            block.flags[slot % LANES] = 0;
        }
        if slot.is_multiple_of(LANES) {
            self.truncate_blocks(slot / LANES);
        }
    }

    pub(crate) fn truncate_blocks(&mut self, blocks: usize) {
        self.blocks.truncate(blocks);
        self.controls.resize(blocks * LANES);
        self.knots.truncate(blocks * LANES * self.shape.ring_rows());
        self.falls.truncate(blocks * LANES * self.shape.falls);
        for joints in &mut self.joints {
            joints.truncate(blocks * self.shape.joints);
        }
        self.head_inputs.truncate(blocks * self.shape.heads);
    }

    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.tags.clear();
        self.truncate_blocks(0);
    }

    /// The block of index `block`, for work outside the tick.
    pub(crate) fn block_mut(&mut self, block: usize) -> BlockMut<'_> {
        let slots = block * LANES..(block + 1) * LANES;
        let (knots, joints, heads) = (self.shape.ring_rows(), self.shape.joints, self.shape.heads);
        BlockMut {
            shape: &self.shape,
            profile: &self.profile,
            state: &mut self.blocks[block],
            guidance: &mut self.controls.guidance[slots.clone()],
            speed: &self.controls.speed[slots.clone()],
            displacement: &mut self.controls.displacement[slots.clone()],
            observed: &self.controls.head[slots.clone()],
            knots: &mut self.knots[slots.start * knots..slots.end * knots],
            falls: &mut self.falls[slots.start * self.shape.falls..slots.end * self.shape.falls],
            joints: &mut self.joints[self.now][block * joints..(block + 1) * joints],
            head_inputs: &self.head_inputs[block * heads..(block + 1) * heads],
        }
    }
}
