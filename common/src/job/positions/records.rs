//! What is stored of the positions of a game besides their values: one document, [`POSITIONS`], which the certificate of
//! a finished job holds too.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::job::records::ValueShard;
use crate::job::{JobId, decimal};
use crate::store::{ShardKey, ShardKind};

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
    /// Key of a shard of the values of a side.
    pub fn key(self, job: &JobId, layer: usize, shard: usize) -> ShardKey {
        let kind = match self {
            Self::Lower => ShardKind::Values,
            Self::Upper => ShardKind::Duals,
        };
        ShardKey { owner: job.0.clone(), kind, layer: layer as u16, shard: shard as u32 }
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

/// The positions of a game as far as they are valued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Positions {
    /// The layers in the order in which they were valued: the lower side upwards, then the upper side downwards.
    pub layers: Vec<PositionLayer>,
    /// Positions by size, then by value.
    pub counts: Vec<PositionCount>,
}

impl Positions {
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
