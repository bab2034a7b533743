//! The data directory: a sled catalogue that decides what exists, and immutable files for what is large.
//!
//! The invariant: whatever the catalogue names is whole on the disk. A file is written under a temporary name, synced
//! and renamed, its folder is synced, and only then does a [`Commit`] name it; a file is deleted only after the commit
//! that no longer names it is on the disk. So a kill at any moment leaves a state that was committed, and files that no
//! record names, which the next start sweeps. Should the disk lose the tail of the catalogue nevertheless, work is done
//! again: a record may then name a file that is gone, and reading it says so as for any damage.
//!
//! ```
//! use antichain_common::store::{Commit, ShardKey, ShardKind, Store};
//! let directory = tempfile::tempdir()?;
//! let store = Store::open(directory.path())?;
//! let key = ShardKey { owner: "boolean-3".into(), kind: ShardKind::Values, layer: 2, shard: 0 };
//! let written = store.write_values(&key, 2, &[1, 0, 2, 0, 48, 0])?;
//! let mut commit = Commit::new();
//! commit.put_shard(key.clone(), written.record()).put_document("boolean-3", "progress", &"layer 2")?;
//! store.commit(commit)?;
//! assert_eq!(store.read_value_range(&key, 2, 1)?.limbs, [48, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bases;
mod block;
mod bytes;
mod catalogue;
mod commit;
mod copy;
mod directory;
mod document;
mod error;
mod inspect;
mod link;
mod lock;
mod mount;
mod receive;
mod record;
mod values;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::de::DeserializeOwned;

pub use bases::{BASES_FORMAT, bases_image, bases_in_block, decode_bases};
pub use block::{
    BlockFile, BlockFileWriter, BlockHead, BlockImage, BlockMeta, ClosedFile, Codec, ImageWriter, MAX_BLOCK_BYTES,
    Sink, Spec, Written,
};
pub use bytes::{BYTES_FORMAT, BytesBlock, STATES_IN_BLOCK_OF_BYTES, bytes_image, decode_bytes};
pub use commit::Commit;
pub use directory::free_space;
pub use document::DocumentName;
pub use error::{CatalogueFault, Damage, StoreError, Unfit};
pub use inspect::Inspection;
pub use lock::is_in_use;
pub use mount::network_file_system;
pub use receive::ShardReceiver;
pub use record::{ShardKey, ShardKind, ShardRecord};
pub use values::{VALUES_FORMAT, Values, ValuesWriter, decode_values, states_in_block, values_image};

use catalogue::Catalogue;
use directory::State;
use lock::DirectoryLock;
use record::check_name;

/// Version of the data directory's format, in its VERSION file.
pub const FORMAT_VERSION: u32 = 1;

const CATALOGUE_FOLDER: &str = "catalogue";
const SHARDS_FOLDER: &str = "shards";
/// End of the names of files set aside.
const DAMAGED_SUFFIX: &str = ".damaged";

/// A data directory, open for this process alone.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    // Dropped before the lock: nobody else may come in while sled still writes.
    catalogue: Catalogue,
    committing: Mutex<()>,
    _lock: DirectoryLock,
}

impl Store {
    /// Opens a data directory, made if there is none, and sweeps what a killed process left in it.
    ///
    /// # Errors
    /// [`StoreError::InUse`], [`StoreError::NotOurs`], [`StoreError::OtherVersion`], [`StoreError::NotWritable`],
    /// [`StoreError::NoRoom`] (opening needs a megabyte), [`StoreError::Catalogue`], [`StoreError::Io`]. None of them
    /// changes anything that is there.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let state = directory::recognise(directory)?;
        if state == State::Absent {
            fs::create_dir_all(directory).map_err(|source| StoreError::io(directory, source))?;
        }
        let store = Self::open_recognised(directory)?;
        let named = store.scan_shards(&ShardKey::all_prefix())?.into_iter().map(|(_, record)| record.file).collect();
        directory::sweep(directory, &named)?;
        Ok(store)
    }

    /// Opens a data directory only if there is one. Leftovers stay for [`open`](Self::open) to sweep, so this reads no
    /// record that is not asked for.
    ///
    /// # Errors
    /// [`StoreError::Missing`], also for an empty folder; and as [`open`](Self::open).
    pub fn open_existing(directory: &Path) -> Result<Self, StoreError> {
        match directory::recognise(directory)? {
            State::Ours => Self::open_recognised(directory),
            State::Absent | State::Unmade => Err(StoreError::Missing { directory: directory.to_owned() }),
        }
    }

    /// Opens a data directory only if there is one, to read it: together with others who do the same, and quickly if the
    /// last process that changed it has ended well.
    ///
    /// # Errors
    /// As [`open_existing`](Self::open_existing). Whether changes are refused depends on how the last process ended.
    pub fn open_to_read(directory: &Path) -> Result<Self, StoreError> {
        if directory::recognise(directory)? == State::Ours
            && let Some(lock) = DirectoryLock::share(directory)?
            && let Some(catalogue) = Catalogue::open_copy(directory)
        {
            return Ok(Self { directory: directory.to_owned(), catalogue, committing: Mutex::new(()), _lock: lock });
        }
        Self::open_existing(directory)
    }

    fn open_recognised(directory: &Path) -> Result<Self, StoreError> {
        let lock = DirectoryLock::acquire(directory)?;
        // Looked at again under the lock: another process may have made it meanwhile.
        directory::make(directory, directory::recognise(directory)?)?;
        let catalogue = Catalogue::open(directory)?;
        Ok(Self { directory: directory.to_owned(), catalogue, committing: Mutex::new(()), _lock: lock })
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The record of a shard.
    ///
    /// # Errors
    /// [`StoreError::Catalogue`]; errors of reading.
    pub fn shard(&self, key: &ShardKey) -> Result<Option<ShardRecord>, StoreError> {
        let value = self.catalogue.get(&key.encode())?;
        value.map(|value| ShardRecord::decode(&value).ok_or_else(|| self.undecodable())).transpose()
    }

    /// All shards of a kind, by layer and number.
    ///
    /// # Errors
    /// As [`shard`](Self::shard).
    pub fn shards_of(
        &self,
        owner: &str,
        kind: ShardKind,
    ) -> Result<impl ExactSizeIterator<Item = (ShardKey, ShardRecord)> + use<>, StoreError> {
        Ok(self.scan_shards(&ShardKey::kind_prefix(owner, kind))?.into_iter())
    }

    /// The shards of a layer by number.
    ///
    /// # Errors
    /// As [`shard`](Self::shard).
    pub fn shards_in_layer(
        &self,
        owner: &str,
        kind: ShardKind,
        layer: u16,
    ) -> Result<Vec<(ShardKey, ShardRecord)>, StoreError> {
        self.scan_shards(&ShardKey::layer_prefix(owner, kind, layer))
    }

    /// A document, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Document`] if it is not a `T`; as [`shard`](Self::shard).
    pub fn document<T: DeserializeOwned>(&self, owner: &str, name: &str) -> Result<Option<T>, StoreError> {
        let chunks = self.catalogue.scan(&document::document_prefix(owner, name))?;
        if chunks.is_empty() {
            return Ok(None);
        }
        let bytes = chunks.iter().map(|(_, chunk)| &chunk[..]).collect::<Vec<_>>().concat();
        let json = document::decode(&bytes).ok_or_else(|| self.undecodable())?;
        document::from_json(owner, name, json).map(Some)
    }

    /// The documents of an owner, by name.
    ///
    /// # Errors
    /// As [`shard`](Self::shard).
    pub fn documents(&self, owner: &str) -> Result<Vec<DocumentName>, StoreError> {
        self.scan_documents(&document::owner_prefix(owner))
    }

    /// The documents of all owners whose names begin with `prefix` (the empty prefix: of all), by owner and name.
    ///
    /// # Errors
    /// As [`shard`](Self::shard).
    pub fn documents_of_owners(&self, prefix: &str) -> Result<Vec<DocumentName>, StoreError> {
        self.scan_documents(&document::owners_prefix(prefix))
    }

    /// Starts the file of a shard; a commit of what [`BlockFileWriter::finish`] returns records it.
    ///
    /// # Errors
    /// [`StoreError::Name`], [`StoreError::Unfit`], errors of creating the file.
    pub fn create_shard(&self, key: &ShardKey, spec: Spec) -> Result<BlockFileWriter, StoreError> {
        check_name(&key.owner)?;
        BlockFileWriter::create(&self.directory, &key.file_stem(), spec)
    }

    /// Opens the file of a shard, and makes sure that it is the one recorded.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn open_shard(&self, key: &ShardKey) -> Result<BlockFile, StoreError> {
        let record = self.shard(key)?.ok_or_else(|| StoreError::NoShard(key.clone()))?;
        self.open_file(&record)
    }

    /// Reads a recorded file from end to end and compares it with its digests.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub fn verify_file(&self, record: &ShardRecord) -> Result<(), StoreError> {
        self.open_file(record)?.verify()
    }

    /// Puts a damaged file out of the way, under its name and `.damaged`, and removes its record: the shard is to be
    /// computed again. Returns the new name, if there was a file at all.
    ///
    /// # Errors
    /// [`StoreError::NoShard`]; errors of renaming, and of [`commit`](Self::commit).
    pub fn set_aside(&self, key: &ShardKey) -> Result<Option<PathBuf>, StoreError> {
        let record = self.shard(key)?.ok_or_else(|| StoreError::NoShard(key.clone()))?;
        let aside = self.directory.join(format!("{}{DAMAGED_SUFFIX}", record.file));
        let moved = match fs::rename(self.directory.join(&record.file), &aside) {
            Ok(()) => Some(aside),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io(aside, error)),
        };
        let mut commit = Commit::new();
        commit.remove_shard(key.clone());
        self.commit(commit)?;
        Ok(moved)
    }

    fn open_file(&self, record: &ShardRecord) -> Result<BlockFile, StoreError> {
        BlockFile::open(self.directory.join(&record.file))?.expect(record)
    }

    fn scan_shards(&self, prefix: &[u8]) -> Result<Vec<(ShardKey, ShardRecord)>, StoreError> {
        let decode = |(key, value): (sled::IVec, sled::IVec)| {
            let pair = ShardKey::decode(&key).zip(ShardRecord::decode(&value));
            pair.ok_or_else(|| self.undecodable())
        };
        self.catalogue.scan(prefix)?.into_iter().map(decode).collect()
    }

    fn scan_documents(&self, prefix: &[u8]) -> Result<Vec<DocumentName>, StoreError> {
        let chunks = self.catalogue.scan(prefix)?;
        Ok(chunks.iter().filter_map(|(key, _)| document::first_chunk_of(key)).collect())
    }

    fn undecodable(&self) -> StoreError {
        self.catalogue.fault(CatalogueFault::Record)
    }
}
