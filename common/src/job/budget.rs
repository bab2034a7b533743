//! Whether a job fits into the memory budget and on the disk, before it starts.

use super::records::JobRecord;
use super::remove::bytes_of;
use super::{JobError, JobSpec, Plan, RunOptions, plan};
use crate::poset::Poset;
use crate::store::{Store, free_space};

/// The plan, after what it says was compared with what there is; what is stored already, and so many bytes that are taken
/// over, take no more room.
///
/// # Errors
/// [`JobError::OutOfReach`], [`JobError::Memory`], [`JobError::Disk`]; errors of reading the catalogue.
pub(super) fn check_fits(
    store: &Store,
    spec: &JobSpec,
    poset: &Poset,
    (record, taken_over): (&JobRecord, u64),
    options: &RunOptions<'_>,
) -> Result<Plan, JobError> {
    let job = spec.id();
    let plan = plan(spec.question, poset, spec.limits)?;
    let (needed, budget) = (plan.memory_bytes as u64, options.memory);
    if needed > budget {
        return Err(JobError::Memory { job, needed, budget });
    }
    let there = bytes_of(store, &record.space)? + bytes_of(store, &job.0)? + taken_over;
    let needed = (plan.disk(options.keep_values) as u64).saturating_sub(there);
    // A disk that cannot be asked is found out about when it is full: nothing committed is lost then.
    let free = free_space(store.directory()).unwrap_or(u64::MAX);
    if needed > free {
        return Err(JobError::Disk { job, needed, free });
    }
    Ok(plan)
}
