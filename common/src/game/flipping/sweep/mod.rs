//! Sweeps: all lines of up to so many coins, in ascending order of their codes.
//!
//! By the rules of the paper, a sweep checks its two theorems ([`theorem`]). By other rules it works out the values, as long
//! as all are numbers ([`variant`]). Both keep a table of all values in fixed-point arithmetic, which is exact: a value that
//! does not fit ends the sweep.
//!
//! ```
//! use antichain_common::game::flipping::{Rules, SweepOptions, sweep};
//! use antichain_common::watch::Interrupt;
//! let (interrupt, progress) = (Interrupt::new(), |_| {});
//! let options = SweepOptions { threads: 1, memory: 1 << 20, interrupt: &interrupt, progress: &progress };
//! let report = sweep(&Rules::original(), 10, &options)?;
//! assert_eq!((report.positions, report.theorem_holds), (1024, Some(true)));
//!
//! let contiguous = Rules::new(vec!["11".parse()?], vec!["01".parse()?], true);
//! let exception = sweep(&contiguous, 10, &options)?.exception.map(|exception| exception.to_string());
//! assert_eq!(exception.as_deref(), Some("011 is *"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fixed;
mod theorem;
mod variant;

use std::fmt;

use super::dyadic::Dyadic;
use super::line::Line;
use super::moves::Player;
use super::rules::Rules;
use crate::watch::{Interrupt, Stopped};
use fixed::Fixed;

/// Coins of the longest lines that can be swept.
pub const MAX_SWEEP: u32 = 31;

/// Codes that are worked on at a time.
const SHARD: usize = 1 << 12;

/// How to sweep.
pub struct SweepOptions<'a> {
    /// Threads that compute.
    pub threads: usize,
    /// Memory to stay within, in bytes.
    pub memory: u64,
    /// Asked to stop.
    pub interrupt: &'a Interrupt,
    /// Told how far it is.
    pub progress: &'a (dyn Fn(SweepProgress) + Sync),
}

/// What a sweep is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Works out what the algorithm says.
    Tabulate,
    /// Looks at all options.
    Check,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// What it is at.
    pub stage: Stage,
    /// Positions done in this stage.
    pub done: u64,
    /// Positions in all.
    pub total: u64,
}

/// What a sweep has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepReport {
    /// How many positions were looked at: all of them, or those up to the exception.
    pub positions: u64,
    /// Whether the values of these are all numbers.
    pub all_numbers: bool,
    /// By the rules of the paper, whether its theorems hold for all of these.
    pub theorem_holds: Option<bool>,
    /// The first position, by its code, that is no number or contradicts a theorem.
    pub exception: Option<Exception>,
}

/// A position that is no number, or contradicts a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The position.
    pub line: Line,
    /// The best Left option, where there is one.
    pub left: Option<Dyadic>,
    /// The best Right option, where there is one.
    pub right: Option<Dyadic>,
    /// What is wrong with it.
    pub kind: ExceptionKind,
}

/// What is wrong with a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExceptionKind {
    /// All options are numbers, the best Left one at least the best Right one: the canonical form is `{left | right}`.
    NotANumber,
    /// The options have another value than the algorithm says.
    Value {
        /// The value that the algorithm gives.
        algorithm: Dyadic,
    },
    /// The move that Theorem 4.2 names is not the best of this player.
    BestMove(Player),
}

impl Exception {
    /// The value in canonical form: `{x | y}`, or `x + *` where the options are equal, or a number.
    pub fn value(&self) -> String {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) if left == right => {
                if *left == Dyadic::ZERO {
                    "*".to_owned()
                } else {
                    format!("{left} + *")
                }
            }
            (Some(left), Some(right)) if left > right => format!("{{{left} | {right}}}"),
            (left, right) => super::simplest_between(left.as_ref(), right.as_ref())
                .map_or_else(String::new, |value| value.to_string()),
        }
    }
}

/// `1001 is {1/2 | 0}`.
impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.line, self.value())?;
        match &self.kind {
            ExceptionKind::NotANumber => Ok(()),
            ExceptionKind::Value { algorithm } => write!(f, ", and the algorithm gives {algorithm}"),
            ExceptionKind::BestMove(player) => write!(f, ", and {player} has a better move than Theorem 4.2 says"),
        }
    }
}

/// Why a sweep was given up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// No lines, or too long ones.
    #[error("the length is a number of coins from 1 to {MAX_SWEEP}")]
    Length(u32),
    /// More memory than it may take.
    #[error(
        "a table of the values of all lines of {coins} coins takes {needed} bytes of memory, the budget is {budget}"
    )]
    Memory {
        /// Coins of the longest lines.
        coins: u32,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that may be taken.
        budget: u64,
    },
    /// A value that the table cannot hold.
    #[error("the value of {0} has too many digits for the table")]
    Precision(Line),
    /// A stop was asked for.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Looks at all lines of up to `coins` coins.
///
/// By the rules of the paper the work is shared by the threads; by other rules each value needs those before it, and one
/// thread works them out.
///
/// # Errors
/// See [`SweepError`].
pub fn sweep(rules: &Rules, coins: u32, options: &SweepOptions<'_>) -> Result<SweepReport, SweepError> {
    if !(1..=MAX_SWEEP).contains(&coins) {
        return Err(SweepError::Length(coins));
    }
    if rules.is_original() { theorem::sweep(rules, coins, options) } else { variant::sweep(rules, coins, options) }
}

/// The least memory a sweep takes, in bytes: its table.
pub fn table_bytes(coins: u32) -> u64 {
    (size_of::<i64>() as u64) << coins
}

/// All values, by code.
struct Table<F> {
    values: Vec<F>,
    /// Binary places of the fixed point.
    places: u32,
}

/// The values of the best options of a position.
#[derive(Clone, Copy)]
struct Best<F> {
    left: F,
    right: F,
}

impl<F: Fixed> Table<F> {
    /// A table of zeros.
    fn new(coins: u32, places: u32, budget: u64) -> Result<Self, SweepError> {
        let needed = (size_of::<F>() as u64) << coins;
        if needed > budget {
            return Err(SweepError::Memory { coins, needed, budget });
        }
        Ok(Self { values: vec![F::ZERO; 1 << coins], places })
    }

    /// The best values among all options.
    #[inline]
    fn best(&self, rules: &Rules, code: u32) -> Best<F> {
        let mut best = Best { left: F::LOWEST, right: F::HIGHEST };
        rules.for_each_option(Player::Left, code, |option| best.left = best.left.max(self.values[option as usize]));
        rules.for_each_option(Player::Right, code, |option| best.right = best.right.min(self.values[option as usize]));
        best
    }

    /// The exception that a position is.
    fn exception(&self, code: u32, best: Best<F>, kind: ExceptionKind) -> Exception {
        let [left, right] = [best.left, best.right].map(|option| option.dyadic(self.places));
        Exception { line: Line::from_code(code.into()), left, right, kind }
    }
}

#[cfg(test)]
mod tests;
