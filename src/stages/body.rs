//! body: marches the joints along the path.
//!
//! Reads knots and heads. Writes joints. Each joint is the first point of the curve, after the joint before it, at chord
//! distance of one segment from that joint: on the curve and exact at once, front anchored. The curve is the path offset
//! along the knots' dorsals by radius(i) - radius(0), so that the belly of a tapering body runs at one height.
//! Derivation and the measured alternatives: docs/derivations/march.md. Parallel: its own lanes only.

use super::Task;
use crate::batch::{BlockState, JointLanes, Shape, pack_direction_lanes, unpack_direction_lanes};
use crate::constants::SKIP_SHARE;
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, Row4, Vec3W, dispatch};

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

/// Gathers knots of eight rings at once.
struct Rings<'a> {
    knots: &'a [Row4],
    cursor: &'a [u32; LANES],
    mask: u32,
}

impl Rings<'_> {
    #[inline(always)]
    fn get<L: Lanes>(&self, back: &[u32; LANES]) -> PathPoint<L> {
        let mut index = [0; LANES];
        for lane in 0..LANES {
            let base = lane as u32 * (self.mask + 1);
            index[lane] = base + (self.cursor[lane].wrapping_sub(back[lane]) & self.mask);
        }
        let [x, y, z, dorsal] = L::gather_rows(self.knots, &index);
        PathPoint { at: Vec3W::new(x, y, z), dorsal: unpack_direction_lanes(dorsal) }
    }
}

impl Kernel for March<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, shape, radius, knots, joints } = self;
        let rings = Rings { knots, cursor: &state.cursor, mask: shape.knots as u32 - 1 };
        let (segment, scale) = (L::load(&state.segment), L::load(&state.scale));
        let inv_spacing = L::splat(1.0) / L::load(&state.spacing);
        let last = L::splat((shape.knots - 2) as f32);
        let reach = segment * segment;
        let head = head_lanes(state);
        let mut p = Vec3W::<L>::load(&head);
        let dorsal = Vec3W::load(&state.dorsal);
        // The link from the head to the pen comes first: of no length, but while the pen rounds a fold.
        let mut a = PathPoint { at: p, dorsal };
        let mut b = rings.get::<L>(&[0; LANES]);
        let mut index = L::splat(0.0);
        let mut tangent = Vec3W::<L>::load(&state.effective);
        store(&mut joints[0], p, dorsal);
        for joint in 1..shape.joints {
            let offset = scale * L::splat(radius[joint] - radius[0]);
            let end = b.at + b.dorsal * offset;
            let left = (end - p).length();
            // Chords are no longer than arcs: so many more knots surely lie within reach.
            let skip = (segment * L::splat(SKIP_SHARE) - left) * inv_spacing;
            let inside = left.lt(segment);
            if L::any(inside) {
                let skip = trunc(L::select(inside, skip.max(L::splat(0.0)), L::splat(-1.0)).min(last - index - L::splat(1.0)));
                let stay = skip.lt(L::splat(0.0));
                let from = index + skip.max(L::splat(0.0));
                let next = (from + L::splat(1.0)).min(last + L::splat(1.0));
                let (at_from, at_next) = (rings.get::<L>(&lanes_u32(from)), rings.get::<L>(&lanes_u32(next)));
                a = select(stay, a, at_from);
                b = select(stay, b, at_next);
                index = L::select(stay, index, next);
            }
            let mut end = b.at + b.dorsal * offset;
            loop {
                let m = end - p;
                let more = m.length_squared().lt(reach) & index.lt(last + L::splat(1.0));
                if !L::any(more) {
                    break;
                }
                index = L::select(more, index + L::splat(1.0), index);
                let next = rings.get::<L>(&lanes_u32(index));
                a = select(more, b, a);
                b = select(more, next, b);
                end = b.at + b.dorsal * offset;
            }
            let start = a.at + a.dorsal * offset;
            let (m, d) = (start - p, end - start);
            // First exit of start + d t from the sphere round p, in the form without cancellation.
            let c = (reach - m.length_squared()).max(L::splat(0.0));
            let along = m.dot(d);
            let bottom = along + (along * along + d.length_squared() * c).sqrt();
            let t = L::select(L::splat(0.0).lt(bottom), c / bottom, L::splat(0.0));
            tangent = (m + d * t).normalize_or(1e-30, tangent);
            p = p + tangent * segment;
            store(&mut joints[joint], p, a.dorsal.lerp(b.dorsal, t.min(L::splat(1.0))));
        }
    }
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
fn trunc<L: Lanes>(x: L) -> L {
    L::from_i32(&x.to_i32())
}

#[inline(always)]
fn lanes_u32<L: Lanes>(x: L) -> [u32; LANES] {
    let signed = x.to_i32();
    let mut out = [0; LANES];
    for lane in 0..LANES {
        out[lane] = signed[lane] as u32;
    }
    out
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
