//! The tasks of the ruler on set partitions: a shard of the types of one n.

use std::sync::{Mutex, PoisonError};

use super::plan::memory;
use super::{BOUND, JobSpec, SeenBits, Surveyed, shards};
use crate::game::set_partitions::{DistinctTypes, Heights, Survey, shard_of_types};
use crate::job::task::{Effort, Engine, Findings, Task, TaskError, TaskSizes};
use crate::watch::{Stopped, Watch};

/// Parts of a shard for each thread.
const PARTS: usize = 4;

/// Does tasks of the ruler on set partitions.
pub struct RulerEngine {
    spec: JobSpec,
    n: usize,
    /// What the values so far lead to: most tasks are about the same n as the one before, or the next.
    grown: Mutex<Grown>,
}

#[derive(Default)]
struct Grown {
    heights: Heights,
    types: DistinctTypes,
}

impl RulerEngine {
    /// For h(1), ..., h(n).
    pub fn new(n: usize) -> Self {
        Self { spec: JobSpec::ruler(n), n, grown: Mutex::default() }
    }
}

impl Grown {
    /// What h(1), ..., h(n - 1) lead to.
    ///
    /// # Errors
    /// [`Stopped`].
    fn become_up_to(&mut self, n: usize, heights: &[u32], threads: usize, watch: &Watch<'_>) -> Result<(), Stopped> {
        let known = self.heights.values();
        if self.types.n() > n || !heights.starts_with(known) {
            *self = Self::default();
        }
        for &height in &heights[self.heights.values().len()..] {
            self.heights.push(height);
        }
        while self.types.n() < n {
            self.types.grow(&self.heights, threads, watch)?;
        }
        Ok(())
    }
}

impl Engine for RulerEngine {
    fn spec(&self) -> &JobSpec {
        &self.spec
    }

    fn last_layer(&self) -> usize {
        self.n
    }

    fn space(&self) -> &str {
        // No bases: nobody owns them.
        &self.spec.poset
    }

    fn has_values(&self) -> bool {
        true
    }

    fn survey(&self, n: usize, shard: usize, heights: &[u32], effort: &Effort<'_>) -> Result<Findings, TaskError> {
        let shards = shards(n);
        if n == 0 || n > self.n || shard >= shards || heights.len() + 1 != n {
            return Err(TaskError::NotOfThisJob);
        }
        let (threads, watch) = (effort.threads.max(1), Watch::new(effort.interrupt));
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        grown.become_up_to(n, heights, threads, &watch)?;
        let Grown { heights, types } = &*grown;
        let range = shard_of_types(n, shard, shards);
        let survey = Survey::in_parts(types, heights, range, PARTS * threads, (threads, BOUND), &watch)?;
        Ok(Findings::Surveyed(Surveyed { types: survey.types, seen: SeenBits::from(&survey.seen) }))
    }

    fn memory_of(&self, task: Task, _sizes: &TaskSizes) -> u64 {
        memory(task.layer) as u64
    }
}
