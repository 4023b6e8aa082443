//! The twins strung together: one driven creature's tick.

use super::body::{Joint, march_joints};
use super::guidance::{Steering, turn_headings};
use super::record::{Floor, Knot, Path};
use super::travel::{Drive, stand, turn_share};
use super::undulate::add_wave;
use crate::profile::Profile;
use crate::terrain::Terrain;
use glam::DVec3;

/// Links that a tick's way is integrated in.
const STEPS: usize = 96;

/// A driven creature.
#[derive(Clone, Debug)]
pub struct Creature<'a> {
    /// Its species.
    pub profile: &'a Profile,
    /// The ground.
    pub terrain: &'a Terrain,
    /// Its size.
    pub scale: f64,
    /// Its path; the first knot is the head.
    pub path: Path,
    /// Centre heading.
    pub center: DVec3,
    /// Axis of the yaw: the ground's normal, or the dorsal at the head.
    pub axis: DVec3,
    /// Stands on the ground.
    pub grounded: bool,
    /// Phase of gait and wave, in turns.
    pub phases: [f64; 2],
}

impl Creature<'_> {
    /// World position of the head.
    pub fn head(&self) -> DVec3 {
        self.path.knots[0].at
    }

    fn length(&self) -> f64 {
        f64::from(self.profile.length_m()) * self.scale
    }

    fn segment(&self) -> f64 {
        self.length() / (self.profile.joints() - 1) as f64
    }

    /// A tick: guidance, travel, record.
    pub fn tick(&mut self, target: DVec3, speed: f64, dt: f64) {
        let limit = f64::from(self.profile.max_turn_speed_rad_s()) * dt;
        let guided = self.profile.head_guided();
        let amplitude = if guided { f64::from(self.profile.steering_amplitude_rad()) } else { 0.0 };
        let turned = turn_headings(&Steering {
            center: self.center,
            target: target.normalize(),
            axis: self.axis,
            grounded: self.grounded,
            guided,
            limit,
            amplitude,
            phase: self.phases[0],
        });
        self.center = turned.center;
        let radius = f64::from(self.profile.radius_m()[0]) * self.scale;
        let follows = self.profile.follow_ground();
        let (distance, turns_per_m) = (speed * dt, f64::from(self.profile.steering_cycles()) / self.length());
        let (start, from, to) = (self.head(), turned.before, turned.center);
        let (axis, grounded) = (self.axis, self.grounded);
        let (terrain, turn_share) = (follows.then_some(self.terrain), turn_share(from, to, limit));
        let phase = self.phases[0];
        let drive = Drive {
            start,
            from,
            to,
            turn_share,
            axis,
            grounded,
            amplitude,
            phase,
            distance,
            turns_per_m,
            terrain,
            radius,
        };
        let way = drive.way(STEPS);
        self.phases[0] += distance * turns_per_m;
        self.phases[1] += distance * f64::from(self.profile.wave_cycles()) / self.length();
        self.lay(&way, distance, terrain, radius);
    }

    fn lay(&mut self, way: &[DVec3], distance: f64, terrain: Option<&Terrain>, radius: f64) {
        let normal = terrain.and_then(|terrain| stand(terrain, way[way.len() - 1], radius)).map(|(_, normal)| normal);
        self.grounded = normal.is_some();
        let floor = Floor { terrain: terrain.filter(|_| normal.is_some()), radius, normal };
        // Backing up, the path is connected straight to where the head ends.
        let ends = [way[0], way[way.len() - 1]];
        self.path.follow(if distance < 0.0 { &ends } else { way }, &floor);
        self.axis = normal.unwrap_or(self.path.knots[0].dorsal);
    }

    /// Body and wave: the joints.
    pub fn joints(&self) -> Vec<Joint> {
        let radii = self.profile.radius_m();
        let offset = |radius: &f32| f64::from(radius - radii[0]) * self.scale;
        let offsets: Vec<f64> = radii.iter().map(offset).collect();
        let path: Vec<Knot> = self.path.knots.clone();
        let mut joints = march_joints(&path, &offsets, self.segment());
        add_wave(&mut joints, self.profile, self.phases[1], self.segment());
        joints
    }
}
