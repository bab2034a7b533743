//! Asking the cache for source blocks a few edges before they are gathered.

use super::gather::LINE;
use crate::prefetch::prefetch;
use crate::space::edges::Edge;
use crate::symmetry::Action;

/// Slots of a source that are asked for, at most; the processor notices longer runs by itself.
pub(super) const MOST_SLOTS: u32 = 64;
/// Bytes that may be on their way at a time, about.
const WINDOW: usize = 8192;

/// The edges of a chunk, of which some are asked for and some are not yet.
pub(super) struct Ahead<'a, const D: usize> {
    sources: &'a [[u64; D]],
    /// How edges permute upper elements.
    action: Option<&'a Action>,
    edges: &'a [Edge],
    /// For each edge the slots worth asking for.
    slots: &'a [u8],
    /// The edge that is to be asked for next.
    next: usize,
    /// The edge that is to be gathered next.
    current: usize,
    /// Bytes asked for and not gathered yet.
    waiting: usize,
}

impl<'a, const D: usize> Ahead<'a, D> {
    /// None asked for.
    pub(super) fn new(sources: &'a [[u64; D]], action: Option<&'a Action>, edges: &'a [Edge], slots: &'a [u8]) -> Self {
        Self { sources, action, edges, slots, next: 0, current: 0, waiting: 0 }
    }

    /// The table below.
    #[inline(always)]
    pub(super) fn sources(&self) -> &'a [[u64; D]] {
        self.sources
    }

    /// To be called before every edge, in order.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        while self.waiting < WINDOW && self.next < self.edges.len() {
            let edge = self.edges[self.next];
            if let Some(action) = self.action {
                action.prefetch(edge.by());
            }
            let first = edge.place() as usize;
            let slots = usize::from(self.slots[self.next]);
            for slot in (first..first + slots).step_by((LINE / (8 * D)).max(1)) {
                prefetch(self.sources, slot);
            }
            self.waiting += slots * 8 * D;
            self.next += 1;
        }
        self.waiting -= usize::from(self.slots[self.current]) * 8 * D;
        self.current += 1;
    }
}
