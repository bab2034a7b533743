//! The simplest-number rule: a game whose options are numbers, every Left one less than every Right one, is the number of
//! the earliest birthday between them (Definition 2.1 of the paper).
//!
//! ```
//! use antichain_common::game::flipping::{Dyadic, simplest_between};
//! let (half, one) = (Dyadic::power_of_half(1), Dyadic::from(1));
//! assert_eq!(simplest_between(Some(&half), Some(&one)).map(|number| number.to_string()), Some("3/4".to_owned()));
//! assert_eq!(simplest_between(Some(&one), None), Some(Dyadic::from(2)));
//! assert_eq!(simplest_between(Some(&one), Some(&one)), None);
//! ```

use std::cmp::Ordering;

use super::dyadic::Dyadic;

/// The simplest number greater than `left` and less than `right`, where these are given: the integer closest to 0, or else
/// the number with the least denominator. `None` if there is no number between them.
pub fn simplest_between(left: Option<&Dyadic>, right: Option<&Dyadic>) -> Option<Dyadic> {
    match (left, right) {
        (Some(left), Some(right)) if left >= right => None,
        (Some(left), right) if left.sign() != Ordering::Less => Some(simplest_positive(left, right)),
        (left, Some(right)) if right.sign() != Ordering::Greater => {
            let (low, high) = (-right.clone(), left.map(|left| -left.clone()));
            Some(-simplest_positive(&low, high.as_ref()))
        }
        _ => Some(Dyadic::ZERO),
    }
}

/// The same for `0 <= left < right`.
fn simplest_positive(left: &Dyadic, right: Option<&Dyadic>) -> Dyadic {
    let next = Dyadic::from(left.floor() + 1);
    let Some(right) = right else { return next };
    if next < *right {
        return next;
    }
    // Numbers of one more place than both lie strictly between. Of all in ]left, last] the one with the most trailing zeros
    // ends where the bounds first differ.
    let places = left.places().max(right.places()) + 1;
    let (low, last) = (left.scaled_to(places), right.scaled_to(places) - 1);
    let zeros = (&low ^ &last).bits() - 1;
    Dyadic::new((last >> zeros) << zeros, places)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;

    /// By search: integers by size, then numerators over 2, 4, 8, ...
    fn by_search(left: Option<&Dyadic>, right: Option<&Dyadic>) -> Option<Dyadic> {
        let fits = |number: &Dyadic| left.is_none_or(|left| left < number) && right.is_none_or(|right| number < right);
        let integers = (0..1000).flat_map(|size| [size, -size]).map(Dyadic::from);
        let fractions = (1..8u64).flat_map(|places| {
            (-1000i64 << places..1000 << places).map(move |numerator| Dyadic::new(BigInt::from(numerator), places))
        });
        integers.chain(fractions).find(fits)
    }

    fn bounds() -> impl Strategy<Value = Option<Dyadic>> {
        let number = (-40i32..40, 0u64..6).prop_map(|(numerator, places)| Dyadic::new(numerator.into(), places));
        prop::option::weighted(0.8, number)
    }

    proptest! {
        #[test]
        fn found_by_search_too(left in bounds(), right in bounds()) {
            // Between equal or crossed bounds a search would find nothing, after long.
            let crossed = matches!((&left, &right), (Some(left), Some(right)) if left >= right);
            let expected = if crossed { None } else { by_search(left.as_ref(), right.as_ref()) };
            prop_assert_eq!(simplest_between(left.as_ref(), right.as_ref()), expected);
        }
    }

    #[test]
    fn without_bounds_it_is_zero() {
        assert_eq!(simplest_between(None, None), Some(Dyadic::ZERO));
        let (two, minus_two) = (Dyadic::from(2), Dyadic::from(-2));
        assert_eq!(simplest_between(None, Some(&two)), Some(Dyadic::ZERO));
        assert_eq!(simplest_between(Some(&minus_two), None), Some(Dyadic::ZERO));
        assert_eq!(simplest_between(None, Some(&minus_two)), Some(Dyadic::from(-3)));
        assert_eq!(simplest_between(None, Some(&Dyadic::ZERO)), Some(Dyadic::from(-1)));
    }
}
