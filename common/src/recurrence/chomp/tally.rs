//! Positions counted by size and value.
//!
//! A state of a block stands for as many labelled ideals as the base has images. The orbits among them are the orbits of
//! the stabiliser of the base on the states with a value, counted by Burnside's lemma; most stabilisers are trivial.

use super::board::Board;
use crate::ideal::{Ideal, Labelled};
use crate::space::fibre::Facet;
use crate::space::split::Uppers;
use crate::space::survey::Count;
use crate::symmetry::{Canonical, GroupElement};

/// Values of a byte.
const VALUES: usize = 1 << 8;

/// Counts by size, as the side counts it, and value.
#[derive(Default)]
pub struct Tally {
    /// States of the blocks whose base has no symmetry: they are counted all at once.
    plain: Vec<u64>,
    /// All others.
    counts: Vec<Count>,
    /// Those of the block at work, if its base has symmetries: the numbers of its states, and of pairs of a state and a
    /// symmetry that fixes it.
    states: Vec<u64>,
    fixed: Vec<u64>,
    fixing: Vec<GroupElement>,
    orbit: Labelled,
    is_plain: bool,
}

#[inline(always)]
fn grown<T: Clone + Default>(counts: &mut Vec<T>, size: usize, value: u8) -> &mut T {
    let at = size * VALUES + usize::from(value);
    if at >= counts.len() {
        counts.resize((size + 1) * VALUES, T::default());
    }
    &mut counts[at]
}

impl Tally {
    /// What follows is about the block over a base.
    #[inline(always)]
    pub fn begin_block<const W: usize>(&mut self, board: &Board<'_, W>, base: Ideal<W>, stabiliser: u16) {
        self.end_block();
        self.is_plain = stabiliser == 1 && board.split.symmetry.group_order().is_some();
        if !self.is_plain {
            let symmetry = &board.split.symmetry;
            let form = Canonical { ideal: base, by: GroupElement::IDENTITY, stabiliser };
            self.orbit = symmetry.orbit_size(&form);
            self.fixing.clear();
            if board.split.uppers.is_some() {
                self.fixing = symmetry.stabiliser(base);
            }
        }
    }

    /// Counts the ideal that is the base.
    #[inline(always)]
    pub fn count_base(&mut self, size: usize, value: u8) {
        if self.is_plain {
            *grown(&mut self.plain, size, value) += 1;
        } else {
            let count = grown(&mut self.counts, size, value);
            count.orbits += 1;
            count.labelled += self.orbit;
        }
    }

    /// Counts a state of a facet; `smallest` is the size of that of code 0.
    #[inline(always)]
    pub fn count(&mut self, uppers: &Uppers, facet: &Facet, smallest: usize, code: u64, value: u8) {
        let size = smallest + code.count_ones() as usize;
        if self.is_plain {
            *grown(&mut self.plain, size, value) += 1;
        } else {
            self.count_symmetric(uppers, facet.upper(code), size, value);
        }
    }

    #[inline(never)]
    fn count_symmetric(&mut self, uppers: &Uppers, upper: u64, size: usize, value: u8) {
        let fixes = |&&g: &&GroupElement| uppers.action.apply(g, Ideal([upper])).0[0] == upper;
        *grown(&mut self.states, size, value) += 1;
        *grown(&mut self.fixed, size, value) += self.fixing.iter().filter(fixes).count() as u64;
    }

    fn end_block(&mut self) {
        let counted = self.states.iter().zip(&self.fixed).enumerate().filter(|(_, (states, _))| **states > 0);
        for (at, (&states, &fixed)) in counted {
            let count = grown(&mut self.counts, at / VALUES, (at % VALUES) as u8);
            count.orbits += fixed / self.fixing.len() as u64;
            count.labelled += self.orbit * Labelled::from(states);
        }
        self.states.clear();
        self.fixed.clear();
    }

    /// The counts of all blocks, by size and value: those of size s and value v at 256 s + v.
    pub fn total<const W: usize>(mut self, board: &Board<'_, W>) -> Vec<Count> {
        self.end_block();
        let order = Labelled::from(board.split.symmetry.group_order().unwrap_or(0));
        for (at, &states) in self.plain.iter().enumerate().filter(|(_, states)| **states > 0) {
            let count = grown(&mut self.counts, at / VALUES, (at % VALUES) as u8);
            count.orbits += states;
            count.labelled += order * Labelled::from(states);
        }
        self.counts
    }
}
