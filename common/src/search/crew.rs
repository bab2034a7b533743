//! Searchers of one process with a common table.

use std::sync::Arc;

use super::prove::Entry;
use super::rules::{Known, Rules};
use super::searcher::{At, Busy, Finding, Searcher, Told};
use super::table::{Settled, SettledTable};
use crate::ideal::Ideal;

/// Positions that each of several searchers visits before all of them meet, and hear from others: some milliseconds.
const TURN: u64 = 1 << 10;
/// Those of a searcher that has no others to wait for.
const TURN_ALONE: u64 = 1 << 8;

/// What searchers of other processes have said.
#[derive(Debug, Default)]
pub struct Heard {
    /// What they have settled.
    pub settled: Vec<Told>,
    /// Where they are, by hashes, if they have said so since the last turn.
    pub busy: Option<Vec<u64>>,
}

/// A proof that is being made.
#[derive(Clone, Copy)]
pub struct ProofSoFar<'a, const W: usize> {
    /// Lost positions with their reasons, in the order in which they were found, but for those that were given.
    pub entries: &'a [Entry<W>],
    /// Number of all that have their reasons.
    pub explained: usize,
    /// Number of those that are known to belong to it, with reasons or without.
    pub listed: usize,
}

/// What a crew has to say after a turn.
pub struct Turn<'a, const W: usize> {
    /// Positions visited since the search began.
    pub nodes: u64,
    /// What was settled in this turn with some work.
    pub findings: &'a [Finding<W>],
    /// The proof as far as it is made; `None` while a position is searched.
    pub proof: Option<ProofSoFar<'a, W>>,
    /// Everything that was settled in this turn, for others.
    pub news: &'a [Told],
    /// Where the searchers are, each from its root on.
    pub path: &'a [At],
    /// To be filled with what others have said.
    pub heard: &'a mut Heard,
}

/// Some searchers and their table.
pub struct Crew<const W: usize> {
    rules: Arc<Rules<W>>,
    table: SettledTable,
    entries: u64,
    busy: Busy,
    searchers: Vec<Searcher<W>>,
    news: Vec<Told>,
    path: Vec<At>,
    heard: Heard,
}

impl<const W: usize> Crew<W> {
    /// So many searchers, with a table of at most so many bytes and a salt for its hashes.
    pub fn new(rules: Arc<Rules<W>>, threads: usize, (most_bytes, salt): (u64, u64)) -> Self {
        Self::with_taste(rules, (threads, 0), (most_bytes, salt))
    }

    /// The same: crews of different tastes do not begin everywhere with the same options.
    pub fn with_taste(rules: Arc<Rules<W>>, (threads, taste): (usize, u64), (most_bytes, salt): (u64, u64)) -> Self {
        let searchers = (0..threads.max(1)).map(|_| Searcher::new(rules.clone(), taste)).collect();
        Self {
            rules,
            table: SettledTable::new(most_bytes, salt),
            entries: 0,
            busy: Busy::new(),
            searchers,
            news: Vec::new(),
            path: Vec::new(),
            heard: Heard::default(),
        }
    }

    /// The table.
    pub fn table(&self) -> &SettledTable {
        &self.table
    }

    /// Positions visited by all searchers.
    pub fn nodes(&self) -> u64 {
        self.searchers.iter().map(Searcher::nodes).sum()
    }

    /// The number of searchers.
    pub fn threads(&self) -> usize {
        self.searchers.len()
    }

    /// The game.
    pub fn rules(&self) -> &Arc<Rules<W>> {
        &self.rules
    }

    /// Takes in what was settled before or elsewhere.
    pub fn tell(&mut self, finding: &Finding<W>) {
        let Finding { position, settled, nodes } = *finding;
        self.take_in(Told { hash: self.table.hash(&position), settled, nodes });
    }

    fn take_in(&mut self, told: Told) {
        self.entries += u64::from(self.table.put(told.hash, told.settled, told.nodes));
        self.make_room();
    }

    /// Says how far it is, and takes in what is said. Returns whether to go on.
    pub(super) fn meet(
        &mut self,
        findings: &[Finding<W>],
        proof: Option<ProofSoFar<'_, W>>,
        goes_on: &mut dyn FnMut(Turn<'_, W>) -> bool,
    ) -> bool {
        let mut heard = std::mem::take(&mut self.heard);
        self.news.clear();
        self.searchers.iter_mut().for_each(|searcher| self.news.extend(searcher.take_news()));
        self.path.clear();
        self.path.extend(self.searchers.iter().flat_map(Searcher::path));
        let (nodes, news, path) = (self.nodes(), &*self.news, &*self.path);
        let goes_on = goes_on(Turn { nodes, findings, proof, news, path, heard: &mut heard });
        heard.settled.drain(..).for_each(|told| self.take_in(told));
        if let Some(busy) = heard.busy.take() {
            self.busy.note_elsewhere(&busy);
        }
        self.heard = heard;
        goes_on
    }

    /// Whether the player to move loses a position, as far as is known without a search.
    pub fn is_lost(&self, position: Ideal<W>) -> Option<bool> {
        match self.rules.know(position) {
            Known::Lost => Some(true),
            Known::Won => Some(false),
            Known::Open(position) => {
                let canonical = self.rules.symmetry().canonical(position).ideal;
                let settled = self.table.get(self.table.hash(&canonical));
                settled.map(Settled::is_lost).or_else(|| self.rules.ask(&canonical))
            }
        }
    }

    /// Whether the player to move loses a position; `None` if `goes_on`, asked after every turn, said no.
    pub fn settle(&mut self, position: Ideal<W>, goes_on: &mut dyn FnMut(Turn<'_, W>) -> bool) -> Option<bool> {
        if let Some(is_lost) = self.is_lost(position) {
            return Some(is_lost);
        }
        let Known::Open(position) = self.rules.know(position) else { return None };
        let position = self.rules.symmetry().canonical(position).ideal;
        let hash = self.table.hash(&position);
        for searcher in &mut self.searchers {
            searcher.begin(position, hash, &self.busy);
        }
        let mut findings = Vec::new();
        let mut turns = 0;
        loop {
            // Most searches on the way of a proof are over before a thread would have begun.
            let searchers = if turns == 0 { 1 } else { self.searchers.len() };
            let outcome = self.take_turn(searchers);
            turns += 1;
            findings.clear();
            self.searchers.iter_mut().for_each(|searcher| findings.extend(searcher.take_findings()));
            let goes_on = self.meet(&findings, None, goes_on);
            if let Some(outcome) = outcome.or_else(|| self.table.get(hash)) {
                return Some(outcome.is_lost());
            }
            if !goes_on {
                return None;
            }
        }
    }

    /// Lets the first so many searchers go on.
    fn take_turn(&mut self, searchers: usize) -> Option<Settled> {
        let (table, busy) = (&self.table, &self.busy);
        let nodes = if searchers == 1 { TURN_ALONE } else { TURN };
        let turn = |searcher: &mut Searcher<W>| {
            let most = searcher.nodes() + nodes;
            searcher.search(table, busy, most)
        };
        let outcome = match &mut self.searchers[..searchers] {
            [alone] => turn(alone),
            all => std::thread::scope(|scope| {
                let others: Vec<_> = all.iter_mut().map(|searcher| scope.spawn(|| turn(searcher))).collect();
                let ends = others.into_iter().map(|other| other.join());
                let ends: Vec<_> =
                    ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect();
                ends.into_iter().flatten().next()
            }),
        };
        self.entries += self.searchers.iter_mut().map(Searcher::take_new_entries).sum::<u64>();
        self.make_room();
        outcome
    }

    /// Lets the table grow when more than half of it is taken.
    fn make_room(&mut self) {
        while self.entries > self.table.places() / 2 && self.table.grow() {}
    }
}
