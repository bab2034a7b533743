//! Taking a job away, with its disk.

use super::catalogue::find_record;
use super::records::{JobRecord, layer_document};
use super::{JobError, JobId, catalogue, estimation};
use crate::store::{Commit, ShardKind, Store, StoreError};

/// Takes everything of a job, or of an estimate, away, and those of its bases that no other job rests on. Files that another job has taken over
/// stay with that. Returns the bytes of files given back.
///
/// # Errors
/// [`JobError::NoSuchJob`]; errors of the store.
pub fn remove(store: &Store, job: &str) -> Result<u64, JobError> {
    if estimation::is_stored(store, job)? {
        let mut commit = Commit::new();
        commit.remove_owner(job);
        store.commit(commit)?;
        return Ok(0);
    }
    let record = find_record(store, job)?;
    let id = JobId(job.to_owned());
    // The largest ideals that other jobs want the bases of.
    let mut top = None;
    for other in catalogue::jobs(store)?.into_iter().filter(|other| other.job != id) {
        let other = JobRecord::load(store, &other.job)?;
        top = top.max(other.filter(|other| other.space == record.space).map(|other| other.method.top()));
    }
    let mut commit = Commit::new();
    let mut bytes = bytes_alone(store, &id.0, 0)?;
    commit.remove_owner(&id.0);
    match top {
        None => {
            bytes += bytes_of(store, &record.space)?;
            commit.remove_owner(&record.space);
        }
        Some(top) => {
            bytes += bytes_alone(store, &record.space, top + 1)?;
            remove_bases(store, &record.space, top + 1, &mut commit)?;
        }
    }
    store.commit(commit)?;
    Ok(bytes)
}

/// Lets a commit remove the bases from a layer on.
fn remove_bases(store: &Store, space: &str, from: usize, commit: &mut Commit) -> Result<(), StoreError> {
    for (key, _) in store.shards_of(space, ShardKind::Bases)?.filter(|(key, _)| usize::from(key.layer) >= from) {
        commit.remove_document(space, &layer_document(usize::from(key.layer)));
        commit.remove_shard(key);
    }
    Ok(())
}

/// Bytes of the files of an owner from a layer on that no other shares.
fn bytes_alone(store: &Store, owner: &str, from: usize) -> Result<u64, StoreError> {
    let mut bytes = 0;
    for kind in ShardKind::ALL {
        let own = store.shards_of(owner, kind)?.filter(|(key, _)| usize::from(key.layer) >= from);
        bytes += own.filter(|(_, record)| !store.is_shared(record)).map(|(_, record)| record.bytes).sum::<u64>();
    }
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
