//! Handles, rows and the population: what stays, what moves, what is refused.

mod common;

use common::*;
use glam::DVec3;
use serpentarium::{Error, HandleFault, Motion, Profile, Quality, SerpentBatch, SerpentId, Spawn, Terrain};

fn small() -> Profile {
    Profile::builder("small").length_m(1.0).joints(7).build().unwrap()
}

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn the_batch_can_be_sent_and_shared() {
    assert_send_sync::<SerpentBatch>();
    assert_send_sync::<SerpentId>();
    assert_send_sync::<Error>();
}

/// What every method that takes a handle says to it.
fn answers(batch: &mut SerpentBatch, id: SerpentId) -> Vec<(&'static str, Result<(), Error>)> {
    let mut list = vec![
        ("slot", batch.slot(id).map(drop)),
        ("head", batch.head(id).map(drop)),
        ("headings", batch.headings(id).map(drop)),
        ("phases", batch.phases(id).map(drop)),
        ("joints", batch.joints(id).map(drop)),
        ("velocities", batch.velocities(id).map(drop)),
        ("knots", batch.knots(id).map(drop)),
        ("radii", batch.radii(id).map(drop)),
        ("bounds", batch.bounds(id).map(drop)),
        ("scale", batch.scale(id).map(drop)),
        ("profile_of", batch.profile_of(id).map(drop)),
        ("quality", batch.quality(id).map(drop)),
        ("tag", batch.tag(id).map(drop)),
        ("motion", batch.motion(id).map(drop)),
        ("quarantine", batch.quarantine(id).map(drop)),
        ("grounded", batch.grounded(id).map(drop)),
        ("pose_rows", batch.pose_rows(id).map(drop)),
        ("attachment", batch.attachment(id, 0.5).map(drop)),
    ];
    list.extend(setter_answers(batch, id));
    list
}

fn setter_answers(batch: &mut SerpentBatch, id: SerpentId) -> Vec<(&'static str, Result<(), Error>)> {
    let (x, zero) = ([1.0_f32, 0.0, 0.0], [0.0_f64; 3]);
    vec![
        ("set_guidance", batch.set_guidance(id, x)),
        ("set_speed", batch.set_speed(id, 1.0)),
        ("set_motion", batch.set_motion(id, Motion::Reported)),
        ("report_actual_displacement", batch.report_actual_displacement(id, x, x)),
        ("set_head_transform", batch.set_head_transform(id, zero, x)),
        ("set_scale", batch.set_scale(id, 1.0)),
        ("set_turn_rate", batch.set_turn_rate(id, 1.0)),
        ("set_amplitude", batch.set_amplitude(id, 0.1)),
        ("set_time_scale", batch.set_time_scale(id, 1.0)),
        ("set_paused", batch.set_paused(id, false)),
        ("set_mask", batch.set_mask(id, 1)),
        ("set_head_guided", batch.set_head_guided(id, true)),
        ("set_guiding_head", batch.set_guiding_head(id, 0)),
        ("set_jaw", batch.set_jaw(id, 0, 0.1)),
        ("set_gaze", batch.set_gaze(id, 0, 0.1, 0.1)),
        ("release", batch.release(id)),
        ("set_tag", batch.set_tag(id, 9)),
        ("teleport", batch.teleport(id, zero, x)),
        ("reset_motion_tracking", batch.reset_motion_tracking(id)),
        ("set_quality", batch.set_quality(id, Quality::High)),
        ("despawn", batch.despawn(id)),
    ]
}

fn assert_refused(batch: &mut SerpentBatch, id: SerpentId, why: HandleFault) {
    let before = batch.state_hash();
    assert!(!batch.contains(id));
    for (method, answer) in answers(batch, id) {
        assert_eq!(answer, Err(Error::Handle { id, why }), "{method}");
    }
    assert_eq!(before, batch.state_hash());
    assert!(batch.ids().all(|living| living != id));
}

#[test]
fn a_living_handle_is_taken_by_every_method() {
    let (mut batch, id) = alone(Terrain::None, small(), |p| Spawn::at(p, [0.0; 3]));
    for (method, answer) in answers(&mut batch, id) {
        assert_eq!(answer, Ok(()), "{method}");
    }
    assert!(batch.is_empty());
}

#[test]
fn a_stale_handle_is_refused_by_every_method() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let ids = batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]); 3]).unwrap();
    batch.despawn(ids[1]).unwrap();
    assert_refused(&mut batch, ids[1], HandleFault::Stale);
    let next = batch.spawn(Spawn::at(profile, [0.0; 3])).unwrap();
    assert_eq!(next.index(), ids[1].index(), "the index is taken again");
    assert_refused(&mut batch, ids[1], HandleFault::Stale);
    assert_eq!(batch.len(), 3);
}

#[test]
fn every_handle_is_stale_after_clear() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let old = batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]); 20]).unwrap();
    batch.step(DT).unwrap();
    batch.clear();
    assert!(batch.is_empty() && batch.ids().next().is_none());
    old.iter().for_each(|&id| assert_refused(&mut batch, id, HandleFault::Stale));
    let new = batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]); 20]).unwrap();
    old.iter().for_each(|&id| assert_refused(&mut batch, id, HandleFault::Stale));
    assert!(new.iter().all(|&id| batch.contains(id)));
    batch.step(DT).unwrap();
    assert_eq!(batch.poses().len(), 20 * 9);
}

#[test]
fn a_handle_stays_stale_through_thousands_of_reuses() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let mut old = Vec::new();
    for round in 0..5000 {
        let id = batch.spawn(Spawn::at(profile, [0.0; 3]).tag(round)).unwrap();
        assert_eq!((id.index(), batch.tag(id).unwrap()), (0, round));
        batch.despawn(id).unwrap();
        old.push(id);
    }
    let living = batch.spawn(Spawn::at(profile, [0.0; 3])).unwrap();
    for id in old {
        assert_eq!(batch.head(id), Err(Error::Handle { id, why: HandleFault::Stale }));
        assert_ne!(id, living);
    }
}

#[test]
fn a_handle_of_another_batch_is_refused_by_every_method() {
    let (_other, foreign) = alone(Terrain::None, small(), |p| Spawn::at(p, [0.0; 3]));
    let (mut batch, own) = alone(Terrain::None, small(), |p| Spawn::at(p, [0.0; 3]));
    assert_ne!(foreign, own);
    assert_refused(&mut batch, foreign, HandleFault::Foreign);
    assert_eq!(batch.len(), 1);
}

#[test]
fn handles_stay_valid_while_the_batch_grows() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let at = |i: u64| DVec3::new(i as f64, 0.5 * i as f64, -3.0);
    let ids: Vec<SerpentId> = (0..3000).map(|i| batch.spawn(Spawn::at(profile, at(i)).tag(i)).unwrap()).collect();
    for (i, &id) in ids.iter().enumerate() {
        assert_eq!((batch.tag(id).unwrap(), batch.head(id).unwrap()), (i as u64, at(i as u64)));
    }
    assert_eq!(batch.ids().collect::<Vec<_>>(), ids);
}

#[test]
fn a_despawn_leaves_everyone_elses_data_alone() {
    let mut batch = quiet(Terrain::flat(0.0));
    let mut ids = crowd(&mut batch, 83, 9);
    for tick in 0..30 {
        steer(&mut batch, tick);
        batch.step(DT).unwrap();
    }
    let mut random = Random(1);
    while !ids.is_empty() {
        let gone = ids.swap_remove(random.word() as usize % ids.len());
        let everything = |batch: &SerpentBatch| ids.iter().map(|&id| all_of(batch, id)).collect::<Vec<_>>();
        let before = everything(&batch);
        batch.despawn(gone).unwrap();
        assert!(before == everything(&batch), "despawning {gone:?} changed another");
        if ids.len().is_multiple_of(7) {
            batch.step(DT).unwrap();
            assert_finite(&batch);
        }
    }
    batch.step(DT).unwrap();
    assert!(batch.poses().is_empty());
}

/// All that can be read of one creature.
fn all_of(batch: &SerpentBatch, id: SerpentId) -> impl PartialEq + use<> {
    let lists = (
        joints(batch, id),
        batch.knots(id).unwrap().collect::<Vec<_>>(),
        batch.velocities(id).unwrap().collect::<Vec<_>>(),
    );
    let one =
        (batch.tag(id), batch.phases(id), batch.headings(id), batch.bounds(id), batch.scale(id), batch.motion(id));
    (lists, one, batch.profile_of(id).unwrap().name().to_owned(), pose_bits(batch, id))
}

#[test]
fn species_with_different_joint_counts_live_in_one_batch() {
    let mut batch = quiet(Terrain::flat(0.0));
    let ids = crowd(&mut batch, 41, 2);
    batch.step(DT).unwrap();
    let mut next = 0;
    for &(id, first) in batch.pose_order() {
        let profile = batch.profile_of(id).unwrap();
        let rows = profile.joints() + 2 * profile.heads().len();
        assert_eq!(batch.pose_rows(id).unwrap(), next..next + rows);
        assert_eq!((first as usize, batch.joints(id).unwrap().len()), (next, profile.joints()));
        next += rows;
    }
    assert_eq!((next, batch.pose_order().len()), (batch.poses().len(), 41));
    for id in ids {
        let gap = |(row, joint): (&serpentarium::Pose, &DVec3)| (row.position().as_dvec3() - *joint).length();
        let worst = rows(&batch, id).iter().zip(&joints(&batch, id)).map(gap).fold(0.0, f64::max);
        assert!(worst < 1e-5, "rows and joints differ by {worst}");
    }
}

#[test]
fn tags_and_masks_are_kept_and_masks_rest_creatures() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let spawn = |mask: u32| Spawn::at(profile, [0.0; 3]).driven(1.0).mask(mask).tag(u64::from(mask) << 40);
    let ids = batch.spawn_many(&[spawn(1), spawn(2), spawn(3), spawn(0)]).unwrap();
    batch.set_active_mask(2);
    batch.step(DT).unwrap();
    let moved = |batch: &SerpentBatch| ids.iter().map(|&id| batch.head(id).unwrap() != DVec3::ZERO).collect::<Vec<_>>();
    assert_eq!(moved(&batch), [false, true, true, false]);
    batch.set_mask(ids[3], 2).unwrap();
    batch.step(DT).unwrap();
    assert_eq!(moved(&batch), [false, true, true, true]);
    batch.set_tag(ids[0], 77).unwrap();
    assert_eq!(ids.iter().map(|&id| batch.tag(id).unwrap()).collect::<Vec<_>>(), [77, 2 << 40, 3 << 40, 0]);
    let slices: Vec<u64> = batch.controls_mut(profile).flat_map(|slices| slices.tags.to_vec()).collect();
    assert_eq!(slices, [77, 2 << 40, 3 << 40, 0]);
}

#[test]
fn ids_come_by_rising_index_whatever_happened() {
    let mut batch = quiet(Terrain::flat(0.0));
    let ids = crowd(&mut batch, 40, 2);
    ids.iter().step_by(3).for_each(|&id| batch.despawn(id).unwrap());
    let qualities = [Quality::Low, Quality::High];
    ids.iter().skip(1).step_by(3).enumerate().for_each(|(i, &id)| batch.set_quality(id, qualities[i % 2]).unwrap());
    crowd(&mut batch, 5, 8);
    let order: Vec<usize> = batch.ids().map(SerpentId::index).collect();
    assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{order:?}");
    assert_eq!(order.len(), batch.len());
    assert!(order.iter().all(|&index| index < 40), "free indices are taken first: {order:?}");
}

#[test]
fn rows_between_a_spawn_or_despawn_and_the_next_tick_are_the_last_ticks() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let spawn = |x: f64| Spawn::at(profile, [x, 0.0, 0.0]).driven(1.0);
    let ids = batch.spawn_many(&[spawn(0.0), spawn(1.0), spawn(2.0)]).unwrap();
    assert!(batch.poses().is_empty() && batch.pose_rows(ids[0]).unwrap().is_empty());
    batch.step(DT).unwrap();
    let (version, before) = (batch.pose_version(), bits(batch.poses()));
    let new = batch.spawn(spawn(3.0)).unwrap();
    batch.despawn(ids[0]).unwrap();
    assert_eq!((version, &before), (batch.pose_version(), &bits(batch.poses())), "the slice is what the tick wrote");
    assert!(batch.pose_rows(new).unwrap().is_empty());
    assert_eq!(batch.pose_rows(ids[1]).unwrap(), 9..18);
    let reused = batch.spawn(spawn(4.0)).unwrap();
    assert_eq!(reused.index(), ids[0].index());
    assert!(batch.pose_rows(reused).unwrap().is_empty(), "the rows of the dead are not its own");
    batch.step(DT).unwrap();
    assert_ne!(version, batch.pose_version());
    let mut firsts: Vec<usize> = batch.ids().map(|id| batch.pose_rows(id).unwrap().start).collect();
    firsts.sort_unstable();
    assert_eq!((firsts, batch.poses().len()), (vec![0, 9, 18, 27], 36));
    let version = batch.pose_version();
    batch.step(DT).unwrap();
    assert_eq!(version, batch.pose_version(), "rows that do not move keep their version");
}

#[test]
fn refresh_and_a_step_of_zero_bring_the_rows_up_to_date_without_a_tick() {
    for refresh in [SerpentBatch::refresh_poses, |batch: &mut SerpentBatch| drop(batch.step(0.0).unwrap())] {
        let (mut batch, profile) = batch_of(Terrain::flat(0.0), case_body());
        let first = batch.spawn(Spawn::at(profile, [0.0; 3]).driven(1.0)).unwrap();
        (0..20).for_each(|_| drop(batch.step(DT).unwrap()));
        let (before, tick) = (pose_bits(&batch, first), batch.tick());
        let second = batch.spawn(Spawn::at(profile, [5.0, 0.0, 0.0]).driven(1.0)).unwrap();
        refresh(&mut batch);
        assert_eq!((pose_bits(&batch, first), tick), (before.clone(), batch.tick()));
        assert_eq!(rows(&batch, second).len(), 19);
        let gap = rows(&batch, second)[..17].iter().zip(joints(&batch, second));
        assert!(gap.into_iter().all(|(row, joint)| (row.position().as_dvec3() - joint).length() < 1e-5));
        batch.despawn(first).unwrap();
        refresh(&mut batch);
        assert_eq!(batch.poses().len(), 19);
    }
}

#[test]
fn interpolation_refuses_rows_of_another_population() {
    let (mut batch, profile) = batch_of(Terrain::None, small());
    let id = batch.spawn(Spawn::at(profile, [0.0; 3])).unwrap();
    batch.step(DT).unwrap();
    let mut out = batch.poses().to_vec();
    assert_eq!(batch.interpolate_poses(0.5, &mut out), Ok(()));
    assert!(batch.interpolate_poses(1.5, &mut out).is_err() && batch.interpolate_poses(f32::NAN, &mut out).is_err());
    assert!(batch.interpolate_poses(0.5, &mut out[1..]).is_err());
    batch.spawn(Spawn::at(profile, [0.0; 3])).unwrap();
    assert!(batch.interpolate_poses(0.5, &mut out).is_err());
    batch.refresh_poses();
    out = batch.poses().to_vec();
    batch.despawn(id).unwrap();
    assert!(batch.interpolate_poses(0.5, &mut out).is_err());
}

#[test]
fn a_refused_spawn_leaves_the_batch_as_it_was() {
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), small());
    batch.spawn(Spawn::at(profile, [0.0; 3])).unwrap();
    batch.step(DT).unwrap();
    let good = || Spawn::at(profile, [0.0; 3]).quality(Quality::High);
    let nowhere: [[f64; 3]; 0] = [];
    let bad = [
        good().scale(0.04),
        good().scale(20.1),
        good().scale(f32::NAN),
        good().facing([0.0; 3]),
        good().facing([f32::NAN, 0.0, 1.0]),
        good().up([0.0; 3]),
        good().driven(f32::INFINITY),
        Spawn::at(profile, [f64::NAN, 0.0, 0.0]),
        Spawn::at(profile, [0.0, 1e8, 0.0]),
        Spawn::along(profile, [[0.0; 3]]),
        Spawn::along(profile, nowhere),
        Spawn::along(profile, [[0.0; 3], [f64::INFINITY, 0.0, 0.0]]),
    ];
    let state = |batch: &SerpentBatch| {
        (batch.state_hash(), batch.len(), batch.pose_version(), batch.cohorts().len(), batch.memory())
    };
    let before = state(&batch);
    for spawn in bad {
        assert!(matches!(batch.spawn(spawn.clone()), Err(Error::Value { .. })), "{spawn:?}");
        assert!(batch.spawn_many(&[good(), spawn.clone(), good()]).is_err());
        assert_eq!(before, state(&batch), "{spawn:?}");
    }
    assert_eq!(batch.spawn_many(&[]), Ok(vec![]));
}

#[test]
fn a_profile_of_another_batch_is_refused() {
    let (mut other, _) = batch_of(Terrain::None, small());
    let foreign = other.add_profile(case_body());
    let (mut batch, profile) = batch_of(Terrain::None, small());
    assert!(matches!(batch.spawn(Spawn::at(foreign, [0.0; 3])), Err(Error::Value { .. })));
    assert!(batch.profile(foreign).is_err() && batch.reserve(foreign, Quality::Low, 3).is_err());
    assert_eq!(batch.add_profile(small()), profile, "an equal profile is the same");
    // As many profiles, other ones: the id must not name a stranger.
    let own = batch.add_profile(uniform("another", 1.0, 5, 0.1));
    assert!(batch.spawn(Spawn::at(foreign, [0.0; 3])).is_err(), "{foreign:?} taken for {own:?}");
}

#[test]
fn begin_and_finish_out_of_turn_are_refused_and_harmless() {
    let (mut batch, id) = alone(Terrain::None, small(), |p| Spawn::at(p, [0.0; 3]).driven(1.0));
    let turn = |answer: Option<Error>, call: &str| match answer {
        Some(Error::Turn { call: named, .. }) => assert_eq!(named, call),
        other => panic!("{call}: {other:?}"),
    };
    turn(batch.finish().err(), "finish");
    batch.begin(DT).unwrap();
    let profile = batch.add_profile(small());
    let hash = batch.state_hash();
    turn(batch.begin(DT).err(), "begin");
    turn(batch.step(DT).err(), "step");
    turn(batch.spawn(Spawn::at(profile, [0.0; 3])).err(), "spawn");
    turn(batch.teleport(id, [0.0; 3], X).err(), "teleport");
    turn(batch.reset_motion_tracking(id).err(), "reset_motion_tracking");
    turn(batch.set_quality(id, Quality::Low).err(), "set_quality");
    assert_eq!(hash, batch.state_hash());
    batch.finish().unwrap();
    turn(batch.finish().err(), "finish");
    for bad in [f32::NAN, -0.01, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(batch.step(bad), Err(Error::Value { .. })));
        assert!(matches!(batch.begin(bad), Err(Error::Value { .. })));
    }
    batch.step(DT).unwrap();
    assert_eq!(batch.tick(), 2);
}

#[test]
fn a_despawn_between_begin_and_finish_leaves_the_others_alone() {
    let run = |despawn: bool| {
        let mut batch = quiet(Terrain::flat(0.0));
        let ids = crowd(&mut batch, 23, 5);
        for tick in 0..20 {
            steer(&mut batch, tick);
            batch.begin(DT).unwrap();
            if despawn && tick == 7 {
                ids[2..9].iter().for_each(|&id| batch.despawn(id).unwrap());
            }
            batch.finish().unwrap();
        }
        if !despawn {
            ids[2..9].iter().for_each(|&id| batch.despawn(id).unwrap());
        }
        batch.ids().map(|id| joints(&batch, id)).collect::<Vec<_>>()
    };
    assert!(run(true) == run(false));
}

#[test]
fn the_report_names_every_stage_and_the_time_of_the_call() {
    let mut batch = quiet(Terrain::flat(0.0));
    crowd(&mut batch, 40, 5);
    let report = batch.step(DT).unwrap();
    let names: Vec<&str> = report.by_stage().map(|(stage, _)| stage.name()).collect();
    assert_eq!(names.len(), serpentarium::Stage::ALL.len());
    let sum: std::time::Duration = report.by_stage().map(|(_, time)| time).sum();
    assert!(!sum.is_zero() && !report.elapsed.is_zero(), "stages {sum:?} of {:?}", report.elapsed);
    assert_eq!(report.counters.moved, 32);
    assert!(report.counters.pieces >= 32 && report.counters.knots_laid > 0);
}

#[test]
fn wrong_values_are_refused_and_change_nothing() {
    let (mut batch, id) = alone(Terrain::None, small(), |p| Spawn::at(p, [0.0; 3]));
    let (hash, nan) = (batch.state_hash(), f32::NAN);
    let refused = [
        batch.set_guidance(id, [nan, 0.0, 0.0]),
        batch.set_speed(id, f32::INFINITY),
        batch.set_speed(id, nan),
        batch.report_actual_displacement(id, [nan, 0.0, 0.0], X),
        batch.report_actual_displacement(id, [0.0, f32::INFINITY, 0.0], X),
        batch.report_actual_displacement(id, X, [0.0; 3]),
        batch.set_head_transform(id, [f64::NAN, 0.0, 0.0], X),
        batch.set_head_transform(id, [0.0; 3], [0.0, nan, 0.0]),
        batch.set_scale(id, 0.0),
        batch.set_scale(id, nan),
        batch.set_turn_rate(id, -1.0),
        batch.set_amplitude(id, 2.0),
        batch.set_time_scale(id, -0.5),
        batch.set_guiding_head(id, 1),
        batch.set_jaw(id, 1, 0.1),
        batch.set_jaw(id, 0, -0.1),
        batch.set_gaze(id, 0, nan, 0.0),
        batch.set_gaze(id, 1, 0.0, 0.0),
        batch.teleport(id, [f64::INFINITY, 0.0, 0.0], X),
        batch.teleport(id, [0.0; 3], [0.0; 3]),
        batch.attachment(id, 1.01).map(drop),
        batch.attachment(id, nan).map(drop),
        batch.set_pose_origin([f64::NAN, 0.0, 0.0]),
    ];
    for (i, answer) in refused.iter().enumerate() {
        assert!(matches!(answer, Err(Error::Value { .. })), "{i}: {answer:?}");
    }
    assert_eq!(hash, batch.state_hash());
}
