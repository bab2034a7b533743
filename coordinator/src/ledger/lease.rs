//! What the ledger is asked and what it answers.

use std::time::Duration;

/// Time since a fixed moment, by the coordinator's own monotonic clock.
pub type Time = Duration;

/// A result's digest.
pub type Digest = [u8; 32];

/// A task. They are handed out in this order, where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

/// A worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

/// Tells the leases of a ledger apart, those of the same task too. It only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

/// What a task takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// How much there is to do, in base edges.
    pub work: u64,
    /// The bytes that a worker must be able to use for it.
    pub memory: u64,
}

/// What a worker asks for.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    /// No more tasks than these.
    pub most: usize,
    /// The bytes it may use for one task. What it registered with is the limit all the same.
    pub memory: u64,
    /// How far a task is from what the worker has at hand. Zero is as near as can be;
    /// [`OUT_OF_REACH`](super::OUT_OF_REACH) is too far.
    pub distance: &'a dyn Fn(TaskId) -> u64,
}

impl Wish<'_> {
    /// One task is as good as another.
    pub fn plain(most: usize, memory: u64) -> Self {
        Self { most, memory, distance: &|_| 0 }
    }
}

/// Ready tasks that no worker has the memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// How many there are.
    pub tasks: usize,
    /// The least need among them: a worker with fewer bytes is no help at all.
    pub least: u64,
    /// The greatest need among them: a worker with so many bytes has the memory for each.
    pub most: u64,
}

/// A task in a worker's hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub task: TaskId,
    /// This lease.
    pub epoch: Epoch,
    /// Whose it is.
    pub worker: WorkerId,
    /// When it began.
    pub since: Time,
    /// When it ends, unless there is a sign of life before.
    pub until: Time,
}

/// How patient a ledger is.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time between a sign of life and the end of a lease.
    pub lease: Duration,
    /// A task is handed out a second time when it takes so many times what is expected, and at least [`Self::least`].
    pub patience: f64,
    /// Time for which no task is handed out a second time.
    pub least: Duration,
    /// A task that so many workers were lost with is set aside.
    pub most_losses: usize,
    /// A worker that delivered so many corrupt results is set aside.
    pub most_strikes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            patience: 3.0,
            least: Duration::from_secs(2),
            most_losses: 3,
            most_strikes: 3,
        }
    }
}

/// Why a worker gets no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It has not registered.
    #[error("worker {} is not registered", .0.0)]
    Unknown(WorkerId),
    /// Its results were corrupt.
    #[error("worker {} is set aside: its results were corrupt", .0.0)]
    SetAside(WorkerId),
}

/// What a result is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It is the first, and counts.
    Accepted,
    /// It is there already, with the same bytes.
    Identical,
    /// It is there already with other bytes, from this worker: an alarm that stops the job.
    Different(WorkerId),
    /// The worker has no such lease any more.
    Stale,
    /// There is no such task.
    Unknown,
}

/// A lease that ended without a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The task.
    pub task: TaskId,
    /// The worker that was not heard of.
    pub worker: WorkerId,
    /// Whether the task is set aside now.
    pub set_aside: bool,
}
