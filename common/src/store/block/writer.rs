//! Writing a block file as its blocks come: coded by the encoder, into a file that has its name only when it is whole.

use std::path::Path;

use super::BlockSink;
use super::encoder::BlockEncoder;
use super::format::Spec;
use super::pending::{PendingFile, Written};
use crate::store::error::{StoreError, Unfit};

/// Writes one block file. Dropped without [`finish`](Self::finish), it leaves nothing behind.
#[derive(Debug)]
pub struct BlockFileWriter {
    pending: PendingFile,
    encoder: BlockEncoder,
    /// A block as it is stored; kept for its memory.
    stored: Vec<u8>,
}

impl BlockFileWriter {
    /// Starts a file in `directory` whose name will be `stem` (with `/` between folders, which are made where they are
    /// missing), a part of its digest, and `.shard`: a file is never written over by another one.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for records the codec cannot code; errors of creating the file.
    pub fn create(directory: &Path, stem: &str, spec: Spec) -> Result<Self, StoreError> {
        let encoder = BlockEncoder::new(spec).map_err(|what| StoreError::Unfit { file: directory.join(stem), what })?;
        let pending = PendingFile::create(directory, stem, &encoder.header())?;
        Ok(Self { pending, encoder, stored: Vec::new() })
    }

    /// Appends a block: whole records, 16 to 64 KiB of them if look-ups are to be quick, and two numbers for its entry
    /// in the index.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if the block does not fit the format, and then the file is best dropped; errors of
    /// writing, a full disk above all.
    pub fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError> {
        self.stored.clear();
        self.encoder.push(block, words, &mut self.stored).map_err(|what| self.pending.unfit(what))?;
        self.pending.write(&self.stored)
    }

    /// Completes the file: writes index and trailer, waits until all of it is on the disk, and gives it its name. Only
    /// after this may a [`super::super::Commit`] name it.
    ///
    /// # Errors
    /// Errors of writing; nothing is left behind then.
    pub fn finish(self) -> Result<Written, StoreError> {
        let (tail, head) = self.encoder.finish().map_err(|what| self.pending.unfit(what))?;
        self.pending.finish(&tail, &head)
    }
}

impl BlockSink for BlockFileWriter {
    fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError> {
        self.push(block, words)
    }

    fn unfit(&self, what: Unfit) -> StoreError {
        self.pending.unfit(what)
    }
}
