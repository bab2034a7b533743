//! The payload of values: the states' values one after the other, each a fixed number of little-endian 64-bit limbs.
//!
//! They look random, but the room above them does not, so they are stored without it. Every block but the last has as
//! many states as 64 KiB hold, so a state's block is known before the index is; the second word of a block's index
//! entry is the number of its first state, so a few values cost the index and the blocks they are in.

use std::borrow::Cow;

use super::Store;
use super::block::{BlockFile, BlockFileWriter, BlockHead, BlockImage, Codec, ImageWriter, Spec, Written};
use super::error::{Damage, StoreError};
use super::record::{ShardKey, ShardKind};

/// Version of this payload's format.
pub const VALUES_FORMAT: u32 = 2;
/// Most bytes in a block, unless a single state is longer.
const BLOCK_BYTES: usize = 1 << 16;

/// Number of states in a block of a file of values of `width` limbs, but for the last block.
///
/// # Panics
/// If the width is nothing.
pub const fn states_in_block(width: usize) -> u64 {
    let states = BLOCK_BYTES / 8 / width;
    if states == 0 { 1 } else { states as u64 }
}

/// Values of consecutive states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Limbs a state.
    pub width: usize,
    /// The limbs of all states, least significant limb first.
    pub limbs: Vec<u64>,
}

/// Writes the values of a shard as they come.
#[derive(Debug)]
pub struct ValuesWriter {
    writer: BlockFileWriter,
    width: usize,
    /// Limbs of a full block.
    cut: usize,
    /// What does not fill a block yet.
    rest: Vec<u64>,
    states: u64,
}

impl ValuesWriter {
    /// Appends limbs; the pieces need not end where states or blocks do.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn extend(&mut self, mut limbs: &[u64]) -> Result<(), StoreError> {
        if !self.rest.is_empty() {
            let (head, tail) = limbs.split_at(limbs.len().min(self.cut - self.rest.len()));
            self.rest.extend_from_slice(head);
            limbs = tail;
            if self.rest.len() < self.cut {
                return Ok(());
            }
            let rest = std::mem::take(&mut self.rest);
            self.push(&rest)?;
            self.rest = rest;
            self.rest.clear();
        }
        let blocks = limbs.chunks_exact(self.cut);
        self.rest.extend_from_slice(blocks.remainder());
        for block in blocks {
            self.push(block)?;
        }
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if the last state is incomplete; errors of writing.
    pub fn finish(mut self) -> Result<Written, StoreError> {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.push(&rest)?;
        }
        self.writer.finish()
    }

    fn push(&mut self, limbs: &[u64]) -> Result<(), StoreError> {
        let first = self.states;
        self.states += (limbs.len() / self.width) as u64;
        self.writer.push(&bytes(limbs), [0, first])
    }
}

impl Store {
    /// Starts the file of a shard of values, `width` limbs a state.
    ///
    /// # Errors
    /// [`StoreError::Name`], [`StoreError::Unfit`] for a width of nothing or of more than a block; errors of creating
    /// the file.
    pub fn create_values(&self, key: &ShardKey, width: usize) -> Result<ValuesWriter, StoreError> {
        let writer = self.create_shard(key, spec(key.kind, width))?;
        let cut = width * states_in_block(width) as usize;
        Ok(ValuesWriter { writer, width, cut, rest: Vec::new(), states: 0 })
    }

    /// Writes the values of a shard, `width` limbs a state. The file is finished, but not recorded yet.
    ///
    /// # Errors
    /// As [`create_values`](Self::create_values), [`ValuesWriter::extend`] and [`ValuesWriter::finish`].
    pub fn write_values(&self, key: &ShardKey, width: usize, limbs: &[u64]) -> Result<Written, StoreError> {
        let mut writer = self.create_values(key, width)?;
        writer.extend(limbs)?;
        writer.finish()
    }

    /// Reads the values of a shard.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn read_values(&self, key: &ShardKey) -> Result<Values, StoreError> {
        let file = self.open_shard(key)?;
        let width = width(file.head()).map_err(|what| file.damaged(what))?;
        // An entry of the index stands for a block at most, and the index is no longer than the file.
        let mut limbs = vec![0; (file.payload_bytes() / 8) as usize];
        let mut rest = &mut limbs[..];
        let mut stored = Vec::new();
        for (i, meta) in file.metas().iter().enumerate() {
            let (block, after) = rest.split_at_mut(meta.raw_bytes as usize / 8);
            read_limbs(&file, i, &mut stored, block)?;
            rest = after;
        }
        Ok(Values { width, limbs })
    }

    /// Reads the values of `count` states from number `first`, and of the file only its index and the blocks they are
    /// in.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`]; as [`read_values`](Self::read_values).
    pub fn read_value_range(&self, key: &ShardKey, first: u64, count: u64) -> Result<Values, StoreError> {
        let file = self.open_shard(key)?;
        let width = width(file.head()).map_err(|what| file.damaged(what))?;
        let states = file.count();
        let end = first.checked_add(count).filter(|&end| end <= states);
        let Some(end) = end else {
            return Err(StoreError::OutOfRange { file: file.path().to_owned(), states, first, count });
        };
        let mut limbs = Vec::new();
        let (mut block, mut stored) = (Vec::new(), Vec::new());
        let mut i = file.metas().partition_point(|meta| meta.words[1] <= first).saturating_sub(1);
        let mut at = first;
        while at < end {
            let start = file.metas().get(i).map(|meta| meta.words[1]).filter(|&start| start <= at);
            let start = start.ok_or_else(|| file.damaged(Damage::Inconsistent))?;
            block.resize(file.meta(i).raw_bytes as usize / 8, 0);
            read_limbs(&file, i, &mut stored, &mut block)?;
            let here = start + (block.len() / width) as u64;
            let upto = end.min(here);
            let part = block.get((at - start) as usize * width..(upto.max(at) - start) as usize * width);
            limbs.extend_from_slice(part.ok_or_else(|| file.damaged(Damage::Inconsistent))?);
            at = upto.max(at);
            i += 1;
        }
        Ok(Values { width, limbs })
    }
}

/// The image of a shard of values, `width` limbs a state: the bytes of the file that [`Store::write_values`] writes.
///
/// # Errors
/// [`StoreError::Unfit`] for a width of nothing or of more than a block, and if the last state is incomplete.
pub fn values_image(kind: ShardKind, width: usize, limbs: &[u64]) -> Result<BlockImage, StoreError> {
    // Packed values take less, but what is not written to takes no memory.
    let mut image = ImageWriter::with_room(spec(kind, width), 8 * limbs.len())?;
    let states = states_in_block(width);
    for (i, block) in limbs.chunks(width * states as usize).enumerate() {
        image.push(&bytes(block), [0, i as u64 * states])?;
    }
    image.finish()
}

/// All values of a file, from its head and its blocks as they are stored, joined. The blocks are held against their
/// checksums. Values of zero are stored in next to nothing: hold what the head says of their number against what is
/// expected before.
///
/// # Errors
/// [`Damage::Kind`] if it does not hold values; what is wrong with the blocks.
pub fn decode_values(head: &BlockHead, blocks: &[u8]) -> Result<Values, Damage> {
    let width = width(head)?;
    let blocks = head.blocks(blocks)?;
    let mut limbs = vec![0; (head.payload_bytes() / 8) as usize];
    let mut rest = &mut limbs[..];
    for (i, stored) in blocks {
        let (block, after) = rest.split_at_mut(head.meta(i).raw_bytes as usize / 8);
        head.check(i, stored)?;
        head.decode(i, stored, bytemuck::cast_slice_mut(block))?;
        rest = after;
    }
    from_little_endian(&mut limbs);
    Ok(Values { width, limbs })
}

/// Checks that the file holds values, and that its blocks are cut and numbered as [`states_in_block`] says.
///
/// # Errors
/// [`Damage::Kind`], [`Damage::Inconsistent`].
pub(super) fn check_head(head: &BlockHead) -> Result<(), Damage> {
    let width = width(head)?;
    let states = states_in_block(width);
    let (full, last) = (states * 8 * width as u64, head.len().saturating_sub(1));
    let regular = head.metas().iter().enumerate().all(|(i, meta)| {
        let raw = u64::from(meta.raw_bytes);
        (raw == full || i == last && raw < full) && meta.words == [0, i as u64 * states]
    });
    if regular { Ok(()) } else { Err(Damage::Inconsistent) }
}

fn spec(kind: ShardKind, width: usize) -> Spec {
    let record_bytes = width.checked_mul(8).and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(u32::MAX);
    Spec { kind, codec: Codec::Packed, format: VALUES_FORMAT, record_bytes }
}

/// Limbs a state, if the file holds values.
fn width(head: &BlockHead) -> Result<usize, Damage> {
    let spec = head.spec();
    let values = spec.codec == Codec::Packed && spec.format == VALUES_FORMAT;
    if values { Ok(spec.record_bytes as usize / 8) } else { Err(Damage::Kind) }
}

fn read_limbs(file: &BlockFile, i: usize, stored: &mut Vec<u8>, limbs: &mut [u64]) -> Result<(), StoreError> {
    file.read_with(i, stored, bytemuck::cast_slice_mut(limbs))?;
    from_little_endian(limbs);
    Ok(())
}

/// The limbs as the payload has them.
fn bytes(limbs: &[u64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(limbs))
    } else {
        Cow::Owned(limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect())
    }
}

/// Turns limbs read as bytes of the payload into numbers.
fn from_little_endian(limbs: &mut [u64]) {
    if cfg!(target_endian = "big") {
        limbs.iter_mut().for_each(|limb| *limb = u64::from_le(*limb));
    }
}
