//! Evaluating the number of linear extensions layer by layer, with checkpoints.
//!
//! Two tables are in memory, each with room for the largest there will be: that of the layer below and that of the layer
//! at work. They change places, for the first touch of a page costs more than any later use of it. A table that is being
//! written stays as it is until that has ended.

use std::sync::Arc;
use std::time::Instant;

use num_bigint::BigUint;

use super::checkpoint::{Checkpoints, GROWTH};
use super::context::Context;
use super::records::{JOB, ValueLayer, layer_document, values_key};
use super::resume;
use super::sample::{Sample, sample_key, write_samples};
use super::sampling::take_samples;
use super::space::Space;
use super::table::{DigestThreads, hex, shard_slots, widen, write_shard};
use super::{JobError, Phase, Progress};
use crate::huge::Words;
use crate::recurrence::extensions::{Evaluated, LayerSums, Unevaluated, evaluate_layer, join_layer};
use crate::recurrence::limbs::{value, wider};
use crate::space::code::Ranks;
use crate::space::discover::Discovery;
use crate::space::edges::Edges;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::lookup::look_up;
use crate::space::split::Split;
use crate::space::survey::Survey;
use crate::store::{Commit, ShardKind, Store};

/// Entries of an index for each base, at most, each a base and a place.
const INDEX_ENTRIES: u64 = 4;

/// A table gets room for so many times the states that the plan expects of the largest layer.
const ROOM: f64 = 1.1;

/// The layers of a job as far as they are evaluated.
pub(super) struct Evaluation<'a, const W: usize> {
    context: &'a Context<'a>,
    split: &'a Split<W>,
    ranks: &'a Ranks,
    /// Whether e(P) is joined from two halves.
    joined: bool,
    /// Whether there are checkpoints.
    has_files: bool,
    /// What is known of every evaluated layer.
    layers: Vec<ValueLayer>,
    /// The newest of them with its values.
    newest: Option<Arc<Evaluated<W>>>,
    /// Memory for the next table.
    spare: Words,
    /// Finds the layers that are not stored.
    discovery: Discovery<W>,
    digest_threads: DigestThreads,
    /// Number of layers whose records are stored.
    recorded: usize,
    /// The layer whose table was stored last.
    stored: Option<usize>,
    /// Whether samples are taken: not where a finished job has them already.
    takes_samples: bool,
    /// Samples that are not stored.
    samples: Vec<Sample>,
}

/// What a checkpoint writes.
struct Unsaved<const W: usize> {
    evaluated: Arc<Evaluated<W>>,
    records: Vec<ValueLayer>,
    samples: Vec<Sample>,
    /// A table that is of no use any more: its layer and its number of shards.
    obsolete: Option<(usize, usize)>,
}

impl<'a, const W: usize> Evaluation<'a, W> {
    /// Goes on from the newest stored table that is whole, or begins.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn resume(
        context: &'a Context<'a>,
        (split, ranks): (&'a Split<W>, &'a Ranks),
        joined: bool,
        space: &mut Space<'a, W>,
    ) -> Result<Self, JobError> {
        let mut evaluation = Self {
            context,
            split,
            ranks,
            joined,
            has_files: space.has_files(),
            layers: Vec::new(),
            newest: None,
            spare: Words::default(),
            discovery: Discovery::default(),
            digest_threads: DigestThreads::new(context.threads()),
            recorded: 0,
            stored: None,
            takes_samples: false,
            samples: Vec::new(),
        };
        if let Some(resume::Evaluated { records, table }) = resume::newest_table(context, space)? {
            let layer = records.len() - 1;
            let width = records[layer].width;
            let (bases, survey) = take_layer(space, layer)?;
            let index = BaseIndex::new(&bases, &survey.places, context.threads());
            evaluation.newest = Some(Arc::new(Evaluated { layer: bases, index, survey, table, width }));
            (evaluation.recorded, evaluation.stored, evaluation.layers) = (records.len(), Some(layer), records);
        }
        let has_samples = context.store.shards_of(&context.job.0, ShardKind::Sample)?.len() > 0;
        evaluation.takes_samples = evaluation.has_files && !(context.certificate.is_some() && has_samples);
        Ok(evaluation)
    }

    /// Whether anything came from an earlier process. Only before [`run`](Self::run).
    pub fn is_resumed(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Evaluates what is left, and makes checkpoints when they are due.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], after what is complete was stored; [`JobError::Memory`]; errors of the store.
    pub fn run(&mut self, space: &mut Space<'a, W>, checkpoints: &mut Checkpoints<'_, 'a>) -> Result<(), JobError> {
        while self.layers.len() <= space.last_layer() {
            let start = Instant::now();
            match self.evaluate_next(space, checkpoints) {
                Err(JobError::Interrupted) => {
                    checkpoints.wait()?;
                    space.save_now()?;
                    if self.has_files
                        && let Some(unsaved) = self.take_unsaved()
                    {
                        write(self.context, unsaved)?;
                    }
                    return Err(JobError::Interrupted);
                }
                other => other?,
            }
            if self.has_files
                && (checkpoints.is_due(start.elapsed().mul_f64(GROWTH)) || self.context.options.keep_values)
            {
                self.save(space, checkpoints)?;
            }
        }
        Ok(())
    }

    /// The number of linear extensions, and the records of all layers.
    pub fn finish(self) -> (BigUint, Vec<ValueLayer>, Vec<Sample>) {
        let joined = self.layers.iter().map(|layer| &layer.joined).sum();
        let value = if self.joined {
            joined
        } else {
            self.newest.map_or(joined, |newest| value(&newest.table[..newest.width]))
        };
        (value, self.layers, self.samples)
    }

    fn evaluate_next(
        &mut self,
        space: &mut Space<'a, W>,
        checkpoints: &mut Checkpoints<'_, 'a>,
    ) -> Result<(), JobError> {
        let (context, threads) = (self.context, self.context.threads());
        let layer = self.layers.len();
        let mut progress = self.progress(space);
        let is_new = layer == space.found();
        if let (true, Some(newest)) = (is_new, &self.newest) {
            context.meter.begin_layer(progress, None);
            space.discover(&mut self.discovery, &newest.layer, &newest.survey.places)?;
        }
        let record = space.record(layer);
        progress.done += record.edges;
        context.meter.begin_layer(progress, Some(record.edges + record.slots));
        let (bases, survey) = take_layer(space, layer)?;
        let (table, width, sums) = self.fill_table((&bases, &survey), is_new, space, checkpoints)?;
        let index = BaseIndex::new(&bases, &survey.places, threads);
        let evaluated = Evaluated { layer: bases, index, survey, table, width };
        let below = self.newest.as_deref();
        let top = context.method.top();
        let mut joined = BigUint::ZERO;
        if self.joined {
            let watch = context.meter.watch();
            joined = join_layer(self.split, self.ranks, &evaluated, below, top, threads, watch)
                .map_err(|_| JobError::Interrupted)?;
        }
        if self.takes_samples {
            self.samples.extend(take_samples(self.split, self.ranks, top, &evaluated, below)?);
        }
        let slots = shard_slots(&evaluated.layer, &evaluated.survey.places, evaluated.survey.slots);
        self.layers.push(ValueLayer {
            layer,
            bases: evaluated.layer.len() as u64,
            width,
            slots: evaluated.survey.slots,
            shards: self.digest_threads.digests(&evaluated.table, width, &slots),
            sums: ValueLayer::sums_of(layer, sums),
            joined,
        });
        tracing::debug!(layer, slots = evaluated.survey.slots, width, "evaluated");
        self.take_spare(Some(Arc::new(evaluated)), checkpoints)
    }

    fn progress(&self, space: &Space<'a, W>) -> Progress {
        let work = |records: usize| -> u64 {
            space.records().take(records).map(|record| 2 * record.edges + record.slots).sum()
        };
        let done = work(self.layers.len());
        let all_found = space.found() > space.last_layer();
        let plan = &self.context.plan;
        let total = if all_found { work(space.found()) } else { (2.0 * plan.edges + plan.states) as u64 };
        Progress {
            phase: Phase::Evaluate,
            layer: self.layers.len(),
            last_layer: space.last_layer(),
            done,
            total: Some(total.max(done)),
            ideals: self.layers.iter().map(|layer| layer.slots).sum(),
        }
    }

    /// The table of a layer, its width, and its sums.
    fn fill_table(
        &mut self,
        (bases, survey): (&BaseLayer<W>, &Survey),
        is_new: bool,
        space: &Space<'a, W>,
        checkpoints: &mut Checkpoints<'_, 'a>,
    ) -> Result<(Words, usize, LayerSums), JobError> {
        let context = self.context;
        let looked_up = match &self.newest {
            Some(newest) if !is_new => {
                let watch = context.meter.watch();
                look_up(self.split, bases, &newest.index, context.threads(), watch)
                    .map_err(|_| JobError::Interrupted)?
            }
            _ => Edges::default(),
        };
        let mut table = std::mem::take(&mut self.spare);
        let mut width = self.newest.as_ref().map_or(1, |newest| newest.width);
        loop {
            self.check_memory(space, width, looked_up.bytes())?;
            let length = survey.slots as usize * width;
            if table.len() < length {
                // Room for the largest table there will be, about; its content is of no use, so none is copied.
                let most = (self.context.plan.most_states * ROOM) as usize * width;
                drop(std::mem::take(&mut table));
                table = Words::zeroed(length.max(most));
            }
            let edges = if is_new { self.discovery.edges() } else { &looked_up };
            let result = evaluate_layer(
                self.split,
                self.ranks,
                self.newest.as_deref().map(|newest| (newest.as_below(), edges)),
                (bases, survey),
                context.method.top(),
                (&mut table[..length], width),
                context.threads(),
                context.isa,
                context.meter.watch(),
            );
            match result {
                Ok(sums) => return Ok((table, width, sums)),
                Err(Unevaluated::Stopped(_)) => return Err(JobError::Interrupted),
                Err(Unevaluated::Overflow) => {
                    let to = wider(width).ok_or_else(|| {
                        JobError::SelfCheck(format!("a value of layer {} has more than {width} limbs", bases.size))
                    })?;
                    // Until a checkpoint has ended, the table below is not ours alone.
                    checkpoints.wait()?;
                    let below = self.newest.as_mut().and_then(Arc::get_mut).expect("shared with checkpoints only");
                    widen(&mut below.table, below.survey.slots as usize, width, to);
                    (below.width, width) = (to, to);
                }
            }
        }
    }

    /// Whether the rest fits, should it need no wider values than this.
    fn check_memory(&self, space: &Space<'a, W>, width: usize, edge_bytes: u64) -> Result<(), JobError> {
        let from = self.layers.len().saturating_sub(1);
        let slots: Vec<u64> = space.records().skip(from).map(|record| record.slots).collect();
        let tables = slots.windows(2).map(|pair| pair[0] + pair[1]).max().unwrap_or(slots[0]) * 8 * width as u64;
        let bases = space.records().skip(from).map(|record| record.bases()).max().unwrap_or(0);
        let needed = tables
            + bases * INDEX_ENTRIES * 8 * (W as u64 + 1)
            + space.resident_bytes()
            + self.discovery.bytes()
            + edge_bytes;
        self.context.check_memory(needed)
    }

    /// Makes a layer the newest one, and the memory of the one before free.
    fn take_spare(
        &mut self,
        newest: Option<Arc<Evaluated<W>>>,
        checkpoints: &mut Checkpoints<'_, 'a>,
    ) -> Result<(), JobError> {
        let Some(mut below) = std::mem::replace(&mut self.newest, newest) else { return Ok(()) };
        if Arc::get_mut(&mut below).is_none() {
            checkpoints.wait()?;
        }
        if let Ok(evaluated) = Arc::try_unwrap(below) {
            self.spare = evaluated.table;
        }
        Ok(())
    }

    fn save(&mut self, space: &mut Space<'a, W>, checkpoints: &mut Checkpoints<'_, 'a>) -> Result<(), JobError> {
        // The one before must have ended before its table can be called obsolete.
        checkpoints.wait()?;
        let context = self.context;
        let write_space = space.take_writer();
        let unsaved = self.take_unsaved();
        checkpoints.begin(move || {
            write_space()?;
            unsaved.map_or(Ok(()), |unsaved| write(context, unsaved))
        })
    }

    fn take_unsaved(&mut self) -> Option<Unsaved<W>> {
        let evaluated = self.newest.clone()?;
        let layer = evaluated.layer.size;
        if self.stored == Some(layer) {
            return None;
        }
        let obsolete = self.stored.filter(|_| !self.context.options.keep_values);
        let unsaved = Unsaved {
            evaluated,
            records: self.layers[self.recorded..].to_vec(),
            samples: std::mem::take(&mut self.samples),
            obsolete: obsolete.map(|layer| (layer, self.layers[layer].shards.len())),
        };
        (self.recorded, self.stored) = (self.layers.len(), Some(layer));
        Some(unsaved)
    }
}

/// The bases of a layer and their survey, for the last time.
fn take_layer<const W: usize>(space: &mut Space<'_, W>, layer: usize) -> Result<(BaseLayer<W>, Survey), JobError> {
    let survey = space.take_survey(layer)?;
    let bases = space.bases(layer)?;
    space.let_go(layer);
    Ok((Arc::unwrap_or_clone(bases), survey))
}

fn write<const W: usize>(context: &Context<'_>, unsaved: Unsaved<W>) -> Result<(), JobError> {
    let start = Instant::now();
    let (store, job): (&Store, _) = (context.store, &context.job);
    let Unsaved { evaluated, records, samples, obsolete } = unsaved;
    let layer = evaluated.layer.size;
    let mut commit = Commit::new();
    if let Some(record) = records.last() {
        let slots = shard_slots(&evaluated.layer, &evaluated.survey.places, evaluated.survey.slots);
        for (number, (slots, shard)) in slots.into_iter().zip(&record.shards).enumerate() {
            let limbs = &evaluated.table[slots.start * evaluated.width..slots.end * evaluated.width];
            let written = write_shard(store, job, (layer, number), limbs, (evaluated.width, record.width))?;
            if hex(&written.payload_digest) != shard.digest {
                return Err(JobError::SelfCheck(format!(
                    "shard {number} of layer {layer} of {job} changed in memory after it was computed"
                )));
            }
            commit.put_shard(values_key(job, layer, number), written.record());
        }
    }
    drop(evaluated);
    if !samples.is_empty() {
        let key = sample_key(job, layer);
        let written = write_samples(store, &key, &samples)?;
        commit.put_shard(key, written.record());
    }
    for record in &records {
        commit.put_document(&job.0, &layer_document(record.layer), record)?;
    }
    if let Some((layer, shards)) = obsolete {
        (0..shards).for_each(|shard| {
            commit.remove_shard(values_key(job, layer, shard));
        });
    }
    if let Some(record) = &context.new_record {
        commit.put_document(&job.0, JOB, record)?;
    }
    store.commit(commit)?;
    tracing::debug!(layer, seconds = start.elapsed().as_secs_f64(), "values stored");
    Ok(())
}
