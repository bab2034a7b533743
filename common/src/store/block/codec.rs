//! How the bytes of a block are coded in the file.
//!
//! `Delta` is for ascending records of 1, 2 or 4 little-endian words, each taken as one number: the first is written as
//! it is, every other as the difference from the one before; numbers are base-128, least significant digit first, the
//! top bit set in all bytes but the last. `Packed` and `Bits` have files of their own. Every block stands for itself.

use super::format::MAX_BLOCK_BYTES;
use super::{bits, packed};
use crate::store::error::Unfit;

/// How blocks are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// As they are: for numbers that look random.
    Raw,
    /// LZ4 block format, or as they are where that is not shorter.
    Lz4,
    /// Differences of ascending records of 8, 16 or 32 bytes.
    Delta,
    /// Records of 64-bit limbs below 2^57, as binary numbers no longer than the longest of the block; other limbs as
    /// they are.
    Packed,
    /// Records of one byte, as binary numbers no longer than the largest of the block.
    Bits,
}

/// LZ4 cannot shrink by more.
const LZ4_LIMIT: usize = 255;

impl Codec {
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Raw => 0,
            Self::Lz4 => 1,
            Self::Delta => 2,
            Self::Packed => 3,
            Self::Bits => 4,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        [Self::Raw, Self::Lz4, Self::Delta, Self::Packed, Self::Bits].into_iter().find(|codec| codec.code() == code)
    }

    /// Whether records of that length can be coded.
    pub(super) fn fits(self, record_bytes: u32) -> bool {
        match self {
            Self::Raw | Self::Lz4 => (1..=MAX_BLOCK_BYTES).contains(&(record_bytes as usize)),
            Self::Delta => matches!(record_bytes, 8 | 16 | 32),
            Self::Packed => Self::Raw.fits(record_bytes) && record_bytes.is_multiple_of(8),
            Self::Bits => record_bytes == 1,
        }
    }

    /// Whether `stored` bytes could stand for `raw` (whole records, and not none): bounds what a reader allocates.
    pub(super) fn plausible(self, raw: usize, stored: usize, record_bytes: u32) -> bool {
        match self {
            Self::Raw => stored == raw,
            Self::Lz4 => stored <= raw && raw / LZ4_LIMIT <= stored,
            Self::Delta => stored <= 2 * raw && raw / record_bytes as usize <= stored,
            Self::Packed => packed::plausible(raw, stored, record_bytes as usize),
            Self::Bits => bits::plausible(raw, stored),
        }
    }

    /// Appends the coded form of `raw` to `out`.
    ///
    /// # Errors
    /// [`Unfit::NotAscending`] of `Delta`.
    pub(super) fn encode(self, raw: &[u8], record_bytes: u32, out: &mut Vec<u8>) -> Result<(), Unfit> {
        match self {
            Self::Raw => out.extend_from_slice(raw),
            Self::Lz4 => encode_lz4(raw, out),
            Self::Delta => match record_bytes {
                8 => encode_delta::<1>(raw, out)?,
                16 => encode_delta::<2>(raw, out)?,
                32 => encode_delta::<4>(raw, out)?,
                other => return Err(Unfit::RecordLength(other)),
            },
            Self::Packed => packed::encode(raw, record_bytes as usize, out),
            Self::Bits => bits::encode(raw, out),
        }
        Ok(())
    }

    /// Fills `raw` from its coded form; `None` if that is no coded form of anything of this length.
    pub(super) fn decode(self, stored: &[u8], record_bytes: u32, raw: &mut [u8]) -> Option<()> {
        match self {
            Self::Raw => copy(stored, raw),
            Self::Lz4 if stored.len() == raw.len() => copy(stored, raw),
            Self::Lz4 => {
                let length = lz4_flex::block::decompress_into(stored, raw).ok()?;
                (length == raw.len()).then_some(())
            }
            Self::Delta => match record_bytes {
                8 => decode_delta::<1>(stored, raw),
                16 => decode_delta::<2>(stored, raw),
                32 => decode_delta::<4>(stored, raw),
                _ => None,
            },
            Self::Packed => packed::decode(stored, record_bytes as usize, raw),
            Self::Bits => bits::decode(stored, raw),
        }
    }
}

fn copy(stored: &[u8], raw: &mut [u8]) -> Option<()> {
    (stored.len() == raw.len()).then(|| raw.copy_from_slice(stored))
}

fn encode_lz4(raw: &[u8], out: &mut Vec<u8>) {
    let compressed = lz4_flex::block::compress(raw);
    out.extend_from_slice(if compressed.len() < raw.len() { &compressed } else { raw });
}

fn words<const W: usize>(record: &[u8]) -> [u64; W] {
    let mut words = [0; W];
    for (word, bytes) in words.iter_mut().zip(record.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

fn encode_delta<const W: usize>(raw: &[u8], out: &mut Vec<u8>) -> Result<(), Unfit> {
    let digits = (64 * W).div_ceil(7);
    let mut previous = [0; W];
    let mut at = out.len();
    out.resize(at + raw.len() / (8 * W) * digits, 0);
    for (i, record) in raw.chunks_exact(8 * W).enumerate() {
        let words = words::<W>(record);
        let (mut rest, borrow) = subtract(&words, &previous);
        if borrow || (i > 0 && rest == [0; W]) {
            return Err(Unfit::NotAscending);
        }
        previous = words;
        while rest[0] >= 0x80 || rest[1..].iter().any(|&word| word != 0) {
            out[at] = rest[0] as u8 | 0x80;
            at += 1;
            for j in 0..W {
                rest[j] = rest[j] >> 7 | rest.get(j + 1).map_or(0, |next| next << 57);
            }
        }
        out[at] = rest[0] as u8;
        at += 1;
    }
    out.truncate(at);
    Ok(())
}

fn decode_delta<const W: usize>(mut stored: &[u8], raw: &mut [u8]) -> Option<()> {
    let mut previous = [0u64; W];
    for (i, record) in raw.chunks_exact_mut(8 * W).enumerate() {
        let difference = decode_number(&mut stored)?;
        let (sum, carry) = add(&previous, &difference);
        if carry || (i > 0 && difference == [0; W]) {
            return None;
        }
        previous = sum;
        for (bytes, word) in record.as_chunks_mut::<8>().0.iter_mut().zip(sum) {
            *bytes = word.to_le_bytes();
        }
    }
    stored.is_empty().then_some(())
}

/// Takes one number off the front.
#[inline(always)]
fn decode_number<const W: usize>(stored: &mut &[u8]) -> Option<[u64; W]> {
    let mut number = [0u64; W];
    // Nearly all differences end within their first 63 bits, where no digit crosses words.
    for (i, &byte) in stored.iter().take(9).enumerate() {
        number[0] |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            *stored = &stored[i + 1..];
            return Some(number);
        }
    }
    let mut shift = 63;
    for (i, &byte) in stored.iter().enumerate().skip(9) {
        let digit = u64::from(byte & 0x7f);
        let (word, bit) = (shift / 64, shift % 64);
        *number.get_mut(word)? |= digit << bit;
        let spill = if bit > 57 { digit >> (64 - bit) } else { 0 };
        if spill != 0 {
            *number.get_mut(word + 1)? |= spill;
        }
        shift += 7;
        if byte < 0x80 {
            *stored = &stored[i + 1..];
            return Some(number);
        }
    }
    None
}

#[inline(always)]
fn subtract<const W: usize>(a: &[u64; W], b: &[u64; W]) -> ([u64; W], bool) {
    let mut difference = [0; W];
    let mut borrow = false;
    for i in 0..W {
        let (d, first) = a[i].overflowing_sub(b[i]);
        let (d, second) = d.overflowing_sub(u64::from(borrow));
        (difference[i], borrow) = (d, first | second);
    }
    (difference, borrow)
}

#[inline(always)]
fn add<const W: usize>(a: &[u64; W], b: &[u64; W]) -> ([u64; W], bool) {
    let mut sum = [0; W];
    let mut carry = false;
    for i in 0..W {
        let (s, first) = a[i].overflowing_add(b[i]);
        let (s, second) = s.overflowing_add(u64::from(carry));
        (sum[i], carry) = (s, first | second);
    }
    (sum, carry)
}
