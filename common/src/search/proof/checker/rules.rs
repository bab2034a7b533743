//! The game and the two steps of a proof, by the definition: nothing here is shared with what searches.

use super::automorphisms::Automorphisms;
use super::canonical::Forms;
use super::lost::{LostSet, hash};
use crate::ideal::{Element, Ideal};
use crate::poset::{Poset, format_position};
use crate::search::proof::error::Fault;
use crate::search::proof::format::{Claim, Step, Verdict};

/// The game on one poset.
#[derive(Clone, Debug)]
pub struct Rules<const W: usize> {
    poset: Poset,
    /// For each element what a move takes: it and all above it.
    above: Vec<Ideal<W>>,
    /// For each element those that it covers.
    covered: Vec<Ideal<W>>,
    /// What may be taken: all elements but a least one.
    choices: Ideal<W>,
    automorphisms: Automorphisms,
    forms: Forms<W>,
}

impl<const W: usize> Rules<W> {
    /// The game on `poset`, which `W` words must hold.
    pub fn new(poset: &Poset) -> Self {
        let len = poset.len();
        let covered = (0..len).map(|x| set_of(poset.lower_covers(x).iter().map(|&y| usize::from(y)))).collect();
        let mut above: Vec<Ideal<W>> = (0..len).map(|x| Ideal::empty().with(x)).collect();
        // Elements ascend along a linear extension: what is above an element is known before what is above those it covers.
        for x in (0..len).rev() {
            for &y in poset.lower_covers(x) {
                above[usize::from(y)] = above[usize::from(y)].union(&above[x]);
            }
        }
        let choices = set_of((0..len).filter(|&x| above[x].len() < len));
        let automorphisms = Automorphisms::new(poset);
        let forms = Forms::new(poset, &automorphisms);
        Self { poset: poset.clone(), above, covered, choices, automorphisms, forms }
    }

    /// The canonical form of a position.
    pub fn form(&self, position: Ideal<W>) -> Ideal<W> {
        self.forms.of(position)
    }

    /// The position as users write it.
    pub fn show(&self, position: &Ideal<W>) -> String {
        format_position(&self.poset, &position.iter().collect::<Vec<_>>())
    }

    /// Checks an entry: that the position is one, and is lost because others are.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, position: Ideal<W>, step: Step<'_>, known: &mut Known<'_, W>) -> Result<(), Fault> {
        if let Some(member) = position.iter().find(|&x| !self.covered[x].is_subset(&position)) {
            let below = self.covered[member].difference(&position).last();
            return Err(Fault::NotAnIdeal { member: self.poset.label(member), below: self.poset.label(below) });
        }
        match step {
            Step::Answered(replies) => self.check_replies(position, replies, known),
            Step::Mirrored(images) => self.check_mirror(position, images, known),
        }
    }

    fn check_replies(&self, position: Ideal<W>, replies: &[u8], known: &mut Known<'_, W>) -> Result<(), Fault> {
        let moves = position.intersection(&self.choices);
        if moves.is_empty() {
            return Err(Fault::NoMove);
        }
        if moves.len() != replies.len() {
            return Err(Fault::Replies { moves: moves.len(), replies: replies.len() });
        }
        for (chosen, &reply) in moves.iter().zip(replies) {
            let reply = usize::from(reply);
            let left = position.difference(&self.above[chosen]);
            if let Err(why) = self.can_take(left, reply) {
                let reply = self.label(reply);
                return Err(Fault::NoReply { chosen: self.poset.label(chosen), reply, why });
            }
            let left = left.difference(&self.above[reply]);
            if !self.is_lost(left, known) {
                let (chosen, reply) = (self.poset.label(chosen), self.poset.label(reply));
                return Err(Fault::Reply { chosen, reply, left: self.show(&left) });
            }
        }
        Ok(())
    }

    fn check_mirror(&self, position: Ideal<W>, images: &[u8], known: &mut Known<'_, W>) -> Result<(), Fault> {
        let images = self.automorphisms.elements(&self.poset, images).ok_or(Fault::NoAutomorphism)?;
        let image = |x: Element| usize::from(images[x]);
        if let Some(x) = (0..images.len()).find(|&x| image(image(x)) != x) {
            return Err(Fault::NoInvolution(self.poset.label(x)));
        }
        if let Some(member) = position.iter().find(|&x| !position.contains(image(x))) {
            let image = self.poset.label(image(member));
            return Err(Fault::Elsewhere { member: self.poset.label(member), image });
        }
        let fixed: Ideal<W> = set_of(position.iter().filter(|&x| image(x) == x));
        if fixed == position {
            return Err(Fault::FixesAll);
        }
        if let Some(x) = fixed.iter().find(|&x| !self.covered[x].is_subset(&fixed)) {
            let moved = self.covered[x].difference(&fixed).last();
            return Err(Fault::NotClosed { fixed: self.poset.label(x), moved: self.poset.label(moved) });
        }
        if self.is_lost(fixed, known) { Ok(()) } else { Err(Fault::Fixed(self.show(&fixed))) }
    }

    /// Checks that the claim follows from the positions that are lost.
    ///
    /// # Errors
    /// The fault.
    pub fn check_claim(&self, claim: &Claim, known: &mut Known<'_, W>) -> Result<(), Fault> {
        let root: Ideal<W> = set_of(claim.position.iter().copied());
        match claim.verdict {
            Verdict::Lost => self.is_lost(root, known).then_some(()).ok_or(Fault::RootNotListed),
            Verdict::Won { by } => {
                self.can_take(root, by).map_err(|_| Fault::RootNoMove(self.label(by)))?;
                let left = root.difference(&self.above[by]);
                let fault = || Fault::RootMove { by: self.poset.label(by), left: self.show(&left) };
                self.is_lost(left, known).then_some(()).ok_or_else(fault)
            }
        }
    }

    fn can_take(&self, position: Ideal<W>, x: Element) -> Result<(), &'static str> {
        if x >= self.poset.len() {
            Err("the poset has no such element")
        } else if !position.contains(x) {
            Err("it is not there any more")
        } else if !self.choices.contains(x) {
            Err("the least element cannot be taken")
        } else {
            Ok(())
        }
    }

    /// The label of an element, or the number of what is none.
    fn label(&self, x: Element) -> String {
        if x < self.poset.len() { self.poset.label(x) } else { format!("number {x}") }
    }

    /// Whether a position has no move, or is listed up to an automorphism.
    #[inline]
    fn is_lost(&self, position: Ideal<W>, known: &mut Known<'_, W>) -> bool {
        position.intersection(&self.choices).is_empty() || known.contains(position, |position| self.form(position))
    }
}

/// The positions that are known to be lost, as one thread looks them up.
pub struct Known<'a, const W: usize> {
    listed: &'a LostSet<W>,
    /// Positions as they were asked for and found, each in the place of its hash. A move and its reply lead where the
    /// reply and the move do, and neighbours in the file lead to the same positions, so many are asked for again.
    recent: &'a mut Vec<Ideal<W>>,
}

/// Places for positions that were found.
const RECENT: usize = 1 << 12;

impl<'a, const W: usize> Known<'a, W> {
    /// Looks up in `listed`. What is in `recent` must have been found in a part of it.
    pub fn new(listed: &'a LostSet<W>, recent: &'a mut Vec<Ideal<W>>) -> Self {
        recent.resize(RECENT, Ideal::empty());
        Self { listed, recent }
    }

    #[inline]
    fn contains(&mut self, position: Ideal<W>, form: impl FnOnce(Ideal<W>) -> Ideal<W>) -> bool {
        let place = &mut self.recent[hash(&position) as usize % RECENT];
        if *place == position {
            return true;
        }
        let found = self.listed.contains(&form(position));
        if found {
            *place = position;
        }
        found
    }
}

fn set_of<const W: usize>(elements: impl Iterator<Item = Element>) -> Ideal<W> {
    elements.fold(Ideal::empty(), Ideal::with)
}
