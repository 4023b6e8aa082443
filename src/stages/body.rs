//! body: marches the joints along the path.
//!
//! Reads knots and heads. Writes joints. Each joint is the first point of the curve, after the joint before it, at chord
//! distance of one segment from that joint: on the curve and exact at once, front anchored. The curve is the path offset
//! along the knots' dorsals by radius(i) - radius(0), so that the belly of a tapering body runs at one height.
//! Derivation: docs/derivations/march.md; measured alternatives: docs/architecture.md. Parallel: its own lanes only.

use super::Task;
use crate::batch::{
    BlockState, DIRECTION_HALF, JointLanes, Shape, direction_fields, pack_direction_lanes, pack_fields,
};
use crate::constants::{CORNER_COSINE, SKIP_SHARE};
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

/// A point of the path: position, and the fields of its packed dorsal direction (see `batch::direction_fields`).
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
    /// The knots `back` places behind the pens, and the next newer ones.
    #[inline(always)]
    fn links<L: Lanes>(&self, back: L) -> [PathPoint<L>; 2] {
        let [[x, y, z, dorsal], [x2, y2, z2, dorsal2]] = L::gather_rings(self.rings, self.cursor, back);
        [
            PathPoint { at: Vec3W::new(x, y, z), dorsal: direction_fields(dorsal) },
            PathPoint { at: Vec3W::new(x2, y2, z2), dorsal: direction_fields(dorsal2) },
        ]
    }
}

/// Where a march is: on the link from `a` to `b`, `b` being the knot `index` places behind the pen.
struct Walk<L> {
    a: PathPoint<L>,
    b: PathPoint<L>,
    index: L,
}

/// How far links may be skipped: past `near` on its link, `many` links more lie surely within reach, else `some`.
struct Skips<L> {
    reach: L,
    near: L,
    many: L,
    some: L,
}

/// Where a joint is marched from. A knot's offset along its dorsal is offset * (field - 511) / 511: the part without the
/// field is the same for all knots, so the last joint is moved by it instead.
struct From<L> {
    p: Vec3W<L>,
    per_field: L,
}

impl<L: Lanes> From<L> {
    #[inline(always)]
    fn new(p: Vec3W<L>, offset: L) -> Self {
        Self { p: p + Vec3W::new(offset, offset, offset), per_field: offset * L::splat(1.0 / DIRECTION_HALF) }
    }
    /// From the last joint to the offset knot.
    #[inline(always)]
    fn to(&self, knot: &PathPoint<L>) -> Vec3W<L> {
        knot.at + knot.dorsal * self.per_field - self.p
    }
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
        let packed = pack_direction_lanes(Vec3W::load(&state.dorsal));
        // The link from the head to the pen comes first: the two are at one place.
        let a = PathPoint { at: p, dorsal: direction_fields(packed) };
        let [b, _] = paths.links(L::splat(0.0));
        let mut walk = Walk { a, b, index: L::splat(0.0) };
        store(&mut joints[0], p, packed);
        let mut t = L::splat(0.0);
        for joint in 1..shape.joints {
            let from = From::new(p, scale * L::splat(radius[joint] - radius[0]));
            // Nothing is surely within reach behind the pen, whose link is shorter than a spacing.
            let count = if joint == 1 { L::splat(0.0) } else { L::select(skips.near.lt(t), skips.many, skips.some) };
            walk.skip(&paths, count);
            walk.step(&paths, &from, skips.reach);
            let (m, end) = (from.to(&walk.a), from.to(&walk.b));
            let d = end - m;
            // First exit of m + d t from the sphere round the last joint, in the form without cancellation.
            let c = (skips.reach - m.length_squared()).max(L::splat(0.0));
            let along = m.dot(d);
            let bottom = along + (along * along + d.length_squared() * c).sqrt();
            t = L::select(L::splat(0.0).lt(bottom), c / bottom, L::splat(0.0));
            p = p + to_length(m + d * t, segment, inv_square);
            store(&mut joints[joint], p, walk.dorsal(t));
        }
    }
}

#[inline(always)]
fn skips<L: Lanes>(segment: L, spacing: L, per_segment: f32) -> Skips<L> {
    let near = L::splat(per_segment) - segment * L::splat(SKIP_SHARE) / spacing;
    Skips { reach: segment * segment, near, many: L::splat(per_segment - 1.0), some: L::splat(per_segment - 2.0) }
}

impl<L: Lanes> Walk<L> {
    /// Goes on by a link and `count` more, which are surely within reach: chords are no longer than the links they span.
    /// The count follows from the share of its link that the last joint lies at, which is known before the joint itself
    /// is put at its exact distance: deciding on the joint made the march a third slower. A growing body's knots lie a
    /// little closer or wider than its segments ask for; then it is a guess, and one too far is put right by the exact
    /// length.
    #[inline(always)]
    fn skip(&mut self, paths: &Paths<'_>, count: L) {
        self.index = (self.index + count).min(L::splat(paths.last - 1.0)) + L::splat(1.0);
        [self.b, self.a] = paths.links(self.index);
    }

    /// The dorsal direction, packed, at a share of the link. Knots keep that of the link behind them; it is mixed along
    /// the next link, but across a corner (15 degrees) that would twist the body behind it.
    #[inline(always)]
    fn dorsal(&self, t: L) -> L {
        let zero = L::splat(DIRECTION_HALF);
        let zero = Vec3W::new(zero, zero, zero);
        let along = (self.a.dorsal - zero).dot(self.b.dorsal - zero);
        let corner = along.lt(L::splat(CORNER_COSINE * DIRECTION_HALF * DIRECTION_HALF));
        let share = L::select(corner, L::splat(0.0), t.min(L::splat(1.0)));
        pack_fields(self.a.dorsal.lerp(self.b.dorsal, share))
    }

    /// Goes on link by link while `b` is within reach.
    #[inline(always)]
    fn step(&mut self, paths: &Paths<'_>, from: &From<L>, reach: L) {
        loop {
            let more = from.to(&self.b).length_squared().lt(reach) & self.index.lt(L::splat(paths.last));
            if !L::any(more) {
                return;
            }
            self.index = L::select(more, self.index + L::splat(1.0), self.index);
            let [b, _] = paths.links(self.index);
            (self.a, self.b) = (select(more, self.b, self.a), select(more, b, self.b));
        }
    }
}

/// `v` at the length `segment`, exactly. It nearly has it, as a rule: then a step of Newton's iteration for the inverse
/// square root does, which leaves 3/8 of the error squared, without the latency of a root and a division.
#[inline(always)]
fn to_length<L: Lanes>(v: Vec3W<L>, segment: L, inv_square: L) -> Vec3W<L> {
    let ratio = v.length_squared() * inv_square;
    let near = (ratio - L::splat(1.0)).abs().lt(L::splat(1e-3));
    let quick = v * (L::splat(1.5) - L::splat(0.5) * ratio);
    if L::bits(near) == 0xff {
        return quick;
    }
    let careful = v.normalize_or(1e-30, Vec3W::splat([0.0, 0.0, 1.0])) * segment;
    // Each lane takes its own way: a creature's bits never depend on its neighbours.
    Vec3W::select(near, quick, careful)
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
fn store<L: Lanes>(joint: &mut JointLanes, p: Vec3W<L>, dorsal: L) {
    let [x, y, z, packed] = joint;
    p.x.store(x);
    p.y.store(y);
    p.z.store(z);
    dorsal.store(packed);
}
