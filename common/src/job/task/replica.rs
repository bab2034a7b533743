//! What shards of a game are valued from: all layers that are valued, on one machine.
//!
//! Moves lead to ideals of any smaller size, so nothing less will do. A replica is made from the files of bases and values
//! as they are stored, layer after layer: those of the lower side upwards, then those of the upper side downwards.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::engine::{Tasks, VALUED_BYTES};
use super::layers::bases_of;
use super::{Effort, Findings, Solved, TaskError};
use crate::huge;
use crate::job::positions::layers::{UpperBlocks, ValuedLayers};
use crate::job::positions::side::Bases;
use crate::job::records::ValueShard;
use crate::job::space::counts_of;
use crate::job::table::hex;
use crate::job::{PositionCount, Question, Side, ValuedShard};
use crate::parallel::crew;
use crate::recurrence::chomp::Means;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;
use crate::space::layer::BaseLayer;
use crate::space::survey::{Count, Survey, survey};
use crate::store::{BlockImage, Damage, ShardKind, bytes_image, decode_bytes};
use crate::watch::Watch;

/// See the head of this file.
pub trait Replica: Send + Sync {
    /// The layer to be added next, if it is needed to value one.
    fn missing(&self, side: Side, layer: usize) -> Option<(Side, usize)>;

    /// Adds the next layer of the lower side, given the bases and the values of its shards, in order.
    ///
    /// # Errors
    /// [`TaskError::Input`] if they do not belong together.
    fn add_lower(&mut self, bases: &[BlockImage], values: &[&BlockImage], effort: &Effort<'_>)
    -> Result<(), TaskError>;

    /// Adds the next layer of the upper side, given the values of its shards, in order.
    ///
    /// # Errors
    /// [`TaskError::Input`] if they do not belong to the layer; [`TaskError::Stopped`].
    fn add_upper(&mut self, values: &[&BlockImage], effort: &Effort<'_>) -> Result<(), TaskError>;

    /// Bytes of memory, about.
    fn bytes(&self) -> u64;

    /// Values a shard of the lower side, given its bases.
    ///
    /// # Errors
    /// [`TaskError::Input`], [`TaskError::Stopped`]; [`TaskError::Job`] if a value is too large for the tables.
    fn value_lower(
        &self,
        layer: usize,
        bases: &BlockImage,
        effort: &Effort<'_>,
    ) -> Result<(Findings, BlockImage), TaskError>;

    /// Values a shard of the upper side, given its number.
    ///
    /// # Errors
    /// As [`value_lower`](Self::value_lower).
    fn value_upper(&self, layer: usize, shard: usize, effort: &Effort<'_>)
    -> Result<(Findings, BlockImage), TaskError>;
}

/// A replica of a job, if it is about a game.
pub(super) fn replica<const W: usize>(tasks: &Arc<Tasks<W>>) -> Option<Box<dyn Replica>> {
    Some(match tasks.spec.question {
        Question::Extensions | Question::Ideals | Question::Ruler | Question::Estimate => return None,
        Question::Outcome => Box::new(ReplicaOf::<Outcome, W>::new(tasks)),
        Question::Grundy => Box::new(ReplicaOf::<Grundy<1>, W>::new(tasks)),
        Question::Remoteness => Box::new(ReplicaOf::<Remoteness, W>::new(tasks)),
    })
}

struct ReplicaOf<R: Rule, const W: usize> {
    tasks: Arc<Tasks<W>>,
    layers: ValuedLayers<W>,
    /// Number of layers added.
    added: usize,
    rule: PhantomData<R>,
}

impl<R: Rule, const W: usize> ReplicaOf<R, W> {
    fn new(tasks: &Arc<Tasks<W>>) -> Self {
        Self { tasks: tasks.clone(), layers: ValuedLayers::new(), added: 0, rule: PhantomData }
    }

    fn last_layer(&self) -> usize {
        self.tasks.split.base.min(self.tasks.top())
    }

    fn survey(&self, layer: &BaseLayer<W>, threads: usize) -> Survey {
        survey(&self.tasks.split, &self.tasks.ranks, layer, self.tasks.top(), threads)
    }

    fn means<'a>(&self, effort: &Effort<'_>, watch: &'a Watch<'a>) -> Means<'a> {
        Means { threads: effort.threads, isa: self.tasks.isa, watch }
    }
}

impl<R: Rule, const W: usize> Replica for ReplicaOf<R, W> {
    fn missing(&self, side: Side, layer: usize) -> Option<(Side, usize)> {
        let last = self.last_layer();
        (self.added < side.turn(layer, last)).then(|| Side::of_turn(self.added, last))
    }

    fn add_lower(
        &mut self,
        bases: &[BlockImage],
        values: &[&BlockImage],
        effort: &Effort<'_>,
    ) -> Result<(), TaskError> {
        let shards = bases.iter().map(bases_of::<W>).collect::<Result<Vec<_>, _>>()?;
        let layer = BaseLayer { size: self.added, shards };
        let survey = self.survey(&layer, effort.threads);
        let bases = Arc::new(Bases::new(Arc::new(layer), survey));
        let table = table(values, &bases.shards(), effort.threads)?;
        let tasks = self.tasks.clone();
        let board = tasks.board();
        self.layers.add_lower(&board, bases, table, effort.threads);
        self.added += 1;
        Ok(())
    }

    fn add_upper(&mut self, values: &[&BlockImage], effort: &Effort<'_>) -> Result<(), TaskError> {
        let (_, layer) = Side::of_turn(self.added, self.last_layer());
        let bases = self.layers.bases(layer).cloned().ok_or(Damage::Inconsistent)?;
        let stored = table(values, &bases.shards(), effort.threads)?;
        let tasks = self.tasks.clone();
        let board = tasks.board();
        let blocks = UpperBlocks::new(&board, &bases, effort.threads);
        let watch = Watch::new(effort.interrupt);
        let table = self.layers.upper_from_stored(&board, &blocks, &stored, self.means(effort, &watch))?;
        self.layers.add_upper(&board, &blocks, table, effort.threads);
        self.added += 1;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.layers.bytes(VALUED_BYTES)
    }

    fn value_lower(
        &self,
        layer: usize,
        bases: &BlockImage,
        effort: &Effort<'_>,
    ) -> Result<(Findings, BlockImage), TaskError> {
        let bases = Arc::new(BaseLayer { size: layer, shards: vec![bases_of::<W>(bases)?] });
        let survey = self.survey(&bases, effort.threads);
        let counts = counts_of(&survey, layer);
        let bases = Bases::new(bases, survey);
        let watch = Watch::new(effort.interrupt);
        let (table, counted) = self.layers.value_lower::<R>(&self.tasks.board(), &bases, self.means(effort, &watch))?;
        let (valued, image) = valued(ShardKind::Values, &table, counted, |size| size)?;
        let solved = Solved {
            bases: bases.layer.len() as u64,
            slots: bases.slots(),
            counts,
            values: None,
            positions: Some(valued),
        };
        Ok((Findings::Solved(solved), image))
    }

    fn value_upper(
        &self,
        layer: usize,
        shard: usize,
        effort: &Effort<'_>,
    ) -> Result<(Findings, BlockImage), TaskError> {
        let bases = self.layers.bases(layer).and_then(|bases| bases.shard(shard)).ok_or(Damage::Inconsistent)?;
        let board = self.tasks.board();
        let blocks = UpperBlocks::new(&board, &bases, effort.threads);
        let watch = Watch::new(effort.interrupt);
        let (table, counted) = self.layers.value_upper::<R>(&board, &blocks, self.means(effort, &watch))?;
        let stored = ValuedLayers::stored_upper(&board, &blocks, &table, effort.threads);
        let elements = 2 * board.top;
        let (valued, image) = valued(ShardKind::Duals, &stored, counted, |size| elements - size)?;
        Ok((Findings::Duals(valued), image))
    }
}

/// What is to be said of a shard, and its file.
fn valued(
    kind: ShardKind,
    table: &[u8],
    counts: Vec<Count>,
    size: impl Fn(usize) -> usize,
) -> Result<(ValuedShard, BlockImage), TaskError> {
    let image = bytes_image(kind, table)?;
    let shard = ValueShard { slots: table.len() as u64, digest: hex(&image.head.payload_digest()) };
    let mut counts: Vec<PositionCount> = PositionCount::of(counts, size).collect();
    counts.sort_unstable_by_key(|count| (count.size, count.value));
    Ok((ValuedShard { shard, counts }, image))
}

/// The table of a layer from the files of its shards.
fn table(values: &[&BlockImage], slots: &[Range<usize>], threads: usize) -> Result<Vec<u8>, TaskError> {
    if values.len() != slots.len() {
        return Err(Damage::Inconsistent.into());
    }
    let mut table = huge::filled(0, slots.last().map_or(0, |slots| slots.end));
    let mut rest = &mut table[..];
    let mut parts = Vec::new();
    for (image, slots) in values.iter().zip(slots) {
        let part;
        (part, rest) = rest.split_at_mut(slots.len());
        // What is decoded is as long as the head says: it must not be longer than expected.
        if image.head.count() != part.len() as u64 {
            return Err(Damage::Inconsistent.into());
        }
        parts.push((image, part));
    }
    let damages = crew(threads, parts.into_iter(), Vec::new, |damages, (image, part)| {
        match decode_bytes(&image.head, image.blocks()) {
            Ok(bytes) => part.copy_from_slice(&bytes),
            Err(damage) => damages.push(damage),
        }
    });
    match damages.into_iter().flatten().next() {
        Some(damage) => Err(damage.into()),
        None => Ok(table),
    }
}
