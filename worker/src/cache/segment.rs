//! Segments: their names, and what an earlier process left of them.
//!
//! Nothing that is found there is trusted but headers with a right checksum, and no memory is taken for what is not in
//! a file. What is of no use is removed; what is not named like a segment is left alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::index::Index;
use super::record::{HEADER_BYTES, Record};

/// Bytes of a segment, at most.
pub const MOST_SEGMENT_BYTES: u64 = 64 << 20;
/// Numbers of segments that an earlier process left are below this one: those to come are not to run out.
const MOST_NUMBER: u32 = 1 << 31;

/// Where a segment is.
pub fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(name(number))
}

fn name(number: u32) -> String {
    format!("segment-{number:010}.cache")
}

fn number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("segment-")?.strip_suffix(".cache")?.parse().ok()?;
    (self::name(number) == name).then_some(number)
}

/// Finds out what is in the segments of a folder, and removes the oldest until they take `most_bytes` at most. Returns
/// the first number that no segment has, too.
///
/// # Errors
/// The system's, if the folder cannot be read.
pub fn recover(folder: &Path, most_bytes: u64) -> io::Result<(Index, u32)> {
    let mut segments = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if let Some(number) = entry.file_name().to_str().and_then(number)
            && entry.file_type()?.is_file()
        {
            segments.insert(number, entry.metadata()?.len());
        }
    }
    // Nobody writes segments of such lengths, nor so many.
    segments.retain(|&number, &mut bytes| {
        let is_ours = (1..=MOST_SEGMENT_BYTES).contains(&bytes) && number < MOST_NUMBER;
        is_ours || !remove(folder, number)
    });
    let next = segments.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
    let mut bytes: u64 = segments.values().fold(0, |sum, bytes| sum.saturating_add(*bytes));
    while bytes > most_bytes
        && let Some((number, length)) = segments.pop_first()
    {
        remove(folder, number);
        bytes = bytes.saturating_sub(length);
    }
    let mut index = Index::default();
    for (number, length) in segments {
        let mut records = Vec::new();
        if let Err(error) = scan(&path(folder, number), &mut records) {
            tracing::debug!("segment {number} of the cache cannot be read: {error}");
        }
        if !records.is_empty() || !remove(folder, number) {
            index.adopt(number, records, length);
        }
    }
    Ok((index, next))
}

/// The records of a segment up to the first that is torn.
fn scan(path: &Path, records: &mut Vec<Record>) -> io::Result<()> {
    let file = File::open(path)?;
    let length = file.metadata()?.len().min(MOST_SEGMENT_BYTES);
    let mut header = [0; HEADER_BYTES];
    let mut start = 0;
    while start + HEADER_BYTES as u64 <= length {
        file.read_exact_at(&mut header, start)?;
        match Record::decode(&header, start as u32) {
            Some(record) if record.end() <= length => {
                start = record.end();
                records.push(record);
            }
            _ => break,
        }
    }
    Ok(())
}

/// Removes a segment; says whether it is gone.
pub fn remove(folder: &Path, number: u32) -> bool {
    match fs::remove_file(path(folder, number)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!("segment {number} of the cache cannot be removed: {error}");
            false
        }
        _ => true,
    }
}
