//! The edges that lead into a base layer, as its bases see them.
//!
//! An edge takes an element y out of a canonical base C. What is left has a canonical form B in the layer below, and the
//! block over B is where values over C come from.

use super::layer::BaseLayer;
use crate::ideal::Element;
use crate::prefetch::prefetch;
use crate::symmetry::GroupElement;

/// An edge in one word: the first slot of the block it leads to in the table below, the element removed, a group element
/// that maps what is left to the canonical base of that block, and a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge(u64);

const REMOVED_SHIFT: u32 = 16;
const MARK: u64 = 1 << 24;
const PLACE_SHIFT: u32 = 25;

impl Edge {
    /// Slots of a table that can be told apart: with one limb a value, 4 TiB.
    pub const MOST_SLOTS: u64 = 1 << (u64::BITS - PLACE_SHIFT);

    /// The edge that removes an element below 256 and leads to the block at `place`, below [`Self::MOST_SLOTS`].
    #[inline(always)]
    pub fn new(place: u64, removed: Element, by: GroupElement) -> Self {
        debug_assert!(place < Self::MOST_SLOTS && removed < 256);
        Self(place << PLACE_SHIFT | (removed as u64) << REMOVED_SHIFT | u64::from(by.0))
    }

    /// The same edge, marked: the base it belongs to has other symmetries than the identity.
    #[inline(always)]
    pub(super) fn marked(self, symmetric: bool) -> Self {
        Self(self.0 | if symmetric { MARK } else { 0 })
    }

    /// Whether it is marked.
    #[inline(always)]
    pub(super) fn is_marked(self) -> bool {
        self.0 & MARK != 0
    }

    /// First slot of the block it leads to.
    #[inline(always)]
    pub fn place(self) -> u64 {
        self.0 >> PLACE_SHIFT
    }

    /// The element removed.
    #[inline(always)]
    pub fn removed(self) -> Element {
        (self.0 >> REMOVED_SHIFT) as usize & 255
    }

    /// A group element that maps what is left to the base of the block.
    #[inline(always)]
    pub fn by(self) -> GroupElement {
        GroupElement(self.0 as u16)
    }
}

/// Where the edges of a base lie: the part, the first one in it, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run(u64);

const PART_SHIFT: u32 = 56;
const COUNT_BITS: u32 = 9;

impl Run {
    /// Parts that can be told apart.
    pub(super) const MOST_PARTS: usize = 1 << (u64::BITS - PART_SHIFT);

    #[inline(always)]
    pub(super) fn new(first: usize, count: usize) -> Self {
        debug_assert!(count < 1 << COUNT_BITS && first < 1 << (PART_SHIFT - COUNT_BITS));
        Self((first << COUNT_BITS | count) as u64)
    }

    #[inline(always)]
    fn part(self) -> usize {
        (self.0 >> PART_SHIFT) as usize
    }

    #[inline(always)]
    fn first(self) -> usize {
        ((self.0 & ((1 << PART_SHIFT) - 1)) >> COUNT_BITS) as usize
    }

    #[inline(always)]
    fn count(self) -> usize {
        self.0 as usize & ((1 << COUNT_BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn in_part(self, part: usize) -> Self {
        debug_assert!(part < Self::MOST_PARTS);
        Self(self.0 | (part as u64) << PART_SHIFT)
    }
}

/// Edges in a cache line.
const EDGES_OF_A_LINE: usize = 8;

/// The edges of all bases of a layer.
#[derive(Default)]
pub struct Edges {
    pub(super) parts: Vec<Vec<Edge>>,
    /// In the order of the layer.
    pub(super) runs: Vec<Run>,
}

impl Edges {
    /// The edges of the base with that number in the order of the layer.
    #[inline(always)]
    pub fn of(&self, number: usize) -> &[Edge] {
        let run = self.runs[number];
        &self.parts[run.part()][run.first()..][..run.count()]
    }

    /// Starts to bring the edges of a base into the cache.
    #[inline(always)]
    pub fn prefetch(&self, number: usize) {
        let run = self.runs[number];
        for edge in (0..run.count()).step_by(EDGES_OF_A_LINE) {
            prefetch(&self.parts[run.part()], run.first() + edge);
        }
    }

    /// Whether they are as many runs as the layer has bases.
    pub fn belong_to<const W: usize>(&self, layer: &BaseLayer<W>) -> bool {
        self.runs.len() == layer.len()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        let edges: usize = self.parts.iter().map(Vec::capacity).sum();
        8 * (edges + self.runs.capacity()) as u64
    }
}
