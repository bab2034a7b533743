//! A child process commits in a loop and is killed without warning; what it said was committed must be there.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{key, shard_files};
use crate::store::{BlockFile, Codec, Commit, ShardKind, Spec, Store, StoreError};

/// Tells this test binary that it is the child, and of which data directory.
const CHILD: &str = "ANTICHAIN_STORE_CRASH_CHILD";
/// Layers in use; a step writes one and removes another.
const LAYERS: u64 = 20;

fn contents(step: u64) -> Vec<u64> {
    (0..500 + step % 7 * 3000).map(|i| i.wrapping_mul(step + 1)).collect()
}

/// The steps whose shards are there after `step`: each removes what was written half a round before.
fn alive(step: u64) -> Vec<u64> {
    (step.saturating_sub(LAYERS / 2 - 1)..=step).collect()
}

fn shard(step: u64) -> crate::store::ShardKey {
    key(ShardKind::Values, (step % LAYERS) as u16, 0)
}

/// The child: goes on from the last committed step and reports each step after its commit.
#[test]
fn child() {
    let Ok(directory) = std::env::var(CHILD) else { return };
    let store = Store::open(Path::new(&directory)).unwrap();
    let first = store.document::<u64>("boolean-5", "progress").unwrap().map_or(0, |step| step + 1);
    for step in first.. {
        let written = store.write_values(&shard(step), 1, &contents(step)).unwrap();
        // What a kill may leave besides: a file not yet finished, and one finished that nobody will record.
        let spec = Spec { kind: ShardKind::Sample, codec: Codec::Lz4, format: 1, record_bytes: 1 };
        let mut unfinished = store.create_shard(&key(ShardKind::Sample, 1, 0), spec).unwrap();
        unfinished.push(&[step as u8; 1000], [0, 0]).unwrap();
        store.write_values(&key(ShardKind::Sample, 2, 0), 1, &[step]).unwrap();
        let mut commit = Commit::new();
        commit.put_shard(shard(step), written.record());
        commit.remove_shard(shard(step + LAYERS / 2));
        commit.put_document("boolean-5", "progress", &step).unwrap();
        commit.put_document("boolean-5", "long", &vec![step; 3000]).unwrap();
        store.commit(commit).unwrap();
        writeln!(std::io::stdout(), "\nstep {step}").unwrap();
    }
}

#[test]
fn what_was_committed_survives_sigkill() {
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged = None;
    for round in 0..8 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::crash::child", "--nocapture"])
            .env(CHILD, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut steps = lines.by_ref().filter_map(|line| line.strip_prefix("step ").map(|n| n.parse::<u64>().unwrap()));
        for _ in 0..=round * 3 {
            acknowledged = steps.next().or(acknowledged);
        }
        let error = Store::open(directory.path()).unwrap_err();
        assert!(matches!(error, StoreError::InUse { pid, .. } if pid == Some(child.id())), "{error}");
        std::thread::sleep(Duration::from_micros(700 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged = steps.last().or(acknowledged);
        check(directory.path(), acknowledged.unwrap());
    }
}

fn check(directory: &Path, acknowledged: u64) {
    let store = Store::open(directory).unwrap();
    let step = store.document::<u64>("boolean-5", "progress").unwrap().unwrap();
    assert!(step == acknowledged || step == acknowledged + 1, "{step} after {acknowledged}");
    assert_eq!(store.document("boolean-5", "long").unwrap(), Some(vec![step; 3000]));
    let mut expected: Vec<_> = alive(step).into_iter().map(shard).collect();
    expected.sort();
    let records: Vec<_> = store.shards_of("boolean-5", ShardKind::Values).unwrap().collect();
    assert_eq!(records.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(), expected);
    for step in alive(step) {
        let record = store.shard(&shard(step)).unwrap().unwrap();
        store.verify_file(&record).unwrap();
        assert_eq!(store.read_values(&shard(step)).unwrap().limbs, contents(step));
    }
    let mut files: Vec<_> = records.into_iter().map(|(_, record)| record.file).collect();
    files.sort();
    assert_eq!(shard_files(&store), files, "no leftovers");
    assert!(files.iter().all(|file| BlockFile::open(directory.join(file)).is_ok()));
}
