//! Heads: what header, index and trailer of a block file say, without the blocks.
//!
//! A head is only made of bytes that agree with each other, with their digest and with the length of the file. So its
//! lengths can be trusted, and with its checksums every block can be judged by itself, wherever its bytes come from.

use std::ops::Range;

use super::format::{BlockMeta, ENTRY_BYTES, HEADER_BYTES, Spec, TRAILER_BYTES, Trailer, decode_index, file_digest};
use crate::store::error::Damage;
use crate::store::record::ShardRecord;

/// What is known of a block file but for its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHead {
    pub(super) spec: Spec,
    pub(super) metas: Vec<BlockMeta>,
    pub(super) payload_bytes: u64,
    pub(super) payload_digest: [u8; 32],
    pub(super) file_digest: [u8; 32],
    pub(super) file_bytes: u64,
}

impl BlockHead {
    /// The head of a file of `file_bytes` bytes that begins with `header` and ends with `tail`, which is the index and
    /// the trailer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(header: &[u8], tail: &[u8], file_bytes: u64) -> Result<Self, Damage> {
        let header: &[u8; HEADER_BYTES] = header.try_into().map_err(|_| Damage::Length)?;
        let (index, end) = tail.split_last_chunk::<TRAILER_BYTES>().ok_or(Damage::Length)?;
        let (trailer, digest) = Trailer::decode(end)?;
        if trailer.tail_bytes(file_bytes)? != tail.len() {
            return Err(Damage::Length);
        }
        let spec = Spec::decode(header)?;
        if file_digest(header, index, &trailer) != digest || trailer.encode(&digest) != *end {
            return Err(Damage::Index);
        }
        let metas = decode_index(index, &spec, &trailer)?;
        let Trailer { payload_bytes, payload_digest, .. } = trailer;
        Ok(Self { spec, metas, payload_bytes, payload_digest, file_digest: digest, file_bytes })
    }

    /// What the file holds and how.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.metas.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.metas.is_empty()
    }

    /// The index entries of all blocks.
    pub fn metas(&self) -> &[BlockMeta] {
        &self.metas
    }

    /// The index entry of a block.
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn meta(&self, i: usize) -> &BlockMeta {
        &self.metas[i]
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.payload_bytes / u64::from(self.spec.record_bytes)
    }

    /// Bytes of payload.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// BLAKE3 of the payload, as the file says: only who has all blocks can tell.
    pub fn payload_digest(&self) -> [u8; 32] {
        self.payload_digest
    }

    /// BLAKE3 of header, index and trailer, hence of everything: the index holds a checksum of every block.
    pub fn file_digest(&self) -> [u8; 32] {
        self.file_digest
    }

    /// Length of the file.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Bytes that all blocks take in the file.
    pub fn stored_bytes(&self) -> u64 {
        self.tail_offset() - HEADER_BYTES as u64
    }

    /// Where index and trailer begin.
    pub(super) fn tail_offset(&self) -> u64 {
        self.file_bytes - (self.metas.len() * ENTRY_BYTES + TRAILER_BYTES) as u64
    }

    /// Where consecutive blocks are in the file.
    ///
    /// # Panics
    /// If there are no such blocks.
    pub(super) fn stored_range(&self, blocks: Range<usize>) -> Range<u64> {
        let blocks = &self.metas[blocks];
        let start = blocks.first().map_or(0, |meta| meta.offset);
        start..blocks.last().map_or(start, |meta| meta.offset + u64::from(meta.stored_bytes))
    }

    /// What the catalogue is to know of the file, once it has the name `file`.
    pub fn record(&self, file: String) -> ShardRecord {
        ShardRecord {
            file,
            count: self.count(),
            bytes: self.file_bytes,
            digest: self.payload_digest,
            file_digest: self.file_digest,
            format: self.spec.format,
        }
    }

    /// Checks that `stored` is block `i` as the file has it.
    ///
    /// # Errors
    /// [`Damage::Length`], [`Damage::Block`].
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn check(&self, i: usize, stored: &[u8]) -> Result<(), Damage> {
        let meta = self.meta(i);
        if stored.len() != meta.stored_bytes as usize {
            return Err(Damage::Length);
        }
        if crc32c::crc32c(stored) == meta.checksum { Ok(()) } else { Err(Damage::Block(i)) }
    }

    /// Fills `raw` with the payload of block `i` from what [`check`](Self::check) has passed.
    ///
    /// # Errors
    /// [`Damage::Decode`].
    ///
    /// # Panics
    /// If there is no block `i`, or `raw` has another length than its payload.
    pub fn decode(&self, i: usize, stored: &[u8], raw: &mut [u8]) -> Result<(), Damage> {
        assert_eq!(raw.len(), self.meta(i).raw_bytes as usize, "the buffer has the length of the block");
        self.spec.codec.decode(stored, self.spec.record_bytes, raw).ok_or(Damage::Decode(i))
    }

    /// Cuts what all blocks are in the file, joined, into the blocks.
    ///
    /// # Errors
    /// [`Damage::Length`] if it is shorter or longer.
    pub(in crate::store) fn blocks<'a>(
        &self,
        mut stored: &'a [u8],
    ) -> Result<impl Iterator<Item = (usize, &'a [u8])>, Damage> {
        if stored.len() as u64 != self.stored_bytes() {
            return Err(Damage::Length);
        }
        Ok(self.metas.iter().enumerate().map(move |(i, meta)| {
            let (block, rest) = stored.split_at(meta.stored_bytes as usize);
            stored = rest;
            (i, block)
        }))
    }
}
