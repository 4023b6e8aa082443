//! Several grounds as one: a map, the boulders on it, the cave under it.
//!
//! Planes and heightfields are few and wide, and every query asks each. Meshes are found by their boxes: in a list where
//! there are few, in a tree where there are many, which is built when the set becomes a [`Terrain`](super::Terrain).

use super::heightfield::check_origin;
use super::slope::Slope;
use super::{Footing, GroundLanes, GroundSample, Heightfield, LANES, Nearby, Plane, TriangleMesh, plane_lanes};
use crate::broadphase::{Box3, Tree};
use crate::constants::PARTS_IN_A_LIST;
use crate::error::{Error, Result};
use std::sync::Arc;

/// Names a part of one [`TerrainSet`], for as long as the set lives: it is not given out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PartId(pub(super) u32);

impl PartId {
    /// How many parts were put into the set before this one.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One ground of a set. Several parts may share one mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A plane without end.
    Plane(Plane),
    /// A grid of heights.
    Heightfield(Arc<Heightfield>),
    /// Triangles of any shape.
    Mesh(Arc<TriangleMesh>),
}

/// A part and where it is.
#[derive(Debug, Clone, PartialEq)]
struct Placed {
    id: PartId,
    part: Part,
    /// World metres that it is moved by.
    offset: [f64; 3],
}

/// A tree over the meshes.
#[derive(Debug, Clone, PartialEq)]
struct Index {
    /// What boxes are relative to.
    base: [f64; 3],
    /// A box each for `meshes`.
    tree: Tree,
    /// Places in `parts`.
    meshes: Vec<u32>,
    /// The parts that are no meshes.
    others: Vec<u32>,
}

/// Several grounds as one. Edited by its owner; a batch is given a copy, which costs a few bytes a part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TerrainSet {
    /// By rising id.
    parts: Vec<Placed>,
    next: u32,
    version: u64,
    /// `None` where there are few meshes, and after an edit.
    index: Option<Index>,
}

impl From<Plane> for Part {
    fn from(plane: Plane) -> Self {
        Self::Plane(plane)
    }
}

impl From<Heightfield> for Part {
    fn from(field: Heightfield) -> Self {
        Self::Heightfield(Arc::new(field))
    }
}

impl From<Arc<Heightfield>> for Part {
    fn from(field: Arc<Heightfield>) -> Self {
        Self::Heightfield(field)
    }
}

impl From<TriangleMesh> for Part {
    fn from(mesh: TriangleMesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl From<Arc<TriangleMesh>> for Part {
    fn from(mesh: Arc<TriangleMesh>) -> Self {
        Self::Mesh(mesh)
    }
}

impl TerrainSet {
    /// A set without parts: every query misses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part where its own origin has it.
    ///
    /// # Errors
    /// [`Error::Value`] where 2^32 - 1 parts were added already.
    pub fn insert(&mut self, part: impl Into<Part>) -> Result<PartId> {
        if self.next == u32::MAX {
            return Err(Error::value("parts", self.next, "4294967295 in a set's life"));
        }
        let id = PartId(self.next);
        self.next += 1;
        self.parts.push(Placed { id, part: part.into(), offset: [0.0; 3] });
        self.edited();
        Ok(id)
    }

    /// Puts another ground in the place of a part, moved as that was.
    ///
    /// # Errors
    /// [`Error::Value`] where the set has no such part.
    pub fn replace(&mut self, id: PartId, part: impl Into<Part>) -> Result<()> {
        let place = self.place(id)?;
        self.parts[place].part = part.into();
        self.edited();
        Ok(())
    }

    /// Takes a part out.
    ///
    /// # Errors
    /// [`Error::Value`] where the set has no such part.
    pub fn remove(&mut self, id: PartId) -> Result<Part> {
        let place = self.place(id)?;
        self.edited();
        Ok(self.parts.remove(place).part)
    }

    /// Moves a part by so many metres along x, y and z, on top of earlier moves.
    ///
    /// # Errors
    /// [`Error::Value`] where the set has no such part, or moves would add up to over 1e9 m.
    pub fn translate(&mut self, id: PartId, by: [f64; 3]) -> Result<()> {
        let place = self.place(id)?;
        let old = self.parts[place].offset;
        self.move_to(id, [0, 1, 2].map(|axis| old[axis] + by[axis]))
    }

    /// Moves a part to so many metres from where its own origin has it, whatever moves it had before.
    ///
    /// # Errors
    /// [`Error::Value`] where the set has no such part, or an offset is not within 1e9 m of 0.
    pub fn move_to(&mut self, id: PartId, offset: [f64; 3]) -> Result<()> {
        let place = self.place(id)?;
        check_origin(offset)?;
        self.parts[place].offset = offset;
        self.edited();
        Ok(())
    }

    /// Grows with every edit: equal versions of one set are equal sets.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts, and how far each was moved, by rising id.
    pub fn parts(&self) -> impl Iterator<Item = (PartId, &Part, [f64; 3])> {
        self.parts.iter().map(|placed| (placed.id, &placed.part, placed.offset))
    }

    fn place(&self, id: PartId) -> Result<usize> {
        let missing = |_| Error::value("part", id.0, "a part that is in the set");
        self.parts.binary_search_by_key(&id, |placed| placed.id).map_err(missing)
    }

    fn edited(&mut self) {
        self.version += 1;
        self.index = None;
    }

    /// The same set, with a tree over its meshes where they are many.
    pub(super) fn indexed(mut self) -> Self {
        let is_mesh = |&place: &u32| matches!(self.parts[place as usize].part, Part::Mesh(_));
        let (meshes, others): (Vec<u32>, Vec<u32>) = (0..self.parts.len() as u32).partition(is_mesh);
        if meshes.len() <= PARTS_IN_A_LIST {
            return self;
        }
        let base = self.parts[meshes[0] as usize].bounds()[0];
        let boxes: Vec<Box3> =
            meshes.iter().map(|&place| near_box(self.parts[place as usize].bounds(), base)).collect();
        // Boxes within 1e9 m of each other are always taken; without a tree the list would do.
        self.index = Tree::build(&boxes).ok().map(|tree| Index { base, tree, meshes, others });
        self
    }

    /// As [`Terrain::sample_under`](super::Terrain::sample_under).
    pub(super) fn sample_under(&self, x: f64, y: f64, z: f64) -> Option<GroundSample> {
        let mut best = None;
        self.each_other(|placed| best = higher(best, placed, placed.sample_under(x, y, z)));
        self.each_mesh(column(x, y, z), |placed| best = higher(best, placed, placed.sample_under(x, y, z)));
        best.map(|(_, sample)| sample)
    }

    /// As [`sample_under`](Self::sample_under), for eight points: wide parts in lanes, meshes one point at a time.
    #[inline(never)]
    pub(super) fn sample_under_lanes(&self, x: &[f64; LANES], y: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        let (mut ground, mut owner) = (GroundLanes::MISS, [PartId(u32::MAX); LANES]);
        self.each_other(|placed| {
            let found = placed.sample_lanes(x, z);
            for lane in 0..LANES {
                if found.hit[lane] && ground.loses(owner[lane], lane, found.height_m[lane], placed.id) {
                    owner[lane] = placed.id;
                    ground.hit[lane] = true;
                    ground.height_m[lane] = found.height_m[lane];
                    (0..3).for_each(|axis| ground.normal[axis][lane] = found.normal[axis][lane]);
                    ground.footing[lane] = Footing { part: placed.id, ..found.footing[lane] };
                }
            }
        });
        for lane in 0..LANES {
            self.each_mesh(column(x[lane], y[lane], z[lane]), |placed| {
                let found = placed.sample_under(x[lane], y[lane], z[lane]);
                if found.is_some_and(|found| ground.loses(owner[lane], lane, found.height_m, placed.id)) {
                    owner[lane] = placed.id;
                    ground.put(lane, found);
                }
            });
        }
        ground
    }

    /// The part that a footing is on, and how far it was moved.
    pub(super) fn part_of(&self, footing: Footing) -> Option<(&Part, [f64; 3])> {
        let Placed { part, offset, .. } = &self.parts[self.place(footing.part).ok()?];
        Some((part, *offset))
    }

    /// The triangle of a part on which (x, z) is.
    pub(super) fn slope_under(&self, footing: Footing, x: f64, z: f64) -> Option<Slope> {
        let (part, offset) = self.part_of(footing)?;
        let mut slope = part.slope_under(footing.face, x - offset[0], z - offset[2]);
        (0..3).for_each(|axis| slope.corner[axis] += offset[axis]);
        Some(slope)
    }

    /// As [`Terrain::gather`](super::Terrain::gather).
    pub(super) fn gather(&self, out: &mut Nearby) {
        self.each_other(|placed| match &placed.part {
            Part::Plane(plane) => out.add_plane(plane, placed.id, placed.offset),
            Part::Heightfield(field) => out.add_field(field, placed.id, placed.offset),
            Part::Mesh(_) => {}
        });
        self.each_mesh(out.bounds_m(), |placed| {
            if let Part::Mesh(mesh) = &placed.part {
                out.add_mesh(mesh, placed.id, placed.offset);
            }
        });
    }

    /// Planes and heightfields, by rising id.
    fn each_other<'a>(&'a self, mut visit: impl FnMut(&'a Placed)) {
        match &self.index {
            Some(index) => index.others.iter().for_each(|&place| visit(&self.parts[place as usize])),
            None => self.parts.iter().filter(|placed| !matches!(placed.part, Part::Mesh(_))).for_each(visit),
        }
    }

    /// Meshes whose boxes touch this one, in world metres.
    fn each_mesh<'a>(&'a self, probe: [[f64; 3]; 2], mut visit: impl FnMut(&'a Placed)) {
        // A little more than touching: the mesh itself decides, in f32.
        let touches = |[min, max]: [[f64; 3]; 2]| {
            (0..3).all(|axis| min[axis] - 1e-3 <= probe[1][axis] && probe[0][axis] <= max[axis] + 1e-3)
        };
        match &self.index {
            Some(index) => {
                for leaf in index.tree.walk(near_box(probe, index.base)) {
                    visit(&self.parts[index.meshes[leaf] as usize]);
                }
            }
            None => {
                for placed in &self.parts {
                    if matches!(placed.part, Part::Mesh(_)) && touches(placed.bounds()) {
                        visit(placed);
                    }
                }
            }
        }
    }
}

impl Placed {
    /// World metres; of a mesh alone, else all.
    fn bounds(&self) -> [[f64; 3]; 2] {
        match &self.part {
            Part::Mesh(mesh) => mesh.bounds_m().map(|side| [0, 1, 2].map(|axis| side[axis] + self.offset[axis])),
            _ => [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]],
        }
    }

    fn sample_under(&self, x: f64, y: f64, z: f64) -> Option<GroundSample> {
        let [x, y, z] = [x - self.offset[0], y - self.offset[1], z - self.offset[2]];
        let mut sample = match &self.part {
            Part::Plane(plane) => plane.sample(x, z),
            Part::Heightfield(field) => field.sample(x, z),
            Part::Mesh(mesh) => mesh.sample_under(x, y, z),
        }?;
        sample.height_m += self.offset[1];
        sample.footing.part = self.id;
        Some(sample)
    }

    /// Of what has no ceilings.
    fn sample_lanes(&self, x: &[f64; LANES], z: &[f64; LANES]) -> GroundLanes {
        let (x, z) = (x.map(|x| x - self.offset[0]), z.map(|z| z - self.offset[2]));
        let mut ground = match &self.part {
            Part::Plane(plane) => plane_lanes(plane, &x, &z),
            Part::Heightfield(field) => field.sample_lanes(&x, &z),
            Part::Mesh(_) => GroundLanes::MISS,
        };
        ground.height_m.iter_mut().for_each(|height| *height += self.offset[1]);
        ground
    }
}

impl GroundLanes {
    /// Whether a surface of another part takes the place of what the lane has: the higher does, of equals the lower id.
    fn loses(&self, owner: PartId, lane: usize, height_m: f64, id: PartId) -> bool {
        !self.hit[lane] || height_m > self.height_m[lane] || height_m == self.height_m[lane] && id < owner
    }
}

type Found = Option<(PartId, GroundSample)>;

/// The higher surface; of equals that of the lower id.
fn higher(best: Found, placed: &Placed, found: Option<GroundSample>) -> Found {
    let Some(found) = found else { return best };
    match best {
        Some((id, old)) if old.height_m > found.height_m || old.height_m == found.height_m && id < placed.id => best,
        _ => Some((placed.id, found)),
    }
}

/// The box of all points under (x, y, z).
fn column(x: f64, y: f64, z: f64) -> [[f64; 3]; 2] {
    // As far above as the meshes' own slack and the rounding of their boxes may reach.
    let top = y + 1e-3;
    [[x, f64::NEG_INFINITY, z], [x, top, z]]
}

/// The same box from `base`, a little larger where f32 is coarser.
fn near_box([min, max]: [[f64; 3]; 2], base: [f64; 3]) -> Box3 {
    let near = |side: f64, axis: usize| (side - base[axis]) as f32;
    Box3 {
        min: [0, 1, 2].map(|axis| near(min[axis], axis).next_down()),
        max: [0, 1, 2].map(|axis| near(max[axis], axis).next_up()),
    }
}
