//! The command line: what is allowed, and one line for what is not.

use crate::command::seconds;
use clap::{Parser, value_parser};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// Lets a crowd of serpents cross a map, and reports how fast and how exact that was.
#[derive(Clone, Debug, Parser)]
#[command(name = "crowd", version, allow_negative_numbers = true)]
pub struct Cli {
    /// Serpents, 0 to 1000000
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u32).range(0..=1_000_000))]
    pub count: u32,
    /// Simulated seconds, 0 to 86400
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub seconds: f64,
    /// Ticks in a simulated second, 1 to 1000
    #[arg(long, value_name = "H", default_value_t = 60, value_parser = value_parser!(u32).range(1..=1000))]
    pub hz: u32,
    /// Species: grass-snake, python, viper, sea-serpent, worm, or a profile's file
    #[arg(long, value_name = "NAME|FILE", default_value = "grass-snake")]
    pub profile: String,
    /// Quality tier: low, medium, high
    #[arg(long, value_name = "TIER", default_value = "medium", value_parser = ["low", "medium", "high"])]
    pub quality: String,
    /// The map: flat, jacksboro, a height map's file (.png, or the .toml beside it), or a mesh (.obj, .stl, .ply, .gltf, .glb)
    #[arg(long, value_name = "NAME|FILE", default_value = "jacksboro")]
    pub terrain: String,
    /// How many times as large the map is as in its file; positive
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive)]
    pub terrain_scale: f64,
    /// Contact between bodies: none (self and crowd are not there yet)
    #[arg(long, value_name = "KIND", default_value = "none", value_parser = contact)]
    pub contact: String,
    /// Pushes cross-sections out of the ground
    #[arg(long)]
    pub guard: bool,
    /// Threads, 1 to 1024; all cores without it
    #[arg(long, value_name = "T", value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of where the serpents start and wander
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write the report to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw the last tick to this PNG file; none draws nothing
    #[arg(long, value_name = "FILE|none", default_value = "crowd.png")]
    pub picture: PathBuf,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

impl Cli {
    pub fn ticks(&self) -> u64 {
        (self.seconds * f64::from(self.hz)).round() as u64
    }

    pub fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        self.threads.map_or_else(all, usize::from)
    }

    pub fn picture_file(&self) -> Option<&Path> {
        (self.picture != Path::new("none")).then_some(self.picture.as_path())
    }

    /// Opens what will be written, so that a long run is not lost to a mistyped folder.
    pub fn check_outputs(&self) -> Result<(), String> {
        let outputs = [("--json", self.json.as_deref()), ("--picture", self.picture_file())];
        let asked = outputs.into_iter().filter_map(|(option, file)| Some((option, file?)));
        asked.into_iter().try_for_each(|(option, file)| {
            probe(file).map_err(|error| format!("cannot write {option} {}: {error}", file.display()))
        })
    }
}

/// Opens a file for writing without touching what it holds; a file that was not there is not left behind.
fn probe(file: &Path) -> std::io::Result<()> {
    let fresh = file.symlink_metadata().is_err();
    OpenOptions::new().append(true).create(true).open(file)?;
    if fresh { std::fs::remove_file(file) } else { Ok(()) }
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(format!("{value} is not positive and finite")) }
}

fn contact(text: &str) -> Result<String, String> {
    match text {
        "none" => Ok(text.to_owned()),
        "self" | "crowd" => Err("bodies do not feel each other yet; allowed is none".to_owned()),
        _ => Err("allowed is none".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{self, Refusal};

    fn parse(arguments: &str) -> Result<Cli, Refusal> {
        command::parse(std::iter::once("crowd").chain(arguments.split_whitespace()))
    }

    fn fault(arguments: &str) -> String {
        match parse(arguments) {
            Err(Refusal::Wrong(line)) => line,
            other => panic!("{arguments}: {other:?}"),
        }
    }

    #[test]
    fn without_options_the_main_job_runs() {
        let cli = parse("").unwrap();
        assert_eq!((cli.count, cli.ticks(), cli.hz, cli.seed), (10_000, 600, 60, 1));
        assert_eq!((cli.profile.as_str(), cli.quality.as_str()), ("grass-snake", "medium"));
        assert_eq!((cli.terrain.as_str(), cli.contact.as_str()), ("jacksboro", "none"));
        assert_eq!((cli.json.as_deref(), cli.picture_file()), (None, Some(Path::new("crowd.png"))));
        assert!(cli.threads() >= 1 && !cli.quiet);
    }

    #[test]
    fn every_option_arrives() {
        let cli = parse(
            "--count 7 --seconds 2.5 --hz 144 --profile worm --quality low --terrain flat --terrain-scale 2.5 \
             --contact none --threads 3 --seed 42 --json report.json --picture none --quiet",
        )
        .unwrap();
        assert_eq!((cli.count, cli.ticks(), cli.threads(), cli.seed), (7, 360, 3, 42));
        assert_eq!((cli.profile.as_str(), cli.quality.as_str(), cli.terrain.as_str()), ("worm", "low", "flat"));
        assert_eq!((cli.json.as_deref(), cli.picture_file()), (Some(Path::new("report.json")), None));
        assert!(cli.quiet && cli.terrain_scale == 2.5);
    }

    #[test]
    fn bad_values_are_told_in_one_line_that_names_them() {
        for (arguments, named) in [
            ("--count 1000001", "1000001"),
            ("--count -1", "-1"),
            ("--seconds nan", "nan"),
            ("--seconds -0.5", "-0.5"),
            ("--hz 0", "'0'"),
            ("--hz 1001", "1001"),
            ("--threads 0", "'0'"),
            ("--quality ultra", "ultra"),
            ("--terrain-scale 0", "'0'"),
            ("--terrain-scale -2", "-2"),
            ("--terrain-scale inf", "inf"),
            ("--terrain-scale much", "much"),
            ("--contact self", "not feel each other yet"),
            ("--contact crowd", "not feel each other yet"),
            ("--seed 1.5", "1.5"),
            ("--json", "--json"),
            ("--colour red", "--colour"),
            ("stray", "stray"),
        ] {
            let line = fault(arguments);
            assert!(line.contains(named) && !line.contains('\n') && !line.contains("Usage"), "{arguments}: {line}");
        }
    }

    #[test]
    fn help_is_no_fault() {
        let Err(Refusal::Shown(text)) = parse("--help") else { panic!("help is shown") };
        for option in ["--count", "--seconds", "--hz", "--profile", "--quality", "--terrain", "--contact", "--threads"]
        {
            assert!(text.contains(option), "{option} in {text}");
        }
    }

    #[test]
    fn outputs_are_probed_and_left_as_they_were() {
        let folder = std::env::temp_dir().join(format!("crowd-cli-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (kept, fresh) = (folder.join("kept.json"), folder.join("fresh.png"));
        std::fs::write(&kept, "kept").unwrap();
        let mut cli = parse("").unwrap();
        (cli.json, cli.picture) = (Some(kept.clone()), fresh.clone());
        assert_eq!(cli.check_outputs(), Ok(()));
        assert_eq!((std::fs::read_to_string(&kept).unwrap().as_str(), fresh.exists()), ("kept", false));
        cli.picture = folder.join("no/such/folder.png");
        assert!(cli.check_outputs().unwrap_err().starts_with("cannot write --picture"));
        cli.picture = folder.clone();
        assert!(cli.check_outputs().is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
