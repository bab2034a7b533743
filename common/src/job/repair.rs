//! Files that are recorded, but damaged or gone.

use super::JobError;
use crate::parallel::crew;
use crate::store::{ShardKey, ShardKind, Store, StoreError};

/// Reads all files of an owner's shards of one kind, sets aside those that are damaged, and says whether there were any.
///
/// # Errors
/// Errors of the store, but not damage.
pub(super) fn set_aside_damaged(store: &Store, owner: &str, kind: ShardKind, threads: usize) -> Result<bool, JobError> {
    let shards = store.shards_of(owner, kind)?;
    let faults = crew(threads, shards, Vec::new, |faults: &mut Vec<(ShardKey, StoreError)>, (key, record)| {
        faults.extend(store.verify_file(&record).err().map(|error| (key, error)));
    });
    let mut found = false;
    for (key, error) in faults.into_iter().flatten() {
        if error.damaged_file().is_none() {
            return Err(error.into());
        }
        tracing::warn!("{error}; it is set aside and computed again");
        store.set_aside(&key)?;
        found = true;
    }
    Ok(found)
}
