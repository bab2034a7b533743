//! The theorems of the paper, checked on all lines of up to so many coins: that the algorithm gives the value (Theorem 3.3),
//! and that the best moves are those of Theorem 4.2.
//!
//! First a table is made of what the algorithm says. Then each entry is compared with the simplest number between the best of
//! *all* options, as the table has them. Entries are checked independently, and if all are right, then the table has the
//! values, by induction over codes: the options of a line have lesser codes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::fixed::Fixed;
use super::{
    Exception, ExceptionKind, SHARD, Stage, SweepError, SweepOptions, SweepProgress, SweepReport, Table, variant,
};
use crate::game::flipping::decomposition::{Base, Cut, Cutter};
use crate::game::flipping::line::Line;
use crate::game::flipping::moves::Player;
use crate::game::flipping::reduction::reduce;
use crate::game::flipping::rules::Rules;
use crate::parallel::crew;

/// Checks both theorems.
pub(super) fn sweep(rules: &Rules, coins: u32, options: &SweepOptions<'_>) -> Result<SweepReport, SweepError> {
    let table = Table::new(coins, places(coins), options.memory)?;
    let table = tabulate(table, options)?;
    let positions = 1 << coins;
    let Some(exception) = check(rules, &table, options)? else {
        return Ok(SweepReport { positions, all_numbers: true, theorem_holds: Some(true), exception: None });
    };
    drop(table);
    // What the numbers are is then to be found without the theorems.
    let all_numbers = variant::sweep(rules, coins, options)?.all_numbers;
    Ok(SweepReport { positions, all_numbers, theorem_holds: Some(false), exception: Some(exception) })
}

/// Binary places that the values of lines of so many coins have at most.
///
/// Each cut takes one place for each of its signs but the first, and for that too where the value before was an integer below
/// 0 or a fraction: at most `2p + q`, two for each 0. A line with fewer than two 1s is an integer.
pub(super) fn places(coins: u32) -> u32 {
    2 * coins.saturating_sub(2)
}

/// Fills the table with what the algorithm says.
fn tabulate(mut table: Table<i64>, options: &SweepOptions<'_>) -> Result<Table<i64>, SweepError> {
    let (places, total) = (table.places, table.values.len() as u64);
    let done = AtomicU64::new(0);
    let too_large = AtomicU32::new(u32::MAX);
    let shards = table.values.chunks_mut(SHARD).enumerate();
    crew(
        options.threads,
        shards,
        || (),
        |(), (shard, values)| {
            if options.interrupt.is_requested() {
                return;
            }
            for (i, value) in values.iter_mut().enumerate() {
                let code = (shard * SHARD + i) as u32;
                match by_algorithm(code, places) {
                    Some(found) => *value = found,
                    None => _ = too_large.fetch_min(code, Ordering::Relaxed),
                }
            }
            let count = values.len() as u64;
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            (options.progress)(SweepProgress { stage: Stage::Tabulate, done, total });
        },
    );
    stop_if_asked(options)?;
    match too_large.into_inner() {
        u32::MAX => Ok(table),
        code => Err(SweepError::Precision(Line::from_code(code.into()))),
    }
}

/// The first entry of the table that contradicts a theorem.
fn check(rules: &Rules, table: &Table<i64>, options: &SweepOptions<'_>) -> Result<Option<Exception>, SweepError> {
    let total = table.values.len();
    let done = AtomicU64::new(0);
    let first: Mutex<Option<(u32, Exception)>> = Mutex::new(None);
    // Codes above an exception need not be looked at.
    let bound = AtomicU32::new(u32::MAX);
    crew(
        options.threads,
        (0..total).step_by(SHARD),
        || (),
        |(), start| {
            if options.interrupt.is_requested() || start as u32 > bound.load(Ordering::Relaxed) {
                return;
            }
            let codes = start as u32..total.min(start + SHARD) as u32;
            let count = codes.len() as u64;
            if let Some((code, exception)) =
                codes.into_iter().find_map(|code| Some((code, check_one(rules, table, code)?)))
            {
                bound.fetch_min(code, Ordering::Relaxed);
                let mut first = first.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                if first.as_ref().is_none_or(|(known, _)| code < *known) {
                    *first = Some((code, exception));
                }
            }
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            (options.progress)(SweepProgress { stage: Stage::Check, done, total: total as u64 });
        },
    );
    stop_if_asked(options)?;
    let first = first.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(first.map(|(_, exception)| exception))
}

/// What is wrong with one entry.
#[inline]
fn check_one(rules: &Rules, table: &Table<i64>, code: u32) -> Option<Exception> {
    let best = table.best(rules, code);
    let value = table.values[code as usize];
    let [left, right] =
        [best_left(code), best_right(code)].map(|option| option.map(|code| table.values[code as usize]));
    let kind = if best.left >= best.right {
        ExceptionKind::NotANumber
    } else if i64::simplest_between(best.left, best.right, table.places) != Some(value) {
        ExceptionKind::Value { algorithm: value.dyadic(table.places).expect("the table has numbers only") }
    } else if left.unwrap_or(i64::LOWEST) != best.left {
        ExceptionKind::BestMove(Player::Left)
    } else if right.unwrap_or(i64::HIGHEST) != best.right {
        ExceptionKind::BestMove(Player::Right)
    } else {
        return None;
    };
    Some(table.exception(code, best, kind))
}

fn stop_if_asked(options: &SweepOptions<'_>) -> Result<(), SweepError> {
    if options.interrupt.is_requested() { Err(crate::watch::Stopped.into()) } else { Ok(()) }
}

/// The line without its last two 1s.
#[inline]
fn best_left(code: u32) -> Option<u32> {
    let without_last = without_highest(code)?;
    without_highest(without_last)
}

#[inline]
fn without_highest(code: u32) -> Option<u32> {
    Some(code ^ 1 << code.checked_ilog2()?)
}

/// The line with its last 0 and the 1 after it swapped.
#[inline]
fn best_right(code: u32) -> Option<u32> {
    let below_last = (1 << code.checked_ilog2()?) - 1;
    let zero = (!code & below_last).checked_ilog2()?;
    Some(code ^ 0b11 << zero)
}

/// The value by the algorithm of the paper, in fixed point: the same reduction and decomposition as that of any line, but
/// the ordinal sums by arithmetic.
#[inline]
fn by_algorithm(code: u32, places: u32) -> Option<i64> {
    let mut runs = [0; u32::BITS as usize + 1];
    let mut last = 0;
    let mut rest = code;
    while rest != 0 {
        runs[last] = rest.trailing_ones();
        rest >>= runs[last];
        if rest != 0 {
            last += rest.trailing_zeros() as usize;
            rest >>= rest.trailing_zeros();
        }
    }
    let kept = reduce(&mut runs[..=last]);
    let mut cutter = Cutter::new(&runs[..kept]);
    // Each pair of 1s makes one.
    let mut exponents = [0; u32::BITS as usize / 2];
    let mut count = 0;
    let base = loop {
        match cutter.cut() {
            Cut::Exponent { halvings } => {
                exponents[count] = halvings;
                count += 1;
            }
            Cut::Base(base) => break base,
        }
    };
    let power_of_half = |halvings: u32| Some(1 << places.checked_sub(halvings)?);
    let (mut value, mut used): (i64, u32) = match base {
        Base::Zeros(zeros) => (-(i64::from(zeros) << places), 0),
        Base::Ones { pairs, halvings } => ((i64::from(pairs) << places) + power_of_half(halvings)?, halvings),
    };
    for &halvings in exponents[..count].iter().rev() {
        // `2^-m` is a plus and m minuses. A plus after a fraction or a negative integer is worth half of the last place;
        // each minus takes half of what came before.
        used = if used == 0 && value >= 0 { halvings } else { used + 1 + halvings };
        value += power_of_half(used)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests;
