//! From a base to its place: an open-addressing table of a layer, built once, read by all threads.

use super::layer::{BaseLayer, hash};
use crate::huge;
use crate::ideal::Ideal;
use crate::parallel::crew;
use crate::prefetch::prefetch;

#[derive(Clone, Copy)]
struct Entry<const W: usize> {
    base: Ideal<W>,
    place: u64,
}

const VACANT: u64 = u64::MAX;

/// Segments of the table: each is filled by one thread, and probing stays within it.
const SEGMENTS: usize = 16;

/// Places of the bases of a layer.
pub struct BaseIndex<const W: usize> {
    entries: Vec<Entry<W>>,
    /// Entries of a segment; at most three quarters of them are taken on the average.
    segment: usize,
}

impl<const W: usize> BaseIndex<W> {
    /// Records for each base of the layer, in the order of the layer, the place given.
    pub fn new(layer: &BaseLayer<W>, places: &[u64], threads: usize) -> Self {
        // Segments get equal parts of the hashes, hence of the bases but for some standard deviations.
        let mean = layer.len() / SEGMENTS;
        let segment = mean * 4 / 3 + 16 * mean.isqrt() + 64;
        let mut entries = huge::filled(Entry { base: Ideal::empty(), place: VACANT }, segment * SEGMENTS);
        // Each thread reads all bases and takes those of its own segments.
        let taken = SEGMENTS.div_ceil(threads);
        let parts = entries.chunks_mut(segment * taken).enumerate();
        crew(
            threads,
            parts,
            || (),
            |(), (number, entries)| {
                let first = number * taken;
                for (&base, &place) in layer.iter().zip(places) {
                    let hash = hash(&base);
                    let own = segment_of(hash).wrapping_sub(first);
                    let Some(entries) = entries.chunks_exact_mut(segment).nth(own) else { continue };
                    let mut slot = slot_of(hash, segment);
                    while entries[slot].place != VACANT {
                        slot = if slot + 1 == segment { 0 } else { slot + 1 };
                    }
                    entries[slot] = Entry { base, place };
                }
            },
        );
        Self { entries, segment }
    }

    /// Starts to bring the entry for a base into the cache.
    #[inline(always)]
    pub fn prefetch(&self, base: &Ideal<W>) {
        let hash = hash(base);
        prefetch(&self.entries, segment_of(hash) * self.segment + slot_of(hash, self.segment));
    }

    /// The place recorded for a base.
    #[inline(always)]
    pub fn get(&self, base: &Ideal<W>) -> Option<u64> {
        let hash = hash(base);
        let entries = &self.entries[segment_of(hash) * self.segment..][..self.segment];
        let mut slot = slot_of(hash, self.segment);
        loop {
            let entry = &entries[slot];
            if entry.base == *base && entry.place != VACANT {
                return Some(entry.place);
            }
            if entry.place == VACANT {
                return None;
            }
            slot = if slot + 1 == self.segment { 0 } else { slot + 1 };
        }
    }
}

/// The segment, from the highest bits of the hash.
#[inline(always)]
fn segment_of(hash: u64) -> usize {
    (hash >> 60) as usize
}

/// The first slot to look at, from the other bits.
#[inline(always)]
fn slot_of(hash: u64, segment: usize) -> usize {
    ((((hash << 4) >> 32) * segment as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_is_found_and_no_other() {
        for count in [0, 1, 5, 1000, 40_000u64] {
            let bases: Vec<Ideal<1>> = (0..count).map(|i| Ideal([i << 40 | i])).collect();
            let layer = BaseLayer { size: 1, shards: vec![bases.clone()] };
            let places: Vec<u64> = (0..count).map(|i| 3 * i).collect();
            let index = BaseIndex::new(&layer, &places, 2);
            for (base, &place) in bases.iter().zip(&places) {
                assert_eq!(index.get(base), Some(place));
            }
            assert_eq!(index.get(&Ideal([count << 40 | count])), None);
        }
    }
}
