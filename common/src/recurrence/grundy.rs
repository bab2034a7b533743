//! The Sprague-Grundy value: the mex (least natural number missing) of the values of the options.
//!
//! A position with m options has a value of at most m, so posets with at most 64 elements need the first word only; the
//! others begin with it too, for large values are rare.

use super::rule::Rule;

/// Grundy values below `64 * WORDS`; larger ones cannot be told.
#[derive(Clone, Copy, Debug)]
pub struct Grundy<const WORDS: usize>;

/// The values of the options as a bit set. (A type of its own, for arrays of any length have no default.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for Values<WORDS> {
    #[inline(always)]
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> Rule for Grundy<WORDS> {
    type Seen = Values<WORDS>;
    /// No poset has more than 256 elements, so no value is more than 255.
    type Wider = Grundy<4>;

    #[inline(always)]
    fn see(seen: &mut Values<WORDS>, value: u8) {
        if WORDS == 1 {
            // A value that does not fit matters only where all that do are there, and then the value is not told.
            seen.0[0] |= u64::from(value < 64) << (value & 63);
        } else if let Some(word) = seen.0.get_mut(usize::from(value / 64)) {
            *word |= 1 << (value % 64);
        }
    }

    #[inline(always)]
    fn is_settled(_: Values<WORDS>) -> bool {
        false
    }

    #[inline(always)]
    fn value(seen: Values<WORDS>) -> Option<u8> {
        if WORDS == 1 {
            let mex = seen.0[0].trailing_ones();
            return (mex < 64).then_some(mex as u8);
        }
        let word = seen.0.iter().position(|&word| word != u64::MAX)?;
        Some((64 * word as u32 + seen.0[word].trailing_ones()) as u8)
    }

    #[inline(always)]
    fn is_lost(value: u8) -> bool {
        value == 0
    }
}
