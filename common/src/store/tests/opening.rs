//! Opening: what is made, what is refused, what is swept.

use std::fs;

use super::{files_under, fresh, values};
use crate::store::{CatalogueFault, Commit, Damage, Store, StoreError, free_space};

#[test]
fn makes_a_directory_and_its_parents() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("a/b");
    let store = Store::open(&directory).unwrap();
    assert_eq!(store.directory(), directory);
    assert_eq!(fs::read_to_string(directory.join("VERSION")).unwrap(), "antichain 1\n");
    assert!(directory.join("catalogue").is_dir() && directory.join("shards").is_dir());
    let pid = fs::read_to_string(directory.join("antichain.lock")).unwrap();
    assert_eq!(pid.trim(), std::process::id().to_string());
    drop(store);
    Store::open_existing(&directory).unwrap();
}

#[test]
fn opens_again_at_once_after_a_drop() {
    let (directory, mut store) = fresh();
    for round in 0..20 {
        let mut commit = Commit::new();
        commit.put_document("boolean-5", "round", &round).unwrap();
        store.commit(commit).unwrap();
        drop(store);
        store = Store::open(directory.path()).unwrap();
        assert_eq!(store.document("boolean-5", "round").unwrap(), Some(round));
    }
}

#[test]
fn a_second_opener_is_told_who_has_it() {
    let (directory, _store) = fresh();
    let error = Store::open(directory.path()).unwrap_err();
    let pid = std::process::id();
    assert!(matches!(error, StoreError::InUse { pid: Some(found), .. } if found == pid), "{error}");
    let sentence = format!("the data directory {} is in use by process {pid}", directory.path().display());
    assert_eq!(error.to_string(), sentence);
}

/// Reads the document that says which round it is.
fn round(store: &Store) -> Option<u32> {
    store.document("boolean-5", "round").unwrap()
}

fn commit_round(store: &Store, round: u32) -> Result<(), StoreError> {
    let mut commit = Commit::new();
    commit.put_document("boolean-5", "round", &round).unwrap();
    store.commit(commit)
}

#[test]
fn readers_share_a_copy_that_says_what_was_committed() {
    let (directory, mut store) = fresh();
    let copy = directory.path().join("catalogue.copy");
    for now in 0..5 {
        assert!(!copy.exists(), "as long as somebody may change something");
        commit_round(&store, now).unwrap();
        assert!(matches!(Store::open_to_read(directory.path()), Err(StoreError::InUse { pid: Some(_), .. })));
        drop(store);
        let readers = [(); 3].map(|()| Store::open_to_read(directory.path()).unwrap());
        assert!(readers.iter().all(|reader| round(reader) == Some(now)));
        assert_eq!(readers[0].documents("boolean-5").unwrap().len(), 1);
        let refused = commit_round(&readers[0], 9).unwrap_err();
        assert!(matches!(refused, StoreError::Catalogue { fault: CatalogueFault::Copy, .. }), "{refused}");
        assert!(matches!(Store::open(directory.path()), Err(StoreError::InUse { pid: None, .. })));
        drop(readers);
        store = Store::open_existing(directory.path()).unwrap();
    }
    drop(store);
    // Without a sound copy the catalogue itself is read, and a new one is left.
    for damage in [None, Some("something else")] {
        match damage {
            None => fs::remove_file(&copy).unwrap(),
            Some(text) => fs::write(&copy, text).unwrap(),
        }
        assert_eq!(round(&Store::open_to_read(directory.path()).unwrap()), Some(4));
        assert!(copy.exists());
        assert_eq!(round(&Store::open_to_read(directory.path()).unwrap()), Some(4));
    }
}

#[test]
fn what_is_missing_stays_missing() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("data");
    assert!(matches!(Store::open_existing(&directory), Err(StoreError::Missing { .. })));
    assert!(matches!(Store::open_to_read(&directory), Err(StoreError::Missing { .. })));
    assert!(!directory.exists());
    assert!(matches!(Store::open_existing(parent.path()), Err(StoreError::Missing { .. })));
    assert!(files_under(parent.path()).is_empty());
}

#[test]
fn a_foreign_directory_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("thesis.tex"), "x").unwrap();
    assert!(matches!(Store::open(directory.path()), Err(StoreError::NotOurs { .. })));
    assert!(matches!(Store::open_existing(directory.path()), Err(StoreError::NotOurs { .. })));
    assert_eq!(files_under(directory.path()), ["thesis.tex"]);
    // Another program's VERSION file does not make it ours.
    for text in [&b"2.17.1\n"[..], b"antichain", b"antichain one\n", b"\xff\xfe"] {
        fs::write(directory.path().join("VERSION"), text).unwrap();
        assert!(matches!(Store::open(directory.path()), Err(StoreError::NotOurs { .. })));
    }
    let file = directory.path().join("thesis.tex");
    assert!(matches!(Store::open(&file), Err(StoreError::Io { .. })));
}

#[test]
fn another_version_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("VERSION"), "antichain 7\n").unwrap();
    let error = Store::open(directory.path()).unwrap_err();
    assert!(matches!(error, StoreError::OtherVersion { found: 7, supported: 1, .. }), "{error}");
    assert_eq!(files_under(directory.path()), ["VERSION"]);
}

#[test]
fn a_process_killed_while_making_the_directory_is_no_obstacle() {
    for leftovers in [&["antichain.lock"][..], &["antichain.lock", "VERSION.part"]] {
        let directory = tempfile::tempdir().unwrap();
        for name in leftovers {
            fs::write(directory.path().join(name), "").unwrap();
        }
        Store::open(directory.path()).unwrap();
    }
    // Killed after VERSION, before the folders.
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("VERSION"), "antichain 1\n").unwrap();
    Store::open(directory.path()).unwrap();
}

#[test]
fn a_directory_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let directory = parent.path().join("data");
    // The superuser may write anywhere.
    match Store::open(&directory) {
        Ok(_) => assert!(rustix_is_root(&directory)),
        Err(error) => assert!(matches!(error, StoreError::NotWritable { .. }), "{error}"),
    }
    let denied = StoreError::io("x", std::io::ErrorKind::PermissionDenied.into());
    assert_eq!(denied.to_string(), "x is not writable: permission denied");
    let full = StoreError::io("x", std::io::ErrorKind::StorageFull.into());
    assert!(matches!(full, StoreError::NoRoom { .. }) && full.is_out_of_room(), "{full}");
}

/// Whether a file below a folder without write permission belongs to the superuser.
fn rustix_is_root(path: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().uid() == 0
}

#[test]
fn leftovers_are_swept_and_nothing_else() {
    let (directory, store) = fresh();
    let written = store.write_values(&values(1), 1, &[1, 2, 3]).unwrap();
    let kept = written.file.clone();
    let mut commit = Commit::new();
    commit.put_shard(values(1), written.record());
    store.commit(commit).unwrap();
    store.write_values(&values(2), 1, &[4]).unwrap();
    drop(store);
    let shards = directory.path().join("shards");
    fs::write(shards.join("boolean-5/values-0003-000000-5.part"), "half").unwrap();
    fs::write(shards.join("boolean-5/values-0004-000000-00000000.shard.damaged"), "evidence").unwrap();
    fs::write(shards.join("boolean-5/notes.txt"), "mine").unwrap();
    fs::create_dir(shards.join("chain-3")).unwrap();
    fs::write(shards.join("chain-3/values-0003-000000-5.part"), "half").unwrap();
    let store = Store::open(directory.path()).unwrap();
    let damaged = "shards/boolean-5/values-0004-000000-00000000.shard.damaged".to_owned();
    assert_eq!(super::shard_files(&store), ["shards/boolean-5/notes.txt".to_owned(), kept, damaged]);
    assert!(!shards.join("chain-3").exists());
}

/// The file in which sled keeps the state of its log.
fn snapshot(directory: &std::path::Path) -> Option<std::path::PathBuf> {
    let entries = fs::read_dir(directory.join("catalogue")).unwrap().map(|entry| entry.unwrap().path());
    entries.into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("snap."))
}

#[test]
fn a_corrupt_catalogue_is_one_sentence() {
    let (directory, store) = fresh();
    let mut commit = Commit::new();
    commit.put_document("boolean-5", "progress", &"x".repeat(100_000)).unwrap();
    store.commit(commit).unwrap();
    drop(store);
    // So much was changed that closing leaves a snapshot, and a wrong byte is no longer taken for a torn tail.
    let path = snapshot(directory.path()).unwrap();
    let log = directory.path().join("catalogue/db");
    for (path, at) in [(path, 3), (log, 5000)] {
        let sound = fs::read(&path).unwrap();
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let read = || Store::open(directory.path())?.document::<String>("boolean-5", "progress");
        let error = read().unwrap_err();
        assert!(matches!(error, StoreError::Catalogue { fault: CatalogueFault::Corrupt, .. }), "{error}");
        assert!(!error.to_string().contains('\n'));
        fs::write(&path, sound).unwrap();
    }
}

#[test]
fn a_snapshot_that_was_never_finished_is_no_obstacle() {
    let (directory, store) = fresh();
    commit_round(&store, 7).unwrap();
    drop(store);
    // A full disk leaves an empty file, kill -9 any part of one.
    for bytes in [0, 5, 40] {
        let unfinished = directory.path().join("catalogue/snap.00000000FFFFFFFF.generating");
        fs::write(&unfinished, vec![1; bytes]).unwrap();
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(round(&store), Some(7), "{bytes}");
        assert!(!unfinished.exists());
    }
}

#[test]
fn a_lost_tail_of_the_catalogue_means_work_done_again() {
    let (directory, store) = fresh();
    let mut ends = Vec::new();
    for step in 0..5u64 {
        let key = values(step as u16 % 2);
        let written = store.write_values(&key, 1, &[step]).unwrap();
        let mut commit = Commit::new();
        commit.put_shard(key, written.record()).put_document("boolean-5", "progress", &step).unwrap();
        store.commit(commit).unwrap();
        ends.push(fs::metadata(directory.path().join("catalogue/db")).unwrap().len());
    }
    drop(store);
    assert_eq!(snapshot(directory.path()), None);
    // Whatever length is left of the log, a commit is there whole or not at all; older files may be gone.
    for cut in (ends[0]..=ends[4]).rev().step_by(37) {
        let log = fs::File::options().write(true).open(directory.path().join("catalogue/db")).unwrap();
        log.set_len(cut).unwrap();
        if let Some(path) = snapshot(directory.path()) {
            fs::remove_file(path).unwrap();
        }
        let store = Store::open(directory.path()).unwrap();
        let step = store.document::<u64>("boolean-5", "progress").unwrap().unwrap();
        assert!(ends[step as usize] <= cut);
        for step in step.saturating_sub(1)..=step {
            match store.read_values(&values(step as u16 % 2)) {
                Ok(values) => assert_eq!(values.limbs, [step]),
                Err(error) => assert!(matches!(error, StoreError::Damaged { what: Damage::Missing, .. }), "{error}"),
            }
        }
    }
}

#[test]
fn a_record_whose_file_is_gone_means_work_done_again() {
    // So it looks when the disk loses the tail of a catalogue that had already given up the file.
    let (directory, store) = fresh();
    let written = store.write_values(&values(1), 1, &[1, 2, 3]).unwrap();
    let file = written.file.clone();
    let mut commit = Commit::new();
    commit.put_shard(values(1), written.record());
    store.commit(commit).unwrap();
    drop(store);
    fs::remove_file(directory.path().join(&file)).unwrap();
    let store = Store::open(directory.path()).unwrap();
    let error = store.read_values(&values(1)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::Missing, .. }), "{error}");
    assert_eq!(error.damaged_file(), Some(&*directory.path().join(&file)));
    assert_eq!(store.set_aside(&values(1)).unwrap(), None);
    assert!(matches!(store.read_values(&values(1)), Err(StoreError::NoShard(_))));
}

#[test]
fn free_space_is_known_before_the_directory_is_made() {
    let parent = tempfile::tempdir().unwrap();
    assert!(free_space(parent.path()).unwrap() > 0);
    assert!(free_space(&parent.path().join("not/yet")).unwrap() > 0);
}
