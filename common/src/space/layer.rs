//! A base layer: the canonical bases with a given number of elements, in shards.
//!
//! Bases ascend, and shards are equal pieces of the layer in that order; tables of values follow it. What a base is
//! computed from then lies close together for neighbours, which costs a quarter less than shards by hash did.

use crate::ideal::Ideal;

/// Names a shard of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardId(pub u32);

/// The most shards of a layer.
pub const MAX_SHARDS: usize = 64;

/// Bases in a shard, at most about: with some 16 upper parts a base the shard's values are some tens of megabytes.
const BASES_OF_A_SHARD: usize = 1 << 17;

/// Mixes the words of a base, every bit into all others: its place in an index.
#[inline(always)]
pub fn hash<const W: usize>(base: &Ideal<W>) -> u64 {
    base.0.iter().fold(0x9E37_79B9_7F4A_7C15, |hash, &word| {
        let product = u128::from(hash ^ word) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
        product as u64 ^ (product >> 64) as u64
    })
}

/// Number of shards (a power of two) of a layer with that many bases: a function of the layer alone, so that every
/// machine cuts it alike.
pub fn shard_count(bases: usize) -> usize {
    bases.div_ceil(BASES_OF_A_SHARD).next_power_of_two().min(MAX_SHARDS)
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

    /// A layer of canonical bases that ascend, cut into shards.
    pub fn of_sorted(size: usize, bases: &[Ideal<W>]) -> Self {
        let shard = bases.len().div_ceil(shard_count(bases.len())).max(1);
        Self { size, shards: bases.chunks(shard).map(<[_]>::to_vec).collect() }
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
