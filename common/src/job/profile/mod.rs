//! How large the space of a split is, layer by layer, without enumerating it.
//!
//! The small layers at the start are enumerated, so that small spaces are known exactly. From there on [`particles`] grow
//! random bases, and sums over orbits are sums over labelled bases with the weight `|stabiliser| / |group|`. Where the
//! layers shrink again at the end, the last ones are enumerated too, and errors met there are spread over the layers between.
//!
//! Measured over 20 seeds against known counts of B_7, as standard deviation (worst): canonical ideals of a size, 2 % (7 %)
//! at 40 elements and 6 % (15 %) at 64, where nothing is known above; bases in the lower half 1.9 % (3.5 %), base edges
//! 1.4 % (3 %), slots 6 % (16 %), the peak of the slots of a layer 7 % (but 100 % for one seed, which met a rare base with
//! many symmetries and a large fibre). In long narrow spaces errors pile up further: 24 % for all of `chains:16x16`. It takes
//! some 50 ms.

mod particles;
mod reachable;

#[cfg(test)]
mod tests;

use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::space::code::{Ranks, Shape};
use crate::space::enumerate::next_layer;
use crate::space::fibre::Facet;
use crate::space::layer::BaseLayer;
use crate::space::split::Split;
use crate::space::survey::Count;
use crate::symmetry::{Canonical, Isa};
use crate::watch::{Interrupt, Watch};
use particles::{Counting, Particle, Particles};
pub use reachable::{Reachable, reachable};

/// Random bases of a layer.
const PARTICLES: usize = 8192;

/// One in so many of them is looked at closely: growing is cheap, canonical forms and fibres are not.
const STRIDE: usize = 4;

/// Random sequences that the size of values is estimated from.
const SEQUENCES: usize = 1024;

/// Base edges to enumerate at most before estimates take over, half as many where ideals are wider than a word: some ten
/// milliseconds, and about 10,000 orbits. An antichain, of which nothing could be estimated, has fewer.
const EXACT_EDGES: u64 = 120_000;

/// Base edges to enumerate from above.
const EXACT_EDGES_DOWN: usize = 20_000;

/// What is known of a layer of bases. Sums over orbits of bases, except `labelled`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerSize {
    /// Orbits of bases.
    pub bases: f64,
    /// Labelled bases.
    pub labelled: f64,
    /// Pairs of a base and a base element that can be added.
    pub edges: f64,
    /// Slots for values in the blocks over the bases; without fibres the bases themselves.
    pub slots: f64,
    /// Additions that give the values of the layer from those of the layer below.
    pub additions: f64,
}

impl LayerSize {
    fn scale(&mut self, factor: f64) {
        for number in [&mut self.bases, &mut self.labelled, &mut self.edges, &mut self.slots, &mut self.additions] {
            *number *= factor;
        }
    }
}

/// The layers of a split.
#[derive(Clone, Debug)]
pub struct Profile {
    /// From the empty base upwards.
    pub layers: Vec<LayerSize>,
    /// Exact counts of bases, as far as the layers were enumerated.
    pub counts: Vec<Count>,
    /// Binary digits of the largest number of linear extensions of an ideal, at most about.
    pub value_bits: f64,
}

impl Profile {
    /// Of the plain split, for ideals with at most `top` elements.
    pub fn plain(poset: &Poset, top: usize) -> Self {
        match poset.words() {
            1 => Self::new(&Split::<1>::plain(poset, Isa::detect()), top),
            2 => Self::new(&Split::<2>::plain(poset, Isa::detect()), top),
            _ => Self::new(&Split::<4>::plain(poset, Isa::detect()), top),
        }
    }

    /// Of any split, for ideals with at most `top` elements.
    pub fn new<const W: usize>(split: &Split<W>, top: usize) -> Self {
        Self::with_seed(split, top, 0)
    }

    fn with_seed<const W: usize>(split: &Split<W>, top: usize, seed: u64) -> Self {
        let last = top.min(split.base);
        let mut observer = Observer { split, ranks: Ranks::new(), top, facets: Vec::new(), forms: Vec::new() };
        let mut profile = Self { layers: Vec::new(), counts: Vec::new(), value_bits: value_bits(split, last) };
        let ideals = profile.enumerate(&mut observer, last);
        let first = profile.layers.len();
        if first <= last {
            let above = if last == split.base { enumerate_down(&mut observer, first) } else { Vec::new() };
            profile.estimate(&mut observer, last + 1 - above.len(), &ideals, seed);
            // Errors add up from layer to layer like a random walk, so what is found wrong at the first layer that is known
            // again is taken back evenly on the way.
            if let (Some(found), Some(known)) = (profile.layers.pop(), above.last()) {
                let steps = (profile.layers.len() + 1 - first) as f64;
                for (layer, step) in profile.layers[first..].iter_mut().zip(1..) {
                    layer.scale((known.labelled / found.labelled).powf(f64::from(step) / steps));
                }
                profile.layers.extend(above.into_iter().rev());
            }
        }
        profile
    }

    /// Whether every layer was enumerated.
    pub fn is_exact(&self) -> bool {
        self.counts.len() == self.layers.len()
    }

    /// Enumerates as long as that is cheap, and returns the bases of the last layer with the sizes of their orbits.
    fn enumerate<const W: usize>(&mut self, observer: &mut Observer<'_, W>, last: usize) -> Vec<(Ideal<W>, f64)> {
        let split = observer.split;
        let interrupt = Interrupt::new();
        let watch = Watch::new(&interrupt);
        let mut layer = BaseLayer::empty_base();
        let mut edges = 0;
        loop {
            let bases: Vec<Ideal<W>> = layer.iter().copied().collect();
            let (size, count) = observer.observe_all(&bases);
            edges += size.edges as u64;
            self.layers.push(size);
            self.counts.push(count);
            if layer.size == last || edges > EXACT_EDGES / W.min(2) as u64 {
                let orbit = |form| f64::from(split.symmetry.orbit_size(form));
                return observer.forms.iter().map(|form| (form.ideal, orbit(form))).collect();
            }
            layer = next_layer(split, &layer, 1, &watch).expect("nobody asks it to stop").0;
        }
    }

    /// Estimates the layers that are missing below `end`, and of layer `end`, if there is one, the labelled bases.
    fn estimate<const W: usize>(
        &mut self,
        observer: &mut Observer<'_, W>,
        end: usize,
        ideals: &[(Ideal<W>, f64)],
        seed: u64,
    ) {
        let split = observer.split;
        // Only an antichain's group has no such order; see `EXACT_EDGES`.
        let order = split.symmetry.group_order().unwrap_or(1) as f64;
        let within = split.whole_base;
        let mut particles = Particles::draw(split, ideals, PARTICLES, seed);
        let mut forms = Vec::new();
        while self.layers.len() <= end.min(split.base) {
            particles.grow(split, &within, Counting::Ideals);
            let labelled = particles.log_total().exp();
            let mut size = LayerSize { labelled, ..LayerSize::default() };
            if self.layers.len() == end {
                self.layers.push(size);
                return;
            }
            // Which ones are looked at changes, since neighbours are often copies of each other.
            let seen: Vec<&Particle<W>> =
                particles.members().iter().skip(self.layers.len() % STRIDE).step_by(STRIDE).collect();
            let weights: f64 = seen.iter().map(|particle| particle.weight).sum();
            forms.clear();
            split.symmetry.canonical_batch(&seen.iter().map(|particle| particle.ideal).collect::<Vec<_>>(), &mut forms);
            let mut orbits: Vec<_> = seen.into_iter().zip(&forms).collect();
            orbits.sort_unstable_by_key(|(_, form)| form.ideal);
            // Where a layer has few orbits, each is looked at once.
            for orbit in orbits.chunk_by(|(_, one), (_, other)| one.ideal == other.ideal) {
                let (particle, form) = orbit[0];
                let weight: f64 = orbit.iter().map(|(particle, _)| particle.weight).sum();
                let orbits = labelled * (weight / weights) * f64::from(form.stabiliser) / order;
                observer.observe(&mut size, &particle.ideal, particle.addable.len(), &particle.maximal, orbits);
            }
            self.layers.push(size);
        }
    }
}

/// Enumerates downwards from the whole base, as long as that is cheap and at most down to layer `least`: the last layers
/// are as small as the first ones, but have the largest fibres.
fn enumerate_down<const W: usize>(observer: &mut Observer<'_, W>, least: usize) -> Vec<LayerSize> {
    let split = observer.split;
    let mut bases = vec![split.whole_base];
    let mut layers = Vec::new();
    let mut edges = 0;
    loop {
        layers.push(observer.observe_all(&bases).0);
        if edges > EXACT_EDGES_DOWN || split.base - layers.len() < least {
            return layers;
        }
        let smaller: Vec<Ideal<W>> =
            bases.iter().flat_map(|&base| split.removable(base).map(move |x| base.without(x))).collect();
        edges += smaller.len();
        observer.forms.clear();
        split.symmetry.canonical_batch(&smaller, &mut observer.forms);
        bases = observer.forms.iter().map(|form| form.ideal).collect();
        bases.sort_unstable();
        bases.dedup();
    }
}

/// Adds up what a base contributes to its layer.
struct Observer<'a, const W: usize> {
    split: &'a Split<W>,
    ranks: Ranks,
    top: usize,
    facets: Vec<Facet>,
    forms: Vec<Canonical<W>>,
}

impl<const W: usize> Observer<'_, W> {
    /// All canonical bases of a layer. Their forms stay in `forms`.
    fn observe_all(&mut self, bases: &[Ideal<W>]) -> (LayerSize, Count) {
        let split = self.split;
        self.forms.clear();
        split.symmetry.canonical_batch(bases, &mut self.forms);
        let mut count = Count::default();
        for form in &self.forms {
            count.orbits += 1;
            count.labelled += split.symmetry.orbit_size(form);
        }
        let mut size = LayerSize { labelled: f64::from(count.labelled), ..LayerSize::default() };
        for base in bases {
            let maximal = split.removable(*base).fold(Ideal::empty(), |set, x| set.with(x));
            self.observe(&mut size, base, split.addable(*base).count(), &maximal, 1.0);
        }
        (size, count)
    }

    /// Adds a base that stands for so many orbits.
    #[inline]
    fn observe(&mut self, size: &mut LayerSize, base: &Ideal<W>, edges: usize, maximal: &Ideal<W>, orbits: f64) {
        size.bases += orbits;
        size.edges += orbits * edges as f64;
        let Some(uppers) = &self.split.uppers else {
            size.slots += orbits;
            size.additions += orbits * maximal.len() as f64;
            return;
        };
        let room = (self.top - base.len()) as u32;
        let available = uppers.available(base.0[0]);
        let q = available.count_ones();
        let slots = uppers.facets(&self.ranks, available, room, &mut self.facets);
        // The few facets with high uppers cost about what the others do.
        let share = slots as f64 / self.facets[0].shape.slots(&self.ranks) as f64;
        let mut additions = 0.0;
        for x in maximal.iter() {
            let left = q - (available & uppers.above_base[x]).count_ones();
            additions += Shape::new(&self.ranks, left, room).slots(&self.ranks) as f64;
        }
        if q > 0 && room > 0 {
            additions += f64::from(q) * Shape::new(&self.ranks, q - 1, room - 1).slots(&self.ranks) as f64;
        }
        size.slots += orbits * slots as f64;
        size.additions += orbits * share * additions;
    }
}

/// Binary digits of the number of linear extensions of the first `top` elements, which lie as low as possible and so have
/// about as many as any ideal of that size; with two more for the ideals that have more and for the error.
fn value_bits<const W: usize>(split: &Split<W>, top: usize) -> f64 {
    let within = Ideal::first(top);
    let mut sequences = Particles::draw(split, &[(Ideal::empty(), 1.0)], SEQUENCES, 0);
    for _ in 0..top {
        sequences.grow(split, &within, Counting::Extensions);
    }
    2.0 + sequences.log_total() / std::f64::consts::LN_2
}
