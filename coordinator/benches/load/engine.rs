//! A job of one layer with as many shards as one likes, and nothing to compute.

use antichain_common::ideal::Ideal;
use antichain_common::job::task::{Engine, Findings, Merged, MergedShard, Solved, Task, TaskError, TaskSizes};
use antichain_common::job::{JobSpec, Question, SizeCount, SizeLimits};
use antichain_common::store::{ShardKind, bases_image};

/// What the job is said to be about: it must not be small.
pub fn spec() -> JobSpec {
    JobSpec {
        question: Question::Ideals,
        poset: "boolean:7".to_owned(),
        limits: SizeLimits::NONE,
        position: None,
        sampling: None,
    }
}

/// What every shard has.
const EACH: u64 = 1_000;

/// What a worker finds in a shard.
pub fn findings(shard: usize) -> Vec<u8> {
    let count = |size: usize| SizeCount { size, orbits: (shard + 1).into(), labelled: (5_040 * (shard + 1)).into() };
    let counts = (56..64).map(count).collect();
    let solved = Findings::Solved(Solved { bases: EACH, slots: EACH, counts, values: None, positions: None });
    serde_json::to_vec(&solved).expect("a document")
}

/// The engine of such a job.
pub struct Shards {
    pub spec: JobSpec,
    pub shards: usize,
}

/// Nobody asks for anything else.
impl Engine for Shards {
    fn spec(&self) -> &JobSpec {
        &self.spec
    }

    fn last_layer(&self) -> usize {
        0
    }

    fn space(&self) -> &str {
        "space-of-the-load"
    }

    fn has_values(&self) -> bool {
        false
    }

    fn first_layer(&self) -> Result<Merged, TaskError> {
        let image = bases_image(ShardKind::Bases, &[Ideal::<1>::empty()], |_| 0)?;
        let shard = |_| MergedShard { image: image.clone(), bases: EACH, slots: EACH };
        Ok(Merged { shards: (0..self.shards).map(shard).collect() })
    }

    fn memory_of(&self, _: Task, _: &TaskSizes) -> u64 {
        16 << 20
    }
}
