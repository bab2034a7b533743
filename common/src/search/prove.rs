//! From a search to a proof: the lost positions that the winner's moves lead to, each with an answer to every move.
//!
//! What the table says is only a hint where to look. A position that was wrongly taken for lost shows when none of the
//! replies to some move is lost; then the table confused two positions.

mod known;

use std::collections::{BTreeMap, HashSet};

use super::crew::{Crew, Turn};
use super::proof::{Claim, ProofWriter, Step, Verdict, WriteError, entry_order};
use super::rules::{Known, Rules};
use super::table::Settled;
use crate::ideal::{Element, Ideal};
use crate::parallel;
use crate::poset::Poset;
use crate::symmetry::{Canonical, GroupElement};

/// Options whose canonical forms are found together; the answer to one may be the answer to another.
const TOGETHER: usize = 16;
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
    let mut prover = Prover {
        rules: &rules,
        crew,
        goes_on,
        listed: HashSet::new(),
        open: Vec::new(),
        known: BTreeMap::new(),
        forms: Vec::new(),
        entries: Vec::new(),
    };
    let winning_move = if is_lost {
        prover.list(root);
        None
    } else {
        let by = prover.reply(root)?;
        prover.list(prover.rules.game().take(root, by));
        Some(by)
    };
    prover.explain_all()?;
    let mut entries = prover.entries;
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
    /// And those of them, by their sizes, that are within the reach of the oracle.
    known: BTreeMap<usize, Vec<Ideal<W>>>,
    forms: Vec<Canonical<W>>,
    entries: Vec<Entry<W>>,
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

    /// Explains what is listed, and whatever that rests on.
    fn explain_all(&mut self) -> Result<(), ProveError> {
        loop {
            let before = self.entries.len();
            match self.open.pop() {
                Some(position) if self.rules.ask(&position).is_some() => {
                    self.known.entry(position.len()).or_default().push(position);
                }
                Some(position) => {
                    let entry = self.explain(position)?;
                    self.entries.push(entry);
                }
                None if self.known.is_empty() => return Ok(()),
                None => self.explain_known()?,
            }
            let entries = self.entries.len();
            self.crew.note_proved(entries as u64 + 1);
            let is_turn = entries / ENTRIES_OF_A_TURN > before / ENTRIES_OF_A_TURN;
            if is_turn && !self.crew.meet(&[], self.goes_on) {
                return Err(ProveError::Stopped);
            }
        }
    }

    /// Explains some of the largest positions within the reach of the oracle, with all threads. What smaller ones rest on is
    /// then chosen from what these rest on.
    fn explain_known(&mut self) -> Result<(), ProveError> {
        let Some(mut largest) = self.known.last_entry() else { return Ok(()) };
        let of_one_size = largest.get_mut();
        let batch = of_one_size.split_off(of_one_size.len().saturating_sub(ENTRIES_OF_A_TURN));
        if of_one_size.is_empty() {
            largest.remove();
        }
        let (rules, listed) = (self.rules, &self.listed);
        let mut explained: Vec<_> = batch.iter().map(|_| None).collect();
        let work = batch.iter().zip(&mut explained);
        parallel::crew(self.crew.threads(), work, known::Lists::default, |lists, (position, explained)| {
            *explained = rules.explain_known(*position, listed, lists);
        });
        for explained in explained {
            let (entry, rests_on) = explained.ok_or(ProveError::Confused)?;
            self.entries.push(entry);
            for position in rests_on {
                if self.listed.insert(position) {
                    self.known.entry(position.len()).or_default().push(position);
                }
            }
        }
        Ok(())
    }

    fn explain(&mut self, position: Ideal<W>) -> Result<Entry<W>, ProveError> {
        if let Some((by, left)) = self.rules.mirror(&position) {
            self.list(left);
            let bytes = self.rules.images_of_points(by);
            return Ok(Entry { position, bytes, is_mirrored: true });
        }
        let rules = self.rules;
        let choices = rules.game().choices(position);
        let mut moves = choices.iter();
        let mut answers = vec![None; position.last() + 1];
        let mut left = Vec::new();
        loop {
            let unanswered = moves.by_ref().filter(|&x| answers[x].is_none());
            let batch: Vec<Element> = unanswered.take(TOGETHER).collect();
            if batch.is_empty() {
                break;
            }
            let options: Vec<Ideal<W>> = batch.iter().map(|&x| rules.game().take(position, x)).collect();
            let known = self.known_replies(&options);
            for ((&x, &option), known) in batch.iter().zip(&options).zip(known) {
                if answers[x].is_some() {
                    continue;
                }
                let reply = known
                    .filter(|&reply| rules.game().choices(option).contains(reply))
                    .map_or_else(|| self.reply(option), Ok)?;
                answers[x] = Some(reply);
                left.push(rules.game().take(option, reply));
                // The other way round it is the same position that is left.
                if choices.contains(reply) && rules.game().choices(rules.game().take(position, reply)).contains(x) {
                    answers[reply].get_or_insert(x);
                }
            }
        }
        let replies = choices.iter().filter_map(|x| answers[x]).map(|reply| reply as u8).collect();
        self.forms.clear();
        left.retain(|&left| !rules.game().choices(left).is_empty());
        rules.symmetry().canonical_batch(&left, &mut self.forms);
        for form in &self.forms {
            if self.listed.insert(form.ideal) {
                self.open.push(form.ideal);
            }
        }
        Ok(Entry { position, bytes: replies, is_mirrored: false })
    }

    /// The winning moves that the table has of options: of most.
    fn known_replies(&mut self, options: &[Ideal<W>]) -> Vec<Option<Element>> {
        let rules = self.rules;
        let smaller = |&left: &Ideal<W>| match rules.know(left) {
            Known::Open(smaller) if self.has_same_names(&smaller, &left) => smaller,
            _ => left,
        };
        let smaller: Vec<Ideal<W>> = options.iter().map(smaller).collect();
        self.forms.clear();
        rules.symmetry().canonical_batch(&smaller, &mut self.forms);
        let table = self.crew.table();
        self.forms.iter().for_each(|form| table.prefetch(table.hash(&form.ideal)));
        self.forms.iter().map(|form| self.known_reply(form)).collect()
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
