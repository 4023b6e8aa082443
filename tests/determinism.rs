//! The same bits: alone or in company, in any slot, on any number of threads.

mod common;

use common::*;
use serpentarium::{Motion, Profile, Quality, SerpentBatch, SerpentId, Settings, Spawn, Terrain};

fn grounds() -> [Terrain; 3] {
    [Terrain::None, tilted(), Terrain::embedded("jacksboro").unwrap()]
}

/// The i-th of a mixed crowd.
fn nth(batch: &mut SerpentBatch, i: usize) -> Spawn {
    let kinds = species();
    let profile = batch.add_profile(kinds[i % 2].clone());
    let mut random = Random(i as u64 + 40);
    let at = [random.between(-20.0, 20.0), 1.0, random.between(-20.0, 20.0)];
    let spawn = Spawn::at(profile, at).facing(random.heading()).scale(random.between(0.1, 4.0) as f32).tag(i as u64);
    [spawn.clone().driven(0.7), spawn.clone(), spawn.clone().preview(0.4), spawn.driven(-0.2)][i % 4].clone()
}

fn run(batch: &mut SerpentBatch) {
    for tick in 0..40 {
        steer(batch, tick);
        if tick == 10 {
            let ids: Vec<SerpentId> = batch.ids().collect();
            ids.into_iter().for_each(|id| batch.set_scale(id, 3.0).unwrap());
        }
        batch.step(DT).unwrap();
    }
}

#[test]
fn a_batch_of_n_is_n_batches_of_one() {
    for terrain in grounds() {
        for count in [0, 1, 7, 8, 9, 17] {
            let mut batch = quiet(terrain.clone());
            let spawns: Vec<Spawn> = (0..count).map(|i| nth(&mut batch, i)).collect();
            let ids = batch.spawn_many(&spawns).unwrap();
            run(&mut batch);
            assert_eq!(batch.len(), count);
            for (i, &id) in ids.iter().enumerate() {
                let mut single = quiet(terrain.clone());
                // Both species, so that the ids of profiles agree.
                let spawn = (nth(&mut single, 0), nth(&mut single, 1), nth(&mut single, i)).2;
                let other = single.spawn(spawn).unwrap();
                run(&mut single);
                assert_eq!(joints(&batch, id), joints(&single, other), "{i} of {count}");
                assert_eq!(pose_bits(&batch, id), pose_bits(&single, other), "{i} of {count}");
            }
        }
    }
}

#[test]
fn what_a_neighbour_in_the_block_does_leaves_no_trace() {
    let run = |neighbour: usize| {
        let (mut batch, profile) = batch_of(tilted(), Profile::embedded("python").unwrap());
        let ids = batch.spawn_many(&vec![Spawn::at(profile, [0.0, 0.5, 0.0]).scale(0.7).driven(1.0); 2]).unwrap();
        batch.set_scale(ids[0], 2.0).unwrap();
        let mut random = Random(neighbour as u64);
        let mut seen = Vec::new();
        for tick in 0..300 {
            batch.set_guidance(ids[0], [X, Z, -X][tick / 100]).unwrap();
            let way = random.heading();
            match neighbour {
                1 => batch.set_scale(ids[1], 3.0).unwrap(),
                2 => batch.set_turn_rate(ids[1], 1000.0).and_then(|()| batch.set_guidance(ids[1], way)).unwrap(),
                3 => batch.teleport(ids[1], [5.0, 0.0, tick as f64], way).unwrap(),
                4 => batch.set_motion(ids[1], Motion::Reported).unwrap(),
                _ => {}
            }
            if neighbour == 4 {
                batch.report_actual_displacement(ids[1], way * 0.3, way).unwrap();
            }
            batch.step(DT).unwrap();
            seen.push(pose_bits(&batch, ids[0]));
        }
        seen
    };
    let quiet = run(0);
    for neighbour in 1..5 {
        let differs = quiet.iter().zip(&run(neighbour)).position(|(a, b)| a != b);
        assert_eq!(differs, None, "first tick that a neighbour of kind {neighbour} changes");
    }
}

#[test]
fn any_slot_order_gives_one_hash() {
    for terrain in grounds() {
        for count in [7, 8, 9, 17, 40] {
            let straight = shuffled(&terrain, count, 0);
            for order in 1..4 {
                assert!(straight == shuffled(&terrain, count, order), "{count} in order {order}");
            }
        }
    }
}

/// Spawns dummies with the crowd in a quality (or order) by `order`, takes them out, and so leaves the crowd's indices
/// alike and its slots in another order each time.
fn shuffled(terrain: &Terrain, count: usize, order: usize) -> (u64, Vec<Vec<[u32; 12]>>) {
    let mut batch = quiet(terrain.clone());
    let first = nth(&mut batch, 0);
    let dummies = [Quality::Low, Quality::Medium, Quality::Medium, Quality::High][order];
    let mut gone = Vec::new();
    for i in 0..count {
        if i % 3 == 1 {
            gone.push(batch.spawn(first.clone().quality(dummies)).unwrap());
        } else {
            let spawn = nth(&mut batch, i);
            batch.spawn(spawn).unwrap();
        }
    }
    if order == 2 {
        gone.reverse();
    }
    gone.into_iter().for_each(|id| batch.despawn(id).unwrap());
    run(&mut batch);
    let poses = batch.ids().map(|id| pose_bits(&batch, id)).collect();
    (batch.state_hash(), poses)
}

#[test]
fn a_change_of_quality_there_and_back_leaves_the_others_bits_alone() {
    let run_with = |change: bool| {
        let mut batch = quiet(tilted());
        let spawns: Vec<Spawn> = (0..17).map(|i| nth(&mut batch, i)).collect();
        let ids = batch.spawn_many(&spawns).unwrap();
        for tick in 0..40 {
            steer(&mut batch, tick);
            if change && tick % 9 == 3 {
                batch
                    .set_quality(ids[4], [Quality::Low, Quality::High, Quality::Medium][tick as usize / 9 % 3])
                    .unwrap();
            }
            batch.step(DT).unwrap();
        }
        ids.iter().filter(|&&id| id != ids[4]).map(|&id| pose_bits(&batch, id)).collect::<Vec<_>>()
    };
    assert!(run_with(false) == run_with(true));
}

#[test]
fn a_change_of_quality_keeps_the_creature_in_place() {
    for motion in [Motion::Driven, Motion::Preview] {
        let (mut batch, id) =
            alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).driven(2.0).motion(motion).tag(5));
        for tick in 0..300 {
            batch.set_guidance(id, [Z, X, -X][tick / 100]).unwrap();
            batch.step(DT).unwrap();
        }
        batch.set_jaw(id, 0, 0.3).unwrap();
        for quality in [Quality::Low, Quality::High, Quality::Medium, Quality::High, Quality::Low] {
            let (before, phases, headings) = (joints(&batch, id), batch.phases(id), batch.headings(id));
            batch.set_quality(id, quality).unwrap();
            assert_eq!((batch.quality(id), batch.tag(id)), (Ok(quality), Ok(5)));
            assert_eq!((phases, headings, batch.motion(id)), (batch.phases(id), batch.headings(id), Ok(motion)));
            let gap = farthest(&before, &joints(&batch, id));
            // Both spacings' sag, l^2 / 4 and l^2 / 9 over 8 times the tightest radius of gait and turn (0.6 m): 19 mm.
            assert!(gap < 0.04 * segment(&batch, id), "{quality}: a joint jumped by {gap} m");
            assert_segments(&batch, id, "quality");
        }
    }
}

#[test]
fn threads_and_splits_give_one_hash() {
    for terrain in grounds() {
        for count in [1, 9, 17, 200] {
            let hashes = [0, 1, 2, 8].map(|threads| on_threads(&terrain, count, threads));
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{count}: {hashes:x?}");
        }
    }
}

fn on_threads(terrain: &Terrain, count: usize, threads: usize) -> u64 {
    let settings = Settings { parallel: threads > 0, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(terrain.clone(), settings).unwrap();
    let spawns: Vec<Spawn> = (0..count).map(|i| nth(&mut batch, i)).collect();
    batch.spawn_many(&spawns).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build().unwrap();
    pool.install(|| run(&mut batch));
    batch.state_hash()
}

#[test]
fn begin_and_finish_are_a_step() {
    for terrain in grounds() {
        let halves = |split: bool| {
            let mut batch = quiet(terrain.clone());
            let spawns: Vec<Spawn> = (0..17).map(|i| nth(&mut batch, i)).collect();
            batch.spawn_many(&spawns).unwrap();
            for tick in 0..40 {
                steer(&mut batch, tick);
                match split {
                    true => batch.begin(DT).and_then(|()| batch.finish()).map(drop).unwrap(),
                    false => drop(batch.step(DT).unwrap()),
                }
            }
            (batch.state_hash(), bits(batch.poses()))
        };
        assert!(halves(true) == halves(false));
    }
}

#[test]
fn setters_and_slices_do_the_same() {
    let run = |slices: bool| {
        let mut batch = quiet(Terrain::flat(0.0));
        let profile = batch.add_profile(case_body());
        let spawn = Spawn::at(profile, [0.0, 0.2, 0.0]);
        let kinds = [spawn.clone().driven(1.0), spawn.clone().motion(Motion::Reported), spawn];
        batch.spawn_many(&kinds).unwrap();
        for tick in 0..60 {
            let (way, step) = ([1.0, 0.0, tick as f32 * 0.1], 0.02);
            if slices {
                for slices in batch.controls_mut(profile) {
                    slices.guidance.fill(way);
                    slices.speed.fill(1.5);
                    slices.displacement[1] = [0.0, 0.0, -step];
                    slices.head[2] = [0.0, 0.2, f64::from(tick) * -0.01];
                }
                batch.step(DT).unwrap();
            } else {
                tick_by_handle(&mut batch, way, step, tick);
            }
        }
        batch.poses().to_vec()
    };
    // A direction that is checked is made unit once more: the phases may differ by a rounding, the paths may not.
    for (a, b) in run(true).iter().zip(&run(false)) {
        assert!(a.position().distance(b.position()) == 0.0 || a.axis(2).distance(b.axis(2)) < 1e-5);
    }
}

fn tick_by_handle(batch: &mut SerpentBatch, way: [f32; 3], step: f32, tick: u32) {
    let ids: Vec<SerpentId> = batch.ids().collect();
    for &id in &ids {
        batch.set_guidance(id, way).unwrap();
        batch.set_speed(id, 1.5).unwrap();
    }
    batch.set_head_transform(ids[2], [0.0, 0.2, f64::from(tick) * -0.01], [0.0, 0.0, -1.0]).unwrap();
    batch.begin(DT).unwrap();
    // Slices measure along the tick's effective heading.
    let forward = batch.headings(ids[1]).unwrap().effective;
    batch.report_actual_displacement(ids[1], [0.0, 0.0, -step], forward).unwrap();
    batch.finish().unwrap();
}
