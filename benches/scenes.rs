//! A tick of each scene. Few creatures share a block of eight lanes there, so a joint costs more than in a crowd.
#![allow(missing_docs)]

mod common;
#[path = "../examples/common/scenes/mod.rs"]
mod scenes;

use common::{short, sum};
use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec3;
use scenes::{NAMES, Run, named};
use serpentarium::Settings;
use std::time::{Duration, Instant};

fn fresh(name: &str) -> Run {
    let scene = named(name, DVec3::ZERO).expect("it is one of the names");
    scene.start(Settings { parallel: false, ..Settings::default() }).expect("scenes are in range")
}

/// A tick, and how long it took. A scene that is over begins anew.
fn tick(run: &mut Run) -> Duration {
    if run.time_s() > run.scene.seconds {
        *run = fresh(run.scene.name);
    }
    run.steer().unwrap();
    let begun = Instant::now();
    run.step().unwrap();
    begun.elapsed()
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scenes");
    for name in NAMES {
        // Made when the filter lets the bench run.
        let mut run = None;
        short(&mut group, fresh(name).joints());
        group.bench_function(name, |bencher| {
            let run = run.get_or_insert_with(|| fresh(name));
            bencher.iter_custom(|times| sum(times, || tick(run)));
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
