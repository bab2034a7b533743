//! Checking the values of the ruler on set partitions again.

use super::{JobSpec, MOST, certificate, check_heights};
use crate::game::set_partitions::{DistinctTypes, Heights, Survey, number_of_types, paper};
use crate::job::JobError;
use crate::job::certificate::Certificate;
use crate::job::digest::ruler_digest;
use crate::job::records::{JOB_FORMAT, JobRecord, JobState};
use crate::job::verify::Report;
use crate::store::Store;
use crate::watch::{Interrupt, Watch};

/// Values that are found again by the formula of the paper, in half a second.
const BY_THE_PAPER: usize = 12;
/// Types of the values that are found again: in some seconds.
const TYPES: u64 = 200_000_000;
/// Parts that the types are cut into when they are visited again: another number than ever otherwise.
const PARTS: usize = 7;

/// Checks a certificate with the values h(1), h(2), ...
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
    let heights = certificate.heights.as_deref().unwrap_or_default();
    let n = heights.len();
    let spec = JobSpec::ruler(n);
    let is_named = certificate.format == JOB_FORMAT && certificate.spec == spec && certificate.job == spec.id();
    let has_value = n > 0 && n <= MOST && certificate.value == heights.last().map(|&last| last.into());
    if !is_named || !has_value || spec.id().0 != job {
        report.fail(format!("the certificate of {job} is not that of its job, or not of format {JOB_FORMAT}"));
        return Ok(());
    }
    let record = report.tolerate(JobRecord::load(store, &spec.id()))?.flatten();
    report.check(
        record.is_some_and(|record| record.spec == spec && record.state == JobState::Finished),
        "the certificate is that of its job",
        "the document of the job does not agree with its certificate",
    );
    let sizes = certificate::sizes(n);
    let totals = (sizes.iter().map(|count| &count.orbits).sum(), sizes.iter().map(|count| &count.labelled).sum());
    report.check(
        certificate.sizes == sizes && (&certificate.orbits, &certificate.labelled) == (&totals.0, &totals.1),
        "numbers of types and of set partitions are those of Euler's recurrence and of the Bell triangle",
        "numbers of types or of set partitions are wrong",
    );
    report.check(
        certificate.digest == ruler_digest(&spec, &sizes, heights),
        "the digest is that of the values",
        "the digest is not that of the values",
    );
    match check_heights(heights) {
        Ok(known) => known.into_iter().take(1).for_each(|check| report.pass(check)),
        Err(error) => {
            report.fail(error.to_string());
            return Ok(());
        }
    }
    let by_the_paper = paper::heights(n.min(BY_THE_PAPER));
    report.check(
        by_the_paper.iter().eq(heights[..by_the_paper.len()].iter().map(|&h| u64::from(h)).collect::<Vec<_>>().iter()),
        &format!("h(1) to h({}) follow from the paper's own formula", by_the_paper.len()),
        "the first values do not follow from the paper's own formula",
    );
    again(heights, interrupt, report)
}

/// Visits the types of the first n again, cut in another way.
fn again(heights: &[u32], interrupt: &Interrupt, report: &mut Report) -> Result<(), JobError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let watch = Watch::new(interrupt);
    let (mut known, mut types, mut left) = (Heights::default(), DistinctTypes::new(), TYPES);
    let mut last = 0;
    for (n, &height) in (1..).zip(heights) {
        let count = number_of_types(n);
        let Some(rest) = left.checked_sub(count) else { break };
        left = rest;
        types.grow(&known, threads, &watch).map_err(|_| JobError::Interrupted)?;
        // Values below the claimed one must all be seen, and it must not.
        let bound = u64::from(height) + 1;
        let survey = Survey::in_parts(&types, &known, 0..count, PARTS, (threads, bound), &watch)
            .map_err(|_| JobError::Interrupted)?;
        if (survey.types, survey.seen.least_missing()) != (count, Some(u64::from(height))) {
            report.fail(format!("h({n}) is not {height}"));
            return Ok(());
        }
        known.push(height);
        last = n;
    }
    report.pass(format!("h(1) to h({last}) were found again, from the types in {PARTS} parts"));
    Ok(())
}
