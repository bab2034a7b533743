//! The search with theorems: disjoint unions, involutions, and for outcomes strategy stealing.
//!
//! It gives the values of the plain search and remembers fewer positions; see [`reductions`](super::reductions).
//!
//! ```
//! use antichain_common::{game::ReducingSolver, ideal::Ideal, poset::Poset, recurrence::outcome::Outcome};
//! let poset: Poset = "boolean:5".parse()?;
//! let mut solver = ReducingSolver::<1, Outcome>::new(&poset);
//! assert_eq!(solver.value(Ideal::first(32), 1), Ok(1));
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

use std::sync::Arc;

use super::reductions::components::Components;
use super::reductions::involution::Involutions;
use super::reductions::strategy_stealing::StrategyStealing;
use super::search::{Search, Shortcut, Shortcuts, Unsolved};
use super::solver::search;
use crate::ideal::Element;
use crate::poset::Poset;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::rule::Rule;
use crate::symmetry::{Canonical, Canonicaliser};

/// The search with theorems by a rule that they hold for; see [`Search::value`].
pub type ReducingSolver<const W: usize, R> = Search<W, R, <R as Reducible>::Shortcuts<W>>;

/// A rule that equal Grundy values give equal values.
pub trait Reducible: Rule {
    /// The theorems that say something of it.
    type Shortcuts<const W: usize>: Shortcuts<W>;
}

impl<const WORDS: usize> Reducible for Grundy<WORDS> {
    type Shortcuts<const W: usize> = GrundyShortcuts<W>;
}

impl Reducible for Outcome {
    type Shortcuts<const W: usize> = OutcomeShortcuts<W>;
}

/// Disjoint unions and involutions.
pub struct GrundyShortcuts<const W: usize> {
    symmetry: Arc<Canonicaliser<W>>,
    components: Components<W>,
    involutions: Involutions<W>,
}

impl<const W: usize> GrundyShortcuts<W> {
    /// Smaller positions, pairwise different, whose Nim sum has the value of this one; `None` if neither theorem says
    /// more than that it is itself.
    fn parts(&self, position: &Canonical<W>) -> Option<Vec<Canonical<W>>> {
        if let Some(parts) = self.components.split(position.ideal) {
            let mut forms = Vec::with_capacity(parts.len());
            self.symmetry.canonical_batch(&parts, &mut forms);
            forms.sort_unstable_by_key(|form| form.ideal);
            // Equal parts cancel in pairs.
            let equal = forms.chunk_by(|one, other| one.ideal == other.ideal);
            return Some(equal.filter(|equal| equal.len() % 2 == 1).map(|equal| equal[0]).collect());
        }
        self.involutions.reduce(position).map(|left| vec![self.symmetry.canonical(left)])
    }
}

impl<const W: usize> Shortcuts<W> for GrundyShortcuts<W> {
    fn new(poset: &Poset, symmetry: &Arc<Canonicaliser<W>>) -> Self {
        Self {
            symmetry: Arc::clone(symmetry),
            components: Components::new(poset),
            involutions: Involutions::new(poset, symmetry),
        }
    }

    fn find(&mut self, position: &Canonical<W>, _: usize) -> Result<Shortcut<W>, Unsolved> {
        Ok(self.parts(position).map_or(Shortcut::None, Shortcut::Sum))
    }

    fn remembered(&self) -> usize {
        0
    }
}

/// The same with strategy stealing, and a search for the Grundy values of what is added up: of the parts of a disjoint
/// union it is not enough to know who wins.
pub struct OutcomeShortcuts<const W: usize> {
    stealing: StrategyStealing<W>,
    grundy: Search<W, Grundy<1>, GrundyShortcuts<W>>,
}

impl<const W: usize> Shortcuts<W> for OutcomeShortcuts<W> {
    fn new(poset: &Poset, symmetry: &Arc<Canonicaliser<W>>) -> Self {
        Self { stealing: StrategyStealing::new(poset), grundy: Search::with_symmetry(poset, Arc::clone(symmetry)) }
    }

    fn find(&mut self, position: &Canonical<W>, most: usize) -> Result<Shortcut<W>, Unsolved> {
        if self.stealing.wins(&position.ideal) {
            return Ok(Shortcut::Value(1));
        }
        match self.grundy.shortcuts().parts(position) {
            None => Ok(Shortcut::None),
            Some(parts) if parts.len() < 2 => Ok(Shortcut::Sum(parts)),
            Some(parts) => {
                let mut sum = 0;
                for part in parts {
                    sum ^= self.grundy.value(part.ideal, most)?;
                }
                Ok(Shortcut::Value(u8::from(sum != 0)))
            }
        }
    }

    fn remembered(&self) -> usize {
        self.grundy.remembered()
    }
}

/// The value of the position with these members, searched with theorems and remembering at most `most` positions.
///
/// # Errors
/// If more would have to be remembered, or a value does not fit; see [`Unsolved`].
///
/// # Panics
/// If a member is no element of the poset.
pub fn reduced_value<R: Reducible>(poset: &Poset, members: &[Element], most: usize) -> Result<u8, Unsolved> {
    match poset.words() {
        1 => search::<1, R, R::Shortcuts<1>>(poset, members, most),
        2 => search::<2, R, R::Shortcuts<2>>(poset, members, most),
        _ => search::<4, R, R::Shortcuts<4>>(poset, members, most),
    }
}

#[cfg(test)]
mod tests;
