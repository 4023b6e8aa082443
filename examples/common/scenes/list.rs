//! The scenes themselves.

use super::grounds::{Plot, extruded, field, rock, rough, sheet, slab, way};
use super::{Creature, Look, Rail, Scene};
use glam::DVec3;
use serpentarium::terrain::TerrainSet;
use serpentarium::{Profile, Terrain};

/// All scenes.
pub const NAMES: [&str; 12] = [
    "slopes",
    "crest",
    "stairs",
    "stairs-mesh",
    "ledge",
    "pit",
    "pit-great",
    "half-pipe",
    "boulders",
    "cave",
    "overhang",
    "jacksboro",
];

/// A grass snake's cruise.
const SPEED: f32 = 0.3;
/// Its body.
const LENGTH: f64 = 0.87;
/// The radius at its neck.
const NECK: f64 = 0.0058;
/// Soil that is level on the whole: bumps of a few millimetres.
fn soil(x: f64, z: f64) -> f64 {
    0.003 * rough(9.0 * x, 9.0 * z)
}

/// The scene of a name with its zero at a place in the world.
pub fn named(name: &str, origin: DVec3) -> Option<Scene> {
    let mut scene = match name {
        "slopes" => slopes(origin),
        "crest" => crest(origin),
        "stairs" => stairs(origin, false),
        "stairs-mesh" => stairs(origin, true),
        "ledge" => ledge(origin),
        "pit" => pit(origin, grass_snake(), 1.0),
        "pit-great" => pit(origin, great_snake(), 8.0 / LENGTH),
        "half-pipe" => half_pipe(origin),
        "boulders" => boulders(origin),
        "cave" => cave(origin),
        "overhang" => overhang(origin),
        "jacksboro" => jacksboro(origin),
        _ => return None,
    };
    scene.name = NAMES.into_iter().find(|known| *known == name)?;
    Some(scene)
}

fn grass_snake() -> Profile {
    Profile::embedded("grass-snake").expect("it is embedded")
}

/// A grass snake's build at 8 m.
fn great_snake() -> Profile {
    let stations = [(0.0, 0.0058), (0.06, 0.0062), (0.25, 0.0086), (0.5, 0.0096), (0.7, 0.008), (0.8, 0.0052)];
    let stations = stations.into_iter().chain([(1.0, 0.0008)]).map(|(at, radius)| (at, radius * 8.0 / LENGTH));
    let body = Profile::builder("great-snake").length_m(8.0).joints(32).radius_m(stations);
    body.steering_cycles(2.25).build().expect("it is in range")
}

fn scene(about: &'static str, origin: DVec3, terrain: impl Into<Terrain>, creatures: Vec<Creature>) -> Scene {
    let (terrain, profile) = (terrain.into(), grass_snake());
    Scene { name: "", about, terrain, profile, creatures, seconds: 8.0, looks: Vec::new(), origin }
}

fn driven(x: f64, z: f64, speed_m_s: f32, ways: &[(f64, f32)]) -> Creature {
    let ways = ways.iter().map(|(from, degrees)| (*from, way(*degrees))).collect();
    Creature::Driven { head: DVec3::new(x, 0.0, z), speed_m_s, ways }
}

/// A path along +X from one x to another about a z, winding as a grass snake of this length does, at heights of (x, z).
fn rail(x: [f64; 2], z: f64, length_m: f64, speed: f64, height: impl Fn(f64, f64) -> f64) -> Creature {
    let (wave, step) = (length_m / 2.25 * 0.92, 0.005 * length_m);
    let sway = 32.0_f64.to_radians().tan() * wave / std::f64::consts::TAU;
    let back = x[0] - 1.1 * length_m;
    let count = ((x[1] - back) / step) as usize;
    let at = |i: usize| {
        let x = back + i as f64 * step;
        let z = z + sway * (std::f64::consts::TAU * x / wave).sin();
        DVec3::new(x, height(x, z), z)
    };
    let points: Vec<DVec3> = (0..=count).map(at).collect();
    let reaches = points.windows(2).take_while(|pair| pair[1].x < x[0]);
    let start_m = reaches.map(|pair| pair[0].distance(pair[1])).sum();
    Creature::Reported(Rail::new(points, start_m, speed))
}

/// Heights at which a neck touches the highest ground.
fn touching(terrain: &Terrain, origin: DVec3, radius_m: f64) -> impl Fn(f64, f64) -> f64 {
    move |x, z| {
        let rests = terrain.rest_under(origin.x + x, f64::INFINITY, origin.z + z, radius_m as f32);
        rests.expect("the path is over ground") - origin.y
    }
}

/// A window of so many metres in width, height and depth on a creature, which it follows.
fn follow(creature: usize, [width_m, height_m, depth_m]: [f64; 3]) -> Look {
    Look { creature, at: None, unrolled: false, once: false, width_m, height_m, depth_m, plan_below_m: f64::INFINITY }
}

/// The same about a place.
fn look(creature: usize, at: [f64; 3], size: [f64; 3]) -> Look {
    Look { at: Some(at.into()), ..follow(creature, size) }
}

/// A reported creature's window beside a driven one's; they go 22 cm to either side of z = 0 where bodies are 87 cm.
fn both(at: [f64; 2], size: [f64; 3], scale: f64) -> Vec<Look> {
    let beside =
        |(creature, z): (usize, f64)| look(creature, [at[0], at[1], z].map(|m| m * scale), size.map(|m| m * scale));
    [(1, -0.22), (0, 0.22)].map(beside).into()
}

/// 0 below `from`, 1 above `to`, smooth between.
fn ease(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Four strips from north to south, 0.8 m each, that rise from x = 0.1 on.
fn slopes(origin: DVec3) -> Scene {
    let plot = Plot { corner: [-1.6, -1.6], size: [5.2, 3.2], cell: 0.02 };
    let height = |x: f64, z: f64| {
        let tangent = [15.0_f64, 30.0, 45.0, 60.0][(((z + 1.6) / 0.8) as usize).min(3)].to_radians().tan();
        (x - 0.1).clamp(0.0, 1.1 / (1.0 + tangent * tangent).sqrt()) * tangent + soil(x, z)
    };
    let middle = |i: usize| -1.2 + 0.8 * i as f64;
    let creatures = (0..4).map(|i| driven(0.0, middle(i), SPEED, &[(0.0, 0.0)])).collect();
    let mut scene = scene("15, 30, 45, 60 DEGREES", origin, field(plot, origin, height), creatures);
    scene.looks = (0..4).map(|i| follow(i, [1.15, 0.7, 0.3])).collect();
    scene
}

fn crest(origin: DVec3) -> Scene {
    let plot = Plot { corner: [-1.6, -0.8], size: [4.4, 1.6], cell: 0.01 };
    let height = |x: f64, z: f64| (0.4 - 0.9 * (x - 0.6).abs()).max(0.0) + 0.5 * soil(x, z);
    let terrain = Terrain::from(field(plot, origin, height));
    let path = rail([0.0, 2.4], 0.22, LENGTH, 0.26, touching(&terrain, origin, NECK));
    let creatures = vec![path, driven(0.0, -0.22, SPEED, &[(0.0, 0.0)])];
    let mut scene = scene("A SHARP CREST: NORTH DRIVEN, SOUTH REPORTED", origin, terrain, creatures);
    scene.looks = both([0.6, 0.2], [2.3, 0.56, 0.3], 1.0);
    scene
}

/// Six steps of 5 cm.
fn stairs(origin: DVec3, is_mesh: bool) -> Scene {
    let [rise, tread] = [0.05, 0.14];
    let terrain = if is_mesh {
        let mut line = vec![[-1.6, 0.0], [0.1, 0.0]];
        for step in 0..6 {
            let [x, y] = [0.1 + tread * f64::from(step), rise * f64::from(step + 1)];
            line.extend([[x, y], [x + tread, y]]);
        }
        line.push([2.8, 6.0 * rise]);
        Terrain::from(extruded(&line, [-0.8, 0.8], 8, origin))
    } else {
        let plot = Plot { corner: [-1.6, -0.8], size: [4.4, 1.6], cell: 0.01 };
        let height = |x: f64, _: f64| rise * ((x - 0.1) / tread + 1.0 + 1e-9).floor().clamp(0.0, 6.0);
        Terrain::from(field(plot, origin, height))
    };
    // A controller's head goes up in an even line above the edges.
    let ramp = move |x: f64, _: f64| NECK + rise * ((x + 0.02) / tread + 0.45).clamp(0.0, 6.0);
    let creatures = vec![rail([-0.1, 2.4], 0.22, LENGTH, 0.24, ramp), driven(-0.1, -0.22, SPEED, &[(0.0, 0.0)])];
    let mut scene = scene("STEPS OF 5 cm: NORTH DRIVEN, SOUTH REPORTED", origin, terrain, creatures);
    scene.looks = both([0.5, 0.15], [2.3, 0.5, 0.3], 1.0);
    scene
}

fn ledge(origin: DVec3) -> Scene {
    const DROP: f64 = 0.4 * LENGTH;
    let plot = Plot { corner: [-1.8, -0.8], size: [4.6, 1.6], cell: 0.01 };
    let height = |x: f64, z: f64| if x < 0.001 { DROP } else { 0.0 } + 0.5 * soil(x, z);
    let terrain = Terrain::from(field(plot, origin, height));
    // The head reaches out level, then comes down to the lower ground.
    let dive = |x: f64, _: f64| NECK + 0.0015 + DROP * (1.0 - ease(0.07, 0.34, x));
    let creatures = vec![rail([-0.3, 2.4], 0.22, LENGTH, 0.28, dive), driven(-0.3, -0.22, SPEED, &[(0.0, 0.0)])];
    let mut scene = scene("A LEDGE OF 0.4 BODY LENGTHS: NORTH DRIVEN, SOUTH REPORTED", origin, terrain, creatures);
    scene.looks = both([0.2, 0.17], [2.3, 0.56, 0.3], 1.0);
    scene
}

/// A pit of 0.3 m by 3 m beside a body of 8 m, in proportion.
fn pit(origin: DVec3, profile: Profile, size: f64) -> Scene {
    let [wide, deep] = [0.3, 3.0].map(|metres| metres / 8.0 * LENGTH * size);
    let (length, neck) = (LENGTH * size, NECK * size);
    // Walls lean over one cell, so that the mouth is as wide as said.
    let cell = wide / 8.0;
    let plot = Plot { corner: [-(2.0 * size / cell).round() * cell, -0.5 * size], size: [4.8 * size, size], cell };
    let height = |x: f64, _: f64| if (x - 0.5 * wide).abs() < 0.5 * (wide - cell) { -deep } else { 0.0 };
    let terrain = Terrain::from(field(plot, origin, height));
    let speed = 0.3 * size;
    let creatures = vec![
        rail([-0.3 * size, 2.3 * size], 0.22 * size, length, 0.93 * speed, move |_, _| neck),
        driven(-0.3 * size, -0.22 * size, speed as f32, &[(0.0, 0.0)]),
    ];
    let mut scene = scene("A NARROW DEEP PIT: NORTH DRIVEN, SOUTH REPORTED", origin, terrain, creatures);
    scene.profile = profile;
    scene.looks = both([0.2, -0.13], [2.3, 0.5, 0.3], size);
    scene
}

/// A channel along z with steep sides and level banks, as a mesh.
fn half_pipe(origin: DVec3) -> Scene {
    const RADIUS: f64 = 0.45;
    let arc = |i: i32| {
        let angle = (f64::from(i) * 3.5_f64).to_radians();
        [RADIUS * angle.sin(), RADIUS * (1.0 - angle.cos())]
    };
    let mut line: Vec<[f64; 2]> = (-22..=22).map(arc).collect();
    let [[left, bank], [right, _]] = [line[0], line[44]];
    line.insert(0, [left - 1.6, bank]);
    line.push([right + 1.6, bank]);
    let terrain = Terrain::from(extruded(&line, [-2.4, 1.6], 40, origin));
    let path = rail([-0.6, 2.0], 0.3, LENGTH, 0.27, touching(&terrain, origin, NECK));
    let along = driven(-0.28, -1.2, SPEED, &[(0.0, 90.0), (2.0, 60.0), (4.0, 120.0), (6.0, 60.0)]);
    let creatures = vec![path, driven(-0.6, -0.22, SPEED, &[(0.0, 0.0)]), along];
    let mut scene = scene("A HALF-PIPE, A MESH: ACROSS AND ALONG", origin, terrain, creatures);
    scene.seconds = 9.0;
    scene.looks = both([0.0, 0.18], [2.2, 0.62, 0.3], 1.0);
    scene.looks.push(Look { unrolled: true, ..follow(2, [1.4, 0.35, 0.6]) });
    scene
}

fn boulders(origin: DVec3) -> Scene {
    let plot = Plot { corner: [-1.8, -1.2], size: [4.8, 2.4], cell: 0.015 };
    let height = |x: f64, z: f64| 0.03 * rough(1.4 * x, 1.4 * z) + soil(x, z);
    let mut set = TerrainSet::new();
    set.insert(field(plot, origin, height)).expect("a set takes parts");
    for i in 0..26 {
        let [u, v, w] = [0.618_034, 0.754_878, 0.549_7].map(|step| (f64::from(i) * step).fract());
        let [x, z, radius] = [0.15 + 2.0 * u, -0.9 + 1.8 * v, 0.035 + 0.1 * w * w];
        let centre = DVec3::new(x, height(x, z) + 0.25 * radius, z);
        set.insert(rock(centre, radius, f64::from(i), origin)).expect("a set takes parts");
    }
    let go = |z: f64, x: f64| driven(x, z, SPEED, &[(0.0, 0.0), (2.5, 18.0), (5.0, -18.0)]);
    let creatures = vec![go(-0.5, -0.1), go(0.0, 0.0), go(0.45, -0.15)];
    let mut scene = scene("ROCKS ON ROUGH GROUND: A FIELD AND 26 MESHES", origin, set, creatures);
    scene.looks = (0..3).map(|i| Look { unrolled: true, ..follow(i, [1.2, 0.4, 0.6]) }).collect();
    scene
}

fn cave(origin: DVec3) -> Scene {
    let floor = |x: f64, z: f64| 0.02 * rough(2.0 * x, 2.0 * z);
    let roof = |x: f64, z: f64| 0.13 + 0.03 * rough(2.6 * x + 1.0, 2.6 * z) - 0.03 * rough(9.0 * x, 9.0 * z).max(0.0);
    let mut set = TerrainSet::new();
    let wide = Plot { corner: [-1.8, -0.7], size: [4.8, 1.4], cell: 0.05 };
    set.insert(sheet(wide, origin, floor)).expect("a set takes parts");
    let inner = Plot { corner: [-0.05, -0.5], size: [1.4, 1.0], cell: 0.025 };
    let ceiling = slab(inner, origin, roof, |x, z| 0.24 + 0.03 * rough(2.0 * x, 2.0 * z));
    set.insert(ceiling).expect("a set takes parts");
    let terrain = Terrain::from(set);
    let under = |x: f64, z: f64| {
        let rests = terrain.rest_under(origin.x + x, origin.y + 0.06, origin.z + z, NECK as f32);
        rests.expect("there is a floor") - origin.y
    };
    let path = rail([-0.3, 2.2], 0.2, LENGTH, 0.27, under);
    let creatures = vec![path, driven(-0.3, -0.2, SPEED, &[(0.0, 0.0)])];
    let mut scene = scene("A CAVE OF MESHES: NORTH DRIVEN, SOUTH REPORTED", origin, terrain, creatures);
    scene.looks = both([0.6, 0.11], [2.3, 0.42, 0.3], 1.0);
    scene.looks.iter_mut().for_each(|look| look.plan_below_m = 0.06);
    scene
}

/// A shelf of rock that sticks out over lower ground, thin enough to tunnel through.
fn overhang(origin: DVec3) -> Scene {
    let mut set = TerrainSet::new();
    let plot = Plot { corner: [-1.8, -0.8], size: [4.6, 1.6], cell: 0.02 };
    let base = |x: f64, z: f64| 0.17 * (1.0 - ease(-0.3, -0.2, x)) + 0.5 * soil(x, z);
    set.insert(field(plot, origin, base)).expect("a set takes parts");
    let shelf = Plot { corner: [-0.6, -0.6], size: [0.9, 1.2], cell: 0.05 };
    let top = |x: f64, z: f64| 0.172 + 0.3 * soil(x, z);
    set.insert(slab(shelf, origin, |x, z| top(x, z) - 0.03, top)).expect("a set takes parts");
    // Off the shelf, round, and back under it would be a controller's art; this one goes out and down.
    let dive = |x: f64, _: f64| NECK + 0.0015 + 0.174 * (1.0 - ease(0.36, 0.56, x));
    let mut walker = driven(-0.1, -0.22, SPEED, &[(0.0, 0.0)]);
    if let Creature::Driven { head, .. } = &mut walker {
        // Of the two floors there it starts on the upper.
        head.y = 1.0;
    }
    let creatures = vec![rail([-0.1, 2.3], 0.22, LENGTH, 0.27, dive), walker];
    let mut scene = scene("A SHELF OF 3 cm OVER LOWER GROUND", origin, set, creatures);
    scene.looks = both([0.3, 0.1], [2.3, 0.4, 0.3], 1.0);
    scene
}

fn jacksboro(origin: DVec3) -> Scene {
    let field = serpentarium::Heightfield::embedded("jacksboro").expect("it is embedded");
    let corner = DVec3::from(field.origin());
    let field = field.at_origin((corner + origin).into()).expect("the origin is in range");
    let wander = |i: u32| {
        let [u, v, w] = [0.618_034, 0.754_878, 0.549_7].map(|step| (f64::from(i) * step).fract() - 0.5);
        let turn = 360.0 * w as f32;
        let ways: Vec<(f64, f32)> =
            (0..6).map(|k| (1.5 * f64::from(k), turn + 50.0 * if k % 2 == 0 { 1.0 } else { -1.0 })).collect();
        driven(360.0 * u, 380.0 * v, SPEED, &ways)
    };
    let mut scene = scene("THE MAP, 64 GRASS SNAKES", origin, field, (0..64).map(wander).collect());
    let close = |i: usize| Look { unrolled: true, ..follow(i, [1.3, 0.5, 0.7]) };
    scene.looks = vec![close(5), close(23), Look { once: true, ..look(5, [0.0, 6.0, 0.0], [402.0, 30.0, 424.0]) }];
    scene
}
