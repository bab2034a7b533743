//! One task as the ledger sees it: what it needs, who has it, and the state that follows from that.

use std::collections::BTreeSet;
use std::time::Duration;

use super::lease::{Digest, Epoch, Need, WorkerId};

/// A task and what has become of it. Its state is a function of the fields, nowhere kept beside them.
#[derive(Default)]
pub(super) struct Task {
    pub(super) need: Need,
    /// Epochs of the leases that run.
    pub(super) leases: Vec<Epoch>,
    /// The result and whose it is.
    pub(super) done: Option<(Digest, WorkerId)>,
    /// Workers that were lost while they had it.
    pub(super) losses: BTreeSet<WorkerId>,
    pub(super) set_aside: bool,
}

/// Every task is in exactly one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    Leased,
    Done,
    SetAside,
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

/// How fast tasks are done on the average.
#[derive(Default)]
pub(super) struct Pace {
    work: u64,
    time: Duration,
}

impl Task {
    pub(super) fn state(&self) -> State {
        if self.done.is_some() {
            State::Done
        } else if !self.leases.is_empty() {
            State::Leased
        } else if self.set_aside {
            State::SetAside
        } else {
            State::Ready
        }
    }

    /// Whether its result is waited for. It may come when it is not: from somebody who had the task already when it was set
    /// aside.
    pub(super) fn is_open(&self) -> bool {
        self.done.is_none() && !self.set_aside
    }
}

impl Counts {
    /// The number of tasks in a state.
    pub(super) fn of(&mut self, state: State) -> &mut usize {
        match state {
            State::Ready => &mut self.ready,
            State::Leased => &mut self.leased,
            State::Done => &mut self.done,
            State::SetAside => &mut self.set_aside,
        }
    }
}

impl Pace {
    pub(super) fn add(&mut self, work: u64, time: Duration) {
        self.work = self.work.saturating_add(work);
        self.time = self.time.saturating_add(time);
    }

    /// What so much work takes on the average; `None` as long as nothing was done.
    pub(super) fn expected(&self, work: u64) -> Option<Duration> {
        (self.work > 0).then(|| self.time.mul_f64(work as f64 / self.work as f64))
    }
}
