//! Filling a creature's path history: straight behind its heading, along a given path, or anew at another spacing.

use super::{
    ASKED_FALL, BlockMut, BlockState, NEW_FALL, Shape, flag, lane3, pack_direction, put_row, renew_falls, set_lane3,
    unpack_direction, walked_fall,
};
use crate::constants::GRID_SHARE;
use crate::lanes::Row4;
use crate::profile::Profile;
use crate::terrain::{Terrain, Walls};
use glam::{DVec3, Vec3};

/// What a history is filled from.
pub(crate) enum Seed<'a> {
    /// Straight behind the head.
    Straight,
    /// Along these world positions, head first, then straight on.
    Path(&'a [DVec3]),
}

/// Rounds to the creature's grid, so that moving the origin by whole cells is exact.
#[inline(always)]
pub(crate) fn snap(value: f32, cell: f32) -> f32 {
    // 1.5 x 2^52: rounds an f64 to an integer, ties to even.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // A sum this large has the grid's own spacing as its last bit: the grid is a power of two.
    let large = ROUND * f64::from(cell * GRID_SHARE);
    ((f64::from(value) + large) - large) as f32
}

/// The power of two within two and four body lengths.
fn cell_of(length: f32) -> f32 {
    let mut cell = 1.0_f32;
    while cell < 2.0 * length {
        cell *= 2.0;
    }
    while cell >= 4.0 * length {
        cell *= 0.5;
    }
    cell
}

/// Derives the lengths of a lane from its scale. With `spacing`, the history's too: its knots must then be laid anew.
pub(crate) fn resize_lane(state: &mut BlockState, lane: usize, profile: &Profile, shape: &Shape, spacing: bool) {
    let segments = (shape.joints - 1) as f32;
    state.length[lane] = profile.length_m() * state.scale[lane];
    state.segment[lane] = state.length[lane] / segments;
    if spacing {
        state.history_scale[lane] = state.scale[lane];
        state.spacing[lane] = state.segment[lane] / shape.knots_per_segment as f32;
        state.cell[lane] = cell_of(state.length[lane]);
    }
}

/// Fills a lane's history. Its origin, head, headings, dorsal and sizes must be set; afterwards the pen is at the head.
pub(crate) fn seed_lane(block: &mut BlockMut<'_>, lane: usize, terrain: &Terrain, seed: &Seed<'_>) {
    let state = &mut *block.state;
    let origin = DVec3::from(lane3(&state.origin, lane));
    let head = DVec3::from(lane3(&state.head, lane));
    let facing = Vec3::from(lane3(&state.center, lane)).as_dvec3();
    let ground = Ground {
        terrain: Some(terrain).filter(|terrain| state.has(lane, flag::FOLLOWS) && **terrain != Terrain::None),
        radius: f64::from(block.profile.radius_m()[0] * state.scale[lane]),
    };
    let spacing = f64::from(state.spacing[lane]);
    let points = ground.plan(match seed {
        Seed::Straight => &[],
        Seed::Path(points) => points,
    });
    let mut walk = Polyline::new(&points, ground.flatten(facing));
    let knots = block.shape.knots;
    let ring = block.shape.ring_of(block.knots, lane);
    let cell = state.cell[lane];
    let mut at = origin + head;
    let mut dorsal = Vec3::from(lane3(&state.dorsal, lane));
    let mut tangent = facing.as_vec3();
    state.cursor[lane] = knots as u32 - 1;
    for back in 0..knots as u32 {
        if back > 0 {
            let (next, normal) = ground.next(&mut walk, at, spacing);
            let to_head = ((at - next) / at_least(1e-12, (at - next).length())).as_vec3();
            dorsal = normal.unwrap_or_else(|| carry(dorsal, tangent, to_head));
            (at, tangent) = (next, to_head);
        }
        let local = (at - origin).as_vec3();
        let row = [snap(local.x, cell), snap(local.y, cell), snap(local.z, cell), pack_direction(dorsal.into())];
        put_row(ring, block.shape.ring(state.cursor[lane], back), row);
    }
    settle_pen(state, lane, ring, block.shape);
    state.put(lane, flag::FRESH, true);
    renew_falls(block, lane);
}

/// Puts the pen where the head is, and takes the newest committed knot's dorsal as where the next one starts from.
fn settle_pen(state: &mut BlockState, lane: usize, ring: &mut [Row4], shape: &Shape) {
    let head = lane3(&state.head, lane).map(|c| c as f32);
    let row = [head[0], head[1], head[2], pack_direction(lane3(&state.dorsal, lane))];
    put_row(ring, shape.ring(state.cursor[lane], 0), row);
    set_lane3(&mut state.pen, lane, head);
    state.anchor.iter_mut().zip(&state.head).for_each(|(anchor, head)| anchor[lane] = head[lane]);
    let newest = ring[shape.ring(state.cursor[lane], 1)];
    set_lane3(&mut state.knot_dorsal, lane, unit(unpack_direction(newest[3])));
}

/// Lays a lane's history anew at the spacing of its present scale, along the path it has; `falls` is what that has fallen.
pub(crate) fn resample_lane(block: &mut BlockMut<'_>, lane: usize, from: &[Row4], falls: &[Row4], from_cursor: u32) {
    // Copied lanes bring it along with their state.
    let walked = block.state.walked[lane];
    renew_falls(block, lane);
    let count = from.len() as u32 - 1;
    let old = |back: u32| from[(from_cursor.wrapping_sub(back) & (count - 1)) as usize];
    let fall = |back: u32| {
        let index = (from_cursor.wrapping_sub(back) & (count - 1)) as usize;
        let fall = if (1..=walked).contains(&back) { Some(walked_fall()) } else { falls.get(index).copied() };
        fall.filter(|fall| *fall != NEW_FALL)
    };
    // Along the path as it was laid: what has fallen falls from the new knots.
    let position = |back: u32| {
        let [x, y, z, _] = old(back);
        Vec3::new(x, y + fall(back).map_or(0.0, |fall| fall[1]), z)
    };
    let knots = block.shape.knots;
    let ring = block.shape.ring_of(block.knots, lane);
    let (spacing, cell) = (block.state.spacing[lane], block.state.cell[lane]);
    block.state.cursor[lane] = knots as u32 - 1;
    let mut at = position(0);
    // The walk is between `from` and the old knot `next`; past the oldest it goes on straight.
    let (mut from, mut next) = (at, 1);
    let beyond = unit_or_back(position(count - 1) - position(count - 2));
    for back in 0..knots as u32 {
        let mut dorsal = old(next - 1)[3];
        if back > 0 {
            while next < count && (position(next) - at).length() < spacing {
                (from, next) = (position(next), next + 1);
            }
            let way = if next < count { position(next) - from } else { beyond * (2.0 * spacing) };
            from += way * exit(from - at, way, spacing);
            at = from;
            dorsal = old(next.min(count - 1))[3];
        }
        let index = block.shape.ring(block.state.cursor[lane], back);
        let mut height = snap(at.y, cell);
        if let (true, true, Some(a), Some(b)) = (back > 0, block.shape.falls > 0, fall(next - 1), fall(next)) {
            let share = (at - position(next - 1)).length() / (position(next) - position(next - 1)).length();
            let share = if share < 1.0 { share } else { 1.0 };
            let [drop, velocity] = [1, 2].map(|i| a[i] + (b[i] - a[i]) * share);
            // Asked, and then to be asked anew: not as what lay beyond the tail.
            block.falls[lane * block.shape.falls + index] = [ASKED_FALL, drop, velocity, 0.0];
            height -= snap(drop, cell);
        }
        put_row(ring, index, [snap(at.x, cell), height, snap(at.z, cell), dorsal]);
    }
    settle_pen(block.state, lane, ring, block.shape);
    block.state.put(lane, flag::ASKS, true);
}

/// Where the ray m + d t leaves the sphere of this radius round zero, given that m lies inside. The form without
/// cancellation: t = c / (m.d + sqrt((m.d)^2 + d.d c)), c = radius^2 - m.m.
fn exit(m: Vec3, d: Vec3, radius: f32) -> f32 {
    let c = radius * radius - m.length_squared();
    let b = m.dot(d);
    let bottom = b + (b * b + d.length_squared() * c).sqrt();
    if c > 0.0 && bottom > 0.0 { c / bottom } else { 0.0 }
}

/// `x`, or `least` where it is smaller: unlike `f64::max`, the same zero everywhere.
fn at_least(least: f64, x: f64) -> f64 {
    if x > least { x } else { least }
}

/// The vector turned as the unit tangent `from` turns to `to`, by the smallest rotation.
fn carry(v: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    crate::batch::rotate_with(v.into(), from.into(), to.into()).into()
}

fn unit_or_back(v: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(Vec3::Z)
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let v = Vec3::from(v);
    (v / v.length_squared().sqrt()).into()
}

/// A path to walk along, from the head backward.
struct Polyline<'a> {
    points: &'a [DVec3],
    /// The point that the walk heads for next.
    next: usize,
    /// Direction of travel beyond the last point.
    beyond: DVec3,
}

impl<'a> Polyline<'a> {
    fn new(points: &'a [DVec3], facing: DVec3) -> Self {
        let last = points.windows(2).rev().map(|pair| pair[1] - pair[0]).find(|d| d.length_squared() > 1e-18);
        Self { points, next: 1, beyond: last.unwrap_or(-facing).try_normalize().unwrap_or(DVec3::Z) }
    }

    /// The first point of the path at this distance from `at`, onward from where the walk is.
    fn step(&mut self, at: DVec3, distance: f64) -> DVec3 {
        let mut from = at;
        while let Some(&to) = self.points.get(self.next) {
            if (to - at).length() >= distance {
                let (m, d) = (from - at, to - from);
                let c = at_least(0.0, distance * distance - m.length_squared());
                let b = m.dot(d);
                let bottom = b + (b * b + d.length_squared() * c).sqrt();
                return from + d * if bottom > 0.0 { c / bottom } else { 0.0 };
            }
            (from, self.next) = (to, self.next + 1);
        }
        let m = from - at;
        let (b, c) = (m.dot(self.beyond), at_least(0.0, distance * distance - m.length_squared()));
        from + self.beyond * (c / at_least(1e-300, b + (b * b + c).sqrt()))
    }
}

/// The ground that a seed is draped over, where its creature follows it.
struct Ground<'a> {
    terrain: Option<&'a Terrain>,
    radius: f64,
}

impl Ground<'_> {
    /// Followers walk in plan: the height of what they are given is not theirs.
    fn flatten(&self, v: DVec3) -> DVec3 {
        if self.terrain.is_some() { DVec3::new(v.x, 0.0, v.z) } else { v }
    }
    fn plan(&self, points: &[DVec3]) -> Vec<DVec3> {
        points.iter().map(|point| self.flatten(*point)).collect()
    }

    /// The next knot, one spacing behind `at`, with the ground's normal where it lies on ground.
    fn next(&self, walk: &mut Polyline<'_>, at: DVec3, spacing: f64) -> (DVec3, Option<Vec3>) {
        let Some(terrain) = self.terrain else { return (walk.step(at, spacing), None) };
        let drape = |p: DVec3| {
            // Of several floors the one that goes on from the knot before.
            let sample = terrain.sample_under(p.x, at.y + spacing, p.z)?;
            let height = terrain.rest_on(sample.footing, p.x, p.z, self.radius as f32, Walls::Lean);
            Some((DVec3::new(p.x, height, p.z), Vec3::from(sample.normal)))
        };
        let plan = self.flatten(at);
        let level = walk.step(plan, spacing);
        let off_ground = DVec3::new(level.x, at.y, level.z);
        let Some((first, _)) = drape(level) else { return (off_ground, None) };
        // Draping lengthens the link on a slope: shorten the horizontal step once by the ratio.
        let ratio = spacing / at_least(1e-12, (first - at).length());
        drape(plan + (level - plan) * ratio).map_or((off_ground, None), |(point, normal)| (point, Some(normal)))
    }
}
