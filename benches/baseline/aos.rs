//! What one writes first: a struct for each snake, its history as it came, one snake after the other.
//!
//! The same work as the batch's `record`, `body`, `frame` and `pose`, and as exact: every joint is the first point of
//! the path at one segment's distance from the joint before it, front anchored, offset for taper; frames by the dorsal
//! directions laid with the path; the same rows. Heads, normals and headings are given to both.

use glam::{DVec3, Vec3};
use serpentarium::Profile;

/// What a snake's head did in a tick.
#[derive(Clone, Copy)]
pub struct Head {
    pub at: DVec3,
    pub ground_normal: Vec3,
    pub heading: Vec3,
}

#[derive(Clone, Copy)]
struct Sample {
    at: Vec3,
    dorsal: Vec3,
}

#[derive(Clone, Copy)]
struct Joint {
    at: Vec3,
    dorsal: Vec3,
}

#[derive(Clone)]
pub struct Snake {
    /// What positions are relative to, so that `f32` is enough for them.
    origin: DVec3,
    scale: f32,
    heading: Vec3,
    gaze_yaw: f32,
    gaze_pitch: f32,
    jaw: f32,
    /// Where the head was, tick by tick; the newest is the last.
    history: Vec<Sample>,
    joints: Vec<Joint>,
}

/// Unit vectors.
#[derive(Clone, Copy)]
struct Frame {
    forward: Vec3,
    up: Vec3,
    side: Vec3,
}

impl Snake {
    /// A snake whose head came along these points, with the dorsal directions there; the newest is the first.
    pub fn new(scale: f32, path: impl DoubleEndedIterator<Item = (DVec3, Vec3)>) -> Self {
        let path: Vec<_> = path.collect();
        let origin = path[0].0;
        let sample = |(at, dorsal): &(DVec3, Vec3)| Sample { at: (*at - origin).as_vec3(), dorsal: *dorsal };
        let history = path.iter().rev().map(sample).collect();
        let (heading, joints) = (Vec3::NEG_Z, Vec::new());
        Self { origin, scale, heading, gaze_yaw: 0.0, gaze_pitch: 0.0, jaw: 0.0, history, joints }
    }

    /// World positions of the joints.
    pub fn joints(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.joints.iter().map(|joint| self.origin + joint.at.as_dvec3())
    }

    /// Puts the joints on the path as it is.
    pub fn lie(&mut self, profile: &Profile) {
        self.march(profile);
    }

    /// Follows the head, and appends the snake's rows.
    pub fn follow(&mut self, head: &Head, profile: &Profile, poses: &mut Vec<[f32; 12]>) {
        self.heading = head.heading;
        self.record(head);
        let oldest = self.march(profile);
        self.forget(oldest);
        self.pose(profile, poses);
    }

    fn record(&mut self, head: &Head) {
        let at = (head.at - self.origin).as_vec3();
        let last = self.history[self.history.len() - 1];
        let moved = at - last.at;
        if moved == Vec3::ZERO {
            return;
        }
        let tangent = moved.normalize();
        let dorsal = head.ground_normal.reject_from_normalized(tangent).normalize_or(last.dorsal);
        self.history.push(Sample { at, dorsal });
    }

    /// Puts the joints on the path. Returns the oldest sample that was needed.
    fn march(&mut self, profile: &Profile) -> usize {
        let radii = profile.radius_m();
        let segment = profile.length_m() * self.scale / (profile.joints() - 1) as f32;
        // On the link from sample `newer` to the one before it.
        let mut newer = self.history.len() - 1;
        let front = self.history[newer];
        let mut last = front.at;
        self.joints.clear();
        self.joints.push(Joint { at: front.at, dorsal: front.dorsal });
        for radius in &radii[1..] {
            let offset = (radius - radii[0]) * self.scale;
            let offset_point = |sample: &Sample| sample.at + sample.dorsal * offset;
            while newer > 1 && offset_point(&self.history[newer - 1]).distance_squared(last) < segment * segment {
                newer -= 1;
            }
            let (a, b) = (&self.history[newer], &self.history[newer - 1]);
            let (from, to) = (offset_point(a), offset_point(b));
            let t = exit(from - last, to - from, segment);
            let dorsal = a.dorsal.lerp(b.dorsal, t.clamp(0.0, 1.0));
            last = from + (to - from) * t;
            self.joints.push(Joint { at: last, dorsal });
        }
        newer - 1
    }

    /// Drops what is older than twice the body, once there is enough to be worth moving the rest.
    fn forget(&mut self, oldest: usize) {
        let body = self.history.len() - oldest;
        if self.history.len() > 4 * body {
            self.history.drain(..self.history.len() - 2 * body);
        }
    }

    fn pose(&self, profile: &Profile, poses: &mut Vec<[f32; 12]>) {
        let mut up = Vec3::Y;
        let last = self.joints.len() - 1;
        for (i, joint) in self.joints.iter().enumerate() {
            let (before, behind) = (self.joints[i.saturating_sub(1)], self.joints[(i + 1).min(last)]);
            let frame = Frame::new((before.at - behind.at).normalize(), joint.dorsal, up);
            up = frame.up;
            if i == 0 {
                self.pose_heads(profile, frame, poses);
            }
            poses.push(self.row(frame, joint.at));
        }
    }

    /// The first head guides. Its rows come before the body's here, which no one measures.
    fn pose_heads(&self, profile: &Profile, body: Frame, poses: &mut Vec<[f32; 12]>) {
        for head in profile.heads() {
            let base = Frame::new(self.heading, body.up, body.up);
            let [right, up, ahead] = head.offset_m.map(|c| c * self.scale);
            let at = self.joints[0].at + base.side * right + base.up * up + base.forward * ahead;
            let frame = base.turned(self.gaze_yaw).pitched(self.gaze_pitch);
            poses.push(self.row(frame, at));
            let hinge = at + frame.forward * head.jaw_hinge_m * self.scale;
            poses.push(self.row(frame.pitched(-self.jaw), hinge));
        }
    }

    fn row(&self, frame: Frame, at: Vec3) -> [f32; 12] {
        let Frame { forward, up, side } = frame;
        let at = self.origin.as_vec3() + at;
        [side.x, up.x, -forward.x, at.x, side.y, up.y, -forward.y, at.y, side.z, up.z, -forward.z, at.z]
    }
}

impl Frame {
    /// Along `forward` with the dorsal direction up; where they are nearly parallel, the neighbour's up.
    fn new(forward: Vec3, dorsal: Vec3, neighbour: Vec3) -> Self {
        let across = dorsal.reject_from_normalized(forward);
        let across = if across.length_squared() > 1e-2 { across } else { neighbour.reject_from_normalized(forward) };
        let up = across.normalize();
        Self { forward, up, side: forward.cross(up) }
    }
    fn turned(self, yaw: f32) -> Self {
        let (sin, cos) = yaw.sin_cos();
        Self { forward: self.forward * cos - self.side * sin, side: self.side * cos + self.forward * sin, up: self.up }
    }
    fn pitched(self, pitch: f32) -> Self {
        let (sin, cos) = pitch.sin_cos();
        Self { forward: self.forward * cos + self.up * sin, up: self.up * cos - self.forward * sin, side: self.side }
    }
}

/// Where the ray m + d t leaves the sphere of this radius round zero: the larger root of the quadratic.
fn exit(m: Vec3, d: Vec3, radius: f32) -> f32 {
    let (a, b, c) = (d.length_squared(), m.dot(d), m.length_squared() - radius * radius);
    ((b * b - a * c).max(0.0).sqrt() - b) / a
}
