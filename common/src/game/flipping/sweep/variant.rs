//! Other rules: values in ascending order of codes, each the simplest number between the best options, up to the first
//! position that is no number.
//!
//! The options of that position are numbers, so that its canonical form is that of its best options. Nothing is said of
//! positions behind it.

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
        if (code as usize).is_multiple_of(SHARD) {
            if options.interrupt.is_requested() {
                return Err(Stopped.into());
            }
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
