//! Values of single elements, by the theorems of the paper.

use super::TurningGame;
use super::asm::ruler_rows;
use crate::game::nimber::product;
use crate::game::set_partitions::heights;
use crate::poset::covers::{Coordinates, CoverPoset, SetPartitions};

/// The Grundy function of a game on a poset of one of the families.
pub struct GrundyFunction<'a> {
    poset: &'a CoverPoset,
    rule: Rule,
}

enum Rule {
    /// Turning turtles: the number of elements of the longest chain that ends in x.
    Turtles,
    /// Twins: the rank.
    Twins,
    /// The order ideal game where there is a least element (Corollary 4.1), or no two are comparable.
    Least,
    /// The order ideal game on A_n (Theorem 1.1).
    AsmIdeals,
    /// The ruler on a product of chains (Theorems 4.2 and 5.1).
    Chains,
    /// The ruler on elements that cover nothing.
    Antichain,
    /// The ruler on subspaces over a field of even q (Theorem 5.3).
    EvenSubspaces,
    /// The same for odd q.
    OddSubspaces,
    /// The ruler on A_n: values by rank and z (section 6.1).
    Asm(Vec<Vec<u64>>),
    /// The ruler on set partitions: h of the sizes of blocks (Theorem 6.1).
    Partitions(Vec<u32>),
}

impl<'a> GrundyFunction<'a> {
    /// Of a game on a poset.
    pub fn new(game: TurningGame, poset: &'a CoverPoset) -> Self {
        let largest = match poset {
            CoverPoset::Partitions(partitions) => partitions.n(),
            _ => poset.relation().height(),
        };
        Self::up_to(game, poset, largest)
    }

    /// Of a game on what is below some elements of a poset, which may be found sooner.
    pub fn below(game: TurningGame, poset: &'a CoverPoset, tops: &[Coordinates]) -> Self {
        let size = |x: &Coordinates| match poset {
            CoverPoset::Partitions(_) => SetPartitions::type_of(x)[0],
            _ => poset.relation().rank(x),
        };
        Self::up_to(game, poset, tops.iter().map(size).max().unwrap_or(0))
    }

    /// For elements of at most that rank; of set partitions for blocks of at most that size.
    fn up_to(game: TurningGame, poset: &'a CoverPoset, largest: usize) -> Self {
        let rule = match (game, poset) {
            (TurningGame::TurningTurtles, _) => Rule::Turtles,
            (TurningGame::Twins, _) => Rule::Twins,
            (TurningGame::OrderIdealGame, CoverPoset::Asm(_)) => Rule::AsmIdeals,
            (TurningGame::OrderIdealGame, _) => Rule::Least,
            (TurningGame::Ruler, CoverPoset::Chains(_)) => Rule::Chains,
            (TurningGame::Ruler, CoverPoset::Antichain(_)) => Rule::Antichain,
            (TurningGame::Ruler, CoverPoset::Subspaces(spaces)) if spaces.q().is_multiple_of(2) => Rule::EvenSubspaces,
            (TurningGame::Ruler, CoverPoset::Subspaces(_)) => Rule::OddSubspaces,
            (TurningGame::Ruler, CoverPoset::Asm(_)) => Rule::Asm(ruler_rows(largest)),
            (TurningGame::Ruler, CoverPoset::Partitions(_)) => Rule::Partitions(heights(largest)),
        };
        Self { poset, rule }
    }

    /// The value of an element.
    ///
    /// # Panics
    /// If it is not [below](Self::below) those given.
    pub fn of(&self, x: &[u32]) -> u64 {
        let rank = || self.poset.relation().rank(x);
        match &self.rule {
            Rule::Turtles => rank() as u64 + 1,
            Rule::Twins => rank() as u64,
            Rule::Least => u64::from(rank() == 0),
            Rule::AsmIdeals => {
                let (rank, twice) = (rank(), 2 * x[2] as usize);
                u64::from(rank == 0 || rank == twice + 1 || rank + 1 == twice)
            }
            Rule::Chains => x.iter().fold(1, |value, &level| product(value, ruler_sequence(level.into()))),
            Rule::Antichain => 1,
            Rule::EvenSubspaces => ruler_sequence(rank() as u64),
            Rule::OddSubspaces => rank() as u64 % 3 + 1,
            Rule::Asm(rows) => rows[rank()][x[2] as usize],
            Rule::Partitions(heights) => {
                let sizes = SetPartitions::type_of(x);
                sizes.into_iter().fold(1, |value, size| product(value, heights[size - 1].into()))
            }
        }
    }

    /// Values by rank, where they depend on nothing else.
    pub fn by_rank(&self) -> Option<Box<dyn Fn(usize) -> u64>> {
        Some(match (&self.rule, self.poset) {
            (Rule::Turtles, _) => Box::new(|rank| rank as u64 + 1),
            (Rule::Twins, _) => Box::new(|rank| rank as u64),
            (Rule::Least, _) => Box::new(|rank| u64::from(rank == 0)),
            (Rule::Antichain, _) => Box::new(|_| 1),
            (Rule::EvenSubspaces, _) => Box::new(|rank| ruler_sequence(rank as u64)),
            (Rule::OddSubspaces, _) => Box::new(|rank| rank as u64 % 3 + 1),
            (Rule::Chains, CoverPoset::Chains(chains)) if chains.is_chain() => {
                Box::new(|rank| ruler_sequence(rank as u64))
            }
            // 2 x 2 = 3 and 2 x 3 = 1.
            (Rule::Chains, CoverPoset::Chains(chains)) if chains.is_boolean() => Box::new(|rank| rank as u64 % 3 + 1),
            _ => return None,
        })
    }

    /// On A_n, where values depend on rank and z alone: rows by rank, each from z = 0 on.
    ///
    /// # Panics
    /// If it is not of the whole poset.
    pub fn rows(&self) -> Option<Vec<Vec<u64>>> {
        let CoverPoset::Asm(_) = self.poset else { return None };
        let height = self.poset.relation().height() as u32;
        // (n - 2 - r, 0, z) has rank r.
        let row = |rank: u32| (0..=rank).map(|z| self.of(&[height - rank, 0, z])).collect();
        Some((0..=height).map(row).collect())
    }

    /// Of the ruler on set partitions: h(1), h(2), ...
    pub fn heights(&self) -> Option<&[u32]> {
        match &self.rule {
            Rule::Partitions(heights) => Some(heights),
            _ => None,
        }
    }

    /// Where its values come from.
    pub fn source(&self) -> &'static str {
        match self.rule {
            Rule::Turtles | Rule::Twins => "the longest chain below an element (section 4.4)",
            Rule::Least => "Corollary 4.1",
            Rule::AsmIdeals => "Theorem 1.1",
            Rule::Chains => "nim-products of the ruler sequence (Theorem 4.2)",
            Rule::Antichain => "no element is below another",
            Rule::EvenSubspaces | Rule::OddSubspaces => "the dimension (Theorem 5.3)",
            Rule::Asm(_) => "rank and z (section 6.1)",
            Rule::Partitions(_) => "nim-products of h (Theorem 6.1)",
        }
    }
}

/// The ruler on a chain, at the element above `below` others: the largest power of two that divides `below + 1`
/// (Theorem 5.1).
pub fn ruler_sequence(below: u64) -> u64 {
    1 << (below + 1).trailing_zeros()
}
