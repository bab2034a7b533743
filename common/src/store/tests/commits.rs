//! Commits and what is read back: records, documents, files that go with their records.

use std::fs;

use super::{fresh, key, shard_files, values};
use crate::store::{Commit, Damage, DocumentName, ShardKind, Store, StoreError};

/// Writes and records a shard of one value.
fn put(store: &Store, layer: u16, shard: u32, value: u64) {
    let key = key(ShardKind::Values, layer, shard);
    let written = store.write_values(&key, 1, &[value]).unwrap();
    let mut commit = Commit::new();
    commit.put_shard(key, written.record());
    store.commit(commit).unwrap();
}

#[test]
fn shards_come_in_order_of_layer_and_number() {
    let (directory, store) = fresh();
    for (layer, shard) in [(300, 1), (2, 256), (2, 3), (300, 0), (1, 0)] {
        put(&store, layer, shard, 7);
    }
    drop(store);
    let store = Store::open(directory.path()).unwrap();
    let keys = store.shards_of("boolean-5", ShardKind::Values).unwrap();
    let order: Vec<_> = keys.map(|(key, _)| (key.layer, key.shard)).collect();
    assert_eq!(order, [(1, 0), (2, 3), (2, 256), (300, 0), (300, 1)]);
    let layer = store.shards_in_layer("boolean-5", ShardKind::Values, 2).unwrap();
    assert_eq!(layer.iter().map(|(key, _)| key.shard).collect::<Vec<_>>(), [3, 256]);
    // Neither another kind, nor an owner whose name begins the same.
    assert_eq!(store.shards_of("boolean-5", ShardKind::Bases).unwrap().len(), 0);
    assert_eq!(store.shards_of("boolean", ShardKind::Values).unwrap().len(), 0);
    assert_eq!(store.shards_of("boolean-", ShardKind::Values).unwrap().len(), 0);
}

#[test]
fn removed_records_take_their_files_along() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    put(&store, 2, 0, 6);
    assert_eq!(shard_files(&store).len(), 2);
    let mut commit = Commit::new();
    commit.remove_shard(values(1)).remove_shard(values(9));
    store.commit(commit).unwrap();
    assert_eq!(store.shard(&values(1)).unwrap(), None);
    let left = store.shard(&values(2)).unwrap().unwrap().file;
    assert_eq!(shard_files(&store), [left]);
}

#[test]
fn a_replaced_record_takes_its_file_along_unless_it_is_the_same() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    let first = store.shard(&values(1)).unwrap().unwrap();
    put(&store, 1, 0, 5);
    assert_eq!(store.shard(&values(1)).unwrap(), Some(first.clone()));
    assert_eq!(shard_files(&store), std::slice::from_ref(&first.file));
    put(&store, 1, 0, 6);
    let second = store.shard(&values(1)).unwrap().unwrap();
    assert_ne!(first.file, second.file);
    assert_eq!(shard_files(&store), [second.file]);
}

#[test]
fn documents_of_any_length_come_back() {
    let (directory, store) = fresh();
    let texts: Vec<String> = [0, 1, 4081, 4082, 4083, 4084, 8190, 100_000].map(|n| "é".repeat(n / 2)).into();
    for (i, text) in texts.iter().enumerate() {
        let mut commit = Commit::new();
        commit.put_document("boolean-5", &format!("text-{i}"), text).unwrap();
        // Of the long one no chunk may stay when a short one takes its place.
        commit.put_document("boolean-5", "same", &texts[texts.len() - 1 - i]).unwrap();
        store.commit(commit).unwrap();
        assert_eq!(store.document("boolean-5", "same").unwrap().as_ref(), Some(&texts[texts.len() - 1 - i]));
    }
    drop(store);
    let store = Store::open(directory.path()).unwrap();
    for (i, text) in texts.iter().enumerate() {
        assert_eq!(store.document("boolean-5", &format!("text-{i}")).unwrap().as_ref(), Some(text));
    }
    assert_eq!(store.document::<String>("boolean-5", "text").unwrap(), None);
    let error = store.document::<u64>("boolean-5", "text-1").unwrap_err();
    assert!(matches!(error, StoreError::Document { .. }), "{error}");
    // Nothing is large enough for sled to put it into a file of its own, which it would not sync.
    assert_eq!(fs::read_dir(directory.path().join("catalogue/blobs")).unwrap().count(), 0);
}

#[test]
fn documents_are_listed_by_owner_and_prefix() {
    let (_directory, store) = fresh();
    let mut commit = Commit::new();
    for (owner, name) in [("ideals-boolean-5", "job"), ("boolean-5", "layer-2"), ("boolean-5", "layer-1")] {
        commit.put_document(owner, name, &vec![0u64; 4000]).unwrap();
    }
    store.commit(commit).unwrap();
    let names =
        |list: Vec<DocumentName>| list.into_iter().map(|d| format!("{}/{}", d.owner, d.name)).collect::<Vec<_>>();
    assert_eq!(names(store.documents("boolean-5").unwrap()), ["boolean-5/layer-1", "boolean-5/layer-2"]);
    assert_eq!(names(store.documents("boolean").unwrap()), [""; 0]);
    assert_eq!(names(store.documents_of_owners("boolean").unwrap()).len(), 2);
    let all = ["boolean-5/layer-1", "boolean-5/layer-2", "ideals-boolean-5/job"];
    assert_eq!(names(store.documents_of_owners("").unwrap()), all);
    let mut commit = Commit::new();
    commit.remove_document("boolean-5", "layer-1");
    store.commit(commit).unwrap();
    assert_eq!(names(store.documents("boolean-5").unwrap()), ["boolean-5/layer-2"]);
    assert_eq!(store.document::<Vec<u64>>("boolean-5", "layer-1").unwrap(), None);
}

#[test]
fn an_owner_goes_with_everything_and_alone() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    put(&store, 2, 0, 5);
    store.set_aside(&values(2)).unwrap();
    let other = "boolean-55";
    let mut commit = Commit::new();
    commit.put_document("boolean-5", "layer", &1).unwrap();
    commit.put_document(other, "layer", &2).unwrap();
    store.commit(commit).unwrap();
    let mut commit = Commit::new();
    commit.put_document("boolean-5", "late", &1).unwrap().remove_owner("boolean-5");
    store.commit(commit).unwrap();
    assert!(shard_files(&store).is_empty());
    assert!(store.documents("boolean-5").unwrap().is_empty());
    assert_eq!(store.shards_of("boolean-5", ShardKind::Values).unwrap().len(), 0);
    assert_eq!(store.document(other, "layer").unwrap(), Some(2));
}

#[test]
fn an_owner_replaced_in_one_commit_keeps_what_is_new() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    let written = store.write_values(&values(2), 1, &[6]).unwrap();
    let mut commit = Commit::new();
    commit.remove_owner("boolean-5").put_shard(values(2), written.record());
    store.commit(commit).unwrap();
    assert_eq!(store.shard(&values(1)).unwrap(), None);
    assert_eq!(store.read_values(&values(2)).unwrap().limbs, [6]);
    assert_eq!(shard_files(&store).len(), 1);
}

#[test]
fn names_that_could_leave_the_folder_are_refused() {
    let (_directory, store) = fresh();
    for owner in ["", "..", ".hidden", "a/b", "a\0b", "é", &"x".repeat(201)] {
        let mut bad = values(1);
        bad.owner = owner.to_owned();
        assert!(matches!(store.write_values(&bad, 1, &[1]), Err(StoreError::Name { .. })), "{owner}");
        let mut commit = Commit::new();
        commit.put_document(owner, "name", &1).unwrap();
        assert!(matches!(store.commit(commit), Err(StoreError::Name { .. })), "{owner}");
        let mut commit = Commit::new();
        commit.remove_owner(owner);
        assert!(matches!(store.commit(commit), Err(StoreError::Name { .. })), "{owner}");
    }
    assert!(store.documents_of_owners("").unwrap().is_empty());
}

#[test]
fn a_damaged_file_is_found_set_aside_and_written_again() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    let record = store.shard(&values(1)).unwrap().unwrap();
    store.verify_file(&record).unwrap();
    let path = store.directory().join(&record.file);
    let mut bytes = fs::read(&path).unwrap();
    bytes[33] ^= 4;
    fs::write(&path, bytes).unwrap();
    let error = store.verify_file(&record).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::Block(0), .. }), "{error}");
    assert_eq!(error.to_string(), format!("{} is damaged: block 0 does not match its checksum", path.display()));
    let aside = store.set_aside(&values(1)).unwrap().unwrap();
    assert!(aside.ends_with(format!("{}.damaged", record.file)) && aside.exists() && !path.exists());
    assert!(matches!(store.set_aside(&values(1)), Err(StoreError::NoShard(_))));
    put(&store, 1, 0, 5);
    assert_eq!(store.shard(&values(1)).unwrap(), Some(record));
    assert_eq!(store.read_values(&values(1)).unwrap().limbs, [5]);
}

#[test]
fn another_sound_file_under_the_recorded_name_is_found() {
    let (_directory, store) = fresh();
    put(&store, 1, 0, 5);
    put(&store, 2, 0, 6);
    let file = |layer| store.directory().join(store.shard(&values(layer)).unwrap().unwrap().file);
    fs::copy(file(2), file(1)).unwrap();
    let error = store.read_values(&values(1)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::NotRecorded, .. }), "{error}");
}
