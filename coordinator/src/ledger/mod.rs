//! The lease ledger: which task is whose, until when, and what became of it.
//!
//! A pure state machine. Time is passed in, as elapsed since any fixed moment of the coordinator's own monotonic clock;
//! nothing here waits, logs or writes. A task is deterministic, so two results of it must be the same bytes: the first one
//! counts, an equal one is recognised, a different one is an alarm.
//!
//! ```
//! use std::time::Duration;
//! use antichain_coordinator::ledger::{Delivery, Ledger, Need, Settings, TaskId, Wish, WorkerId};
//!
//! let mut ledger = Ledger::new(Settings::default());
//! ledger.add(TaskId(1), Need { work: 1000, memory: 1 << 20 });
//! ledger.register(WorkerId(7), 1 << 30);
//! let lease = ledger.acquire(WorkerId(7), Wish::plain(1, 1 << 30), Duration::ZERO)?[0];
//! let delivery = ledger.deliver(WorkerId(7), lease.task, lease.epoch, [0; 32], Duration::from_secs(2));
//! assert_eq!(delivery, Delivery::Accepted);
//! # Ok::<(), antichain_coordinator::ledger::Refusal>(())
//! ```

mod ending;
mod handing;
mod lease;
mod ready;
mod task;

#[cfg(test)]
mod histories;
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

pub use handing::OUT_OF_REACH;
pub use lease::{Delivery, Digest, Epoch, Lease, Loss, Need, Refusal, Settings, TaskId, Time, Unfit, Wish, WorkerId};
use ready::Ready;
pub use task::Counts;
use task::{Pace, State, Task};

/// Leases of a task at a time: its own and one more, should that take long.
const MOST_LEASES: usize = 2;

/// The tasks of jobs that can be computed now, and who computes them.
pub struct Ledger {
    settings: Settings,
    tasks: BTreeMap<TaskId, Task>,
    workers: BTreeMap<WorkerId, Worker>,
    /// Tasks that nobody has.
    ready: Ready,
    leases: BTreeMap<Epoch, Lease>,
    /// The same leases by the time they end at.
    ends: BTreeSet<(Time, Epoch)>,
    next_epoch: u64,
    counts: Counts,
    /// Tasks whose results are waited for.
    open: usize,
    pace: Pace,
}

#[derive(Default)]
struct Worker {
    /// The bytes it may use; `None` once it has left.
    memory: Option<u64>,
    /// Its corrupt results.
    strikes: u32,
    leases: BTreeSet<Epoch>,
}

impl Ledger {
    /// No task, no worker.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            tasks: BTreeMap::new(),
            workers: BTreeMap::new(),
            ready: Ready::default(),
            leases: BTreeMap::new(),
            ends: BTreeSet::new(),
            next_epoch: 1,
            counts: Counts::default(),
            open: 0,
            pace: Pace::default(),
        }
    }

    /// As [`new`](Self::new), after a restart: every epoch that an earlier ledger gave out was below `next_epoch`, so its
    /// leases are not mistaken for new ones.
    pub fn after_restart(settings: Settings, next_epoch: u64) -> Self {
        Self { next_epoch, ..Self::new(settings) }
    }

    /// A task whose inputs are there. A task that is known already stays as it is.
    pub fn add(&mut self, task: TaskId, need: Need) {
        self.insert(task, Task { need, ..Task::default() });
    }

    /// A task whose result is stored already. A task that is known already stays as it is.
    pub fn add_done(&mut self, task: TaskId, need: Need, digest: Digest, worker: WorkerId) {
        self.insert(task, Task { need, done: Some((digest, worker)), ..Task::default() });
    }

    fn insert(&mut self, id: TaskId, task: Task) {
        let Entry::Vacant(vacant) = self.tasks.entry(id) else { return };
        let task = vacant.insert(task);
        *self.counts.of(task.state()) += 1;
        self.open += usize::from(task.is_open());
        if task.state() == State::Ready {
            self.ready.insert(id, task.need.memory);
        }
    }

    /// Takes tasks out, as those of a job that is finished, paused or cancelled: their leases end, without a loss, and a
    /// late result is [`Delivery::Unknown`]. Returns how many there were.
    pub fn drop_tasks(&mut self, tasks: RangeInclusive<TaskId>) -> usize {
        // Such a range is nothing to the map but a fault.
        if tasks.is_empty() {
            return 0;
        }
        let dropped: Vec<TaskId> = self.tasks.range(tasks).map(|(&task, _)| task).collect();
        for &id in &dropped {
            self.end_all_of(id);
            let Some(task) = self.tasks.remove(&id) else { continue };
            *self.counts.of(task.state()) -= 1;
            self.open -= usize::from(task.is_open());
            self.ready.remove(id);
        }
        dropped.len()
    }

    /// Every change of a task goes through here, so that the counts and the ready tasks follow its state.
    fn change<T>(&mut self, id: TaskId, change: impl FnOnce(&mut Task) -> T) -> Option<T> {
        let task = self.tasks.get_mut(&id)?;
        let (before, was_open) = (task.state(), task.is_open());
        let result = change(task);
        let after = task.state();
        self.open = self.open + usize::from(task.is_open()) - usize::from(was_open);
        if before != after {
            *self.counts.of(before) -= 1;
            *self.counts.of(after) += 1;
            match (before, after) {
                (State::Ready, _) => self.ready.remove(id),
                (_, State::Ready) => self.ready.insert(id, task.need.memory),
                _ => {}
            }
        }
        Some(result)
    }

    /// A worker that may acquire tasks, and the bytes it may use for one. Registering again forgets nothing but how much
    /// memory it had.
    pub fn register(&mut self, worker: WorkerId, memory: u64) {
        self.workers.entry(worker).or_default().memory = Some(memory);
    }

    /// A worker has left for good: its leases end, without a loss. Its corrupt results are not forgotten, should it come
    /// back.
    pub fn forget_worker(&mut self, worker: WorkerId) {
        self.release_all(worker);
        if let Entry::Occupied(mut known) = self.workers.entry(worker) {
            if known.get().strikes == 0 {
                known.remove();
            } else {
                known.get_mut().memory = None;
            }
        }
    }

    /// The leases of a worker, oldest first.
    pub fn holds(&self, worker: WorkerId) -> impl Iterator<Item = &Lease> {
        let epochs = self.workers.get(&worker).into_iter().flat_map(|worker| &worker.leases);
        epochs.filter_map(|epoch| self.leases.get(epoch))
    }

    /// The ready tasks that no worker has the memory for, if there are any: of the workers that have registered, not left
    /// and are not set aside. As long as there is no such worker, these are all ready tasks.
    pub fn unfit(&self) -> Option<Unfit> {
        let able = self.workers.values().filter(|worker| worker.strikes < self.settings.most_strikes);
        self.ready.above(able.filter_map(|worker| worker.memory).max())
    }

    /// Whether every task has its result or is set aside.
    pub fn is_finished(&self) -> bool {
        self.open == 0
    }

    /// The tasks that were set aside, with the workers that were lost on each.
    pub fn set_aside(&self) -> impl Iterator<Item = (TaskId, &BTreeSet<WorkerId>)> {
        self.tasks.iter().filter(|(_, task)| task.set_aside).map(|(&id, task)| (id, &task.losses))
    }

    /// The workers that get nothing any more, for their results were corrupt.
    pub fn workers_set_aside(&self) -> impl Iterator<Item = WorkerId> {
        let most = self.settings.most_strikes;
        self.workers.iter().filter(move |(_, known)| known.strikes >= most).map(|(&worker, _)| worker)
    }

    /// The epoch of the next lease, for [`after_restart`](Self::after_restart).
    pub fn next_epoch(&self) -> u64 {
        self.next_epoch
    }

    /// How many tasks are in which state.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many of these tasks, as those of one job, are in which state. Looks at each of them.
    pub fn counts_in(&self, tasks: RangeInclusive<TaskId>) -> Counts {
        let mut counts = Counts::default();
        if !tasks.is_empty() {
            self.tasks.range(tasks).for_each(|(_, task)| *counts.of(task.state()) += 1);
        }
        counts
    }
}
