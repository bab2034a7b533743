//! `antichain merge`: takes in what searches elsewhere have settled and finished.

use antichain_common::job::Interrupt;
use antichain_common::job::search::{Merged, merge};
use serde::Serialize;

use crate::args::{Global, MergeArgs};
use crate::data;
use crate::output::{self, document, grouped, result};
use crate::remote::place;

/// Runs the command.
pub fn execute(global: &Global, args: &MergeArgs) -> anyhow::Result<()> {
    let store = data::open(&place::here(global)?)?;
    let mut all = Vec::new();
    for directory in &args.directories {
        let merged = merge(&store, &data::open_to_read(directory)?, &Interrupt::new())?;
        for (job, why) in &merged.refused {
            output::warning(global.json, &format!("the answer of {job} is not taken in: {why}"));
        }
        if !global.json {
            result(&format!("{}: {}\n", directory.display(), shown(&merged)))?;
        }
        all.push(MergeDocument::new(directory.display().to_string(), merged));
    }
    if global.json { document(&all) } else { Ok(()) }
}

/// What was taken in from a directory, for people.
fn shown(merged: &Merged) -> String {
    let (positions, new) = (grouped(&merged.positions), grouped(&merged.new));
    let plural = |number: usize| if number == 1 { "" } else { "s" };
    let answers = merged.answers.len();
    let mut text = format!(
        "{positions} settled positions, {new} of them new; {answers} new answer{}, checked by {} proof{}",
        plural(answers),
        if answers == 1 { "its" } else { "their" },
        plural(answers)
    );
    if !merged.refused.is_empty() {
        text += &format!("; {} not taken in", merged.refused.len());
    }
    text
}

/// What was taken in from a directory, as a JSON document.
#[derive(Debug, Serialize)]
struct MergeDocument {
    directory: String,
    jobs: usize,
    positions: u64,
    new: u64,
    /// Jobs that are finished here now, and were not before.
    answers: Vec<String>,
    refused: Vec<RefusedDocument>,
}

/// A finished job that was not taken in.
#[derive(Debug, Serialize)]
struct RefusedDocument {
    job: String,
    reason: String,
}

impl MergeDocument {
    fn new(directory: String, merged: Merged) -> Self {
        let Merged { jobs, positions, new, answers, refused } = merged;
        Self {
            directory,
            jobs,
            positions,
            new,
            answers: answers.into_iter().map(|job| job.0).collect(),
            refused: refused.into_iter().map(|(job, reason)| RefusedDocument { job: job.0, reason }).collect(),
        }
    }
}
