//! Estimates of numbers of linear extensions: in one process, and as a job of a coordinator.
//!
//! A batch depends on poset, exact layers, seed and its own number, and not on how many there are. So one process makes
//! them on all threads and stores them as they come (`run.rs`); workers make groups of them, each after learning
//! the same formulas for itself (`engine.rs`), and what all groups have together is the same numbers
//! (`certificate.rs`).

mod certificate;
mod engine;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod verify;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::{JobError, JobSpec, Question, SizeLimits, decimal};
use crate::estimate::{BATCH, Estimator, Interval, LARGEST_FRONTIER, LEAST_BATCHES, MOST_BATCHES, Scaled, Stream};
use crate::parallel::crew;
use crate::poset::Poset;
use crate::watch::{Stopped, Watch};

pub use certificate::{EstimateRecord, estimate_certificate};
pub use engine::EstimateEngine;
pub(super) use plan::estimate_plan;
pub(super) use run::is_stored;
pub use run::{Wanted, batches_wanted, estimate};
pub(super) use verify::verify;

/// Batches of a task, at least: as many threads are busy with one.
const LEAST_GROUP: u64 = 8;
/// And at most.
const LARGEST_GROUP: u64 = 512;

/// Number of elements of which a group of two batches takes about a second on one thread (2026-11-30: 0.4 s a batch of
/// `boolean:8`, and about as the square of the number of elements for others).
const ELEMENTS_OF_TWO: u64 = 256;

/// What is estimated, and from which random numbers.
#[derive(Clone, Debug)]
pub struct EstimateSpec<'a> {
    /// The poset.
    pub poset: &'a Poset,
    /// Canonical ideals that an exact layer has at most.
    pub frontier: usize,
    /// The seed.
    pub seed: u64,
}

/// What an estimate that is a job is made from, besides the poset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sampling {
    /// Canonical ideals that an exact layer has at most.
    pub frontier: usize,
    /// The seed.
    pub seed: u64,
    /// Number of batches: from 0 on.
    pub batches: u64,
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// So many random ideals, or as few more as make whole batches.
    Samples(u64),
    /// As many as a relative standard error takes, by a trial.
    Error(f64),
    /// As many as are made in a time, by a trial.
    Time(Duration),
}

/// An estimate of the number of linear extensions.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Name of what is stored of it.
    pub name: String,
    /// Mean, error and interval; if the number is exact, nothing but this number.
    pub interval: Interval,
    /// The number itself, if the exact layers from both ends have met.
    pub exact: Option<BigUint>,
    /// Smallest and largest size of the ideals that were random, if any were.
    pub random_sizes: Option<(usize, usize)>,
    /// Batches; 0 if the number is exact.
    pub batches: u64,
    /// Whether anything came from an earlier process.
    pub resumed: bool,
    /// Wall time of this process's part, or of all of a job.
    pub elapsed: Duration,
}

impl Estimate {
    /// Random ideals in all batches.
    pub fn samples(&self) -> u64 {
        self.batches * BATCH
    }
}

/// What was found of a group of batches. Of all groups of a job but the batches it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// The number itself, if the exact layers from both ends have met; then there are no batches.
    #[serde(with = "decimal::option")]
    pub exact: Option<BigUint>,
    /// Smallest and largest size of the ideals that are random, if any are.
    pub random_sizes: Option<(usize, usize)>,
    /// The estimates of the batches, in order.
    pub batches: Vec<Scaled>,
}

impl Sampled {
    /// Nothing but what the estimator itself knows.
    fn none_of(estimator: &Estimator) -> Self {
        let (exact, sizes) = (estimator.exact().cloned(), estimator.random_sizes());
        let random_sizes = exact.is_none().then(|| (*sizes.start(), *sizes.end()));
        Self { exact, random_sizes, batches: Vec::new() }
    }

    /// Whether it can be what was found of so many batches for a poset of so many elements.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, batches: u64, elements: usize) -> Result<(), String> {
        match (&self.exact, self.random_sizes) {
            (Some(exact), None) if *exact != BigUint::ZERO && self.batches.is_empty() => return Ok(()),
            (None, Some((first, last))) if first < last && last <= elements => {}
            _ => return Err("an estimate that is neither exact nor random".to_owned()),
        }
        if self.batches.len() as u64 != batches {
            return Err(format!("{} batches, not {batches}", self.batches.len()));
        }
        // Every random ideal can be completed, and weights are positive.
        if self.batches.contains(&Scaled::ZERO) {
            return Err("a batch that estimates 0".to_owned());
        }
        Ok(())
    }
}

impl JobSpec {
    /// The job of an estimate.
    pub fn estimate(poset: &Poset, sampling: Sampling) -> Self {
        let (question, limits) = (Question::Estimate, SizeLimits::NONE);
        Self { question, poset: poset.name(), limits, position: None, sampling: Some(sampling) }
    }

    /// The poset, and what the estimate is made from, if it is one.
    ///
    /// # Errors
    /// [`JobError::NoEstimate`] if nobody makes such an estimate; [`JobError::Poset`].
    pub fn estimated(&self) -> Result<Option<(Poset, Sampling)>, JobError> {
        let sampling = match (self.question, self.sampling) {
            (Question::Estimate, Some(sampling)) => sampling,
            (Question::Estimate, None) => {
                return Err(JobError::NoEstimate("an estimate without a number of batches"));
            }
            (_, Some(_)) => return Err(JobError::NoEstimate("batches of a question that has none")),
            (_, None) => return Ok(None),
        };
        if !(LEAST_BATCHES..=MOST_BATCHES).contains(&sampling.batches) {
            return Err(JobError::NoEstimate("an estimate has from 20 to 65536 batches"));
        }
        if sampling.frontier > LARGEST_FRONTIER {
            return Err(JobError::NoEstimate("an exact layer has at most a million canonical ideals"));
        }
        if self.limits != SizeLimits::NONE || self.position.is_some() {
            return Err(JobError::NoEstimate("estimates are about whole posets"));
        }
        Ok(Some((self.poset.parse()?, sampling)))
    }
}

/// Number of batches of so many random ideals: whole ones, and enough for an interval.
fn batches_of(samples: u64) -> u64 {
    samples.div_ceil(BATCH).clamp(LEAST_BATCHES, MOST_BATCHES)
}

/// The groups that the batches are cut into: a task takes about a second on one thread, or somewhat more where the elements
/// are many.
pub fn groups(sampling: Sampling, elements: usize) -> Vec<Range<u64>> {
    let square = (elements as u64).pow(2).max(1);
    let group = (2 * ELEMENTS_OF_TWO.pow(2)).div_ceil(square).clamp(LEAST_GROUP, LARGEST_GROUP);
    let starts = (0..sampling.batches).step_by(group as usize);
    starts.map(|start| start..(start + group).min(sampling.batches)).collect()
}

/// Makes batches on all threads, and tells `each` as soon as it is there; after a wish to stop not all of them.
fn make(
    estimator: &Estimator,
    (stream, seed): (Stream, u64),
    batches: &[u64],
    (threads, watch): (usize, &Watch<'_>),
    each: impl Fn(u64, Scaled) + Sync,
) {
    crew(
        threads.max(1),
        batches.iter(),
        || (),
        |(), &batch| {
            if let Ok(estimate) = estimator.batch(stream, seed, batch, watch) {
                each(batch, estimate);
            }
        },
    );
}

/// Makes batches on all threads; gives them in ascending order.
///
/// # Errors
/// [`Stopped`].
fn made(
    estimator: &Estimator,
    stream: (Stream, u64),
    batches: &[u64],
    effort: (usize, &Watch<'_>),
) -> Result<BTreeMap<u64, Scaled>, Stopped> {
    let made = Mutex::new(BTreeMap::new());
    make(estimator, stream, batches, effort, |batch, estimate| {
        made.lock().unwrap_or_else(PoisonError::into_inner).insert(batch, estimate);
    });
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    if made.len() == batches.len() { Ok(made) } else { Err(Stopped) }
}
