//! command: takes a tick's inputs.
//!
//! Reads the control slices, scales, masks. Writes targets, speeds, this tick's seconds, reports; grows creatures. The
//! only place where the slices' values are looked at: a non-finite one quarantines its creature alone.
//! Parallel: touches its own lanes only.

use super::Task;
use crate::batch::{
    BlockMut, Fault, Motion, flag, lane3, put_row, resample_lane, resize_lane, set_lane3, snap, unpack_direction,
};
use crate::constants::{
    GROWTH_PER_S, MAX_COORDINATE_M, MAX_DISPLACEMENT_M, MAX_SPEED_M_S, NOISE_SHARE, RESAMPLE_RATIO,
};
use crate::lanes::LANES;

/// Inputs that guidance needs: runs in `begin`.
pub(crate) fn take_targets(task: &mut Task<'_, '_>) {
    for lane in 0..LANES {
        let active = advances(task, lane) && check(task, lane, fault(task.block, lane));
        let state = &mut *task.block.state;
        state.dt[lane] = if active { task.context.dt * state.time_scale[lane] } else { 0.0 };
        state.displacement.iter_mut().for_each(|c| c[lane] = 0.0);
        state.travelled[lane] = 0.0;
        state.speed[lane] = 0.0;
        if state.dt[lane] > 0.0 {
            take_guidance(task.block, lane);
        }
    }
}

/// The reports: runs in `finish`, so that callers could read the headings first.
pub(crate) fn take_reports(task: &mut Task<'_, '_>) {
    for lane in 0..LANES {
        let state = &mut *task.block.state;
        state.previous_origin.iter_mut().zip(&state.origin).for_each(|(before, now)| before[lane] = now[lane]);
        if state.dt[lane] == 0.0 {
            continue;
        }
        if !check(task, lane, fault_of_reports(task.block, lane)) {
            stand_still(task.block, lane);
            continue;
        }
        // Not before: a creature that a late report poisons must not have grown.
        grow(task, lane);
        take_report(task.block, lane);
    }
}

/// Takes back what `begin` did to a creature's headings: its last good pose stays.
fn stand_still(block: &mut BlockMut<'_>, lane: usize) {
    let state = &mut *block.state;
    (state.dt[lane], state.speed[lane]) = (0.0, 0.0);
    for c in 0..3 {
        state.center[c][lane] = state.center_before[c][lane];
        state.effective[c][lane] = state.effective_before[c][lane];
    }
}

fn advances(task: &Task<'_, '_>, lane: usize) -> bool {
    let state = &task.block.state;
    state.has(lane, flag::LIVE)
        && !state.has(lane, flag::PAUSED | flag::QUARANTINED)
        && state.mask[lane] & task.context.active_mask != 0
}

/// Quarantines the creature on a fault; true where there is none.
fn check(task: &mut Task<'_, '_>, lane: usize, fault: Option<Fault>) -> bool {
    let Some(fault) = fault else { return true };
    task.block.state.put(lane, flag::QUARANTINED | fault.flag(), true);
    task.scratch.counters.quarantined += 1;
    false
}

/// What is wrong with any of the inputs, as far as they are there yet.
fn fault(block: &BlockMut<'_>, lane: usize) -> Option<Fault> {
    fault_of_targets(block, lane).or_else(|| fault_of_reports(block, lane))
}

fn fault_of_targets(block: &BlockMut<'_>, lane: usize) -> Option<Fault> {
    // Comparisons are written so that NaN is a fault.
    if !block.guidance[lane].iter().all(|c| c.abs() <= f32::MAX) {
        return Some(Fault::Guidance);
    }
    if block.speed[lane].abs() <= MAX_SPEED_M_S { None } else { Some(Fault::Speed) }
}

fn fault_of_reports(block: &BlockMut<'_>, lane: usize) -> Option<Fault> {
    if !block.displacement[lane].iter().all(|c| c.abs() <= MAX_DISPLACEMENT_M) {
        return Some(Fault::Displacement);
    }
    let observed = block.state.motion[lane] == Motion::Observed as u32;
    if observed && !block.observed[lane].iter().all(|c| c.abs() <= MAX_COORDINATE_M) {
        return Some(Fault::Head);
    }
    None
}

fn take_guidance(block: &mut BlockMut<'_>, lane: usize) {
    // In f64: no finite f32 direction overflows or vanishes there.
    let d = block.guidance[lane].map(f64::from);
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let state = &mut *block.state;
    if square > 1e-24 {
        let inv = 1.0 / square.sqrt();
        set_lane3(&mut state.target, lane, d.map(|c| (c * inv) as f32));
    }
    state.speed[lane] = match state.motion[lane] {
        m if m == Motion::Driven as u32 => block.speed[lane],
        m if m == Motion::Preview as u32 => block.speed[lane] * state.length[lane],
        _ => 0.0,
    };
}

/// Moves the scale toward its target, and lays the history anew when the ratio to its own scale calls for it.
fn grow(task: &mut Task<'_, '_>, lane: usize) {
    let block = &mut *task.block;
    let (now, target) = (block.state.scale[lane], block.state.target_scale[lane]);
    if now == target {
        return;
    }
    let most = now * GROWTH_PER_S * block.state.dt[lane];
    let step = target - now;
    let before = block.profile.radius_m()[0] * now;
    block.state.scale[lane] = if step.abs() <= most { target } else { now + if step > 0.0 { most } else { -most } };
    let ratio = block.state.scale[lane] / block.state.history_scale[lane];
    let renew = !(ratio < RESAMPLE_RATIO && ratio * RESAMPLE_RATIO > 1.0);
    resize_lane(block.state, lane, block.profile, block.shape, renew);
    let thicker = block.profile.radius_m()[0] * block.state.scale[lane] - before;
    if !lift(block, lane, thicker) {
        come_nearer(block, lane, thicker);
    }
    if renew {
        let ring = &mut task.scratch.ring;
        ring.clear();
        ring.extend_from_slice(block.shape.ring_of(block.knots, lane));
        let falls = &mut task.scratch.falls;
        falls.clear();
        falls.extend_from_slice(&block.falls[lane * block.shape.falls..(lane + 1) * block.shape.falls]);
        resample_lane(block, lane, ring, falls, block.state.cursor[lane]);
        task.scratch.counters.resampled += 1;
    }
}

/// Raises the path of a creature that stands on the ground by what its radius at the head grew, along the dorsals: the
/// belly stays where it is. Tells whether it did.
fn lift(block: &mut BlockMut<'_>, lane: usize, height: f32) -> bool {
    let state = &mut *block.state;
    if !state.has(lane, flag::GROUNDED) || state.motion[lane] != Motion::Driven as u32 {
        return false;
    }
    let (dorsal, cell) = (lane3(&state.dorsal, lane), state.cell[lane]);
    for c in 0..3 {
        state.head[c][lane] += f64::from(dorsal[c] * height);
        state.pen[c][lane] += dorsal[c] * height;
    }
    for knot in block.shape.ring_of(block.knots, lane) {
        let dorsal = unpack_direction(knot[3]);
        (0..3).for_each(|c| knot[c] = snap(knot[c] + dorsal[c] * height, cell));
    }
    let pen = block.shape.ring(state.cursor[lane], 0);
    let ring = block.shape.ring_of(block.knots, lane);
    let [x, y, z] = lane3(&state.head, lane).map(|c| c as f32);
    put_row(ring, pen, [x, y, z, ring[pen][3]]);
    true
}

/// A thicker body that its path does not lift is nearer to the ground that it falls to.
fn come_nearer(block: &mut BlockMut<'_>, lane: usize, thicker: f32) {
    let falls = block.shape.falls;
    for [gap, ..] in &mut block.falls[lane * falls..(lane + 1) * falls] {
        // Not where there is no ground, or nobody has asked.
        if gap.abs() < f32::MAX {
            *gap -= thicker;
        }
    }
    block.state.put(lane, flag::STILL, false);
}

/// Fills in the displacement and the forward direction of a creature that the caller moves.
fn take_report(block: &mut BlockMut<'_>, lane: usize) {
    let report = std::mem::take(&mut block.displacement[lane]);
    let state = &mut *block.state;
    let motion = state.motion[lane];
    let reported = state.has(lane, flag::REPORTED) || report != [0.0; 3];
    if !state.has(lane, flag::FORWARD) {
        set_lane3(&mut state.forward, lane, lane3(&state.effective, lane));
    }
    state.put(lane, flag::REPORTED | flag::FORWARD, false);
    if motion == Motion::Reported as u32 || (motion == Motion::Observed as u32 && reported) {
        set_lane3(&mut state.displacement, lane, report);
    } else if motion == Motion::Observed as u32 {
        let (origin, head) = (lane3(&state.origin, lane), lane3(&state.head, lane));
        let moved = std::array::from_fn(|c| (block.observed[lane][c] - origin[c] - head[c]) as f32);
        set_lane3(&mut state.displacement, lane, moved);
    }
}

/// Whether an observed movement since the anchor is still within noise.
pub(crate) fn is_noise(moved: [f32; 3], segment: f32) -> bool {
    let square = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
    let least = NOISE_SHARE * segment;
    square < least * least
}
