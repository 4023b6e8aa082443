//! One triangle of open ground with its interpolated normals, for many points near each other.
//!
//! Height and normal, not yet unit, are linear over a triangle. Who walks over ground in short steps is on one triangle for
//! many of them: looked up once, a step then costs a few products in lanes.

use super::Terrain;
use super::heightfield::{Heightfield, MIN_MIXED_Y};
use super::plane::Plane;

/// A triangle of a heightfield, or a plane, which has no end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slope {
    /// Names the triangle.
    pub cell: SlopeId,
    /// The corner that x and z are counted from, in world metres, and the height there.
    pub corner: [f64; 3],
    /// Cells a metre along x and z; a plane's are a metre.
    pub per_m: [f32; 2],
    /// Of the two triangles of a cell the one where x - z, in cells, has this sign; 0 on a plane.
    pub side: f32,
    /// Where x and z, in cells, begin and end.
    pub ends: [f32; 2],
    /// Metres that a point is inside, at least, for each cell that it is away from the edges.
    pub room_m: f32,
    /// x, y and z of the normal at the corner, of any length.
    pub normal: [f32; 3],
    /// What the height and the normal gain over a cell along x and along z.
    pub gain: [[f32; 4]; 2],
}

/// Column and row of a triangle's cell, and whether it is the eastern one, with the cell's north and east edge; the other has
/// its west and south edge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SlopeId {
    pub column: u32,
    pub row: u32,
    pub is_east: bool,
}

impl SlopeId {
    /// Whether two triangles share an edge.
    #[inline(always)]
    pub fn is_beside(self, other: Self) -> bool {
        let (east, west) = if self.is_east { (self, other) } else { (other, self) };
        let across = (west.column.wrapping_sub(east.column), east.row.wrapping_sub(west.row));
        self.is_east != other.is_east && matches!(across, (0, 0) | (1, 0) | (0, 1))
    }
}

impl Slope {
    /// The least y of a normal before it is made unit.
    pub const LEAST_Y: f32 = MIN_MIXED_Y;
}

impl Terrain {
    /// The triangle at (x, z) of a plane or a heightfield; `None` where there is no ground, and on other ground.
    #[inline(always)]
    pub(crate) fn slope_at(&self, x: f64, z: f64) -> Option<Slope> {
        match self {
            Self::Plane(plane) => plane_slope(plane, x, z),
            Self::Heightfield(field) => field_slope(field, x, z),
            _ => None,
        }
    }
}

/// From below or above the point, so that a far plane is as exact as a near one.
fn plane_slope(plane: &Plane, x: f64, z: f64) -> Option<Slope> {
    let ground = plane.sample(x, z)?;
    let [nx, ny, nz] = ground.normal;
    let gain = [[-nx / ny, 0.0, 0.0, 0.0], [-nz / ny, 0.0, 0.0, 0.0]];
    Some(Slope {
        cell: SlopeId::default(),
        corner: [x, ground.height_m, z],
        per_m: [1.0; 2],
        side: 0.0,
        ends: [f32::NEG_INFINITY, f32::INFINITY],
        room_m: 1.0,
        normal: ground.normal,
        gain,
    })
}

#[inline(always)]
fn field_slope(field: &Heightfield, x: f64, z: f64) -> Option<Slope> {
    let ([column, row], [along_x, along_z]) = field.cell_at(x, z)?;
    let columns = field.columns() as u32;
    let (first, is_east) = (row * columns + column, along_x >= along_z);
    let [start, side, end] = field.corners(first, first + if is_east { 1 } else { columns });
    let (mut far, mut near) = ([0.0; 4], [0.0; 4]);
    for part in 0..4 {
        (far[part], near[part]) = (side[part] - start[part], end[part] - side[part]);
    }
    let origin = field.origin();
    let corner = [
        origin[0] + f64::from(column) * field.cell_x_m(),
        origin[1] + f64::from(start[0]),
        origin[2] + f64::from(row) * field.cell_z_m(),
    ];
    let per_m = field.cells_per_m();
    let most = if per_m[0] > per_m[1] { per_m[0] } else { per_m[1] };
    Some(Slope {
        cell: SlopeId { column, row, is_east },
        corner,
        per_m,
        side: if is_east { 1.0 } else { -1.0 },
        ends: [0.0, 1.0],
        // From the diagonal a point is the square root of a half of what x and z differ by.
        room_m: 0.7 / most,
        normal: [start[1], start[2], start[3]],
        gain: if is_east { [far, near] } else { [near, far] },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_beside_each_other_share_two_corners() {
        let corners = |id: SlopeId| {
            let (column, row) = (id.column, id.row);
            let off = if id.is_east { (column + 1, row) } else { (column, row + 1) };
            [(column, row), off, (column + 1, row + 1)]
        };
        let ids = (1..4).flat_map(|row| {
            (1..4).flat_map(move |column| [false, true].map(|is_east| SlopeId { column, row, is_east }))
        });
        for one in ids.clone() {
            for two in ids.clone() {
                let shared = corners(one).iter().filter(|corner| corners(two).contains(corner)).count();
                assert_eq!(one.is_beside(two), shared == 2, "{one:?} {two:?}");
            }
        }
    }
}
