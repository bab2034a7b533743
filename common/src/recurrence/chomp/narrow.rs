//! Tables of the upper side as they are stored: laid out like those of the lower side, without the slots whose values are
//! copies; and back.

use super::board::Board;
use super::evaluate::{Blocks, Means};
use super::lower::Chunk;
use super::machine::{self, Work};
use super::places::Places;
use super::upper::{Sides, Upper};
use crate::parallel::crew;
use crate::recurrence::outcome::Outcome;
use crate::space::code::codes_up_to;
use crate::space::fibre::Facet;
use crate::space::split::Uppers;
use crate::symmetry::{Action, GroupElement};
use crate::watch::Stopped;

/// The two layouts of a block.
#[derive(Default)]
struct Layouts {
    stored: Vec<Facet>,
    whole: Vec<Facet>,
}

impl Layouts {
    /// Calls `each` with the slots of every dual in the stored block and in the whole one, and its number of elements.
    #[inline(always)]
    fn each<const W: usize>(
        &mut self,
        board: &Board<'_, W>,
        uppers: &Uppers,
        base: u64,
        mut each: impl FnMut(usize, usize, u32),
    ) {
        let available = uppers.available(base);
        let size = base.count_ones();
        uppers.facets_within(board.ranks, available, board.lower_room(size as usize), &mut self.stored);
        uppers.facets_within(board.ranks, available, board.upper_room(size as usize), &mut self.whole);
        for facet in &self.stored {
            let Some(whole) = self.whole.iter().find(|whole| whole.high == facet.high) else { continue };
            for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                let slot = facet.offset + facet.shape.address(board.ranks, code);
                let from = whole.offset + whole.shape.address(board.ranks, code);
                each(slot as usize, from as usize, size + facet.fixed + code.count_ones());
            }
        }
    }
}

/// Copies what is on the lower side too; that is the same for every rule.
struct CopyWork<'w, 'a, 'c, const W: usize> {
    upper: &'w mut Upper<Outcome, W>,
    sides: &'w Sides<'a, W>,
    chunk: &'w mut Chunk<'c, W>,
}

impl<const W: usize> Work for CopyWork<'_, '_, '_, W> {
    #[inline(always)]
    fn run(self, image: impl Fn(&Action, GroupElement, u64) -> u64) -> u64 {
        self.upper.copy_chunk(self.sides, self.chunk, &image);
        self.chunk.bases.len() as u64
    }
}

/// The stored table of a layer of the upper side: a slot for every dual with at most half of the elements, where the
/// lower side has that of the ideal that the dual is.
pub fn narrow<const W: usize>(
    board: &Board<'_, W>,
    (stored, whole): (Blocks<'_, W>, &Places),
    table: &[u8],
    threads: usize,
) -> Vec<u8> {
    let mut narrow = crate::huge::filled(0, stored.slots as usize);
    let Some(uppers) = &board.split.uppers else { return narrow };
    let chunks = super::evaluate::chunks(stored, &mut narrow).into_iter();
    let state = Layouts::default;
    crew(threads, chunks, state, |layouts, (first, chunk)| {
        for (number, base) in chunk.bases.iter().enumerate() {
            let block = &table[whole.places[first + number] as usize..];
            let slots = chunk.slots(number);
            let part = &mut chunk.table[slots];
            layouts.each(board, uppers, base.0[0], |slot, from, _| part[slot] = block[from]);
        }
    });
    narrow
}

/// The table of a layer of the upper side from the stored one: the inverse of [`narrow`].
///
/// # Errors
/// [`Stopped`].
pub fn widen<const W: usize>(
    sides: &Sides<'_, W>,
    (stored, whole): (Blocks<'_, W>, &Places),
    narrow: &[u8],
    table: &mut [u8],
    means: Means<'_>,
) -> Result<(), Stopped> {
    let Some(uppers) = &sides.board.split.uppers else { return Ok(()) };
    let blocks = Blocks { places: &whole.places, slots: whole.slots, ..stored };
    let chunks = super::evaluate::chunks(blocks, table).into_iter();
    let state = || (Layouts::default(), Upper::begin(sides));
    let states = crew(means.threads, chunks, state, |(layouts, upper), (first, mut chunk)| {
        if means.watch.is_stopped() {
            return;
        }
        machine::run(CopyWork { upper, sides, chunk: &mut chunk }, means.isa);
        let Chunk { bases, .. } = chunk;
        for (number, base) in bases.iter().enumerate() {
            let block = &narrow[stored.places[first + number] as usize..];
            let slots = chunk.slots(number);
            let part = &mut chunk.table[slots];
            layouts.each(sides.board, uppers, base.0[0], |slot, to, size| {
                if (size as usize) < sides.board.top {
                    part[to] = block[slot];
                }
            });
        }
        means.watch.advance(chunk.table.len() as u64);
    });
    states.into_iter().for_each(|(_, upper)| upper.end(sides));
    means.watch.check()
}
