//! The tasks of an estimate: groups of batches.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::plan::memory;
use super::{JobSpec, Sampled, Sampling, groups, made};
use crate::estimate::{Estimator, Stream};
use crate::job::task::{Effort, Engine, Findings, Task, TaskError, TaskSizes};
use crate::poset::Poset;
use crate::watch::{Stopped, Watch};

/// Does tasks of an estimate.
pub struct EstimateEngine {
    spec: JobSpec,
    poset: Poset,
    sampling: Sampling,
    groups: Vec<Range<u64>>,
    /// Exact layers and learnt formulas, the same for all tasks. They take longer than a task, and a coordinator has no
    /// use for them: so they are made when the first task comes.
    estimator: Mutex<Option<Arc<Estimator>>>,
}

impl EstimateEngine {
    /// For a poset.
    pub fn new(poset: Poset, sampling: Sampling) -> Self {
        let (spec, groups) = (JobSpec::estimate(&poset, sampling), groups(sampling, poset.len()));
        Self { spec, poset, sampling, groups, estimator: Mutex::default() }
    }

    fn estimator(&self, watch: &Watch<'_>) -> Result<Arc<Estimator>, Stopped> {
        let mut made = self.estimator.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(estimator) = &*made {
            return Ok(estimator.clone());
        }
        let estimator = Arc::new(Estimator::new(&self.poset, self.sampling.frontier, watch)?);
        Ok(made.insert(estimator).clone())
    }
}

impl Engine for EstimateEngine {
    fn spec(&self) -> &JobSpec {
        &self.spec
    }

    fn last_layer(&self) -> usize {
        0
    }

    fn space(&self) -> &str {
        // No bases: nobody owns them.
        &self.spec.poset
    }

    fn has_values(&self) -> bool {
        true
    }

    fn sample(&self, group: usize, effort: &Effort<'_>) -> Result<Findings, TaskError> {
        let batches = self.groups.get(group).ok_or(TaskError::NotOfThisJob)?.clone();
        let watch = Watch::new(effort.interrupt);
        let estimator = self.estimator(&watch)?;
        let mut sampled = Sampled::none_of(&estimator);
        if sampled.exact.is_none() {
            let batches: Vec<u64> = batches.collect();
            let stream = (Stream::Answer, self.sampling.seed);
            let made = made(&estimator, stream, &batches, (effort.threads, &watch))?;
            sampled.batches = made.into_values().collect();
        }
        Ok(Findings::Sampled(sampled))
    }

    fn memory_of(&self, _task: Task, _sizes: &TaskSizes) -> u64 {
        memory(&self.poset, self.sampling.frontier) as u64
    }
}
