//! settle: lets the path sink onto the ground that it hangs over (Body Ground Follow).
//!
//! Reads knots, terrain. Writes how far each knot has fallen, its velocity, and its place in the path. Gravity acts on the
//! curve, not on the joints: a knot falls straight down from where the head laid it, so retained height stays in the world
//! while the body slides along the path, new travel brings its own height, and what gravity did is never pulled back up.
//! How sharply the fallen path may bend is limited in `bends`; the march then finds joints on it.
//! Source: the serpentine document, "Optional Body Ground Follow"; docs/derivations/settle.md.
//!
//! A knot is asked for its ground once, and again where the ground changed or the path was carried over it. Where all that
//! hangs has come to rest, the stage looks at new knots alone: that is nearly always. Parallel: its own lanes only.

mod bends;

use super::{Counters, Measures, Task, raise};
use crate::batch::{
    ASKED_FALL, BlockMut, BlockState, Motion, NEW_FALL, Shape, flag, lane3, pack_direction, put_row, set_lane3, snap,
    unpack_direction, walked_fall,
};
use crate::constants::{FOLD_ROUNDS, HELD_PER_S, RADIUS_STILL_SHARE, SETTLE_DORSAL_PER_S};
use crate::lanes::{LANES, Row4};
use crate::terrain::{GroundSample, Terrain, Walls};
use bends::{Bends, Limit};
use glam::Vec3;

/// What settling keeps of a knot: gap, drop, velocity, packed ground normal.
///
/// The gap is from where the knot was laid down to where it touches the ground, in metres: [`UNKNOWN`] before it was asked
/// for, [`NO_GROUND`] without ground in reach. The drop is how far it has fallen, in metres; the velocity is downward.
/// The knot itself is lower by the drop rounded to the creature's grid, so that a slow fall is not lost in rounding.
type Fall = Row4;

const UNKNOWN: f32 = NEW_FALL[0];
const NO_GROUND: f32 = ASKED_FALL;

/// Runs the stage on one block.
pub(crate) fn settle_paths(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    if block.shape.falls == 0 {
        return;
    }
    for lane in 0..LANES {
        let (laid, popped) = (scratch.laid[lane], scratch.popped[lane]);
        let state = &*block.state;
        if state.dt[lane] == 0.0 || !state.has(lane, flag::LIVE) {
            continue;
        }
        if popped == 0 && walks(state, lane) && !state.has(lane, flag::HANGS | flag::ASKS) {
            // Nearly always: rows that nobody looks at are not written, which would fetch memory for nothing else.
            let (walked, most) = (block.state.walked[lane].saturating_add(laid), block.shape.knots as u32);
            block.state.walked[lane] = if walked < most { walked } else { most };
            continue;
        }
        let renews = laid > 0 || popped > 0 || state.has(lane, flag::ASKS);
        if !renews && !state.has(lane, flag::HANGS) {
            continue;
        }
        let mut path = Path::of(block, context.terrain, lane);
        if renews {
            path.renew(laid, popped);
        }
        let state = &*path.state;
        let lies = state.motion[lane] != Motion::Preview as u32;
        let rests = state.has(lane, flag::STILL) && lane3(&state.displacement, lane) == [0.0; 3];
        if lies && state.has(lane, flag::HANGS) && !rests {
            scratch.settling.settle(&mut path, popped, &mut scratch.counters, &mut scratch.measures);
        }
    }
}

/// Whether the head stands on the ground that the batch keeps it on.
fn walks(state: &BlockState, lane: usize) -> bool {
    state.motion[lane] == Motion::Driven as u32 && state.has(lane, flag::GROUNDED)
}

/// The path of one creature.
struct Path<'a> {
    state: &'a mut BlockState,
    shape: &'a Shape,
    ring: &'a mut [Row4],
    falls: &'a mut [Fall],
    terrain: &'a Terrain,
    lane: usize,
    /// In metres, at the creature's scale.
    radius: f32,
    reach: f32,
    activation: f32,
    gravity: f32,
    max_speed: f32,
    /// Most bend between adjacent segments, in radians.
    bend: f32,
}

impl<'a> Path<'a> {
    fn of(block: &'a mut BlockMut<'_>, terrain: &'a Terrain, lane: usize) -> Self {
        let ground = block.profile.ground();
        let scale = block.state.scale[lane];
        let knots = block.shape.falls;
        Self {
            radius: block.profile.radius_m()[0] * scale,
            reach: ground.reach_m * scale,
            activation: ground.activation_m * scale,
            gravity: ground.gravity_m_s2,
            max_speed: ground.max_fall_speed_m_s,
            bend: ground.max_bend_rad,
            shape: block.shape,
            ring: block.shape.ring_of(block.knots, lane),
            falls: &mut block.falls[lane * knots..(lane + 1) * knots],
            state: block.state,
            terrain,
            lane,
        }
    }

    fn index(&self, back: usize) -> usize {
        self.shape.ring(self.state.cursor[self.lane], back as u32)
    }

    fn put(&mut self, bits: u32, on: bool) {
        self.state.put(self.lane, bits, on);
    }

    /// Forgets what rows held before they became new knots, and asks for the ground under those that the head laid.
    fn renew(&mut self, laid: u32, popped: u32) {
        let most = self.shape.knots - 1;
        let clamp = |count: u32| if (count as usize) < most { count as usize } else { most };
        let walked = std::mem::take(&mut self.state.walked[self.lane]).saturating_sub(popped);
        for back in 1..=clamp(walked) {
            let index = self.index(clamp(laid) + back);
            self.falls[index] = walked_fall();
        }
        for back in 0..clamp(popped) {
            let index = self.index(most - back);
            self.falls[index] = NEW_FALL;
        }
        self.put(flag::STILL, false);
        if self.state.motion[self.lane] == Motion::Preview as u32 {
            // The path passes a head that stays: where it lies in the world means nothing.
            self.falls.fill(NEW_FALL);
            self.put(flag::HANGS, true);
            return;
        }
        for back in 1..=clamp(laid) {
            let index = self.index(back);
            self.falls[index] = NEW_FALL;
            self.ask(back);
            if self.falls[index][0] > self.activation {
                self.put(flag::HANGS, true);
            }
        }
        if self.state.has(self.lane, flag::ASKS) {
            self.put(flag::ASKS, false);
            for back in 1..=most {
                if self.falls[self.index(back)][0] != UNKNOWN {
                    self.ask(back);
                }
            }
            self.put(flag::HANGS, true);
        }
        if popped > 0 {
            // The head now pulls at what has fallen, and the tail lies on knots that nobody has asked for.
            self.put(flag::HANGS, true);
        }
    }

    /// Asks for a knot's ground if nobody has. Such a knot, and one that `enters`, lay beyond the tail until the head backed
    /// up: it has fallen beside its neighbours, whose drops are `beside`, the nearer one first, and
    /// falls as fast as they do.
    fn learn(&mut self, back: usize, enters: bool, beside: [f32; 2]) {
        let index = self.index(back);
        let asked = self.falls[index][0] != UNKNOWN;
        if !asked {
            self.ask(back);
        }
        if asked && !enters {
            return;
        }
        let [gap, drop, _, normal] = self.falls[index];
        let more = beside[0] - beside[1];
        let most = beside[0] + if more > 0.0 { more } else { 0.0 };
        let [_, _, velocity, _] = self.falls[self.index(back - 1)];
        let (most, velocity) = if gap != NO_GROUND && gap < most { (gap, 0.0) } else { (most, velocity) };
        if most > drop {
            self.sink(index, most);
            self.falls[index] = [gap, most, velocity, normal];
        }
    }

    /// Puts a knot where it is after this drop.
    fn sink(&mut self, index: usize, drop: f32) {
        let cell = self.state.cell[self.lane];
        let [x, y, z, dorsal] = self.ring[index];
        put_row(self.ring, index, [x, y - (snap(drop, cell) - snap(self.falls[index][1], cell)), z, dorsal]);
    }

    /// Where a knot was laid.
    fn laid(&self, back: usize) -> [f32; 3] {
        let index = self.index(back);
        let [x, y, z, _] = self.ring[index];
        [x, y + snap(self.falls[index][1], self.state.cell[self.lane]), z]
    }

    /// Finds the ground under a knot.
    fn ask(&mut self, back: usize) {
        let index = self.index(back);
        let [_, drop, velocity, _] = self.falls[index];
        let state = &*self.state;
        if walks(state, self.lane) && back <= 2 && drop == 0.0 {
            // The head stood on the ground where it laid it.
            self.falls[index] = walked_fall();
            return;
        }
        let origin = lane3(&state.origin, self.lane);
        let [x, y, z] = self.laid(back);
        let laid = origin[1] + f64::from(y);
        // From the middle of the section as it lies: ground that the knot is half in counts as under it.
        let from = laid - f64::from(drop);
        let [x, z] = [origin[0] + f64::from(x), origin[2] + f64::from(z)];
        let found = self.terrain.sample_under(x, from, z);
        let touching = |sample: &GroundSample| {
            (laid - self.terrain.rest_on(sample.footing, x, z, self.radius, Walls::Lean)) as f32
        };
        self.falls[index] = match found {
            Some(sample) if touching(&sample) <= self.reach + drop => {
                [touching(&sample), drop, velocity, pack_direction(sample.normal)]
            }
            _ => [NO_GROUND, drop, 0.0, 0.0],
        };
    }
}

/// Working memory for one path at a time.
#[derive(Default)]
pub(crate) struct Settling {
    bends: Bends,
    /// How far each knot would fall by itself.
    wanted: Vec<f32>,
}

impl Settling {
    /// Room for the rings of a shape, so that growth allocates nothing later.
    pub(crate) fn reserve(&mut self, knots: usize) {
        self.bends.reserve(knots);
        crate::batch::reserve_total(&mut self.wanted, knots);
    }

    /// A tick of one path.
    fn settle(&mut self, path: &mut Path<'_>, popped: u32, counters: &mut Counters, measures: &mut Measures) {
        let (state, lane) = (&*path.state, path.lane);
        let per_segment = path.shape.knots_per_segment;
        let (segment, spacing) = (state.segment[lane], state.spacing[lane]);
        let limit = Limit { bend: path.bend, segment, per_segment, spacing };
        let front = Bends::front(per_segment);
        let mut pulls = popped > 0 || state.scale[lane] != state.history_scale[lane];
        self.read(path, popped as usize, pulls);
        self.bends.bound(&limit);
        if !pulls && self.bends.pulls(front) {
            pulls = true;
            self.read(path, 0, true);
            self.bends.bound(&limit);
        }
        if pulls {
            // Where bounds have changed, what has sunk may be more than they allow.
            self.bends.drop.clone_from(&self.bends.floor);
            self.bends.floor.fill(0.0);
            self.bends.limit(front);
            self.bends.floor.clone_from(&self.bends.drop);
        }
        self.fall(path, counters, measures);
        self.bends.limit(front);
        self.unfold(&limit, front);
        self.write(path, counters, measures);
    }

    /// Takes back what bends too much for another reason than the bend that is added: a fall shears steep bends.
    fn unfold(&mut self, limit: &Limit, front: usize) {
        let mut tries = FOLD_ROUNDS;
        while self.bends.folds && self.bends.hold_folds(limit) {
            if tries == 0 {
                self.bends.drop.clone_from(&self.bends.floor);
                return;
            }
            tries -= 1;
            self.bends.limit(front);
        }
    }

    /// Takes the path as it was laid, of as many knots as the body can lie on, and a segment more; or, if not `all` of them,
    /// as far as something hangs or falls, and what bends there depend on.
    fn read(&mut self, path: &mut Path<'_>, popped: usize, all: bool) {
        let (bends, lane) = (&mut self.bends, path.lane);
        let (k, spacing) = (path.shape.knots_per_segment, path.state.spacing[lane]);
        // Bounds of the last knot look this much further. No fallen path is shorter than it is in plan.
        let beyond = 2 * k;
        let most = path.shape.knots - 1 - beyond;
        let mut left = path.state.length[lane] + path.state.segment[lane];
        bends.clear();
        let mut window = 0;
        while window < most && (left > 0.0 || window < beyond + 2) {
            left -= bends.push(path.laid(window), spacing);
            window += 1;
        }
        for back in window..=window + beyond {
            bends.push(path.laid(back), spacing);
        }
        bends.floor.push(0.0);
        let mut last = Bends::front(k);
        for back in 1..=window {
            let beside = [bends.floor[back - 1], bends.floor[if back > 1 { back - 2 } else { 0 }]];
            path.learn(back, back + popped > window, beside);
            let [gap, drop, velocity, _] = path.falls[path.index(back)];
            bends.floor.push(drop);
            let excess = if gap > 0.0 { gap - drop } else { -drop };
            if gap != NO_GROUND && (excess > path.activation || excess < 0.0) || velocity > 0.0 {
                last = back;
            }
        }
        let count = if all { window } else { last + 2 * k };
        bends.truncate(count + 1, beyond);
    }

    /// Lets each knot fall for a tick by itself; no further than its ground.
    fn fall(&mut self, path: &mut Path<'_>, counters: &mut Counters, measures: &mut Measures) {
        let dt = path.state.dt[path.lane];
        let bends = &mut self.bends;
        bends.drop.clear();
        bends.drop.push(0.0);
        for back in 1..bends.floor.len() {
            let index = path.index(back);
            let [gap, _, velocity, _] = path.falls[index];
            let drop = bends.floor[back];
            bends.drop.push(drop);
            if gap == NO_GROUND {
                path.falls[index][2] = 0.0;
                continue;
            }
            counters.knots_supported += 1;
            let excess = if gap > 0.0 { gap - drop } else { -drop };
            raise(&mut measures.largest_target_m, excess);
            if excess <= 0.0 {
                // Ground that came up, or was there from the start.
                bends.drop[back] = drop + excess;
                bends.floor[back] = drop + excess;
                path.falls[index][2] = 0.0;
            } else if velocity > 0.0 || excess > path.activation {
                let free = velocity + path.gravity * dt;
                let faster = if free < path.max_speed { free } else { path.max_speed };
                let step = 0.5 * (velocity + faster) * dt;
                counters.knots_accelerating += u64::from(faster > velocity);
                let arrives = step >= excess;
                bends.drop[back] = if arrives { gap } else { drop + step };
                path.falls[index][2] = if arrives { 0.0 } else { faster };
            }
        }
        self.wanted.clone_from(&bends.drop);
    }

    /// Puts the knots where they have fallen to. The velocity of a knot that was held back
    /// goes over to what it really had, in a time that does not depend on the rate of ticks.
    fn write(&mut self, path: &mut Path<'_>, counters: &mut Counters, measures: &mut Measures) {
        let dt = path.state.dt[path.lane];
        let creep = RADIUS_STILL_SHARE * path.radius;
        let ease = if dt * HELD_PER_S < 1.0 { dt * HELD_PER_S } else { 1.0 };
        let (mut hangs, mut moves) = (false, false);
        for back in 1..self.bends.drop.len() {
            let index = path.index(back);
            let [gap, before, mut velocity, normal] = path.falls[index];
            let mut drop = self.bends.drop[back];
            if drop < self.wanted[back] {
                let sunk = drop - before;
                if sunk >= 0.0 && sunk < creep {
                    drop = before;
                }
                velocity += ((drop - before) / dt - velocity) * ease;
                velocity = if velocity > 0.0 { velocity } else { 0.0 };
            }
            raise(&mut measures.largest_fall_speed_m_s, velocity);
            raise(&mut measures.largest_step_m, drop - before);
            raise(&mut measures.largest_drop_m, drop);
            raise(&mut measures.largest_deviation_m, drop * self.bends.across(back));
            hangs |= gap != NO_GROUND && gap - drop > path.activation || velocity > 0.0;
            moves |= drop != before;
            if drop != before {
                counters.knots_descending += u64::from(drop > before);
                path.turn(back, drop - before, gap - before);
                path.sink(index, drop);
            }
            path.falls[index] = [gap, drop, velocity, normal];
        }
        counters.bodies_settled += u64::from(moves);
        path.put(flag::HANGS, hangs);
        path.put(flag::STILL, !moves);
        if !moves {
            // All of it is held: what comes free later starts from rest.
            path.falls.iter_mut().for_each(|fall| fall[2] = 0.0);
        }
    }
}

impl Path<'_> {
    /// Turns the dorsal direction of a knot that sinks by `step` of the `left` to its ground toward the ground's normal.
    fn turn(&mut self, back: usize, step: f32, left: f32) {
        if !(step > 0.0 && left > 0.0) {
            return;
        }
        let index = self.index(back);
        let [x, y, z, packed] = self.ring[index];
        if packed.to_bits() == self.falls[index][3].to_bits() {
            return;
        }
        let normal = Vec3::from(unpack_direction(self.falls[index][3]));
        let dorsal = Vec3::from(unpack_direction(packed));
        let most = SETTLE_DORSAL_PER_S * self.state.dt[self.lane];
        let share = step / left;
        let turned = dorsal + (normal - dorsal) * if share < most { share } else { most };
        let square = turned.length_squared();
        let dorsal = if square > 0.25 { turned / square.sqrt() } else { dorsal };
        put_row(self.ring, index, [x, y, z, pack_direction(dorsal.into())]);
        if back == 1 {
            set_lane3(&mut self.state.knot_dorsal, self.lane, dorsal.into());
        }
    }
}
