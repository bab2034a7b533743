//! Numbers of ideals that are known, or estimated.

use std::fmt;

use num_bigint::BigUint;
use serde::{Serialize, Serializer};

/// A number of ideals.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// Right to the last digit.
    Exact(BigUint),
    /// An estimate.
    About(f64),
}

impl Amount {
    /// Whether it is right to the last digit.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// The number as a float; infinite if it is too large for one.
    pub fn to_f64(&self) -> f64 {
        match self {
            // A decimal string parses to the nearest float.
            Self::Exact(number) => number.to_string().parse().unwrap_or(f64::INFINITY),
            Self::About(number) => *number,
        }
    }
}

/// In decimal: to the last digit where it is exact, else to three significant ones.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(number) => number.fmt(f),
            Self::About(number) => write!(f, "{:.0}", format!("{number:.2e}").parse().unwrap_or(*number)),
        }
    }
}

/// As the decimal string.
impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_exact_as_they_are() {
        assert_eq!(Amount::Exact(490_013_148u32.into()).to_string(), "490013148");
        assert_eq!(Amount::About(490_013_148.0).to_string(), "490000000");
        assert_eq!(Amount::About(0.0).to_string(), "0");
        let huge = Amount::Exact(BigUint::from(1u8) << 200);
        assert_eq!(huge.to_f64(), 2f64.powi(200));
        assert_eq!(huge.to_string().len(), 61);
    }
}
