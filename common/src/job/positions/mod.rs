//! Valuing the positions of a game, layer by layer, with checkpoints.
//!
//! All tables stay in memory: moves lead to any smaller ideal. They are the result, so they are stored, whole layers at a
//! checkpoint. A later process reads them back, and values again what is damaged or missing: the digest tells whether it is
//! the same.

mod list;
pub mod records;
mod save;
mod side;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use super::checkpoint::{Checkpoints, GROWTH};
use super::context::Context;
use super::repair::set_aside_damaged;
use super::space::{Space, WORTH_FILES, number};
use super::{JobError, JobId, Method, Phase, Progress, Question};
use crate::huge;
use crate::recurrence::chomp::{
    Board, Means, Places, Sides, Unvalued, narrow, upper_places, value_lower, value_upper, widen,
};
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;
use crate::space::code::Ranks;
use crate::space::split::Split;
use crate::space::survey::Count;
use crate::store::{ShardKind, Store};
pub use list::positions_of_value;
use records::{POSITIONS, PositionCount, PositionLayer, Positions, Side};
use save::Unsaved;
use side::{Bases, Valued};

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
    let mut stored = 0;
    for kind in [ShardKind::Values, ShardKind::Duals] {
        set_aside_damaged(store, &job.0, kind, threads)?;
        stored += store.shards_of(&job.0, kind)?.len();
    }
    let shards: usize = positions.layers.iter().map(|layer| layer.shards.len()).sum();
    let slots: u64 = positions.layers.iter().map(|layer| layer.slots).sum();
    // Whether there are files was decided by an estimate.
    Ok(stored == shards || stored == 0 && slots < 2 * WORTH_FILES && !keep)
}

struct Evaluation<'a, const W: usize> {
    context: &'a Context<'a>,
    board: Board<'a, W>,
    has_files: bool,
    /// The layers that an earlier process has recorded.
    before: Vec<PositionLayer>,
    /// The layers of this one, and all positions counted so far, those of an earlier process included.
    now: Positions,
    bases: Vec<Arc<Bases<W>>>,
    lower: Vec<Valued<W>>,
    /// By the size of bases.
    upper: Vec<Option<Valued<W>>>,
    /// Layers that are not stored, as they will be.
    unsaved: Vec<Unsaved<W>>,
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
            before: before.layers,
            now,
            bases: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
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
        for layer in 0..=last {
            let start = Instant::now();
            let valued = self.value_lower_layer::<R>(space, layer);
            self.after(valued, start, checkpoints)?;
        }
        if matches!(self.context.method, Method::Halves { .. }) {
            self.upper.resize_with(last + 1, || None);
            for layer in (0..=last).rev() {
                let start = Instant::now();
                let valued = self.value_upper_layer::<R>(layer);
                self.after(valued, start, checkpoints)?;
            }
        }
        checkpoints.wait()?;
        self.save_now()?;
        let largest = match self.upper.first() {
            Some(upper) => upper.as_ref().map(|upper| &upper.values),
            None => self.lower.last().map(|lower| &lower.values),
        };
        let value = largest.and_then(|values| values.first()).copied().unwrap_or_default();
        Ok(Evaluated { value, positions: self.now, resumed: self.resumed })
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
        let places = Places { places: survey.places, slots: survey.slots, stabilisers: survey.stabilisers };
        let bases = Arc::new(Bases { layer: found, places });
        self.begin_layer(space.last_layer(), (Side::Lower, layer), &bases, bases.places.slots)?;
        let means = self.means();
        let (recorded, stored) = self.stored()?;
        let table = match stored {
            Some(table) => table,
            None => {
                let below: Vec<_> = self.lower.iter().map(|layer| layer.layer_values()).collect();
                let mut table = huge::filled(0, bases.places.slots as usize);
                let counts = represented(
                    layer,
                    &mut table,
                    |table| value_lower::<R, W>(&self.board, &below, bases.blocks(), table, means),
                    |table| value_lower::<R::Wider, W>(&self.board, &below, bases.blocks(), table, means),
                )?;
                self.count(recorded.as_ref(), counts, |size| size);
                table
            }
        };
        let side = Side::Lower;
        let valued = Valued::new(&self.board, side, &bases.layer, &bases.places, table, means.threads);
        self.add_layer(recorded, (side, layer), &bases, valued.values.clone())?;
        self.lower.push(valued);
        self.bases.push(bases);
        Ok(())
    }

    fn value_upper_layer<R: Rule>(&mut self, layer: usize) -> Result<(), JobError> {
        let bases = self.bases[layer].clone();
        let means = self.means();
        let places = upper_places(&self.board, &bases.layer, means.threads);
        self.begin_layer(self.lower.len() - 1, (Side::Upper, layer), &bases, places.slots)?;
        let (recorded, stored) = self.stored()?;
        let mut table = huge::filled(0, places.slots as usize);
        let lower: Vec<_> = self.lower.iter().map(|layer| layer.layer_values()).collect();
        let upper: Vec<_> = self.upper.iter().map(|layer| layer.as_ref().map(|layer| layer.layer_values())).collect();
        let sides = Sides { board: &self.board, lower: &lower, upper: &upper };
        let blocks = bases.blocks_at(&places);
        let narrow = match stored {
            Some(stored) => {
                widen::<R, W>(&sides, (bases.blocks(), &places), &stored, &mut table, means)
                    .map_err(|_| JobError::Interrupted)?;
                stored
            }
            None => {
                let counts = represented(
                    layer,
                    &mut table,
                    |table| value_upper::<R, W>(&sides, blocks, table, means),
                    |table| value_upper::<R::Wider, W>(&sides, blocks, table, means),
                )?;
                let elements = 2 * self.board.top;
                self.count(recorded.as_ref(), counts, |size| elements - size);
                narrow(&self.board, (bases.blocks(), &places), &table, means.threads)
            }
        };
        let side = Side::Upper;
        let valued = Valued::new(&self.board, side, &bases.layer, &places, table, means.threads);
        self.add_layer(recorded, (side, layer), &bases, Arc::new(narrow))?;
        self.upper[layer] = Some(valued);
        Ok(())
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
            let counted = counts.into_iter().enumerate().filter(|(_, count)| count.orbits > 0);
            self.now.add(counted.map(|(at, count)| PositionCount {
                size: size(at / 256),
                value: (at % 256) as u8,
                orbits: count.orbits.into(),
                labelled: number(count.labelled),
            }));
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
        tracing::debug!(layer, %side, slots = bases.places.slots, "valued");
        if self.has_files {
            self.unsaved.push(Unsaved { side, bases: bases.clone(), table });
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
        let in_memory = |values: &Valued<W>| values.values.len() as u64;
        let tables: u64 = self.lower.iter().chain(self.upper.iter().flatten()).map(in_memory).sum();
        let indexed: usize = self.bases.iter().map(|bases| bases.layer.len()).sum();
        let indices = 1 + u64::from(side == Side::Upper);
        let base_bytes = 8 * W as u64 + BASE_BYTES * indices;
        self.context.check_memory(tables + slots + (indexed + bases.layer.len()) as u64 * base_bytes)?;
        let halves = matches!(self.context.method, Method::Halves { .. });
        let steps = if halves { 2 * last + 1 } else { last };
        let step = if side == Side::Lower { layer } else { steps - layer };
        // Moves to other blocks: the elements of a base, or those it lacks and most uppers.
        let moves = if side == Side::Lower { layer } else { 2 * self.board.split.base - layer };
        let done = self.context.meter.watch().work();
        let progress = Progress {
            phase: Phase::Evaluate,
            layer: step,
            last_layer: steps,
            done,
            total: Some(((self.context.plan.operations + self.context.plan.states) as u64).max(done)),
            ideals: self.now.layers.iter().map(|layer| layer.slots).sum(),
        };
        self.context.meter.begin_layer(progress, Some(moves as u64 * bases.layer.len() as u64 + slots));
        Ok(())
    }
}

/// Values a table by a rule, or by the wider one if the first cannot represent a value.
fn represented(
    layer: usize,
    table: &mut [u8],
    first: impl Fn(&mut [u8]) -> Result<Vec<Count>, Unvalued>,
    wider: impl Fn(&mut [u8]) -> Result<Vec<Count>, Unvalued>,
) -> Result<Vec<Count>, JobError> {
    let result = match first(table) {
        Err(Unvalued::Unrepresentable) => wider(table),
        other => other,
    };
    result.map_err(|error| match error {
        Unvalued::Stopped(_) => JobError::Interrupted,
        Unvalued::Unrepresentable => JobError::TooLarge(layer),
    })
}
