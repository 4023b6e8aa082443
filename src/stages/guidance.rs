//! guidance: turns the headings.
//!
//! Reads targets, phases, dorsals. Writes centre and effective headings. Source: the serpentine document, "Explicit
//! guiding Head": the target, limited by the turn rate, is the centre; the gait's yaw about the dorsal axis, amplitude
//! times the sine of the phase, makes the effective heading. The phase moves by signed travel alone, so the yaw rests
//! with the creature and runs backward when it backs up. Parallel: touches its own lanes only.

use super::Task;
use crate::batch::{BlockState, flag};
use crate::constants::DIRECTION_EPSILON;
use crate::lanes::{Kernel, LANES, Lanes, Vec3W, cos_turns, dispatch, sin_turns};

/// Radians to turns.
const TURNS: f32 = 0.159_154_94;

struct Guidance<'a>(&'a mut BlockState);

/// Runs the stage on one block.
pub(crate) fn turn_headings(task: &mut Task<'_, '_>) {
    dispatch(task.context.isa, Guidance(task.block.state));
}

impl Kernel for Guidance<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let state = self.0;
        let active = L::splat(0.0).lt(L::load(&state.dt));
        let guided = L::mask_from_bits(flag_bits(state, flag::GUIDED));
        let grounded = L::mask_from_bits(flag_bits(state, flag::GROUNDED));
        let (dorsal, before) = (axis::<L>(state), Vec3W::load(&state.center));
        // On the ground, headings lie in its plane: a target seen from above is meant on the slope.
        // A centre in the plane already keeps its bits: normalising again would move it at rest.
        let tilted = grounded & L::splat(1e-6).lt(before.dot(dorsal).abs());
        let from = Vec3W::select(tilted, in_plane(before, dorsal, before), before);
        let target = Vec3W::load(&state.target);
        let target = Vec3W::select(grounded, in_plane(target, dorsal, before), target);
        let limit = (L::load(&state.turn_rate) * L::load(&state.dt) * L::splat(TURNS)).min(L::splat(0.5));
        let (turned, within) = turn_toward(from, target, dorsal, limit);
        let turned = Vec3W::select(L::splat(0.0).lt(limit), turned, from);
        let share = L::select(within, turn_share(from, turned, limit), L::splat(1.0));
        share.store(&mut state.turn_share);
        let center = Vec3W::select(active, Vec3W::select(guided, turned, target), before);
        let yaw = L::load(&state.amplitude) * L::splat(TURNS) * sin_turns(phase_turns::<L>(&state.phase));
        let effective = Vec3W::select(guided, yawed(center, dorsal, yaw), center);
        before.store(&mut state.center_before);
        center.store(&mut state.center);
        let kept = Vec3W::load(&state.effective);
        kept.store(&mut state.effective_before);
        Vec3W::select(active, effective, kept).store(&mut state.effective);
    }
}

/// The direction in the plane across `dorsal` that has the bearing of `v`, as seen from above; `fallback` where `v` has
/// none. A plane that is nearly upright is not seen from above: there it is what is left of `v` in it.
#[inline(always)]
pub(crate) fn in_plane<L: Lanes>(v: Vec3W<L>, dorsal: Vec3W<L>, fallback: Vec3W<L>) -> Vec3W<L> {
    let flat = L::splat(0.1).lt(dorsal.y);
    let rise = -(v.x * dorsal.x + v.z * dorsal.z) / L::select(flat, dorsal.y, L::splat(1.0));
    let seen = Vec3W::new(v.x, rise, v.z);
    Vec3W::select(flat, seen, v.reject(dorsal)).normalize_or(DIRECTION_EPSILON, fallback)
}

/// What headings turn about: the ground's normal on the ground, elsewhere the dorsal direction at the head.
#[inline(always)]
pub(crate) fn axis<L: Lanes>(state: &BlockState) -> Vec3W<L> {
    let grounded = L::mask_from_bits(flag_bits(state, flag::GROUNDED));
    Vec3W::select(grounded, Vec3W::load(&state.ground), Vec3W::load(&state.dorsal))
}

/// Bit i is set where lane i has one of the flags.
#[inline(always)]
pub(crate) fn flag_bits(state: &BlockState, bits: u32) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | (u32::from(state.flags[lane] & bits != 0) << lane))
}

/// Phases as turns from -1/2 to 1/2.
#[inline(always)]
pub(crate) fn phase_turns<L: Lanes>(phase: &[u32; LANES]) -> L {
    let mut signed = [0_i32; LANES];
    for lane in 0..LANES {
        signed[lane] = phase[lane] as i32;
    }
    L::from_i32(&signed) * L::splat(1.0 / 4_294_967_296.0)
}

/// The unit vector `from` turned toward the unit vector `to` by at most `limit` turns (up to a half). Opposite
/// directions turn to the left, about `dorsal`. Also tells who got there.
#[inline(always)]
fn turn_toward<L: Lanes>(from: Vec3W<L>, to: Vec3W<L>, dorsal: Vec3W<L>, limit: L) -> (Vec3W<L>, L::Mask) {
    let cos = from.dot(to);
    let left = dorsal.cross(from).normalize_or(DIRECTION_EPSILON, Vec3W::splat([1.0, 0.0, 0.0]));
    let aside = (to - from * cos).normalize_or(DIRECTION_EPSILON, left);
    let (cos_limit, sin_limit) = (cos_turns(limit), sin_turns(limit));
    let within = cos_limit.le(cos);
    let turned = (from * cos_limit + aside * sin_limit).normalize_or(DIRECTION_EPSILON, to);
    (Vec3W::select(within, to, turned), within)
}

/// Share of the tick that turning at the full rate from `from` to `to` takes: the rest of it the heading stands.
#[inline(always)]
fn turn_share<L: Lanes>(from: Vec3W<L>, to: Vec3W<L>, limit: L) -> L {
    // The angle as a series of its chord, 2 asin(c / 2): off by 1e-3 at a radian and a half.
    let square = (to - from).length_squared();
    let series = L::splat(3.0 / 640.0) + square * L::splat(5.0 / 7168.0);
    let series = L::splat(1.0) + square * (L::splat(1.0 / 24.0) + square * series);
    let angle = square.sqrt() * series * L::splat(TURNS);
    let share = angle / limit.max(L::splat(1e-9));
    share.max(L::splat(1e-6)).min(L::splat(1.0))
}

/// The unit vector `center` turned left by `yaw` turns about the part of `dorsal` that is perpendicular to it.
#[inline(always)]
pub(crate) fn yawed<L: Lanes>(center: Vec3W<L>, dorsal: Vec3W<L>, yaw: L) -> Vec3W<L> {
    let left = dorsal.cross(center).normalize_or(DIRECTION_EPSILON, Vec3W::splat([0.0, 0.0, 0.0]));
    (center * cos_turns(yaw) + left * sin_turns(yaw)).normalize_or(DIRECTION_EPSILON, center)
}
