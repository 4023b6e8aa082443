//! Filling a [`Nearby`]: from a plane, from the cells of a heightfield, from the packets of a mesh.

use super::{Face, FaceId, HalfSpace, Nearby, Packet};
use crate::broadphase::Box3;
use crate::constants::FLAT_EDGE_SINE;
use crate::lanes::{LANES, Lanes, WideLanes};
use crate::terrain::heightfield::Heightfield;
use crate::terrain::mesh::{self, TriangleMesh};
use crate::terrain::plane::Plane;
use crate::terrain::set::PartId;

/// A few steps of f32: what a second difference of heights may be off, as a share of the height.
const HEIGHT_ROUNDING: f32 = 5e-7;
/// Both sides: an edge without a neighbour.
const BORDER: u8 = 0b1001;

impl Nearby {
    /// Forgets, and takes the box. False where it is none.
    pub(in crate::terrain) fn begin(&mut self, center: [f64; 3], half: [f32; 3]) -> bool {
        self.clear();
        let is_box =
            center.iter().all(|part| part.is_finite()) && half.iter().all(|&side| side >= 0.0 && side.is_finite());
        (self.center, self.half) = if is_box { (center, half) } else { ([0.0; 3], [0.0; 3]) };
        is_box
    }

    /// The box in world metres.
    pub(in crate::terrain) fn bounds_m(&self) -> [[f64; 3]; 2] {
        [-1.0, 1.0].map(|side| [0, 1, 2].map(|axis| self.center[axis] + side * f64::from(self.half[axis])))
    }

    /// A plane moved by `offset`, if the box touches it or what is below.
    pub(in crate::terrain) fn add_plane(&mut self, plane: &Plane, part: PartId, offset: [f64; 3]) {
        let [x, y, z] = [0, 1, 2].map(|axis| self.center[axis] - offset[axis]);
        let normal = plane.normal();
        // From the height here and not from the plane's own zero, which may be far.
        let height = ((y - plane.height_at(x, z)) * f64::from(normal[1])) as f32;
        let reach: f32 = (0..3).map(|axis| normal[axis].abs() * self.half[axis]).sum();
        if height <= reach {
            self.growths += u64::from(self.spaces.len() == self.spaces.capacity());
            self.spaces.push(HalfSpace { normal, offset: height, id: FaceId { part, face: 0 } });
        }
    }

    /// The triangles of a mesh moved by `offset` whose boxes touch the box.
    pub(in crate::terrain) fn add_mesh(&mut self, mesh: &TriangleMesh, part: PartId, offset: [f64; 3]) {
        let origin = mesh.origin();
        let shift = [0, 1, 2].map(|axis| origin[axis] + offset[axis] - self.center[axis]);
        let side = |axis: usize, sign: f64| sign * f64::from(self.half[axis]) - shift[axis];
        let probe = Box3 {
            min: [0, 1, 2].map(|axis| (side(axis, -1.0) as f32).next_down()),
            max: [0, 1, 2].map(|axis| (side(axis, 1.0) as f32).next_up()),
        };
        for packet in mesh.packets_at(probe) {
            let touching = touching::<WideLanes>(packet, &probe);
            for lane in 0..LANES {
                let is_copy = lane > 0 && packet.face[lane] == packet.face[0];
                if touching & (1 << lane) != 0 && !is_copy {
                    self.push(&face_of(packet, lane, shift, part));
                }
            }
        }
    }

    /// Both triangles of each cell of a heightfield, moved by `offset`, that touches the box or lies above it.
    pub(in crate::terrain) fn add_field(&mut self, field: &Heightfield, part: PartId, offset: [f64; 3]) {
        let origin = field.origin();
        let shift = [0, 1, 2].map(|axis| origin[axis] + offset[axis] - self.center[axis]);
        let columns = cells(shift[0], self.half[0], field.cell_x_m(), field.columns());
        let rows = cells(shift[2], self.half[2], field.cell_z_m(), field.rows());
        let bottom = -f64::from(self.half[1]) - shift[1];
        let per_cell = [1.0 / field.cell_x_m(), 1.0 / field.cell_z_m()];
        for row in rows {
            for column in columns.clone() {
                let cell = Cell::new(field, column, row);
                if !cell.is_hole && f64::from(cell.highest()) >= bottom {
                    self.add_cell(&cell, shift, per_cell, part);
                }
            }
        }
    }

    fn add_cell(&mut self, cell: &Cell<'_>, shift: [f64; 3], per_cell: [f64; 2], part: PartId) {
        let [start, east, south, end] = cell.corners(shift);
        let narrow = |corner: [f64; 3]| corner.map(|part| part as f32);
        // Wound so that normals are up.
        let triangles = [[start, end, east], [start, south, end]];
        for (face, triangle) in (cell.start as u32 * 2..).zip(triangles) {
            let is_west = face & 1 != 0;
            let normal = cell.normal(is_west, per_cell);
            self.push(&Face {
                corners: triangle.map(narrow),
                normal,
                offset: -height_of(normal, start) as f32,
                is_solid: true,
                id: FaceId { part, face },
                edges: cell.edges(is_west),
            });
        }
    }

    fn push(&mut self, face: &Face) {
        let lane = self.count % LANES;
        if lane == 0 {
            self.growths += u64::from(self.packets.len() == self.packets.capacity());
            self.packets.push(Packet::full_of(face));
        } else if let Some(packet) = self.packets.last_mut() {
            packet.put(lane, face);
        }
        self.count += 1;
    }
}

impl Packet {
    fn full_of(face: &Face) -> Self {
        Self {
            bounds: Box3::around(&face.corners),
            corners: face.corners.map(|corner| corner.map(|part| [part; LANES])),
            normal: face.normal.map(|part| [part; LANES]),
            offset: [face.offset; LANES],
            solid: [f32::from(u8::from(face.is_solid)); LANES],
            id: [face.id; LANES],
            edges: [face.edges; LANES],
        }
    }

    fn put(&mut self, lane: usize, face: &Face) {
        self.bounds = self.bounds.join(&Box3::around(&face.corners));
        for axis in 0..3 {
            for corner in 0..3 {
                self.corners[corner][axis][lane] = face.corners[corner][axis];
            }
            self.normal[axis][lane] = face.normal[axis];
        }
        self.offset[lane] = face.offset;
        self.solid[lane] = f32::from(u8::from(face.is_solid));
        self.id[lane] = face.id;
        self.edges[lane] = face.edges;
    }
}

/// Bits of the triangles whose boxes touch the probe.
#[inline(always)]
fn touching<L: Lanes>(packet: &mesh::Packet, probe: &Box3) -> u32 {
    let mut bits = u32::MAX;
    for axis in 0..3 {
        let [a, b, c] = [0, 1, 2].map(|corner| L::load(&packet.corners[corner][axis]));
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        bits &= L::bits(least.le(L::splat(probe.max[axis])) & L::splat(probe.min[axis]).le(most));
    }
    bits
}

fn face_of(packet: &mesh::Packet, lane: usize, shift: [f64; 3], part: PartId) -> Face {
    let local = packet.corner(lane).map(|corner| [0, 1, 2].map(|axis| shift[axis] + f64::from(corner[axis])));
    let normal = packet.normal.map(|part| part[lane]);
    Face {
        corners: local.map(|corner| corner.map(|part| part as f32)),
        normal,
        offset: -height_of(normal, local[0]) as f32,
        is_solid: false,
        id: FaceId { part, face: packet.face[lane] },
        edges: packet.edges[lane],
    }
}

fn height_of(normal: [f32; 3], point: [f64; 3]) -> f64 {
    (0..3).map(|axis| f64::from(normal[axis]) * point[axis]).sum()
}

/// The cells of one axis that touch the box, whose middle is at 0 where the grid begins at `shift`.
fn cells(shift: f64, half: f32, cell_m: f64, samples: usize) -> std::ops::Range<usize> {
    let [from, to] = [-1.0, 1.0].map(|side| (side * f64::from(half) - shift) / cell_m);
    let last = (samples - 2) as f64;
    let first = (from - 1.0).ceil();
    if first > last || to < 0.0 {
        return 0..0;
    }
    // Casts saturate: below 0 it is the first cell.
    first as usize..(to.floor() as usize).min(samples - 2) + 1
}

/// A cell of a heightfield, with its four corners' heights.
struct Cell<'a> {
    field: &'a Heightfield,
    column: usize,
    row: usize,
    start: usize,
    is_hole: bool,
    /// Start, east, south, end.
    heights: [f32; 4],
}

impl<'a> Cell<'a> {
    fn new(field: &'a Heightfield, column: usize, row: usize) -> Self {
        let (heights, columns) = (field.heights(), field.columns());
        let start = row * columns + column;
        let corners = [heights[start], heights[start + 1], heights[start + columns], heights[start + columns + 1]];
        Self { field, column, row, start, is_hole: field.is_hole(start as u32), heights: corners }
    }

    fn highest(&self) -> f32 {
        self.heights.iter().fold(f32::NEG_INFINITY, |most, &height| if height > most { height } else { most })
    }

    /// Start, east, south, end, from the gathering's centre.
    fn corners(&self, shift: [f64; 3]) -> [[f64; 3]; 4] {
        let [start, east, south, end] = self.heights.map(|height| shift[1] + f64::from(height));
        let x = [0, 1].map(|step| shift[0] + (self.column + step) as f64 * self.field.cell_x_m());
        let z = [0, 1].map(|step| shift[2] + (self.row + step) as f64 * self.field.cell_z_m());
        [[x[0], start, z[0]], [x[1], east, z[0]], [x[0], south, z[1]], [x[1], end, z[1]]]
    }

    /// Unit and up.
    fn normal(&self, is_west: bool, per_cell: [f64; 2]) -> [f32; 3] {
        let [start, east, south, end] = self.heights.map(f64::from);
        let (along_x, along_z) = if is_west { (end - south, south - start) } else { (east - start, end - east) };
        let (x, z) = (along_x * per_cell[0], along_z * per_cell[1]);
        let inv_length = 1.0 / (x * x + 1.0 + z * z).sqrt();
        [(-x * inv_length) as f32, inv_length as f32, (-z * inv_length) as f32]
    }

    /// An edge stands out where the neighbour's far corner lies below this triangle's plane. On a grid that is a second
    /// difference of heights.
    fn edges(&self, is_west: bool) -> u8 {
        let [start, east, south, end] = self.heights;
        let (column, row) = (self.column as isize, self.row as isize);
        let diagonal = self.ridge(east + south - start - end);
        if is_west {
            let west = self.across([column - 1, row], [column - 1, row], start - end + south);
            let south = self.across([column, row + 1], [column + 1, row + 2], end + south - start);
            west | south << 1 | diagonal << 2
        } else {
            let east_edge = self.across([column + 1, row], [column + 2, row + 1], end + east - start);
            let north = self.across([column, row - 1], [column, row - 1], start - end + east);
            diagonal | east_edge << 1 | north << 2
        }
    }

    /// The edge to the neighbouring cell, whose far corner would be at `level` on this triangle's plane.
    fn across(&self, cell: [isize; 2], corner: [isize; 2], level: f32) -> u8 {
        let (columns, rows) = (self.field.columns() as isize, self.field.rows() as isize);
        let is_cell = cell[0] >= 0 && cell[1] >= 0 && cell[0] < columns - 1 && cell[1] < rows - 1;
        let at = |[column, row]: [isize; 2]| (row * columns + column) as usize;
        if !is_cell || self.field.is_hole(at(cell) as u32) {
            return BORDER;
        }
        self.ridge(self.field.heights()[at(corner)] - level)
    }

    fn ridge(&self, rise: f32) -> u8 {
        let (x, z) = (self.field.cell_x_m(), self.field.cell_z_m());
        let flat = (FLAT_EDGE_SINE * if x < z { x } else { z }) as f32;
        u8::from(rise < -(flat + HEIGHT_ROUNDING * self.heights[0].abs()))
    }
}
