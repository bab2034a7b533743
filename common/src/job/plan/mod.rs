//! Plans: how a question will be answered, what that takes, and whether anybody could.
//!
//! Everything here is the same on every machine: estimates come from random numbers with a fixed seed.
//!
//! ```
//! use antichain_common::job::{Method, Question, SizeLimits, plan};
//! use antichain_common::poset::Poset;
//! let poset: Poset = "boolean:7".parse()?;
//! let plan = plan(Question::Extensions, &poset, SizeLimits::NONE)?;
//! assert_eq!(plan.method, Method::Halves { top: 64 });
//! assert_eq!(plan.orbits.to_string(), "490013148");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`reach`](fn@reach) asks the other way round: how large the ideals may be for what there is.

mod amount;
mod cost;
mod method;
mod reach;
mod space;

#[cfg(test)]
mod tests;

pub use amount::Amount;
pub(super) use method::visited;
pub use method::{Method, method};
pub use reach::{Reach, Resource, Resources, reach};

use super::profile::Profile;
use super::{JobError, JobSpec, Plan, Question, SizeLimits};
use crate::poset::Poset;
use crate::space::split::Split;
use crate::symmetry::Isa;
use cost::Cost;
pub(super) use cost::{DIRECTORY_BYTES, PROCESS_BYTES, UPPER_SLOTS};
use space::Space;

/// More ideals up to symmetry than anybody will visit: 8 TB of the smallest bases, and the additions take months.
const OUT_OF_REACH: f64 = 1e12;

/// What a job would need.
///
/// # Errors
/// [`JobError::OutOfReach`], [`JobError::FromAbove`]; [`JobError::NotAboutIdeals`].
pub fn plan(question: Question, poset: &Poset, limits: SizeLimits) -> Result<Plan, JobError> {
    if matches!(question, Question::Ruler | Question::Estimate) {
        return Err(JobError::NotAboutIdeals(question));
    }
    let space = Space::new(poset, method::visited(question, poset, limits));
    within_reach(&JobSpec::new(question, poset, limits), &space)?;
    Ok(planned(question, poset, limits, &space))
}

/// The same, whether anybody could do it or not, with the space of what is visited.
fn planned(question: Question, poset: &Poset, limits: SizeLimits, space: &Space<'_>) -> Plan {
    let spec = JobSpec::new(question, poset, limits);
    let method = method::choose(question, poset, method::visited(question, poset, limits), space);
    let halves = match method {
        Method::Halves { top } => Split::halves(poset, Isa::detect()).map(|split| Profile::new(&split, top)),
        Method::Plain { .. } => None,
    };
    let cost = Cost::of(question, method, poset, halves.as_ref().unwrap_or_else(|| space.plain()));
    let (orbits, labelled) = space.ideals();
    Plan {
        job: spec.id(),
        spec,
        method,
        orbits,
        labelled,
        states: cost.states,
        most_states: cost.most_states,
        edges: cost.edges,
        operations: cost.operations,
        cpu_seconds: cost.cpu_seconds,
        memory_bytes: cost.memory_bytes,
        disk_bytes: cost.disk_bytes,
        disk_bytes_kept: cost.disk_bytes_kept,
    }
}

/// Whether anybody could answer: [`plan`] without the costs.
///
/// # Errors
/// [`JobError::OutOfReach`], [`JobError::FromAbove`].
pub fn check(question: Question, poset: &Poset, limits: SizeLimits) -> Result<(), JobError> {
    // Not even the sets of so few elements are as many.
    if (poset.len() as f64) < OUT_OF_REACH.log2() {
        return Ok(());
    }
    let visited = method::visited(question, poset, limits);
    within_reach(&JobSpec::new(question, poset, limits), &Space::new(poset, visited))
}

fn within_reach(spec: &JobSpec, space: &Space<'_>) -> Result<(), JobError> {
    if is_within_reach(space) {
        return Ok(());
    }
    let (ideals, _) = space.needed();
    let (job, question, poset) = (spec.id(), spec.question, spec.poset.clone());
    Err(match spec.limits.min {
        0 => JobError::OutOfReach { job, poset, ideals },
        _ => JobError::FromAbove { job, question, poset, ideals },
    })
}

/// Whether there are not more ideals to visit than any job may.
fn is_within_reach(space: &Space<'_>) -> bool {
    let (ideals, share) = space.needed();
    ideals * share <= OUT_OF_REACH
}
