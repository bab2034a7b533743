//! A base layer: the canonical bases with a given number of elements, in shards.
//!
//! Bases ascend, and shards are pieces of the layer in that order; tables of values follow it. What a base is
//! computed from then lies close together for neighbours, which costs a quarter less than shards by hash did.

use crate::ideal::Ideal;

/// Bases in a shard, at most.
const BASES_OF_A_SHARD: usize = 1 << 17;
/// Slots in a shard, at most, unless a single block has more: with values of four limbs 64 MiB, and a task of a second.
const SLOTS_OF_A_SHARD: u64 = 1 << 21;

/// Mixes the words of a base, every bit into all others: its place in an index.
#[inline(always)]
pub fn hash<const W: usize>(base: &Ideal<W>) -> u64 {
    seeded_hash(base, 0)
}

/// As [`hash`], another one for each seed.
#[inline(always)]
pub fn seeded_hash<const W: usize>(base: &Ideal<W>, seed: u64) -> u64 {
    base.0.iter().fold(0x9E37_79B9_7F4A_7C15 ^ seed, |hash, &word| {
        let product = u128::from(hash ^ word) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
        product as u64 ^ (product >> 64) as u64
    })
}

/// The canonical bases with `size` elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseLayer<const W: usize> {
    /// Number of elements of every base.
    pub size: usize,
    /// The bases of each shard, ascending.
    pub shards: Vec<Vec<Ideal<W>>>,
}

impl<const W: usize> BaseLayer<W> {
    /// The layer of the empty base.
    pub fn empty_base() -> Self {
        Self { size: 0, shards: vec![vec![Ideal::empty()]] }
    }

    /// A layer of canonical bases that ascend, in one piece.
    pub fn of_sorted(size: usize, bases: Vec<Ideal<W>>) -> Self {
        Self { size, shards: vec![bases] }
    }

    /// The same layer cut into shards, given the places of its blocks and the slots of all: each shard takes as many bases
    /// as it may. That depends on the layer alone, so every machine cuts it alike.
    pub fn cut(self, places: &[u64], slots: u64) -> Self {
        let len = self.len();
        // What is taken from a piece goes with it: large layers are not in memory twice.
        let mut bases = self.shards.into_iter().flatten();
        let mut take = |count| {
            let mut shard = Vec::with_capacity(count);
            shard.extend(bases.by_ref().take(count));
            shard
        };
        let mut shards = Vec::new();
        let mut first = 0;
        for number in 0..len {
            let end = places.get(number + 1).copied().unwrap_or(slots);
            let too_many = number - first == BASES_OF_A_SHARD || end - places[first] > SLOTS_OF_A_SHARD;
            if too_many && number > first {
                shards.push(take(number - first));
                first = number;
            }
        }
        shards.push(take(len - first));
        Self { size: self.size, shards }
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Vec::len).sum()
    }

    /// Whether there is no base.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(Vec::is_empty)
    }

    /// The bases in the order of the layer.
    pub fn iter(&self) -> impl Iterator<Item = &Ideal<W>> {
        self.shards.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_few_bases_and_few_slots() {
        let bases: Vec<Ideal<1>> = (0..300_000).map(|i| Ideal([i])).collect();
        let lengths = |layer: &BaseLayer<1>| layer.shards.iter().map(Vec::len).collect::<Vec<_>>();
        let places: Vec<u64> = (0..300_000).collect();
        let layer = BaseLayer::of_sorted(1, bases.clone()).cut(&places, 300_000);
        assert_eq!(lengths(&layer), [131_072, 131_072, 37_856]);
        assert_eq!(layer.shards.concat(), bases);
        // The second of four blocks alone is larger than a shard.
        let layer = BaseLayer::of_sorted(1, bases[..4].to_vec()).cut(&[0, 1 << 20, 1 << 23, (1 << 23) + 5], 10 << 20);
        assert_eq!(lengths(&layer), [1, 1, 2]);
        assert_eq!(BaseLayer::of_sorted(1, bases[..4].to_vec()).cut(&[0, 7, 9, 20], 1 << 21).shards.len(), 1);
    }
}
