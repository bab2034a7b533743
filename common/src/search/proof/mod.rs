//! Proofs of outcomes of the game Chomp: a file that says who wins a position, and everything that is needed to see it.
//!
//! A proof is about one position of one poset, the root, and lists **lost** positions (the player to move loses), each
//! with one of two steps:
//!
//! - *Answered*: to every move there is a reply after which the position left is again lost. Lost positions without a
//!   move are lost by definition and are not listed; all others must be listed themselves, up to an automorphism of the
//!   poset. Two moves take away at least two members, so there is no circle.
//! - *Mirrored*: an automorphism of order two maps the position to itself, and the members that it fixes are downwards
//!   closed and fewer than all. Then the position has the value of what is fixed
//!   ([`involution`](crate::game::reductions::involution)), which must be lost in the same sense.
//!
//! The root is lost if it is itself listed, and won if a move leads to a position that is. What is won is never listed:
//! to see that a lost position is lost, one reply to every move is enough.
//!
//! [`format`](mod@format) has the notions of the file, [`writer`] writes it. `FORMATS.md` describes every byte.

pub mod checker;
mod error;
pub mod format;
mod reader;
pub mod writer;

pub use checker::{CheckOptions, CheckProgress, Checked, check};
pub use error::{Fault, ProofError};
pub use format::{Claim, Step, Verdict, entry_order};
pub use writer::{ProofWriter, WriteError};

#[cfg(test)]
mod tests;
