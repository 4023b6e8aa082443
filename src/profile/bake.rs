//! From the raw structures to the immutable profile: every value checked, degrees to radians, stations to joints.

use super::Profile;
use super::file::{RawBody, RawGait, RawGround, RawHead, RawProfile, RawTier, RawWave};
use super::ground::Ground;
use super::head::Head;
use super::interpolate::Monotone;
use super::limits::{self, Check, Leaf, Limit};
use super::tier::Tier;
use crate::error::Result;
use crate::lanes::{Lanes, ScalarLanes, cos_turns, sin_turns};

/// Radians in a degree; a constant expression of + - * / alone is the same on every machine.
const RADIANS_PER_DEGREE: f64 = std::f64::consts::PI / 180.0;
/// Default of `gait.steering_amplitude_deg`.
const STEERING_AMPLITUDE_DEG: f32 = 32.0;
/// Defaults of `[ground]`. One Unity unit being a metre, gravity and terminal speed are the document's.
const MAX_CLIMB_DEG: f32 = 60.0;
/// Ground as steep as the limit is climbed, however its heights were rounded.
const CLIMB_ROUNDING: f32 = 1.002;
const GRAVITY_M_S2: f32 = 9.81;
const MAX_FALL_SPEED_M_S: f32 = 55.0;
const MAX_BEND_DEG: f32 = 20.0;
/// Of the radius at the front: below what an eye sees as a gap.
const ACTIVATION_SHARE: f32 = 0.04;
/// A body's radius stays below this share of its length, or its cross sections would no longer follow one another.
const RADIUS_SHARE: f32 = 0.25;

/// Checks `raw` and bakes it; `file` is what the errors name.
pub(super) fn bake(file: &str, raw: &RawProfile) -> Result<Profile> {
    let check = Check { file };
    let name = check.name("name", &raw.name)?;
    let length_m = check.number("body", &raw.body.length_m, &limits::BODY_LENGTH)?;
    let joints = check.count("body.joints", &raw.body.joints, &limits::JOINTS)?;
    let radius_m = bake_radius(check, &raw.body, length_m, joints)?;
    let gait = bake_gait(check, &raw.gait)?;
    let wave = bake_wave(check, &raw.wave, joints)?;
    let heads = bake_heads(check, &raw.heads, length_m)?;
    let ground = bake_ground(check, &raw.ground, length_m, radius_m[0])?;
    Ok(Profile { name, length_m, joints, radius_m, gait, wave, heads, ground })
}

fn bake_ground(check: Check, raw: &RawGround, length_m: f32, radius_m: f32) -> Result<Ground> {
    let number = |leaf, limit, default| check.number_or("ground", leaf, limit, default);
    let max_climb_rad = radians(number(&raw.max_climb_deg, &limits::CLIMB, MAX_CLIMB_DEG)?);
    Ok(Ground {
        follow: check.flag_or("ground.follow", &raw.follow, true)?,
        max_climb_rad,
        max_climb_slope: tangent(max_climb_rad) * CLIMB_ROUNDING,
        gravity_m_s2: number(&raw.gravity_m_s2, &limits::GRAVITY, GRAVITY_M_S2)?,
        max_fall_speed_m_s: number(&raw.max_fall_speed_m_s, &limits::FALL_SPEED, MAX_FALL_SPEED_M_S)?,
        body_follow: check.flag_or("ground.body_follow", &raw.body_follow, false)?,
        reach_m: number(&raw.reach_m, &limits::REACH, length_m)?,
        activation_m: number(&raw.activation_m, &limits::ACTIVATION, ACTIVATION_SHARE * radius_m)?,
        max_bend_rad: radians(number(&raw.max_bend_deg, &limits::MAX_BEND, MAX_BEND_DEG)?),
        prevent_penetration: check.flag_or("ground.prevent_penetration", &raw.prevent_penetration, false)?,
    })
}

/// Checks a raw tier; `file` is what the errors name.
pub(super) fn bake_tier(file: &str, raw: &RawTier) -> Result<Tier> {
    let check = Check { file };
    let name = check.name("name", &raw.name)?;
    let knots_per_segment = check.count("knots_per_segment", &raw.knots_per_segment, &limits::KNOTS)?;
    Ok(Tier { name, knots_per_segment })
}

/// `[gait]`, baked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gait {
    pub steering_amplitude_rad: f32,
    pub steering_cycles: f32,
    pub max_turn_speed_rad_s: f32,
    pub head_guided: bool,
    pub speed_m_s: f32,
}

fn bake_gait(check: Check, raw: &RawGait) -> Result<Gait> {
    let amplitude = &raw.steering_amplitude_deg;
    let amplitude = check.number_or("gait", amplitude, &limits::STEERING_AMPLITUDE, STEERING_AMPLITUDE_DEG)?;
    let turn_speed = check.number("gait", &raw.max_turn_speed_deg_s, &limits::TURN_SPEED)?;
    Ok(Gait {
        steering_amplitude_rad: radians(amplitude),
        steering_cycles: check.number("gait", &raw.steering_cycles, &limits::STEERING_CYCLES)?,
        max_turn_speed_rad_s: radians(turn_speed),
        head_guided: check.flag_or("gait.head_guided", &raw.head_guided, true)?,
        speed_m_s: check.number("gait", &raw.speed_m_s, &limits::SPEED)?,
    })
}

/// `[wave]`, baked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wave {
    pub bend_rad: f32,
    pub cycles: f32,
    pub phase_turns: f32,
    /// One per segment.
    pub amplitude: Vec<f32>,
}

fn bake_wave(check: Check, raw: &RawWave, joints: usize) -> Result<Wave> {
    let bend = check.number_or("wave", &raw.bend_deg, &limits::WAVE_BEND, 0.0)?;
    let phase = check.number_or("wave", &raw.phase_deg, &limits::WAVE_PHASE, 0.0)?;
    let amplitude = if raw.amplitude.is_empty() {
        vec![1.0; joints - 1]
    } else {
        let raw: Vec<(&Leaf, &Leaf)> = raw.amplitude.iter().map(|station| (&station.at, &station.share)).collect();
        let curve = Monotone::new(&stations(check, "wave.amplitude", &raw, &limits::SHARE)?);
        // A segment takes the share of its middle.
        (0..joints - 1).map(|segment| curve.sample((segment as f64 + 0.5) / (joints - 1) as f64)).collect()
    };
    Ok(Wave {
        bend_rad: radians(bend),
        cycles: check.number_or("wave", &raw.cycles, &limits::WAVE_CYCLES, 1.0)?,
        phase_turns: turns(phase),
        amplitude,
    })
}

fn bake_radius(check: Check, raw: &RawBody, length_m: f32, joints: usize) -> Result<Vec<f32>> {
    let raw: Vec<(&Leaf, &Leaf)> = raw.radius.iter().map(|station| (&station.at, &station.radius_m)).collect();
    let stations = stations(check, "body.radius", &raw, &limits::RADIUS)?;
    for (i, station) in stations.iter().enumerate() {
        check_slender(check, &format!("body.radius[{i}].radius_m"), station.1, length_m)?;
    }
    let curve = Monotone::new(&stations);
    Ok((0..joints).map(|joint| curve.sample(joint as f64 / (joints - 1) as f64)).collect())
}

fn bake_heads(check: Check, raw: &[RawHead], length_m: f32) -> Result<Vec<Head>> {
    check.entries("heads", raw.len(), &limits::HEADS)?;
    let mut heads: Vec<Head> = Vec::with_capacity(raw.len());
    for (i, raw) in raw.iter().enumerate() {
        let head = bake_head(check, &format!("heads[{i}]"), raw, length_m)?;
        if heads.iter().any(|other| other.name == head.name) {
            let allowed = "a name that no other head of the profile has";
            return check.refuse(&format!("heads[{i}].name"), head.name, allowed);
        }
        heads.push(head);
    }
    Ok(heads)
}

fn bake_head(check: Check, table: &str, raw: &RawHead, body_length_m: f32) -> Result<Head> {
    // A head further off than the body is long would be torn from it.
    let offset_limit = Limit { min: -body_length_m, max: body_length_m, ..limits::HEAD_OFFSET };
    let head = Head {
        name: check.name(&format!("{table}.name"), &raw.name)?,
        offset_m: check.triple_or_zero(table, &raw.offset_m, &offset_limit)?,
        yaw_rad: radians(check.number_or(table, &raw.yaw_deg, &limits::HEAD_YAW, 0.0)?),
        pitch_rad: radians(check.number_or(table, &raw.pitch_deg, &limits::HEAD_PITCH, 0.0)?),
        length_m: check.number(table, &raw.length_m, &limits::HEAD_LENGTH)?,
        radius_m: check.number(table, &raw.radius_m, &limits::RADIUS)?,
        jaw_length_m: check.number(table, &raw.jaw_length_m, &limits::JAW_LENGTH)?,
        jaw_hinge_m: check.number(table, &raw.jaw_hinge_m, &limits::JAW_HINGE)?,
        max_jaw_rad: radians(check.number(table, &raw.max_jaw_deg, &limits::JAW_ANGLE)?),
    };
    let key = |key: &str| format!("{table}.{key}");
    check.at_most(&key("length_m"), head.length_m, body_length_m, "body.length_m")?;
    check_slender(check, &key("radius_m"), head.radius_m, body_length_m)?;
    check.at_most(&key("jaw_length_m"), head.jaw_length_m, body_length_m, "body.length_m")?;
    check.at_most(&key("jaw_hinge_m"), head.jaw_hinge_m, head.length_m, "the head's length_m")?;
    Ok(head)
}

fn check_slender(check: Check, key: &str, radius_m: f32, body_length_m: f32) -> Result<()> {
    check.below(key, radius_m, body_length_m * RADIUS_SHARE, "body.length_m / 4")
}

/// Stations along the body: 2 to 32, the first at 0, the last at 1, in strictly increasing order.
fn stations(check: Check, list: &str, raw: &[(&Leaf, &Leaf)], limit: &Limit) -> Result<Vec<(f32, f32)>> {
    check.entries(list, raw.len(), &limits::STATIONS)?;
    let mut stations: Vec<(f32, f32)> = Vec::with_capacity(raw.len());
    for (i, (at, value)) in raw.iter().enumerate() {
        let table = format!("{list}[{i}]");
        let at = check.number(&table, at, &limits::AT)?;
        let key = format!("{table}.at");
        match stations.last() {
            None if at != 0.0 => return check.refuse(&key, at, "0 (the first station is the body's front)"),
            Some(last) if at <= last.0 => {
                return check.refuse(&key, at, format!("more than the station before it = {}, up to 1", last.0));
            }
            _ if i + 1 == raw.len() && at != 1.0 => {
                return check.refuse(&key, at, "1 (the last station is the tail's tip)");
            }
            _ => stations.push((at, check.number(&table, value, limit)?)),
        }
    }
    Ok(stations)
}

fn radians(degrees: f32) -> f32 {
    (f64::from(degrees) * RADIANS_PER_DEGREE) as f32
}

/// Below a right angle. Of our own sine, as the standard library's differ between machines.
fn tangent(radians: f32) -> f32 {
    let turns = ScalarLanes::splat(radians / std::f32::consts::TAU);
    (sin_turns(turns) / cos_turns(turns)).to_array()[0]
}

/// Degrees of a range of one turn both ways as turns in [0, 1).
fn turns(degrees: f32) -> f32 {
    let turns = degrees / 360.0;
    let turns = if turns < 0.0 { turns + 1.0 } else { turns };
    // After the addition, as a tiny negative phase rounds up to a whole turn.
    if turns >= 1.0 { turns - 1.0 } else { turns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_stay_below_one() {
        let cases = [(0.0, 0.0), (90.0, 0.25), (-90.0, 0.75), (360.0, 0.0), (-360.0, 0.0), (-1e-9, 0.0)];
        for (degrees, expected) in cases {
            assert_eq!(turns(degrees), expected, "{degrees}");
        }
    }

    #[test]
    fn degrees_become_radians() {
        assert_eq!(radians(180.0), std::f32::consts::PI);
        assert_eq!(radians(-90.0), -std::f32::consts::FRAC_PI_2);
        assert_eq!(radians(0.0), 0.0);
    }
}
