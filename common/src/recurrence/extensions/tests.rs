use num_bigint::BigUint;

use super::*;
use crate::huge::Words;
use crate::poset::Poset;
use crate::recurrence::limbs::{value, widened, wider};
use crate::space::code::Ranks;
use crate::space::discover::Discovery;
use crate::space::enumerate::next_layer;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::lookup::look_up;
use crate::space::split::Split;
use crate::space::survey::survey;
use crate::symmetry::Isa;
use crate::watch::{Interrupt, Watch};

/// Where the edges of layers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Layers are discovered together with their edges.
    WithEdges,
    /// Layers are enumerated, edges looked up.
    Alone,
}

/// e(P), the tables of all layers, and the sums.
fn evaluate<const W: usize>(
    split: &Split<W>,
    top: usize,
    threads: usize,
    isa: Isa,
    found: Found,
) -> (BigUint, Vec<Vec<u64>>, LayerSums) {
    let ranks = Ranks::new();
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let mut layer = BaseLayer::empty_base();
    let mut below: Option<Evaluated<W>> = None;
    let mut discovery = Discovery::default();
    let mut joined = BigUint::ZERO;
    let mut sums = LayerSums::default();
    let mut tables = Vec::new();
    loop {
        let survey = survey(split, &ranks, &layer, top, threads);
        let mut width = below.as_ref().map_or(1, |below| below.width);
        let mut table;
        loop {
            table = Words::zeroed(survey.slots as usize * width);
            // Whatever is in there must not matter.
            table.fill(u64::MAX);
            let to = (&mut table[..], width);
            let looked_up = below
                .as_ref()
                .filter(|_| found == Found::Alone)
                .map(|below| look_up(split, &layer, &below.index, threads, &watch).expect("not stopped"));
            let edges = looked_up.as_ref().unwrap_or_else(|| discovery.edges());
            let from = below.as_ref().map(|below| (below.as_below(), edges));
            match evaluate_layer(split, &ranks, from, (&layer, &survey), top, to, threads, isa, &watch) {
                Ok(more) => break sums.add(&more),
                Err(error) => {
                    assert_eq!(error, Unevaluated::Overflow);
                    let below = below.as_mut().expect("the empty ideal has one extension");
                    width = wider(width).expect("32 limbs suffice");
                    let wide = widened(&below.table, below.width, width);
                    below.table = Words::zeroed(wide.len());
                    below.table.copy_from_slice(&wide);
                    below.width = width;
                }
            }
        }
        tables.push(table.to_vec());
        let index = BaseIndex::new(&layer, &survey.places, threads);
        let evaluated = Evaluated { layer: layer.clone(), index, survey, table, width };
        if split.duality.is_some() && top < split.elements {
            joined += join_layer(split, &ranks, &evaluated, below.as_ref(), top, threads, &watch).expect("not stopped");
        }
        if layer.size == split.base.min(top) {
            let last = if top == split.elements { value(&evaluated.table) } else { joined };
            return (last, tables, sums);
        }
        layer = match found {
            Found::WithEdges => {
                discovery.next_layer(split, &layer, &evaluated.survey.places, threads, &watch).expect("not stopped").0
            }
            Found::Alone => next_layer(split, &layer, threads, &watch).expect("not stopped").0,
        };
        below = Some(evaluated);
    }
}

fn check_sums(sums: &LayerSums, spec: &str) {
    for size in 0..sums.values.len() - 1 {
        assert_eq!(sums.values[size + 1], sums.extended[size], "{spec}: extensions from size {size}");
    }
}

#[test]
fn plain_values_are_the_published_ones() {
    for (spec, expected) in crate::known::EXTENSIONS {
        let poset: Poset = spec.parse().expect("a poset");
        if poset.len() > 48 {
            continue;
        }
        let split = Split::<1>::plain(&poset, Isa::detect());
        let (value, _, sums) = evaluate(&split, poset.len(), 2, Isa::detect(), Found::WithEdges);
        assert_eq!(value.to_string(), expected, "{spec}");
        check_sums(&sums, spec);
        if split.duality.is_some() {
            let (joined, _, sums) = evaluate(&split, poset.len().div_ceil(2), 2, Isa::detect(), Found::WithEdges);
            assert_eq!(joined.to_string(), expected, "{spec} from both halves");
            check_sums(&sums, spec);
        }
    }
}

#[test]
fn base_and_fibre_give_the_plain_value_on_every_instruction_set() {
    for spec in ["boolean:3", "boolean:5", "chains:2x2x4", "chains:4x4x2", "chains:6x6", "chains:2x3"] {
        let poset: Poset = spec.parse().expect("a poset");
        let split = Split::<1>::plain(&poset, Isa::detect());
        let plain = evaluate(&split, poset.len(), 1, Isa::detect(), Found::Alone).0;
        let mut first: Option<Vec<Vec<u64>>> = None;
        for isa in Isa::all() {
            let Some(split) = Split::halves(&poset, isa) else { continue };
            for (threads, found) in [(1, Found::WithEdges), (3, Found::WithEdges), (2, Found::Alone)] {
                let (value, tables, sums) = evaluate(&split, poset.len() / 2, threads, isa, found);
                assert_eq!(value, plain, "{spec} {isa:?} {threads} {found:?}");
                check_sums(&sums, spec);
                assert_eq!(first.get_or_insert_with(|| tables.clone()), &tables, "{spec}: the same tables");
            }
        }
    }
}

#[test]
fn an_antichain_has_factorially_many() {
    let poset: Poset = "antichain:120".parse().expect("a poset");
    let split = Split::<2>::plain(&poset, Isa::detect());
    let (value, _, sums) = evaluate(&split, 120, 1, Isa::detect(), Found::WithEdges);
    assert_eq!(value, (1..=120u32).map(BigUint::from).product());
    check_sums(&sums, "antichain:120");
}
