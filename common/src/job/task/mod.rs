//! Tasks: the parts of a job that can be done anywhere, in any order that their inputs allow.
//!
//! ```text
//! enumerate (k, s)   canonical bases of layer k found from shard s of layer k - 1     needs that shard
//! solve (k, s)       counts and values of shard s of layer k                          needs the values of layer k - 1
//! join (k, s)        products of the middle values of shard s with their duals        needs the values of layer k
//! duals (k, s)       of a game: values of the larger ideals, by their duals           needs all values, and those of the
//!                                                                                     duals from layer k + 1 on
//! whole              all of a job that is too small to be cut
//! search (s)         of a search: a position, for so many nodes                        needs nothing, but gains by what others settle
//! prove (s)          of a search: the proof of its position                            needs what was settled
//! ```
//! To solve a shard of a game takes the values of all layers below, not of one: see [`Replica`].
//!
//! But for those of a search, a task is deterministic: the same findings and the same bytes on every machine, for any number of threads. Between
//! enumeration and solution somebody merges what was found into a layer and cuts it ([`Engine::merge`]).
//!
//! An [`Engine`] does tasks of one job. It hides how many words an ideal of its poset takes, and knows nothing of where
//! bases and values come from.

mod engine;
mod join;
mod layers;
mod replica;
mod samples;
mod solve;
#[cfg(test)]
mod tests;

use std::path::Path;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::certificate::Certificate;
use super::estimation::Sampled;
use super::records::SizeSum;
use super::ruler::Surveyed;
use super::sample::Sample;
use super::search::{Options, Party, Searched};
use super::{JobError, JobSpec, Side, SizeCount, ValuedShard, decimal};
use crate::poset::PosetError;
use crate::space::needed::Needed;
use crate::store::{BlockHead, BlockImage, Damage, Store, StoreError};
use crate::watch::Interrupt;
pub use engine::engine;
pub use layers::{LayerIndex, Merged, MergedShard};
pub use replica::Replica;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// All of a small job.
    Whole,
    /// The canonical bases that those of a shard of the layer below lead to.
    Enumerate,
    /// Values and their products with those of the duals.
    Join,
    /// Counts, and values where the question has any.
    Solve,
    /// Values of larger ideals of a game, by their duals.
    Duals,
    /// Of a search: a position, as far as an order goes.
    Search,
    /// Of a search: the proof.
    Prove,
}

impl TaskKind {
    /// The side of a game that a task values.
    pub fn side(self) -> Option<Side> {
        match self {
            Self::Solve => Some(Side::Lower),
            Self::Duals => Some(Side::Upper),
            Self::Whole | Self::Enumerate | Self::Join | Self::Search | Self::Prove => None,
        }
    }
}

/// A task of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// What is to be done.
    pub kind: TaskKind,
    /// The base layer that it is about: for [`TaskKind::Enumerate`] the one that is found.
    pub layer: usize,
    /// The shard: for [`TaskKind::Enumerate`] of the layer below.
    pub shard: usize,
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, layer, shard } = self;
        match kind {
            TaskKind::Whole => f.write_str("the whole job"),
            TaskKind::Enumerate => write!(f, "enumeration of layer {layer} from shard {shard}"),
            TaskKind::Solve => write!(f, "values of layer {layer}, shard {shard}"),
            TaskKind::Join => write!(f, "join over layer {layer}, shard {shard}"),
            TaskKind::Duals => write!(f, "values of the duals over layer {layer}, shard {shard}"),
            TaskKind::Search => write!(f, "search {shard}"),
            TaskKind::Prove => f.write_str("the proof"),
        }
    }
}

/// What a task found, besides a file. As JSON it is the same bytes on every machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Findings {
    /// Of [`TaskKind::Whole`]: the certificate.
    Whole(Box<Certificate>),
    /// Of [`TaskKind::Enumerate`]; the candidates are in the file.
    Enumerated {
        /// Edges that were followed.
        edges: u64,
    },
    /// Of [`TaskKind::Solve`]; values, if any, are in the file.
    Solved(Solved),
    /// Of [`TaskKind::Join`].
    Joined {
        /// What the shard gives to e(P).
        #[serde(with = "decimal")]
        joined: BigUint,
    },
    /// Of [`TaskKind::Duals`]; the values are in the file.
    Duals(ValuedShard),
    /// Of [`TaskKind::Solve`] where a layer are the types of set partitions of so many elements.
    Surveyed(Surveyed),
    /// Of [`TaskKind::Solve`] where the shards of the only layer are groups of batches of an estimate.
    Sampled(Sampled),
    /// Of [`TaskKind::Search`]; what was settled is in the file.
    Searched(Searched),
    /// Of [`TaskKind::Prove`]: the certificate; the proof is in the file.
    Proved(Box<Certificate>),
    /// Of [`TaskKind::Prove`]: what was settled contradicts itself, and is worth nothing.
    Confused,
}

/// A shard of a layer, solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solved {
    /// Number of bases.
    pub bases: u64,
    /// Number of slots.
    pub slots: u64,
    /// Ideals over the bases, by number of elements.
    pub counts: Vec<SizeCount>,
    /// The numbers of linear extensions, if these are asked for.
    pub values: Option<SolvedValues>,
    /// The values of the positions, if the question is about the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<ValuedShard>,
}

/// The values of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolvedValues {
    /// Limbs of a value: no fewer than the layer below has, and enough for this shard.
    pub width: usize,
    /// BLAKE3 of the values at that width, in hexadecimal digits.
    pub digest: String,
    /// Sums by size.
    pub sums: Vec<SizeSum>,
}

/// A table, or as much of it as is needed.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    /// The values.
    pub words: &'a [u64],
    /// Limbs of a value.
    pub width: usize,
}

/// How much of a machine a task may use.
pub struct Effort<'a> {
    /// Threads that compute.
    pub threads: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// A wish to stop.
    pub interrupt: &'a Interrupt,
    /// A folder for what a task needs on the disk while it lasts.
    pub scratch: &'a Path,
}

/// A task that knows what it has to read.
pub trait Prepared: Send {
    /// The layers whose tables are read, with the slots that are: to solve the one below (none for the empty base), to join
    /// the same and, if the duals are there, the one below.
    fn needed(&self) -> &[(usize, Needed)];

    /// Does the task, given those tables, in which at least the needed slots are filled.
    ///
    /// # Errors
    /// [`TaskError`].
    fn finish(
        self: Box<Self>,
        tables: &[Table<'_>],
        effort: &Effort<'_>,
    ) -> Result<(Findings, Option<BlockImage>), TaskError>;
}

/// Does tasks of one job: those of the kinds that its question has.
pub trait Engine: Send + Sync {
    /// The job.
    fn spec(&self) -> &JobSpec;

    /// Number of the last base layer.
    fn last_layer(&self) -> usize;

    /// Owner of the bases.
    fn space(&self) -> &str;

    /// Whether the question has values.
    fn has_values(&self) -> bool;

    /// Whether larger ideals of a game are valued by their duals.
    fn has_duals(&self) -> bool {
        false
    }

    /// Whether the slots of a layer depend on the largest size of ideals.
    fn has_fibres(&self) -> bool {
        false
    }

    /// The layer that the duals of a layer's ideals are in, if e(P) is joined over this layer.
    fn layer_of_duals(&self, _layer: usize) -> Option<usize> {
        None
    }

    /// The whole of a small job.
    ///
    /// # Errors
    /// [`TaskError`].
    fn whole(&self, _effort: &Effort<'_>) -> Result<Findings, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// The layer of the empty base, cut.
    ///
    /// # Errors
    /// None, but for a fault of the program.
    fn first_layer(&self) -> Result<Merged, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// The candidates for a layer from a shard of the layer below.
    ///
    /// # Errors
    /// [`TaskError`].
    fn enumerate(
        &self,
        _below: &BlockImage,
        _layer: usize,
        _effort: &Effort<'_>,
    ) -> Result<(Findings, BlockImage), TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// A layer from all its candidates.
    ///
    /// # Errors
    /// [`TaskError::Input`] if the candidates are not what they should be.
    fn merge(&self, _candidates: &[BlockImage], _layer: usize) -> Result<Merged, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// Bases and slots of each shard of a layer, given its shards in order.
    ///
    /// # Errors
    /// [`TaskError::Input`] if the shards are not what they should be.
    fn measure(&self, _shards: &[BlockImage], _layer: usize) -> Result<Vec<(u64, u64)>, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// An index of a layer, given its shards in order.
    ///
    /// # Errors
    /// [`TaskError::Input`] if the shards are not what they should be.
    fn index(&self, _shards: &[BlockImage], _layer: usize, _threads: usize) -> Result<LayerIndex, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// Begins to solve a shard, unless the question is about a game, given the index of the layer below (`None` for the empty base).
    ///
    /// # Errors
    /// [`TaskError`].
    fn prepare_solve(
        &self,
        _shard: &BlockImage,
        _layer: usize,
        _below: Option<&LayerIndex>,
        _effort: &Effort<'_>,
    ) -> Result<Box<dyn Prepared>, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// Begins to join a shard, given its number and the index of its layer and of the layer of the duals.
    ///
    /// # Errors
    /// [`TaskError`].
    fn prepare_join(
        &self,
        _shard: usize,
        _own: &LayerIndex,
        _duals: &LayerIndex,
        _effort: &Effort<'_>,
    ) -> Result<Box<dyn Prepared>, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// What shards of a game are valued from, no layer of it yet; `None` if the question is about no game.
    fn replica(&self) -> Option<Box<dyn Replica>> {
        None
    }

    /// Visits a shard of the types of n, given h(1), ..., h(n - 1), if the question is the ruler on set partitions.
    ///
    /// # Errors
    /// [`TaskError::NotOfThisJob`] if it is not, or there is no such shard; [`TaskError::Stopped`].
    fn survey(&self, _n: usize, _shard: usize, _heights: &[u32], _effort: &Effort<'_>) -> Result<Findings, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// Makes a group of batches, if the question is an estimate.
    ///
    /// # Errors
    /// [`TaskError::NotOfThisJob`] if it is not, or there is no such group; [`TaskError::Stopped`].
    fn sample(&self, _group: usize, _effort: &Effort<'_>) -> Result<Findings, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// What follows from a position without a search, if the question is one.
    ///
    /// # Errors
    /// [`TaskError::NotOfThisJob`] if it is not; [`TaskError::Job`] if there is no such position.
    fn options(&self, _position: &str) -> Result<Options, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// Whether a file has settled positions of this search.
    ///
    /// # Errors
    /// [`Damage::Kind`].
    fn check_settled(&self, _head: &BlockHead) -> Result<(), Damage> {
        Err(Damage::Kind)
    }

    /// Who searches and proves at a worker.
    ///
    /// # Errors
    /// [`TaskError::NotOfThisJob`] if the question is no search.
    fn party(&self, _effort: &Effort<'_>) -> Result<Box<dyn Party>, TaskError> {
        Err(TaskError::NotOfThisJob)
    }

    /// The samples of a layer whose values, and those of the layer below, are in a store.
    ///
    /// # Errors
    /// Errors of reading the store.
    fn samples(&self, _store: &Store, _layer: usize) -> Result<Vec<Sample>, TaskError> {
        Ok(Vec::new())
    }

    /// Bytes of memory that a task takes, about, given the numbers of bases and slots of what it reads and of its shard.
    fn memory_of(&self, task: Task, sizes: &TaskSizes) -> u64;
}

/// What the memory of a task depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskSizes {
    /// Bases of the layer that is read, or of all layers of a game that are.
    pub bases_read: u64,
    /// Slots of its table, or of all tables of the lower side.
    pub slots_read: u64,
    /// Bases of the shard.
    pub bases: u64,
    /// Slots of the shard.
    pub slots: u64,
    /// Limbs of a value.
    pub width: usize,
}

/// Why a task was not done.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The poset is none.
    #[error(transparent)]
    Poset(#[from] PosetError),
    /// An input is damaged, or not what the task is about.
    #[error("an input is damaged: {0}")]
    Input(#[from] Damage),
    /// The job has no tasks of this kind, or none so numbered.
    #[error("there is no such task in this job")]
    NotOfThisJob,
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The job cannot be done.
    #[error(transparent)]
    Job(JobError),
    /// A stop was asked for.
    #[error("stopped on request")]
    Stopped,
}

impl From<JobError> for TaskError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Interrupted => Self::Stopped,
            other => Self::Job(other),
        }
    }
}

impl From<crate::watch::Stopped> for TaskError {
    fn from(_: crate::watch::Stopped) -> Self {
        Self::Stopped
    }
}
