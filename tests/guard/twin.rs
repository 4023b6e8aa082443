//! Against the f64 twin: pushes of a small share of a segment, as real ground asks for.

use super::common::{farthest, joints, segment};
use super::measure::*;
use super::{Pair, slope};
use glam::DVec3;
use serpentarium::Terrain;
use serpentarium::reference::guard::keep_out;

/// Runs a pair along a way; the guarded one against the twin's idea of the unguarded one, within a share of the radius and
/// a tenth of the farthest push.
fn compare(terrain: &Terrain, ticks: usize, way: impl Fn(f64) -> DVec3, share: f64, context: &str) {
    let mut pair = Pair::new(terrain.clone(), way(0.0), way(0.1) - way(0.0));
    let (mut some, mut counted) = (0, [0; 2]);
    for tick in 1..=ticks {
        let corrected = pair.go(way(0.08 * tick as f64));
        let radii: Vec<f64> = pair.batch.radii(pair.guarded).unwrap().map(f64::from).collect();
        let marched = joints(&pair.batch, pair.free);
        let (twin, count) = keep_out(&marched, &radii, segment(&pair.batch, pair.free), terrain);
        some += corrected;
        counted = [counted[0] + corrected, counted[1] + count as u64];
        let pushed = farthest(&twin, &marched);
        for (i, (joint, twin)) in joints(&pair.batch, pair.guarded).into_iter().zip(twin).enumerate() {
            let (off, allowed) = ((joint - twin).length(), share * radii[i] + 0.1 * pushed);
            assert!(
                off <= allowed,
                "{context}, tick {tick}, joint {i}: off by {off}, allowed {allowed}, pushed {pushed}"
            );
        }
    }
    assert!(some > 0);
    let [stage, twin] = counted.map(|count| count as f64);
    assert!((stage - twin).abs() <= 0.05 * twin, "{context}: {stage} sections corrected, the twin {twin}");
}

#[test]
fn pushes_on_planes_are_the_twins() {
    for degrees in [0.0, 30.0, 60.0] {
        let (sin, cos) = f64::to_radians(degrees).sin_cos();
        let (along, normal) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
        let way = |s: f64| along * s + normal * (0.085 + 0.02 * (0.9 * s).cos()) + DVec3::Z * (0.6 * s).sin();
        compare(&slope(degrees), 200, way, 0.02, &format!("{degrees} degrees"));
    }
}

#[test]
fn pushes_on_hills_are_the_twins() {
    let hills = |x: f64, z: f64| 0.5 * (0.5 * x).sin() + 0.4 * (0.4 * z + 0.2 * x).cos();
    let terrain = field_of(grid(61, 1.0, hills));
    let way = |s: f64| {
        let (x, z) = (s - 8.0, 1.5 * (0.4 * s).sin());
        let rests = terrain.rest_under(x, f64::INFINITY, z, 0.1).unwrap();
        DVec3::new(x, rests - 0.03 * (1.1 * s).sin().max(0.0), z)
    };
    // The stage takes a crest's depth from the slopes at the segment's ends.
    compare(&terrain, 200, way, 0.06, "hills");
}
