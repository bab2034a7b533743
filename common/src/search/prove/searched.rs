//! Answers in lost positions from what a search has settled.
//!
//! Most moves have been answered when the position was found to be lost: the table has the move that wins what they leave.
//! What theorems settled is not in the table; there the replies are looked up.

use super::{Answers, Explained};
use crate::ideal::{Element, Ideal};
use crate::search::rules::{Known, Rules};
use crate::search::searcher::{self, list_options};
use crate::search::table::{Settled, SettledTable};
use crate::symmetry::Canonical;

/// Options whose canonical forms are found together; the answer to one may be the answer to another.
const TOGETHER: usize = 16;

/// Lists that serve one position after the other.
pub(super) struct Lists<const W: usize> {
    forms: Vec<Canonical<W>>,
    options: searcher::Lists<W>,
}

impl<const W: usize> Default for Lists<W> {
    fn default() -> Self {
        Self { forms: Vec::new(), options: searcher::Lists::default() }
    }
}

impl<const W: usize> Rules<W> {
    /// Answers to all moves of a lost position, of which some may be given; `None` if the table has none to some move.
    pub(super) fn explain_searched(
        &self,
        position: Ideal<W>,
        given: Answers,
        table: &SettledTable,
        lists: &mut Lists<W>,
    ) -> Option<Explained<W>> {
        if let Some(explained) = self.explain_mirrored(position) {
            return Some(explained);
        }
        let game = self.game();
        let choices = game.choices(position);
        let mut moves = choices.iter();
        let mut answers = vec![None; position.last() + 1];
        let mut left = Vec::new();
        loop {
            let unanswered = moves.by_ref().filter(|&x| answers[x].is_none());
            let batch: Vec<Element> = unanswered.take(TOGETHER).collect();
            if batch.is_empty() {
                break;
            }
            let options: Vec<Ideal<W>> = batch.iter().map(|&x| game.take(position, x)).collect();
            let stored = self.stored_replies(&options, table, lists);
            for ((&x, &option), stored) in batch.iter().zip(&options).zip(stored) {
                if answers[x].is_some() {
                    continue;
                }
                let given = given.get(x).copied().flatten();
                let stored = stored.filter(|&reply| game.choices(option).contains(reply));
                let reply = given.or(stored).or_else(|| self.known_reply(&option, table, lists))?;
                answers[x] = Some(reply);
                left.push(game.take(option, reply));
                // The other way round it is the same position that is left.
                if choices.contains(reply) && game.choices(game.take(position, reply)).contains(x) {
                    answers[reply].get_or_insert(x);
                }
            }
        }
        lists.forms.clear();
        left.retain(|&left| !game.choices(left).is_empty());
        self.symmetry().canonical_batch(&left, &mut lists.forms);
        let entry = self.answered(position, &answers)?;
        Some((entry, lists.forms.iter().map(|form| form.ideal).collect()))
    }

    /// A move that leaves a position that is known to be lost.
    pub(super) fn known_reply(
        &self,
        position: &Ideal<W>,
        table: &SettledTable,
        lists: &mut Lists<W>,
    ) -> Option<Element> {
        match list_options(self, position, table, &mut lists.options)? {
            Settled::Won(taken) => Some(Element::from(taken)),
            Settled::Lost => None,
        }
    }

    /// The winning moves that the table has of options: of most.
    fn stored_replies(&self, options: &[Ideal<W>], table: &SettledTable, lists: &mut Lists<W>) -> Vec<Option<Element>> {
        let smaller = |&left: &Ideal<W>| match self.know(left) {
            Known::Open(smaller) if self.has_same_names(&smaller, &left) => smaller,
            _ => left,
        };
        let smaller: Vec<Ideal<W>> = options.iter().map(smaller).collect();
        lists.forms.clear();
        self.symmetry().canonical_batch(&smaller, &mut lists.forms);
        lists.forms.iter().for_each(|form| table.prefetch(table.hash(&form.ideal)));
        let stored = |form: &Canonical<W>| match table.get(table.hash(&form.ideal))? {
            Settled::Won(taken) => Some(self.symmetry().preimage(form.by, usize::from(taken))),
            Settled::Lost => None,
        };
        lists.forms.iter().map(stored).collect()
    }

    /// Whether a move that wins a position that theorems have made smaller wins the larger one. A move that wins what an
    /// involution leaves does: it leaves something that the same involution maps to itself. But of other posets than Boolean
    /// lattices that is a canonical form, in which elements have other names.
    fn has_same_names(&self, smaller: &Ideal<W>, position: &Ideal<W>) -> bool {
        smaller.is_subset(position) && (self.points() > 0 || smaller == position)
    }
}
