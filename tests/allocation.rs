//! A warm tick allocates nothing.

mod common;

use common::*;
use serpentarium::{Motion, Quality, SerpentBatch, Settings, Spawn, Terrain};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);
/// One test at a time: they share the count.
static TURN: Mutex<()> = Mutex::new(());
thread_local! {
    /// Whether this thread's allocations count: the test harness has threads of its own.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

fn note() {
    if WATCHED.with(Cell::get) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: hands everything on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    WATCHED.set(true);
    let before = COUNT.load(Ordering::Relaxed);
    work();
    WATCHED.set(false);
    COUNT.load(Ordering::Relaxed) - before
}

fn big(parallel: bool) -> SerpentBatch {
    let settings = Settings { parallel, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(Terrain::embedded("jacksboro").unwrap(), settings).unwrap();
    crowd(&mut batch, 300, 1);
    batch
}

/// A tick with all that a caller does in one, by slices and by handle, without a list of ids of its own.
fn busy_tick(batch: &mut SerpentBatch, profiles: &[serpentarium::ProfileId], tick: u64) {
    for &profile in profiles {
        for slices in batch.controls_mut(profile) {
            slices.guidance.fill([1.0, 0.0, (tick as f32 * 0.05).sin()]);
            slices.head.iter_mut().for_each(|head| head[0] += 0.002);
        }
    }
    batch.begin(DT).unwrap();
    batch.finish().unwrap();
}

#[test]
fn the_counter_counts() {
    let _turn = TURN.lock();
    assert!(allocations(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(100)))) >= 1);
}

#[test]
fn a_warm_step_on_one_thread_allocates_nothing() {
    let _turn = TURN.lock();
    let mut batch = big(false);
    let profiles: Vec<_> = species().into_iter().map(|profile| batch.add_profile(profile)).collect();
    (0..3).for_each(|tick| busy_tick(&mut batch, &profiles, tick));
    let count = allocations(|| (3..60).for_each(|tick| busy_tick(&mut batch, &profiles, tick)));
    assert_eq!(count, 0);
}

#[test]
fn a_warm_step_inside_a_pool_allocates_nothing() {
    let _turn = TURN.lock();
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut batch = big(true);
        let profiles: Vec<_> = species().into_iter().map(|profile| batch.add_profile(profile)).collect();
        pool.install(|| {
            // Every thread of the pool makes its working memory once, when it first gets a block of each species.
            rayon::broadcast(|_| big(false).step(DT).map(drop).unwrap());
            (0..100).for_each(|tick| busy_tick(&mut batch, &profiles, tick));
            rayon::broadcast(|_| WATCHED.set(true));
            let count = allocations(|| (100..160).for_each(|tick| busy_tick(&mut batch, &profiles, tick)));
            assert_eq!(count, 0, "{threads} threads");
        });
    }
}

#[test]
fn steps_during_growth_and_backing_up_allocate_nothing() {
    let _turn = TURN.lock();
    let (mut batch, id) = alone(Terrain::flat(0.0), case_body(), |p| Spawn::at(p, [0.0; 3]).scale(0.5).driven(2.0));
    batch.set_scale(id, 2.0).unwrap();
    // Once through a resampling, so that its scratch is there.
    (0..120).for_each(|_| drop(batch.step(DT).unwrap()));
    let count = allocations(|| {
        for tick in 0..600 {
            batch.set_speed(id, if tick % 200 < 100 { 4.0 } else { -4.0 }).unwrap();
            batch.step(DT).unwrap();
        }
    });
    assert_eq!(count, 0);
    assert_eq!(batch.scale(id), Ok(2.0));
}

#[test]
fn the_first_step_after_spawning_within_the_reserve_allocates_nothing() {
    let _turn = TURN.lock();
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), case_body());
    batch.reserve(profile, Quality::Medium, 100).unwrap();
    batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]).driven(1.0); 10]).unwrap();
    (0..3).for_each(|_| drop(batch.step(DT).unwrap()));
    batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]).motion(Motion::Reported); 90]).unwrap();
    assert_eq!(allocations(|| (0..10).for_each(|_| drop(batch.step(DT).unwrap()))), 0);
}

#[test]
fn spawning_within_the_reserve_grows_no_buffer() {
    let _turn = TURN.lock();
    let mut batch = quiet(Terrain::flat(0.0));
    let a = batch.add_profile(case_body());
    let b = batch.add_profile(uniform("b", 1.0, 9, 0.02));
    batch.reserve(a, Quality::Medium, 50).unwrap();
    batch.reserve(b, Quality::Low, 70).unwrap();
    let before = batch.memory();
    for i in 0..50 {
        batch.spawn(Spawn::at(a, [f64::from(i), 0.0, 0.0])).unwrap();
    }
    for i in 0..70 {
        batch.spawn(Spawn::at(b, [f64::from(i), 0.0, 5.0]).quality(Quality::Low)).unwrap();
    }
    batch.step(DT).unwrap();
    assert_eq!(before.buffers, batch.memory().buffers);
}

#[test]
fn reserving_in_two_parts_is_reserving_the_sum() {
    let _turn = TURN.lock();
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), case_body());
    batch.reserve(profile, Quality::Medium, 50).unwrap();
    batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]); 50]).unwrap();
    batch.reserve(profile, Quality::Medium, 50).unwrap();
    let before = batch.memory();
    batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]); 50]).unwrap();
    batch.step(DT).unwrap();
    assert_eq!(before.buffers, batch.memory().buffers);
}

#[test]
fn despawning_and_spawning_again_grows_no_buffer() {
    let _turn = TURN.lock();
    let (mut batch, profile) = batch_of(Terrain::flat(0.0), case_body());
    let mut ids = batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]).driven(1.0); 64]).unwrap();
    batch.step(DT).unwrap();
    ids.drain(..30).for_each(|id| batch.despawn(id).unwrap());
    batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]).driven(1.0); 30]).unwrap();
    batch.step(DT).unwrap();
    let before = batch.memory();
    for _ in 0..20 {
        ids = batch.ids().collect();
        ids.drain(10..40).for_each(|id| batch.despawn(id).unwrap());
        batch.spawn_many(&vec![Spawn::at(profile, [0.0; 3]).driven(1.0); 30]).unwrap();
        batch.step(DT).unwrap();
    }
    assert_eq!(before, batch.memory());
}

#[test]
fn warm_ground_queries_allocate_nothing() {
    use serpentarium::lanes::WideLanes;
    use serpentarium::terrain::{MeshSource, Nearby, TerrainSet, TriangleMesh};
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.8, 0.3]];
    let indices = vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mesh = TriangleMesh::from_triangles(MeshSource { positions, indices, ..MeshSource::default() }).unwrap();
    let mut set = TerrainSet::new();
    set.insert(serpentarium::Heightfield::embedded("jacksboro").unwrap()).unwrap();
    for step in 0..30 {
        let id = set.insert(mesh.clone()).unwrap();
        set.translate(id, [f64::from(step), 5.0, 0.0]).unwrap();
    }
    let terrain = Terrain::from(set);
    let mut nearby = Nearby::new();
    let mut ask = || {
        for step in 0..60 {
            let center = [f64::from(step) * 0.5, 5.5, 0.2];
            terrain.gather(center, [2.0, 8.0, 2.0], &mut nearby);
            let (a, b, way) = ([0.0; 3], [0.2, 0.1, 0.0], [0.3, -4.0, 0.1]);
            let found = nearby.sweep::<WideLanes>(a, b, 0.05, way).is_some();
            let found = found | nearby.deepest::<WideLanes>(a, b, 0.05).is_some();
            let found = found | nearby.closest_point::<WideLanes>(a).is_some();
            let found = found | nearby.ray_down::<WideLanes>(a, 9.0).is_some();
            assert!(found | terrain.sample_under(center[0], center[1], center[2]).is_some());
            let _ = terrain.sample_under_lanes(&[center[0]; 8], &[center[1]; 8], &[center[2]; 8]);
        }
        nearby.growths()
    };
    let growths = ask();
    assert_eq!(allocations(|| assert_eq!(ask(), growths)), 0);
}

#[test]
fn a_warm_tick_of_bodies_that_fall_allocates_nothing() {
    let _turn = TURN.lock();
    let (mut batch, profile) = batch_of(Terrain::embedded("jacksboro").unwrap(), species().remove(0));
    let spawn = |i: usize| {
        let x = i as f64;
        let height = batch.terrain().sample(x, 0.0).unwrap().height_m + 0.3;
        Spawn::at(profile, [x, height, 0.0]).facing(X).motion(Motion::Reported)
    };
    let spawns: Vec<Spawn> = (0..20).map(spawn).collect();
    let ids = batch.spawn_many(&spawns).unwrap();
    batch.step(DT).unwrap();
    let mut supported = 0;
    let count = allocations(|| {
        for tick in 0..120 {
            for &id in &ids {
                batch.report_actual_displacement(id, X * if tick < 60 { 0.004 } else { -0.004 }, X).unwrap();
            }
            supported += batch.step(DT).unwrap().counters.knots_supported;
        }
    });
    assert!(supported > 1000, "nothing hung");
    assert_eq!(count, 0);
}

#[test]
fn a_warm_tick_of_guarded_bodies_allocates_nothing() {
    use serpentarium::terrain::{MeshSource, TriangleMesh};
    let _turn = TURN.lock();
    // Ridges along z, 1 m apart and 20 cm high.
    let rows = (0..41).map(|i| (i as f32, if i % 2 == 0 { 0.0 } else { 0.2 }));
    let positions = rows.flat_map(|(x, y)| [[x, y, 0.0], [x, y, 40.0]]).collect();
    let indices = (0..40).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 2, 2 * i + 1, 2 * i + 3]]).collect();
    let mesh = TriangleMesh::from_triangles(MeshSource { positions, indices, ..MeshSource::default() }).unwrap();
    for terrain in [Terrain::embedded("jacksboro").unwrap(), Terrain::from(mesh)] {
        let (mut batch, profile) = batch_of(terrain, species().remove(0).with_guard(true));
        let spawns = (0..24).map(|i| {
            let spawn = Spawn::at(profile, [5.0, 0.0, 2.0 + f64::from(i)]).facing(X);
            if i % 2 == 0 { spawn.driven(0.6) } else { spawn.motion(Motion::Reported) }
        });
        let ids = batch.spawn_many(&spawns.collect::<Vec<_>>()).unwrap();
        let mut corrected = 0;
        let mut run = |ticks: u32| {
            for _ in 0..ticks {
                for &id in &ids[..] {
                    if batch.motion(id).unwrap() == Motion::Reported {
                        batch.report_actual_displacement(id, X * 0.01, X).unwrap();
                    }
                }
                corrected += batch.step(DT).unwrap().counters.sections_corrected;
            }
        };
        run(60);
        assert_eq!(allocations(|| run(120)), 0);
        assert!(corrected > 100, "only {corrected} sections were corrected");
    }
}
