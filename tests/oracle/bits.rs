//! The same run on every kind of lanes: the same state hash, the same bytes of poses.

use crate::support::{Case, Ground, Random, cases};
use proptest::prelude::*;
use serpentarium::{LaneChoice, Motion, Profile, Quality, SerpentBatch, Settings, Spawn, Terrain};

const CHOICES: [LaneChoice; 3] = [LaneChoice::Scalar, LaneChoice::Wide, LaneChoice::Avx2];
const MOTIONS: [Motion; 4] = [Motion::Driven, Motion::Reported, Motion::Preview, Motion::Observed];

/// State hash and pose bytes after a run of creatures of all motions and tiers.
fn outcome(profiles: &[Profile], terrain: &Terrain, seed: u64, hz: f32, lanes: LaneChoice) -> (u64, Vec<u8>) {
    let settings = Settings { lanes, ..Settings::default() };
    let mut batch = SerpentBatch::with_settings(terrain.clone(), settings).unwrap();
    let mut random = Random(seed);
    let species: Vec<_> = profiles.iter().map(|profile| batch.add_profile(profile.clone())).collect();
    for i in 0..21 {
        let at = [random.range(-3.0, 3.0), random.range(0.0, 1.0), random.range(-3.0, 3.0)];
        let spawn = Spawn::at(species[i % species.len()], at).facing(random.direction(1.0).as_vec3());
        let spawn = spawn.quality(Quality::ALL[i % 3]).motion(MOTIONS[i % 4]);
        batch.spawn(spawn.scale(random.range(0.2, 3.0) as f32)).unwrap();
    }
    for tick in 0..60 {
        steer(&mut batch, &mut random, tick);
        batch.step(1.0 / hz).unwrap();
    }
    let bytes = batch.poses().iter().flat_map(|pose| pose.rows.as_flattened()).flat_map(|x| x.to_bits().to_le_bytes());
    (batch.state_hash(), bytes.collect())
}

fn steer(batch: &mut SerpentBatch, random: &mut Random, tick: usize) {
    let ids: Vec<_> = batch.ids().collect();
    for (i, id) in ids.into_iter().enumerate() {
        if (tick + i).is_multiple_of(7) {
            batch.set_guidance(id, random.direction(1.0).as_vec3()).unwrap();
            batch.set_scale(id, random.range(0.2, 3.0) as f32).unwrap();
        }
        let moved = random.direction(0.6) * random.range(-0.02, 0.08);
        match batch.motion(id).unwrap() {
            Motion::Reported => batch.report_actual_displacement(id, moved.as_vec3(), [0.0, 0.0, -1.0]).unwrap(),
            Motion::Observed => {
                let head = batch.head(id).unwrap();
                batch.set_head_transform(id, head + moved, [1.0, 0.0, 0.0]).unwrap();
            }
            Motion::Driven => batch.set_speed(id, random.range(-0.5, 2.0) as f32).unwrap(),
            Motion::Preview => {}
        }
    }
}

fn check_equal(profiles: &[Profile], terrain: &Terrain, seed: u64, hz: f32) {
    let [scalar, wide, avx2] = CHOICES.map(|lanes| outcome(profiles, terrain, seed, hz, lanes));
    assert_eq!((scalar.0, wide.0), (wide.0, avx2.0), "state hashes: scalar, wide, avx2");
    assert!(scalar.1 == wide.1 && wide.1 == avx2.1, "pose bytes differ");
}

#[test]
fn embedded_species_give_one_hash_on_all_lanes() {
    let profiles: Vec<_> = Profile::embedded_names().iter().map(|name| Profile::embedded(name).unwrap()).collect();
    for ground in [Ground::None, Ground::Flat, Ground::Tilted, Ground::Field] {
        check_equal(&profiles, &ground.terrain(1.0, 9), 11, 60.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, rng_seed: crate::seed(), ..ProptestConfig::default() })]

    #[test]
    fn random_species_give_one_hash_on_all_lanes(a in cases(), b in cases()) {
        let profiles: Vec<_> = [&a, &b].into_iter().map(Case::profile).collect();
        check_equal(&profiles, &a.terrain(), a.seed, b.hz);
    }
}
