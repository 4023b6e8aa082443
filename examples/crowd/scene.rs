//! The scene: where the serpents start, and how each of them wanders. Only + - * / and sqrt, so that a seed gives the
//! same crowd on every machine.

use crate::relief::Relief;
use serpentarium::{Profile, ProfileId, Quality, Result, SerpentBatch, SerpentId, Spawn, Terrain};

/// Creatures spawned at once: more would only hold more memory.
const CHUNK: usize = 65_536;
/// Level ground holds one serpent in a square of so many body lengths.
const FLAT_SPACING: f64 = 3.0;

/// SplitMix64: small, and good enough to scatter snakes.
#[derive(Clone, Copy, Debug)]
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// From `low` to `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }

    /// A unit vector in the plane: from the square into the disc by trial, for want of a sine.
    fn direction(&mut self) -> [f32; 2] {
        loop {
            let [x, z] = [self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
            let square = x * x + z * z;
            if square > 0.01 && square <= 1.0 {
                return normalized([x, z]);
            }
        }
    }
}

fn normalized([x, z]: [f32; 2]) -> [f32; 2] {
    let length = (x * x + z * z).sqrt();
    [x / length, z / length]
}

/// Where the serpents stay: the map without a margin in which they can turn.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: [f64; 2],
    high: [f64; 2],
}

impl Range {
    fn new(relief: &Relief, profile: &Profile) -> Self {
        let turning = f64::from(profile.speed_m_s()) / f64::from(profile.max_turn_speed_rad_s()).max(0.1);
        let size = relief.size_m();
        let margin = size.map(|extent| (1.4 * f64::from(profile.length_m()) + 1.5 * turning).min(0.25 * extent));
        Self {
            low: [0, 1].map(|i| relief.corner_m[i] + margin[i]),
            high: [0, 1].map(|i| relief.corner_m[i] + size[i] - margin[i]),
        }
    }
}

/// One serpent's mind.
#[derive(Clone, Debug)]
struct Wanderer {
    random: Random,
    direction: [f32; 2],
    /// Turn rate in radians a second, and where it is going.
    turn: f32,
    wanted_turn: f32,
    /// Seconds until it changes its mind.
    patience_s: f32,
    /// x and z of where it started, which is on ground.
    home: [f64; 2],
}

impl Wanderer {
    fn new(seed: u64, number: usize) -> Self {
        let mut random = Random(seed ^ (number as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
        let direction = random.direction();
        Self { random, direction, turn: 0.0, wanted_turn: 0.0, patience_s: 0.0, home: [0.0; 2] }
    }

    /// Where it would go now, from a place.
    fn steer(&mut self, dt: f32, fastest: f32, at: [f64; 2], range: &Range) -> [f32; 3] {
        self.patience_s -= dt;
        if self.patience_s <= 0.0 {
            self.patience_s = self.random.between(0.8, 2.6);
            self.wanted_turn = self.random.between(-fastest, fastest);
        }
        self.turn += (self.wanted_turn - self.turn) * (1.5 * dt).min(1.0);
        let [x, z] = self.direction;
        let angle = self.turn * dt;
        self.direction = normalized([x - z * angle, z + x * angle]);
        for (i, wish) in self.direction.iter_mut().enumerate() {
            // Beyond the range it wants back, whatever it wanted before.
            if at[i] < range.low[i] {
                *wish = wish.abs().max(0.3);
            } else if at[i] > range.high[i] {
                *wish = -wish.abs().max(0.3);
            }
        }
        [self.direction[0], 0.0, self.direction[1]]
    }

    /// Turns it home where the ground ends so far ahead.
    fn shun_holes(&mut self, relief: &Relief, at: [f64; 2], ahead_m: f64) {
        let there = [0, 1].map(|i| at[i] + ahead_m * f64::from(self.direction[i]));
        let home = [0, 1].map(|i| (self.home[i] - at[i]) as f32);
        if home[0].hypot(home[1]) > 1e-3 && (!relief.contains(there[0], there[1]) || relief.is_hole(there[0], there[1]))
        {
            self.direction = normalized(home);
        }
    }
}

/// A crowd of one species that wanders over a map.
pub struct Crowd {
    pub batch: SerpentBatch,
    pub ids: Vec<SerpentId>,
    profile: ProfileId,
    range: Range,
    fastest_turn: f32,
    wanderers: Vec<Wanderer>,
    heads: Vec<[f64; 2]>,
    /// Where ground is, if it is not everywhere, and how far ahead its end is seen.
    patchy: Option<(Relief, f64)>,
}

/// The square of level ground for a count.
pub fn flat_side_m(profile: &Profile, count: u32) -> f64 {
    FLAT_SPACING * f64::from(profile.length_m()) * f64::from(count).sqrt().max(6.0)
}

impl Crowd {
    /// Spreads `count` serpents over the map.
    pub fn spawn(
        mut batch: SerpentBatch,
        relief: &Relief,
        profile: Profile,
        quality: Quality,
        count: u32,
        seed: u64,
    ) -> Result<Self> {
        let range = Range::new(relief, &profile);
        let (speed, fastest_turn) = (profile.speed_m_s(), (0.45 * profile.max_turn_speed_rad_s()).min(0.9));
        // A swimmer keeps the height at which it starts: above all ground.
        let height_m = relief.range_m[1] + f64::from(profile.length_m());
        let length_m = f64::from(profile.length_m());
        let profile = batch.add_profile(profile);
        batch.reserve(profile, quality, count as usize)?;
        let mut wanderers: Vec<_> = (0..count as usize).map(|number| Wanderer::new(seed, number)).collect();
        let places: Vec<_> = spread(count as usize, &range).collect();
        let ground = Ground {
            terrain: batch.terrain().clone(),
            cells: if relief.has_holes() { relief.whole_cells() } else { Vec::new() },
        };
        let patchy = relief.has_holes().then(|| (relief.clone(), length_m));
        let mut ids = Vec::with_capacity(count as usize);
        for (first, chunk) in (0..).step_by(CHUNK).zip(wanderers.chunks_mut(CHUNK)) {
            let place = |(number, wanderer): (usize, &mut Wanderer)| {
                let at = ground.place(&places[first + number], &mut wanderer.random, &range);
                wanderer.home = at;
                let scale = wanderer.random.between(0.7, 1.4);
                let pace = wanderer.random.between(0.85, 1.15);
                let [x, z] = wanderer.direction;
                Spawn::at(profile, [at[0], height_m, at[1]])
                    .facing([x, 0.0, z])
                    .scale(scale)
                    .quality(quality)
                    .driven(pace * speed * scale)
                    .tag((first + number) as u64)
            };
            let spawns: Vec<_> = chunk.iter_mut().enumerate().map(place).collect();
            ids.extend(batch.spawn_many(&spawns)?);
        }
        let heads = vec![[0.0; 2]; ids.len()];
        Ok(Self { batch, ids, profile, range, fastest_turn, wanderers, heads, patchy })
    }

    /// Every serpent's steering for the next tick, into the batch's guidance slices.
    pub fn steer(&mut self, dt: f32) -> Result<()> {
        for (head, id) in self.heads.iter_mut().zip(&self.ids) {
            let at = self.batch.head(*id)?;
            *head = [at.x, at.z];
        }
        for slices in self.batch.controls_mut(self.profile) {
            for (guidance, tag) in slices.guidance.iter_mut().zip(slices.tags) {
                let number = *tag as usize;
                let wanderer = &mut self.wanderers[number];
                if let Some((relief, ahead_m)) = &self.patchy {
                    wanderer.shun_holes(relief, self.heads[number], *ahead_m);
                }
                *guidance = wanderer.steer(dt, self.fastest_turn, self.heads[number], &self.range);
            }
        }
        Ok(())
    }
}

/// Where serpents can be put down.
struct Ground {
    terrain: Terrain,
    /// Middles of cells that surely have ground.
    cells: Vec<[f64; 2]>,
}

impl Ground {
    /// A place on ground in or near a cell of the spawn grid, and, where there is none, anywhere.
    fn place(&self, cell: &Cell, random: &mut Random, range: &Range) -> [f64; 2] {
        let is_ground = |at: &[f64; 2]| self.terrain.sample(at[0], at[1]).is_some();
        let near = (0..8).map(|_| cell.jittered(random, range)).find(is_ground);
        near.unwrap_or_else(|| {
            let pick = (random.bits() % self.cells.len().max(1) as u64) as usize;
            self.cells.get(pick).copied().unwrap_or(cell.middle)
        })
    }
}

/// A cell of the spawn grid.
#[derive(Clone, Copy, Debug)]
struct Cell {
    middle: [f64; 2],
    half: [f64; 2],
}

impl Cell {
    /// A place in it or in a cell beside it, so that there are meetings and empty places.
    fn jittered(&self, random: &mut Random, range: &Range) -> [f64; 2] {
        [0, 1].map(|i| {
            let place = self.middle[i] + 2.5 * self.half[i] * f64::from(random.between(-1.0, 1.0));
            // What would fall beyond the range is mirrored into it: clamped, it would line the edge.
            let inside = if place < range.low[i] { 2.0 * range.low[i] - place } else { place };
            if inside > range.high[i] { 2.0 * range.high[i] - inside } else { inside }
        })
    }
}

/// Cells for a count over a range: rows of nearly square cells, each row with its even share of the count.
fn spread(count: usize, range: &Range) -> impl Iterator<Item = Cell> {
    let size = [0, 1].map(|i| range.high[i] - range.low[i]);
    let rows = ((count as f64 * size[1] / size[0]).sqrt().round() as usize).clamp(1, count.max(1));
    let low = range.low;
    (0..rows).flat_map(move |row| {
        let columns = count * (row + 1) / rows - count * row / rows;
        let half = [0.5 * size[0] / columns.max(1) as f64, 0.5 * size[1] / rows as f64];
        (0..columns).map(move |column| {
            let steps = [column, row].map(|step| 2.0 * step as f64 + 1.0);
            Cell { middle: [0, 1].map(|i| low[i] + steps[i] * half[i]), half }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serpentarium::terrain::{MeshSource, TriangleMesh};

    fn crowd(count: u32, seed: u64, side_m: f64) -> Crowd {
        let batch = SerpentBatch::new(Terrain::flat(0.0));
        let profile = Profile::embedded("grass-snake").unwrap();
        Crowd::spawn(batch, &Relief::flat(0.0, side_m), profile, Quality::Low, count, seed).unwrap()
    }

    #[test]
    fn any_count_fills_the_range_evenly() {
        let range = Range { low: [-10.0, 0.0], high: [30.0, 20.0] };
        for count in [0, 1, 2, 7, 100, 1001] {
            let cells: Vec<_> = spread(count, &range).collect();
            assert_eq!(cells.len(), count);
            let area: f64 = cells.iter().map(|cell| 4.0 * cell.half[0] * cell.half[1]).sum();
            assert!(count == 0 || (area - 800.0).abs() < 1e-6, "{count} cells cover {area} m2");
        }
    }

    #[test]
    fn a_seed_is_a_crowd() {
        let hash = |seed| {
            let mut crowd = crowd(20, seed, 40.0);
            for _ in 0..10 {
                crowd.steer(0.02).unwrap();
                crowd.batch.step(0.02).unwrap();
            }
            crowd.batch.state_hash()
        };
        assert_eq!(hash(1), hash(1));
        assert_ne!(hash(1), hash(2));
    }

    #[test]
    fn nobody_leaves_the_map() {
        let mut crowd = crowd(60, 3, 14.0);
        for _ in 0..20 * 120 {
            crowd.steer(0.05).unwrap();
            crowd.batch.step(0.05).unwrap();
            let far = crowd.heads.iter().flatten().fold(0.0, |far: f64, at| far.max(at.abs()));
            assert!(far < 7.0, "a head is {far} m out");
        }
    }

    /// Two level squares of 8 m with 6 m of nothing between them, one 1 m higher, and a sliver.
    fn islands() -> Terrain {
        let square = |x: f32, y: f32| [[x, y, -4.0], [x + 8.0, y, -4.0], [x + 8.0, y, 4.0], [x, y, 4.0]];
        let positions = [square(-11.0, 0.0), square(3.0, 1.0), [[0.0, 9.0, 0.0]; 4]].concat();
        let indices = vec![[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 6, 7], [8, 9, 10]];
        let source = MeshSource { positions, indices, ..MeshSource::default() };
        TriangleMesh::from_triangles(source).unwrap().into()
    }

    #[test]
    fn on_islands_serpents_start_on_ground_and_stay_on_it() {
        let relief = crate::snapshot::relief(&islands(), 0.0).unwrap();
        let (batch, profile) = (SerpentBatch::new(islands()), Profile::embedded("grass-snake").unwrap());
        let mut crowd = Crowd::spawn(batch, &relief, profile, Quality::Low, 50, 7).unwrap();
        let grounded = |crowd: &Crowd| crowd.ids.iter().filter(|id| crowd.batch.grounded(**id).unwrap()).count();
        assert_eq!(grounded(&crowd), 50);
        for _ in 0..20 * 30 {
            crowd.steer(0.05).unwrap();
            crowd.batch.step(0.05).unwrap();
        }
        assert_eq!(grounded(&crowd), 50);
        for id in &crowd.ids {
            let head = crowd.batch.head(*id).unwrap();
            let radius = f64::from(crowd.batch.radii(*id).unwrap().next().unwrap());
            let ground = crowd.batch.terrain().sample(head.x, head.z).unwrap().height_m;
            assert!((head.y - ground - radius).abs() < 1e-4, "a head is {} m over ground", head.y - ground);
        }
    }
}
