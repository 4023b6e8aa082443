//! One creature as the example measures and draws it: plain numbers, copied out of the batch.
// No example needs all of it.
#![allow(dead_code)]

/// A bone frame's axes in the world.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    pub right: [f64; 3],
    pub dorsal: [f64; 3],
    pub forward: [f64; 3],
}

/// A head seen as an egg: where its back is, where it looks, how long and how wide it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadShape {
    pub back: [f64; 3],
    pub forward: [f64; 3],
    pub length_m: f64,
    pub radius_m: f64,
}

/// A point of the travelled path and where the back was turned there.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathPoint {
    pub at: [f64; 3],
    pub dorsal: [f64; 3],
}

/// A creature's final pose and the path it lies on.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Front first.
    pub joints: Vec<[f64; 3]>,
    /// At each joint.
    pub radius_m: Vec<f64>,
    /// At each joint.
    pub frames: Vec<Frame>,
    /// The travelled path as a polyline, from the head backward.
    pub path: Vec<PathPoint>,
    pub heads: Vec<HeadShape>,
    /// The length that each segment should have.
    pub segment_m: f64,
    /// The radius for which the path was laid: the head's clearance.
    pub path_radius_m: f64,
    pub follows_ground: bool,
}

pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a + t b`.
pub fn along(a: [f64; 3], t: f64, b: [f64; 3]) -> [f64; 3] {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
