//! How many positions can be reached from one: the ideals within it.

use super::PARTICLES;
use super::particles::{Counting, Particles};
use crate::ideal::Ideal;
use crate::poset::{AutomorphismGroup, Poset};
use crate::space::split::Split;
use crate::symmetry::Isa;

/// Random ideals of a size that are looked at closely, and the images of them all that this may take.
const SEEN: usize = 128;
const IMAGES: usize = 200_000;

/// Estimates of the number of ideals within one, the empty ideal and itself included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reachable {
    /// All of them.
    pub labelled: f64,
    /// Up to the group of the poset.
    pub classes: f64,
}

/// Estimates how many ideals are within `ideal`. A class counts once in all, so each of its ideals that is within counts for
/// one part of as many.
///
/// # Panics
/// If `W` words are too few for the poset.
pub fn reachable<const W: usize>(poset: &Poset, ideal: Ideal<W>) -> Reachable {
    let split = Split::<W>::plain(poset, Isa::detect());
    let all: Vec<Vec<u16>> = match poset.group() {
        // There is one class for each size.
        AutomorphismGroup::AllPermutations => {
            return Reachable { labelled: (ideal.len() as f64).exp2(), classes: ideal.len() as f64 + 1.0 };
        }
        AutomorphismGroup::Trivial => vec![(0..poset.len() as u16).collect()],
        AutomorphismGroup::Factors(group) => group.elements().map(|permutation| group.act(&permutation)).collect(),
    };
    let order = all.len() as u64;
    let is_symmetric = u64::from(split.symmetry.canonical(ideal).stabiliser) == order;
    let images = if is_symmetric { Vec::new() } else { all };
    let seen = (IMAGES / images.len().max(1)).clamp(4, SEEN);
    let mut particles = Particles::draw(&split, &[(Ideal::empty(), 1.0)], PARTICLES, 0);
    let mut total = Reachable { labelled: 1.0, classes: 1.0 };
    for size in 1..=ideal.len() {
        particles.grow(&split, &ideal, Counting::Ideals);
        let labelled = particles.log_total().exp();
        let stride = PARTICLES / seen;
        let (mut weights, mut parts) = (0.0, 0.0);
        for particle in particles.members().iter().skip(size % stride).step_by(stride) {
            let stabiliser = f64::from(split.symmetry.canonical(particle.ideal).stabiliser);
            let is_within = |images: &&Vec<u16>| particle.ideal.iter().all(|x| ideal.contains(usize::from(images[x])));
            // Each image comes as often as the stabiliser has elements.
            let within = if is_symmetric { order as f64 } else { images.iter().filter(is_within).count() as f64 };
            weights += particle.weight;
            parts += particle.weight * stabiliser / within;
        }
        total.labelled += labelled;
        // There is at least one class of every size.
        total.classes += (labelled * parts / weights).max(1.0);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Chomp;
    use crate::poset::parse_position;
    use crate::symmetry::Canonicaliser;
    use std::collections::HashSet;

    #[test]
    fn positions_that_can_be_reached_are_about_as_many() {
        let triples = "012 013 014 023 024 034 123 124 134 234";
        let cases = [("boolean:5:3", triples), ("boolean:6", "0123 045 25 14"), ("chains:4x4x3", "4.2.2 3.4.1")];
        for (spec, position) in cases {
            let poset: Poset = spec.parse().expect("a poset");
            let members = parse_position(&poset, position).expect("a position").members;
            let root = members.iter().fold(Ideal::<1>::empty(), |set, &x| set.with(x));
            let symmetry = Canonicaliser::<1>::new(&poset, Isa::detect());
            // All positions by their moves, and the empty ideal, which no move leads to.
            let game = Chomp::<1>::new(&poset);
            let (mut labelled, mut open) = (HashSet::from([root, Ideal::empty()]), vec![root]);
            while let Some(position) = open.pop() {
                open.extend(game.moves(position).map(|(_, left)| left).filter(|&left| labelled.insert(left)));
            }
            let classes: HashSet<_> = labelled.iter().map(|&position| symmetry.canonical(position).ideal).collect();
            let found = reachable(&poset, root);
            let ratios = [found.labelled / labelled.len() as f64, found.classes / classes.len() as f64];
            assert!(ratios.iter().all(|ratio| (0.7..1.4).contains(ratio)), "{spec} {ratios:?}");
        }
    }
}
