//! Single positions of the game Chomp that are too large for a table, and proofs of who wins them.
//!
//! A [`Crew`] of searchers settles a position by depth-first search with memory: [`rules`] has the moves and the theorems
//! that make positions smaller ([`mirrors`], [`small`]), [`searcher`] the search, [`table`] what all searchers of a process
//! remember. That table knows positions by hashes, so nothing that it says is believed: [`prove`](fn@prove) goes through the
//! game again along the moves that win, with whole positions, and what it comes to the bottom of is a [`proof`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use antichain_common::ideal::Ideal;
//! use antichain_common::poset::Poset;
//! use antichain_common::search::{Crew, Rules, prove};
//! let poset: Poset = "boolean:7:2".parse()?;
//! let rules = Arc::new(Rules::<1>::new(&poset));
//! let mut crew = Crew::new(rules, 1, (1 << 20, 0));
//! let everything = Ideal::first(poset.len());
//! let is_lost = crew.settle(everything, &mut |_| true);
//! let proof = prove(&mut crew, everything, &mut |_| true)?;
//! assert_eq!(is_lost, Some(proof.winning_move.is_none()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crew;
mod fingerprints;
pub mod mirrors;
pub mod oracle;
pub mod proof;
mod prove;
pub mod rules;
pub mod searcher;
pub mod small;
pub mod table;

pub use crew::{Crew, Heard, ProofSoFar, Turn};
pub use prove::{Entry, Lines, ProveError, go_on_proving, prove};
pub use rules::Rules;
pub use searcher::{At, Finding, Told};
pub use table::Settled;

#[cfg(test)]
mod tests;
