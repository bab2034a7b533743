//! Finite posets of any size, known by their cover relations: elements are made when they are asked for.
//!
//! The engine for questions on ideals numbers elements and keeps sets of them ([`Poset`](super::Poset)). Coin-turning games
//! ask for single elements of posets with 10^5 elements and more, so here an element is a short list of numbers, its
//! coordinates, and a family of posets says which elements it covers, how it compares, and how users write it.
//!
//! ```
//! use antichain_common::poset::covers::CoverPoset;
//! let poset: CoverPoset = "asm:62".parse()?;
//! assert_eq!(poset.relation().len(), 39_711u32.into());
//! let top = poset.relation().read("0,0,30").expect("an element");
//! assert_eq!(poset.relation().rank(&top), 60);
//! assert_eq!(poset.relation().lower_covers(&top).len(), 4);
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

mod antichain;
mod asm;
mod chains;
mod field;
mod hasse;
mod partitions;
mod read;
mod spec;
mod subspaces;

#[cfg(test)]
mod tests;

use num_bigint::BigUint;

pub use antichain::Antichain;
pub use asm::AsmPoset;
pub use chains::Chains;
pub use field::FiniteField;
pub use hasse::{Hasse, TooManyElements};
pub use partitions::{SetPartitions, bell_number};
pub use read::{ElementError, ElementFault};
pub(in crate::poset) use spec::COVER_FAMILIES;
pub use subspaces::Subspaces;

/// An element of a poset: numbers whose meaning is the family's. Within a rank, elements are listed in the order of these.
pub type Coordinates = Vec<u32>;

/// What a family says of one of its posets.
#[expect(clippy::len_without_is_empty, reason = "no family has an empty poset")]
pub trait CoverRelation {
    /// The specification in its normal form.
    fn name(&self) -> String;

    /// Number of elements, at least 1.
    fn len(&self) -> BigUint;

    /// Number of coordinates of an element, at most.
    fn coordinates(&self) -> usize;

    /// The largest rank.
    fn height(&self) -> usize;

    /// Number of elements of each rank, from 0 to the largest one.
    fn len_by_rank(&self) -> Vec<BigUint>;

    /// Length of the longest chain strictly below an element.
    fn rank(&self, x: &[u32]) -> usize;

    /// The maximal elements.
    fn maximal(&self) -> Vec<Coordinates>;

    /// The elements that `x` covers.
    fn lower_covers(&self, x: &[u32]) -> Vec<Coordinates>;

    /// Number of elements that `x` covers: more of them than memory holds cannot be made.
    fn len_of_lower_covers(&self, x: &[u32]) -> BigUint {
        self.lower_covers(x).len().into()
    }

    /// Whether `x <= y`.
    fn is_at_most(&self, x: &[u32], y: &[u32]) -> bool;

    /// How users write an element.
    fn label(&self, x: &[u32]) -> String;

    /// The element that a word means.
    ///
    /// # Errors
    /// [`ElementFault`].
    fn element(&self, word: &str) -> Result<Coordinates, ElementFault>;

    /// How to write an element, after the word "write".
    fn usage(&self) -> String;

    /// The element that a word means.
    ///
    /// # Errors
    /// [`ElementError`]: what was typed, why it is no element, and what to type instead.
    fn read(&self, word: &str) -> Result<Coordinates, ElementError> {
        self.element(word).map_err(|fault| ElementError { input: word.to_owned(), fault, usage: self.usage() })
    }
}

/// A poset of one of the families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverPoset {
    /// Products of chains: `chain:5`, `chains:3x3x2`, `boolean:7`, `boolean:7:3`, `divisors:360`.
    Chains(Chains),
    /// `antichain:6`.
    Antichain(Antichain),
    /// `asm:5`.
    Asm(AsmPoset),
    /// `partitions:4`.
    Partitions(SetPartitions),
    /// `subspaces:3:2`.
    Subspaces(Subspaces),
}

impl CoverPoset {
    /// What its family says of it.
    pub fn relation(&self) -> &(dyn CoverRelation + Sync) {
        match self {
            Self::Chains(poset) => poset,
            Self::Antichain(poset) => poset,
            Self::Asm(poset) => poset,
            Self::Partitions(poset) => poset,
            Self::Subspaces(poset) => poset,
        }
    }
}

/// A binomial coefficient.
fn binomial(n: usize, k: usize) -> BigUint {
    (0..k).fold(BigUint::from(1u8), |product, i| product * (n - i) / (i + 1))
}
