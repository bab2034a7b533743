//! Making the parts of a block file: what is written to a file and what is made in memory are the same bytes.

use super::format::{BlockMeta, ENTRY_BYTES, HEADER_BYTES, MAX_BLOCK_BYTES, Spec, TRAILER_BYTES, Trailer, file_digest};
use super::head::BlockHead;
use crate::store::error::Unfit;

/// Codes blocks and keeps what index and trailer will say of them.
#[derive(Debug)]
pub(super) struct BlockEncoder {
    spec: Spec,
    metas: Vec<BlockMeta>,
    /// Bytes of the file so far.
    position: u64,
    payload: blake3::Hasher,
}

impl BlockEncoder {
    /// # Errors
    /// [`Unfit::RecordLength`] for records the codec cannot code.
    pub fn new(spec: Spec) -> Result<Self, Unfit> {
        if !spec.codec.fits(spec.record_bytes) {
            return Err(Unfit::RecordLength(spec.record_bytes));
        }
        Ok(Self { spec, metas: Vec::new(), position: HEADER_BYTES as u64, payload: blake3::Hasher::new() })
    }

    /// What the file begins with.
    pub fn header(&self) -> [u8; HEADER_BYTES] {
        self.spec.encode()
    }

    /// Appends the next block as it is stored to `out`.
    ///
    /// # Errors
    /// [`Unfit::BlockLength`] and those of the codec; a part of the block may then be in `out`.
    pub fn push(&mut self, block: &[u8], words: [u64; 2], out: &mut Vec<u8>) -> Result<(), Unfit> {
        let length = block.len();
        let whole = length.is_multiple_of(self.spec.record_bytes as usize);
        if length == 0 || length > MAX_BLOCK_BYTES || !whole {
            return Err(Unfit::BlockLength(length));
        }
        let start = out.len();
        self.spec.codec.encode(block, self.spec.record_bytes, out)?;
        let stored = &out[start..];
        self.payload.update(block);
        self.metas.push(BlockMeta {
            offset: self.position,
            raw_bytes: length as u32,
            stored_bytes: stored.len() as u32,
            checksum: crc32c::crc32c(stored),
            words,
        });
        self.position += stored.len() as u64;
        Ok(())
    }

    /// What the file ends with, index and trailer, and what is known of it.
    ///
    /// # Errors
    /// [`Unfit::Blocks`].
    pub fn finish(self) -> Result<(Vec<u8>, BlockHead), Unfit> {
        let trailer = Trailer {
            index_offset: self.position,
            blocks: u32::try_from(self.metas.len()).map_err(|_| Unfit::Blocks)?,
            payload_bytes: self.payload.count(),
            payload_digest: *self.payload.finalize().as_bytes(),
        };
        let mut tail = Vec::with_capacity(self.metas.len() * ENTRY_BYTES + TRAILER_BYTES);
        self.metas.iter().for_each(|meta| meta.encode(&mut tail));
        let digest = file_digest(&self.header(), &tail, &trailer);
        tail.extend(trailer.encode(&digest));
        let head = BlockHead {
            spec: self.spec,
            metas: self.metas,
            payload_bytes: trailer.payload_bytes,
            payload_digest: trailer.payload_digest,
            file_digest: digest,
            file_bytes: self.position + tail.len() as u64,
        };
        Ok((tail, head))
    }
}
