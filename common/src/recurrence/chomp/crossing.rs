//! Values of single ideals of the lower side: a canonical form, two look-ups. Many at a time, for every one waits for
//! memory.

use std::sync::{Mutex, PoisonError};

use super::board::{Board, LayerValues};
use crate::ideal::Ideal;
use crate::prefetch::prefetch;
use crate::space::code::Shape;
use crate::space::layer::hash;
use crate::symmetry::{Action, Canonical, GroupElement};

/// Ideals whose memory is asked for at a time.
const BATCH: usize = 128;

/// Places of bases that are remembered: a power of two.
const REMEMBERED: usize = 1 << 15;

/// Where the block over a labelled base is.
#[derive(Clone, Copy)]
struct Found<const W: usize> {
    base: Ideal<W>,
    canonical: Ideal<W>,
    place: u64,
    by: GroupElement,
}

/// Ideals whose values are wanted, and then their values.
///
/// Bases that lack little are asked for again and again, and being symmetric they have the dearest canonical forms (each
/// tie among points doubles the work, or worse): so what was found is remembered, where nothing later took its place.
pub struct Crossings<const W: usize> {
    bases: Vec<Ideal<W>>,
    uppers: Vec<u64>,
    remembered: Vec<Found<W>>,
    found: Vec<Found<W>>,
    /// Those of a batch that are not remembered: their number in the batch, and their base.
    new: Vec<usize>,
    new_bases: Vec<Ideal<W>>,
    forms: Vec<Canonical<W>>,
    slots: Vec<(u8, u64)>,
    /// The values, in the order in which the ideals came.
    pub values: Vec<u8>,
}

/// What threads remember when they have nothing to do: good for all layers of the upper side of a game, for the lower side
/// does not change any more.
#[derive(Default)]
pub struct CrossingPool<const W: usize> {
    idle: Mutex<Vec<Crossings<W>>>,
}

impl<const W: usize> CrossingPool<W> {
    /// What some thread remembered, or nothing.
    pub(super) fn take(&self) -> Crossings<W> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// For the next thread.
    pub(super) fn put(&self, crossings: Crossings<W>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(crossings);
    }
}

impl<const W: usize> Default for Crossings<W> {
    fn default() -> Self {
        // The empty base stands in the place of none, for it is nobody's.
        let (base, canonical, by) = (Ideal::of_word(u64::MAX), Ideal::empty(), GroupElement::IDENTITY);
        Self {
            bases: Vec::new(),
            uppers: Vec::new(),
            remembered: vec![Found { base, canonical, place: 0, by }; REMEMBERED],
            found: Vec::new(),
            new: Vec::new(),
            new_bases: Vec::new(),
            forms: Vec::new(),
            slots: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<const W: usize> Crossings<W> {
    /// Forgets what was asked.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.bases.clear();
        self.uppers.clear();
    }

    /// Whether no ideal is waiting.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// Asks for the value of an ideal given as a labelled base and its upper part.
    #[inline(always)]
    pub fn push(&mut self, (base, upper): (u64, u64)) {
        self.bases.push(Ideal::of_word(base));
        self.uppers.push(upper);
    }

    /// Finds the values.
    ///
    /// # Panics
    /// If one is not in the tables.
    #[inline(always)]
    pub fn look_up(
        &mut self,
        board: &Board<'_, W>,
        lower: &[LayerValues<'_, W>],
        image: impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        self.values.clear();
        let Some(uppers) = &board.split.uppers else { return };
        let (all_bases, all_parts) = (std::mem::take(&mut self.bases), std::mem::take(&mut self.uppers));
        for (bases, parts) in all_bases.chunks(BATCH).zip(all_parts.chunks(BATCH)) {
            self.find(board, lower, bases);
            self.slots.clear();
            for (found, &part) in self.found.iter().zip(parts) {
                let size = found.canonical.len();
                let layer = &lower[size];
                let mut slot = found.place;
                let part = image(&uppers.action, found.by, part);
                let available = uppers.available(found.canonical.0[0]);
                let room = (board.top - size) as u32;
                if part & !uppers.low == 0 {
                    let shape = Shape::new(board.ranks, available.count_ones(), room);
                    slot += shape.address(board.ranks, super::spread::compress(part, available));
                } else {
                    let facet = layer.high.find(slot, part & !uppers.low).expect("the ideal fits");
                    let code = super::spread::compress(part, facet.free);
                    slot += facet.offset + facet.shape.address(board.ranks, code);
                }
                prefetch(layer.values, slot as usize);
                self.slots.push((size as u8, slot));
            }
            let read = |&(size, slot): &(u8, u64)| lower[usize::from(size)].values[slot as usize];
            self.values.extend(self.slots.iter().map(read));
        }
        (self.bases, self.uppers) = (all_bases, all_parts);
    }

    /// Finds the blocks over a batch of bases.
    #[inline(always)]
    fn find(&mut self, board: &Board<'_, W>, lower: &[LayerValues<'_, W>], bases: &[Ideal<W>]) {
        self.found.clear();
        self.new.clear();
        self.new_bases.clear();
        for (number, base) in bases.iter().enumerate() {
            let found = self.remembered[place_of(base)];
            if found.base != *base {
                self.new.push(number);
                self.new_bases.push(*base);
            }
            self.found.push(found);
        }
        self.forms.clear();
        board.split.symmetry.canonical_batch(&self.new_bases, &mut self.forms);
        for form in &self.forms {
            lower[form.ideal.len()].index.prefetch(&form.ideal);
        }
        for ((&number, &base), form) in self.new.iter().zip(&self.new_bases).zip(&self.forms) {
            let index = lower[form.ideal.len()].index;
            let place = index.get(&form.ideal).expect("every base of the lower side is indexed");
            let found = Found { base, canonical: form.ideal, place, by: form.by };
            self.found[number] = found;
            self.remembered[place_of(&base)] = found;
        }
    }
}

/// Where a base is remembered.
#[inline(always)]
fn place_of<const W: usize>(base: &Ideal<W>) -> usize {
    hash(base) as usize % REMEMBERED
}
