//! Involutions.
//!
//! **Theorem.** Let p be an automorphism of order two of a position I such that the set F of the elements that p fixes is
//! downwards closed. Then I and F have the same Grundy value.
//!
//! **Proof.** The second player wins the sum of the games on I and F, keeping it so that p maps the first part to itself
//! and fixes there just the elements of the second part. A move outside F takes some x in I. Its image p(x) is not above
//! x: else p, applied once more, puts x above p(x) too. So p(x) can be taken in answer, and then p maps what is left to
//! itself; no element of F was above x or p(x), for F is downwards closed. A move of x in F, in either part, is answered
//! by the same in the other part; p maps what is above x to itself. There is always an answer, so the sum is lost, and
//! the two values are equal. ∎ (The least element of the poset is fixed, so it is never an answer.)
//!
//! The condition is needed: of the subsets of two points the exchange of the points fixes the least and the greatest, which
//! by themselves are worth 1, but the whole is worth 2.
//!
//! **Permutations of points.** In a product of chains, let p exchange equal factors ("points") in pairs. F is downwards
//! closed if and only if no member of I is above the least level in both factors of a pair: then F has the members
//! at the least level in all exchanged factors. Proof: if F has a member with a level above the least in an exchanged
//! factor i, then it has the same level in p(i), and below it is the element at level one in i and least elsewhere, which
//! p moves. So if F is downwards closed, its members are at the least level in all exchanged factors, and what is so is
//! downwards closed and fixed. It remains that no member x of I is above the least level in i and p(i): else the element
//! at level one in these two and at the least elsewhere is below x, hence in I, and fixed. ∎ In a Boolean lattice: no
//! member contains a point and its image, and the members that contain moved points are deleted.
//!
//! Reference: A. E. Brouwer and J. D. Christensen, "Counterexamples to conjectures about Subset Takeaway and counting
//! linear extensions of a Boolean lattice", Subsection 2.4.

use std::sync::Arc;

use crate::ideal::{Element, Ideal};
use crate::poset::Poset;
use crate::symmetry::{Canonical, Canonicaliser, GroupElement};

/// What is left of a position when an automorphism of the poset deletes the members it moves; `None` if it moves none,
/// or the theorem says nothing: it does not map the position to itself, is not of order two there, or fixes a member
/// that is above a moved one.
///
/// # Panics
/// If the poset is larger than `W` words or the position no subset of it.
pub fn delete_moved<const W: usize>(
    poset: &Poset,
    position: Ideal<W>,
    image: impl Fn(Element) -> Element,
) -> Option<Ideal<W>> {
    let mut fixed = Ideal::empty();
    for x in position.iter() {
        let y = image(x);
        if y == x {
            // Elements ascend along a linear extension, so all that is below x has been looked at.
            if !poset.lower_covers(x).iter().all(|&below| fixed.contains(usize::from(below))) {
                return None;
            }
            fixed.insert(x);
        } else if !position.contains(y) || image(y) != x {
            return None;
        }
    }
    (fixed != position).then_some(fixed)
}

/// Finds involutions among the automorphisms in use.
pub struct Involutions<const W: usize> {
    poset: Poset,
    symmetry: Arc<Canonicaliser<W>>,
    /// For each pair of points the two elements above the least level in one of them only, and all that are above it in
    /// both.
    pairs: Vec<(Ideal<W>, Ideal<W>)>,
}

impl<const W: usize> Involutions<W> {
    /// For positions of `poset`, with its canonical forms.
    pub fn new(poset: &Poset, symmetry: &Arc<Canonicaliser<W>>) -> Self {
        let points: Vec<Element> = (0..poset.len()).filter(|&x| poset.lower_covers(x) == [0]).collect();
        let pair = |one: Element, other: Element| {
            let above = poset.principal_filter::<W>(one).intersection(&poset.principal_filter(other));
            (Ideal::empty().with(one).with(other), above)
        };
        let pairs = points.iter().enumerate().flat_map(|(i, &one)| points[..i].iter().map(move |&other| (one, other)));
        let pairs = pairs.map(|(one, other)| pair(one, other)).collect();
        Self { poset: poset.clone(), symmetry: Arc::clone(symmetry), pairs }
    }

    /// The smallest ideal to which an involution of the poset's group reduces a canonical position; `None` where none
    /// serves. Most positions have no symmetry of even order or no two points that may be exchanged, and cost little.
    pub fn reduce(&self, position: &Canonical<W>) -> Option<Ideal<W>> {
        if self.symmetry.group_order().is_none() {
            // An antichain: its elements are exchanged in pairs.
            let left = position.ideal.len() % 2;
            return (position.ideal.len() > 1).then(|| Ideal::first(left));
        }
        let may_be_exchanged = |(points, above): &(Ideal<W>, Ideal<W>)| {
            points.is_subset(&position.ideal) && above.intersection(&position.ideal).is_empty()
        };
        if position.stabiliser % 2 == 1 || !self.pairs.iter().any(may_be_exchanged) {
            return None;
        }
        let action = self.symmetry.action()?;
        let of_order_two = |&g: &GroupElement| g != GroupElement::IDENTITY && action.inverse(g) == g;
        let stabiliser = self.symmetry.stabiliser(position.ideal);
        let reduced = stabiliser.into_iter().filter(of_order_two).filter_map(|g| {
            let images = action.preimages(g);
            delete_moved(&self.poset, position.ideal, |x| usize::from(images[x]))
        });
        reduced.min_by_key(Ideal::len)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::game::definition;
    use crate::oracle::{self, Mask};
    use crate::poset::AutomorphismGroup;
    use crate::symmetry::Isa;

    /// The permutations of points of order two, as images of points and as images of elements.
    fn involutions(poset: &Poset) -> Vec<(Vec<u8>, Vec<u16>)> {
        let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
        let twice = |p: &Vec<u8>| p.iter().enumerate().all(|(i, &j)| usize::from(p[usize::from(j)]) == i);
        group.elements().skip(1).filter(twice).map(|p| (p.clone(), group.act(&p))).collect()
    }

    #[test]
    fn deleting_what_an_involution_moves_keeps_the_value() {
        for spec in ["boolean:3", "boolean:4", "boolean:5", "boolean:5:3", "chains:3x3x2", "chains:3x3x3"] {
            let poset: Poset = spec.parse().expect("a poset");
            let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
            let values = definition::Game::new(&poset).values(definition::mex);
            let (mut served, mut refused) = (0, 0);
            for (points, images) in involutions(&poset) {
                let moved: Vec<usize> = (0..points.len()).filter(|&i| usize::from(points[i]) != i).collect();
                let above = |x: Element, i: usize| group.level(x, i) > 0;
                for (&position, value) in &values {
                    let reduced = delete_moved(&poset, Ideal([position]), |x| usize::from(images[x]));
                    let mapped = oracle::image(&images, position) == position;
                    // The condition on points, proved above.
                    let joined = |x| moved.iter().any(|&i| above(x, i) && above(x, usize::from(points[i])));
                    let moves = oracle::members(position).any(|x| usize::from(images[x]) != x);
                    let serves = mapped && moves && !oracle::members(position).any(joined);
                    assert_eq!(reduced.is_some(), serves, "{spec} {position:b} {points:?}");
                    refused += usize::from(mapped && moves && !serves);
                    if let Some(reduced) = reduced {
                        let kept = |x: &Element| moved.iter().all(|&i| !above(*x, i));
                        let expected = oracle::members(position).filter(kept).fold(0, |set, x| set | 1 << x);
                        assert_eq!(reduced.0[0], expected, "{spec} {position:b} {points:?}");
                        assert_eq!(values[&reduced.0[0]], *value, "{spec} {position:b} {points:?}");
                        served += 1;
                    }
                }
            }
            assert!(served >= 4 && refused >= 4, "{spec}: {served} served, {refused} refused");
        }
    }

    #[test]
    fn the_fixed_elements_must_be_downwards_closed() {
        // The game on any set of elements of boolean:4, for the fixed elements need not be an ideal.
        fn value(game: &definition::Game, set: Mask, known: &mut BTreeMap<Mask, u8>) -> u8 {
            if let Some(&value) = known.get(&set) {
                return value;
            }
            let options: Vec<u8> = game.options(set).into_iter().map(|option| value(game, option, known)).collect();
            let mex = definition::mex(&options);
            known.insert(set, mex);
            mex
        }
        let poset: Poset = "boolean:4".parse().expect("a poset");
        let game = definition::Game::new(&poset);
        let values = game.values(definition::mex);
        let (mut known, mut wrong, mut wrong_with_points) = (BTreeMap::new(), 0, 0);
        for (points, images) in involutions(&poset) {
            for (&position, &expected) in &values {
                let mapped = oracle::image(&images, position) == position;
                if !mapped || delete_moved(&poset, Ideal([position]), |x| usize::from(images[x])).is_some() {
                    continue;
                }
                let fixed = oracle::members(position).filter(|&x| usize::from(images[x]) == x);
                let fixed = fixed.fold(0, |set, x| set | 1 << x);
                wrong += usize::from(value(&game, fixed, &mut known) != expected);
                let moved = |x: &Element| {
                    poset.label(*x).bytes().any(|c| c != b'-' && points[usize::from(c - b'0')] != c - b'0')
                };
                let kept = oracle::members(position).filter(|x| !moved(x)).fold(0, |set, x| set | 1 << x);
                wrong_with_points += usize::from(values[&kept] != expected);
            }
        }
        assert!(wrong > 0, "the fixed elements alone are not enough of a condition");
        assert!(wrong_with_points > 0, "nor is it enough to delete the members with moved points");
    }

    #[test]
    fn an_automorphism_of_another_kind_is_refused() {
        let poset: Poset = "boolean:3".parse().expect("a poset");
        let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
        let delete = |labels: &[usize], permutation: &[u8]| {
            let position = labels.iter().fold(Ideal::<1>::empty(), |set, &x| set.union(&poset.principal_ideal(x)));
            let images = group.act(permutation);
            delete_moved(&poset, position, |x| usize::from(images[x]))
        };
        // Three points: a rotation is of order three, an exchange serves.
        assert_eq!(delete(&[1, 2, 3], &[1, 2, 0]), None);
        assert_eq!(delete(&[1, 2, 3], &[1, 0, 2]), Some(Ideal::empty().with(0).with(3)));
        // Two of them: the exchange of one with the third does not map the position to itself.
        assert_eq!(delete(&[1, 2], &[2, 1, 0]), None);
        // One point: an exchange of the others moves nothing.
        assert_eq!(delete(&[1], &[0, 2, 1]), None);
    }

    #[test]
    fn an_antichain_is_deleted_but_for_one_element_at_most() {
        let poset: Poset = "antichain:200".parse().expect("a poset");
        let symmetry = Arc::new(Canonicaliser::<4>::new(&poset, Isa::detect()));
        let involutions = Involutions::new(&poset, &symmetry);
        let reduce = |len| involutions.reduce(&symmetry.canonical(Ideal::first(len)));
        assert_eq!((reduce(0), reduce(1)), (None, None));
        assert_eq!((reduce(2), reduce(199)), (Some(Ideal::empty()), Some(Ideal::first(1))));
    }

    #[test]
    fn the_smallest_of_all_reductions_is_found() {
        for spec in ["boolean:4", "boolean:5", "boolean:5:1", "boolean:4:0", "chains:3x3x3", "chains:3x2x3x2"] {
            let poset: Poset = spec.parse().expect("a poset");
            let symmetry = Arc::new(Canonicaliser::<1>::new(&poset, Isa::detect()));
            let finder = Involutions::new(&poset, &symmetry);
            let involutions = involutions(&poset);
            // Of all labelled ideals every third.
            for position in oracle::ideals(&poset).into_iter().step_by(3) {
                let form = symmetry.canonical(Ideal([position]));
                let all = involutions
                    .iter()
                    .filter_map(|(_, images)| delete_moved(&poset, form.ideal, |x| usize::from(images[x])));
                assert_eq!(finder.reduce(&form).map(|left| left.len()), all.map(|left| left.len()).min(), "{spec}");
            }
        }
    }
}
