//! Reading a block file. Whatever its bytes are, the answer is what was written or [`StoreError::Damaged`].

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::codec::Codec;
use super::format::{BlockMeta, ENTRY_BYTES, HEADER_BYTES, Spec, TRAILER_BYTES, Trailer, decode_index, file_digest};
use crate::store::error::{Damage, StoreError};
use crate::store::record::ShardRecord;

/// A block file, open for reading; its header, index and trailer are checked.
#[derive(Debug)]
pub struct BlockFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    spec: Spec,
    index: Vec<BlockMeta>,
    payload_bytes: u64,
    payload_digest: [u8; 32],
    file_digest: [u8; 32],
}

impl BlockFile {
    /// Opens a file and checks all of it but its blocks.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], also if there is no such file; errors of reading.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        Self::open_inner(path.clone()).map_err(|fault| fault.at(&path))
    }

    fn open_inner(path: PathBuf) -> Result<Self, Fault> {
        let file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        let index_end = bytes.checked_sub(TRAILER_BYTES as u64).ok_or(Damage::Length)?;
        let mut end = [0; TRAILER_BYTES];
        file.read_exact_at(&mut end, index_end)?;
        let (trailer, digest) = Trailer::decode(&end)?;
        let index_bytes = u64::from(trailer.blocks) * ENTRY_BYTES as u64;
        let fits = trailer.index_offset >= HEADER_BYTES as u64
            && index_end.checked_sub(trailer.index_offset) == Some(index_bytes);
        if !fits {
            return Err(Damage::Length.into());
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        // No longer than the file itself, so a wrong number cannot ask for more memory than that.
        let mut index = vec![0; usize::try_from(index_bytes).map_err(|_| Damage::Length)?];
        file.read_exact_at(&mut index, trailer.index_offset)?;
        let spec = Spec::decode(&header)?;
        if file_digest(&header, &index, &trailer) != digest || trailer.encode(&digest) != end {
            return Err(Damage::Index.into());
        }
        let index = decode_index(&index, &spec, &trailer)?;
        let Trailer { payload_bytes, payload_digest, .. } = trailer;
        Ok(Self { path, file, bytes, spec, index, payload_bytes, payload_digest, file_digest: digest })
    }

    /// Checks that this is the file which `record` describes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with [`Damage::NotRecorded`].
    pub fn expect(self, record: &ShardRecord) -> Result<Self, StoreError> {
        let same = self.file_digest == record.file_digest
            && self.payload_digest == record.digest
            && self.bytes == record.bytes
            && self.spec.format == record.format;
        if same { Ok(self) } else { Err(StoreError::damaged(&self.path, Damage::NotRecorded)) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds and how.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.payload_bytes / u64::from(self.spec.record_bytes)
    }

    /// Bytes of payload.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// BLAKE3 of the payload, as the file says; [`verify`](Self::verify) compares it with the blocks.
    pub fn payload_digest(&self) -> [u8; 32] {
        self.payload_digest
    }

    /// The index entry of a block.
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn meta(&self, i: usize) -> &BlockMeta {
        &self.index[i]
    }

    /// The index entries of all blocks.
    pub fn metas(&self) -> &[BlockMeta] {
        &self.index
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
        block.resize(self.index[i].raw_bytes as usize, 0);
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
        let meta = &self.index[i];
        assert_eq!(block.len(), meta.raw_bytes as usize, "the buffer has the length of the block");
        self.read_block(i, meta, block).map_err(|fault| fault.at(&self.path))
    }

    fn read_block(&self, i: usize, meta: &BlockMeta, block: &mut [u8]) -> Result<(), Fault> {
        let check = |stored: &[u8]| {
            if crc32c::crc32c(stored) == meta.checksum { Ok(()) } else { Err(Damage::Block(i)) }
        };
        if self.spec.codec == Codec::Raw {
            self.file.read_exact_at(block, meta.offset)?;
            check(block)?;
        } else {
            let mut stored = vec![0; meta.stored_bytes as usize];
            self.file.read_exact_at(&mut stored, meta.offset)?;
            check(&stored)?;
            self.spec.codec.decode(&stored, self.spec.record_bytes, block).ok_or(Damage::Decode(i))?;
        }
        Ok(())
    }

    /// Reads the whole payload, block by block.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub fn read_all(&self) -> Result<Vec<u8>, StoreError> {
        let length = usize::try_from(self.payload_bytes).map_err(|_| self.damaged(Damage::Inconsistent))?;
        let mut payload = vec![0; length];
        let mut rest = &mut payload[..];
        for (i, meta) in self.index.iter().enumerate() {
            let (block, after) = rest.split_at_mut(meta.raw_bytes as usize);
            self.read_exact(i, block)?;
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
        let mut block = Vec::new();
        for i in 0..self.len() {
            self.read(i, &mut block)?;
            hasher.update(&block);
        }
        let same = hasher.finalize().as_bytes() == &self.payload_digest;
        if same { Ok(()) } else { Err(self.damaged(Damage::Contents)) }
    }

    /// The error that this file is damaged.
    pub(crate) fn damaged(&self, what: Damage) -> StoreError {
        StoreError::damaged(&self.path, what)
    }
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
