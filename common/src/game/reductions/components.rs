//! Disjoint unions.
//!
//! **Theorem.** Let a position without the least element of the poset (where there is one and it is a member) fall into
//! parts such that no element of one is comparable to one of another. Its Grundy value is the Nim sum (exclusive or) of
//! the values of the parts, each together with the least element.
//!
//! **Proof.** A move takes an element and what is above it, all in one part, and leaves the other parts as they were; the
//! least element is never taken. So the position is the sum of the games on the parts, and the theorem of Sprague (1935)
//! and Grundy (1939) applies. ∎
//!
//! The finest such parts are the connected components of the comparability graph. Everything is above a minimal element,
//! so that components are unions of what is above minimal elements: two of those belong together if they share a member.

use crate::game::chomp::least_element;
use crate::ideal::{Element, Ideal};
use crate::poset::Poset;

/// Finds the components of the positions of one poset.
#[derive(Clone, Debug)]
pub struct Components<const W: usize> {
    /// For each minimal element of the poset without its least element all that are at least as great.
    filters: Vec<Ideal<W>>,
    least: Option<Element>,
}

impl<const W: usize> Components<W> {
    /// For the positions of `poset`.
    ///
    /// # Panics
    /// If `W` words are too few for the poset.
    pub fn new(poset: &Poset) -> Self {
        let least = least_element(poset);
        let below = |x| poset.lower_covers(x).iter().filter(|&&y| Some(usize::from(y)) != least).count();
        let minimal = (0..poset.len()).filter(|&x| Some(x) != least && below(x) == 0);
        Self { filters: minimal.map(|x| poset.principal_filter(x)).collect(), least }
    }

    /// The parts, each an ideal with the least element of the poset where the position has it; `None` where there are
    /// fewer than two.
    pub fn split(&self, position: Ideal<W>) -> Option<Vec<Ideal<W>>> {
        let (least, mut rest) = match self.least {
            Some(least) if position.contains(least) => (Ideal::empty().with(least), position.without(least)),
            _ => (Ideal::empty(), position),
        };
        let first = self.component(rest);
        if first == rest {
            return None;
        }
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let part = self.component(rest);
            parts.push(part.union(&least));
            rest = rest.difference(&part);
        }
        Some(parts)
    }

    /// A component of a union of components without the least element; empty where that is.
    fn component(&self, rest: Ideal<W>) -> Ideal<W> {
        let mut part = Ideal::empty();
        loop {
            let before = part;
            for filter in &self.filters {
                let above = filter.intersection(&rest);
                if part.is_empty() || !above.intersection(&part).is_empty() {
                    part = part.union(&above);
                }
            }
            if part == before {
                return part;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::definition;
    use crate::oracle::{self, Mask};

    /// The parts by growing each from one element over all comparable ones.
    fn parts(poset: &Poset, position: Mask, least: Mask) -> BTreeSet<Mask> {
        let comparable = |x, y| oracle::at_most(poset, x, y) || oracle::at_most(poset, y, x);
        let grow = |mut part: Mask| {
            for _ in 0..poset.len() {
                let reached = |y: &Element| oracle::members(part & !least).any(|x| comparable(x, *y));
                part = oracle::members(position & !least).filter(reached).fold(part, |part, y| part | 1 << y);
            }
            part
        };
        oracle::members(position & !least).map(|x| grow(1 << x) | position & least).collect()
    }

    #[test]
    fn the_value_is_the_nim_sum_over_the_components() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let components = Components::<1>::new(&poset);
            let least = components.least.map_or(0, |x| 1 << x);
            let values = definition::Game::new(&poset).values(definition::mex);
            let mut found = 0;
            for (&position, &value) in &values {
                let split = components.split(Ideal([position]));
                let expected = parts(&poset, position, least);
                assert_eq!(split.is_some(), expected.len() > 1, "{spec} {position:b}");
                if let Some(parts) = split {
                    let parts: Vec<Mask> = parts.into_iter().map(|part| part.0[0]).collect();
                    assert_eq!(parts.iter().copied().collect::<BTreeSet<_>>(), expected, "{spec} {position:b}");
                    assert_eq!(parts.iter().fold(0, |sum, part| sum ^ values[part]), value, "{spec} {position:b}");
                    found += 1;
                }
            }
            assert_eq!(found > 0, spec != "chain:7", "{spec}");
        }
    }

    #[test]
    fn parts_that_share_more_than_the_least_element_do_not_add() {
        // Two edges with a common point, and the third of three points that hang together: 01 and 02.
        let poset: Poset = "boolean:3".parse().expect("a poset");
        let values = definition::Game::new(&poset).values(definition::mex);
        let [one, other] = [4, 5].map(|x| poset.principal_ideal::<1>(x).0[0]);
        assert_ne!(values[&(one | other)], values[&one] ^ values[&other]);
        assert_eq!(Components::<1>::new(&poset).split(Ideal([one | other])), None);
    }
}
