//! Taking a job away, with its disk.

use super::catalogue::find_record;
use super::records::JobRecord;
use super::{JobError, JobId, catalogue};
use crate::store::{Commit, ShardKind, Store, StoreError};

/// Takes everything of a job away, and its bases if no other job rests on them. Returns the bytes of files given back.
///
/// # Errors
/// [`JobError::NoSuchJob`]; errors of the store.
pub fn remove(store: &Store, job: &str) -> Result<u64, JobError> {
    let record = find_record(store, job)?;
    let id = JobId(job.to_owned());
    let mut owners = vec![id.0.clone()];
    let mut is_shared = false;
    for other in catalogue::jobs(store)?.into_iter().filter(|other| other.job != id) {
        let other = JobRecord::load(store, &other.job)?;
        is_shared |= other.is_some_and(|other| other.space == record.space);
    }
    if !is_shared {
        owners.push(record.space);
    }
    let mut commit = Commit::new();
    let mut bytes = 0;
    for owner in &owners {
        bytes += bytes_of(store, owner)?;
        commit.remove_owner(owner);
    }
    store.commit(commit)?;
    Ok(bytes)
}

/// Bytes of the files of an owner.
///
/// # Errors
/// Errors of reading the catalogue.
pub(super) fn bytes_of(store: &Store, owner: &str) -> Result<u64, StoreError> {
    let mut bytes = 0;
    for kind in ShardKind::ALL {
        bytes += store.shards_of(owner, kind)?.map(|(_, record)| record.bytes).sum::<u64>();
    }
    Ok(bytes)
}
