//! What a base layer holds: places of its blocks, stabilisers of its bases, and its ideals counted.
//!
//! Labelled ideals are orbit sizes times upper parts. Orbits of ideals over one base are the orbits of its stabiliser on
//! the fibre, counted by Burnside's lemma: the mean number of upper parts that a stabilising element fixes.

use super::code::Ranks;
use super::fibre::Facet;
use super::layer::BaseLayer;
use super::split::{Split, Uppers};
use crate::ideal::{Bits, Ideal, Labelled};
use crate::parallel::crew;
use crate::symmetry::{Canonical, GroupElement};

/// Bases a thread takes at a time.
const CHUNK: usize = 4096;

/// Ideals of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Orbits.
    pub orbits: u64,
    /// Labelled ideals.
    pub labelled: Labelled,
}

/// Where the blocks of a layer lie in its table, and what is known of each base.
pub struct Survey {
    /// First slot of each block in the table of the layer, in the order of the layer.
    pub places: Vec<u64>,
    /// Number of slots of the table.
    pub slots: u64,
    /// The low uppers available over each base.
    pub available: Vec<u64>,
    /// Order of the stabiliser of each base; 0 where it does not fit.
    pub stabilisers: Vec<u16>,
    /// Ideals over the layer by their number of upper elements.
    pub counts: Vec<Count>,
}

#[derive(Default)]
struct Chunk<const W: usize> {
    forms: Vec<Canonical<W>>,
    facets: Vec<Facet>,
    counts: Vec<Count>,
    /// Bases with a trivial stabiliser and no high uppers, by number of available low ones: counted all at once.
    plain: Vec<u64>,
}

/// Surveys a layer for ideals with at most `top` elements.
pub fn survey<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    layer: &BaseLayer<W>,
    top: usize,
    threads: usize,
) -> Survey {
    let room = (top - layer.size) as u32;
    let sizes = split.uppers.as_ref().map_or(0, |uppers| uppers.element.len().min(top - layer.size)) + 1;
    let len = layer.len();
    let mut places = vec![0u64; len];
    let mut available = vec![0u64; len];
    let mut stabilisers = vec![0u16; len];
    let work = {
        let (mut places, mut available, mut stabilisers) = (&mut places[..], &mut available[..], &mut stabilisers[..]);
        let mut work = Vec::new();
        for bases in layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK)) {
            let place;
            let low;
            let order;
            (place, places) = places.split_at_mut(bases.len());
            (low, available) = available.split_at_mut(bases.len());
            (order, stabilisers) = stabilisers.split_at_mut(bases.len());
            work.push((bases, place, low, order));
        }
        work
    };
    let start = || Chunk { counts: vec![Count::default(); sizes], plain: vec![0; 65], ..Chunk::<W>::default() };
    let chunks = crew(threads, work.into_iter(), start, |chunk, (bases, places, available, stabilisers)| {
        chunk.forms.clear();
        split.symmetry.canonical_batch(bases, &mut chunk.forms);
        for (i, form) in chunk.forms.iter().enumerate() {
            stabilisers[i] = form.stabiliser;
            let Some(uppers) = &split.uppers else {
                places[i] = 1;
                let count = &mut chunk.counts[0];
                count.orbits += 1;
                count.labelled += split.symmetry.orbit_size(form);
                continue;
            };
            available[i] = uppers.available(form.ideal.0[0]);
            places[i] = uppers.facets(ranks, available[i], room, &mut chunk.facets);
            if form.stabiliser == 1 && chunk.facets.len() == 1 {
                chunk.plain[available[i].count_ones() as usize] += 1;
            } else {
                count_fibre(split, uppers, form, room, &chunk.facets, &mut chunk.counts);
            }
        }
    });
    // Slots so far are what each block needs; running totals are where it starts.
    let mut slots = 0;
    for place in &mut places {
        slots += std::mem::replace(place, slots);
    }
    let mut counts = vec![Count::default(); sizes];
    let order = Labelled::from(split.symmetry.group_order().unwrap_or(0));
    for chunk in chunks {
        for (total, count) in counts.iter_mut().zip(&chunk.counts) {
            total.orbits += count.orbits;
            total.labelled += count.labelled;
        }
        for (q, &bases) in chunk.plain.iter().enumerate().filter(|&(_, &bases)| bases > 0) {
            for (size, total) in counts.iter_mut().enumerate().take(q + 1) {
                let ideals = bases * ranks.exactly(q as u32, size as u32);
                total.orbits += ideals;
                total.labelled += order * Labelled::from(ideals);
            }
        }
    }
    Survey { places, slots, available, stabilisers, counts }
}

/// Adds the ideals over one base.
fn count_fibre<const W: usize>(
    split: &Split<W>,
    uppers: &Uppers,
    form: &Canonical<W>,
    room: u32,
    facets: &[Facet],
    counts: &mut [Count],
) {
    let symmetry = &split.symmetry;
    let fixing = if form.stabiliser == 1 { vec![GroupElement::IDENTITY] } else { symmetry.stabiliser(form.ideal) };
    let mut fixed = vec![0u64; counts.len()];
    let mut polynomial = Vec::new();
    for (number, &g) in fixing.iter().enumerate() {
        for facet in facets {
            fixed_upper_parts(uppers, g, facet, room, &mut polynomial);
            for (size, &parts) in polynomial.iter().enumerate() {
                fixed[facet.fixed as usize + size] += parts;
            }
        }
        if number == 0 {
            // The identity fixes all: these are the labelled upper parts.
            let orbit = symmetry.orbit_size(form);
            counts.iter_mut().zip(&fixed).for_each(|(count, &parts)| count.labelled += orbit * Labelled::from(parts));
        }
    }
    counts.iter_mut().zip(&fixed).for_each(|(count, &parts)| count.orbits += parts / fixing.len() as u64);
}

/// The upper parts of a facet that a group element fixes, by number of free elements: products of `1 + x^length` over the
/// cycles.
fn fixed_upper_parts(uppers: &Uppers, g: GroupElement, facet: &Facet, room: u32, polynomial: &mut Vec<u64>) {
    polynomial.clear();
    if uppers.action.apply(g, Ideal([facet.high])).0[0] != facet.high {
        return;
    }
    let most = facet.shape.cap.min(room - facet.fixed) as usize;
    polynomial.resize(most + 1, 0);
    polynomial[0] = 1;
    let preimages = uppers.action.preimages(g);
    let mut rest = facet.free;
    while let Some(first) = Bits(rest).next() {
        let mut length = 0;
        let mut i = first;
        loop {
            rest &= !(1 << i);
            length += 1;
            i = usize::from(preimages[i]);
            if i == first {
                break;
            }
        }
        for size in (length..=most).rev() {
            polynomial[size] += polynomial[size - length];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poset::Poset;
    use crate::space::enumerate::next_layer;
    use crate::symmetry::Isa;
    use crate::watch::{Interrupt, Watch};

    /// Counts by size up to `top`, and the number of labelled states.
    fn counts<const W: usize>(split: &Split<W>, top: usize) -> (Vec<Count>, u64) {
        let ranks = Ranks::new();
        let mut counts = vec![Count::default(); top + 1];
        let mut layer = BaseLayer::empty_base();
        let mut states = 0;
        loop {
            let survey = survey(split, &ranks, &layer, top, 2);
            for (size, count) in survey.counts.iter().enumerate() {
                counts[layer.size + size].orbits += count.orbits;
                counts[layer.size + size].labelled += count.labelled;
            }
            states += survey.slots;
            if layer.size == split.base.min(top) {
                return (counts, states);
            }
            layer = next_layer(split, &layer, 2, &Watch::new(&Interrupt::new())).expect("not stopped").0;
        }
    }

    #[test]
    fn base_and_fibre_count_as_the_plain_space_does() {
        for spec in ["boolean:3", "boolean:5", "chains:2x3", "chains:4x4x2", "chains:2x2x4"] {
            let poset: Poset = spec.parse().expect("a poset");
            let Some(halves) = Split::halves(&poset, Isa::detect()) else { continue };
            let plain = Split::<1>::plain(&poset, Isa::detect());
            for top in [poset.len() / 2, poset.len()] {
                assert_eq!(counts(&halves, top).0, counts(&plain, top).0, "{spec} up to {top}");
            }
        }
    }

    #[test]
    fn the_counts_of_boolean_5_are_the_published_ones() {
        let poset: Poset = "boolean:5".parse().expect("a poset");
        let halves = Split::halves(&poset, Isa::detect()).expect("self-dual");
        let known = crate::known::boolean_orbits_by_size(5).expect("published");
        let (counts, _) = counts(&halves, 32);
        for (size, count) in counts.iter().enumerate() {
            assert_eq!(count.orbits, known[size.min(32 - size)], "size {size}");
        }
        let labelled = counts.iter().fold(Labelled::ZERO, |sum, count| sum + count.labelled);
        assert_eq!(labelled, Labelled::from(7581));
    }
}
