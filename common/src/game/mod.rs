//! The game Chomp on a poset, which is Subset Takeaway on a Boolean lattice: its moves, and values of its positions by
//! a plain search.
//!
//! A position is an order ideal. A move takes an element and with it everything above it, but never the least element of
//! the poset, where there is one. Who cannot move loses.
//!
//! The search is independent of the engine that makes tables of all positions: it knows no layers, bases or fibres. It
//! serves small positions at once, and checks those tables.
//!
//! ```
//! use antichain_common::{game, poset::Poset, recurrence::grundy::Grundy};
//! let poset: Poset = "boolean:3".parse()?;
//! let everything: Vec<usize> = (0..8).collect();
//! assert_eq!(game::value::<Grundy<1>>(&poset, &everything, 1000), Ok(3));
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

mod chomp;
pub mod coins;
#[cfg(test)]
pub(crate) mod definition;
pub mod flipping;
mod memo;
mod moves;
pub mod nimber;
mod reducing;
pub mod reductions;
mod search;
pub mod set_partitions;
mod solver;

#[cfg(test)]
mod tests;

pub use chomp::Chomp;
pub use moves::{MoveClass, move_classes};
pub use reducing::{GrundyShortcuts, OutcomeShortcuts, Reducible, ReducingSolver, reduced_value};
pub use search::{Search, Shortcut, Shortcuts, Unsolved};
pub use solver::{NoShortcuts, Solver, value};
