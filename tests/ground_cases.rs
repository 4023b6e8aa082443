//! Cases 17, 19, 21 and 23 on a heightfield and on the mesh of the same triangles, at the origin and at 100 km.

mod common;

use common::*;
use glam::{DVec3, Vec3};
use serpentarium::terrain::{HeightGrid, MeshSource, TriangleMesh};
use serpentarium::{Heightfield, Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

const ORIGINS: [DVec3; 2] = [DVec3::ZERO, DVec3::new(1e5, 0.0, -1e5)];

/// A grid of heights from x = z = 0 on.
struct Surface {
    columns: usize,
    rows: usize,
    cell_m: [f64; 2],
    heights: Vec<f32>,
}

impl Surface {
    fn new(columns: usize, rows: usize, cell_m: [f64; 2], height: impl Fn(f64, f64) -> f64) -> Self {
        let at = |i: usize| height((i % columns) as f64 * cell_m[0], (i / columns) as f64 * cell_m[1]) as f32;
        Self { columns, rows, cell_m, heights: (0..columns * rows).map(at).collect() }
    }

    /// The field and the mesh, each at both origins, with names.
    fn grounds(&self) -> Vec<(String, Terrain, DVec3)> {
        let both = |&origin: &DVec3| {
            [("field", self.field(origin)), ("mesh", self.mesh(origin))]
                .map(|(name, terrain)| (format!("{name} at {:.0} km", origin.x / 1e3), terrain, origin))
        };
        ORIGINS.iter().flat_map(both).collect()
    }

    fn field(&self, origin: DVec3) -> Terrain {
        let [cell_x_m, cell_z_m] = self.cell_m;
        let (columns, rows, heights) = (self.columns, self.rows, self.heights.clone());
        let origin = origin.to_array();
        let grid = HeightGrid { columns, rows, cell_x_m, cell_z_m, origin, heights, holes: Vec::new() };
        Heightfield::from_heights(grid).unwrap().into()
    }

    /// Cells cut from their north-west to their south-east corner, as in a heightfield.
    fn mesh(&self, origin: DVec3) -> Terrain {
        let place = |i: usize| {
            let (column, row) = (i % self.columns, i / self.columns);
            [(column as f64 * self.cell_m[0]) as f32, self.heights[i], (row as f64 * self.cell_m[1]) as f32]
        };
        let positions = (0..self.heights.len()).map(place).collect();
        let mut indices = Vec::new();
        for start in (0..self.rows - 1).flat_map(|row| (0..self.columns - 1).map(move |c| row * self.columns + c)) {
            let [a, east, south] = [start, start + 1, start + self.columns].map(|i| i as u32);
            indices.extend([[a, south + 1, east], [a, south, south + 1]]);
        }
        let source = MeshSource { origin: origin.to_array(), positions, normals: None, indices };
        TriangleMesh::from_triangles(source).unwrap().into()
    }
}

fn straight(length_m: f64, joints: usize, radius_m: f64) -> Profile {
    Profile::builder("straight")
        .length_m(length_m)
        .joints(joints)
        .radius_m([(0.0, radius_m), (1.0, radius_m)])
        .steering_amplitude_deg(0.0)
        .body_follow(true)
        .terrain_reach_m(20.0)
        .build()
        .unwrap()
}

fn gap_m(batch: &SerpentBatch, at: DVec3) -> f64 {
    at.y - batch.terrain().rest_under(at.x, at.y, at.z, 0.2).unwrap()
}

#[test]
fn case_17_one_huge_step_is_capped() {
    let hills = Surface::new(81, 41, [1.0, 1.0], |x, z| (0.4 * x).sin() + 0.5 * (0.5 * z).cos());
    for (name, terrain, origin) in hills.grounds() {
        let at = (origin + DVec3::new(20.0, 0.0, 20.0)).to_array();
        let (mut batch, id) = alone(terrain, straight(8.0, 17, 0.2), |p| Spawn::at(p, at).facing(X).driven(2.0));
        (0..120).for_each(|_| drop(batch.step(DT).unwrap()));
        for (dt, dropped) in [(0.016, 0.0), (2.0, 1.75), (0.016, 0.0)] {
            let before = joints(&batch, id);
            assert_eq!(batch.step(dt).unwrap().dropped_s, dropped, "{name}");
            let moved = farthest(&before, &joints(&batch, id));
            assert!(moved <= 4.0 * f64::from(dt - dropped) + 1e-3, "{name}: a joint moved {moved} in {dt} s");
            assert_segments(&batch, id, &name);
            assert!(gap_m(&batch, batch.head(id).unwrap()).abs() < 2e-3, "{name}: buried");
        }
    }
}

#[test]
fn case_17_a_fall_through_a_huge_step_ends_on_the_ground() {
    let level = Surface::new(41, 41, [1.0, 1.0], |_, _| 1.0);
    for (name, terrain, origin) in level.grounds() {
        let (mut batch, id) = alone(Terrain::flat(30.0), straight(8.0, 17, 0.2), |p| {
            let at = origin + DVec3::new(20.0, 30.0, 20.0);
            Spawn::at(p, at.to_array()).facing(X).driven(0.001)
        });
        batch.step(DT).unwrap();
        // The ground under it goes, and there is other ground 29 m below: out of one step's reach, and of three.
        batch.set_terrain(terrain);
        let mut fastest = 0.0_f64;
        for dt in [0.016, 2.0, 0.016, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.016, 0.016] {
            let before = joints(&batch, id);
            let report = batch.step(dt).unwrap();
            let seconds = f64::from(dt - report.dropped_s);
            for (a, b) in before.iter().zip(joints(&batch, id)) {
                fastest = fastest.max((a.y - b.y) / seconds);
                assert!(b.y >= 1.0 + 0.2 - 1e-3, "{name}: buried at {b}");
                assert!(b.y <= a.y + 1e-3, "{name}: thrown up from {a} to {b}");
            }
            assert_segments(&batch, id, &name);
        }
        assert!(fastest <= 55.0 && fastest > 10.0, "{name}: fell at {fastest} m/s");
        assert!((batch.head(id).unwrap().y - 1.2).abs() < 1e-3, "{name}: {}", batch.head(id).unwrap());
        assert!(batch.grounded(id).unwrap(), "{name}");
    }
}

#[test]
fn case_19_a_ridge_of_5_cm_stops_what_moves_at_60_m_s() {
    // One sample higher than the others: two cells of 2.5 cm, and 3 m high.
    let ridge = Surface::new(321, 41, [0.025, 0.5], |x, _| if (x - 4.0).abs() < 0.01 { 3.0 } else { 0.0 });
    for (name, terrain, origin) in ridge.grounds() {
        for (start, way) in [(1.3, X), (6.9, -X), (2.9, X)] {
            let at = (origin + DVec3::new(start, 0.0, 10.0)).to_array();
            let body = straight(0.6, 13, 0.012);
            let (mut batch, id) = alone(terrain.clone(), body, |p| Spawn::at(p, at).facing(way).driven(60.0));
            let side = f64::from(way.x);
            for tick in 0..30 {
                batch.step(DT).unwrap();
                for joint in joints(&batch, id) {
                    let beyond = (joint.x - origin.x - 4.0) * side;
                    assert!(beyond < 0.0, "{name}, from {start}: {beyond} m beyond the ridge at tick {tick}");
                }
                assert_segments(&batch, id, &name);
            }
            let left = (origin.x + 4.0 - batch.head(id).unwrap().x) * side;
            assert!((0.012..0.1).contains(&left), "{name}, from {start}: stopped {left} m before it");
        }
    }
}

#[test]
fn case_21_all_four_edges_are_alike_and_beyond_is_a_miss() {
    let level = Surface::new(64, 64, [1.0, 1.0], |_, _| 2.0);
    for (name, terrain, origin) in level.grounds() {
        let sample = |x: f64, z: f64| terrain.sample(origin.x + x, origin.z + z).map(|ground| ground.height_m);
        for at in [0.0, 0.5, 62.5, 63.0] {
            for (x, z) in [(at, 31.0), (31.0, at), (at, at), (at, 63.0 - at)] {
                assert_eq!(sample(x, z), Some(2.0), "{name}: {x} {z}");
            }
        }
        for (x, z) in [(63.01, 31.0), (-0.01, 31.0), (31.0, 63.01), (31.0, -0.01)] {
            assert_eq!(sample(x, z), None, "{name}: {x} {z}");
        }
        // No tick ends right at the edge, where rounding decides.
        let ways = [(X, [60.02, 31.5]), (-X, [2.98, 31.5]), (Z, [31.5, 60.02]), (-Z, [31.5, 2.98])];
        let runs = ways.map(|(way, [x, z])| off_the_edge(&name, &terrain, way, origin + DVec3::new(x, 0.0, z)));
        assert!(runs.iter().all(|run| *run == runs[0]), "{name}: the edges differ");
    }
}

/// Drives straight over an edge 3 m ahead: at each tick whether it stands; no fall may start, of the body either.
fn off_the_edge(name: &str, terrain: &Terrain, way: Vec3, at: DVec3) -> Vec<bool> {
    let (mut batch, id) =
        alone(terrain.clone(), straight(8.0, 17, 0.2), |p| Spawn::at(p, at.to_array()).facing(way).driven(3.0));
    let run = |batch: &mut SerpentBatch| {
        let report = batch.step(DT).unwrap();
        let (stands, head) = (batch.grounded(id).unwrap(), batch.head(id).unwrap());
        let ahead = (head - at).dot(way.as_dvec3());
        for joint in joints(batch, id) {
            assert!((joint.y - 2.2).abs() < 1e-4, "{name}, {way}: a joint at {joint} after {ahead} m");
        }
        assert!(stands || ahead > 2.9, "{name}, {way}: lost the ground after {ahead} m");
        assert!(!stands || ahead < 3.1, "{name}, {way}: stands on nothing after {ahead} m");
        assert_eq!(report.counters.off_ground, u64::from(!stands), "{name}, {way}");
        assert_finite(batch);
        stands
    };
    (0..120).map(|_| run(&mut batch)).collect()
}

/// The angle between adjacent segments, in degrees.
fn most_bent_deg(joints: &[DVec3]) -> f64 {
    let bend = |t: &[DVec3]| (t[1] - t[0]).angle_between(t[2] - t[1]).to_degrees();
    joints.windows(3).map(bend).fold(0.0, f64::max)
}

fn lying(terrain: Terrain, origin: DVec3) -> (SerpentBatch, SerpentId) {
    let at = origin + DVec3::new(15.0, 0.2, 5.0);
    let (mut batch, id) =
        alone(terrain, straight(8.0, 17, 0.2), |p| Spawn::at(p, at.to_array()).facing(X).motion(Motion::Reported));
    (0..10).for_each(|_| drop(batch.step(DT).unwrap()));
    (batch, id)
}

#[test]
fn case_23_ground_that_falls_away_is_not_snapped_to() {
    let level = Surface::new(401, 3, [0.05, 5.0], |_, _| 0.0).grounds();
    for (width, depth) in [(3.0, 0.3), (0.3, 3.0)] {
        let pit = |x: f64, _| if (x - 11.0_f64).abs() < 0.5 * width - 0.01 { -depth } else { 0.0 };
        let pits = Surface::new(401, 3, [0.05, 5.0], pit).grounds();
        for ((name, flat, origin), (_, pit, _)) in level.iter().zip(pits) {
            let (mut batch, id) = lying(flat.clone(), *origin);
            batch.set_terrain(pit);
            let (start, mut before) = (joints(&batch, id), joints(&batch, id));
            for tick in 1..=240 {
                batch.step(DT).unwrap();
                let now = joints(&batch, id);
                let (step, fallen) = (farthest(&before, &now), 9.81 * f64::from(tick) / 3600.0);
                assert!(step <= 1.02 * fallen + 1e-6, "{name}: {step} m at tick {tick}");
                assert!(most_bent_deg(&now) <= 20.1, "{name}: bends by {}", most_bent_deg(&now));
                assert_segments(&batch, id, name);
                before = now;
            }
            let sag = start.iter().zip(&before).map(|(a, b)| a.y - b.y).fold(0.0, f64::max);
            // A parabola of the limit's curvature over the width.
            let most = (20.0_f64.to_radians() / 0.5 * width * width / 8.0).min(depth);
            assert!(sag <= 1.1 * most + 0.02, "{name}: {width} m wide, sags by {sag} of {most}");
            assert!(width < 1.0 || (sag - depth).abs() < 0.02, "{name}: {width} m wide, sags by {sag} of {most}");
        }
    }
}

#[test]
fn the_three_normals_under_a_head_can_be_read() {
    let valley = Surface::new(21, 21, [1.0, 1.0], |x, _| (x - 10.0).abs() * 0.4);
    for (name, terrain, origin) in valley.grounds() {
        let at = origin + DVec3::new(7.25, 0.0, 10.0);
        let (mut batch, id) =
            alone(terrain, straight(1.0, 17, 0.01), |p| Spawn::at(p, at.to_array()).facing(Z).driven(0.5));
        (0..60).for_each(|_| drop(batch.step(DT).unwrap()));
        let ground = batch.ground_under(id).unwrap().unwrap();
        let face = Vec3::new(0.4, 1.0, 0.0).normalize();
        assert!(ground.raw_normal.distance(face) < 1e-5, "{name}: {ground:?}");
        assert!(ground.resolved_normal.distance(face) < 1e-5, "{name}: {ground:?}");
        assert!(ground.blended_normal.distance(face) < 0.05, "{name}: {ground:?}");
        let head = batch.head(id).unwrap();
        assert!((ground.height_m - 0.4 * (origin.x + 10.0 - head.x)).abs() < 1e-5, "{name}: {ground:?}");
    }
    let (batch, id) = alone(Terrain::None, straight(1.0, 17, 0.01), |p| Spawn::at(p, [0.0; 3]));
    assert_eq!(batch.ground_under(id).unwrap(), None);
}

/// Cells of 5 cm; a wall 1 m high over one cell at x = 5.
fn walled(corner: bool) -> Surface {
    let high = move |x: f64, z: f64| if x > 4.97 || corner && z > 4.97 { 1.0 } else { 0.0 };
    Surface::new(121, 121, [0.05, 0.05], high)
}

#[test]
fn a_head_turns_along_a_wall_of_either_kind() {
    for (name, terrain, origin) in walled(false).grounds() {
        for radius in [0.012, 0.08] {
            let at = (origin + DVec3::new(4.5, 0.0, 1.0)).to_array();
            let way = Vec3::new(1.0, 0.0, 1.0).normalize();
            let (mut batch, id) =
                alone(terrain.clone(), straight(0.6, 13, radius), |p| Spawn::at(p, at).facing(way).driven(0.6));
            let mut last = DVec3::ZERO;
            for _ in 0..240 {
                batch.set_guidance(id, way).unwrap();
                batch.step(DT).unwrap();
                let head = batch.head(id).unwrap() - origin;
                assert!(head.x < 5.0 && head.z >= last.z - 1e-4, "{name}, {radius}: at {head} after {last}");
                last = head;
            }
            assert!(last.z > 2.2 && last.x > 4.8 - radius, "{name}, {radius}: came to {last}");
        }
    }
}

#[test]
fn a_head_rests_in_a_corner_of_either_kind() {
    for (name, terrain, origin) in walled(true).grounds() {
        for radius in [0.012, 0.08] {
            let at = (origin + DVec3::new(4.0, 0.0, 4.1)).to_array();
            let way = Vec3::new(1.0, 0.0, 1.0).normalize();
            let (mut batch, id) =
                alone(terrain.clone(), straight(0.6, 13, radius), |p| Spawn::at(p, at).facing(way).driven(0.6));
            for tick in 0..360 {
                let before = batch.head(id).unwrap();
                batch.set_guidance(id, way).unwrap();
                batch.step(DT).unwrap();
                let moved = batch.head(id).unwrap().distance(before);
                assert!(tick < 240 || moved < 0.01 * radius, "{name}, {radius}: trembles by {moved} m at tick {tick}");
            }
            let head = batch.head(id).unwrap() - origin;
            assert!(head.x > 4.75 - radius && head.z > 4.75 - radius, "{name}, {radius}: rests at {head}");
        }
    }
}
