//! The jobs of a data directory.

use super::certificate::Certificate;
use super::positions::records::PositionCount;
use super::records::{JOB, JOB_FORMAT, JobRecord, JobState};
use super::{Answer, JobError, JobId, JobSpec, JobSummary, Question, SizeCount, SizeLimits};
use crate::store::{Store, StoreError};

/// Jobs to name instead of one that is not there.
const NEAREST: usize = 3;

/// The jobs of the data directory, by id.
///
/// # Errors
/// See [`StoreError`].
pub fn jobs(store: &Store) -> Result<Vec<JobSummary>, JobError> {
    let mut jobs = Vec::new();
    for name in store.documents_of_owners("")?.into_iter().filter(|document| document.name == JOB) {
        let job = JobId(name.owner);
        if let Some(record) = JobRecord::load(store, &job)? {
            jobs.push(JobSummary { job, spec: record.spec, finished: record.state == JobState::Finished });
        }
    }
    jobs.sort_by(|a, b| a.job.cmp(&b.job));
    Ok(jobs)
}

/// The jobs that answer one question about one poset, whatever their limits.
///
/// # Errors
/// See [`StoreError`].
pub(super) fn jobs_about(store: &Store, question: Question, poset: &str) -> Result<Vec<JobRecord>, StoreError> {
    let spec = JobSpec { question, poset: poset.to_owned(), limits: SizeLimits::NONE, position: None, sampling: None };
    let mut jobs = Vec::new();
    // Limits are written at the end of a job's id.
    for document in store.documents_of_owners(&spec.id().0)?.into_iter().filter(|document| document.name == JOB) {
        let record: Option<JobRecord> = store.document(&document.owner, JOB)?;
        jobs.extend(record.filter(|record| {
            let about = (record.spec.question, record.spec.poset.as_str(), record.format);
            record.spec.position.is_none() && about == (question, poset, JOB_FORMAT)
        }));
    }
    Ok(jobs)
}

/// The finished job of that name: its answer and its counts by size.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`].
pub fn finished(store: &Store, job: &str) -> Result<(Answer, Vec<SizeCount>), JobError> {
    let certificate = find(store, job)?;
    Ok((certificate.answer(true, std::time::Duration::ZERO), certificate.sizes))
}

/// The positions of a finished game within its limits, by size and value; none of another question.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`].
pub fn positions(store: &Store, job: &str) -> Result<Vec<PositionCount>, JobError> {
    let certificate = find(store, job)?;
    let mut counts = certificate.positions.map(|positions| positions.counts).unwrap_or_default();
    counts.retain(|count| count.size >= certificate.spec.limits.min);
    Ok(counts)
}

/// The certificate of a finished job, as the document that `export --format json` passes on.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`].
pub fn certificate(store: &Store, job: &str) -> Result<serde_json::Value, JobError> {
    let certificate = find(store, job)?;
    let unwritable = |source| {
        JobError::Store(StoreError::Document { owner: job.to_owned(), name: "certificate".to_owned(), source })
    };
    serde_json::to_value(certificate).map_err(unwritable)
}

/// The record of the job of that name.
///
/// # Errors
/// [`JobError::NoSuchJob`].
pub(super) fn find_record(store: &Store, job: &str) -> Result<JobRecord, JobError> {
    match JobRecord::load(store, &JobId(job.to_owned()))? {
        Some(record) => Ok(record),
        None => Err(no_such_job(store, job, jobs(store)?)),
    }
}

/// The certificate of the job of that name.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`].
pub(super) fn find(store: &Store, job: &str) -> Result<Certificate, JobError> {
    let id = JobId(job.to_owned());
    if let Some(certificate) = Certificate::load(store, &id)? {
        return Ok(certificate);
    }
    let others = jobs(store)?;
    if others.iter().any(|other| other.job == id) {
        return Err(JobError::Unfinished(id));
    }
    Err(no_such_job(store, job, others))
}

fn no_such_job(store: &Store, job: &str, mut others: Vec<JobSummary>) -> JobError {
    others.sort_by_cached_key(|other| distance(job, &other.job.0));
    let nearest = others.into_iter().take(NEAREST).map(|other| other.job).collect();
    JobError::NoSuchJob { job: job.to_owned(), directory: store.directory().to_owned(), nearest }
}

/// How many letters to add, drop or change (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            let added_or_dropped = row[j].min(row[j + 1]) + 1;
            diagonal = std::mem::replace(&mut row[j + 1], changed.min(added_or_dropped));
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [("", "", 0), ("kitten", "sitting", 3), ("abc", "", 3), ("", "ab", 2), ("ab", "ba", 2)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
