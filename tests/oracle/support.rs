//! What the oracle tests share: random cases, and what one creature is at one moment, in f64.

use glam::DVec3;
use proptest::prelude::*;
use serpentarium::batch::{BlockState, Vec8, flag, lane3, unpack_direction};
use serpentarium::profile::Head;
use serpentarium::reference::body::Joint;
use serpentarium::reference::record::{Knot, Path};
use serpentarium::terrain::{HeightGrid, Plane};
use serpentarium::{Heightfield, Profile, Quality, SerpentBatch, SerpentId, Terrain};

/// A small generator of its own (splitmix64), so that a schedule is one seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn range(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }
    pub fn direction(&mut self, steepest: f64) -> DVec3 {
        let (yaw, pitch) = (self.range(-3.1, 3.1), self.range(-steepest, steepest));
        DVec3::new(yaw.sin() * pitch.cos(), pitch.sin(), yaw.cos() * pitch.cos())
    }
}

/// The grounds of the cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    None,
    Flat,
    Tilted,
    Field,
}

impl Ground {
    /// For bodies of this length: a field's hills are of their size.
    pub fn terrain(self, length: f64, seed: u64) -> Terrain {
        match self {
            Self::None => Terrain::None,
            Self::Flat => Terrain::flat(0.7),
            Self::Tilted => Terrain::from(Plane::tilted(-0.3, [0.36, 0.8, -0.48]).unwrap()),
            Self::Field => field(length, seed),
        }
    }
}

/// Gentle random hills over 65 x 65 samples, ten body lengths either way.
pub fn field(length: f64, seed: u64) -> Terrain {
    let mut random = Random(seed);
    let waves: Vec<[f64; 4]> = (0..6)
        .map(|_| [random.range(-0.25, 0.25), random.range(-0.25, 0.25), random.range(0.0, 6.0), random.range(0.0, 0.2)])
        .collect();
    let height = |x: f64, z: f64| waves.iter().map(|w| w[3] * length * (w[0] * x + w[1] * z + w[2]).sin()).sum::<f64>();
    let heights = (0..65 * 65).map(|i| height(f64::from(i % 65), f64::from(i / 65)) as f32).collect();
    let cell = 0.3125 * length;
    let grid = HeightGrid {
        columns: 65,
        rows: 65,
        cell_x_m: cell,
        cell_z_m: cell,
        origin: [-32.0 * cell, 0.2, -32.0 * cell],
        heights,
        holes: Vec::new(),
    };
    Terrain::from(Heightfield::from_heights(grid).unwrap())
}

/// A random species and how it is run.
#[derive(Clone, Debug)]
pub struct Case {
    pub joints: usize,
    pub length: f64,
    pub radii: [f64; 3],
    pub amplitude_deg: f64,
    pub cycles: f64,
    pub turn_deg_s: f64,
    pub guided: bool,
    pub bend_deg: f64,
    pub wave: [f64; 2],
    pub scale: f32,
    pub hz: f32,
    pub quality: Quality,
    pub ground: Ground,
    pub grows: bool,
    pub seed: u64,
}

/// Any case.
pub fn cases() -> impl Strategy<Value = Case> {
    let shape = (2_usize..=64, 0.2..20.0, proptest::array::uniform3(0.003..0.02));
    let gait = (0.0..60.0, 0.0..4.0, 5.0_f64..360.0, proptest::bool::weighted(0.85));
    let wave = (prop_oneof![Just(0.0), 1.0..40.0], [0.0..3.0, -360.0..360.0_f64]);
    let tick = (0.3_f32..3.0, proptest::sample::select(vec![30.0, 60.0, 144.0, 240.0]));
    let quality = proptest::sample::select(vec![Quality::Low, Quality::High]);
    let ground = proptest::sample::select(vec![Ground::None, Ground::Flat, Ground::Tilted, Ground::Field]);
    (shape, gait, wave, tick, quality, ground, (any::<bool>(), any::<u64>())).prop_map(
        |(
            (joints, length, radii),
            (amplitude_deg, cycles, turn_deg_s, guided),
            (bend_deg, wave),
            (scale, hz),
            quality,
            ground,
            (grows, seed),
        )| {
            // No more than 17 degrees a tick.
            let turn_deg_s = f64::min(turn_deg_s, 17.0 * f64::from(hz));
            // Half of them thick beside the distance between their knots.
            let least = if seed % 2 == 0 { 0.3 / (joints - 1) as f64 } else { 0.0 };
            let radii = radii.map(|share: f64| f64::min(share + least, 0.2));
            Case {
                joints,
                length,
                radii,
                amplitude_deg,
                cycles,
                turn_deg_s,
                guided,
                bend_deg,
                wave,
                scale,
                hz,
                quality,
                ground,
                grows,
                seed,
            }
        },
    )
}

impl Case {
    pub fn profile(&self) -> Profile {
        let [front, middle, tail] = self.radii.map(|share| share * self.length);
        let side = [0.01, 0.02, 0.03].map(|share| share * self.length);
        Profile::builder("case")
            .length_m(self.length)
            .joints(self.joints)
            .radius_m([(0.0, front), (0.4, middle), (1.0, tail)])
            .steering_amplitude_deg(self.amplitude_deg)
            .steering_cycles(self.cycles)
            .max_turn_speed_deg_s(self.turn_deg_s)
            .head_guided(self.guided)
            .wave_bend_deg(self.bend_deg)
            .wave_cycles(self.wave[0])
            .wave_phase_deg(self.wave[1])
            .wave_amplitude([(0.0, 0.3), (1.0, 1.0)])
            .head(Head::builder("guide").offset_m(side))
            .head(Head::builder("second").offset_m([-side[0], side[1], 0.0]))
            .build()
            .unwrap()
    }
    /// Body length in metres, its scale included.
    pub fn body(&self) -> f64 {
        self.length * f64::from(self.scale)
    }
    pub fn terrain(&self) -> Terrain {
        self.ground.terrain(self.body(), self.seed ^ 77)
    }
}

/// One creature at one moment, through the public interface.
#[derive(Clone)]
pub struct Shot {
    pub state: BlockState,
    pub lane: usize,
    pub per_segment: usize,
    pub head: DVec3,
    pub knots: Vec<Knot>,
    /// With the dorsals as they are packed.
    pub joints: Vec<Joint>,
}

impl Shot {
    pub fn of(batch: &SerpentBatch, id: SerpentId) -> Self {
        let (cohort, slot) = batch.slot(id).unwrap();
        let cohort = &batch.cohorts()[cohort];
        let (block, lane, count) = (slot / 8, slot % 8, cohort.shape().joints);
        let rows = &cohort.joints()[block * count..(block + 1) * count];
        let joints = batch.joints(id).unwrap().zip(rows).map(|(at, row)| {
            let dorsal = DVec3::from(unpack_direction(row[3][lane]).map(f64::from));
            Joint { at, dorsal }
        });
        let knots = batch.knots(id).unwrap().map(|knot| Knot { at: knot.position, dorsal: knot.dorsal.as_dvec3() });
        Self {
            state: cohort.blocks()[block].clone(),
            lane,
            per_segment: cohort.shape().knots_per_segment,
            head: batch.head(id).unwrap(),
            knots: knots.collect(),
            joints: joints.collect(),
        }
    }

    pub fn vector(&self, field: &Vec8) -> DVec3 {
        DVec3::from(lane3(field, self.lane).map(f64::from))
    }
    pub fn scalar(&self, field: &[f32; 8]) -> f64 {
        f64::from(field[self.lane])
    }
    pub fn has(&self, bits: u32) -> bool {
        self.state.has(self.lane, bits)
    }
    /// What a failure's message says of the moment.
    pub fn describe(&self) -> String {
        let (segment, history) = (self.scalar(&self.state.scale), self.scalar(&self.state.history_scale));
        let pen = self.vector(&self.state.pen) - DVec3::from(lane3(&self.state.head, self.lane));
        format!(
            "grown {:.3}, pen lags {:.3}, travelled {}",
            segment / history,
            pen.length(),
            self.state.travelled[self.lane]
        )
    }
    /// Whether knots of the path are further apart than the spacing, as after backing up beside the path.
    pub fn has_long_link(&self) -> bool {
        let most = 1.001 * self.scalar(&self.state.spacing) + 2.0 * self.grain();
        self.knots.windows(2).any(|pair| (pair[0].at - pair[1].at).length() > most)
    }
    /// Whether the body has grown since its knots were laid.
    pub fn has_grown(&self) -> bool {
        self.state.scale[self.lane] != self.state.history_scale[self.lane]
    }
    /// Whether the path turns back on itself within one link.
    pub fn has_fold(&self) -> bool {
        let back = |knots: &[Knot]| {
            let (a, b) = (knots[0].at - knots[1].at, knots[1].at - knots[2].at);
            a.dot(b) < -0.2 * a.length() * b.length()
        };
        self.knots.windows(3).any(back)
    }
    pub fn segment(&self) -> f64 {
        self.scalar(&self.state.segment)
    }
    /// Length that a stored coordinate is exact to: the grid of the knots, and f32 at the far end of the body.
    pub fn grain(&self) -> f64 {
        self.scalar(&self.state.cell) * 4.0 / 2_097_152.0
    }
    /// What headings turn about.
    pub fn axis(&self) -> DVec3 {
        self.normal().filter(|_| self.has(flag::GROUNDED)).unwrap_or(self.vector(&self.state.dorsal))
    }
    pub fn normal(&self) -> Option<DVec3> {
        Some(self.vector(&self.state.ground)).filter(|normal| *normal != DVec3::ZERO)
    }
    /// Gait and wave, in turns.
    pub fn phase(&self) -> f64 {
        f64::from(self.state.phase[self.lane]) / 4_294_967_296.0
    }
    pub fn wave_phase(&self) -> f64 {
        f64::from(self.state.wave_phase[self.lane]) / 4_294_967_296.0
    }
    /// The path, with the newest committed knot's dorsal as it is before packing.
    pub fn path(&self, profile: &Profile) -> Path {
        let mut knots = self.knots.clone();
        knots[0].at = self.head;
        knots[1].dorsal = self.vector(&self.state.knot_dorsal);
        let diameter = 2.0 * f64::from(profile.radius_m()[0]) * self.scalar(&self.state.scale);
        Path { knots, spacing: self.scalar(&self.state.spacing), per_segment: self.per_segment, diameter, facing: None }
    }
}

/// How far a point is from a polyline.
pub fn distance_to(way: &[DVec3], point: DVec3) -> f64 {
    let to_link = |pair: &[DVec3]| {
        let (a, d) = (pair[0], pair[1] - pair[0]);
        let u = ((point - a).dot(d) / d.length_squared().max(1e-300)).clamp(0.0, 1.0);
        (a + d * u - point).length()
    };
    way.windows(2).map(to_link).fold(f64::INFINITY, f64::min)
}
