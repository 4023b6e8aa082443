//! The first touch of a capsule that moves: no speed is too high for it.
//!
//! The gap between a triangle and a capsule that moves straight is a convex function of time, since both are convex, and
//! its slope is the movement along the line between the nearest points. So Newton's steps from the start never pass the
//! first touch, and a slope that is not falling, or a step beyond the end, proves that there is none. A graze, where the
//! gap has a double root, is the slowest: each step quarters it. What is still on its way after the last round is
//! reported where it is, which is early and never late.
//!
//! The steps begin where the capsule first touches the triangle's plane, which is not after it touches the triangle. Most
//! triangles are done with there, and a touch on a face is found in one step.

use super::contact::{Touches, around};
use super::triangle::{Planes, Triangles};
use super::{Hit, Nearby, Packet, add_scaled, dot, extent, lane3};
use crate::broadphase::Box3;
use crate::constants::{SLIDE_SHARE, SWEEP_ROUNDS, TOUCH_ROUNDING, TOUCH_SHARE};
use crate::lanes::{LANES, Lane8, Lanes, Vec3W};

/// A capsule and its way.
#[derive(Clone, Copy)]
struct Sweep {
    a: [f32; 3],
    b: [f32; 3],
    radius: f32,
    way: [f32; 3],
    /// Gap at which it touches.
    touch: f32,
    /// Approach, in metres over the whole way, under which it slides.
    slide: f32,
    /// Size of the coordinates.
    scale: f32,
    /// All that it passes.
    bounds: Box3,
}

impl Nearby {
    /// Where a capsule round the local segment from `a` to `b` (a sphere where they are equal) first touches the ground
    /// when it moves by `way`; `None` where it does not, `radius` is below 0, or an argument is not finite. One that begins
    /// inside hits at time 0, with the way out as normal; one that touches and moves along or away does not hit.
    ///
    /// It stops short of the ground by at most a ten-thousandth of the radius and what f32 rounds; keep a skin of more
    /// between. The gathered box must hold the whole way.
    #[inline(always)]
    #[must_use]
    pub fn sweep<L: Lanes>(&self, a: [f32; 3], b: [f32; 3], radius: f32, way: [f32; 3]) -> Option<Hit> {
        let scale = extent(&[a, b, add_scaled(a, way, 1.0), add_scaled(b, way, 1.0), [radius; 3]]);
        if scale == f32::INFINITY || radius < 0.0 {
            return None;
        }
        let (touch, slide) = (TOUCH_SHARE * radius + TOUCH_ROUNDING * scale, SLIDE_SHARE * dot(way, way).sqrt());
        let bounds = around(a, b, way, radius + touch);
        let sweep = Sweep { a, b, radius, way, touch, slide, scale, bounds };
        let (mut best, mut is_inside) = (None, false);
        for packet in &self.packets {
            if packet.is_apart(&bounds) {
                continue;
            }
            is_inside |= if a == b {
                sweep.meet::<L, true>(packet, &mut best)
            } else {
                sweep.meet::<L, false>(packet, &mut best)
            };
        }
        for space in &self.spaces {
            let (from, to) = (space.height(a), space.height(b));
            let (height, end) = if to < from { (to, b) } else { (from, a) };
            let (gap, fall) = (height - radius, -dot(space.normal, way));
            is_inside |= gap < -touch;
            let time = if gap > 0.0 { gap / fall } else { 0.0 };
            if fall > sweep.slide && time <= 1.0 {
                let point = add_scaled(add_scaled(end, way, time), space.normal, -radius);
                keep_earlier(&mut best, Hit { time, normal: space.normal, point, id: space.id });
            }
        }
        if is_inside {
            // None where what it is in is not felt, as solid ground from behind.
            if let Some(deep) = self.deepest::<L>(a, b, radius) {
                return Some(Hit { time: 0.0, normal: deep.normal, point: deep.point, id: deep.id });
            }
        }
        best
    }
}

impl Sweep {
    /// Takes the first touch of a packet into `best`; whether the capsule begins inside one of its triangles.
    #[inline(always)]
    fn meet<L: Lanes, const POINT: bool>(&self, packet: &Packet, best: &mut Option<Hit>) -> bool {
        let planes = Planes::<L>::new(packet);
        let mut limit = match best {
            Some(best) => best.time,
            None => 1.0,
        };
        let (start, running, below) = self.reach_planes::<L, POINT>(&planes, L::splat(limit));
        if !L::any(running) {
            return L::any(below);
        }
        let (a, b, way) = (Vec3W::splat(self.a), Vec3W::splat(self.b), Vec3W::<L>::splat(self.way));
        let (zero, one, touch, radius) = (L::splat(0.0), L::splat(1.0), L::splat(self.touch), L::splat(self.radius));
        let (triangles, steep) = (Triangles::new(planes), L::splat(2.0 * self.slide));
        let (mut time, mut running, mut arrived) = (start, running, 0);
        let mut inside = below;
        let mut round = 0;
        let witness = loop {
            let shift = way * time;
            let witness = triangles.nearest::<POINT>(a + shift, b + shift);
            let distance = witness.square.sqrt();
            let gap = distance - radius;
            if round == 0 {
                // One that has not moved yet.
                let deep = running & time.le(zero) & gap.lt(zero - touch);
                inside = inside | deep;
                running = running & !deep;
            }
            let apart = zero.lt(distance);
            let away = witness.body - witness.ground;
            let fall = zero - way.dot(away) / L::select(apart, distance, one);
            // In the face itself, which only a capsule without a radius gets to, any way but along it approaches.
            let fall = L::select(apart, fall, way.dot(planes.normal).abs());
            let approaching = running & L::splat(self.slide).lt(fall);
            let touching = gap.le(touch);
            arrived |= L::bits(approaching & touching);
            // A touch on a face is sure to count, which one on an edge is not. The others have until then: mostly they are
            // its neighbours, and done with.
            let sure = L::bits(approaching & touching & triangles.is_met_face(&witness, way) & steep.lt(fall));
            if sure != 0 {
                limit = earliest(&time.to_array(), sure, limit);
            }
            let next = time + gap / L::select(approaching, fall, one);
            running = approaching & !touching & next.le(L::splat(limit));
            round += 1;
            if !L::any(running) {
                break witness;
            }
            if round == SWEEP_ROUNDS {
                arrived |= L::bits(running);
                break witness;
            }
            time = L::select(running, next, time);
        };
        if arrived != 0 {
            self.take(packet, &Touches::new(&witness), &time.to_array(), arrived, best);
        }
        L::any(inside)
    }

    /// When the capsule first touches the triangles' planes (0 where it does already), which lanes it may touch in time,
    /// and where one of its ends is below solid ground, which is not swept.
    #[inline(always)]
    fn reach_planes<L: Lanes, const POINT: bool>(&self, planes: &Planes<L>, limit: L) -> (L, L::Mask, L::Mask) {
        let (a, b, way) = (Vec3W::splat(self.a), Vec3W::splat(self.b), Vec3W::<L>::splat(self.way));
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let from = planes.height(a);
        let (mut least, mut most, mut below) = (from, from, planes.below(a, from));
        if !POINT {
            let to = planes.height(b);
            (least, most) = (from.min(to), from.max(to));
            below = below | planes.below(b, to);
        }
        let rise = planes.normal.dot(way);
        let above = zero.lt(least);
        let fall = L::select(above, zero - rise, rise);
        let gap = L::select(above, least, zero - most) - L::splat(self.radius);
        let apart = zero.lt(gap);
        let falls = zero.lt(fall);
        let time = L::select(apart & falls, gap / L::select(falls, fall, one), zero);
        let may = (!apart | falls) & time.le(limit) & planes.touches(&self.bounds);
        (time, may & !below, below)
    }

    /// The earliest of the lanes that arrived. A touch on an edge that does not stand out counts if its face is
    /// approached; if not, the neighbour has it.
    #[inline(always)]
    fn take(&self, packet: &Packet, touches: &Touches, times: &Lane8, arrived: u32, best: &mut Option<Hit>) {
        for lane in 0..LANES {
            let is_earlier = match best {
                None => true,
                Some(best) => times[lane] < best.time || times[lane] == best.time && packet.id[lane] < best.id,
            };
            if arrived & (1 << lane) == 0 || !is_earlier {
                continue;
            }
            let touch = touches.lane(packet, lane);
            let toward = -dot(lane3(&packet.normal, lane), self.way);
            if let Some((normal, _)) = touch.felt(self.scale, toward)
                && -dot(normal, self.way) > self.slide
            {
                *best = Some(Hit { time: times[lane], normal, point: touch.ground, id: touch.id });
            }
        }
    }
}

/// The least time of these lanes, at most `limit`.
#[inline(always)]
fn earliest(times: &Lane8, lanes: u32, limit: f32) -> f32 {
    let mut least = limit;
    for (lane, &time) in times.iter().enumerate() {
        least = if lanes & (1 << lane) != 0 && time < least { time } else { least };
    }
    least
}

/// Keeps the earlier one, of equals that of the lower id.
#[inline(always)]
pub(super) fn keep_earlier(best: &mut Option<Hit>, hit: Hit) {
    let is_earlier = match best {
        None => true,
        Some(best) => hit.time < best.time || hit.time == best.time && hit.id < best.id,
    };
    if is_earlier {
        *best = Some(hit);
    }
}
