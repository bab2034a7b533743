//! Receiving a shard: a block file that comes in pieces from elsewhere becomes a file here, byte for byte.
//!
//! Nothing is believed. The head must agree with itself and be of what was asked for, every block must match its
//! checksum and decode, and the whole payload must match its digest, or no file comes to be. Memory is taken for the
//! head that was sent and for one block.

use super::Store;
use super::block::{BlockHead, BlockImage, Codec, PendingFile, Written};
use super::error::{Damage, StoreError};
use super::record::{ShardKey, ShardKind, check_name};
use super::{bases, bytes, values};

/// A shard that is being received. Dropped without [`finish`](Self::finish), it leaves nothing behind.
#[derive(Debug)]
pub struct ShardReceiver {
    pending: PendingFile,
    head: BlockHead,
    tail: Vec<u8>,
    /// Number of the next block.
    next: usize,
    /// A block's payload; kept for its memory.
    raw: Vec<u8>,
    payload: blake3::Hasher,
}

impl ShardReceiver {
    /// What the file says of itself.
    pub fn head(&self) -> &BlockHead {
        &self.head
    }

    /// Takes the next blocks as they are stored: one or several, joined, each of them whole.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if they are not the next blocks of the file, and then it is best dropped; errors of
    /// writing.
    pub fn push(&mut self, mut stored: &[u8]) -> Result<(), StoreError> {
        while !stored.is_empty() {
            let meta = self.head.metas().get(self.next);
            let block = meta.and_then(|meta| {
                let (block, rest) = stored.split_at_checked(meta.stored_bytes as usize)?;
                stored = rest;
                self.raw.resize(meta.raw_bytes as usize, 0);
                Some(block)
            });
            let block = block.ok_or_else(|| self.pending.damaged(Damage::Length))?;
            let checked = self.head.check(self.next, block);
            let decoded = checked.and_then(|()| self.head.decode(self.next, block, &mut self.raw));
            decoded.map_err(|what| self.pending.damaged(what))?;
            self.payload.update(&self.raw);
            self.next += 1;
            self.pending.write(block)?;
        }
        Ok(())
    }

    /// Completes the file once all blocks are here, as [`super::BlockFileWriter::finish`] does. Only after this may a
    /// [`super::Commit`] name it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if blocks are missing or the payload does not match its digest; errors of writing.
    /// Nothing is left behind then.
    pub fn finish(self) -> Result<Written, StoreError> {
        if self.next != self.head.len() {
            return Err(self.pending.damaged(Damage::Length));
        }
        if *self.payload.finalize().as_bytes() != self.head.payload_digest() {
            return Err(self.pending.damaged(Damage::Contents));
        }
        self.pending.finish(&self.tail, &self.head)
    }
}

impl Store {
    /// Writes an image as the file of a shard, as if it had been received.
    ///
    /// # Errors
    /// As [`receive_shard`](Self::receive_shard), [`ShardReceiver::push`] and [`ShardReceiver::finish`].
    pub fn write_image(&self, key: &ShardKey, image: &BlockImage) -> Result<Written, StoreError> {
        let mut receiver = self.receive_shard(key, image.header(), image.tail(), image.head.file_bytes())?;
        receiver.push(image.blocks())?;
        receiver.finish()
    }

    /// The file of a shard as an image.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn read_image(&self, key: &ShardKey) -> Result<BlockImage, StoreError> {
        let file = self.open_shard(key)?;
        let (header, tail) = file.head_bytes()?;
        let mut blocks = Vec::new();
        file.read_stored(0..file.len(), &mut blocks)?;
        Ok(BlockImage { bytes: [header, blocks, tail].concat(), head: file.head().clone() })
    }

    /// Starts to receive the file of a shard: `file_bytes` bytes that begin with `header` and end with `tail`, which is
    /// the index and the trailer. A commit of what [`ShardReceiver::finish`] returns records it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if header and tail are not those of a file, or not of one that can be read as the kind
    /// that `key` names; [`StoreError::Name`]; errors of creating the file.
    pub fn receive_shard(
        &self,
        key: &ShardKey,
        header: &[u8],
        tail: &[u8],
        file_bytes: u64,
    ) -> Result<ShardReceiver, StoreError> {
        check_name(&key.owner)?;
        let stem = key.file_stem();
        let head = BlockHead::parse(header, tail, file_bytes).and_then(|head| check_kind(head, key.kind));
        let head = head.map_err(|what| StoreError::Damaged { file: self.directory.join(&stem), what })?;
        let pending = PendingFile::create(&self.directory, &stem, header)?;
        let (tail, payload) = (tail.to_vec(), blake3::Hasher::new());
        Ok(ShardReceiver { pending, head, tail, next: 0, raw: Vec::new(), payload })
    }
}

/// The head, if what it is of can be read as that kind.
fn check_kind(head: BlockHead, kind: ShardKind) -> Result<BlockHead, Damage> {
    if head.spec().kind != kind {
        return Err(Damage::Kind);
    }
    match kind {
        ShardKind::Bases | ShardKind::Candidates => bases::check_head(&head)?,
        // Values are of one payload or the other.
        ShardKind::Values if head.spec().codec == Codec::Bits => bytes::check_head(&head)?,
        ShardKind::Values => values::check_head(&head)?,
        ShardKind::Duals => bytes::check_head(&head)?,
        // The store does not know what these are made of.
        ShardKind::Sample | ShardKind::Settled | ShardKind::Proof => {}
    }
    Ok(head)
}
