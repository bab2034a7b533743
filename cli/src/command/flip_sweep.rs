//! `antichain flip-sweep`: all positions of Flipping Coins up to a length.

use std::time::{Duration, Instant};

use antichain_common::game::flipping::{
    Dyadic, Exception, ExceptionKind, Pattern, PatternError, Player, Rules, SweepOptions, SweepReport, sweep,
};
use serde::Serialize;

use super::{all_cores, budget};
use crate::args::{FlipSweepArgs, Global};
use crate::interrupt;
use crate::output::{document, grouped, note, result};
use crate::progress::Reporter;
use crate::remote::place;
use crate::sizes::show_duration;

/// Runs the command.
pub fn execute(global: &Global, args: &FlipSweepArgs) -> anyhow::Result<()> {
    place::here(global)?;
    let rules = Rules::new(
        patterns(Player::Left, args.left.as_deref())?,
        patterns(Player::Right, args.right.as_deref())?,
        args.contiguous,
    );
    let start = Instant::now();
    let report = {
        let reporter = Reporter::start(global);
        let options = SweepOptions {
            threads: args.threads.unwrap_or_else(all_cores).get(),
            memory: budget(args.memory).0,
            interrupt: interrupt::stop_at_safe_point(global.json),
            progress: &|progress| reporter.report_sweep(progress),
        };
        sweep(&rules, args.length, &options)?
    };
    let elapsed = start.elapsed();
    if global.json {
        return document(&SweepDocument::new(&rules, args.length, &report, elapsed));
    }
    result(&shown(&rules, args.length, &report))?;
    note(&show_duration(elapsed));
    Ok(())
}

/// The patterns of a player: those given, or that of the paper.
fn patterns(player: Player, given: Option<&[String]>) -> Result<Vec<Pattern>, PatternError> {
    match given {
        Some(texts) => texts.iter().map(|text| text.parse()).collect(),
        None => Ok(vec![Rules::original_pattern(player)]),
    }
}

/// What a sweep has found as a JSON document.
#[derive(Debug, Serialize)]
struct SweepDocument {
    length: u32,
    left: Vec<String>,
    right: Vec<String>,
    contiguous: bool,
    positions: u64,
    all_numbers: bool,
    /// `null` where the rules are not those of the theorems.
    theorem_holds: Option<bool>,
    first_exception: Option<ExceptionDocument>,
    elapsed_seconds: f64,
}

/// An exception with its best options; `null` for an option that is not there.
#[derive(Debug, Serialize)]
struct ExceptionDocument {
    position: String,
    value: String,
    left: Option<String>,
    right: Option<String>,
}

impl SweepDocument {
    fn new(rules: &Rules, length: u32, report: &SweepReport, elapsed: Duration) -> Self {
        let patterns = |player| rules.patterns(player).iter().map(Pattern::to_string).collect();
        Self {
            length,
            left: patterns(Player::Left),
            right: patterns(Player::Right),
            contiguous: rules.is_contiguous(),
            positions: report.positions,
            all_numbers: report.all_numbers,
            theorem_holds: report.theorem_holds,
            first_exception: report.exception.as_ref().map(ExceptionDocument::from),
            elapsed_seconds: elapsed.as_secs_f64(),
        }
    }
}

impl From<&Exception> for ExceptionDocument {
    fn from(exception: &Exception) -> Self {
        let shown = |option: &Option<_>| option.as_ref().map(ToString::to_string);
        Self {
            position: exception.line.to_string(),
            value: exception.value(),
            left: shown(&exception.left),
            right: shown(&exception.right),
        }
    }
}

/// What a sweep has found, for people.
fn shown(rules: &Rules, length: u32, report: &SweepReport) -> String {
    let positions = grouped(&report.positions);
    let all = format!("all {positions} positions of up to {length} coins are numbers ({rules})\n");
    match &report.exception {
        None if report.theorem_holds == Some(true) => {
            all + "each has the value of the algorithm, and the best moves of Theorem 4.2\n"
        }
        None => all,
        Some(exception) if exception.kind == ExceptionKind::NotANumber => format!(
            "{exception}, which is no number: its canonical options are {} ({rules})\nall {} before it, by code, are numbers\n",
            options(exception),
            grouped(&(report.positions - 1))
        ),
        Some(exception) => format!("{exception}\n"),
    }
}

/// The canonical options of a position that is no number, which has some for both players.
fn options(exception: &Exception) -> String {
    let show = |option: &Option<Dyadic>| option.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{{{} | {}}}", show(&exception.left), show(&exception.right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::game::flipping::Line;

    #[test]
    fn what_was_found_is_said() {
        let rules = Rules::original();
        let mut report =
            SweepReport { positions: 1 << 12, all_numbers: true, theorem_holds: Some(true), exception: None };
        let text = shown(&rules, 12, &report);
        assert!(text.starts_with("all 4,096 positions of up to 12 coins are numbers (Left 11, Right 01)\n"), "{text}");
        assert!(text.ends_with("Theorem 4.2\n"), "{text}");
        report.theorem_holds = None;
        assert_eq!(shown(&rules, 12, &report).lines().count(), 1);
        let (line, half) = (Line::from_code(6), Some(1.into()));
        report.positions = 7;
        report.exception = Some(Exception { line, left: half.clone(), right: half, kind: ExceptionKind::NotANumber });
        let text = shown(&rules, 12, &report);
        let first = "011 is 1 + *, which is no number: its canonical options are {1 | 1} (Left 11, Right 01)";
        assert_eq!(text.lines().collect::<Vec<_>>(), [first, "all 6 before it, by code, are numbers"]);
    }

    #[test]
    fn one_side_given_leaves_the_other_as_it_was() {
        let texts = |player, given: Option<&[String]>| {
            patterns(player, given).map(|all| all.iter().map(Pattern::to_string).collect::<Vec<_>>())
        };
        assert_eq!(texts(Player::Left, None), Ok(vec!["11".to_owned()]));
        assert_eq!(texts(Player::Right, None), Ok(vec!["01".to_owned()]));
        let given = ["001".to_owned(), "01".to_owned()];
        assert_eq!(texts(Player::Right, Some(&given)), Ok(given.to_vec()));
    }
}
