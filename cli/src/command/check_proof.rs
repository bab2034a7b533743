//! `antichain check-proof`: whether a proof shows what it claims.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use antichain_common::search::proof::{CheckOptions, Checked, ProofError, check};
use serde::Serialize;

use super::all_cores;
use crate::args::{CheckProofArgs, Global};
use crate::interrupt;
use crate::output::{document, grouped, note, result};
use crate::progress::Reporter;
use crate::remote::place;
use crate::sizes::show_duration;

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;

/// A file that is no proof, or one that does not hold.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct CheckProofError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub source: ProofError,
}

/// Runs the command.
pub fn execute(global: &Global, args: &CheckProofArgs) -> anyhow::Result<()> {
    place::here(global)?;
    let of = |source| CheckProofError { file: args.file.clone(), source };
    let input = open(&args.file).map_err(|error| of(error.into()))?;
    let start = Instant::now();
    let checked = {
        let reporter = Reporter::start(global);
        let options = CheckOptions {
            threads: args.threads.unwrap_or_else(all_cores).get(),
            interrupt: interrupt::stop_at_safe_point(global.json),
            progress: &|progress| reporter.report_check(progress),
        };
        check(input, &options).map_err(of)?
    };
    let elapsed = start.elapsed();
    if global.json {
        return document(&ProofDocument::new(&checked, elapsed));
    }
    result(&shown(&checked))?;
    note(&show_duration(elapsed));
    Ok(())
}

fn open(file: &Path) -> io::Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, io::stdin())));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, File::open(file)?)))
}

/// A proof that holds as a JSON document.
#[derive(Debug, Serialize)]
struct ProofDocument<'a> {
    poset: &'a str,
    position: &'a str,
    outcome: &'a str,
    winning_move: Option<&'a str>,
    entries: u64,
    mirrored: u64,
    replies: u64,
    elapsed_seconds: f64,
    digest: &'a str,
}

impl<'a> ProofDocument<'a> {
    fn new(checked: &'a Checked, elapsed: Duration) -> Self {
        Self {
            poset: &checked.poset,
            position: &checked.position,
            outcome: checked.outcome,
            winning_move: checked.winning_move.as_deref(),
            entries: checked.entries,
            mirrored: checked.mirrored,
            replies: checked.replies,
            elapsed_seconds: elapsed.as_secs_f64(),
            digest: &checked.digest,
        }
    }
}

/// What a proof shows, for people.
fn shown(checked: &Checked) -> String {
    let mut text =
        if checked.whole { checked.poset.clone() } else { format!("{} of {}", checked.position, checked.poset) };
    text += &format!(": outcome {}", checked.outcome);
    if let Some(by) = &checked.winning_move {
        text += &format!(" by {by}");
    }
    match checked.entries {
        1 => text + ": proved by 1 lost position\n",
        entries => text + &format!(": proved by {} lost positions\n", grouped(&entries)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proved_is_said() {
        let mut checked = Checked {
            poset: "boolean:7:3".into(),
            position: "012 013".into(),
            whole: true,
            outcome: "N",
            winning_move: Some("012".into()),
            entries: 7311,
            mirrored: 0,
            replies: 0,
            digest: String::new(),
        };
        assert_eq!(shown(&checked), "boolean:7:3: outcome N by 012: proved by 7,311 lost positions\n");
        (checked.whole, checked.outcome, checked.winning_move, checked.entries) = (false, "P", None, 1);
        assert_eq!(shown(&checked), "012 013 of boolean:7:3: outcome P: proved by 1 lost position\n");
    }
}
