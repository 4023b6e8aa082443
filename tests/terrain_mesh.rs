//! Meshes, holes, sets and queries near a body, through the public interface: against brute force in f64, against another
//! library on the same triangles, and the kinds of ground against each other.

use proptest::test_runner::RngSeed;

/// One seed for every run, so that a change is judged by the change. Another one explores further.
const SEED: RngSeed = RngSeed::Fixed(2026);

#[path = "terrain_mesh/agree.rs"]
mod agree;
#[path = "terrain_mesh/bits.rs"]
mod bits;
#[path = "terrain_mesh/files.rs"]
mod files;
#[path = "terrain_mesh/queries.rs"]
mod queries;
#[path = "terrain_mesh/samples.rs"]
mod samples;
#[path = "terrain_mesh/sets.rs"]
mod sets;
#[path = "terrain_mesh/support.rs"]
mod support;
#[path = "terrain_mesh/sweeps.rs"]
mod sweeps;
