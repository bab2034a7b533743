//! A block file on its way: under a temporary name first, and under its final name only when all of it is on the disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::head::BlockHead;
use super::sink::Sink;
use crate::store::directory::sync_folder;
use crate::store::error::{Damage, StoreError, Unfit};
use crate::store::record::ShardRecord;

/// End of the names of finished files.
pub(crate) const FINISHED_SUFFIX: &str = ".shard";
/// End of the names of files that are being written.
pub(crate) const PARTIAL_SUFFIX: &str = ".part";

/// A finished block file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file, relative to the directory given to [`super::BlockFileWriter::create`].
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

/// The file and the names it has and will have. Dropped without [`finish`](Self::finish), it leaves nothing behind.
#[derive(Debug)]
pub(in crate::store) struct PendingFile {
    directory: PathBuf,
    stem: String,
    partial: PathBuf,
    sink: Sink,
    /// Whether the file has its final name.
    published: bool,
}

impl PendingFile {
    /// Starts a file with its header.
    ///
    /// # Errors
    /// Errors of creating the file and of writing.
    pub fn create(directory: &Path, stem: &str, header: &[u8]) -> Result<Self, StoreError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let partial = directory.join(format!("{stem}-{}{PARTIAL_SUFFIX}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let file = create_file(&partial).map_err(|source| StoreError::io(&partial, source))?;
        let (directory, stem) = (directory.to_owned(), stem.to_owned());
        let mut pending = Self { directory, stem, partial, sink: Sink::new(file), published: false };
        pending.write(header)?;
        Ok(pending)
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Errors of writing, after which the file cannot be finished.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.sink.write(bytes).map_err(|source| StoreError::io(&self.partial, source))
    }

    /// Appends what comes after the blocks, waits until all of it is on the disk, and gives the file its name.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if an earlier write failed; errors of writing. Nothing is left behind then.
    pub fn finish(mut self, tail: &[u8], head: &BlockHead) -> Result<Written, StoreError> {
        self.write(tail)?;
        if self.sink.position() != head.file_bytes() {
            return Err(self.damaged(Damage::Length));
        }
        let digest = head.file_digest();
        let mark = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        let name = format!("{}-{mark:08x}{FINISHED_SUFFIX}", self.stem);
        self.publish(&self.directory.join(&name)).map_err(|source| StoreError::io(&self.partial, source))?;
        self.published = true;
        Ok(Written {
            file: name,
            count: head.count(),
            bytes: head.file_bytes(),
            payload_digest: head.payload_digest(),
            file_digest: digest,
            blocks: head.len() as u32,
            format: head.spec().format,
        })
    }

    fn publish(&mut self, path: &Path) -> io::Result<()> {
        self.sink.finish()?;
        fs::rename(&self.partial, path)?;
        sync_folder(path.parent().unwrap_or(&self.directory))
    }

    /// The error that what was to be written does not fit.
    pub fn unfit(&self, what: Unfit) -> StoreError {
        StoreError::Unfit { file: self.directory.join(&self.stem), what }
    }

    /// The error that what was to become this file is damaged.
    pub fn damaged(&self, what: Damage) -> StoreError {
        StoreError::Damaged { file: self.directory.join(&self.stem), what }
    }
}

impl Drop for PendingFile {
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
