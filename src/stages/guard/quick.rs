//! Small pushes, all at once: nearly all that real ground asks for.
//!
//! Every joint is felt where the march put it, each is raised along its normal by the most that it, its neighbours or the
//! chords beside it ask for, and the chain is laid through these places. What a raised segment is too long by moves all
//! that follow along the path: s(i) = s(i - 1) cos(i) + excess(i) along the direction of segment i, where cos(i) is that of
//! the bend before it. One step to the exact length is left to do, and no joint waits for more than a sum and a product of
//! the one before. A chain that turns joint by joint, as the sweeps do, waits three times as long.

use super::chain::{Chain, store};
use super::ground::{Ball, Crest, Ground, Open};
use super::{Felt, NOTHING};
use crate::constants::{
    GUARD_CHORD, GUARD_CHORD_REST, GUARD_NEAR, GUARD_QUICK, GUARD_REST, GUARD_ROUNDS, GUARD_SHARE, GUARD_SLIP,
    GUARD_SLOP,
};
use crate::lanes::{Lane8, Lanes, Vec3W};
use crate::stages::body::to_length;
use crate::stages::position;

impl<L: Lanes> Chain<'_, L> {
    /// Pushes these lanes out as far as that is a small matter; yields those for which it is not, as the march left them.
    #[inline(always)]
    pub(super) fn push_at_once(&mut self, ground: &mut Open<'_>, live: u32) -> u32 {
        let (mut asking, mut left) = self.feel_all(ground, live);
        asking &= !left;
        let mut round = 0;
        while asking != 0 && round < GUARD_ROUNDS {
            let (far, deep) = self.lay(ground, asking);
            left |= far;
            asking = deep & !far;
            round += 1;
        }
        left |= asking;
        if left != 0 {
            self.take_back(left);
        }
        left
    }

    /// Feels every joint, and notes what it asks for; yields the lanes that ask, and those with a joint on the far side of
    /// what has one, or beside its border. A front that its caller holds in the ground asks for nothing.
    #[inline(always)]
    fn feel_all(&mut self, ground: &mut Open<'_>, live: u32) -> (u32, u32) {
        let (mask, zero) = (L::mask_from_bits(live), L::splat(0.0));
        let (mut asking, mut through) = (L::mask_from_bits(0), L::mask_from_bits(0));
        let mut last = self.ball(0);
        let mut crest = ground.feel_next(live, &last.clone(), &mut last, &mut self.sections[0]);
        through = through | last.radius.lt(last.depth);
        let is_out = last.depth.le(last.radius * L::splat(GUARD_SLOP));
        zero.store(&mut self.sections[0].push);
        for joint in 1..self.joints.len() {
            let mut next = self.ball(joint);
            let section = &mut self.sections[joint];
            crest = ground.feel_next(live, &last, &mut next, section);
            next.at.store(&mut section.marched);
            let deep = mask & (next.radius * L::splat(GUARD_SLOP)).lt(next.depth);
            through = through | next.radius.lt(next.depth);
            // Metres that a metre along the normal brings.
            let normal = Vec3W::<L>::load(&section.felt.normal);
            let slope = normal.x * L::load(&section.slope[0]) + normal.z * L::load(&section.slope[1]);
            let gain = (normal.y * (normal.y - slope)).max(L::splat(0.1));
            let push = (next.depth - next.radius * L::splat(GUARD_REST)) / gain;
            L::select(deep, push, zero).store(&mut section.push);
            zero.store(&mut section.span);
            asking = asking | deep;
            if let Some(crest) = &crest {
                let sure = if joint == 1 { mask & is_out } else { mask };
                asking = asking | self.rise_over(ground, joint, crest, [&last, &next], sure);
            }
            last = next;
        }
        _ = crest;
        let through = if ground.is_sheet { (L::bits(through) | ground.rim) & live } else { 0 };
        (L::bits(asking), through)
    }

    #[inline(always)]
    fn ball(&self, joint: usize) -> Ball<L> {
        let depth = L::splat(f32::NEG_INFINITY);
        Ball { at: position(&self.joints[joint]), radius: self.radius_at(joint), depth, plane: depth, edge: 0 }
    }

    /// Notes what the segment that ends at this joint asks for to be over a crest; yields the lanes in which it does.
    #[inline(always)]
    fn rise_over(
        &mut self,
        ground: &mut Open<'_>,
        joint: usize,
        crest: &Crest<L>,
        [from, to]: [&Ball<L>; 2],
        sure: L::Mask,
    ) -> L::Mask {
        let radius = from.radius + (to.radius - from.radius) * crest.share;
        let lanes = sure & L::mask_from_bits(crest.crossed);
        // What its ends are pushed by counts already.
        let planned = self.planned(joint, crest.share) / crest.secant;
        let cuts = lanes & (radius * L::splat(GUARD_CHORD)).lt(crest.depth - planned);
        if L::any(cuts) {
            let rise = (crest.depth - radius * L::splat(GUARD_CHORD_REST)) * (crest.secant / self.mean_up(joint));
            raise(&mut self.sections[joint].span, cuts, all_by_the_second(joint, rise, crest.share));
        }
        let unknown = L::bits(sure) & crest.jumped;
        if unknown != 0 { cuts | self.look_along(ground, unknown, joint, [from.at, to.at]) } else { cuts }
    }

    /// Looks for the deepest place of a segment; yields the lanes in which it cuts into a crest.
    #[inline(always)]
    fn look_along(&mut self, ground: &mut Open<'_>, lanes: u32, joint: usize, ends: [Vec3W<L>; 2]) -> L::Mask {
        let mut felt = NOTHING;
        let radius = [self.radius_at(joint - 1), self.radius_at(joint)];
        let share = ground.feel_way(lanes, ends, radius, &mut felt);
        self.ask_up(joint, L::mask_from_bits(lanes), ends, share, &felt)
    }

    /// How far up a segment comes by what its ends are pushed by.
    #[inline(always)]
    fn planned(&self, joint: usize, share: L) -> L {
        let (from, to) = (L::load(&self.sections[joint - 1].push), L::load(&self.sections[joint].push));
        (from + (to - from) * share) * self.mean_up(joint)
    }

    /// How far up a segment comes whose ends are each raised a metre along their normals.
    #[inline(always)]
    fn mean_up(&self, joint: usize) -> L {
        let up = L::load(&self.sections[joint - 1].felt.normal[1]) + L::load(&self.sections[joint].felt.normal[1]);
        (up * L::splat(0.5)).max(L::splat(0.25))
    }

    /// Where a segment cuts into a crest, both its ends are asked up; yields these lanes.
    #[inline(always)]
    fn ask_up(&mut self, joint: usize, lanes: L::Mask, [from, to]: [Vec3W<L>; 2], share: L, felt: &Felt) -> L::Mask {
        let [first, second] = [self.radius_at(joint - 1), self.radius_at(joint)];
        let (radius, depth) = (first + (second - first) * share, L::load(&felt.depth));
        // What its ends are raised by already counts.
        let normal = Vec3W::load(&felt.normal);
        let mut raised = normal.dot(to - Vec3W::load(&self.sections[joint].marched)) * share;
        if joint > 1 {
            let before = from - Vec3W::load(&self.sections[joint - 1].marched);
            raised = raised + normal.dot(before) * (L::splat(1.0) - share);
        }
        // As do pushes, until they are made.
        let planned = (self.planned(joint, share) - raised).max(L::splat(0.0));
        let cuts = lanes & (radius * L::splat(GUARD_CHORD)).lt(depth - planned);
        if L::any(cuts) {
            let rise = (depth - radius * L::splat(GUARD_CHORD_REST)) / self.mean_up(joint);
            raise(&mut self.sections[joint].span, cuts, raised + all_by_the_second(joint, rise, share));
        }
        cuts
    }

    /// Raises and lays the chains of the lanes that ask. Yields those that would be raised too far for this, and those that
    /// are still in the ground and ask for more.
    #[inline(always)]
    fn lay(&mut self, ground: &mut Open<'_>, asking: u32) -> (u32, u32) {
        let (zero, count) = (L::splat(0.0), self.joints.len());
        let asking = L::mask_from_bits(asking);
        let start = position(&self.joints[0]);
        let (mut place, mut laid) = (start, start);
        let mut way = Vec3W::splat([0.0; 3]);
        let far = self.segment * L::splat(GUARD_SLIP);
        let (mut slip, mut most, mut moved) = (zero, zero, L::mask_from_bits(0));
        let (mut deep, mut exact, mut stale) = (L::mask_from_bits(0), L::mask_from_bits(0), 0);
        for joint in 1..count {
            let section = &self.sections[joint];
            let marched = Vec3W::load(&section.marched);
            let after = if joint + 1 < count { &self.sections[joint + 1] } else { &super::BARE };
            let shared = L::splat(GUARD_SHARE) * (L::load(&self.sections[joint - 1].push) + L::load(&after.push));
            let lift = shared.max(L::load(&section.push)).max(L::load(&section.span)).max(L::load(&after.span));
            let lift = L::select(asking, lift, zero);
            moved = moved | zero.lt(lift);
            if !L::any(moved) {
                (place, laid) = (marched, marched);
                continue;
            }
            let raised = marched + Vec3W::load(&section.felt.normal) * lift;
            let link = raised - place;
            let ratio = link.length_squared() * self.inv_square;
            let stretch = (ratio - L::splat(1.0)).abs() * self.segment;
            most = lift.max(most).max(stretch);
            let unit = link * (near_inverse_root(ratio) * self.inv_segment);
            let excess = self.segment - link.dot(unit);
            slip = L::select(moved, slip * way.dot(unit) + excess, zero);
            let mut next = raised + unit * slip;
            let before = laid;
            // A slip bends off the length by half its square, in segments: too little to see unless it is large.
            exact = exact | (moved & (far.lt(slip.abs()) | far.lt(stretch)));
            if L::any(exact) {
                let measured = laid + to_length(next - laid, self.segment, self.inv_square);
                next = Vec3W::select(exact, measured, next);
            }
            laid = Vec3W::select(moved, next, marched);
            let kept = position(&self.joints[joint]);
            store(&mut self.joints[joint], Vec3W::select(moved, laid, kept));
            (place, way) = (raised, unit);
            let was_stale = stale;
            let (still, gone) = self.left_deep(ground, joint, laid - marched, moved);
            (deep, stale) = (deep | still, gone);
            if stale | was_stale != 0 && joint > 1 {
                deep = deep | self.look_along(ground, stale | was_stale, joint, [before, laid]);
            }
        }
        (L::bits(asking & (self.segment * L::splat(GUARD_QUICK)).lt(most)), L::bits(deep))
    }

    /// Whether a section that was moved is still in the ground, and lets it ask for more then; also, in which lanes it has
    /// moved so far on another triangle, or beside an edge, that its segments have to be looked at.
    #[inline(always)]
    fn left_deep(&mut self, ground: &mut Open<'_>, joint: usize, moved: Vec3W<L>, lanes: L::Mask) -> (L::Mask, u32) {
        let radius = self.radius_at(joint);
        let section = &mut self.sections[joint];
        let (room, normal) = (L::load(&section.felt.room), Vec3W::<L>::load(&section.felt.normal));
        let rise = moved.x * L::load(&section.slope[0]) + moved.z * L::load(&section.slope[1]) - moved.y;
        let mut depth = L::load(&section.felt.depth) + rise * normal.y;
        let square = moved.x * moved.x + moved.z * moved.z;
        let is_inside = square.le(room * room);
        // What moved less than this went no deeper into a crest than its segments may be.
        let near = radius * L::splat(GUARD_NEAR);
        let unsure = lanes & (!is_inside | L::mask_from_bits(section.edge));
        let (away, stale) = (unsure & (near * near).lt(square), L::bits(lanes & !is_inside));
        if stale != 0 {
            let (mut felt, at) = (NOTHING, Vec3W::load(&section.marched) + moved);
            ground.feel(stale, at, at, radius, &mut felt);
            depth = L::select(is_inside, depth, L::load(&felt.depth));
        }
        let deep = lanes & (radius * L::splat(GUARD_SLOP)).lt(depth);
        if L::any(deep) {
            // It may have slid back down of what was asked.
            let came = normal.dot(moved).max(L::load(&section.push));
            let least = came + depth - radius * L::splat(GUARD_REST);
            raise(&mut section.push, deep, least);
        }
        (deep, L::bits(away))
    }

    /// Takes back what was done to these lanes.
    #[inline(always)]
    fn take_back(&mut self, lanes: u32) {
        let mask = L::mask_from_bits(lanes);
        for joint in 1..self.joints.len() {
            let section = &mut self.sections[joint];
            let marched = Vec3W::<L>::load(&section.marched);
            let kept = position(&self.joints[joint]);
            store(&mut self.joints[joint], Vec3W::select(mask, marched, kept));
        }
    }
}

/// The first joint stays, so the second has to bring all that the first segment asks for.
#[inline(always)]
pub(super) fn all_by_the_second<L: Lanes>(joint: usize, rise: L, share: L) -> L {
    if joint > 1 { rise } else { rise / share.max(L::splat(0.125)) }
}

/// 1 / sqrt of what is nearly 1, by two steps of Newton's iteration: within 1e-6 for 0.95 to 1.05.
#[inline(always)]
fn near_inverse_root<L: Lanes>(ratio: L) -> L {
    let (half, more) = (L::splat(0.5), L::splat(1.5));
    let first = more - half * ratio;
    first * (more - half * ratio * first * first)
}

/// Lets these lanes ask for at least so much.
#[inline(always)]
fn raise<L: Lanes>(asked: &mut Lane8, lanes: L::Mask, least: L) {
    let before = L::load(asked);
    L::select(lanes, least.max(before), before).store(asked);
}
