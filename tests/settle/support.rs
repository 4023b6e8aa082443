//! Grounds and measures of the settling tests, taken from joints and terrain samples alone.

pub use crate::common::*;
use glam::DVec3;
pub use serpentarium::{Motion, Profile, Quality, SerpentBatch, SerpentId, Spawn, Terrain};

pub const BEND_DEG: f64 = 20.0;
pub const RADIUS: f64 = 0.2;

/// The body of the cases: 8 m, 16 segments, radius 0.2, with this gait, which follows the ground or does not.
pub fn body(amplitude_deg: f64, follows: bool) -> Profile {
    Profile::builder("case")
        .length_m(8.0)
        .joints(17)
        .radius_m([(0.0, RADIUS), (1.0, RADIUS)])
        .steering_amplitude_deg(amplitude_deg)
        .steering_cycles(1.5)
        .body_follow(follows)
        .terrain_reach_m(20.0)
        .max_bend_deg(BEND_DEG)
        .build()
        .unwrap()
}

/// Ground whose height is given along x, in cells of 0.1 m.
pub fn along_x(height: impl Fn(f64) -> f64) -> Terrain {
    let (columns, rows) = (2001, 9);
    let heights = (0..columns * rows).map(|i| height((i % columns) as f64 * 0.1 - 100.0) as f32);
    let grid = serpentarium::terrain::HeightGrid {
        columns,
        rows,
        cell_x_m: 0.1,
        cell_z_m: 10.0,
        origin: [-100.0, 0.0, -40.0],
        heights: heights.collect(),
        holes: Vec::new(),
    };
    Terrain::from(serpentarium::Heightfield::from_heights(grid).unwrap())
}

/// Level ground that falls by `depth` along x just behind `edge`.
pub fn ledge(edge: f64, depth: f64) -> Terrain {
    along_x(|x| if x <= edge { 0.0 } else { -depth })
}

/// Level ground with a pit from `start` along x.
pub fn pit(start: f64, width: f64, depth: f64) -> Terrain {
    along_x(|x| if x > start + 0.05 && x < start + width + 0.05 { -depth } else { 0.0 })
}

/// Hills a few metres wide, up to 35 degrees steep.
pub fn hills(seed: u64) -> Terrain {
    let mut random = Random(seed);
    let waves: Vec<[f64; 4]> = (0..5)
        .map(|_| {
            let k = random.between(0.2, 0.9);
            let turn = random.between(0.0, std::f64::consts::TAU);
            [k * turn.cos(), k * turn.sin(), random.between(0.0, 6.0), random.between(0.05, 0.3) / k]
        })
        .collect();
    field(161, move |x, z| waves.iter().map(|w| w[3] * (w[0] * x + w[1] * z + w[2]).sin()).sum())
}

pub fn reported(terrain: Terrain, profile: Profile, at: [f64; 3]) -> (SerpentBatch, SerpentId) {
    alone(terrain, profile, |p| Spawn::at(p, at).facing(X).motion(Motion::Reported))
}

pub fn still(batch: &mut SerpentBatch, ticks: usize) {
    (0..ticks).for_each(|_| drop(batch.step(DT).unwrap()));
}

/// Gap between the belly and the ground under it, in metres.
pub fn gap(batch: &SerpentBatch, joint: DVec3, radius: f64) -> f64 {
    joint.y - batch.terrain().rest_under(joint.x, joint.y, joint.z, radius as f32).unwrap()
}

pub fn gaps(batch: &SerpentBatch, id: SerpentId) -> Vec<f64> {
    let radii: Vec<f32> = batch.radii(id).unwrap().collect();
    joints(batch, id).iter().zip(radii).map(|(joint, radius)| gap(batch, *joint, f64::from(radius))).collect()
}

pub fn knots(batch: &SerpentBatch, id: SerpentId) -> Vec<DVec3> {
    batch.knots(id).unwrap().map(|knot| knot.position).collect()
}

/// The angle between adjacent segments at each inner joint, in degrees.
pub fn bends(joints: &[DVec3]) -> Vec<f64> {
    let angle = |t: &[DVec3]| {
        let (a, b) = (t[1] - t[0], t[2] - t[1]);
        a.cross(b).length().atan2(a.dot(b)).to_degrees()
    };
    joints.windows(3).map(angle).collect()
}

pub fn most(values: &[f64]) -> f64 {
    values.iter().fold(f64::MIN, |a, b| if *b <= a { a } else { *b })
}

/// Where a point that sank straight down was laid.
fn lifted(point: DVec3, path: &[DVec3]) -> DVec3 {
    let plan = |p: DVec3| DVec3::new(p.x, 0.0, p.z);
    let place = |ends: &[DVec3]| {
        let (a, link) = (plan(ends[0]), plan(ends[1] - ends[0]));
        let share = ((plan(point) - a).dot(link) / link.length_squared().max(1e-300)).clamp(0.0, 1.0);
        ((a + link * share - plan(point)).length(), ends[0].lerp(ends[1], share))
    };
    path.windows(2).map(place).fold((f64::INFINITY, point), |a, b| if b.0 < a.0 { b } else { a }).1
}

/// How much sharper a body bends than the limit, and than its path does, as laid, between the same places, in degrees.
pub fn excess_bend(settled: &[DVec3], path: &[DVec3], limit: f64) -> f64 {
    let laid: Vec<DVec3> = settled.iter().map(|joint| lifted(*joint, path)).collect();
    let excess = |(bend, laid): (&f64, &f64)| bend - laid.max(limit);
    bends(settled).iter().zip(&bends(&laid)).map(excess).fold(f64::MIN, f64::max)
}
