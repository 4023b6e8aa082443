//! The sweeps along the chains of a block.

use super::ground::Ground;
use super::quick::all_by_the_second;
use super::{Felt, NOTHING, NOWHERE, Section};
use crate::batch::{BlockState, JointLanes, Vec8};
use crate::constants::{
    GUARD_CHORD, GUARD_CHORD_REST, GUARD_CLEAR, GUARD_MOVED, GUARD_REST, GUARD_ROUNDS, GUARD_SHARE, GUARD_SLOP,
    GUARD_STRAY, GUARD_SWEEPS,
};
use crate::lanes::{LANES, Lane8, Lanes, Row4, Vec3W};
use crate::stages::body::to_length;
use crate::stages::frame::across;
use crate::stages::position;

/// Squared share of a segment below which a direction across a normal has no direction.
const NO_WAY: f32 = 1e-4;

/// Squared sine below which two normals are one.
const ONE_NORMAL: f32 = 1e-4;

/// Eight bodies.
pub(super) struct Chain<'a, L> {
    pub(super) joints: &'a mut [JointLanes],
    pub(super) sections: &'a mut [Section],
    radius: &'a [f32],
    scale: L,
    pub(super) segment: L,
    pub(super) inv_segment: L,
    pub(super) inv_square: L,
    /// Lanes that ask for another sweep, and the first joint that one of them asks for.
    asked: u32,
    first: usize,
}

/// Where a sweep is.
#[derive(Clone, Copy)]
struct Step<L: Lanes> {
    /// The joint before, and where the march put it.
    from: Vec3W<L>,
    before: Vec3W<L>,
    /// The segment before, unit.
    ahead: Vec3W<L>,
    live: L::Mask,
    /// Bodies that are not where the march put them from here on.
    moved: L::Mask,
    /// The joint before is out of the ground.
    clear: L::Mask,
    lanes: u32,
    is_first_sweep: bool,
}

/// A plane as seen from the joint before: the next joint rests on it where its share of a segment along the normal is this.
#[derive(Clone, Copy)]
struct Rest<L> {
    normal: Vec3W<L>,
    rise: L,
}

impl<'a, L: Lanes> Chain<'a, L> {
    #[inline(always)]
    pub(super) fn new(
        state: &BlockState,
        radius: &'a [f32],
        joints: &'a mut [JointLanes],
        sections: &'a mut [Section],
    ) -> Self {
        let (scale, segment) = (L::load(&state.scale), L::load(&state.segment));
        let (inv_segment, inv_square) = (L::splat(1.0) / segment, L::splat(1.0) / (segment * segment));
        Self { joints, sections, radius, scale, segment, inv_segment, inv_square, asked: 0, first: usize::MAX }
    }

    /// Radius of a section of each lane, in metres.
    #[inline(always)]
    pub(super) fn radius_at(&self, joint: usize) -> L {
        self.scale * L::splat(self.radius[joint])
    }

    /// The sections of one lane: place and radius.
    #[inline(always)]
    pub(super) fn read(&self, lane: usize, body: &mut Vec<Row4>) {
        let scale = self.scale.to_array()[lane];
        body.clear();
        for ([x, y, z, _], radius) in self.joints.iter().zip(self.radius) {
            body.push([x[lane], y[lane], z[lane], radius * scale]);
        }
    }

    /// Sweeps these lanes until none asks for another. Segments that do not touch where the march put them are not asked for;
    /// without any in `touches` all are.
    #[inline(always)]
    pub(super) fn keep_out<G: Ground>(&mut self, ground: &mut G, live: u32, touches: &[bool]) {
        self.clear(live);
        for (section, &touches) in self.sections.iter_mut().zip(touches) {
            section.touches = touches;
        }
        let (mut lanes, mut sweep) = (live, 0);
        self.first = usize::MAX;
        while lanes != 0 && sweep < GUARD_SWEEPS {
            self.asked = 0;
            // Up to the first joint that asks, nothing differs from the march in any lane.
            let start = if sweep == 0 { 1 } else { self.first };
            self.sweep(ground, lanes, start, sweep == 0);
            lanes = self.asked;
            sweep += 1;
        }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, lanes: u32) {
        let (mask, zero) = (L::mask_from_bits(lanes), L::splat(0.0));
        for section in self.sections.iter_mut() {
            (section.shift, section.raise, section.touches) = (NOWHERE, [0.0; LANES], true);
            for asked in [&mut section.push, &mut section.span] {
                L::select(mask, zero, L::load(asked)).store(asked);
            }
        }
    }

    #[inline(always)]
    fn sweep<G: Ground>(&mut self, ground: &mut G, lanes: u32, start: usize, is_first_sweep: bool) {
        let from = position(&self.joints[start - 1]);
        let none = L::mask_from_bits(0);
        let live = L::mask_from_bits(lanes);
        let front = self.radius_at(start - 1);
        if is_first_sweep {
            self.sections[0].felt = NOTHING;
            if self.sections[1].touches {
                ground.feel(lanes, from, from, front, &mut self.sections[0].felt);
            }
        }
        let clear = L::load(&self.sections[start - 1].felt.depth).le(front * L::splat(GUARD_CLEAR));
        let next = position(&self.joints[start]);
        let ahead = (next - from) * self.inv_segment;
        let mut step = Step { from, before: from, ahead, live, moved: none, clear, lanes, is_first_sweep };
        for joint in start..self.joints.len() {
            step = self.place(ground, joint, step);
        }
    }

    /// Places one joint.
    #[inline(always)]
    fn place<G: Ground>(&mut self, ground: &mut G, joint: usize, step: Step<L>) -> Step<L> {
        let radius = self.radius_at(joint);
        let placed = position(&self.joints[joint]);
        let section = &mut self.sections[joint];
        if step.is_first_sweep {
            placed.store(&mut section.marched);
            if !section.touches {
                section.felt = NOTHING;
                section.felt.at = section.marched;
            }
        }
        let marched = Vec3W::load(&section.marched);
        let shift = Vec3W::load(&section.shift);
        let asked = L::splat(0.0).lt(shift.length_squared()) | L::splat(0.0).lt(L::load(&section.raise));
        let moving = step.moved | (step.live & asked);
        let mut at = marched;
        let is_moving = L::any(moving);
        if is_moving {
            let aimed = self.aim(marched + shift, marched - step.before, step.from);
            at = Vec3W::select(moving, aimed, marched);
        }
        let todo = self.stale::<G>(joint, &step, at, moving, radius);
        let (at, pushed) = self.rest(ground, joint, &step, at, radius, todo);
        let moved = moving | pushed;
        if L::any(moved) || !step.is_first_sweep {
            let kept = Vec3W::select(step.live, marched, placed);
            store(&mut self.joints[joint], Vec3W::select(moved, at, kept));
        }
        let depth = depth_at(&self.sections[joint].felt, at);
        let clear = depth.le(radius * L::splat(GUARD_CLEAR));
        self.span(ground, joint, &step, at, moved | step.moved, clear);
        let ahead = (at - step.from) * self.inv_segment;
        Step { from: at, before: marched, ahead, moved, clear, ..step }
    }

    /// Toward a place, one segment from the joint before. Never back by more than a corner: `link` is the way of the march.
    #[inline(always)]
    fn aim(&self, to: Vec3W<L>, link: Vec3W<L>, from: Vec3W<L>) -> Vec3W<L> {
        let way = to - from;
        let share = way.dot(link) * self.inv_square;
        let more = (L::splat(0.5) - share).max(L::splat(0.0));
        from + to_length(way + link * more, self.segment, self.inv_square)
    }

    /// The lanes in which the ground under this joint has to be felt.
    #[inline(always)]
    fn stale<G: Ground>(&self, joint: usize, step: &Step<L>, at: Vec3W<L>, moving: L::Mask, radius: L) -> u32 {
        let felt = Vec3W::load(&self.sections[joint].felt.at);
        match (step.is_first_sweep, G::HOLDS) {
            (true, _) if self.sections[joint].touches => step.lanes,
            (true, _) => L::bits(step.live & moving & strays(at, felt, radius)),
            (false, true) => L::bits(step.live & far(felt, at, radius)),
            (false, false) => L::bits(step.live & strays(at, felt, radius)),
        }
    }

    /// Turns a joint that is too deep about the joint before until it rests on the ground. Yields where it is, and which
    /// lanes were pushed.
    #[inline(always)]
    fn rest<G: Ground>(
        &mut self,
        ground: &mut G,
        joint: usize,
        step: &Step<L>,
        start: Vec3W<L>,
        radius: L,
        mut todo: u32,
    ) -> (Vec3W<L>, L::Mask) {
        let raise = L::load(&self.sections[joint].raise);
        let slop = radius * L::splat(GUARD_SLOP) - raise;
        let (mut at, mut deep) = (start, step.live);
        let mut pushed = L::mask_from_bits(0);
        let mut last = Rest { normal: start, rise: L::splat(0.0) };
        let mut round = 0;
        loop {
            if todo != 0 {
                // As if it were so much thicker, so that what it has to stand off from is found.
                let felt = &mut self.sections[joint].felt;
                ground.feel(todo, step.from, at, radius + raise, felt);
                let depth = L::load(&felt.depth);
                L::select(L::mask_from_bits(todo), depth - raise, depth).store(&mut felt.depth);
            }
            let felt = self.sections[joint].felt;
            let felt = &felt;
            deep = deep & slop.lt(depth_at(felt, at));
            if !L::any(deep) || round == GUARD_ROUNDS {
                break;
            }
            let rest = resting(felt, step.from, radius * L::splat(GUARD_REST) - raise, self.segment);
            let mut turned = self.turn(step, at, &rest);
            if round > 0 {
                // A crease: out of one side is into the other. The two together leave one way.
                let into = last.normal.dot(turned - step.from) + radius * L::splat(0.5 * GUARD_SLOP);
                let crease = deep & into.lt(last.rise * self.segment);
                if L::any(crease) {
                    turned = Vec3W::select(crease, self.turn_between(step, at, &last, &rest), turned);
                }
            }
            at = Vec3W::select(deep, turned, at);
            pushed = pushed | deep;
            last = Rest {
                normal: Vec3W::select(deep, rest.normal, last.normal),
                rise: L::select(deep, rest.rise, last.rise),
            };
            todo = L::bits(if G::HOLDS { deep & far(Vec3W::load(&felt.at), at, radius) } else { deep });
            round += 1;
        }
        if L::any(pushed) {
            self.note(joint, step, Vec3W::select(pushed, at - start, Vec3W::splat([0.0; 3])), radius, pushed);
        }
        (at, pushed)
    }

    /// Notes a push, and shares it with the joints beside it.
    #[inline(always)]
    fn note(&mut self, joint: usize, step: &Step<L>, push: Vec3W<L>, radius: L, pushed: L::Mask) {
        let length = push.length();
        grow(&mut self.sections[joint].push, length);
        if !step.is_first_sweep {
            return;
        }
        let long = radius.lt(length);
        let share = L::select(long, radius / L::select(long, length, L::splat(1.0)), L::splat(1.0));
        let share = push * (share * L::splat(GUARD_SHARE));
        if joint > 1 {
            add(&mut self.sections[joint - 1].shift, share);
        }
        if joint + 1 < self.sections.len() {
            add(&mut self.sections[joint + 1].shift, share);
        }
        self.ask(if joint > 1 { joint - 1 } else { joint }, pushed);
    }

    #[inline(always)]
    fn ask(&mut self, joint: usize, lanes: L::Mask) {
        self.asked |= L::bits(lanes);
        self.first = if joint < self.first { joint } else { self.first };
    }

    /// Looks at the segment that ends at this joint: where it cuts into a crest, both its ends are asked up.
    #[inline(always)]
    fn span<G: Ground>(
        &mut self,
        ground: &mut G,
        joint: usize,
        step: &Step<L>,
        at: Vec3W<L>,
        moved: L::Mask,
        clear: L::Mask,
    ) {
        let unknown = step.is_first_sweep && self.sections[joint].touches;
        let mut looked = if unknown { step.live } else { step.live & moved };
        if !self.sections[joint].touches {
            // Where the march put it, it was clear.
            let (radius, marched) = (self.radius_at(joint), Vec3W::load(&self.sections[joint].marched));
            looked = looked & (strays(step.from, step.before, radius) | strays(at, marched, radius));
        }
        let lanes = L::bits(looked & step.clear & clear);
        let [first, second] = [self.radius_at(joint - 1), self.radius_at(joint)];
        if lanes == 0 {
            return;
        }
        let mut felt = NOTHING;
        let share = ground.feel_way(lanes, [step.from, at], [first, second], &mut felt);
        let (depth, radius) = (L::load(&felt.depth), first + (second - first) * share);
        let cuts = (radius * L::splat(GUARD_CHORD)).lt(depth);
        let rise = depth - radius * L::splat(GUARD_CHORD_REST);
        let most = L::select(cuts, all_by_the_second(joint, rise, share), L::splat(0.0));
        if L::any(cuts) {
            grow(&mut self.sections[joint].push, most);
            // Off the crest, and, where that moves no joint as the ground holds it, off the ground.
            let lift = Vec3W::select(cuts, Vec3W::load(&felt.normal) * most, Vec3W::splat([0.0; 3]));
            for end in [joint - 1, joint] {
                add(&mut self.sections[end].shift, lift);
                (L::load(&self.sections[end].raise) + most).store(&mut self.sections[end].raise);
            }
            self.ask(if joint > 1 { joint - 1 } else { joint }, cuts);
        }
    }

    /// Turned about the joint before until it rests on the plane, in the plane of its way and the normal, and by no more
    /// than a right angle against the segment before.
    #[inline(always)]
    fn turn(&self, step: &Step<L>, at: Vec3W<L>, rest: &Rest<L>) -> Vec3W<L> {
        let one = L::splat(1.0);
        let mut flat = ((at - step.from) * self.inv_segment).reject(rest.normal);
        let back = flat.dot(step.ahead).min(L::splat(0.0));
        flat = (flat - step.ahead * back).reject(rest.normal);
        let on = step.ahead.reject(rest.normal).normalize_or(NO_WAY, across(rest.normal));
        let flat = flat.normalize_or(NO_WAY, on);
        let rise = rest.rise.max(L::splat(-1.0)).min(one);
        let way = rest.normal * rise + flat * (one - rise * rise).max(L::splat(0.0)).sqrt();
        step.from + to_length(way * self.segment, self.segment, self.inv_square)
    }

    /// Turned until it rests on both planes.
    #[inline(always)]
    fn turn_between(&self, step: &Step<L>, at: Vec3W<L>, one: &Rest<L>, two: &Rest<L>) -> Vec3W<L> {
        let cosine = one.normal.dot(two.normal);
        let square = L::splat(1.0) - cosine * cosine;
        let differ = L::splat(ONE_NORMAL).lt(square);
        let inv = L::splat(1.0) / L::select(differ, square, L::splat(1.0));
        let first = (one.rise - cosine * two.rise) * inv;
        let second = (two.rise - cosine * one.rise) * inv;
        let base = one.normal * first + two.normal * second;
        let left = (L::splat(1.0) - base.length_squared()).max(L::splat(0.0)).sqrt();
        let crease = one.normal.cross(two.normal) * inv.sqrt();
        let forward = L::splat(0.0).le(crease.dot(at - step.from));
        let way = base + crease * L::select(forward, left, L::splat(0.0) - left);
        let turned = step.from + to_length(way * self.segment, self.segment, self.inv_square);
        Vec3W::select(differ, turned, self.turn(step, at, two))
    }
}

/// The rest of a sphere so deep in what was felt, as seen from the joint before.
#[inline(always)]
fn resting<L: Lanes>(felt: &Felt, from: Vec3W<L>, depth: L, segment: L) -> Rest<L> {
    let normal = Vec3W::load(&felt.normal);
    let height = L::load(&felt.depth) - depth + normal.dot(Vec3W::load(&felt.at) - from);
    Rest { normal, rise: height / segment }
}

/// Depth of the sphere at another place over the plane that was felt.
#[inline(always)]
pub(super) fn depth_at<L: Lanes>(felt: &Felt, at: Vec3W<L>) -> L {
    L::load(&felt.depth) - Vec3W::load(&felt.normal).dot(at - Vec3W::load(&felt.at))
}

/// Whether a section is so far from a place that it may be deeper there than the guard leaves it.
#[inline(always)]
fn strays<L: Lanes>(at: Vec3W<L>, from: Vec3W<L>, radius: L) -> L::Mask {
    let most = radius * L::splat(GUARD_STRAY);
    (most * most).lt((at - from).length_squared())
}

/// Where the ground that was felt at one place need not be that at the other. Up and down it is: open ground is one height at
/// a place.
#[inline(always)]
pub(super) fn far<L: Lanes>(felt: Vec3W<L>, at: Vec3W<L>, radius: L) -> L::Mask {
    let most = radius * L::splat(GUARD_MOVED);
    let (x, z) = (at.x - felt.x, at.z - felt.z);
    (most * most).lt(x * x + z * z)
}

#[inline(always)]
fn grow<L: Lanes>(largest: &mut Lane8, value: L) {
    value.max(L::load(largest)).store(largest);
}

#[inline(always)]
fn add<L: Lanes>(sum: &mut Vec8, more: Vec3W<L>) {
    (Vec3W::load(sum) + more).store(sum);
}

#[inline(always)]
pub(super) fn store<L: Lanes>(joint: &mut JointLanes, at: Vec3W<L>) {
    let [x, y, z, _] = joint;
    at.x.store(x);
    at.y.store(y);
    at.z.store(z);
}
