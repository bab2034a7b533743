//! Nimbers below 2^64: the field of that order in which sums and products are the game values of two combined games.
//!
//! The sum of two games is worth the nim-sum of their values, `a ^ b`. The product of two coin-turning games is worth the
//! nim-product (Conway, *On Numbers and Games*, chapter 6; Lenstra, "Nim multiplication", 1978). With F = 2^(2^k), the
//! nimbers below F^2 are the a1 F + a0 of a quadratic extension, in which F x F = F ^ F/2.
//!
//! ```
//! use antichain_common::game::nimber::{product, sum};
//! assert_eq!((sum(5, 9), product(5, 9)), (12, 6));
//! assert_eq!(product(u64::MAX, u64::MAX), 11290409524105353207);
//! ```

mod expression;

pub use expression::{ExpressionError, ExpressionFault, evaluate};

/// The nim-sum: binary digits added without carries.
pub const fn sum(a: u64, b: u64) -> u64 {
    a ^ b
}

/// The nim-product.
pub const fn product(a: u64, b: u64) -> u64 {
    // The nimbers below 2^(2^k) are a field: a product needs no more bits than its larger factor.
    match a | b {
        0..=0xff => product_of_bytes(a, b),
        0x100..=0xffff => product_of_halves(a, b, 8),
        0x1_0000..=0xffff_ffff => product_of_halves(a, b, 16),
        _ => product_of_halves(a, b, 32),
    }
}

/// The product of numbers of two halves of so many bits: three products of halves, and one by F/2.
const fn product_of_halves(a: u64, b: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let (a1, a0, b1, b0) = (a >> bits, a & mask, b >> bits, b & mask);
    let low = product(a0, b0);
    let high = product(a1, b1);
    let crossed = product(a1 ^ a0, b1 ^ b0);
    (crossed ^ low) << bits | low ^ product(high, 1 << (bits - 1))
}

const fn product_of_bytes(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return 0;
    }
    let exponent = LOGARITHMS.of[a as usize] as usize + LOGARITHMS.of[b as usize] as usize;
    LOGARITHMS.powers[exponent % 255] as u64
}

/// Logarithms of the nimbers below 256 and the powers of their base.
struct Logarithms {
    of: [u8; 256],
    powers: [u8; 255],
}

/// A nimber whose powers are all others below 256 but 0.
const BASE: u64 = 0x12;

static LOGARITHMS: Logarithms = Logarithms::new();

impl Logarithms {
    const fn new() -> Self {
        let (mut of, mut powers) = ([0; 256], [0; 255]);
        let (mut power, mut exponent) = (1, 0);
        while exponent < 255 {
            powers[exponent] = power as u8;
            of[power as usize] = exponent as u8;
            power = product_bit_by_bit(power, BASE, 4);
            exponent += 1;
        }
        Self { of, powers }
    }
}

/// The product of two numbers of `2 * half` bits, down to single bits.
const fn product_bit_by_bit(a: u64, b: u64, half: u32) -> u64 {
    if half == 0 || a < 2 || b < 2 {
        return a * b;
    }
    let mask = (1 << half) - 1;
    let (a1, a0, b1, b0) = (a >> half, a & mask, b >> half, b & mask);
    let low = product_bit_by_bit(a0, b0, half / 2);
    let high = product_bit_by_bit(a1, b1, half / 2);
    let crossed = product_bit_by_bit(a1 ^ a0, b1 ^ b0, half / 2);
    (crossed ^ low) << half | low ^ product_bit_by_bit(high, 1 << (half - 1), half / 2)
}

/// The least number that is not among these.
pub fn mex(values: impl IntoIterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.into_iter().collect();
    values.sort_unstable();
    values.into_iter().fold(0, |least, value| if value == least { least + 1 } else { least })
}

/// The map from x to the product of x and a fixed factor, for numbers of 32 bits: linear, so given by what it does to
/// bytes.
#[derive(Clone)]
pub struct Scale([[u32; 256]; 4]);

impl Scale {
    /// Multiplication by that factor.
    pub fn by(factor: u32) -> Self {
        let mut tables = [[0; 256]; 4];
        for (place, table) in tables.iter_mut().enumerate() {
            for byte in 1..256usize {
                let rest = byte & (byte - 1);
                table[byte] = match rest {
                    0 => product(u64::from(factor), (byte as u64) << (8 * place)) as u32,
                    _ => table[rest] ^ table[byte ^ rest],
                };
            }
        }
        Self(tables)
    }

    /// The product of the factor and `x`.
    #[inline(always)]
    pub fn of(&self, x: u32) -> u32 {
        let [a, b, c, d] = x.to_le_bytes().map(usize::from);
        self.0[0][a] ^ self.0[1][b] ^ self.0[2][c] ^ self.0[3][d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn products_of_bytes_are_those_of_the_definition() {
        const LEN: usize = 256;
        let mut table = vec![[0u64; LEN]; LEN];
        let mut seen = [usize::MAX; LEN];
        for a in 0..LEN {
            for b in 0..=a {
                // The mex over all smaller pairs, of numbers that are all below 256.
                let round = a * LEN + b;
                for smaller_a in 0..a {
                    for smaller_b in 0..b {
                        let value = table[smaller_a][b] ^ table[a][smaller_b] ^ table[smaller_a][smaller_b];
                        seen[value as usize] = round;
                    }
                }
                let least = seen.iter().position(|&last| last != round).expect("a field of 256 elements") as u64;
                (table[a][b], table[b][a]) = (least, least);
                assert_eq!(product(a as u64, b as u64), least, "{a} x {b}");
            }
        }
    }

    #[test]
    fn published_products() {
        assert_eq!(product(u64::MAX, u64::MAX), 11_290_409_524_105_353_207);
        assert_eq!(product(1 << 63, 1 << 63), 16_017_865_340_936_038_689);
        assert_eq!(product(1 << 32, 1 << 32), 6_442_450_944);
    }

    #[test]
    fn the_least_absent_number() {
        for (values, least) in [(vec![], 0), (vec![1, 2], 0), (vec![0, 0, 1, 3], 2), (vec![2, 1, 0], 3)] {
            assert_eq!(mex(values), least);
        }
    }

    proptest! {
        #[test]
        fn nimbers_are_a_field_of_characteristic_two(a: u64, b: u64, c: u64) {
            prop_assert_eq!(product(a, b), product(b, a));
            prop_assert_eq!(product(product(a, b), c), product(a, product(b, c)));
            prop_assert_eq!(product(a, sum(b, c)), sum(product(a, b), product(a, c)));
            prop_assert_eq!(product(a, 1), a);
            prop_assert!(product(a, b) != 0 || a == 0 || b == 0);
        }

        /// Two nimbers of which one is a power 2^(2^k) above the other: their product is the ordinary one.
        #[test]
        fn a_fermat_power_multiplies_what_is_below_it_as_usual(level in 0u32..6, x: u64) {
            let bits = 1 << level;
            let below = x & ((1 << bits) - 1);
            prop_assert_eq!(product(1 << bits, below), below << bits);
        }

        #[test]
        fn scales_multiply(factor: u32, x: u32) {
            prop_assert_eq!(u64::from(Scale::by(factor).of(x)), product(factor.into(), x.into()));
        }
    }
}
