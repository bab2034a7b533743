//! The moves of a position up to its symmetry: one of each orbit of elements under the automorphisms that fix the
//! position.
//!
//! ```
//! use antichain_common::{game::move_classes, poset::Poset};
//! let poset: Poset = "boolean:3".parse()?;
//! let classes = move_classes(&poset, &(0..8).collect::<Vec<_>>());
//! let taken: Vec<_> = classes.iter().map(|class| (poset.label(class.element), class.multiplicity)).collect();
//! assert_eq!(taken, [("0".to_owned(), 3), ("01".to_owned(), 3), ("012".to_owned(), 1)]);
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

use super::chomp::Chomp;
use crate::ideal::{Element, Ideal};
use crate::poset::Poset;
use crate::symmetry::{Canonicaliser, Isa};

/// Moves that a symmetry of the position maps to each other, so that what they leave has one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveClass {
    /// The element with the least number among those taken.
    pub element: Element,
    /// Number of moves in the class.
    pub multiplicity: u64,
    /// Members of the ideal that is left after taking [`element`](Self::element), ascending.
    pub leads_to: Vec<Element>,
}

/// The classes of moves of the position with these members, sorted by the element as
/// [`format_position`](crate::poset::format_position) sorts: by rank, then by label, the shorter first. Their
/// multiplicities add up to the number of moves.
///
/// # Panics
/// If a member is no element of the poset.
pub fn move_classes(poset: &Poset, members: &[Element]) -> Vec<MoveClass> {
    match poset.words() {
        1 => classes::<1>(poset, members),
        2 => classes::<2>(poset, members),
        _ => classes::<4>(poset, members),
    }
}

fn classes<const W: usize>(poset: &Poset, members: &[Element]) -> Vec<MoveClass> {
    let game = Chomp::<W>::new(poset);
    let position = members.iter().fold(Ideal::empty(), |set: Ideal<W>, &x| set.with(x));
    let orbits = orbits(&Canonicaliser::new(poset, Isa::detect()), position);
    let choices = game.choices(position);
    let mut classes: Vec<MoveClass> = orbits
        .iter()
        // The least element of the poset is an orbit of its own.
        .filter(|orbit| orbit.is_subset(&choices))
        .filter_map(|orbit| {
            let element = orbit.iter().next()?;
            let leads_to = game.take(position, element).iter().collect();
            Some(MoveClass { element, multiplicity: orbit.len() as u64, leads_to })
        })
        .collect();
    classes.sort_by_cached_key(|class| {
        let label = poset.label(class.element);
        (poset.rank(class.element), label.len(), label)
    });
    classes
}

/// The orbits of the members under the automorphisms that fix the position.
fn orbits<const W: usize>(symmetry: &Canonicaliser<W>, position: Ideal<W>) -> Vec<Ideal<W>> {
    if symmetry.group_order().is_none() {
        // All permutations of an antichain: those of the members are among them.
        return vec![position];
    }
    let Some(action) = symmetry.action() else {
        return position.iter().map(|x| Ideal::empty().with(x)).collect();
    };
    // The stabiliser is known for the canonical form: orbits are found there and brought back.
    let form = symmetry.canonical(position);
    let stabiliser = symmetry.stabiliser(form.ideal);
    let back = action.preimages(form.by);
    let mut orbits = Vec::new();
    let mut rest = form.ideal;
    while let Some(x) = rest.iter().next() {
        let images = stabiliser.iter().map(|&g| usize::from(action.preimages(g)[x]));
        let orbit = images.fold(Ideal::empty(), |orbit: Ideal<W>, y| orbit.with(y));
        rest = rest.difference(&orbit);
        orbits.push(orbit.iter().fold(Ideal::empty(), |set, y| set.with(usize::from(back[y]))));
    }
    orbits
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::definition;
    use crate::oracle;
    use crate::poset::{AutomorphismGroup, format_position};

    fn elements(set: oracle::Mask) -> Vec<Element> {
        oracle::members(set).collect()
    }

    #[test]
    fn classes_are_the_orbits_of_the_stabiliser() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let group = oracle::group_elements(&poset);
            let game = definition::Game::new(&poset);
            // Of all labelled ideals every seventh: canonical ones and others.
            for position in oracle::ideals(&poset).into_iter().step_by(7) {
                let stabiliser: Vec<_> =
                    group.iter().filter(|images| oracle::image(images, position) == position).collect();
                let orbit = |x: Element| stabiliser.iter().map(|images| usize::from(images[x])).collect();
                let chosen = |x: &Element| Chomp::<1>::new(&poset).least() != Some(*x);
                let expected: BTreeSet<BTreeSet<Element>> =
                    oracle::members(position).filter(chosen).map(orbit).collect();
                let classes = move_classes(&poset, &elements(position));
                let found: BTreeSet<_> = classes.iter().map(|class| (class.element, class.multiplicity)).collect();
                let expected = expected.iter().filter_map(|orbit| Some((*orbit.first()?, orbit.len() as u64)));
                assert_eq!(found, expected.collect(), "{spec} {position:b}");
                let options = game.options(position);
                assert_eq!(classes.iter().map(|class| class.multiplicity).sum::<u64>(), options.len() as u64);
                let leads = |class: &MoveClass| class.leads_to.iter().fold(0, |set, x| set | 1 << x);
                assert!(classes.iter().all(|class| options.contains(&leads(class))));
            }
        }
    }

    #[test]
    fn classes_are_sorted_as_positions_are_written() {
        // Divisors: label order is not the order of elements.
        for spec in ["divisors:5040", "chains:2x11", "boolean:5"] {
            let poset: Poset = spec.parse().expect("a poset");
            let all: Vec<Element> = (0..poset.len()).collect();
            let classes = move_classes(&poset, &all);
            assert!(classes.is_sorted_by_key(|class| poset.rank(class.element)));
            for rank in 0..=poset.rank(poset.len() - 1) {
                let of_rank: Vec<Element> =
                    classes.iter().map(|class| class.element).filter(|&x| poset.rank(x) == rank).collect();
                let written = of_rank.iter().map(|&x| poset.label(x)).collect::<Vec<_>>().join(" ");
                assert!(of_rank.is_empty() || format_position(&poset, &of_rank) == written);
            }
        }
    }

    #[test]
    fn the_largest_posets_have_classes() {
        let count = |spec: &str| {
            let poset: Poset = spec.parse().expect("a poset");
            let all: Vec<Element> = (0..poset.len()).collect();
            let classes = move_classes(&poset, &all);
            let has_least = Chomp::<4>::new(&poset).least().is_some();
            let moves = classes.iter().map(|class| class.multiplicity).sum::<u64>();
            assert_eq!(moves, (poset.len() - usize::from(has_least)) as u64, "{spec}");
            classes.len()
        };
        assert_eq!(count("boolean:8"), 8);
        assert_eq!(count("boolean:8:1"), 1);
        assert_eq!(count("boolean:8:0"), 0);
        assert_eq!(count("chain:256"), 255);
        assert_eq!(count("antichain:256"), 1);
        assert_eq!((count("antichain:1"), count("boolean:0"), count("boolean:1")), (0, 0, 1));
        // Multisets of four levels in four equal chains, without the least one.
        assert_eq!(count("chains:4x4x4x4"), 34);
    }

    #[test]
    fn the_empty_position_has_no_moves() {
        let poset: Poset = "boolean:4".parse().expect("a poset");
        assert!(matches!(poset.group(), AutomorphismGroup::Factors(_)));
        assert_eq!(move_classes(&poset, &[]), []);
        assert_eq!(move_classes(&poset, &[0]), []);
    }
}
