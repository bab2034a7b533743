//! Sums and products of nimbers as users write them: `5 x 9 + 3`.

use super::{product, sum};

/// A text that is no sum of products: what was typed, and why not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: {fault}")]
pub struct ExpressionError {
    input: String,
    fault: ExpressionFault,
}

impl ExpressionError {
    /// What was typed.
    pub fn input(&self) -> String {
        self.input.clone()
    }

    /// What is wrong with it.
    pub fn reason(&self) -> String {
        self.fault.to_string()
    }
}

/// The ways in which a text is no sum of products.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionFault {
    /// A number is missing at the beginning or the end, or between two signs.
    #[error("a number is missing")]
    Missing,
    /// Something that is no number of decimal digits.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// What may be meant for a hexadecimal number.
    #[error("`{0}` looks hexadecimal, and numbers are decimal")]
    Hexadecimal(String),
    /// More than 64 bits.
    #[error("{0} is too large: nimbers go up to 18446744073709551615")]
    TooLarge(String),
}

/// The value of a sum of products of nimbers. Products are written with `x` or `*` and come before sums, which are written with
/// `+`.
///
/// ```
/// use antichain_common::game::nimber::evaluate;
/// assert_eq!(evaluate("5 x 9"), Ok(6));
/// assert_eq!(evaluate("2x2+1"), Ok(2));
/// ```
///
/// # Errors
/// [`ExpressionError`].
pub fn evaluate(text: &str) -> Result<u64, ExpressionError> {
    let is_hexadecimal = |word: &&str| word.starts_with("0x") || word.starts_with("0X");
    if let Some(word) = text.split_whitespace().find(is_hexadecimal) {
        let fault = ExpressionFault::Hexadecimal(word.to_owned());
        return Err(ExpressionError { input: text.to_owned(), fault });
    }
    let terms = text.split('+').map(|term| {
        let factors = term.split(['x', 'X', '*', '×']).map(number);
        factors.reduce(|a, b| Ok(product(a?, b?))).unwrap_or(Err(ExpressionFault::Missing))
    });
    let value = terms.reduce(|a, b| Ok(sum(a?, b?))).unwrap_or(Err(ExpressionFault::Missing));
    value.map_err(|fault| ExpressionError { input: text.to_owned(), fault })
}

fn number(word: &str) -> Result<u64, ExpressionFault> {
    let word = word.trim();
    if word.is_empty() {
        return Err(ExpressionFault::Missing);
    }
    // `u64::from_str` alone would take a plus sign.
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ExpressionFault::NotANumber(word.to_owned()));
    }
    word.parse().map_err(|_| ExpressionFault::TooLarge(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_come_before_sums() {
        for (text, value) in [("5 + 9", 12), ("5x9", 6), ("2*2 + 2 × 3", 2), ("7", 7), ("3 x 3 x 3 + 0", 1)] {
            assert_eq!(evaluate(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_says_why() {
        for (text, fault) in [
            ("", ExpressionFault::Missing),
            ("5 x", ExpressionFault::Missing),
            ("+ 5", ExpressionFault::Missing),
            ("1 + 0x10", ExpressionFault::Hexadecimal("0x10".to_owned())),
            ("5 9", ExpressionFault::NotANumber("5 9".to_owned())),
            ("-5 + 9", ExpressionFault::NotANumber("-5".to_owned())),
            ("18446744073709551616", ExpressionFault::TooLarge("18446744073709551616".to_owned())),
        ] {
            assert_eq!(evaluate(text).expect_err(text).fault, fault);
        }
    }
}
