//! Handing tasks out: which worker gets which task, and for how long.
//!
//! Nobody gets a task twice at a time, or one that needs more memory than it has; nothing that is done is handed out.

use super::lease::{Epoch, Lease, Refusal, TaskId, Time, Wish, WorkerId};
use super::{Ledger, MOST_LEASES};

/// Tasks that are looked at for one that is near, in order. A few hundred: a worker's share of a layer is about as long, and
/// the order among all tasks must hold on the whole.
pub(super) const SEEN: usize = 256;
/// The distance of a task that the worker is not to get now.
pub const OUT_OF_REACH: u64 = u64::MAX;
/// Leases that are looked at for one that takes too long, oldest first.
const STRAGGLERS_SEEN: usize = 64;

impl Ledger {
    /// Leases of at most as many tasks as are wished for: of the first 256 that nobody has and that fit the worker's
    /// memory the nearest one, the lower one of two that are equally near; and when there is none, those that somebody
    /// else has had for too long. A task that a worker was lost with comes alone: if it ends the next one, too, no other
    /// task is suspected with it.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn acquire(&mut self, worker: WorkerId, wish: Wish<'_>, now: Time) -> Result<Vec<Lease>, Refusal> {
        self.acquire_from(worker, wish, &|first| first, now)
    }

    /// As [`acquire`](Self::acquire), for a worker that knows where its own tasks begin when that is the first one that it
    /// could have: 256 are looked at from there on, too.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn acquire_from(
        &mut self,
        worker: WorkerId,
        wish: Wish<'_>,
        own: &dyn Fn(TaskId) -> TaskId,
        now: Time,
    ) -> Result<Vec<Lease>, Refusal> {
        let known = self.workers.get(&worker).ok_or(Refusal::Unknown(worker))?;
        if known.strikes >= self.settings.most_strikes {
            return Err(Refusal::SetAside(worker));
        }
        let memory = known.memory.ok_or(Refusal::Unknown(worker))?.min(wish.memory);
        let mut acquired = Vec::new();
        while acquired.len() < wish.most {
            let ready = self.nearest(memory, wish.distance, own);
            let Some(task) = ready.or_else(|| self.straggler(worker, memory, wish.distance, now)) else { break };
            let suspect = self.tasks.get(&task).is_some_and(|task| !task.losses.is_empty());
            if suspect && !acquired.is_empty() {
                break;
            }
            acquired.push(self.lease(worker, task, now));
            if suspect {
                break;
            }
        }
        Ok(acquired)
    }

    fn nearest(&self, memory: u64, distance: &dyn Fn(TaskId) -> u64, own: &dyn Fn(TaskId) -> TaskId) -> Option<TaskId> {
        let mut nearest: Option<(u64, TaskId)> = None;
        let first = self.ready.fitting(TaskId(0), memory).next()?;
        let own = Some(own(first)).filter(|&own| own > first);
        let others = own.into_iter().flat_map(|own| self.ready.fitting(own, memory).take(SEEN));
        for task in self.ready.fitting(first, memory).take(SEEN).chain(others) {
            let here = distance(task);
            if here == OUT_OF_REACH {
                continue;
            }
            // Of two that are equally near the lower one: it was seen before.
            if nearest.is_none_or(|(least, _)| here < least) {
                nearest = Some((here, task));
            }
            // Nothing is nearer than that; so one that has no preference does not look any further.
            if here == 0 {
                break;
            }
        }
        nearest.map(|(_, task)| task)
    }

    /// A task that another worker alone has had for longer than the pace so far lets expect.
    fn straggler(&self, worker: WorkerId, memory: u64, distance: &dyn Fn(TaskId) -> u64, now: Time) -> Option<TaskId> {
        self.leases.values().take(STRAGGLERS_SEEN).find_map(|lease| {
            let task = self.tasks.get(&lease.task)?;
            let expected = self.pace.expected(task.need.work)?;
            let late = expected.mul_f64(self.settings.patience).max(self.settings.least);
            // A task that was set aside may be what ends workers: whoever has it keeps it, nobody gets it any more.
            let wanted = task.is_open() && task.leases.len() < MOST_LEASES && lease.worker != worker;
            let fits = task.need.memory <= memory && distance(lease.task) != OUT_OF_REACH;
            (wanted && fits && now.saturating_sub(lease.since) > late).then_some(lease.task)
        })
    }

    fn lease(&mut self, worker: WorkerId, task: TaskId, now: Time) -> Lease {
        let epoch = Epoch(self.next_epoch);
        self.next_epoch += 1;
        let lease = Lease { task, epoch, worker, since: now, until: now + self.settings.lease };
        self.leases.insert(epoch, lease);
        self.ends.insert((lease.until, epoch));
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.leases.insert(epoch);
        }
        self.change(task, |task| task.leases.push(epoch));
        lease
    }

    /// A new lease of a task that a worker still works on, though its lease has ended or belongs to an earlier ledger.
    /// `None` if the task is done, unknown or set aside, in enough hands already, or more than the worker may have.
    pub fn adopt(&mut self, worker: WorkerId, task: TaskId, now: Time) -> Option<Lease> {
        let holder = self.workers.get(&worker).filter(|known| known.strikes < self.settings.most_strikes)?;
        let known = self.tasks.get(&task).filter(|known| known.is_open() && known.leases.len() < MOST_LEASES)?;
        let fits = holder.memory.is_some_and(|memory| known.need.memory <= memory);
        let has_it = holder.leases.iter().any(|epoch| known.leases.contains(epoch));
        (fits && !has_it).then(|| self.lease(worker, task, now))
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
}
