//! What a coordinator stores of its jobs besides what a run in one process stores: JSON documents owned by the job,
//! described field by field in FORMATS.md.

use antichain_common::job::task::{Findings, Task, TaskKind};
use antichain_common::job::{JobId, JobSpec};
use antichain_common::store::{Commit, ShardKey, ShardKind, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::course::Cut;

/// Name of the document that makes a job one of a coordinator.
pub const CLUSTER: &str = "cluster";
/// What the names of the documents of findings begin with.
pub const TASK_PREFIX: &str = "task-";
/// What the names of the documents of cut layers begin with.
pub const CUT_PREFIX: &str = "cut-";
/// Name of the document about the upper plies of a search ([`crate::plies::PliesRecord`]).
pub const PLIES: &str = "plies";
/// Owner of what belongs to the coordinator and to no job.
pub const COORDINATOR: &str = "coordinator";
/// Name of the document with the lowest epoch that was never given out.
pub const EPOCHS: &str = "epochs";

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Its tasks are handed out.
    Running,
    /// By the user.
    Paused,
    /// By the user, for good.
    Cancelled,
    /// It cannot go on.
    Failed,
    /// Its certificate is stored.
    Finished,
}

/// A job of a coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRecord {
    /// The number that its tasks' numbers begin with.
    pub number: u32,
    /// What is asked.
    pub spec: JobSpec,
    /// What became of it.
    pub standing: Standing,
    /// Why it is paused or has failed.
    pub reason: String,
    /// Whether the values of all layers are kept.
    pub keep_values: bool,
    /// Whether it is one task.
    pub whole: bool,
    /// Seconds that it has been running, as of the last change.
    pub seconds: f64,
    /// Whether anything of it came from an earlier process.
    pub resumed: bool,
    /// Of a search: seconds of running after which it is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

impl ClusterRecord {
    /// The stored record of a job.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub fn load(store: &Store, job: &JobId) -> Result<Option<Self>, StoreError> {
        store.document(&job.0, CLUSTER)
    }
}

/// The stored result of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFindings {
    /// The task.
    pub task: Task,
    /// What was found.
    pub findings: Findings,
    /// Digest of the result as it was delivered, in hexadecimal digits.
    pub digest: String,
    /// Who found it.
    pub worker: String,
}

/// Name of the document of a task's findings.
pub fn task_document(task: Task) -> String {
    let kind = match task.kind {
        TaskKind::Whole => "whole",
        TaskKind::Enumerate => "enumerate",
        TaskKind::Join => "join",
        TaskKind::Solve => "solve",
        TaskKind::Duals => "duals",
        TaskKind::Search => "search",
        TaskKind::Prove => "prove",
    };
    format!("{TASK_PREFIX}{}-{kind}-{}", task.layer, task.shard)
}

/// Lets a commit remove all findings about a layer.
///
/// # Errors
/// Errors of reading the catalogue.
pub fn remove_findings(store: &Store, job: &JobId, layer: usize, commit: &mut Commit) -> Result<(), StoreError> {
    let tasks = format!("{TASK_PREFIX}{layer}-");
    for document in store.documents(&job.0)?.into_iter().filter(|document| document.name.starts_with(&tasks)) {
        commit.remove_document(&job.0, &document.name);
    }
    Ok(())
}

/// Name of the document that says how a layer is cut.
pub fn cut_document(layer: usize) -> String {
    format!("{CUT_PREFIX}{layer}")
}

/// How a layer is cut, if that is stored.
///
/// # Errors
/// See [`Store::document`].
pub fn load_cut(store: &Store, job: &JobId, layer: usize) -> Result<Option<Cut>, StoreError> {
    store.document(&job.0, &cut_document(layer))
}

/// Key of the candidates that a task found.
pub fn candidates_key(job: &JobId, layer: usize, shard: usize) -> ShardKey {
    ShardKey { owner: job.0.clone(), kind: ShardKind::Candidates, layer: layer as u16, shard: shard as u32 }
}
