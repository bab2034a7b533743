//! Flipping Coins, a partizan game (Bonato, Huggan and Nowakowski, "The game of flipping coins").
//!
//! A position is a line of coins, 0 and 1. Left turns two 1s into 0s; Right takes a 0 and a 1 somewhere after it and flips
//! both. Who cannot move loses. All values are numbers (Theorem 3.2), and they are found without a search: the line is
//! [reduced](Reduced), [decomposed](Decomposition) into an iterated ordinal sum, and the [sign expansions](SignExpansion) of
//! its parts are joined.
//!
//! What the algorithm says is held against the [definition](Definition) in tests, and against all options of all short lines
//! by [`sweep()`], which also tries other [rules](Rules).
//!
//! ```
//! use antichain_common::game::flipping::{Line, Outcome, Player};
//! let line: Line = "0101011111".parse()?;
//! assert_eq!(line.value().to_string(), "-11/16");
//! assert_eq!(Outcome::of(&line.value()), Outcome::Player(Player::Right));
//! let best = line.best_move(Player::Left).map(|one| line.after(one).to_string());
//! assert_eq!(best.as_deref(), Some("01010111"));
//! # Ok::<(), antichain_common::game::flipping::LineError>(())
//! ```

mod decomposition;
mod definition;
mod dyadic;
mod line;
mod moves;
mod reduction;
mod rules;
mod signs;
mod simplest;
mod sum;
mod sweep;

pub use decomposition::{Base, Decomposition};
pub use definition::{Definition, NotANumber};
pub use dyadic::Dyadic;
pub use line::{Line, LineError, LineFault, MAX_COINS};
pub use moves::{Move, Outcome, Player};
pub use reduction::Reduced;
pub use rules::{MAX_PATTERN, Pattern, PatternError, PatternFault, Rules};
pub use signs::SignExpansion;
pub use simplest::simplest_between;
pub use sum::LineSum;
pub use sweep::{
    Exception, ExceptionKind, MAX_SWEEP, Stage, SweepError, SweepOptions, SweepProgress, SweepReport, sweep,
    table_bytes,
};

#[cfg(test)]
mod tests;
