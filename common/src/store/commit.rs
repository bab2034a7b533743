//! Commits: what changes together. A commit is on the disk, whole, when [`Store::commit`] returns, or leaves no trace.

use std::collections::BTreeSet;
use std::fs;

use serde::Serialize;

use super::catalogue::Changes;
use super::document;
use super::error::StoreError;
use super::record::{ShardKey, ShardRecord, check_name};
use super::{SHARDS_FOLDER, Store};

/// Changes to be made together, in this order. The files of records must be finished before.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    PutShard(ShardKey, ShardRecord),
    RemoveShard(ShardKey),
    PutDocument { owner: String, name: String, json: Vec<u8> },
    RemoveDocument { owner: String, name: String },
    RemoveOwner(String),
}

impl Commit {
    /// No changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a shard, instead of the one of that key if there is one.
    pub fn put_shard(&mut self, key: ShardKey, record: ShardRecord) -> &mut Self {
        self.push(Step::PutShard(key, record))
    }

    /// Removes a shard's record and, afterwards, its file. No harm if there is none.
    pub fn remove_shard(&mut self, key: ShardKey) -> &mut Self {
        self.push(Step::RemoveShard(key))
    }

    /// Stores a document, instead of the one of that name if there is one.
    ///
    /// # Errors
    /// [`StoreError::Document`] if it cannot be JSON.
    pub fn put_document<T: Serialize>(
        &mut self,
        owner: &str,
        name: &str,
        document: &T,
    ) -> Result<&mut Self, StoreError> {
        let json = document::to_json(owner, name, document)?;
        Ok(self.push(Step::PutDocument { owner: owner.to_owned(), name: name.to_owned(), json }))
    }

    /// Removes a document. No harm if there is none.
    pub fn remove_document(&mut self, owner: &str, name: &str) -> &mut Self {
        self.push(Step::RemoveDocument { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// Removes everything of an owner: records, documents, files, files set aside too.
    pub fn remove_owner(&mut self, owner: &str) -> &mut Self {
        self.push(Step::RemoveOwner(owner.to_owned()))
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    fn push(&mut self, step: Step) -> &mut Self {
        self.steps.push(step);
        self
    }
}

impl Store {
    /// Makes the changes of a commit: all or none, and on the disk when this returns. Only then are files deleted that
    /// no record names any more.
    ///
    /// # Errors
    /// [`StoreError::Name`] before anything is written; [`StoreError::NoRoom`] and other errors of writing, after which
    /// this store takes no more commits and is to be opened anew.
    pub fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let _one = self.committing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut changes = Changes::new();
        let mut owners = Vec::new();
        for step in commit.steps {
            match step {
                Step::PutShard(key, record) => {
                    check_name(&key.owner)?;
                    changes.insert(key.encode(), Some(record.encode()));
                }
                Step::RemoveShard(key) => {
                    changes.insert(key.encode(), None);
                }
                Step::PutDocument { owner, name, json } => {
                    check_name(&owner)?;
                    check_name(&name)?;
                    self.remove_all(&document::document_prefix(&owner, &name), &mut changes)?;
                    changes.extend(document::encode(&owner, &name, &json).into_iter().map(|(key, v)| (key, Some(v))));
                }
                Step::RemoveDocument { owner, name } => {
                    self.remove_all(&document::document_prefix(&owner, &name), &mut changes)?;
                }
                Step::RemoveOwner(owner) => {
                    check_name(&owner)?;
                    self.remove_all(&ShardKey::owner_prefix(&owner), &mut changes)?;
                    self.remove_all(&document::owner_prefix(&owner), &mut changes)?;
                    owners.push(owner);
                }
            }
        }
        if changes.is_empty() && owners.is_empty() {
            return Ok(());
        }
        let obsolete = self.obsolete_files(&changes)?;
        owners.retain(|owner| {
            let prefix = ShardKey::owner_prefix(owner);
            !changes.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix)).any(|(_, v)| v.is_some())
        });
        self.catalogue.apply(changes)?;
        for file in obsolete {
            self.delete(&file);
        }
        for owner in owners {
            // What cannot be removed now, the sweep of the next start removes.
            let _ = fs::remove_dir_all(self.directory.join(SHARDS_FOLDER).join(owner));
        }
        Ok(())
    }

    /// Lets `changes` remove every key with that prefix, those that `changes` itself would have put included.
    fn remove_all(&self, prefix: &[u8], changes: &mut Changes) -> Result<(), StoreError> {
        for (_, value) in changes.range_mut(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix)) {
            *value = None;
        }
        for (key, _) in self.catalogue.scan(prefix)? {
            changes.insert(key.to_vec(), None);
        }
        Ok(())
    }

    /// The files of records that `changes` removes or replaces, but for those that it names again.
    fn obsolete_files(&self, changes: &Changes) -> Result<BTreeSet<String>, StoreError> {
        let mut obsolete = BTreeSet::new();
        let shards = ShardKey::all_prefix();
        let of_shards = || changes.iter().filter(|(key, _)| key.starts_with(&shards));
        for (key, _) in of_shards() {
            let old = self.catalogue.get(key)?;
            obsolete.extend(old.and_then(|old| ShardRecord::decode(&old)).map(|record| record.file));
        }
        for (_, value) in of_shards() {
            if let Some(record) = value.as_deref().and_then(ShardRecord::decode) {
                obsolete.remove(&record.file);
            }
        }
        Ok(obsolete)
    }

    fn delete(&self, file: &str) {
        match fs::remove_file(self.directory.join(file)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(file, %error, "a file that is no longer needed cannot be removed");
            }
            _ => {}
        }
    }
}
