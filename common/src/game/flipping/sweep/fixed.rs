//! Fixed-point numbers for tables of values: an integer that stands for itself over `2^places`. Exact or not at all: what
//! does not fit is `None`.

use num_bigint::BigInt;

use super::super::dyadic::Dyadic;

/// An integer that serves as a fixed-point number.
pub(super) trait Fixed: Copy + Ord + Send + Sync {
    /// Nothing.
    const ZERO: Self;
    /// Less than every number: stands for no Left option.
    const LOWEST: Self;
    /// Greater than every number: stands for no Right option.
    const HIGHEST: Self;

    /// The simplest number greater than `left` and less than `right`, which must be greater than `left`.
    fn simplest_between(left: Self, right: Self, places: u32) -> Option<Self>;

    /// The number, unless it is one of the bounds.
    fn dyadic(self, places: u32) -> Option<Dyadic>;
}

macro_rules! fixed {
    ($integer:ty) => {
        impl Fixed for $integer {
            const ZERO: Self = 0;
            const LOWEST: Self = Self::MIN;
            const HIGHEST: Self = Self::MAX;

            #[inline]
            fn simplest_between(left: Self, right: Self, places: u32) -> Option<Self> {
                /// The same for `0 <= low`.
                #[inline]
                fn positive(low: $integer, high: $integer, places: u32) -> Option<$integer> {
                    let next =
                        ((low >> places) + 1).checked_mul(1 << places).filter(|&next| next < <$integer>::HIGHEST);
                    match next {
                        Some(next) if next < high => return Some(next),
                        // The next integer does not fit, and may be the answer.
                        None if high == <$integer>::HIGHEST => return None,
                        _ => {}
                    }
                    // Of all in ]low, last] the one with the most trailing zeros ends where the two first differ.
                    let last = high - 1;
                    let differing = <$integer>::BITS - (low ^ last).leading_zeros();
                    let zeros = differing.checked_sub(1)?;
                    Some(last >> zeros << zeros)
                }
                debug_assert!(left < right);
                if left >= 0 {
                    positive(left, right, places)
                } else if right <= 0 {
                    let high = if left == Self::LOWEST { Self::HIGHEST } else { -left };
                    positive(-right, high, places).map(|size| -size)
                } else {
                    Some(0)
                }
            }

            fn dyadic(self, places: u32) -> Option<Dyadic> {
                let is_number = self != Self::LOWEST && self != Self::HIGHEST;
                is_number.then(|| Dyadic::new(BigInt::from(self), places.into()))
            }
        }
    };
}

fixed!(i64);
fixed!(i128);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::flipping::simplest_between;

    const PLACES: u32 = 6;

    fn agrees<F: Fixed + std::fmt::Debug>(left: F, right: F) {
        let bounds = [left, right].map(|bound| bound.dyadic(PLACES));
        let exact = simplest_between(bounds[0].as_ref(), bounds[1].as_ref()).expect("left < right");
        match F::simplest_between(left, right, PLACES) {
            Some(found) => assert_eq!(found.dyadic(PLACES), Some(exact)),
            None => assert!(exact.places() > PLACES.into(), "{left:?} {right:?}"),
        }
    }

    proptest! {
        #[test]
        fn as_with_numbers_of_any_size(left in -500i64..500, gap in 1i64..300) {
            agrees(left, left + gap);
            agrees(i128::from(left), i128::from(left + gap));
            agrees(left, i64::HIGHEST);
            agrees(i128::LOWEST, i128::from(left));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(i64::simplest_between(5, 6, 0), None, "5 1/2 needs a place");
        assert_eq!(i64::simplest_between(-6, -5, 0), None);
        assert_eq!(i64::simplest_between(-6, -5, 1), None, "from -3 to -5/2");
        assert_eq!(i64::simplest_between(i64::MAX - 1, i64::MAX, 3), None, "the next integer is too large");
        assert_eq!(i64::simplest_between(i64::MIN, i64::MIN + 2, 3), None);
        assert_eq!(i64::simplest_between(3 << 61, i64::MAX, 61), None);
        assert_eq!(i64::simplest_between(2 << 61, i64::MAX, 61), Some(3 << 61));
        // The next integer does not fit, but is not between either.
        assert_eq!(i64::simplest_between(3 << 61, (3 << 61) + 4, 61), Some((3 << 61) + 2));
    }

    #[test]
    fn bounds_are_no_numbers() {
        assert_eq!((i64::LOWEST.dyadic(3), i128::HIGHEST.dyadic(3)), (None, None));
        assert_eq!(i64::simplest_between(i64::LOWEST, i64::HIGHEST, 3), Some(0));
    }
}
