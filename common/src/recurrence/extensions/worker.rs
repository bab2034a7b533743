//! One thread's evaluation of a chunk of blocks.

use super::ahead::{Ahead, MOST_SLOTS};
use super::block::{BlockEvaluator, UpperContext};
use super::evaluate::Below;
use super::sums::{LayerSums, ThreadSums};
use crate::ideal::{Ideal, Labelled};
use crate::recurrence::limbs::{MOST_TERMS, add, normalise};
use crate::space::code::Ranks;
use crate::space::edges::{Edge, Edges};
use crate::space::split::Split;
use crate::symmetry::{Canonical, GroupElement, Isa};

/// What all threads read.
pub(super) struct Context<'a, const W: usize> {
    pub(super) split: &'a Split<W>,
    pub(super) ranks: &'a Ranks,
    /// The layer below and the edges that lead there; not for the empty base.
    pub(super) below: Option<(Below<'a>, &'a Edges)>,
    pub(super) size: usize,
    pub(super) top: usize,
    pub(super) isa: Isa,
}

/// Blocks a thread takes at a time: their bases, what is known of them, and their part of the table.
pub(super) struct Chunk<'a, const W: usize> {
    /// Number of the first base in the layer.
    pub(super) first: usize,
    pub(super) bases: &'a [Ideal<W>],
    pub(super) places: &'a [u64],
    pub(super) available: &'a [u64],
    pub(super) stabilisers: &'a [u16],
    pub(super) table: &'a mut [u64],
    /// Slot of the table's part in the whole table.
    pub(super) start: u64,
}

/// What a thread keeps between chunks.
pub(super) struct Worker<const D: usize> {
    edges: Vec<Edge>,
    /// For each edge the slots of its source that are worth asking for ahead.
    slots: Vec<u8>,
    /// For each block of the chunk its first edge, and the number of edges.
    first_edges: Vec<usize>,
    block: BlockEvaluator<D>,
    sums: ThreadSums<D>,
}

impl<const D: usize> Worker<D> {
    /// For posets with that many upper elements.
    pub(super) fn new(uppers: usize) -> Self {
        Self {
            edges: Vec::new(),
            slots: Vec::new(),
            first_edges: Vec::new(),
            block: BlockEvaluator::new(uppers),
            sums: ThreadSums::new(uppers),
        }
    }

    /// Base edges of the last chunk.
    pub(super) fn edges(&self) -> u64 {
        self.edges.len() as u64
    }

    /// What overflowed so far (0: nothing).
    pub(super) fn lost(&self) -> u64 {
        self.block.lost
    }

    /// The sums of all chunks so far.
    pub(super) fn total<const W: usize>(self, context: &Context<'_, W>) -> LayerSums {
        self.sums.total(context.size, context.top)
    }

    /// Evaluates a chunk.
    pub(super) fn evaluate<const W: usize>(&mut self, context: &Context<'_, W>, chunk: Chunk<'_, W>) {
        let (table, _) = chunk.table.as_chunks_mut::<D>();
        self.edges.clear();
        self.slots.clear();
        self.first_edges.clear();
        let sources: &[[u64; D]] = match context.below {
            Some((below, edges)) => {
                assert_eq!((below.size + 1, below.width), (context.size, D), "the layer below, as wide");
                self.take_edges(edges, chunk.first, chunk.bases.len());
                below.table.as_chunks().0
            }
            None => {
                self.first_edges.extend([0, 0]);
                &[]
            }
        };
        self.measure(context, chunk.available);
        let action = context.split.uppers.as_ref().map(|uppers| &*uppers.action);
        let mut ahead = Ahead::new(sources, action, &self.edges, &self.slots);
        for (number, &base) in chunk.bases.iter().enumerate() {
            let start = (chunk.places[number] - chunk.start) as usize;
            let end = chunk.places.get(number + 1).map_or(table.len(), |&place| (place - chunk.start) as usize);
            let block = &mut table[start..end];
            block.fill([0; D]);
            if context.below.is_none() {
                // Over the empty base there is one ideal: minimal elements of the poset belong to the base.
                block[0][0] = 1;
            }
            let available = chunk.available[number];
            let edges = &self.edges[self.first_edges[number]..self.first_edges[number + 1]];
            match &context.split.uppers {
                None => {
                    for (term, edge) in edges.iter().enumerate() {
                        if term % MOST_TERMS == MOST_TERMS - 1 {
                            self.block.lost |= normalise(&mut block[0]);
                        }
                        ahead.advance();
                        add(&mut block[0], &sources[edge.place() as usize]);
                    }
                    self.block.lost |= normalise(&mut block[0]);
                    self.block.sums.add(0, &block[0]);
                }
                Some(uppers) => {
                    let room = (context.top - context.size) as u32;
                    let upper = UpperContext { uppers, ranks: context.ranks, base: base.0[0], available, room };
                    match context.isa {
                        // Wide values are rare and their layers small: not worth a second copy of the code.
                        Isa::Wide if D <= 4 => {
                            super::wide::evaluate(&mut self.block, &upper, edges, &mut ahead, block);
                        }
                        _ => self.block.evaluate_portably(&upper, edges, &mut ahead, block),
                    }
                }
            }
            let addable = context.split.addable(base).count() + available.count_ones() as usize;
            let stabiliser = chunk.stabilisers[number];
            let form = Canonical { ideal: base, by: GroupElement::IDENTITY, stabiliser };
            let weight: Labelled = context.split.symmetry.orbit_size(&form);
            self.sums.add_block(&mut self.block.sums, weight, addable);
        }
    }

    /// Takes the edges of so many bases from those of the layer.
    fn take_edges(&mut self, edges: &Edges, first: usize, bases: usize) {
        (first..first + bases).for_each(|number| edges.prefetch(number));
        for number in first..first + bases {
            self.first_edges.push(self.edges.len());
            self.edges.extend_from_slice(edges.of(number));
        }
        self.first_edges.push(self.edges.len());
    }

    /// Finds out how much of each source is worth asking for: all of a small one and no more, for what is not used would
    /// only be in the way.
    fn measure<const W: usize>(&mut self, context: &Context<'_, W>, available: &[u64]) {
        for (number, &available) in available.iter().enumerate() {
            for edge in &self.edges[self.first_edges[number]..self.first_edges[number + 1]] {
                let above = context.split.uppers.as_ref().map_or(u64::MAX, |uppers| uppers.above_base[edge.removed()]);
                self.slots.push(1 << (available & !above).count_ones().min(MOST_SLOTS.ilog2()));
            }
        }
    }
}
