//! Steps of the ruler on set partitions: what all shards of the types of n saw gives h(n), and then come the types of n + 1.

use antichain_common::game::set_partitions::{number_of_binary_types, number_of_types};
use antichain_common::job::ruler::{BOUND, HEIGHTS, Surveyed, ruler_certificate};
use antichain_common::job::task::Task;
use antichain_common::job::{JobError, Side};
use antichain_common::store::Commit;

use super::Desk;
use super::documents::{CLUSTER, ClusterRecord, remove_findings};
use super::steps::{StepError, StepJob};
use crate::course::{CutShard, Step};

impl Desk {
    /// Takes a step of such a job.
    pub(super) fn take_step_of_ruler(&self, job: &StepJob, step: Step) -> Result<(), StepError> {
        match step {
            Step::Settle(n) => self.find_height(job, n),
            Step::Complete(n) => {
                self.with_course(job, |course| course.complete(n, 1));
                self.log_progress(job.number, Side::Lower, n);
                Ok(())
            }
            Step::Conclude => {
                let heights = self.state().jobs.get(&job.number).map(|job| job.heights.clone());
                let Some(heights) = heights else { return Ok(()) };
                self.store_certificate(job.number, &ruler_certificate(heights)?)
            }
            // It has no bases and no duals.
            Step::Merge(_) | Step::CompleteDuals(_) | Step::BeginAnew => Ok(()),
        }
    }

    /// Finds h(n), and stores it instead of what the shards saw.
    fn find_height(&self, job: &StepJob, n: usize) -> Result<(), StepError> {
        let (surveyed, mut heights) = {
            let state = self.state();
            let Some(job) = state.jobs.get(&job.number) else { return Ok(()) };
            let Some(course) = job.course.as_ref() else { return Ok(()) };
            (course.surveyed(n).cloned().collect::<Vec<_>>(), job.heights.clone())
        };
        heights.truncate(n.saturating_sub(1));
        let mut commit = Commit::new();
        remove_findings(&self.store, &job.id, n, &mut commit)?;
        let found = height(n, &surveyed);
        let storing = self.storing();
        // Of a job that has failed meanwhile, one of the shards may be wrong.
        if self.work_on(job.number).is_none() {
            return Ok(());
        }
        if found.is_err() {
            // So that `resume` visits all types again.
            self.store.commit(commit)?;
            found?;
            return Ok(());
        }
        heights.push(found?);
        let record = {
            let state = self.state();
            let Some(job) = state.jobs.get(&job.number) else { return Ok(()) };
            ClusterRecord { seconds: job.seconds(), ..job.record.clone() }
        };
        commit.put_document(&job.id.0, HEIGHTS, &heights)?.put_document(&job.id.0, CLUSTER, &record)?;
        self.store.commit(commit)?;
        drop(storing);
        if let Some(job) = self.state().jobs.get_mut(&job.number) {
            job.heights = heights;
            if let Some(course) = &mut job.course {
                course.settle(n, 1);
            }
        }
        Ok(())
    }
}

/// h(n) from what all shards of the types of n saw.
fn height(n: usize, surveyed: &[Surveyed]) -> Result<u32, JobError> {
    let types: u64 = surveyed.iter().map(|surveyed| surveyed.types).sum();
    if types != number_of_types(n) {
        let all = number_of_types(n);
        return Err(JobError::SelfCheck(format!("{types} types of {n} were visited, and there are {all}")));
    }
    let unreadable = |error| JobError::SelfCheck(format!("a shard of the types of {n}: {error}"));
    let mut seen = surveyed.iter().map(|surveyed| surveyed.seen.read().map_err(unreadable));
    let Some(first) = seen.next() else { return Err(JobError::SelfCheck(format!("no types of {n}"))) };
    let mut all = first?;
    for more in seen {
        all.join(&more?);
    }
    let least = all.least_missing().and_then(|least| u32::try_from(least).ok());
    least.ok_or_else(|| {
        JobError::SelfCheck(format!(
            "h({n}) is {BOUND} or more, and tasks note smaller values only: use `antichain run`"
        ))
    })
}

/// Whether a shard of the types of n may have so many, with so many values.
pub(super) fn check_surveyed(surveyed: &Surveyed, task: Task, shard: Option<CutShard>) -> Result<(), String> {
    let expected = shard.ok_or("a shard that is not cut yet")?.slots;
    // Types that differ in powers of two only are visited together.
    if surveyed.types.abs_diff(expected) > number_of_binary_types(task.layer) {
        return Err(format!("{} types, where there are about {expected}", surveyed.types));
    }
    let seen = surveyed.seen.read().map_err(|error| error.to_string())?;
    if seen.len() > surveyed.types {
        return Err(format!("{} values of {} types", seen.len(), surveyed.types));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::game::set_partitions::Seen;
    use antichain_common::job::ruler::SeenBits;

    fn surveyed(types: u64, values: impl IntoIterator<Item = u32>) -> Surveyed {
        let mut seen = Seen::below(BOUND);
        values.into_iter().for_each(|value| seen.put(value));
        Surveyed { types, seen: SeenBits::from(&seen) }
    }

    #[test]
    fn the_least_value_that_no_shard_saw() {
        assert_eq!(height(4, &[surveyed(2, [0, 2]), surveyed(3, [1, 4])]).ok(), Some(3));
    }

    #[test]
    fn types_that_are_missing_or_counted_twice_are_noticed() {
        for types in [2, 4] {
            let error = height(4, &[surveyed(2, [0]), surveyed(types, [1])]).expect_err("five types");
            assert!(error.to_string().contains("and there are 5"), "{error}");
        }
    }

    #[test]
    fn a_value_that_tasks_do_not_note_is_no_value() {
        assert!(height(4, &[surveyed(5, 0..BOUND as u32)]).is_err());
    }

    #[test]
    fn a_shard_has_about_as_many_types_as_it_was_cut_to_and_no_more_values() {
        let task = Task { kind: antichain_common::job::task::TaskKind::Solve, layer: 80, shard: 0 };
        let shard = Some(CutShard { bases: 0, slots: 7_000_000 });
        let check = |types, values: std::ops::Range<u32>| check_surveyed(&surveyed(types, values), task, shard);
        assert_eq!(check(7_000_100, 0..5000), Ok(()));
        for types in [0, 6_990_000, 7_010_000, u64::MAX] {
            assert!(check(types, 0..5).is_err(), "{types}");
        }
        let few = Some(CutShard { bases: 0, slots: 10 });
        assert!(check_surveyed(&surveyed(10, 0..11), task, few).is_err(), "more values than types");
        assert!(check_surveyed(&surveyed(10, 0..10), task, None).is_err(), "not cut");
    }
}
