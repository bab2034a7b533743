//! Valuing the positions of a game, layer by layer, with checkpoints.
//!
//! All values stay in memory: moves lead to any smaller ideal. They are the result, so they are stored, whole layers at a
//! checkpoint. A later process reads them back, and values again what is damaged or missing: the digest tells whether it is
//! the same.

pub(super) mod layers;
mod list;
pub(super) mod of_value;
pub mod records;
mod save;
pub(super) mod side;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use super::checkpoint::{Checkpoints, GROWTH};
use super::context::Context;
use super::plan::UPPER_SLOTS;
use super::records::SpaceLayer;
use super::repair::set_aside_damaged;
use super::space::{Space, WORTH_FILES};
use super::{JobError, JobId, Method, Phase, Progress, Question};
use crate::recurrence::chomp::{Board, Means};
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;
use crate::space::code::Ranks;
use crate::space::split::Split;
use crate::space::survey::Count;
use crate::store::{ShardKind, Store};
use layers::{UpperBlocks, ValuedLayers};
pub use list::positions_of_value;
use records::{POSITIONS, PositionCount, PositionLayer, Positions, Side};
use save::Unsaved;
use side::Bases;

/// Bytes of an entry of an index besides the base, with the share of those that stay empty, and of what else is known of a
/// base.
const BASE_BYTES: u64 = 30;

/// Values all positions of a job.
///
/// # Errors
/// [`JobError::Interrupted`], after what is complete was stored; [`JobError::Memory`]; [`JobError::SelfCheck`]; errors of
/// the store.
pub(super) fn evaluate<'a, const W: usize>(
    context: &'a Context<'a>,
    (split, ranks): (&'a Split<W>, &'a Ranks),
    space: &mut Space<'a, W>,
    checkpoints: &mut Checkpoints<'_, 'a>,
) -> Result<Evaluated, JobError> {
    match context.spec.question {
        Question::Outcome => Evaluation::<W>::new(context, split, ranks, space)?.run::<Outcome>(space, checkpoints),
        Question::Remoteness => {
            Evaluation::<W>::new(context, split, ranks, space)?.run::<Remoteness>(space, checkpoints)
        }
        _ => Evaluation::<W>::new(context, split, ranks, space)?.run::<Grundy<1>>(space, checkpoints),
    }
}

/// What was found.
pub(super) struct Evaluated {
    /// The value of the largest ideal visited, or that there is.
    pub(super) value: u8,
    pub(super) positions: Positions,
    /// Whether anything came from an earlier process.
    pub(super) resumed: bool,
}

/// Whether every shard of values is recorded in the store, or none because the job is small and its values are not wanted
/// (`keep`) all the same. What is damaged is set aside.
///
/// # Errors
/// Errors of the store.
pub(super) fn is_kept(
    store: &Store,
    job: &JobId,
    positions: &Positions,
    threads: usize,
    keep: bool,
) -> Result<bool, JobError> {
    let mut are_any = false;
    for kind in [ShardKind::Values, ShardKind::Duals] {
        set_aside_damaged(store, &job.0, kind, threads)?;
        are_any |= store.shards_of(&job.0, kind)?.len() > 0;
    }
    let slots: u64 = positions.layers.iter().map(|layer| layer.slots).sum();
    // Whether there are files was decided by an estimate.
    Ok(positions.are_stored(store, job)? || !are_any && slots < 2 * WORTH_FILES && !keep)
}

struct Evaluation<'a, const W: usize> {
    context: &'a Context<'a>,
    board: Board<'a, W>,
    has_files: bool,
    /// Work of both sides and of what came before: moves to other blocks, and slots in memory.
    work: u64,
    /// The layers that an earlier process has recorded.
    before: Vec<PositionLayer>,
    /// The layers of this one, and all positions counted so far, those of an earlier process included.
    now: Positions,
    layers: ValuedLayers<W>,
    /// Layers that are not stored, as they will be.
    unsaved: Vec<Unsaved>,
    resumed: bool,
}

impl<'a, const W: usize> Evaluation<'a, W> {
    fn new(
        context: &'a Context<'a>,
        split: &'a Split<W>,
        ranks: &'a Ranks,
        space: &Space<'a, W>,
    ) -> Result<Self, JobError> {
        let stored = match &context.certificate {
            Some(certificate) => certificate.positions.clone(),
            None if context.stored.is_some() => context.store.document(&context.job.0, POSITIONS)?,
            None => None,
        };
        let fits = |layer: &PositionLayer| {
            let known = space.records().nth(layer.layer);
            known.is_some_and(|known| (layer.slots, layer.shards.len()) == (known.slots, known.shards.len()))
        };
        let before = stored.filter(|stored: &Positions| stored.layers.iter().all(fits)).unwrap_or_default();
        let now = Positions { layers: Vec::new(), counts: before.counts.clone() };
        Ok(Self {
            context,
            board: Board::new(split, ranks, context.method.top()),
            has_files: false,
            work: context.meter.watch().work() + work(context, split.base, space),
            before: before.layers,
            now,
            layers: ValuedLayers::new(),
            unsaved: Vec::new(),
            resumed: false,
        })
    }

    fn run<R: Rule>(
        mut self,
        space: &mut Space<'a, W>,
        checkpoints: &mut Checkpoints<'_, 'a>,
    ) -> Result<Evaluated, JobError> {
        self.has_files = space.has_files();
        let last = space.last_layer();
        if let Some(value) = self.all_stored(last)? {
            return Ok(Evaluated { value, positions: self.now, resumed: true });
        }
        for layer in 0..=last {
            let start = Instant::now();
            let valued = self.value_lower_layer::<R>(space, layer);
            self.after(valued, start, checkpoints)?;
        }
        if matches!(self.context.method, Method::Halves { .. }) {
            for layer in (0..=last).rev() {
                let start = Instant::now();
                let valued = self.value_upper_layer::<R>(last, layer);
                self.after(valued, start, checkpoints)?;
            }
        }
        checkpoints.wait()?;
        self.save_now()?;
        let value = self.layers.largest().unwrap_or_default();
        Ok(Evaluated { value, positions: self.now, resumed: self.resumed })
    }

    /// If all layers are stored and whole, the value of the largest position (or 0 if that is not among them): then nothing
    /// need be read.
    fn all_stored(&mut self, last: usize) -> Result<Option<u8>, JobError> {
        let Context { store, job, method, .. } = self.context;
        let (layers, elements) = match method {
            Method::Halves { top } => (2 * (last + 1), 2 * top),
            Method::Plain { .. } => (last + 1, self.board.split.base),
        };
        if !self.has_files || self.before.len() != layers {
            return Ok(None);
        }
        let all = Positions { layers: self.before.clone(), counts: self.now.counts.clone() };
        if !is_kept(store, job, &all, self.context.threads(), true)? {
            return Ok(None);
        }
        self.now = all;
        Ok(Some(self.now.value_of_only(elements).unwrap_or_default()))
    }

    /// Makes a checkpoint if one is due, or if the work is to end.
    fn after(
        &mut self,
        valued: Result<(), JobError>,
        start: Instant,
        checkpoints: &mut Checkpoints<'_, 'a>,
    ) -> Result<(), JobError> {
        if let Err(JobError::Interrupted) = valued {
            checkpoints.wait()?;
            self.save_now()?;
        }
        valued?;
        if self.has_files && checkpoints.is_due(start.elapsed().mul_f64(GROWTH)) && !self.unsaved.is_empty() {
            checkpoints.wait()?;
            let write = self.take_writer();
            checkpoints.begin(write)?;
        }
        Ok(())
    }

    fn means(&self) -> Means<'a> {
        Means { threads: self.context.threads(), isa: self.context.isa, watch: self.context.meter.watch() }
    }

    fn value_lower_layer<R: Rule>(&mut self, space: &mut Space<'a, W>, layer: usize) -> Result<(), JobError> {
        let survey = space.take_survey(layer)?;
        let found = space.bases(layer)?;
        space.let_go(layer);
        let bases = Arc::new(Bases::new(found, survey));
        self.begin_layer(space.last_layer(), (Side::Lower, layer), &bases, bases.slots())?;
        let means = self.means();
        let (recorded, stored) = self.stored()?;
        let table = match stored {
            Some(table) => table,
            None => {
                let (table, counts) = self.layers.value_lower::<R>(&self.board, &bases, means)?;
                self.count(recorded.as_ref(), counts, |size| size);
                table
            }
        };
        let table = self.layers.add_lower(&self.board, bases.clone(), table, means.threads);
        self.add_layer(recorded, (Side::Lower, layer), &bases, table)
    }

    fn value_upper_layer<R: Rule>(&mut self, last: usize, layer: usize) -> Result<(), JobError> {
        let Some(bases) = self.layers.bases(layer).cloned() else { return Ok(()) };
        let means = self.means();
        let blocks = UpperBlocks::new(&self.board, &bases, means.threads);
        self.begin_layer(last, (Side::Upper, layer), &bases, blocks.slots())?;
        let (recorded, stored) = self.stored()?;
        let (table, stored) = match stored {
            Some(stored) => (self.layers.upper_from_stored(&self.board, &blocks, &stored, means)?, stored),
            None => {
                let (table, counts) = self.layers.value_upper::<R>(&self.board, &blocks, means)?;
                let elements = 2 * self.board.top;
                self.count(recorded.as_ref(), counts, |size| elements - size);
                let stored = ValuedLayers::stored_upper(&self.board, &blocks, &table, means.threads);
                (table, stored)
            }
        };
        self.layers.add_upper(&self.board, &blocks, table, means.threads);
        self.add_layer(recorded, (Side::Upper, layer), &bases, Arc::new(stored))
    }

    /// What an earlier process has recorded and stored of the next layer.
    fn stored(&self) -> Result<(Option<PositionLayer>, Option<Vec<u8>>), JobError> {
        let Some(record) = self.before.get(self.now.layers.len()) else { return Ok((None, None)) };
        if !self.has_files {
            return Ok((Some(record.clone()), None));
        }
        let table = side::read(self.context.store, &self.context.job, record, self.context.threads())?;
        Ok((Some(record.clone()), table))
    }

    /// Adds the positions of a layer by size and value, unless an earlier process has.
    fn count(&mut self, recorded: Option<&PositionLayer>, counts: Vec<Count>, size: impl Fn(usize) -> usize) {
        if recorded.is_none() {
            self.now.add(PositionCount::of(counts, size));
        }
    }

    /// Records a layer, whose values, if they were recorded before, must be the same.
    fn add_layer(
        &mut self,
        recorded: Option<PositionLayer>,
        (side, layer): (Side, usize),
        bases: &Arc<Bases<W>>,
        table: Arc<Vec<u8>>,
    ) -> Result<(), JobError> {
        let record = side::record(side, layer, &table, &bases.shards(), self.context.threads());
        match recorded {
            Some(before) if before != record => {
                let job = &self.context.job;
                return Err(JobError::SelfCheck(format!(
                    "the values of layer {layer}, {side} side, of {job} are not those that were recorded"
                )));
            }
            Some(_) => self.resumed = true,
            None => {}
        }
        self.now.layers.push(record);
        tracing::debug!(layer, %side, slots = bases.slots(), "valued");
        if self.has_files {
            self.unsaved.push(Unsaved { side, layer, shards: bases.shards(), table });
        }
        Ok(())
    }

    fn begin_layer(
        &self,
        last: usize,
        (side, layer): (Side, usize),
        bases: &Bases<W>,
        slots: u64,
    ) -> Result<(), JobError> {
        let indices = 1 + u64::from(side == Side::Upper);
        let base_bytes = 8 * W as u64 + BASE_BYTES * indices;
        self.context.check_memory(self.layers.bytes(base_bytes) + slots + bases.layer.len() as u64 * base_bytes)?;
        let halves = matches!(self.context.method, Method::Halves { .. });
        let steps = if halves { 2 * last + 1 } else { last };
        let step = side.turn(layer, last);
        let moves = side.moves(layer, self.board.split.base);
        let done = self.context.meter.watch().work();
        let progress = Progress {
            phase: Phase::Evaluate,
            layer: step,
            last_layer: steps,
            done,
            total: Some(self.work.max(done)),
            ideals: self.now.layers.iter().map(|layer| layer.slots).sum(),
        };
        self.context.meter.begin_layer(progress, Some(moves as u64 * bases.layer.len() as u64 + slots));
        Ok(())
    }
}

/// Work of all layers, given how many elements the largest base has.
fn work<const W: usize>(context: &Context<'_>, elements: usize, space: &Space<'_, W>) -> u64 {
    let of_side =
        |side: Side, layer: &SpaceLayer, slots| layer.bases() * side.moves(layer.size, elements) as u64 + slots;
    let both = |layer: &SpaceLayer| {
        let upper = match context.method {
            Method::Halves { .. } => of_side(Side::Upper, layer, (UPPER_SLOTS * layer.slots as f64) as u64),
            Method::Plain { .. } => 0,
        };
        of_side(Side::Lower, layer, layer.slots) + upper
    };
    space.records().map(both).sum()
}
