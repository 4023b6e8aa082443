//! record: lays the path.
//!
//! Reads the trail. Writes knots and dorsal directions. The path's front, the pen, is where the head is; a knot is
//! committed where the pen's way leaves the sphere of one spacing round the newest knot, so links are chords of one
//! length, jitter within a spacing never adds a knot, and every knot lies on the achieved way. Knots of the last segment
//! length that lie ahead of the head's plane are popped: that is how backing up takes the path back, and how a turn is
//! capped at a right angle within a segment length, beyond which the march's first exit would jump.
//! Source: the serpentine document, "Explicit guiding Head"; docs/derivations/march.md, "Folds".
//!
//! A block is laid in lanes: those that leave the sphere commit a knot each, again until none does (one creature in three
//! commits one in a tick, hardly any more). Taking knots back is rare, and done one creature at a time. Parallel: its own
//! lanes only.

use super::{Task, Trail};
use crate::batch::{
    BlockMut, BlockState, Motion, Shape, Vec8, flag, lane3, pack_direction, pack_direction_lanes, put_row, set_lane3,
    snap, unpack_direction,
};
use crate::constants::{
    DIRECTION_EPSILON, LEVEL_SHARE, NOISE_SHARE, PASSED_COSINE, STEP_RADII, TWIST_PER_DIAMETER_RAD,
};
use crate::lanes::{Kernel, LANES, Lane8, Lanes, Rings, Row4, Vec3W, dispatch};
use crate::terrain::{Terrain, Walls};

/// Runs the stage on one block.
pub(crate) fn lay_path(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    let radius = block.profile.radius_m()[0];
    let BlockMut { shape, state, knots, .. } = &mut **block;
    let trail = &scratch.trail;
    let mut retaken = 0;
    let tally = Laid { knots: &mut scratch.laid, popped: &mut scratch.popped, retaken: &mut retaken };
    (*tally.knots, *tally.popped) = ([0; LANES], [0; LANES]);
    dispatch(
        context.isa,
        Laying { block: Rows { state, shape, knots }, trail, terrain: context.terrain, radius, tally },
    );
    scratch.counters.knots_laid += u64::from(retaken);
    for lane in 0..LANES {
        scratch.counters.knots_laid += u64::from(scratch.laid[lane]);
        scratch.counters.knots_popped += u64::from(scratch.popped[lane]);
    }
}

/// The path histories of a block.
struct Rows<'a> {
    state: &'a mut BlockState,
    shape: &'a Shape,
    knots: &'a mut [Row4],
}

struct Laying<'a> {
    block: Rows<'a>,
    trail: &'a Trail,
    terrain: &'a Terrain,
    /// Radius at the head at scale 1, in metres.
    radius: f32,
    tally: Laid<'a>,
}

/// Knots that each lane has laid and has taken back.
struct Laid<'a> {
    knots: &'a mut [u32; LANES],
    popped: &'a mut [u32; LANES],
    /// Knots that were laid and taken back in this tick.
    retaken: &'a mut u32,
}

impl Kernel for Laying<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { block, trail, terrain, radius, mut tally } = self;
        let shift = Vec3W::<L>::load(&block.state.displacement);
        let moved = L::bits(L::splat(0.0).lt(shift.length_squared()));
        if moved == 0 {
            return;
        }
        let mut pen = Pen::<L>::take(block, terrain, radius);
        let mut pieces = 1;
        for lane in 0..LANES {
            let more = moved & (1 << lane) != 0 && trail.pieces[lane] > pieces;
            pieces = if more { trail.pieces[lane] } else { pieces };
        }
        for piece in 0..pieces as usize {
            let live = (0..LANES).fold(0, |m, l| m | (u32::from(trail.pieces[l] > piece as u32) << l));
            pen.follow(trail, piece, moved & live, &mut tally);
        }
        pen.put_down(moved);
    }
}

/// The fronts of eight paths while they are laid.
struct Pen<'a, L> {
    block: Rows<'a>,
    ground: Ground<'a>,
    at: Vec3W<L>,
    /// The two newest committed knots.
    newest: Vec3W<L>,
    second: Vec3W<L>,
    /// Dorsal direction of the newest.
    dorsal: Vec3W<L>,
    spacing: L,
    inv_diameter: L,
}

/// What knots of creatures that the batch keeps on the ground are put on.
struct Ground<'a> {
    terrain: &'a Terrain,
    /// Bits of those creatures' lanes.
    walkers: u32,
    /// Radii at the heads, in metres.
    radius: Lane8,
}

impl<'a, L: Lanes> Pen<'a, L> {
    #[inline(always)]
    fn take(block: Rows<'a>, terrain: &'a Terrain, radius: f32) -> Self {
        let state = &*block.state;
        let mut ground = Ground { terrain, walkers: 0, radius: [0.0; LANES] };
        for lane in 0..LANES {
            let walks = state.motion[lane] == Motion::Driven as u32 && state.has(lane, flag::GROUNDED);
            ground.walkers |= u32::from(walks) << lane;
            ground.radius[lane] = radius * state.scale[lane];
        }
        let [second, newest] = at(Rings::new(block.knots), &state.cursor, 2);
        Self {
            at: Vec3W::load(&state.pen),
            newest,
            second,
            dorsal: Vec3W::load(&state.knot_dorsal),
            spacing: L::load(&state.spacing),
            inv_diameter: L::splat(0.5) / L::load(&ground.radius),
            block,
            ground,
        }
    }

    /// Follows a piece of the trail to its end, in the lanes of these bits.
    #[inline(always)]
    fn follow(&mut self, trail: &Trail, piece: usize, live: u32, tally: &mut Laid<'_>) {
        let to = Vec3W::load(&trail.position[piece + 1]);
        let back = L::load(&self.block.state.travelled).lt(L::splat(0.0));
        let popped = self.pop_ahead(to, back, &facing(self.block.state, trail, piece), live, tally);
        let mut way = Way::of(trail, piece, self.at, to);
        if popped != 0 {
            // What is left of the way goes straight from where the path now ends.
            let popped = L::mask_from_bits(popped);
            way.from = Vec3W::select(popped, self.newest, way.from);
            way.curved = way.curved & !popped;
        }
        self.lay(way, live, tally);
        self.at = Vec3W::select(L::mask_from_bits(live), to, self.at);
    }

    /// Commits knots along the way.
    #[inline(always)]
    fn lay(&mut self, mut way: Way<L>, live: u32, tally: &mut Laid<'_>) {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let reach = self.spacing * self.spacing;
        let mut out = L::mask_from_bits(live) & reach.le((way.to - self.newest).length_squared());
        if !L::any(out) {
            return;
        }
        way.cut(self.spacing * L::splat(self.block.shape.knots as f32));
        let (mut share, mut at, mut first) = (zero, way.from, L::mask_from_bits(0xff));
        for _ in 0..2 * self.block.shape.knots {
            let inside = (at - self.newest).length_squared().lt(reach);
            // A pen outside of the sphere (after a jump) has its first knot where it is. Later ones: where the ground put
            // the last knot further off, the next lies a spacing from where that was on the way.
            let center = Vec3W::select(inside | first, self.newest, at);
            let guess = share + (one - share) * exit(at - center, way.to - at, reach);
            let ends = one.lt(guess) & !inside & !first;
            out = out & !ends;
            share = L::select(out, way.exit(share, guess.min(one), at, center, reach), share);
            at = way.at(share);
            let bits = L::bits(out);
            if bits == 0 {
                return;
            }
            self.commit(at, bits);
            for lane in 0..LANES {
                tally.knots[lane] += (bits >> lane) & 1;
            }
            first = first & !out;
            out = out & share.lt(one) & reach.le((way.to - self.newest).length_squared());
            if !L::any(out) {
                return;
            }
        }
    }

    /// Makes a point of the way the newest committed knot, in the lanes of these bits.
    #[inline(always)]
    fn commit(&mut self, point: Vec3W<L>, bits: u32) {
        let (point, normal) = self.ground.put_on(self.block.state, point, bits);
        let point = snap_lanes(point, &self.block.state.cell);
        let which = L::mask_from_bits(bits);
        let dorsal = self.dorsal_at(point, normal);
        self.dorsal = Vec3W::select(which, dorsal, self.dorsal);
        self.second = Vec3W::select(which, self.newest, self.second);
        self.newest = Vec3W::select(which, point, self.newest);
        self.write_rows(point, dorsal, bits);
        for lane in 0..LANES {
            let cursor = &mut self.block.state.cursor[lane];
            *cursor = cursor.wrapping_add((bits >> lane) & 1);
        }
    }

    /// Writes the rows at the cursors.
    #[inline(always)]
    fn write_rows(&mut self, at: Vec3W<L>, dorsal: Vec3W<L>, bits: u32) {
        let Rows { state, shape, knots } = &mut self.block;
        let (x, y, z) = (at.x.to_array(), at.y.to_array(), at.z.to_array());
        let packed = pack_direction_lanes(dorsal).to_array();
        for lane in 0..LANES {
            if bits & (1 << lane) != 0 {
                let row = [x[lane], y[lane], z[lane], packed[lane]];
                put_row(shape.ring_of(knots, lane), shape.ring(state.cursor[lane], 0), row);
            }
        }
    }

    /// The dorsal direction at the end of a link from the newest knot.
    #[inline(always)]
    fn dorsal_at(&self, point: Vec3W<L>, normal: Vec3W<L>) -> Vec3W<L> {
        let least = self.spacing * L::splat(0.1);
        let link = Link { before: self.newest - self.second, along: point - self.newest, least };
        link.dorsal(self.dorsal, normal, self.inv_diameter)
    }

    /// Writes the pens of the lanes of these bits, and what the next tick needs.
    #[inline(always)]
    fn put_down(mut self, bits: u32) {
        let moved = L::mask_from_bits(bits);
        let dorsal = self.dorsal_at(self.at, Vec3W::load(&self.block.state.ground));
        self.write_rows(self.at, dorsal, bits);
        let state = self.block.state;
        Vec3W::select(moved, dorsal, Vec3W::load(&state.dorsal)).store(&mut state.dorsal);
        self.at.store(&mut state.pen);
        self.dorsal.store(&mut state.knot_dorsal);
    }

    /// Pops the knots up to the oldest, within a segment length, that lies ahead of the plane through `to` across its own
    /// link; for a head that backs up, ahead of the plane across its facing as well, where the link leads that way. The
    /// oldest end of the path grows by as many. Returns the bits of the lanes that popped any.
    #[inline(always)]
    fn pop_ahead(&mut self, to: Vec3W<L>, back: L::Mask, facing: &Vec8, live: u32, tally: &mut Laid<'_>) -> u32 {
        let mut popped = 0;
        let mut left = [self.block.shape.knots as u32; LANES];
        loop {
            let count = self.ahead(to, back, facing);
            let bits = L::bits(L::splat(0.5).lt(count)) & live;
            if bits == 0 {
                return popped;
            }
            let count = count.to_i32();
            let mut any = false;
            for lane in 0..LANES {
                let count = if bits & (1 << lane) != 0 { count[lane] as u32 } else { 0 };
                let count = if count < left[lane] { count } else { left[lane] };
                left[lane] -= count;
                any |= count > 0;
                pop(&mut self.block, &self.ground, lane, count);
                tally.popped[lane] += count;
                let again = if count < tally.knots[lane] { count } else { tally.knots[lane] };
                tally.knots[lane] -= again;
                *tally.retaken += again;
            }
            if !any {
                return popped;
            }
            popped |= bits;
            [self.second, self.newest] = at(Rings::new(self.block.knots), &self.block.state.cursor, 2);
            self.dorsal = Vec3W::load(&self.block.state.knot_dorsal);
        }
    }

    /// How many knots there are up to the oldest that is ahead, within a segment length; see `pop_ahead`.
    #[inline(always)]
    fn ahead(&self, to: Vec3W<L>, back: L::Mask, facing: &Vec8) -> L {
        let rings = Rings::new(self.block.knots);
        let cursor = &self.block.state.cursor;
        let plane = Plane {
            to,
            back,
            facing: Vec3W::load(facing),
            noise: self.spacing * L::splat(NOISE_SHARE),
            spacing: self.spacing,
        };
        let links = self.block.shape.knots_per_segment as u32;
        let mut count = L::select(plane.before(self.newest, self.second), L::splat(1.0), L::splat(0.0));
        let mut newer = self.second;
        let mut back = 2;
        while back <= links {
            let [third, older] = at(rings, cursor, back + 2);
            count = L::select(plane.before(newer, older), L::splat(back as f32), count);
            if back < links {
                count = L::select(plane.before(older, third), L::splat((back + 1) as f32), count);
            }
            newer = third;
            back += 2;
        }
        count
    }
}

/// The planes through the heads that knots are ahead of.
struct Plane<L: Lanes> {
    to: Vec3W<L>,
    back: L::Mask,
    facing: Vec3W<L>,
    /// Distance that counts as none.
    noise: L,
    spacing: L,
}

impl<L: Lanes> Plane<L> {
    #[inline(always)]
    fn before(&self, knot: Vec3W<L>, older: Vec3W<L>) -> L::Mask {
        let (past, link) = (knot - self.to, knot - older);
        let across_link = (self.noise * self.spacing).lt(past.dot(link));
        // A head that faces away from the path passes none of it: it leaves the path by going back.
        let passes =
            self.noise.lt(past.dot(self.facing)) & (self.spacing * L::splat(PASSED_COSINE)).lt(link.dot(self.facing));
        across_link | (self.back & passes)
    }
}

impl Ground<'_> {
    /// The points of the lanes of these bits, and the ground's normal there (level 0 where there is none).
    #[inline(always)]
    fn put_on<L: Lanes>(&self, state: &BlockState, point: Vec3W<L>, bits: u32) -> (Vec3W<L>, Vec3W<L>) {
        let normal = Vec3W::load(&state.ground);
        let bits = bits & self.walkers;
        if bits == 0 {
            return (point, normal);
        }
        let (px, at_y, pz) = (point.x.to_array(), point.y.to_array(), point.z.to_array());
        // Others ask nowhere, which costs nothing and hits nothing.
        let (mut x, mut y, mut z) = ([f64::NAN; LANES], [0.0; LANES], [f64::NAN; LANES]);
        for lane in 0..LANES {
            if bits & (1 << lane) != 0 {
                x[lane] = state.origin[0][lane] + f64::from(px[lane]);
                y[lane] = state.origin[1][lane] + f64::from(at_y[lane] + self.radius[lane]);
                z[lane] = state.origin[2][lane] + f64::from(pz[lane]);
            }
        }
        let felt = self.terrain.sample_under_lanes(&x, &y, &z);
        let (rests, _) = self.terrain.rest_on_lanes::<L>(bits, &felt.footing, [&x, &z], &self.radius, Walls::Lean);
        let (mut hit, mut y) = (0, [0.0; LANES]);
        for lane in 0..LANES {
            // The head went there: what is higher by more than a step is a wall that it went along.
            let height = (rests[lane] - state.origin[1][lane]) as f32;
            let is_wall = height > at_y[lane] + STEP_RADII * self.radius[lane];
            y[lane] = if is_wall { at_y[lane] } else { height };
            hit |= u32::from(felt.hit[lane]) << lane;
        }
        let hit = L::mask_from_bits(hit);
        let on_ground = Vec3W::new(point.x, L::select(hit, L::load(&y), point.y), point.z);
        (on_ground, Vec3W::select(hit, Vec3W::load(&felt.normal), normal))
    }
}

/// Positions of the knots `back` places behind the pens, and of the next newer ones.
#[inline(always)]
fn at<L: Lanes>(rings: Rings<'_>, cursor: &[u32; LANES], back: u32) -> [Vec3W<L>; 2] {
    let [[x, y, z, _], [x2, y2, z2, _]] = L::gather_rings(rings, cursor, L::splat(back as f32));
    [Vec3W::new(x, y, z), Vec3W::new(x2, y2, z2)]
}

/// Which way heads that back up face: along the way's heading, or as reported.
#[inline(always)]
fn facing(state: &BlockState, trail: &Trail, piece: usize) -> Vec8 {
    let mut facing = state.forward;
    for lane in 0..LANES {
        if trail.curved[lane] {
            set_lane3(&mut facing, lane, lane3(&trail.heading[piece + 1], lane));
        }
    }
    facing
}

/// Rounds to the creatures' grids.
#[inline(always)]
fn snap_lanes<L: Lanes>(point: Vec3W<L>, cell: &Lane8) -> Vec3W<L> {
    let mut rounded = [point.x.to_array(), point.y.to_array(), point.z.to_array()];
    for component in &mut rounded {
        for lane in 0..LANES {
            component[lane] = snap(component[lane], cell[lane]);
        }
    }
    Vec3W::load(&rounded)
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

/// Pieces of the heads' ways.
struct Way<L: Lanes> {
    from: Vec3W<L>,
    to: Vec3W<L>,
    /// Tangents at the ends, as long as the way: of those that are `curved`.
    tangents: [Vec3W<L>; 2],
    curved: L::Mask,
}

impl<L: Lanes> Way<L> {
    #[inline(always)]
    fn of(trail: &Trail, piece: usize, from: Vec3W<L>, to: Vec3W<L>) -> Self {
        let (h0, h1) = (Vec3W::load(&trail.heading[piece]), Vec3W::load(&trail.heading[piece + 1]));
        let chord = to - from;
        let length = chord.length();
        // A head that backs up has its headings against its way.
        let length = L::select(chord.dot(h0).lt(L::splat(0.0)), -length, length);
        let curved = (0..LANES).fold(0, |m, l| m | (u32::from(trail.curved[l]) << l));
        Self { from, to, tangents: [h0 * length, h1 * length], curved: L::mask_from_bits(curved) }
    }

    /// Of a way longer than `most` only the end is laid: the path behind would be forgotten at once.
    #[inline(always)]
    fn cut(&mut self, most: L) {
        let chord = self.to - self.from;
        let length = chord.length();
        let long = most.lt(length);
        self.from = Vec3W::select(long, self.to - chord * (most / length), self.from);
        self.curved = self.curved & !long;
    }

    /// The share at which the way leaves the sphere of this squared radius: `guess` if it is straight, put right on an
    /// arc by two steps of regula falsi, so that knots lie where they lie at any tick rate.
    #[inline(always)]
    fn exit(&self, from: L, guess: L, start: Vec3W<L>, center: Vec3W<L>, square: L) -> L {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        if !L::any(self.curved) {
            return guess;
        }
        let (mut low, mut below) = (from, (start - center).length_squared() - square);
        let (mut high, mut above) = (one, (self.to - center).length_squared() - square);
        let (mut share, mut open) = (guess, self.curved);
        for _ in 0..2 {
            let here = (self.at(share) - center).length_squared() - square;
            let is_low = here.lt(zero);
            (low, below) = (L::select(is_low, share, low), L::select(is_low, here, below));
            (high, above) = (L::select(is_low, high, share), L::select(is_low, above, here));
            open = open & below.lt(zero) & below.lt(above);
            let next = low - below * (high - low) / (above - below);
            share = L::select(open, next.min(one), share);
        }
        share
    }

    /// The point at this share: cubic Hermite where the way is curved.
    #[inline(always)]
    fn at(&self, u: L) -> Vec3W<L> {
        let chord = self.to - self.from;
        let (v, uv) = (L::splat(1.0) - u, u * (L::splat(1.0) - u));
        // h01 = u^2 (3 - 2u), h10 = u v^2, h11 = -u^2 v.
        let [t0, t1] = self.tangents;
        let arc = chord * (u * u * (L::splat(3.0) - (u + u))) + t0 * (uv * v) - t1 * (uv * u);
        self.from + Vec3W::select(self.curved, arc, chord * u)
    }
}

/// Where the ray m + d t leaves the sphere of this squared radius round zero. The form without cancellation:
/// t = c / (m.d + sqrt((m.d)^2 + d.d c)), c = radius^2 - m.m. From outside it is 0.
#[inline(always)]
fn exit<L: Lanes>(m: Vec3W<L>, d: Vec3W<L>, square: L) -> L {
    let zero = L::splat(0.0);
    let c = square - m.length_squared();
    let b = m.dot(d);
    let bottom = b + (b * b + d.length_squared() * c).max(zero).sqrt();
    L::select(zero.lt(c) & zero.lt(bottom), c / bottom, zero)
}

impl Rows<'_> {
    /// Position and dorsal direction of the knot `back` places behind the pen of a lane.
    fn knot(&self, lane: usize, back: u32) -> [[f32; 3]; 2] {
        let row = self.knots[lane * self.shape.ring_rows() + self.shape.ring(self.state.cursor[lane], back)];
        [[row[0], row[1], row[2]], unpack_direction(row[3])]
    }
}

impl Ground<'_> {
    /// The knot, and the normal there, one spacing beyond `end`, on the ground, straight on seen from above; None without
    /// ground there, or where the path leads straight up or down.
    fn put_tail_on(
        &self,
        state: &BlockState,
        lane: usize,
        end: [f32; 3],
        before: [f32; 3],
    ) -> Option<([f32; 3], [f32; 3])> {
        let spacing = state.spacing[lane];
        let [x, z] = [end[0] - before[0], end[2] - before[2]];
        let level = (x * x + z * z).sqrt();
        if level < 0.1 * spacing {
            return None;
        }
        let origin = lane3(&state.origin, lane);
        let on = |step: f32| {
            let (x, z) = (end[0] + x * (step / level), end[2] + z * (step / level));
            let [at_x, at_z] = [origin[0] + f64::from(x), origin[2] + f64::from(z)];
            let felt = self.terrain.sample_under(at_x, origin[1] + f64::from(end[1] + spacing), at_z)?;
            let height = self.terrain.rest_on(felt.footing, at_x, at_z, self.radius[lane], Walls::Lean);
            Some(([x, (height - origin[1]) as f32, z], felt.normal))
        };
        // On a slope a spacing seen from above is a longer way.
        let (there, _) = on(spacing)?;
        let rise = there[1] - end[1];
        on(spacing * spacing / (spacing * spacing + rise * rise).sqrt())
    }
}

/// Takes the newest committed knots of a lane back, and adds as many behind the oldest: straight on, and on the ground for
/// creatures that are kept there.
#[cold]
fn pop(block: &mut Rows<'_>, ground: &Ground<'_>, lane: usize, count: u32) {
    for _ in 0..count {
        let cursor = block.state.cursor[lane].wrapping_sub(1);
        block.state.cursor[lane] = cursor;
        let last = block.shape.knots as u32 - 1;
        let ([end, dorsal], [before, _]) = (block.knot(lane, last - 1), block.knot(lane, last - 2));
        let mut next: [f32; 3] = std::array::from_fn(|c| end[c] + (end[c] - before[c]));
        let mut up = dorsal;
        if ground.walkers & (1 << lane) != 0 {
            (next, up) = ground.put_tail_on(block.state, lane, end, before).unwrap_or((next, up));
        }
        let at: [f32; 3] = next.map(|x| snap(x, block.state.cell[lane]));
        let ring = block.shape.ring_of(block.knots, lane);
        put_row(ring, block.shape.ring(cursor.wrapping_sub(last), 0), [at[0], at[1], at[2], pack_direction(up)]);
    }
    if count > 0 {
        let [_, [x, y, z]] = block.knot(lane, 1);
        let square = x * x + y * y + z * z;
        let inv = 1.0 / square.sqrt();
        let dorsal = if square > 1e-30 { [x * inv, y * inv, z * inv] } else { [0.0, 1.0, 0.0] };
        set_lane3(&mut block.state.knot_dorsal, lane, dorsal);
    }
}
