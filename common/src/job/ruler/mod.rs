//! The ruler on set partitions as a job: h(1), ..., h(N), one n after the other, each from all types of n.
//!
//! What is stored of it are the values themselves ([`HEIGHTS`]): everything else follows from them (see
//! [`crate::game::set_partitions`]), in seconds up to n = 110 and in minutes up to 150. So a run goes on from the values it has,
//! from a larger or a smaller job too, and a task on a cluster takes h(1), ..., h(n - 1) and a shard of the types of n.

mod certificate;
mod engine;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod verify;

use serde::{Deserialize, Serialize};

use super::{JobId, JobSpec, Question, SizeLimits};
use crate::game::set_partitions::{Seen, number_of_types, shard_of_types};
use crate::poset::PosetError;
use crate::poset::covers::CoverPoset;
use crate::store::{Store, StoreError};

pub use certificate::{check_heights, ruler_certificate};
pub use engine::RulerEngine;
pub use plan::plan as ruler_plan;
pub use run::{run_ruler, values_at_hand};
pub(super) use verify::verify;

/// The largest N: to 150 all types are 4 * 10^11.
pub const MOST: usize = 150;

/// Name of the document with the values so far, h(1) first.
pub const HEIGHTS: &str = "heights";

/// Values that tasks note: those below. No h(n) for n up to 60 is as large, for there are fewer types; all known ones are below 2^17.
/// Values that are spread evenly over the nimbers below 2^32 would have to be of 10^10 types to leave no smaller one out. Should it happen
/// nevertheless, the job stops and says so.
pub const BOUND: u64 = 1 << 20;

/// Types of a shard, about.
const TYPES_OF_A_SHARD: u64 = 8 << 20;
/// Shards of an n, at most.
const MOST_SHARDS: u64 = 256;

/// Number of shards that the types of n are cut into.
pub fn shards(n: usize) -> usize {
    number_of_types(n).div_ceil(TYPES_OF_A_SHARD).clamp(1, MOST_SHARDS) as usize
}

/// How many types each shard of those of n has, but for a few on its borders.
pub fn cut(n: usize) -> Vec<u64> {
    let shards = shards(n);
    let types = |shard| shard_of_types(n, shard, shards);
    (0..shards).map(types).map(|types| types.end - types.start).collect()
}

/// The n up to which a coordinator finds h(n) itself, in a tenth of a second: handing the types of so few elements out would take
/// longer, and it need not believe anybody.
pub const AT_ONCE: usize = 60;

/// What was found of a shard of the types of n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surveyed {
    /// Number of types visited.
    pub types: u64,
    /// Their values below [`BOUND`].
    pub seen: SeenBits,
}

/// A set of numbers below [`BOUND`] as it is stored and sent: its words in little-endian order, packed with LZ4, in hexadecimal
/// digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeenBits(String);

/// Bits that mean no set of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the values seen cannot be read")]
pub struct UnreadableBits;

impl From<&Seen> for SeenBits {
    fn from(seen: &Seen) -> Self {
        let bytes: Vec<u8> = seen.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        Self(lz4_flex::block::compress(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl SeenBits {
    /// The set.
    ///
    /// # Errors
    /// [`UnreadableBits`] if they are not those of one.
    pub fn read(&self) -> Result<Seen, UnreadableBits> {
        let digits = self.0.as_bytes();
        let digit = |digit: u8| char::from(digit).to_digit(16).ok_or(UnreadableBits);
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Ok((digit(high)? << 4 | digit(low)?) as u8),
            _ => Err(UnreadableBits),
        };
        let packed = digits.chunks(2).map(byte).collect::<Result<Vec<u8>, _>>()?;
        let length = (BOUND / 8) as usize;
        let bytes = lz4_flex::block::decompress(&packed, length).map_err(|_| UnreadableBits)?;
        if bytes.len() != length {
            return Err(UnreadableBits);
        }
        let (words, _) = bytes.as_chunks::<8>();
        Ok(Seen::of_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect()))
    }
}

impl JobSpec {
    /// The job of h(1), ..., h(N).
    pub fn ruler(n: usize) -> Self {
        Self {
            question: Question::Ruler,
            poset: format!("partitions:{n}"),
            limits: SizeLimits::NONE,
            position: None,
            sampling: None,
        }
    }

    /// N, if the question is the ruler on the partitions of N elements.
    ///
    /// # Errors
    /// [`PosetError`] if it is the ruler on something else.
    pub fn ruler_n(&self) -> Result<Option<usize>, PosetError> {
        if self.question != Question::Ruler {
            return Ok(None);
        }
        // Some others take long to be read.
        if self.poset.split(':').next() != Some("partitions") {
            return Err(PosetError::not_a_job(&self.poset));
        }
        match self.poset.parse()? {
            CoverPoset::Partitions(partitions) if partitions.n() <= MOST => Ok(Some(partitions.n())),
            CoverPoset::Partitions(partitions) => Err(PosetError::too_far(&self.poset, partitions.n(), MOST)),
            _ => Err(PosetError::not_a_job(&self.poset)),
        }
    }
}

/// The values that are stored of an unfinished job.
///
/// # Errors
/// Errors of the store.
pub fn stored_heights(store: &Store, job: &JobId) -> Result<Vec<u32>, StoreError> {
    Ok(store.document::<Vec<u32>>(&job.0, HEIGHTS)?.unwrap_or_default())
}
