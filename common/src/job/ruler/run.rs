//! h(1), ..., h(N) in one process, with checkpoints.

use std::time::Instant;

use super::certificate::{ruler_certificate, sizes};
use super::{HEIGHTS, JobSpec, check_heights, ruler_plan, stored_heights};
use crate::game::set_partitions::{DistinctTypes, Heights, next_height, number_of_types};
use crate::job::certificate::Certificate;
use crate::job::conclude::commit_certificate;
use crate::job::digest::ruler_digest;
use crate::job::progress::{Meter, reporting};
use crate::job::records::{JOB, JOB_FORMAT, JobRecord, JobState};
use crate::job::run::finished;
use crate::job::{Answer, JobError, JobId, Phase, Progress, Question, RunOptions, catalogue};
use crate::store::{Commit, Store, StoreError};

/// The values of the ruler on the partitions of up to n elements into one block, going on from what the store holds.
///
/// # Errors
/// See [`JobError`].
pub fn run_ruler(store: &Store, n: usize, options: &RunOptions<'_>) -> Result<Answer, JobError> {
    let start = Instant::now();
    let spec = JobSpec::ruler(n);
    if let Some(certificate) = finished(store, &spec)? {
        return Ok(certificate.answer(true, start.elapsed()));
    }
    let plan = ruler_plan(n);
    let (needed, budget) = (plan.memory_bytes as u64, options.memory);
    if needed > budget {
        return Err(JobError::Memory { job: spec.id(), needed, budget });
    }
    let mut values = values_at_hand(store, n)?;
    let resumed = !values.is_empty();
    let meter = Meter::new(options.interrupt);
    reporting(&meter, options.progress, || find(store, &spec, n, &mut values, &meter, options))?;
    let certificate = ruler_certificate(values)?;
    let mut commit = Commit::new();
    commit_certificate(store, &certificate, false, &mut commit)?;
    store.commit(commit)?;
    Ok(certificate.answer(resumed, start.elapsed()))
}

/// The most values that any job has found, of those up to n. What cannot be read, or cannot be right, is passed over.
///
/// # Errors
/// Errors of the store.
pub fn values_at_hand(store: &Store, n: usize) -> Result<Vec<u32>, JobError> {
    let mut most = Vec::new();
    for summary in catalogue::jobs(store)?.into_iter().filter(|summary| summary.spec.question == Question::Ruler) {
        let found = values_of(store, &summary.job);
        let mut values = match found {
            Ok(values) => values,
            Err(error @ StoreError::Document { .. }) => {
                tracing::warn!("{error}; its values are not gone on from");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        values.truncate(n);
        if values.len() > most.len() && check_heights(&values).is_ok() {
            most = values;
        }
    }
    Ok(most)
}

/// The values of a job, finished or not.
fn values_of(store: &Store, job: &JobId) -> Result<Vec<u32>, StoreError> {
    let Some(certificate) = Certificate::load(store, job)? else { return stored_heights(store, job) };
    let heights = certificate.heights.unwrap_or_default();
    let spec = JobSpec::ruler(heights.len());
    let digest = ruler_digest(&spec, &sizes(heights.len()), &heights);
    let is_right = certificate.format == JOB_FORMAT && certificate.spec == spec && certificate.digest == digest;
    Ok(if is_right { heights } else { Vec::new() })
}

/// Finds the values that are missing, and stores them now and then.
fn find(
    store: &Store,
    spec: &JobSpec,
    n: usize,
    values: &mut Vec<u32>,
    meter: &Meter<'_>,
    options: &RunOptions<'_>,
) -> Result<(), JobError> {
    let types_of = |range: std::ops::RangeInclusive<usize>| range.map(number_of_types).sum::<u64>();
    if values.len() == n {
        return Ok(());
    }
    let (threads, watch) = (options.threads.max(1), meter.watch());
    let mut heights = Heights::new(values);
    let mut types = DistinctTypes::up_to(values.len(), &heights, threads, watch).map_err(|_| JobError::Interrupted)?;
    let mut saved = Instant::now();
    for next in values.len() + 1..=n {
        let done = types_of(1..=next - 1);
        let progress = Progress {
            phase: Phase::Evaluate,
            layer: next,
            last_layer: n,
            done,
            total: Some(types_of(1..=n)),
            ideals: done,
        };
        meter.begin_layer(progress, Some(number_of_types(next)));
        let grown = types.grow(&heights, threads, watch);
        let Ok(height) = grown.and_then(|()| next_height(&types, &heights, threads, watch)) else {
            save(store, spec, n, values)?;
            return Err(JobError::Interrupted);
        };
        heights.push(height);
        values.push(height);
        if saved.elapsed() >= options.checkpoint {
            save(store, spec, n, values)?;
            saved = Instant::now();
        }
    }
    Ok(())
}

/// Stores the values so far.
fn save(store: &Store, spec: &JobSpec, n: usize, values: &[u32]) -> Result<(), JobError> {
    let JobId(owner) = spec.id();
    let record = JobRecord {
        spec: spec.clone(),
        state: JobState::Running,
        format: JOB_FORMAT,
        software: env!("CARGO_PKG_VERSION").to_owned(),
        method: ruler_plan(n).method,
        space: owner.clone(),
    };
    let mut commit = Commit::new();
    commit.put_document(&owner, JOB, &record)?.put_document(&owner, HEIGHTS, &values)?;
    Ok(store.commit(commit)?)
}
