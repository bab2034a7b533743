//! Choosing samples of an evaluated layer, and copying them out of the tables.

use num_bigint::BigUint;

use super::sample::{Sample, SampleSource, SampleState};
use crate::ideal::Ideal;
use crate::recurrence::extensions::Evaluated;
use crate::recurrence::limbs::value;
use crate::space::code::{Ranks, codes_up_to};
use crate::space::layer::hash;
use crate::space::split::Split;
use crate::store::StoreError;

/// Samples of a layer, if it has as many blocks.
const SAMPLES: usize = 4;
/// Most slots of a block that is sampled.
const MOST_SLOTS: u64 = 1024;
/// Makes the choice another one than that of shards.
const SEED: u64 = 0x5EED_0F5A_3B1E_5E2D;

/// A layer with its values, wherever these are.
pub(super) trait Sampled<const W: usize> {
    /// Number of elements of the bases.
    fn size(&self) -> usize;

    /// The bases, ascending.
    fn bases(&self) -> impl Iterator<Item = Ideal<W>>;

    /// First slot of each block, and number of slots.
    fn places(&self) -> (&[u64], u64);

    /// First slot of the block of a canonical base of the layer.
    fn place(&self, base: &Ideal<W>) -> u64;

    /// The values of consecutive slots.
    ///
    /// # Errors
    /// Errors of reading a store, if they are there.
    fn values(&self, first: u64, count: u64) -> Result<Vec<BigUint>, StoreError>;
}

impl<const W: usize> Sampled<W> for Evaluated<W> {
    fn size(&self) -> usize {
        self.layer.size
    }

    fn bases(&self) -> impl Iterator<Item = Ideal<W>> {
        self.layer.iter().copied()
    }

    fn places(&self) -> (&[u64], u64) {
        (&self.survey.places, self.survey.slots)
    }

    fn place(&self, base: &Ideal<W>) -> u64 {
        self.index.get(base).expect("every canonical base of the layer is indexed")
    }

    fn values(&self, first: u64, count: u64) -> Result<Vec<BigUint>, StoreError> {
        let limbs = &self.table[first as usize * self.width..][..count as usize * self.width];
        Ok(limbs.chunks_exact(self.width).map(value).collect())
    }
}

/// A few blocks of a layer and the blocks they were computed from in the layer below.
///
/// # Errors
/// Errors of reading a store, if values are there.
pub(super) fn take_samples<const W: usize, L: Sampled<W>>(
    split: &Split<W>,
    ranks: &Ranks,
    top: usize,
    layer: &L,
    below: Option<&L>,
) -> Result<Vec<Sample>, StoreError> {
    let sample = |base: Ideal<W>| {
        let source = |below: &L, removed: usize| {
            let form = split.symmetry.canonical(base.without(removed));
            let base = form.ideal.0.to_vec();
            Ok(SampleSource { removed, base, states: states(split, ranks, top, below, form.ideal)? })
        };
        let sources = match below {
            Some(below) => split.removable(base).map(|y| source(below, y)).collect::<Result<_, StoreError>>()?,
            None => Vec::new(),
        };
        Ok(Sample {
            layer: layer.size(),
            base: base.0.to_vec(),
            stabiliser: split.symmetry.canonical(base).stabiliser,
            states: states(split, ranks, top, layer, base)?,
            sources,
        })
    };
    chosen(layer).into_iter().map(sample).collect()
}

/// The bases of the blocks with the smallest keys, in the order of the layer.
fn chosen<const W: usize>(layer: &impl Sampled<W>) -> Vec<Ideal<W>> {
    let (places, slots) = layer.places();
    let mut best: Vec<(u64, Ideal<W>)> = Vec::with_capacity(SAMPLES + 1);
    for (number, base) in layer.bases().enumerate() {
        let key = (hash(&base) ^ SEED).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if best.len() == SAMPLES && best[SAMPLES - 1].0 <= key {
            continue;
        }
        let end = places.get(number + 1).copied().unwrap_or(slots);
        if end - places[number] > MOST_SLOTS {
            continue;
        }
        let at = best.partition_point(|&(other, _)| other <= key);
        best.insert(at, (key, base));
        best.truncate(SAMPLES);
    }
    let mut chosen: Vec<_> = best.into_iter().map(|(_, base)| base).collect();
    chosen.sort_unstable();
    chosen
}

/// All states of the block of a canonical base, in the order of their slots.
fn states<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    top: usize,
    layer: &impl Sampled<W>,
    base: Ideal<W>,
) -> Result<Vec<SampleState>, StoreError> {
    let mut facets = Vec::new();
    let mut slots = 1;
    if let Some(uppers) = &split.uppers {
        slots = uppers.facets(ranks, uppers.available(base.0[0]), (top - layer.size()) as u32, &mut facets);
    }
    let values = layer.values(layer.place(&base), slots)?;
    if facets.is_empty() {
        return Ok(values.into_iter().map(|value| SampleState { upper: 0, value }).collect());
    }
    let mut states = Vec::new();
    for facet in &facets {
        for code in codes_up_to(facet.shape.q, facet.shape.cap) {
            let slot = facet.offset + facet.shape.address(ranks, code);
            states.push(SampleState { upper: facet.upper(code), value: values[slot as usize].clone() });
        }
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use num_bigint::BigUint;

    use super::*;
    use crate::huge::Words;
    use crate::ideal::Bits;
    use crate::oracle;
    use crate::poset::Poset;
    use crate::recurrence::extensions::evaluate_layer;
    use crate::space::enumerate::next_layer;
    use crate::space::index::BaseIndex;
    use crate::space::layer::BaseLayer;
    use crate::space::lookup::look_up;
    use crate::space::survey::survey;
    use crate::symmetry::Isa;
    use crate::watch::{Interrupt, Watch};

    /// Compares values of states over a base with those of the definition.
    fn check(split: &Split<1>, values: &BTreeMap<u64, BigUint>, base: &[u64], states: &[SampleState]) {
        let uppers = split.uppers.as_ref().expect("a split in halves");
        assert!(!states.is_empty());
        for state in states {
            let ideal = Bits(state.upper).fold(base[0], |ideal, i| ideal | 1 << uppers.element[i]);
            assert_eq!(values.get(&ideal), Some(&state.value), "{base:?} {:b}", state.upper);
        }
    }

    #[test]
    fn samples_of_fibres_are_right() {
        let poset: Poset = "boolean:5".parse().expect("a poset");
        let values = oracle::extensions(&poset);
        let split = Split::halves(&poset, Isa::detect()).expect("self-dual");
        let (ranks, interrupt, top, width) = (Ranks::new(), Interrupt::new(), 16, 2);
        let watch = Watch::new(&interrupt);
        let mut layer = BaseLayer::empty_base();
        let mut below: Option<Evaluated<1>> = None;
        let mut samples = 0;
        loop {
            let survey = survey(&split, &ranks, &layer, top, 1);
            let mut table = Words::zeroed(survey.slots as usize * width);
            let to = (&mut table[..], width);
            let layer_and_survey = (&layer, &survey);
            let edges =
                below.as_ref().map(|below| look_up(&split, &layer, &below.index, 1, &watch).expect("not stopped"));
            let from = below.as_ref().zip(edges.as_ref()).map(|(below, edges)| (below.as_below(), edges));
            evaluate_layer(&split, &ranks, from, layer_and_survey, top, to, 1, Isa::detect(), &watch)
                .expect("wide enough");
            let index = BaseIndex::new(&layer, &survey.places, 1);
            let evaluated = Evaluated { layer: layer.clone(), index, survey, table, width };
            let taken = take_samples(&split, &ranks, top, &evaluated, below.as_ref()).expect("values in memory");
            for sample in taken {
                check(&split, &values, &sample.base, &sample.states);
                let removable = split.removable(Ideal([sample.base[0]])).collect::<Vec<_>>();
                assert_eq!(sample.sources.iter().map(|source| source.removed).collect::<Vec<_>>(), removable);
                sample.sources.iter().for_each(|source| check(&split, &values, &source.base, &source.states));
                samples += 1;
            }
            if layer.size == split.base {
                break;
            }
            layer = next_layer(&split, &layer, 1, &watch).expect("not stopped").0;
            below = Some(evaluated);
        }
        assert!(samples > 16);
    }
}
