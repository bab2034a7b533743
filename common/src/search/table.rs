//! The table of settled positions: bounded, shared by all searchers of a process without locks.
//!
//! An entry is one word: the hash of the canonical position (52 bits of it; the place of the entry tells the others), who
//! wins, the winning move, and how much work it was. So a position takes eight bytes, however large the poset, and two
//! positions with the same hash would be taken for one another: with 10^9 positions and 10^11 look-ups that happens with
//! a probability of some percent. So no answer rests on it: see [`proof`](super::proof).
//!
//! A bucket is a cache line of eight entries. Where it is full, the entry that was least work gives way.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ideal::Ideal;
use crate::prefetch::prefetch;
use crate::space::layer::seeded_hash;

/// Entries of a bucket: a cache line.
const BUCKET: usize = 8;
/// Bits of a hash that number the bucket in the smallest table; an entry keeps the others.
const FEWEST_BITS: u32 = 12;
/// Bits of an entry besides the hash: the move, the class of work (which is never 0, so that no entry is) and who wins.
const MOVE_BITS: u32 = 8;
const WORK_BITS: u32 = 3;
const HASH_SHIFT: u32 = MOVE_BITS + WORK_BITS + 1;

/// What is known of a settled position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The player to move loses.
    Lost,
    /// The player to move wins by taking this element of the canonical position.
    Won(u8),
}

impl Settled {
    /// Whether the player to move loses.
    #[inline(always)]
    pub fn is_lost(self) -> bool {
        self == Self::Lost
    }
}

/// See the [module](self).
pub struct SettledTable {
    entries: Vec<AtomicU64>,
    /// Entries skipped so that buckets are cache lines.
    skipped: usize,
    bits: u32,
    most_bits: u32,
    salt: u64,
}

/// The class of an amount of work: a third of its binary logarithm, 1 to 7.
#[inline(always)]
fn work_class(nodes: u64) -> u64 {
    u64::from(1 + (nodes.max(1).ilog2() / 3).min(6))
}

impl SettledTable {
    /// An empty table that will take so many bytes at most, but 256 KiB in any case. Tables of different salts confuse
    /// different positions.
    pub fn new(most_bytes: u64, salt: u64) -> Self {
        let buckets = (most_bytes / 64).max(1 << FEWEST_BITS);
        // The memory is taken when it is first used. A machine that does not promise so much gives a smaller table.
        let (mut most_bits, zeroed) = (buckets.ilog2().min(40), |bits: u32| (BUCKET << bits) + BUCKET - 1);
        let entries: Vec<AtomicU64> = loop {
            match bytemuck::try_zeroed_vec(zeroed(most_bits)) {
                Ok(entries) => break entries,
                Err(()) if most_bits > FEWEST_BITS => most_bits -= 1,
                Err(()) => break bytemuck::zeroed_vec(zeroed(most_bits)),
            }
        };
        let skipped = entries.as_ptr().align_offset(BUCKET * size_of::<u64>()).min(BUCKET - 1);
        Self { entries, skipped, bits: FEWEST_BITS, most_bits, salt }
    }

    /// The hash that stands for a canonical position.
    #[inline(always)]
    pub fn hash<const W: usize>(&self, position: &Ideal<W>) -> u64 {
        seeded_hash(position, self.salt)
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> usize {
        self.skipped + BUCKET * (hash & ((1 << self.bits) - 1)) as usize
    }

    #[inline(always)]
    fn tag(hash: u64) -> u64 {
        hash >> FEWEST_BITS << HASH_SHIFT
    }

    /// Starts to bring what is known of a position into the cache.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.entries, self.bucket(hash));
    }

    /// What is known of the position with this hash.
    #[inline(always)]
    pub fn get(&self, hash: u64) -> Option<Settled> {
        let bucket = self.bucket(hash);
        for entry in &self.entries[bucket..bucket + BUCKET] {
            let entry = entry.load(Ordering::Relaxed);
            if entry != 0 && (entry >> HASH_SHIFT) << HASH_SHIFT == Self::tag(hash) {
                return Some(if entry & 1 == 0 {
                    Settled::Lost
                } else {
                    Settled::Won((entry >> (1 + WORK_BITS)) as u8)
                });
            }
        }
        None
    }

    /// Records what was settled, and how many positions were looked at for it. Returns whether it took an empty place.
    #[inline(always)]
    pub fn put(&self, hash: u64, settled: Settled, nodes: u64) -> bool {
        let class = work_class(nodes);
        let outcome = match settled {
            Settled::Lost => 0,
            Settled::Won(taken) => u64::from(taken) << (1 + WORK_BITS) | 1,
        };
        let new = Self::tag(hash) | outcome | class << 1;
        let bucket = self.bucket(hash);
        let (mut place, mut least, mut is_new) = (bucket, u64::MAX, false);
        let first = (hash >> 60) as usize;
        for at in (first..first + BUCKET).map(|at| bucket + at % BUCKET) {
            let entry = self.entries[at].load(Ordering::Relaxed);
            if entry == 0 || (entry >> HASH_SHIFT) << HASH_SHIFT == Self::tag(hash) {
                (place, is_new) = (at, entry == 0);
                break;
            }
            // Lost positions are few, and what others are won by.
            let worth = 2 * (entry >> 1 & ((1 << WORK_BITS) - 1)) + u64::from(entry & 1 == 0);
            if worth < least {
                (least, place) = (worth, at);
            }
        }
        self.entries[place].store(new, Ordering::Relaxed);
        is_new
    }

    /// Entries there is room for.
    pub fn places(&self) -> u64 {
        (BUCKET as u64) << self.bits
    }

    /// Makes the table twice as large; `false` if it is as large as it may be.
    pub fn grow(&mut self) -> bool {
        if self.bits == self.most_bits {
            return false;
        }
        let buckets = BUCKET << self.bits;
        let (low, high) = self.entries[self.skipped..].split_at_mut(buckets);
        for (low, high) in low.chunks_exact_mut(BUCKET).zip(high.chunks_exact_mut(BUCKET)) {
            for (low, high) in low.iter_mut().zip(high) {
                let entry = *low.get_mut();
                if entry >> HASH_SHIFT >> (self.bits - FEWEST_BITS) & 1 == 1 {
                    *high.get_mut() = std::mem::take(low.get_mut());
                }
            }
        }
        self.bits += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes as positions would have them.
    fn hashes(count: u64) -> Vec<u64> {
        (1..=count).map(|i| seeded_hash(&Ideal([i]), 7)).collect()
    }

    #[test]
    fn what_is_put_in_is_found_after_growth_too() {
        let mut table = SettledTable::new(64 << 20, 0);
        let hashes = hashes(100_000);
        let settled = |i: usize| if i.is_multiple_of(3) { Settled::Lost } else { Settled::Won(i as u8) };
        let mut entries = 0;
        for (i, &hash) in hashes.iter().enumerate() {
            entries += u64::from(table.put(hash, settled(i), i as u64));
            // So early that no bucket is full.
            while entries > table.places() / 8 && table.grow() {}
        }
        assert_eq!(entries, hashes.len() as u64);
        for (i, &hash) in hashes.iter().enumerate() {
            assert_eq!(table.get(hash), Some(settled(i)));
            assert_eq!(table.get(hash ^ 1 << 63), None);
        }
    }

    #[test]
    fn what_was_least_work_gives_way() {
        let mut table = SettledTable::new(0, 0);
        assert!(!table.grow(), "it is as large as it may be");
        let hashes = hashes(4 * table.places());
        // Every tenth position took much work.
        for (i, &hash) in hashes.iter().enumerate() {
            table.put(hash, Settled::Won(1), if i.is_multiple_of(10) { 1 << 20 } else { 1 });
        }
        let kept = |step: usize| hashes.iter().step_by(step).filter(|&&hash| table.get(hash).is_some()).count();
        assert!(kept(10) * 10 > 9 * hashes.len() / 10, "{} of {}", kept(10), hashes.len());
        assert!(kept(1) as u64 <= table.places());
    }

    #[test]
    fn more_memory_than_there_is_gives_a_smaller_table() {
        let table = SettledTable::new(u64::MAX, 0);
        assert!(table.put(5, Settled::Lost, 1) && table.get(5) == Some(Settled::Lost));
    }

    #[test]
    fn salts_tell_hashes_apart() {
        let table = |salt| SettledTable::new(0, salt);
        assert_ne!(table(0).hash(&Ideal([5, 6])), table(1).hash(&Ideal([5, 6])));
    }
}
