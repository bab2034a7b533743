//! The course of a job: which of its tasks can be done now, and what is to be done between them.
//!
//! ```text
//! bases of k - 1 ──enumerate──▶ candidates ──Merge──▶ bases of k
//! bases of k, values of k - 1 ──solve──▶ values of k ──Settle──▶ ──join──▶ ──Complete──▶ records of k ... ──Conclude──▶ certificate
//! of a game: all values, duals of k + 1 ──duals──▶ duals of k ──CompleteDuals──▶ ...
//! ```
//! A pure state machine: it is told what is stored, and says what follows. Layers are completed in order, for completing one
//! takes the values of the one below away. Of a game everything stays, for it is the result; and the duals, if there are any,
//! follow from the last layer down.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use antichain_common::job::estimation::Sampled;
use antichain_common::job::ruler::Surveyed;
use antichain_common::job::task::{Findings, Solved, Task, TaskKind};
use antichain_common::job::{Side, ValuedShard};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// A layer, cut into shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Of each shard the bases and the slots.
    pub shards: Vec<CutShard>,
    /// Edges that lead into the layer.
    pub edges: u64,
}

/// A shard of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutShard {
    /// Number of bases.
    pub bases: u64,
    /// Number of slots.
    pub slots: u64,
}

impl Cut {
    /// Bases of all shards.
    pub fn bases(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bases).sum()
    }

    /// Slots of all shards.
    pub fn slots(&self) -> u64 {
        self.shards.iter().map(|shard| shard.slots).sum()
    }
}

/// What all shards of a layer have together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of shards.
    pub shards: usize,
    /// Number of bases.
    pub bases: u64,
    /// Number of slots.
    pub slots: u64,
}

/// The stages of a job's layers that the course asks about.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Number of the last base layer.
    pub last_layer: usize,
    /// Whether there are values.
    pub has_values: bool,
    /// Whether larger ideals of the game are valued by their duals.
    pub has_duals: bool,
    /// For each layer the one that the duals of its ideals are in, where e(P) is joined over it.
    pub duals: Vec<Option<usize>>,
}

/// What is to be done by the coordinator itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Merge the candidates of a layer, and cut it.
    Merge(usize),
    /// Give all values of a layer the same width.
    Settle(usize),
    /// Store the records of a layer, and take away what is not needed any more.
    Complete(usize),
    /// All duals over a layer are valued.
    CompleteDuals(usize),
    /// Forget what was settled: it contradicts itself.
    BeginAnew,
    /// Make the certificate.
    Conclude,
}

/// What follows from what is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// Tasks that can be done now.
    pub tasks: Vec<Task>,
    /// Steps that can be done now.
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, Default)]
struct Layer {
    cut: Option<Cut>,
    /// Of the cut: every task asks for them, and there may be very many shards.
    totals: Totals,
    /// Edges from each shard of the layer below.
    enumerated: BTreeMap<usize, u64>,
    solved: BTreeMap<usize, Solved>,
    /// The same where a layer are types of set partitions.
    surveyed: BTreeMap<usize, Surveyed>,
    /// The same where shards are groups of batches of an estimate.
    sampled: BTreeMap<usize, Sampled>,
    /// Limbs of a value of the layer, once it is the same for all shards.
    width: Option<usize>,
    joined: BTreeMap<usize, BigUint>,
    duals: BTreeMap<usize, ValuedShard>,
    are_duals_complete: bool,
    is_complete: bool,
    /// What was handed out already.
    issued: Issued,
}

impl Layer {
    fn set_cut(&mut self, cut: Cut) {
        self.totals = Totals { shards: cut.shards.len(), bases: cut.bases(), slots: cut.slots() };
        self.cut = Some(cut);
    }

    fn is_solved(&self, shard: usize) -> bool {
        self.solved.contains_key(&shard) || self.surveyed.contains_key(&shard) || self.sampled.contains_key(&shard)
    }

    /// Number of shards that are.
    fn all_solved(&self) -> usize {
        self.solved.len() + self.surveyed.len() + self.sampled.len()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Issued {
    enumerate: bool,
    merge: bool,
    solve: bool,
    settle: bool,
    join: bool,
    complete: bool,
    duals: bool,
    complete_duals: bool,
}

/// The course of a job that is cut into tasks.
#[derive(Clone, Debug)]
pub struct Course {
    shape: Shape,
    layers: Vec<Layer>,
    /// The first layer that is not complete.
    open: usize,
    /// Number of layers over which all duals are valued, from the last one down.
    duals_done: usize,
    concluding: bool,
}

impl Course {
    /// Nothing is known but the layer of the empty base.
    pub fn new(shape: Shape, first: Cut) -> Self {
        let mut layers = vec![Layer::default(); shape.last_layer + 1];
        layers[0].set_cut(first);
        Self { shape, layers, open: 0, duals_done: 0, concluding: false }
    }

    /// A layer was merged and cut.
    pub fn set_cut(&mut self, layer: usize, cut: Cut) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.set_cut(cut);
        }
    }

    /// The findings of a task are stored. Those of another kind than the task's are passed over.
    pub fn add(&mut self, task: Task, findings: Findings) {
        let Some(layer) = self.layers.get_mut(task.layer) else { return };
        match findings {
            Findings::Enumerated { edges } => {
                layer.enumerated.insert(task.shard, edges);
            }
            Findings::Solved(solved) => {
                layer.solved.insert(task.shard, solved);
            }
            Findings::Joined { joined } => {
                layer.joined.insert(task.shard, joined);
            }
            Findings::Duals(valued) => {
                layer.duals.insert(task.shard, valued);
            }
            Findings::Surveyed(surveyed) => {
                layer.surveyed.insert(task.shard, surveyed);
            }
            Findings::Sampled(sampled) => {
                layer.sampled.insert(task.shard, sampled);
            }
            Findings::Whole(_) | Findings::Searched(_) | Findings::Proved(_) | Findings::Confused => {}
        }
    }

    /// All values of a layer have this width now.
    pub fn settle(&mut self, layer: usize, width: usize) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.width = Some(width);
        }
    }

    /// A layer's records are stored, and its findings need not be kept: but for batches, which have no other record.
    pub fn complete(&mut self, layer: usize, width: usize) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.is_complete = true;
            layer.width = Some(width);
            layer.enumerated = BTreeMap::new();
            layer.joined = BTreeMap::new();
            layer.surveyed = BTreeMap::new();
            layer.solved = BTreeMap::new();
        }
        while self.layers.get(self.open).is_some_and(|layer| layer.is_complete) {
            self.open += 1;
        }
    }

    /// All duals over a layer are valued.
    pub fn complete_duals(&mut self, layer: usize) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.are_duals_complete = true;
        }
        while self.next_duals().is_some_and(|layer| self.layers[layer].are_duals_complete) {
            self.duals_done += 1;
        }
    }

    /// The layer whose duals are valued next.
    fn next_duals(&self) -> Option<usize> {
        let is_open = self.shape.has_duals && self.open == self.layers.len();
        self.shape.last_layer.checked_sub(self.duals_done).filter(|_| is_open)
    }

    /// What can be done now and was not said before.
    pub fn advance(&mut self) -> Next {
        let mut next = Next::default();
        for number in self.open..self.layers.len() {
            self.next_of_layer(number, &mut next);
        }
        if let Some(number) = self.next_duals() {
            let layer = &mut self.layers[number];
            let shards = layer.totals.shards;
            if !std::mem::replace(&mut layer.issued.duals, true) {
                let tasks = (0..shards).map(|shard| Task { kind: TaskKind::Duals, layer: number, shard });
                next.tasks.extend(tasks.filter(|task| !layer.duals.contains_key(&task.shard)));
            }
            if layer.duals.len() == shards && !std::mem::replace(&mut layer.issued.complete_duals, true) {
                next.steps.push(Step::CompleteDuals(number));
            }
        }
        if self.is_complete() && !self.concluding {
            self.concluding = true;
            next.steps.push(Step::Conclude);
        }
        next
    }

    fn next_of_layer(&mut self, number: usize, next: &mut Next) {
        let below = number.checked_sub(1).map(|below| &self.layers[below]);
        let shards_below = below.and_then(|below| below.cut.as_ref()).map(|cut| cut.shards.len());
        let values_below = !self.shape.has_values || below.is_none_or(|below| below.width.is_some());
        let complete_below = below.is_none_or(|below| below.is_complete);
        let duals = self.shape.duals.get(number).copied().flatten();
        let duals_are_there = duals.is_some_and(|duals| self.layers[duals].width.is_some());
        let layer = &mut self.layers[number];
        let tasks = |kind, shards: usize| (0..shards).map(move |shard| Task { kind, layer: number, shard });
        if let (None, Some(shards)) = (&layer.cut, shards_below) {
            if !std::mem::replace(&mut layer.issued.enumerate, true) {
                let open =
                    tasks(TaskKind::Enumerate, shards).filter(|task| !layer.enumerated.contains_key(&task.shard));
                next.tasks.extend(open);
            }
            if layer.enumerated.len() == shards && !std::mem::replace(&mut layer.issued.merge, true) {
                next.steps.push(Step::Merge(number));
            }
        }
        let Some(shards) = layer.cut.as_ref().map(|cut| cut.shards.len()).filter(|_| !layer.is_complete) else {
            return;
        };
        if values_below && !std::mem::replace(&mut layer.issued.solve, true) {
            next.tasks.extend(tasks(TaskKind::Solve, shards).filter(|task| !layer.is_solved(task.shard)));
        }
        if layer.all_solved() == shards && !std::mem::replace(&mut layer.issued.settle, true) {
            next.steps.push(Step::Settle(number));
        }
        if layer.width.is_none() {
            return;
        }
        if duals_are_there && !std::mem::replace(&mut layer.issued.join, true) {
            next.tasks.extend(tasks(TaskKind::Join, shards).filter(|task| !layer.joined.contains_key(&task.shard)));
        }
        let joined = duals.is_none() || layer.joined.len() == shards;
        if joined && complete_below && !std::mem::replace(&mut layer.issued.complete, true) {
            next.steps.push(Step::Complete(number));
        }
    }

    /// The tasks that were said to be possible and are not done: those to go on with after a pause.
    pub fn open_tasks(&self) -> Vec<Task> {
        let mut open = Vec::new();
        if let Some(number) = self.next_duals() {
            let layer = &self.layers[number];
            let shards =
                (0..layer.totals.shards).filter(|shard| layer.issued.duals && !layer.duals.contains_key(shard));
            open.extend(shards.map(|shard| Task { kind: TaskKind::Duals, layer: number, shard }));
        }
        for (number, layer) in self.layers.iter().enumerate().skip(self.open) {
            let mut add = |kind, shards: usize, done: &dyn Fn(usize) -> bool| {
                let shards = (0..shards).filter(|&shard| !done(shard));
                open.extend(shards.map(|shard| Task { kind, layer: number, shard }));
            };
            let shards = layer.cut.as_ref().map_or(0, |cut| cut.shards.len());
            let below = number.checked_sub(1).and_then(|below| self.layers[below].cut.as_ref());
            if let (true, None, Some(below)) = (layer.issued.enumerate, &layer.cut, below) {
                add(TaskKind::Enumerate, below.shards.len(), &|shard| layer.enumerated.contains_key(&shard));
            }
            if layer.issued.solve && layer.width.is_none() {
                add(TaskKind::Solve, shards, &|shard| layer.is_solved(shard));
            }
            if layer.issued.join && !layer.is_complete {
                add(TaskKind::Join, shards, &|shard| layer.joined.contains_key(&shard));
            }
        }
        open
    }

    /// Whether every layer is complete.
    pub fn is_complete(&self) -> bool {
        let duals = if self.shape.has_duals { self.layers.len() } else { 0 };
        (self.open, self.duals_done) == (self.layers.len(), duals)
    }

    /// The layer at work, or the last one: those of duals are counted on from the others.
    pub fn turn(&self) -> usize {
        (self.open + self.duals_done).min(self.last_turn())
    }

    /// The last layer in that count.
    pub fn last_turn(&self) -> usize {
        let side = if self.shape.has_duals { Side::Upper } else { Side::Lower };
        let layer = if self.shape.has_duals { 0 } else { self.shape.last_layer };
        side.turn(layer, self.shape.last_layer)
    }

    /// Whether there are values.
    pub fn has_values(&self) -> bool {
        self.shape.has_values
    }

    /// How a layer is cut, once that is known.
    pub fn cut(&self, layer: usize) -> Option<&Cut> {
        self.layers.get(layer)?.cut.as_ref()
    }

    /// What a layer has in all; nothing as long as it is not cut.
    pub fn totals(&self, layer: usize) -> Totals {
        self.layers.get(layer).map(|layer| layer.totals).unwrap_or_default()
    }

    /// Limbs of a value of a layer, once all its shards are solved.
    pub fn width(&self, layer: usize) -> Option<usize> {
        self.layers.get(layer)?.width
    }

    /// The least width that all shards of a solved layer fit.
    pub fn width_of_solved(&self, layer: usize) -> usize {
        let widths = self.layers[layer].solved.values().filter_map(|solved| solved.values.as_ref());
        widths.map(|values| values.width).max().unwrap_or(1)
    }

    /// Edges that led from each shard into a layer that is being merged.
    pub fn edges(&self, layer: usize) -> u64 {
        self.layers[layer].enumerated.values().sum()
    }

    /// What was found of a layer, by shard.
    pub fn solved(&self, layer: usize) -> impl Iterator<Item = &Solved> {
        self.layers[layer].solved.values()
    }

    /// What was found of the types that a layer are, by shard.
    pub fn surveyed(&self, layer: usize) -> impl Iterator<Item = &Surveyed> {
        self.layers[layer].surveyed.values()
    }

    /// The groups of batches that are the shards of a layer.
    pub fn sampled(&self, layer: usize) -> impl Iterator<Item = &Sampled> {
        self.layers[layer].sampled.values()
    }

    /// What was found of the duals over a layer, by shard.
    pub fn duals(&self, layer: usize) -> impl Iterator<Item = &ValuedShard> {
        self.layers[layer].duals.values()
    }

    /// Whether all duals over a layer are valued.
    pub fn has_all_duals(&self, layer: usize) -> bool {
        self.layers.get(layer).is_some_and(|layer| layer.are_duals_complete)
    }

    /// What a layer gives to e(P).
    pub fn joined(&self, layer: usize) -> BigUint {
        self.layers[layer].joined.values().sum()
    }
}
