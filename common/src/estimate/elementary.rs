//! Exponential and logarithm from additions, multiplications and divisions alone.
//!
//! Those of the standard library come from the system and differ in the last bit from one to another; estimates must be
//! the same bytes everywhere. IEEE arithmetic is, and Rust neither reorders nor contracts it.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// ln 2 in two parts, the first with so few digits that multiples of it by whole exponents are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The exponential of a number between -700 and 700; others are taken to be the nearest of these.
pub fn exp(x: f64) -> f64 {
    const TERMS: u32 = 14;
    let x = x.clamp(-700.0, 700.0);
    let exponent = (x * LOG2_E).round();
    let rest = (x - exponent * LN_2_HIGH) - exponent * LN_2_LOW;
    let sum = (1..=TERMS).rev().fold(1.0, |sum, i| 1.0 + sum * rest / f64::from(i));
    sum * power_of_two(exponent as i64)
}

/// The natural logarithm of a positive normal number.
pub fn ln(x: f64) -> f64 {
    const TERMS: u32 = 12;
    let (mut mantissa, mut exponent) = split(x);
    if mantissa > SQRT_2 {
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1);
    }
    // ln m = 2 artanh s, with s at most 0.172.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let sum = (0..TERMS).rev().fold(0.0, |sum, i| 1.0 / f64::from(2 * i + 1) + sum * s * s);
    2.0 * s * sum + exponent as f64 * LN_2
}

/// A positive normal number as a mantissa from 1 to 2 and a power of two.
pub fn split(x: f64) -> (f64, i64) {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    (f64::from_bits(bits & MANTISSA | 1023 << 52), exponent)
}

/// A power of two; 0 where it is too small to be normal.
///
/// # Panics
/// If it is too large.
pub fn power_of_two(exponent: i64) -> f64 {
    assert!(exponent < 1024, "2^{exponent} is no number of 64 bits");
    if exponent < -1022 { 0.0 } else { f64::from_bits(((exponent + 1023) as u64) << 52) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_those_of_the_system() {
        for i in -4000..=4000 {
            let x = f64::from(i) * 0.17;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
            let y = x.exp();
            assert!((ln(y) - y.ln()).abs() <= 1e-15 * x.abs().max(1.0), "{y}");
        }
        assert_eq!((exp(0.0), ln(1.0)), (1.0, 0.0));
        assert_eq!(exp(-1e9), exp(-700.0));
    }

    #[test]
    fn numbers_are_split_and_put_together() {
        for x in [1.0, 1.5, 3.0, 1e-300, 1e300, f64::MIN_POSITIVE, f64::MAX] {
            let (mantissa, exponent) = split(x);
            assert!((1.0..2.0).contains(&mantissa));
            assert_eq!(mantissa * power_of_two(exponent), x);
        }
        assert_eq!(power_of_two(-2000), 0.0);
    }
}
