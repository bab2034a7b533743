//! The cache as its owner sees it: what was put comes back, or is a miss; the bound holds.

#![allow(clippy::unwrap_used)]

mod damage;
mod trouble;

use std::fs;
use std::path::{Path, PathBuf};

use antichain_common::store::{Codec, ImageWriter, ShardKind, Spec};

use super::{BlockCache, CacheError};

const FILE: [u8; 32] = [7; 32];

/// Block `number` as a file might have it: a length and bytes that no other has.
fn block(number: u32) -> Vec<u8> {
    let mut state = u64::from(number) + 1;
    let mut next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 56) as u8
    };
    let length = 500 + 4 * usize::from(next());
    (0..length).map(|_| next()).collect()
}

fn put(cache: &BlockCache, numbers: std::ops::Range<u32>) {
    for number in numbers {
        cache.put(&FILE, number, &block(number));
    }
}

/// Which of the first `count` blocks are there; these are checked.
fn present(cache: &BlockCache, count: u32) -> Vec<u32> {
    let mut out = vec![9; 100];
    let is_there = |&number: &u32| {
        let is_there = cache.get(&FILE, number, &mut out);
        assert_eq!(out, if is_there { block(number) } else { Vec::new() });
        assert_eq!(cache.contains(&FILE, number), is_there);
        is_there
    };
    (0..count).filter(is_there).collect()
}

/// The segments, the oldest first.
fn segments(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut segments: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "cache")).collect();
    segments.sort();
    segments
}

fn bytes_on_disk(folder: &Path) -> u64 {
    segments(folder).iter().map(|path| fs::symlink_metadata(path).unwrap().len()).sum()
}

#[test]
fn blocks_come_back_from_memory_and_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open(folder.path(), 64 << 20).unwrap();
    // Several pieces: some blocks are in the file, some in memory, and some in both.
    for number in 0..4000 {
        put(&cache, number..number + 1);
        if number % 500 == 0 {
            assert_eq!(present(&cache, number + 1).len(), number as usize + 1);
        }
    }
    assert_eq!(present(&cache, 4001), Vec::from_iter(0..4000));
    let bytes = cache.bytes();
    put(&cache, 0..4000);
    assert_eq!(cache.bytes(), bytes, "nothing is kept twice");
    drop(cache);
    assert_eq!(bytes_on_disk(folder.path()), bytes);
    let cache = BlockCache::open(folder.path(), 64 << 20).unwrap();
    assert_eq!(cache.bytes(), bytes);
    assert_eq!(present(&cache, 4001), Vec::from_iter(0..4000));
    let mut out = Vec::new();
    assert!(!cache.get(&[8; 32], 0, &mut out));
    put(&cache, 4000..4100);
    assert_eq!(present(&cache, 4200), Vec::from_iter(0..4100));
}

#[test]
fn the_oldest_go_when_the_bound_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let most = 80_000;
    let cache = BlockCache::open(folder.path(), most).unwrap();
    let mut first = 0;
    for number in 0..600 {
        put(&cache, number..number + 1);
        assert!(cache.bytes() <= most && bytes_on_disk(folder.path()) <= most);
        if number % 20 == 0 {
            let there = present(&cache, number + 1);
            assert_eq!(there, Vec::from_iter(there[0]..=number), "the latest are there, without a gap");
            assert!(there[0] >= first);
            first = there[0];
        }
    }
    assert!(cache.bytes() > most * 3 / 4 && first > 400);
    let there = present(&cache, 600);
    drop(cache);
    let cache = BlockCache::open(folder.path(), most / 2).unwrap();
    let fewer = present(&cache, 600);
    assert!(cache.bytes() <= most / 2 && bytes_on_disk(folder.path()) <= most / 2);
    assert!(fewer.len() > there.len() / 4 && there.ends_with(&fewer));
    put(&cache, 1000..1100);
    assert!(cache.bytes() <= most / 2 && cache.contains(&FILE, 1099));
}

#[test]
fn what_does_not_fit_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open(folder.path(), 8000).unwrap();
    cache.put(&FILE, 0, &[1; 949]);
    cache.put(&FILE, 1, &[1; 948]);
    assert!(!cache.contains(&FILE, 0) && cache.contains(&FILE, 1));
    drop(cache);
    let cache = BlockCache::open(folder.path(), 0).unwrap();
    put(&cache, 0..10);
    assert!(cache.bytes() == 0 && segments(folder.path()).is_empty());
}

#[test]
fn many_segments_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..100 {
        put(&BlockCache::open(folder.path(), 1 << 20).unwrap(), number..number + 1);
    }
    assert_eq!(segments(folder.path()).len(), 100);
    let cache = BlockCache::open(folder.path(), 1 << 20).unwrap();
    assert_eq!(present(&cache, 100).len(), 100);
    assert_eq!(present(&cache, 100).len(), 100);
}

#[test]
fn only_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open(folder.path(), 1 << 20).unwrap();
    let second = BlockCache::open(folder.path(), 1 << 20);
    assert!(matches!(second, Err(CacheError::InUse { folder: named }) if named == folder.path()));
    drop(cache);
    BlockCache::open(folder.path(), 1 << 20).unwrap();
    assert!(segments(folder.path()).is_empty(), "there is no segment before there is a block");
    let below_a_file = folder.path().join("cache.lock").join("cache");
    assert!(matches!(BlockCache::open(&below_a_file, 1), Err(CacheError::Folder { .. })));
}

#[test]
fn an_image_is_kept_block_by_block() {
    let spec = Spec { kind: ShardKind::Sample, codec: Codec::Lz4, format: 1, record_bytes: 1 };
    let mut writer = ImageWriter::new(spec).unwrap();
    for number in 0..5 {
        writer.push(&block(number), [0, 0]).unwrap();
    }
    let image = writer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open(folder.path(), 1 << 20).unwrap();
    cache.put_image(&image);
    let (mut stored, mut raw) = (Vec::new(), Vec::new());
    for number in 0..5 {
        assert!(cache.get(&image.head.file_digest(), number, &mut stored));
        image.head.check(number as usize, &stored).unwrap();
        raw.resize(block(number).len(), 0);
        image.head.decode(number as usize, &stored, &mut raw).unwrap();
        assert_eq!(raw, block(number));
    }
    assert!(!cache.contains(&image.head.file_digest(), 5));
}

#[test]
fn threads_put_and_get_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open(folder.path(), 8 << 20).unwrap();
    let hits = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let (cache, hits) = (&cache, &hits);
            scope.spawn(move || {
                let mut out = Vec::new();
                for i in 0..6000 {
                    // Two threads put the same blocks.
                    let number = 6000 * (thread / 2) + i;
                    cache.put(&FILE, number, &block(number));
                    let other = (number * 7919) % 12_000;
                    if cache.get(&FILE, other, &mut out) {
                        assert_eq!(out, block(other));
                        hits.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(hits.into_inner() > 1000 && cache.bytes() <= 8 << 20);
    let there = present(&cache, 12_000);
    drop(cache);
    let cache = BlockCache::open(folder.path(), 8 << 20).unwrap();
    assert_eq!(present(&cache, 12_000), there);
}
