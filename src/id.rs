//! What names a creature: below everything else, since errors name it too.

/// Names one creature of one batch. It stays valid while the creature lives, and is refused everywhere afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SerpentId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
    pub(crate) batch: u32,
}

impl SerpentId {
    /// A number below the most creatures that ever lived at once: for the caller's own side tables. It is taken again
    /// after a despawn, so keep the whole id where that matters.
    pub fn index(self) -> usize {
        self.index as usize
    }
}
