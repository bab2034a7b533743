//! Bases that are whole ideals: a move leads to one ideal, and nothing but its value is wanted.
//!
//! So the layers below are kept as [`ValueMap`]s, without their bases: 2.5 bytes an ideal.

use super::board::Board;
use super::lower::Chunk;
use super::tally::Tally;
use crate::ideal::Ideal;
use crate::recurrence::rule::Rule;
use crate::space::value_map::{Place, ValueMap};
use crate::symmetry::Canonical;

/// What a thread keeps between chunks.
#[derive(Default)]
pub struct Whole<R: Rule, const W: usize> {
    smaller: Vec<Ideal<W>>,
    ends: Vec<usize>,
    forms: Vec<Canonical<W>>,
    places: Vec<Place>,
    /// Of the chunk at work: what each ideal has seen.
    seen: Vec<R::Seen>,
    /// What was found so far.
    pub tally: Tally,
    /// Whether some value could not be represented.
    pub lost: bool,
}

impl<R: Rule, const W: usize> Whole<R, W> {
    /// Values a chunk, given the layers below. Returns the number of moves followed.
    ///
    /// # Panics
    /// If an ideal of a layer below is missing, and this is noticed.
    pub fn evaluate(&mut self, board: &Board<'_, W>, below: &[ValueMap], chunk: &mut Chunk<'_, W>) -> u64 {
        self.seen.clear();
        self.seen.resize(chunk.bases.len(), R::Seen::default());
        let mut followed = 0;
        for round in 0..R::ROUNDS {
            self.follow(board, below, chunk.bases, round);
            followed += self.places.len() as u64;
            let mut first = 0;
            for (seen, &end) in self.seen.iter_mut().zip(&self.ends) {
                for (form, place) in self.forms[first..end].iter().zip(&self.places[first..end]) {
                    let value = below[form.ideal.len()].value(place);
                    R::see(seen, value.expect("every ideal of a layer below has a value"));
                }
                first = end;
            }
        }
        for (number, (&base, &seen)) in chunk.bases.iter().zip(&self.seen).enumerate() {
            let value = R::value(seen);
            self.lost |= value.is_none();
            chunk.table[number] = value.unwrap_or_default();
            self.tally.begin_block(board, base, chunk.stabilisers[number]);
            self.tally.count_base(base.len(), chunk.table[number]);
        }
        followed
    }

    /// Finds where the moves of a round in ideals that are not settled lead, and asks for the values there.
    fn follow(&mut self, board: &Board<'_, W>, below: &[ValueMap], bases: &[Ideal<W>], round: usize) {
        self.smaller.clear();
        self.ends.clear();
        for (base, &seen) in bases.iter().zip(&self.seen) {
            if !R::is_settled(seen) {
                let moves = base.iter().filter(|&x| board.can_be_taken(x)).skip(round).step_by(R::ROUNDS);
                self.smaller.extend(moves.map(|x| base.difference(&board.filters[x])));
            }
            self.ends.push(self.smaller.len());
        }
        self.forms.clear();
        board.split.symmetry.canonical_batch(&self.smaller, &mut self.forms);
        self.places.clear();
        self.places.extend(self.forms.iter().map(|form| below[form.ideal.len()].place(&form.ideal)));
    }
}
