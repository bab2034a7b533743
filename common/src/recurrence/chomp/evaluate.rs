//! Valuing a base layer of either side, in chunks of blocks on several threads.

use std::sync::atomic::{AtomicBool, Ordering};

use super::board::{Board, LayerValues};
use super::lower::{Chunk, Lower};
use super::machine::{self, Work};
use super::tally::Tally;
use super::upper::{Sides, Upper};
use super::whole::Whole;
use crate::parallel::crew;
use crate::recurrence::rule::Rule;
use crate::space::layer::BaseLayer;
use crate::space::survey::Count;
use crate::space::value_map::ValueMap;
use crate::symmetry::{Action, GroupElement, Isa};
use crate::watch::{Stopped, Watch};

/// Why a layer was not valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unvalued {
    /// The rule cannot represent a value: see [`Rule::Wider`].
    #[error("a value cannot be represented")]
    Unrepresentable,
    /// A stop was asked for.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A layer, or some of its shards, and where its blocks lie in the table of a side.
#[derive(Clone, Copy)]
pub struct Blocks<'a, const W: usize> {
    /// The bases.
    pub layer: &'a BaseLayer<W>,
    /// First slots of their blocks.
    pub places: &'a [u64],
    /// Number of slots.
    pub slots: u64,
    /// Orders of the stabilisers of the bases.
    pub stabilisers: &'a [u16],
}

/// Blocks in a chunk, at most: what is looked up for them is asked for ahead, so it must stay in the cache.
const BLOCKS: usize = 16;
/// Slots in a chunk, at most, unless one block has more.
const SLOTS: u64 = 1 << 13;

/// How the work is done.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Instruction set.
    pub isa: Isa,
    /// Told how far it is, and asked whether to stop: moves to other blocks and slots.
    pub watch: &'a Watch<'a>,
}

/// Fills `table` with the values of a layer of the lower side, given those below, and counts positions by size and value:
/// those of size s and value v at 256 s + v.
///
/// # Errors
/// [`Unvalued`]; the table is then of no use.
///
/// # Panics
/// If a base of a layer below is missing.
pub fn value_lower<R: Rule, const W: usize>(
    board: &Board<'_, W>,
    below: &[LayerValues<'_, W>],
    blocks: Blocks<'_, W>,
    table: &mut [u8],
    means: Means<'_>,
) -> Result<Vec<Count>, Unvalued> {
    value_layer(
        (board, blocks, table, means),
        Lower::<R, W>::default,
        |lower, chunk| machine::run(LowerWork { lower, board, below, chunk }, means.isa),
        |lower| (&lower.lost, &mut lower.tally),
        |_| {},
    )
}

/// The same where bases are whole ideals.
///
/// # Errors
/// [`Unvalued`]; the table is then of no use.
///
/// # Panics
/// If an ideal of a layer below is missing, and this is noticed.
pub fn value_whole<R: Rule, const W: usize>(
    board: &Board<'_, W>,
    below: &[ValueMap],
    blocks: Blocks<'_, W>,
    table: &mut [u8],
    means: Means<'_>,
) -> Result<Vec<Count>, Unvalued> {
    value_layer(
        (board, blocks, table, means),
        Whole::<R, W>::default,
        |whole, chunk| whole.evaluate(board, below, chunk),
        |whole| (&whole.lost, &mut whole.tally),
        |_| {},
    )
}

/// The same of the upper side, where sizes are those of duals.
///
/// # Errors
/// [`Unvalued`]; the table is then of no use.
///
/// # Panics
/// If a base of the lower side or of a layer above is missing.
pub fn value_upper<R: Rule, const W: usize>(
    sides: &Sides<'_, W>,
    blocks: Blocks<'_, W>,
    table: &mut [u8],
    means: Means<'_>,
) -> Result<Vec<Count>, Unvalued> {
    value_layer(
        (sides.board, blocks, table, means),
        || Upper::<R, W>::begin(sides),
        |upper, chunk| machine::run(UpperWork { upper, sides, chunk }, means.isa),
        |upper| (&upper.lost, &mut upper.tally),
        |upper| upper.end(sides),
    )
}

struct LowerWork<'w, 'a, 'c, R: Rule, const W: usize> {
    lower: &'w mut Lower<R, W>,
    board: &'w Board<'a, W>,
    below: &'w [LayerValues<'a, W>],
    chunk: &'w mut Chunk<'c, W>,
}

impl<R: Rule, const W: usize> Work for LowerWork<'_, '_, '_, R, W> {
    #[inline(always)]
    fn run(self, image: impl Fn(&Action, GroupElement, u64) -> u64) -> u64 {
        self.lower.evaluate(self.board, self.below, self.chunk, image)
    }
}

struct UpperWork<'w, 'a, 'c, R: Rule, const W: usize> {
    upper: &'w mut Upper<R, W>,
    sides: &'w Sides<'a, W>,
    chunk: &'w mut Chunk<'c, W>,
}

impl<R: Rule, const W: usize> Work for UpperWork<'_, '_, '_, R, W> {
    #[inline(always)]
    fn run(self, image: impl Fn(&Action, GroupElement, u64) -> u64) -> u64 {
        self.upper.evaluate(self.sides, self.chunk, image)
    }
}

fn value_layer<S: Send, const W: usize>(
    (board, blocks, table, means): (&Board<'_, W>, Blocks<'_, W>, &mut [u8], Means<'_>),
    start: impl Fn() -> S + Sync,
    evaluate: impl Fn(&mut S, &mut Chunk<'_, W>) -> u64 + Sync,
    parts: impl Fn(&mut S) -> (&bool, &mut Tally) + Sync,
    end: impl Fn(S),
) -> Result<Vec<Count>, Unvalued> {
    // One value that is lost spoils the layer: the other threads need not go on.
    let lost = AtomicBool::new(false);
    let chunks = chunks(blocks, table);
    let states = crew(means.threads, chunks.into_iter(), start, |state, (_, mut chunk)| {
        if !lost.load(Ordering::Relaxed) && !means.watch.is_stopped() {
            let links = evaluate(state, &mut chunk);
            means.watch.advance(links + chunk.table.len() as u64);
            if *parts(state).0 {
                lost.store(true, Ordering::Relaxed);
            }
        }
    });
    means.watch.check()?;
    if lost.into_inner() {
        return Err(Unvalued::Unrepresentable);
    }
    let mut total: Vec<Count> = Vec::new();
    for mut state in states {
        let counts = std::mem::take(parts(&mut state).1).total(board);
        end(state);
        total.resize(total.len().max(counts.len()), Count::default());
        for (total, count) in total.iter_mut().zip(counts) {
            total.orbits += count.orbits;
            total.labelled += count.labelled;
        }
    }
    Ok(total)
}

/// Cuts a table into chunks, each with the number of its first base.
pub(super) fn chunks<'a, const W: usize>(blocks: Blocks<'a, W>, mut table: &'a mut [u8]) -> Vec<(usize, Chunk<'a, W>)> {
    assert_eq!(table.len() as u64, blocks.slots);
    let mut chunks = Vec::new();
    let mut first = 0;
    for shard in &blocks.layer.shards {
        let mut rest = &shard[..];
        while !rest.is_empty() {
            let start = blocks.places[first];
            let places = &blocks.places[first..][..rest.len().min(BLOCKS)];
            let count = places.partition_point(|&place| place < start + SLOTS).max(1);
            let end = blocks.places.get(first + count).copied().unwrap_or(blocks.slots);
            let (part, later) = table.split_at_mut((end - start) as usize);
            table = later;
            let stabilisers = &blocks.stabilisers[first..][..count];
            chunks.push((
                first,
                Chunk { bases: &rest[..count], places: &places[..count], stabilisers, table: part, start },
            ));
            rest = &rest[count..];
            first += count;
        }
    }
    chunks
}
