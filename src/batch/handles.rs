//! Generational handles: a small number that names one creature for as long as it lives, wherever its data moves.

use crate::error::{Error, HandleFault, Result};
use crate::id::SerpentId;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a creature's data lies now: cohort, then slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub cohort: u32,
    pub slot: u32,
}

impl Place {
    pub fn block(self) -> usize {
        self.slot as usize / crate::lanes::LANES
    }
    pub fn lane(self) -> usize {
        self.slot as usize % crate::lanes::LANES
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    generation: u32,
    /// None: free.
    place: Option<Place>,
}

/// All handles of a batch. Entries are never removed: an index whose generations are used up is retired.
#[derive(Debug)]
pub(crate) struct Handles {
    batch: u32,
    entries: Vec<Entry>,
    free: Vec<u32>,
    live: usize,
}

impl Handles {
    pub fn new() -> Self {
        // Tells batches of one process apart; it enters no result, so lockstep does not depend on it.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self { batch: NEXT.fetch_add(1, Ordering::Relaxed), entries: Vec::new(), free: Vec::new(), live: 0 }
    }

    pub fn len(&self) -> usize {
        self.live
    }

    pub fn capacity_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.free.capacity() * size_of::<u32>()
    }

    /// The number that all handles of this batch carry.
    pub fn batch(&self) -> u32 {
        self.batch
    }

    pub fn reserve_total(&mut self, total: usize) {
        super::reserve_total(&mut self.entries, total);
    }

    pub fn insert(&mut self, place: Place) -> SerpentId {
        self.live += 1;
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry { generation: 0, place: None });
            self.entries.len() as u32 - 1
        });
        let entry = &mut self.entries[index as usize];
        entry.place = Some(place);
        SerpentId { index, generation: entry.generation, batch: self.batch }
    }

    pub fn remove(&mut self, id: SerpentId) {
        let entry = &mut self.entries[id.index as usize];
        entry.place = None;
        self.live -= 1;
        // The last generation stays stale for ever, rather than making an old handle valid again.
        if entry.generation < u32::MAX {
            entry.generation += 1;
            self.free.push(id.index);
        }
    }

    pub fn move_to(&mut self, id: SerpentId, place: Place) {
        self.entries[id.index as usize].place = Some(place);
    }

    pub fn place(&self, id: SerpentId) -> Result<Place> {
        let fault = |why| Error::Handle { id, why };
        if id.batch != self.batch {
            return Err(fault(HandleFault::Foreign));
        }
        match self.entries.get(id.index as usize) {
            Some(Entry { generation, place: Some(place) }) if *generation == id.generation => Ok(*place),
            _ => Err(fault(HandleFault::Stale)),
        }
    }

    /// Living creatures by rising index: an order that does not depend on where their data lies.
    pub fn iter(&self) -> impl Iterator<Item = (SerpentId, Place)> + '_ {
        self.entries.iter().enumerate().filter_map(|(index, entry)| {
            let id = SerpentId { index: index as u32, generation: entry.generation, batch: self.batch };
            entry.place.map(|place| (id, place))
        })
    }
}
