//! From a search to a proof: the lost positions that the winner's moves lead to, each with an answer to every move.
//!
//! What the table says is only a hint where to look. A position that was wrongly taken for lost shows when none of the
//! replies to some move is lost; then the table confused two positions.

mod known;
mod searched;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::crew::{Crew, ProofSoFar, Turn};
use super::proof::{Claim, ProofWriter, Step, Verdict, WriteError, entry_order};
use super::rules::{Known, Rules};
use crate::ideal::{Element, Ideal};
use crate::parallel;
use crate::poset::Poset;
use crate::symmetry::GroupElement;

/// Lost positions that are explained between two questions whether to go on: some ten milliseconds.
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
    go_on_proving(crew, root, Vec::new(), goes_on)
}

/// As [`prove`], where some lost positions have their reasons already. Those that the proof does not need are left out.
///
/// # Errors
/// [`ProveError`].
pub fn go_on_proving<const W: usize>(
    crew: &mut Crew<W>,
    root: Ideal<W>,
    made: Vec<Entry<W>>,
    goes_on: &mut dyn FnMut(Turn<'_, W>) -> bool,
) -> Result<Lines<W>, ProveError> {
    let is_lost = crew.settle(root, goes_on).ok_or(ProveError::Stopped)?;
    let rules = crew.rules().clone();
    let mut prover = Prover {
        rules: &rules,
        crew,
        goes_on,
        listed: HashSet::new(),
        open: Vec::new(),
        known: BTreeMap::new(),
        made: made.into_iter().map(|entry| (entry.position, entry)).collect(),
        taken_over: Vec::new(),
        lists: searched::Lists::default(),
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
    entries.append(&mut prover.taken_over);
    entries.sort_unstable_by(|a, b| entry_order(&a.position, &b.position));
    Ok(Lines { position: root, winning_move, entries })
}

/// A lost position with its reasons, and the positions that these leave, in canonical form.
type Explained<const W: usize> = (Entry<W>, Vec<Ideal<W>>);

/// For each move its answer, as far as it has one.
type Answers = Vec<Option<Element>>;

struct Prover<'p, 'a, const W: usize> {
    crew: &'p mut Crew<W>,
    rules: &'a Rules<W>,
    goes_on: &'p mut dyn FnMut(Turn<'_, W>) -> bool,
    listed: HashSet<Ideal<W>>,
    /// Those that are listed but not explained.
    open: Vec<Ideal<W>>,
    /// And those of them, by their sizes, that are within the reach of the oracle.
    known: BTreeMap<usize, Vec<Ideal<W>>>,
    /// Reasons from before, as long as they are not needed.
    made: HashMap<Ideal<W>, Entry<W>>,
    /// And those that turned out to be needed.
    taken_over: Vec<Entry<W>>,
    lists: searched::Lists<W>,
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
            let mut batch = self.open.split_off(self.open.len().saturating_sub(ENTRIES_OF_A_TURN));
            self.take_over(&mut batch);
            let (known, searched): (Vec<_>, Vec<_>) =
                batch.into_iter().partition(|position| self.rules.ask(position).is_some());
            for position in known {
                self.known.entry(position.len()).or_default().push(position);
            }
            if !searched.is_empty() {
                self.explain_searched(&searched)?;
            } else if self.open.is_empty() && !self.known.is_empty() {
                self.explain_known()?;
            } else if self.open.is_empty() {
                return Ok(());
            }
            let explained = self.taken_over.len() + self.entries.len();
            let proof = ProofSoFar { entries: &self.entries, explained, listed: self.listed.len() };
            if !self.crew.meet(&[], Some(proof), self.goes_on) {
                return Err(ProveError::Stopped);
            }
        }
    }

    /// Takes the reasons from before of those positions that have some.
    fn take_over(&mut self, batch: &mut Vec<Ideal<W>>) {
        if self.made.is_empty() {
            return;
        }
        let made: Vec<Entry<W>> = batch.iter().filter_map(|position| self.made.remove(position)).collect();
        let rules = self.rules;
        let explained = in_order(self.crew.threads(), &made, |_: &mut (), entry| rules.explained_before(entry));
        let explained: Vec<Explained<W>> = explained.into_iter().flatten().collect();
        let taken: HashSet<Ideal<W>> = explained.iter().map(|(entry, _)| entry.position).collect();
        batch.retain(|position| !taken.contains(position));
        for (entry, rests_on) in explained {
            self.taken_over.push(entry);
            self.list_all(rests_on);
        }
    }

    /// Explains positions from what the search has settled, with all threads; where that is forgotten, it is searched again.
    fn explain_searched(&mut self, batch: &[Ideal<W>]) -> Result<(), ProveError> {
        let (rules, table) = (self.rules, self.crew.table());
        let explained = in_order(self.crew.threads(), batch, |lists, position| {
            rules.explain_searched(*position, Answers::new(), table, lists)
        });
        for (&position, explained) in batch.iter().zip(explained) {
            let explained = match explained {
                Some(explained) => explained,
                None => {
                    let answers = self.search_answers(position)?;
                    let explained = self.rules.explain_searched(position, answers, self.crew.table(), &mut self.lists);
                    explained.ok_or(ProveError::Confused)?
                }
            };
            self.note(explained);
        }
        Ok(())
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
        let explained =
            in_order(self.crew.threads(), &batch, |lists, position| rules.explain_known(*position, listed, lists));
        for explained in explained {
            self.note(explained.ok_or(ProveError::Confused)?);
        }
        Ok(())
    }

    fn note(&mut self, (entry, rests_on): Explained<W>) {
        self.entries.push(entry);
        self.list_all(rests_on);
    }

    /// Lists lost positions in canonical form.
    fn list_all(&mut self, positions: Vec<Ideal<W>>) {
        self.open.extend(positions.into_iter().filter(|&position| self.listed.insert(position)));
    }

    /// Answers to all moves of a lost position.
    fn search_answers(&mut self, position: Ideal<W>) -> Result<Answers, ProveError> {
        let mut answers = vec![None; position.last() + 1];
        for (x, option) in self.rules.game().moves(position) {
            answers[x] = Some(self.reply(option)?);
        }
        Ok(answers)
    }

    /// A move that leaves a lost position, of a position that is won.
    fn reply(&mut self, position: Ideal<W>) -> Result<Element, ProveError> {
        let rules = self.rules;
        if let Some(reply) = rules.known_reply(&position, self.crew.table(), &mut self.lists) {
            return Ok(reply);
        }
        if let Known::Open(smaller) = rules.know(position) {
            if self.crew.settle(smaller, self.goes_on).ok_or(ProveError::Stopped)? {
                return Err(ProveError::Confused);
            }
            if let Some(reply) = rules.known_reply(&position, self.crew.table(), &mut self.lists) {
                return Ok(reply);
            }
        }
        for (taken, left) in rules.game().moves(position) {
            if self.crew.settle(left, self.goes_on).ok_or(ProveError::Stopped)? {
                return Ok(taken);
            }
        }
        Err(ProveError::Confused)
    }
}

/// What explains each item of a batch, found by so many threads.
fn in_order<const W: usize, I: Sync, L: Default + Send>(
    threads: usize,
    batch: &[I],
    explain: impl Fn(&mut L, &I) -> Option<Explained<W>> + Sync,
) -> Vec<Option<Explained<W>>> {
    let mut explained: Vec<_> = batch.iter().map(|_| None).collect();
    // Fewer are explained before another thread would have begun.
    let threads = if batch.len() < ENTRIES_OF_A_TURN / 4 { 1 } else { threads };
    parallel::crew(threads, batch.iter().zip(&mut explained), L::default, |lists, (item, explained)| {
        *explained = explain(lists, item);
    });
    explained
}

impl<const W: usize> Rules<W> {
    /// Why a position that an involution maps to itself is lost.
    fn explain_mirrored(&self, position: Ideal<W>) -> Option<Explained<W>> {
        let (by, left) = self.mirror(&position)?;
        let is_over = self.game().choices(left).is_empty();
        let left = if is_over { Vec::new() } else { vec![self.symmetry().canonical(left).ideal] };
        Some((Entry { position, bytes: self.images_of_points(by), is_mirrored: true }, left))
    }

    /// What reasons from before rest on; `None` if they are none.
    fn explained_before(&self, entry: &Entry<W>) -> Option<Explained<W>> {
        let Entry { position, bytes, is_mirrored } = entry;
        if *is_mirrored {
            return self.explain_mirrored(*position);
        }
        let game = self.game();
        let choices = game.choices(*position);
        if choices.len() != bytes.len() {
            return None;
        }
        let answered = |(x, &reply): (Element, &u8)| {
            let (option, reply) = (game.take(*position, x), Element::from(reply));
            (reply < 64 * W && game.choices(option).contains(reply)).then(|| game.take(option, reply))
        };
        let mut left: Vec<Ideal<W>> = choices.iter().zip(&**bytes).map(answered).collect::<Option<_>>()?;
        left.retain(|&left| !game.choices(left).is_empty());
        left.sort_unstable();
        left.dedup();
        let mut forms = Vec::new();
        self.symmetry().canonical_batch(&left, &mut forms);
        Some((entry.clone(), forms.iter().map(|form| form.ideal).collect()))
    }

    /// Why a position with an answer to every move is lost; `None` if some move has none.
    fn answered(&self, position: Ideal<W>, answers: &[Option<Element>]) -> Option<Entry<W>> {
        let answers = self.game().choices(position).iter().map(|x| answers[x].map(|reply| reply as u8));
        Some(Entry { position, bytes: answers.collect::<Option<_>>()?, is_mirrored: false })
    }

    /// The images of the points of a Boolean lattice under a permutation of them.
    fn images_of_points(&self, g: GroupElement) -> Box<[u8]> {
        // Elements are the empty set, then the sets of one point.
        let image = |point| self.symmetry().image(g, Ideal::empty().with(point + 1)).last() - 1;
        (0..self.points()).map(|point| image(point) as u8).collect()
    }
}
