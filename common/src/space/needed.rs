//! Which slots of a table somebody is going to read: a mark for every few of them.

use std::ops::Range;

use super::code::Ranks;
use super::edges::Edges;
use super::fibre::Facet;
use super::layer::BaseLayer;
use super::split::Split;
use crate::ideal::Ideal;

/// Slots that share a mark.
const GRAIN: u64 = 256;

/// Marks for the slots of a table.
pub struct Needed {
    marks: Vec<u64>,
    slots: u64,
}

impl Needed {
    /// Nothing is needed of a table of so many slots.
    pub fn nothing(slots: u64) -> Self {
        Self { marks: vec![0; slots.div_ceil(64 * GRAIN) as usize], slots }
    }

    /// Marks slots, of which there is at least one.
    pub fn mark(&mut self, slots: Range<u64>) {
        for grain in slots.start / GRAIN..=(slots.end - 1) / GRAIN {
            self.marks[(grain / 64) as usize] |= 1 << (grain % 64);
        }
    }

    /// Whether any of these slots is marked.
    pub fn is_any(&self, slots: Range<u64>) -> bool {
        let mut grains = slots.start / GRAIN..slots.end.min(self.slots).div_ceil(GRAIN);
        grains.any(|grain| self.marks[(grain / 64) as usize] >> (grain % 64) & 1 == 1)
    }
}

/// The slots of the table below (of that many slots) that the blocks over the bases of `layer` are gathered from;
/// `available` are the uppers available over each base, and `edges` theirs.
pub fn needed_below<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    layer: &BaseLayer<W>,
    (available, edges): (&[u64], &Edges),
    top: usize,
    slots_below: u64,
) -> Needed {
    let mut needed = Needed::nothing(slots_below);
    let room = (top - layer.size) as u32 + 1;
    let mut facets: Vec<Facet> = Vec::new();
    for (number, &available) in available.iter().enumerate() {
        for edge in edges.of(number) {
            let slots = match &split.uppers {
                None => 1,
                // The smaller base as it is has the same uppers as its canonical form, but for their numbers.
                Some(uppers) => {
                    let left = available & !uppers.above_base[edge.removed()];
                    uppers.facets(ranks, left, room, &mut facets)
                }
            };
            needed.mark(edge.place()..edge.place() + slots);
        }
    }
    needed
}

/// The number of slots of the block over each base, and what the blocks before it take: the places of the blocks in the
/// table of their layer.
pub fn places<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    bases: &[Ideal<W>],
    size: usize,
    top: usize,
) -> (Vec<u64>, u64) {
    let room = (top - size) as u32;
    let mut facets = Vec::new();
    let mut slots = 0;
    let places = bases.iter().map(|base| {
        let here = match &split.uppers {
            None => 1,
            Some(uppers) => uppers.facets(ranks, uppers.available(base.0[0]), room, &mut facets),
        };
        slots += here;
        slots - here
    });
    (places.collect(), slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_cover_what_was_marked() {
        let mut needed = Needed::nothing(100_000);
        needed.mark(1000..1001);
        needed.mark(70_000..80_000);
        assert!(needed.is_any(1000..1001));
        assert!(needed.is_any(0..2000));
        assert!(!needed.is_any(0..700));
        assert!(needed.is_any(79_999..100_000));
        assert!(!needed.is_any(81_000..200_000));
    }
}
