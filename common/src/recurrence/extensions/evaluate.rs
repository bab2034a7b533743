//! Evaluating a base layer from the one below, in chunks of blocks on several threads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::sums::LayerSums;
use super::worker::{Chunk, Context, Worker};
use crate::huge::Words;
use crate::parallel::crew;
use crate::space::code::Ranks;
use crate::space::edges::Edges;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::split::Split;
use crate::space::survey::Survey;
use crate::symmetry::Isa;
use crate::watch::{Stopped, Watch};

/// A layer with its values.
pub struct Evaluated<const W: usize> {
    /// The bases.
    pub layer: BaseLayer<W>,
    /// Where their blocks lie.
    pub index: BaseIndex<W>,
    /// What is known of them.
    pub survey: Survey,
    /// The values, `width` limbs each.
    pub table: Words,
    /// Limbs of a value.
    pub width: usize,
}

/// The layer below, as far as evaluation reads it.
#[derive(Clone, Copy)]
pub struct Below<'a> {
    /// Number of elements of its bases.
    pub size: usize,
    /// The values, of which only those that edges lead to must be there.
    pub table: &'a [u64],
    /// Limbs of a value.
    pub width: usize,
}

impl<const W: usize> Evaluated<W> {
    /// What evaluation of the next layer reads.
    pub fn as_below(&self) -> Below<'_> {
        Below { size: self.layer.size, table: &self.table, width: self.width }
    }
}

/// Why a layer was not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unevaluated {
    /// A value does not fit the width: widen the layer below and try again.
    #[error("a value does not fit the width")]
    Overflow,
    /// A stop was asked for.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Blocks in a chunk, at most: their edges are looked up ahead, so what they bring into the cache must stay there.
const BLOCKS: usize = 96;
/// Slots in a chunk, at most, unless one block has more.
const SLOTS: u64 = 1 << 14;

/// Fills `table` with the values of a layer or of some of its shards, given the layer below and the edges that lead to it
/// (`None` for the empty base), and returns the sums. `table` has `width` limbs for every slot of the survey, whatever their
/// content.
///
/// # Errors
/// [`Unevaluated`]; the table is then of no use.
///
/// # Panics
/// If the layer below is not the one below, or of another width, or the edges are not of this layer.
#[allow(clippy::too_many_arguments, reason = "each is a table of its own")]
pub fn evaluate_layer<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    below: Option<(Below<'_>, &Edges)>,
    (layer, survey): (&BaseLayer<W>, &Survey),
    top: usize,
    (table, width): (&mut [u64], usize),
    threads: usize,
    isa: Isa,
    watch: &Watch<'_>,
) -> Result<LayerSums, Unevaluated> {
    assert!(below.is_none_or(|(_, edges)| edges.belong_to(layer)));
    let context = Context { split, ranks, below, size: layer.size, top, isa };
    let chunks = chunks(layer, survey, table, width);
    match width {
        1 => evaluate_chunks::<W, 1>(&context, chunks, threads, watch),
        2 => evaluate_chunks::<W, 2>(&context, chunks, threads, watch),
        4 => evaluate_chunks::<W, 4>(&context, chunks, threads, watch),
        8 => evaluate_chunks::<W, 8>(&context, chunks, threads, watch),
        32 => evaluate_chunks::<W, 32>(&context, chunks, threads, watch),
        _ => panic!("width {width} is none of those compiled"),
    }
}

fn chunks<'a, const W: usize>(
    layer: &'a BaseLayer<W>,
    survey: &'a Survey,
    mut table: &'a mut [u64],
    width: usize,
) -> Vec<Chunk<'a, W>> {
    assert_eq!(table.len() as u64, survey.slots * width as u64);
    let mut chunks = Vec::new();
    let mut first = 0;
    for shard in &layer.shards {
        let mut rest = &shard[..];
        while !rest.is_empty() {
            let start = survey.places[first];
            let places = &survey.places[first..][..rest.len().min(BLOCKS)];
            let blocks = places.partition_point(|&place| place < start + SLOTS).max(1);
            let end = survey.places.get(first + blocks).copied().unwrap_or(survey.slots);
            let (part, later) = table.split_at_mut((end - start) as usize * width);
            table = later;
            chunks.push(Chunk {
                first,
                bases: &rest[..blocks],
                places: &places[..blocks],
                available: &survey.available[first..][..blocks],
                stabilisers: &survey.stabilisers[first..][..blocks],
                table: part,
                start,
            });
            rest = &rest[blocks..];
            first += blocks;
        }
    }
    chunks
}

fn evaluate_chunks<const W: usize, const D: usize>(
    context: &Context<'_, W>,
    chunks: Vec<Chunk<'_, W>>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<LayerSums, Unevaluated> {
    let uppers = context.split.uppers.as_ref().map_or(0, |uppers| uppers.element.len());
    let worker = || Worker::<D>::new(uppers);
    // One overflow spoils the layer: the other threads need not go on.
    let lost = AtomicU64::new(0);
    let workers = crew(threads, chunks.into_iter(), worker, |worker, chunk| {
        if lost.load(Ordering::Relaxed) == 0 && !watch.is_stopped() {
            let slots = (chunk.table.len() / D) as u64;
            worker.evaluate(context, chunk);
            lost.fetch_or(worker.lost(), Ordering::Relaxed);
            watch.advance(worker.edges() + slots);
        }
    });
    watch.check()?;
    if lost.into_inner() != 0 {
        return Err(Unevaluated::Overflow);
    }
    let mut total = LayerSums::default();
    for worker in workers {
        total.add(&worker.total(context));
    }
    Ok(total)
}
