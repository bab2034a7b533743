//! What is stored of the positions of a game besides their values: one document, [`POSITIONS`], which the certificate of
//! a finished job holds too.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::job::records::ValueShard;
use crate::job::space::number;
use crate::job::{JobId, decimal};
use crate::space::survey::Count;
use crate::store::{ShardKey, ShardKind, Store, StoreError};

/// Name of the document.
pub const POSITIONS: &str = "positions";

/// The two sides of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Ideals as they are.
    Lower,
    /// Ideals by their duals.
    Upper,
}

impl Side {
    /// Kind of the shards of the values of a side.
    pub fn kind(self) -> ShardKind {
        match self {
            Self::Lower => ShardKind::Values,
            Self::Upper => ShardKind::Duals,
        }
    }

    /// Key of a shard of the values of a side.
    pub fn key(self, job: &JobId, layer: usize, shard: usize) -> ShardKey {
        ShardKey { owner: job.0.clone(), kind: self.kind(), layer: layer as u16, shard: shard as u32 }
    }

    /// How many layers are valued before a layer of this side, where `last` is the last base layer: the lower side goes
    /// up, then the upper side down.
    pub fn turn(self, layer: usize, last: usize) -> usize {
        match self {
            Self::Lower => layer,
            Self::Upper => 2 * last + 1 - layer,
        }
    }

    /// Moves that lead from a block over a base to other blocks, about: the elements of the base, or those that it lacks of
    /// so many, and most uppers.
    pub fn moves(self, layer: usize, elements: usize) -> usize {
        match self {
            Self::Lower => layer,
            Self::Upper => 2 * elements - layer,
        }
    }

    /// The inverse of [`turn`](Self::turn).
    pub fn of_turn(turn: usize, last: usize) -> (Self, usize) {
        if turn <= last { (Self::Lower, turn) } else { (Self::Upper, 2 * last + 1 - turn) }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
        })
    }
}

/// The values of a base layer of a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionLayer {
    /// The side.
    pub side: Side,
    /// Number of elements of the bases.
    pub layer: usize,
    /// Number of slots of the layer: the same on both sides.
    pub slots: u64,
    /// The shards, in the order of the layer.
    pub shards: Vec<ValueShard>,
}

/// Positions of one size and value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionCount {
    /// Number of elements of the ideals.
    pub size: usize,
    /// The value.
    pub value: u8,
    /// Orbits, in decimal.
    #[serde(with = "decimal")]
    pub orbits: BigUint,
    /// Labelled ideals, in decimal.
    #[serde(with = "decimal")]
    pub labelled: BigUint,
}

/// The positions of a shard of a side, valued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuedShard {
    /// What is stored of the values.
    pub shard: ValueShard,
    /// Positions by size and value.
    pub counts: Vec<PositionCount>,
}

/// The positions of a game as far as they are valued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Positions {
    /// The layers in the order in which they were valued: the lower side upwards, then the upper side downwards.
    pub layers: Vec<PositionLayer>,
    /// Positions by size, then by value.
    pub counts: Vec<PositionCount>,
}

impl PositionCount {
    /// The positions that the engine has counted by size and value, as the documents have them; `size` is the number of
    /// elements of an ideal, given what the engine counts by.
    pub(in crate::job) fn of(counts: Vec<Count>, size: impl Fn(usize) -> usize) -> impl Iterator<Item = Self> {
        let counted = counts.into_iter().enumerate().filter(|(_, count)| count.orbits > 0);
        counted.map(move |(at, count)| Self {
            size: size(at / 256),
            value: (at % 256) as u8,
            orbits: count.orbits.into(),
            labelled: number(count.labelled),
        })
    }
}

impl Positions {
    /// Adds a layer, given its shards in order.
    pub fn add_layer<'a>(&mut self, side: Side, layer: usize, shards: impl Iterator<Item = &'a ValuedShard>) {
        let mut record = PositionLayer { side, layer, slots: 0, shards: Vec::new() };
        for ValuedShard { shard, counts } in shards {
            record.slots += shard.slots;
            record.shards.push(shard.clone());
            self.add(counts.iter().cloned());
        }
        self.layers.push(record);
    }

    /// Whether the values of all layers are recorded in a store.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn are_stored(&self, store: &Store, job: &JobId) -> Result<bool, StoreError> {
        let stored = |side: Side| store.shards_of(&job.0, side.kind()).map(|shards| shards.len());
        let shards: usize = self.layers.iter().map(|layer| layer.shards.len()).sum();
        Ok(stored(Side::Lower)? + stored(Side::Upper)? == shards)
    }

    /// The value of a position whose size no other has.
    pub fn value_of_only(&self, size: usize) -> Option<u8> {
        self.counts.iter().find(|count| count.size == size).map(|count| count.value)
    }

    /// Adds positions by size and value.
    pub(super) fn add(&mut self, counts: impl IntoIterator<Item = PositionCount>) {
        for more in counts {
            match self.counts.binary_search_by_key(&(more.size, more.value), |count| (count.size, count.value)) {
                Ok(at) => {
                    self.counts[at].orbits += more.orbits;
                    self.counts[at].labelled += more.labelled;
                }
                Err(at) => self.counts.insert(at, more),
            }
        }
    }
}
