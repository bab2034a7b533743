//! The options of a position, for who shares a search out.

use std::collections::BTreeSet;

use crate::ideal::Ideal;
use crate::job::JobError;
use crate::job::task::TaskError;
use crate::poset::{Poset, format_position, parse_position};
use crate::search::Rules;
use crate::search::rules::Known;

/// What follows from a position without a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// Who wins.
    Settled {
        /// Whether the player to move loses.
        is_lost: bool,
    },
    /// It is lost if the players to move win all of these, up to symmetry and in the order of their sizes.
    Open(Vec<OpenOption>),
}

/// An option of which no theorem says who wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOption {
    /// In the notation of the poset: the position that is left, as small as theorems make it, in its canonical form.
    pub position: String,
    /// Its number of elements.
    pub size: usize,
}

/// See [`Options`].
///
/// # Errors
/// [`JobError::Position`] if it is none.
pub(super) fn options<const W: usize>(rules: &Rules<W>, poset: &Poset, position: &str) -> Result<Options, TaskError> {
    let members = parse_position(poset, position).map_err(JobError::from)?.members;
    let position = members.iter().fold(Ideal::empty(), |position: Ideal<W>, &x| position.with(x));
    let position = match rules.know(position) {
        Known::Lost => return Ok(Options::Settled { is_lost: true }),
        Known::Won => return Ok(Options::Settled { is_lost: false }),
        Known::Open(position) => position,
    };
    let mut open = BTreeSet::new();
    for (_, left) in rules.game().moves(position) {
        match rules.know(left) {
            Known::Lost => return Ok(Options::Settled { is_lost: false }),
            Known::Won => {}
            Known::Open(left) => {
                let canonical = rules.symmetry().canonical(left).ideal;
                open.insert((canonical.len(), canonical.iter().collect::<Vec<_>>()));
            }
        }
    }
    if open.is_empty() {
        return Ok(Options::Settled { is_lost: true });
    }
    let option = |(size, members): (usize, Vec<usize>)| OpenOption { position: format_position(poset, &members), size };
    Ok(Options::Open(open.into_iter().map(option).collect()))
}
