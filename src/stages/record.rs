//! record: lays the path.
//!
//! Reads the trail. Writes knots and dorsal directions. The path's front, the pen, is where the head is; a knot is
//! committed where the pen's way leaves the sphere of one spacing round the newest knot, so links are chords of one
//! length, jitter within a spacing never adds a knot, and every knot lies on the achieved way. Knots of the last segment
//! length that lie ahead of the head's plane are popped: that is how backing up takes the path back, and how a turn is
//! capped at a right angle within a segment length, beyond which the march's first exit would jump.
//! Source: the serpentine document, "Explicit guiding Head"; docs/derivations/march.md, "Folds".
//!
//! Three steps: lanes find who merely moves its pen (two of three do); the others commit and pop one by one; lanes then
//! lay the dorsal direction of every new knot and of the pens. Parallel: its own lanes only.

use super::{Context, Scratch, Task, Trail};
use crate::batch::{
    BlockMut, BlockState, Motion, Shape, Vec8, flag, lane3, pack_direction, pack_direction_lanes, put_row, set_lane3,
    snap, unpack_direction, unpack_direction_lanes,
};
use crate::constants::{DIRECTION_EPSILON, LEVEL_SHARE, NOISE_SHARE, TWIST_PER_DIAMETER_RAD};
use crate::lanes::{Kernel, LANES, Lanes, Rings, Row4, Vec3W, dispatch};
use glam::Vec3;

/// Runs the stage on one block.
pub(crate) fn lay_path(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    let mut moved = 0;
    let mut busy = 0;
    let (shape, trail) = (block.shape, &scratch.trail);
    dispatch(
        context.isa,
        Sorted { state: block.state, shape, knots: block.knots, trail, moved: &mut moved, busy: &mut busy },
    );
    scratch.laid = [0; LANES];
    for lane in (0..LANES).filter(|lane| busy & (1 << lane) != 0) {
        Pen::take(block, context, lane).follow(block, scratch, lane);
    }
    if moved != 0 {
        let radius = block.profile.radius_m()[0];
        dispatch(
            context.isa,
            Dorsals { state: block.state, shape: block.shape, knots: block.knots, laid: &scratch.laid, moved, radius },
        );
    }
}

/// Finds who takes the careful way: who leaves the sphere round the newest knot, has a knot ahead of its plane, or took
/// several pieces. The pens of the others that moved are put where their heads are.
struct Sorted<'a> {
    state: &'a mut BlockState,
    shape: &'a Shape,
    knots: &'a [Row4],
    trail: &'a Trail,
    /// Bits of the lanes that moved, and of those among them that take the careful way.
    moved: &'a mut u32,
    busy: &'a mut u32,
}

impl Kernel for Sorted<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, shape, knots, trail, moved, busy } = self;
        let rings = Rings::new(knots);
        let zero = L::splat(0.0);
        let shift = Vec3W::<L>::load(&state.displacement);
        let goes = zero.lt(shift.length_squared());
        let to = Vec3W::load(&trail.position[1]);
        let [second, mut newer] = at(rings, &state.cursor, 2);
        let spacing = L::load(&state.spacing);
        let noise = spacing * spacing * L::splat(NOISE_SHARE);
        let mut careful = (spacing * spacing).le((to - newer).length_squared()) | L::load(&state.travelled).lt(zero);
        for back in 2..2 + shape.knots_per_segment as u32 {
            let older = if back == 2 { second } else { at(rings, &state.cursor, back)[0] };
            careful = careful | noise.lt((newer - to).dot(newer - older));
            newer = older;
        }
        *moved = L::bits(goes);
        *busy = L::bits(careful) & *moved;
        for lane in 0..LANES {
            let goes = *moved & (1 << lane) != 0;
            *busy |= u32::from(goes && trail.pieces[lane] > 1) << lane;
            if goes && *busy & (1 << lane) == 0 {
                set_lane3(&mut state.pen, lane, lane3(&trail.position[1], lane));
            }
        }
    }
}

/// Positions of the knots `back` places behind the pens, and of the next newer ones.
#[inline(always)]
fn at<L: Lanes>(rings: Rings<'_>, cursor: &[u32; LANES], back: u32) -> [Vec3W<L>; 2] {
    let [[x, y, z, _], [x2, y2, z2, _]] = L::gather_rings(rings, cursor, L::splat(back as f32));
    [Vec3W::new(x, y, z), Vec3W::new(x2, y2, z2)]
}

/// Lays the dorsal directions of this tick's new knots, oldest first, and of the pens; writes the pens' rows.
struct Dorsals<'a> {
    state: &'a mut BlockState,
    shape: &'a Shape,
    knots: &'a mut [Row4],
    laid: &'a [u32; LANES],
    moved: u32,
    /// Radius at the head at scale 1, in metres.
    radius: f32,
}

impl Kernel for Dorsals<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, shape, knots, laid, moved, radius } = self;
        let most = laid.iter().fold(0, |most, &n| if n > most { n } else { most });
        let inv_diameter = L::splat(0.5) / (L::load(&state.scale) * L::splat(radius));
        let least = L::load(&state.spacing) * L::splat(0.1);
        let mut dorsal = Vec3W::<L>::load(&state.knot_dorsal);
        for back in (1..=most).rev() {
            let rings = Rings::new(knots);
            let new = L::mask_from_bits((0..LANES).fold(0, |m, l| m | (u32::from(laid[l] >= back) << l)));
            let [[x, y, z, normal], _] = L::gather_rings(rings, &state.cursor, L::splat(back as f32));
            let [second, newest] = at(rings, &state.cursor, back + 2);
            let link = Link { before: newest - second, along: Vec3W::new(x, y, z) - newest, least };
            let next = link.dorsal(dorsal, unpack_direction_lanes(normal), inv_diameter);
            dorsal = Vec3W::select(new, next, dorsal);
            let packed = pack_direction_lanes(dorsal).to_array();
            for lane in (0..LANES).filter(|&lane| laid[lane] >= back) {
                let (ring, index) = (shape.ring_of(knots, lane), shape.ring(state.cursor[lane], back));
                let [x, y, z, _] = ring[index];
                put_row(ring, index, [x, y, z, packed[lane]]);
            }
        }
        dorsal.store(&mut state.knot_dorsal);
        let rings = Rings::new(knots);
        let [second, newest] = at(rings, &state.cursor, 2);
        let pen = Vec3W::load(&state.pen);
        let link = Link { before: newest - second, along: pen - newest, least };
        let next = link.dorsal(dorsal, Vec3W::load(&state.ground), inv_diameter);
        let at_pen = Vec3W::select(L::mask_from_bits(moved), next, Vec3W::load(&state.dorsal));
        at_pen.store(&mut state.dorsal);
        let packed = pack_direction_lanes(at_pen).to_array();
        for lane in (0..LANES).filter(|lane| moved & (1 << lane) != 0) {
            let [x, y, z] = lane3(&state.pen, lane);
            put_row(shape.ring_of(knots, lane), shape.ring(state.cursor[lane], 0), [x, y, z, packed[lane]]);
        }
    }
}

/// The newest link of the path and the one before it.
struct Link<L> {
    before: Vec3W<L>,
    along: Vec3W<L>,
    /// Length under which the newest link has no direction.
    least: L,
}

impl<L: Lanes> Link<L> {
    /// The dorsal direction at the link's end: `dorsal` at its start, carried along the bend, then turned toward the
    /// ground's normal (or level, where there is no ground) as far as the link's length allows.
    #[inline(always)]
    fn dorsal(&self, dorsal: Vec3W<L>, normal: Vec3W<L>, inv_diameter: L) -> Vec3W<L> {
        let length = self.along.length();
        let before = self.before.normalize_or(1e-30, self.along);
        // A pen that has just passed a knot has no direction from it yet.
        let tangent = self.along.normalize_or(1e-30, before);
        let tangent = Vec3W::select(self.least.lt(length), tangent, before);
        let carried = carry(dorsal, before, tangent).reject(tangent).normalize_or(DIRECTION_EPSILON, dorsal);
        let limit = L::splat(TWIST_PER_DIAMETER_RAD) * length * inv_diameter;
        toward_upright(carried, tangent, normal, limit)
    }
}

/// `v` turned as the unit vector `from` turns to `to`, by the smallest rotation (see `batch::rotate_with`).
#[inline(always)]
fn carry<L: Lanes>(v: Vec3W<L>, from: Vec3W<L>, to: Vec3W<L>) -> Vec3W<L> {
    let both = from + to;
    let square = L::splat(0.5) * both.length_squared();
    let good = L::splat(1e-6).lt(square);
    let a = both.dot(v) / L::select(good, square, L::splat(1.0));
    let turned = v - both * a + to * (L::splat(2.0) * from.dot(v));
    Vec3W::select(good, turned, v)
}

/// `dorsal`, perpendicular to `tangent`, turned about it toward `normal` (or, without ground, toward level) by at most
/// `limit` radians.
#[inline(always)]
fn toward_upright<L: Lanes>(dorsal: Vec3W<L>, tangent: Vec3W<L>, normal: Vec3W<L>, limit: L) -> Vec3W<L> {
    let on_ground = L::splat(0.25).lt(normal.length_squared());
    let up = Vec3W::select(on_ground, normal, Vec3W::splat([0.0, 1.0, 0.0])).reject(tangent);
    let steep = up.length_squared();
    let wish = up.normalize_or(1e-6, dorsal);
    let cos = dorsal.dot(wish);
    let limit = L::select(on_ground, limit, limit * L::splat(LEVEL_SHARE) * steep);
    let aside = wish - dorsal * cos;
    let sin = aside.length();
    let zero = L::splat(0.0);
    let aside = aside.normalize_or(1e-6, tangent.cross(dorsal));
    let turned = (dorsal + aside * limit).normalize_or(DIRECTION_EPSILON, dorsal);
    let reached = zero.lt(cos) & sin.le(limit);
    // Without ground, a creature upside down in a loop stays so: the loop itself brings it round.
    let keeps = !on_ground & cos.le(zero);
    Vec3W::select(keeps, dorsal, Vec3W::select(reached, wish, turned))
}

/// The front of one creature's path while it is laid.
struct Pen<'a> {
    at: Vec3,
    /// The two newest committed knots.
    newest: Vec3,
    second: Vec3,
    spacing: f32,
    ground: Option<Floor<'a>>,
    normal: Vec3,
}

/// What knots of a creature that the batch keeps on the ground are put on.
struct Floor<'a> {
    terrain: &'a crate::terrain::Terrain,
    origin: [f64; 3],
    radius: f32,
}

impl<'a> Pen<'a> {
    fn take(block: &BlockMut<'_>, context: &Context<'a>, lane: usize) -> Self {
        let state = &block.state;
        let radius = block.profile.radius_m()[0] * state.scale[lane];
        let follows = state.motion[lane] == Motion::Driven as u32 && state.has(lane, flag::GROUNDED);
        let floor = || Floor { terrain: context.terrain, origin: lane3(&state.origin, lane), radius };
        Self {
            at: lane3(&state.pen, lane).into(),
            newest: knot(block, lane, 1),
            second: knot(block, lane, 2),
            spacing: state.spacing[lane],
            ground: follows.then(floor),
            normal: lane3(&state.ground, lane).into(),
        }
    }

    /// Follows the trail to the head.
    fn follow(mut self, block: &mut BlockMut<'_>, scratch: &mut Scratch, lane: usize) {
        for piece in 0..scratch.trail.pieces[lane] as usize {
            let [_, to] = ends(&scratch.trail.position[..], piece, lane);
            let backing = block.state.travelled[lane] < 0.0;
            let facing = backing.then(|| facing(block.state, &scratch.trail, piece, lane));
            let popped = self.pop_ahead(block, lane, to, facing);
            scratch.counters.knots_popped += u64::from(popped);
            if popped > 0 {
                scratch.laid[lane] = scratch.laid[lane].saturating_sub(popped);
                // What is left of the way begins at the pen's new neighbourhood.
                self.lay(block, lane, &Way::straight(self.at, to), &mut scratch.laid[lane]);
            } else {
                let way = Way::of(&scratch.trail, piece, lane, self.at, to);
                self.lay(block, lane, &way, &mut scratch.laid[lane]);
            }
        }
        set_lane3(&mut block.state.pen, lane, self.at.into());
        scratch.counters.knots_laid += u64::from(scratch.laid[lane]);
        scratch.laid[lane] = scratch.laid[lane].min(block.shape.knots as u32 - 3);
    }

    /// Commits knots along the way, and moves the pen to its end.
    fn lay(&mut self, block: &mut BlockMut<'_>, lane: usize, way: &Way, laid: &mut u32) {
        let reach = self.spacing * self.spacing;
        // More than the ring holds is not laid one by one: the path behind would be forgotten at once.
        let (length, most) = ((way.to - way.from).length(), self.spacing * block.shape.knots as f32);
        let end = Way::straight(way.to - (way.to - way.from) * (most / length), way.to);
        let way = if length > most { &end } else { way };
        let mut share = 0.0;
        let mut room = 2 * block.shape.knots;
        while (way.to - self.newest).length_squared() >= reach && share < 1.0 && room > 0 {
            let at = way.at(share);
            let left = way.to - at;
            // The pen may be outside already (after a jump): then the knot lies where it is.
            let guess = share + (1.0 - share) * exit(at - self.newest, left, reach);
            share = way.exit(share, guess, self.newest, reach);
            self.commit(block, lane, way.at(share));
            *laid += 1;
            room -= 1;
        }
        self.at = way.to;
    }

    /// Makes a point of the way the newest committed knot.
    fn commit(&mut self, block: &mut BlockMut<'_>, lane: usize, point: Vec3) {
        let (point, normal) = self.on_floor(point);
        let cell = block.state.cell[lane];
        let point = Vec3::new(snap(point.x, cell), snap(point.y, cell), snap(point.z, cell));
        (self.second, self.newest) = (self.newest, point);
        let cursor = block.state.cursor[lane];
        // For the moment the row keeps the ground's normal: `Dorsals` makes the dorsal direction of it.
        put_knot(block, lane, cursor, point, normal);
        block.state.cursor[lane] = cursor.wrapping_add(1);
    }

    fn on_floor(&self, point: Vec3) -> (Vec3, Vec3) {
        let Some(floor) = &self.ground else { return (point, self.normal) };
        let (x, z) = (floor.origin[0] + f64::from(point.x), floor.origin[2] + f64::from(point.z));
        let Some(sample) = floor.terrain.sample(x, z) else { return (point, self.normal) };
        let height = sample.height_m + f64::from(floor.radius / sample.normal[1]);
        (Vec3::new(point.x, (height - floor.origin[1]) as f32, point.z), sample.normal.into())
    }

    /// Pops the knots up to the oldest, within a segment length, that lies ahead of the plane through `to` across its own
    /// link, or, for a head that backs up, ahead of the plane across its facing; the oldest end of the path grows straight
    /// by as many. Returns how many.
    fn pop_ahead(&mut self, block: &mut BlockMut<'_>, lane: usize, to: Vec3, facing: Option<Vec3>) -> u32 {
        let mut popped = 0;
        let most = block.shape.knots as u32;
        let noise = NOISE_SHARE * self.spacing;
        while popped < most {
            let ahead = (1..=block.shape.knots_per_segment as u32).rev().find(|&back| {
                let (at, older) = (knot(block, lane, back), knot(block, lane, back + 1));
                let passed = facing.is_some_and(|facing| (at - to).dot(facing) > noise);
                passed || (at - to).dot(at - older) > noise * self.spacing
            });
            let Some(count) = ahead else { break };
            (0..count).for_each(|_| pop(block, lane));
            popped += count;
        }
        if popped > 0 {
            (self.newest, self.second) = (knot(block, lane, 1), knot(block, lane, 2));
            let dorsal = unit_or(dorsal(block, lane, 1), Vec3::Y);
            set_lane3(&mut block.state.knot_dorsal, lane, dorsal.into());
            // The pen was ahead of the plane, too: its way starts where the path now ends.
            self.at = self.newest;
        }
        popped
    }
}

/// Which way a head that backs up faces.
fn facing(state: &BlockState, trail: &Trail, piece: usize, lane: usize) -> Vec3 {
    let heading = if trail.curved[lane] { &trail.heading[piece + 1] } else { &state.forward };
    lane3(heading, lane).into()
}

/// Takes the newest committed knot back, and adds one straight behind the oldest.
fn pop(block: &mut BlockMut<'_>, lane: usize) {
    let cursor = block.state.cursor[lane].wrapping_sub(1);
    block.state.cursor[lane] = cursor;
    let last = block.shape.knots as u32 - 1;
    let (end, before) = (knot(block, lane, last - 1), knot(block, lane, last - 2));
    let end_dorsal = dorsal(block, lane, last - 1);
    put_knot(block, lane, cursor.wrapping_sub(last), end + (end - before), end_dorsal);
}

/// A piece of the head's way.
struct Way {
    from: Vec3,
    to: Vec3,
    /// Tangents at the ends, as long as the way; None where it is straight.
    tangents: Option<[Vec3; 2]>,
}

impl Way {
    fn straight(from: Vec3, to: Vec3) -> Self {
        Self { from, to, tangents: None }
    }

    fn of(trail: &Trail, piece: usize, lane: usize, from: Vec3, to: Vec3) -> Self {
        let [h0, h1] = ends(&trail.heading[..], piece, lane);
        let length = (to - from).length();
        // A head that backs up has its headings against its way.
        let length = if (to - from).dot(h0) < 0.0 { -length } else { length };
        Self { from, to, tangents: trail.curved[lane].then(|| [h0 * length, h1 * length]) }
    }

    /// The share at which the way leaves the sphere of this squared radius: `guess` if it is straight, put right on an
    /// arc by two steps of regula falsi, so that knots lie where they lie at any tick rate.
    fn exit(&self, from: f32, guess: f32, center: Vec3, square: f32) -> f32 {
        let clamp = |share: f32| if share < 1.0 { share } else { 1.0 };
        let mut share = clamp(guess);
        if self.tangents.is_none() {
            return share;
        }
        let outside = |share: f32| (self.at(share) - center).length_squared() - square;
        let (mut low, mut below) = (from, outside(from));
        let (mut high, mut above) = (1.0, outside(1.0));
        for _ in 0..2 {
            let here = outside(share);
            if here < 0.0 {
                (low, below) = (share, here)
            } else {
                (high, above) = (share, here)
            }
            if !(below < 0.0 && above > below) {
                return share;
            }
            share = clamp(low - below * (high - low) / (above - below));
        }
        share
    }

    /// The point at this share: cubic Hermite where the tangents are known.
    fn at(&self, u: f32) -> Vec3 {
        let Some([t0, t1]) = self.tangents else { return self.from + (self.to - self.from) * u };
        let (v, uv) = (1.0 - u, u * (1.0 - u));
        // h01 = u^2 (3 - 2u), h10 = u v^2, h11 = -u^2 v.
        self.from + (self.to - self.from) * (u * u * (3.0 - 2.0 * u)) + t0 * (uv * v) - t1 * (uv * u)
    }
}

/// Where the ray m + d t leaves the sphere of this squared radius round zero. The form without cancellation:
/// t = c / (m.d + sqrt((m.d)^2 + d.d c)), c = radius^2 - m.m. From outside it is 0.
fn exit(m: Vec3, d: Vec3, square: f32) -> f32 {
    let c = square - m.length_squared();
    let b = m.dot(d);
    let bottom = b + (b * b + d.length_squared() * c).sqrt();
    if c > 0.0 && bottom > 0.0 { c / bottom } else { 0.0 }
}

fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    let square = v.length_squared();
    if square > 1e-30 { v / square.sqrt() } else { fallback }
}

fn ends(field: &[Vec8], piece: usize, lane: usize) -> [Vec3; 2] {
    [lane3(&field[piece], lane).into(), lane3(&field[piece + 1], lane).into()]
}

/// Position of the knot `back` places behind the pen.
fn knot(block: &BlockMut<'_>, lane: usize, back: u32) -> Vec3 {
    let row = block.knots[lane * block.shape.ring_rows() + block.shape.ring(block.state.cursor[lane], back)];
    Vec3::new(row[0], row[1], row[2])
}

fn dorsal(block: &BlockMut<'_>, lane: usize, back: u32) -> Vec3 {
    let row = block.knots[lane * block.shape.ring_rows() + block.shape.ring(block.state.cursor[lane], back)];
    unpack_direction(row[3]).into()
}

fn put_knot(block: &mut BlockMut<'_>, lane: usize, position: u32, at: Vec3, dorsal: Vec3) {
    let ring = block.shape.ring_of(block.knots, lane);
    put_row(ring, block.shape.ring(position, 0), [at.x, at.y, at.z, pack_direction(dorsal.into())]);
}
