//! scratch
use serpentarium::*;
#[path = "../../examples/zz_depth/crowd.rs"]
mod common;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let guard = args[1] == "on";
    let count: usize = args.get(2).map_or(2000, |s| s.parse().unwrap());
    let name = args.get(3).map_or("grass-snake", |s| s.as_str());
    let mut crowd = common::Crowd::new(count, name, guard);
    for _ in 0..300 {
        crowd.tick();
    }
    let ter = Terrain::embedded("jacksboro").unwrap();
    let limits = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3];
    let mut shares = [0u64; 8];
    let mut chord = [0u64; 8];
    let (mut n, mut worst, mut worstc, mut blocks, mut hit, mut hit1, mut worstm) =
        (0u64, 0f64, 0f64, 0u64, 0u64, 0u64, 0f64);
    let (mut corrected, mut largest) = (0u64, 0f32);
    for _ in 0..5 {
        for _ in 0..20 {
            let r = crowd.tick();
            corrected += r.counters.sections_corrected;
            largest = largest.max(r.measures.largest_correction_m);
        }
        let ids: Vec<_> = crowd.batch.ids().collect();
        for eight in ids.chunks(8) {
            let mut m = 0f64;
            let mut mc = 0f64;
            for &id in eight {
                let r: Vec<f32> = crowd.batch.radii(id).unwrap().collect();
                let j: Vec<_> = crowd.batch.joints(id).unwrap().collect();
                for i in 1..j.len() {
                    let d = |p: glam::DVec3, r: f64| {
                        ter.sample(p.x, p.z).map_or(-1.0, |g| (g.height_m - p.y) * f64::from(g.normal[1]) + r) / r
                    };
                    let s = d(j[i], r[i] as f64);
                    let c = d((j[i] + j[i - 1]) * 0.5, 0.5 * (r[i] + r[i - 1]) as f64);
                    n += 1;
                    worst = worst.max(s);
                    worstc = worstc.max(c);
                    worstm = worstm.max(s * r[i] as f64);
                    m = m.max(s);
                    mc = mc.max(c);
                    for k in 0..8 {
                        if s > limits[k] {
                            shares[k] += 1
                        }
                        if c > limits[k] {
                            chord[k] += 1
                        }
                    }
                }
            }
            blocks += 1;
            if m > 0.005 || mc > 0.05 {
                hit += 1
            }
            if m > 0.01 || mc > 0.05 {
                hit1 += 1
            }
        }
    }
    println!(
        "worst {worst} chord {worstc}, {worstm} m, hit {:.3} {:.3}; corrected a tick and creature {:.4}, largest {largest} m",
        hit as f64 / blocks as f64,
        hit1 as f64 / blocks as f64,
        corrected as f64 / 100.0 / count as f64
    );
    for k in 0..8 {
        println!("{} joints {:.5} chords {:.5}", limits[k], shares[k] as f64 / n as f64, chord[k] as f64 / n as f64)
    }
    let per = 1e9 / crowd.joints() as f64;
    for _ in 0..5 {
        let mut times = vec![];
        for stage in [Stage::Guard, Stage::Travel, Stage::Body, Stage::Bound] {
            let mut t: Vec<f64> = (0..15).map(|_| crowd.time_stages(&[stage]).as_secs_f64() * per).collect();
            t.sort_by(f64::total_cmp);
            times.push(format!("{} {:.2}", stage.name(), t[7]));
        }
        let mut t: Vec<f64> = (0..15).map(|_| crowd.time_stages(&Stage::ALL).as_secs_f64() * per).collect();
        t.sort_by(f64::total_cmp);
        println!("{} all {:.2}", times.join(", "), t[7]);
    }
}
