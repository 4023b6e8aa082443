//! The schema of profile and tier files, as serde reads it: every value still in the file's unit and unchecked.
//!
//! Unknown keys are refused here, with the line; values are checked in `bake`. A builder fills the same structures.

use super::limits::Leaf;
use crate::error::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A whole profile file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawProfile {
    pub name: Leaf,
    pub body: RawBody,
    pub gait: RawGait,
    pub wave: RawWave,
    pub heads: Vec<RawHead>,
    pub ground: RawGround,
}

/// `[body]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawBody {
    pub length_m: Leaf,
    pub joints: Leaf,
    pub radius: Vec<RawRadius>,
}

/// One of `[[body.radius]]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawRadius {
    pub at: Leaf,
    pub radius_m: Leaf,
}

/// `[gait]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawGait {
    pub steering_amplitude_deg: Leaf,
    pub steering_cycles: Leaf,
    pub max_turn_speed_deg_s: Leaf,
    pub head_guided: Leaf,
    pub speed_m_s: Leaf,
}

/// `[wave]`: the vertical wave.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawWave {
    pub bend_deg: Leaf,
    pub cycles: Leaf,
    pub phase_deg: Leaf,
    pub amplitude: Vec<RawAmplitude>,
}

/// One of `[[wave.amplitude]]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAmplitude {
    pub at: Leaf,
    pub share: Leaf,
}

/// One of `[[heads]]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawHead {
    pub name: Leaf,
    pub offset_m: Leaf,
    pub yaw_deg: Leaf,
    pub pitch_deg: Leaf,
    pub length_m: Leaf,
    pub radius_m: Leaf,
    pub jaw_length_m: Leaf,
    pub jaw_hinge_m: Leaf,
    pub max_jaw_deg: Leaf,
}

/// `[ground]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawGround {
    pub follow: Leaf,
    pub max_climb_deg: Leaf,
    pub gravity_m_s2: Leaf,
    pub max_fall_speed_m_s: Leaf,
    pub body_follow: Leaf,
    pub reach_m: Leaf,
    pub activation_m: Leaf,
    pub max_bend_deg: Leaf,
}

/// A whole tier file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTier {
    pub name: Leaf,
    pub knots_per_segment: Leaf,
}

/// Reads TOML into a raw structure; an error carries the line.
pub(super) fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let message = match error.span() {
            Some(span) => format!("line {}: {}", line_of(text, span.start), error.message()),
            None => error.message().into(),
        };
        Error::File { file: file.into(), message }
    })
}

/// The file's name for errors, and its text.
pub(super) fn read(path: &Path) -> Result<(String, String)> {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err(Error::File { file, message: format!("cannot be read: {error}") }),
    }
}

/// Lines count from 1, as editors do.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
}
