//! The payload of bytes: a byte a state, one after the other, for values that a byte holds: those of games.
//!
//! Such values are small, so they are stored in as many bits as the largest of a block needs. Every block but the last has
//! 64 KiB of states, so a state's block and its place there follow from its number alone; the second word of a block's
//! index entry is the number of its first state, as for values of limbs.

use super::Store;
use super::block::{BlockFile, BlockHead, BlockImage, BlockSink, Codec, ImageWriter, Spec, Written, bits};
use super::error::{Damage, StoreError};
use super::record::{ShardKey, ShardKind};

/// Version of this payload's format.
pub const BYTES_FORMAT: u32 = 1;
/// Number of states in a block of a file of bytes, but for the last block.
pub const STATES_IN_BLOCK_OF_BYTES: u64 = BLOCK_BYTES as u64;
const BLOCK_BYTES: usize = 1 << 16;

impl Store {
    /// Writes the values of a shard, a byte a state. The file is finished, but not recorded yet.
    ///
    /// # Errors
    /// [`StoreError::Name`]; errors of writing.
    pub fn write_bytes(&self, key: &ShardKey, bytes: &[u8]) -> Result<Written, StoreError> {
        let mut writer = self.create_shard(key, spec(key.kind))?;
        push_bytes(&mut writer, bytes)?;
        writer.finish()
    }

    /// Reads the values of a shard, a byte a state.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn read_bytes(&self, key: &ShardKey) -> Result<Vec<u8>, StoreError> {
        let file = self.open_shard(key)?;
        check_head(file.head()).map_err(|what| file.damaged(what))?;
        file.read_all()
    }
}

/// The values of one block of a file of bytes, as they are stored.
#[derive(Clone, Debug)]
pub struct BytesBlock {
    stored: Vec<u8>,
    states: usize,
}

impl BytesBlock {
    /// The value of the state of that number in the block, if it has so many.
    pub fn get(&self, number: usize) -> Option<u8> {
        if number < self.states { bits::get(&self.stored, number) } else { None }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.stored.len()
    }
}

impl BlockFile {
    /// Reads the block with the value of the state of that number in a file of bytes.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`], [`StoreError::Damaged`]; errors of reading.
    pub fn read_bytes_block(&self, number: u64) -> Result<BytesBlock, StoreError> {
        check_head(self.head()).map_err(|what| self.damaged(what))?;
        let states = self.count();
        if number >= states {
            return Err(StoreError::OutOfRange { file: self.path().to_owned(), states, first: number, count: 1 });
        }
        let block = (number / STATES_IN_BLOCK_OF_BYTES) as usize;
        let mut stored = Vec::new();
        self.read_stored(block..block + 1, &mut stored)?;
        let states = self.meta(block).raw_bytes as usize;
        if !bits::is_coded(&stored, states) {
            return Err(self.damaged(Damage::Block(block)));
        }
        Ok(BytesBlock { stored, states })
    }
}

/// The image of a shard of values, a byte a state: the bytes of the file that [`Store::write_bytes`] writes.
///
/// # Errors
/// [`StoreError::Unfit`] if it has too many blocks.
pub fn bytes_image(kind: ShardKind, bytes: &[u8]) -> Result<BlockImage, StoreError> {
    // Most take less, but what is not written to takes no memory.
    let mut image = ImageWriter::with_room(spec(kind), bytes.len())?;
    push_bytes(&mut image, bytes)?;
    image.finish()
}

/// All values of a file, a byte a state, from its head and its blocks as they are stored, joined. The blocks are held
/// against their checksums. Values of zero are stored in next to nothing: hold what the head says of their number against
/// what is expected before.
///
/// # Errors
/// [`Damage::Kind`] if it does not hold bytes; [`Damage::Inconsistent`] if its blocks are cut or numbered otherwise; what
/// is wrong with the blocks.
pub fn decode_bytes(head: &BlockHead, blocks: &[u8]) -> Result<Vec<u8>, Damage> {
    check_head(head)?;
    let blocks = head.blocks(blocks)?;
    let mut bytes = vec![0; head.payload_bytes() as usize];
    for ((i, stored), block) in blocks.zip(bytes.chunks_mut(BLOCK_BYTES)) {
        head.check(i, stored)?;
        head.decode(i, stored, block)?;
    }
    Ok(bytes)
}

/// Checks that the file holds bytes, and that its blocks are cut and numbered as [`STATES_IN_BLOCK_OF_BYTES`] says.
///
/// # Errors
/// [`Damage::Kind`], [`Damage::Inconsistent`].
pub(super) fn check_head(head: &BlockHead) -> Result<(), Damage> {
    let found = head.spec();
    if found != spec(found.kind) {
        return Err(Damage::Kind);
    }
    let last = head.len().saturating_sub(1);
    let regular = head.metas().iter().enumerate().all(|(i, meta)| {
        let raw = meta.raw_bytes as usize;
        (raw == BLOCK_BYTES || i == last && raw < BLOCK_BYTES) && meta.words == words(i)
    });
    if regular { Ok(()) } else { Err(Damage::Inconsistent) }
}

fn spec(kind: ShardKind) -> Spec {
    Spec { kind, codec: Codec::Bits, format: BYTES_FORMAT, record_bytes: 1 }
}

/// The numbers in the index entry of block `i`.
fn words(i: usize) -> [u64; 2] {
    [0, i as u64 * STATES_IN_BLOCK_OF_BYTES]
}

fn push_bytes(sink: &mut impl BlockSink, bytes: &[u8]) -> Result<(), StoreError> {
    bytes.chunks(BLOCK_BYTES).enumerate().try_for_each(|(i, block)| sink.push(block, words(i)))
}
