//! A base layer: the canonical bases with a given number of elements, in shards.
//!
//! A base belongs to the shard that the top bits of its hash name. Within a shard bases ascend. The order of the shards,
//! then of the bases, is the order of the layer; tables of values follow it.

use crate::ideal::Ideal;

/// Names a shard of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardId(pub u32);

/// The most shards of a layer.
pub const MAX_SHARDS: usize = 64;

/// Bases in a shard, at most about: with some 16 upper parts a base the shard's values are some tens of megabytes.
const BASES_OF_A_SHARD: usize = 1 << 17;

/// Mixes the words of a base; the top bits choose the shard, the low bits the place in an index.
#[inline(always)]
pub fn hash<const W: usize>(base: &Ideal<W>) -> u64 {
    let mixed =
        base.0.iter().fold(0u64, |hash, &word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ mixed >> 29
}

/// Number of shards (a power of two) of a layer with that many bases: a function of the layer alone, so that every
/// machine cuts it alike.
pub fn shard_count(bases: usize) -> usize {
    bases.div_ceil(BASES_OF_A_SHARD).next_power_of_two().min(MAX_SHARDS)
}

/// The shard of a base among a power of two.
#[inline(always)]
pub fn shard_of(hash: u64, shards: usize) -> usize {
    ((u128::from(hash) * shards as u128) >> 64) as usize
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
