//! The next base layer together with the edges that lead into it.
//!
//! Every base B of the layer below and every element x that can be added give an edge: with g the group element that maps
//! B + x to its canonical form C, taking y = g(x) out of C leads back to B by the inverse of g. So one canonical form serves
//! discovery and evaluation, and no base is looked up. Edges are dealt out by a hash of C to parts that fit the cache, and
//! grouped there by C.
//!
//! Where C has no symmetry but the identity, the pairs (B, x) that lead to it give every maximal y of C, once for every
//! symmetry of B. Otherwise they give one y of each orbit of C's symmetries at least, and the others are worked out.

use std::sync::Mutex;

use super::edges::{Edge, Edges, Run};
use super::layer::{BaseLayer, hash};
use super::split::Split;
use crate::ideal::Ideal;
use crate::parallel::crew;
use crate::symmetry::Canonical;
use crate::watch::{Stopped, Watch};

/// Bases a thread takes at a time.
const CHUNK: usize = 256;
/// Edges of a part, about, so that it fits the second-level cache.
const EDGES_OF_A_PART: usize = 1 << 16;
/// Most parts: each has a line at work in the first-level cache.
const MOST_PARTS: usize = 512;
/// Edges of a base, about.
const EDGES_OF_A_BASE: usize = 16;

/// An edge and the base it belongs to.
#[derive(Clone, Copy)]
struct Found<const W: usize> {
    base: Ideal<W>,
    edge: Edge,
}

/// Discovers layer after layer, in memory that is used again.
#[derive(Default)]
pub struct Discovery<const W: usize> {
    dealers: Vec<Dealer<W>>,
    groupers: Vec<Grouper<W>>,
    edges: Edges,
    most_bytes: u64,
}

/// A thread that finds edges and deals them out.
#[derive(Default)]
struct Dealer<const W: usize> {
    parts: Vec<Vec<Found<W>>>,
    larger: Vec<Ideal<W>>,
    /// For each larger base the place of the block it was made from, and the element added.
    origins: Vec<(u64, u8)>,
    forms: Vec<Canonical<W>>,
    found: u64,
}

impl<const W: usize> Discovery<W> {
    /// The layer above `layer`, whose blocks lie at `places`, and the number of pairs of a canonical base and an element
    /// added that led to it. What [`edges`](Self::edges) returns belongs to the new layer then.
    ///
    /// # Errors
    /// [`Stopped`] on request.
    ///
    /// # Panics
    /// If a place is not below [`Edge::MOST_SLOTS`].
    pub fn next_layer(
        &mut self,
        split: &Split<W>,
        layer: &BaseLayer<W>,
        places: &[u64],
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<(BaseLayer<W>, u64), Stopped> {
        assert!(places.last().is_none_or(|&place| place < Edge::MOST_SLOTS));
        let parts = (layer.len() * EDGES_OF_A_BASE / EDGES_OF_A_PART).next_power_of_two().min(MOST_PARTS);
        self.deal(split, layer, places, parts, threads, watch);
        watch.check()?;
        let found = self.dealers.iter().map(|dealer| dealer.found).sum();
        let bases = self.group(split, parts, threads);
        let room: usize = self.dealers.iter().flat_map(|dealer| &dealer.parts).map(Vec::capacity).sum();
        self.most_bytes = self.most_bytes.max((room * size_of::<Found<W>>()) as u64 + self.edges.bytes());
        Ok((BaseLayer::of_sorted(layer.size + 1, bases), found))
    }

    /// The edges of the layer discovered last.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }

    /// Bytes of memory, at most so far: what is freed in between the allocator may keep.
    pub fn bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Finds all edges, each in the part of its base.
    fn deal(
        &mut self,
        split: &Split<W>,
        layer: &BaseLayer<W>,
        places: &[u64],
        parts: usize,
        threads: usize,
        watch: &Watch<'_>,
    ) {
        let mut places = places;
        let chunks = layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK)).map(|bases| {
            let (here, later) = places.split_at(bases.len());
            places = later;
            (bases, here)
        });
        let idle = Mutex::new(std::mem::take(&mut self.dealers));
        let dealer = || {
            let mut dealer = idle.lock().ok().and_then(|mut idle| idle.pop()).unwrap_or_default();
            dealer.begin(parts);
            dealer
        };
        self.dealers = crew(threads, chunks, dealer, |dealer, (bases, places)| {
            if !watch.is_stopped() {
                watch.advance(dealer.deal(split, bases, places));
            }
        });
    }

    /// Groups every part by base, and returns all bases in order.
    fn group(&mut self, split: &Split<W>, parts: usize, threads: usize) -> Vec<Ideal<W>> {
        let idle = Mutex::new(std::mem::take(&mut self.groupers));
        let edges = Mutex::new(std::mem::take(&mut self.edges.parts));
        let grouper = || {
            let mut grouper = idle.lock().ok().and_then(|mut idle| idle.pop()).unwrap_or_default();
            grouper.edges = edges.lock().ok().and_then(|mut edges| edges.pop()).unwrap_or_default();
            grouper.edges.clear();
            grouper.runs.clear();
            grouper
        };
        let dealers = &self.dealers;
        self.groupers = crew(threads.min(Run::MOST_PARTS), 0..parts, grouper, |grouper, part| {
            grouper.group(split, dealers.iter().map(|dealer| &dealer.parts[part][..]));
        });
        crew(threads, self.groupers.iter_mut(), || (), |(), grouper| grouper.runs.sort_unstable());
        let mut runs = Vec::with_capacity(self.groupers.iter().map(|grouper| grouper.runs.len()).sum());
        for (part, grouper) in self.groupers.iter_mut().enumerate() {
            self.edges.parts.push(std::mem::take(&mut grouper.edges));
            runs.extend(grouper.runs.iter().map(|&(base, run)| (base, run.in_part(part))));
        }
        if self.groupers.len() > 1 {
            // A stable sort notices the sorted runs that the threads left, and merges them.
            runs.sort();
        }
        self.edges.runs.clear();
        self.edges.runs.extend(runs.iter().map(|&(_, run)| run));
        runs.into_iter().map(|(base, _)| base).collect()
    }
}

impl<const W: usize> Dealer<W> {
    fn begin(&mut self, parts: usize) {
        self.parts.iter_mut().for_each(Vec::clear);
        self.parts.resize_with(parts, Vec::new);
        self.found = 0;
    }

    /// Deals out the edges that lead upwards from a few bases, and returns their number.
    fn deal(&mut self, split: &Split<W>, bases: &[Ideal<W>], places: &[u64]) -> u64 {
        self.larger.clear();
        self.origins.clear();
        self.forms.clear();
        for (&base, &place) in bases.iter().zip(places) {
            for x in split.addable(base) {
                self.larger.push(base.with(x));
                self.origins.push((place, x as u8));
            }
        }
        split.symmetry.canonical_batch(&self.larger, &mut self.forms);
        let action = split.symmetry.action().map(|action| &**action);
        let shift = u64::BITS - 1 - self.parts.len().ilog2();
        for (form, &(place, x)) in self.forms.iter().zip(&self.origins) {
            let (by, removed) = match action {
                Some(action) => {
                    let back = action.inverse(form.by);
                    (back, usize::from(action.preimages(back)[usize::from(x)]))
                }
                // All elements of an antichain are alike.
                None if form.stabiliser == 0 => (form.by, form.ideal.last()),
                None => (form.by, usize::from(x)),
            };
            let edge = Edge::new(place, removed, by).marked(form.stabiliser != 1);
            let part = (hash(&form.ideal) >> 1 >> shift) as usize;
            self.parts[part].push(Found { base: form.ideal, edge });
        }
        self.found += self.larger.len() as u64;
        self.larger.len() as u64
    }
}

/// A thread that groups edges by base.
#[derive(Default)]
struct Grouper<const W: usize> {
    /// Hash table of group numbers plus one.
    table: Vec<u32>,
    /// Group of each edge of a part, in the order found.
    group: Vec<u32>,
    bases: Vec<Ideal<W>>,
    /// For each group the number of its edges, then where the next one goes.
    ends: Vec<u32>,
    grouped: Vec<Edge>,
    forms: Vec<Canonical<W>>,
    edges: Vec<Edge>,
    runs: Vec<(Ideal<W>, Run)>,
}

impl<const W: usize> Grouper<W> {
    fn group<'a>(&mut self, split: &Split<W>, found: impl Iterator<Item = &'a [Found<W>]> + Clone) {
        let count: usize = found.clone().map(<[_]>::len).sum();
        self.number_groups(found.clone(), count);
        // Counts become ends of the groups before.
        let mut end = 0;
        for count in &mut self.ends {
            end += std::mem::replace(count, end);
        }
        self.grouped.resize(count, Edge::new(0, 0, crate::symmetry::GroupElement::IDENTITY));
        for (found, &group) in found.flatten().zip(&self.group) {
            let end = &mut self.ends[group as usize];
            self.grouped[*end as usize] = found.edge;
            *end += 1;
        }
        let mut start = 0;
        for group in 0..self.bases.len() {
            let end = self.ends[group] as usize;
            self.finish_group(split, self.bases[group], start..end);
            start = end;
        }
    }

    fn number_groups<'a>(&mut self, found: impl Iterator<Item = &'a [Found<W>]>, count: usize) {
        let mask = count.next_power_of_two() - 1;
        self.table.clear();
        self.table.resize(mask + 1, 0);
        self.group.clear();
        self.bases.clear();
        self.ends.clear();
        for found in found.flatten() {
            // The highest bits chose the part.
            let mut slot = hash(&found.base) as usize & mask;
            let group = loop {
                match self.table[slot] {
                    0 => {
                        self.bases.push(found.base);
                        self.ends.push(0);
                        self.table[slot] = self.bases.len() as u32;
                        break self.bases.len() - 1;
                    }
                    group if self.bases[group as usize - 1] == found.base => break group as usize - 1,
                    _ => slot = (slot + 1) & mask,
                }
            };
            self.ends[group] += 1;
            self.group.push(group as u32);
        }
    }

    /// Writes the edges of one base.
    fn finish_group(&mut self, split: &Split<W>, base: Ideal<W>, found: std::ops::Range<usize>) {
        let first = self.edges.len();
        let found = &self.grouped[found];
        if found[0].is_marked() {
            symmetric(split, base, found, &mut self.forms, &mut self.edges);
        } else {
            let mut seen = Ideal::<4>::empty();
            for &edge in found {
                if !seen.contains(edge.removed()) {
                    seen.insert(edge.removed());
                    self.edges.push(edge);
                }
            }
        }
        self.runs.push((base, Run::new(first, self.edges.len() - first)));
    }
}

/// Writes the edges of a base with symmetries: each maximal element is removed, and leads where one of those found leads.
#[cold]
fn symmetric<const W: usize>(
    split: &Split<W>,
    base: Ideal<W>,
    found: &[Edge],
    forms: &mut Vec<Canonical<W>>,
    edges: &mut Vec<Edge>,
) {
    let removable: Vec<usize> = split.removable(base).collect();
    let smaller: Vec<Ideal<W>> = removable.iter().map(|&y| base.without(y)).collect();
    forms.clear();
    split.symmetry.canonical_batch(&smaller, forms);
    let form_of = |y: usize| forms[removable.partition_point(|&other| other < y)].ideal;
    for (&y, form) in removable.iter().zip(&*forms) {
        let known = found.iter().find(|edge| form_of(edge.removed()) == form.ideal);
        let known = known.expect("every smaller base was found to lead here");
        edges.push(Edge::new(known.place(), y, form.by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poset::Poset;
    use crate::space::enumerate::next_layer;
    use crate::symmetry::Isa;
    use crate::watch::Interrupt;

    /// Every layer must be the enumerated one, and have the edges of the definition.
    fn check<const W: usize>(split: &Split<W>, last: usize, threads: usize) {
        let interrupt = Interrupt::new();
        let watch = &Watch::new(&interrupt);
        let mut discovery = Discovery::default();
        let mut layer = BaseLayer::empty_base();
        while layer.size < last {
            let places: Vec<u64> = (0..layer.len() as u64).map(|number| 7 * number).collect();
            let (above, found) = discovery.next_layer(split, &layer, &places, threads, watch).expect("not stopped");
            assert_eq!((above.clone(), found), next_layer(split, &layer, 1, watch).expect("not stopped"));
            let below: Vec<Ideal<W>> = layer.iter().copied().collect();
            for (number, &base) in above.iter().enumerate() {
                let mut edges = discovery.edges().of(number).to_vec();
                edges.sort_unstable_by_key(|edge| edge.removed());
                let removed: Vec<usize> = edges.iter().map(|edge| edge.removed()).collect();
                assert_eq!(removed, split.removable(base).collect::<Vec<_>>(), "{base:?}");
                for edge in edges {
                    let left = base.without(edge.removed());
                    let source = below[edge.place() as usize / 7];
                    assert_eq!(source, split.symmetry.canonical(left).ideal, "{base:?} without {}", edge.removed());
                    if let Some(action) = split.symmetry.action() {
                        assert_eq!(source, action.apply(edge.by(), left));
                    }
                }
            }
            layer = above;
        }
    }

    #[test]
    fn edges_are_those_of_the_definition() {
        for spec in
            ["boolean:4", "boolean:5:2", "chains:3x3x2", "chains:2x2x4", "divisors:360", "chain:7", "antichain:5"]
        {
            let poset: Poset = spec.parse().expect("a poset");
            for isa in Isa::all() {
                check(&Split::<1>::plain(&poset, isa), poset.len(), 1);
                check(&Split::<1>::plain(&poset, isa), poset.len(), 3);
            }
        }
        let poset: Poset = "boolean:5".parse().expect("a poset");
        check(&Split::halves(&poset, Isa::detect()).expect("self-dual"), 16, 2);
        let poset: Poset = "antichain:130".parse().expect("a poset");
        check(&Split::<4>::plain(&poset, Isa::detect()), 130, 2);
    }
}
