//! A bounded cache of blocks on a worker's own disk, so that they need not be fetched again when they have left memory,
//! nor after a restart.
//!
//! The invariants: what [`BlockCache::get`] gives is what was put, checked against a checksum; the segments never take
//! more than the bound. Segments are only appended to (FORMATS.md has the bytes), and the oldest one goes as a whole.
//! Nothing is synced: what a crash takes is fetched again. No error reaches the owner but those of opening.
//!
//! ```
//! use antichain_worker::cache::BlockCache;
//! let folder = tempfile::tempdir()?;
//! let cache = BlockCache::open(folder.path(), 1 << 30)?;
//! cache.put(&[7; 32], 0, b"a block as it is stored");
//! let mut stored = Vec::new();
//! assert!(cache.get(&[7; 32], 0, &mut stored));
//! assert_eq!(stored, b"a block as it is stored");
//! assert!(!cache.get(&[7; 32], 1, &mut stored));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod index;
mod record;
mod segment;
mod tail;
mod trouble;

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antichain_common::store::BlockImage;

pub use error::CacheError;

use index::{Found, Index};
use record::{HEADER_BYTES, Key, Record};
use segment::MOST_SEGMENT_BYTES;
use tail::Tail;
use trouble::Trouble;

/// Name of the lock file.
const LOCK_FILE: &str = "cache.lock";
/// Segments that a cache has at least when it is full: that much of it goes at a time.
const SEGMENTS: u64 = 8;
/// How long a disk that refused to take something is left alone.
const PAUSE: Duration = Duration::from_secs(30);

/// See the head of this module.
pub struct BlockCache {
    folder: PathBuf,
    most_bytes: u64,
    segment_bytes: u64,
    /// Taken before the index where both are needed. Who has it may be waiting for the disk.
    writing: Mutex<Writing>,
    /// Nobody waits for the disk while he has it, but to open a file.
    index: Mutex<Index>,
    _lock: File,
}

struct Writing {
    tail: Tail,
    trouble: Trouble,
}

impl BlockCache {
    /// Opens the cache in `folder`, which is made if there is none, with what an earlier process has left there. Its
    /// segments take `most_bytes` bytes, at most; a block of more than an eighth of that is never kept.
    ///
    /// # Errors
    /// [`CacheError::InUse`] if it is open already, here or in another process; [`CacheError::Folder`].
    pub fn open(folder: &Path, most_bytes: u64) -> Result<Self, CacheError> {
        Self::open_with(folder, most_bytes, PAUSE)
    }

    fn open_with(folder: &Path, most_bytes: u64, pause: Duration) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Folder { folder: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(LOCK_FILE));
        let lock = lock.map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => CacheError::InUse { folder: folder.to_owned() },
            TryLockError::Error(error) => failed(error),
        })?;
        let (index, next) = segment::recover(folder, most_bytes).map_err(failed)?;
        let writing = Writing { tail: Tail::new(next), trouble: Trouble::new(pause) };
        Ok(Self {
            folder: folder.to_owned(),
            most_bytes,
            segment_bytes: MOST_SEGMENT_BYTES.min(most_bytes / SEGMENTS),
            writing: Mutex::new(writing),
            index: Mutex::new(index),
            _lock: lock,
        })
    }

    /// Keeps block `block`, as it is stored in the file with the digest `file`.
    pub fn put(&self, file: &[u8; 32], block: u32, stored: &[u8]) {
        self.keep(file, block, stored, || crc32c::crc32c(stored));
    }

    /// Keeps all blocks of an image.
    pub fn put_image(&self, image: &BlockImage) {
        let file = image.head.file_digest();
        let mut rest = image.blocks();
        for (block, meta) in image.head.metas().iter().enumerate() {
            let Some(stored) = rest.split_off(..meta.stored_bytes as usize) else { return };
            self.keep(&file, block as u32, stored, || meta.checksum);
        }
    }

    /// Finds a block and puts it into `out`. Says whether it was there and sound; `out` is empty if not.
    pub fn get(&self, file: &[u8; 32], block: u32, out: &mut Vec<u8>) -> bool {
        let key = Key::new(file, block);
        // By itself, so that the index is free again while the disk is waited for.
        let found = self.index().find(&self.folder, &key);
        let Some(found) = found else {
            out.clear();
            return false;
        };
        match self.read(&found, out) {
            Ok(()) if crc32c::crc32c(out) == found.record.checksum => return true,
            Ok(()) => tracing::debug!("block {block} in segment {} of the cache is damaged", found.spot.segment),
            Err(error) => {
                tracing::debug!("block {block} in segment {} of the cache is lost: {error}", found.spot.segment);
            }
        }
        self.index().forget(&key, found.spot);
        out.clear();
        false
    }

    /// Whether a block seems to be there: only reading it tells.
    pub fn contains(&self, file: &[u8; 32], block: u32) -> bool {
        self.index().contains(&Key::new(file, block))
    }

    /// Bytes of all segments, with those that are still in memory.
    pub fn bytes(&self) -> u64 {
        self.index().bytes()
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, found: &Found, out: &mut Vec<u8>) -> io::Result<()> {
        let at = u64::from(found.record.at);
        // Not cleared before: all of it is overwritten.
        out.resize(found.record.length as usize, 0);
        if found.is_written {
            found.file.read_exact_at(out, at)
        } else {
            self.writing().tail.read(found.spot.segment, &found.file, at, out)
        }
    }

    fn keep(&self, file: &[u8; 32], block: u32, stored: &[u8], checksum: impl FnOnce() -> u32) {
        let key = Key::new(file, block);
        let bytes = (HEADER_BYTES + stored.len()) as u64;
        if bytes > self.segment_bytes || self.index().contains(&key) {
            return;
        }
        let checksum = checksum();
        let mut writing = self.writing();
        // Another thread may have been faster.
        if writing.trouble.is_quiet() || self.index().contains(&key) {
            return;
        }
        let header = record::encode(file, block, stored.len() as u32, checksum);
        let kept = self.make_room(&mut writing, bytes).and_then(|is_room| {
            if is_room {
                let appended = writing.tail.append(&self.folder, &header, stored)?;
                let at = (appended.end - stored.len() as u64) as u32;
                let record = Record { key, at, length: stored.len() as u32, checksum };
                self.index().insert(appended.segment, record, appended.written);
            }
            Ok(())
        });
        if let Err(error) = kept {
            self.give_up(&mut writing, &error);
        }
    }

    /// Ends the segment that is full, and removes the oldest ones as far as it takes. Says whether there is room then.
    fn make_room(&self, writing: &mut Writing, bytes: u64) -> io::Result<bool> {
        if writing.tail.position() + bytes > self.segment_bytes {
            self.close(writing)?;
        }
        let bound = writing.trouble.bound(self.most_bytes);
        loop {
            let oldest = {
                let index = self.index();
                if index.bytes() + bytes <= bound {
                    return Ok(true);
                }
                index.oldest()
            };
            let Some(oldest) = oldest else { return Ok(false) };
            if writing.tail.number() == Some(oldest) {
                self.close(writing)?;
            }
            self.index().remove(oldest);
            segment::remove(&self.folder, oldest);
        }
    }

    fn close(&self, writing: &mut Writing) -> io::Result<()> {
        if let Some(segment) = writing.tail.close()? {
            self.index().complete(segment);
            writing.trouble.end();
        }
        Ok(())
    }

    /// Writing has failed: what did not get into the file is forgotten, and the disk has a rest.
    fn give_up(&self, writing: &mut Writing, error: &io::Error) {
        if let Some((number, written)) = writing.tail.give_up() {
            let left = self.index().cut(number, written);
            if left == 0 {
                segment::remove(&self.folder, number);
            } else {
                // What is torn takes room that is not counted. Who finds it later passes over it.
                let file = OpenOptions::new().write(true).open(segment::path(&self.folder, number));
                if let Err(error) = file.and_then(|file| file.set_len(left)) {
                    tracing::debug!("segment {number} of the cache cannot be cut: {error}");
                }
            }
        }
        let bytes = self.index().bytes();
        writing.trouble.begin(error, bytes);
    }
}

impl Drop for BlockCache {
    fn drop(&mut self) {
        let mut writing = self.writing();
        if let Err(error) = self.close(&mut writing) {
            self.give_up(&mut writing, &error);
        }
    }
}
