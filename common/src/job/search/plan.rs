//! What a search will need, before it is begun.

use std::sync::Arc;

use serde::Serialize;

use super::JobSpec;
use crate::ideal::{Element, Ideal};
use crate::job::plan::DIRECTORY_BYTES;
use crate::job::profile::{Reachable, reachable};
use crate::job::{Amount, JobError, JobId, Method, Plan};
use crate::poset::Poset;
use crate::search::{Crew, Rules};

/// Positions visited for each one that can be reached, up to symmetry: two thirds of them for the lost P_{7,3}, less for
/// positions that are won by a move that is tried early (docs/eight-points.md).
const NODES: (f64, f64) = (0.05, 0.8);
/// Microseconds a position visited takes, for each word of a bit set (docs/eight-points.md).
const MICROSECONDS: f64 = 3.5;
/// Bytes of the table for each position visited: entries of eight bytes, at least half of the table empty.
const BYTES: f64 = 24.0;
/// A table with less room than this part of what is visited forgets lost positions, and the search does not end.
const LEAST_ROOM: f64 = 0.1;
/// More positions than this are out of reach of any cluster: 10^13 take 10^8 seconds of one processor and 20 TB.
const OUT_OF_REACH: f64 = 1e13;

/// Positions visited before anything is predicted: many that look hopeless fall to a theorem.
const TRIAL: u64 = 10_000;
/// Bytes of the table of that trial.
const TRIAL_BYTES: u64 = 1 << 20;

/// What a search will need.
#[derive(Clone, Debug, Serialize)]
pub struct SearchPlan {
    /// The job's id.
    pub job: JobId,
    /// What is asked.
    pub spec: JobSpec,
    /// Elements of the position.
    pub elements: usize,
    /// Positions that can be reached, labelled.
    pub labelled: Amount,
    /// Positions that can be reached, up to symmetry.
    pub classes: Amount,
    /// Whether a short search settled it; then the number of positions visited is known.
    pub at_once: bool,
    /// Positions that will be visited: at least, about.
    pub nodes_least: f64,
    /// And at most, about.
    pub nodes_most: f64,
    /// Processor time for the most of them, on a machine like that of the figures in the README.
    pub cpu_seconds: f64,
    /// Memory for a table that forgets nothing.
    pub memory_bytes: f64,
    /// Memory below which the search does not end.
    pub least_memory_bytes: f64,
}

impl SearchPlan {
    /// The same as a plan of any job.
    pub fn as_plan(&self) -> Plan {
        Plan {
            job: self.job.clone(),
            spec: self.spec.clone(),
            method: Method::Plain { top: self.elements },
            orbits: self.classes.clone(),
            labelled: self.labelled.clone(),
            states: self.nodes_most,
            most_states: self.nodes_most,
            edges: 0.0,
            operations: self.nodes_most,
            cpu_seconds: self.cpu_seconds,
            memory_bytes: self.memory_bytes,
            disk_bytes: DIRECTORY_BYTES,
            disk_bytes_kept: DIRECTORY_BYTES,
        }
    }

    /// Whether anybody could do it.
    ///
    /// # Errors
    /// [`JobError::OutOfReach`].
    pub fn check(&self) -> Result<(), JobError> {
        if self.is_out_of_reach() {
            let (job, poset, ideals) = (self.job.clone(), self.spec.poset.clone(), self.classes.to_f64());
            return Err(JobError::OutOfReach { job, poset, ideals });
        }
        Ok(())
    }

    /// Whether nobody could do it.
    pub fn is_out_of_reach(&self) -> bool {
        self.nodes_least > OUT_OF_REACH
    }
}

/// What the search of a position will need.
///
/// # Errors
/// [`JobError::Poset`], [`JobError::Position`].
pub fn plan_search(spec: &JobSpec) -> Result<SearchPlan, JobError> {
    let root = spec.root()?;
    let (poset, members) = root.ok_or_else(|| JobError::SelfCheck(format!("{} is no search", spec.id())))?;
    let (reachable, visited) = match poset.words() {
        1 => survey::<1>(&poset, &members),
        2 => survey::<2>(&poset, &members),
        _ => survey::<4>(&poset, &members),
    };
    let (nodes_least, nodes_most) = match visited {
        Some(nodes) => (nodes as f64, nodes as f64),
        None => (NODES.0 * reachable.classes, NODES.1 * reachable.classes),
    };
    Ok(SearchPlan {
        job: spec.id(),
        spec: spec.clone(),
        elements: members.len(),
        labelled: Amount::About(reachable.labelled),
        classes: Amount::About(reachable.classes),
        at_once: visited.is_some(),
        nodes_least,
        nodes_most,
        cpu_seconds: nodes_most * poset.words() as f64 * MICROSECONDS * 1e-6,
        memory_bytes: nodes_most * BYTES,
        least_memory_bytes: nodes_least * BYTES * LEAST_ROOM,
    })
}

/// What can be reached from a position, and how many positions a short search visited if it settled it.
fn survey<const W: usize>(poset: &Poset, members: &[Element]) -> (Reachable, Option<u64>) {
    let root = members.iter().fold(Ideal::<W>::empty(), |root, &x| root.with(x));
    let mut crew = Crew::new(Arc::new(Rules::new(poset)), 1, (TRIAL_BYTES, 0));
    let settled = crew.settle(root, &mut |turn| turn.nodes < TRIAL);
    (reachable(poset, root), settled.map(|_| crew.nodes()))
}
