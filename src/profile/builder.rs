//! Builds a profile in code: the keys of a profile file as methods.

use super::Profile;
use super::bake::bake;
use super::file::{RawAmplitude, RawProfile, RawRadius};
use super::head::{Head, HeadBuilder};
use crate::error::Result;
use toml::Value;

/// What errors name as the file of a built profile.
const FILE: &str = "builder";

/// The default body, a slender snake: stations and radii in shares of the body's length (assumed, as a grass snake's).
const RADIUS_SHARES: [(f64, f64); 6] =
    [(0.0, 0.0067), (0.06, 0.0072), (0.25, 0.0099), (0.5, 0.011), (0.75, 0.0078), (1.0, 0.001)];

/// Builds a [`Profile`] by the same keys, units, ranges and checks as a profile file has; errors name `builder` as the
/// file.
///
/// What is left out: a body of 1 m with 32 joints, a slender snake's radii, one head named `head` as [`HeadBuilder`]
/// derives it from the length, steering of 32 degrees and 2 cycles, a turn speed of 90 degrees per second, head-guided,
/// a cruise of 0.3 body lengths per second, no vertical wave, and a body that follows the ground.
///
/// ```
/// # use serpentarium::profile::Profile;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let adder = Profile::builder("adder").length_m(0.55).joints(24).steering_cycles(1.75).build()?;
/// assert_eq!(adder.radius_m().len(), 24);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileBuilder {
    raw: RawProfile,
    length_m: f64,
    heads: Vec<HeadBuilder>,
}

impl ProfileBuilder {
    pub(super) fn new(name: &str) -> Self {
        let mut raw = RawProfile { name: Some(name.into()), ..RawProfile::default() };
        raw.body.joints = Some(Value::Integer(32));
        raw.gait.steering_cycles = Some(Value::from(2.0));
        raw.gait.max_turn_speed_deg_s = Some(Value::from(90.0));
        Self { raw, length_m: 1.0, heads: Vec::new() }
    }

    /// `body.length_m`: from the Body front to the tail's tip in metres, 0.01 to 1000.
    pub fn length_m(mut self, length_m: f64) -> Self {
        self.length_m = length_m;
        self
    }

    /// `body.joints`: articulations, evenly spaced from the Body front to the tail's tip, 2 to 1024.
    pub fn joints(mut self, joints: usize) -> Self {
        // A count beyond i64 is as much out of range as i64::MAX is.
        self.raw.body.joints = Some(Value::Integer(i64::try_from(joints).unwrap_or(i64::MAX)));
        self
    }

    /// `body.radius`: 2 to 32 stations of (`at`, `radius_m`); `at` increases from 0, the Body front, to 1, the tail's
    /// tip; radii are 0.00001 m to less than a quarter of the body's length.
    pub fn radius_m(mut self, stations: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.raw.body.radius = radius_stations(stations);
        self
    }

    /// `gait.steering_amplitude_deg`: the head's greatest yaw off its centre heading, 0 to 80 degrees.
    pub fn steering_amplitude_deg(mut self, steering_amplitude_deg: f64) -> Self {
        self.raw.gait.steering_amplitude_deg = Some(steering_amplitude_deg.into());
        self
    }

    /// `gait.steering_cycles`: S-curves over one body length, 0 to 32.
    pub fn steering_cycles(mut self, steering_cycles: f64) -> Self {
        self.raw.gait.steering_cycles = Some(steering_cycles.into());
        self
    }

    /// `gait.max_turn_speed_deg_s`: how fast the centre heading turns toward its target, 0 to 3600 degrees per second.
    pub fn max_turn_speed_deg_s(mut self, max_turn_speed_deg_s: f64) -> Self {
        self.raw.gait.max_turn_speed_deg_s = Some(max_turn_speed_deg_s.into());
        self
    }

    /// `gait.head_guided`: whether the guide steers; if not, the path is the root's achieved motion.
    pub fn head_guided(mut self, head_guided: bool) -> Self {
        self.raw.gait.head_guided = Some(head_guided.into());
        self
    }

    /// `gait.speed_m_s`: cruising speed of a driven creature at scale 1, 0 to 1000 m/s.
    pub fn speed_m_s(mut self, speed_m_s: f64) -> Self {
        self.raw.gait.speed_m_s = Some(speed_m_s.into());
        self
    }

    /// `wave.bend_deg`: the vertical wave's greatest pitch of a segment, 0 (none) to 80 degrees.
    pub fn wave_bend_deg(mut self, bend_deg: f64) -> Self {
        self.raw.wave.bend_deg = Some(bend_deg.into());
        self
    }

    /// `wave.cycles`: vertical waves over one body length, 0 to 32.
    pub fn wave_cycles(mut self, cycles: f64) -> Self {
        self.raw.wave.cycles = Some(cycles.into());
        self
    }

    /// `wave.phase_deg`: the vertical wave's phase at rest, -360 to 360 degrees.
    pub fn wave_phase_deg(mut self, phase_deg: f64) -> Self {
        self.raw.wave.phase_deg = Some(phase_deg.into());
        self
    }

    /// `wave.amplitude`: 2 to 32 stations of (`at`, `share`), as [`ProfileBuilder::radius_m`]; shares of `bend_deg`, 0
    /// to 1.
    pub fn wave_amplitude(mut self, stations: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let station = |(at, share): (f64, f64)| RawAmplitude { at: Some(at.into()), share: Some(share.into()) };
        self.raw.wave.amplitude = stations.into_iter().map(station).collect();
        self
    }

    /// One of `heads`, 1 to 4; the first is the default guide.
    pub fn head(mut self, head: HeadBuilder) -> Self {
        self.heads.push(head);
        self
    }

    /// `ground.follow`: whether a driven creature is kept on the ground.
    pub fn follow_ground(mut self, follow: bool) -> Self {
        self.raw.ground.follow = Some(follow.into());
        self
    }

    /// `ground.max_climb_deg`: steepest slope that a head climbs, 0 to 89 degrees.
    pub fn max_climb_deg(mut self, max_climb_deg: f64) -> Self {
        self.raw.ground.max_climb_deg = Some(max_climb_deg.into());
        self
    }

    /// `ground.gravity_m_s2`: acceleration of falling heads and bodies, 0 to 1000 m/s^2.
    pub fn gravity_m_s2(mut self, gravity_m_s2: f64) -> Self {
        self.raw.ground.gravity_m_s2 = Some(gravity_m_s2.into());
        self
    }

    /// `ground.max_fall_speed_m_s`: speed that falling ends at, 0 to 1000 m/s.
    pub fn max_fall_speed_m_s(mut self, max_fall_speed_m_s: f64) -> Self {
        self.raw.ground.max_fall_speed_m_s = Some(max_fall_speed_m_s.into());
        self
    }

    /// `ground.body_follow`: whether the body settles onto the ground that it hangs over (Body Ground Follow).
    pub fn body_follow(mut self, body_follow: bool) -> Self {
        self.raw.ground.body_follow = Some(body_follow.into());
        self
    }

    /// `ground.reach_m`: how far below the body ground is looked for, 0 to 10,000 m.
    pub fn terrain_reach_m(mut self, reach_m: f64) -> Self {
        self.raw.ground.reach_m = Some(reach_m.into());
        self
    }

    /// `ground.activation_m`: gap under which a body at rest stays at rest, 0 to 1000 m.
    pub fn activation_m(mut self, activation_m: f64) -> Self {
        self.raw.ground.activation_m = Some(activation_m.into());
        self
    }

    /// `ground.max_bend_deg`: most that settling may bend the body between adjacent segments, 0 to 90 degrees.
    pub fn max_bend_deg(mut self, max_bend_deg: f64) -> Self {
        self.raw.ground.max_bend_deg = Some(max_bend_deg.into());
        self
    }

    /// `ground.prevent_penetration`: whether cross-sections are pushed out of the ground (the guard).
    pub fn prevent_penetration(mut self, prevent: bool) -> Self {
        self.raw.ground.prevent_penetration = Some(prevent.into());
        self
    }

    /// Checks and bakes.
    ///
    /// # Errors
    /// [`Error::Key`](crate::error::Error::Key) for the first key whose value is outside its range; its `file` is
    /// `builder`.
    pub fn build(self) -> Result<Profile> {
        bake(FILE, &self.into_raw())
    }

    /// The raw profile, with what depends on the length filled in.
    fn into_raw(self) -> RawProfile {
        let Self { mut raw, length_m, mut heads } = self;
        raw.body.length_m = Some(length_m.into());
        if raw.body.radius.is_empty() {
            raw.body.radius = radius_stations(RADIUS_SHARES.map(|(at, share)| (at, share * length_m)));
        }
        raw.gait.speed_m_s = raw.gait.speed_m_s.or(Some(Value::from(0.3 * length_m)));
        if heads.is_empty() {
            heads.push(Head::builder("head"));
        }
        raw.heads = heads.into_iter().map(|head| head.into_raw(length_m)).collect();
        raw
    }
}

fn radius_stations(stations: impl IntoIterator<Item = (f64, f64)>) -> Vec<RawRadius> {
    let station = |(at, radius): (f64, f64)| RawRadius { at: Some(at.into()), radius_m: Some(radius.into()) };
    stations.into_iter().map(station).collect()
}
