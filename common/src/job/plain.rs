//! Ideals dealt with plainly, for checks: sets of elements and cover relations, no canonical forms, no codes, no layers of
//! bases, nothing that the engine computes with but the poset itself.
//!
//! ```text
//! e(I + x) adds e(I) for every x that can be added   (the engine adds up e(I - x) over what can be removed)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::ideal::{Element, Ideal};
use crate::poset::{AutomorphismGroup, Poset};

/// A set of elements of any poset.
pub(super) type Set = Ideal<4>;

/// A poset and, as lists, the automorphisms in use.
pub(super) struct Plain<'a> {
    poset: &'a Poset,
    /// For each automorphism the images of all elements; `None` where every permutation is one.
    automorphisms: Option<Vec<Vec<u16>>>,
}

impl<'a> Plain<'a> {
    /// Lists the automorphisms.
    pub fn new(poset: &'a Poset) -> Self {
        let automorphisms = match poset.group() {
            AutomorphismGroup::AllPermutations => None,
            AutomorphismGroup::Trivial => Some(vec![(0..poset.len() as u16).collect()]),
            AutomorphismGroup::Factors(group) => Some(group.elements().map(|p| group.act(&p)).collect()),
        };
        Self { poset, automorphisms }
    }

    /// Whether everything below a member is a member.
    pub fn is_ideal(&self, set: &Set) -> bool {
        set.iter().all(|x| x < self.poset.len() && contains_all(set, self.poset.lower_covers(x)))
    }

    /// The maximal elements of an ideal.
    pub fn maximal(&self, ideal: Set) -> impl Iterator<Item = Element> {
        ideal.iter().filter(move |&x| !self.poset.upper_covers(x).iter().any(|&y| ideal.contains(usize::from(y))))
    }

    /// The elements from number `from` on that can be added to an ideal.
    pub fn addable(&self, ideal: Set, from: Element) -> impl Iterator<Item = Element> {
        let elements = from..self.poset.len();
        elements.filter(move |&x| !ideal.contains(x) && contains_all(&ideal, self.poset.lower_covers(x)))
    }

    /// The ideals with at most `top` elements that have no element below number `from` besides those of `ideal`; `None` if
    /// they are more than `most`.
    pub fn ideals_over(&self, ideal: Set, from: Element, top: usize, most: usize) -> Option<BTreeSet<Set>> {
        let mut found = BTreeSet::from([ideal]);
        let mut todo = vec![ideal];
        while let Some(smaller) = todo.pop() {
            if smaller.len() == top {
                continue;
            }
            for x in self.addable(smaller, from) {
                let larger = smaller.with(x);
                if found.insert(larger) {
                    todo.push(larger);
                }
            }
            if found.len() > most {
                return None;
            }
        }
        Some(found)
    }

    /// An automorphism, as images of all elements, that maps a set onto another.
    pub fn carrying(&self, from: &Set, to: &Set) -> Option<Vec<u16>> {
        let Some(automorphisms) = &self.automorphisms else {
            return (from.len() == to.len()).then(|| self.rearranging(from, to));
        };
        let carries = |images: &&Vec<u16>| from.iter().all(|x| to.contains(usize::from(images[x])));
        // Images of different elements differ, so equal numbers are enough.
        automorphisms.iter().filter(|_| from.len() == to.len()).find(carries).cloned()
    }

    /// A permutation of all elements that maps a set onto another of the same size.
    fn rearranging(&self, from: &Set, to: &Set) -> Vec<u16> {
        let mut members = to.iter();
        let mut others = (0..self.poset.len()).filter(|&x| !to.contains(x));
        let image = |x| if from.contains(x) { members.next() } else { others.next() };
        (0..self.poset.len()).filter_map(image).map(|x| x as u16).collect()
    }

    /// Number of automorphisms that map a set onto itself; `None` where every permutation is an automorphism.
    pub fn stabiliser(&self, set: &Set) -> Option<usize> {
        let fixes = |images: &&Vec<u16>| set.iter().all(|x| set.contains(usize::from(images[x])));
        self.automorphisms.as_ref().map(|automorphisms| automorphisms.iter().filter(fixes).count())
    }

    /// One set of each orbit among sets of one size that are a union of orbits; `None` if that takes more than `most`
    /// images.
    pub fn representatives<'b>(&self, sets: impl Iterator<Item = &'b Set>, most: usize) -> Option<Vec<Set>> {
        let mut rest: BTreeSet<Set> = sets.copied().collect();
        let mut representatives = Vec::new();
        while let Some(&set) = rest.first() {
            representatives.push(set);
            let Some(automorphisms) = &self.automorphisms else { break };
            if representatives.len() * automorphisms.len() > most {
                return None;
            }
            for images in automorphisms {
                rest.remove(&image(images, &set));
            }
        }
        Some(representatives)
    }

    /// The number of linear extensions of every ideal with one more element, given those of one size.
    pub fn next_size(&self, values: &BTreeMap<Set, BigUint>) -> BTreeMap<Set, BigUint> {
        let mut larger: BTreeMap<Set, BigUint> = BTreeMap::new();
        for (&ideal, value) in values {
            for x in self.addable(ideal, 0) {
                *larger.entry(ideal.with(x)).or_default() += value;
            }
        }
        larger
    }
}

fn contains_all(set: &Set, elements: &[u16]) -> bool {
    elements.iter().all(|&y| set.contains(usize::from(y)))
}

/// The image of a set under an automorphism.
pub(super) fn image(images: &[u16], set: &Set) -> Set {
    set.iter().fold(Set::empty(), |image, x| image.with(usize::from(images[x])))
}

/// The set with these words, least significant first; `None` if they are too many.
pub(super) fn set_of_words(words: &[u64]) -> Option<Set> {
    let mut set = Set::empty();
    set.0.get_mut(..words.len())?.copy_from_slice(words);
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    fn set(mask: oracle::Mask) -> Set {
        Ideal([mask, 0, 0, 0])
    }

    #[test]
    fn sizes_follow_each_other_as_by_the_definition() {
        for spec in ["boolean:4", "chains:3x3x2", "antichain:6", "divisors:60"] {
            let poset: Poset = spec.parse().expect("a poset");
            let plain = Plain::new(&poset);
            let expected = oracle::extensions(&poset);
            let orbits = oracle::counts_by_size(&poset);
            let mut values = BTreeMap::from([(Set::empty(), BigUint::from(1u8))]);
            let mut found = 0;
            for (size, (orbits, labelled)) in orbits.into_iter().enumerate() {
                assert!(values.iter().all(|(ideal, value)| ideal.len() == size && expected[&ideal.0[0]] == *value));
                let representatives = plain.representatives(values.keys(), 10_000).expect("few images");
                assert_eq!((representatives.len(), values.len()), (orbits, labelled), "{spec}");
                found += values.len();
                values = plain.next_size(&values);
            }
            assert_eq!(found, expected.len());
            assert!(values.is_empty());
            assert_eq!(plain.ideals_over(Set::empty(), 0, poset.len(), found).map(|all| all.len()), Some(found));
            assert_eq!(plain.ideals_over(Set::empty(), 0, poset.len(), found - 1), None);
        }
    }

    #[test]
    fn automorphisms_carry_sets_within_their_orbit_only() {
        for spec in ["boolean:3", "chains:3x3", "antichain:4"] {
            let poset: Poset = spec.parse().expect("a poset");
            let plain = Plain::new(&poset);
            let group = oracle::group_elements(&poset);
            let ideals = oracle::ideals(&poset);
            for &from in &ideals {
                assert!(plain.is_ideal(&set(from)));
                assert_eq!(plain.maximal(set(from)).collect::<Vec<_>>(), oracle::maximal(&poset, from));
                for &to in &ideals {
                    let related = oracle::least_image(&group, from) == oracle::least_image(&group, to);
                    let images = plain.carrying(&set(from), &set(to));
                    assert_eq!(images.is_some(), related, "{spec} {from:b} {to:b}");
                    assert!(images.is_none_or(|images| image(&images, &set(from)) == set(to)));
                }
                let stabiliser = group.iter().filter(|images| oracle::image(images, from) == from).count();
                assert!(plain.stabiliser(&set(from)).is_none_or(|order| order == stabiliser));
            }
        }
    }
}
