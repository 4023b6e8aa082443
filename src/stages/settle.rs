//! settle: lets the path sink onto the ground that it hangs over (Body Ground Follow).
//!
//! Reads knots, terrain. Writes how far each knot has fallen, its velocity, and its place in the path. Gravity acts on the
//! curve, not on the joints: a knot falls straight down from where the head laid it, so retained height stays in the world
//! while the body slides along the path, new travel brings its own height, and what gravity did is never pulled back up.
//! How sharply the fallen path may bend is limited by sweeps over it; the march then finds joints on it.
//! Source: the serpentine document, "Optional Body Ground Follow"; docs/derivations/settle.md.
//!
//! A knot is asked for its ground once, as ground does not move. Where all that hangs has come to rest, the stage looks at
//! new knots alone: that is nearly always. Parallel: its own lanes only.

use super::{Counters, Task};
use crate::batch::{
    BlockMut, BlockState, Motion, NEW_FALL, Shape, flag, lane3, pack_direction, put_row, set_lane3, snap,
    unpack_direction,
};
use crate::constants::{FRONT_BEND_SHARE, SETTLE_DORSAL_PER_S, SETTLE_SWEEPS};
use crate::lanes::{LANES, Row4};
use crate::terrain::{Terrain, clearance};
use glam::Vec3;

/// What settling keeps of a knot: gap, drop, velocity, packed ground normal.
///
/// The gap is from where the knot was laid down to where it touches the ground, in metres: [`UNKNOWN`] before it was asked
/// for, [`NO_GROUND`] without ground in reach. The drop is how far it has fallen, in metres; the velocity is downward.
type Fall = Row4;

const UNKNOWN: f32 = NEW_FALL[0];
const NO_GROUND: f32 = -f32::MAX;

/// Runs the stage on one block.
pub(crate) fn settle_paths(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    if block.shape.falls == 0 {
        return;
    }
    for lane in 0..LANES {
        let (laid, popped) = (scratch.laid[lane], scratch.popped[lane]);
        let state = &mut *block.state;
        if state.motion[lane] == Motion::Preview as u32 || state.dt[lane] == 0.0 || !state.has(lane, flag::LIVE) {
            continue;
        }
        let mut path = Path::of(block, context.terrain, lane);
        path.renew(laid, popped);
        if path.state.has(lane, flag::HANGS) {
            scratch.settling.settle(&mut path, &mut scratch.counters);
        }
    }
}

/// The path of one creature.
struct Path<'a> {
    state: &'a mut BlockState,
    shape: &'a Shape,
    ring: &'a mut [Row4],
    falls: &'a mut [Fall],
    terrain: &'a Terrain,
    lane: usize,
    /// In metres and radians, at the creature's scale.
    radius: f32,
    reach: f32,
    activation: f32,
    gravity: f32,
    max_speed: f32,
    /// Most added bend at a knot.
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
            bend: ground.max_bend_rad / block.shape.knots_per_segment as f32,
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

    /// Knots that the body can lie on, the pen not counted.
    fn window(&self) -> usize {
        let body = (self.shape.joints - 1) * self.shape.knots_per_segment + self.shape.knots_per_segment;
        if body < self.shape.knots - 2 { body } else { self.shape.knots - 2 }
    }

    /// Forgets what rows held before they became new knots, and asks for the ground under those that the head laid.
    fn renew(&mut self, laid: u32, popped: u32) {
        let most = self.shape.knots - 1;
        let clamp = |count: u32| if (count as usize) < most { count as usize } else { most };
        for back in 0..clamp(popped) {
            let index = self.index(most - back);
            self.falls[index] = NEW_FALL;
        }
        for back in 1..=clamp(laid) {
            let index = self.index(back);
            self.falls[index] = NEW_FALL;
            self.ask(back);
            let [gap, ..] = self.falls[index];
            if gap > self.activation {
                self.state.put(self.lane, flag::HANGS, true);
            }
        }
        if popped > 0 {
            // The head now pulls at what has fallen, and the tail lies on knots that nobody has asked for.
            self.state.put(self.lane, flag::HANGS, true);
        }
    }

    /// Asks for a knot's ground if nobody has. Such a knot lay beyond the tail until the head backed up: it has fallen
    /// beside its neighbour.
    fn learn(&mut self, back: usize) {
        let index = self.index(back);
        if self.falls[index][0] != UNKNOWN {
            return;
        }
        self.ask(back);
        let [gap, drop, ..] = self.falls[index];
        let beside = if back > 1 { self.falls[self.index(back - 1)][1] } else { 0.0 };
        let most = if beside < gap { beside } else { gap };
        if most > drop {
            self.falls[index][1] = most;
            let [x, y, z, dorsal] = self.ring[index];
            put_row(self.ring, index, [x, y - (most - drop), z, dorsal]);
        }
    }

    /// Finds the ground under a knot.
    fn ask(&mut self, back: usize) {
        let index = self.index(back);
        let [x, y, z, _] = self.ring[index];
        let fall = self.falls[index];
        let state = &*self.state;
        let walks = state.motion[self.lane] == Motion::Driven as u32 && state.has(self.lane, flag::GROUNDED);
        if walks && back <= 2 {
            // The head stood on the ground where it laid it.
            self.falls[index] = [0.0, 0.0, 0.0, pack_direction([0.0, 1.0, 0.0])];
            return;
        }
        let origin = lane3(&state.origin, self.lane);
        let laid = origin[1] + f64::from(y) + f64::from(fall[1]);
        let (world_x, world_z) = (origin[0] + f64::from(x), origin[2] + f64::from(z));
        // From the middle of the section: ground that the knot is half in counts as under it.
        let found = self.terrain.sample_under(world_x, laid, world_z);
        let touching = |sample: &crate::terrain::GroundSample| {
            (laid - sample.height_m - f64::from(clearance(self.radius, sample.normal[1]))) as f32
        };
        self.falls[index] = match found {
            Some(sample) if touching(&sample) <= self.reach => {
                [touching(&sample), fall[1], fall[2], pack_direction(sample.normal)]
            }
            _ => [NO_GROUND, fall[1], 0.0, 0.0],
        };
    }
}

/// Working memory for one path at a time.
#[derive(Default)]
pub(crate) struct Settling {
    /// Where each knot was laid, the pen first.
    laid: Vec<Vec3>,
    /// Lengths of the links, as laid: from each knot to the next older one.
    length: Vec<f32>,
    /// How much the slope of the drop may grow at each knot, and shrink.
    bounds: Vec<[f32; 2]>,
    drop: Vec<f32>,
    hull: Vec<(f64, f64, usize)>,
}

impl Settling {
    /// Room for the rings of a shape, so that growth allocates nothing later.
    pub(crate) fn reserve(&mut self, knots: usize) {
        crate::batch::reserve_total(&mut self.laid, knots);
        crate::batch::reserve_total(&mut self.length, knots);
        crate::batch::reserve_total(&mut self.bounds, knots);
        crate::batch::reserve_total(&mut self.drop, knots);
        crate::batch::reserve_total(&mut self.hull, knots);
    }

    /// A tick of one path.
    fn settle(&mut self, path: &mut Path<'_>, counters: &mut Counters) {
        self.read(path);
        self.fall(path, counters);
        self.limit_bends();
        self.write(path, counters);
    }

    /// Takes the path as it was laid, and what each knot may bend.
    fn read(&mut self, path: &mut Path<'_>) {
        let window = path.window();
        self.laid.clear();
        self.drop.clear();
        for back in 0..=window + 1 {
            if back > 0 && back <= window {
                path.learn(back);
            }
            let index = path.index(back);
            let [x, y, z, _] = path.ring[index];
            let drop = if back > 0 { path.falls[index][1] } else { 0.0 };
            self.laid.push(Vec3::new(x, y + drop, z));
            self.drop.push(drop);
        }
        // The tail's end is free: what lies beyond does not hold it.
        self.drop.truncate(window + 1);
        let least = 1e-3 * path.state.spacing[path.lane];
        self.length.clear();
        self.length.extend(self.laid.windows(2).map(|pair| {
            let length = (pair[0] - pair[1]).length_squared().sqrt();
            if length > least { length } else { least }
        }));
        self.bounds.clear();
        // The front is the head's: the first link keeps near to the way that the head goes.
        let front = path.bend * FRONT_BEND_SHARE;
        self.bounds.push([front, front]);
        for back in 1..=window {
            let newer = (self.laid[back - 1] - self.laid[back]) / self.length[back - 1];
            let older = (self.laid[back] - self.laid[back + 1]) / self.length[back];
            self.bounds.push(bounds(newer - older, path.bend));
        }
    }

    /// Lets each knot fall for a tick by itself; no further than its ground.
    fn fall(&mut self, path: &mut Path<'_>, counters: &mut Counters) {
        let dt = path.state.dt[path.lane];
        for back in 1..self.drop.len() {
            let index = path.index(back);
            let [gap, drop, velocity, _] = path.falls[index];
            if gap == NO_GROUND {
                path.falls[index][2] = 0.0;
                continue;
            }
            counters.knots_supported += 1;
            let excess = if gap > 0.0 { gap - drop } else { -drop };
            if excess <= 0.0 {
                // Ground that came up, or was there from the start.
                (self.drop[back], path.falls[index][2]) = (drop + excess, 0.0);
            } else if velocity > 0.0 || excess > path.activation {
                let free = velocity + path.gravity * dt;
                let faster = if free < path.max_speed { free } else { path.max_speed };
                let step = 0.5 * (velocity + faster) * dt;
                counters.knots_accelerating += u64::from(faster > velocity);
                let arrives = step >= excess;
                self.drop[back] = if arrives { gap } else { drop + step };
                path.falls[index][2] = if arrives { 0.0 } else { faster };
            }
        }
    }

    /// Takes back so much of the drops that no knot bends the path beyond its bounds.
    fn limit_bends(&mut self) {
        for _ in 0..SETTLE_SWEEPS {
            let forward = self.sweep_back();
            let backward = self.sweep_forward();
            if !(forward || backward) {
                break;
            }
        }
        self.round_off();
    }

    /// From the head to the tail: the slope of the drop grows no faster than it may. Tells whether anything changed.
    fn sweep_back(&mut self) -> bool {
        let (mut slope, mut changed) = (0.0, false);
        for back in 0..self.drop.len() - 1 {
            let most = self.drop[back] + self.length[back] * (slope + self.bounds[back][0]);
            let most = if most > 0.0 { most } else { 0.0 };
            if self.drop[back + 1] > most {
                (self.drop[back + 1], changed) = (most, true);
            }
            slope = (self.drop[back + 1] - self.drop[back]) / self.length[back];
        }
        changed
    }

    /// The same from the tail to the head.
    fn sweep_forward(&mut self) -> bool {
        let mut changed = false;
        for back in (2..self.drop.len() - 1).rev() {
            let slope = (self.drop[back + 1] - self.drop[back]) / self.length[back];
            let most = self.drop[back] - self.length[back - 1] * (slope - self.bounds[back][0]);
            let most = if most > 0.0 { most } else { 0.0 };
            if self.drop[back - 1] > most {
                (self.drop[back - 1], changed) = (most, true);
            }
        }
        changed
    }

    /// Hollows: the slope of the drop shrinks no faster than it may. With a function of exactly that curvature taken off,
    /// the largest such drop is the lower convex hull, which makes no slope grow faster: see the derivation.
    fn round_off(&mut self) {
        self.hull.clear();
        let (mut at, mut off, mut slope) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (back, &drop) in self.drop.iter().enumerate() {
            let (x, y) = (at, f64::from(drop) - off);
            while let [.., (x0, y0, _), (x1, y1, _)] = self.hull[..] {
                if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0) {
                    break;
                }
                self.hull.pop();
            }
            self.hull.push((x, y, back));
            if back + 1 < self.drop.len() {
                slope -= f64::from(self.bounds.get(back).map_or(0.0, |bounds| bounds[1]));
                off += slope * f64::from(self.length[back]);
                at += f64::from(self.length[back]);
            }
        }
        let (mut at, mut off, mut slope, mut edge) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
        for back in 0..self.drop.len() {
            while self.hull[edge + 1].2 < back {
                edge += 1;
            }
            let ((x0, y0, _), (x1, y1, _)) = (self.hull[edge], self.hull[edge + 1]);
            let drop = (y0 + (y1 - y0) * ((at - x0) / (x1 - x0)) + off) as f32;
            let drop = if drop > 0.0 { drop } else { 0.0 };
            if drop < self.drop[back] {
                self.drop[back] = drop;
            }
            slope -= f64::from(self.bounds.get(back).map_or(0.0, |bounds| bounds[1]));
            off += slope * f64::from(self.length[back]);
            at += f64::from(self.length[back]);
        }
    }

    /// Puts the knots where they have fallen to. A knot that was held back keeps the velocity that it really had.
    fn write(&mut self, path: &mut Path<'_>, counters: &mut Counters) {
        let (lane, dt) = (path.lane, path.state.dt[path.lane]);
        let cell = path.state.cell[lane];
        let mut hangs = false;
        for back in 1..self.drop.len() {
            let index = path.index(back);
            let [gap, before, velocity, normal] = path.falls[index];
            let drop = snap(self.drop[back], cell);
            let achieved = (drop - before) / dt;
            let velocity = if achieved < velocity { achieved } else { velocity };
            let velocity = if velocity > 0.0 { velocity } else { 0.0 };
            path.falls[index] = [gap, drop, velocity, normal];
            hangs |= gap != NO_GROUND && gap - drop > path.activation || velocity > 0.0;
            if drop != before {
                counters.knots_descending += u64::from(drop > before);
                path.lower(back, drop - before, gap - before);
            }
        }
        path.state.put(lane, flag::HANGS, hangs);
    }
}

impl Path<'_> {
    /// Moves a knot down by `step` of the `left` to its ground, and turns its dorsal direction toward the ground's normal.
    fn lower(&mut self, back: usize, step: f32, left: f32) {
        let (index, lane) = (self.index(back), self.lane);
        let [x, y, z, packed] = self.ring[index];
        let normal = Vec3::from(unpack_direction(self.falls[index][3]));
        let mut dorsal = Vec3::from(unpack_direction(packed));
        if step > 0.0 && left > 0.0 {
            let most = SETTLE_DORSAL_PER_S * self.state.dt[lane];
            let share = step / left;
            let turned = dorsal + (normal - dorsal) * if share < most { share } else { most };
            let square = turned.length_squared();
            dorsal = if square > 0.25 { turned / square.sqrt() } else { dorsal };
        }
        put_row(self.ring, index, [x, y - step, z, pack_direction(dorsal.into())]);
        if back == 1 {
            set_lane3(&mut self.state.knot_dorsal, lane, dorsal.into());
        }
    }
}

/// How much the slope of the drop may grow and shrink at a knot where the unit links of the path as laid differ by `turn`.
///
/// Lowering changes the turn's vertical part by q, the shrinking of the slope: |turn + q y|^2 <= max(|turn|^2, bend^2).
fn bounds(turn: Vec3, bend: f32) -> [f32; 2] {
    let square = turn.length_squared();
    let allowed = if square < bend * bend { bend * bend } else { square };
    let root = (turn.y * turn.y + (allowed - square)).sqrt();
    [root + turn.y, root - turn.y]
}
