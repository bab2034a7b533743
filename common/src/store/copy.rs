//! A copy of the catalogue for who only reads: sled takes some 10 ms to open, more after much work, and writes even then.
//!
//! Whoever opens the catalogue itself removes the copy before anything else, and leaves a new one at the end. So a copy that
//! is there says what the catalogue says, and if there is none, or a damaged one, only time is lost.
//!
//! ```text
//! "ANTICOPY"   number of entries (8)   (length of the key (4), of the value (4), key, value)...   BLAKE3 of all before (32)
//! ```
//! Numbers are little-endian; keys ascend.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use super::directory::sync_folder;

const FILE: &str = "catalogue.copy";
const PARTIAL: &str = "catalogue.copy.part";
const MAGIC: [u8; 8] = *b"ANTICOPY";
const HEADER_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;
/// Larger ones are not made: a coordinator with very many tasks on the way would be long about it.
const MOST_BYTES: usize = 32 << 20;

/// See the head of this file.
pub(super) struct Copy {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

struct Entry {
    key: Range<usize>,
    value: Range<usize>,
}

impl Copy {
    /// The copy in a data directory, if there is a sound one.
    pub fn read(directory: &Path) -> Option<Self> {
        let file = directory.join(FILE);
        // Whatever else has that name is none of ours, and a pipe would be waited for.
        if !fs::symlink_metadata(&file).ok()?.is_file() {
            return None;
        }
        Self::parse(fs::read(file).ok()?)
    }

    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let (contents, digest) = bytes.split_last_chunk::<DIGEST_BYTES>()?;
        let (header, _) = contents.split_at_checked(HEADER_BYTES)?;
        if header[..8] != MAGIC || blake3::hash(contents) != *digest {
            return None;
        }
        let count = u64::from_le_bytes(header[8..].try_into().ok()?);
        let mut at = HEADER_BYTES;
        let mut take = |length: usize| {
            let range = at..at.checked_add(length)?;
            contents.get(range.clone())?;
            at = range.end;
            Some(range)
        };
        let number = |range: Range<usize>| Some(u32::from_le_bytes(contents[range].try_into().ok()?) as usize);
        let mut entries = Vec::new();
        for _ in 0..count {
            let (key, value) = (number(take(4)?)?, number(take(4)?)?);
            entries.push(Entry { key: take(key)?, value: take(value)? });
        }
        let ascend = entries.windows(2).all(|pair| contents[pair[0].key.clone()] < contents[pair[1].key.clone()]);
        (at == contents.len() && ascend).then_some(Self { bytes, entries })
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let at = self.entries.binary_search_by(|entry| self.bytes[entry.key.clone()].cmp(key)).ok()?;
        Some(&self.bytes[self.entries[at].value.clone()])
    }

    /// The keys with that prefix and their values, ascending.
    pub fn scan(&self, prefix: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
        let first = self.entries.partition_point(|entry| self.bytes[entry.key.clone()] < *prefix);
        let all = self.entries[first..]
            .iter()
            .map(|entry| (&self.bytes[entry.key.clone()], &self.bytes[entry.value.clone()]));
        all.take_while(move |(key, _)| key.starts_with(prefix))
    }
}

/// Removes the copy, and returns when that is on the disk.
///
/// # Errors
/// Errors of removing.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_file(directory.join(FILE)) {
        Ok(()) => sync_folder(directory),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Leaves a copy with these entries, ascending by key, unless they are too many.
///
/// # Errors
/// Errors of writing, and those of the entries; there is no copy then.
pub(super) fn write<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    directory: &Path,
    entries: impl Iterator<Item = io::Result<(K, V)>>,
) -> io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(0u64.to_le_bytes());
    let mut count = 0u64;
    for entry in entries {
        let (key, value) = entry?;
        let (key, value) = (key.as_ref(), value.as_ref());
        if bytes.len() + key.len() + value.len() > MOST_BYTES {
            return Ok(());
        }
        count += 1;
        bytes.extend((key.len() as u32).to_le_bytes());
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(key);
        bytes.extend(value);
    }
    bytes[8..HEADER_BYTES].copy_from_slice(&count.to_le_bytes());
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    let partial = directory.join(PARTIAL);
    let mut file = File::create(&partial)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&partial, directory.join(FILE))?;
    sync_folder(directory)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn written(entries: &BTreeMap<Vec<u8>, Vec<u8>>) -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), entries.iter().map(Ok)).unwrap();
        let bytes = fs::read(folder.path().join(FILE)).unwrap();
        (folder, bytes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn a_copy_says_what_was_written(
            entries in prop::collection::btree_map(prop::collection::vec(0u8..4, 0..6), prop::collection::vec(any::<u8>(), 0..9), 0..40),
            prefix in prop::collection::vec(0u8..4, 0..3),
        ) {
            let (folder, bytes) = written(&entries);
            let copy = Copy::read(folder.path()).unwrap();
            for (key, value) in &entries {
                prop_assert_eq!(copy.get(key), Some(&value[..]));
            }
            prop_assert_eq!(copy.get(&[9]), None);
            let scanned: Vec<_> = copy.scan(&prefix).map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
            let expected: Vec<_> = entries.into_iter().filter(|(key, _)| key.starts_with(&prefix)).collect();
            prop_assert_eq!(scanned, expected);
            // Whatever byte is changed, and wherever it is cut off: there is no copy.
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 0x10;
                prop_assert!(Copy::parse(changed).is_none() && Copy::parse(bytes[..at].to_vec()).is_none());
            }
        }
    }

    #[test]
    fn what_agrees_with_its_digest_but_not_with_itself_is_no_copy() {
        let sealed = |contents: &[u8]| Copy::parse([contents, blake3::hash(contents).as_bytes()].concat());
        let header = |count: u64| [&MAGIC[..], &count.to_le_bytes()].concat();
        assert!(sealed(&header(0)).is_some());
        assert!(sealed(&header(1)).is_none() && sealed(&header(u64::MAX)).is_none() && sealed(&[]).is_none());
        let entry = |key: u8| [1, 0, 0, 0, 0, 0, 0, 0, key];
        assert!(sealed(&[&header(2)[..], &entry(1), &entry(2)].concat()).is_some());
        assert!(sealed(&[&header(2)[..], &entry(2), &entry(1)].concat()).is_none());
        assert!(sealed(&[&header(1)[..], &entry(1), &entry(2)].concat()).is_none());
        assert!(sealed(&[&header(1)[..], &[255; 8], &[0; 20]].concat()).is_none());
    }

    #[test]
    fn removing_is_for_good() {
        let (folder, _) = written(&BTreeMap::new());
        remove(folder.path()).unwrap();
        remove(folder.path()).unwrap();
        assert!(Copy::read(folder.path()).is_none());
    }

    #[test]
    fn a_large_catalogue_has_no_copy() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), [Ok((vec![1], vec![0; MOST_BYTES]))].into_iter()).unwrap();
        assert!(Copy::read(folder.path()).is_none());
        let broken = [Ok((vec![1], vec![2])), Err(io::Error::other("no more"))];
        assert!(write(folder.path(), broken.into_iter()).is_err() && Copy::read(folder.path()).is_none());
    }
}
