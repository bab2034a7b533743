//! The payload of values: the states' values one after the other, each a fixed number of little-endian 64-bit limbs.
//!
//! They look random, so they are stored as they are. Blocks are cut at 64 KiB at most; the second word of a block's
//! index entry is the number of its first state, so a few values cost the index and the blocks they are in.

use super::Store;
use super::block::{BlockFile, BlockFileWriter, Codec, Spec, Written};
use super::error::{Damage, StoreError};
use super::record::ShardKey;

/// Version of this payload's format.
pub const VALUES_FORMAT: u32 = 1;
/// Most bytes in a block, unless a single state is longer.
const BLOCK_BYTES: usize = 1 << 16;

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
        if cfg!(target_endian = "little") {
            self.writer.push(bytemuck::cast_slice(limbs), [0, first])
        } else {
            let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            self.writer.push(&bytes, [0, first])
        }
    }
}

impl Store {
    /// Starts the file of a shard of values, `width` limbs a state.
    ///
    /// # Errors
    /// [`StoreError::Name`], [`StoreError::Unfit`] for a width of nothing or of more than a block; errors of creating
    /// the file.
    pub fn create_values(&self, key: &ShardKey, width: usize) -> Result<ValuesWriter, StoreError> {
        let record_bytes = width.checked_mul(8).and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(u32::MAX);
        let spec = Spec { kind: key.kind, codec: Codec::Raw, format: VALUES_FORMAT, record_bytes };
        let writer = self.create_shard(key, spec)?;
        let cut = width * (BLOCK_BYTES / (8 * width)).max(1);
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
        let width = width(&file)?;
        // A raw file is no shorter than its payload, so its length bounds this.
        let mut limbs = vec![0; (file.payload_bytes() / 8) as usize];
        let mut rest = &mut limbs[..];
        for i in 0..file.len() {
            let (block, after) = rest.split_at_mut(file.meta(i).raw_bytes as usize / 8);
            read_limbs(&file, i, block)?;
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
        let width = width(&file)?;
        let states = file.count();
        let end = first.checked_add(count).filter(|&end| end <= states);
        let Some(end) = end else {
            return Err(StoreError::OutOfRange { file: file.path().to_owned(), states, first, count });
        };
        let mut limbs = Vec::new();
        let mut block = Vec::new();
        let mut i = file.metas().partition_point(|meta| meta.words[1] <= first).saturating_sub(1);
        let mut at = first;
        while at < end {
            let start = file.metas().get(i).map(|meta| meta.words[1]).filter(|&start| start <= at);
            let start = start.ok_or_else(|| file.damaged(Damage::Inconsistent))?;
            block.resize(file.meta(i).raw_bytes as usize / 8, 0);
            read_limbs(&file, i, &mut block)?;
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

/// Limbs a state, if the file holds values.
fn width(file: &BlockFile) -> Result<usize, StoreError> {
    let spec = file.spec();
    let values = spec.codec == Codec::Raw && spec.format == VALUES_FORMAT && spec.record_bytes.is_multiple_of(8);
    if values { Ok(spec.record_bytes as usize / 8) } else { Err(file.damaged(Damage::Kind)) }
}

fn read_limbs(file: &BlockFile, i: usize, limbs: &mut [u64]) -> Result<(), StoreError> {
    file.read_exact(i, bytemuck::cast_slice_mut(limbs))?;
    if cfg!(target_endian = "big") {
        limbs.iter_mut().for_each(|limb| *limb = u64::from_le(*limb));
    }
    Ok(())
}
