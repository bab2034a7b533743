//! How leases end: with a result, given back, or without a sign of life.
//!
//! However it ends, a task whose result is not there is ready again as soon as nobody has it, unless it is set aside.

use super::Ledger;
use super::lease::{Delivery, Digest, Epoch, Lease, Loss, TaskId, Time, WorkerId};

impl Ledger {
    /// A result. It must be stored before it is told to the ledger, or not at all: [`judge`](Self::judge) says beforehand
    /// what this will return.
    pub fn deliver(&mut self, worker: WorkerId, task: TaskId, epoch: Epoch, digest: Digest, now: Time) -> Delivery {
        let delivery = self.judge(worker, task, epoch, digest);
        match delivery {
            Delivery::Accepted => {
                if let Some(lease) = self.leases.get(&epoch) {
                    let work = self.tasks.get(&task).map_or(0, |task| task.need.work);
                    self.pace.add(work, now.saturating_sub(lease.since));
                }
                // The result first: the task must not be ready in between.
                self.change(task, |task| {
                    task.done = Some((digest, worker));
                    task.set_aside = false;
                });
                self.end_all_of(task);
            }
            Delivery::Identical | Delivery::Different(_) | Delivery::Stale | Delivery::Unknown => {}
        }
        delivery
    }

    /// A task's result is stored, whatever has become of the lease meanwhile.
    pub fn record(&mut self, worker: WorkerId, task: TaskId, digest: Digest) {
        if self.tasks.get(&task).is_some_and(|task| task.done.is_none()) {
            // The result first: the task must not be ready in between.
            self.change(task, |task| {
                task.done = Some((digest, worker));
                task.set_aside = false;
            });
            self.end_all_of(task);
        }
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

    /// A result that does not match its own digest: the worker loses the lease, and after some of them every other. It counts
    /// for a worker that has not registered, too: after a restart its result may come before it does.
    pub fn reject(&mut self, worker: WorkerId, epoch: Epoch) {
        self.release(worker, &[epoch]);
        let known = self.workers.entry(worker).or_default();
        known.strikes += 1;
        if known.strikes >= self.settings.most_strikes {
            self.release_all(worker);
        }
    }

    /// Gives leases back, as a worker does that drains: nobody is to blame.
    pub fn release(&mut self, worker: WorkerId, epochs: &[Epoch]) {
        for &epoch in epochs {
            if self.leases.get(&epoch).is_some_and(|lease| lease.worker == worker) {
                self.end(epoch);
            }
        }
    }

    pub(super) fn release_all(&mut self, worker: WorkerId) {
        let held: Vec<Epoch> = self.holds(worker).map(|lease| lease.epoch).collect();
        held.into_iter().for_each(|epoch| self.end(epoch));
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
            let most = self.settings.most_losses;
            let set_aside = self.change(lease.task, |task| {
                task.losses.insert(lease.worker);
                task.set_aside |= task.losses.len() >= most;
                task.set_aside
            });
            losses.extend(set_aside.map(|set_aside| Loss { task: lease.task, worker: lease.worker, set_aside }));
            self.end(epoch);
        }
        losses
    }

    /// When [`expire`](Self::expire) is due next.
    pub fn next_end(&self) -> Option<Time> {
        self.ends.first().map(|&(until, _)| until)
    }

    pub(super) fn end_all_of(&mut self, task: TaskId) {
        let epochs = self.tasks.get(&task).map(|task| task.leases.clone()).unwrap_or_default();
        epochs.into_iter().for_each(|epoch| self.end(epoch));
    }

    fn end(&mut self, epoch: Epoch) {
        let Some(lease) = self.leases.remove(&epoch) else { return };
        self.ends.remove(&(lease.until, epoch));
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.leases.remove(&epoch);
        }
        self.change(lease.task, |task| task.leases.retain(|&other| other != epoch));
    }
}
