//! Numbers of hundreds of digits of which sixteen count: a mantissa of 64 bits and a power of two.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::elementary::{ln, power_of_two, split};

/// A number that is not negative. Arithmetic rounds as that of `f64` does, and gives the same bits on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "(u64, i64)", try_from = "(u64, i64)")]
pub struct Scaled {
    /// From 1 to 2, or 0.
    mantissa: f64,
    exponent: i64,
}

/// A mantissa is a number.
impl Eq for Scaled {}

/// Bits of a mantissa behind the first.
const FRACTION_BITS: u32 = 52;

/// Exponents beyond any number of linear extensions of 256 elements, of its inverse, and of their products.
const LARGEST_EXPONENT: i64 = 1 << 20;

/// A pair of numbers that no [`Scaled`] is written as.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a mantissa of 53 bits and an exponent")]
pub struct NotScaled;

impl Scaled {
    /// Nothing.
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };
    /// One.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    fn new(mantissa: f64, exponent: i64) -> Self {
        if mantissa < f64::MIN_POSITIVE {
            return Self::ZERO;
        }
        let (mantissa, more) = split(mantissa);
        Self { mantissa, exponent: exponent + more }
    }

    /// The product with a number that is not negative.
    #[inline]
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::new(self.mantissa * factor, self.exponent)
    }

    /// The product.
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }

    /// The ratio to a number that is not 0, as far as `f64` has it: 0 where it is too small.
    ///
    /// # Panics
    /// If it is too large.
    pub fn ratio(self, other: Self) -> f64 {
        if self.mantissa == 0.0 {
            return 0.0;
        }
        self.mantissa / other.mantissa * power_of_two(self.exponent - other.exponent)
    }

    /// The sum, in the order given.
    pub fn sum(numbers: impl Iterator<Item = Self> + Clone) -> Self {
        let Some(largest) = Self::largest(numbers.clone()) else { return Self::ZERO };
        let sum = numbers.map(|number| number.mantissa * power_of_two(number.exponent - largest)).sum();
        Self::new(sum, largest)
    }

    fn largest(numbers: impl Iterator<Item = Self>) -> Option<i64> {
        numbers.filter(|number| number.mantissa > 0.0).map(|number| number.exponent).max()
    }

    /// The natural logarithm of a number that is not 0.
    pub fn ln(self) -> f64 {
        ln(self.mantissa) + self.exponent as f64 * std::f64::consts::LN_2
    }

    /// Decimal digits, as many as asked for and the first not 0, and the power of ten of the first digit; rounded half
    /// up. Nothing of 0.
    pub fn digits(self, count: usize) -> Option<(String, i64)> {
        if self.mantissa == 0.0 {
            return None;
        }
        let mut power = (self.ln() / std::f64::consts::LN_10).floor() as i64;
        // The estimate is wrong by one at most, where the number is next to a power of ten.
        for _ in 0..3 {
            let digits = self.tenfold(count as i64 - 1 - power).to_string();
            if digits.len() == count {
                return Some((digits, power));
            }
            power += if digits.len() > count { 1 } else { -1 };
        }
        None
    }

    /// The nearest whole number to this one times a power of ten.
    fn tenfold(self, power: i64) -> BigUint {
        let ten = BigUint::from(10u8).pow(power.unsigned_abs() as u32);
        let mut over = BigUint::from((self.mantissa * power_of_two(FRACTION_BITS.into())) as u64);
        let mut under = BigUint::from(1u8);
        if power > 0 {
            over *= ten
        } else {
            under *= ten
        }
        let shift = self.exponent - i64::from(FRACTION_BITS);
        if shift > 0 {
            over <<= shift
        } else {
            under <<= -shift
        }
        (over * 2u8 + &under) / (under * 2u8)
    }
}

impl From<&BigUint> for Scaled {
    fn from(number: &BigUint) -> Self {
        let shift = number.bits().saturating_sub(64);
        let first = (number >> shift).iter_u64_digits().next().unwrap_or(0);
        Self::new(first as f64, shift as i64)
    }
}

impl From<Scaled> for (u64, i64) {
    fn from(number: Scaled) -> Self {
        ((number.mantissa * power_of_two(FRACTION_BITS.into())) as u64, number.exponent)
    }
}

impl TryFrom<(u64, i64)> for Scaled {
    type Error = NotScaled;

    fn try_from((mantissa, exponent): (u64, i64)) -> Result<Self, NotScaled> {
        let is_zero = (mantissa, exponent) == (0, 0);
        let is_normal = mantissa >> FRACTION_BITS == 1 && exponent.abs() <= LARGEST_EXPONENT;
        if !is_zero && !is_normal {
            return Err(NotScaled);
        }
        Ok(Self { mantissa: mantissa as f64 * power_of_two(-i64::from(FRACTION_BITS)), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(digits: &str) -> BigUint {
        digits.parse().expect("a number")
    }

    #[test]
    fn digits_are_those_of_the_number() {
        let shown = |number: &str, count| Scaled::from(&big(number)).digits(count);
        assert_eq!(shown("1680384", 7), Some(("1680384".into(), 6)));
        assert_eq!(shown("1680384", 3), Some(("168".into(), 6)));
        assert_eq!(shown("9996", 3), Some(("100".into(), 4)));
        assert_eq!(shown("1000", 4), Some(("1000".into(), 3)));
        assert_eq!(shown("999", 5), Some(("99900".into(), 2)));
        let e7 = "630470261306055898099742878692134361829979979674711225065761605059425237453564989302659882866111738567871048772795838071474370002961694720";
        assert_eq!(shown(e7, 12), Some(("630470261306".into(), 137)));
        assert_eq!(Scaled::ONE.times(0.00125).digits(3), Some(("125".into(), -3)));
        assert_eq!(Scaled::ZERO.digits(3), None);
    }

    #[test]
    fn arithmetic_is_that_of_real_numbers() {
        let huge = Scaled::from(&(BigUint::from(3u8) << 900usize));
        let product = huge.product(huge).times(0.25);
        assert_eq!(product.ratio(Scaled::from(&(BigUint::from(9u8) << 1798usize))), 1.0);
        assert_eq!(Scaled::sum([huge, huge, Scaled::ONE].into_iter()).ratio(huge), 2.0);
        assert_eq!(Scaled::sum([Scaled::ZERO].into_iter()), Scaled::ZERO);
        assert_eq!(Scaled::ZERO.ratio(huge), 0.0);
        assert_eq!(Scaled::ONE.ratio(product), 0.0);
    }

    #[test]
    fn what_is_written_is_read_bit_by_bit_or_not_at_all() {
        let third = Scaled::ONE.times(1.0 / 3.0);
        for number in
            [Scaled::ZERO, Scaled::ONE, third, third.product(third), Scaled::from(&big("123456789012345678901"))]
        {
            let text = serde_json::to_string(&number).expect("JSON");
            assert_eq!(serde_json::from_str::<Scaled>(&text).expect("readable"), number, "{text}");
        }
        for wrong in
            ["[0,1]", "[5,0]", "[4503599627370496,99999999]", "[-4503599627370496,1]", "[18446744073709551615,0]"]
        {
            assert!(serde_json::from_str::<Scaled>(wrong).is_err(), "{wrong}");
        }
    }
}
