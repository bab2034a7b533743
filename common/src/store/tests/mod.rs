//! Tests of the store as a whole.

#![allow(clippy::unwrap_used)]

mod bytes;
mod commits;
mod crash;
mod golden;
mod images;
mod opening;
mod payloads;
mod receiving;

use std::path::Path;

use super::{ShardKey, ShardKind, Store};
use crate::ideal::Ideal;

/// Names of all files under `directory`, relative, sorted.
fn files_under(directory: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

fn shard_files(store: &Store) -> Vec<String> {
    files_under(store.directory()).into_iter().filter(|file| file.starts_with("shards/")).collect()
}

fn key(kind: ShardKind, layer: u16, shard: u32) -> ShardKey {
    ShardKey { owner: "boolean-5".to_owned(), kind, layer, shard }
}

fn values(layer: u16) -> ShardKey {
    key(ShardKind::Values, layer, 0)
}

fn duals(layer: u16) -> ShardKey {
    key(ShardKind::Duals, layer, 0)
}

fn fresh() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path()).unwrap();
    (directory, store)
}

/// Some values, of two limbs in three blocks.
fn some_limbs() -> Vec<u64> {
    (0..20_000u64).map(|i| i.wrapping_mul(0x5851_f42d_4c95_7f2d) >> 7).collect()
}

/// Some values of a byte, in three blocks.
fn some_bytes() -> Vec<u8> {
    (0..150_000u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 26) as u8).collect()
}

/// Some bases, in three blocks.
fn some_bases() -> Vec<Ideal<2>> {
    (0..2500).map(|i| Ideal([i * 0x1234_5678, i / 9])).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_store_is_shared_by_threads_and_writers_are_sent() {
    fn shared<T: Send + Sync>() {}
    shared::<Store>();
    shared::<super::BlockFile>();
    shared::<super::BlockFileWriter>();
    shared::<super::ValuesWriter>();
    shared::<super::ShardReceiver>();
    shared::<super::BlockImage>();
    shared::<super::Commit>();
}
