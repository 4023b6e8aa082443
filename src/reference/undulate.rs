//! Twin of `undulate`: the vertical wave as pitch of segment directions.

use super::body::Joint;
use super::{reject, rotate};
use crate::profile::Profile;
use glam::DVec3;
use std::f64::consts::TAU;

/// Adds the wave. `phase` is in turns, without the profile's own; `segment` in metres.
pub fn add_wave(joints: &mut [Joint], profile: &Profile, phase: f64, segment: f64) {
    if profile.wave_bend_rad() == 0.0 {
        return;
    }
    let before: Vec<DVec3> = joints.iter().map(|joint| joint.at).collect();
    let segments = before.len() - 1;
    let mut up = DVec3::Y;
    for i in 0..segments {
        let along = (before[i + 1] - before[i]).normalize();
        let dorsal = reject(joints[i].dorsal, along);
        up = if dorsal.length_squared() > 1e-2 { dorsal.normalize() } else { up };
        let fraction = i as f64 / segments as f64;
        let turns = phase + f64::from(profile.wave_phase_turns()) - f64::from(profile.wave_cycles()) * fraction;
        let bend = f64::from(profile.wave_bend_rad()) * f64::from(profile.wave_amplitude()[i]);
        let side = along.cross(up).normalize();
        joints[i + 1].at = joints[i].at + rotate(along, side, bend * (TAU * turns).sin()) * segment;
    }
}
