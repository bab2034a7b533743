//! The proof of a search as far as it is made: entries in shards of the job, one a checkpoint, that go when the proof is there.
//!
//! They are taken for what they are, lost positions with an answer to every move; whether what the answers leave is lost is
//! looked up again when the proof goes on.

use crate::ideal::Ideal;
use crate::job::{JobError, JobId};
use crate::search::Entry;
use crate::store::{Codec, Commit, ShardKey, ShardKind, Spec, Store, StoreError};

/// Version of the format of these shards.
const PARTIAL_FORMAT: u32 = 2;
/// In the place of a layer: the proof itself has 0.
const PARTIAL: u16 = 1;
const BLOCK_BYTES: usize = 1 << 16;

/// What a file says of itself.
const FILE_SPEC: Spec = Spec { kind: ShardKind::Proof, codec: Codec::Lz4, format: PARTIAL_FORMAT, record_bytes: 1 };

fn keys(store: &Store, job: &JobId) -> Result<Vec<ShardKey>, StoreError> {
    let shards = store.shards_of(&job.0, ShardKind::Proof)?;
    Ok(shards.map(|(key, _)| key).filter(|key| key.layer == PARTIAL).collect())
}

/// Writes entries as the next shard of a job; it is recorded with the commit.
///
/// # Errors
/// Errors of the store.
pub fn write<const W: usize>(
    store: &Store,
    job: &JobId,
    entries: &[Entry<W>],
    commit: &mut Commit,
) -> Result<(), StoreError> {
    let next = keys(store, job)?.iter().map(|key| key.shard + 1).max().unwrap_or(0);
    let key = ShardKey { owner: job.0.clone(), kind: ShardKind::Proof, layer: PARTIAL, shard: next };
    let mut writer = store.create_shard(&key, FILE_SPEC)?;
    let mut block = Vec::new();
    for entry in entries {
        encode(entry, &mut block);
        if block.len() >= BLOCK_BYTES {
            writer.push(&block, [0, 0])?;
            block.clear();
        }
    }
    if !block.is_empty() {
        writer.push(&block, [0, 0])?;
    }
    commit.put_shard(key, writer.finish()?.record());
    Ok(())
}

/// Reads all entries of a job. What cannot be read is set aside.
///
/// # Errors
/// Errors of the store, but not damage.
pub fn read_all<const W: usize>(store: &Store, job: &JobId) -> Result<Vec<Entry<W>>, JobError> {
    let mut entries = Vec::new();
    for key in keys(store, job)? {
        match read(store, &key, &mut entries) {
            Ok(()) => {}
            Err(error) if error.damaged_file().is_some() => {
                tracing::warn!("{error}; it is set aside, and what it had is proved again");
                store.set_aside(&key)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(entries)
}

fn read<const W: usize>(store: &Store, key: &ShardKey, entries: &mut Vec<Entry<W>>) -> Result<(), StoreError> {
    let file = store.open_shard(key)?;
    if file.spec() != FILE_SPEC {
        tracing::warn!("{key} is of another version, and is passed over");
        return Ok(());
    }
    let mut block = Vec::new();
    for number in 0..file.len() {
        file.read(number, &mut block)?;
        let mut rest = &block[..];
        while let Some(entry) = decode(&mut rest) {
            entries.push(entry);
        }
    }
    Ok(())
}

/// Removes all of a job.
///
/// # Errors
/// Errors of reading the catalogue.
pub fn remove(store: &Store, job: &JobId, commit: &mut Commit) -> Result<(), StoreError> {
    for key in keys(store, job)? {
        commit.remove_shard(key);
    }
    Ok(())
}

/// The words of the position in little-endian order, 1 if an involution is the reason and otherwise 0, the number of bytes that
/// follow, and these.
fn encode<const W: usize>(entry: &Entry<W>, bytes: &mut Vec<u8>) {
    entry.position.0.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.push(u8::from(entry.is_mirrored));
    // There is a byte for each move or point, and no more than 256 of these.
    bytes.extend((entry.bytes.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&entry.bytes);
}

/// Takes an entry from the beginning; `None` if there is none.
fn decode<const W: usize>(rest: &mut &[u8]) -> Option<Entry<W>> {
    let mut position = Ideal::empty();
    let mut left = *rest;
    for word in &mut position.0 {
        let (bytes, after) = left.split_first_chunk()?;
        (*word, left) = (u64::from_le_bytes(*bytes), after);
    }
    let (&[mirrored, low, high], left) = left.split_first_chunk()?;
    let (bytes, left) = left.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
    *rest = left;
    Some(Entry { position, bytes: bytes.into(), is_mirrored: mirrored == 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::trial::fresh;

    #[test]
    fn entries_survive_their_records_until_they_are_removed() {
        let (_directory, store) = fresh();
        let job = JobId("search".to_owned());
        let entry = |number: u64| Entry {
            position: Ideal([number, !number]),
            bytes: (0..=number as u8).collect(),
            is_mirrored: number.is_multiple_of(3),
        };
        let entries: Vec<Entry<2>> = (0..2000).map(|number| entry(number % 256)).collect();
        for part in entries.chunks(1500) {
            let mut commit = Commit::new();
            write(&store, &job, part, &mut commit).expect("written");
            store.commit(commit).expect("stored");
        }
        assert_eq!(read_all(&store, &job).expect("readable"), entries);
        let first = &keys(&store, &job).expect("readable")[0];
        let file = store.directory().join(store.shard(first).expect("readable").expect("there").file);
        let mut bytes = std::fs::read(&file).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).expect("written");
        assert!(read_all::<2>(&store, &job).expect("readable").ends_with(&entries[1500..]), "the other one is there");
        let mut commit = Commit::new();
        remove(&store, &job, &mut commit).expect("readable");
        store.commit(commit).expect("stored");
        assert_eq!(read_all::<2>(&store, &job).expect("readable"), []);
    }

    #[test]
    fn bytes_that_are_no_entry_say_nothing() {
        let mut bytes = Vec::new();
        encode(&Entry { position: Ideal([7]), bytes: Box::new([1, 2, 3]), is_mirrored: false }, &mut bytes);
        for len in 0..bytes.len() {
            assert_eq!(decode::<1>(&mut &bytes[..len]), None, "{len}");
        }
        assert!(decode::<1>(&mut &bytes[..]).is_some());
    }
}
