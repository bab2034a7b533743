//! Records: how a block stands in a segment, and what is remembered of it.
//!
//! The invariant: a header that decodes is one that was encoded, byte for byte; whether the bytes after it are those it
//! was made for, its checksum of them says when they are read.

/// Bytes of a header.
pub const HEADER_BYTES: usize = 52;
/// What a record begins with; the last byte is the version.
const MAGIC: [u8; 4] = *b"ACC\x01";
/// Bytes of a file's digest that are remembered: as many as no two files share.
const PREFIX_BYTES: usize = 16;

/// Names a block: the beginning of its file's digest, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    prefix: [u8; PREFIX_BYTES],
    block: u32,
}

impl Key {
    /// Block `block` of the file with this digest.
    pub fn new(file: &[u8; 32], block: u32) -> Self {
        let mut prefix = [0; PREFIX_BYTES];
        prefix.copy_from_slice(&file[..PREFIX_BYTES]);
        Self { prefix, block }
    }

    /// A number that tells most keys apart: digests are even already, and the blocks of a file are spread by an odd factor.
    pub fn fingerprint(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.prefix;
        let digest = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        digest.wrapping_add(u64::from(self.block).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}

/// A block within a segment. There are many: 32 bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which block it is.
    pub key: Key,
    /// Where its bytes begin, after the header.
    pub at: u32,
    /// How many they are.
    pub length: u32,
    /// CRC-32C of them.
    pub checksum: u32,
}

impl Record {
    /// Where the next record begins.
    pub fn end(&self) -> u64 {
        u64::from(self.at) + u64::from(self.length)
    }

    /// The record whose header is at `start` of a segment, if it is a header.
    pub fn decode(header: &[u8; HEADER_BYTES], start: u32) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if header[..4] != MAGIC || word(48) != crc32c::crc32c(&header[..48]) {
            return None;
        }
        let mut file = [0; 32];
        file.copy_from_slice(&header[8..40]);
        let at = start.checked_add(HEADER_BYTES as u32)?;
        Some(Self { key: Key::new(&file, word(40)), at, length: word(4), checksum: word(44) })
    }
}

/// The header of a block of `length` bytes.
pub fn encode(file: &[u8; 32], block: u32, length: u32, checksum: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&MAGIC);
    header[4..8].copy_from_slice(&length.to_le_bytes());
    header[8..40].copy_from_slice(file);
    header[40..44].copy_from_slice(&block.to_le_bytes());
    header[44..48].copy_from_slice(&checksum.to_le_bytes());
    let own = crc32c::crc32c(&header[..48]);
    header[48..].copy_from_slice(&own.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_what_the_formats_say() {
        let header = encode(&[7; 32], 3, 1000, 0x0403_0201);
        assert_eq!(header[..8], [b'A', b'C', b'C', 1, 0xE8, 3, 0, 0]);
        assert_eq!(header[8..40], [7; 32]);
        assert_eq!(header[40..48], [3, 0, 0, 0, 1, 2, 3, 4]);
        let record = Record { key: Key::new(&[7; 32], 3), at: 152, length: 1000, checksum: 0x0403_0201 };
        assert_eq!(Record::decode(&header, 100), Some(record));
        assert_eq!(size_of::<Record>(), 32);
    }

    #[test]
    fn a_header_with_a_flipped_bit_is_none() {
        let header = encode(&[7; 32], 3, 1000, 5);
        for bit in 0..8 * HEADER_BYTES {
            let mut flipped = header;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::decode(&flipped, 0), None);
        }
        assert_eq!(Record::decode(&header, u32::MAX), None);
    }
}
