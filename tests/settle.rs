//! Body Ground Follow: what of the body hangs over ground settles onto it.

mod common;

use common::*;
use glam::DVec3;
use serpentarium::{Motion, Profile, SerpentBatch, SerpentId, Spawn, Terrain};

const BEND_DEG: f64 = 20.0;

/// The body of the cases, which follows the ground.
fn body() -> Profile {
    Profile::builder("case")
        .length_m(8.0)
        .joints(17)
        .radius_m([(0.0, 0.2), (1.0, 0.2)])
        .steering_amplitude_deg(0.0)
        .body_follow(true)
        .terrain_reach_m(20.0)
        .max_bend_deg(BEND_DEG)
        .build()
        .unwrap()
}

/// Level ground that falls by `depth` along x between `edge` and `edge + 0.1`.
fn ledge(edge: f64, depth: f64) -> Terrain {
    let samples = 1601;
    let heights = (0..samples * 9).map(|i| if (i % samples) as f64 * 0.1 - 80.0 <= edge { 0.0 } else { -depth as f32 });
    let grid = serpentarium::terrain::HeightGrid {
        columns: samples,
        rows: 9,
        cell_x_m: 0.1,
        cell_z_m: 10.0,
        origin: [-80.0, 0.0, -40.0],
        heights: heights.collect(),
        holes: Vec::new(),
    };
    Terrain::from(serpentarium::Heightfield::from_heights(grid).unwrap())
}

fn spawn(terrain: Terrain, at: [f64; 3]) -> (SerpentBatch, SerpentId) {
    alone(terrain, body(), |p| Spawn::at(p, at).facing(X).motion(Motion::Reported))
}

/// Gap between a joint's section and the ground under it, in metres.
fn gap(batch: &SerpentBatch, joint: DVec3, radius: f64) -> f64 {
    let sample = batch.terrain().sample_under(joint.x, joint.y, joint.z).unwrap();
    joint.y - sample.height_m - radius / f64::from(sample.normal[1])
}

/// Largest angle between adjacent segments, in degrees.
fn bend(joints: &[DVec3]) -> f64 {
    let angle = |t: &[DVec3]| {
        let (a, b) = (t[1] - t[0], t[2] - t[1]);
        a.cross(b).length().atan2(a.dot(b)).to_degrees()
    };
    joints.windows(3).map(angle).fold(0.0, f64::max)
}

#[test]
fn a_head_that_walks_over_a_ledge_lowers_its_body_step_by_step() {
    let (mut batch, id) = spawn(ledge(0.0, 3.0), [-4.0, 0.2, 0.0]);
    let (mut y, mut v) = (0.2_f64, 0.0_f64);
    let mut head = DVec3::new(-4.0, y, 0.0);
    for tick in 0..900 {
        let x = (head.x + 0.03).min(14.0);
        let floor = if x > 0.1 { -2.8 } else { 0.2 };
        v += 9.81 / 60.0;
        y = (y - v / 60.0).max(floor);
        if y == floor {
            v = 0.0;
        }
        let to = DVec3::new(x, y, 0.0);
        batch.report_actual_displacement(id, (to - head).as_vec3(), X).unwrap();
        head = to;
        let before = joints(&batch, id);
        batch.step(DT).unwrap();
        let now = joints(&batch, id);
        assert_segments(&batch, id, "ledge");
        let fastest = farthest(&before, &now);
        if tick % 60 == 0 {
            let gaps: Vec<String> = now.iter().map(|j| format!("{:.2}", gap(&batch, *j, 0.2))).collect();
            println!("{tick} bend {:.2} fastest {fastest:.3} {}", bend(&now), gaps.join(" "));
        }
    }
}

#[test]
fn a_body_in_the_air_falls_from_rest_and_lands() {
    let (mut batch, id) = spawn(Terrain::flat(0.0), [0.0, 2.2, 0.0]);
    for tick in 0..180 {
        let before = joints(&batch, id);
        let r = batch.step(DT).unwrap();
        let now = joints(&batch, id);
        assert_segments(&batch, id, "air");
        if tick % 6 == 0 {
            let gaps: Vec<String> = now.iter().map(|j| format!("{:.2}", gap(&batch, *j, 0.2))).collect();
            println!(
                "{tick} bend {:.2} fastest {:.3} {} {:?}",
                bend(&now),
                farthest(&before, &now),
                gaps.join(" "),
                r.counters.knots_accelerating
            );
        }
    }
}
