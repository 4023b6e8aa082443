//! body: marches the joints along the path.
//!
//! Reads knots and heads. Writes joints. Each joint is the first point of the curve, after the joint before it, at chord
//! distance of one segment from that joint: on the curve and exact at once, front anchored. The curve is the path offset
//! along the knots' dorsals by radius(i) - radius(0), so that the belly of a tapering body runs at one height.
//! Derivation and the measured alternatives: docs/derivations/march.md. Parallel: its own lanes only.

use super::Task;
use crate::batch::{BlockState, JointLanes, Shape, pack_direction_lanes, unpack_direction_lanes};
use crate::constants::SKIP_SHARE;
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, Rings, Row4, Vec3W, dispatch};

struct March<'a> {
    state: &'a BlockState,
    shape: &'a Shape,
    radius: &'a [f32],
    knots: &'a [Row4],
    joints: &'a mut [JointLanes],
}

/// Runs the stage on one block.
pub(crate) fn march_joints(task: &mut Task<'_, '_>) {
    march(task.context.isa, task.block);
}

/// The same outside a tick.
pub(crate) fn march(isa: Isa, block: &mut crate::batch::BlockMut<'_>) {
    let radius = block.profile.radius_m();
    dispatch(isa, March { state: block.state, shape: block.shape, radius, knots: block.knots, joints: block.joints });
}

/// A point of the path: position and dorsal direction.
#[derive(Clone, Copy)]
struct PathPoint<L> {
    at: Vec3W<L>,
    dorsal: Vec3W<L>,
}

/// The paths of eight creatures.
struct Paths<'a> {
    rings: Rings<'a>,
    cursor: &'a [u32; LANES],
    /// Index of the oldest knot.
    last: f32,
}

impl Paths<'_> {
    /// The knots `back` places behind the pens.
    #[inline(always)]
    fn knots<L: Lanes>(&self, back: L) -> PathPoint<L> {
        let back = back.to_i32();
        let mut index = [0; LANES];
        for lane in 0..LANES {
            index[lane] = self.cursor[lane].wrapping_sub(back[lane] as u32);
        }
        let [x, y, z, dorsal] = L::gather_rings(self.rings, &index);
        PathPoint { at: Vec3W::new(x, y, z), dorsal: unpack_direction_lanes(dorsal) }
    }
}

/// Where a march is: on the link from `a` to `b`, `b` being the knot `index` places behind the pen.
struct Walk<L> {
    a: PathPoint<L>,
    b: PathPoint<L>,
    index: L,
}

/// How far links may be skipped: within a squared distance to `b`, `many` links more lie surely within reach.
struct Skips<L> {
    reach: L,
    near: L,
    many: L,
    some: L,
}

impl Kernel for March<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, shape, radius, knots, joints } = self;
        let paths = Paths { rings: Rings::new(knots), cursor: &state.cursor, last: (shape.knots - 1) as f32 };
        let (segment, scale) = (L::load(&state.segment), L::load(&state.scale));
        let skips = skips(segment, L::load(&state.spacing), shape.knots_per_segment as f32);
        let inv_square = L::splat(1.0) / skips.reach;
        let mut p = Vec3W::<L>::load(&head_lanes(state));
        let dorsal = Vec3W::load(&state.dorsal);
        // The link from the head to the pen comes first: of no length, but while the pen rounds a fold.
        let (a, b) = (PathPoint { at: p, dorsal }, paths.knots(L::splat(0.0)));
        let mut walk = Walk { a, b, index: L::splat(0.0) };
        store(&mut joints[0], p, dorsal);
        for joint in 1..shape.joints {
            let offset = scale * L::splat(radius[joint] - radius[0]);
            walk.skip_to(&paths, p, offset, &skips);
            walk.step_to(&paths, p, offset, skips.reach);
            let start = walk.a.at + walk.a.dorsal * offset;
            let end = walk.b.at + walk.b.dorsal * offset;
            let (m, d) = (start - p, end - start);
            // First exit of start + d t from the sphere round p, in the form without cancellation.
            let c = (skips.reach - m.length_squared()).max(L::splat(0.0));
            let along = m.dot(d);
            let bottom = along + (along * along + d.length_squared() * c).sqrt();
            let t = L::select(L::splat(0.0).lt(bottom), c / bottom, L::splat(0.0));
            p = p + to_length(m + d * t, segment, inv_square);
            store(&mut joints[joint], p, walk.a.dorsal.lerp(walk.b.dorsal, t.min(L::splat(1.0))));
        }
    }
}

#[inline(always)]
fn skips<L: Lanes>(segment: L, spacing: L, per_segment: f32) -> Skips<L> {
    let near = segment * L::splat(SKIP_SHARE) - spacing * L::splat(per_segment - 1.0);
    let near = near.max(L::splat(0.0));
    Skips { reach: segment * segment, near: near * near, many: L::splat(per_segment - 1.0), some: L::splat(per_segment - 2.0) }
}

impl<L: Lanes> Walk<L> {
    /// Skips the links that are surely within reach: chords are no longer than the links they span, so with `b` at
    /// distance x, n links more stay within x + n spacings. A growing body's knots lie a little closer or wider than
    /// its segments ask for; then the skip is a guess, and one too far is put right by the exact length.
    #[inline(always)]
    fn skip_to(&mut self, paths: &Paths<'_>, p: Vec3W<L>, offset: L, skips: &Skips<L>) {
        let left = (self.b.at + self.b.dorsal * offset - p).length_squared();
        let inside = left.lt(skips.reach);
        let count = L::select(left.lt(skips.near), skips.many, skips.some);
        let from = (self.index + count).min(L::splat(paths.last - 1.0));
        let next = from + L::splat(1.0);
        if L::bits(inside) == 0xff {
            (self.a, self.b, self.index) = (paths.knots(from), paths.knots(next), next);
        } else {
            self.a = select(inside, paths.knots(from), self.a);
            self.b = select(inside, paths.knots(next), self.b);
            self.index = L::select(inside, next, self.index);
        }
    }

    /// Goes on link by link while `b` is within reach.
    #[inline(always)]
    fn step_to(&mut self, paths: &Paths<'_>, p: Vec3W<L>, offset: L, reach: L) {
        loop {
            let left = (self.b.at + self.b.dorsal * offset - p).length_squared();
            let more = left.lt(reach) & self.index.lt(L::splat(paths.last));
            if !L::any(more) {
                return;
            }
            self.index = L::select(more, self.index + L::splat(1.0), self.index);
            let next = paths.knots(self.index);
            self.a = select(more, self.b, self.a);
            self.b = select(more, next, self.b);
        }
    }
}

/// `v` at the length `segment`, exactly. It nearly has it, as a rule: then two steps of Newton's iteration for the
/// inverse square root do, without the latency of a root and a division.
#[inline(always)]
fn to_length<L: Lanes>(v: Vec3W<L>, segment: L, inv_square: L) -> Vec3W<L> {
    let ratio = v.length_squared() * inv_square;
    let off = (ratio - L::splat(1.0)).abs();
    // Written so that NaN takes the careful way.
    if L::bits(off.lt(L::splat(1e-2))) == 0xff {
        let first = L::splat(1.5) - L::splat(0.5) * ratio;
        let second = first * (L::splat(1.5) - L::splat(0.5) * ratio * first * first);
        return v * second;
    }
    v.normalize_or(1e-30, Vec3W::splat([0.0, 0.0, 1.0])) * segment
}

#[inline(always)]
fn head_lanes(state: &BlockState) -> [Lane8; 3] {
    let mut head = [[0.0; LANES]; 3];
    for c in 0..3 {
        for lane in 0..LANES {
            head[c][lane] = state.head[c][lane] as f32;
        }
    }
    head
}

#[inline(always)]
fn select<L: Lanes>(mask: L::Mask, yes: PathPoint<L>, no: PathPoint<L>) -> PathPoint<L> {
    PathPoint { at: Vec3W::select(mask, yes.at, no.at), dorsal: Vec3W::select(mask, yes.dorsal, no.dorsal) }
}

#[inline(always)]
fn store<L: Lanes>(joint: &mut JointLanes, p: Vec3W<L>, dorsal: Vec3W<L>) {
    let [x, y, z, packed] = joint;
    p.x.store(x);
    p.y.store(y);
    p.z.store(z);
    pack_direction_lanes(dorsal).store(packed);
}
