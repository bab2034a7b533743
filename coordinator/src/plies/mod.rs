//! The upper plies of a search: which positions are searched next, and what follows from what was found.
//!
//! ```text
//! the position ── lost if all options are won, won if one is lost
//!   ├── option, won
//!   ├── option, searched by a worker
//!   └── option, split: too few positions are left for all workers
//!         ├── reply ...
//! ```
//! A pure state machine. A leaf is a position that is searched as a whole, for some nodes at a time: the cheapest first, as a
//! searcher takes them, for what is settled on the way makes the others cheaper, and the first that is lost makes them needless.
//! So what a first short order does not settle is searched by some workers together, and each tells the others where it is. When
//! no leaf has room for one more, the dearest is split: its options are leaves then, and who searches it goes on.

mod model;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use antichain_common::job::search::{Options, Order, Searched};
use serde::{Deserialize, Serialize};

pub use model::CostModel;

/// Nodes of an order: one or two seconds of a thread at first, and then a part of what was visited so far, so that orders
/// become fewer, up to a minute.
const LEAST_NODES: u64 = 1 << 18;
const PART_OF_VISITED: u64 = 64;
const MOST_NODES: u64 = 1 << 23;

/// Nodes of the first order about a leaf: some hundredths of a second. Most leaves are settled then.
const FIRST_NODES: u64 = 1 << 12;
/// Workers that search the same leaf, at most: the more they are, the more they do twice.
const MOST_TOGETHER: usize = 4;

/// What the options of a position are; `None` if that cannot be said.
pub type Expand<'a> = &'a dyn Fn(&str) -> Option<Options>;

/// What became of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Open,
    Lost,
    Won,
}

impl Standing {
    fn of(is_lost: bool) -> Self {
        if is_lost { Self::Lost } else { Self::Won }
    }
}

/// A position.
#[derive(Debug)]
struct Ply {
    position: String,
    size: usize,
    standing: Standing,
    /// Nodes of the orders about it.
    visited: u64,
    /// The orders about it that somebody has.
    orders: usize,
    /// Once it is split.
    options: Option<Vec<usize>>,
    parents: Vec<usize>,
}

impl Ply {
    /// Whether one more worker may search it.
    fn has_room(&self) -> bool {
        self.orders < if self.visited == 0 { 1 } else { MOST_TOGETHER }
    }
}

/// How many positions are settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub all: u64,
    /// Those that whoever is to move wins.
    pub won: u64,
    /// Those that he loses.
    pub lost: u64,
}

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PliesStatus {
    /// Positions visited.
    pub nodes: u64,
    /// Positions that are stored.
    pub settled: u64,
    /// Options of the position.
    pub options: Tally,
    /// Options of options that were split.
    pub replies: Tally,
    /// Positions in the hands of workers.
    pub searched_now: Vec<String>,
    /// Nodes in all, as predicted first and now.
    pub predicted: (f64, f64),
    /// What that is predicted by.
    pub model: CostModel,
    /// Whether the outcome is known.
    pub proving: bool,
}

/// What is stored of the plies besides the results of orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PliesRecord {
    /// Salt of the hashes: the number of times that the search began anew.
    pub salt: u64,
    /// Positions that were split, each after the one that it is an option of.
    pub split: Vec<String>,
}

/// See the [module](self).
#[derive(Debug)]
pub struct Plies {
    plies: Vec<Ply>,
    index: HashMap<String, usize>,
    record: PliesRecord,
    model: CostModel,
    /// Orders that are not answered, with what they are about.
    orders: BTreeMap<usize, (usize, Order)>,
    next_order: usize,
    nodes: u64,
    settled: u64,
    predicted_first: f64,
}

impl Plies {
    /// A position of so many elements, of which a plan predicts so many nodes. No number of an order below `next_order` is
    /// given out.
    pub fn new((position, size): (String, usize), predicted: f64, record: &PliesRecord, next_order: usize) -> Self {
        let mut plies = Self {
            plies: Vec::new(),
            index: HashMap::new(),
            record: PliesRecord { salt: record.salt, split: Vec::new() },
            model: CostModel::new(size, predicted),
            orders: BTreeMap::new(),
            next_order,
            nodes: 0,
            settled: 0,
            predicted_first: predicted,
        };
        plies.ply(position, size);
        plies
    }

    /// Splits what a record says was split.
    pub fn restore(&mut self, record: &PliesRecord, expand: Expand<'_>) {
        for position in &record.split {
            if let Some(&ply) = self.index.get(position) {
                self.split(ply, expand);
            }
        }
    }

    /// What is to be stored.
    pub fn record(&self) -> &PliesRecord {
        &self.record
    }

    /// Whether the position is lost, if that is known.
    pub fn outcome(&self) -> Option<bool> {
        match self.plies[0].standing {
            Standing::Open => None,
            standing => Some(standing == Standing::Lost),
        }
    }

    /// Nodes of all orders that are answered.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What an order is about.
    pub fn order(&self, number: usize) -> Option<&Order> {
        self.orders.get(&number).map(|(_, order)| order)
    }

    /// The orders that somebody has or is to have.
    pub fn open_orders(&self) -> impl Iterator<Item = usize> {
        self.orders.keys().copied()
    }

    /// Orders that nothing depends on any more.
    pub fn idle_orders(&self) -> Vec<usize> {
        let mut needed = HashSet::new();
        self.visit(&mut |ply| {
            needed.insert(ply);
        });
        self.orders.iter().filter(|(_, (ply, _))| !needed.contains(ply)).map(|(&number, _)| number).collect()
    }

    /// An order is not wanted any more.
    pub fn withdraw(&mut self, number: usize) {
        if let Some((ply, _)) = self.orders.remove(&number) {
            self.plies[ply].orders -= 1;
        }
    }

    /// A new order for a worker of so many threads: its number.
    pub fn give(&mut self, threads: u32, expand: Expand<'_>) -> Option<usize> {
        let ply = self.choose(expand)?;
        let nodes = match self.plies[ply].visited {
            0 => FIRST_NODES,
            _ => (self.nodes / PART_OF_VISITED).clamp(LEAST_NODES, MOST_NODES),
        };
        let nodes = nodes * u64::from(threads.max(1));
        let number = self.next_order;
        self.next_order += 1;
        let order = Order { position: self.plies[ply].position.clone(), nodes, salt: self.record.salt };
        self.orders.insert(number, (ply, order));
        self.plies[ply].orders += 1;
        Some(number)
    }

    /// An order was answered, in this process or before.
    pub fn answer(&mut self, number: usize, searched: &Searched) {
        self.withdraw(number);
        self.next_order = self.next_order.max(number + 1);
        self.nodes += searched.nodes;
        self.settled += searched.settled;
        // Of a search that began anew, or of a ply that is not split any more: it costs nothing but what was visited.
        let Some(&ply) = self.index.get(&searched.position) else { return };
        self.plies[ply].visited += searched.nodes;
        if let Some(is_lost) = searched.is_lost {
            if self.plies[ply].standing == Standing::Open {
                self.model.learn(self.plies[ply].size, self.plies[ply].visited);
            }
            self.settle(ply, is_lost);
        }
    }

    /// How far it is.
    pub fn status(&self) -> PliesStatus {
        let tally = |plies: &mut dyn Iterator<Item = usize>| {
            let mut tally = Tally::default();
            for ply in plies {
                tally.all += 1;
                tally.won += u64::from(self.plies[ply].standing == Standing::Won);
                tally.lost += u64::from(self.plies[ply].standing == Standing::Lost);
            }
            tally
        };
        let options = || self.plies[0].options.iter().flatten().copied();
        let replies: HashSet<usize> =
            options().filter_map(|ply| self.plies[ply].options.as_ref()).flatten().copied().collect();
        PliesStatus {
            nodes: self.nodes,
            settled: self.settled,
            options: tally(&mut options()),
            replies: tally(&mut replies.into_iter()),
            searched_now: self.orders.values().map(|(_, order)| order.position.clone()).collect(),
            predicted: (self.predicted_first, self.predicted_now()),
            model: self.model.clone(),
            proving: self.outcome().is_some(),
        }
    }

    /// Nodes in all, as far as is known now.
    pub fn predicted_now(&self) -> f64 {
        let mut left = 0.0;
        self.visit(&mut |ply| {
            if self.plies[ply].options.is_none() {
                left += (self.model.nodes(self.plies[ply].size) - self.plies[ply].visited as f64).max(1.0);
            }
        });
        self.nodes as f64 + left
    }

    /// The number of a position, new or not.
    fn ply(&mut self, position: String, size: usize) -> usize {
        if let Some(&known) = self.index.get(&position) {
            return known;
        }
        let ply = Ply {
            position: position.clone(),
            size,
            standing: Standing::Open,
            visited: 0,
            orders: 0,
            options: None,
            parents: Vec::new(),
        };
        self.plies.push(ply);
        self.index.insert(position, self.plies.len() - 1);
        self.plies.len() - 1
    }

    /// A leaf for one more worker.
    fn choose(&mut self, expand: Expand<'_>) -> Option<usize> {
        // The position itself is split at once: it is the same search, with more to hand out.
        if self.plies[0].options.is_none() {
            self.split(0, expand);
        }
        loop {
            if self.outcome().is_some() {
                return None;
            }
            let mut leaves = Vec::new();
            self.visit(&mut |ply| {
                if self.plies[ply].options.is_none() {
                    leaves.push(ply);
                }
            });
            if let Some(&ply) = leaves.iter().find(|&&ply| self.plies[ply].has_room()) {
                return Some(ply);
            }
            // What cannot be split is left to who has it.
            let cost = |&ply: &usize| (self.plies[ply].size, ply);
            let mut dearest = leaves;
            dearest.sort_by_key(|ply| std::cmp::Reverse(cost(ply)));
            dearest.into_iter().find(|&ply| self.split(ply, expand))?;
        }
    }

    /// Makes the options of a leaf leaves; `false` if it is none, or cannot be split.
    fn split(&mut self, ply: usize, expand: Expand<'_>) -> bool {
        if self.plies[ply].options.is_some() || self.plies[ply].standing != Standing::Open {
            return false;
        }
        let position = self.plies[ply].position.clone();
        match expand(&position) {
            None => false,
            Some(Options::Settled { is_lost }) => {
                self.settle(ply, is_lost);
                true
            }
            Some(Options::Open(options)) => {
                let options: Vec<usize> =
                    options.into_iter().map(|option| self.ply(option.position, option.size)).collect();
                options.iter().for_each(|&option| self.plies[option].parents.push(ply));
                self.plies[ply].options = Some(options);
                self.record.split.push(position);
                self.conclude(ply);
                true
            }
        }
    }

    fn settle(&mut self, ply: usize, is_lost: bool) {
        if self.plies[ply].standing != Standing::Open {
            return;
        }
        self.plies[ply].standing = Standing::of(is_lost);
        for parent in self.plies[ply].parents.clone() {
            self.conclude(parent);
        }
    }

    /// What follows for a position that is split.
    fn conclude(&mut self, ply: usize) {
        let Some(options) = &self.plies[ply].options else { return };
        let standings = || options.iter().map(|&option| self.plies[option].standing);
        if standings().any(|standing| standing == Standing::Lost) {
            self.settle(ply, false);
        } else if standings().all(|standing| standing == Standing::Won) {
            self.settle(ply, true);
        }
    }

    /// Visits every position that the outcome still depends on, the cheapest options first.
    fn visit(&self, visit: &mut dyn FnMut(usize)) {
        let mut seen = HashSet::new();
        let mut open = vec![0];
        while let Some(ply) = open.pop() {
            if self.plies[ply].standing != Standing::Open || !seen.insert(ply) {
                continue;
            }
            visit(ply);
            open.extend(self.plies[ply].options.iter().flatten().rev());
        }
    }
}
