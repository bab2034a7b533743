//! Whatever became of the segments: a block is what was put, or a miss.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, symlink};

use super::super::{BlockCache, record};
use super::{FILE, block, present, put, segments};

const MOST: u64 = 1 << 20;

/// A folder with one segment of ten blocks, and where each of their records begins.
fn ten_blocks() -> (tempfile::TempDir, Vec<usize>) {
    let folder = tempfile::tempdir().unwrap();
    put(&BlockCache::open(folder.path(), MOST).unwrap(), 0..10);
    let mut start = 0;
    let starts = (0..10).map(|number| {
        let record = start;
        start += record::HEADER_BYTES + block(number).len();
        record
    });
    let starts = starts.collect();
    (folder, starts)
}

#[test]
fn a_torn_tail_costs_one_block() {
    let (folder, starts) = ten_blocks();
    let segment = &segments(folder.path())[0];
    let whole = fs::metadata(segment).unwrap().len();
    for length in [whole - 1, starts[9] as u64 + 52, starts[9] as u64 + 51, starts[9] as u64 + 1] {
        OpenOptions::new().write(true).open(segment).unwrap().set_len(length).unwrap();
        let cache = BlockCache::open(folder.path(), MOST).unwrap();
        assert_eq!(present(&cache, 10), Vec::from_iter(0..9));
    }
    // What was lost is put again, in a segment of its own.
    put(&BlockCache::open(folder.path(), MOST).unwrap(), 0..10);
    assert_eq!(segments(folder.path()).len(), 2);
    assert_eq!(present(&BlockCache::open(folder.path(), MOST).unwrap(), 10).len(), 10);
}

#[test]
fn a_flipped_byte_is_a_miss() {
    let (folder, starts) = ten_blocks();
    let segment = &segments(folder.path())[0];
    let sound = fs::read(segment).unwrap();
    for at in (0..52).chain(52..starts[1]).step_by(7) {
        let mut bytes = sound.clone();
        bytes[starts[4] + at.min(starts[5] - starts[4] - 1)] ^= 0x10;
        fs::write(segment, &bytes).unwrap();
        let there = present(&BlockCache::open(folder.path(), MOST).unwrap(), 10);
        // What follows a header that is none is not found; a block that is damaged is missed alone.
        assert_eq!(there, if at < 52 { Vec::from_iter(0..4) } else { vec![0, 1, 2, 3, 5, 6, 7, 8, 9] });
        fs::write(segment, &sound).unwrap();
    }
}

#[test]
fn a_damaged_block_is_forgotten_and_can_be_put_again() {
    let (folder, starts) = ten_blocks();
    let cache = BlockCache::open(folder.path(), MOST).unwrap();
    let segment = OpenOptions::new().write(true).open(&segments(folder.path())[0]).unwrap();
    segment.write_all_at(b"?", starts[3] as u64 + 60).unwrap();
    assert!(cache.contains(&FILE, 3));
    assert_eq!(present(&cache, 10).len(), 9);
    put(&cache, 3..4);
    assert_eq!(present(&cache, 10).len(), 10);
    // The file becomes shorter while it is in use, then it is gone.
    segment.set_len(starts[5] as u64).unwrap();
    assert_eq!(present(&cache, 10), [0, 1, 2, 3, 4]);
    drop(cache);
    let cache = BlockCache::open(folder.path(), MOST).unwrap();
    fs::remove_file(&segments(folder.path())[0]).unwrap();
    assert_eq!(present(&cache, 10), [3]);
}

#[test]
fn segments_of_others_are_of_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let zeros = vec![0; 10_000];
    let huge = record::encode(&FILE, 0, u32::MAX, 0);
    let none = record::encode(&FILE, 1, 0, 0).repeat(100);
    for (name, bytes) in [
        ("segment-0000000000.cache", &b""[..]),
        ("segment-0000000001.cache", &b"garbage"[..]),
        ("segment-0000000002.cache", &zeros),
        ("segment-0000000003.cache", &huge),
        ("segment-0000000004.cache", &none),
        ("segment-4294967295.cache", &none),
        ("segment-99999999999.cache", b"left alone"),
        ("segment-7.cache", b"left alone"),
    ] {
        fs::write(path(name), bytes).unwrap();
    }
    File::create(path("segment-0000000005.cache")).unwrap().set_len(1 << 40).unwrap();
    fs::create_dir(path("segment-0000000008.cache")).unwrap();
    symlink("/dev/zero", path("segment-0000000009.cache")).unwrap();
    let cache = BlockCache::open(folder.path(), MOST).unwrap();
    assert_eq!(cache.bytes(), none.len() as u64);
    put(&cache, 2..100);
    let mut out = Vec::new();
    assert!(!cache.get(&FILE, 0, &mut out));
    assert!(cache.get(&FILE, 1, &mut out) && out.is_empty());
    assert!((2..100).all(|number| cache.get(&FILE, number, &mut out) && out == block(number)));
    drop(cache);
    let names = segments(folder.path()).into_iter().map(|path| path.file_name().unwrap().to_owned());
    let names: Vec<_> = names.collect();
    assert_eq!(
        names,
        [
            "segment-0000000004.cache",
            "segment-0000000005.cache",
            "segment-0000000008.cache",
            "segment-0000000009.cache",
            "segment-7.cache",
            "segment-99999999999.cache"
        ]
    );
}

#[test]
fn mangled_segments_give_no_wrong_block() {
    let (folder, _) = ten_blocks();
    let segment = &segments(folder.path())[0];
    let sound = fs::read(segment).unwrap();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 33) as usize % below
    };
    for _ in 0..200 {
        let mut bytes = sound.clone();
        match random(3) {
            0 => (0..20).for_each(|_| bytes[random(sound.len())] = random(256) as u8),
            1 => bytes.rotate_left(random(sound.len())),
            _ => {
                let (from, to) = (random(sound.len()), random(sound.len()));
                bytes.copy_within(from.min(to)..from.max(to), random(from.min(to) + 1));
            }
        }
        bytes.truncate(1 + random(2 * sound.len()).min(sound.len() - 1));
        fs::write(segment, &bytes).unwrap();
        // Checks what is there.
        present(&BlockCache::open(folder.path(), MOST).unwrap(), 10);
    }
}
