//! Jobs: a question about a poset, its plan, its run with checkpoints, its certificate.
//!
//! Front ends (the command line, later the coordinator) use the functions re-exported here and nothing deeper.

mod budget;
mod catalogue;
pub mod certificate;
mod checkpoint;
mod checks;
pub mod conclude;
mod context;
mod digest;
pub mod estimation;
mod extensions;
mod moves;
mod plain;
mod plan;
mod positions;
mod profile;
mod progress;
mod query;
mod question;
pub mod records;
mod remove;
mod repair;
mod resume;
pub mod ruler;
mod run;
pub mod sample;
mod sampling;
pub mod search;
mod space;
mod spec;
mod table;
mod tablebase;
mod takeover;
pub mod task;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trial;
mod truncations;
mod verify;

use std::path::PathBuf;
use std::time::Duration;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::poset::{PosetError, PositionError};
use crate::store::StoreError;
pub use crate::watch::Interrupt;
pub use catalogue::{certificate, finished, jobs, positions};
pub use estimation::{Estimate, EstimateSpec, Extent, Sampling, Wanted, batches_wanted, estimate};
pub use moves::{Moves, PositionMove, moves};
pub use plan::{Amount, Method, Reach, Resource, Resources, check, method, plan, reach};
pub use positions::positions_of_value;
pub use positions::records::{POSITIONS, PositionCount, PositionLayer, Positions, Side, ValuedShard};
pub use query::{QueryTables, query, query_with};
pub use question::{Question, UnknownQuestion};
pub use remove::remove;
pub use ruler::{ruler_plan, run_ruler};
pub use run::{layers, limits_of_counts, run};
pub use search::ProofRecord;
pub use spec::{JobId, JobSpec, SizeLimits};
pub use tablebase::{TablebaseError, export_table, import_table};
pub use takeover::Takeover;
pub use truncations::{Truncation, truncations};
pub use verify::verify;

/// The stages of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding the canonical bases, layer by layer.
    Enumerate,
    /// Evaluating the recurrence, layer by layer.
    Evaluate,
    /// Searching one position.
    Search,
    /// Proving what a search has found: done are lost positions with their reasons, ideals all those that are known to belong to
    /// the proof.
    Prove,
    /// Counting the exact ends of an estimate, and learning by what formula its ideals are drawn: for a time that nobody knows
    /// beforehand.
    Learn,
    /// Growing random ideals for an estimate, batch by batch: these are counted as layers are.
    Sample,
}

/// Where a job stands. Work is counted in base edges and, in evaluation, slots of tables besides: each costs about the same
/// everywhere in a phase. An evaluation that discovers its layers too meets every edge twice.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The stage.
    pub phase: Phase,
    /// Base layer at work.
    pub layer: usize,
    /// Number of the last base layer.
    pub last_layer: usize,
    /// Work done in this phase, including what an earlier process did.
    pub done: u64,
    /// Work of this phase in all, where something is known about it: exactly where all layers were found before or their
    /// counts are published, otherwise as the plan estimates it.
    pub total: Option<u64>,
    /// Orbits of ideals (enumeration) or states (evaluation) dealt with so far.
    pub ideals: u64,
}

/// How to run.
pub struct RunOptions<'a> {
    /// Threads that compute.
    pub threads: usize,
    /// Memory budget in bytes.
    pub memory: u64,
    /// Wall time between checkpoints.
    pub checkpoint: Duration,
    /// Keep the values of every layer.
    pub keep_values: bool,
    /// The user's wish to stop.
    pub interrupt: &'a Interrupt,
    /// Called now and then (at most some ten times a second, from any thread).
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// The number of ideals of one size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// Number of elements of the ideals.
    pub size: usize,
    /// Orbits, in decimal.
    #[serde(with = "decimal")]
    pub orbits: BigUint,
    /// Labelled ideals, in decimal.
    #[serde(with = "decimal")]
    pub labelled: BigUint,
}

/// The result of a finished job.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The job.
    pub job: JobId,
    /// What was asked.
    pub spec: JobSpec,
    /// The number asked for; `None` where a limit on sizes excludes it.
    pub value: Option<BigUint>,
    /// Orbits of the ideals within the limits.
    pub orbits: BigUint,
    /// Labelled ideals within the limits.
    pub labelled: BigUint,
    /// Number of base layers.
    pub base_layers: usize,
    /// Digest of values and counts (64 hexadecimal digits).
    pub digest: String,
    /// Of the ruler on set partitions: h(1), h(2), ...
    pub heights: Option<Vec<u32>>,
    /// Of a search: what its proof shows.
    pub proof: Option<ProofRecord>,
    /// Whether anything came from an earlier process.
    pub resumed: bool,
    /// Wall time of this process's part.
    pub elapsed: Duration,
}

/// What a job will need, before it starts.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// The job's id.
    pub job: JobId,
    /// What is asked.
    pub spec: JobSpec,
    /// How the ideals are visited; shown as a sentence.
    pub method: Method,
    /// Orbits of ideals within the limits.
    pub orbits: Amount,
    /// Labelled ideals within the limits.
    pub labelled: Amount,
    /// States that will be evaluated.
    pub states: f64,
    /// States of the largest base layer.
    pub most_states: f64,
    /// Base edges.
    pub edges: f64,
    /// Additions, or the unit of work of the question.
    pub operations: f64,
    /// CPU seconds on a machine like the one the figures of the README were measured on.
    pub cpu_seconds: f64,
    /// Peak memory in bytes.
    pub memory_bytes: f64,
    /// Peak disk in bytes without `--keep-values`.
    pub disk_bytes: f64,
    /// Disk in bytes with `--keep-values`.
    pub disk_bytes_kept: f64,
}

impl Plan {
    /// Whether the job is done in no time, and leaves no files.
    pub fn is_small(&self) -> bool {
        self.states < space::WORTH_FILES as f64
    }

    /// Whether the values of all layers are kept, if that is wished or not: with a limit on sizes, the values of the ideals
    /// are all that there is to know of their linear extensions.
    pub fn keeps_values(&self, wish: bool) -> bool {
        let is_frontier = self.spec.question == Question::Extensions && self.spec.limits.max.is_some();
        wish || is_frontier && !self.is_small()
    }

    /// Peak disk in bytes, given whether it is wished that values are kept.
    pub fn disk(&self, wish: bool) -> f64 {
        if self.keeps_values(wish) { self.disk_bytes_kept } else { self.disk_bytes }
    }

    /// Whether the numbers of ideals are exact (published or enumerated) rather than estimated.
    pub fn is_exact(&self) -> bool {
        self.orbits.is_exact() && self.labelled.is_exact()
    }
}

/// The value of one position.
#[derive(Clone, Debug)]
pub struct PositionValue {
    /// The position as it was given.
    pub position: String,
    /// Its canonical form, written the same way, if that was wanted.
    pub canonical: Option<String>,
    /// Its value.
    pub value: BigUint,
    /// The job whose table has it, if that is not finished.
    pub unfinished: Option<JobId>,
}

/// A job of a data directory, in short.
#[derive(Clone, Debug)]
pub struct JobSummary {
    /// Its id.
    pub job: JobId,
    /// What is asked.
    pub spec: JobSpec,
    /// Whether its answer is there.
    pub finished: bool,
}

/// What `verify` checked, a line each, and what it found wrong.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verification {
    /// Checks that held, each in a sentence with its numbers.
    pub passed: Vec<String>,
    /// Faults, each in a sentence naming the file or the number.
    pub failed: Vec<String>,
}

/// Why a job did not give its answer.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The poset is none, or not one that the question is about.
    #[error(transparent)]
    Poset(#[from] PosetError),
    /// The position is none.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user stopped it; what was committed stays.
    #[error("interrupted; what was finished is stored and the next run goes on from there")]
    Interrupted,
    /// The job does not fit into the memory budget.
    #[error("{job} needs about {needed} bytes of memory, the budget is {budget}")]
    Memory {
        /// The job.
        job: JobId,
        /// Bytes it would need.
        needed: u64,
        /// Bytes it may use.
        budget: u64,
    },
    /// A search that did not come to its end in time; what was settled stays.
    #[error("{job} is not settled after {nodes} positions")]
    OutOfBudget {
        /// The job.
        job: JobId,
        /// Positions visited.
        nodes: u64,
    },
    /// Two stores that do not agree on who wins a position.
    #[error("{position} of {poset} is lost in one of two stores and won in the other")]
    Contradiction {
        /// The poset.
        poset: String,
        /// The position.
        position: String,
        /// The other store.
        directory: PathBuf,
    },
    /// A question that is not asked of single positions.
    #[error("only the outcome of a single position is searched for, not {0}")]
    NotSearched(Question),
    /// A job that is no search.
    #[error("{0} has no proof")]
    NoProof(JobId),
    /// The job does not fit on the disk.
    #[error("{job} needs about {needed} bytes of disk, {free} are free")]
    Disk {
        /// The job.
        job: JobId,
        /// Bytes it would need.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The question needs more ideals than anybody can visit.
    #[error("{job} needs about {ideals:.1e} ideals of {poset} up to symmetry, more than anybody can visit")]
    OutOfReach {
        /// The job.
        job: JobId,
        /// The poset.
        poset: String,
        /// Orbits of ideals that the question needs.
        ideals: f64,
    },
    /// The same for large ideals only, which would be no help.
    #[error(
        "{job} needs about {ideals:.1e} ideals of {poset} up to symmetry, more than anybody can visit: {}",
        Question::why_from_below(*question)
    )]
    FromAbove {
        /// The job.
        job: JobId,
        /// What it asks.
        question: Question,
        /// The poset.
        poset: String,
        /// Orbits of ideals that the question needs.
        ideals: f64,
    },
    /// An estimate that would take too long.
    #[error(
        "a relative standard error of {error} of {poset} takes about {samples:.1e} samples, and {most} are the most"
    )]
    TooPrecise {
        /// The poset.
        poset: String,
        /// The error wanted, in per cent.
        error: String,
        /// Samples that it takes.
        samples: f64,
        /// The most.
        most: u64,
    },
    /// What no estimate is made from.
    #[error("{0}")]
    NoEstimate(&'static str),
    /// No job of that name is stored.
    #[error("there is no job `{job}` in {directory}")]
    NoSuchJob {
        /// The name asked for.
        job: String,
        /// The data directory.
        directory: PathBuf,
        /// Names of the jobs that are there, nearest first.
        nearest: Vec<JobId>,
    },
    /// The job exists, but has not finished.
    #[error("{0} has not finished")]
    Unfinished(JobId),
    /// The value of a position is neither stored nor quick to compute.
    #[error("the value of {position} is not stored and would take long to compute")]
    NotStored {
        /// The position.
        position: String,
        /// What to do.
        hint: String,
    },
    /// A small game whose values were not kept.
    #[error("the values of {0} are not stored")]
    NoTable(JobId),
    /// A value of a position of so many elements that does not fit a byte.
    #[error("a position with {0} elements has a value above 255")]
    TooLarge(usize),
    /// A question that is about something else than the ideals of a poset.
    #[error("{0} is no question about ideals")]
    NotAboutIdeals(Question),
    /// Moves of a question that is not about the game.
    #[error("{0} is no question about the game")]
    NoGame(Question),
    /// A check that must hold by a theorem did not: a fault of the program or of the machine.
    #[error("self-check failed: {0}")]
    SelfCheck(String),
}

pub(crate) mod decimal {
    //! Big integers as decimal strings.
    use num_bigint::BigUint;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &BigUint, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BigUint, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }

    pub mod option {
        //! Or `null`.
        use num_bigint::BigUint;
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub fn serialize<S: Serializer>(value: &Option<BigUint>, serializer: S) -> Result<S::Ok, S::Error> {
            value.as_ref().map(ToString::to_string).serialize(serializer)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BigUint>, D::Error> {
            let digits = Option::<String>::deserialize(deserializer)?;
            digits.map(|digits| digits.parse().map_err(serde::de::Error::custom)).transpose()
        }
    }
}
