//! How well creatures lie on their ground, as figures.

use crate::body::{Body, cross, dot, length, sub};
use crate::probe::{depth_m, gap_m};
use crate::scenes::Run;
use crate::snapshot;
use serde::Serialize;
use serpentarium::terrain::Nearby;
use serpentarium::{Result, Terrain};

/// The worst of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Worst {
    /// | |p(i) - p(i+1)| - l | / l.
    pub segment_error: f64,
    /// Depth of a joint's ball in the ground, of its radius.
    pub depth_share: f64,
    /// The same in metres.
    pub depth_m: f64,
    /// How far a joint's ball is above the ground under it.
    pub gap_m: f64,
    /// Between neighbouring segments.
    pub bend_deg: f64,
    /// Joints that are no place.
    pub non_finite: usize,
}

impl Worst {
    pub fn and(self, other: Self) -> Self {
        Self {
            segment_error: self.segment_error.max(other.segment_error),
            depth_share: self.depth_share.max(other.depth_share),
            depth_m: self.depth_m.max(other.depth_m),
            gap_m: self.gap_m.max(other.gap_m),
            bend_deg: self.bend_deg.max(other.bend_deg),
            non_finite: self.non_finite + other.non_finite,
        }
    }
}

/// A scene's line in the table.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub scene: &'static str,
    pub creatures: usize,
    pub ticks: u64,
    pub ns_per_joint: f64,
    #[serde(flatten)]
    pub worst: Worst,
    pub quarantined: usize,
    pub state_hash: String,
    #[serde(skip)]
    pub picture: String,
}

/// Measures every creature of a run.
pub fn all(run: &Run) -> Result<Worst> {
    let mut nearby = Nearby::new();
    let mut worst = Worst::default();
    for id in &run.ids {
        worst = worst.and(one(&snapshot::shape(&run.batch, *id)?, run.batch.terrain(), &mut nearby));
    }
    Ok(worst)
}

fn one(body: &Body, terrain: &Terrain, nearby: &mut Nearby) -> Worst {
    let non_finite = body.joints.iter().filter(|joint| !joint.iter().all(|c| c.is_finite())).count();
    if non_finite > 0 {
        return Worst { non_finite, ..Worst::default() };
    }
    let mut worst = Worst::default();
    for (&joint, &radius_m) in body.joints.iter().zip(&body.radius_m) {
        let depth = depth_m(terrain, nearby, joint, radius_m);
        worst.depth_share = worst.depth_share.max(depth / radius_m);
        worst.depth_m = worst.depth_m.max(depth);
        worst.gap_m = worst.gap_m.max(gap_m(terrain, joint, radius_m).unwrap_or(0.0));
    }
    let links: Vec<_> = body.joints.windows(2).map(|pair| sub(pair[1], pair[0])).collect();
    let error = |link: &[f64; 3]| (length(*link) / body.segment_m - 1.0).abs();
    worst.segment_error = links.iter().map(error).fold(0.0, f64::max);
    let bend = |pair: &[[f64; 3]]| length(cross(pair[0], pair[1])).atan2(dot(pair[0], pair[1])).to_degrees();
    worst.bend_deg = links.windows(2).map(bend).fold(0.0, f64::max);
    worst
}

pub fn table(reports: &[Report]) -> String {
    let mut text = String::from(
        "scene        snakes  ns/joint  segment error  depth/radius     depth  gap above ground  bend  not finite  quarantined\n",
    );
    for Report { scene, creatures, ns_per_joint, worst, quarantined, .. } in reports {
        let Worst { segment_error, depth_share, depth_m, gap_m, bend_deg, non_finite } = worst;
        text += &format!(
            "{scene:<12} {creatures:>6} {ns_per_joint:>9.1} {segment_error:>14.1e} {depth_share:>13.3} {:>6.1} mm {:>13.1} mm \
             {bend_deg:>4.0}° {non_finite:>11} {quarantined:>12}\n",
            1000.0 * depth_m,
            1000.0 * gap_m
        );
    }
    text
}
