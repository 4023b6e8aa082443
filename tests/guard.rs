//! The penetration guard: what it must reach, and what it must leave alone.

mod common;
#[path = "guard/measure.rs"]
mod measure;
#[path = "guard/sheets.rs"]
mod sheets;
#[path = "guard/still.rs"]
mod still;
#[path = "guard/twin.rs"]
mod twin;

use common::*;
use glam::{DVec3, Vec3};
use measure::*;
use serpentarium::terrain::Plane;
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

/// A plane through the world's origin that rises along X by so many degrees.
fn slope(degrees: f64) -> Terrain {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Plane::tilted(0.0, [-sin as f32, cos as f32, 0.0]).unwrap().into()
}

/// A guarded creature and an unguarded one, reported along the same way.
struct Pair {
    batch: SerpentBatch,
    guarded: SerpentId,
    free: SerpentId,
}

impl Pair {
    fn new(terrain: Terrain, start: DVec3, facing: DVec3) -> Self {
        let mut batch = quiet(terrain);
        let ids = [true, false].map(|guard| {
            let species = batch.add_profile(guarded(guard));
            let spawn = Spawn::at(species, start).facing(facing.as_vec3()).motion(Motion::Reported);
            batch.spawn(spawn).unwrap()
        });
        Self { batch, guarded: ids[0], free: ids[1] }
    }

    /// Moves both heads to a place; yields how many sections were corrected.
    fn go(&mut self, to: DVec3) -> u64 {
        let moved = to - self.batch.head(self.guarded).unwrap();
        for id in [self.guarded, self.free] {
            let moved = moved.as_vec3();
            self.batch.report_actual_displacement(id, moved, moved.normalize_or(Vec3::X)).unwrap();
        }
        let report = self.batch.step(DT).unwrap();
        let Pair { batch, guarded, free } = self;
        assert_segments(batch, *guarded, "guarded");
        assert_bounds(batch, *guarded);
        assert_eq!(joints(batch, *guarded)[0], joints(batch, *free)[0], "the root moved");
        assert_finite(batch);
        let (corrected, largest) = (report.counters.sections_corrected, report.measures.largest_correction_m);
        assert_eq!(corrected > 0, largest > 0.0);
        if corrected == 0 {
            assert_eq!(pose_bits(batch, *guarded), pose_bits(batch, *free), "changed without a correction");
        }
        corrected
    }
}

fn assert_bounds(batch: &SerpentBatch, id: SerpentId) {
    let (bounds, slack) = (batch.bounds(id).unwrap(), 1e-5 * DVec3::ONE);
    for (joint, radius) in joints(batch, id).into_iter().zip(batch.radii(id).unwrap()) {
        let radius = DVec3::splat(f64::from(radius));
        assert!((joint - radius + slack).cmpge(bounds.min).all() && (joint + radius - slack).cmple(bounds.max).all());
    }
}

fn assert_out(depths: Depths, context: &str) {
    assert!(depths.joint <= 0.01 && depths.chord <= 0.1, "{context}: {depths:?}");
}

/// Runs both along a way at so many body lengths a second, and measures the guarded one.
fn run(
    pair: &mut Pair,
    speed: f64,
    ticks: usize,
    way: impl Fn(f64) -> DVec3,
    depth: &dyn Fn(DVec3, f64) -> f64,
) -> [Depths; 2] {
    let mut all = [Depths::default(); 2];
    let mut corrected = 0;
    for tick in 1..=ticks {
        corrected += pair.go(way(8.0 * speed * tick as f64 / 60.0));
        for (all, id) in all.iter_mut().zip([pair.guarded, pair.free]) {
            *all = all.worst(depths(&pair.batch, id, depth));
        }
    }
    assert!(corrected > 0, "nothing to do");
    all
}

#[test]
fn heads_moved_through_a_plane_leave_no_section_in_it() {
    for degrees in [0.0, 20.0, 40.0, 60.0] {
        for speed in [0.1, 1.0, 3.0] {
            let (sin, cos) = f64::to_radians(degrees).sin_cos();
            let (along, normal) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
            // Dives to a radius and a half below touching, winding, and comes out again.
            let way = |s: f64| {
                let deep = 0.15 * (0.7 * s).cos() - 0.03;
                along * s + normal * (0.1 + deep) + DVec3::Z * (0.8 * (s * 0.9).sin())
            };
            let terrain = slope(degrees);
            let mut pair = Pair::new(terrain.clone(), way(0.0), along);
            let ticks = (24.0 / (8.0 * speed) * 60.0) as usize;
            let [guarded, free] =
                run(&mut pair, speed, ticks.min(400), way, &|at, radius| open_depth(&terrain, at, radius));
            assert_out(guarded, &format!("{degrees} degrees, {speed} lengths a second"));
            assert!(free.joint > 0.3, "{free:?}");
        }
    }
}

#[test]
fn a_head_far_below_the_ground_leaves_what_cannot_come_out_and_no_more() {
    let terrain = Terrain::flat(0.0);
    let way = |s: f64| DVec3::new(s, 0.1 - 0.25 * s, 0.0);
    let mut pair = Pair::new(terrain.clone(), way(0.0), DVec3::X);
    for tick in 1..200 {
        pair.go(way(0.04 * f64::from(tick)));
        let head = pair.batch.head(pair.guarded).unwrap();
        // Straight up from the head, each segment brings half a metre.
        let buried = ((0.2 - head.y) / 0.5).ceil().max(0.0) as usize;
        for (i, joint) in joints(&pair.batch, pair.guarded).into_iter().enumerate().skip(buried.max(1)) {
            let radius = f64::from(pair.batch.radii(pair.guarded).unwrap().nth(i).unwrap());
            assert!(open_depth(&terrain, joint, radius) <= 0.01 * radius, "joint {i} of {buried} buried: {joint}");
        }
    }
}

/// Hills with sharp crests and creases, 1 m a cell.
fn folds(x: f64, z: f64) -> f64 {
    let fold = |t: f64, period: f64| (t / period - (t / period).round()).abs() * period;
    0.45 * fold(x, 6.0) + 0.3 * fold(x + 0.8 * z, 9.0)
}

#[test]
fn heads_moved_through_creases_and_crests_of_a_field_leave_no_section_in_them() {
    let terrain = field_of(grid(81, 1.0, folds));
    for speed in [0.2, 1.0, 3.0] {
        let way = |s: f64| {
            let (x, z) = (s - 20.0, 3.0 * (0.3 * s).sin());
            // A line that is now above, now below the ground: at a mean height, smoothed.
            DVec3::new(x, 0.9 + 0.35 * (0.8 * s).sin(), z)
        };
        let mut pair = Pair::new(terrain.clone(), way(0.0), DVec3::X);
        let ticks = (40.0 / (8.0 * speed) * 60.0) as usize;
        let mut worst = Depths::default();
        for tick in 1..=ticks.min(600) {
            pair.go(way(8.0 * speed * tick as f64 / 60.0));
            let depth = |at: DVec3, radius: f64| open_depth(&terrain, at, radius);
            let buried = depth(pair.batch.head(pair.guarded).unwrap(), 0.1);
            // A head that its caller holds deep in the ground: the first segments climb out.
            if buried < 0.3 {
                worst = worst.worst(depths(&pair.batch, pair.guarded, depth));
            }
        }
        assert_out(worst, &format!("{speed} lengths a second"));
    }
}

#[test]
fn the_same_surface_as_a_mesh_leaves_no_section_in_it() {
    let grid = grid(49, 1.0, folds);
    let (triangles, terrain) = (triangles_of(&grid), mesh_of(&triangles_of(&grid)));
    for (speed, dive) in [(1.0, 0.0), (3.0, 0.0), (1.0, 0.1)] {
        let height = |x: f64, z: f64| terrain.sample(x, z).unwrap().height_m;
        let way = |s: f64| {
            let (x, z) = (s - 16.0, 2.0 * (0.3 * s).sin());
            // The head's centre is never below the surface: where it is decides which side is out.
            DVec3::new(x, height(x, z) + 0.15 - dive * (0.5 + 0.5 * (1.3 * s).sin()), z)
        };
        let mut pair = Pair::new(terrain.clone(), way(0.0), DVec3::X);
        let ticks = (24.0 / (8.0 * speed) * 60.0) as usize;
        let depth = |at: DVec3, radius: f64| surface_depth(&triangles, at, radius);
        let [guarded, free] = run(&mut pair, speed, ticks, way, &depth);
        assert_out(guarded, &format!("{speed} lengths a second, {dive} m"));
        assert!(free.joint > 0.1, "{free:?}");
    }
}

/// Driven creatures on real ground: the deepest, with the guard on or off, and how many sections it corrected.
fn wander(name: &str, guard: bool) -> (Depths, u64) {
    let terrain = Terrain::embedded("jacksboro").unwrap();
    let mut batch = quiet(terrain.clone());
    let species = batch.add_profile(species_with(name, guard));
    let length = f64::from(batch.profile(species).unwrap().length_m());
    let mut random = Random(3);
    let spawns: Vec<Spawn> = (0..24)
        .map(|i| {
            let at = [random.between(-150.0, 150.0), 0.0, random.between(-150.0, 150.0)];
            let speed = length * [0.5, 1.0, 3.0][i % 3];
            Spawn::at(species, at).facing(random.heading()).tag(i as u64).driven(speed as f32)
        })
        .collect();
    let ids = batch.spawn_many(&spawns).unwrap();
    let (mut worst, mut corrected) = (Depths::default(), 0);
    for tick in 0..240 {
        steer(&mut batch, tick);
        corrected += batch.step(DT).unwrap().counters.sections_corrected;
        for &id in &ids {
            worst = worst.worst(depths(&batch, id, |at, radius| open_depth(&terrain, at, radius)));
            assert_segments(&batch, id, name);
        }
    }
    (worst, corrected)
}

#[test]
fn driven_creatures_on_real_ground_leave_no_section_in_it() {
    for name in ["grass-snake", "python", "viper"] {
        let ((guarded, corrected), (free, none)) = (wander(name, true), wander(name, false));
        assert!(corrected > 0 && none == 0, "{corrected}, off {none}");
        assert!(free.joint > 0.05, "{name}: {free:?}");
        assert_out(guarded, name);
    }
}

#[test]
fn it_stays_at_zero_where_the_path_is_right() {
    let gentle = |x: f64, z: f64| 0.6 * (0.12 * x).sin() + 0.5 * (0.1 * z + 0.05 * x).cos();
    let grounds =
        [Terrain::flat(2.0), slope(20.0), slope(40.0), slope(60.0), tilted(), field_of(grid(161, 0.5, gentle))];
    let straight = |name: &str| Profile::builder(name).length_m(8.0).joints(65).prevent_penetration(true);
    let even = straight("even").radius_m([(0.0, 0.2), (1.0, 0.2)]).build().unwrap();
    let thick = straight("thick").radius_m([(0.0, 0.1), (0.4, 0.2), (1.0, 0.08)]).build().unwrap();
    for (g, terrain) in grounds.iter().enumerate() {
        for profile in [&even, &thick] {
            let spawn = |p| Spawn::at(p, [0.0; 3]).facing(X).driven(4.0);
            let (mut batch, id) = alone(terrain.clone(), profile.clone(), spawn);
            for tick in 0..240 {
                batch.set_guidance(id, [X, Z, -X][tick / 80]).unwrap();
                let report = batch.step(DT).unwrap();
                let found = (report.counters.sections_corrected, report.measures.largest_correction_m);
                assert_eq!(found, (0, 0.0), "{} on ground {g}, tick {tick}", profile.name());
            }
        }
    }
}

#[test]
fn it_stays_at_zero_over_a_ledge_that_the_head_went_round() {
    // Two floors and the wall between them.
    let floor = |x: f64, y: f64| sheet(DVec3::new(x, y, -20.0), DVec3::X * 20.0, DVec3::Z * 40.0, 8);
    let wall = sheet(DVec3::new(0.0, -4.0, -20.0), DVec3::Y * 4.0, DVec3::Z * 40.0, 8);
    let triangles = [floor(-20.0, 0.0), wall, floor(0.0, -4.0)].concat();
    // Over the edge and round it, at a radius and a little more; down; and out along the floor below.
    let gap = 0.45;
    let turn = std::f64::consts::FRAC_PI_2 * gap;
    let way = |s: f64| match s {
        s if s < 10.0 => DVec3::new(s - 10.0, gap, 0.0),
        s if s < 10.0 + turn => {
            let angle = (s - 10.0) / gap;
            DVec3::new(gap * angle.sin(), gap * angle.cos(), 0.0)
        }
        s if s < 12.0 + turn => DVec3::new(gap, 10.0 + turn - s, 0.0),
        s => {
            let angle = ((s - 12.0 - turn) / 1.0).min(std::f64::consts::FRAC_PI_2);
            let out = (s - 12.0 - turn - std::f64::consts::FRAC_PI_2).max(0.0);
            DVec3::new(gap + 1.0 - angle.cos() + out, -2.0 - angle.sin(), 0.0)
        }
    };
    let body = Profile::builder("fine").length_m(8.0).joints(65).radius_m([(0.0, 0.3), (1.0, 0.3)]);
    let profile = body.prevent_penetration(true).build().unwrap();
    let spawn = |p| Spawn::at(p, way(0.0)).facing(X).motion(Motion::Reported);
    let (mut batch, id) = alone(mesh_of(&triangles), profile, spawn);
    for tick in 1..=800 {
        let moved = (way(f64::from(tick) * 0.025) - batch.head(id).unwrap()).as_vec3();
        batch.report_actual_displacement(id, moved, moved.normalize()).unwrap();
        let report = batch.step(DT).unwrap();
        let found = (report.counters.sections_corrected, report.measures.largest_correction_m);
        assert_eq!(found, (0, 0.0), "tick {tick}");
    }
}
