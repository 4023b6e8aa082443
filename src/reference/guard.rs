//! Twin of `guard` on planes and heightfields, for pushes of a small share of a segment: places that are raised until all is
//! out, and the chain through them at exact distances, found by walking.

use super::first_outside;
use super::rest::depth;
use crate::constants::{GUARD_CHORD, GUARD_CHORD_REST, GUARD_REST, GUARD_SHARE, GUARD_SLOP};
use crate::terrain::Terrain;
use glam::DVec3;

/// Places that a segment is looked at.
const CHORD_SAMPLES: usize = 256;
/// Samples of each link of the way that the chain is laid along.
const LINK_SAMPLES: usize = 64;
/// Times that what is still in the ground is raised further.
const ROUNDS: usize = 12;

/// Joints of these radii, in world metres, kept out of the ground; the first stays. Also how many sections and segments were
/// corrected.
pub fn keep_out(marched: &[DVec3], radii: &[f64], segment: f64, terrain: &Terrain) -> (Vec<DVec3>, usize) {
    let count = marched.len();
    let (mut own, mut span) = (vec![0.0; count + 1], vec![0.0; count + 1]);
    let mut joints = marched.to_vec();
    for _ in 0..ROUNDS {
        let mut asked = false;
        for i in 1..count {
            let (deep, normal) = depth(terrain, joints[i], radii[i]);
            if deep > f64::from(GUARD_SLOP) * radii[i] {
                let raised = normal.dot(joints[i] - marched[i]);
                own[i] = f64::max(own[i], raised) + deep - f64::from(GUARD_REST) * radii[i];
                asked = true;
            }
            // Once its ends are out; a front that its caller holds in the ground asks for nothing.
            let is_out = |i: usize| depth(terrain, joints[i], radii[i]).0 <= f64::from(GUARD_SLOP) * radii[i];
            if is_out(i - 1)
                && is_out(i)
                && let Some((rise, share)) = cut(&joints[i - 1..=i], &radii[i - 1..=i], terrain)
            {
                let raised = |i: usize| normal.dot(joints[i] - marched[i]);
                let before = if i > 1 { raised(i - 1) } else { 0.0 };
                // The first joint stays: the second brings all.
                let rise = if i > 1 { rise } else { rise / share };
                span[i] = f64::max(span[i], before + (raised(i) - before) * share + rise);
                asked = true;
            }
        }
        if !asked {
            break;
        }
        let raised: Vec<DVec3> = (0..count)
            .map(|i| {
                let shared = if i > 0 { f64::from(GUARD_SHARE) * (own[i - 1] + own[i + 1]) } else { 0.0 };
                let lift = if i > 0 { own[i].max(shared).max(span[i]).max(span[i + 1]) } else { 0.0 };
                marched[i] + depth(terrain, marched[i], radii[i]).1 * lift
            })
            .collect();
        joints = lay(&raised, segment);
    }
    let corrected = (1..count).filter(|&i| own[i] > 0.0 || span[i] > 0.0).count();
    (joints, corrected)
}

/// A chain along a way, each joint the first place beyond the last at a segment's distance; straight on beyond its end.
fn lay(way: &[DVec3], segment: f64) -> Vec<DVec3> {
    let last = way.len() - 1;
    let point = |at: f64| {
        let link = (at as usize).min(last - 1);
        way[link] + (way[link + 1] - way[link]) * (at - link as f64)
    };
    let (mut joints, mut at) = (vec![way[0]], 0.0);
    for _ in 0..last {
        let center = joints[joints.len() - 1];
        let reach = |u: f64| (point(at + 3.0 * u) - center).length() >= segment;
        at += 3.0 * first_outside(0.0, 3 * LINK_SAMPLES, reach).unwrap_or(1.0);
        joints.push(point(at));
    }
    joints
}

/// What a segment needs to be out of a crest, and where along it that is.
fn cut(ends: &[DVec3], radii: &[f64], terrain: &Terrain) -> Option<(f64, f64)> {
    let mut worst: Option<(f64, f64, f64)> = None;
    for sample in 1..CHORD_SAMPLES {
        let share = sample as f64 / CHORD_SAMPLES as f64;
        let radius = radii[0] + (radii[1] - radii[0]) * share;
        let (deep, _) = depth(terrain, ends[0].lerp(ends[1], share), radius);
        if deep > f64::from(GUARD_CHORD) * radius && worst.is_none_or(|(most, ..)| deep / radius > most) {
            worst = Some((deep / radius, deep - f64::from(GUARD_CHORD_REST) * radius, share));
        }
    }
    worst.map(|(_, rise, share)| (rise, share))
}
