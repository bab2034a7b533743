//! How many jobs, workers and tasks there are, for metrics: numbers that do not grow with any of them.

use std::sync::Arc;

use antichain_common::store::free_space;

use super::Desk;
use super::documents::Standing;
use crate::ledger::Counts;
use crate::meters::Meters;

/// How much of everything there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// Jobs whose tasks are handed out.
    pub jobs_running: usize,
    /// Jobs that wait for their user.
    pub jobs_paused: usize,
    /// Jobs that cannot go on.
    pub jobs_failed: usize,
    /// Workers that are heard of.
    pub workers_live: usize,
    /// Workers that are not, since longer than a lease.
    pub workers_silent: usize,
    /// Workers that get nothing any more.
    pub workers_set_aside: usize,
    /// Threads of those that are heard of.
    pub threads: u64,
    /// Tasks of all jobs.
    pub tasks: Counts,
    /// Whether nothing can be stored for lack of room.
    pub no_room: bool,
    /// Bytes that are free where it stores.
    pub free_bytes: Option<u64>,
}

impl Desk {
    /// How much of everything there is now.
    pub fn tallies(&self) -> Tallies {
        let free_bytes = free_space(self.store.directory()).ok();
        let now = self.now();
        let state = self.state();
        let jobs = |standing: Standing| state.jobs.values().filter(|job| job.record.standing == standing).count();
        let aside: Vec<_> = state.ledger.workers_set_aside().collect();
        let live = state.live(now);
        let threads = live.iter().filter_map(|id| state.workers.get(id)).map(|worker| u64::from(worker.threads)).sum();
        Tallies {
            jobs_running: jobs(Standing::Running),
            jobs_paused: jobs(Standing::Paused),
            jobs_failed: jobs(Standing::Failed),
            workers_live: live.len(),
            workers_silent: state.workers.keys().filter(|id| !live.contains(id) && !aside.contains(id)).count(),
            workers_set_aside: aside.len(),
            threads,
            tasks: state.ledger.counts(),
            no_room: state.no_room.is_some(),
            free_bytes,
        }
    }

    /// Whether results can be stored, as far as the last look at the disk says.
    pub fn has_room(&self) -> bool {
        self.state().no_room.is_none()
    }

    /// What is counted since the start.
    pub fn meters(&self) -> &Arc<Meters> {
        &self.meters
    }
}
