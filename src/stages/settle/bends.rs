//! How far a path may sink without bending more than it may.
//!
//! All is measured against the way in plan, where slopes are rises per metre and a sinking knot changes nothing: how much
//! of a bend gravity adds at a knot is how much the slope of the drop changes there. Bounds hold for joints, which
//! see the path through chords of one segment. Derivation: docs/derivations/settle.md.

use crate::batch::reserve_total;
use crate::constants::{BEND_MARGIN, BEND_SLACK_RAD, SETTLE_SWEEPS};

/// One path at a time. Element i belongs to the knot i places behind the pen, or to the link that leads from it to the next
/// older knot, or to the chord that ends at it.
#[derive(Default)]
pub(super) struct Bends {
    /// Where knots were laid.
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub z: Vec<f32>,
    /// How far they may have sunk after this tick, and how far they have for certain: nothing is pulled up.
    pub drop: Vec<f32>,
    pub floor: Vec<f32>,
    /// Lengths of links in plan, and one over them.
    plan: Vec<f32>,
    inv_plan: Vec<f32>,
    /// Chords of a segment: direction in plan, slope, one over the length at a plan length of 1.
    chords: Vec<[f32; 4]>,
    /// By how much the slope of the drop may grow and shrink in a segment about a joint that lies at the knot, and the
    /// chord on the unit sphere that the joint may bend.
    joints: Vec<[f32; 3]>,
    /// Whether the path leads up or down so steeply, and bends so much there, that bends grow by a fall alone.
    pub folds: bool,
    /// By how much it may grow and shrink at a knot, going from the head to the tail.
    bounds: Vec<[f32; 2]>,
    hull: Vec<(f64, f64, usize)>,
}

/// What bounds depend on besides the path.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// Most bend between adjacent segments, in radians.
    pub bend: f32,
    /// Length of a segment, in metres.
    pub segment: f32,
    /// Knots to a segment, and between knots, in metres.
    pub per_segment: usize,
    pub spacing: f32,
}

impl Bends {
    pub fn reserve(&mut self, knots: usize) {
        for buffer in [&mut self.x, &mut self.y, &mut self.z, &mut self.drop, &mut self.floor, &mut self.plan] {
            reserve_total(buffer, knots);
        }
        reserve_total(&mut self.inv_plan, knots);
        reserve_total(&mut self.chords, knots);
        reserve_total(&mut self.joints, knots);
        reserve_total(&mut self.bounds, knots);
        reserve_total(&mut self.hull, knots);
    }

    pub fn clear(&mut self) {
        for buffer in [&mut self.x, &mut self.y, &mut self.z, &mut self.drop, &mut self.floor, &mut self.plan] {
            buffer.clear();
        }
    }

    /// Goes no further than `count` knots, and what their bounds depend on: `beyond` more.
    pub fn truncate(&mut self, count: usize, beyond: usize) {
        self.floor.truncate(count);
        let more = self.floor.len() + beyond;
        for buffer in [&mut self.x, &mut self.y, &mut self.z] {
            buffer.truncate(more);
        }
        self.plan.truncate(more - 1);
    }

    /// Adds the next older knot; yields the length in plan of the link to it.
    pub fn push(&mut self, at: [f32; 3], spacing: f32) -> f32 {
        let [x, y, z] = at;
        let mut plan = 0.0;
        if let (Some(x0), Some(z0)) = (self.x.last(), self.z.last()) {
            plan = level(x0 - x, z0 - z, spacing);
            self.plan.push(plan);
        }
        self.x.push(x);
        self.y.push(y);
        self.z.push(z);
        plan
    }

    /// The first knot that may bend. Of newer ones it is not yet known how they will be bent by the head: how a joint bends
    /// is known a segment behind the newest knot, and that bounds what knots of a segment either way may do.
    pub fn front(per_segment: usize) -> usize {
        2 * per_segment + 1
    }

    /// Finds out how much each knot may bend, of those that have a floor.
    pub fn bound(&mut self, limit: &Limit) {
        self.inv_plan.clear();
        self.inv_plan.extend(self.plan.iter().map(|plan| 1.0 / plan));
        self.draw_chords(limit);
        self.bound_joints(limit);
        let (k, count) = (limit.per_segment, self.floor.len());
        // A body that shrank has segments shorter than its path's.
        let whole = limit.spacing * k as f32;
        let inv_segment = 1.0 / if limit.segment > whole { limit.segment } else { whole };
        self.bounds.clear();
        self.bounds.resize(count, [0.0; 2]);
        for knot in Self::front(k)..count {
            let [mut grow, mut shrink, _] = self.joints[knot];
            for joint in knot + 1 - k..=knot + k {
                let [g, s, _] = self.joints[if joint < self.joints.len() { joint } else { self.joints.len() - 1 }];
                grow = if g < grow { g } else { grow };
                shrink = if s < shrink { s } else { shrink };
            }
            // Its share of the segment.
            let share = 0.5 * (self.plan[knot - 1] + self.plan[knot]) * inv_segment;
            self.bounds[knot] = [grow * share, shrink * share];
        }
        // The first comes free as the head goes on by a link, not all at once when it has.
        let pen = [self.x[0] - self.x[1], self.y[0] - self.y[1], self.z[0] - self.z[1]];
        let gone = (pen[0] * pen[0] + pen[1] * pen[1] + pen[2] * pen[2]).sqrt() / limit.spacing;
        if let Some([grow, shrink]) = self.bounds.get_mut(Self::front(k)) {
            let gone = if gone < 1.0 { gone } else { 1.0 };
            (*grow, *shrink) = (*grow * gone, *shrink * gone);
        }
    }

    /// The chords of a segment that end at each knot, from as many links nearer to the head.
    fn draw_chords(&mut self, limit: &Limit) {
        let k = limit.per_segment;
        self.chords.clear();
        self.chords.resize(k + 1, [0.0; 4]);
        for knot in k + 1..self.x.len() {
            let (dx, dz) = (self.x[knot - k] - self.x[knot], self.z[knot - k] - self.z[knot]);
            let inv = 1.0 / level(dx, dz, limit.spacing);
            let slope = (self.y[knot - k] - self.y[knot]) * inv;
            self.chords.push([dx * inv, dz * inv, slope, 1.0 / (1.0 + slope * slope).sqrt()]);
        }
    }

    /// What a joint at each knot may be bent by besides what its path bends it: see the derivation.
    fn bound_joints(&mut self, limit: &Limit) {
        let k = limit.per_segment;
        let angle = limit.bend * (1.0 - BEND_MARGIN);
        // The chord of the angle on the unit sphere, a little less: 2 sin(a / 2).
        let most = angle * (1.0 - angle * angle * (1.0 / 24.0));
        self.joints.clear();
        self.joints.resize(k + 1, [0.0; 3]);
        self.folds = false;
        let mut before = Turn::default();
        for knot in k + 1..self.chords.len() - k {
            let turn = Turn::between(self.chords[knot], self.chords[knot + k]);
            let at = turn.bounds(most);
            self.folds |= at[3] > 0.0;
            // Half way to the joint before as well: where one may bend less than the mean of its neighbours may.
            let halfway = if knot > k + 1 { before.middle(&turn).bounds(most) } else { at };
            let less = |i: usize| if halfway[i] < at[i] { halfway[i] } else { at[i] };
            self.joints.push([less(0), less(1), at[2]]);
            before = turn;
        }
    }

    /// How far off the path a knot is that has sunk by 1: the cosine of the slope there.
    pub fn across(&self, knot: usize) -> f32 {
        match self.chords[if knot < self.chords.len() { knot } else { self.chords.len() - 1 }] {
            // Nearer to the head than a whole chord.
            [.., 0.0] => 1.0,
            [.., across] => across,
        }
    }

    /// Whether a head that backs up pulls at what has sunk behind it.
    pub fn pulls(&self, front: usize) -> bool {
        let [.., drop] = self.floor[..] else { return false };
        let drop = self.floor.get(front + 1).copied().unwrap_or(drop);
        drop > 1.001 * self.plan[front] * self.bounds.get(front).map_or(0.0, |bounds| bounds[0])
    }

    /// Takes back so much of the drops, down to the floor, that no knot bends the path beyond its bounds.
    pub fn limit(&mut self, front: usize) {
        let front = if front < self.drop.len() { front } else { self.drop.len() - 1 };
        self.drop[..=front].fill(0.0);
        self.floor[..=front].fill(0.0);
        for _ in 0..SETTLE_SWEEPS {
            let forward = self.sweep_back(front);
            let backward = self.sweep_forward(front);
            if !(forward || backward) {
                break;
            }
        }
        self.round_off(front);
    }

    /// Where a joint would bend more than it may all the same, what is within a segment of it stays. Tells whether any would.
    pub fn hold_folds(&mut self, limit: &Limit) -> bool {
        let (k, count) = (limit.per_segment, self.drop.len());
        let mut holds = false;
        for joint in k + 1..count - k {
            let chord = |newer: usize, older: usize| {
                let [x, z] = [self.x[newer] - self.x[older], self.z[newer] - self.z[older]];
                let y = self.y[newer] - self.drop[newer] - self.y[older] + self.drop[older];
                let inv = 1.0 / (x * x + y * y + z * z + 1e-30).sqrt();
                [x * inv, y * inv, z * inv]
            };
            let ([ax, ay, az], [bx, by, bz]) = (chord(joint - k, joint), chord(joint, joint + k));
            let square = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz);
            let [_, _, allowed] = self.joints[joint];
            if square > allowed * allowed {
                self.drop[joint - k..=joint + k].copy_from_slice(&self.floor[joint - k..=joint + k]);
                holds = true;
            }
        }
        holds
    }

    /// From the head to the tail: the slope of the drop grows no faster than it may. Tells whether anything changed.
    fn sweep_back(&mut self, front: usize) -> bool {
        let (mut slope, mut changed) = (0.0, false);
        for knot in front..self.drop.len() - 1 {
            let most = self.drop[knot] + self.plan[knot] * (slope + self.bounds[knot][0]);
            changed |= self.cut(knot + 1, most);
            slope = (self.drop[knot + 1] - self.drop[knot]) * self.inv_plan[knot];
        }
        changed
    }

    /// The same from the tail to the head.
    fn sweep_forward(&mut self, front: usize) -> bool {
        let mut changed = false;
        for knot in (front + 2..self.drop.len() - 1).rev() {
            let slope = (self.drop[knot + 1] - self.drop[knot]) * self.inv_plan[knot];
            let most = self.drop[knot] - self.plan[knot - 1] * (slope - self.bounds[knot][0]);
            changed |= self.cut(knot - 1, most);
        }
        changed
    }

    /// Takes a drop back to `most`, but not above the floor.
    fn cut(&mut self, knot: usize, most: f32) -> bool {
        let floor = self.floor[knot];
        let most = if most > floor { most } else { floor };
        let cuts = self.drop[knot] > most;
        if cuts {
            self.drop[knot] = most;
        }
        cuts
    }

    /// Hollows: the slope of the drop shrinks no faster than it may. With a function of exactly that curvature taken off,
    /// the largest such drop is the lower convex hull, which makes no slope grow faster: see the derivation.
    fn round_off(&mut self, front: usize) {
        self.hull.clear();
        let (mut at, mut off, mut slope) = (0.0_f64, 0.0_f64, 0.0_f64);
        for knot in front..self.drop.len() {
            let (x, y) = (at, f64::from(self.drop[knot]) - off);
            while let [.., (x0, y0, _), (x1, y1, _)] = self.hull[..] {
                if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0) {
                    break;
                }
                self.hull.pop();
            }
            self.hull.push((x, y, knot));
            self.advance(knot, &mut at, &mut off, &mut slope);
        }
        let (mut at, mut off, mut slope, mut edge) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
        for knot in front..self.drop.len() {
            while edge + 2 < self.hull.len() && self.hull[edge + 1].2 < knot {
                edge += 1;
            }
            if let [(x0, y0, from), (x1, y1, to), ..] = self.hull[edge..]
                && knot > from
                && knot < to
            {
                let most = (y0 + (y1 - y0) * ((at - x0) / (x1 - x0)) + off) as f32;
                self.cut(knot, most);
            }
            self.advance(knot, &mut at, &mut off, &mut slope);
        }
    }

    /// From a knot to the next older one along the function that curves as much as is allowed.
    fn advance(&self, knot: usize, at: &mut f64, off: &mut f64, slope: &mut f64) {
        if knot + 1 < self.drop.len() {
            let length = f64::from(self.plan[knot]);
            *slope -= f64::from(self.bounds[knot][1]);
            *off += *slope * length;
            *at += length;
        }
    }
}

/// How the path bends, as laid, at a joint: the difference of its chords.
#[derive(Clone, Copy, Default)]
struct Turn {
    /// At a length in plan of 1: in plan, and of the slopes.
    level: [f32; 2],
    slope: f32,
    /// At a length of 1.
    unit: [f32; 3],
}

impl Turn {
    fn between([ax, az, a, p]: [f32; 4], [bx, bz, b, q]: [f32; 4]) -> Self {
        Self { level: [ax - bx, az - bz], slope: a - b, unit: [ax * p - bx * q, a * p - b * q, az * p - bz * q] }
    }

    fn middle(&self, other: &Self) -> Self {
        let ([x, z], [x2, z2]) = (self.level, other.level);
        let ([ux, uy, uz], [ux2, uy2, uz2]) = (self.unit, other.unit);
        Self {
            level: [0.5 * (x + x2), 0.5 * (z + z2)],
            slope: 0.5 * (self.slope + other.slope),
            unit: [0.5 * (ux + ux2), 0.5 * (uy + uy2), 0.5 * (uz + uz2)],
        }
    }

    /// How much the slope of the drop may grow and shrink, the chord that the joint may bend if it may bend `most` or as the
    /// path does, and whether it bends more in plan already.
    fn bounds(&self, most: f32) -> [f32; 4] {
        let ([x, z], [ux, uy, uz]) = (self.level, self.unit);
        let laid = (ux * ux + uy * uy + uz * uz).sqrt();
        let allowed = if laid > most { laid } else { most } + BEND_SLACK_RAD;
        let (turn, left) = (self.slope, allowed * allowed - (x * x + z * z));
        let folds = left < turn * turn;
        let root = if folds { turn.abs() } else { left.sqrt() };
        [root + turn, root - turn, allowed, f32::from(u8::from(folds))]
    }
}

/// Length in plan, never 0: where a path leads straight up or down, it counts as leading a little aside.
fn level(x: f32, z: f32, spacing: f32) -> f32 {
    let (length, least) = ((x * x + z * z).sqrt(), 1e-3 * spacing);
    if length > least { length } else { least }
}
