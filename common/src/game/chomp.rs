//! The rules of the game: what may be taken, and what is left then.
//!
//! ```
//! use antichain_common::{game::Chomp, ideal::Ideal, poset::Poset};
//! let poset: Poset = "chain:3".parse()?;
//! let game = Chomp::<1>::new(&poset);
//! let moves: Vec<_> = game.moves(Ideal::first(3)).collect();
//! assert_eq!(moves, [(1, Ideal::first(1)), (2, Ideal::first(2))]);
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

use crate::ideal::{Element, Ideal};
use crate::poset::Poset;

/// The game on the ideals of one poset.
#[derive(Clone, Debug)]
pub struct Chomp<const W: usize> {
    /// For each element all that are at least as great.
    filters: Vec<Ideal<W>>,
    least: Option<Element>,
}

impl<const W: usize> Chomp<W> {
    /// The game on `poset`.
    ///
    /// # Panics
    /// If `W` words are too few for the poset; see [`Poset::words`].
    pub fn new(poset: &Poset) -> Self {
        let filters = (0..poset.len()).map(|x| poset.principal_filter(x)).collect();
        Self { filters, least: least_element(poset) }
    }

    /// The element below all others, which is never taken.
    pub fn least(&self) -> Option<Element> {
        self.least
    }

    /// The elements that may be taken.
    #[inline(always)]
    pub fn choices(&self, position: Ideal<W>) -> Ideal<W> {
        self.least.map_or(position, |least| position.without(least))
    }

    /// What is left after `x` was taken.
    ///
    /// # Panics
    /// If the poset has no element `x`.
    #[inline(always)]
    pub fn take(&self, position: Ideal<W>, x: Element) -> Ideal<W> {
        position.difference(&self.filters[x])
    }

    /// All moves, ascending: the element taken, and what is left.
    ///
    /// # Panics
    /// On reaching a member that is no element of the poset.
    #[inline(always)]
    pub fn moves(&self, position: Ideal<W>) -> impl Iterator<Item = (Element, Ideal<W>)> + use<'_, W> {
        self.choices(position).iter().map(move |x| (x, self.take(position, x)))
    }
}

/// The element below all others, where there is one.
pub(super) fn least_element(poset: &Poset) -> Option<Element> {
    // Elements are numbered along a linear extension, so it is the first or none.
    (0..poset.len()).all(|x| poset.is_at_most(0, x)).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::definition;
    use crate::oracle;

    #[test]
    fn moves_are_those_of_the_definition() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let game = Chomp::<1>::new(&poset);
            let definition = definition::Game::new(&poset);
            for ideal in oracle::ideals(&poset) {
                let left: Vec<_> = game.moves(Ideal([ideal])).map(|(_, left)| left.0[0]).collect();
                assert_eq!(left, definition.options(ideal), "{spec} {ideal:b}");
            }
        }
    }

    #[test]
    fn only_an_element_below_all_others_is_never_taken() {
        let least = |spec: &str| Chomp::<4>::new(&spec.parse().expect("a poset")).least();
        for spec in ["boolean:0", "boolean:8", "chain:256", "antichain:1", "divisors:1", "chains:3x3x2"] {
            assert_eq!(least(spec), Some(0), "{spec}");
        }
        assert_eq!((least("antichain:2"), least("antichain:256")), (None, None));
    }
}
