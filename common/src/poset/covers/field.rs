//! Finite fields F_q.

use crate::poset::divisors::factorise;

/// The largest q of fields whose elements can be written.
const LARGEST: u64 = 31;
/// Digits for elements of the prime field.
const DIGITS: u32 = 10;

/// A finite field of at most 31 elements. Element `number` is the polynomial over F_p whose coefficients are the digits of
/// that number in base p, modulo the first irreducible polynomial: that of the smallest number so made.
///
/// ```
/// use antichain_common::poset::covers::FiniteField;
/// let field = FiniteField::new(4).expect("4 is a prime power");
/// let [a, b] = ['a', 'b'].map(|letter| field.read(letter).expect("an element"));
/// assert_eq!((field.product(a, a), field.sum(a, b)), (b, 1));
/// assert!(FiniteField::new(6).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteField {
    q: u32,
    p: u32,
    sums: Vec<u32>,
    products: Vec<u32>,
}

/// p and k, if q is p^k for a prime p and k from 1.
pub fn prime_power(q: u64) -> Option<(u64, u32)> {
    if q == 0 {
        return None;
    }
    match factorise(q)[..] {
        [(p, exponent)] => Some((p, exponent as u32)),
        _ => None,
    }
}

impl FiniteField {
    /// F_q; `None` if q is no prime power, or above 31.
    pub fn new(q: u64) -> Option<Self> {
        let (p, degree) = Some(q).filter(|&q| q <= LARGEST).and_then(prime_power)?;
        let (q, p, degree) = (q as usize, p as usize, degree as usize);
        let digits = |number: usize| -> Vec<usize> { (0..degree).map(|i| number / p.pow(i as u32) % p).collect() };
        let number = |digits: &[usize]| digits.iter().rev().fold(0, |number, digit| number * p + digit) as u32;
        let pairs = || (0..q).flat_map(|a| (0..q).map(move |b| (a, b)));
        let sums = pairs().map(|(a, b)| {
            let sum: Vec<usize> = digits(a).iter().zip(digits(b)).map(|(a, b)| (a + b) % p).collect();
            number(&sum)
        });
        let sums = sums.collect();
        // x^degree = the polynomial with these coefficients. It is irreducible if there are no zero divisors.
        let products = (0..q).map(|modulus| {
            let rest = digits(modulus);
            pairs().map(|(a, b)| number(&product(&digits(a), &digits(b), &rest, p))).collect::<Vec<u32>>()
        });
        let is_field = |products: &Vec<u32>| pairs().all(|(a, b)| (products[a * q + b] == 0) == (a == 0 || b == 0));
        let products = products.into_iter().find(is_field)?;
        Some(Self { q: q as u32, p: p as u32, sums, products })
    }

    /// Number of elements.
    pub fn q(&self) -> u32 {
        self.q
    }

    /// The sum of two elements.
    pub fn sum(&self, a: u32, b: u32) -> u32 {
        self.sums[(a * self.q + b) as usize]
    }

    /// The product of two elements.
    pub fn product(&self, a: u32, b: u32) -> u32 {
        self.products[(a * self.q + b) as usize]
    }

    /// The element whose sum with `a` is 0.
    pub fn negative(&self, a: u32) -> u32 {
        (0..self.q).find(|&b| self.sum(a, b) == 0).unwrap_or(0)
    }

    /// The element whose product with `a` is 1; 0 for 0.
    pub fn inverse(&self, a: u32) -> u32 {
        (0..self.q).find(|&b| self.product(a, b) == 1).unwrap_or(0)
    }

    /// How an element is written: those of the prime field as digits, 0 to 9 at most, all others as letters in their order.
    pub fn show(&self, element: u32) -> char {
        let digits = self.p.min(DIGITS);
        match char::from_digit(element, digits) {
            Some(digit) => digit,
            None => char::from(b'a' + (element - digits) as u8),
        }
    }

    /// The element that is written so.
    pub fn read(&self, character: char) -> Option<u32> {
        (0..self.q).find(|&element| self.show(element) == character)
    }
}

/// The product of polynomials over F_p, where x^degree is `rest`.
fn product(a: &[usize], b: &[usize], rest: &[usize], p: usize) -> Vec<usize> {
    let degree = rest.len();
    let mut product = vec![0; 2 * degree];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] = (product[i + j] + a * b) % p;
        }
    }
    for i in (degree..2 * degree).rev() {
        let leading = std::mem::take(&mut product[i]);
        for (j, coefficient) in rest.iter().enumerate() {
            product[i - degree + j] = (product[i - degree + j] + leading * coefficient) % p;
        }
    }
    product.truncate(degree);
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prime_power_up_to_the_limit_has_its_field() {
        let fields: Vec<u64> = (0..=40).filter(|&q| FiniteField::new(q).is_some()).collect();
        assert_eq!(fields, [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31]);
        for q in fields {
            let field = FiniteField::new(q).expect("a field");
            let all = 0..field.q();
            for a in all.clone() {
                assert_eq!(field.sum(a, field.negative(a)), 0);
                assert_eq!(field.product(a, field.inverse(a)), u32::from(a != 0));
                assert_eq!(field.read(field.show(a)), Some(a));
                for b in all.clone() {
                    assert_eq!(field.product(a, b), field.product(b, a));
                    for c in all.clone().step_by(3) {
                        let products = field.sum(field.product(a, b), field.product(a, c));
                        assert_eq!(field.product(a, field.sum(b, c)), products);
                        assert_eq!(field.product(a, field.product(b, c)), field.product(field.product(a, b), c));
                    }
                }
            }
        }
        let four: String = (0..4).map(|x| FiniteField::new(4).expect("a field").show(x)).collect();
        assert_eq!(four, "01ab");
    }

    #[test]
    fn prime_powers() {
        assert_eq!((prime_power(81), prime_power(2), prime_power(97)), (Some((3, 4)), Some((2, 1)), Some((97, 1))));
        assert_eq!(prime_power(18_446_744_073_709_551_557), Some((18_446_744_073_709_551_557, 1)));
        assert!([0, 1, 6, 12, 100, u64::MAX].into_iter().all(|q| prime_power(q).is_none()));
    }
}
