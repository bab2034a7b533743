//! The proof of a finished search: the proof file itself, in one shard.

use std::io::{self, Read, Write};

use crate::job::{JobError, JobId, catalogue};
use crate::poset::Poset;
use crate::search::Lines;
use crate::search::proof::WriteError;
use crate::store::{
    BlockFile, BlockFileWriter, BlockImage, Codec, ImageWriter, ShardKey, ShardKind, Spec, Store, StoreError, Written,
};

/// Version of the format of this shard.
const PROOF_FORMAT: u32 = 1;
const BLOCK_BYTES: usize = 1 << 16;
/// What the file says of itself.
pub const FILE_SPEC: Spec = Spec { kind: ShardKind::Proof, codec: Codec::Lz4, format: PROOF_FORMAT, record_bytes: 1 };

/// Key of the proof of a job.
pub fn proof_key(job: &JobId) -> ShardKey {
    ShardKey { owner: job.0.clone(), kind: ShardKind::Proof, layer: 0, shard: 0 }
}

/// Writes a proof; it is not recorded yet. Returns its digest besides.
///
/// # Errors
/// Errors of writing; [`JobError::SelfCheck`] if it cannot be written as a proof.
pub fn write_proof<const W: usize>(
    store: &Store,
    job: &JobId,
    poset: &Poset,
    lines: &Lines<W>,
) -> Result<(Written, String), JobError> {
    let mut blocks = Blocks::create(store, job)?;
    match lines.write(poset, &mut blocks) {
        Ok(digest) => Ok((blocks.finish()?, digest.to_string())),
        Err(WriteError::Io(_)) if blocks.error.is_some() => {
            Err(blocks.error.take().map_or(JobError::Interrupted, JobError::from))
        }
        Err(error) => Err(JobError::SelfCheck(error.to_string())),
    }
}

/// A proof as a file in memory, and its digest.
///
/// # Errors
/// [`JobError::SelfCheck`] if it cannot be written as a proof, or is too long.
pub fn proof_image<const W: usize>(poset: &Poset, lines: &Lines<W>) -> Result<(BlockImage, String), JobError> {
    let mut text = Vec::new();
    let digest = lines.write(poset, &mut text).map_err(|error| JobError::SelfCheck(error.to_string()))?;
    let mut image = ImageWriter::new(FILE_SPEC)?;
    text.chunks(BLOCK_BYTES).try_for_each(|block| image.push(block, [0, 0]))?;
    Ok((image.finish()?, digest.to_string()))
}

/// Cuts what is written into blocks of the shard that a proof becomes; it is not recorded yet.
pub(super) struct Blocks {
    writer: BlockFileWriter,
    block: Vec<u8>,
    /// Why the last write failed.
    error: Option<StoreError>,
}

impl Blocks {
    /// Begins the proof of a job.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn create(store: &Store, job: &JobId) -> Result<Self, StoreError> {
        Ok(Self { writer: store.create_shard(&proof_key(job), FILE_SPEC)?, block: Vec::new(), error: None })
    }

    /// Why the last write failed, if it did.
    pub fn take_error(&mut self) -> Option<StoreError> {
        self.error.take()
    }

    fn push(&mut self) -> io::Result<()> {
        self.writer.push(&self.block, [0, 0]).map_err(|error| {
            let said = io::Error::other(error.to_string());
            self.error = Some(error);
            said
        })?;
        self.block.clear();
        Ok(())
    }

    /// Writes the last block.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn finish(mut self) -> Result<Written, StoreError> {
        if !self.block.is_empty() {
            self.writer.push(&self.block, [0, 0])?;
        }
        self.writer.finish()
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK_BYTES {
            self.push()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the stored proof of a job, block by block.
pub struct ProofFile {
    file: BlockFile,
    next: usize,
    block: Vec<u8>,
    read: usize,
}

impl ProofFile {
    /// Opens it.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn open(store: &Store, job: &JobId) -> Result<Self, StoreError> {
        Ok(Self { file: store.open_shard(&proof_key(job))?, next: 0, block: Vec::new(), read: 0 })
    }

    /// The next block of the text; `None` after the last.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>, StoreError> {
        if self.next == self.file.len() {
            return Ok(None);
        }
        self.file.read(self.next, &mut self.block)?;
        (self.next, self.read) = (self.next + 1, 0);
        Ok(Some(&self.block))
    }
}

impl Read for ProofFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.block.len() && self.next_block().map_err(io::Error::other)?.is_none() {
            return Ok(0);
        }
        let taken = buffer.len().min(self.block.len() - self.read);
        buffer[..taken].copy_from_slice(&self.block[self.read..self.read + taken]);
        self.read += taken;
        Ok(taken)
    }
}

/// The proof of a finished job, to be copied.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`], [`JobError::NoProof`]; errors of the store.
pub fn export_proof(store: &Store, job: &str) -> Result<ProofFile, JobError> {
    let certificate = catalogue::find(store, job)?;
    match certificate.proof {
        Some(_) => Ok(ProofFile::open(store, &certificate.job)?),
        None => Err(JobError::NoProof(certificate.job)),
    }
}
