//! What a mesh is made of, and what of it is refused.

use super::refuse;
use crate::error::Result;
use crate::terrain::heightfield::check_origin;

/// Most triangles, and most positions: 900 MB of packets, far below what 32-bit indices would take.
const MAX_COUNT: usize = 1 << 24;
/// Largest coordinate: with it, squared lengths of edges stay inside f32.
const MAX_VERTEX_M: f64 = 1e6;

/// What a [`TriangleMesh`](super::TriangleMesh) is made of. Triangles may share positions or have each their own, be
/// wound either way, lie on each other or have no area.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshSource {
    /// What positions are relative to, in world metres: each within 1e9 m of 0.
    pub origin: [f64; 3],
    /// Metres from the origin: each within 1e6 m of 0. At most 2^24.
    pub positions: Vec<[f32; 3]>,
    /// A normal for each position, of any length. A triangle of which one is not finite, zero, on another side than the
    /// others, or far from its face's, is shaded with its face normal.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Three positions a triangle: 1 to 2^24 triangles.
    pub indices: Vec<[u32; 3]>,
}

/// What was found in a [`MeshSource`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeshReport {
    /// Triangles given.
    pub triangles: usize,
    /// Of those, how many have no area: left out.
    pub degenerate: usize,
    /// How many have the three corners of an earlier one, wound either way: left out.
    pub duplicate: usize,
    /// How many are shaded with their face normal although normals were given.
    pub flat_shaded: usize,
    /// Different positions among those that triangles use.
    pub vertices: usize,
    /// Edges with a triangle on one side alone.
    pub border_edges: usize,
    /// Edges on which three triangles or more meet.
    pub crowded_edges: usize,
    /// Edges whose two triangles are wound in opposite ways.
    pub flipped_edges: usize,
}

impl MeshReport {
    /// Triangles that queries can meet.
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.triangles - self.degenerate - self.duplicate
    }
}

impl MeshSource {
    pub(super) fn check(&self) -> Result<()> {
        check_origin(self.origin)?;
        for (field, count) in [("positions.len()", self.positions.len()), ("indices.len()", self.indices.len())] {
            if !(1..=MAX_COUNT).contains(&count) {
                return refuse(field, count, "1 to 16777216");
            }
        }
        if let Some(normals) = &self.normals
            && normals.len() != self.positions.len()
        {
            let allowed = format!("as many as positions, {}", self.positions.len());
            return refuse("normals.len()", normals.len(), &allowed);
        }
        for (index, position) in self.positions.iter().enumerate() {
            for (axis, &metres) in ["x", "y", "z"].into_iter().zip(position) {
                if !is_coordinate(f64::from(metres)) {
                    return check_coordinate(&format!("positions[{index}].{axis}"), f64::from(metres));
                }
            }
        }
        let count = self.positions.len();
        match self.indices.as_flattened().iter().position(|&index| index as usize >= count) {
            None => Ok(()),
            Some(at) => {
                let field = format!("indices[{}][{}]", at / 3, at % 3);
                refuse(&field, self.indices.as_flattened()[at], &format!("below positions.len() = {count}"))
            }
        }
    }
}

/// False for NaN.
fn is_coordinate(metres: f64) -> bool {
    (-MAX_VERTEX_M..=MAX_VERTEX_M).contains(&metres)
}

pub(super) fn check_coordinate(field: &str, metres: f64) -> Result<()> {
    if is_coordinate(metres) { Ok(()) } else { refuse(field, metres, "-1e6 to 1e6 m") }
}
