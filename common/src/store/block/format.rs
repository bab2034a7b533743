//! The fixed parts of a block file: header, index, trailer. FORMATS.md describes the same bytes in words.

use crate::store::error::Damage;
use crate::store::record::{ShardKind, take};

use super::codec::Codec;

/// Most bytes of payload in a block.
pub const MAX_BLOCK_BYTES: usize = 1 << 20;

pub(super) const HEADER_BYTES: usize = 32;
pub(super) const ENTRY_BYTES: usize = 40;
pub(super) const TRAILER_BYTES: usize = 96;
/// The part of the trailer that the file digest covers.
pub(super) const TRAILER_DIGESTED: usize = 56;

const CONTAINER_VERSION: u16 = 1;
const HEADER_MAGIC: [u8; 8] = *b"ACBLOCKS";
const TRAILER_MAGIC: [u8; 8] = *b"ACBLKEND";

/// What a block file holds and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What it holds.
    pub kind: ShardKind,
    /// How the blocks are coded.
    pub codec: Codec,
    /// Version of the payload's format, which the container only carries.
    pub format: u32,
    /// Bytes of a record; every block is made of whole records.
    pub record_bytes: u32,
}

/// A block's entry in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMeta {
    /// Where it is in the file.
    pub offset: u64,
    /// Bytes of payload.
    pub raw_bytes: u32,
    /// Bytes in the file.
    pub stored_bytes: u32,
    /// CRC-32C of the bytes in the file.
    pub checksum: u32,
    /// Two numbers of the writer's choice, by convention the first record's leading word and the number of the first
    /// state.
    pub words: [u64; 2],
}

/// The end of a block file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    pub index_offset: u64,
    pub blocks: u32,
    pub payload_bytes: u64,
    pub payload_digest: [u8; 32],
}

impl Spec {
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&HEADER_MAGIC);
        header[8..10].copy_from_slice(&CONTAINER_VERSION.to_le_bytes());
        header[10] = self.kind.code();
        header[11] = self.codec.code();
        header[12..16].copy_from_slice(&self.format.to_le_bytes());
        header[16..20].copy_from_slice(&self.record_bytes.to_le_bytes());
        header
    }

    pub(super) fn decode(header: &[u8; HEADER_BYTES]) -> Result<Self, Damage> {
        let mut rest = &header[..];
        if take(&mut rest) != Some(HEADER_MAGIC) {
            return Err(Damage::Magic);
        }
        let version = u16::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?);
        if version != CONTAINER_VERSION {
            return Err(Damage::Version(version));
        }
        let [kind, codec] = take(&mut rest).ok_or(Damage::Length)?;
        let spec = Self {
            kind: ShardKind::from_code(kind).ok_or(Damage::Inconsistent)?,
            codec: Codec::from_code(codec).ok_or(Damage::Inconsistent)?,
            format: u32::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?),
            record_bytes: u32::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?),
        };
        let fits = spec.codec.fits(spec.record_bytes) && rest.iter().all(|&byte| byte == 0);
        if fits { Ok(spec) } else { Err(Damage::Inconsistent) }
    }
}

impl BlockMeta {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.offset.to_le_bytes());
        out.extend(self.raw_bytes.to_le_bytes());
        out.extend(self.stored_bytes.to_le_bytes());
        out.extend(self.checksum.to_le_bytes());
        out.extend([0; 4]);
        out.extend(self.words[0].to_le_bytes());
        out.extend(self.words[1].to_le_bytes());
    }

    fn decode(entry: &[u8]) -> Option<Self> {
        let mut rest = entry;
        let offset = u64::from_le_bytes(take(&mut rest)?);
        let [raw_bytes, stored_bytes, checksum, _zero] =
            [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?].map(u32::from_le_bytes);
        let words = [u64::from_le_bytes(take(&mut rest)?), u64::from_le_bytes(take(&mut rest)?)];
        Some(Self { offset, raw_bytes, stored_bytes, checksum, words })
    }
}

impl Trailer {
    /// Bytes of index and trailer together, if the file of that length has room for just that.
    pub fn tail_bytes(&self, file_bytes: u64) -> Result<usize, Damage> {
        let tail = u64::from(self.blocks) * ENTRY_BYTES as u64 + TRAILER_BYTES as u64;
        let fits = self.index_offset >= HEADER_BYTES as u64 && file_bytes.checked_sub(self.index_offset) == Some(tail);
        if fits { usize::try_from(tail).map_err(|_| Damage::Length) } else { Err(Damage::Length) }
    }

    /// The trailer up to the file digest, which covers these bytes too.
    pub fn encode_digested(&self) -> [u8; TRAILER_DIGESTED] {
        let mut bytes = [0; TRAILER_DIGESTED];
        bytes[..8].copy_from_slice(&self.index_offset.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[24..].copy_from_slice(&self.payload_digest);
        bytes
    }

    pub fn encode(&self, file_digest: &[u8; 32]) -> [u8; TRAILER_BYTES] {
        let mut bytes = [0; TRAILER_BYTES];
        bytes[..TRAILER_DIGESTED].copy_from_slice(&self.encode_digested());
        bytes[TRAILER_DIGESTED..88].copy_from_slice(file_digest);
        bytes[88..].copy_from_slice(&TRAILER_MAGIC);
        bytes
    }

    /// The trailer and the file digest after it.
    pub fn decode(bytes: &[u8; TRAILER_BYTES]) -> Result<(Self, [u8; 32]), Damage> {
        if bytes[88..] != TRAILER_MAGIC {
            return Err(Damage::Magic);
        }
        let mut rest = &bytes[..];
        let index_offset = u64::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?);
        let blocks = u32::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?);
        let _zero: [u8; 4] = take(&mut rest).ok_or(Damage::Length)?;
        let payload_bytes = u64::from_le_bytes(take(&mut rest).ok_or(Damage::Length)?);
        let payload_digest = take(&mut rest).ok_or(Damage::Length)?;
        let file_digest = take(&mut rest).ok_or(Damage::Length)?;
        Ok((Self { index_offset, blocks, payload_bytes, payload_digest }, file_digest))
    }
}

/// The digest that fixes every byte of a file: the index holds the checksum of every block.
pub(super) fn file_digest(header: &[u8; HEADER_BYTES], index: &[u8], trailer: &Trailer) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(header);
    hasher.update(index);
    hasher.update(&trailer.encode_digested());
    *hasher.finalize().as_bytes()
}

/// The entries of an index, checked against each other and the trailer, so that a reader may trust every length.
pub(super) fn decode_index(index: &[u8], spec: &Spec, trailer: &Trailer) -> Result<Vec<BlockMeta>, Damage> {
    let mut offset = HEADER_BYTES as u64;
    let mut payload_bytes = 0;
    let mut entries = Vec::with_capacity(index.len() / ENTRY_BYTES);
    for entry in index.chunks_exact(ENTRY_BYTES) {
        let meta = BlockMeta::decode(entry).ok_or(Damage::Inconsistent)?;
        let (raw, stored) = (meta.raw_bytes as usize, meta.stored_bytes as usize);
        let sound = meta.offset == offset
            && raw != 0
            && raw <= MAX_BLOCK_BYTES
            && raw.is_multiple_of(spec.record_bytes as usize)
            && spec.codec.plausible(raw, stored, spec.record_bytes);
        if !sound {
            return Err(Damage::Inconsistent);
        }
        offset += u64::from(meta.stored_bytes);
        payload_bytes += u64::from(meta.raw_bytes);
        entries.push(meta);
    }
    let sound = offset == trailer.index_offset && payload_bytes == trailer.payload_bytes;
    if sound { Ok(entries) } else { Err(Damage::Inconsistent) }
}
