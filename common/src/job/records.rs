//! What is stored of spaces and jobs besides their shards: JSON documents, described field by field in FORMATS.md.
//!
//! | owner | document | when |
//! |---|---|---|
//! | [`space_owner`] | [`layer_document`]: [`SpaceLayer`] | with the shards of bases of that layer, in the same commit |
//! | [`JobId`] | [`JOB`]: [`JobRecord`] | from the first checkpoint on |
//! | [`JobId`] | [`layer_document`]: [`ValueLayer`] | for every evaluated layer, from checkpoint to certificate |
//! | [`JobId`] | [`CERTIFICATE`]: [`super::certificate::Certificate`] | when the job is finished |
//!
//! Small jobs leave a record and a certificate only; their spaces are not stored.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::{JobId, JobSpec, Method, SizeCount, decimal};
use crate::poset::given::short_name;
use crate::recurrence::extensions::LayerSums;
use crate::store::{ShardKey, ShardKind, Store, StoreError};

/// Version of the documents in here and of the digest of a job. What was stored under another one is not gone on from.
pub const JOB_FORMAT: u32 = 3;

/// Name of the document that makes a job.
pub const JOB: &str = "job";
/// Name of the document that finishes it.
pub const CERTIFICATE: &str = "certificate";

/// What the names of the documents of layers begin with.
pub const LAYER_PREFIX: &str = "layer-";

/// Owner of the canonical bases of a poset, which all questions about it share: `space-boolean-7-64`.
pub fn space_owner(poset: &str, base: usize) -> String {
    format!("space-{}-{base}", short_name(poset)).replace([':', ','], "-")
}

/// Name of the document of a base layer, of a space or a job.
pub fn layer_document(layer: usize) -> String {
    format!("{LAYER_PREFIX}{layer}")
}

/// Key of a shard of bases, owned by a space.
pub fn bases_key(space: &str, layer: usize, shard: usize) -> ShardKey {
    ShardKey { owner: space.to_owned(), kind: ShardKind::Bases, layer: layer as u16, shard: shard as u32 }
}

/// Key of a shard of values, owned by a job.
pub fn values_key(job: &JobId, layer: usize, shard: usize) -> ShardKey {
    ShardKey { owner: job.0.clone(), kind: ShardKind::Values, layer: layer as u16, shard: shard as u32 }
}

/// A base layer of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceLayer {
    /// Number of elements of every base.
    pub size: usize,
    /// Number of bases of each shard.
    pub shards: Vec<u64>,
    /// Edges that lead into this layer: pairs of a canonical base of the layer below and a base element that can be added.
    pub edges: u64,
    /// Largest size of ideals that `slots` and `counts` were made for. Without upper elements they do not depend on it.
    pub top: usize,
    /// Number of slots of the layer's values.
    pub slots: u64,
    /// Ideals over the bases of this layer, by number of elements, from `size` on.
    pub counts: Vec<SizeCount>,
}

impl SpaceLayer {
    /// The stored record of a layer.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub fn load(store: &Store, space: &str, layer: usize) -> Result<Option<Self>, StoreError> {
        store.document(space, &layer_document(layer))
    }

    /// Number of bases.
    pub fn bases(&self) -> u64 {
        self.shards.iter().sum()
    }
}

/// Adds the counts of a shard to those of its layer.
pub fn add_counts(counts: &mut Vec<SizeCount>, more: &[SizeCount]) {
    for more in more {
        match counts.iter_mut().find(|count| count.size == more.size) {
            Some(count) => {
                count.orbits += &more.orbits;
                count.labelled += &more.labelled;
            }
            None => counts.push(more.clone()),
        }
    }
    counts.sort_unstable_by_key(|count| count.size);
}

/// Whether a job has its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Begun; the next `run` goes on.
    Running,
    /// Its certificate is stored.
    Finished,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// What is asked.
    pub spec: JobSpec,
    /// Whether it is answered.
    pub state: JobState,
    /// [`JOB_FORMAT`] of the program that wrote it.
    pub format: u32,
    /// Version of that program.
    pub software: String,
    /// How the ideals are visited.
    pub method: Method,
    /// Owner of the bases.
    pub space: String,
}

impl JobRecord {
    /// The stored record of a job.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub fn load(store: &Store, job: &JobId) -> Result<Option<Self>, StoreError> {
        store.document(&job.0, JOB)
    }
}

/// The values of a shard of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueShard {
    /// Number of slots: those of the blocks of the shard's bases, one after the other.
    pub slots: u64,
    /// BLAKE3 of the values, as the payload digest of their file, in hexadecimal digits.
    pub digest: String,
}

/// Sums over the ideals of one size in one base layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeSum {
    /// Number of elements of the ideals.
    pub size: usize,
    /// Sum of orbit * e.
    #[serde(with = "decimal")]
    pub values: BigUint,
    /// Sum of orbit * e * (number of elements that can be added).
    #[serde(with = "decimal")]
    pub extended: BigUint,
}

/// The values of a base layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueLayer {
    /// Number of elements of the bases.
    pub layer: usize,
    /// Number of bases.
    pub bases: u64,
    /// Limbs of a value, 57 bits each in 64.
    pub width: usize,
    /// Number of slots of the layer.
    pub slots: u64,
    /// The shards, in the order of the layer.
    pub shards: Vec<ValueShard>,
    /// Sums by size, from `layer` on.
    pub sums: Vec<SizeSum>,
    /// What this layer gives to e(P) where it is joined from two halves.
    #[serde(with = "decimal")]
    pub joined: BigUint,
}

impl ValueLayer {
    /// The stored record of a layer of an unfinished job.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub fn load(store: &Store, job: &JobId, layer: usize) -> Result<Option<Self>, StoreError> {
        store.document(&job.0, &layer_document(layer))
    }

    /// The record of a layer of which no shard is known yet.
    pub fn empty(layer: usize, space: &SpaceLayer, width: usize) -> Self {
        let (bases, slots) = (space.bases(), space.slots);
        let (shards, sums) = (Vec::new(), Vec::new());
        Self { layer, bases, width, slots, shards, sums, joined: BigUint::ZERO }
    }

    /// Adds the sums of a shard.
    pub fn add_sums(&mut self, sums: &[SizeSum]) {
        for more in sums {
            match self.sums.iter_mut().find(|sum| sum.size == more.size) {
                Some(sum) => {
                    sum.values += &more.values;
                    sum.extended += &more.extended;
                }
                None => self.sums.push(more.clone()),
            }
        }
        self.sums.sort_unstable_by_key(|sum| sum.size);
    }

    /// Sums by size from those of the engine, which begin at size 0.
    pub fn sums_of(layer: usize, sums: LayerSums) -> Vec<SizeSum> {
        let pairs = sums.values.into_iter().zip(sums.extended).enumerate().skip(layer);
        pairs.map(|(size, (values, extended))| SizeSum { size, values, extended }).collect()
    }

    /// Whether every shard of values is recorded in the store. (That says nothing about damage.)
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn is_kept(&self, store: &Store, job: &JobId) -> Result<bool, StoreError> {
        let stored = store.shards_in_layer(&job.0, ShardKind::Values, self.layer as u16)?;
        Ok(stored.len() == self.shards.len())
    }
}
