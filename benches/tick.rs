//! The whole tick, at several sizes, lanes and on one thread or all.
#![allow(missing_docs)]

mod common;

use common::{Crowd, short, sum};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use serpentarium::LaneChoice::{self, Auto, Avx2, Scalar, Wide};

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, count: usize, lanes: LaneChoice, parallel: bool) {
    // Made when the filter lets the bench run. Fewer ticks for the largest: it would take longer than the measurement.
    let mut crowd = None;
    short(group, count * 32);
    group.bench_function(BenchmarkId::new(name, count), |bencher| {
        let warming = if count > 10_000 { 20 } else { 120 };
        let crowd = crowd.get_or_insert_with(|| Crowd::warm(count, lanes, parallel, warming));
        assert_eq!(crowd.joints(), count * 32);
        bencher.iter_custom(|times| sum(times, || crowd.tick().1));
    });
}

fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tick");
    for count in [1_000, 10_000, 100_000] {
        bench(&mut group, "one thread", count, Auto, false);
    }
    for count in [10_000, 100_000] {
        bench(&mut group, "all threads", count, Auto, true);
    }
    for (name, lanes) in [("scalar", Scalar), ("wide", Wide), ("avx2", Avx2)] {
        bench(&mut group, name, 10_000, lanes, false);
    }
}

criterion_group!(benches, sizes);
criterion_main!(benches);
