//! `antichain run outcome POSET --position POSITION`: the outcome of one position, by a search.

use antichain_common::job::search::{SearchLimits, run_search, winning_move};
use antichain_common::job::{Answer, JobSpec, ProofRecord};
use antichain_common::poset::{Poset, format_position};
use serde::Serialize;

use super::run::{AnswerDocument, closing};
use super::with_effort;
use crate::args::{Global, RunArgs};
use crate::output::{document, grouped, note, result};
use crate::remote::place;
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: &RunArgs, position: &str) -> anyhow::Result<()> {
    let asked = inputs::search::read(&args.question, &args.poset, position, global.json)?;
    inputs::search::check_reach(&asked.spec, args.search.force)?;
    let store = data::open(&place::here(global)?)?;
    let limits = SearchLimits { budget: args.budget.budget };
    let answer = with_effort(global, &args.effort, false, |options| run_search(&store, &asked.spec, limits, options))?;
    tell(global, &asked, &answer)
}

/// A position as it was asked for, and the job that settles it.
pub struct Asked {
    /// The poset.
    pub poset: Poset,
    /// The members of the position.
    pub members: Vec<usize>,
    /// The job: of the canonical position.
    pub spec: JobSpec,
}

/// Writes an answer.
pub fn tell(global: &Global, asked: &Asked, answer: &Answer) -> anyhow::Result<()> {
    let by = answer.proof.as_ref().and_then(|proof| winning_move(&asked.poset, &asked.members, &asked.spec, proof));
    let by = by.map(|x| asked.poset.label(x));
    if global.json {
        return document(&SearchDocument {
            answer: AnswerDocument::from(answer).of_poset(asked.poset.name()),
            position: format_position(&asked.poset, &asked.members),
            winning_move: by,
            proof: answer.proof.as_ref(),
        });
    }
    let outcome = answer.value.as_ref().map(|value| answer.spec.question.show(value)).unwrap_or_default();
    result(&format!("{outcome}\n"))?;
    match by {
        Some(by) => note(&format!("the next player wins by {by}")),
        None => note("the previous player wins"),
    }
    if let Some(proof) = &answer.proof {
        let plural = if proof.entries == 1 { "" } else { "s" };
        let (entries, nodes) = (grouped(&proof.entries), grouped(&proof.nodes));
        note(&format!("proved by {entries} lost position{plural}; {nodes} visited by the last run"));
    }
    note(&closing(answer));
    Ok(())
}

/// The answer as a JSON document.
#[derive(Debug, Serialize)]
struct SearchDocument<'a> {
    #[serde(flatten)]
    answer: AnswerDocument,
    position: String,
    winning_move: Option<String>,
    proof: Option<&'a ProofRecord>,
}
