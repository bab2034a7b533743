//! Answers in lost positions of which an oracle knows everything: without a search, and with few other positions.
//!
//! A lost position rests on the positions that the answers leave, so a proof is small if these are few and recur. Where
//! there is a choice, the answer that takes a low element leaves a small position, of which there are few: so low elements
//! are tried first, and among some of them one that leaves a position that the proof has already is preferred. Whatever
//! answers `x` by `y` answers `y` by `x` too, since it leaves the same; a `y` below `x` leaves an option of the position,
//! and these are won.

use std::collections::HashSet;

use super::Explained;
use crate::ideal::{Element, Ideal};
use crate::search::rules::{Known, Rules};
use crate::symmetry::Canonical;

/// Replies that are looked at together.
const TOGETHER: usize = 16;

/// Lists that serve one position after the other.
#[derive(Default)]
pub(super) struct Lists<const W: usize> {
    replies: Vec<Reply<W>>,
    left: Vec<Ideal<W>>,
    smaller: Vec<Ideal<W>>,
    forms: Vec<Canonical<W>>,
    smaller_forms: Vec<Canonical<W>>,
}

/// A reply that may win.
struct Reply<const W: usize> {
    taken: Element,
    /// What theorems leave of what it leaves, unless they settle it.
    open: Option<Ideal<W>>,
}

impl<const W: usize> Rules<W> {
    /// Answers to all moves of a lost position within the reach of the oracle; `None` if some move has none, because two
    /// positions were taken for one another.
    pub(super) fn explain_known(
        &self,
        position: Ideal<W>,
        listed: &HashSet<Ideal<W>>,
        lists: &mut Lists<W>,
    ) -> Option<Explained<W>> {
        if let Some(explained) = self.explain_mirrored(position) {
            return Some(explained);
        }
        let choices = self.game().choices(position);
        let mut answers = vec![None; position.last() + 1];
        let mut rests_on = Vec::new();
        for x in choices.iter() {
            if answers[x].is_none() {
                let (y, form) = self.answer(&position, x, listed, lists)?;
                (answers[x], answers[y]) = (Some(y), answers[y].or(Some(x)));
                rests_on.extend(form);
            }
        }
        rests_on.sort_unstable();
        rests_on.dedup();
        Some((self.answered(position, &answers)?, rests_on))
    }

    /// An answer to a move, and the canonical form of what it leaves, unless the game is over then.
    fn answer(
        &self,
        position: &Ideal<W>,
        x: Element,
        listed: &HashSet<Ideal<W>>,
        lists: &mut Lists<W>,
    ) -> Option<(Element, Option<Ideal<W>>)> {
        let game = self.game();
        let left = game.take(*position, x);
        let mut further = game.moves(left).filter(|&(y, after)| after != game.take(*position, y));
        loop {
            lists.replies.clear();
            lists.left.clear();
            lists.smaller.clear();
            for (taken, after) in further.by_ref() {
                let open = match self.know(after) {
                    Known::Won => continue,
                    Known::Lost => None,
                    Known::Open(smaller) => Some(smaller),
                };
                lists.replies.push(Reply { taken, open });
                lists.left.push(after);
                lists.smaller.extend(open.filter(|&smaller| smaller != after));
                if lists.replies.len() == TOGETHER {
                    break;
                }
            }
            if lists.replies.is_empty() {
                return None;
            }
            if let Some(found) = self.best(listed, lists) {
                return Some(found);
            }
        }
    }

    /// Of the replies in the lists one that wins, if there is one.
    fn best(&self, listed: &HashSet<Ideal<W>>, lists: &mut Lists<W>) -> Option<(Element, Option<Ideal<W>>)> {
        lists.forms.clear();
        lists.smaller_forms.clear();
        self.symmetry().canonical_batch(&lists.left, &mut lists.forms);
        self.symmetry().canonical_batch(&lists.smaller, &mut lists.smaller_forms);
        lists.forms.iter().chain(&lists.smaller_forms).for_each(|form| self.prefetch(&form.ideal));
        let mut smaller = lists.smaller_forms.iter();
        let mut best = None;
        for ((reply, form), left) in lists.replies.iter().zip(&lists.forms).zip(&lists.left) {
            let is_lost = match reply.open {
                None => true,
                Some(open) if open == *left => self.ask(&form.ideal) == Some(true),
                Some(_) => self.ask(&smaller.next()?.ideal) == Some(true),
            };
            if !is_lost {
                continue;
            }
            if self.game().choices(*left).is_empty() {
                return Some((reply.taken, None));
            }
            if listed.contains(&form.ideal) {
                return Some((reply.taken, Some(form.ideal)));
            }
            best = best.or(Some((reply.taken, Some(form.ideal))));
        }
        best
    }
}
