//! Counts as limbs of 57 bits: numbers that add lane by lane, without carries, some hundred times before a carry is due.
//!
//! A value of `D` limbs is the sum of `limb[i] << (57 * i)`. Stored values are normal: every limb is below 2^57.

use num_bigint::BigUint;

/// Bits of a limb.
pub const LIMB_BITS: u32 = 57;
/// The largest normal limb.
pub const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;
/// How many normal values add up without overflow of a lane.
pub const MOST_TERMS: usize = 126;

/// The widths (limbs of a value) that evaluation is compiled for, ascending. The last holds 256!, more than any poset of
/// the bit-set engine needs.
pub const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 32];

/// The least width that holds numbers of that many bits, or `None` where none does.
pub fn width_for(bits: u64) -> Option<usize> {
    WIDTHS.into_iter().find(|&width| bits <= width as u64 * u64::from(LIMB_BITS))
}

/// The next larger width.
pub fn wider(width: usize) -> Option<usize> {
    WIDTHS.into_iter().find(|&w| w > width)
}

/// Adds lane by lane.
#[inline(always)]
pub fn add<const D: usize>(sum: &mut [u64; D], term: &[u64; D]) {
    for i in 0..D {
        sum[i] += term[i];
    }
}

/// Carries, so that every limb is normal again; returns what runs over the last one (0: nothing is lost).
#[inline(always)]
pub fn normalise<const D: usize>(value: &mut [u64; D]) -> u64 {
    let mut carries = [0; D];
    for i in 0..D {
        carries[i] = value[i] >> LIMB_BITS;
        value[i] &= LIMB_MASK;
    }
    let mut over = 0;
    for i in 1..D {
        value[i] += carries[i - 1];
        over |= value[i] >> LIMB_BITS;
    }
    let mut lost = carries[D - 1];
    if over != 0 {
        // A limb was all ones but for a few: once in some 2^50 values.
        lost |= ripple(value);
    }
    lost
}

#[cold]
fn ripple<const D: usize>(value: &mut [u64; D]) -> u64 {
    let mut carry = 0;
    for limb in value {
        *limb += carry;
        carry = *limb >> LIMB_BITS;
        *limb &= LIMB_MASK;
    }
    carry
}

/// The number with those lanes, which need not be normal.
pub fn to_biguint(lanes: impl DoubleEndedIterator<Item = u128>) -> BigUint {
    lanes.rev().fold(BigUint::ZERO, |number, lane| (number << LIMB_BITS) + lane)
}

/// The number of a stored value.
pub fn value(limbs: &[u64]) -> BigUint {
    to_biguint(limbs.iter().map(|&limb| u128::from(limb)))
}

/// The same table with values of another, larger width.
pub fn widened(table: &[u64], from: usize, to: usize) -> Vec<u64> {
    let mut wide = vec![0; table.len() / from * to];
    for (old, new) in table.chunks_exact(from).zip(wide.chunks_exact_mut(to)) {
        new[..from].copy_from_slice(old);
    }
    wide
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn carrying_keeps_the_number(lanes in prop::array::uniform4(any::<u64>()), ones in 0usize..5) {
            let mut value = lanes;
            value.iter_mut().take(ones).for_each(|lane| *lane = LIMB_MASK);
            value[0] = value[0].saturating_add(1);
            let before = to_biguint(value.iter().map(|&lane| u128::from(lane)));
            let lost = normalise(&mut value);
            prop_assert!(value.iter().all(|&limb| limb <= LIMB_MASK));
            prop_assert_eq!(before, super::value(&value) + (BigUint::from(lost) << (4 * LIMB_BITS)));
        }
    }

    #[test]
    fn widening_keeps_values() {
        assert_eq!(widened(&[5, 6, 7, 8], 2, 3), [5, 6, 0, 7, 8, 0]);
        assert_eq!(width_for(57), Some(1));
        assert_eq!(width_for(228), Some(4));
        assert_eq!(width_for(229), Some(8));
        assert_eq!(wider(32), None);
    }
}
