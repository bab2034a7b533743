//! Dyadic rationals of any size: the values of finite games that are numbers.
//!
//! ```
//! use antichain_common::game::flipping::Dyadic;
//! let (three, eighth) = (Dyadic::from(3), Dyadic::power_of_half(3));
//! assert_eq!((&three + &-eighth).to_string(), "23/8");
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg};

use num_bigint::{BigInt, Sign};

/// A number `numerator / 2^places`, in lowest terms: the numerator is odd, or there are no places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dyadic {
    numerator: BigInt,
    places: u64,
}

impl Dyadic {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: BigInt::ZERO, places: 0 };

    /// `numerator / 2^places`.
    pub fn new(numerator: BigInt, places: u64) -> Self {
        let surplus = numerator.trailing_zeros().unwrap_or(places).min(places);
        Self { numerator: numerator >> surplus, places: places - surplus }
    }

    /// `2^-places`.
    pub fn power_of_half(places: u64) -> Self {
        Self { numerator: BigInt::from(1), places }
    }

    /// The numerator in lowest terms.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The exponent of the denominator in lowest terms.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// Whether it is negative, nothing or positive: its comparison with nothing.
    pub fn sign(&self) -> Ordering {
        match self.numerator.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// The greatest integer at most this number.
    pub fn floor(&self) -> BigInt {
        // The shift rounds down, for negative numbers too.
        &self.numerator >> self.places
    }

    /// The numerator over a denominator of at least as many places.
    pub(super) fn scaled_to(&self, places: u64) -> BigInt {
        &self.numerator << (places - self.places)
    }
}

impl From<i64> for Dyadic {
    fn from(integer: i64) -> Self {
        Self { numerator: integer.into(), places: 0 }
    }
}

impl From<BigInt> for Dyadic {
    fn from(integer: BigInt) -> Self {
        Self { numerator: integer, places: 0 }
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.sign().cmp(&other.sign()) {
            Ordering::Equal if self.places == other.places => self.numerator.cmp(&other.numerator),
            Ordering::Equal => {
                let places = self.places.max(other.places);
                self.scaled_to(places).cmp(&other.scaled_to(places))
            }
            different => different,
        }
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: Self) -> Dyadic {
        let places = self.places.max(other.places);
        Dyadic::new(self.scaled_to(places) + other.scaled_to(places), places)
    }
}

impl Neg for Dyadic {
    type Output = Self;

    fn neg(self) -> Self {
        Self { numerator: -self.numerator, places: self.places }
    }
}

impl<'a> Sum<&'a Self> for Dyadic {
    fn sum<I: Iterator<Item = &'a Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |sum, number| &sum + number)
    }
}

/// `10257/16384`, `-2`, `0`.
impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator)?;
        if self.places > 0 {
            write!(f, "/{}", BigInt::from(1) << self.places)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn order_sum_and_floor_are_those_of_fractions(
            a in -1_000_000i128..1_000_000, b in -1_000_000i128..1_000_000, i in 0u64..40, j in 0u64..40
        ) {
            let (x, y) = (Dyadic::new(a.into(), i), Dyadic::new(b.into(), j));
            let (over, under) = (a << 40 >> i, b << 40 >> j);
            prop_assert_eq!(x.cmp(&y), over.cmp(&under));
            prop_assert_eq!(x == y, over == under);
            prop_assert_eq!(&x + &y, Dyadic::new((over + under).into(), 40));
            prop_assert_eq!(x.floor(), BigInt::from(over.div_euclid(1 << 40)));
            prop_assert_eq!(&x + &-x.clone(), Dyadic::ZERO);
            prop_assert_eq!(x.sign(), a.cmp(&0));
        }
    }

    #[test]
    fn shown_in_lowest_terms() {
        for (numerator, places, text) in
            [(0, 5, "0"), (-8, 2, "-2"), (6, 2, "3/2"), (-3, 1, "-3/2"), (10257, 14, "10257/16384"), (7, 0, "7")]
        {
            assert_eq!(Dyadic::new(BigInt::from(numerator), places).to_string(), text);
        }
        assert_eq!(Dyadic::power_of_half(64).to_string(), "1/18446744073709551616");
    }
}
