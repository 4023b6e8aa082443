//! Scenes that say how snakes lie on ground: each runs, is measured, and is drawn as a strip over time.
//!
//! `cargo run --release --example scenes` runs all of them; `-- ledge pit` these two; `-- --help` tells the options.

#[path = "../common/body.rs"]
mod body;
mod cli;
#[path = "../common/command.rs"]
mod command;
#[path = "../common/draw/mod.rs"]
mod draw;
mod measure;
#[path = "../common/probe.rs"]
mod probe;
#[path = "../common/relief.rs"]
mod relief;
#[path = "../common/scenes/mod.rs"]
mod scenes;
mod section;
#[path = "../common/snapshot.rs"]
mod snapshot;
mod strip;

use cli::Cli;
use command::{Stop, asked, broke, print};
use glam::DVec3;
use measure::{Report, Worst};
use scenes::{DT, Run, Scene};
use serpentarium::Settings;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use strip::Frame;

/// Frames in a strip.
const FRAMES: usize = 6;
/// Ticks from one measurement to the next.
const MEASURED_EVERY: u64 = 6;

fn main() -> ExitCode {
    command::run("scenes", run)
}

fn run(cli: &Cli) -> Result<(), Stop> {
    let cannot = |what: &std::path::Path, error| Stop::Asked(format!("cannot write {}: {error}", what.display()));
    std::fs::create_dir_all(&cli.out).map_err(|error| cannot(&cli.out, error))?;
    if let Some(file) = &cli.json {
        std::fs::write(file, "").map_err(|error| cannot(file, error))?;
    }
    let mut reports = Vec::new();
    for name in cli.names() {
        let scene = scenes::named(name, DVec3::ZERO).ok_or_else(|| asked(format!("no scene {name}")))?;
        let report = show(cli, scene)?;
        print(&format!("{name:<12} {:>5} ticks  {}\n", report.ticks, report.picture));
        reports.push(report);
    }
    print(&format!("\n{}", measure::table(&reports)));
    if let Some(file) = &cli.json {
        let text = serde_json::to_string_pretty(&reports).map_err(broke)?;
        std::fs::write(file, text + "\n").map_err(broke)?;
    }
    Ok(())
}

/// Runs, measures and draws one scene.
fn show(cli: &Cli, scene: Scene) -> Result<Report, Stop> {
    let seconds = cli.seconds.unwrap_or(scene.seconds);
    let ticks = (seconds / f64::from(DT)).round() as u64;
    let mut run = scene.start(Settings { parallel: false, ..Settings::default() }).map_err(broke)?;
    run.batch.refresh_poses();
    let (mut worst, mut step, mut quarantined) = (Worst::default(), Duration::ZERO, 0);
    let mut frames = vec![capture(&run)?];
    for tick in 1..=ticks {
        run.steer().map_err(broke)?;
        let begun = Instant::now();
        let report = run.step().map_err(broke)?;
        step += begun.elapsed();
        quarantined += report.quarantined.len();
        if tick % MEASURED_EVERY == 0 || tick == ticks {
            worst = worst.and(measure::all(&run).map_err(broke)?);
        }
        // The last frame is the end; those between are evenly spread.
        if tick * (FRAMES as u64 - 1) / ticks > (tick - 1) * (FRAMES as u64 - 1) / ticks {
            frames.push(capture(&run)?);
        }
    }
    let picture = cli.out.join(format!("{}.png", run.scene.name));
    let drawn = strip::draw(&run.scene, &frames).and_then(|map| map.encode_png().map_err(|error| error.to_string()));
    std::fs::write(&picture, drawn.map_err(broke)?).map_err(broke)?;
    Ok(Report {
        scene: run.scene.name,
        creatures: run.ids.len(),
        ticks,
        ns_per_joint: step.as_secs_f64() * 1e9 / (ticks.max(1) * run.joints() as u64) as f64,
        worst,
        quarantined,
        state_hash: format!("{:016x}", run.batch.state_hash()),
        picture: picture.display().to_string(),
    })
}

/// What is drawn of a moment.
fn capture(run: &Run) -> Result<Frame, Stop> {
    let bodies = run.ids.iter().map(|id| snapshot::shape(&run.batch, *id)).collect::<Result<_, _>>();
    Ok(Frame { time_s: run.time_s(), bodies: bodies.map_err(broke)? })
}
