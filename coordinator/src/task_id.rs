//! Numbers of tasks: in the order in which tasks are handed out where there is a choice.
//!
//! ```text
//! job (20 bits) | turn (12) | kind (4) | shard (28)
//! ```
//! Earlier jobs first; within a job a layer after the other, but enumeration two layers ahead of the values, so that the
//! bases of a layer are there when its values can be computed. The duals of a game come last, from the last layer down.

use std::ops::RangeInclusive;

use antichain_common::job::task::{Task, TaskKind};

use crate::ledger::TaskId;

const SHARD_BITS: u32 = 28;
const KIND_BITS: u32 = 4;
const TURN_BITS: u32 = 12;
/// Layers that enumeration is ahead.
const AHEAD: u64 = 2;
/// Turn of the duals over the empty base. No layer is larger than 256, so the others are earlier.
const LAST_DUALS: u64 = 1024;

/// The number of a job of this coordinator, below 2^20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobNumber(pub u32);

/// The number of a task.
pub fn task_id(job: JobNumber, task: Task) -> TaskId {
    let layer = task.layer as u64;
    let (kind, turn) = match task.kind {
        TaskKind::Whole => (0, 0),
        TaskKind::Enumerate => (1, layer),
        TaskKind::Join => (2, layer + AHEAD + 1),
        TaskKind::Solve => (3, layer + AHEAD),
        TaskKind::Duals => (4, LAST_DUALS - layer),
        TaskKind::Search => (5, layer),
        TaskKind::Prove => (6, layer),
    };
    let upper = (u64::from(job.0) << TURN_BITS | turn) << KIND_BITS | kind;
    TaskId(upper << SHARD_BITS | task.shard as u64)
}

/// What a number stands for, if it stands for anything.
pub fn task_of(id: TaskId) -> Option<(JobNumber, Task)> {
    let shard = (id.0 & ((1 << SHARD_BITS) - 1)) as usize;
    let upper = id.0 >> SHARD_BITS;
    let turn = upper >> KIND_BITS & ((1 << TURN_BITS) - 1);
    let (kind, layer) = match upper & ((1 << KIND_BITS) - 1) {
        0 => (TaskKind::Whole, Some(turn)),
        1 => (TaskKind::Enumerate, Some(turn)),
        2 => (TaskKind::Join, turn.checked_sub(AHEAD + 1)),
        3 => (TaskKind::Solve, turn.checked_sub(AHEAD)),
        4 => (TaskKind::Duals, LAST_DUALS.checked_sub(turn)),
        5 => (TaskKind::Search, Some(turn)),
        6 => (TaskKind::Prove, Some(turn)),
        _ => return None,
    };
    let layer = layer? as usize;
    let job = JobNumber((upper >> (KIND_BITS + TURN_BITS)) as u32);
    Some((job, Task { kind, layer, shard }))
}

/// All tasks that a job could have.
pub fn tasks_of(job: JobNumber) -> RangeInclusive<TaskId> {
    let shift = TURN_BITS + KIND_BITS + SHARD_BITS;
    let first = u64::from(job.0) << shift;
    TaskId(first)..=TaskId(first | ((1 << shift) - 1))
}

/// The part of a number that all tasks of one kind and layer of a job share.
pub fn batch_of(id: TaskId) -> u64 {
    id.0 >> SHARD_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_their_tasks_and_are_in_order() {
        let mut numbers = Vec::new();
        for job in [0, 7] {
            for (kind, layer) in [
                (TaskKind::Whole, 0),
                (TaskKind::Enumerate, 2),
                (TaskKind::Solve, 0),
                (TaskKind::Enumerate, 3),
                (TaskKind::Join, 0),
                (TaskKind::Solve, 1),
                (TaskKind::Enumerate, 256),
                (TaskKind::Solve, 256),
                (TaskKind::Duals, 256),
                (TaskKind::Duals, 1),
                (TaskKind::Duals, 0),
            ] {
                for shard in [0, 5, 100_000] {
                    let task = Task { kind, layer, shard };
                    let id = task_id(JobNumber(job), task);
                    assert_eq!(task_of(id), Some((JobNumber(job), task)));
                    assert!(tasks_of(JobNumber(job)).contains(&id));
                    numbers.push(id);
                }
            }
        }
        assert!(numbers.is_sorted(), "{numbers:?}");
        for kind in [TaskKind::Search, TaskKind::Prove] {
            let task = Task { kind, layer: 0, shard: 77 };
            assert_eq!(task_of(task_id(JobNumber(3), task)), Some((JobNumber(3), task)));
        }
        assert_eq!(task_of(TaskId(9 << SHARD_BITS)), None);
    }
}
