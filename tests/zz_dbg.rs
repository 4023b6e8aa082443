mod common;
#[path = "guard/measure.rs"]
mod measure;
use common::*;
use glam::DVec3;
use measure::*;
use serpentarium::*;
fn folds(x: f64, z: f64) -> f64 {
    let fold = |t: f64, period: f64| (t / period - (t / period).round()).abs() * period;
    0.45 * fold(x, 6.0) + 0.3 * fold(x + 0.8 * z, 9.0)
}
fn dump(terrain: &Terrain, way: &dyn Fn(f64) -> DVec3, speed: f64, ticks: usize, depth: &dyn Fn(DVec3, f64) -> f64) {
    let mut worst = 0.0;
    let mut text = String::new();
    let (mut batch, id) =
        alone(terrain.clone(), guarded(true), |p| Spawn::at(p, way(0.0)).facing(X).motion(Motion::Reported));
    let (mut free, other) =
        alone(terrain.clone(), guarded(false), |p| Spawn::at(p, way(0.0)).facing(X).motion(Motion::Reported));
    for tick in 1..=ticks {
        let to = way(8.0 * speed * tick as f64 / 60.0);
        for (b, i) in [(&mut batch, id), (&mut free, other)] {
            let moved = (to - b.head(i).unwrap()).as_vec3();
            b.report_actual_displacement(i, moved, moved.normalize_or(X)).unwrap();
            b.step(DT).unwrap();
        }
        println!("TICK {tick} {:?}", batch.head(id).unwrap());
        let buried = depth(batch.head(id).unwrap(), 0.1);
        if buried > 0.3 {
            continue;
        }
        let d = depths(&batch, id, depth);
        if d.chord > worst {
            worst = d.chord;
            text = format!("tick {tick} {d:?} head depth {buried}\n");
            let (a, b) = (joints(&batch, id), joints(&free, other));
            let r: Vec<f64> = batch.radii(id).unwrap().map(f64::from).collect();
            for i in 0..a.len() {
                let along = |p: &Vec<DVec3>| -> String {
                    if i + 1 < p.len() {
                        (1..8)
                            .map(|k| {
                                let t = k as f64 / 8.0;
                                let rr = r[i] + t * (r[i + 1] - r[i]);
                                format!("{:6.2}", depth(p[i].lerp(p[i + 1], t), rr) / rr)
                            })
                            .collect()
                    } else {
                        String::new()
                    }
                };
                text += &format!(
                    "{i:2} r {:.3} guarded {:7.3} [{}]  free {:7.3} [{}] moved {:.3} at {:.2} bend {:.0}\n",
                    r[i],
                    depth(a[i], r[i]) / r[i],
                    along(&a),
                    depth(b[i], r[i]) / r[i],
                    along(&b),
                    (a[i] - b[i]).length(),
                    a[i],
                    if i > 0 && i + 1 < a.len() {
                        (a[i] - a[i - 1]).angle_between(a[i + 1] - a[i]).to_degrees()
                    } else {
                        0.0
                    }
                );
            }
        }
    }
    println!("{text}");
}
#[test]
fn dbg_field() {
    let terrain = field_of(grid(81, 1.0, folds));
    let way = |s: f64| DVec3::new(s - 20.0, 0.9 + 0.35 * (0.8 * s).sin(), 3.0 * (0.3 * s).sin());
    dump(&terrain, &way, 0.2, 600, &|at, r| open_depth(&terrain, at, r));
}
#[test]
fn dbg_mesh() {
    let grid = grid(49, 1.0, folds);
    let (triangles, terrain) = (triangles_of(&grid), mesh_of(&triangles_of(&grid)));
    let way = |s: f64| {
        let (x, z) = (s - 16.0, 2.0 * (0.3 * s).sin());
        DVec3::new(x, terrain.sample(x, z).unwrap().height_m + 0.15 - 0.1 * (0.5 + 0.5 * (1.3 * s).sin()), z)
    };
    dump(&terrain, &way, 1.0, 180, &|at, r| surface_depth(&triangles, at, r));
}

#[test]
fn dbg_wander() {
    let terrain = Terrain::embedded("jacksboro").unwrap();
    let run = |guard: bool, stop: Option<(u64, usize)>| {
        let mut batch = quiet(terrain.clone());
        let species = batch.add_profile(species_with("python", guard));
        let length = f64::from(batch.profile(species).unwrap().length_m());
        let mut random = Random(3);
        let spawns: Vec<Spawn> = (0..24)
            .map(|i| {
                let at = [random.between(-150.0, 150.0), 0.0, random.between(-150.0, 150.0)];
                let speed = length * [0.5, 1.0, 3.0][i % 3];
                Spawn::at(species, at).facing(random.heading()).tag(i as u64).driven(speed as f32)
            })
            .collect();
        let ids = batch.spawn_many(&spawns).unwrap();
        let (mut worst, mut place) = (0.0, (0, 0));
        for tick in 0..240 {
            steer(&mut batch, tick);
            batch.step(DT).unwrap();
            for (k, &id) in ids.iter().enumerate() {
                let d = depths(&batch, id, |at, radius| open_depth(&terrain, at, radius));
                if d.chord > worst {
                    (worst, place) = (d.chord, (tick, k));
                }
            }
            if let Some((t, k)) = stop
                && t == tick
            {
                let id = ids[k];
                return (place, joints(&batch, id), batch.radii(id).unwrap().map(f64::from).collect::<Vec<_>>());
            }
        }
        (place, vec![], vec![])
    };
    let (place, ..) = run(true, None);
    let (_, a, r) = run(true, Some(place));
    let (_, b, _) = run(false, Some(place));
    println!("tick {place:?}");
    let depth = |at, r| open_depth(&terrain, at, r);
    for i in 0..a.len() {
        let along = |p: &Vec<DVec3>| -> String {
            if i + 1 < p.len() {
                (1..8)
                    .map(|k| {
                        let t = k as f64 / 8.0;
                        let rr = r[i] + t * (r[i + 1] - r[i]);
                        format!("{:6.2}", depth(p[i].lerp(p[i + 1], t), rr) / rr)
                    })
                    .collect()
            } else {
                String::new()
            }
        };
        println!(
            "{i:2} r {:.4} guarded {:7.3} [{}]  free {:7.3} [{}] moved {:.5} at {:.3} ",
            r[i],
            depth(a[i], r[i]) / r[i],
            along(&a),
            depth(b[i], r[i]) / r[i],
            along(&b),
            (a[i] - b[i]).length(),
            a[i]
        );
    }
}

#[test]
fn dbg_wall() {
    let (gap, turn) = (0.25, 0.3);
    let wall = sheet(DVec3::new(-30.0, -3.0, 0.0), DVec3::X * 30.0, DVec3::Y * 6.0, 10);
    let way = |s: f64| {
        let half = std::f64::consts::PI * gap;
        match s {
            s if s < 10.0 + turn => DVec3::new(s - 10.0, 0.0, gap),
            s if s < 10.0 + turn + half => {
                let angle = (s - 10.0 - turn) / gap;
                DVec3::new(turn + gap * angle.sin(), 0.0, gap * angle.cos())
            }
            s => DVec3::new(turn - (s - 10.0 - turn - half), 0.0, -gap),
        }
    };
    dump(&mesh_of(&wall), &way, 0.375, 400, &|at, r| r - nearest(&wall, at));
}
