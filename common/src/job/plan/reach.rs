//! The largest limit on the size of ideals that given resources allow.
//!
//! What a job takes grows with the limit, so each resource is exhausted at one of them, which halving finds: a plan for each
//! limit that is tried. The whole poset, where duality may make it cheaper than a part, is tried by itself.
//!
//! ```
//! use antichain_common::job::{Question, Resource, Resources, reach};
//! use antichain_common::poset::Poset;
//! let poset: Poset = "boolean:8".parse()?;
//! let resources = Resources { cores: 2, memory: 16 << 30, seconds: Some(7200.0), disk: None };
//! let reach = reach(Question::Grundy, &poset, resources)?;
//! assert_eq!((reach.most, reach.ends_first()), (Some(41), Some(Resource::Memory)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use super::space::Space;
use super::{Plan, is_within_reach, planned};
use crate::job::{JobError, Question, SizeLimits};
use crate::poset::Poset;

/// What a job may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resources {
    /// Cores like those that the coefficients of costs were measured on, which all work all the time.
    pub cores: usize,
    /// Bytes of memory of one process. That is what `run` has; a worker on a cluster takes as much for a game, of which each
    /// has all values.
    pub memory: u64,
    /// Seconds of wall time, if they are bounded.
    pub seconds: Option<f64>,
    /// Bytes of disk, if they are bounded.
    pub disk: Option<u64>,
}

/// What may be exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Wall time on all cores.
    Time,
    /// Memory of one process.
    Memory,
    /// Disk.
    Disk,
    /// More ideals up to symmetry than any job may visit.
    Ideals,
}

impl Resource {
    /// Those that somebody may have more of.
    const GIVEN: [Self; 3] = [Self::Memory, Self::Time, Self::Disk];

    /// Whether there is enough of it for a plan, of which it is known whether any job may visit so many ideals.
    fn allows(self, resources: &Resources, (plan, allowed): &(Plan, bool)) -> bool {
        match self {
            Self::Time => resources.seconds.is_none_or(|most| plan.cpu_seconds / resources.cores as f64 <= most),
            Self::Memory => plan.memory_bytes <= resources.memory as f64,
            Self::Disk => resources.disk.is_none_or(|most| plan.disk(false) <= most as f64),
            Self::Ideals => *allowed,
        }
    }
}

/// How far resources reach.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Largest number of elements of the ideals of a job that fits; all of the poset if nothing limits it, `None` if no job
    /// does.
    pub most: Option<usize>,
    /// What that job takes.
    pub plan: Option<Plan>,
    /// What the next larger job takes.
    pub next: Option<Plan>,
    /// For each resource that is not enough for the whole poset the largest size that it alone allows, the scarcest first. The
    /// number of ideals is among them if it comes first.
    pub bounds: Vec<(Resource, Option<usize>)>,
}

impl Reach {
    /// What is exhausted first; nothing if all ideals are within reach.
    pub fn ends_first(&self) -> Option<Resource> {
        self.bounds.first().map(|&(resource, _)| resource)
    }
}

/// How far resources reach for a question about the ideals of a poset.
///
/// # Errors
/// [`JobError::NotAboutIdeals`].
pub fn reach(question: Question, poset: &Poset, resources: Resources) -> Result<Reach, JobError> {
    if !Question::ABOUT_IDEALS.contains(&question) {
        return Err(JobError::NotAboutIdeals(question));
    }
    let mut plans = Plans { question, poset, made: BTreeMap::new() };
    let whole = poset.len();
    let mut bounds = Vec::new();
    for resource in Resource::GIVEN {
        if !resource.allows(&resources, plans.of(whole)) {
            bounds.push((resource, plans.largest(whole, |plan| resource.allows(&resources, plan))));
        }
    }
    // Those with equal bounds stay in the order of the list.
    bounds.sort_by_key(|&(_, most)| most);
    let mut most = bounds.first().map_or(Some(whole), |&(_, most)| most);
    if let Some(end) = most.filter(|&end| !Resource::Ideals.allows(&resources, plans.of(end))) {
        most = plans.largest(end, |plan| Resource::Ideals.allows(&resources, plan));
        bounds.insert(0, (Resource::Ideals, most));
    }
    if bounds.is_empty() {
        return Ok(Reach { most, plan: plans.take(whole), next: None, bounds });
    }
    let next = plans.take(most.map_or(0, |most| most + 1));
    Ok(Reach { most, plan: most.and_then(|most| plans.take(most)), next, bounds })
}

/// Plans by limit, made when they are asked for.
struct Plans<'a> {
    question: Question,
    poset: &'a Poset,
    made: BTreeMap<usize, (Plan, bool)>,
}

impl Plans<'_> {
    fn of(&mut self, max: usize) -> &(Plan, bool) {
        self.made.entry(max).or_insert_with(|| {
            let limits = SizeLimits { min: 0, max: Some(max) };
            let space = Space::new(self.poset, limits);
            (planned(self.question, self.poset, limits, &space), is_within_reach(&space))
        })
    }

    fn take(&mut self, max: usize) -> Option<Plan> {
        self.of(max);
        self.made.remove(&max).map(|(plan, _)| plan)
    }

    /// The largest limit below `end` that is allowed; none if not even that of the empty ideal is.
    fn largest(&mut self, end: usize, allows: impl Fn(&(Plan, bool)) -> bool) -> Option<usize> {
        let (mut below, mut above) = (0, end);
        while below < above {
            let middle = (below + above) / 2;
            if allows(self.of(middle)) {
                below = middle + 1;
            } else {
                above = middle;
            }
        }
        below.checked_sub(1)
    }
}
