//! A static tree over boxes, built once by the `bvh` crate and walked by a loop of our own.
//!
//! The crate's own walks allocate, or panic beyond a depth of 32, so its nodes are laid out anew: in preorder, each with its
//! box, and with the index to go on at where the box is missed. A walk is then one loop over an array. It needs no stack,
//! so no depth is too deep, and it visits in one fixed order.
//!
//! Boxes are put together again from the leaves: where all boxes of a split lie on one line, the crate's costs are
//! 0 / 0, and it leaves a node's box empty.

use crate::error::{Error, Result};
use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::{Bvh, BvhNode};

/// Most boxes in a tree: its nodes, almost twice as many, keep indices of 32 bits.
const MAX_BOXES: usize = 1 << 30;
/// What an inner node has for a leaf's index.
const INNER: u32 = u32::MAX;

/// A box along the axes; its faces belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Box3 {
    /// Least x, y and z.
    pub min: [f32; 3],
    /// Largest x, y and z.
    pub max: [f32; 3],
}

impl Box3 {
    /// The box of nothing: what is joined to it stays as it is.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// The least box round these points; those that are NaN are left out.
    #[must_use]
    pub fn around(points: &[[f32; 3]]) -> Self {
        points.iter().fold(Self::EMPTY, |whole, &point| whole.join(&Self { min: point, max: point }))
    }

    /// The least box round both.
    #[inline(always)]
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let mut whole = *self;
        for axis in 0..3 {
            whole.min[axis] = if other.min[axis] < self.min[axis] { other.min[axis] } else { self.min[axis] };
            whole.max[axis] = if other.max[axis] > self.max[axis] { other.max[axis] } else { self.max[axis] };
        }
        whole
    }

    /// Whether they have a point in common; false where a side is NaN.
    #[inline(always)]
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        // No short circuit: six comparisons are cheaper than a branch that nobody can guess.
        (self.min[0] <= other.max[0])
            & (other.min[0] <= self.max[0])
            & (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
            & (self.min[2] <= other.max[2])
            & (other.min[2] <= self.max[2])
    }
}

/// 32 bytes, two in a cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    min: [f32; 3],
    /// The node after all below this one.
    skip: u32,
    max: [f32; 3],
    /// Index of the box, or [`INNER`].
    leaf: u32,
}

/// A static tree over boxes. One box is one leaf.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// A box as the crate wants it. The centre decides splits, so it must be finite: the boxes are checked before.
struct Shape(Aabb<f32, 3>);

impl Shape {
    fn new(side: &Box3) -> Self {
        // Part by part, which names none of the algebra crate's types.
        let mut shape = Aabb::empty();
        for axis in 0..3 {
            (shape.min[axis], shape.max[axis]) = (side.min[axis], side.max[axis]);
        }
        Self(shape)
    }
}

impl Bounded<f32, 3> for Shape {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.0
    }
}

impl BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, _: usize) {}

    fn bh_node_index(&self) -> usize {
        0
    }
}

impl Tree {
    /// A tree over `boxes`, on the calling thread: the same boxes give the same tree on every machine.
    ///
    /// # Errors
    /// [`Error::Value`] where there are over 2^30 boxes, or a side is not within 1e18 of 0 or before its opposite.
    pub fn build(boxes: &[Box3]) -> Result<Self> {
        check(boxes)?;
        let mut shapes: Vec<Shape> = boxes.iter().map(Shape::new).collect();
        let built = Bvh::<f32, 3>::build(&mut shapes);
        Ok(Self { nodes: lay_out(&built.nodes, boxes) })
    }

    /// The box round all.
    #[must_use]
    pub fn bounds(&self) -> Box3 {
        self.nodes.first().map_or(Box3::EMPTY, |root| Box3 { min: root.min, max: root.max })
    }

    /// The indices of all boxes that touch `probe`, always in the same order.
    #[inline(always)]
    #[must_use]
    pub fn walk(&self, probe: Box3) -> Walk<'_> {
        Walk { nodes: &self.nodes, next: 0, probe }
    }
}

/// A walk through a tree; see [`Tree::walk`]. The probe may be made smaller on the way.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    nodes: &'a [Node],
    next: u32,
    /// What the walk looks for from here on.
    pub probe: Box3,
}

impl Iterator for Walk<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while let Some(node) = self.nodes.get(self.next as usize) {
            if !(Box3 { min: node.min, max: node.max }).touches(&self.probe) {
                self.next = node.skip;
                continue;
            }
            self.next += 1;
            if node.leaf != INNER {
                return Some(node.leaf as usize);
            }
        }
        None
    }
}

fn check(boxes: &[Box3]) -> Result<()> {
    const LARGEST: f32 = 1e18;
    if boxes.len() > MAX_BOXES {
        return Err(Error::value("boxes.len()", boxes.len(), "at most 2^30"));
    }
    let is_good = |side: &Box3| {
        (0..3).all(|axis| -LARGEST <= side.min[axis] && side.min[axis] <= side.max[axis] && side.max[axis] <= LARGEST)
    };
    match boxes.iter().position(|side| !is_good(side)) {
        None => Ok(()),
        Some(index) => {
            let value = format!("{:?} to {:?}", boxes[index].min, boxes[index].max);
            Err(Error::value(&format!("boxes[{index}]"), value, "min to max, within 1e18 of 0"))
        }
    }
}

/// The crate's nodes are in preorder already, the first child right after its parent, so that only boxes and skips are
/// missing. From the back, every child is done before its parent.
fn lay_out(built: &[BvhNode<f32, 3>], boxes: &[Box3]) -> Vec<Node> {
    let nothing = Node { min: [0.0; 3], skip: 0, max: [0.0; 3], leaf: INNER };
    let mut nodes = vec![nothing; built.len()];
    for index in (0..built.len()).rev() {
        nodes[index] = match built[index] {
            BvhNode::Leaf { shape_index, .. } => {
                let Box3 { min, max } = boxes[shape_index];
                Node { min, skip: index as u32 + 1, max, leaf: shape_index as u32 }
            }
            BvhNode::Node { child_l_index, child_r_index, .. } => {
                let (left, right) = (nodes[child_l_index], nodes[child_r_index]);
                let Box3 { min, max } =
                    Box3 { min: left.min, max: left.max }.join(&Box3 { min: right.min, max: right.max });
                Node { min, skip: right.skip, max, leaf: INNER }
            }
        };
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn boxes(count: usize, seed: u64, point: impl Fn(&mut u64) -> [f32; 3]) -> Vec<Box3> {
        let mut seed = seed;
        let mut one = || {
            let (at, size) = (point(&mut seed), noise(&mut seed));
            Box3 { min: at, max: at.map(|part| part + size) }
        };
        (0..count).map(|_| one()).collect()
    }

    fn check_walks(boxes: &[Box3]) {
        let tree = Tree::build(boxes).unwrap();
        for probe in boxes.iter().take(40) {
            let mut found: Vec<usize> = tree.walk(*probe).collect();
            assert_eq!(found, tree.walk(*probe).collect::<Vec<_>>());
            found.sort_unstable();
            let wanted: Vec<usize> = (0..boxes.len()).filter(|&index| boxes[index].touches(probe)).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn walks_find_what_a_brute_force_finds() {
        for count in [0, 1, 2, 3, 9, 500] {
            check_walks(&boxes(count, 7, |seed| [0; 3].map(|_| noise(seed) * 20.0)));
        }
    }

    #[test]
    fn boxes_on_a_line_in_a_point_or_ever_closer_are_found_too() {
        check_walks(&boxes(300, 1, |seed| [noise(seed) * 50.0, 0.0, 0.0]));
        check_walks(&vec![Box3 { min: [1.0; 3], max: [1.0; 3] }; 300]);
        let flat = |x: f32| Box3 { min: [x, 0.0, 0.0], max: [x, 0.0, 0.0] };
        check_walks(&(0..300).map(|index| flat(index as f32)).collect::<Vec<_>>());
        // Deeper than any fixed stack of 32.
        let closer: Vec<Box3> = (0..250).map(|step| flat((0..step % 125).fold(1e18, |x, _| x * 0.5))).collect();
        check_walks(&closer);
    }

    #[test]
    fn bad_boxes_are_typed_errors() {
        let good = Box3 { min: [0.0; 3], max: [1.0; 3] };
        for bad in [
            Box3 { min: [f32::NAN, 0.0, 0.0], ..good },
            Box3 { max: [1.0, f32::INFINITY, 1.0], ..good },
            Box3 { min: [0.0, 0.0, 2.0], ..good },
        ] {
            let error = Tree::build(&[good, bad]).unwrap_err();
            assert!(matches!(&error, Error::Value { field, .. } if field == "boxes[1]"), "{error}");
        }
        assert_eq!(Tree::build(&[]).unwrap().bounds(), Box3::EMPTY);
    }
}
