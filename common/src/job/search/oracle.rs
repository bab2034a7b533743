//! Tables of a store as oracles of a search: the lost positions of finished tables, and of the layers of those that are
//! not finished.
//!
//! The oracle is asked for canonical forms of the poset of the search, so that a look-up costs the search no more than a
//! fetch from memory. What is read is therefore written anew: subsets of points are told by other numbers in another
//! lattice, and what does not fit there is left out.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::translation::Translation;
use crate::ideal::Ideal;
use crate::job::certificate::Certificate;
use crate::job::positions::of_value::{Unread, ValuedShards};
use crate::job::positions::records::{POSITIONS, PositionLayer, Positions, Side};
use crate::job::records::{JOB_FORMAT, JobRecord, JobState};
use crate::job::{JobError, JobId, Method, Question, catalogue};
use crate::parallel::crew;
use crate::poset::Poset;
use crate::search::oracle::{Oracle, Reach};
use crate::search::small::SMALL;
use crate::store::{Store, StoreError};
use crate::symmetry::{Canonicaliser, Isa};
use crate::watch::Interrupt;

/// Values that a thread reads in a second, with the canonical forms of the lost positions among them, about.
const VALUES_OF_A_SECOND: f64 = 3e7;
/// Canonical forms that are found together.
const TOGETHER: usize = 1 << 10;
/// The value of a lost position.
const LOST: u8 = 0;

/// A table, and what it adds.
struct Source {
    job: JobId,
    space: String,
    poset: Poset,
    method: Method,
    translation: Translation,
    /// Its layers in use.
    layers: Vec<PositionLayer>,
    /// The largest number of points and of members of its positions.
    points: usize,
    members: usize,
    /// Lost positions among them.
    lost: u64,
}

impl Source {
    /// Which positions are known, if a layer is damaged.
    fn reach(&self, damaged: Option<(Side, usize)>) -> Reach {
        match damaged {
            None => Reach::of(self.points, self.members),
            // A position has no fewer members than its base.
            Some((Side::Lower, 0)) => Reach::default(),
            Some((Side::Lower, layer)) => Reach::of(self.points, self.members.min(layer - 1)),
            Some((Side::Upper, _)) => Reach::of(self.points, self.members.min(self.method.top())),
        }
    }
}

/// The tables that help one search.
pub(super) struct Sources<'a> {
    store: &'a Store,
    poset: &'a Poset,
    sources: Vec<Source>,
}

impl<'a> Sources<'a> {
    /// The tables of a store that know positions of a poset, in at most so many bytes of memory.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn find(store: &'a Store, poset: &'a Poset, memory: u64) -> Result<Self, JobError> {
        let mut found = Self { store, poset, sources: Vec::new() };
        // Smaller ones need no table.
        if poset.sets().is_some_and(|(points, _)| points <= SMALL as usize) {
            return Ok(found);
        }
        let mut candidates = Vec::new();
        for job in catalogue::jobs(store)? {
            let is_table = matches!(job.spec.question, Question::Outcome | Question::Grundy);
            if is_table && job.spec.position.is_none() {
                candidates.extend(found.source(&job.job, memory)?);
            }
        }
        candidates.sort_by_key(|source| std::cmp::Reverse((source.members == source.poset.len(), source.lost)));
        let mut reach = Reach::default();
        for source in candidates {
            let more = reach.or(&source.reach(None));
            let bytes = Oracle::bytes_for(found.lost().saturating_add(source.lost));
            if more != reach && bytes <= memory {
                reach = more;
                found.sources.push(source);
            }
        }
        Ok(found)
    }

    /// What the table of a job knows, if it is one that serves.
    fn source(&self, job: &JobId, memory: u64) -> Result<Option<Source>, StoreError> {
        let Some(record) = JobRecord::load(self.store, job)?.filter(|record| record.format == JOB_FORMAT) else {
            return Ok(None);
        };
        let Ok(poset) = record.spec.poset.parse::<Poset>() else { return Ok(None) };
        let Some(translation) = Translation::new(&poset, self.poset) else { return Ok(None) };
        let is_finished = record.state == JobState::Finished;
        let positions = match Certificate::load(self.store, job)?.filter(|_| is_finished) {
            Some(certificate) => certificate.positions,
            None => self.store.document(&job.0, POSITIONS)?,
        };
        let Some(Positions { mut layers, counts }) = positions else { return Ok(None) };
        let lost = |size: usize| {
            let orbits = counts.iter().filter(|count| (count.size, count.value) == (size, LOST));
            orbits.map(|count| u64::try_from(&count.orbits).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
        };
        let in_order = layers.iter().enumerate();
        let lower = in_order.take_while(|(at, layer)| (layer.side, layer.layer) == (Side::Lower, *at)).count();
        // Those of the lower side, or all.
        let top = record.method.top();
        let sizes = if layers.len() == 2 * (top + 1) { poset.len() + 1 } else { lower.min(top + 1) };
        // As many as there is memory for.
        let mut all = 0u64;
        let fits = |&size: &usize| {
            all = all.saturating_add(lost(size));
            Oracle::bytes_for(all) <= memory
        };
        let fitting = (0..sizes).take_while(fits).count();
        let sizes = if fitting == sizes { sizes } else { fitting.min(top + 1) };
        let Some(members) = sizes.checked_sub(1) else { return Ok(None) };
        if members < poset.len() {
            layers.retain(|layer| layer.side == Side::Lower && layer.layer <= members);
        }
        let points = translation.points();
        let lost = (0..=members).map(lost).fold(0, u64::saturating_add);
        let JobRecord { method, space, .. } = record;
        Ok(Some(Source { job: job.clone(), space, poset, method, translation, layers, points, members, lost }))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Whether they know the positions on so many points with so many members, if nothing is damaged.
    pub(super) fn know(&self, points: usize, members: usize) -> bool {
        self.sources.iter().any(|source| source.reach(None).has(points, members))
    }

    fn lost(&self) -> u64 {
        self.sources.iter().map(|source| source.lost).fold(0, u64::saturating_add)
    }

    /// Bytes of memory that an oracle of them takes.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_empty() { 0 } else { Oracle::bytes_for(self.lost()) }
    }

    /// How long so many threads will take to read them, about.
    pub(super) fn time(&self, threads: usize) -> Duration {
        let layers = self.sources.iter().flat_map(|source| &source.layers);
        let values: f64 = layers.map(|layer| layer.slots as f64).sum();
        Duration::from_secs_f64(values / VALUES_OF_A_SECOND / threads.max(1) as f64)
    }

    /// Reads them; `None` if there is nothing that is whole, or no memory, or a stop was asked for. What cannot be read
    /// makes the reach of the oracle smaller.
    pub(super) fn read<const W: usize>(&self, seed: u64, threads: usize, interrupt: &Interrupt) -> Option<Oracle> {
        let start = Instant::now();
        let mut oracle = Oracle::new(self.lost(), seed)?;
        let symmetry = Canonicaliser::<W>::new(self.poset, Isa::detect());
        let mut reach = Reach::default();
        for source in &self.sources {
            let damaged = match source.poset.words() {
                1 => read::<1, W>(self.store, source, (&symmetry, &oracle), threads, interrupt),
                2 => read::<2, W>(self.store, source, (&symmetry, &oracle), threads, interrupt),
                _ => read::<4, W>(self.store, source, (&symmetry, &oracle), threads, interrupt),
            };
            reach = reach.or(&source.reach(damaged));
        }
        if interrupt.is_requested() || reach == Reach::default() {
            return None;
        }
        oracle.reach_to(reach);
        let jobs: Vec<_> = self.sources.iter().map(|source| source.job.0.as_str()).collect();
        let (bytes, seconds) = (self.bytes(), start.elapsed().as_secs_f64());
        tracing::info!(lost = self.lost(), bytes, seconds, "the search looks positions up in {}", jobs.join(", "));
        Some(oracle)
    }
}

/// Adds the lost positions of a table to an oracle. Returns the first layer that could not be read, those of the lower side
/// first.
fn read<const V: usize, const W: usize>(
    store: &Store,
    source: &Source,
    (symmetry, oracle): (&Canonicaliser<W>, &Oracle),
    threads: usize,
    interrupt: &Interrupt,
) -> Option<(Side, usize)> {
    let shards = ValuedShards::new(store, (&source.job, &source.space), (&source.poset, source.method));
    let work = source.layers.iter().flat_map(|layer| (0..layer.shards.len()).map(move |shard| (layer, shard)));
    let damaged = crew(threads, work, Vec::new, |damaged: &mut Vec<(Side, usize)>, (layer, shard)| {
        let mut adder = Adder { symmetry, oracle, positions: Vec::new(), forms: Vec::new(), is_full: false };
        let mut add = |stored: Ideal<V>| {
            adder.positions.extend(source.translation.position::<V, W>(&stored));
            if adder.positions.len() == TOGETHER {
                adder.flush();
            }
        };
        let result = shards.each::<V>((layer, shard), LOST, &mut |stored| {
            if stored.size <= source.members {
                add(stored.position());
            }
            if interrupt.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        adder.flush();
        let fault = match result {
            Ok(ControlFlow::Continue(())) if !adder.is_full => return,
            Ok(_) if interrupt.is_requested() => return damaged.push((layer.side, layer.layer)),
            Ok(_) => "it has more lost positions than were counted".to_owned(),
            Err(Unread::Store(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(job = source.job.0, layer = layer.layer, shard, fault, "no oracle from here on");
        damaged.push((layer.side, layer.layer));
    });
    damaged.into_iter().flatten().min()
}

/// Adds positions to an oracle, many together.
struct Adder<'a, const W: usize> {
    symmetry: &'a Canonicaliser<W>,
    oracle: &'a Oracle,
    positions: Vec<Ideal<W>>,
    forms: Vec<crate::symmetry::Canonical<W>>,
    is_full: bool,
}

impl<const W: usize> Adder<'_, W> {
    fn flush(&mut self) {
        self.forms.clear();
        self.symmetry.canonical_batch(&self.positions, &mut self.forms);
        self.is_full |= !self.forms.iter().all(|form| self.oracle.add_lost(&form.ideal));
        self.positions.clear();
    }
}

#[cfg(test)]
mod tests;
