//! `antichain plan`: what a question will need.

use std::time::Duration;

use antichain_common::job::{self, Plan, Question};
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
    method: &'a str,
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
        let exact = is_exact(plan);
        Self {
            question: plan.spec.question,
            poset: &plan.spec.poset,
            limits: plan.spec.limits.into(),
            job: plan.job.to_string(),
            method: &plan.method,
            orbits: whole(plan.orbits, exact),
            labelled: whole(plan.labelled, exact),
            exact,
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
    let exact = is_exact(plan);
    let about = if exact { "" } else { "about " };
    let free = budget(None);
    let memory = bytes(plan.memory_bytes);
    let fits = if memory <= free { "fits into" } else { "more than" };
    let rows = [
        ("question", format!("{} of {}{}", plan.spec.question, plan.spec.poset, show_limits(plan.spec.limits))),
        ("job", plan.job.to_string()),
        ("method", plan.method.clone()),
        ("ideals", format!("{about}{}", readable(plan.labelled, exact))),
        ("up to symmetry", format!("{about}{}", readable(plan.orbits, exact))),
        ("states", readable(plan.states, false)),
        ("operations", readable(plan.operations, false)),
        ("time", format!("{} on one core, {} on the {threads} here", span(plan.cpu_seconds), span(shared))),
        ("memory", format!("{memory}, {fits} the {free} this process may take by default")),
        ("disk", format!("{}; {} with --keep-values", bytes(plan.disk_bytes), bytes(plan.disk_bytes_kept))),
    ];
    table(&rows.map(|(name, text)| vec![name.to_owned(), text]), 2)
}

/// Whether the numbers of ideals are right to the last digit: known, and within what a float can say.
fn is_exact(plan: &Plan) -> bool {
    const LARGEST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    plan.exact && plan.orbits.max(plan.labelled) <= LARGEST
}

/// A time to wait.
fn span(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or("longer than time itself".to_owned(), show_estimate)
}

/// Beyond a million, or a fraction: three significant digits say enough unless the number is exact.
fn readable(number: f64, exact: bool) -> String {
    if number >= 1e15 || (!exact && number >= 1e6) {
        format!("{number:.2e}").replace('e', " * 10^")
    } else {
        grouped(&format!("{number:.0}"))
    }
}

/// A number of ideals in decimal: to the last digit where it is exact, else to three significant ones.
fn whole(number: f64, exact: bool) -> String {
    let rounded = if exact { number } else { format!("{number:.2e}").parse().unwrap_or(number) };
    format!("{rounded:.0}")
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
        assert_eq!(readable(16353.0, true), "16,353");
        assert_eq!(readable(2_414_682_040_998.0, true), "2,414,682,040,998");
        assert_eq!(readable(2_414_682_040_998.0, false), "2.41 * 10^12");
        assert_eq!(readable(1.4e18, true), "1.40 * 10^18");
        assert_eq!(whole(490_013_148.0, true), "490013148");
        assert_eq!(whole(490_013_148.0, false), "490000000");
    }
}
