//! Reading a block file. Whatever its bytes are, the answer is what was written or [`StoreError::Damaged`].

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::{BlockMeta, HEADER_BYTES, Spec, TRAILER_BYTES, Trailer};
use super::head::BlockHead;
use crate::store::error::{Damage, StoreError};
use crate::store::record::ShardRecord;

/// A block file, open for reading; its header, index and trailer are checked.
#[derive(Debug)]
pub struct BlockFile {
    path: PathBuf,
    file: File,
    head: Arc<BlockHead>,
}

/// A block file whose header, index and trailer were checked, and which is opened again whenever something is read: for
/// who reads a little of very many files.
#[derive(Clone, Debug)]
pub struct ClosedFile {
    path: PathBuf,
    head: Arc<BlockHead>,
}

impl ClosedFile {
    /// What its header, index and trailer say.
    pub fn head(&self) -> &BlockHead {
        &self.head
    }

    /// Opens it, without looking at its head again: blocks are still compared with their checksums.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if there is no such file; errors of opening.
    pub fn open(&self) -> Result<BlockFile, StoreError> {
        match File::open(&self.path) {
            Ok(file) => Ok(BlockFile { path: self.path.clone(), file, head: self.head.clone() }),
            Err(source) => Err(Fault::from(source).at(&self.path)),
        }
    }
}

impl BlockFile {
    /// Opens a file and checks all of it but its blocks.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], also if there is no such file; errors of reading.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let opened = File::open(&path).map_err(Fault::from).and_then(|file| {
            let bytes = file.metadata()?.len();
            let (header, tail) = read_head(&file, bytes)?;
            Ok((BlockHead::parse(&header, &tail, bytes)?, file))
        });
        match opened {
            Ok((head, file)) => Ok(Self { path, file, head: Arc::new(head) }),
            Err(fault) => Err(fault.at(&path)),
        }
    }

    /// Checks that this is the file which `record` describes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with [`Damage::NotRecorded`].
    pub fn expect(self, record: &ShardRecord) -> Result<Self, StoreError> {
        let same = self.head.file_digest() == record.file_digest
            && self.head.payload_digest() == record.digest
            && self.head.file_bytes() == record.bytes
            && self.spec().format == record.format;
        if same { Ok(self) } else { Err(StoreError::damaged(&self.path, Damage::NotRecorded)) }
    }

    /// Closes it, to be opened again.
    pub fn close(self) -> ClosedFile {
        ClosedFile { path: self.path, head: self.head }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What its header, index and trailer say.
    pub fn head(&self) -> &BlockHead {
        &self.head
    }

    /// Its header, and its index with the trailer, read again: what [`BlockHead::parse`] takes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if they are not what they were when the file was opened; errors of reading.
    pub fn head_bytes(&self) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
        let bytes = self.head.file_bytes();
        let (header, tail) = read_head(&self.file, bytes).map_err(|fault| fault.at(&self.path))?;
        match BlockHead::parse(&header, &tail, bytes) {
            Ok(head) if head == *self.head => Ok((header, tail)),
            Ok(_) => Err(self.damaged(Damage::Index)),
            Err(what) => Err(self.damaged(what)),
        }
    }

    /// What it holds and how.
    pub fn spec(&self) -> Spec {
        self.head.spec()
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.head.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.head.count()
    }

    /// Bytes of payload.
    pub fn payload_bytes(&self) -> u64 {
        self.head.payload_bytes()
    }

    /// BLAKE3 of the payload, as the file says; [`verify`](Self::verify) compares it with the blocks.
    pub fn payload_digest(&self) -> [u8; 32] {
        self.head.payload_digest()
    }

    /// The index entry of a block.
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn meta(&self, i: usize) -> &BlockMeta {
        self.head.meta(i)
    }

    /// The index entries of all blocks.
    pub fn metas(&self) -> &[BlockMeta] {
        self.head.metas()
    }

    /// Reads block `i` into `block`, which is cleared before.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn read(&self, i: usize, block: &mut Vec<u8>) -> Result<(), StoreError> {
        block.clear();
        block.resize(self.meta(i).raw_bytes as usize, 0);
        self.read_exact(i, block)
    }

    /// Reads block `i` into a buffer of exactly its length.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    ///
    /// # Panics
    /// If there is no block `i`, or it has another length.
    pub fn read_exact(&self, i: usize, block: &mut [u8]) -> Result<(), StoreError> {
        self.read_with(i, &mut Vec::new(), block)
    }

    /// As [`read_exact`](Self::read_exact); `stored` only lends its memory, for who reads many blocks.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    ///
    /// # Panics
    /// As [`read_exact`](Self::read_exact).
    pub fn read_with(&self, i: usize, stored: &mut Vec<u8>, block: &mut [u8]) -> Result<(), StoreError> {
        // All of it is read over.
        stored.resize(self.meta(i).stored_bytes as usize, 0);
        self.read_at(stored, self.meta(i).offset)?;
        self.head.check(i, stored).and_then(|()| self.head.decode(i, stored, block)).map_err(|what| self.damaged(what))
    }

    /// Reads consecutive blocks as they are stored, joined, into `out`, which is cleared before. They match their
    /// checksums, and are not decoded.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    ///
    /// # Panics
    /// If there are no such blocks.
    pub fn read_stored(&self, blocks: Range<usize>, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let range = self.head.stored_range(blocks.clone());
        let length = usize::try_from(range.end - range.start).map_err(|_| self.damaged(Damage::Inconsistent))?;
        out.clear();
        out.resize(length, 0);
        self.read_at(out, range.start)?;
        let mut rest = &out[..];
        for i in blocks {
            let (stored, after) = rest.split_at(self.meta(i).stored_bytes as usize);
            self.head.check(i, stored).map_err(|what| self.damaged(what))?;
            rest = after;
        }
        Ok(())
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), StoreError> {
        self.file.read_exact_at(bytes, offset).map_err(|source| Fault::from(source).at(&self.path))
    }

    /// Reads the whole payload, block by block.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub fn read_all(&self) -> Result<Vec<u8>, StoreError> {
        let length = usize::try_from(self.payload_bytes()).map_err(|_| self.damaged(Damage::Inconsistent))?;
        let mut payload = vec![0; length];
        let mut rest = &mut payload[..];
        let mut stored = Vec::new();
        for (i, meta) in self.metas().iter().enumerate() {
            let (block, after) = rest.split_at_mut(meta.raw_bytes as usize);
            self.read_with(i, &mut stored, block)?;
            rest = after;
        }
        Ok(payload)
    }

    /// Reads every block and compares the whole with the payload's digest.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub fn verify(&self) -> Result<(), StoreError> {
        let mut hasher = blake3::Hasher::new();
        let (mut block, mut stored) = (Vec::new(), Vec::new());
        for (i, meta) in self.metas().iter().enumerate() {
            block.resize(meta.raw_bytes as usize, 0);
            self.read_with(i, &mut stored, &mut block)?;
            hasher.update(&block);
        }
        let same = *hasher.finalize().as_bytes() == self.payload_digest();
        if same { Ok(()) } else { Err(self.damaged(Damage::Contents)) }
    }

    /// The error that this file is damaged.
    pub(crate) fn damaged(&self, what: Damage) -> StoreError {
        StoreError::damaged(&self.path, what)
    }
}

/// Header, and index with trailer, of a file of that length. They are not judged, but for how long they are.
fn read_head(file: &File, bytes: u64) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let mut end = [0; TRAILER_BYTES];
    file.read_exact_at(&mut end, bytes.checked_sub(TRAILER_BYTES as u64).ok_or(Damage::Length)?)?;
    let (trailer, _) = Trailer::decode(&end)?;
    // No longer than the file itself, so a wrong number cannot ask for more memory than that.
    let mut tail = vec![0; trailer.tail_bytes(bytes)?];
    file.read_exact_at(&mut tail, trailer.index_offset)?;
    let mut header = vec![0; HEADER_BYTES];
    file.read_exact_at(&mut header, 0)?;
    Ok((header, tail))
}

/// A fault before it is known which file it is about.
enum Fault {
    Damage(Damage),
    Io(io::Error),
}

impl From<Damage> for Fault {
    fn from(what: Damage) -> Self {
        Self::Damage(what)
    }
}

impl From<io::Error> for Fault {
    fn from(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::Damage(Damage::Missing),
            io::ErrorKind::UnexpectedEof => Self::Damage(Damage::Length),
            // A sector that the disk cannot read is as lost as one with wrong bytes.
            _ if source.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => {
                Self::Damage(Damage::Unreadable)
            }
            _ => Self::Io(source),
        }
    }
}

impl Fault {
    fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Damage(what) => StoreError::damaged(path, what),
            Self::Io(source) => StoreError::io(path, source),
        }
    }
}
