//! The game Chomp on a poset, which is Subset Takeaway on a Boolean lattice: its moves.
//!
//! A position is an order ideal. A move takes an element and with it everything above it, but never the least element of
//! the poset, where there is one. Who cannot move loses.

mod chomp;
#[cfg(test)]
pub(crate) mod definition;
mod moves;

pub use chomp::Chomp;
pub use moves::{MoveClass, move_classes};
