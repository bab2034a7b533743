//! `antichain plan`: what a question will need.

use std::time::Duration;

use antichain_common::job::{self, Amount, Plan, Question};
use antichain_common::poset::Poset;
use serde::Serialize;

use super::{LimitsDocument, all_cores, budget, show_limits};
use crate::args::{Global, PlanArgs};
use crate::inputs;
use crate::output::{document, grouped, result, table};
use crate::sizes::{Bytes, show_estimate};

/// Runs the command.
pub fn execute(global: &Global, args: &PlanArgs) -> anyhow::Result<()> {
    let question = inputs::question(&args.question)?;
    let poset: Poset = args.poset.parse()?;
    let plan = job::plan(question, &poset, inputs::limits(args.limits)?)?;
    if global.json { document(&PlanDocument::from(&plan)) } else { Ok(result(&shown(&plan))?) }
}

/// The plan as a JSON document.
#[derive(Debug, Serialize)]
struct PlanDocument<'a> {
    question: Question,
    poset: &'a str,
    #[serde(flatten)]
    limits: LimitsDocument,
    job: String,
    method: String,
    /// Strings, as in every document; rounded where they are not exact.
    orbits: String,
    labelled: String,
    exact: bool,
    states: f64,
    operations: f64,
    cpu_seconds: f64,
    memory_bytes: f64,
    disk_bytes: f64,
    disk_bytes_kept: f64,
}

impl<'a> From<&'a Plan> for PlanDocument<'a> {
    fn from(plan: &'a Plan) -> Self {
        Self {
            question: plan.spec.question,
            poset: &plan.spec.poset,
            limits: plan.spec.limits.into(),
            job: plan.job.to_string(),
            method: plan.method.to_string(),
            orbits: plan.orbits.to_string(),
            labelled: plan.labelled.to_string(),
            exact: plan.is_exact(),
            states: plan.states.round(),
            operations: plan.operations.round(),
            cpu_seconds: plan.cpu_seconds,
            memory_bytes: plan.memory_bytes.round(),
            disk_bytes: plan.disk_bytes.round(),
            disk_bytes_kept: plan.disk_bytes_kept.round(),
        }
    }
}

/// The plan for people.
fn shown(plan: &Plan) -> String {
    let threads = all_cores();
    let shared = plan.cpu_seconds / threads.get() as f64;
    let free = budget(None);
    let memory = bytes(plan.memory_bytes);
    let fits = if memory <= free { "fits into" } else { "more than" };
    let rows = [
        ("question", format!("{} of {}{}", plan.spec.question, plan.spec.poset, show_limits(plan.spec.limits))),
        ("job", plan.job.to_string()),
        ("method", plan.method.to_string()),
        ("ideals", ideals(&plan.labelled)),
        ("up to symmetry", ideals(&plan.orbits)),
        ("states", readable(plan.states)),
        ("operations", readable(plan.operations)),
        ("time", format!("{} on one core, {} on the {threads} here", span(plan.cpu_seconds), span(shared))),
        ("memory", format!("{memory}, {fits} the {free} this process may take by default")),
        ("disk", format!("{}; {} with --keep-values", bytes(plan.disk_bytes), bytes(plan.disk_bytes_kept))),
    ];
    table(&rows.map(|(name, text)| vec![name.to_owned(), text]), 2)
}

/// A time to wait.
fn span(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or("longer than time itself".to_owned(), show_estimate)
}

/// A number of ideals: every digit of an exact one, as long as anybody could read them.
fn ideals(amount: &Amount) -> String {
    const LEGIBLE: f64 = 1e21;
    match amount {
        Amount::Exact(number) if amount.to_f64() < LEGIBLE => grouped(number),
        Amount::Exact(_) => readable(amount.to_f64()),
        Amount::About(number) => format!("about {}", readable(*number)),
    }
}

/// Beyond a million, three significant digits of an estimate say enough.
fn readable(number: f64) -> String {
    if number >= 1e6 { format!("{number:.2e}").replace('e', " * 10^") } else { grouped(&format!("{number:.0}")) }
}

/// Saturating, as a plan may name more than any disk.
fn bytes(number: f64) -> Bytes {
    Bytes(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_exact_as_they_are() {
        assert_eq!(ideals(&Amount::Exact(2_414_682_040_998u64.into())), "2,414,682,040,998");
        assert_eq!(ideals(&Amount::About(2_414_682_040_998.0)), "about 2.41 * 10^12");
        assert_eq!(ideals(&Amount::About(16_353.2)), "about 16,353");
        assert_eq!(ideals(&Amount::Exact(10u128.pow(30).into())), "1.00 * 10^30");
    }
}
