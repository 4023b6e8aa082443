//! What must hold of every pose, measured from the finished poses by plain f64 geometry that shares nothing with the
//! solver.

use crate::body::{Body, Frame, along, cross, dot, length, sub};
use crate::probe;
use crate::relief::Relief;
use serde::Serialize;
use serpentarium::Terrain;
use serpentarium::terrain::Nearby;

/// Points measured inside a segment, against the ground.
const CHORD_SAMPLES: usize = 7;

/// The worst of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Invariants {
    /// | |p(i) - p(i+1)| - l | / l.
    pub max_segment_error: f64,
    /// Distance of a joint from the travelled path, offset for taper; in segment lengths. None where joints are not
    /// meant to lie on it.
    pub max_path_deviation: Option<f64>,
    /// Twist of the dorsal between neighbouring frames, less the bend between them; 0 where the bend is more.
    pub max_twist_excess_deg: f64,
    /// Between neighbouring segments.
    pub max_bend_deg: f64,
    /// Depth of a joint's ball in the ground, of its radius.
    pub max_penetration_share: f64,
    /// The same along segments.
    pub max_chord_penetration_share: f64,
    /// The deepest of both: a share is large where a tail is thin.
    pub max_penetration_m: f64,
    /// How far a joint's ball is over where it would rest on the ground under it, across the slope, of its radius.
    pub max_gap_share: f64,
    /// Overlap of bodies, of their diameter: there is no contact yet that could be held to it.
    pub max_overlap_share: f64,
    /// Numbers in joints and frames that are none.
    pub non_finite: u64,
}

impl Invariants {
    pub fn worst(self, other: Self) -> Self {
        Self {
            max_segment_error: self.max_segment_error.max(other.max_segment_error),
            max_path_deviation: larger(self.max_path_deviation, other.max_path_deviation),
            max_twist_excess_deg: self.max_twist_excess_deg.max(other.max_twist_excess_deg),
            max_bend_deg: self.max_bend_deg.max(other.max_bend_deg),
            max_penetration_share: self.max_penetration_share.max(other.max_penetration_share),
            max_chord_penetration_share: self.max_chord_penetration_share.max(other.max_chord_penetration_share),
            max_penetration_m: self.max_penetration_m.max(other.max_penetration_m),
            max_gap_share: self.max_gap_share.max(other.max_gap_share),
            max_overlap_share: self.max_overlap_share.max(other.max_overlap_share),
            non_finite: self.non_finite + other.non_finite,
        }
    }
}

/// None is less than any number.
fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    if a > b { a } else { b }
}

/// The ground with what makes measuring against it quick.
pub struct Ground<'a> {
    terrain: &'a Terrain,
    relief: &'a Relief,
    steepness: f64,
    /// Where the ground is no grid, the library's own queries have to do.
    mesh: Option<&'a Terrain>,
}

impl<'a> Ground<'a> {
    pub fn new(terrain: &'a Terrain, relief: &'a Relief) -> Self {
        let mesh = matches!(terrain, Terrain::Mesh(_)).then_some(terrain);
        Self { terrain, relief, steepness: relief.steepness(), mesh }
    }

    /// How deep a ball is in the ground, perpendicular to the nearest triangle: 0 without touch, its radius with its
    /// centre on the surface. Off the map there is no ground.
    fn depth_m(&self, nearby: &mut Nearby, centre: [f64; 3], radius_m: f64) -> f64 {
        if let Some(mesh) = self.mesh {
            return probe::depth_m(mesh, nearby, centre, radius_m);
        }
        let [x, y, z] = centre;
        if !self.relief.contains(x, z) {
            return 0.0;
        }
        let gap = y - self.relief.height_m(x, z);
        if gap >= radius_m * self.steepness {
            return 0.0;
        }
        // The surface straight below or above is `gap` away, so nothing farther can be the nearest.
        let reach = if gap > 0.0 { gap.min(radius_m) } else { -gap };
        let nearest = self.nearest(centre, reach).min(reach);
        (radius_m - nearest.copysign(gap)).max(0.0)
    }

    /// Distance to the nearest triangle, of those in cells within `reach`.
    fn nearest(&self, centre: [f64; 3], reach: f64) -> f64 {
        let [west, north] = self.relief.cell(centre[0] - reach, centre[2] - reach);
        let [east, south] = self.relief.cell(centre[0] + reach, centre[2] + reach);
        let cells = (north..=south).flat_map(|row| (west..=east).map(move |column| [column, row]));
        cells
            .flat_map(|cell| self.relief.triangles(cell))
            .map(|triangle| distance_to_triangle(centre, triangle))
            .fold(f64::INFINITY, f64::min)
    }
}

/// Measures one creature.
pub fn measure(body: &Body, ground: &Ground) -> Invariants {
    let non_finite = count_non_finite(body);
    if non_finite > 0 || body.joints.is_empty() {
        return Invariants { non_finite, ..Invariants::default() };
    }
    let depths = if body.follows_ground { penetration(body, ground) } else { Depths::default() };
    Invariants {
        max_segment_error: segment_error(body),
        max_path_deviation: path_deviation(body),
        max_twist_excess_deg: twist_excess_deg(body),
        max_bend_deg: bend_deg(body),
        max_penetration_share: depths.joint_share,
        max_chord_penetration_share: depths.chord_share,
        max_penetration_m: depths.most_m,
        max_gap_share: depths.gap_share,
        max_overlap_share: 0.0,
        non_finite,
    }
}

fn count_non_finite(body: &Body) -> u64 {
    let axes = body.frames.iter().flat_map(|f| [f.right, f.dorsal, f.forward]);
    body.joints.iter().copied().chain(axes).flatten().filter(|value| !value.is_finite()).count() as u64
}

fn segment_error(body: &Body) -> f64 {
    let error = |pair: &[[f64; 3]]| (length(sub(pair[1], pair[0])) - body.segment_m).abs() / body.segment_m;
    body.joints.windows(2).map(error).fold(0.0, f64::max)
}

fn bend_deg(body: &Body) -> f64 {
    let bend = |three: &[[f64; 3]]| angle_deg(sub(three[0], three[1]), sub(three[1], three[2]));
    body.joints.windows(3).map(bend).fold(0.0, f64::max)
}

/// The path is at the clearance of one radius; a joint thicker or thinner than that lies beside it by the difference.
/// So each joint is held against the polyline of the path's points, each moved by that difference along the dorsal with
/// which it was laid, the support normal there.
fn path_deviation(body: &Body) -> Option<f64> {
    if body.path.len() < 2 {
        return None;
    }
    let deviation = |i: usize| {
        let taper = body.radius_m[i] - body.path_radius_m;
        let points = body.path.iter().map(|point| along(point.at, taper, point.dorsal));
        let pieces = points.clone().zip(points.skip(1)).map(|(from, to)| Piece::new(from, to));
        pieces.map(|piece| piece.distance_squared(body.joints[i])).fold(f64::INFINITY, f64::min).sqrt()
    };
    Some((0..body.joints.len()).map(deviation).fold(0.0, f64::max) / body.segment_m)
}

/// A straight piece with its reciprocal length squared.
struct Piece {
    from: [f64; 3],
    run: [f64; 3],
    inv_run_squared: f64,
}

impl Piece {
    fn new(from: [f64; 3], to: [f64; 3]) -> Self {
        let run = sub(to, from);
        let squared = dot(run, run);
        Self { from, run, inv_run_squared: if squared > 0.0 { 1.0 / squared } else { 0.0 } }
    }

    fn distance_squared(&self, point: [f64; 3]) -> f64 {
        let to = sub(point, self.from);
        let t = (dot(to, self.run) * self.inv_run_squared).clamp(0.0, 1.0);
        let off = along(to, -t, self.run);
        dot(off, off)
    }
}

fn twist_excess_deg(body: &Body) -> f64 {
    let excess = |pair: &[Frame]| twist_deg(&pair[0], &pair[1]) - angle_deg(pair[0].forward, pair[1].forward);
    body.frames.windows(2).map(excess).fold(0.0, f64::max)
}

/// How far a frame's dorsal is turned about its forward axis against its neighbour's, carried over by the least turn.
fn twist_deg(from: &Frame, to: &Frame) -> f64 {
    let axis = cross(from.forward, to.forward);
    let cosine = dot(from.forward, to.forward);
    // Rodrigues' formula with the axis' length as the sine: no division by it where the frames are parallel.
    let turned = cross(axis, from.dorsal);
    let kept = dot(axis, from.dorsal) / (1.0 + cosine).max(1e-12);
    let carried = std::array::from_fn(|i| cosine * from.dorsal[i] + turned[i] + kept * axis[i]);
    dot(to.forward, cross(carried, to.dorsal)).atan2(dot(carried, to.dorsal)).abs().to_degrees()
}

fn angle_deg(a: [f64; 3], b: [f64; 3]) -> f64 {
    length(cross(a, b)).atan2(dot(a, b)).to_degrees()
}

/// The deepest places of a body.
#[derive(Clone, Copy, Default)]
struct Depths {
    joint_share: f64,
    chord_share: f64,
    most_m: f64,
    gap_share: f64,
}

fn penetration(body: &Body, ground: &Ground) -> Depths {
    let (mut depths, mut nearby) = (Depths::default(), Nearby::new());
    for (&joint, &radius_m) in body.joints.iter().zip(&body.radius_m) {
        let depth = ground.depth_m(&mut nearby, joint, radius_m);
        depths.joint_share = depths.joint_share.max(depth / radius_m);
        depths.most_m = depths.most_m.max(depth);
        let gap = probe::gap_m(ground.terrain, joint, radius_m).unwrap_or(0.0);
        depths.gap_share = depths.gap_share.max(gap / radius_m);
    }
    for i in 0..body.joints.len() - 1 {
        let run = sub(body.joints[i + 1], body.joints[i]);
        for k in 1..=CHORD_SAMPLES {
            let t = k as f64 / (CHORD_SAMPLES + 1) as f64;
            let radius_m = body.radius_m[i] + t * (body.radius_m[i + 1] - body.radius_m[i]);
            let depth = ground.depth_m(&mut nearby, along(body.joints[i], t, run), radius_m);
            depths.chord_share = depths.chord_share.max(depth / radius_m);
            depths.most_m = depths.most_m.max(depth);
        }
    }
    depths
}

/// Distance of a point from a triangle: its plane's where the foot lies inside, its edges' otherwise.
fn distance_to_triangle(point: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let normal = cross(sub(b, a), sub(c, a));
    let inside = |from, to| dot(cross(sub(to, from), sub(point, from)), normal) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return dot(sub(point, a), normal).abs() / length(normal);
    }
    let edges = [Piece::new(a, b), Piece::new(b, c), Piece::new(c, a)];
    edges.iter().map(|edge| edge.distance_squared(point)).fold(f64::INFINITY, f64::min).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::PathPoint;

    const UP: [f64; 3] = [0.0, 1.0, 0.0];

    fn frame(forward: [f64; 3], dorsal: [f64; 3]) -> Frame {
        Frame { right: cross(forward, dorsal), dorsal, forward }
    }

    /// Joints along -x from the origin, 0.1 m apart, 0.02 m above level ground.
    fn straight(joints: usize) -> Body {
        let joints: Vec<_> = (0..joints).map(|i| [-0.1 * i as f64, 0.02, 0.0]).collect();
        Body {
            radius_m: vec![0.02; joints.len()],
            frames: vec![frame([1.0, 0.0, 0.0], UP); joints.len()],
            path: joints.iter().map(|&at| PathPoint { at, dorsal: UP }).collect(),
            joints,
            segment_m: 0.1,
            path_radius_m: 0.02,
            follows_ground: true,
            ..Body::default()
        }
    }

    fn measured(body: &Body) -> Invariants {
        measure(body, &Ground::new(&Terrain::None, &Relief::flat(0.0, 10.0)))
    }

    fn assert_close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn a_straight_body_on_level_ground_has_nothing_to_report() {
        let found = measured(&straight(5));
        assert!(found.max_segment_error < 1e-12 && found.max_path_deviation < Some(1e-12), "{found:?}");
        assert_close(found.max_bend_deg + found.max_twist_excess_deg, 0.0);
        assert_close(found.max_penetration_share + found.max_chord_penetration_share, 0.0);
    }

    #[test]
    fn a_bent_chain_shows_its_bend() {
        let mut body = straight(3);
        let (sin, cos) = 30f64.to_radians().sin_cos();
        body.joints[2] = along(body.joints[1], 0.1, [-cos, 0.0, sin]);
        let found = measured(&body);
        assert_close(found.max_bend_deg, 30.0);
        assert_close(found.max_segment_error, 0.0);
        assert_close(found.max_path_deviation.unwrap(), sin);
    }

    #[test]
    fn a_stretched_segment_shows_its_error() {
        let mut body = straight(2);
        body.joints[1][0] -= 0.001;
        assert_close(measured(&body).max_segment_error, 0.01);
    }

    #[test]
    fn twist_counts_beyond_the_bend_alone() {
        let mut body = straight(2);
        let (sin, cos) = 50f64.to_radians().sin_cos();
        body.frames[1] = frame([1.0, 0.0, 0.0], [0.0, cos, sin]);
        assert_close(measured(&body).max_twist_excess_deg, 50.0);
        // The same twist over a bend of 20 degrees in the level plane.
        let (sin_bend, cos_bend) = 20f64.to_radians().sin_cos();
        let (forward, right) = ([cos_bend, 0.0, sin_bend], [-sin_bend, 0.0, cos_bend]);
        body.frames[1] = frame(forward, along([0.0, cos, 0.0], sin, right));
        assert_close(measured(&body).max_twist_excess_deg, 30.0);
    }

    #[test]
    fn a_climbing_turn_is_no_twist() {
        let mut body = straight(2);
        let (sin, cos) = 40f64.to_radians().sin_cos();
        body.frames[1] = frame([cos, sin, 0.0], [-sin, cos, 0.0]);
        assert_close(measured(&body).max_twist_excess_deg, 0.0);
    }

    #[test]
    fn a_thicker_joint_lies_beside_its_path() {
        let mut body = straight(3);
        body.radius_m[1] = 0.05;
        body.joints[1][1] = 0.05;
        let found = measured(&body);
        assert_close(found.max_path_deviation.unwrap(), 0.0);
        assert_close(found.max_penetration_share, 0.0);
        body.joints[1][1] += 0.03;
        assert_close(measured(&body).max_path_deviation.unwrap(), 0.3);
        // Laid on its side, the same body would bulge sideways.
        body.joints[1] = [-0.1, 0.02, 0.03];
        body.path.iter_mut().for_each(|point| point.dorsal = [0.0, 0.0, 1.0]);
        assert_close(measured(&body).max_path_deviation.unwrap(), 0.0);
    }

    #[test]
    fn a_joint_a_tenth_deep_is_a_tenth_deep() {
        let mut body = straight(3);
        body.joints[1][1] -= 0.1 * 0.02;
        let found = measured(&body);
        assert_close(found.max_penetration_share, 0.1);
        assert_close(found.max_penetration_m, 0.002);
        assert_close(found.max_chord_penetration_share, 0.1 * 7.0 / 8.0);
        body.follows_ground = false;
        assert_close(measured(&body).max_penetration_share, 0.0);
    }

    #[test]
    fn depth_is_perpendicular_to_a_slope_and_beyond_the_radius_when_buried() {
        let relief = Relief::new(2, [10.0; 2], [0.0; 2], vec![0.0, 10.0, 0.0, 10.0]);
        let ground = Ground::new(&Terrain::None, &relief);
        let on = |above: f64| [5.0 - above * 0.5f64.sqrt(), 5.0 + above * 0.5f64.sqrt(), 3.0];
        assert_close(ground.depth_m(&mut Nearby::new(), on(0.09), 0.1), 0.01);
        assert_close(ground.depth_m(&mut Nearby::new(), on(-0.05), 0.1), 0.15);
        assert_close(ground.depth_m(&mut Nearby::new(), on(0.11), 0.1), 0.0);
        assert_close(ground.depth_m(&mut Nearby::new(), [20.0, -5.0, 3.0], 0.1), 0.0);
    }

    #[test]
    fn a_chord_through_a_crest_shows_between_its_joints() {
        let relief = Relief::new(3, [0.1, 1.0], [-0.1, -0.5], vec![0.0, 0.02, 0.0, 0.0, 0.02, 0.0]);
        let mut body = straight(2);
        body.joints = vec![[0.05, 0.035, 0.0], [-0.05, 0.035, 0.0]];
        let found = measure(&body, &Ground::new(&Terrain::None, &relief));
        assert_close(found.max_penetration_share, 0.0);
        assert_close(found.max_chord_penetration_share, 0.25);
    }

    #[test]
    fn broken_numbers_are_counted_and_measured_no_further() {
        let mut body = straight(3);
        body.joints[1] = [f64::NAN, f64::INFINITY, 0.0];
        let found = measured(&body);
        assert_eq!(found, Invariants { non_finite: 2, ..Invariants::default() });
    }
}
