//! The index: which blocks are in which segment.
//!
//! The invariants: a spot leads to a record that was put last under its fingerprint, or to none; `bytes` is what the
//! segments take. It costs 32 bytes a block for the record and some 25 for the spot. Two blocks of one fingerprint are
//! next to impossible, and then the earlier one is a miss.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::record::{Key, Record};
use super::segment;

/// Segments that are kept open for reading, at most: blocks of a file lie together, and a process may open a thousand.
const MOST_OPEN: usize = 64;

/// Where a record is: the segment, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The segment.
    pub segment: u32,
    nth: u32,
}

struct Segment {
    records: Vec<Record>,
    bytes: u64,
    /// Bytes that are in the file; the rest is still in the tail.
    written: u64,
    file: Option<Arc<File>>,
}

/// A block that was found, and how to read it.
pub struct Found {
    /// Where it was found.
    pub spot: Spot,
    /// What is known of it.
    pub record: Record,
    /// Its segment.
    pub file: Arc<File>,
    /// Whether all of it is in the file.
    pub is_written: bool,
}

/// See the head of this file.
#[derive(Default)]
pub struct Index {
    spots: HashMap<u64, Spot>,
    segments: BTreeMap<u32, Segment>,
    bytes: u64,
    /// Segments that are open, the one opened first in front.
    open: VecDeque<u32>,
}

impl Index {
    /// Bytes of all segments.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The oldest segment.
    pub fn oldest(&self) -> Option<u32> {
        self.segments.keys().next().copied()
    }

    /// A segment of `bytes` bytes, all in its file, that an earlier process left.
    pub fn adopt(&mut self, segment: u32, mut records: Vec<Record>, bytes: u64) {
        records.shrink_to_fit();
        for (nth, record) in records.iter().enumerate() {
            self.spots.insert(record.key.fingerprint(), Spot { segment, nth: nth as u32 });
        }
        self.segments.insert(segment, Segment { records, bytes, written: bytes, file: None });
        self.bytes += bytes;
    }

    /// A segment has a record more, and so many bytes in its file.
    pub fn insert(&mut self, segment: u32, record: Record, written: u64) {
        let entry = self.segments.entry(segment);
        let entry = entry.or_insert_with(|| Segment { records: Vec::new(), bytes: 0, written: 0, file: None });
        let spot = Spot { segment, nth: entry.records.len() as u32 };
        entry.records.push(record);
        self.bytes += record.end() - entry.bytes;
        entry.bytes = record.end();
        entry.written = written;
        self.spots.insert(record.key.fingerprint(), spot);
    }

    /// A segment is complete: all of it is in the file.
    pub fn complete(&mut self, segment: u32) {
        if let Some(segment) = self.segments.get_mut(&segment) {
            segment.written = segment.bytes;
            segment.records.shrink_to_fit();
        }
    }

    /// Forgets the records of a segment that do not end within its first `written` bytes. Returns how many bytes are left.
    pub fn cut(&mut self, segment: u32, written: u64) -> u64 {
        let Some(entry) = self.segments.get_mut(&segment) else { return 0 };
        while let Some(record) = entry.records.pop_if(|record| record.end() > written) {
            let spot = Spot { segment, nth: entry.records.len() as u32 };
            remove(&mut self.spots, &record.key, spot);
        }
        let left = entry.records.last().map_or(0, Record::end);
        self.bytes -= entry.bytes - left;
        entry.bytes = left;
        entry.written = left;
        if left == 0 {
            self.remove(segment);
        }
        left
    }

    /// Forgets a segment.
    pub fn remove(&mut self, segment: u32) {
        let Some(entry) = self.segments.remove(&segment) else { return };
        for (nth, record) in entry.records.iter().enumerate() {
            remove(&mut self.spots, &record.key, Spot { segment, nth: nth as u32 });
        }
        self.bytes -= entry.bytes;
        self.open.retain(|&open| open != segment);
    }

    /// Forgets a block, if it is still where it was found.
    pub fn forget(&mut self, key: &Key, spot: Spot) {
        remove(&mut self.spots, key, spot);
    }

    /// Whether a block is there.
    pub fn contains(&self, key: &Key) -> bool {
        self.record(key).is_some()
    }

    /// Finds a block. Its segment is in `folder`; if that cannot be opened, the block is forgotten.
    pub fn find(&mut self, folder: &Path, key: &Key) -> Option<Found> {
        let (spot, record) = self.record(key)?;
        let entry = self.segments.get_mut(&spot.segment)?;
        let is_written = record.end() <= entry.written;
        if let Some(file) = &entry.file {
            return Some(Found { spot, record, file: file.clone(), is_written });
        }
        let file = match File::open(segment::path(folder, spot.segment)) {
            Ok(file) => Arc::new(file),
            Err(error) => {
                tracing::debug!("segment {} of the cache cannot be opened: {error}", spot.segment);
                self.forget(key, spot);
                return None;
            }
        };
        entry.file = Some(file.clone());
        self.open.push_back(spot.segment);
        if self.open.len() > MOST_OPEN
            && let Some(first) = self.open.pop_front()
            && let Some(entry) = self.segments.get_mut(&first)
        {
            entry.file = None;
        }
        Some(Found { spot, record, file, is_written })
    }

    fn record(&self, key: &Key) -> Option<(Spot, Record)> {
        let spot = *self.spots.get(&key.fingerprint())?;
        let record = *self.segments.get(&spot.segment)?.records.get(spot.nth as usize)?;
        (record.key == *key).then_some((spot, record))
    }
}

/// A later record of the same block is to stay.
fn remove(spots: &mut HashMap<u64, Spot>, key: &Key, spot: Spot) {
    if spots.get(&key.fingerprint()) == Some(&spot) {
        spots.remove(&key.fingerprint());
    }
}
