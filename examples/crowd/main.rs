//! A crowd of serpents crosses a map: how fast, how exact, and a picture of it.
//!
//! `cargo run --release --example crowd` lets 10,000 grass snakes cross the embedded map for ten simulated seconds;
//! `-- --help` tells the options.

#[path = "../common/body.rs"]
mod body;
mod cli;
#[path = "../common/command.rs"]
mod command;
#[path = "../common/draw/mod.rs"]
mod draw;
mod invariants;
#[path = "../common/mesh_file.rs"]
mod mesh_file;
mod picture;
#[path = "../common/probe.rs"]
mod probe;
mod progress;
#[path = "../common/relief.rs"]
mod relief;
mod report;
mod scene;
#[path = "../common/snapshot.rs"]
mod snapshot;

use cli::Cli;
use command::{Stop, asked, broke, print};
use invariants::{Ground, Invariants, measure};
use progress::Progress;
use rayon::prelude::*;
use relief::Relief;
use report::{Findings, Named, Report, grouped, peak_rss_bytes, ratio};
use scene::Crowd;
use serpentarium::terrain::TriangleMesh;
use serpentarium::{
    Counters, Heightfield, Measures, Profile, Quality, SerpentBatch, SerpentId, Settings, Stage, Terrain,
};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    command::run("crowd", run)
}

fn run(cli: &Cli) -> Result<(), Stop> {
    let profile = load_profile(&cli.profile)?;
    // A profile's file may say so itself.
    let guarded = cli.guard || profile.ground().prevent_penetration;
    let profile = profile.with_guard(guarded);
    let quality: Quality = cli.quality.parse().map_err(asked)?;
    let terrain = load_terrain(&cli.terrain, cli.terrain_scale)?;
    cli.check_outputs().map_err(asked)?;
    let relief = snapshot::relief(&terrain, scene::flat_side_m(&profile, cli.count));
    let relief = relief.ok_or_else(|| asked(format!("{}: no ground, seen from above", cli.terrain)))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cli.threads()).build().map_err(asked)?;
    let settings = Settings { parallel: cli.threads() > 1, ..Settings::default() };
    let batch = SerpentBatch::with_settings(terrain, settings).map_err(broke)?;
    pool.install(|| {
        let mut progress = Progress::new(cli.quiet, cli.count, cli.ticks(), cli.seconds);
        let begun = Instant::now();
        progress.note("spawning");
        let crowd = Crowd::spawn(batch, &relief, profile.clone(), quality, cli.count, cli.seed).map_err(broke)?;
        let timing = Timing { spawning: begun.elapsed(), ..Timing::default() };
        finish(cli, &profile, &relief, crowd, timing, &mut progress)
    })
}

/// A name of a profile that ships with the library, or a file.
fn load_profile(name: &str) -> Result<Profile, Stop> {
    let embedded = Profile::embedded_names().contains(&name);
    let is_file = || std::path::Path::new(name).exists();
    if !embedded && is_file() { Profile::load(name) } else { Profile::embedded(name) }.map_err(asked)
}

/// `flat`, a name of a map that ships with the library, or a file, so many times as large as it is.
fn load_terrain(name: &str, scale: f64) -> Result<Terrain, Stop> {
    let file = std::path::Path::new(name);
    if name == "flat" {
        return Ok(Terrain::flat(0.0));
    }
    if file.exists() && mesh_file::is_mesh_file(file) {
        let mesh = TriangleMesh::from_triangles(mesh_file::read(file).map_err(asked)?);
        let mesh = mesh.and_then(|mesh| mesh.scaled(scale));
        return mesh.map(Terrain::from).map_err(|error| asked(format!("{name}: {error}")));
    }
    let is_embedded = Heightfield::embedded_names().contains(&name) || !file.exists();
    let field = if is_embedded { Heightfield::embedded(name) } else { Heightfield::load(file) };
    field.and_then(|field| field.scaled(scale)).map(Terrain::from).map_err(asked)
}

/// What a run took.
#[derive(Default)]
struct Timing {
    spawning: Duration,
    step: Duration,
    steering: Duration,
    stages: [Duration; Stage::ALL.len()],
    dropped_s: f64,
    counters: Counters,
    measures: Measures,
    peak_rss_bytes: u64,
}

/// Simulates, measures, draws and reports.
fn finish(
    cli: &Cli,
    profile: &Profile,
    relief: &Relief,
    mut crowd: Crowd,
    mut timing: Timing,
    progress: &mut Progress,
) -> Result<(), Stop> {
    simulate(cli, &mut crowd, &mut timing, progress)?;
    // Before measuring and drawing add to it.
    timing.peak_rss_bytes = peak_rss_bytes();
    progress.note("measuring");
    let measured = measure_all(&crowd.batch, &crowd.ids, relief).map_err(broke)?;
    let report = compose(cli, profile, &crowd.batch, &timing, measured);
    if let Some(file) = cli.picture_file() {
        progress.note("drawing");
        let picture = draw(cli, profile, &crowd, relief).map_err(broke)?;
        write_file(file, &picture.encode_png().map_err(broke)?)?;
    }
    if let Some(file) = &cli.json {
        write_file(file, report.json().map_err(broke)?.as_bytes())?;
    }
    progress.clear();
    if !cli.quiet {
        print(&report.table());
        cli.picture_file().into_iter().for_each(|file| print(&format!("picture      {}\n", file.display())));
    }
    Ok(())
}

fn write_file(file: &std::path::Path, bytes: &[u8]) -> Result<(), Stop> {
    std::fs::write(file, bytes).map_err(|error| Stop::Broke(format!("cannot write {}: {error}", file.display())))
}

fn simulate(cli: &Cli, crowd: &mut Crowd, timing: &mut Timing, progress: &mut Progress) -> Result<(), Stop> {
    let dt = 1.0 / cli.hz as f32;
    for tick in 1..=cli.ticks() {
        let begun = Instant::now();
        crowd.steer(dt).map_err(broke)?;
        let steered = Instant::now();
        let report = crowd.batch.step(dt).map_err(broke)?;
        timing.step += steered.elapsed();
        timing.steering += steered - begun;
        timing.stages.iter_mut().zip(report.stages).for_each(|(sum, stage)| *sum += stage);
        timing.dropped_s += f64::from(report.dropped_s);
        timing.counters.add(&report.counters);
        timing.measures.add(&report.measures);
        progress.tick(tick, timing.step.as_secs_f64());
    }
    // Without a tick there are no pose rows yet; with one, those that it wrote are measured.
    if cli.ticks() == 0 {
        crowd.batch.refresh_poses();
    }
    Ok(())
}

/// The worst of all creatures. Order does not matter to the largest of them, so threads may share the work.
fn measure_all(batch: &SerpentBatch, ids: &[SerpentId], relief: &Relief) -> serpentarium::Result<Invariants> {
    let ground = Ground::new(batch.terrain(), relief);
    ids.par_iter()
        .with_min_len(64)
        .map(|id| snapshot::whole(batch, *id).map(|body| measure(&body, &ground)))
        .try_reduce(Invariants::default, |a, b| Ok(a.worst(b)))
}

fn compose(cli: &Cli, profile: &Profile, batch: &SerpentBatch, timing: &Timing, measured: Invariants) -> Report {
    let per_joint = |time: Duration| {
        let joints = cli.ticks() as f64 * f64::from(cli.count) * profile.joints() as f64;
        ratio(time.as_secs_f64() * 1e9, joints)
    };
    let stages = Stage::ALL.into_iter().zip(timing.stages);
    let state_hash = format!("{:016x}", batch.state_hash());
    Report {
        count: cli.count,
        joints: profile.joints(),
        ticks: cli.ticks(),
        hz: cli.hz,
        seconds: cli.seconds,
        threads: cli.threads(),
        instructions: batch.isa(),
        profile: profile.name().to_owned(),
        quality: cli.quality.clone(),
        terrain: cli.terrain.clone(),
        contact: cli.contact.clone(),
        guard: profile.ground().prevent_penetration,
        seed: cli.seed,
        ns_per_joint: per_joint(timing.step),
        stages: Named(stages.map(|(stage, time)| (stage.name(), per_joint(time))).collect()),
        realtime_factor: ratio(cli.ticks() as f64 / f64::from(cli.hz), timing.step.as_secs_f64()),
        step_s: timing.step.as_secs_f64(),
        spawn_s: timing.spawning.as_secs_f64(),
        steering_s: timing.steering.as_secs_f64(),
        dropped_s: timing.dropped_s,
        bytes_per_serpent: ratio(batch.memory().total() as f64, f64::from(cli.count)),
        peak_rss_bytes: timing.peak_rss_bytes,
        invariants: Findings { measured, quarantined: timing.counters.quarantined, state_hash: state_hash.clone() },
        counters: Named(timing.counters.by_name().map(|(name, count)| (name, count as f64)).collect()),
        measures: Named(timing.measures.by_name().map(|(name, most)| (name, f64::from(most))).collect()),
        quarantined: timing.counters.quarantined,
        state_hash,
    }
}

fn draw(cli: &Cli, profile: &Profile, crowd: &Crowd, relief: &Relief) -> Result<tiny_skia::Pixmap, String> {
    let plural = if cli.count == 1 { "" } else { "S" };
    let species = profile.name().replace('-', " ").to_uppercase();
    let place = std::path::Path::new(&cli.terrain).file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
    let [wide, deep] = relief.size_m();
    // Every id is of a living creature; were one not, a body without joints would not be drawn.
    let body = |number: usize| snapshot::shape(&crowd.batch, crowd.ids[number]).unwrap_or_default();
    let is_mesh = matches!(crowd.batch.terrain(), Terrain::Mesh(_));
    let close = |corner_m, size_m| is_mesh.then(|| snapshot::window(crowd.batch.terrain(), corner_m, size_m)).flatten();
    picture::draw(&picture::Subject {
        relief,
        close: &close,
        species: profile.name(),
        length_m: f64::from(profile.length_m()),
        count: crowd.ids.len(),
        body: &body,
        title: format!("{} {species}{plural}", grouped(u64::from(cli.count))),
        subtitle: format!(
            "{place}, {wide:.0} BY {deep:.0} m · AFTER {} S AT {} HZ, SEED {}",
            cli.seconds, cli.hz, cli.seed
        ),
    })
}
