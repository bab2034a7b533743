//! Exact numbers at both ends: the small ideals with their linear extensions, the large ones with the ways to complete
//! them.
//!
//! Canonical ideals are listed size by size, from the empty one upwards and from the whole poset downwards, as long as
//! a layer has no more than some number of them and the two ends have not met. Ideals of an orbit have equally many
//! linear extensions, and are completed in equally many ways.

use std::collections::HashMap;

use num_bigint::BigUint;

use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::space::split::Split;
use crate::symmetry::Isa;
use crate::watch::{Stopped, Watch};

/// Ideals that are handled between two looks at the watch.
const BETWEEN_LOOKS: usize = 1 << 12;

/// Canonical ideals of one size, each with a number; ascending.
type Layer = Vec<(Ideal<4>, BigUint)>;

/// What is known exactly.
pub struct Frontier {
    split: Split<4>,
    /// With the numbers of linear extensions of all ideals of the orbit together.
    lower: Layer,
    /// Number of elements of the ideals in `lower`.
    pub first: usize,
    /// With the ways to complete each.
    upper: Layer,
    /// Number of elements of the ideals in `upper`.
    pub last: usize,
}

impl Frontier {
    /// As many layers from both ends as have at most `most` canonical ideals each, and always one at each end.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new(poset: &Poset, most: usize, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let split = Split::<4>::plain(poset, Isa::detect());
        let one = |ideal| vec![(ideal, BigUint::from(1u8))];
        let (mut lower, mut upper) = (one(Ideal::empty()), one(split.whole_base));
        let (mut first, mut last) = (0, poset.len());
        let (mut may_rise, mut may_sink) = (true, true);
        // By turns, so that two equal ends come equally far.
        while first < last && (may_rise || may_sink) {
            if may_rise {
                let above = |ideal| split.addable(ideal).map(move |x| ideal.with(x));
                match next(&split, &lower, above, most, watch)? {
                    Some(next) => (lower, first) = (next, first + 1),
                    None => may_rise = false,
                }
            }
            if may_sink && first < last {
                let below = |ideal| split.removable(ideal).map(move |x| ideal.without(x));
                match next(&split, &upper, below, most, watch)? {
                    Some(next) => (upper, last) = (next, last - 1),
                    None => may_sink = false,
                }
            }
        }
        for (ideal, ways) in &mut upper {
            let orbit = split.symmetry.orbit_size(&split.symmetry.canonical(*ideal));
            *ways /= BigUint::from_bytes_le(&orbit.to_le_bytes::<40>());
        }
        Ok(Self { split, lower, first, upper, last })
    }

    /// The number of linear extensions, if both ends have met.
    pub fn exact(&self) -> Option<BigUint> {
        let product = |(ideal, extensions): &(Ideal<4>, BigUint)| extensions * self.completions(*ideal);
        (self.first == self.last).then(|| self.lower.iter().map(product).sum())
    }

    /// The canonical ideals of size [`first`](Self::first), with the number of linear extensions of all ideals of the
    /// orbit.
    pub fn lower(&self) -> &[(Ideal<4>, BigUint)] {
        &self.lower
    }

    /// In how many ways an ideal of size [`last`](Self::last) is completed.
    ///
    /// # Panics
    /// If it is no ideal of that size.
    pub fn completions(&self, ideal: Ideal<4>) -> &BigUint {
        // Very symmetric ideals take long to be made canonical, and where there is but one orbit, its ideals mostly
        // are.
        if let [(_, ways)] = &self.upper[..] {
            return ways;
        }
        let canonical = self.split.symmetry.canonical(ideal).ideal;
        let place = self.upper.binary_search_by_key(&canonical, |(ideal, _)| *ideal);
        &self.upper[place.expect("all canonical ideals of this size are listed")].1
    }
}

/// The next layer, given the neighbours of an ideal in it, unless it has more than `most` ideals.
fn next<I: Iterator<Item = Ideal<4>>>(
    split: &Split<4>,
    layer: &Layer,
    neighbours: impl Fn(Ideal<4>) -> I,
    most: usize,
    watch: &Watch<'_>,
) -> Result<Option<Layer>, Stopped> {
    let mut next: HashMap<Ideal<4>, BigUint> = HashMap::new();
    for ideals in layer.chunks(BETWEEN_LOOKS) {
        watch.check()?;
        for (ideal, paths) in ideals {
            // Every path to an ideal of the orbit goes on to the same number of ideals of each orbit.
            for neighbour in neighbours(*ideal) {
                *next.entry(split.symmetry.canonical(neighbour).ideal).or_default() += paths;
            }
        }
        if next.len() > most {
            return Ok(None);
        }
    }
    let mut next: Layer = next.into_iter().collect();
    next.sort_unstable_by_key(|(ideal, _)| *ideal);
    Ok(Some(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Interrupt;

    fn frontier(spec: &str, most: usize) -> Frontier {
        let interrupt = Interrupt::new();
        Frontier::new(&spec.parse().expect("a poset"), most, &Watch::new(&interrupt)).expect("not stopped")
    }

    #[test]
    fn ends_that_meet_give_the_number_itself() {
        for (spec, expected) in [
            ("boolean:4", "1680384"),
            ("boolean:5", "14807804035657359360"),
            ("boolean:5:2", "1383782400"),
            ("chains:3x3x3", "6405442434150"),
            ("chains:2x2x2x3", "409158464142"),
            ("divisors:360", "20071150430"),
            ("antichain:5", "120"),
            ("chain:7", "1"),
        ] {
            assert_eq!(frontier(spec, 1000).exact(), expected.parse().ok(), "{spec}");
        }
        assert!(frontier("boolean:5", 5).exact().is_none());
        assert!(frontier("antichain:256", 1).exact().is_some());
    }

    #[test]
    fn nothing_is_known_but_the_ends_if_that_is_wanted() {
        let frontier = frontier("boolean:5", 0);
        assert_eq!((frontier.first, frontier.last), (0, 32));
        assert_eq!(frontier.completions(Ideal::first(32)), &BigUint::from(1u8));
    }
}
