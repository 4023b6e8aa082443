//! Queries near a body against brute force and against the other library, on triangles of all shapes.

use crate::SEED;
use crate::support::*;
use parry3d::math::{Pose, Vector};
use parry3d::query::{self, PointQuery, Ray, RayCast};
use parry3d::shape::{Ball, TriMesh};
use proptest::prelude::*;
use serpentarium::terrain::{Nearby, Plane, TriangleMesh};
use serpentarium::{Terrain, terrain::Part};

pub fn other_library(corners: &[[[f32; 3]; 3]]) -> TriMesh {
    let source = soup(corners);
    let positions = source.positions.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
    TriMesh::new(positions, source.indices).unwrap()
}

pub fn vector([x, y, z]: [f32; 3]) -> Vector {
    Vector::new(x, y, z)
}

/// The triangles that have an area, and a gathering of all.
fn scene(corners: &[[[f32; 3]; 3]]) -> Option<(Vec<Triangle>, Nearby)> {
    let source = soup(corners);
    let all = triangles(&source);
    let mesh = TriangleMesh::from_triangles(source).ok()?;
    Some((all, everything(&mesh.into(), [0.0; 3])))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn closest_points_equal_both_oracles(corners in any_triangles(40), points in prop::collection::vec(point(4.0), 10)) {
        let Some((all, nearby)) = scene(&corners) else { return Ok(()) };
        let library = other_library(&corners);
        for at in points {
            let found = nearby.closest(at).unwrap();
            let wanted = all.iter().map(|&triangle| distance(triangle, wide(at), wide(at))).fold(f64::INFINITY, f64::min);
            prop_assert!((f64::from(found.distance) - wanted).abs() < 1e-5, "{found:?} for {wanted}");
            let projected = library.project_local_point(vector(at), false);
            let gap = (projected.point - vector(at)).length();
            prop_assert!((found.distance - gap).abs() < 1e-4, "{found:?} for {gap}");
            let away = sub(wide(at), wide(found.point));
            prop_assert!((length(away) - wanted).abs() < 1e-5);
            prop_assert!((length(wide(found.normal)) - 1.0).abs() < 1e-3 && dot(wide(found.normal), away) >= -1e-6);
        }
    }

    #[test]
    fn capsules_outside_are_as_deep_as_both_oracles_say(
        corners in any_triangles(24),
        bodies in prop::collection::vec((point(3.0), point(0.5), 0.01..0.6_f32, any::<bool>()), 8),
    ) {
        let Some((all, nearby)) = scene(&corners) else { return Ok(()) };
        for (a, half, radius, is_ball) in bodies {
            let b = if is_ball { a } else { [0, 1, 2].map(|axis| a[axis] + half[axis]) };
            let gaps: Vec<f64> = all.iter().map(|&triangle| distance(triangle, wide(a), wide(b))).collect();
            let nearest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
            // An axis through a triangle is pushed out by more than the gap: see below.
            if nearest < 1e-3 {
                continue;
            }
            let wanted = f64::from(radius) - nearest;
            let found = nearby.contact(a, b, radius);
            match found {
                None => prop_assert!(wanted < 2e-5, "none for {wanted}"),
                Some(found) => {
                    prop_assert!((f64::from(found.depth) - wanted).abs() < 2e-5, "{found:?} for {wanted}");
                    prop_assert!((length(wide(found.normal)) - 1.0).abs() < 1e-3);
                }
            }
            if is_ball {
                let library = other_library(&corners);
                let shape = Ball::new(radius);
                let pose = Pose::from_translation(vector(a));
                let contact = query::contact(&Pose::IDENTITY, &library, &pose, &shape, 0.0).unwrap();
                let depth = contact.map_or(0.0, |contact| -contact.dist);
                let own = found.map_or(0.0, |found| found.depth);
                prop_assert!((depth - own).abs() < 1e-3, "{own} for {depth}");
            }
        }
    }

    #[test]
    fn pushing_out_of_one_triangle_leaves_touching(
        corners in [point(2.0), point(2.0), point(2.0)],
        a in point(2.0),
        half in point(1.0),
        radius in 0.01..0.5_f32,
    ) {
        let Some((all, nearby)) = scene(&[corners]) else { return Ok(()) };
        let b = [0, 1, 2].map(|axis| a[axis] + half[axis]);
        let Some(found) = nearby.contact(a, b, radius) else { return Ok(()) };
        let push = |end: [f32; 3]| along(wide(end), wide(found.normal), f64::from(found.depth));
        let gap = distance(all[0], push(a), push(b));
        prop_assert!(gap >= f64::from(radius) - 1e-4, "{gap} of {radius}, {found:?}");
    }

    #[test]
    fn rays_equal_the_other_library(corners in any_triangles(40), rays in prop::collection::vec((point(4.0), point(1.0)), 12)) {
        let Some((all, nearby)) = scene(&corners) else { return Ok(()) };
        let library = other_library(&corners);
        for (from, direction) in rays {
            let direction = if length(wide(direction)) < 0.1 { [0.0, -1.0, 0.0] } else { direction };
            let own = nearby.cast(from, direction, 20.0);
            let cast = library.cast_local_ray(&Ray::new(vector(from), vector(direction)), 20.0, false);
            // Past a border, or along a face, either answer is right.
            let near_border = |time: f32| all.iter().filter(|&&triangle| {
                let at = along(wide(from), wide(direction), f64::from(time));
                distance(triangle, at, at) < 2e-3
            }).any(|&[a, b, c]| {
                let at = along(wide(from), wide(direction), f64::from(time));
                let normal = cross(sub(b, a), sub(c, a));
                let slant = dot(normal, wide(direction)).abs() / (length(normal) * length(wide(direction)));
                slant < 0.02 || [[a, b], [b, c], [c, a]].iter().any(|[p, q]| distance([*p, *q, *q], at, at) < 2e-3)
            });
            match (own, cast) {
                (None, None) => {}
                (Some(own), Some(cast)) if (own.time - cast).abs() < 1e-3 => {
                    prop_assert!(dot(wide(own.normal), wide(direction)) <= 0.0);
                }
                (own, cast) => {
                    let first = own.map_or(f32::INFINITY, |own| own.time).min(cast.unwrap_or(f32::INFINITY));
                    prop_assert!(near_border(first), "{own:?} {cast:?}");
                }
            }
        }
    }

    #[test]
    fn gathering_finds_what_a_brute_force_finds(corners in any_triangles(200), boxes in prop::collection::vec((point(4.0), point(1.5)), 10)) {
        let source = soup(&corners);
        let Ok(mesh) = TriangleMesh::from_triangles(source) else { return Ok(()) };
        let kept = mesh.report().kept();
        let terrain = Terrain::from(mesh);
        prop_assert_eq!(everything(&terrain, [0.0; 3]).len(), kept);
        let mut nearby = Nearby::new();
        for (center, half) in boxes {
            let half = half.map(f32::abs);
            let touches = |grown: f32| corners.iter().filter(|triangle| (0..3).all(|axis| {
                let parts = triangle.map(|corner| corner[axis]);
                let (low, high) = (parts.into_iter().fold(f32::MAX, f32::min), parts.into_iter().fold(f32::MIN, f32::max));
                low <= center[axis] + half[axis] + grown && center[axis] - half[axis] - grown <= high
            })).count();
            let found = terrain.gather(wide(center), half, &mut nearby);
            // Degenerate ones are not there; the box may be an f32 step larger.
            prop_assert!(found <= touches(1e-4) && found + corners.len() - kept >= touches(-1e-4), "{found}");
        }
    }
}

#[test]
fn an_axis_through_a_sheet_goes_back_to_the_side_of_its_middle() {
    let sheet = soup(&[[[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]]]);
    let nearby = everything(&mesh(sheet).into(), [0.0; 3]);
    for side in [1.0_f32, -1.0] {
        let found = nearby.contact([0.0, 0.5 * side, 0.0], [0.1, -0.2 * side, 0.0], 0.25).unwrap();
        assert!((found.depth - 0.45).abs() < 1e-5 && found.normal == [0.0, side, 0.0], "{found:?}");
        let ball = nearby.contact([0.0, 0.1 * side, 0.0], [0.0, 0.1 * side, 0.0], 0.25).unwrap();
        assert!((ball.depth - 0.15).abs() < 1e-6 && (ball.normal[1] - side).abs() < 1e-6, "{ball:?}");
    }
    assert_eq!(nearby.contact([0.0, 0.3, 0.0], [0.0, 0.3, 0.0], 0.25), None);
}

#[test]
fn what_is_under_solid_ground_comes_up_through_its_own_triangle() {
    let nearby = everything(&field(hills(9, 1.0, 0.0)), [0.0; 3]);
    for depth in [0.01_f32, 0.3, 5.0] {
        let at = [0.3, -depth, 0.4];
        let found = nearby.contact(at, at, 0.1).unwrap();
        assert!((found.depth - depth - 0.1).abs() < 1e-5 && found.normal == [0.0, 1.0, 0.0], "{found:?}");
        let closest = nearby.closest(at).unwrap();
        assert!((closest.distance + depth).abs() < 1e-5 && (closest.normal[1] - 1.0).abs() < 1e-6, "{closest:?}");
        let hit = nearby.swept(at, at, 0.1, [1.0, 0.0, 0.0]).unwrap();
        assert_eq!((hit.time, hit.normal), (0.0, [0.0, 1.0, 0.0]));
    }
    // A capsule with one end under.
    let found = nearby.contact([0.3, 0.5, 0.4], [0.6, -0.2, 0.5], 0.1).unwrap();
    assert!((found.depth - 0.3).abs() < 1e-5 && found.normal == [0.0, 1.0, 0.0], "{found:?}");
}

#[test]
fn deep_ground_is_gathered_from_far_below() {
    let terrain = field(hills(9, 1.0, 1.0));
    let mut nearby = Nearby::new();
    assert!(terrain.gather([0.3, -50.0, 0.4], [0.2; 3], &mut nearby) > 0);
    let found = nearby.contact([0.0; 3], [0.0; 3], 0.1).unwrap();
    assert!(found.depth > 40.0 && found.normal[1] > 0.5, "{found:?}");
    assert_eq!(terrain.gather([0.3, 50.0, 0.4], [0.2; 3], &mut nearby), 0);
}

#[test]
fn planes_are_half_spaces() {
    let plane = Plane::tilted(1.0, [-0.6, 0.8, 0.0]).unwrap();
    let center = [1e5, plane.sample(1e5, -3e4).unwrap().height_m + 0.5, -3e4];
    let mut nearby = Nearby::new();
    let terrain = Terrain::from(plane);
    assert_eq!(terrain.gather(center, [2.0; 3], &mut nearby), 0);
    assert!(!nearby.is_empty());
    // Half a metre above along y: 0.4 along the normal.
    let closest = nearby.closest([0.0; 3]).unwrap();
    assert!((closest.distance - 0.4).abs() < 1e-4, "{closest:?}");
    let deep = nearby.contact([0.0; 3], [0.0, -0.5, 0.0], 0.1).unwrap();
    assert!((deep.depth - 0.1).abs() < 1e-4 && (deep.normal[1] - 0.8).abs() < 1e-6, "{deep:?}");
    let hit = nearby.swept([0.0; 3], [0.0; 3], 0.1, [0.0, -1.0, 0.0]).unwrap();
    assert!((hit.time - 0.375).abs() < 1e-4, "{hit:?}");
    assert!((nearby.cast_down([0.0; 3], 9.0).unwrap().time - 0.5).abs() < 1e-4);
    assert_eq!(terrain.gather([0.0, 100.0, 0.0], [2.0; 3], &mut nearby), 0);
    assert!(nearby.is_empty() && nearby.closest([0.0; 3]).is_none());
}

#[test]
fn bad_arguments_find_nothing() {
    let terrain = field(hills(9, 1.0, 1.0));
    let nearby = everything(&terrain, [0.0; 3]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [[bad, 0.0, 0.0], [0.0, bad, 0.0], [0.0, 0.0, bad]] {
            assert_eq!(nearby.closest(at), None);
            assert_eq!(nearby.contact(at, [0.0; 3], 0.1), None);
            assert_eq!(nearby.swept([0.0; 3], at, 0.1, [0.0; 3]), None);
            assert_eq!(nearby.swept([0.0, 9.0, 0.0], [0.0, 9.0, 0.0], 0.1, at), None);
            assert_eq!(nearby.cast(at, [0.0, -1.0, 0.0], 9.0), None);
            assert_eq!(nearby.cast([0.0; 3], at, 9.0), None);
        }
        assert_eq!(nearby.contact([0.0; 3], [0.0; 3], bad), None);
        let mut out = Nearby::new();
        assert_eq!(terrain.gather([0.0; 3], [bad; 3], &mut out), 0);
        assert_eq!(terrain.gather([f64::from(bad), 0.0, 0.0], [1.0; 3], &mut out), 0);
    }
    assert_eq!(nearby.contact([0.0; 3], [0.0; 3], -1.0), None);
    assert_eq!(nearby.cast([0.0; 3], [0.0; 3], 9.0), None);
    assert_eq!(Terrain::None.gather([0.0; 3], [1.0; 3], &mut Nearby::new()), 0);
    let _: Part = Plane::level(0.0).into();
}

#[test]
fn room_grows_once() {
    let terrain = field(hills(40, 1.0, 1.0));
    let mut nearby = Nearby::new();
    for round in 0..5 {
        for step in 0..30 {
            terrain.gather([f64::from(step) - 15.0, 0.3, 2.0], [2.5; 3], &mut nearby);
        }
        if round == 0 {
            nearby.clear();
        }
    }
    let growths = nearby.growths();
    terrain.gather([0.0, 0.3, 2.0], [2.5; 3], &mut nearby);
    assert!(growths < 8 && nearby.growths() == growths, "{growths}");
    let mut roomy = Nearby::with_capacity(128);
    terrain.gather([0.0, 0.3, 2.0], [2.5; 3], &mut roomy);
    assert_eq!((roomy.growths(), roomy.len()), (0, nearby.len()));
}
