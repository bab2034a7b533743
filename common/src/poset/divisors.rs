//! `divisors:n`: the divisors of n by divisibility, a product of chains, one for each prime factor, ascending.

use super::error::{PosetFault, parse_number};
use super::position::PositionFault;
use super::spec::{Family, PosetSpec};
use super::{MAX_ELEMENTS, Poset, product};

pub(super) fn parse(parameters: &str) -> Result<Family, PosetFault> {
    let number = parse_number(parameters)?;
    if number == 0 {
        return Err(PosetFault::DivisorsOfZero);
    }
    let divisors: u64 = factorise(number).iter().map(|&(_, exponent)| exponent as u64 + 1).product();
    if divisors > MAX_ELEMENTS as u64 {
        return Err(PosetFault::TooManyElements(divisors.into()));
    }
    Ok(Family::Divisors(number))
}

pub(super) fn build(spec: PosetSpec, number: u64) -> Poset {
    let factors = factorise(number);
    let lengths: Vec<usize> = factors.iter().map(|&(_, exponent)| exponent + 1).collect();
    let label = |levels: &[u8]| {
        let powers = factors.iter().zip(levels).map(|(&(prime, _), &level)| prime.pow(u32::from(level)));
        powers.product::<u64>().to_string()
    };
    product::build(spec, &lengths, usize::MAX, label)
}

/// The label of the number that a word means, a divisor or not.
pub(super) fn normal_label(word: &str) -> Result<String, PositionFault> {
    Ok(parse_number(word)?.to_string())
}

/// Primes up to the cube root of 2^64 are found by division.
const DIVISION_LIMIT: u64 = 1 << 22;

/// The prime factors of a positive number with their exponents, ascending.
pub(super) fn factorise(mut number: u64) -> Vec<(u64, usize)> {
    let mut factors = Vec::new();
    let mut candidate = 2;
    while candidate < DIVISION_LIMIT && candidate * candidate <= number {
        let mut exponent = 0;
        while number.is_multiple_of(candidate) {
            number /= candidate;
            exponent += 1;
        }
        if exponent > 0 {
            factors.push((candidate, exponent));
        }
        candidate += 1 + candidate % 2;
    }
    if number == 1 {
        return factors;
    }
    // What is left has no prime factor below the cube root of 2^64, so at most two.
    let root = number.isqrt();
    if candidate * candidate > number || is_prime(number) {
        factors.push((number, 1));
    } else if root * root == number {
        factors.push((root, 2));
    } else {
        let divisor = proper_divisor(number);
        let (small, large) = (divisor.min(number / divisor), divisor.max(number / divisor));
        factors.extend([(small, 1), (large, 1)]);
    }
    factors
}

fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

/// Whether an odd number above 40 is prime: the Miller-Rabin test, which is exact below 2^64 with the first twelve primes
/// as bases (Sorenson and Webster 2015).
fn is_prime(number: u64) -> bool {
    let shift = (number - 1).trailing_zeros();
    let odd = (number - 1) >> shift;
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| {
        let mut power = 1;
        for bit in (0..64).rev() {
            power = multiply(power, power, number);
            if odd >> bit & 1 == 1 {
                power = multiply(power, base, number);
            }
        }
        let mut squares = std::iter::successors(Some(power), |&p| Some(multiply(p, p, number))).take(shift as usize);
        power == 1 || squares.any(|square| square == number - 1)
    })
}

/// A divisor other than 1 and `number` of a product of two different primes, by Pollard's rho: some thousands of steps.
fn proper_divisor(number: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let attempt = |shift: u64| {
        let step = |x: u64| ((u128::from(multiply(x, x, number)) + u128::from(shift)) % u128::from(number)) as u64;
        let (mut slow, mut fast) = (2, 2);
        loop {
            slow = step(slow);
            fast = step(step(fast));
            match gcd(slow.abs_diff(fast), number) {
                1 => {}
                divisor => return divisor,
            }
        }
    };
    // A walk may find both primes at once; then another one is tried.
    (1..).map(attempt).find(|&divisor| divisor != number).unwrap_or(number)
}
