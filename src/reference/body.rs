//! Twin of `body`: joints at chord distance along the path, found by walking it in small steps.

use super::first_outside;
use super::record::Knot;
use crate::constants::CORNER_COSINE;
use glam::DVec3;

/// Samples of each link of the curve. A stretch that leaves and reenters between two samples is overlooked.
const SAMPLES: usize = 48;

/// A joint, in world metres, with the dorsal direction of the path there.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// Position.
    pub at: DVec3,
    /// Dorsal direction, not of unit length.
    pub dorsal: DVec3,
}

/// The curve that one joint is looked for on: every point of the path moved along its dorsal.
struct Curve<'a> {
    path: &'a [Knot],
    offset: f64,
}

impl Curve<'_> {
    fn point(&self, link: usize, t: f64) -> DVec3 {
        let at = |knot: &Knot| knot.at + knot.dorsal * self.offset;
        let (a, b) = (at(&self.path[link]), at(&self.path[link + 1]));
        a + (b - a) * t
    }

    /// The first place after (link, t) at `segment` from `center`; the path goes on straight beyond its end.
    fn exit(&self, mut link: usize, mut t: f64, center: DVec3, segment: f64) -> (usize, f64) {
        let outside = |link, t| (self.point(link, t) - center).length() >= segment;
        while link + 2 < self.path.len() {
            if let Some(exit) = first_outside(t, SAMPLES, |t| outside(link, t)) {
                return (link, exit);
            }
            (link, t) = (link + 1, 0.0);
        }
        // Beyond the last knot, in one stretch of many links' length.
        let far = |u: f64| outside(link, t + u * 16.0 * self.path.len() as f64);
        let u = first_outside(0.0, SAMPLES * 16 * self.path.len(), far).unwrap_or(0.0);
        (link, t + u * 16.0 * self.path.len() as f64)
    }
}

/// Marches the joints from the head along `path`, whose first point is the head. `offsets[i]` is joint i's, radius(i) -
/// radius(0), scale included; one joint for each.
pub fn march_joints(path: &[Knot], offsets: &[f64], segment: f64) -> Vec<Joint> {
    let mut joints = vec![Joint { at: path[0].at, dorsal: path[0].dorsal }];
    let (mut link, mut t) = (0, 0.0);
    for &offset in &offsets[1..] {
        let curve = Curve { path, offset };
        let center = joints[joints.len() - 1].at;
        (link, t) = curve.exit(link, t, center, segment);
        // Across a corner dorsals are not mixed: the newer knot's holds to the next.
        let corner = path[link].dorsal.dot(path[link + 1].dorsal) < f64::from(CORNER_COSINE);
        let share = if corner { 0.0 } else { t.min(1.0) };
        let dorsal = path[link].dorsal.lerp(path[link + 1].dorsal, share);
        joints.push(Joint { at: curve.point(link, t), dorsal });
    }
    joints
}
