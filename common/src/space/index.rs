//! From a base to its place: an open-addressing table for each shard of a layer, built once, read by all threads.

use super::layer::{BaseLayer, hash, shard_of};
use crate::ideal::Ideal;
use crate::parallel::crew;
use crate::prefetch::prefetch;

#[derive(Clone, Copy)]
struct Entry<const W: usize> {
    base: Ideal<W>,
    place: u64,
}

const VACANT: u64 = u64::MAX;

/// Places of the bases of a layer.
pub struct BaseIndex<const W: usize> {
    /// A power of two of entries for each shard, at most half of them taken.
    shards: Vec<Vec<Entry<W>>>,
}

impl<const W: usize> BaseIndex<W> {
    /// Records for each base of the layer, in the order of the layer, the place given.
    pub fn new(layer: &BaseLayer<W>, places: &[u64], threads: usize) -> Self {
        let vacant = Entry { base: Ideal::empty(), place: VACANT };
        let mut shards: Vec<Vec<Entry<W>>> = layer.shards.iter().map(|_| Vec::new()).collect();
        let mut start = 0;
        let work: Vec<_> = shards
            .iter_mut()
            .zip(&layer.shards)
            .map(|(entries, bases)| {
                let places = &places[start..start + bases.len()];
                start += bases.len();
                (entries, bases, places)
            })
            .collect();
        crew(
            threads,
            work.into_iter(),
            || (),
            |(), (entries, bases, places)| {
                entries.resize((2 * bases.len()).next_power_of_two(), vacant);
                let mask = entries.len() - 1;
                for (&base, &place) in bases.iter().zip(places) {
                    let mut slot = hash(&base) as usize & mask;
                    while entries[slot].place != VACANT {
                        slot = (slot + 1) & mask;
                    }
                    entries[slot] = Entry { base, place };
                }
            },
        );
        Self { shards }
    }

    /// Starts to bring the entry for a base into the cache.
    #[inline(always)]
    pub fn prefetch(&self, base: &Ideal<W>) {
        let hash = hash(base);
        let entries = &self.shards[shard_of(hash, self.shards.len())];
        prefetch(entries, hash as usize & (entries.len() - 1));
    }

    /// The place recorded for a base.
    #[inline(always)]
    pub fn get(&self, base: &Ideal<W>) -> Option<u64> {
        let hash = hash(base);
        let entries = &self.shards[shard_of(hash, self.shards.len())];
        let mask = entries.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = entries.get(slot)?;
            if entry.base == *base && entry.place != VACANT {
                return Some(entry.place);
            }
            if entry.place == VACANT {
                return None;
            }
            slot = (slot + 1) & mask;
        }
    }
}
