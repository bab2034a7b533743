//! Bytes without the room above them: `Bits`, for records of one byte.
//!
//! A block is one byte b, the bits of its largest byte, and the low b bits of every byte, one after the other from bit 0
//! of the first byte on; what is left of the last byte is zero. b is never more than is needed and there is no choice
//! anywhere, so a block has one coded form.
//!
//! Eight bytes take b bytes, which one word holds, and halving the word three times takes them apart: into two lanes of 32
//! bits with four bytes each, then four of 16 with two, then eight of 8 with one. Coding joins the lanes again.

/// Bytes that are coded together.
const GROUP: usize = 8;

/// Calls `$function::<B>` for the number of bits, 1 to 8.
macro_rules! for_bits {
    ($bits:expr, $function:ident($($argument:expr),*)) => {
        match $bits {
            1 => Some($function::<1>($($argument),*)),
            2 => Some($function::<2>($($argument),*)),
            3 => Some($function::<3>($($argument),*)),
            4 => Some($function::<4>($($argument),*)),
            5 => Some($function::<5>($($argument),*)),
            6 => Some($function::<6>($($argument),*)),
            7 => Some($function::<7>($($argument),*)),
            8 => Some($function::<8>($($argument),*)),
            _ => None,
        }
    };
}

/// Whether `stored` bytes could stand for `raw`.
pub(super) fn plausible(raw: usize, stored: usize) -> bool {
    (0..=8).any(|bits| stored == 1 + (raw * bits).div_ceil(8))
}

/// Whether `stored` is as long as the coded form of `raw` bytes with the bits that it names is.
pub fn is_coded(stored: &[u8], raw: usize) -> bool {
    stored.split_first().is_some_and(|(&bits, rest)| bits <= 8 && rest.len() == (raw * usize::from(bits)).div_ceil(8))
}

/// One byte from the coded form of a block that has it; `None` if that is too short.
pub fn get(stored: &[u8], number: usize) -> Option<u8> {
    let (&bits, stored) = stored.split_first()?;
    let first = number * usize::from(bits);
    // Of no bits, it does not matter what is read.
    let low = if bits == 0 { 0 } else { *stored.get(first / 8)? };
    let high = stored.get(first / 8 + 1).copied().unwrap_or(0);
    let word = u16::from_le_bytes([low, high]) >> (first % 8);
    Some((word & ((1u16 << bits) - 1)) as u8)
}

/// Appends the coded form of `raw` to `out`.
pub(super) fn encode(raw: &[u8], out: &mut Vec<u8>) {
    let bits = 8 - raw.iter().fold(0, |all, byte| all | byte).leading_zeros();
    out.push(bits as u8);
    // Of no bits, there is nothing to append.
    let _ = for_bits!(bits, join_groups(raw, out));
}

/// Fills `raw` from its coded form; `None` if that is no coded form of anything of this length.
pub(super) fn decode(stored: &[u8], raw: &mut [u8]) -> Option<()> {
    let (&bits, stored) = stored.split_first()?;
    if bits == 0 {
        raw.fill(0);
        return stored.is_empty().then_some(());
    }
    let used = raw.len() * usize::from(bits);
    if stored.len() != used.div_ceil(8) {
        return None;
    }
    let padded = !used.is_multiple_of(8) && stored.last().is_some_and(|last| last >> (used % 8) != 0);
    let all = for_bits!(bits, split_groups(stored, raw))?;
    // One byte at least must need the highest of the bits.
    let needed = all & (LOW_BITS << (bits - 1)) != 0;
    (needed && !padded).then_some(())
}

/// The lowest bit of each of eight bytes.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

fn join_groups<const B: usize>(raw: &[u8], out: &mut Vec<u8>) {
    let (start, length) = (out.len(), (raw.len() * B).div_ceil(8));
    // A whole word is written for every group; what it has beyond B bytes is written over by the next, or cut off.
    out.resize(start + raw.len().div_ceil(GROUP) * B + 8, 0);
    let mut rest = &mut out[start..];
    let (groups, last) = raw.as_chunks::<GROUP>();
    for group in groups {
        rest[..8].copy_from_slice(&join::<B>(u64::from_le_bytes(*group)).to_le_bytes());
        rest = &mut rest[B..];
    }
    if !last.is_empty() {
        rest[..8].copy_from_slice(&join::<B>(word(last)).to_le_bytes());
    }
    out.truncate(start + length);
}

/// Takes groups apart; `stored` must be as long as they need. Returns a word with the bits that any byte of any group has
/// in its place.
fn split_groups<const B: usize>(stored: &[u8], raw: &mut [u8]) -> u64 {
    let mut all = 0;
    let mut rest = stored;
    let (groups, last) = raw.as_chunks_mut::<GROUP>();
    for group in groups {
        // Loads bring bytes of the next group along; near the end, they would go beyond it.
        let load = rest.first_chunk().map_or_else(|| word(rest), |load| u64::from_le_bytes(*load));
        let bytes = split::<B>(load);
        all |= bytes;
        *group = bytes.to_le_bytes();
        rest = &rest[B..];
    }
    let bytes = split::<B>(word(rest));
    let length = last.len();
    last.copy_from_slice(&bytes.to_le_bytes()[..length]);
    all | bytes
}

/// The word of fewer than eight bytes, the others zero.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// What remains in the lower part of every lane of twice as many bits when lanes are halved, for each halving.
const fn masks<const B: usize>() -> [u64; 3] {
    [(1 << (4 * B)) - 1, ((1 << (2 * B)) - 1) * 0x0000_0001_0000_0001, ((1 << B) - 1) * 0x0001_0001_0001_0001]
}

/// Eight numbers of B bits, one after the other, as eight bytes.
#[inline(always)]
fn split<const B: usize>(word: u64) -> u64 {
    let [four, two, one] = const { masks::<B>() };
    let word = word & four | (word & four << (4 * B)) << (32 - 4 * B);
    let word = word & two | (word & two << (2 * B)) << (16 - 2 * B);
    word & one | (word & one << B) << (8 - B)
}

/// The opposite of [`split`]; bytes must have no more than B bits.
#[inline(always)]
fn join<const B: usize>(word: u64) -> u64 {
    let [four, two, one] = const { masks::<B>() };
    let word = word & one | word >> (8 - B) & one << B;
    let word = word & two | word >> (16 - 2 * B) & two << (2 * B);
    word & four | word >> (32 - 4 * B) & four << (4 * B)
}

#[cfg(test)]
mod tests {
    //! Whatever bytes go in come out, and whatever bytes are decoded, nothing panics.

    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn encoded(raw: &[u8]) -> Vec<u8> {
        // What is there already must stay.
        let mut out = vec![7; 3];
        encode(raw, &mut out);
        assert_eq!(out[..3], [7; 3]);
        out.split_off(3)
    }

    fn decoded(stored: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut raw = vec![0xaa; length];
        decode(stored, &mut raw).map(|()| raw)
    }

    /// The coded form by its definition, bit by bit.
    fn by_definition(raw: &[u8]) -> Vec<u8> {
        let bits = raw.iter().map(|byte| 8 - byte.leading_zeros()).max().unwrap_or(0) as usize;
        let mut stored = vec![0; 1 + (raw.len() * bits).div_ceil(8)];
        stored[0] = bits as u8;
        for at in 0..raw.len() * bits {
            stored[1 + at / 8] |= (raw[at / bits] >> (at % bits) & 1) << (at % 8);
        }
        stored
    }

    fn comes_back(raw: &[u8]) {
        let stored = encoded(raw);
        assert_eq!(stored, by_definition(raw));
        assert!(plausible(raw.len(), stored.len()));
        assert_eq!(decoded(&stored, raw.len()).as_deref(), Some(raw));
        assert!(is_coded(&stored, raw.len()));
        let few = (0..raw.len()).step_by(1 + raw.len() / 50);
        few.for_each(|number| assert_eq!(get(&stored, number), Some(raw[number])));
        for wrong in [&stored[..stored.len() - 1], &[&stored[..], &[0]].concat()] {
            assert_eq!(decoded(wrong, raw.len()), None);
        }
    }

    #[test]
    fn bits_follow_each_other_from_the_lowest() {
        assert_eq!(encoded(&[]), [0]);
        assert_eq!(encoded(&[0; 70_000]), [0]);
        assert_eq!(encoded(&[1, 0, 1, 1, 0, 0, 0, 0, 1]), [1, 0b0000_1101, 1]);
        assert_eq!(encoded(&[5, 1, 7]), [3, 0b1100_1101, 0b1]);
        assert_eq!(encoded(&[0, 255, 3]), [8, 0, 255, 3]);
        assert_eq!(encoded(&[1, 2, 3, 4, 5, 6, 7, 63]), [6, 0x81, 0x30, 0x10, 0x85, 0x71, 0xfc]);
    }

    #[test]
    fn every_number_of_bits_and_every_rest_comes_back() {
        for bits in 0..=8 {
            for length in (0..40).chain([4096, 65_535, 65_536]) {
                let mask = (1u32 << bits) - 1;
                let raw: Vec<u8> = (0..length).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 13 & mask) as u8).collect();
                comes_back(&raw);
                comes_back(&vec![mask as u8; raw.len()]);
            }
        }
    }

    #[test]
    fn more_bits_than_needed_and_padding_are_refused() {
        assert_eq!(decoded(&[3, 0b1100_1101, 0b1], 3), Some(vec![5, 1, 7]));
        for padding in 1..8 {
            assert_eq!(decoded(&[3, 0b1100_1101, 1 | 1 << padding], 3), None);
        }
        // 1, 1 with two bits; zeros with one; nothing with any.
        assert_eq!(decoded(&[2, 0b0101], 2), None);
        assert_eq!(decoded(&[1, 0], 8), None);
        assert_eq!(decoded(&[1], 0), None);
        assert_eq!(decoded(&[8, 127, 1], 2), None);
        assert_eq!(decoded(&[9, 1, 1, 1], 2), None);
        assert_eq!(decoded(&[255, 1], 1), None);
        assert_eq!(decoded(&[], 0), None);
        assert!(!is_coded(&[9, 1, 1, 1], 2) && !is_coded(&[], 0) && !is_coded(&[3, 0], 3));
        assert_eq!((get(&[8, 5], 1), get(&[], 0), get(&[0], 9)), (None, None, Some(0)));
        assert_eq!(decoded(&[0], 0), Some(vec![]));
        assert!(!plausible(8, 0) && plausible(8, 1) && plausible(8, 9) && !plausible(8, 10));
        assert!(!plausible(16, 2) && plausible(16, 3) && !plausible(16, 4));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_bytes_come_back(mut raw in prop::collection::vec(any::<u8>(), 0..600), bits in 0u32..=8) {
            raw.iter_mut().for_each(|byte| *byte = (u32::from(*byte) & ((1 << bits) - 1)) as u8);
            comes_back(&raw);
        }

        #[test]
        fn no_bytes_make_it_panic_and_none_is_a_second_form(
            bits in 0u8..=10,
            length in 0usize..60,
            fitting: bool,
            mut stored in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            if fitting {
                stored.resize((length * usize::from(bits)).div_ceil(8), 0x11);
            }
            stored.insert(0, bits);
            if let Some(raw) = decoded(&stored, length) {
                prop_assert_eq!(encoded(&raw), stored);
            }
        }
    }
}
