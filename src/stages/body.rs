//! body: marches the joints along the path.
//!
//! Reads knots and heads. Writes joints. Each joint is the first point of the curve, after the joint before it, at chord
//! distance of one segment from that joint: on the curve and exact at once, front anchored. The curve is the path offset
//! along the knots' dorsals by radius(i) - radius(0), so that the belly of a tapering body runs at one height.
//! Derivation: docs/derivations/march.md; measured alternatives: docs/architecture.md. Parallel: its own lanes only.

use super::ahead::prefetch_part;
use crate::batch::{
    BlockMut, BlockState, DIRECTION_HALF, JointLanes, Shape, direction_fields, pack_direction_lanes, pack_fields,
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

impl<'a> March<'a> {
    fn of(block: &'a mut BlockMut<'_>) -> Self {
        let radius = block.profile.radius_m();
        Self { state: block.state, shape: block.shape, radius, knots: block.knots, joints: block.joints }
    }
}

/// Runs the stage on a block, or on two of one cohort: a march waits for its own last joint most of the time, and two
/// that take turns fill each other's waiting. Meanwhile it asks for the pose rows that will be written.
pub(crate) fn march_joints(
    isa: Isa,
    block: &mut BlockMut<'_>,
    other: Option<&mut BlockMut<'_>>,
    rows: [PoseRows<'_>; 2],
) {
    match other {
        Some(other) => dispatch(isa, Two(March::of(block), March::of(other), rows)),
        None => dispatch(isa, One(March::of(block), rows[0])),
    }
}

/// Pose rows of a block.
type PoseRows<'a> = &'a [[f32; 12]];

struct One<'a>(March<'a>, PoseRows<'a>);
struct Two<'a>(March<'a>, March<'a>, [PoseRows<'a>; 2]);

impl Kernel for One<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (joints, radius) = (self.0.shape.joints, self.0.radius);
        let mut march = Marching::<L>::start(self.0);
        for joint in 1..joints {
            prefetch_part(self.1, joint - 1, joints - 1);
            let reached = march.reach(joint, radius[joint] - radius[0]);
            march.place(joint, reached);
        }
    }
}

impl Kernel for Two<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (joints, radius) = (self.0.shape.joints, self.0.radius);
        let (mut first, mut second) = (Marching::<L>::start(self.0), Marching::<L>::start(self.1));
        for joint in 1..joints {
            prefetch_part(self.2[0], joint - 1, joints - 1);
            prefetch_part(self.2[1], joint - 1, joints - 1);
            let thicker = radius[joint] - radius[0];
            let reached = [first.reach(joint, thicker), second.reach(joint, thicker)];
            let [one, two] = reached;
            first.place(joint, one);
            second.place(joint, two);
        }
    }
}

/// The paths of eight creatures.
struct Paths<'a> {
    rings: Rings<'a>,
    cursor: &'a [u32; LANES],
    /// Index of the oldest knot.
    last: f32,
}

impl Paths<'_> {
    /// The links that end at the knots `index` places behind the pens.
    #[inline(always)]
    fn link<L: Lanes>(&self, from: &From<L>, index: L) -> Link<L> {
        let [[x, y, z, dorsal], [x2, y2, z2, dorsal2]] = L::gather_rings(self.rings, self.cursor, index);
        let (dorsal, dorsal2) = (direction_fields(dorsal), direction_fields(dorsal2));
        let (b, a) = (from.to(Vec3W::new(x, y, z), dorsal), from.to(Vec3W::new(x2, y2, z2), dorsal2));
        Link { a, b, dorsals: [dorsal2, dorsal], index }
    }
}

/// A link of the path from `a` to `b`, `b` being the knot `index` places behind the pen; seen from the last joint.
struct Link<L> {
    a: Vec3W<L>,
    b: Vec3W<L>,
    /// Fields of the packed dorsal directions at both ends.
    dorsals: [Vec3W<L>; 2],
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
    fn to(&self, knot: Vec3W<L>, dorsal: Vec3W<L>) -> Vec3W<L> {
        knot + dorsal * self.per_field - self.p
    }
}

/// Where the march of a block is.
struct Marching<'a, L> {
    paths: Paths<'a>,
    joints: &'a mut [JointLanes],
    segment: L,
    scale: L,
    inv_square: L,
    skips: Skips<L>,
    /// Which knot ended the last joint's link.
    index: L,
    /// The last joint, and the share of its link that it lies at.
    p: Vec3W<L>,
    t: L,
}

impl<'a, L: Lanes> Marching<'a, L> {
    #[inline(always)]
    fn start(march: March<'a>) -> Self {
        let March { state, shape, knots, joints, .. } = march;
        let paths = Paths { rings: Rings::new(knots), cursor: &state.cursor, last: (shape.knots - 1) as f32 };
        let (segment, scale) = (L::load(&state.segment), L::load(&state.scale));
        let skips = skips(segment, L::load(&state.spacing), shape.knots_per_segment as f32);
        let inv_square = L::splat(1.0) / skips.reach;
        let p = Vec3W::<L>::load(&head_lanes(state));
        let packed = pack_direction_lanes(Vec3W::load(&state.dorsal));
        store(&mut joints[0], p, packed);
        let zero = L::splat(0.0);
        Self { paths, joints, segment, scale, inv_square, skips, index: zero, p, t: zero }
    }

    /// Goes on to the link on which a joint lies whose radius at scale 1 is so much more than the front's.
    #[inline(always)]
    fn reach(&mut self, joint: usize, thicker: f32) -> Link<L> {
        let from = From::new(self.p, self.scale * L::splat(thicker));
        let far = self.skips.near.lt(self.t);
        // Nearly always all lanes may skip as many. Asked as a branch, which the processor guesses, the next links are
        // loaded before the share is known.
        let count = if joint == 1 {
            // Nothing is surely within reach behind the pen, whose link is shorter than a spacing.
            L::splat(0.0)
        } else if L::bits(far) == 0xff {
            self.skips.many
        } else {
            L::select(far, self.skips.many, self.skips.some)
        };
        let before = self.index;
        let reach = self.skips.reach;
        // A link and `count` more, which are surely within reach: chords are no longer than the links they span. The count
        // follows from the share of its link that the last joint lies at, which is known before the joint itself is put at
        // its exact distance: deciding on the joint made the march a third slower.
        let skipped = (before + count).min(L::splat(self.paths.last - 1.0)) + L::splat(1.0);
        let mut link = self.paths.link(&from, skipped).step(&self.paths, &from, reach);
        // Where links are longer than a spacing (of a growing body, or moved apart by a thick body's offset in a bend) the
        // count is a guess: where it led out of reach, the march goes on from where it was, link by link.
        let outside = (reach * L::splat(1.0 + 1e-3)).lt(link.a.length_squared());
        if L::any(outside) {
            let index = L::select(outside, before, link.index);
            link = self.paths.link(&from, index).step(&self.paths, &from, reach);
        }
        self.index = link.index;
        link
    }

    /// Places the joint on its link.
    #[inline(always)]
    fn place(&mut self, joint: usize, link: Link<L>) {
        let (m, d) = (link.a, link.b - link.a);
        // First exit of m + d t from the sphere round the last joint, in the form without cancellation.
        let c = (self.skips.reach - m.length_squared()).max(L::splat(0.0));
        let along = m.dot(d);
        let bottom = along + (along * along + d.length_squared() * c).sqrt();
        self.t = L::select(L::splat(0.0).lt(bottom), c / bottom, L::splat(0.0));
        self.p = self.p + to_length(m + d * self.t, self.segment, self.inv_square);
        store(&mut self.joints[joint], self.p, link.dorsal(self.t));
    }
}

#[inline(always)]
fn skips<L: Lanes>(segment: L, spacing: L, per_segment: f32) -> Skips<L> {
    let near = L::splat(per_segment) - segment * L::splat(SKIP_SHARE) / spacing;
    Skips { reach: segment * segment, near, many: L::splat(per_segment - 1.0), some: L::splat(per_segment - 2.0) }
}

impl<L: Lanes> Link<L> {
    /// The dorsal direction, packed, at a share of the link. Knots keep that of the link behind them; it is mixed along
    /// the next link, but across a corner (15 degrees) that would twist the body behind it.
    #[inline(always)]
    fn dorsal(&self, t: L) -> L {
        let [a, b] = self.dorsals;
        let turn = b - a;
        let corner = L::splat(CORNER_CHORD_SQUARE).lt(turn.length_squared());
        let share = L::select(corner, L::splat(0.0), t.min(L::splat(1.0)));
        pack_fields(a + turn * share)
    }

    /// Goes on link by link while `b` is within reach.
    #[inline(always)]
    fn step(mut self, paths: &Paths<'_>, from: &From<L>, reach: L) -> Self {
        loop {
            let more = self.b.length_squared().lt(reach) & self.index.lt(L::splat(paths.last));
            if !L::any(more) {
                return self;
            }
            let next = paths.link(from, self.index + L::splat(1.0));
            self.a = Vec3W::select(more, self.b, self.a);
            self.b = Vec3W::select(more, next.b, self.b);
            let [a, b] = self.dorsals;
            self.dorsals = [Vec3W::select(more, b, a), Vec3W::select(more, next.dorsals[1], b)];
            self.index = L::select(more, next.index, self.index);
        }
    }
}

/// Squared chord between packed directions that are a corner apart: |a - b|^2 = 2 - 2 cos, in fields.
const CORNER_CHORD_SQUARE: f32 = (2.0 - 2.0 * CORNER_COSINE) * DIRECTION_HALF * DIRECTION_HALF;

/// `v` at the length `segment`, exactly. It nearly has it, as a rule: then a step of Newton's iteration for the inverse
/// square root does, which leaves 3/8 of the error squared, without the latency of a root and a division.
#[inline(always)]
pub(super) fn to_length<L: Lanes>(v: Vec3W<L>, segment: L, inv_square: L) -> Vec3W<L> {
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
fn store<L: Lanes>(joint: &mut JointLanes, p: Vec3W<L>, dorsal: L) {
    let [x, y, z, packed] = joint;
    p.x.store(x);
    p.y.store(y);
    p.z.store(z);
    dorsal.store(packed);
}
