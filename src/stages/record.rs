//! record: lays the path.
//!
//! Reads the trail. Writes knots, pens and dorsal directions. The path's front, the pen, is where the head is; a knot is
//! committed where the pen's way leaves the sphere of one spacing round the newest knot, so links are chords of one
//! length, jitter within a spacing never adds a knot, and every knot lies on the achieved way. Backing up pops the knots
//! ahead of the head's plane. Source: the serpentine document, "Explicit guiding Head"; TRAPS, "record".
//!
//! Scalar: one lane in four commits a knot in a tick, each at its own ring position. Parallel: its own lanes only.

use super::{Context, Scratch, Task, Trail};
use crate::batch::{
    BlockMut, Motion, Vec8, flag, lane3, pack_direction, rotate_with, set_lane3, snap, unpack_direction,
};
use crate::constants::{FOLD_COSINE, LEVEL_SHARE, PEN_CATCH_UP, TWIST_PER_DIAMETER_RAD};
use crate::lanes::LANES;
use glam::Vec3;

/// Runs the stage on one block.
pub(crate) fn lay_path(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    for lane in 0..LANES {
        let moved = lane3(&block.state.displacement, lane) != [0.0; 3];
        if moved || block.state.has(lane, flag::LAGS) && block.state.dt[lane] > 0.0 {
            Pen::take(block, context, lane).follow(block, scratch, lane);
        }
    }
}

/// The front of one creature's path while it is laid.
struct Pen<'a> {
    at: Vec3,
    /// The two newest committed knots.
    newest: Vec3,
    second: Vec3,
    dorsal: Vec3,
    spacing: f32,
    diameter: f32,
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
            dorsal: lane3(&state.knot_dorsal, lane).into(),
            spacing: state.spacing[lane],
            diameter: 2.0 * radius,
            ground: follows.then(floor),
            normal: lane3(&state.ground, lane).into(),
        }
    }

    /// Follows the trail to the head.
    fn follow(mut self, block: &mut BlockMut<'_>, scratch: &mut Scratch, lane: usize) {
        let pieces = scratch.trail.pieces[lane] as usize;
        for piece in 0..pieces {
            let [from, to] = ends(&scratch.trail.position[..], piece, lane);
            if block.state.travelled[lane] < 0.0 {
                scratch.counters.knots_popped += self.back_up(block, lane, to);
            } else if block.state.has(lane, flag::LAGS) || self.folds(block, lane, to) {
                scratch.counters.folds += 1;
                self.round_fold(block, lane, (to - from).length(), to, &mut scratch.counters.knots_laid);
            } else {
                let way = Way::of(&scratch.trail, piece, lane, self.at, to);
                self.lay(block, lane, &way, &mut scratch.counters.knots_laid);
            }
        }
        self.put_down(block, lane);
    }

    /// Commits knots along the way, and moves the pen to its end.
    fn lay(&mut self, block: &mut BlockMut<'_>, lane: usize, way: &Way, laid: &mut u64) {
        let reach = self.spacing * self.spacing;
        // More than the ring holds is not laid one by one: the path behind would be forgotten at once.
        let length = (way.to - way.from).length();
        let most = self.spacing * block.shape.knots as f32;
        let mut share = if length > most { 1.0 - most / length } else { 0.0 };
        while (way.to - self.newest).length_squared() >= reach && share < 1.0 {
            let at = way.at(share);
            let left = way.to - at;
            let exit = share + (1.0 - share) * exit(at - self.newest, left, reach);
            // The pen may be outside already (after a jump): then the knot lies where it is.
            share = if exit < 1.0 { exit } else { 1.0 };
            self.commit(block, lane, way.at(share));
            *laid += 1;
        }
        self.at = way.to;
    }

    /// Makes a point of the way the newest committed knot.
    fn commit(&mut self, block: &mut BlockMut<'_>, lane: usize, point: Vec3) {
        let (point, normal) = self.on_floor(point);
        let cell = block.state.cell[lane];
        let point = Vec3::new(snap(point.x, cell), snap(point.y, cell), snap(point.z, cell));
        self.dorsal = self.dorsal_at(point, normal);
        (self.second, self.newest) = (self.newest, point);
        let cursor = block.state.cursor[lane];
        put_knot(block, lane, cursor, point, self.dorsal);
        block.state.cursor[lane] = cursor.wrapping_add(1);
    }

    /// The dorsal direction at the end of a link from the newest knot to `point`: carried along the bend, then turned
    /// toward the ground's normal (or level) as far as the link's length allows.
    fn dorsal_at(&self, point: Vec3, normal: Vec3) -> Vec3 {
        let (before, link) = (self.newest - self.second, point - self.newest);
        let length = link.length();
        if length < 1e-3 * self.spacing {
            return self.dorsal;
        }
        let tangent = link / length;
        let carried = match before.length_squared() > 0.0 {
            true => {
                Vec3::from(rotate_with(self.dorsal.into(), (before / before.length()).into(), tangent.into()))
            }
            false => self.dorsal,
        };
        let carried = unit_or(carried - tangent * carried.dot(tangent), self.dorsal);
        toward_upright(carried, tangent, normal, TWIST_PER_DIAMETER_RAD * length / self.diameter)
    }

    fn on_floor(&self, point: Vec3) -> (Vec3, Vec3) {
        let Some(floor) = &self.ground else { return (point, self.normal) };
        let (x, z) = (floor.origin[0] + f64::from(point.x), floor.origin[2] + f64::from(point.z));
        let Some(sample) = floor.terrain.sample(x, z) else { return (point, self.normal) };
        let height = sample.height_m + f64::from(floor.radius / sample.normal[1]);
        (Vec3::new(point.x, (height - floor.origin[1]) as f32, point.z), sample.normal.into())
    }

    /// Pops the knots ahead of the head's plane; the oldest end grows straight by as many. Returns how many.
    fn back_up(&mut self, block: &mut BlockMut<'_>, lane: usize, to: Vec3) -> u64 {
        let mut popped = 0;
        let most = block.shape.knots as u64;
        while (self.newest - to).dot(self.newest - self.second) > 0.0 && popped < most {
            let cursor = block.state.cursor[lane].wrapping_sub(1);
            block.state.cursor[lane] = cursor;
            let last = block.shape.knots as u32 - 1;
            let (end, before) = (knot(block, lane, last - 1), knot(block, lane, last - 2));
            let dorsal = dorsal(block, lane, last - 1);
            put_knot(block, lane, cursor.wrapping_sub(last), end + (end - before), dorsal);
            (self.newest, self.second) = (knot(block, lane, 1), knot(block, lane, 2));
            self.dorsal = unit_or(super::record::dorsal(block, lane, 1), self.dorsal);
            popped += 1;
        }
        self.at = to;
        block.state.put(lane, flag::LAGS, false);
        popped
    }

    /// Whether moving to `to` turns back against the path within one segment length.
    fn folds(&self, block: &BlockMut<'_>, lane: usize, to: Vec3) -> bool {
        let step = to - self.at;
        let mut newer = self.newest;
        (2..2 + block.shape.knots_per_segment as u32).any(|back| {
            let older = if back == 2 { self.second } else { knot(block, lane, back) };
            let link = newer - older;
            newer = older;
            step.dot(link) < FOLD_COSINE * step.length() * link.length()
        })
    }

    /// Draws the path round a fold: the pen turns by no more than a right angle within a segment length, and catches up
    /// with the head at a bounded multiple of the head's own travel, so that no joint jumps.
    fn round_fold(&mut self, block: &mut BlockMut<'_>, lane: usize, travel: f32, head: Vec3, laid: &mut u64) {
        let mut budget = PEN_CATCH_UP * travel;
        let step = 0.25 * self.spacing;
        while budget > 0.0 {
            let left = head - self.at;
            let distance = left.length();
            let length = if step < budget { step } else { budget };
            let turned = self.allowed(block, lane, left);
            if distance <= length && (turned - left).length_squared() < 1e-12 * distance * distance {
                self.lay(block, lane, &Way::straight(self.at, head), laid);
                block.state.put(lane, flag::LAGS, false);
                return;
            }
            let to = self.at + unit_or(turned, self.newest - self.second) * length;
            self.lay(block, lane, &Way::straight(self.at, to), laid);
            budget -= length;
        }
        block.state.put(lane, flag::LAGS, true);
    }

    /// The part of `wish` that does not turn against the links of the last segment length; sideways where none is left.
    fn allowed(&self, block: &BlockMut<'_>, lane: usize, wish: Vec3) -> Vec3 {
        let mut allowed = wish;
        let mut newer = self.newest;
        for back in 2..2 + block.shape.knots_per_segment as u32 {
            let older = if back == 2 { self.second } else { knot(block, lane, back) };
            let link = unit_or(newer - older, Vec3::ZERO);
            newer = older;
            let along = allowed.dot(link);
            if along < 0.0 {
                allowed -= link * along;
            }
        }
        if allowed.length_squared() > 1e-4 * wish.length_squared() {
            return allowed;
        }
        self.dorsal.cross(self.newest - self.second)
    }

    /// Writes the pen back: its provisional knot, and the dorsal direction that guidance turns about.
    fn put_down(self, block: &mut BlockMut<'_>, lane: usize) {
        let dorsal = self.dorsal_at(self.at, self.normal);
        let cursor = block.state.cursor[lane];
        put_knot(block, lane, cursor, self.at, dorsal);
        set_lane3(&mut block.state.pen, lane, self.at.into());
        set_lane3(&mut block.state.dorsal, lane, dorsal.into());
        set_lane3(&mut block.state.knot_dorsal, lane, self.dorsal.into());
    }
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
        // Backing up does not get here, so headings point along the way.
        Self { from, to, tangents: trail.curved[lane].then(|| [h0 * length, h1 * length]) }
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

/// `dorsal`, perpendicular to `tangent`, turned about it toward `normal` (or, without ground, toward level) by at most
/// `limit` radians.
fn toward_upright(dorsal: Vec3, tangent: Vec3, normal: Vec3, limit: f32) -> Vec3 {
    let on_ground = normal != Vec3::ZERO;
    let up = if on_ground { normal } else { Vec3::Y };
    let up = up - tangent * up.dot(tangent);
    let steep = up.length_squared();
    if steep < 1e-6 {
        return dorsal;
    }
    let wish = up / steep.sqrt();
    let cos = dorsal.dot(wish);
    // Without ground, a creature upside down in a loop stays so: the loop itself brings it round.
    let limit = if on_ground { limit } else { limit * LEVEL_SHARE * steep };
    if !on_ground && cos <= 0.0 {
        return dorsal;
    }
    let aside = wish - dorsal * cos;
    let sin = aside.length();
    if cos > 0.0 && sin <= limit {
        return wish;
    }
    let aside = if sin > 1e-3 { aside / sin } else { tangent.cross(dorsal) };
    unit_or(dorsal + aside * limit, dorsal)
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
    let row = block.knots[lane * block.shape.knots + block.shape.ring(block.state.cursor[lane], back)];
    Vec3::new(row[0], row[1], row[2])
}

fn dorsal(block: &BlockMut<'_>, lane: usize, back: u32) -> Vec3 {
    let row = block.knots[lane * block.shape.knots + block.shape.ring(block.state.cursor[lane], back)];
    unpack_direction(row[3]).into()
}

fn put_knot(block: &mut BlockMut<'_>, lane: usize, position: u32, at: Vec3, dorsal: Vec3) {
    let index = lane * block.shape.knots + block.shape.ring(position, 0);
    block.knots[index] = [at.x, at.y, at.z, pack_direction(dorsal.into())];
}
