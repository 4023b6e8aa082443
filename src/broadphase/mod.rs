//! Boxes in, indices out: which of many boxes touch another. Knows neither creatures nor triangles.

mod tree;

pub use tree::{Box3, Tree, Walk};
