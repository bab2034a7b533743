//! Images: block files made in memory, byte for byte as a writer would write them, to be sent or received whole.

use std::path::PathBuf;

use super::BlockSink;
use super::encoder::BlockEncoder;
use super::format::{HEADER_BYTES, Spec, TRAILER_BYTES, Trailer};
use super::head::BlockHead;
use crate::huge;
use crate::store::error::{Damage, StoreError, Unfit};
use crate::store::record::ShardKind;

/// A block file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockImage {
    /// All of the file.
    pub bytes: Vec<u8>,
    /// What its header, index and trailer say.
    pub head: BlockHead,
}

impl BlockImage {
    /// The image that these bytes are. Its head is checked, its blocks are not.
    ///
    /// # Errors
    /// What is wrong with the head.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, Damage> {
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES).ok_or(Damage::Length)?;
        let (_, trailer) = rest.split_last_chunk::<TRAILER_BYTES>().ok_or(Damage::Length)?;
        let tail = Trailer::decode(trailer)?.0.tail_bytes(bytes.len() as u64)?;
        let (_, tail) = rest.split_at_checked(rest.len().wrapping_sub(tail)).ok_or(Damage::Length)?;
        let head = BlockHead::parse(header, tail, bytes.len() as u64)?;
        Ok(Self { bytes, head })
    }

    /// The contents of the blocks, one after the other, each held against its checksum.
    ///
    /// # Errors
    /// What is wrong with the blocks; and what `take` says.
    pub fn each_block(&self, mut take: impl FnMut(&[u8]) -> Result<(), Damage>) -> Result<(), Damage> {
        let mut block = Vec::new();
        for (i, stored) in self.head.blocks(self.blocks())? {
            self.head.check(i, stored)?;
            block.resize(self.head.meta(i).raw_bytes as usize, 0);
            self.head.decode(i, stored, &mut block)?;
            take(&block)?;
        }
        Ok(())
    }

    /// The bytes before the blocks.
    pub fn header(&self) -> &[u8] {
        &self.bytes[..HEADER_BYTES]
    }

    /// The blocks as they are stored, joined.
    pub fn blocks(&self) -> &[u8] {
        &self.bytes[HEADER_BYTES..self.head.tail_offset() as usize]
    }

    /// The bytes after the blocks: index and trailer.
    pub fn tail(&self) -> &[u8] {
        &self.bytes[self.head.tail_offset() as usize..]
    }
}

/// Makes an image as its blocks come.
#[derive(Debug)]
pub struct ImageWriter {
    kind: ShardKind,
    encoder: BlockEncoder,
    bytes: Vec<u8>,
}

impl ImageWriter {
    /// Starts an image.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for records the codec cannot code.
    pub fn new(spec: Spec) -> Result<Self, StoreError> {
        Self::with_room(spec, 0)
    }

    /// Starts an image of so many bytes, about.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_room(spec: Spec, bytes: usize) -> Result<Self, StoreError> {
        let encoder = BlockEncoder::new(spec).map_err(|what| unfit(spec.kind, what))?;
        let mut bytes = huge::with_room(bytes);
        bytes.extend(encoder.header());
        Ok(Self { kind: spec.kind, encoder, bytes })
    }

    /// Appends a block, as [`super::BlockFileWriter::push`] does.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if the block does not fit the format, and then the image is best dropped.
    pub fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError> {
        self.encoder.push(block, words, &mut self.bytes).map_err(|what| unfit(self.kind, what))
    }

    /// Completes the image.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if it has too many blocks.
    pub fn finish(self) -> Result<BlockImage, StoreError> {
        let Self { kind, encoder, mut bytes } = self;
        let (tail, head) = encoder.finish().map_err(|what| unfit(kind, what))?;
        bytes.extend(tail);
        Ok(BlockImage { bytes, head })
    }
}

impl BlockSink for ImageWriter {
    fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError> {
        self.push(block, words)
    }

    fn unfit(&self, what: Unfit) -> StoreError {
        unfit(self.kind, what)
    }
}

/// An image has no name: the error says what it is of.
fn unfit(kind: ShardKind, what: Unfit) -> StoreError {
    StoreError::Unfit { file: PathBuf::from(format!("an image of {}", kind.name())), what }
}
