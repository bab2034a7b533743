//! Evaluating one block: its facets gathered from the sources of its edges, then finished.

use super::ahead::Ahead;
use super::finish::finish;
use super::gather::{CodeImages, Scratch, TABLE_BITS, gather};
use super::sums::BlockSums;
use crate::ideal::{Bits, Ideal};
use crate::recurrence::limbs::{add, normalise};
use crate::space::code::{Ranks, Shape, codes_up_to};
use crate::space::edges::Edge;
use crate::space::fibre::Facet;
use crate::space::split::Uppers;
use crate::symmetry::{Action, GroupElement};

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
    images: CodeImages,
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
            images: CodeImages { positions: [0; 64], low: [0; 1 << TABLE_BITS] },
            sums: BlockSums::new(uppers),
            lost: 0,
        }
    }

    /// [`Self::evaluate`] for any machine. Compiled once a width, not inlined for every kind of base.
    #[inline(never)]
    pub(super) fn evaluate_portably(
        &mut self,
        context: &UpperContext<'_>,
        edges: &[Edge],
        ahead: &mut Ahead<'_, D>,
        block: &mut [[u64; D]],
    ) {
        let image = |action: &Action, g, set| action.apply(g, Ideal([set])).0[0];
        let permute = |preimages: &[u8], free: u64, allowed: u64, images: &mut CodeImages| {
            for (position, upper) in images.positions.iter_mut().zip(Bits(allowed)) {
                let below = free & ((1 << preimages[upper]) - 1);
                *position = below.count_ones() as u8;
            }
            images.tabulate(allowed.count_ones() as usize);
        };
        self.evaluate(context, edges, ahead, block, image, permute);
    }

    /// Evaluates a block, zero before (or, over the empty base, one). `image` applies a group element to a word of uppers;
    /// `permute` writes how codes are permuted, given the preimages of uppers, the free uppers of the sum, and the allowed
    /// ones of the source: the position of an allowed one is the number of free ones that come before its preimage.
    #[inline(always)]
    pub(super) fn evaluate(
        &mut self,
        context: &UpperContext<'_>,
        edges: &[Edge],
        ahead: &mut Ahead<'_, D>,
        block: &mut [[u64; D]],
        image: impl Fn(&Action, GroupElement, u64) -> u64,
        permute: impl Fn(&[u8], u64, u64, &mut CodeImages),
    ) {
        context.uppers.facets(context.ranks, context.available, context.room, &mut self.facets);
        if let ([_], [single]) = (&self.facets[..], &mut *block) {
            for edge in edges {
                ahead.advance();
                add(single, &ahead.sources()[edge.place() as usize]);
            }
            self.lost |= normalise(single);
            self.sums.add(0, single);
            return;
        }
        for &edge in edges {
            ahead.advance();
            self.gather_edge(context, edge, ahead.sources(), block, &image, &permute);
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
        permute: &impl Fn(&[u8], u64, u64, &mut CodeImages),
    ) {
        let uppers = context.uppers;
        let (by, removed) = (edge.by(), edge.removed());
        let above = uppers.above_base[removed];
        let room = context.room + 1;
        let preimages = uppers.action.preimages(by);
        self.source_facets.clear();
        for number in 0..self.facets.len() {
            let facet = self.facets[number];
            if above & (facet.high | facet.forced) != 0 {
                continue;
            }
            let allowed = image(&uppers.action, by, facet.free & !above);
            let (offset, shape) = if facet.high == 0 {
                (0, Shape::new(context.ranks, allowed.count_ones(), room))
            } else {
                if self.source_facets.is_empty() {
                    let available = uppers.available(context.base & !(1 << removed));
                    let available = image(&uppers.action, by, available);
                    uppers.facets(context.ranks, available, room, &mut self.source_facets);
                }
                let high = image(&uppers.action, by, facet.high);
                let source = self.source_facets.iter().find(|source| source.high == high);
                let source = source.expect("the image of a facet is a facet, for the source has one more place");
                (source.offset, source.shape)
            };
            let values = &sources[(edge.place() + offset) as usize..];
            let sum = &mut block[facet.offset as usize..];
            if allowed == 0 {
                add(&mut sum[0], &values[0]);
                continue;
            }
            permute(preimages, facet.free, allowed, &mut self.images);
            let bits = allowed.count_ones() as usize;
            gather(context.ranks, (sum, facet.shape), (values, shape), (bits, &self.images), &mut self.scratch);
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
            for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                let source = from.shape.address(context.ranks, from.code(facet.upper(code)));
                let value = &smaller[(from.offset + source) as usize];
                add(&mut values[facet.shape.address(context.ranks, code) as usize], value);
                let uppers = facet.fixed as usize + code.count_ones() as usize;
                self.sums.add_high(uppers - 1, value);
            }
        }
    }

    /// High uppers take no place among the low ones that can still be added.
    #[cold]
    fn count_high(&mut self, ranks: &Ranks, facet: &Facet, values: &[[u64; D]]) {
        for code in codes_up_to(facet.shape.q, facet.shape.cap) {
            let value = &values[facet.shape.address(ranks, code) as usize];
            for _ in Bits(facet.high) {
                self.sums.add_high(facet.fixed as usize + code.count_ones() as usize, value);
            }
        }
    }
}
