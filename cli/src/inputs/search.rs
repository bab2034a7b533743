//! One position that is to be searched.

use antichain_common::job::search::{SearchPlan, plan_search};
use antichain_common::job::{JobSpec, Question};
use antichain_common::poset::given::short_name;
use antichain_common::poset::parse_position;

use crate::command::Asked;
use crate::output;
use crate::sizes::{show_bytes, show_seconds};

/// A search that is refused.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A question that is not searched for.
    #[error("only the outcome of a single position is searched for")]
    Question(String),
    /// A position that nobody could settle.
    #[error(
        "about {:.1e} positions can be reached up to symmetry, and a search visits a large part of them",
        plan.classes.to_f64()
    )]
    OutOfReach {
        /// The position.
        position: String,
        /// What it would take.
        plan: Box<SearchPlan>,
    },
}

impl SearchError {
    /// What the user typed.
    pub fn input(&self) -> &str {
        match self {
            Self::Question(word) => word,
            Self::OutOfReach { position, .. } => position,
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Question(_) => {
                "`antichain run outcome POSET --position POSITION`; `antichain query` has other values \
                                  of small positions"
                    .to_owned()
            }
            Self::OutOfReach { plan, .. } => format!(
                "it would take about {} of processor time and {} of memory; a position that is left after a few moves is \
                 within reach, and --force begins all the same",
                show_seconds(plan.cpu_seconds),
                show_bytes(plan.memory_bytes)
            ),
        }
    }
}

/// The position and its job.
///
/// # Errors
/// A question that is none, or is not searched for; a poset or a position that is none.
pub fn read(question: &str, poset: &str, position: &str, json: bool) -> anyhow::Result<Asked> {
    if super::question(question)? != Question::Outcome {
        return Err(SearchError::Question(question.to_owned()).into());
    }
    let poset = super::given::poset(poset, json)?;
    let parsed = parse_position(&poset, position)?;
    parsed.warnings.iter().for_each(|warning| output::warning(json, warning));
    let spec = JobSpec::search(&poset, &parsed.members);
    Ok(Asked { poset, members: parsed.members, spec })
}

/// What a search will need, if anybody could do it, or `force` says that it is to be tried.
///
/// # Errors
/// [`SearchError::OutOfReach`].
pub fn check_reach(spec: &JobSpec, force: bool) -> anyhow::Result<SearchPlan> {
    let plan = plan_search(spec)?;
    if plan.is_out_of_reach() && !force {
        let position = format!("{} {}", short_name(&spec.poset), spec.position.as_deref().unwrap_or_default());
        return Err(SearchError::OutOfReach { position, plan: Box::new(plan) }.into());
    }
    Ok(plan)
}
