//! The same bits: at rest, in company, on any number of threads, on any lanes; and nothing where it is off.

use super::common::*;
use super::measure::*;
use glam::DVec3;
use serpentarium::{LaneChoice, Motion, SerpentBatch, SerpentId, Settings, Spawn, Terrain};

fn grounds() -> [Terrain; 3] {
    let rough = |x: f64, z: f64| 0.3 * ((x * 1.7).sin() + (z * 2.3 + x).cos());
    let grid = grid(41, 1.0, rough);
    [tilted(), mesh_of(&triangles_of(&grid)), field_of(grid)]
}

/// Guarded creatures of all motions in one block and a bit.
fn crowd_of(batch: &mut SerpentBatch, count: usize) -> Vec<SerpentId> {
    let profile = batch.add_profile(guarded(true));
    let spawns: Vec<Spawn> = (0..count).map(|i| nth(profile, i)).collect();
    batch.spawn_many(&spawns).unwrap()
}

fn nth(profile: serpentarium::ProfileId, i: usize) -> Spawn {
    let mut random = Random(i as u64 + 9);
    let at = [random.between(-8.0, 8.0), random.between(0.0, 0.6), random.between(-8.0, 8.0)];
    let spawn = Spawn::at(profile, at).facing(random.heading()).scale(random.between(0.3, 1.2) as f32).tag(i as u64);
    [spawn.clone().driven(2.0), spawn.clone(), spawn.clone().preview(0.4), spawn.motion(Motion::Reported)][i % 4]
        .clone()
}

fn run(batch: &mut SerpentBatch, ticks: u64) -> (u64, f32) {
    let (mut corrected, mut largest) = (0, 0.0_f32);
    for tick in 0..ticks {
        steer(batch, tick);
        let report = batch.step(DT).unwrap();
        corrected += report.counters.sections_corrected;
        largest = largest.max(report.measures.largest_correction_m);
    }
    assert!(corrected > 0);
    (corrected, largest)
}

#[test]
fn idle_ticks_keep_every_bit_of_corrected_creatures() {
    for terrain in grounds() {
        let mut batch = quiet(terrain);
        let ids = crowd_of(&mut batch, 13);
        run(&mut batch, 90);
        for &id in &ids {
            batch.set_speed(id, 0.0).unwrap();
        }
        // Until observed heads have arrived and headings have turned.
        (0..200).for_each(|_| drop(batch.step(DT).unwrap()));
        let before = bits(batch.poses());
        for tick in 0..100 {
            if tick == 30 {
                ids.iter().for_each(|&id| batch.set_paused(id, true).unwrap());
            }
            let report = batch.step([DT, 0.1, 0.004][tick % 3]).unwrap();
            assert!(report.counters.sections_corrected > 0, "what is drawn is corrected");
            assert!(before == bits(batch.poses()), "changed at idle tick {tick}");
        }
        // Work on the same block outside a tick.
        let shapes: Vec<Vec<DVec3>> = ids.iter().map(|&id| joints(&batch, id)).collect();
        let profile = batch.profile_id_of(ids[0]).unwrap();
        let new = batch.spawn(nth(profile, 50)).unwrap();
        batch.teleport(new, [1.0, 0.4, 2.0], X).unwrap();
        let after: Vec<Vec<DVec3>> = ids.iter().map(|&id| joints(&batch, id)).collect();
        assert!(shapes == after, "a neighbour's spawn moved them");
    }
}

#[test]
fn a_guarded_batch_of_n_is_n_batches_of_one() {
    for terrain in grounds() {
        let mut batch = quiet(terrain.clone());
        let ids = crowd_of(&mut batch, 13);
        run(&mut batch, 60);
        for (i, &id) in ids.iter().enumerate() {
            let mut single = quiet(terrain.clone());
            let profile = single.add_profile(guarded(true));
            let other = single.spawn(nth(profile, i)).unwrap();
            for tick in 0..60 {
                steer(&mut single, tick);
                single.step(DT).unwrap();
            }
            assert_eq!(pose_bits(&batch, id), pose_bits(&single, other), "creature {i}");
        }
    }
}

#[test]
fn threads_and_lanes_give_the_same_bits_and_counts() {
    for terrain in grounds() {
        let outcome = |threads: usize, lanes: LaneChoice| {
            let settings = Settings { parallel: threads > 0, lanes, ..Settings::default() };
            let mut batch = SerpentBatch::with_settings(terrain.clone(), settings).unwrap();
            crowd_of(&mut batch, 150);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build().unwrap();
            let found = pool.install(|| run(&mut batch, 20));
            (batch.state_hash(), bits(batch.poses()), found)
        };
        let one = outcome(0, LaneChoice::Auto);
        assert!(one == outcome(3, LaneChoice::Auto), "threads");
        for lanes in [LaneChoice::Scalar, LaneChoice::Wide, LaneChoice::Avx2] {
            assert!(one == outcome(0, lanes), "{lanes:?}");
        }
    }
}

#[test]
fn without_the_key_nothing_is_looked_at() {
    for terrain in grounds() {
        let mut batch = quiet(terrain);
        let profile = batch.add_profile(guarded(false));
        let id = batch.spawn(Spawn::at(profile, [0.0, -0.5, 0.0]).motion(Motion::Reported)).unwrap();
        for _ in 0..10 {
            batch.report_actual_displacement(id, X * 0.1, X).unwrap();
            let report = batch.step(DT).unwrap();
            assert_eq!((report.counters.sections_corrected, report.measures.largest_correction_m), (0, 0.0));
        }
    }
}
