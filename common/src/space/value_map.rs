//! From the bases of a layer to bytes, without the bases: whoever asks knows that a base is there.
//!
//! A base has three cells, named by its hash, and the sum of the three modulo 2 is its value with eight bits of the hash.
//! Cells are filled by peeling: while some cell belongs to one base alone, that base is set aside with it; in the reverse
//! order each base then finds a cell of its own to make its sum right. With 1.23 cells a base that nearly always works
//! (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", Computer Journal 39, 1996), and where it does
//! not, another seed is taken. So a base and its value take 2.5 bytes instead of 80 in an index of bases of four words. A
//! base that is not there after all is noticed 255 times in 256.
//!
//! ```
//! use antichain_common::ideal::Ideal;
//! use antichain_common::space::{layer::BaseLayer, value_map::ValueMap};
//! let bases = vec![Ideal([3]), Ideal([5]), Ideal([9])];
//! let map = ValueMap::new(&BaseLayer::of_sorted(2, bases), &[7, 0, 7], 1);
//! assert_eq!(map.value(&map.place(&Ideal([5]))), Some(0));
//! ```

use super::layer::{BaseLayer, seeded_hash};
use crate::huge;
use crate::ideal::Ideal;
use crate::parallel::crew;
use crate::prefetch::prefetch;

/// Bases of a bucket on the average: a bucket is filled at once, so that its cells stay in the cache.
const BASES_OF_A_BUCKET: usize = 1 << 15;
/// Bases whose hashes a thread has in memory, about.
const BASES_OF_A_GROUP: usize = 1 << 21;
/// Seeds to try for a bucket. One in ten thousand needs a second one, unless two bases have the same hash.
const SEEDS: u32 = 32;
/// Seeds to try for all hashes: two bases of 10^9 have the same one with a probability of some per cent.
const HASHES: u64 = 16;

/// The values of a layer.
pub struct ValueMap {
    seed: u64,
    buckets: Vec<Bucket>,
    cells: Vec<u16>,
}

/// Where the cells of a bucket are: three parts of the same length, of which each base has a cell in each.
#[derive(Clone, Copy)]
struct Bucket {
    first: usize,
    third: u32,
    seed: u32,
}

/// Where the value of a base is.
#[derive(Clone, Copy)]
pub struct Place {
    cells: [usize; 3],
    check: u8,
}

impl Bucket {
    #[inline(always)]
    fn place(&self, hash: u64) -> Place {
        let mixed =
            (hash ^ u64::from(self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let one = mixed ^ mixed >> 32;
        let other = one.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        let third = u64::from(self.third);
        let cell = |word: u64, part: usize| self.first + part * self.third as usize + ((word * third) >> 32) as usize;
        let cells = [cell(one & 0xFFFF_FFFF, 0), cell(one >> 32, 1), cell(other >> 32, 2)];
        Place { cells, check: (other >> 20) as u8 }
    }
}

/// What the cells of a base add up to.
#[inline(always)]
fn sum(value: u8, check: u8) -> u16 {
    u16::from(value) | u16::from(check) << 8
}

/// The hash of a base, and its value.
type Entry = (u64, u8);

impl ValueMap {
    /// Records for each base of the layer, in the order of the layer, the value given.
    ///
    /// # Panics
    /// If the layer has a base twice.
    pub fn new<const W: usize>(layer: &BaseLayer<W>, values: &[u8], threads: usize) -> Self {
        let seeded = (0..HASHES).find_map(|seed| Self::seeded(seed, layer, values, threads));
        seeded.expect("bases of a layer differ, and so do their hashes for one of many seeds")
    }

    /// `None` if two bases have the same hash.
    fn seeded<const W: usize>(seed: u64, layer: &BaseLayer<W>, values: &[u8], threads: usize) -> Option<Self> {
        let all = layer.len() / BASES_OF_A_BUCKET + 1;
        let of_a_group = BASES_OF_A_GROUP / BASES_OF_A_BUCKET;
        let groups = (0..all).step_by(of_a_group);
        // Each thread reads all bases and takes those of its own buckets: a hash costs less than to write it down.
        let filled = crew(threads, groups, Vec::new, |filled: &mut Vec<(usize, Option<_>)>, first| {
            let mut buckets: Vec<Vec<Entry>> = vec![Vec::new(); of_a_group.min(all - first)];
            for (base, &value) in layer.iter().zip(values) {
                let hash = seeded_hash(base, seed);
                if let Some(bucket) = buckets.get_mut(bucket_of(hash, all).wrapping_sub(first)) {
                    bucket.push((hash, value));
                }
            }
            for (number, entries) in buckets.into_iter().enumerate() {
                filled.push((first + number, fill(&entries)));
            }
        });
        let mut filled: Vec<_> = filled.into_iter().flatten().collect();
        filled.sort_unstable_by_key(|&(number, _)| number);
        let length = |bucket: &Option<(Bucket, Vec<u16>)>| bucket.as_ref().map_or(0, |(_, cells)| cells.len());
        let mut map = Self { seed, buckets: Vec::with_capacity(all), cells: Vec::new() };
        map.cells = huge::filled(0, filled.iter().map(|(_, bucket)| length(bucket)).sum());
        let mut first = 0;
        for (_, bucket) in filled {
            let (bucket, cells) = bucket?;
            map.cells[first..first + cells.len()].copy_from_slice(&cells);
            map.buckets.push(Bucket { first, ..bucket });
            first += cells.len();
        }
        Some(map)
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        (self.cells.len() * size_of::<u16>() + self.buckets.len() * size_of::<Bucket>()) as u64
    }

    /// Where the value of a base is; what is there is asked for.
    #[inline(always)]
    pub fn place<const W: usize>(&self, base: &Ideal<W>) -> Place {
        let hash = seeded_hash(base, self.seed);
        let place = self.buckets[bucket_of(hash, self.buckets.len())].place(hash);
        place.cells.iter().for_each(|&cell| prefetch(&self.cells, cell));
        place
    }

    /// The value in a place; `None` if it is seen not to be that of a base of the layer.
    #[inline(always)]
    pub fn value(&self, place: &Place) -> Option<u8> {
        let [a, b, c] = place.cells.map(|cell| self.cells[cell]);
        let sum = a ^ b ^ c;
        (sum >> 8 == u16::from(place.check)).then_some(sum as u8)
    }
}

/// The bucket of a base.
#[inline(always)]
fn bucket_of(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}

/// A bucket and its cells; `None` if no seed serves, because two hashes are equal.
fn fill(entries: &[Entry]) -> Option<(Bucket, Vec<u16>)> {
    // Three times 0.41 are 1.23; small buckets get some more.
    let third = entries.len() * 41 / 100 + 16;
    let peeled = (0..SEEDS).find_map(|seed| {
        let bucket = Bucket { first: 0, third: third as u32, seed };
        Some((bucket, peel(entries, &bucket)?))
    });
    let (bucket, order) = peeled?;
    let mut cells = vec![0; 3 * third];
    for (entry, own) in order.into_iter().rev() {
        let (hash, value) = entries[entry as usize];
        let place = bucket.place(hash);
        let others =
            place.cells.iter().fold(0, |sum, &cell| if cell == own as usize { sum } else { sum ^ cells[cell] });
        cells[own as usize] = others ^ sum(value, place.check);
    }
    Some((bucket, cells))
}

/// Entries, each with a cell that no later one has; `None` if there is no such order.
fn peel(entries: &[Entry], bucket: &Bucket) -> Option<Vec<(u32, u32)>> {
    // Of each cell the number of entries that are left, and the sum of their numbers modulo 2.
    let mut left = vec![(0u32, 0u32); 3 * bucket.third as usize];
    for (number, &(hash, _)) in entries.iter().enumerate() {
        for cell in bucket.place(hash).cells {
            left[cell].0 += 1;
            left[cell].1 ^= number as u32;
        }
    }
    let mut single: Vec<u32> = (0..left.len() as u32).filter(|&cell| left[cell as usize].0 == 1).collect();
    let mut order = Vec::with_capacity(entries.len());
    while let Some(own) = single.pop() {
        let (count, number) = left[own as usize];
        if count != 1 {
            continue;
        }
        order.push((number, own));
        for cell in bucket.place(entries[number as usize].0).cells {
            left[cell].0 -= 1;
            left[cell].1 ^= number;
            if left[cell].0 == 1 {
                single.push(cell as u32);
            }
        }
    }
    (order.len() == entries.len()).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(count: u64) -> (BaseLayer<2>, Vec<u8>) {
        let bases = (0..count).map(|i| Ideal([i.wrapping_mul(i), i])).collect();
        (BaseLayer::of_sorted(1, bases), (0..count).map(|i| (i * i % 251) as u8).collect())
    }

    #[test]
    fn every_base_has_its_value() {
        for (count, threads) in [(0, 1), (1, 2), (2, 1), (1000, 2), (33_000, 1), (300_000, 3)] {
            let (bases, values) = layer(count);
            let map = ValueMap::new(&bases, &values, threads);
            for (base, &value) in bases.iter().zip(&values) {
                assert_eq!(map.value(&map.place(base)), Some(value), "{base:?} of {count}");
            }
            assert!(map.bytes() < 200 + count * 5 / 2, "{} bytes for {count}", map.bytes());
        }
    }

    #[test]
    fn most_bases_that_are_not_there_are_noticed() {
        let (bases, values) = layer(100_000);
        let map = ValueMap::new(&bases, &values, 2);
        let others = (0..10_000).filter(|&i| map.value(&map.place(&Ideal([i, u64::MAX - i]))).is_some());
        assert!(others.count() < 100, "one in 256 is not");
    }

    #[test]
    fn equal_hashes_are_given_up() {
        assert!(fill(&[(5, 1), (6, 2), (5, 1)]).is_none());
        assert!(fill(&[(5, 1), (6, 2)]).is_some());
    }
}
