//! A disk that refuses what it is given makes the cache smaller, and nothing else.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::super::BlockCache;
use super::super::trouble::FULL_PAUSES;
use super::{FILE, bytes_on_disk, present, put, segments};

const MOST: u64 = 80_000;
const PAUSE: Duration = Duration::from_millis(300);

fn open(folder: &Path) -> BlockCache {
    BlockCache::open_with(folder, MOST, PAUSE).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_makes_a_smaller_cache() {
    let folder = tempfile::tempdir().unwrap();
    put(&open(folder.path()), 0..30);
    let cache = open(folder.path());
    let before = cache.bytes();
    assert!(before > MOST / 4 && before < MOST / 2);
    cache.writing().tail.begin(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    // More than a segment: when it is to be written, there is no room.
    put(&cache, 30..50);
    assert!(cache.bytes() < before + MOST / 8);
    let there = present(&cache, 50);
    assert!(there.starts_with(&Vec::from_iter(0..30)) && !there.contains(&49));
    // Nothing is written for a while.
    put(&cache, 60..70);
    assert_eq!(present(&cache, 70), there);
    assert_eq!(cache.bytes(), before);
    sleep(PAUSE);
    // Then what comes replaces what there was, without taking more of the disk.
    put(&cache, 100..120);
    assert!(cache.contains(&FILE, 119) && !cache.contains(&FILE, 0));
    assert!(cache.bytes() <= before);
    sleep(FULL_PAUSES * PAUSE);
    put(&cache, 200..260);
    assert!(cache.bytes() > before + MOST / 8);
    drop(cache);
    let cache = open(folder.path());
    assert!(cache.contains(&FILE, 259) && cache.contains(&FILE, 119));
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_in_the_file_survives_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let cache = BlockCache::open_with(folder.path(), 64 << 20, PAUSE).unwrap();
    put(&cache, 0..1500);
    // As if the second piece had failed: what the first one holds can be read, and what is torn is cut off.
    cache.give_up(&mut cache.writing(), &std::io::Error::from(std::io::ErrorKind::StorageFull));
    let there = present(&cache, 1500);
    assert!(there.len() > 900 && there.len() < 1500 && there == Vec::from_iter(0..there.len() as u32));
    assert_eq!(cache.bytes(), bytes_on_disk(folder.path()));
    drop(cache);
    let cache = open(folder.path());
    assert!(segments(folder.path()).is_empty() && cache.bytes() == 0, "it was larger than the bound is now");
}

#[test]
fn a_folder_that_goes_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("cache");
    let cache = open(&inner);
    fs::remove_dir_all(&inner).unwrap();
    put(&cache, 0..10);
    assert!(present(&cache, 10).is_empty() && cache.bytes() == 0);
    fs::create_dir(&inner).unwrap();
    put(&cache, 0..10);
    assert!(present(&cache, 10).is_empty());
    sleep(PAUSE);
    put(&cache, 0..10);
    assert_eq!(present(&cache, 10).len(), 10);
    // Whoever ends it has no errors to hear of.
    fs::remove_dir_all(&inner).unwrap();
    drop(cache);
}
