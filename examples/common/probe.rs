//! How a body lies to the ground, asked of the library's own queries: for grounds that are no plain grid.

use serpentarium::Terrain;
use serpentarium::lanes::WideLanes;
use serpentarium::terrain::Nearby;

/// How deep a ball is in the ground: 0 without touch. In a sheet it is its radius at most, since both sides are free.
pub fn depth_m(terrain: &Terrain, nearby: &mut Nearby, centre: [f64; 3], radius_m: f64) -> f64 {
    // A little room about it, so that what it touches is whole in the gathering.
    terrain.gather(centre, [1.01 * radius_m as f32; 3], nearby);
    let closest = nearby.closest_point::<WideLanes>([0.0; 3]);
    closest.map_or(0.0, |closest| (radius_m - f64::from(closest.distance)).max(0.0))
}

/// How far a ball is above where it would rest, perpendicular to the ground there; none without ground.
#[allow(dead_code)] // Of the scenes.
pub fn gap_m(terrain: &Terrain, [x, y, z]: [f64; 3], radius_m: f64) -> Option<f64> {
    let ground = terrain.sample_under(x, y, z)?;
    let rests = terrain.rest_under(x, y, z, radius_m as f32)?;
    Some(((y - rests) * f64::from(ground.face_normal[1])).max(0.0))
}
