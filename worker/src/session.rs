//! What a worker is to its coordinator at the moment: its number there, and the leases it holds.
//!
//! Leases outlive a restart of the coordinator: the worker registers again, says which tasks it still works on, and gets
//! new leases for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antichain_common::job::Interrupt;
use antichain_proto::token::Token;
use antichain_proto::v1;

/// A task in hand.
#[derive(Clone)]
pub struct Held {
    /// The lease.
    pub epoch: u64,
    /// Asks whoever works on it to stop.
    pub interrupt: Arc<Interrupt>,
}

#[derive(Default)]
struct Inner {
    worker: u64,
    /// What workers show one another, since it has registered.
    peer_token: Option<Token>,
    held: HashMap<u64, Held>,
}

/// See the head of this file.
#[derive(Default)]
pub struct Session(Mutex<Inner>);

impl Session {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker's number.
    pub fn worker(&self) -> u64 {
        self.inner().worker
    }

    /// What workers of the same coordinator show one another.
    pub fn peer_token(&self) -> Option<Token> {
        self.inner().peer_token.clone()
    }

    /// The tasks in hand.
    pub fn tasks(&self) -> Vec<u64> {
        self.inner().held.keys().copied().collect()
    }

    /// The epochs of all leases.
    pub fn epochs(&self) -> Vec<u64> {
        self.inner().held.values().map(|held| held.epoch).collect()
    }

    /// Number of tasks in hand.
    pub fn len(&self) -> usize {
        self.inner().held.len()
    }

    /// The lease of a task, if it is still held: the worker's number and the epoch, which go together.
    pub fn lease(&self, task: u64) -> Option<(u64, u64)> {
        let inner = self.inner();
        inner.held.get(&task).map(|held| (inner.worker, held.epoch))
    }

    /// Registered: with that number, and new leases for what is in hand. The rest is not wanted any more.
    pub fn register(&self, reply: &v1::RegisterReply) {
        let mut inner = self.inner();
        inner.worker = reply.worker;
        inner.peer_token = Token::new(&reply.peer_token).ok();
        let epochs: HashMap<u64, u64> = reply.leases.iter().map(|lease| (lease.task, lease.epoch)).collect();
        inner.held.retain(|task, held| match epochs.get(task) {
            Some(&epoch) => {
                held.epoch = epoch;
                true
            }
            None => {
                held.interrupt.request();
                false
            }
        });
    }

    /// A task was handed out; `None` if it is in hand already.
    pub fn take(&self, lease: &v1::Lease) -> Option<Arc<Interrupt>> {
        let interrupt = Arc::new(Interrupt::new());
        let held = Held { epoch: lease.epoch, interrupt: interrupt.clone() };
        match self.inner().held.entry(lease.task) {
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(held);
                Some(interrupt)
            }
            std::collections::hash_map::Entry::Occupied(mut occupied) => {
                occupied.get_mut().epoch = lease.epoch;
                None
            }
        }
    }

    /// Leases have ended: nobody is to go on with them.
    pub fn end(&self, epochs: &[u64]) {
        self.inner().held.retain(|_, held| {
            let ended = epochs.contains(&held.epoch);
            if ended {
                held.interrupt.request();
            }
            !ended
        });
    }

    /// A task is done with; returns its lease.
    pub fn let_go(&self, task: u64) -> Option<u64> {
        self.inner().held.remove(&task).map(|held| held.epoch)
    }

    /// Asks everybody to stop.
    pub fn stop_all(&self) {
        self.inner().held.values().for_each(|held| held.interrupt.request());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(task: u64, epoch: u64) -> v1::Lease {
        v1::Lease { task, epoch, ..Default::default() }
    }

    #[test]
    fn a_restart_of_the_coordinator_renews_what_is_held() {
        let session = Session::default();
        let one = session.take(&lease(1, 10)).expect("new");
        let two = session.take(&lease(2, 11)).expect("new");
        assert!(session.take(&lease(2, 12)).is_none(), "in hand already");
        session.register(&v1::RegisterReply { worker: 7, leases: vec![lease(1, 100)], ..Default::default() });
        assert_eq!((session.worker(), session.epochs()), (7, vec![100]));
        assert!(!one.is_requested() && two.is_requested());
        session.end(&[100]);
        assert!(one.is_requested() && session.len() == 0);
    }
}
