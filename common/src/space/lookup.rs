//! The edges of bases whose layer was not discovered here: found by canonical forms and an index of the layer below.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::edges::{Edge, Edges, Run};
use super::index::BaseIndex;
use super::layer::BaseLayer;
use super::split::Split;
use crate::ideal::{Element, Ideal};
use crate::parallel::crew;
use crate::symmetry::Canonical;
use crate::watch::{Stopped, Watch};

/// Bases a thread takes at a time: what is looked up for them is asked for ahead, so it must stay in the cache.
const CHUNK: usize = 128;

struct Finder<const W: usize> {
    part: usize,
    edges: Vec<Edge>,
    smaller: Vec<Ideal<W>>,
    removed: Vec<Element>,
    forms: Vec<Canonical<W>>,
}

/// The edges of all bases of `layer`, which may be a part of a whole layer; `index` is of the layer below.
///
/// # Errors
/// [`Stopped`] on request.
///
/// # Panics
/// If the index lacks a canonical base of the layer below.
pub fn look_up<const W: usize>(
    split: &Split<W>,
    layer: &BaseLayer<W>,
    index: &BaseIndex<W>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Edges, Stopped> {
    let nowhere = Run::new(0, 0);
    let mut runs = vec![nowhere; layer.len()];
    let mut rest = &mut runs[..];
    let mut work = Vec::new();
    for bases in layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK)) {
        let (here, later) = rest.split_at_mut(bases.len());
        rest = later;
        work.push((bases, here));
    }
    let begun = AtomicUsize::new(0);
    let finder = || Finder {
        part: begun.fetch_add(1, Ordering::Relaxed),
        edges: Vec::new(),
        smaller: Vec::new(),
        removed: Vec::new(),
        forms: Vec::new(),
    };
    let mut finders = crew(threads.min(Run::MOST_PARTS), work.into_iter(), finder, |finder, (bases, runs)| {
        if !watch.is_stopped() {
            watch.advance(finder.find(split, index, bases, runs));
        }
    });
    watch.check()?;
    finders.sort_unstable_by_key(|finder| finder.part);
    Ok(Edges { parts: finders.into_iter().map(|finder| finder.edges).collect(), runs })
}

impl<const W: usize> Finder<W> {
    /// Finds the edges of a few bases, and returns their number.
    fn find(&mut self, split: &Split<W>, index: &BaseIndex<W>, bases: &[Ideal<W>], runs: &mut [Run]) -> u64 {
        self.smaller.clear();
        self.removed.clear();
        self.forms.clear();
        let mut first = self.edges.len();
        for (&base, run) in bases.iter().zip(runs) {
            let before = self.smaller.len();
            for removed in split.removable(base) {
                self.smaller.push(base.without(removed));
                self.removed.push(removed);
            }
            let count = self.smaller.len() - before;
            *run = Run::new(first, count).in_part(self.part);
            first += count;
        }
        split.symmetry.canonical_batch(&self.smaller, &mut self.forms);
        for form in &self.forms {
            index.prefetch(&form.ideal);
        }
        for (form, &removed) in self.forms.iter().zip(&self.removed) {
            let place = index.get(&form.ideal).expect("every canonical base of the layer below is indexed");
            self.edges.push(Edge::new(place, removed, form.by));
        }
        self.forms.len() as u64
    }
}
