//! `antichain run`: answers a question in this process.

use antichain_common::game::coins::TurningGame;
use antichain_common::ideal::Element;
use antichain_common::job::{self, Answer, QueryTables, Question};
use antichain_common::poset::format_position;
use antichain_common::poset::given::short_name;
use serde::Serialize;

use super::moves::tell_winning;
use super::{LimitsDocument, search, show_limits, turning, with_effort};
use crate::args::{Global, RunArgs};
use crate::output::{document, grouped, note, result};
use crate::remote::place;
use crate::sizes::show_duration;
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: &RunArgs) -> anyhow::Result<()> {
    if let Ok(game) = args.question.parse::<TurningGame>() {
        return turning::execute(global, args, game);
    }
    if let Some(position) = &args.search.position {
        return search::execute(global, args, position);
    }
    let question = inputs::question(&args.question)?;
    let poset = inputs::given::poset(&args.poset, global.json)?;
    let limits = inputs::limits_for(&poset, args.limits)?;
    let store = data::open(&place::here(global)?)?;
    let answer = with_effort(global, &args.effort, args.keep_values, |options| {
        job::run(&store, question, &poset, limits, options)
    })?;
    tell_of(global, &answer, &inputs::given::called(&args.poset, &poset))?;
    if question.is_game() && answer.value.is_some() && !global.json {
        let all: Vec<Element> = (0..poset.len()).collect();
        tell_winning(&mut QueryTables::default(), Some(&store), question, &poset, &format_position(&poset, &all));
    }
    Ok(())
}

/// Writes an answer about a poset that is called so.
fn tell_of(global: &Global, answer: &Answer, called: &str) -> anyhow::Result<()> {
    if global.json {
        return document(&AnswerDocument::from(answer).of_poset(called.to_owned()));
    }
    tell(global, answer)
}

/// Writes an answer: the document, or the value alone with what else is worth knowing on standard error.
pub(super) fn tell(global: &Global, answer: &Answer) -> anyhow::Result<()> {
    if global.json {
        return document(&AnswerDocument::from(answer));
    }
    if let Some(heights) = &answer.heights {
        return turning::tell_heights(answer, heights);
    }
    result(&shown(answer))?;
    summary(answer).iter().for_each(|line| note(line));
    Ok(())
}

/// The answer as a JSON document.
#[derive(Debug, Serialize)]
pub struct AnswerDocument {
    question: Question,
    poset: String,
    #[serde(flatten)]
    limits: LimitsDocument,
    value: Option<String>,
    orbits: String,
    labelled: String,
    base_layers: usize,
    elapsed_seconds: f64,
    job: String,
    digest: String,
    /// Of the ruler on set partitions: h(1), h(2), ...
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<Vec<u32>>,
    resumed: bool,
}

impl AnswerDocument {
    /// The same, with the poset as it was given.
    pub(super) fn of_poset(self, poset: String) -> Self {
        Self { poset, ..self }
    }
}

impl From<&Answer> for AnswerDocument {
    fn from(answer: &Answer) -> Self {
        Self {
            question: answer.spec.question,
            poset: short_name(&answer.spec.poset).into_owned(),
            limits: answer.spec.limits.into(),
            value: answer.value.as_ref().map(|value| answer.spec.question.show(value)),
            orbits: answer.orbits.to_string(),
            labelled: answer.labelled.to_string(),
            base_layers: answer.base_layers,
            elapsed_seconds: answer.elapsed.as_secs_f64(),
            job: answer.job.to_string(),
            digest: answer.digest.clone(),
            h: answer.heights.clone(),
            resumed: answer.resumed,
        }
    }
}

/// What goes to standard output: the value alone on the first line, so that scripts can take it; of `ideals` the number
/// up to symmetry on a second line.
fn shown(answer: &Answer) -> String {
    let value = match &answer.value {
        Some(value) => format!("{}\n", answer.spec.question.show(value)),
        None => "none\n".to_owned(),
    };
    match answer.spec.question {
        Question::Extensions | Question::Outcome | Question::Grundy | Question::Remoteness => value,
        Question::Ruler | Question::Estimate => value,
        Question::Ideals => format!("{value}{} up to symmetry\n", answer.orbits),
    }
}

/// What a person wants to know besides.
fn summary(answer: &Answer) -> Vec<String> {
    let spec = &answer.spec;
    let mut lines = Vec::new();
    if answer.value.is_none() {
        lines
            .push(format!("no value of {}: the limits exclude the ideal of all its elements", short_name(&spec.poset)));
    }
    lines.push(format!(
        "{} of {}{}: {} ideals, {} up to symmetry, in {} base layers",
        spec.question,
        short_name(&spec.poset),
        show_limits(spec.limits),
        grouped(&answer.labelled),
        grouped(&answer.orbits),
        answer.base_layers,
    ));
    lines.push(closing(answer));
    lines
}

/// How long it took, and what names it.
pub(super) fn closing(answer: &Answer) -> String {
    format!(
        "{}{}, job {}, digest {}",
        show_duration(answer.elapsed),
        if answer.resumed { " (going on from an earlier run)" } else { "" },
        answer.job,
        answer.digest,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::job::{JobSpec, SizeLimits};
    use std::time::Duration;

    fn answer(question: Question, value: Option<u32>) -> Answer {
        let spec =
            JobSpec { question, poset: "boolean:4".into(), limits: SizeLimits::NONE, position: None, sampling: None };
        Answer {
            job: spec.id(),
            spec,
            value: value.map(Into::into),
            orbits: 30u32.into(),
            labelled: 168u32.into(),
            base_layers: 17,
            digest: "ab".repeat(32),
            heights: None,
            proof: None,
            resumed: false,
            elapsed: Duration::from_millis(2),
        }
    }

    #[test]
    fn the_value_stands_alone_on_the_first_line() {
        assert_eq!(shown(&answer(Question::Extensions, Some(1_680_384))), "1680384\n");
        assert_eq!(shown(&answer(Question::Ideals, Some(168))), "168\n30 up to symmetry\n");
        assert_eq!(shown(&answer(Question::Extensions, None)), "none\n");
    }

    #[test]
    fn the_document_has_the_promised_fields() {
        let json = serde_json::to_value(AnswerDocument::from(&answer(Question::Extensions, None))).expect("JSON");
        assert_eq!(json["question"], "extensions");
        assert_eq!(json["poset"], "boolean:4");
        assert!(json["value"].is_null());
        assert_eq!(json["orbits"], "30");
        assert_eq!(json["labelled"], "168");
        assert_eq!(json["base_layers"], 17);
        assert_eq!(json["job"], "extensions-boolean-4");
        assert_eq!(json["resumed"], false);
        assert!(json["elapsed_seconds"].is_f64());
        assert!(json.get("max_elements").is_none(), "limits only where set");
    }
}
