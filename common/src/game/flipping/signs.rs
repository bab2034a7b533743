//! Sign expansions: the way to a number from 0, always to the simplest number on that side that is left. A plus goes up, a
//! minus down.
//!
//! The expansion of an ordinal sum `x : y` of numbers is that of `x` followed by that of `y`, so that ordinal sums need no
//! games: in `x : y` nobody gains by a move in `x` (Theorem 2.3 of the paper), and `y` goes on where `x` ends.
//!
//! ```
//! use antichain_common::game::flipping::{Dyadic, SignExpansion};
//! let half = Dyadic::power_of_half(1);
//! assert_eq!(SignExpansion::from(&half).to_string(), "+-");
//! assert_eq!(half.ordinal_sum(&half).to_string(), "5/8");
//! ```

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

use super::dyadic::Dyadic;

/// The signs of a number, first one first; `true` is plus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignExpansion {
    signs: Vec<bool>,
}

impl SignExpansion {
    /// That of an integer.
    pub fn of_integer(integer: i32) -> Self {
        Self { signs: vec![integer > 0; integer.unsigned_abs() as usize] }
    }

    /// That of `2^-halvings`: a plus and so many minuses.
    pub fn of_power_of_half(halvings: usize) -> Self {
        let mut one = Self::default();
        one.push_power_of_half(halvings);
        one
    }

    /// Joins that of `2^-halvings` to this one.
    pub fn push_power_of_half(&mut self, halvings: usize) {
        self.signs.push(true);
        self.signs.resize(self.signs.len() + halvings, false);
    }

    /// Joins another one to this one: that of the ordinal sum.
    pub fn join(&mut self, other: &Self) {
        self.signs.extend_from_slice(&other.signs);
    }

    /// The number. Linear in the number of signs.
    pub fn number(&self) -> Dyadic {
        let Some(&first) = self.signs.first() else { return Dyadic::ZERO };
        // While the signs are equal each is worth 1; from the first other one on they are worth 1/2, 1/4, ...
        let integer = self.signs.iter().position(|&sign| sign != first).unwrap_or(self.signs.len());
        let fraction = &self.signs[integer..];
        let places = fraction.len();
        // Each sign is worth 2b - 1 of its unit, b its bit.
        let fraction = (BigInt::from(bits(fraction)) << 1u8) - ((BigInt::from(1) << places) - 1);
        let integer = if first { BigInt::from(integer) } else { -BigInt::from(integer) };
        Dyadic::new((integer << places) + fraction, places as u64)
    }
}

/// The number with these binary digits, the highest first.
fn bits(digits: &[bool]) -> BigUint {
    let word = |digits: &[bool]| digits.iter().fold(0, |word: u32, &digit| word << 1 | u32::from(digit));
    BigUint::new(digits.rchunks(32).map(word).collect())
}

impl From<&Dyadic> for SignExpansion {
    /// # Panics
    /// If there are more signs than memory can hold: of an integer there are as many as it is large.
    fn from(number: &Dyadic) -> Self {
        let positive = number.numerator().sign() != Sign::Minus;
        let size = Dyadic::new(number.numerator().magnitude().clone().into(), number.places());
        let floor = usize::try_from(size.floor()).expect("as many signs fit into memory");
        let mut signs = vec![true; floor];
        if size.places() > 0 {
            // One above the floor, and down from there: all signs that follow are fractions.
            signs.push(true);
            let (places, one) = (size.places(), BigInt::from(1));
            let rest = size.numerator() - (BigInt::from(floor + 1) << places);
            // See `number`: rest = 2 bits - (2^places - 1).
            let bits: BigInt = (rest + (one << places) - 1) >> 1u8;
            signs.extend((0..places).rev().map(|place| bits.bit(place)));
        }
        if !positive {
            signs.iter_mut().for_each(|sign| *sign = !*sign);
        }
        Self { signs }
    }
}

/// `+-+`; nothing for 0.
impl fmt::Display for SignExpansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signs.iter().try_for_each(|&sign| f.write_str(if sign { "+" } else { "-" }))
    }
}

impl Dyadic {
    /// The ordinal sum `self : exponent`.
    ///
    /// # Panics
    /// If one of the two has more signs than memory can hold.
    pub fn ordinal_sum(&self, exponent: &Self) -> Self {
        let mut signs = SignExpansion::from(self);
        signs.join(&SignExpansion::from(exponent));
        signs.number()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::flipping::simplest_between;

    fn dyadics() -> impl Strategy<Value = Dyadic> {
        (-200i32..200, 0u64..6).prop_map(|(numerator, places)| Dyadic::new(numerator.into(), places))
    }

    /// The number by walking: each sign goes to the simplest number between the nearest ones passed.
    fn walk(signs: &[bool]) -> Dyadic {
        let (mut below, mut above, mut here) = (None, None, Dyadic::ZERO);
        for &sign in signs {
            *(if sign { &mut below } else { &mut above }) = Some(here);
            here = simplest_between(below.as_ref(), above.as_ref()).expect("room");
        }
        here
    }

    /// The options of the canonical form: the last numbers passed on the way, on either side.
    fn options(number: &Dyadic) -> [Option<Dyadic>; 2] {
        let signs = SignExpansion::from(number).signs;
        [true, false].map(|side| signs.iter().rposition(|&sign| sign == side).map(|last| walk(&signs[..last])))
    }

    /// `base : exponent = {base^L, base : exponent^L | base^R, base : exponent^R}`, by recursion over canonical forms.
    fn by_options(base: &Dyadic, exponent: &Dyadic) -> Dyadic {
        let ([base_left, base_right], [left, right]) = (options(base), options(exponent));
        let lefts = [base_left, left.map(|left| by_options(base, &left))];
        let rights = [base_right, right.map(|right| by_options(base, &right))];
        let best_left = lefts.into_iter().flatten().max();
        let best_right = rights.into_iter().flatten().min();
        simplest_between(best_left.as_ref(), best_right.as_ref()).expect("a number")
    }

    proptest! {
        #[test]
        fn signs_lead_to_the_number(signs in prop::collection::vec(any::<bool>(), 0..80)) {
            let number = SignExpansion { signs: signs.clone() }.number();
            prop_assert_eq!(&number, &walk(&signs));
            prop_assert_eq!(SignExpansion::from(&number).signs, signs);
        }

        #[test]
        fn ordinal_sums_are_those_of_the_definition(base in dyadics(), exponent in dyadics()) {
            // Long expansions have an exponential number of branches.
            prop_assume!(SignExpansion::from(&exponent).signs.len() < 10);
            prop_assert_eq!(base.ordinal_sum(&exponent), by_options(&base, &exponent));
        }
    }

    #[test]
    fn the_examples_of_the_paper() {
        let (one, half) = (Dyadic::from(1), Dyadic::power_of_half(1));
        assert_eq!(one.ordinal_sum(&one).to_string(), "2");
        assert_eq!(one.ordinal_sum(&Dyadic::from(-1)).to_string(), "1/2");
        assert_eq!(one.ordinal_sum(&half).to_string(), "3/2");
        assert_eq!(half.ordinal_sum(&one).to_string(), "3/4");
        assert_eq!(half.ordinal_sum(&half).to_string(), "5/8");
        assert_eq!(half.ordinal_sum(&Dyadic::ZERO), half);
        assert_eq!(Dyadic::ZERO.ordinal_sum(&half), half);
    }

    #[test]
    fn integers_and_powers_of_half() {
        for integer in [-3, 0, 5] {
            assert_eq!(SignExpansion::of_integer(integer), SignExpansion::from(&Dyadic::from(i64::from(integer))));
        }
        for places in [0, 1, 40, 100] {
            let signs = SignExpansion::from(&Dyadic::power_of_half(places as u64));
            assert_eq!(SignExpansion::of_power_of_half(places), signs);
        }
    }
}
