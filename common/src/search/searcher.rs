//! One searcher: depth-first search with memory, on a stack of its own so that it can stop anywhere and go on.
//!
//! At a position all options are looked up before any is searched: most positions are won by one that is known to be
//! lost. Those that are not known are searched from the smallest on. Searchers that share a table look up what the others
//! have settled, and leave to the others what these are searching, as long as there is anything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::rules::{Known, Rules};
use super::table::{Settled, SettledTable};
use crate::ideal::Ideal;
use crate::symmetry::Canonical;

/// Options whose canonical forms are found together; if one of them is lost, those of the others are not needed.
const TOGETHER: usize = 16;

/// Won positions that took fewer are not worth being stored: who knows the lost ones finds that they are won at a glance.
const WORTH_STORING: u64 = 64;

/// A position that was settled: a lost one, or one that was won with some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding<const W: usize> {
    /// The canonical position.
    pub position: Ideal<W>,
    /// Who wins.
    pub settled: Settled,
    /// Positions visited for it.
    pub nodes: u64,
}

/// What somebody has settled: of use to whoever has a table with the same salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The hash of the canonical position.
    pub hash: u64,
    /// Who wins.
    pub settled: Settled,
    /// Positions visited for it.
    pub nodes: u64,
}

/// A position that a searcher is at, with what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The hash of the canonical position.
    pub hash: u64,
    /// Positions visited for it so far.
    pub nodes: u64,
}

/// The positions that searchers are at, by their hashes; one may hide another.
pub struct Busy {
    here: Vec<AtomicU64>,
    /// Those of other processes.
    elsewhere: Vec<u64>,
}

/// Places for those.
const BUSY: usize = 1 << 12;

impl Busy {
    /// Nobody is anywhere.
    pub fn new() -> Self {
        Self { here: (0..BUSY).map(|_| AtomicU64::new(0)).collect(), elsewhere: vec![0; BUSY] }
    }

    fn place(hash: u64) -> usize {
        (hash >> 40) as usize % BUSY
    }

    fn is_at(&self, hash: u64) -> bool {
        let place = Self::place(hash);
        self.here[place].load(Ordering::Relaxed) == hash || self.elsewhere[place] == hash
    }

    fn enter(&self, hash: u64) {
        self.here[Self::place(hash)].store(hash, Ordering::Relaxed);
    }

    fn leave(&self, hash: u64) {
        let _ = self.here[Self::place(hash)].compare_exchange(hash, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Searchers of other processes are there now, and nowhere else.
    pub fn note_elsewhere(&mut self, hashes: &[u64]) {
        self.elsewhere.fill(0);
        hashes.iter().for_each(|&hash| self.elsewhere[Self::place(hash)] = hash);
    }
}

impl Default for Busy {
    fn default() -> Self {
        Self::new()
    }
}

/// See the [module](self).
pub struct Searcher<const W: usize> {
    rules: Arc<Rules<W>>,
    /// The positions from the root to the one being searched.
    frames: Vec<Frame<W>>,
    /// The options still to be searched, a stretch for each frame; the one that is being searched is its last.
    open: Vec<Open<W>>,
    lists: Lists<W>,
    /// Which of equally small options it begins with.
    taste: u64,
    /// Positions visited.
    nodes: u64,
    /// Entries that took empty places of the table since the last [`take_new_entries`](Self::take_new_entries).
    new_entries: u64,
    findings: Vec<Finding<W>>,
    news: Vec<Told>,
    outcome: Option<Settled>,
}

/// A position on the way from the root.
struct Frame<const W: usize> {
    position: Ideal<W>,
    hash: u64,
    /// Where its open options begin.
    first: usize,
    /// Positions visited before it.
    began: u64,
    settled: Option<Settled>,
}

/// An option that is not known.
#[derive(Clone, Copy)]
struct Open<const W: usize> {
    position: Ideal<W>,
    hash: u64,
    size: u16,
    /// The element that the move takes.
    taken: u8,
}

/// Lists that serve one position after the other.
#[derive(Default)]
pub(super) struct Lists<const W: usize> {
    options: Vec<Ideal<W>>,
    taken: Vec<u8>,
    forms: Vec<Canonical<W>>,
    open: Vec<Open<W>>,
}

impl<const W: usize> Searcher<W> {
    /// A searcher that has nothing to do. Those of different tastes begin with different ones of equally small options.
    pub fn new(rules: Arc<Rules<W>>, taste: u64) -> Self {
        Self {
            rules,
            frames: Vec::new(),
            open: Vec::new(),
            lists: Lists::default(),
            taste,
            nodes: 0,
            new_entries: 0,
            findings: Vec::new(),
            news: Vec::new(),
            outcome: None,
        }
    }

    /// Begins the search of a canonical position with this hash; what it was at is given up.
    pub fn begin(&mut self, position: Ideal<W>, hash: u64, busy: &Busy) {
        self.frames.drain(..).for_each(|frame| busy.leave(frame.hash));
        self.open.clear();
        self.outcome = None;
        self.enter(position, hash, busy);
    }

    /// Searches until so many positions were visited in all, or the outcome is known.
    pub fn search(&mut self, table: &SettledTable, busy: &Busy, most: u64) -> Option<Settled> {
        self.give_up_settled(table, busy);
        while self.nodes < most {
            let Some(frame) = self.frames.last() else { return self.outcome };
            match frame.settled {
                Some(settled) => self.leave(settled, table, busy),
                None => self.go_on(table, busy),
            }
        }
        self.outcome
    }

    /// Positions visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How many entries of the table are new since the last call.
    pub fn take_new_entries(&mut self) -> u64 {
        std::mem::take(&mut self.new_entries)
    }

    /// What was settled with some work since the last call.
    pub fn take_findings(&mut self) -> std::vec::Drain<'_, Finding<W>> {
        self.findings.drain(..)
    }

    /// Everything that was settled since the last call, by hashes.
    pub fn take_news(&mut self) -> std::vec::Drain<'_, Told> {
        self.news.drain(..)
    }

    /// The positions on the way from the root to where it is.
    pub fn path(&self) -> impl Iterator<Item = At> + '_ {
        self.frames.iter().map(|frame| At { hash: frame.hash, nodes: self.nodes - frame.began })
    }

    /// Steps into a position that is not in the table.
    fn enter(&mut self, position: Ideal<W>, hash: u64, busy: &Busy) {
        busy.enter(hash);
        let frame = Frame { position, hash, first: self.open.len(), began: self.nodes, settled: None };
        self.frames.push(frame);
        self.nodes += 1;
    }

    /// Gives up what is below a position that somebody else has settled meanwhile.
    fn give_up_settled(&mut self, table: &SettledTable, busy: &Busy) {
        let settled = self.frames.iter().enumerate().find_map(|(at, frame)| Some((at, table.get(frame.hash)?)));
        let Some((at, settled)) = settled else { return };
        // The option that is being searched belongs to the frame that stays.
        let first = self.frames.get(at + 1).map_or(self.open.len(), |below| below.first);
        self.frames.drain(at + 1..).for_each(|frame| busy.leave(frame.hash));
        self.open.truncate(first);
        self.frames[at].settled = Some(settled);
    }

    fn leave(&mut self, settled: Settled, table: &SettledTable, busy: &Busy) {
        let Some(frame) = self.frames.pop() else { return };
        busy.leave(frame.hash);
        let nodes = self.nodes - frame.began;
        self.new_entries += u64::from(table.put(frame.hash, settled, nodes));
        self.news.push(Told { hash: frame.hash, settled, nodes });
        if settled.is_lost() || nodes >= WORTH_STORING {
            self.findings.push(Finding { position: frame.position, settled, nodes });
        }
        self.open.truncate(frame.first);
        match (self.frames.last_mut(), self.open.last()) {
            (Some(parent), Some(option)) if settled.is_lost() => parent.settled = Some(Settled::Won(option.taken)),
            (Some(_), _) => drop(self.open.pop()),
            (None, _) => self.outcome = Some(settled),
        }
    }

    /// Looks at the options of the last frame, or searches the next open one.
    fn go_on(&mut self, table: &SettledTable, busy: &Busy) {
        let Some(frame) = self.frames.last_mut() else { return };
        let first = frame.first;
        if frame.began + 1 == self.nodes && self.open.len() == first {
            // Entered just now.
            frame.settled = list_options(&self.rules, &frame.position, table, &mut self.lists);
            if frame.settled.is_some() {
                return;
            }
            let taste = self.taste;
            self.lists.open.sort_unstable_by_key(|option| (std::cmp::Reverse(option.size), option.hash ^ taste));
            self.open.append(&mut self.lists.open);
        } else if let Some(settled) = table.get(frame.hash) {
            // By somebody else, meanwhile.
            frame.settled = Some(settled);
            return;
        }
        while self.open.len() > first {
            let last = self.open.len() - 1;
            let free = (first..=last).rev().find(|&at| !busy.is_at(self.open[at].hash));
            self.open.swap(free.unwrap_or(last), last);
            let option = self.open[last];
            match table.get(option.hash) {
                Some(Settled::Lost) => {
                    frame.settled = Some(Settled::Won(option.taken));
                    return;
                }
                Some(Settled::Won(_)) => drop(self.open.pop()),
                None => return self.enter(option.position, option.hash, busy),
            }
        }
        frame.settled = Some(Settled::Lost);
    }
}

/// Looks all options of a canonical position up. Those that are not known are listed, each once, unless the outcome follows from
/// the others.
pub(super) fn list_options<const W: usize>(
    rules: &Rules<W>,
    position: &Ideal<W>,
    table: &SettledTable,
    lists: &mut Lists<W>,
) -> Option<Settled> {
    lists.open.clear();
    // Elements ascend by rank, so what is left after the first ones is smallest.
    let mut moves = rules.game().moves(*position);
    loop {
        lists.options.clear();
        lists.taken.clear();
        let mut is_last = true;
        for (x, left) in moves.by_ref() {
            match rules.know(left) {
                Known::Won => {}
                Known::Lost => return Some(Settled::Won(x as u8)),
                Known::Open(left) => {
                    lists.options.push(left);
                    lists.taken.push(x as u8);
                }
            }
            if lists.options.len() == TOGETHER {
                is_last = false;
                break;
            }
        }
        lists.forms.clear();
        rules.symmetry().canonical_batch(&lists.options, &mut lists.forms);
        let known = lists.open.len();
        for (form, &taken) in lists.forms.iter().zip(&lists.taken) {
            let hash = table.hash(&form.ideal);
            table.prefetch(hash);
            rules.prefetch(&form.ideal);
            lists.open.push(Open { position: form.ideal, hash, size: form.ideal.len() as u16, taken });
        }
        let mut kept = known;
        for at in known..lists.open.len() {
            let option = &lists.open[at];
            match table.get(option.hash).map(Settled::is_lost).or_else(|| rules.ask(&option.position)) {
                Some(true) => return Some(Settled::Won(option.taken)),
                Some(false) => {}
                None => {
                    lists.open.swap(kept, at);
                    kept += 1;
                }
            }
        }
        lists.open.truncate(kept);
        if is_last {
            break;
        }
    }
    lists.open.sort_unstable_by_key(|option| option.hash);
    lists.open.dedup_by_key(|option| option.hash);
    lists.open.is_empty().then_some(Settled::Lost)
}
