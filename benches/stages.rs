//! Each stage, and the way from path to pose, in ticks of 10,000 creatures on one thread.
//!
//! A stage is timed in the tick's own order, block by block, with its data in the caches as the tick has it. `stopwatch`
//! is what the timing itself adds to each.
#![allow(missing_docs)]

mod common;

use common::{Crowd, PATH_TO_POSE, short, sum};
use criterion::{Criterion, criterion_group, criterion_main};
use serpentarium::{LaneChoice, Stage};

const COUNT: usize = 10_000;

fn stages(criterion: &mut Criterion) {
    let mut crowd = None;
    let mut group = criterion.benchmark_group("stage");
    short(&mut group, COUNT * 32);
    let all = Stage::ALL.map(|stage| (stage.name(), vec![stage]));
    let several = [("stopwatch", vec![]), ("path to pose", PATH_TO_POSE.to_vec())];
    for (name, timed) in all.into_iter().chain(several) {
        group.bench_function(name, |bencher| {
            let crowd = crowd.get_or_insert_with(|| Crowd::warm(COUNT, LaneChoice::Auto, false, 120));
            bencher.iter_custom(|times| sum(times, || crowd.time_stages(&timed)));
        });
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
