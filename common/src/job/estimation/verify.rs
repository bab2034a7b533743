//! Checking an estimate again.

use super::{Sampled, Sampling, made};
use crate::estimate::{Estimator, Stream};
use crate::job::certificate::Certificate;
use crate::job::digest::estimate_digest;
use crate::job::records::{JOB_FORMAT, JobRecord, JobState};
use crate::job::verify::Report;
use crate::job::{JobError, JobId};
use crate::store::Store;
use crate::watch::{Interrupt, Watch};

/// Batches that are made again: in some seconds.
const AGAIN: u64 = 12;

/// Checks the certificate of an estimate.
///
/// # Errors
/// [`JobError::Interrupted`].
pub fn verify(
    store: &Store,
    job: &str,
    certificate: &Certificate,
    interrupt: &Interrupt,
    report: &mut Report,
) -> Result<(), JobError> {
    let spec = &certificate.spec;
    let is_named = certificate.format == JOB_FORMAT && certificate.job == spec.id() && spec.id().0 == job;
    let (Ok(Some((poset, sampling))), Some(record), true) = (spec.estimated(), &certificate.estimate, is_named) else {
        report.fail(format!("the certificate of {job} is not that of its job, or not of format {JOB_FORMAT}"));
        return Ok(());
    };
    let stored = report.tolerate(JobRecord::load(store, &JobId(job.to_owned())))?.flatten();
    report.check(
        stored.is_some_and(|stored| stored.spec == *spec && stored.state == JobState::Finished),
        "the certificate is that of its job",
        "the document of the job does not agree with its certificate",
    );
    report.check(
        certificate.digest == estimate_digest(spec, certificate.value.as_ref(), record),
        "the digest is that of the batches",
        "the digest is not that of the batches",
    );
    let (exact, random_sizes) = (certificate.value.clone(), record.random_sizes);
    let claimed = Sampled { exact, random_sizes, batches: record.batches.clone() };
    if let Err(reason) = claimed.check(sampling.batches, poset.len()) {
        report.fail(format!("the batches are not those of the job: {reason}"));
        return Ok(());
    }
    let watch = Watch::new(interrupt);
    let estimator = Estimator::new(&poset, sampling.frontier, &watch).map_err(|_| JobError::Interrupted)?;
    let known = Sampled::none_of(&estimator);
    report.check(
        (&known.exact, known.random_sizes) == (&claimed.exact, claimed.random_sizes),
        "the exact layers at both ends are those that are counted again",
        "the exact layers at both ends are not those that are counted again",
    );
    match known.exact {
        Some(_) => Ok(()),
        None => again(&estimator, sampling, &claimed, &watch, report),
    }
}

/// Makes batches from all over the estimate again.
fn again(
    estimator: &Estimator,
    sampling: Sampling,
    claimed: &Sampled,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Result<(), JobError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let numbers: Vec<u64> = (0..AGAIN).map(|place| place * (sampling.batches - 1) / (AGAIN - 1)).collect();
    let made = made(estimator, (Stream::Answer, sampling.seed), &numbers, (threads, watch))
        .map_err(|_| JobError::Interrupted)?;
    match made.iter().find(|&(&batch, estimate)| claimed.batches.get(batch as usize) != Some(estimate)) {
        Some((batch, _)) => report.fail(format!("batch {batch} is not what it is when it is made again")),
        None => report.pass(format!("{AGAIN} batches made again are bit by bit what they were")),
    }
    Ok(())
}
