//! Whole runs of driven creatures against the twins strung together.

use crate::support::{Ground, Random, Shot, field};
use glam::DVec3;
use serpentarium::batch::flag;
use serpentarium::reference::creature::Creature;
use serpentarium::{Profile, Quality, SerpentBatch, Settings, Spawn, Terrain};

/// Largest distance of any joint from the twin's over a run, as a share of the head's radius.
fn run(profile: &Profile, terrain: &Terrain, quality: Quality, seed: u64, ticks: usize) -> f64 {
    let settings = Settings { parallel: false, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(terrain.clone(), settings).unwrap();
    let species = batch.add_profile(profile.clone());
    let length = f64::from(profile.length_m());
    let speed = 0.8 * profile.length_m();
    let id = batch.spawn(Spawn::at(species, [0.1, 0.0, 0.2]).quality(quality).driven(speed)).unwrap();
    let shot = Shot::of(&batch, id);
    let mut twin = Creature {
        profile,
        terrain,
        scale: 1.0,
        path: shot.path(profile),
        center: shot.vector(&shot.state.center),
        axis: shot.axis(),
        grounded: shot.has(flag::GROUNDED),
        phases: [0.0; 2],
    };
    let mut random = Random(seed);
    let (mut target, mut worst) = (DVec3::NEG_Z, 0.0_f64);
    for tick in 0..ticks {
        if tick % 45 == 0 {
            target = random.direction(0.2) - batch.head(id).unwrap() * (0.2 / length);
            batch.set_guidance(id, target.as_vec3()).unwrap();
        }
        batch.step(1.0 / 60.0).unwrap();
        twin.tick(target.as_vec3().as_dvec3(), f64::from(speed), f64::from(1.0_f32 / 60.0));
        let joints = batch.joints(id).unwrap().zip(twin.joints());
        worst = joints.map(|(joint, twin)| (joint - twin.at).length()).fold(worst, f64::max);
    }
    worst / f64::from(profile.radius_m()[0])
}

/// How far two polylines through the same curve can be apart: the sag of the gait's sharpest bend over one knot spacing.
fn sag(profile: &Profile, per_segment: f64) -> f64 {
    let length = f64::from(profile.length_m());
    let bend = std::f64::consts::TAU * f64::from(profile.steering_amplitude_rad() * profile.steering_cycles()) / length;
    let bend = bend + f64::from(profile.max_turn_speed_rad_s()) / (0.8 * length);
    let spacing = length / (profile.joints() - 1) as f64 / per_segment;
    spacing * spacing * bend / 8.0 / f64::from(profile.radius_m()[0])
}

fn species(name: &str) -> Profile {
    Profile::embedded(name).unwrap()
}

#[test]
fn flat_ground_for_300_ticks_within_2_percent_of_the_radius_and_the_sag() {
    for name in ["grass-snake", "viper", "worm"] {
        let profile = species(name);
        let off = run(&profile, &Terrain::flat(0.25), Quality::Medium, 5, 300);
        let allowed = 0.02 + sag(&profile, 2.0);
        assert!(off <= allowed, "{name}: {off}, allowed {allowed}");
    }
}

#[test]
fn a_tilted_plane_for_300_ticks_within_2_percent_of_the_radius_and_the_sag() {
    for name in ["grass-snake", "python"] {
        let profile = species(name);
        let off = run(&profile, &Ground::Tilted.terrain(1.0, 0), Quality::High, 6, 300);
        let allowed = 0.02 + sag(&profile, 4.0);
        assert!(off <= allowed, "{name}: {off}, allowed {allowed}");
    }
}

#[test]
fn a_random_heightfield_for_300_ticks_within_5_percent_of_the_radius() {
    for (name, seed) in [("grass-snake", 1), ("python", 2), ("viper", 3)] {
        let profile = species(name);
        let terrain = field(f64::from(profile.length_m()), seed);
        let off = run(&profile, &terrain, Quality::High, seed, 300);
        assert!(off <= 0.05, "{name}: {off}");
    }
}

#[test]
fn a_swimmer_for_300_ticks_within_2_percent_of_the_radius_and_the_sag() {
    let profile = species("sea-serpent");
    let off = run(&profile, &Terrain::None, Quality::High, 7, 300);
    let allowed = 0.02 + sag(&profile, 4.0);
    assert!(off <= allowed, "{off}, allowed {allowed}");
}
