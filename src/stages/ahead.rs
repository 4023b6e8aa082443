//! Asking for memory before it is needed.
//!
//! Rings are streams that start anywhere and run backward, and pose rows are written eight creatures at once: no
//! processor guesses them. Asked for in one go they only make the asker wait; so `body` asks for its own block's pose
//! rows joint by joint, and `frame` for the paths that are marched along next.

use crate::batch::{BlockState, Shape};
use crate::lanes::{LANES, Row4, prefetch};

/// The paths of the pair of blocks that comes next.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<'a> {
    pub shape: &'a Shape,
    /// The rings of those blocks, as far as there are any.
    pub knots: &'a [Row4],
    /// Their states.
    pub blocks: &'a [BlockState],
}

/// The paths of one block that comes next.
#[derive(Clone, Copy)]
pub(crate) struct NextPaths<'a> {
    shape: &'a Shape,
    knots: &'a [Row4],
    cursor: &'a [u32; LANES],
}

impl<'a> Ahead<'a> {
    /// The paths of the first or second block of the pair.
    pub fn block(&self, index: usize) -> Option<NextPaths<'a>> {
        let size = LANES * self.shape.ring_rows();
        let state = self.blocks.get(index)?;
        Some(NextPaths {
            shape: self.shape,
            knots: &self.knots[index * size..(index + 1) * size],
            cursor: &state.cursor,
        })
    }
}

impl NextPaths<'_> {
    /// Asks for the part of the paths where this joint will be.
    #[inline(always)]
    pub fn prefetch(&self, joint: usize) {
        let back = joint * self.shape.knots_per_segment;
        // A cache line holds four knots.
        if back % 4 >= self.shape.knots_per_segment {
            return;
        }
        for (lane, cursor) in self.cursor.iter().enumerate() {
            let row = lane * self.shape.ring_rows() + self.shape.ring(*cursor, back as u32);
            prefetch(&self.knots[row..row + 1]);
        }
    }
}

/// Asks for one of `parts` even parts of some pose rows.
#[inline(always)]
pub(crate) fn prefetch_part(rows: &[[f32; 12]], part: usize, parts: usize) {
    let size = rows.len().div_ceil(parts);
    let start = if part * size < rows.len() { part * size } else { rows.len() };
    let end = if start + size < rows.len() { start + size } else { rows.len() };
    prefetch(&rows[start..end]);
}
