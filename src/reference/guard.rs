//! Twin of `guard`: sections turned out of the ground by bisection, on the ground itself and not on a plane felt there.

use crate::constants::{GUARD_CHORD, GUARD_CHORD_REST, GUARD_REST, GUARD_SHARE, GUARD_SLOP, GUARD_SWEEPS};
use crate::terrain::Terrain;
use glam::DVec3;

/// How deep a sphere is in a plane or a heightfield by the slope under its centre, and the way out.
fn feel(terrain: &Terrain, at: DVec3, radius: f64) -> Option<(f64, DVec3)> {
    let ground = terrain.sample(at.x, at.z)?;
    let normal = DVec3::from(ground.normal.map(f64::from));
    Some(((ground.height_m + radius / normal.y - at.y) * normal.y, normal))
}

/// Joints of these radii, in world metres, kept out of a plane or a heightfield; the first stays. Also how many sections and
/// segments were corrected.
pub fn keep_out(marched: &[DVec3], radii: &[f64], segment: f64, terrain: &Terrain) -> (Vec<DVec3>, usize) {
    let mut shifts = vec![DVec3::ZERO; marched.len()];
    let mut corrected = vec![false; marched.len()];
    let mut joints = marched.to_vec();
    for sweep in 0..GUARD_SWEEPS {
        let mut asked = false;
        let pushes = lay(&mut joints, marched, &shifts, radii, segment, terrain);
        for (i, &push) in pushes.iter().enumerate().filter(|(_, push)| **push != DVec3::ZERO) {
            corrected[i] = true;
            if sweep == 0 {
                asked = true;
                let share = push.clamp_length_max(radii[i]) * f64::from(GUARD_SHARE);
                shifts[i - 1] += share;
                if let Some(next) = shifts.get_mut(i + 1) {
                    *next += share;
                }
            }
        }
        for i in 1..joints.len() {
            if let Some(lift) = cut(&joints[i - 1..=i], &radii[i - 1..=i], terrain) {
                (asked, corrected[i]) = (true, true);
                shifts[i] += lift;
                shifts[if i > 1 { i - 1 } else { i }] += lift;
            }
        }
        if !asked {
            break;
        }
    }
    (joints, corrected.iter().filter(|was| **was).count())
}

/// Lays the chain toward its places; yields how far each section had to be pushed.
fn lay(
    joints: &mut [DVec3],
    marched: &[DVec3],
    shifts: &[DVec3],
    radii: &[f64],
    segment: f64,
    terrain: &Terrain,
) -> Vec<DVec3> {
    let mut pushes = vec![DVec3::ZERO; joints.len()];
    for i in 1..joints.len() {
        let (from, to) = (joints[i - 1], marched[i] + shifts[i]);
        let way = (to - from).normalize();
        joints[i] = from + way * segment;
        let depth = |at: DVec3| feel(terrain, at, radii[i]).map_or(f64::NEG_INFINITY, |(depth, _)| depth);
        if let Some((deep, normal)) = feel(terrain, joints[i], radii[i])
            && deep > f64::from(GUARD_SLOP) * radii[i]
        {
            let turned = |u: f64| from + way.lerp(normal, u).normalize() * segment;
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                let is_out = depth(turned(middle)) <= f64::from(GUARD_REST) * radii[i];
                *(if is_out { &mut high } else { &mut low }) = middle;
            }
            pushes[i] = turned(high) - joints[i];
            joints[i] = turned(high);
        }
    }
    pushes
}

/// What a segment between ends that are free needs to be out of a crest.
fn cut(ends: &[DVec3], radii: &[f64], terrain: &Terrain) -> Option<DVec3> {
    let is_free = |i: usize| {
        let deep = feel(terrain, ends[i], radii[i]).map_or(0.0, |(depth, _)| depth);
        deep <= 1.01 * f64::from(GUARD_SLOP) * radii[i]
    };
    let radius = 0.5 * (radii[0] + radii[1]);
    let (depth, normal) = feel(terrain, 0.5 * (ends[0] + ends[1]), radius)?;
    let cuts = depth > f64::from(GUARD_CHORD) * radius && is_free(0) && is_free(1);
    cuts.then(|| normal * (depth - f64::from(GUARD_CHORD_REST) * radius))
}
