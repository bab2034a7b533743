//! What the moves of Chomp are, in terms of bases and upper parts, and the tables that are read for them.

use super::high::HighFacets;
use crate::ideal::{Bits, Element, Ideal};
use crate::space::code::Ranks;
use crate::space::fibre::Room;
use crate::space::index::BaseIndex;
use crate::space::split::Split;

/// How much larger than the middle a dual may be to have a slot on the upper side, see [`super`]. Measured on B_7: adding a
/// subset of at most four points leads to larger ones once in 10^5 moves, adding one of five points once in 10^3.
const MARGIN: Room = Room { low: 4, high: 10 };

/// The values of a base layer of one side, and where blocks lie in it.
#[derive(Clone, Copy)]
pub struct LayerValues<'a, const W: usize> {
    /// First slots of blocks.
    pub index: &'a BaseIndex<W>,
    /// Facets with high uppers.
    pub high: &'a HighFacets,
    /// A byte for every slot.
    pub values: &'a [u8],
}

/// A poset as the game sees it.
pub struct Board<'a, const W: usize> {
    /// The poset, taken apart.
    pub split: &'a Split<W>,
    /// Addresses of codes.
    pub ranks: &'a Ranks,
    /// For each base element the base elements above it, itself included.
    pub filters: Vec<Ideal<W>>,
    /// For each base element the base elements below it, itself included.
    pub ideals: Vec<Ideal<W>>,
    /// The element that may not be taken, if there is one: it is element 0.
    pub least: Option<Element>,
    /// Number of elements of the largest ideals of the lower side.
    pub top: usize,
    /// How much larger duals with slots on the upper side may be.
    margin: Room,
}

impl<'a, const W: usize> Board<'a, W> {
    /// The board of a poset whose ideals with at most `top` elements are valued on the lower side.
    pub fn new(split: &'a Split<W>, ranks: &'a Ranks, top: usize) -> Self {
        let mut ideals: Vec<Ideal<W>> = Vec::with_capacity(split.base);
        for x in 0..split.base {
            let below = split.lower_covers[x].iter().fold(Ideal::empty(), |set, y| ideals[y].union(&set));
            ideals.push(below.with(x));
        }
        let mut filters = vec![Ideal::empty(); split.base];
        for (x, ideal) in ideals.iter().enumerate() {
            ideal.iter().for_each(|y| filters[y].insert(x));
        }
        let uppers = split.uppers.as_ref();
        let is_least = filters.first().is_some_and(|filter| filter.len() == split.base)
            && uppers.is_none_or(|uppers| uppers.above_base[0].count_ones() as usize == uppers.element.len());
        Self { split, ranks, filters, ideals, least: is_least.then_some(0), top, margin: MARGIN }
    }

    /// The same board with other margins, so that small posets have moves that lead beyond them.
    #[cfg(test)]
    pub fn with_margin(self, margin: Room) -> Self {
        Self { margin, ..self }
    }

    /// Whether an element of the base, or the dual of an upper, may be taken.
    #[inline(always)]
    pub fn can_be_taken(&self, x: Element) -> bool {
        self.least != Some(x)
    }

    /// Room for uppers over a base of the lower side.
    #[inline(always)]
    pub fn lower_room(&self, base_size: usize) -> Room {
        Room::of((self.top - base_size) as u32)
    }

    /// Room for uppers over a base of the upper side.
    #[inline(always)]
    pub fn upper_room(&self, base_size: usize) -> Room {
        let middle = (self.top - base_size) as u32;
        Room { low: middle + self.margin.low, high: middle + self.margin.high }
    }

    /// The high ones among some uppers, and the low ones they rest on.
    #[inline(always)]
    pub fn high_and_forced(&self, set: u64) -> (u64, u64) {
        let Some(uppers) = &self.split.uppers else { return (0, 0) };
        let high = set & !uppers.low;
        (high, Bits(high).fold(0, |forced, i| forced | uppers.upper_below[i] & uppers.low))
    }
}
