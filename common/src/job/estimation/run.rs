//! Estimates in one process: batches on all threads, stored as they are made.
//!
//! A batch depends on poset, exact layers, seed and its own number, and not on how many there are: so a later call goes
//! on from the batches that are stored, whatever it was that ended the earlier one, and whether it wants more of them
//! or fewer.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Estimate, EstimateSpec, Extent, Sampled, batches_of, make};
use crate::estimate::{BATCH, Estimator, Interval, LEAST_BATCHES, MOST_BATCHES, Scaled, Stream, relative_variance};
use crate::job::progress::{Meter, reporting};
use crate::job::{JobError, Phase, Progress, RunOptions};
use crate::store::{Commit, Store, StoreError};

/// Version of the document of batches, and of what makes them: those of another one are not gone on from.
const ESTIMATE_FORMAT: u32 = 1;

/// Name of the document with the batches.
const BATCHES: &str = "batches";

/// Batches that are made to find out how many are needed.
const TRIAL_BATCHES: u64 = LEAST_BATCHES;

/// Where an estimate stands when it begins.
const START: Progress = Progress { phase: Phase::Learn, layer: 0, last_layer: 0, done: 0, total: None, ideals: 0 };

/// So much more is done than the trial says: it knows the variance to a third or so only.
const MARGIN: f64 = 1.25;

/// What is stored.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    format: u32,
    /// The estimates of the batches, by number; those that are not made yet are missing.
    batches: BTreeMap<u64, Scaled>,
}

/// Whether there is an estimate of that name.
///
/// # Errors
/// Errors of reading the catalogue.
pub(in crate::job) fn is_stored(store: &Store, name: &str) -> Result<bool, StoreError> {
    Ok(store.documents(name)?.iter().any(|document| document.name == BATCHES))
}

/// Estimates a number of linear extensions, going on from what the store holds.
///
/// # Errors
/// [`JobError::Interrupted`], [`JobError::TooPrecise`], errors of the store.
pub fn estimate(
    store: &Store,
    spec: &EstimateSpec<'_>,
    extent: Extent,
    confidence: f64,
    options: &RunOptions<'_>,
) -> Result<Estimate, JobError> {
    working(spec, options, |work| match work.exact() {
        Some(exact) => Ok(exact),
        None => {
            let (batches, resumed) = work.batches(store, extent)?;
            let interval = Interval::of(&batches, confidence);
            let random_sizes = Sampled::none_of(work.estimator).random_sizes;
            let (name, elapsed, batches) = (work.name(), work.start.elapsed(), batches.len() as u64);
            Ok(Estimate { name, interval, exact: None, random_sizes, batches, resumed, elapsed })
        }
    })
}

/// What is to be done for an estimate.
pub enum Wanted {
    /// Nothing: the number itself was found by the way.
    Nothing(Box<Estimate>),
    /// So many batches.
    Batches(u64),
}

/// How much others have to do, found by a trial here if need be.
///
/// # Errors
/// [`JobError::Interrupted`], [`JobError::TooPrecise`].
pub fn batches_wanted(spec: &EstimateSpec<'_>, extent: Extent, options: &RunOptions<'_>) -> Result<Wanted, JobError> {
    if let Extent::Samples(samples) = extent {
        return Ok(Wanted::Batches(batches_of(samples)));
    }
    working(spec, options, |work| match work.exact() {
        Some(exact) => Ok(Wanted::Nothing(Box::new(exact))),
        None => work.count(extent).map(Wanted::Batches),
    })
}

/// Does `work` with what the estimates are made by, and reports how far it is.
fn working<T>(
    spec: &EstimateSpec<'_>,
    options: &RunOptions<'_>,
    work: impl FnOnce(&Work<'_>) -> Result<T, JobError>,
) -> Result<T, JobError> {
    let start = Instant::now();
    let meter = Meter::new(options.interrupt);
    meter.begin_layer(START, None);
    reporting(&meter, options.progress, || {
        let estimator = Estimator::new(spec.poset, spec.frontier, meter.watch()).map_err(|_| JobError::Interrupted)?;
        work(&Work { spec, estimator: &estimator, options, meter: &meter, start })
    })
}

struct Work<'a> {
    spec: &'a EstimateSpec<'a>,
    estimator: &'a Estimator,
    options: &'a RunOptions<'a>,
    meter: &'a Meter<'a>,
    start: Instant,
}

/// Batches that are made, and when they were stored last.
struct Made {
    batches: BTreeMap<u64, Scaled>,
    saved: Instant,
    failed: Option<StoreError>,
}

impl Work<'_> {
    fn name(&self) -> String {
        let EstimateSpec { poset, frontier, seed } = self.spec;
        format!("estimate-{}-frontier{frontier}-seed{seed}", poset.name()).replace([':', ','], "-")
    }

    /// The number itself, if it is known.
    fn exact(&self) -> Option<Estimate> {
        let exact = self.estimator.exact()?;
        Some(Estimate {
            name: self.name(),
            interval: Interval::exact(exact.into()),
            exact: Some(exact.clone()),
            random_sizes: None,
            batches: 0,
            resumed: false,
            elapsed: self.start.elapsed(),
        })
    }

    /// As many batches as are wanted, and whether some of them were stored before.
    fn batches(&self, store: &Store, extent: Extent) -> Result<(Vec<Scaled>, bool), JobError> {
        let count = self.count(extent)?;
        let mut known = self.known(store)?;
        // Those beyond are for a larger estimate, and stay stored.
        let beyond = known.split_off(&count);
        let resumed = !known.is_empty();
        let missing: Vec<u64> = (0..count).filter(|batch| !known.contains_key(batch)).collect();
        let made = self.make(Stream::Answer, &missing, known, |made| {
            let batches = made.iter().chain(&beyond).map(|(&batch, &estimate)| (batch, estimate)).collect();
            self.save(store, batches)
        })?;
        Ok((made.into_values().collect(), resumed))
    }

    /// Number of batches: found beforehand and from other random numbers, so that it does not depend on what it is the
    /// number of, and the mean has no bias.
    fn count(&self, extent: Extent) -> Result<u64, JobError> {
        if let Extent::Samples(samples) = extent {
            return Ok(batches_of(samples));
        }
        let begun = Instant::now();
        let trial: Vec<u64> = (0..TRIAL_BATCHES).collect();
        let made = self.make(Stream::Trial, &trial, BTreeMap::new(), |_| Ok(()))?;
        let wanted = match extent {
            Extent::Samples(samples) => samples as f64 / BATCH as f64,
            Extent::Error(error) => {
                let estimates: Vec<Scaled> = made.into_values().collect();
                let wanted = MARGIN * relative_variance(&estimates) / (error * error);
                if wanted > MOST_BATCHES as f64 {
                    return Err(JobError::TooPrecise {
                        poset: self.spec.poset.name(),
                        error: format!("{} %", 100.0 * error),
                        samples: wanted * BATCH as f64,
                        most: MOST_BATCHES * BATCH,
                    });
                }
                wanted
            }
            Extent::Time(time) => {
                let left = time.saturating_sub(self.start.elapsed()).as_secs_f64();
                left * TRIAL_BATCHES as f64 / begun.elapsed().as_secs_f64().max(f64::MIN_POSITIVE)
            }
        };
        Ok((wanted.ceil() as u64).clamp(LEAST_BATCHES, MOST_BATCHES))
    }

    /// Makes the batches with those numbers, besides those that are known, and saves all of them now and then.
    fn make(
        &self,
        stream: Stream,
        missing: &[u64],
        known: BTreeMap<u64, Scaled>,
        save: impl Fn(&BTreeMap<u64, Scaled>) -> Result<(), StoreError> + Sync,
    ) -> Result<BTreeMap<u64, Scaled>, JobError> {
        let last = known.len() + missing.len();
        let tell = |done: usize| {
            let total = Some(last as u64);
            let ideals = done as u64 * BATCH;
            let progress =
                Progress { phase: Phase::Sample, layer: done, last_layer: last, done: done as u64, total, ideals };
            self.meter.begin_layer(progress, Some(1));
        };
        tell(known.len());
        let made = Mutex::new(Made { batches: known, saved: Instant::now(), failed: None });
        let effort = (self.options.threads, self.meter.watch());
        make(self.estimator, (stream, self.spec.seed), missing, effort, |batch, estimate| {
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.batches.insert(batch, estimate);
            tell(made.batches.len());
            if made.saved.elapsed() >= self.options.checkpoint && made.failed.is_none() {
                made.failed = save(&made.batches).err();
                made.saved = Instant::now();
            }
        });
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = made.failed {
            return Err(error.into());
        }
        if !missing.is_empty() {
            save(&made.batches)?;
        }
        if made.batches.len() < last { Err(JobError::Interrupted) } else { Ok(made.batches) }
    }

    fn save(&self, store: &Store, batches: BTreeMap<u64, Scaled>) -> Result<(), StoreError> {
        let mut commit = Commit::new();
        commit.put_document(&self.name(), BATCHES, &Stored { format: ESTIMATE_FORMAT, batches })?;
        store.commit(commit)
    }

    /// The batches that are stored, if they are those that this program makes: one is made again.
    fn known(&self, store: &Store) -> Result<BTreeMap<u64, Scaled>, JobError> {
        let name = self.name();
        let stored = match store.document::<Stored>(&name, BATCHES) {
            Ok(Some(stored)) if stored.format == ESTIMATE_FORMAT => stored.batches,
            Ok(_) => return Ok(BTreeMap::new()),
            Err(error @ StoreError::Document { .. }) => {
                tracing::warn!("{error}; its batches are made again");
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(error.into()),
        };
        if let Some((&batch, &estimate)) = stored.first_key_value() {
            let again = self.estimator.batch(Stream::Answer, self.spec.seed, batch, self.meter.watch());
            if again.map_err(|_| JobError::Interrupted)? != estimate {
                tracing::warn!("batch {batch} of {name} is not what it was; all are made again");
                return Ok(BTreeMap::new());
            }
        }
        Ok(stored)
    }
}
