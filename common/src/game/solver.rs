//! The plain search: no theorem is used but that symmetric positions have equal values.
//!
//! ```
//! use antichain_common::{game::Solver, ideal::Ideal, poset::Poset, recurrence::remoteness::Remoteness};
//! let poset: Poset = "antichain:9".parse()?;
//! let mut solver = Solver::<1, Remoteness>::new(&poset);
//! assert_eq!(solver.value(Ideal::first(9), 100), Ok(9));
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

use std::sync::Arc;

use super::search::{Search, Shortcut, Shortcuts, Unsolved};
use crate::ideal::{Element, Ideal};
use crate::poset::Poset;
use crate::recurrence::rule::Rule;
use crate::symmetry::{Canonical, Canonicaliser};

/// The plain search by a rule; see [`Search::value`].
pub type Solver<const W: usize, R> = Search<W, R, NoShortcuts>;

/// Every option of every position is looked at, unless the rule is settled.
#[derive(Clone, Copy, Debug)]
pub struct NoShortcuts;

impl<const W: usize> Shortcuts<W> for NoShortcuts {
    fn new(_: &Poset, _: &Arc<Canonicaliser<W>>) -> Self {
        Self
    }

    #[inline(always)]
    fn find(&mut self, _: &Canonical<W>, _: usize) -> Result<Shortcut<W>, Unsolved> {
        Ok(Shortcut::None)
    }

    fn remembered(&self) -> usize {
        0
    }
}

/// The value of the position with these members, searched plainly and remembering at most `most` positions.
///
/// # Errors
/// If more would have to be remembered, or a value does not fit; see [`Unsolved`].
///
/// # Panics
/// If a member is no element of the poset.
pub fn value<R: Rule>(poset: &Poset, members: &[Element], most: usize) -> Result<u8, Unsolved> {
    match poset.words() {
        1 => search::<1, R, NoShortcuts>(poset, members, most),
        2 => search::<2, R, NoShortcuts>(poset, members, most),
        _ => search::<4, R, NoShortcuts>(poset, members, most),
    }
}

/// The value of one position by a search of its own.
pub(super) fn search<const W: usize, R: Rule, S: Shortcuts<W>>(
    poset: &Poset,
    members: &[Element],
    most: usize,
) -> Result<u8, Unsolved> {
    let position = members.iter().fold(Ideal::empty(), |set: Ideal<W>, &x| set.with(x));
    Search::<W, R, S>::new(poset).value(position, most)
}

#[cfg(test)]
mod tests;
