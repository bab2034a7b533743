//! The fibre over a base: the upper parts that go with it.
//!
//! An upper part U is a set F of high uppers and a set of low ones that contains all that F rests on. Each possible F is a
//! **facet** of the fibre, and within a facet the remaining low uppers are free: any of them, as long as the whole ideal
//! has at most `top` elements. The facet without high uppers comes first; it is a hypercube or a truncated one, and for
//! 99 in 100 bases of B_7 the only one.

use super::code::{Ranks, Shape};
use super::split::Uppers;
use crate::ideal::Bits;

/// The upper parts with one set of high uppers.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// The high uppers.
    pub high: u64,
    /// The low uppers that they rest on.
    pub forced: u64,
    /// The low uppers that may be in or out; code bit `j` is the `j`-th of them.
    pub free: u64,
    /// Number of high and forced uppers.
    pub fixed: u32,
    /// Slots of the codes.
    pub shape: Shape,
    /// First slot, counted from the block's first.
    pub offset: u64,
}

impl Facet {
    /// The upper word of a code.
    #[inline(always)]
    pub fn upper(&self, code: u64) -> u64 {
        let mut upper = self.high | self.forced;
        let mut code = code;
        for i in Bits(self.free) {
            upper |= (code & 1) << i;
            code >>= 1;
        }
        upper
    }

    /// The code of an upper word of this facet.
    #[inline(always)]
    pub fn code(&self, upper: u64) -> u64 {
        let mut code = 0;
        for (j, i) in Bits(self.free).enumerate() {
            code |= (upper >> i & 1) << j;
        }
        code
    }
}

/// Most uppers of an upper part that has a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Where all are low.
    pub low: u32,
    /// Where some are high.
    pub high: u32,
}

impl Room {
    /// As many either way.
    #[inline(always)]
    pub fn of(uppers: u32) -> Self {
        Self { low: uppers, high: uppers }
    }
}

impl Uppers {
    /// Lists the facets over a base with the given available low uppers, when at most `room` uppers fit, and returns the
    /// number of slots of the block.
    #[inline]
    pub fn facets(&self, ranks: &Ranks, available: u64, room: u32, facets: &mut Vec<Facet>) -> u64 {
        self.facets_within(ranks, available, Room::of(room), facets)
    }

    /// As [`facets`](Self::facets), with another bound for upper parts that have high uppers.
    #[inline]
    pub fn facets_within(&self, ranks: &Ranks, available: u64, room: Room, facets: &mut Vec<Facet>) -> u64 {
        facets.clear();
        let shape = Shape::new(ranks, available.count_ones(), room.low);
        facets.push(Facet { high: 0, forced: 0, free: available, fixed: 0, shape, offset: 0 });
        let slots = shape.slots(ranks);
        if self.least_fixed > room.high || available.count_ones() < self.least_forced {
            return slots;
        }
        self.high_facets(ranks, available, room.high, facets, slots)
    }

    /// The facet over a base whose only high upper is `single`, which rests on low ones alone; `None` if it has no slots.
    /// The same as among those of [`facets_within`](Self::facets_within), but without listing them: such facets come
    /// right after the one without high uppers.
    #[inline(always)]
    pub fn single_facet(&self, ranks: &Ranks, available: u64, room: Room, single: usize) -> Option<Facet> {
        let shape = Shape::new(ranks, available.count_ones(), room.low);
        let mut offset = shape.slots(ranks);
        for &i in &self.high_ascending {
            let i = usize::from(i);
            let forced = self.upper_below[i];
            if forced & !available != 0 {
                continue;
            }
            let fixed = 1 + forced.count_ones();
            if fixed <= room.high {
                let free = available & !forced;
                let shape = Shape::new(ranks, free.count_ones(), room.high - fixed);
                if i == single {
                    return Some(Facet { high: 1 << i, forced, free, fixed, shape, offset });
                }
                offset += shape.slots(ranks);
            }
        }
        None
    }

    /// Adds the facets with high uppers, breadth first: every set of high uppers extends the set without its last one.
    fn high_facets(&self, ranks: &Ranks, available: u64, room: u32, facets: &mut Vec<Facet>, mut slots: u64) -> u64 {
        let position = |i: u8| self.high_ascending.iter().position(|&j| j == i);
        let possible: Vec<u8> = self
            .high_ascending
            .iter()
            .copied()
            .filter(|&i| self.upper_below[usize::from(i)] & self.low & !available == 0)
            .collect();
        let mut last = vec![None];
        let mut next = 0;
        while next < facets.len() {
            let smaller = facets[next];
            for &i in &possible {
                let below = self.upper_below[usize::from(i)];
                if last[next].is_some_and(|l| position(i) <= l) || below & !self.low & !smaller.high != 0 {
                    continue;
                }
                let high = smaller.high | 1 << i;
                let forced = smaller.forced | below & self.low;
                let fixed = high.count_ones() + forced.count_ones();
                if fixed <= room {
                    let free = available & !forced;
                    let shape = Shape::new(ranks, free.count_ones(), room - fixed);
                    facets.push(Facet { high, forced, free, fixed, shape, offset: slots });
                    last.push(Some(position(i)));
                    slots += shape.slots(ranks);
                }
            }
            next += 1;
        }
        slots
    }
}
