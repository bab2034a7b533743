//! The upper side: ideals with more than half of the elements, by their duals T = (B, U), and some smaller ones.
//!
//! Taking x adds to T its dual z and all below z. If that adds to B it leads to the block of a larger base, for all upper
//! parts at once. Ideals with half of the elements, or a few less, have slots here too, whose values are copied from the
//! lower side beforehand: so few moves have to be followed to the lower side one by one.

use super::board::{Board, LayerValues};
use super::crossing::{CrossingPool, Crossings};
use super::finish::{Direction, finish};
use super::high::HighFacets;
use super::lower::{Chunk, is_settled, prefetch_block};
use super::spread::{CodeMap, spread};
use super::tally::Tally;
use crate::ideal::{Bits, Ideal};
use crate::recurrence::rule::Rule;
use crate::space::code::{Shape, codes_up_to};
use crate::space::fibre::{Facet, Room};
use crate::space::split::Uppers;
use crate::symmetry::{Action, Canonical, GroupElement};

/// What all threads read.
pub struct Sides<'a, const W: usize> {
    /// The poset.
    pub board: &'a Board<'a, W>,
    /// The layers of the lower side, all of them.
    pub lower: &'a [LayerValues<'a, W>],
    /// The layers of the upper side by the size of their bases, those above the one at work.
    pub upper: &'a [Option<LayerValues<'a, W>>],
    /// What threads remember of the lower side.
    pub crossings: &'a CrossingPool<W>,
}

/// What a thread keeps between chunks.
#[derive(Default)]
pub struct Upper<R: Rule, const W: usize> {
    links: Vec<Link>,
    ends: Vec<usize>,
    larger: Vec<Ideal<W>>,
    added: Vec<u8>,
    forms: Vec<Canonical<W>>,
    facets: Vec<Facet>,
    /// Of the chunk at work: what each slot has seen, and which blocks must see more.
    seen: Vec<R::Seen>,
    open: Vec<bool>,
    scratch: Vec<u32>,
    highs: Vec<u64>,
    crossings: Crossings<W>,
    /// Where values of crossings go.
    to: Vec<usize>,
    /// Values of facets that have no slots, or not for all states.
    slices: Vec<u8>,
    waiting: Vec<Waiting>,
    /// What was found so far, by the size of duals.
    pub tally: Tally,
    /// Whether some value could not be represented.
    pub lost: bool,
}

/// A move that leads from a block to that of a larger base.
#[derive(Clone, Copy)]
struct Link {
    /// The element that is added, those of the base first, then the uppers.
    added: u8,
    /// Elements of the other base.
    size: u8,
    /// Maps the labels of this block to those of the other.
    by: GroupElement,
    /// First slot of the other block.
    place: u64,
    /// Its available low uppers, with its own labels.
    available: u64,
    /// Where it has the states whose only high upper is the one that is added, if these have slots.
    single: Option<u64>,
}

/// States of a facet that are to see values which are still to be looked up.
struct Waiting {
    /// First slot of the facet in the chunk.
    offset: usize,
    shape: Shape,
    cap: u32,
    /// Maps its codes to those of the slice that holds the values.
    map: CodeMap,
    slice: usize,
    slice_shape: Shape,
}

/// The facets of a block.
#[derive(Clone, Copy)]
enum Facets<'a> {
    /// Of the block at work.
    Here(&'a [Facet]),
    /// Of the block at that place of another layer, and where that with the high upper that is added is.
    There(&'a HighFacets, u64, Option<u64>),
}

/// A block that a move leads to.
struct Target<'a> {
    /// Its values, from its first slot on.
    values: &'a [u8],
    /// Where its facets with high uppers are found.
    facets: Facets<'a>,
    /// Its base, with the labels of the block that the move starts from.
    base: u64,
    /// Its available low uppers, with its own labels.
    available: u64,
    room: Room,
    /// The uppers that the move adds, with the labels of the block it starts from.
    added: u64,
    /// Maps those labels to its own.
    by: GroupElement,
}

impl<R: Rule, const W: usize> Upper<R, W> {
    /// What a thread begins with.
    pub fn begin(sides: &Sides<'_, W>) -> Self {
        Self { crossings: sides.crossings.take(), ..Self::default() }
    }

    /// Gives back what the thread remembers.
    pub fn end(self, sides: &Sides<'_, W>) {
        sides.crossings.put(self.crossings);
    }

    /// Values a chunk. Returns the number of moves followed to other blocks.
    #[inline(always)]
    pub fn evaluate(
        &mut self,
        sides: &Sides<'_, W>,
        chunk: &mut Chunk<'_, W>,
        image: impl Fn(&Action, GroupElement, u64) -> u64,
    ) -> u64 {
        let Some(uppers) = &sides.board.split.uppers else { return 0 };
        self.copy_chunk(sides, chunk, &image);
        self.seen.clear();
        self.seen.resize(chunk.table.len(), R::Seen::default());
        self.open.clear();
        // Blocks whose smallest ideal is in the middle are copied.
        self.open.extend(chunk.bases.iter().map(|base| base.len() < sides.board.top));
        let mut followed = 0;
        for round in 0..R::ROUNDS {
            self.link(sides, uppers, chunk.bases, round, &image);
            followed += self.links.len() as u64;
            let mut first = 0;
            for (number, base) in chunk.bases.iter().enumerate() {
                let links = first..self.ends[number];
                first = links.end;
                if self.open[number] {
                    let slots = chunk.slots(number);
                    self.gather(sides, uppers, base.0[0], links, slots.start, &image);
                    if round + 1 < R::ROUNDS {
                        let most = (sides.board.top - 1 - base.len()) as u32;
                        let facets = self.facets.iter().filter(|facet| facet.fixed <= most);
                        let facets = facets.map(|facet| (facet, facet.shape.cap.min(most - facet.fixed)));
                        self.open[number] = !is_settled::<R>(facets, &self.seen[slots]);
                    }
                }
            }
        }
        for (number, base) in chunk.bases.iter().enumerate().filter(|(_, base)| base.len() < sides.board.top) {
            let slots = chunk.slots(number);
            let start = slots.start;
            self.tally.begin_block(sides.board, *base, chunk.stabilisers[number]);
            self.finish_block(sides, uppers, base.0[0], &mut chunk.table[slots], start, &image);
        }
        followed
    }

    /// Copies into a chunk what comes from the lower side; all other slots are zero.
    #[inline(always)]
    pub fn copy_chunk(
        &mut self,
        sides: &Sides<'_, W>,
        chunk: &mut Chunk<'_, W>,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let Some(uppers) = &sides.board.split.uppers else { return };
        let mut facets = std::mem::take(&mut self.facets);
        for (number, base) in chunk.bases.iter().enumerate() {
            let size = base.len();
            let (available, room) = (uppers.available(base.0[0]), sides.board.upper_room(size));
            uppers.facets_within(sides.board.ranks, available, room, &mut facets);
            let slots = chunk.slots(number);
            let block = &mut chunk.table[slots];
            block.fill(0);
            self.copy(sides, &facets, size, base.0[0], block, image);
        }
        self.facets = facets;
    }

    /// Finds the larger bases that the moves of a round in open blocks lead to.
    #[inline(always)]
    fn link(
        &mut self,
        sides: &Sides<'_, W>,
        uppers: &Uppers,
        bases: &[Ideal<W>],
        round: usize,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let board = sides.board;
        let elements = board.split.base;
        self.larger.clear();
        self.added.clear();
        self.ends.clear();
        for (base, &open) in bases.iter().zip(&self.open) {
            let base = base.0[0];
            let of_base = Bits(board.split.whole_base.0[0] & !base).map(|z| (z, board.ideals[z].0[0]));
            let of_uppers = (0..elements).filter(|&z| board.can_be_taken(z) && uppers.base_below[z] & !base != 0);
            let moves = of_base.chain(of_uppers.map(|z| (elements + z, uppers.base_below[z])));
            for (z, added) in moves.skip(round).step_by(R::ROUNDS).take_while(|_| open) {
                self.larger.push(Ideal::of_word(base | added));
                self.added.push(z as u8);
            }
            self.ends.push(self.larger.len());
        }
        self.forms.clear();
        board.split.symmetry.canonical_batch(&self.larger, &mut self.forms);
        let layer = |size: usize| sides.upper[size].as_ref().expect("layers above are there");
        for form in &self.forms {
            layer(form.ideal.len()).index.prefetch(&form.ideal);
        }
        self.links.clear();
        for ((form, &added), larger) in self.forms.iter().zip(&self.added).zip(&self.larger) {
            let size = form.ideal.len();
            let layer = layer(size);
            let place = layer.index.get(&form.ideal).expect("every base of a layer above is indexed");
            let available = image(&uppers.action, form.by, uppers.available(larger.0[0]));
            let mut single = None;
            if let Some(z) = usize::from(added).checked_sub(elements).filter(|&z| is_single(uppers, z)) {
                let z = image(&uppers.action, form.by, 1 << z).trailing_zeros() as usize;
                let facet = uppers.single_facet(board.ranks, available, board.upper_room(size), z);
                single = facet.map(|facet| facet.offset);
            }
            prefetch_block(layer.values, place + single.unwrap_or(0), 64);
            self.links.push(Link { added, size: size as u8, by: form.by, place, available, single });
        }
    }

    /// Lets the states of a block see what the linked moves lead to.
    #[inline(always)]
    fn gather(
        &mut self,
        sides: &Sides<'_, W>,
        uppers: &Uppers,
        base: u64,
        links: std::ops::Range<usize>,
        start: usize,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let board = sides.board;
        let elements = board.split.base;
        let size = base.count_ones() as usize;
        let mut facets = std::mem::take(&mut self.facets);
        uppers.facets_within(board.ranks, uppers.available(base), board.upper_room(size), &mut facets);
        // The largest duals that have their values from here.
        let most = (board.top - 1 - size) as u32;
        for number in links {
            let link = self.links[number];
            let z = usize::from(link.added);
            let (added_base, added) = if z < elements {
                (board.ideals[z].0[0], 0)
            } else {
                let z = z - elements;
                (uppers.base_below[z], uppers.upper_below[z] | 1 << z)
            };
            let layer = sides.upper[usize::from(link.size)].as_ref().expect("layers above are there");
            let target = Target {
                values: &layer.values[link.place as usize..],
                facets: Facets::There(layer.high, link.place, link.single),
                base: base | added_base,
                available: link.available,
                room: board.upper_room(usize::from(link.size)),
                added,
                by: link.by,
            };
            for facet in facets.iter().filter(|facet| facet.fixed <= most) {
                self.follow(sides, uppers, (facet, start), most - facet.fixed, &target, image);
            }
        }
        self.settle(sides, image);
        self.facets = facets;
    }

    /// Gives a block its values, after what the moves to other blocks lead to was seen.
    #[inline(always)]
    fn finish_block(
        &mut self,
        sides: &Sides<'_, W>,
        uppers: &Uppers,
        base: u64,
        block: &mut [u8],
        start: usize,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let board = sides.board;
        let size = base.count_ones() as usize;
        let (available, room) = (uppers.available(base), board.upper_room(size));
        let mut facets = std::mem::take(&mut self.facets);
        uppers.facets_within(board.ranks, available, room, &mut facets);
        let most = (board.top - 1 - size) as u32;
        for facet in facets.iter().rev().filter(|facet| facet.fixed <= most) {
            let cap = (most - facet.fixed).min(facet.shape.cap);
            // High uppers whose lower elements in the base are there lead to other facets of the block.
            let mut addable = !uppers.low & !facet.high & board.split.whole_base.0[0];
            if !board.can_be_taken(0) {
                addable &= !1;
            }
            for z in Bits(addable).filter(|&z| uppers.base_below[z] & !base == 0) {
                let target = Target {
                    values: &*block,
                    facets: Facets::Here(&facets),
                    base,
                    available,
                    room,
                    added: uppers.upper_below[z] | 1 << z,
                    by: GroupElement::IDENTITY,
                };
                self.follow(sides, uppers, (facet, start), cap, &target, image);
            }
            self.settle(sides, image);
            let (offset, smallest) = (facet.offset as usize, size + facet.fixed as usize);
            let tally = &mut self.tally;
            self.lost |= finish::<R>(
                board.ranks,
                (facet.shape, cap, Direction::Up),
                &mut self.seen[start + offset..],
                &mut block[offset..],
                &mut self.highs,
                |code, value| tally.count(uppers, facet, smallest, code, value),
            );
        }
        self.facets = facets;
    }

    /// Copies the values of ideals with at most half of the elements from the lower side.
    #[inline(always)]
    fn copy(
        &mut self,
        sides: &Sides<'_, W>,
        facets: &[Facet],
        size: usize,
        base: u64,
        block: &mut [u8],
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let board = sides.board;
        for facet in facets {
            let least = (board.top - size) as u32;
            if facet.fixed + facet.shape.cap < least {
                continue;
            }
            for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                if facet.fixed + code.count_ones() >= least {
                    self.crossings.push(board.split.dual(base, facet.upper(code)));
                    self.to.push((facet.offset + facet.shape.address(board.ranks, code)) as usize);
                }
            }
        }
        if !self.crossings.is_empty() {
            self.crossings.look_up(board, sides.lower, image);
            for (&to, &value) in self.to.iter().zip(&self.crossings.values) {
                block[to] = value;
            }
            self.crossings.clear();
            self.to.clear();
        }
    }

    /// Lets the states of a facet with at most `cap` free members see the values of what a move leads to.
    #[inline(always)]
    fn follow(
        &mut self,
        sides: &Sides<'_, W>,
        uppers: &Uppers,
        (facet, start): (&Facet, usize),
        cap: u32,
        target: &Target<'_>,
        image: &impl Fn(&Action, GroupElement, u64) -> u64,
    ) {
        let board = sides.board;
        let cap = cap.min(facet.shape.cap);
        let all = facet.high | facet.forced | target.added;
        let all_there = image(&uppers.action, target.by, all);
        let high = all_there & !uppers.low;
        let other = if high == 0 {
            let shape = Shape::new(board.ranks, target.available.count_ones(), target.room.low);
            Some(Facet { high, forced: 0, free: target.available, fixed: 0, shape, offset: 0 })
        } else {
            find_facet(board, uppers, high, target)
        };
        let images = uppers.action.preimages(uppers.action.inverse(target.by));
        let at = |i: usize| usize::from(images[i]);
        let low = all_there & uppers.low;
        let seen = &mut self.seen[start + facet.offset as usize..];
        if let Some(other) = other {
            let map = CodeMap::new(facet.free, u64::MAX, other.free, low & !other.forced, at);
            // What is absorbed in a facet's forced uppers is dropped too, as it is not free there.
            let most = map.constant.count_ones() + cap.min(map.kept());
            if most <= other.shape.cap {
                let values = (&target.values[other.offset as usize..], other.shape);
                spread::<R>(board.ranks, (seen, facet.shape, cap), values, &map, &mut self.scratch);
                return;
            }
        }
        // Some of the ideals have no slots: their values are gathered first, each once.
        let (forced, free) = match other {
            Some(other) => (other.forced, other.free),
            None => {
                let forced = board.high_and_forced(high).1;
                (forced, target.available & !forced)
            }
        };
        let map = CodeMap::new(facet.free, u64::MAX, free, low & !forced, at);
        let moving = map.moving();
        let kept = map.kept();
        let slice_shape = Shape::new(board.ranks, kept, cap);
        let slice = self.slices.len();
        self.slices.resize(slice + slice_shape.slots(board.ranks) as usize, 0);
        let kept_uppers = Bits(facet.free).filter(|&i| (free & !low) >> at(i) & 1 == 1).fold(0, |set, i| set | 1 << i);
        for code in codes_up_to(kept, slice_shape.cap) {
            let slot = slice + slice_shape.address(board.ranks, code) as usize;
            if let Some(other) = other {
                let there = moving.image(code);
                if there.count_ones() <= other.shape.cap {
                    let from = other.offset + other.shape.address(board.ranks, there);
                    self.slices[slot] = target.values[from as usize];
                    continue;
                }
            }
            self.crossings.push(board.split.dual(target.base, all | expand(code, kept_uppers)));
            self.to.push(slot);
        }
        let (offset, shape, map) = (start + facet.offset as usize, facet.shape, map.dropping());
        self.waiting.push(Waiting { offset, shape, cap, map, slice, slice_shape });
    }

    /// Lets states see the values they wait for.
    #[inline(always)]
    fn settle(&mut self, sides: &Sides<'_, W>, image: &impl Fn(&Action, GroupElement, u64) -> u64) {
        if self.waiting.is_empty() {
            return;
        }
        let board = sides.board;
        self.crossings.look_up(board, sides.lower, image);
        for (&to, &value) in self.to.iter().zip(&self.crossings.values) {
            self.slices[to] = value;
        }
        for Waiting { offset, shape, cap, map, slice, slice_shape } in &self.waiting {
            let seen = (&mut self.seen[*offset..], *shape, *cap);
            let values = (&self.slices[*slice..], *slice_shape);
            spread::<R>(board.ranks, seen, values, map, &mut self.scratch);
        }
        self.waiting.clear();
        self.slices.clear();
        self.crossings.clear();
        self.to.clear();
    }
}

/// Whether a high upper rests on low ones alone.
#[inline(always)]
fn is_single(uppers: &Uppers, i: usize) -> bool {
    uppers.low >> i & 1 == 0 && uppers.upper_below[i] & !uppers.low == 0
}

/// The facet of a target with those high uppers, if it has slots.
#[inline(always)]
fn find_facet<const W: usize>(board: &Board<'_, W>, uppers: &Uppers, high: u64, target: &Target<'_>) -> Option<Facet> {
    match target.facets {
        Facets::Here(facets) => facets.iter().find(|facet| facet.high == high).copied(),
        Facets::There(_, _, Some(offset)) if high.is_power_of_two() => {
            let forced = uppers.upper_below[high.trailing_zeros() as usize];
            let (free, fixed) = (target.available & !forced, 1 + forced.count_ones());
            let shape = Shape::new(board.ranks, free.count_ones(), target.room.high - fixed);
            Some(Facet { high, forced, free, fixed, shape, offset })
        }
        Facets::There(facets, place, _) => facets.find(place, high).copied(),
    }
}

/// The subset of a set that a code stands for.
#[inline(always)]
fn expand(code: u64, members: u64) -> u64 {
    Bits(members).enumerate().fold(0, |set, (j, i)| set | (code >> j & 1) << i)
}
