//! Strategy stealing.
//!
//! **Theorem.** A position with exactly one maximal element, which is not the least element of the poset, is won by the
//! player to move.
//!
//! **Proof.** Let m be the maximal element; taking it leaves Q, all others. If Q is lost, that wins. Otherwise some y in Q
//! wins from Q: what it leaves, Q without the elements above y, is lost. But m is above y too, so taking y at once leaves
//! the same. ∎
//!
//! The proof does not say which move wins, nor more of the Grundy value than that it is not 0. Of complete Boolean lattices
//! this is Gale's and Neyman's remark: D. Gale and A. Neyman, "Nim-type games", International Journal of Game Theory 11
//! (1982).

use crate::game::chomp::least_element;
use crate::ideal::Ideal;
use crate::poset::Poset;

/// The ideals with one maximal element.
#[derive(Clone, Debug)]
pub struct StrategyStealing<const W: usize> {
    /// The ideal below each element; none for the least element of the poset, which cannot be taken.
    below: Vec<Option<Ideal<W>>>,
}

impl<const W: usize> StrategyStealing<W> {
    /// For the positions of `poset`.
    ///
    /// # Panics
    /// If `W` words are too few for the poset.
    pub fn new(poset: &Poset) -> Self {
        let least = least_element(poset);
        let below = (0..poset.len()).map(|x| (Some(x) != least).then(|| poset.principal_ideal(x))).collect();
        Self { below }
    }

    /// Whether the theorem says that the position is won. Where it does not, nothing is known.
    ///
    /// # Panics
    /// If the member with the highest number is no element of the poset.
    #[inline(always)]
    pub fn wins(&self, position: &Ideal<W>) -> bool {
        !position.is_empty() && self.below[position.last()].as_ref() == Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::definition;
    use crate::oracle;

    #[test]
    fn positions_with_one_maximal_element_are_won_and_no_others_are_claimed() {
        for spec in definition::POSETS.into_iter().chain(["antichain:1", "boolean:0", "boolean:5"]) {
            let poset: Poset = spec.parse().expect("a poset");
            let theorem = StrategyStealing::<1>::new(&poset);
            for (position, value) in definition::Game::new(&poset).values(definition::outcome) {
                let one = oracle::maximal(&poset, position).len() == 1;
                // Only the least element of the poset, alone, is lost with one maximal element.
                let wins = theorem.wins(&Ideal([position]));
                assert_eq!(wins, one && value == 1, "{spec} {position:b}");
                assert!(wins || !one || position == 1);
            }
        }
    }
}
