//! The Sprague-Grundy value: the mex (least natural number missing) of the values of the options.
//!
//! A position with m options has a value of at most m, so posets with at most 64 elements need the first word only; the
//! others begin with it too, for large values are rare.

use super::rule::Rule;

/// Grundy values below `64 * WORDS`; larger ones cannot be told.
#[derive(Clone, Copy, Debug, Default)]
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
    const ROUNDS: usize = 1;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::definition;
    use crate::poset::Poset;

    fn by_rule<R: Rule>(options: &[u8]) -> Option<u8> {
        let mut seen = R::Seen::default();
        options.iter().for_each(|&option| R::see(&mut seen, option));
        assert!(!R::is_settled(seen), "any further option may change a mex");
        R::value(seen)
    }

    #[test]
    fn the_value_is_the_mex_in_whole_games() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let game = definition::Game::new(&poset);
            let expected = game.values(definition::mex);
            assert_eq!(
                game.values(|options| by_rule::<Grundy<1>>(options).expect("a small value")),
                expected,
                "{spec}"
            );
            assert_eq!(game.values(|options| by_rule::<Grundy<4>>(options).expect("a value")), expected, "{spec}");
        }
    }

    #[test]
    fn large_values_are_told_by_the_wider_rule_only() {
        let below = |end: u8| (0..end).collect::<Vec<u8>>();
        assert_eq!(by_rule::<Grundy<1>>(&below(63)), Some(63));
        assert_eq!(by_rule::<Grundy<1>>(&below(64)), None);
        assert_eq!(by_rule::<Grundy<2>>(&below(64)), Some(64));
        assert_eq!(by_rule::<Grundy<2>>(&below(128)), None);
        assert_eq!(by_rule::<Grundy<4>>(&below(255)), Some(255));
        // Options that do not fit change nothing below them.
        assert_eq!(by_rule::<Grundy<1>>(&[0, 200, 64, 1]), Some(2));
        assert_eq!(by_rule::<Grundy<2>>(&[0, 200, 128, 1]), Some(2));
        assert_eq!((by_rule::<Grundy<1>>(&[]), by_rule::<Grundy<4>>(&[])), (Some(0), Some(0)));
    }

    #[test]
    fn only_zero_is_lost() {
        assert_eq!((0..=u8::MAX).filter(|&value| Grundy::<1>::is_lost(value)).collect::<Vec<_>>(), [0]);
    }
}
