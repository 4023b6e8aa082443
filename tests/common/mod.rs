//! What the integration tests share: bodies, grounds, and measures taken from the public interface alone.
#![allow(dead_code)]

use glam::{DVec3, Vec3};
use serpentarium::terrain::{HeightGrid, Plane};
use serpentarium::{Heightfield, Pose, Profile, ProfileId, SerpentBatch, SerpentId, Settings, Spawn, Terrain};

pub const DT: f32 = 1.0 / 60.0;
pub const X: Vec3 = Vec3::X;
pub const Z: Vec3 = Vec3::Z;

/// The body of the cases: 8 m, 16 segments, radius 0.2 all along.
pub fn case_body() -> Profile {
    uniform("case", 8.0, 17, 0.2)
}

/// A body of one radius, so that no taper moves its joints off the path.
pub fn uniform(name: &str, length_m: f64, joints: usize, radius_m: f64) -> Profile {
    let body = Profile::builder(name).length_m(length_m).joints(joints);
    body.radius_m([(0.0, radius_m), (1.0, radius_m)]).build().unwrap()
}

pub fn species() -> Vec<Profile> {
    Profile::embedded_names().iter().map(|name| Profile::embedded(name).unwrap()).collect()
}

pub fn tilted() -> Terrain {
    let normal = Vec3::new(-0.3, 1.0, 0.2).normalize();
    Plane::tilted(1.5, normal.into()).unwrap().into()
}

/// A batch on one thread, with its one profile.
pub fn batch_of(terrain: Terrain, profile: Profile) -> (SerpentBatch, ProfileId) {
    let mut batch = quiet(terrain);
    let id = batch.add_profile(profile);
    (batch, id)
}

pub fn quiet(terrain: Terrain) -> SerpentBatch {
    SerpentBatch::with_settings(terrain, Settings { parallel: false, ..Settings::default() }).unwrap()
}

/// One creature in a batch of its own.
pub fn alone(terrain: Terrain, profile: Profile, spawn: impl Fn(ProfileId) -> Spawn) -> (SerpentBatch, SerpentId) {
    let (mut batch, profile) = batch_of(terrain, profile);
    let id = batch.spawn(spawn(profile)).unwrap();
    (batch, id)
}

/// A grid of samples, one a metre, of a height over (column, row), with its middle at x = z = 0.
pub fn field(samples: usize, height: impl Fn(f64, f64) -> f64) -> Terrain {
    let middle = (samples - 1) as f64 / 2.0;
    let at = |i: usize| height((i % samples) as f64 - middle, (i / samples) as f64 - middle) as f32;
    let heights = (0..samples * samples).map(at).collect();
    let origin = [-middle, 0.0, -middle];
    let grid = HeightGrid {
        columns: samples,
        rows: samples,
        cell_x_m: 1.0,
        cell_z_m: 1.0,
        origin,
        heights,
        holes: Vec::new(),
    };
    Heightfield::from_heights(grid).unwrap().into()
}

pub fn joints(batch: &SerpentBatch, id: SerpentId) -> Vec<DVec3> {
    batch.joints(id).unwrap().collect()
}

/// Joints as seen from joint 0.
pub fn shape(batch: &SerpentBatch, id: SerpentId) -> Vec<DVec3> {
    let joints = joints(batch, id);
    joints.iter().map(|joint| *joint - joints[0]).collect()
}

pub fn rows(batch: &SerpentBatch, id: SerpentId) -> &[Pose] {
    &batch.poses()[batch.pose_rows(id).unwrap()]
}

pub fn bits(rows: &[Pose]) -> Vec<[u32; 12]> {
    rows.iter().map(|row| bytemuck::cast(row.rows.map(|part| part.map(f32::to_bits)))).collect()
}

pub fn pose_bits(batch: &SerpentBatch, id: SerpentId) -> Vec<[u32; 12]> {
    bits(rows(batch, id))
}

/// Length of a segment, in metres.
pub fn segment(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let profile = batch.profile_of(id).unwrap();
    f64::from(profile.length_m()) * f64::from(batch.scale(id).unwrap()) / (profile.joints() - 1) as f64
}

/// Unit in the last place of an f32 of this size.
pub fn ulp(size: f64) -> f64 {
    let size = size as f32;
    f64::from(f32::from_bits(size.to_bits() + 1) - size)
}

/// The largest coordinate that a creature's buffers hold, relative to its own origin.
pub fn local_size(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let (cohort, slot) = batch.slot(id).unwrap();
    let state = &batch.cohorts()[cohort].blocks()[slot / 8];
    let origin = DVec3::from(state.origin.map(|lanes| lanes[slot % 8]));
    joints(batch, id).iter().map(|joint| (*joint - origin).abs().max_element()).fold(0.0, f64::max)
}

/// Contract 1: how far the worst segment's length is off, as a share of what is allowed.
pub fn segment_fault(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let length = segment(batch, id);
    let allowed = (1e-5 * length).max(4.0 * ulp(local_size(batch, id)));
    let error = |pair: &[DVec3]| ((pair[0] - pair[1]).length() - length).abs() / allowed;
    // NaN must not hide in `max`.
    joints(batch, id).windows(2).map(error).fold(0.0, |worst, e| if e <= worst { worst } else { e })
}

pub fn assert_segments(batch: &SerpentBatch, id: SerpentId, context: &str) {
    let fault = segment_fault(batch, id);
    assert!(fault <= 1.0, "{context}: segment off by {fault} of what is allowed at tick {}", batch.tick());
}

pub fn assert_finite(batch: &SerpentBatch) {
    let all = batch.poses().iter().all(|pose| pose.rows.iter().flatten().all(|x| x.is_finite()));
    assert!(all, "a pose is not finite at tick {}", batch.tick());
}

/// How far `b` is from `a` at the joint where it is farthest.
pub fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, |most, d| if d <= most { most } else { d })
}

/// Distance from a point to a polyline.
pub fn off_line(point: DVec3, line: &[DVec3]) -> f64 {
    line.windows(2).map(|ends| off_link(point, ends[0], ends[1])).fold(f64::INFINITY, f64::min)
}

fn off_link(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let link = b - a;
    let share = (point - a).dot(link) / link.length_squared().max(1e-300);
    (point - a - link * share.clamp(0.0, 1.0)).length()
}

/// Body frames in the default forward axis: forward and up of each joint.
pub fn frames(batch: &SerpentBatch, id: SerpentId) -> Vec<(Vec3, Vec3)> {
    let count = batch.profile_of(id).unwrap().joints();
    rows(batch, id)[..count].iter().map(|row| (-row.axis(2), row.axis(1))).collect()
}

/// The worst deviation of any row from three perpendicular unit axes of a right-handed frame.
pub fn orthonormal_fault(rows: &[Pose]) -> f32 {
    let fault = |row: &Pose| {
        let [x, y, z] = [row.axis(0), row.axis(1), row.axis(2)];
        let lengths = [x, y, z].map(|axis| (axis.length() - 1.0).abs());
        let angles = [x.dot(y), y.dot(z), z.dot(x)].map(f32::abs);
        lengths.into_iter().chain(angles).fold((x.cross(y) - z).length(), |a, b| if b <= a { a } else { b })
    };
    rows.iter().map(fault).fold(0.0, |a, b| if b <= a { a } else { b })
}

/// Bend and twist in radians from each joint to the next.
pub fn bend_and_twist(frames: &[(Vec3, Vec3)]) -> Vec<(f64, f64)> {
    frames.windows(2).map(|pair| bend_twist(pair[0], pair[1])).collect()
}

fn bend_twist(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> (f64, f64) {
    let [t, u, s, v] = [a.0, a.1, b.0, b.1].map(Vec3::as_dvec3);
    let axis = t.cross(s);
    let bend = axis.length().atan2(t.dot(s));
    // Rodrigues: `u` turned as `t` turns to `s`.
    let k = axis.normalize_or_zero();
    let carried = u * bend.cos() + k.cross(u) * bend.sin() + k * k.dot(u) * (1.0 - bend.cos());
    (bend, carried.cross(v).dot(s).atan2(carried.dot(v)).abs())
}

/// Twist beyond the bend and beyond ten degrees per diameter (at the neck), in degrees; knots round by 0.2.
pub fn twist_excess_deg(batch: &SerpentBatch, id: SerpentId) -> f64 {
    let profile = batch.profile_of(id).unwrap();
    let diameter = 2.0 * f64::from(profile.radius_m()[0] * batch.scale(id).unwrap());
    let stated = 10_f64.to_radians() * segment(batch, id) / diameter;
    let excess = |(bend, twist): (f64, f64)| (twist - bend - stated).to_degrees();
    bend_and_twist(&frames(batch, id)).into_iter().map(excess).fold(f64::MIN, f64::max)
}

/// A small generator, so that a failing run can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Between `least` and `most`.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// A horizontal unit vector.
    pub fn heading(&mut self) -> Vec3 {
        let angle = self.between(0.0, std::f64::consts::TAU) as f32;
        Vec3::new(angle.sin(), 0.0, angle.cos())
    }
}

/// A crowd of all species over 60 m, of all sizes, driven; every fifth is moved by its caller.
pub fn crowd(batch: &mut SerpentBatch, count: usize, seed: u64) -> Vec<SerpentId> {
    let profiles: Vec<ProfileId> = species().into_iter().map(|profile| batch.add_profile(profile)).collect();
    let mut random = Random(seed);
    let spawns: Vec<Spawn> = (0..count)
        .map(|i| {
            let at = [random.between(-30.0, 30.0), 0.0, random.between(-30.0, 30.0)];
            let spawn = Spawn::at(profiles[i % profiles.len()], at).facing(random.heading()).tag(i as u64);
            let spawn = spawn.scale(random.between(0.3, 2.0) as f32);
            if i % 5 == 4 { spawn } else { spawn.driven(random.between(0.1, 1.0) as f32) }
        })
        .collect();
    batch.spawn_many(&spawns).unwrap()
}

/// Steers everyone somewhere by the tick and its own tag, and moves the observed ones.
pub fn steer(batch: &mut SerpentBatch, tick: u64) {
    for id in batch.ids().collect::<Vec<_>>() {
        let mut random = Random(batch.tag(id).unwrap() * 1_000_003 + tick / 20);
        let way = random.heading();
        batch.set_guidance(id, way).unwrap();
        let head = batch.head(id).unwrap();
        batch.set_head_transform(id, head + way.as_dvec3() * 0.004, way).unwrap();
    }
}
