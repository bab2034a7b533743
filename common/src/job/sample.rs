//! Samples: a few blocks of every layer with all they were computed from, kept for `verify`.
//!
//! The choice depends on the bases alone. Samples are stored in shards of kind `sample`, owned by the job; each holds
//! those of all layers since the shard before, and is numbered by the last of them. Small jobs have none: all of them can
//! be computed again.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::{JobId, decimal};
use crate::ideal::Element;
use crate::store::{BlockFile, Codec, ShardKey, ShardKind, Spec, Store, StoreError, Written};

/// Version of this payload's format.
pub const SAMPLE_FORMAT: u32 = 1;
/// Bytes of payload in a block.
const BLOCK_BYTES: usize = 1 << 16;

/// The value of an ideal of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleState {
    /// The upper part as a word of upper numbers (see [`crate::space::split`]); 0 where there are no upper elements.
    pub upper: u64,
    /// Its value.
    #[serde(with = "decimal")]
    pub value: BigUint,
}

/// A block that another one was computed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSource {
    /// The base element that was removed.
    pub removed: Element,
    /// Words of the canonical form of what is left, least significant first: the base of this block.
    pub base: Vec<u64>,
    /// All states of the block, labelled as its canonical base is.
    pub states: Vec<SampleState>,
}

/// A block of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of elements of the base.
    pub layer: usize,
    /// Words of the canonical base, least significant first.
    pub base: Vec<u64>,
    /// Order of its stabiliser; 0 where that does not fit 16 bits.
    pub stabiliser: u16,
    /// All states of the block.
    pub states: Vec<SampleState>,
    /// For every base element that can be removed the block that this leads to.
    pub sources: Vec<SampleSource>,
}

/// Key of the shard of samples up to a layer.
pub fn sample_key(job: &JobId, layer: usize) -> ShardKey {
    ShardKey { owner: job.0.clone(), kind: ShardKind::Sample, layer: layer as u16, shard: 0 }
}

/// Writes samples. The file is finished, but not recorded yet.
///
/// # Errors
/// [`StoreError::Document`] if they cannot be JSON; errors of writing.
pub fn write_samples(store: &Store, key: &ShardKey, samples: &[Sample]) -> Result<Written, StoreError> {
    let spec = Spec { kind: key.kind, codec: Codec::Lz4, format: SAMPLE_FORMAT, record_bytes: 1 };
    let json = serde_json::to_vec(samples).map_err(|source| unreadable(key, source))?;
    let mut writer = store.create_shard(key, spec)?;
    for block in json.chunks(BLOCK_BYTES) {
        writer.push(block, [0, 0])?;
    }
    writer.finish()
}

/// All samples of a job, by layer.
///
/// # Errors
/// [`StoreError::Damaged`], [`StoreError::Document`]; errors of reading.
pub fn read_samples(store: &Store, job: &JobId) -> Result<Vec<Sample>, StoreError> {
    let mut samples: Vec<Sample> = Vec::new();
    for (key, _) in store.shards_of(&job.0, ShardKind::Sample)? {
        let json = payload(&store.open_shard(&key)?)?;
        let more: Vec<Sample> = serde_json::from_slice(&json).map_err(|source| unreadable(&key, source))?;
        samples.extend(more);
    }
    Ok(samples)
}

fn payload(file: &BlockFile) -> Result<Vec<u8>, StoreError> {
    let mut whole = Vec::new();
    let mut block = Vec::new();
    for i in 0..file.len() {
        file.read(i, &mut block)?;
        whole.extend_from_slice(&block);
    }
    Ok(whole)
}

fn unreadable(key: &ShardKey, source: serde_json::Error) -> StoreError {
    StoreError::Document { owner: key.owner.clone(), name: key.to_string(), source }
}
