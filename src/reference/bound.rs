//! Twin of `bound`: the box of spheres at the joints and round the Body front.

use crate::pose::Aabb;
use crate::profile::Profile;
use glam::DVec3;

/// The box that holds every joint with its radius, and all heads at any gaze.
pub fn box_body(joints: &[DVec3], profile: &Profile, scale: f64) -> Aabb {
    let reach = profile.heads().iter().map(head_reach).fold(0.0, f64::max);
    let mut bounds = Aabb { min: joints[0] - reach * scale, max: joints[0] + reach * scale };
    for (&joint, &radius) in joints.iter().zip(profile.radius_m()) {
        let radius = f64::from(radius) * scale;
        bounds.min = bounds.min.min(joint - radius);
        bounds.max = bounds.max.max(joint + radius);
    }
    bounds
}

/// How far a head reaches from the Body front at scale 1: to its base, along skull or jaw, and its radius.
pub fn head_reach(head: &crate::profile::Head) -> f64 {
    let base = DVec3::from(head.offset_m.map(f64::from)).length();
    base + f64::from(head.length_m).max(f64::from(head.jaw_hinge_m) + f64::from(head.jaw_length_m))
        + f64::from(head.radius_m)
}
