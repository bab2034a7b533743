//! Other rules: values in ascending order of codes, each the simplest number between the best options, up to the first
//! position that is no number.
//!
//! The options of that position are numbers, so that its canonical form is that of its best options. Nothing is said of
//! positions behind it.
//!
//! What sweeps have found of "Left flips a 1s, Right b 0s and a 1 after them", anywhere in the line (section 5 of the paper
//! conjectures numbers): a round of one move each takes d = a - b + 1 of the 1s away. Where d is more than 0 and does not
//! divide a there are other values than numbers, the first of them `*`, in all cases looked at (a up to 7). Where it divides
//! a, or is at most 0, none were found (up to 17 coins and more). So with b = a - 1, all values may be numbers for even a, but
//! they are not for odd ones: the first exceptions are `0011001` for 3 and `00001100001100001` for 5.

use super::fixed::Fixed;
use super::{ExceptionKind, SHARD, Stage, SweepError, SweepOptions, SweepProgress, SweepReport, Table};
use crate::game::flipping::line::Line;
use crate::game::flipping::rules::Rules;
use crate::watch::Stopped;

/// Binary places that leave room for integers of 15 bits and a sign.
const PLACES: u32 = 48;

/// Binary places that leave room for integers of 31 bits, which is all that 31 coins can make, and a sign.
const MORE_PLACES: u32 = 96;

/// Works out the values; in a table of half the size, if they fit.
pub(super) fn sweep(rules: &Rules, coins: u32, options: &SweepOptions<'_>) -> Result<SweepReport, SweepError> {
    match evaluate::<i64>(rules, coins, PLACES, options) {
        Err(SweepError::Precision(_)) => evaluate::<i128>(rules, coins, MORE_PLACES, options),
        result => result,
    }
}

fn evaluate<F: Fixed>(
    rules: &Rules,
    coins: u32,
    places: u32,
    options: &SweepOptions<'_>,
) -> Result<SweepReport, SweepError> {
    let mut table = Table::<F>::new(coins, places, options.memory)?;
    let theorem_holds = None;
    let total = 1 << coins;
    for code in 0..1u32 << coins {
        // By some rules a position has 10^8 options.
        if options.interrupt.is_requested() {
            return Err(Stopped.into());
        }
        if (code as usize).is_multiple_of(SHARD) {
            (options.progress)(SweepProgress { stage: Stage::Check, done: code.into(), total });
        }
        let best = table.best(rules, code);
        if best.left >= best.right {
            let exception = Some(table.exception(code, best, ExceptionKind::NotANumber));
            return Ok(SweepReport { positions: u64::from(code) + 1, all_numbers: false, theorem_holds, exception });
        }
        let Some(value) = F::simplest_between(best.left, best.right, places) else {
            return Err(SweepError::Precision(Line::from_code(code.into())));
        };
        table.values[code as usize] = value;
    }
    Ok(SweepReport { positions: total, all_numbers: true, theorem_holds, exception: None })
}
