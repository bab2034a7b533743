//! `antichain plan outcome POSET --position POSITION`: what a search will need.

use antichain_common::job::search::SearchPlan;
use antichain_common::poset::given::short_name;
use serde::Serialize;

use crate::args::{Global, PlanArgs};
use crate::inputs;
use crate::output::{document, result, table};
use crate::progress::scaled;
use crate::sizes::{show_bytes, show_seconds};

/// Runs the command.
pub fn execute(global: &Global, args: &PlanArgs, position: &str) -> anyhow::Result<()> {
    let asked = inputs::search::read(&args.question, &args.poset, position, global.json)?;
    let plan = inputs::search::check_reach(&asked.spec, args.search.force)?;
    if global.json { document(&SearchPlanDocument::from(&plan)) } else { Ok(result(&shown(&plan))?) }
}

/// The plan as a JSON document.
#[derive(Debug, Serialize)]
struct SearchPlanDocument<'a> {
    #[serde(flatten)]
    plan: &'a SearchPlan,
    out_of_reach: bool,
}

impl<'a> From<&'a SearchPlan> for SearchPlanDocument<'a> {
    fn from(plan: &'a SearchPlan) -> Self {
        Self { plan, out_of_reach: plan.is_out_of_reach() }
    }
}

/// The plan for people.
fn shown(plan: &SearchPlan) -> String {
    let range = |least: f64, most: f64| format!("{} to {}", scaled(least), scaled(most));
    let visited = match plan.at_once {
        true => format!("{} (a short search settled it)", scaled(plan.nodes_least)),
        false => range(plan.nodes_least, plan.nodes_most),
    };
    let rows = [
        ("job", plan.job.to_string()),
        ("poset", short_name(&plan.spec.poset).into_owned()),
        ("position", plan.spec.position.clone().unwrap_or_default()),
        ("positions that can be reached, labelled", scaled(plan.labelled.to_f64())),
        ("positions that can be reached, up to symmetry", scaled(plan.classes.to_f64())),
        ("positions that will be visited, about", visited),
        ("processor time, at most about", show_seconds(plan.cpu_seconds)),
        ("memory for a table that forgets nothing", show_bytes(plan.memory_bytes)),
        ("memory below which the search does not end", show_bytes(plan.least_memory_bytes)),
    ];
    table(&rows.map(|(name, value)| vec![name.to_owned(), value]), 2)
}
