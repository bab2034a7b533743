//! Choosing samples of an evaluated layer, and copying them out of the tables.

use super::sample::{Sample, SampleSource, SampleState};
use crate::ideal::Ideal;
use crate::recurrence::extensions::Evaluated;
use crate::recurrence::limbs::value;
use crate::space::code::{Ranks, codes_up_to};
use crate::space::layer::hash;
use crate::space::split::Split;

/// Samples of a layer, if it has as many blocks.
const SAMPLES: usize = 4;
/// Most slots of a block that is sampled.
const MOST_SLOTS: u64 = 1024;
/// Makes the choice another one than that of shards.
const SEED: u64 = 0x5EED_0F5A_3B1E_5E2D;

/// A few blocks of a layer and the blocks they were computed from in the layer below.
pub(super) fn take_samples<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    top: usize,
    evaluated: &Evaluated<W>,
    below: Option<&Evaluated<W>>,
) -> Vec<Sample> {
    let sample = |number: usize, base: Ideal<W>| {
        let source = |below: &Evaluated<W>, removed: usize| {
            let form = split.symmetry.canonical(base.without(removed));
            let base = form.ideal.0.to_vec();
            SampleSource { removed, base, states: states(split, ranks, top, below, form.ideal) }
        };
        Sample {
            layer: evaluated.layer.size,
            base: base.0.to_vec(),
            stabiliser: evaluated.survey.stabilisers[number],
            states: states(split, ranks, top, evaluated, base),
            sources: below.map_or(Vec::new(), |below| split.removable(base).map(|y| source(below, y)).collect()),
        }
    };
    chosen(evaluated).into_iter().map(|(number, base)| sample(number, base)).collect()
}

/// The blocks with the smallest keys, in the order of the layer.
fn chosen<const W: usize>(evaluated: &Evaluated<W>) -> Vec<(usize, Ideal<W>)> {
    let survey = &evaluated.survey;
    let mut best: Vec<(u64, usize, Ideal<W>)> = Vec::with_capacity(SAMPLES + 1);
    for (number, &base) in evaluated.layer.iter().enumerate() {
        let key = (hash(&base) ^ SEED).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if best.len() == SAMPLES && best[SAMPLES - 1].0 <= key {
            continue;
        }
        let end = survey.places.get(number + 1).copied().unwrap_or(survey.slots);
        if end - survey.places[number] > MOST_SLOTS {
            continue;
        }
        let at = best.partition_point(|&(other, ..)| other <= key);
        best.insert(at, (key, number, base));
        best.truncate(SAMPLES);
    }
    let mut chosen: Vec<_> = best.into_iter().map(|(_, number, base)| (number, base)).collect();
    chosen.sort_unstable_by_key(|&(number, _)| number);
    chosen
}

/// All states of the block of a canonical base, in the order of their slots.
fn states<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    top: usize,
    evaluated: &Evaluated<W>,
    base: Ideal<W>,
) -> Vec<SampleState> {
    let place = evaluated.index.get(&base).expect("every canonical base of the layer is indexed") as usize;
    let at = |slot: usize| value(&evaluated.table[(place + slot) * evaluated.width..][..evaluated.width]);
    let Some(uppers) = &split.uppers else { return vec![SampleState { upper: 0, value: at(0) }] };
    let room = (top - evaluated.layer.size) as u32;
    let mut facets = Vec::new();
    uppers.facets(ranks, uppers.available(base.0[0]), room, &mut facets);
    let mut states = Vec::new();
    for facet in &facets {
        for code in codes_up_to(facet.shape.q, facet.shape.cap) {
            let slot = facet.offset + facet.shape.address(ranks, code);
            states.push(SampleState { upper: facet.upper(code), value: at(slot as usize) });
        }
    }
    states
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
            let from = (below.as_ref(), None);
            evaluate_layer(&split, &ranks, from, layer_and_survey, top, to, 1, Isa::detect(), &watch)
                .expect("wide enough");
            let index = BaseIndex::new(&layer, &survey.places, 1);
            let evaluated = Evaluated { layer: layer.clone(), index, survey, table, width };
            for sample in take_samples(&split, &ranks, top, &evaluated, below.as_ref()) {
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
