//! Species and quality tiers: read from TOML or built in code, checked, baked once, immutable after.
//!
//! File (metres, degrees, seconds) -> raw structures -> checks -> [`Profile`] (radians, one radius a joint). A
//! [`ProfileBuilder`] fills the same raw structures, so both paths share ranges and errors. `profiles/README.md` lists
//! the keys. What the gait's parameters mean follows the serpentine locomotion document (Steering Amplitude, Steering
//! Cycles, Maximum Turn Speed, Vertical Wave).

mod bake;
mod builder;
mod file;
mod ground;
mod head;
mod interpolate;
mod limits;
mod tier;

pub use builder::ProfileBuilder;
pub use ground::Ground;
pub use head::{Head, HeadBuilder};
pub use tier::{Quality, Tier};

use crate::error::{Error, Result};
use std::path::Path;

/// A species' proportions and gait at scale 1: immutable, baked; lengths in metres, angles in radians.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    name: String,
    length_m: f32,
    joints: usize,
    radius_m: Vec<f32>,
    gait: bake::Gait,
    wave: bake::Wave,
    heads: Vec<Head>,
    ground: Ground,
}

/// Name, path in the repository, text.
type EmbeddedFile = (&'static str, &'static str, &'static str);

macro_rules! embed {
    ($($name:literal),*) => {
        const NAMES: &[&str] = &[$($name),*];
        const FILES: &[EmbeddedFile] = &[$((
            $name,
            concat!("profiles/", $name, ".toml"),
            include_str!(concat!("../../profiles/", $name, ".toml")),
        )),*];
    };
}

embed!("grass-snake", "python", "viper", "sea-serpent", "worm");

impl Profile {
    /// The profile that the crate carries under `name`, one of [`Profile::embedded_names`].
    ///
    /// # Errors
    /// [`Error::Name`] for any other name; it lists those that there are.
    pub fn embedded(name: &str) -> Result<Self> {
        match FILES.iter().find(|file| file.0 == name) {
            Some((_, file, text)) => Self::from_toml(file, text),
            None => Err(Error::Name { kind: "profile", name: name.into(), known: NAMES.join(", ") }),
        }
    }

    /// The names that [`Profile::embedded`] takes.
    pub fn embedded_names() -> &'static [&'static str] {
        NAMES
    }

    /// Reads a profile file.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; else as [`Profile::from_toml`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (file, text) = file::read(path.as_ref())?;
        Self::from_toml(&file, &text)
    }

    /// Reads a profile from TOML text; `file` is what errors name.
    ///
    /// # Errors
    /// [`Error::File`] for bad syntax or an unknown key, with its line; [`Error::Key`] for a value that is missing, of
    /// the wrong type, not finite or out of range, with the key and what it allows.
    pub fn from_toml(file: &str, text: &str) -> Result<Self> {
        bake::bake(file, &file::parse(file, text)?)
    }

    /// Begins a profile in code; the methods are a file's keys.
    pub fn builder(name: &str) -> ProfileBuilder {
        ProfileBuilder::new(name)
    }

    /// The species' name, 1 to 64 characters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// From the Body front to the tail's tip at scale 1, 0.01 to 1000 m; heads are not counted.
    pub fn length_m(&self) -> f32 {
        self.length_m
    }

    /// Joints of the body, 2 to 1024, evenly spaced from the Body front (joint 0) to the tail's tip.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// The body's radius at each joint, Body front first: interpolated monotonically between the file's stations. At
    /// least 0.00001 m, less than a quarter of the length.
    pub fn radius_m(&self) -> &[f32] {
        &self.radius_m
    }

    /// The head's greatest yaw off its centre heading, 0 to 80 degrees as radians.
    pub fn steering_amplitude_rad(&self) -> f32 {
        self.gait.steering_amplitude_rad
    }

    /// Steering cycles written over one body length, 0 to 32: wavelength = length / cycles.
    pub fn steering_cycles(&self) -> f32 {
        self.gait.steering_cycles
    }

    /// How fast the centre heading turns toward its target, 0 to 3600 degrees per second as radians per second.
    pub fn max_turn_speed_rad_s(&self) -> f32 {
        self.gait.max_turn_speed_rad_s
    }

    /// Whether the guide steers. If not there is neither yaw nor turn limit, and the path is the root's achieved
    /// motion.
    pub fn head_guided(&self) -> bool {
        self.gait.head_guided
    }

    /// Cruising speed at scale 1, 0 to 1000 m/s: what a driven creature starts with.
    pub fn speed_m_s(&self) -> f32 {
        self.gait.speed_m_s
    }

    /// The vertical wave's greatest pitch of a segment, 0 (no wave) to 80 degrees as radians.
    pub fn wave_bend_rad(&self) -> f32 {
        self.wave.bend_rad
    }

    /// Vertical waves over one body length, 0 to 32.
    pub fn wave_cycles(&self) -> f32 {
        self.wave.cycles
    }

    /// The vertical wave's phase before any travel, in turns, [0, 1).
    pub fn wave_phase_turns(&self) -> f32 {
        self.wave.phase_turns
    }

    /// The share of the bend at each segment's middle, Body front first: `joints - 1` values in [0, 1].
    pub fn wave_amplitude(&self) -> &[f32] {
        &self.wave.amplitude
    }

    /// One to four heads; the first is the default guide.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Whether a driven creature is kept on the ground and headings lie in its plane; a swimmer goes where it heads.
    pub fn follow_ground(&self) -> bool {
        self.ground.follow
    }

    /// The same species with the penetration guard on or off.
    #[must_use]
    pub fn with_guard(mut self, prevent_penetration: bool) -> Self {
        self.ground.prevent_penetration = prevent_penetration;
        self
    }

    /// How the species stands on the ground.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }
}
