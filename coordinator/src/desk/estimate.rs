//! Steps of an estimate: when all batches are there, they are the certificate.

use antichain_common::estimate::BATCH;
use antichain_common::job::JobSpec;
use antichain_common::job::estimation::{Sampled, estimate_certificate};
use antichain_common::store::Commit;

use super::Desk;
use super::documents::remove_findings;
use super::steps::{StepError, StepJob};
use crate::course::{CutShard, Step};

impl Desk {
    /// Takes a step of such a job.
    pub(super) fn take_step_of_estimate(&self, job: &StepJob, step: Step) -> Result<(), StepError> {
        match step {
            // The batches are what is stored, and nothing follows from them before the end.
            Step::Settle(layer) => self.with_course(job, |course| course.settle(layer, 1)),
            Step::Complete(layer) => self.with_course(job, |course| course.complete(layer, 1)),
            Step::Conclude => return self.conclude_estimate(job),
            // It has no bases and no duals.
            Step::Merge(_) | Step::CompleteDuals(_) | Step::BeginAnew => {}
        }
        Ok(())
    }

    fn conclude_estimate(&self, job: &StepJob) -> Result<(), StepError> {
        let mut groups: Vec<Sampled> = Vec::new();
        self.with_course(job, |course| groups.extend(course.sampled(0).cloned()));
        match estimate_certificate(job.engine.spec(), &groups) {
            Ok(certificate) => self.store_certificate(job.number, &certificate),
            Err(error) => {
                // So that `resume` has all batches made again.
                let mut commit = Commit::new();
                remove_findings(&self.store, &job.id, 0, &mut commit)?;
                let _storing = self.storing();
                if self.work_on(job.number).is_some() {
                    self.store.commit(commit)?;
                }
                Err(error.into())
            }
        }
    }
}

/// Whether a group of batches may be that shard of a job.
pub(super) fn check_sampled(sampled: &Sampled, spec: &JobSpec, shard: Option<CutShard>) -> Result<(), String> {
    let expected = shard.ok_or("a shard that is not cut yet")?.slots / BATCH;
    let estimated = spec.estimated().map_err(|error| error.to_string())?;
    let (poset, _) = estimated.ok_or("batches of another question")?;
    sampled.check(expected, poset.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::estimate::Scaled;
    use antichain_common::job::Sampling;

    #[test]
    fn a_group_has_the_batches_that_were_handed_out() {
        let sampling = Sampling { frontier: 0, seed: 0, batches: 20 };
        let spec = JobSpec::estimate(&"boolean:5".parse().expect("a poset"), sampling);
        let group = |batches| Sampled { exact: None, random_sizes: Some((0, 32)), batches: vec![Scaled::ONE; batches] };
        let shard = Some(CutShard { bases: 0, slots: 20 * BATCH });
        assert_eq!(check_sampled(&group(20), &spec, shard), Ok(()));
        assert!(check_sampled(&group(19), &spec, shard).is_err());
        assert!(check_sampled(&group(20), &spec, None).is_err(), "no such shard");
    }
}
