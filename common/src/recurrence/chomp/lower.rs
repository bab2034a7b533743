//! The lower side: ideals (B, U) with at most half of the elements.
//!
//! A move in B leads to the block of a smaller base, for all upper parts at once; a move in U stays in the block.

use super::board::{Board, LayerValues};
use super::finish::{Direction, finish};
use super::spread::{CodeMap, spread};
use super::tally::Tally;
use crate::ideal::{Bits, Ideal};
use crate::prefetch::prefetch;
use crate::recurrence::rule::Rule;
use crate::space::code::Shape;
use crate::space::fibre::Facet;
use crate::space::split::Uppers;
use crate::symmetry::{Action, Canonical, GroupElement};

/// Blocks a thread takes at a time: their bases, what is known of them, and their part of the table.
pub struct Chunk<'a, const W: usize> {
    /// The bases.
    pub bases: &'a [Ideal<W>],
    /// First slots of their blocks.
    pub places: &'a [u64],
    /// Orders of their stabilisers.
    pub stabilisers: &'a [u16],
    /// Their part of the table.
    pub table: &'a mut [u8],
    /// Its first slot.
    pub start: u64,
}

impl<const W: usize> Chunk<'_, W> {
    /// The slots of a block within the part.
    #[inline(always)]
    pub fn slots(&self, number: usize) -> std::ops::Range<usize> {
        let start = (self.places[number] - self.start) as usize;
        let end = self.places.get(number + 1).map_or(self.table.len(), |&place| (place - self.start) as usize);
        start..end
    }
}

/// A move that leads from a block to another one.
#[derive(Clone, Copy)]
struct Link {
    /// The element taken.
    taken: u8,
    /// Elements of the other base.
    size: u8,
    /// Maps the labels of this block to those of the other.
    by: GroupElement,
    /// First slot of the other block.
    place: u64,
}

/// Bytes of a block that are asked for ahead, at most; the processor notices longer runs by itself.
const MOST_AHEAD: u64 = 256;
/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for the first slots of a block.
#[inline(always)]
pub(super) fn prefetch_block(values: &[u8], place: u64, slots: u64) {
    for slot in (place..place + slots.min(MOST_AHEAD)).step_by(LINE) {
        prefetch(values, slot as usize);
    }
}

/// What a thread keeps between chunks.
#[derive(Default)]
pub struct Lower<R: Rule, const W: usize> {
    links: Vec<Link>,
    ends: Vec<usize>,
    smaller: Vec<Ideal<W>>,
    taken: Vec<u8>,
    forms: Vec<Canonical<W>>,
    facets: Vec<Facet>,
    /// Of the chunk at work: what each slot has seen, and which blocks must see more.
    seen: Vec<R::Seen>,
    open: Vec<bool>,
    scratch: Vec<u32>,
    highs: Vec<u64>,
    /// What was found so far.
    pub tally: Tally,
    /// Whether some value could not be represented.
    pub lost: bool,
}

impl<R: Rule, const W: usize> Lower<R, W> {
    /// Values a chunk, given the layers below. Returns the number of moves followed to other blocks. Where bases are whole
    /// ideals there is nothing to do: see [`Whole`](super::whole::Whole).
    #[inline(always)]
    pub fn evaluate(
        &mut self,
        board: &Board<'_, W>,
        below: &[LayerValues<'_, W>],
        chunk: &mut Chunk<'_, W>,
        image: impl Fn(&Action, GroupElement, u64) -> u64,
    ) -> u64 {
        let Some(uppers) = &board.split.uppers else { return 0 };
        self.seen.clear();
        self.seen.resize(chunk.table.len(), R::Seen::default());
        self.open.clear();
        self.open.resize(chunk.bases.len(), true);
        let mut followed = 0;
        for round in 0..R::ROUNDS {
            self.link(board, below, chunk.bases, round);
            followed += self.links.len() as u64;
            let mut first = 0;
            for (number, base) in chunk.bases.iter().enumerate() {
                let links = first..self.ends[number];
                first = links.end;
                if !self.open[number] {
                    continue;
                }
                let slots = chunk.slots(number);
                self.gather(board, uppers, below, base.0[0], links, slots.start, &image);
                if round + 1 < R::ROUNDS {
                    let facets = self.facets.iter().map(|facet| (facet, facet.shape.cap));
                    self.open[number] = !is_settled::<R>(facets, &self.seen[slots]);
                }
            }
        }
        for (number, &base) in chunk.bases.iter().enumerate() {
            let slots = chunk.slots(number);
            let start = slots.start;
            let block = &mut chunk.table[slots];
            self.tally.begin_block(board, base, chunk.stabilisers[number]);
            self.finish_block(board, uppers, base.0[0], block, start);
        }
        followed
    }

    /// Finds where the moves of a round in the bases of open blocks lead.
    #[inline(always)]
    fn link(&mut self, board: &Board<'_, W>, below: &[LayerValues<'_, W>], bases: &[Ideal<W>], round: usize) {
        self.smaller.clear();
        self.taken.clear();
        self.ends.clear();
        for (base, &open) in bases.iter().zip(&self.open) {
            let moves = base.iter().filter(|&x| board.can_be_taken(x)).skip(round).step_by(R::ROUNDS);
            for x in moves.take_while(|_| open) {
                self.smaller.push(base.difference(&board.filters[x]));
                self.taken.push(x as u8);
            }
            self.ends.push(self.smaller.len());
        }
        self.forms.clear();
        board.split.symmetry.canonical_batch(&self.smaller, &mut self.forms);
        for form in &self.forms {
            below[form.ideal.len()].index.prefetch(&form.ideal);
        }
        self.links.clear();
        for (form, &taken) in self.forms.iter().zip(&self.taken) {
            let size = form.ideal.len();
            let place = below[size].index.get(&form.ideal).expect("every base of a layer below is indexed");
            prefetch_block(below[size].values, place, LINE as u64);
            self.links.push(Link { taken, size: size as u8, by: form.by, place });
        }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "each is a table of its own")]
    fn gather(
        &mut self,
        board: &Board<'_, W>,
        uppers: &Uppers,
        below: &[LayerValues<'_, W>],
        base: u64,
        links: std::ops::Range<usize>,
        start: usize,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let available = uppers.available(base);
        let size = base.count_ones() as usize;
        let room = (board.top - size) as u32;
        uppers.facets(board.ranks, available, room, &mut self.facets);
        for link in &self.links[links] {
            let images = uppers.action.preimages(uppers.action.inverse(link.by));
            let above = uppers.above_base[usize::from(link.taken)];
            let left = image(&uppers.action, link.by, available & !above);
            let room = (board.top - usize::from(link.size)) as u32;
            let layer = &below[usize::from(link.size)];
            let values = &layer.values[link.place as usize..];
            for facet in &self.facets {
                let high = image(&uppers.action, link.by, facet.high & !above);
                let (offset, shape, free) = if high == 0 {
                    (0, Shape::new(board.ranks, left.count_ones(), room), left)
                } else {
                    let other = layer.high.find(link.place, high).expect("a smaller ideal fits");
                    (other.offset, other.shape, other.free)
                };
                let constant =
                    if facet.forced == 0 { 0 } else { image(&uppers.action, link.by, facet.forced & !above) };
                let map = CodeMap::new(facet.free, !above, free, constant & free, |i| usize::from(images[i]));
                let seen = &mut self.seen[start + facet.offset as usize..];
                let values = (&values[offset as usize..], shape);
                spread::<R>(board.ranks, (seen, facet.shape, facet.shape.cap), values, &map, &mut self.scratch);
            }
        }
    }

    /// Gives a block its values, after what moves in the base lead to was seen.
    #[inline(always)]
    fn finish_block(&mut self, board: &Board<'_, W>, uppers: &Uppers, base: u64, block: &mut [u8], start: usize) {
        let size = base.count_ones() as usize;
        let room = (board.top - size) as u32;
        uppers.facets(board.ranks, uppers.available(base), room, &mut self.facets);
        block.fill(0);
        for number in 0..self.facets.len() {
            let facet = self.facets[number];
            let (smaller, values) = block.split_at_mut(facet.offset as usize);
            let seen = &mut self.seen[start + facet.offset as usize..];
            // Taking what a facet has fixed leads to a smaller facet.
            for taken in Bits(facet.high | facet.forced) {
                let above = 1 << taken | above_upper(uppers, taken);
                let high = facet.high & !above;
                let other = self.facets[..number].iter().find(|other| other.high == high);
                let other = other.expect("facets come after smaller ones");
                let constant = facet.forced & !above & other.free;
                let map = CodeMap::new(facet.free, !above, other.free, constant, |i| i);
                let values = (&smaller[other.offset as usize..], other.shape);
                spread::<R>(board.ranks, (&mut *seen, facet.shape, facet.shape.cap), values, &map, &mut self.scratch);
            }
            let smallest = size + facet.fixed as usize;
            let tally = &mut self.tally;
            self.lost |= finish::<R>(
                board.ranks,
                (facet.shape, facet.shape.cap, Direction::Down),
                seen,
                values,
                &mut self.highs,
                |code, value| tally.count(uppers, &facet, smallest, code, value),
            );
        }
    }
}

/// Whether the states of a block, of each facet those with so many free members, all have seen enough. (Where others have
/// slots too, that is not looked into.)
#[inline(always)]
pub(super) fn is_settled<'f, R: Rule>(mut facets: impl Iterator<Item = (&'f Facet, u32)>, seen: &[R::Seen]) -> bool {
    facets.all(|(facet, cap)| {
        let states = &seen[facet.offset as usize..];
        cap == facet.shape.q && states[..1 << facet.shape.q].iter().all(|&seen| R::is_settled(seen))
    })
}

/// The uppers strictly above one.
#[inline(always)]
fn above_upper(uppers: &Uppers, i: usize) -> u64 {
    Bits(!uppers.low & (u64::MAX >> (64 - uppers.element.len())))
        .filter(|&j| uppers.upper_below[j] >> i & 1 == 1)
        .fold(0, |above, j| above | 1 << j)
}
