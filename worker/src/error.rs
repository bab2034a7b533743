//! What can go wrong, and what follows from it.

use antichain_common::job::task::TaskError;
use antichain_common::store::Damage;
use antichain_proto::connect::ConnectError;
use tonic::{Code, Status};

/// Why a worker ends.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no coordinator, or it does not want this worker's token.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The coordinator does not want this worker.
    #[error("the coordinator refuses this worker: {0}")]
    Refused(String),
    /// Its folder cannot be used.
    #[error("the folder {} cannot be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: std::path::PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Its cache cannot be used.
    #[error(transparent)]
    Cache(#[from] crate::cache::CacheError),
    /// The address for other workers cannot be had.
    #[error("cannot listen on {address} for other workers: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Its certificate or its key are none.
    #[error("the certificate and key of this worker are not PEM, or not a pair")]
    Identity,
    /// A fault of the program, or of the machine: others are to try the task.
    #[error("a task cannot be done here, by a fault of the program or of the machine: {0}")]
    Panicked(String),
    /// The system gives no random numbers, or no threads.
    #[error("the system refuses {what}: {reason}")]
    System {
        /// What was asked for.
        what: &'static str,
        /// Its reason.
        reason: String,
    },
}

/// Why a task was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Undone {
    /// The lease has ended, or the worker is to stop.
    #[error("it is not wanted any more")]
    Unwanted,
    /// What it needs is not there any more: the job is over.
    #[error("the coordinator has not what it needs: {0}")]
    Gone(String),
    /// What came is not what was recorded.
    #[error("what was fetched is damaged: {0}")]
    Damaged(#[from] Damage),
    /// It cannot be done here.
    #[error(transparent)]
    Task(TaskError),
}

impl From<TaskError> for Undone {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Stopped => Self::Unwanted,
            TaskError::Input(damage) => Self::Damaged(damage),
            other => Self::Task(other),
        }
    }
}

/// Whether a call that failed so may succeed later: the network, a restart, a full disk.
pub(crate) fn is_passing(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::DeadlineExceeded | Code::ResourceExhausted | Code::Cancelled | Code::Aborted => true,
        // The transport's own errors have a cause, what a coordinator says has none.
        Code::Unknown | Code::Internal => std::error::Error::source(status).is_some(),
        _ => false,
    }
}
