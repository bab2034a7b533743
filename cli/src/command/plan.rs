//! `antichain plan`: what a question will need.

use std::num::NonZeroUsize;

use antichain_common::job::{Amount, JobId, JobSpec, Method, Plan, Question};
use antichain_common::poset::given::short_name;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::{LimitsDocument, all_cores, budget, plan_reach, plan_search, show_limits};
use crate::args::{Global, PlanArgs};
use crate::inputs;
use crate::output::{document, grouped, result, table};
use crate::remote::{Place, Remote, place};
use crate::sizes::{Bytes, show_bytes, show_large, show_seconds};

/// Runs the command.
pub fn execute(global: &Global, args: &PlanArgs) -> anyhow::Result<()> {
    if let Some(position) = &args.search.position {
        return plan_search::execute(global, args, position);
    }
    if args.resources.is_given() {
        return plan_reach::execute(global, args);
    }
    let spec = inputs::job(&args.question, &args.poset, args.limits, global.json)?;
    let (plan, machine) = match place::either(global)? {
        Place::Here(_) => (spec.plan()?, Some(Machine::here())),
        Place::There(target) => (there(&Remote::connect(target)?, &spec)?, None),
    };
    if global.json { document(&PlanDocument::from(&plan)) } else { Ok(result(&shown(&plan, machine.as_ref()))?) }
}

/// The plan of a coordinator.
fn there(remote: &Remote, spec: &JobSpec) -> anyhow::Result<Plan> {
    let reply = remote.plan(spec)?;
    let sent: SentPlan = serde_json::from_slice(&reply.document).map_err(|_| remote.not_understood("a plan"))?;
    Ok(sent.plan(reply.exact).ok_or_else(|| remote.not_understood("a plan"))?)
}

/// A plan as it comes over the wire: numbers of ideals as strings, which do not say whether they are exact.
#[derive(Debug, Deserialize)]
struct SentPlan {
    job: JobId,
    spec: JobSpec,
    method: Method,
    orbits: String,
    labelled: String,
    states: f64,
    most_states: f64,
    edges: f64,
    operations: f64,
    cpu_seconds: f64,
    memory_bytes: f64,
    disk_bytes: f64,
    disk_bytes_kept: f64,
}

impl SentPlan {
    fn plan(self, exact: bool) -> Option<Plan> {
        let amount = |digits: &str| {
            if exact { digits.parse().ok().map(Amount::Exact) } else { digits.parse().ok().map(Amount::About) }
        };
        Some(Plan {
            orbits: amount(&self.orbits)?,
            labelled: amount(&self.labelled)?,
            job: self.job,
            spec: self.spec,
            method: self.method,
            states: self.states,
            most_states: self.most_states,
            edges: self.edges,
            operations: self.operations,
            cpu_seconds: self.cpu_seconds,
            memory_bytes: self.memory_bytes,
            disk_bytes: self.disk_bytes,
            disk_bytes_kept: self.disk_bytes_kept,
        })
    }
}

/// What a plan is compared with where this machine does the work.
struct Machine {
    threads: NonZeroUsize,
    memory: Bytes,
}

impl Machine {
    fn here() -> Self {
        Self { threads: all_cores(), memory: budget(None) }
    }
}

/// The plan as a JSON document.
#[derive(Debug, Serialize)]
pub(super) struct PlanDocument<'a> {
    question: Question,
    poset: Cow<'a, str>,
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
            poset: short_name(&plan.spec.poset),
            limits: plan.spec.limits.into(),
            job: plan.job.to_string(),
            method: method(plan),
            orbits: plan.orbits.to_string(),
            labelled: plan.labelled.to_string(),
            exact: plan.is_exact(),
            states: plan.states.round(),
            operations: plan.operations.round(),
            cpu_seconds: plan.cpu_seconds,
            memory_bytes: plan.memory_bytes.round(),
            disk_bytes: plan.disk(false).round(),
            disk_bytes_kept: plan.disk_bytes_kept.round(),
        }
    }
}

/// The plan for people.
fn shown(plan: &Plan, machine: Option<&Machine>) -> String {
    let mut time = format!("{} on one core", show_seconds(plan.cpu_seconds));
    let mut memory = show_bytes(plan.memory_bytes);
    if let Some(Machine { threads, memory: free }) = machine {
        time += &format!(", {} on the {threads} here", show_seconds(plan.cpu_seconds / threads.get() as f64));
        let fits = if plan.memory_bytes <= free.0 as f64 { "fits into" } else { "more than" };
        memory += &format!(", {fits} the {free} this process may take by default");
    }
    let is_ruler = plan.spec.question == Question::Ruler;
    let rows = [
        (
            "question",
            format!("{} of {}{}", plan.spec.question, short_name(&plan.spec.poset), show_limits(plan.spec.limits)),
        ),
        ("job", plan.job.to_string()),
        ("method", method(plan)),
        (if is_ruler { "set partitions" } else { "ideals" }, ideals(&plan.labelled)),
        ("up to symmetry", ideals(&plan.orbits)),
        ("states", readable(plan.states)),
        ("operations", readable(plan.operations)),
        ("time", time),
        ("memory", memory),
        ("disk", disk(plan)),
    ];
    table(&rows.map(|(name, text)| vec![name.to_owned(), text]), 2)
}

/// The disk, and what it takes to keep values, unless these are kept anyway.
fn disk(plan: &Plan) -> String {
    let kept = show_bytes(plan.disk_bytes_kept);
    if plan.keeps_values(false) {
        format!("{kept}, for with a limit on sizes values are kept")
    } else {
        format!("{}; {kept} with --keep-values", show_bytes(plan.disk_bytes))
    }
}

/// How the question is answered.
fn method(plan: &Plan) -> String {
    match plan.spec.question {
        Question::Ruler => "the types of set partitions, one number of elements after the other".to_owned(),
        _ => plan.method.to_string(),
    }
}

/// A number of ideals: every digit of an exact one, as long as anybody could read them.
pub(super) fn ideals(amount: &Amount) -> String {
    const LEGIBLE: f64 = 1e21;
    match amount {
        Amount::Exact(number) if amount.to_f64() < LEGIBLE => grouped(number),
        Amount::Exact(_) => readable(amount.to_f64()),
        Amount::About(number) => format!("about {}", readable(*number)),
    }
}

/// Beyond a million, three significant digits of an estimate say enough.
pub(super) fn readable(number: f64) -> String {
    if number >= 1e6 { show_large(number) } else { grouped(&format!("{number:.0}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::job::SizeLimits;

    #[test]
    fn numbers_as_exact_as_they_are() {
        assert_eq!(ideals(&Amount::Exact(2_414_682_040_998u64.into())), "2,414,682,040,998");
        assert_eq!(ideals(&Amount::About(2_414_682_040_998.0)), "about 2.41 * 10^12");
        assert_eq!(ideals(&Amount::About(16_353.2)), "about 16,353");
        assert_eq!(ideals(&Amount::Exact(10u128.pow(30).into())), "1.00 * 10^30");
    }

    #[test]
    fn a_plan_survives_the_wire() {
        let limits = SizeLimits::NONE;
        let spec = JobSpec {
            question: Question::Extensions,
            poset: "boolean:5".to_owned(),
            limits,
            position: None,
            sampling: None,
        };
        let plan = spec.plan().expect("within reach");
        let sent: SentPlan = serde_json::from_slice(&serde_json::to_vec(&plan).expect("JSON")).expect("understood");
        let received = sent.plan(plan.is_exact()).expect("understood");
        assert_eq!(shown(&received, None), shown(&plan, None));
    }
}
