//! What the user reads where a sweep of Flipping Coins ends without an answer.

use antichain_common::game::flipping::SweepError;

use super::{Exit, Failure};
use crate::sizes::Bytes;

impl Failure {
    /// A sweep that was refused or given up.
    pub(super) fn of_sweep(error: &SweepError) -> Self {
        match error {
            SweepError::Length(length) => {
                Self::bad_input(format!("--length {length}"), error).hint("give a length such as --length 20")
            }
            SweepError::Memory { coins, needed, budget } => Self::bad_input(
                format!("--length {coins}"),
                format!(
                    "a table of all lines of {coins} coins needs {} of memory, the budget is {}",
                    Bytes(*needed),
                    Bytes(*budget)
                ),
            )
            .hint(format!(
                "give it more with --memory {}MiB if this machine has it, or take a lesser --length",
                needed.div_ceil(1 << 20)
            )),
            SweepError::Precision(line) => Self::failed(error)
                .about(line.to_string())
                .hint("take a lesser --length: shorter lines have values that fit"),
            SweepError::Stopped(_) => Self { exit: Exit::Interrupted, ..Self::failed(error) }
                .hint("nothing is stored of a sweep; start it again"),
        }
    }
}
