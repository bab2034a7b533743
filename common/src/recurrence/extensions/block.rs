//! Evaluating one block: its facets gathered from the sources of its edges, then finished.

use super::finish::finish;
use super::gather::{Scratch, gather};
use super::sums::BlockSums;
use crate::ideal::Bits;
use crate::recurrence::limbs::add;
use crate::space::code::{Ranks, Shape, for_each_code};
use crate::space::fibre::Facet;
use crate::space::split::Uppers;
use crate::symmetry::{Action, GroupElement};

/// The edge of a block that removes the base element `removed` and leads, through `by`, to the block whose first slot in
/// the table below is `source`.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) removed: usize,
    pub(super) by: GroupElement,
    pub(super) source: usize,
}

/// A base with upper elements.
pub(super) struct UpperContext<'a> {
    pub(super) uppers: &'a Uppers,
    pub(super) ranks: &'a Ranks,
    pub(super) base: u64,
    pub(super) available: u64,
    /// Most upper elements.
    pub(super) room: u32,
}

/// What a thread keeps between blocks.
pub(super) struct BlockEvaluator<const D: usize> {
    facets: Vec<Facet>,
    source_facets: Vec<Facet>,
    scratch: Scratch,
    /// Sums over the last block.
    pub(super) sums: BlockSums<D>,
    /// What overflowed so far (0: nothing).
    pub(super) lost: u64,
}

impl<const D: usize> BlockEvaluator<D> {
    /// For posets with that many upper elements.
    pub(super) fn new(uppers: usize) -> Self {
        Self {
            facets: Vec::new(),
            source_facets: Vec::new(),
            scratch: Scratch::default(),
            sums: BlockSums::new(uppers),
            lost: 0,
        }
    }

    /// Evaluates a block, zero before (or, over the empty base, one). `image` applies a group element to a word of uppers.
    #[inline(always)]
    pub(super) fn evaluate(
        &mut self,
        context: &UpperContext<'_>,
        edges: &[Edge],
        sources: &[[u64; D]],
        block: &mut [[u64; D]],
        image: impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        context.uppers.facets(context.ranks, context.available, context.room, &mut self.facets);
        for &edge in edges {
            self.gather_edge(context, edge, sources, block, &image);
        }
        for number in 0..self.facets.len() {
            let facet = self.facets[number];
            let (smaller, values) = block.split_at_mut(facet.offset as usize);
            if facet.high != 0 {
                self.remove_high(context, &facet, smaller, values);
            }
            let slots = facet.shape.slots(context.ranks) as usize;
            let values = &mut values[..slots];
            self.lost |= finish(context.ranks, facet.shape, values, facet.fixed as usize, &mut self.sums);
            if facet.high != 0 {
                self.count_high(context.ranks, &facet, values);
            }
        }
    }

    /// Adds the source block of an edge to the facets of a block.
    #[inline(always)]
    fn gather_edge(
        &mut self,
        context: &UpperContext<'_>,
        edge: Edge,
        sources: &[[u64; D]],
        block: &mut [[u64; D]],
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let uppers = context.uppers;
        let above = uppers.above_base[edge.removed];
        let room = context.room + 1;
        let preimages = uppers.action.preimages(edge.by);
        self.source_facets.clear();
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
                    let available = uppers.available(context.base & !(1 << edge.removed));
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
                let below = facet.free & ((1 << preimages[upper]) - 1);
                positions[count] = below.count_ones() as u8;
                count += 1;
            }
            gather(
                context.ranks,
                (&mut block[facet.offset as usize..], facet.shape),
                (&sources[edge.source + offset as usize..], shape),
                &positions[..count],
                &mut self.scratch,
            );
        }
    }

    /// Adds the values of ideals with one high upper less, which lie in earlier facets.
    #[cold]
    fn remove_high(
        &mut self,
        context: &UpperContext<'_>,
        facet: &Facet,
        smaller: &[[u64; D]],
        values: &mut [[u64; D]],
    ) {
        let maximal = |&i: &usize| Bits(facet.high).all(|j| context.uppers.upper_below[j] >> i & 1 == 0);
        for removed in Bits(facet.high).filter(maximal) {
            let high = facet.high & !(1 << removed);
            let from = self.facets.iter().find(|from| from.high == high).expect("facets extend smaller facets");
            for_each_code(facet.shape.q, facet.shape.cap, |code| {
                let source = from.shape.address(context.ranks, from.code(facet.upper(code)));
                let value = &smaller[(from.offset + source) as usize];
                add(&mut values[facet.shape.address(context.ranks, code) as usize], value);
                let uppers = facet.fixed as usize + code.count_ones() as usize;
                self.sums.add_high(uppers - 1, value);
            });
        }
    }

    /// High uppers take no place among the low ones that can still be added.
    #[cold]
    fn count_high(&mut self, ranks: &Ranks, facet: &Facet, values: &[[u64; D]]) {
        for_each_code(facet.shape.q, facet.shape.cap, |code| {
            let value = &values[facet.shape.address(ranks, code) as usize];
            for _ in Bits(facet.high) {
                self.sums.add_high(facet.fixed as usize + code.count_ones() as usize, value);
            }
        });
    }
}
