//! The lease ledger: which task is whose, until when, and what became of it.
//!
//! A pure state machine. Time is passed in, as elapsed since any fixed moment of the coordinator's own monotonic clock;
//! nothing here waits, logs or writes. A task is deterministic, so two results of it must be the same bytes: the first one
//! counts, an equal one is recognised, a different one is an alarm.
//!
//! ```
//! use std::time::Duration;
//! use antichain_coordinator::ledger::{Delivery, Ledger, Settings, TaskId, WorkerId};
//!
//! let mut ledger = Ledger::new(Settings::default());
//! ledger.add(TaskId(1), 1000);
//! ledger.register(WorkerId(7));
//! let lease = ledger.acquire(WorkerId(7), 1, Duration::ZERO)?[0];
//! let delivery = ledger.deliver(WorkerId(7), lease.task, lease.epoch, [0; 32], Duration::from_secs(2));
//! assert_eq!(delivery, Delivery::Accepted);
//! # Ok::<(), antichain_coordinator::ledger::Refusal>(())
//! ```

mod lease;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub use lease::{Delivery, Digest, Epoch, Lease, Loss, Refusal, Settings, TaskId, Time, WorkerId};

/// Leases of a task at a time: its own and one more, should that take long.
const MOST_LEASES: usize = 2;
/// Leases that are looked at for one that takes too long, oldest first.
const STRAGGLERS_SEEN: usize = 64;

/// The tasks of a job that can be computed now, and who computes them.
pub struct Ledger {
    settings: Settings,
    tasks: BTreeMap<TaskId, Task>,
    /// The corrupt results of every registered worker.
    strikes: BTreeMap<WorkerId, u32>,
    /// Tasks that nobody has, in the order in which they are handed out.
    ready: BTreeSet<TaskId>,
    leases: BTreeMap<Epoch, Lease>,
    /// The same leases by the time they end at.
    ends: BTreeSet<(Time, Epoch)>,
    next_epoch: u64,
    open: usize,
    pace: Pace,
}

#[derive(Default)]
struct Task {
    /// How much there is to do, in base edges.
    work: u64,
    /// Epochs of the leases that run.
    leases: Vec<Epoch>,
    /// The result and whose it is.
    done: Option<(Digest, WorkerId)>,
    /// Workers that were lost while they had it.
    losses: BTreeSet<WorkerId>,
    set_aside: bool,
}

/// How fast tasks are done on the average.
#[derive(Default)]
struct Pace {
    work: u64,
    time: Duration,
}

/// How many tasks are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nobody has them.
    pub ready: usize,
    /// At least one worker has them.
    pub leased: usize,
    /// Their result is there.
    pub done: usize,
    /// Too many workers were lost on them.
    pub set_aside: usize,
}

impl Ledger {
    /// No task, no worker.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            tasks: BTreeMap::new(),
            strikes: BTreeMap::new(),
            ready: BTreeSet::new(),
            leases: BTreeMap::new(),
            ends: BTreeSet::new(),
            next_epoch: 1,
            open: 0,
            pace: Pace::default(),
        }
    }

    /// As [`new`](Self::new), after a restart: every epoch that an earlier ledger gave out was below `next_epoch`, so its
    /// leases are not mistaken for new ones.
    pub fn after_restart(settings: Settings, next_epoch: u64) -> Self {
        Self { next_epoch, ..Self::new(settings) }
    }

    /// A task whose inputs are there, with `work` base edges to follow. A task that is known already stays as it is.
    pub fn add(&mut self, task: TaskId, work: u64) {
        if let std::collections::btree_map::Entry::Vacant(vacant) = self.tasks.entry(task) {
            vacant.insert(Task { work, ..Task::default() });
            self.ready.insert(task);
            self.open += 1;
        }
    }

    /// A task whose result is stored already.
    pub fn add_done(&mut self, task: TaskId, work: u64, digest: Digest, worker: WorkerId) {
        self.tasks.entry(task).or_insert(Task { work, done: Some((digest, worker)), ..Task::default() });
    }

    /// A worker that may acquire tasks. Registering again forgets nothing.
    pub fn register(&mut self, worker: WorkerId) {
        self.strikes.entry(worker).or_default();
    }

    /// Leases of at most `most` tasks: those that nobody has, and when there is none, those that somebody else has had for
    /// too long.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn acquire(&mut self, worker: WorkerId, most: usize, now: Time) -> Result<Vec<Lease>, Refusal> {
        match self.strikes.get(&worker) {
            None => return Err(Refusal::Unknown(worker)),
            Some(&strikes) if strikes >= self.settings.most_strikes => return Err(Refusal::SetAside(worker)),
            Some(_) => {}
        }
        let mut acquired = Vec::new();
        while acquired.len() < most {
            let ready = self.ready.pop_first();
            let Some(task) = ready.or_else(|| self.straggler(worker, now)) else { break };
            acquired.push(self.lease(worker, task, now));
        }
        Ok(acquired)
    }

    fn lease(&mut self, worker: WorkerId, task: TaskId, now: Time) -> Lease {
        let epoch = Epoch(self.next_epoch);
        self.next_epoch += 1;
        let lease = Lease { task, epoch, worker, since: now, until: now + self.settings.lease };
        self.leases.insert(epoch, lease);
        self.ends.insert((lease.until, epoch));
        if let Some(task) = self.tasks.get_mut(&task) {
            task.leases.push(epoch);
        }
        lease
    }

    /// A task that another worker alone has had for longer than the pace so far lets expect.
    fn straggler(&self, worker: WorkerId, now: Time) -> Option<TaskId> {
        let overdue = |lease: &Lease, task: &Task| {
            let expected = self.pace.expected(task.work)?;
            Some(now.saturating_sub(lease.since) > expected.mul_f64(self.settings.patience).max(self.settings.least))
        };
        self.leases.values().take(STRAGGLERS_SEEN).find_map(|lease| {
            let task = self.tasks.get(&lease.task)?;
            let alone = task.leases.len() < MOST_LEASES && lease.worker != worker;
            (alone && overdue(lease, task)?).then_some(lease.task)
        })
    }

    /// A sign of life: the leases with these epochs last longer. Returns those that the worker has no more, so that it
    /// stops working on them.
    pub fn heartbeat(&mut self, worker: WorkerId, epochs: &[Epoch], now: Time) -> Vec<Epoch> {
        let mut gone = Vec::new();
        for &epoch in epochs {
            match self.leases.get_mut(&epoch).filter(|lease| lease.worker == worker) {
                Some(lease) => {
                    self.ends.remove(&(lease.until, epoch));
                    lease.until = lease.until.max(now + self.settings.lease);
                    self.ends.insert((lease.until, epoch));
                }
                None => gone.push(epoch),
            }
        }
        gone
    }

    /// A result. It must be stored before it is told to the ledger, or not at all: [`judge`](Self::judge) says beforehand
    /// what this will return.
    pub fn deliver(&mut self, worker: WorkerId, task: TaskId, epoch: Epoch, digest: Digest, now: Time) -> Delivery {
        let delivery = self.judge(worker, task, epoch, digest);
        match delivery {
            Delivery::Accepted => {
                if let Some(lease) = self.leases.get(&epoch) {
                    let work = self.tasks.get(&task).map_or(0, |task| task.work);
                    self.pace.add(work, now.saturating_sub(lease.since));
                }
                self.end_leases(task);
                if let Some(task) = self.tasks.get_mut(&task) {
                    task.done = Some((digest, worker));
                    // One that was set aside is not waited for any more.
                    self.open -= usize::from(!std::mem::take(&mut task.set_aside));
                }
            }
            Delivery::Identical | Delivery::Different(_) | Delivery::Stale | Delivery::Unknown => {}
        }
        delivery
    }

    /// What a result is worth.
    pub fn judge(&self, worker: WorkerId, task: TaskId, epoch: Epoch, digest: Digest) -> Delivery {
        let Some(known) = self.tasks.get(&task) else { return Delivery::Unknown };
        let leased = |lease: &Lease| (lease.worker, lease.task) == (worker, task);
        match known.done {
            Some((first, _)) if first == digest => Delivery::Identical,
            Some((_, other)) => Delivery::Different(other),
            None if self.leases.get(&epoch).is_some_and(leased) => Delivery::Accepted,
            None => Delivery::Stale,
        }
    }

    /// A result that does not match its own digest: the worker loses the lease, and after some of them every other.
    pub fn reject(&mut self, worker: WorkerId, epoch: Epoch) {
        if self.leases.get(&epoch).is_some_and(|lease| lease.worker == worker) {
            self.end_lease(epoch);
        }
        let Some(strikes) = self.strikes.get_mut(&worker) else { return };
        *strikes += 1;
        if *strikes >= self.settings.most_strikes {
            self.release_all(worker);
        }
    }

    /// Gives leases back, as a worker does that drains: nobody is to blame.
    pub fn release(&mut self, worker: WorkerId, epochs: &[Epoch]) {
        for &epoch in epochs {
            if self.leases.get(&epoch).is_some_and(|lease| lease.worker == worker) {
                self.end_lease(epoch);
            }
        }
    }

    fn release_all(&mut self, worker: WorkerId) {
        let held: Vec<Epoch> =
            self.leases.values().filter(|lease| lease.worker == worker).map(|lease| lease.epoch).collect();
        held.into_iter().for_each(|epoch| self.end_lease(epoch));
    }

    /// Ends the leases whose time is over. A task that was lost with several workers is set aside: it may be what ends
    /// them.
    pub fn expire(&mut self, now: Time) -> Vec<Loss> {
        let mut losses = Vec::new();
        while let Some(&(until, epoch)) = self.ends.first() {
            if until > now {
                break;
            }
            let Some(lease) = self.leases.get(&epoch).copied() else { break };
            if let Some(task) = self.tasks.get_mut(&lease.task) {
                task.losses.insert(lease.worker);
                if task.losses.len() >= self.settings.most_losses && !task.set_aside {
                    task.set_aside = true;
                    self.open -= 1;
                }
                losses.push(Loss { task: lease.task, worker: lease.worker, set_aside: task.set_aside });
            }
            self.end_lease(epoch);
        }
        losses
    }

    /// When [`expire`](Self::expire) is due next.
    pub fn next_end(&self) -> Option<Time> {
        self.ends.first().map(|&(until, _)| until)
    }

    fn end_leases(&mut self, task: TaskId) {
        let epochs = self.tasks.get(&task).map(|task| task.leases.clone()).unwrap_or_default();
        epochs.into_iter().for_each(|epoch| self.forget(epoch));
    }

    /// Ends a lease without a result: if nobody else has the task, it is ready again.
    fn end_lease(&mut self, epoch: Epoch) {
        let Some(task) = self.leases.get(&epoch).map(|lease| lease.task) else { return };
        self.forget(epoch);
        if self.tasks.get(&task).is_some_and(|task| task.is_free()) {
            self.ready.insert(task);
        }
    }

    fn forget(&mut self, epoch: Epoch) {
        let Some(lease) = self.leases.remove(&epoch) else { return };
        self.ends.remove(&(lease.until, epoch));
        if let Some(task) = self.tasks.get_mut(&lease.task) {
            task.leases.retain(|&other| other != epoch);
        }
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
        self.strikes.iter().filter(|&(_, &strikes)| strikes >= self.settings.most_strikes).map(|(&worker, _)| worker)
    }

    /// The epoch of the next lease, for [`after_restart`](Self::after_restart).
    pub fn next_epoch(&self) -> u64 {
        self.next_epoch
    }

    /// How many tasks are in which state.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for task in self.tasks.values() {
            let count = if task.done.is_some() {
                &mut counts.done
            } else if !task.leases.is_empty() {
                &mut counts.leased
            } else if task.set_aside {
                &mut counts.set_aside
            } else {
                &mut counts.ready
            };
            *count += 1;
        }
        counts
    }
}

impl Task {
    /// Whether it can be handed out.
    fn is_free(&self) -> bool {
        self.done.is_none() && !self.set_aside && self.leases.is_empty()
    }
}

impl Pace {
    fn add(&mut self, work: u64, time: Duration) {
        self.work = self.work.saturating_add(work);
        self.time = self.time.saturating_add(time);
    }

    /// What so much work takes on the average; `None` as long as nothing was done.
    fn expected(&self, work: u64) -> Option<Duration> {
        (self.work > 0).then(|| self.time.mul_f64(work as f64 / self.work as f64))
    }
}
