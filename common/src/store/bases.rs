//! The payload of bases: canonical bases in ascending order, each its words, least significant first, little-endian.
//!
//! Neighbours share most of their high bits, so blocks are differences. A block's index entry has the top word of its
//! first base and the number of states before it, so a base, and the place of its values, is found in one block.
//! Candidates, what an enumeration found before it is merged, are bases too.

use super::Store;
use super::block::{BlockFile, BlockHead, BlockImage, BlockSink, Codec, ImageWriter, Spec, Written};
use super::error::{Damage, StoreError, Unfit};
use super::record::{ShardKey, ShardKind};
use crate::ideal::Ideal;

/// Version of this payload's format.
pub const BASES_FORMAT: u32 = 2;
/// Bytes of payload in a block: a look-up decodes one, and goes through the fibres of its bases.
const BLOCK_BYTES: usize = 1 << 14;

/// Number of bases in a block of a file, but for the last block.
pub const fn bases_in_block<const W: usize>() -> usize {
    BLOCK_BYTES / (8 * W)
}

impl Store {
    /// Writes the bases of a shard, which must be strictly ascending; `states_before` gives the number of states of all
    /// bases before the one with that index. The file is finished, but not recorded yet.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] if they do not ascend; [`StoreError::Name`]; errors of writing.
    pub fn write_bases<const W: usize>(
        &self,
        key: &ShardKey,
        bases: &[Ideal<W>],
        states_before: impl Fn(usize) -> u64,
    ) -> Result<Written, StoreError> {
        let mut writer = self.create_shard(key, spec::<W>(key.kind))?;
        push_bases(&mut writer, bases, states_before)?;
        writer.finish()
    }

    /// Reads the bases of a shard.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn read_bases<const W: usize>(&self, key: &ShardKey) -> Result<Vec<Ideal<W>>, StoreError> {
        let file = self.open_shard(key)?;
        check::<W>(file.head()).map_err(|what| file.damaged(what))?;
        let mut bases = Vec::with_capacity(file.count() as usize);
        let mut block = Vec::new();
        for i in 0..file.len() {
            file.read(i, &mut block)?;
            bases.extend(decode::<W>(&block));
        }
        Ok(bases)
    }
}

impl BlockFile {
    /// Reads the bases of one block of a file of bases.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    ///
    /// # Panics
    /// If there is no block `i`.
    pub fn read_bases_block<const W: usize>(&self, i: usize) -> Result<Vec<Ideal<W>>, StoreError> {
        check::<W>(self.head()).map_err(|what| self.damaged(what))?;
        let mut block = Vec::new();
        self.read(i, &mut block)?;
        Ok(decode(&block).collect())
    }
}

/// The image of a shard of bases: the bytes of the file that [`Store::write_bases`] writes.
///
/// # Errors
/// [`StoreError::Unfit`] if they do not ascend.
pub fn bases_image<const W: usize>(
    kind: ShardKind,
    bases: &[Ideal<W>],
    states_before: impl Fn(usize) -> u64,
) -> Result<BlockImage, StoreError> {
    let mut image = ImageWriter::new(spec::<W>(kind))?;
    push_bases(&mut image, bases, states_before)?;
    image.finish()
}

/// All bases of a file, from its head and its blocks as they are stored, joined. The blocks are held against their
/// checksums.
///
/// # Errors
/// [`Damage::Kind`] if it does not hold bases of `W` words; [`Damage::Inconsistent`] if they do not ascend; what is
/// wrong with the blocks.
pub fn decode_bases<const W: usize>(head: &BlockHead, blocks: &[u8]) -> Result<Vec<Ideal<W>>, Damage> {
    check::<W>(head)?;
    let blocks = head.blocks(blocks)?;
    // No more than there are bytes: a base takes one at least.
    let mut bases = Vec::with_capacity(head.count() as usize);
    let mut block = Vec::new();
    for (i, stored) in blocks {
        head.check(i, stored)?;
        block.resize(head.meta(i).raw_bytes as usize, 0);
        head.decode(i, stored, &mut block)?;
        let before = bases.len();
        bases.extend(decode::<W>(&block));
        // Within a block the codec sees to it.
        if before > 0 && bases[before - 1] >= bases[before] {
            return Err(Damage::Inconsistent);
        }
    }
    Ok(bases)
}

/// Checks that the file holds bases, of any width, and that its blocks are cut as [`bases_in_block`] says.
///
/// # Errors
/// [`Damage::Kind`], [`Damage::Inconsistent`].
pub(super) fn check_head(head: &BlockHead) -> Result<(), Damage> {
    let spec = head.spec();
    if spec.codec != Codec::Delta || spec.format != BASES_FORMAT {
        return Err(Damage::Kind);
    }
    let last = head.len().saturating_sub(1);
    let regular = head.metas().iter().enumerate().all(|(i, meta)| {
        let raw = meta.raw_bytes as usize;
        raw == BLOCK_BYTES || i == last && raw < BLOCK_BYTES
    });
    if regular { Ok(()) } else { Err(Damage::Inconsistent) }
}

fn spec<const W: usize>(kind: ShardKind) -> Spec {
    Spec { kind, codec: Codec::Delta, format: BASES_FORMAT, record_bytes: 8 * W as u32 }
}

fn push_bases<const W: usize>(
    sink: &mut impl BlockSink,
    bases: &[Ideal<W>],
    states_before: impl Fn(usize) -> u64,
) -> Result<(), StoreError> {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    let cut = bases_in_block::<W>();
    for (i, chunk) in bases.chunks(cut).enumerate() {
        // The codec sees one block at a time.
        if i > 0 && bases[i * cut - 1] >= chunk[0] {
            return Err(sink.unfit(Unfit::NotAscending));
        }
        block.clear();
        block.extend(chunk.iter().flat_map(|base| base.0).flat_map(u64::to_le_bytes));
        sink.push(&block, [chunk[0].0[W - 1], states_before(i * cut)])?;
    }
    Ok(())
}

fn check<const W: usize>(head: &BlockHead) -> Result<(), Damage> {
    let spec = head.spec();
    let bases = spec.codec == Codec::Delta && spec.format == BASES_FORMAT && spec.record_bytes as usize == 8 * W;
    if bases { Ok(()) } else { Err(Damage::Kind) }
}

fn decode<const W: usize>(block: &[u8]) -> impl Iterator<Item = Ideal<W>> {
    block.as_chunks::<8>().0.chunks_exact(W).map(|record| {
        let mut words = [0; W];
        for (word, bytes) in words.iter_mut().zip(record) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ideal(words)
    })
}
