//! Writing a block file: under a temporary name first, and under its final name only when all of it is on the disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::codec::Codec;
use super::format::{BlockMeta, ENTRY_BYTES, MAX_BLOCK_BYTES, Spec, Trailer, file_digest};
use super::sink::Sink;
use crate::store::directory::sync_folder;
use crate::store::error::{StoreError, Unfit};
use crate::store::record::ShardRecord;

/// End of the names of finished files.
pub(crate) const FINISHED_SUFFIX: &str = ".shard";
/// End of the names of files that are being written.
pub(crate) const PARTIAL_SUFFIX: &str = ".part";

/// A finished block file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file, relative to the directory given to [`BlockFileWriter::create`].
    pub file: String,
    /// Number of records.
    pub count: u64,
    /// Length of the file.
    pub bytes: u64,
    /// BLAKE3 of the payload.
    pub payload_digest: [u8; 32],
    /// BLAKE3 of header, index and trailer, hence of everything: the index holds a checksum of every block.
    pub file_digest: [u8; 32],
    /// Number of blocks.
    pub blocks: u32,
    /// Version of the payload's format.
    pub format: u32,
}

impl Written {
    /// What the catalogue is to know of it.
    pub fn record(self) -> ShardRecord {
        ShardRecord {
            file: self.file,
            count: self.count,
            bytes: self.bytes,
            digest: self.payload_digest,
            file_digest: self.file_digest,
            format: self.format,
        }
    }
}

/// Writes one block file. Dropped without [`finish`](Self::finish), it leaves nothing behind.
#[derive(Debug)]
pub struct BlockFileWriter {
    spec: Spec,
    directory: PathBuf,
    stem: String,
    partial: PathBuf,
    sink: Sink,
    /// Whether the file has its final name.
    published: bool,
    /// A block as it is stored; kept for its memory.
    stored: Vec<u8>,
    index: Vec<u8>,
    payload: blake3::Hasher,
}

impl BlockFileWriter {
    /// Starts a file in `directory` whose name will be `stem` (with `/` between folders, which are made where they are
    /// missing), a part of its digest, and `.shard`: a file is never written over by another one.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for records the codec cannot code; errors of creating the file.
    pub fn create(directory: &Path, stem: &str, spec: Spec) -> Result<Self, StoreError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let partial = directory.join(format!("{stem}-{}{PARTIAL_SUFFIX}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        if !spec.codec.fits(spec.record_bytes) {
            return Err(StoreError::Unfit { file: partial, what: Unfit::RecordLength(spec.record_bytes) });
        }
        let file = create_file(&partial).map_err(|source| StoreError::io(&partial, source))?;
        let mut writer = Self {
            spec,
            directory: directory.to_owned(),
            stem: stem.to_owned(),
            partial,
            sink: Sink::new(file),
            published: false,
            stored: Vec::new(),
            index: Vec::new(),
            payload: blake3::Hasher::new(),
        };
        writer.write(&spec.encode())?;
        Ok(writer)
    }

    /// Appends a block: whole records, 16 to 64 KiB of them if look-ups are to be quick, and two numbers for its entry
    /// in the index.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if the block does not fit the format, and then the file is best dropped; errors of
    /// writing, a full disk above all.
    pub fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError> {
        let length = block.len();
        let whole = length.is_multiple_of(self.spec.record_bytes as usize);
        if length == 0 || length > MAX_BLOCK_BYTES || !whole {
            return Err(self.unfit(Unfit::BlockLength(length)));
        }
        self.payload.update(block);
        let offset = self.sink.position();
        let mut stored = std::mem::take(&mut self.stored);
        let coded = if self.spec.codec == Codec::Raw {
            block
        } else {
            stored.clear();
            let encoded = self.spec.codec.encode(block, self.spec.record_bytes, &mut stored);
            encoded.map_err(|what| self.unfit(what))?;
            &stored
        };
        let meta = BlockMeta {
            offset,
            raw_bytes: length as u32,
            stored_bytes: coded.len() as u32,
            checksum: crc32c::crc32c(coded),
            words,
        };
        meta.encode(&mut self.index);
        self.write(coded)?;
        self.stored = stored;
        Ok(())
    }

    /// Completes the file: writes index and trailer, waits until all of it is on the disk, and gives it its name. Only
    /// after this may a [`super::super::Commit`] name it.
    ///
    /// # Errors
    /// Errors of writing; nothing is left behind then.
    pub fn finish(mut self) -> Result<Written, StoreError> {
        let blocks = u32::try_from(self.index.len() / ENTRY_BYTES).map_err(|_| self.unfit(Unfit::Blocks))?;
        let payload_bytes = self.payload.count();
        let trailer = Trailer {
            index_offset: self.sink.position(),
            blocks,
            payload_bytes,
            payload_digest: *self.payload.finalize().as_bytes(),
        };
        let digest = file_digest(&self.spec.encode(), &self.index, &trailer);
        let index = std::mem::take(&mut self.index);
        self.write(&index)?;
        self.write(&trailer.encode(&digest))?;
        let mark = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        let name = format!("{}-{mark:08x}{FINISHED_SUFFIX}", self.stem);
        self.publish(&self.directory.join(&name)).map_err(|source| StoreError::io(&self.partial, source))?;
        self.published = true;
        Ok(Written {
            file: name,
            count: payload_bytes / u64::from(self.spec.record_bytes),
            bytes: self.sink.position(),
            payload_digest: trailer.payload_digest,
            file_digest: digest,
            blocks,
            format: self.spec.format,
        })
    }

    fn publish(&mut self, path: &Path) -> io::Result<()> {
        self.sink.finish()?;
        fs::rename(&self.partial, path)?;
        sync_folder(path.parent().unwrap_or(&self.directory))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.sink.write(bytes).map_err(|source| StoreError::io(&self.partial, source))
    }

    /// The error that what was to be written does not fit.
    pub(crate) fn unfit(&self, what: Unfit) -> StoreError {
        StoreError::Unfit { file: self.directory.join(&self.stem), what }
    }
}

impl Drop for BlockFileWriter {
    fn drop(&mut self) {
        if !self.published {
            // What cannot be removed now is swept when the directory is opened next.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Creates the file, and its folder if need be. A new folder's name must be on the disk before a record names a file
/// in it.
fn create_file(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    if let Some(folder) = path.parent() {
        let mut made: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        fs::create_dir_all(folder)?;
        while let Some(folder) = made.pop() {
            sync_folder(folder.parent().unwrap_or(folder))?;
        }
    }
    File::create_new(path)
}
