//! The account that the simulation keeps of what the coordinator does, by its own rules and not by the ledger's.
//!
//! It sees every life of the coordinator. What it sees and must not be is a fault, and ends the run.

use std::collections::{BTreeMap, BTreeSet};

use antichain_coordinator::ledger::{Delivery, Epoch, Lease, Loss, TaskId, Time, WorkerId};

use super::scenario::{self, Need};

/// See the head of this file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// What must not have been.
    pub faults: Vec<String>,
    /// Every epoch ever given out.
    epochs: BTreeSet<u64>,
    /// The leases that run.
    running: BTreeMap<u64, Running>,
    /// Corrupt results of workers since the coordinator was started, which does not remember them longer than that.
    strikes: BTreeMap<WorkerId, u32>,
    /// The accepted values.
    pub accepted: BTreeMap<TaskId, u64>,
    /// The tasks that were set aside.
    pub set_aside: BTreeSet<TaskId>,
    /// How often what happened.
    pub tally: Tally,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Running {
    task: TaskId,
    worker: WorkerId,
    /// When the worker last gave a sign of life, by the clock of this life of the coordinator.
    heard: Time,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lives of the coordinator.
    pub starts: usize,
    /// Leases given out.
    pub leases: usize,
    /// Those of a task that another worker had.
    pub second_leases: usize,
    /// Leases that ran out.
    pub losses: usize,
    /// Leases given back, or taken for a corrupt result.
    pub released: usize,
    /// Results that count.
    pub accepted: usize,
    /// Results that were there.
    pub identical: usize,
    /// Results without a lease.
    pub stale: usize,
    /// Corrupt results.
    pub rejected: usize,
    /// Wishes of workers that are set aside.
    pub refused: usize,
    /// Results other than those that were there.
    pub alarms: usize,
}

impl Tally {
    /// Adds what happened in another run.
    pub fn add(&mut self, other: &Self) {
        self.starts += other.starts;
        self.leases += other.leases;
        self.second_leases += other.second_leases;
        self.losses += other.losses;
        self.released += other.released;
        self.accepted += other.accepted;
        self.identical += other.identical;
        self.stale += other.stale;
        self.rejected += other.rejected;
        self.refused += other.refused;
        self.alarms += other.alarms;
    }
}

impl Watch {
    fn must(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    /// The coordinator starts, for the first time or again: leases of an earlier life are over.
    pub fn starts(&mut self) {
        self.tally.starts += 1;
        self.running.clear();
        self.strikes.clear();
    }

    /// A lease was given out for a task, to a worker with so much memory.
    pub fn leased(&mut self, lease: &Lease, need: Need, memory: u64, durable: bool, most_strikes: u32) {
        self.tally.leases += 1;
        self.must(!durable, || format!("handed out after its result was kept: {lease:?}"));
        self.must(need.memory <= memory, || format!("needs {} of {memory} bytes: {lease:?}", need.memory));
        let strikes = self.strikes.get(&lease.worker).copied().unwrap_or(0);
        self.must(strikes < most_strikes, || format!("the worker is set aside: {lease:?}"));
        let set_aside = self.set_aside.contains(&lease.task);
        self.must(!set_aside, || format!("the task is set aside: {lease:?}"));
        let same = self.running.values().filter(|running| running.task == lease.task);
        let others: Vec<WorkerId> = same.map(|running| running.worker).collect();
        self.tally.second_leases += others.len();
        self.must(others.len() < 2 && !others.contains(&lease.worker), || {
            format!("{others:?} have it, too: {lease:?}")
        });
        let new = self.epochs.insert(lease.epoch.0);
        self.must(new, || format!("the epoch was given out before: {lease:?}"));
        self.running.insert(lease.epoch.0, Running { task: lease.task, worker: lease.worker, heard: lease.since });
    }

    /// A worker gave a sign of life, and was told that it has some leases no more.
    pub fn heard(&mut self, worker: WorkerId, epochs: &[Epoch], gone: &[Epoch], now: Time) {
        for epoch in epochs {
            let running = self.running.get_mut(&epoch.0).filter(|running| running.worker == worker);
            let runs = running.map(|running| running.heard = now).is_some();
            let told = gone.contains(epoch);
            self.must(runs != told, || format!("{worker:?} is told {told} that {epoch:?} is over"));
        }
    }

    /// A lease was given back, or is over because its result was corrupt.
    pub fn released(&mut self, worker: WorkerId, epoch: u64) {
        if self.running.get(&epoch).is_some_and(|running| running.worker == worker) {
            self.running.remove(&epoch);
            self.tally.released += 1;
        }
    }

    /// A worker gave everything back.
    pub fn left(&mut self, worker: WorkerId) {
        self.running.retain(|_, running| running.worker != worker);
    }

    /// A worker's result was corrupt.
    pub fn rejected(&mut self, worker: WorkerId, epoch: u64, most_strikes: u32) {
        self.tally.rejected += 1;
        self.released(worker, epoch);
        let strikes = self.strikes.entry(worker).or_default();
        *strikes += 1;
        if *strikes >= most_strikes {
            self.left(worker);
        }
    }

    /// A lease ran out, at this time; leases last so long after a sign of life.
    pub fn lost(&mut self, loss: &Loss, now: Time, lasts: Time) {
        self.tally.losses += 1;
        let found = self.running.iter().find(|(_, running)| (running.task, running.worker) == (loss.task, loss.worker));
        let found = found.map(|(&epoch, running)| (epoch, running.heard));
        let over = found.is_some_and(|(_, heard)| heard + lasts <= now);
        self.must(over, || format!("no such lease, or not over: {loss:?}"));
        if let Some((epoch, _)) = found {
            self.running.remove(&epoch);
        }
        if loss.set_aside {
            self.set_aside.insert(loss.task);
        }
    }

    /// A result was delivered, and judged.
    pub fn delivered(&mut self, task: TaskId, worker: WorkerId, epoch: u64, value: u64, delivery: Delivery) {
        match delivery {
            Delivery::Accepted => {
                self.tally.accepted += 1;
                let lease = self.running.get(&epoch);
                let running = lease.is_some_and(|running| (running.task, running.worker) == (task, worker));
                self.must(running, || format!("{worker:?} has no lease {epoch} of {task:?}, and its result counts"));
                let first = self.accepted.insert(task, value).is_none();
                self.must(first, || format!("a second result of {task:?} counts"));
                self.running.retain(|_, running| running.task != task);
            }
            Delivery::Identical => {
                self.tally.identical += 1;
                let same = self.accepted.get(&task) == Some(&value);
                self.must(same, || format!("not what was accepted for {task:?}: {value}"));
            }
            Delivery::Different(_) => self.tally.alarms += 1,
            Delivery::Stale => {
                self.tally.stale += 1;
                let running = self.running.contains_key(&epoch);
                self.must(!running, || format!("lease {epoch} runs, and {worker:?} delivers in vain"));
            }
            Delivery::Unknown => self.must(false, || format!("{task:?} is unknown")),
        }
    }

    /// Whether a task has its right result.
    pub fn is_right(&self, task: TaskId) -> bool {
        self.accepted.get(&task) == Some(&scenario::right(task.0))
    }
}
