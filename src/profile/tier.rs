//! Quality tiers: how finely a creature is simulated, whatever its species.

use super::bake::bake_tier;
use super::file;
use crate::error::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The embedded tiers, coarse to fine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Quality {
    /// For crowds.
    Low,
    /// The balance of cost and detail.
    #[default]
    Medium,
    /// For the few that are near.
    High,
}

impl Quality {
    /// Every quality, coarse to fine.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// `low`, `medium` or `high`: what [`Quality::from_str`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Quality {
    type Err = Error;

    /// Reads [`Quality::name`].
    ///
    /// # Errors
    /// [`Error::Name`] for any other text.
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|quality| quality.name() == name).ok_or_else(|| Error::Name {
            kind: "tier",
            name: name.into(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// The settings of one quality tier, immutable once read.
#[derive(Debug, Clone, PartialEq)]
pub struct Tier {
    pub(crate) name: String,
    pub(crate) knots_per_segment: usize,
}

impl Tier {
    /// The tier that the crate carries for `quality`.
    ///
    /// # Errors
    /// None in practice: the tests read each embedded file. The type is that of [`Tier::from_toml`], which reads them.
    pub fn embedded(quality: Quality) -> Result<Self> {
        let (file, text) = match quality {
            Quality::Low => ("profiles/tiers/low.toml", include_str!("../../profiles/tiers/low.toml")),
            Quality::Medium => ("profiles/tiers/medium.toml", include_str!("../../profiles/tiers/medium.toml")),
            Quality::High => ("profiles/tiers/high.toml", include_str!("../../profiles/tiers/high.toml")),
        };
        Self::from_toml(file, text)
    }

    /// Reads a tier file.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; else as [`Tier::from_toml`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (file, text) = file::read(path.as_ref())?;
        Self::from_toml(&file, &text)
    }

    /// Reads a tier from TOML text; `file` is what errors name.
    ///
    /// # Errors
    /// [`Error::File`] for bad syntax or an unknown key, with its line; [`Error::Key`] for a value that is missing, of
    /// the wrong type or out of range.
    pub fn from_toml(file: &str, text: &str) -> Result<Self> {
        bake_tier(file, &file::parse(file, text)?)
    }

    /// The tier's name, 1 to 64 characters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Knots of the path history to one body segment, 2 to 4: their spacing is the segment's length over this.
    pub fn knots_per_segment(&self) -> usize {
        self.knots_per_segment
    }
}
