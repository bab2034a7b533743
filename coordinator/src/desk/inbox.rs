//! What is being received: of every lease one delivery at a time, the newest. So nobody takes more room than one result may, and a
//! worker whose connection broke without a word can deliver again at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antichain_common::store::ShardReceiver;

use crate::ledger::{Epoch, WorkerId};

/// A file that is being received, until it is complete or another delivery of it begins.
type Slot<F> = Arc<Mutex<Option<F>>>;
/// Whose delivery it is, and under which lease.
type Lease = (WorkerId, Epoch);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// See the [module](self).
pub struct Inbox<F = ShardReceiver>(Mutex<HashMap<Lease, Slot<F>>>);

impl<F> Default for Inbox<F> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<F> Inbox<F> {
    /// Another delivery begins: one of the same lease is over, and its file gone.
    pub fn begin(self: &Arc<Self>, lease: Lease, file: F) -> Receiving<F> {
        let slot = Arc::new(Mutex::new(Some(file)));
        let before = lock(&self.0).insert(lease, slot.clone());
        if let Some(before) = before {
            // Not under the lock of all: removing a file takes its time.
            let overtaken = lock(&before).take();
            drop(overtaken);
        }
        Receiving { inbox: self.clone(), lease, slot }
    }
}

/// One of these files.
pub struct Receiving<F = ShardReceiver> {
    inbox: Arc<Inbox<F>>,
    lease: Lease,
    slot: Slot<F>,
}

impl<F> Receiving<F> {
    /// Does something with the file; `None` if another delivery has begun.
    pub fn with<T>(&self, work: impl FnOnce(&mut F) -> T) -> Option<T> {
        lock(&self.slot).as_mut().map(work)
    }

    /// The file; `None` if another delivery has begun.
    pub fn take(self) -> Option<F> {
        lock(&self.slot).take()
    }
}

impl<F> Drop for Receiving<F> {
    fn drop(&mut self) {
        let mut all = lock(&self.inbox.0);
        if all.get(&self.lease).is_some_and(|slot| Arc::ptr_eq(slot, &self.slot)) {
            all.remove(&self.lease);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_delivery_of_a_lease_counts() {
        let inbox = Arc::new(Inbox::<u32>::default());
        let (lease, other) = ((WorkerId(1), Epoch(1)), (WorkerId(1), Epoch(2)));
        let first = inbox.begin(lease, 1);
        let beside = inbox.begin(other, 7);
        assert_eq!(first.with(|file| *file), Some(1));
        let second = inbox.begin(lease, 2);
        assert_eq!((first.with(|file| *file), first.take()), (None, None));
        assert_eq!((second.with(|file| *file), second.take(), beside.take()), (Some(2), Some(2), Some(7)));
        assert!(lock(&inbox.0).is_empty());
    }
}
