//! Copies out of the batch what is measured and drawn.
// No example needs all of it.
#![allow(dead_code)]

use crate::body::{Body, Frame, HeadShape, PathPoint};
use crate::relief::Relief;
use serpentarium::{Heightfield, Knot, Pose, Profile, Result, SerpentBatch, SerpentId, Terrain};

/// Samples along the longer side of what is sampled.
const SAMPLES: f64 = 600.0;

/// The batch's ground as a plain grid; level ground is a square of a side, a mesh is sampled from above. None where a mesh
/// is no ground anywhere.
pub fn relief(terrain: &Terrain, flat_side_m: f64) -> Option<Relief> {
    match terrain {
        Terrain::Heightfield(field) => Some(grid(field)),
        Terrain::Mesh(mesh) => {
            let [low, high] = mesh.bounds_m().map(|[x, _, z]| [x, z]);
            window(terrain, low, [0, 1].map(|i| high[i] - low[i]))
        }
        _ => Some(Relief::flat(terrain.sample(0.0, 0.0).map_or(0.0, |ground| ground.height_m), flat_side_m)),
    }
}

/// A part of a ground, sampled from above; none without ground in it.
pub fn window(terrain: &Terrain, corner_m: [f64; 2], size_m: [f64; 2]) -> Option<Relief> {
    let longest = size_m[0].max(size_m[1]);
    // A mesh seen edge on has no ground, but a grid of it must have an area.
    let counts = size_m.map(|metres| (metres / longest.max(1e-9) * SAMPLES).ceil().max(2.0) as usize + 1);
    let cell_m = [0, 1].map(|i| size_m[i].max(1e-6) / (counts[i] - 1) as f64);
    Relief::sampled(counts, cell_m, corner_m, |x, z| terrain.sample(x, z).map(|ground| ground.height_m))
}

fn grid(field: &Heightfield) -> Relief {
    let [x, y, z] = field.origin();
    let heights = field.heights().iter().map(|height| y + f64::from(*height)).collect();
    Relief::new(field.columns(), [field.cell_x_m(), field.cell_z_m()], [x, z], heights)
}

/// A creature's shape: joints, radii, heads.
pub fn shape(batch: &SerpentBatch, id: SerpentId) -> Result<Body> {
    let profile = batch.profile_of(id)?;
    let scale = f64::from(batch.scale(id)?);
    let radius_m: Vec<f64> = batch.radii(id)?.map(f64::from).collect();
    let rows = &batch.poses()[batch.pose_rows(id)?];
    Ok(Body {
        joints: batch.joints(id)?.map(Into::into).collect(),
        path_radius_m: radius_m[0],
        radius_m,
        heads: heads(profile, scale, rows),
        segment_m: f64::from(profile.length_m()) * scale / (profile.joints() - 1) as f64,
        follows_ground: profile.follow_ground(),
        ..Body::default()
    })
}

/// The shape with its frames and, where joints are to lie on it, the travelled path.
pub fn whole(batch: &SerpentBatch, id: SerpentId) -> Result<Body> {
    let profile = batch.profile_of(id)?;
    let rows = &batch.poses()[batch.pose_rows(id)?];
    let mut body = shape(batch, id)?;
    body.frames = rows.iter().take(profile.joints()).map(frame).collect();
    // A vertical wave takes the joints off their path.
    if profile.wave_bend_rad() == 0.0 {
        let front = body.joints.iter().zip(&body.frames).next();
        body.path = front.map(|(at, frame)| PathPoint { at: *at, dorsal: frame.dorsal }).into_iter().collect();
        let point = |knot: Knot| PathPoint { at: knot.position.into(), dorsal: knot.dorsal.as_dvec3().into() };
        body.path.extend(batch.knots(id)?.map(point));
    }
    Ok(body)
}

/// Heads from their pose rows: each head has one and, after it, one for its jaw.
fn heads(profile: &Profile, scale: f64, rows: &[Pose]) -> Vec<HeadShape> {
    let rows = rows.iter().skip(profile.joints()).step_by(2);
    let shape = |(head, row): (&serpentarium::profile::Head, &Pose)| HeadShape {
        back: row.position().as_dvec3().into(),
        forward: frame(row).forward,
        length_m: f64::from(head.length_m) * scale,
        radius_m: f64::from(head.radius_m) * scale,
    };
    profile.heads().iter().zip(rows).map(shape).collect()
}

/// The axes of a row whose forward axis is -z.
fn frame(row: &Pose) -> Frame {
    let axis = |i: usize| row.axis(i).as_dvec3();
    Frame { right: axis(0).into(), dorsal: axis(1).into(), forward: (-axis(2)).into() }
}
