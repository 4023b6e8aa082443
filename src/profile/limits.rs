//! What each key of a profile or tier file allows, and the checks that refuse everything else.
//!
//! One table and one checker for files and builders alike, so that a builder cannot make what a file may not say.
//! Comparisons are written so that NaN fails them; values are compared after rounding to f32, as they will be kept.

use crate::error::{Error, Result};
use toml::Value;

/// A key's value as the file has it; `None` where the key is missing. The type is checked here and not by serde, so
/// that a wrong type is answered with the key and its range too.
pub(super) type Leaf = Option<Value>;

/// The closed range of one numeric key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// The last part of the key's path.
    pub key: &'static str,
    /// Smallest allowed value, in `unit`.
    pub min: f32,
    /// Largest allowed value, in `unit`.
    pub max: f32,
    /// The unit in words, as the error prints it.
    pub unit: &'static str,
}

const fn limit(key: &'static str, min: f32, max: f32, unit: &'static str) -> Limit {
    Limit { key, min, max, unit }
}

// Lengths reach from a small worm to a monster of legend; radii are bounded by the length besides (see `bake`).
pub(super) const BODY_LENGTH: Limit = limit("length_m", 0.01, 1000.0, "m");
pub(super) const JOINTS: Limit = limit("joints", 2.0, 1024.0, "joints");
pub(super) const RADIUS: Limit = limit("radius_m", 0.00001, 250.0, "m");
pub(super) const AT: Limit = limit("at", 0.0, 1.0, "of the body length, from its front");
pub(super) const STATIONS: Limit = limit("stations", 2.0, 32.0, "stations");
// Beyond 80 degrees of yaw the path's forward progress per wave all but vanishes.
pub(super) const STEERING_AMPLITUDE: Limit = limit("steering_amplitude_deg", 0.0, 80.0, "degrees");
pub(super) const STEERING_CYCLES: Limit = limit("steering_cycles", 0.0, 32.0, "cycles over the body length");
pub(super) const TURN_SPEED: Limit = limit("max_turn_speed_deg_s", 0.0, 3600.0, "degrees per second");
pub(super) const SPEED: Limit = limit("speed_m_s", 0.0, 1000.0, "m/s");
pub(super) const WAVE_BEND: Limit = limit("bend_deg", 0.0, 80.0, "degrees");
pub(super) const WAVE_CYCLES: Limit = limit("cycles", 0.0, 32.0, "cycles over the body length");
pub(super) const WAVE_PHASE: Limit = limit("phase_deg", -360.0, 360.0, "degrees");
pub(super) const SHARE: Limit = limit("share", 0.0, 1.0, "of bend_deg");
pub(super) const HEADS: Limit = limit("heads", 1.0, 4.0, "heads");
pub(super) const HEAD_OFFSET: Limit = limit("offset_m", -1000.0, 1000.0, "m");
pub(super) const HEAD_YAW: Limit = limit("yaw_deg", -180.0, 180.0, "degrees");
pub(super) const HEAD_PITCH: Limit = limit("pitch_deg", -90.0, 90.0, "degrees");
pub(super) const HEAD_LENGTH: Limit = limit("length_m", 0.00001, 1000.0, "m");
pub(super) const JAW_LENGTH: Limit = limit("jaw_length_m", 0.0, 1000.0, "m");
pub(super) const JAW_HINGE: Limit = limit("jaw_hinge_m", 0.0, 1000.0, "m");
pub(super) const JAW_ANGLE: Limit = limit("max_jaw_deg", 0.0, 180.0, "degrees");
pub(super) const CLIMB: Limit = limit("max_climb_deg", 0.0, 89.0, "degrees");
pub(super) const GRAVITY: Limit = limit("gravity_m_s2", 0.0, 1000.0, "m/s^2");
pub(super) const FALL_SPEED: Limit = limit("max_fall_speed_m_s", 0.0, 1000.0, "m/s");
pub(super) const REACH: Limit = limit("reach_m", 0.0, 10_000.0, "m");
pub(super) const ACTIVATION: Limit = limit("activation_m", 0.0, 1000.0, "m");
pub(super) const MAX_BEND: Limit = limit("max_bend_deg", 0.0, 90.0, "degrees");
pub(super) const KNOTS: Limit = limit("knots_per_segment", 2.0, 4.0, "knots");

/// Longest name of a profile, a tier or a head, in characters.
const NAME_CHARS: usize = 64;
/// Longest value that an error prints whole, in characters.
const SHOWN_CHARS: usize = 60;

impl Limit {
    /// The range in words: what the error says is allowed.
    pub fn allowed(&self) -> String {
        format!("{} to {} {}", self.min, self.max, self.unit)
    }

    fn allowed_whole(&self) -> String {
        format!("a whole number, {}", self.allowed())
    }

    fn holds(&self, value: f32) -> bool {
        value >= self.min && value <= self.max
    }
}

/// Checks the values of one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Check<'a> {
    /// The file's path or embedded name, or `builder`: what the errors name.
    pub file: &'a str,
}

impl Check<'_> {
    /// The error for a key whose value is not allowed.
    pub fn refuse<T>(&self, key: &str, value: impl std::fmt::Display, allowed: impl Into<String>) -> Result<T> {
        let (file, key, allowed) = (self.file.into(), key.into(), allowed.into());
        Err(Error::Key { file, key, value: value.to_string(), allowed })
    }

    /// A number within its limit, in the file's unit.
    pub fn number(&self, table: &str, leaf: &Leaf, limit: &Limit) -> Result<f32> {
        match leaf.as_ref().and_then(as_number) {
            Some(value) if limit.holds(value) => Ok(value),
            _ => self.refuse(&format!("{table}.{}", limit.key), shown(leaf), limit.allowed()),
        }
    }

    /// As [`Check::number`]; a missing key stands for `default`.
    pub fn number_or(&self, table: &str, leaf: &Leaf, limit: &Limit, default: f32) -> Result<f32> {
        if leaf.is_none() { Ok(default) } else { self.number(table, leaf, limit) }
    }

    /// A whole number within its limit; `key` is the whole path, as a count may stand outside any table.
    pub fn count(&self, key: &str, leaf: &Leaf, limit: &Limit) -> Result<usize> {
        match leaf {
            // Limits of counts are small whole numbers, so the comparison in f32 is exact where it decides.
            Some(Value::Integer(value)) if limit.holds(*value as f32) => Ok(*value as usize),
            _ => self.refuse(key, shown(leaf), limit.allowed_whole()),
        }
    }

    /// How many entries a list has.
    pub fn entries(&self, key: &str, count: usize, limit: &Limit) -> Result<()> {
        if limit.holds(count as f32) {
            return Ok(());
        }
        let value = if count == 0 { "missing".into() } else { format!("{count} {}", limit.unit) };
        self.refuse(key, value, limit.allowed())
    }

    /// `true` or `false`; a missing key stands for `default`.
    pub fn flag_or(&self, key: &str, leaf: &Leaf, default: bool) -> Result<bool> {
        match leaf {
            None => Ok(default),
            Some(Value::Boolean(value)) => Ok(*value),
            Some(_) => self.refuse(key, shown(leaf), "true or false"),
        }
    }

    /// A name: not blank, of one line and of bounded length.
    pub fn name(&self, key: &str, leaf: &Leaf) -> Result<String> {
        match leaf {
            Some(Value::String(text)) if is_name(text) => Ok(text.clone()),
            _ => self.refuse(key, shown(leaf), format!("a text of 1 to {NAME_CHARS} characters on one line")),
        }
    }

    /// Three numbers within one limit; a missing key stands for zeros.
    pub fn triple_or_zero(&self, table: &str, leaf: &Leaf, limit: &Limit) -> Result<[f32; 3]> {
        let mut triple = [0.0; 3];
        let Some(value) = leaf else { return Ok(triple) };
        let numbers: Option<Vec<f32>> = value.as_array().and_then(|list| list.iter().map(as_number).collect());
        match numbers {
            Some(numbers) if numbers.len() == 3 && numbers.iter().all(|&number| limit.holds(number)) => {
                triple.copy_from_slice(&numbers);
                Ok(triple)
            }
            _ => {
                let allowed = format!("[right, up, forward], each {}", limit.allowed());
                self.refuse(&format!("{table}.{}", limit.key), shown(leaf), allowed)
            }
        }
    }

    /// Refuses a `value` that is not smaller than `bound`, which the error explains as `bound_name`.
    pub fn below(&self, key: &str, value: f32, bound: f32, bound_name: &str) -> Result<()> {
        if value < bound { Ok(()) } else { self.refuse(key, value, format!("less than {bound_name} = {bound} m")) }
    }

    /// Refuses a `value` that is greater than `bound`, which the error explains as `bound_name`.
    pub fn at_most(&self, key: &str, value: f32, bound: f32, bound_name: &str) -> Result<()> {
        if value <= bound { Ok(()) } else { self.refuse(key, value, format!("up to {bound_name} = {bound} m")) }
    }
}

/// Integers count as numbers: `length_m = 1` is a metre.
fn as_number(value: &Value) -> Option<f32> {
    let number = match value {
        Value::Float(number) => *number as f32,
        Value::Integer(number) => *number as f32,
        _ => return None,
    };
    // Adding zero turns a negative zero into the positive one: equal values shall have equal bits.
    Some(number + 0.0)
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= NAME_CHARS && !text.chars().any(char::is_control)
}

/// A value as a file would have it, cut where it is long.
fn shown(leaf: &Leaf) -> String {
    let Some(value) = leaf else { return "missing".into() };
    let text = match value {
        // Rust's debug form has exponents: TOML's writer would spell out 1e300.
        Value::Float(number) => format!("{number:?}"),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
