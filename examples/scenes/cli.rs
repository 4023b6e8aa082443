//! The command line.

use crate::command::seconds;
use crate::scenes::NAMES;
use clap::Parser;
use std::path::PathBuf;

/// Runs scenes of snakes on ground, measures them, and draws a strip over time of each.
#[derive(Clone, Debug, Parser)]
#[command(name = "scenes", version, allow_negative_numbers = true)]
pub struct Cli {
    /// Scenes to run; all without a name
    #[arg(value_name = "NAME", value_parser = NAMES)]
    names: Vec<String>,
    /// Folder for the pictures, which is made
    #[arg(long, value_name = "DIR", default_value = "scenes")]
    pub out: PathBuf,
    /// Simulated seconds, 0 to 86400; each scene's own without it
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl Cli {
    pub fn names(&self) -> Vec<&str> {
        if self.names.is_empty() { NAMES.to_vec() } else { self.names.iter().map(String::as_str).collect() }
    }
}
