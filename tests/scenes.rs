//! What must hold in every scene, whatever its ground is and however its creatures come to it.

mod common;
#[path = "../examples/common/scenes/mod.rs"]
mod scenes;

use common::*;
use glam::DVec3;
use scenes::{NAMES, Run, named};
use serpentarium::{LaneChoice, Settings};

/// Most of what is hard comes in the first seconds.
const TICKS: u64 = 200;

fn start(name: &str, origin: DVec3, lanes: LaneChoice, parallel: bool) -> Run {
    named(name, origin).unwrap().start(Settings { lanes, parallel, ..Settings::default() }).unwrap()
}

fn quiet_run(name: &str, origin: DVec3) -> Run {
    start(name, origin, LaneChoice::Auto, false)
}

fn hash_of(mut run: Run) -> u64 {
    (0..TICKS).for_each(|_| drop(run.tick().unwrap()));
    run.batch.state_hash()
}

#[test]
fn segments_are_exact_and_nobody_is_lost() {
    for name in NAMES {
        let mut run = quiet_run(name, DVec3::ZERO);
        let count = run.scene.creatures.len();
        let heads: Vec<DVec3> = run.ids.iter().map(|id| run.batch.head(*id).unwrap()).collect();
        for _ in 0..TICKS {
            let report = run.tick().unwrap();
            assert!(report.quarantined.is_empty(), "{name}: {:?}", report.quarantined);
            assert_finite(&run.batch);
            run.ids.iter().for_each(|id| assert_segments(&run.batch, *id, name));
        }
        assert_eq!(run.batch.len(), count, "{name}");
        for (id, start) in run.ids.iter().zip(heads) {
            let way = run.batch.head(*id).unwrap() - start;
            let far = f64::from(run.scene.profile.length_m());
            assert!(way.length() > 0.2 * far && way.length() < 4.0 * far, "{name}: a head went {way}");
        }
    }
}

#[test]
fn threads_and_lanes_leave_no_trace() {
    for name in NAMES {
        let alone = hash_of(quiet_run(name, DVec3::ZERO));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let hash = pool.install(|| hash_of(start(name, DVec3::ZERO, LaneChoice::Auto, true)));
            assert_eq!(hash, alone, "{name} on {threads} threads");
        }
        assert_eq!(hash_of(start(name, DVec3::ZERO, LaneChoice::Scalar, false)), alone, "{name} in scalar lanes");
    }
}

#[test]
fn a_scene_100_km_away_is_the_same() {
    let far = DVec3::new(100_000.0, 0.0, -100_000.0);
    for name in NAMES {
        let (mut here, mut there) = (quiet_run(name, DVec3::ZERO), quiet_run(name, far));
        for tick in 0..TICKS {
            here.tick().unwrap();
            there.tick().unwrap();
            for (a, b) in here.ids.iter().zip(&there.ids) {
                let off = farthest(&shape(&here.batch, *a), &shape(&there.batch, *b));
                assert!(off < 1e-4, "{name}: {off} m at tick {tick}");
            }
        }
    }
}
