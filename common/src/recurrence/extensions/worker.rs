//! One thread's evaluation of a chunk of blocks.
//!
//! All edges of a chunk are canonicalised together, then all are looked up, then all blocks are gathered: each stage asks
//! the cache for what the next one reads.

use super::evaluate::Evaluated;
use super::finish::finish;
use super::gather::{Scratch, gather};
use super::sums::{BlockSums, LayerSums, ThreadSums};
use crate::ideal::{Bits, Ideal, Labelled};
use crate::prefetch::prefetch;
use crate::recurrence::limbs::{MOST_TERMS, add, normalise};
use crate::space::code::{Ranks, Shape, for_each_code};
use crate::space::fibre::Facet;
use crate::space::split::{Split, Uppers};
use crate::symmetry::{Action, Canonical, GroupElement};

/// What all threads read.
pub(super) struct Context<'a, const W: usize> {
    pub(super) split: &'a Split<W>,
    pub(super) ranks: &'a Ranks,
    pub(super) below: Option<&'a Evaluated<W>>,
    pub(super) size: usize,
    pub(super) top: usize,
}

/// Blocks a thread takes at a time: their bases, what is known of them, and their part of the table.
pub(super) struct Chunk<'a, const W: usize> {
    pub(super) bases: &'a [Ideal<W>],
    pub(super) places: &'a [u64],
    pub(super) available: &'a [u64],
    pub(super) stabilisers: &'a [u16],
    pub(super) table: &'a mut [u64],
    /// Slot of the table's part in the whole table.
    pub(super) start: u64,
}

/// Slots of a source that are asked for ahead; the processor notices longer runs by itself.
const AHEAD: usize = 16;

/// What a thread keeps between chunks.
pub(super) struct Worker<const W: usize, const D: usize> {
    smaller: Vec<Ideal<W>>,
    removed: Vec<u8>,
    /// For each block of the chunk its first edge, and the number of edges.
    first_edges: Vec<usize>,
    forms: Vec<Canonical<W>>,
    /// For each edge the first slot of the source block.
    sources: Vec<usize>,
    facets: Vec<Facet>,
    source_facets: Vec<Facet>,
    scratch: Scratch,
    block: BlockSums<D>,
    sums: ThreadSums<D>,
    lost: u64,
}

/// The edge of a block that removes `removed` and leads to the block that starts at `source`, through `by`.
#[derive(Clone, Copy)]
struct Edge {
    removed: usize,
    by: GroupElement,
    source: usize,
}

impl<const W: usize, const D: usize> Worker<W, D> {
    /// For posets with that many upper elements.
    pub(super) fn new(uppers: usize) -> Self {
        Self {
            smaller: Vec::new(),
            removed: Vec::new(),
            first_edges: Vec::new(),
            forms: Vec::new(),
            sources: Vec::new(),
            facets: Vec::new(),
            source_facets: Vec::new(),
            scratch: Scratch::default(),
            block: BlockSums::new(uppers),
            sums: ThreadSums::new(uppers),
            lost: 0,
        }
    }

    /// Base edges of the last chunk.
    pub(super) fn edges(&self) -> u64 {
        self.smaller.len() as u64
    }

    /// What overflowed so far (0: nothing).
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// The sums of all chunks so far.
    pub(super) fn total(self, context: &Context<'_, W>) -> LayerSums {
        self.sums.total(context.size, context.top)
    }

    /// Evaluates a chunk. `image` applies a group element to a word of uppers.
    #[inline(always)]
    pub(super) fn evaluate(
        &mut self,
        context: &Context<'_, W>,
        chunk: Chunk<'_, W>,
        image: impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let (table, _) = chunk.table.as_chunks_mut::<D>();
        table.fill([0; D]);
        let Some(below) = context.below else {
            // Over the empty base there is one ideal: minimal elements of the poset belong to the base.
            if let Some(uppers) = &context.split.uppers {
                uppers.facets(context.ranks, chunk.available[0], context.top as u32, &mut self.facets);
            }
            table[0][0] = 1;
            self.finish_block(context, chunk.bases[0], chunk.available[0], chunk.stabilisers[0], table);
            return;
        };
        assert_eq!((below.layer.size + 1, below.width), (context.size, D), "the layer below, in the same width");
        let (source_table, _) = below.table.as_chunks::<D>();
        self.look_up(context, below, chunk.bases, source_table);
        for (number, &base) in chunk.bases.iter().enumerate() {
            let start = (chunk.places[number] - chunk.start) as usize;
            let end = chunk.places.get(number + 1).map_or(table.len(), |&place| (place - chunk.start) as usize);
            let block = &mut table[start..end];
            let edges = self.first_edges[number]..self.first_edges[number + 1];
            match &context.split.uppers {
                None => {
                    for (term, edge) in edges.enumerate() {
                        if term % MOST_TERMS == MOST_TERMS - 1 {
                            self.lost |= normalise(&mut block[0]);
                        }
                        add(&mut block[0], &source_table[self.sources[edge]]);
                    }
                }
                Some(uppers) => {
                    let room = (context.top - context.size) as u32;
                    uppers.facets(context.ranks, chunk.available[number], room, &mut self.facets);
                    for edge in edges {
                        let edge = Edge {
                            removed: usize::from(self.removed[edge]),
                            by: self.forms[edge].by,
                            source: self.sources[edge],
                        };
                        self.gather_edge(context, uppers, base, block, edge, source_table, &image);
                    }
                }
            }
            self.finish_block(context, base, chunk.available[number], chunk.stabilisers[number], block);
        }
    }

    /// Canonicalises the edges of the bases and finds the source of each.
    #[inline(always)]
    fn look_up(&mut self, context: &Context<'_, W>, below: &Evaluated<W>, bases: &[Ideal<W>], sources: &[[u64; D]]) {
        self.smaller.clear();
        self.removed.clear();
        self.first_edges.clear();
        self.forms.clear();
        self.sources.clear();
        for &base in bases {
            self.first_edges.push(self.smaller.len());
            for y in context.split.removable(base) {
                self.smaller.push(base.without(y));
                self.removed.push(y as u8);
            }
        }
        self.first_edges.push(self.smaller.len());
        context.split.symmetry.canonical_batch(&self.smaller, &mut self.forms);
        for form in &self.forms {
            below.index.prefetch(&form.ideal);
        }
        for form in &self.forms {
            let place =
                below.index.get(&form.ideal).expect("every canonical base of the layer below is indexed") as usize;
            for slot in (place..place + AHEAD).step_by(2) {
                prefetch(sources, slot);
            }
            self.sources.push(place);
        }
    }

    /// Adds the source block of an edge to the facets of a block.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "the inner function of the hot loop, always inlined")]
    fn gather_edge(
        &mut self,
        context: &Context<'_, W>,
        uppers: &Uppers,
        base: Ideal<W>,
        block: &mut [[u64; D]],
        edge: Edge,
        source_table: &[[u64; D]],
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let above = uppers.above_base[edge.removed];
        let room = (context.top - context.size) as u32 + 1;
        let preimages = uppers.action.preimages(edge.by);
        for number in 0..self.facets.len() {
            let facet = self.facets[number];
            if above & (facet.high | facet.forced) != 0 {
                continue;
            }
            let allowed = image(&uppers.action, edge.by, facet.free & !above);
            let (offset, shape) = if facet.high == 0 {
                (0, Shape::new(context.ranks, allowed.count_ones(), room))
            } else {
                if self.source_facets.is_empty() {
                    let available = uppers.available(base.without(edge.removed).0[0]);
                    let available = image(&uppers.action, edge.by, available);
                    uppers.facets(context.ranks, available, room, &mut self.source_facets);
                }
                let high = image(&uppers.action, edge.by, facet.high);
                let source = self.source_facets.iter().find(|source| source.high == high);
                let source = source.expect("the image of a facet is a facet, for the source has one more place");
                (source.offset, source.shape)
            };
            let mut positions = [0u8; 64];
            let mut count = 0;
            for upper in Bits(allowed) {
                let code_bit = facet.free & ((1 << preimages[upper]) - 1);
                positions[count] = code_bit.count_ones() as u8;
                count += 1;
            }
            gather(
                context.ranks,
                (&mut block[facet.offset as usize..], facet.shape),
                (&source_table[edge.source + offset as usize..], shape),
                &positions[..count],
                &mut self.scratch,
            );
        }
        self.source_facets.clear();
    }

    /// The part of the recurrence within a block whose sources are gathered, and its sums.
    #[inline(always)]
    fn finish_block(
        &mut self,
        context: &Context<'_, W>,
        base: Ideal<W>,
        available: u64,
        stabiliser: u16,
        block: &mut [[u64; D]],
    ) {
        let split = context.split;
        if split.uppers.is_some() {
            for number in 0..self.facets.len() {
                let facet = self.facets[number];
                let (smaller, values) = block.split_at_mut(facet.offset as usize);
                if facet.high != 0 {
                    self.remove_high(context, &facet, smaller, values);
                }
                let slots = facet.shape.slots(context.ranks) as usize;
                let values = &mut values[..slots];
                self.lost |= finish(context.ranks, facet.shape, values, facet.fixed as usize, &mut self.block);
                if facet.high != 0 {
                    self.count_high(context.ranks, &facet, values);
                }
            }
        } else {
            self.lost |= normalise(&mut block[0]);
            self.block.add(0, &block[0]);
        }
        let addable = split.addable(base).count() + available.count_ones() as usize;
        let form = Canonical { ideal: base, by: GroupElement::IDENTITY, stabiliser };
        let weight: Labelled = split.symmetry.orbit_size(&form);
        self.sums.add_block(&mut self.block, weight, addable);
    }

    /// Adds the values of ideals with one high upper less, which lie in earlier facets.
    #[cold]
    fn remove_high(&mut self, context: &Context<'_, W>, facet: &Facet, smaller: &[[u64; D]], values: &mut [[u64; D]]) {
        let Some(uppers) = &context.split.uppers else { return };
        let maximal = |&i: &usize| Bits(facet.high).all(|j| uppers.upper_below[j] >> i & 1 == 0);
        for removed in Bits(facet.high).filter(maximal) {
            let high = facet.high & !(1 << removed);
            let from = self.facets.iter().find(|from| from.high == high).expect("facets extend smaller facets");
            for_each_code(facet.shape.q, facet.shape.cap, |code| {
                let source = from.shape.address(context.ranks, from.code(facet.upper(code)));
                let value = &smaller[(from.offset + source) as usize];
                add(&mut values[facet.shape.address(context.ranks, code) as usize], value);
                let uppers = facet.fixed as usize + code.count_ones() as usize;
                self.block.add_high(uppers - 1, value);
            });
        }
    }

    /// High uppers take no place among the low ones that can still be added.
    #[cold]
    fn count_high(&mut self, ranks: &Ranks, facet: &Facet, values: &[[u64; D]]) {
        for_each_code(facet.shape.q, facet.shape.cap, |code| {
            let value = &values[facet.shape.address(ranks, code) as usize];
            for _ in Bits(facet.high) {
                self.block.add_high(facet.fixed as usize + code.count_ones() as usize, value);
            }
        });
    }
}
