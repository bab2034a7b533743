//! Values without the room above them: `Packed`, for records of limbs below 2^57.
//!
//! Values are taken in groups of four, the last may have fewer. A group is one byte n, the bytes of its longest value, and
//! every value as n little-endian bytes of its binary number. A block that is not such limbs, or has a width that this is
//! not compiled for, is the byte 255 and the block as it is. n is never more than is needed, so but for the escape a block
//! has one coded form. (Neighbours differ by a few elements, so their lengths differ little: longer groups take up to a
//! tenth more room, single values no less time.)
//!
//! A limb starts at most 7 bits into a byte and has 57, so one load of 8 bytes holds all of it: that is all there is to
//! decoding. Both directions go over the ends of values, and let the next value, or slack at the end, take that.

use crate::recurrence::limbs::{LIMB_BITS, LIMB_MASK};

/// First byte of a block that is stored as it is.
const ESCAPE: u8 = 255;
/// Values that share a length.
const GROUP: usize = 4;
/// [`LIMB_BITS`] where bits are counted as lengths.
const BITS: usize = LIMB_BITS as usize;

/// Calls `$function::<W>` for the width of records of that many bytes, if it is one that is compiled for.
macro_rules! for_width {
    ($record_bytes:expr, $function:ident($($argument:expr),*)) => {
        match $record_bytes {
            8 => Some($function::<1>($($argument),*)),
            16 => Some($function::<2>($($argument),*)),
            32 => Some($function::<4>($($argument),*)),
            64 => Some($function::<8>($($argument),*)),
            256 => Some($function::<32>($($argument),*)),
            _ => None,
        }
    };
}

/// Whether `stored` bytes could stand for `raw`.
pub(super) fn plausible(raw: usize, stored: usize, record_bytes: usize) -> bool {
    let (values, longest) = (raw / record_bytes, for_width!(record_bytes, longest()).unwrap_or(0));
    let least = values.div_ceil(GROUP);
    let packed = longest > 0 && (least..=least + values * longest).contains(&stored);
    packed || stored == raw + 1
}

/// Appends the coded form of `raw` to `out`.
pub(super) fn encode(raw: &[u8], record_bytes: usize, out: &mut Vec<u8>) {
    let packed = for_width!(record_bytes, encode_width(raw, out)).unwrap_or(false);
    if !packed {
        out.push(ESCAPE);
        out.extend_from_slice(raw);
    }
}

/// Fills `raw` from its coded form; `None` if that is no coded form of anything of this length.
pub(super) fn decode(stored: &[u8], record_bytes: usize, raw: &mut [u8]) -> Option<()> {
    if let Some((&ESCAPE, plain)) = stored.split_first() {
        return (plain.len() == raw.len()).then(|| raw.copy_from_slice(plain));
    }
    for_width!(record_bytes, decode_width(stored, raw))?
}

/// Bytes of the longest value of that width.
const fn longest<const W: usize>() -> usize {
    (BITS * W).div_ceil(8)
}

/// Appends the packed form, or nothing: `false`, if a limb is too large.
fn encode_width<const W: usize>(raw: &[u8], out: &mut Vec<u8>) -> bool {
    let words = longest::<W>().div_ceil(8);
    let (start, values) = (out.len(), raw.len() / (8 * W));
    out.resize(start + values.div_ceil(GROUP) + values * longest::<W>() + 8 * words, 0);
    let mut at = start;
    for group in raw.chunks(8 * W * GROUP) {
        let mut all = [0; W];
        for record in group.chunks_exact(8 * W) {
            let limbs = limbs::<W>(record);
            for k in 0..W {
                all[k] |= limbs[k];
            }
        }
        if all.iter().any(|&limb| limb > LIMB_MASK) {
            out.truncate(start);
            return false;
        }
        let bits = all.iter().rposition(|&limb| limb != 0).map_or(0, |k| BITS * k + all[k].ilog2() as usize + 1);
        let length = bits.div_ceil(8);
        out[at] = length as u8;
        at += 1;
        for record in group.chunks_exact(8 * W) {
            let binary = join(&limbs::<W>(record));
            // What this writes beyond the value is written over by what follows, or cut off.
            for (bytes, word) in out[at..at + 8 * words].as_chunks_mut::<8>().0.iter_mut().zip(binary) {
                *bytes = word.to_le_bytes();
            }
            at += length;
        }
    }
    out.truncate(at);
    true
}

#[inline(always)]
fn limbs<const W: usize>(record: &[u8]) -> [u64; W] {
    let mut limbs = [0; W];
    for (limb, bytes) in limbs.iter_mut().zip(record.as_chunks::<8>().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}

/// The words of the binary number; limbs are wider than what they hold, so there are enough of them for it.
#[inline(always)]
fn join<const W: usize>(limbs: &[u64; W]) -> [u64; W] {
    let mut words = [0; W];
    for (k, &limb) in limbs.iter().enumerate() {
        let (word, bit) = (BITS * k / 64, BITS * k % 64);
        words[word] |= limb << bit;
        if bit > 64 - BITS {
            words[word + 1] = limb >> (64 - bit);
        }
    }
    words
}

fn decode_width<const W: usize>(stored: &[u8], raw: &mut [u8]) -> Option<()> {
    let mut rest = stored;
    for group in raw.chunks_mut(8 * W * GROUP) {
        let (&length, values) = rest.split_first()?;
        let length = usize::from(length);
        if length > longest::<W>() {
            return None;
        }
        let bytes = length * (group.len() / (8 * W));
        let here = values.get(..bytes)?;
        if length == 0 {
            group.fill(0);
        } else {
            let tops = here.get(length - 1..)?.iter().step_by(length).fold(0, |tops, top| tops | top);
            let beyond = 8 * length > BITS * W && u32::from(tops) >> (8 - (8 * length - BITS * W)) != 0;
            if tops == 0 || beyond {
                return None;
            }
            if bytes - length + reach::<W>() <= values.len() {
                split_values::<W>(values, length, group);
            } else {
                // Near the end, loads would go beyond it.
                let mut padded = here.to_vec();
                padded.resize(bytes + reach::<W>(), 0);
                split_values::<W>(&padded, length, group);
            }
        }
        rest = &values[bytes..];
    }
    rest.is_empty().then_some(())
}

/// How far the loads for a value reach.
const fn reach<const W: usize>() -> usize {
    BITS * (W - 1) / 8 + 8
}

/// Takes values apart; `stored` must reach as far as the loads do.
#[inline(always)]
fn split_values<const W: usize>(stored: &[u8], length: usize, raw: &mut [u8]) {
    // Loads bring bits of the next value along.
    let mut masks = [0; W];
    for (k, mask) in masks.iter_mut().enumerate() {
        let bits = (8 * length).saturating_sub(BITS * k).min(BITS);
        *mask = (1 << bits) - 1;
    }
    let mut rest = stored;
    for record in raw.chunks_exact_mut(8 * W) {
        let value = &rest[..reach::<W>()];
        for (k, bytes) in record.as_chunks_mut::<8>().0.iter_mut().enumerate().take(W) {
            let (at, bit) = (BITS * k / 8, BITS * k % 8);
            let mut load = [0; 8];
            load.copy_from_slice(&value[at..at + 8]);
            *bytes = (u64::from_le_bytes(load) >> bit & masks[k]).to_le_bytes();
        }
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    //! Whatever limbs go in come out, and whatever bytes are decoded, nothing panics.

    #![allow(clippy::unwrap_used)]

    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;
    use crate::recurrence::limbs::{WIDTHS, value};

    fn bytes(limbs: &[u64]) -> Vec<u8> {
        limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect()
    }

    fn encoded(limbs: &[u64], width: usize) -> Vec<u8> {
        // What is there already must stay.
        let mut out = vec![7; 3];
        encode(&bytes(limbs), 8 * width, &mut out);
        assert_eq!(out[..3], [7; 3]);
        out.split_off(3)
    }

    fn comes_back(limbs: &[u64], width: usize) {
        let stored = encoded(limbs, width);
        let mut raw = vec![0xaa; 8 * limbs.len()];
        assert!(plausible(raw.len(), stored.len(), 8 * width));
        decode(&stored, 8 * width, &mut raw).unwrap();
        assert_eq!(raw, bytes(limbs));
        for wrong in [&stored[..stored.len() - 1], &[&stored[..], &[0]].concat()] {
            assert_eq!(decode(wrong, 8 * width, &mut raw), None);
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_number() {
        assert_eq!(encoded(&[0; 8], 4), [0]);
        assert_eq!(encoded(&[1, 0, 0x0203, 0], 2), [2, 1, 0, 3, 2]);
        // The fifth value is of another group.
        assert_eq!(encoded(&[300, 1, 0, 2, 3], 1), [2, 44, 1, 1, 0, 0, 0, 2, 0, 1, 3]);
        // 2^57 has bit 1 of byte 7.
        assert_eq!(encoded(&[0, 1, 5, 0], 2), [8, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0, 0, 0, 0, 0, 0, 0]);
        for width in WIDTHS {
            let largest = vec![LIMB_MASK; width];
            let stored = encoded(&largest, width);
            assert_eq!(usize::from(stored[0]), (57 * width).div_ceil(8));
            assert_eq!(BigUint::from_bytes_le(&stored[1..]), value(&largest));
            comes_back(&largest, width);
        }
    }

    #[test]
    fn what_is_not_limbs_is_stored_as_it_is() {
        for (limbs, width) in [(vec![1, 0, 0, 1 << 57], 2), (vec![u64::MAX; 32], 32), (vec![1, 2, 3], 3)] {
            assert_eq!(encoded(&limbs, width), [&[255][..], &bytes(&limbs)].concat());
            comes_back(&limbs, width);
        }
    }

    #[test]
    fn numbers_too_large_and_lengths_too_large_are_refused() {
        let mut raw = [0; 8];
        assert_eq!(decode(&[8, 0, 0, 0, 0, 0, 0, 0, 1], 8, &mut raw), Some(()));
        assert_eq!(decode(&[8, 0, 0, 0, 0, 0, 0, 0, 2], 8, &mut raw), None);
        assert_eq!(decode(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0], 8, &mut raw), None);
        assert_eq!(decode(&[2, 1, 0], 8, &mut raw), None);
        assert_eq!(decode(&[1, 1, 1, 1], 24, &mut [0; 24]), None);
        assert_eq!(decode(&[], 8, &mut raw), None);
        assert!(!plausible(8, 0, 8) && !plausible(8, 10, 8) && !plausible(40, 1, 8) && !plausible(24, 4, 24));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_limbs_come_back(
            width in prop::sample::select(WIDTHS.to_vec()),
            numbers in prop::collection::vec((any::<u64>(), 0u32..64), 1..1200),
            bits in 0usize..32 * 57,
            normal in prop::bool::weighted(0.9),
        ) {
            // Values of any length, and now and then a limb that is none.
            let mut limbs: Vec<u64> =
                numbers.iter().map(|&(number, shift)| number >> shift.max(if normal { 7 } else { 0 })).collect();
            limbs.resize(limbs.len().next_multiple_of(width), 0);
            for (i, limb) in limbs.iter_mut().enumerate() {
                let room = bits.saturating_sub(57 * (i % width)).min(64);
                *limb &= if room == 64 { u64::MAX } else { (1 << room) - 1 };
            }
            comes_back(&limbs, width);
        }

        #[test]
        fn no_bytes_make_it_panic(
            width in prop::sample::select(vec![1usize, 2, 3, 4, 8, 32]),
            values in 0usize..12,
            length in 0u8..=255,
            fitting: bool,
            mut stored in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            if fitting {
                stored.resize(values.min(GROUP) * usize::from(length), 0x11);
                for group in (GROUP..values).step_by(GROUP) {
                    stored.push(length);
                    stored.resize(stored.len() + (values - group).min(GROUP) * usize::from(length), 0x11);
                }
            }
            stored.insert(0, length);
            let mut raw = vec![0; 8 * width * values];
            if decode(&stored, 8 * width, &mut raw).is_some() && length != ESCAPE && values > 0 {
                let mut again = Vec::new();
                encode(&raw, 8 * width, &mut again);
                prop_assert_eq!(again, stored);
            }
        }
    }
}
