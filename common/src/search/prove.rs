//! From a search to a proof: the lost positions that the winner's moves lead to, each with an answer to every move.
//!
//! What the table says is only a hint where to look. A position that was wrongly taken for lost shows when none of the
//! replies to some move is lost; then the table confused two positions.

use std::collections::HashSet;

use super::crew::{Crew, Turn};
use super::proof::{Claim, ProofWriter, Step, Verdict, WriteError, entry_order};
use super::rules::{Known, Rules};
use super::table::Settled;
use crate::ideal::{Element, Ideal};
use crate::poset::Poset;
use crate::symmetry::{Canonical, GroupElement};

/// Lost positions between two questions whether to go on: some ten milliseconds.
const ENTRIES_OF_A_TURN: usize = 256;

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProveError {
    /// Asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// The table has confused two positions. With another salt it will not confuse the same ones.
    #[error("two positions have the same hash")]
    Confused,
}

/// A lost position and why it is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<const W: usize> {
    /// The position.
    pub position: Ideal<W>,
    /// Replies to its moves, or the images of points under an involution.
    pub bytes: Box<[u8]>,
    /// Whether they are those of an involution.
    pub is_mirrored: bool,
}

/// What settles a position, in the order of a proof file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines<const W: usize> {
    /// The position that it is about.
    pub position: Ideal<W>,
    /// The element that wins, if the player to move does.
    pub winning_move: Option<Element>,
    /// All lost positions.
    pub entries: Vec<Entry<W>>,
}

impl<const W: usize> Lines<W> {
    /// Writes the proof file.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&self, poset: &Poset, out: impl std::io::Write) -> Result<blake3::Hash, WriteError> {
        let verdict = self.winning_move.map_or(Verdict::Lost, |by| Verdict::Won { by });
        let claim = Claim { position: self.position.iter().collect(), verdict };
        let mut writer = ProofWriter::new(out, poset, &claim, self.entries.len() as u64)?;
        for entry in &self.entries {
            let step = if entry.is_mirrored { Step::Mirrored(&entry.bytes) } else { Step::Answered(&entry.bytes) };
            writer.write(&entry.position, step)?;
        }
        Ok(writer.finish()?.1)
    }
}

/// Settles a position, and makes a proof. `goes_on` is asked now and then.
///
/// # Errors
/// [`ProveError`].
pub fn prove<const W: usize>(
    crew: &mut Crew<W>,
    root: Ideal<W>,
    goes_on: &mut dyn FnMut(Turn<'_, W>) -> bool,
) -> Result<Lines<W>, ProveError> {
    let is_lost = crew.settle(root, goes_on).ok_or(ProveError::Stopped)?;
    crew.note_proved(1);
    let rules = crew.rules().clone();
    let mut prover =
        Prover { rules: &rules, crew, goes_on, listed: HashSet::new(), open: Vec::new(), forms: Vec::new() };
    let winning_move = if is_lost {
        prover.list(root);
        None
    } else {
        let by = prover.reply(root)?;
        prover.list(prover.rules.game().take(root, by));
        Some(by)
    };
    let mut entries = Vec::new();
    while let Some(position) = prover.open.pop() {
        entries.push(prover.explain(position)?);
        prover.crew.note_proved(entries.len() as u64 + 1);
        if entries.len().is_multiple_of(ENTRIES_OF_A_TURN) {
            if !prover.crew.meet(&[], prover.goes_on) {
                return Err(ProveError::Stopped);
            }
        }
    }
    entries.sort_unstable_by(|a, b| entry_order(&a.position, &b.position));
    Ok(Lines { position: root, winning_move, entries })
}

struct Prover<'p, 'a, const W: usize> {
    crew: &'p mut Crew<W>,
    rules: &'a Rules<W>,
    goes_on: &'p mut dyn FnMut(Turn<'_, W>) -> bool,
    listed: HashSet<Ideal<W>>,
    /// Those that are listed but not explained.
    open: Vec<Ideal<W>>,
    forms: Vec<Canonical<W>>,
}

impl<const W: usize> Prover<'_, '_, W> {
    /// Lists a lost position, unless there is no move.
    fn list(&mut self, position: Ideal<W>) {
        if self.rules.game().choices(position).is_empty() {
            return;
        }
        let canonical = self.rules.symmetry().canonical(position).ideal;
        if self.listed.insert(canonical) {
            self.open.push(canonical);
        }
    }

    fn explain(&mut self, position: Ideal<W>) -> Result<Entry<W>, ProveError> {
        if let Some((by, left)) = self.rules.mirror(&position) {
            self.list(left);
            let bytes = self.rules.images_of_points(by);
            return Ok(Entry { position, bytes, is_mirrored: true });
        }
        let rules = self.rules;
        let options: Vec<Ideal<W>> = rules.game().moves(position).map(|(_, left)| left).collect();
        // Those of which the table has a winning move: most. Canonical forms are found together.
        let smaller = |&left: &Ideal<W>| match rules.know(left) {
            Known::Open(smaller) if self.has_same_names(&smaller, &left) => smaller,
            _ => left,
        };
        let smaller: Vec<Ideal<W>> = options.iter().map(smaller).collect();
        self.forms.clear();
        rules.symmetry().canonical_batch(&smaller, &mut self.forms);
        let table = self.crew.table();
        self.forms.iter().for_each(|form| table.prefetch(table.hash(&form.ideal)));
        let known: Vec<Option<Element>> = self.forms.iter().map(|form| self.known_reply(form)).collect();
        let mut replies = Vec::with_capacity(options.len());
        let mut left = Vec::with_capacity(options.len());
        for (&option, known) in options.iter().zip(known) {
            let reply = known
                .filter(|&reply| rules.game().choices(option).contains(reply))
                .map_or_else(|| self.reply(option), Ok)?;
            replies.push(reply as u8);
            left.push(rules.game().take(option, reply));
        }
        self.forms.clear();
        left.retain(|&left| !rules.game().choices(left).is_empty());
        rules.symmetry().canonical_batch(&left, &mut self.forms);
        for form in &self.forms {
            if self.listed.insert(form.ideal) {
                self.open.push(form.ideal);
            }
        }
        Ok(Entry { position, bytes: replies.into(), is_mirrored: false })
    }

    /// The winning move that the table has of a position, given its canonical form.
    fn known_reply(&self, form: &Canonical<W>) -> Option<Element> {
        let table = self.crew.table();
        match table.get(table.hash(&form.ideal))? {
            Settled::Won(taken) => Some(self.rules.symmetry().preimage(form.by, usize::from(taken))),
            Settled::Lost => None,
        }
    }

    /// Whether a move that wins a position that theorems have made smaller wins the larger one. A move that wins what an
    /// involution leaves does: it leaves something that the same involution maps to itself. But of other posets than Boolean
    /// lattices that is a canonical form, in which elements have other names.
    fn has_same_names(&self, smaller: &Ideal<W>, position: &Ideal<W>) -> bool {
        smaller.is_subset(position) && (self.rules.points() > 0 || smaller == position)
    }

    /// A move that leaves a lost position, of a position that is won.
    fn reply(&mut self, position: Ideal<W>) -> Result<Element, ProveError> {
        let rules = self.rules;
        if let Known::Open(smaller) = rules.know(position) {
            if self.crew.settle(smaller, self.goes_on).ok_or(ProveError::Stopped)? {
                return Err(ProveError::Confused);
            }
            let known = self.known_reply(&rules.symmetry().canonical(smaller));
            let known = known.filter(|&reply| rules.game().choices(smaller).contains(reply));
            if let (true, Some(reply)) = (self.has_same_names(&smaller, &position), known) {
                return Ok(reply);
            }
        }
        let known = rules.game().moves(position).find(|&(_, left)| self.crew.is_lost(left) == Some(true));
        if let Some((taken, _)) = known {
            return Ok(taken);
        }
        for (taken, left) in rules.game().moves(position) {
            if self.crew.settle(left, self.goes_on).ok_or(ProveError::Stopped)? {
                return Ok(taken);
            }
        }
        Err(ProveError::Confused)
    }
}

impl<const W: usize> Rules<W> {
    /// The images of the points of a Boolean lattice under a permutation of them.
    fn images_of_points(&self, g: GroupElement) -> Box<[u8]> {
        // Elements are the empty set, then the sets of one point.
        let image = |point| self.symmetry().image(g, Ideal::empty().with(point + 1)).last() - 1;
        (0..self.points()).map(|point| image(point) as u8).collect()
    }
}
