use std::collections::BTreeMap;

use super::*;
use crate::ideal::Bits;
use crate::oracle::{self, Mask};
use crate::poset::Poset;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;
use crate::space::code::{Ranks, codes_up_to};
use crate::space::enumerate::next_layer;
use crate::space::fibre::Room;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::split::Split;
use crate::space::survey::{Count, survey};
use crate::space::value_map::ValueMap;
use crate::symmetry::Isa;
use crate::watch::{Interrupt, Watch};

/// The values of all ideals, by the definition.
fn definition<R: Rule>(poset: &Poset) -> BTreeMap<Mask, u8> {
    let least = (0..poset.len()).find(|&x| (0..poset.len()).all(|y| oracle::at_most(poset, x, y)));
    let mut by_size: Vec<Mask> = oracle::ideals(poset).into_iter().collect();
    by_size.sort_by_key(|ideal| ideal.count_ones());
    let mut values = BTreeMap::new();
    for ideal in by_size {
        let mut seen = R::Seen::default();
        for x in oracle::members(ideal).filter(|&x| Some(x) != least) {
            let left = oracle::members(ideal).filter(|&y| !oracle::at_most(poset, x, y)).fold(0, |set, y| set | 1 << y);
            R::see(&mut seen, values[&left]);
        }
        values.insert(ideal, R::value(seen).expect("small"));
    }
    values
}

/// Positions by size and value: orbits, labelled.
fn count_by_value(poset: &Poset, values: &BTreeMap<Mask, u8>) -> BTreeMap<(usize, u8), (u64, u64)> {
    let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for (ideal, orbit) in oracle::orbits(poset) {
        let count = counts.entry((ideal.count_ones() as usize, values[&ideal])).or_default();
        count.0 += 1;
        count.1 += orbit as u64;
    }
    counts
}

struct Layer<const W: usize> {
    bases: BaseLayer<W>,
    stabilisers: Vec<u16>,
    high: HighFacets,
    index: BaseIndex<W>,
    values: Vec<u8>,
}

fn layer_values<const W: usize>(layer: &Layer<W>) -> LayerValues<'_, W> {
    LayerValues { index: &layer.index, high: &layer.high, values: &layer.values }
}

fn blocks<'a, const W: usize>(bases: &'a BaseLayer<W>, places: &'a Places, stabilisers: &'a [u16]) -> Blocks<'a, W> {
    Blocks { layer: bases, places: &places.places, slots: places.slots, stabilisers }
}

fn lower_side<R: Rule, const W: usize>(board: &Board<'_, W>, isa: Isa) -> (Vec<Layer<W>>, Vec<Count>) {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let means = Means { threads: 2, isa, watch: &watch };
    let mut layers: Vec<Layer<W>> = Vec::new();
    let mut maps = Vec::new();
    let mut counts: Vec<Count> = Vec::new();
    loop {
        let bases = match layers.last() {
            None => BaseLayer::empty_base(),
            Some(below) => next_layer(board.split, &below.bases, 2, &watch).expect("not stopped").0,
        };
        let survey = survey(board.split, board.ranks, &bases, board.top, 2);
        let places = Places { places: survey.places, slots: survey.slots };
        let stabilisers = survey.stabilisers;
        let below: Vec<_> = layers.iter().map(layer_values).collect();
        // Whatever was in the memory.
        let mut values = vec![7; places.slots as usize];
        let these = blocks(&bases, &places, &stabilisers);
        let counted = match board.split.uppers {
            Some(_) => value_lower::<R, W>(board, &below, these, &mut values, means),
            None => value_whole::<R, W>(board, &maps, these, &mut values, means),
        };
        add(&mut counts, counted.expect("valued"));
        if board.split.uppers.is_none() {
            maps.push(ValueMap::new(&bases, &values, 2));
        }
        let index = BaseIndex::new(&bases, &places.places, 2);
        let high = HighFacets::new(board, bases.iter(), &places.places, board.lower_room(bases.size));
        let last = bases.size == board.split.base.min(board.top);
        layers.push(Layer { bases, stabilisers, high, index, values });
        if last {
            return (layers, counts);
        }
    }
}

fn upper_side<R: Rule>(board: &Board<'_, 1>, lower: &[Layer<1>], isa: Isa) -> (Vec<Layer<1>>, Vec<Count>) {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let means = Means { threads: 2, isa, watch: &watch };
    let mut layers: Vec<Layer<1>> = Vec::new();
    let mut counts = Vec::new();
    let lower_values: Vec<_> = lower.iter().map(layer_values).collect();
    let crossings = CrossingPool::default();
    for below in lower.iter().rev() {
        let places = upper_places(board, &below.bases, 2);
        let mut upper = vec![None; lower.len()];
        layers.iter().for_each(|layer| upper[layer.bases.size] = Some(layer_values(layer)));
        let sides = Sides { board, lower: &lower_values, upper: &upper, crossings: &crossings };
        let mut values = vec![7; places.slots as usize];
        add(
            &mut counts,
            value_upper::<R, 1>(&sides, blocks(&below.bases, &places, &below.stabilisers), &mut values, means)
                .expect("valued"),
        );
        let index = BaseIndex::new(&below.bases, &places.places, 2);
        let high = HighFacets::new(board, below.bases.iter(), &places.places, board.upper_room(below.bases.size));
        let (bases, stabilisers) = (below.bases.clone(), below.stabilisers.clone());
        layers.push(Layer { bases, stabilisers, high, index, values });
    }
    (layers, counts)
}

fn add(total: &mut Vec<Count>, counts: Vec<Count>) {
    total.resize(total.len().max(counts.len()), Count::default());
    for (total, count) in total.iter_mut().zip(counts) {
        total.orbits += count.orbits;
        total.labelled += count.labelled;
    }
}

fn by_value(counts: &[Count], size: impl Fn(usize) -> usize) -> BTreeMap<(usize, u8), (u64, u64)> {
    let counted = counts.iter().enumerate().filter(|(_, count)| count.orbits > 0);
    let entry = |(at, count): (usize, &Count)| {
        let labelled = u64::try_from(count.labelled).expect("small");
        ((size(at / 256), (at % 256) as u8), (count.orbits, labelled))
    };
    counted.map(entry).collect()
}

/// The ideal of a base and an upper part, as a mask.
fn mask(split: &Split<1>, base: u64, upper: u64) -> Mask {
    let uppers = split.uppers.as_ref().expect("halves");
    Bits(upper).fold(base, |mask, i| mask | 1 << uppers.element[i])
}

/// Checks all slots of all layers, and what has none.
fn check_side(
    board: &Board<'_, 1>,
    layers: &[Layer<1>],
    room: impl Fn(usize) -> Room,
    expected: impl Fn(u64, u64) -> u8,
) {
    let uppers = board.split.uppers.as_ref().expect("halves");
    for layer in layers {
        let mut at = 0;
        for base in layer.bases.iter() {
            let mut facets = Vec::new();
            let available = uppers.available(base.0[0]);
            let slots = uppers.facets_within(board.ranks, available, room(layer.bases.size), &mut facets);
            let mut is_used = vec![false; slots as usize];
            for facet in facets {
                for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                    let slot = (facet.offset + facet.shape.address(board.ranks, code)) as usize;
                    is_used[slot] = true;
                    assert_eq!(layer.values[at + slot], expected(base.0[0], facet.upper(code)), "{base:?} {code:b}");
                }
            }
            let empty = is_used.iter().enumerate().filter(|(_, used)| !**used);
            empty.for_each(|(slot, _)| assert_eq!(layer.values[at + slot], 0));
            at += slots as usize;
        }
        assert_eq!(at, layer.values.len());
    }
}

fn check_plain<R: Rule>(spec: &str) {
    let poset: Poset = spec.parse().expect("a poset");
    let values = definition::<R>(&poset);
    let ranks = Ranks::new();
    for isa in Isa::all() {
        let split = Split::<1>::plain(&poset, isa);
        let board = Board::new(&split, &ranks, poset.len());
        let (layers, counts) = lower_side::<R, 1>(&board, isa);
        for layer in &layers {
            for (base, &value) in layer.bases.iter().zip(&layer.values) {
                assert_eq!(value, values[&base.0[0]], "{spec} {base:?}");
            }
        }
        assert_eq!(by_value(&counts, |size| size), count_by_value(&poset, &values), "{spec}");
    }
}

fn check_halves<R: Rule>(spec: &str) {
    for (low, high) in [(4, 10), (0, 0), (1, 0), (0, 3), (2, 2)] {
        check_halves_with::<R>(spec, Room { low, high });
    }
}

fn check_halves_with<R: Rule>(spec: &str, margin: Room) {
    let poset: Poset = spec.parse().expect("a poset");
    let values = definition::<R>(&poset);
    let ranks = Ranks::new();
    for isa in Isa::all() {
        let split = Split::halves(&poset, isa).expect("self-dual");
        let board = Board::new(&split, &ranks, poset.len() / 2).with_margin(margin);
        let (lower, counts) = lower_side::<R, 1>(&board, isa);
        check_side(&board, &lower, |size| board.lower_room(size), |base, upper| values[&mask(&split, base, upper)]);
        let mut all = by_value(&counts, |size| size);
        let (upper, counts) = upper_side::<R>(&board, &lower, isa);
        check_side(
            &board,
            &upper,
            |size| board.upper_room(size),
            |base, upper| {
                let (base, upper) = split.dual(base, upper);
                values[&mask(&split, base, upper)]
            },
        );
        all.extend(by_value(&counts, |size| poset.len() - size));
        assert_eq!(all, count_by_value(&poset, &values), "{spec}");
    }
}

#[test]
fn layers_of_ideals_have_the_values_of_the_definition() {
    for spec in ["boolean:4", "boolean:4:2", "chains:3x3x2", "divisors:360", "chain:7", "boolean:5:2"] {
        check_plain::<Grundy<1>>(spec);
        check_plain::<Outcome>(spec);
        check_plain::<Remoteness>(spec);
    }
    // Without a least element.
    check_plain::<Grundy<1>>("antichain:6");
    check_plain::<Grundy<4>>("chains:3x3x2");
}

#[test]
fn both_sides_have_the_values_of_the_definition() {
    for spec in ["boolean:3", "boolean:5", "chains:2x3", "chains:4x4x2", "chains:2x2x4", "chains:2x2x2x3"] {
        let poset: Poset = spec.parse().expect("a poset");
        if Split::halves(&poset, Isa::Portable).is_none() {
            continue;
        }
        check_halves::<Grundy<1>>(spec);
        check_halves::<Outcome>(spec);
        check_halves::<Remoteness>(spec);
    }
    check_halves::<Grundy<4>>("boolean:5");
}

/// A layer of the upper side is the same after it was stored and read again.
#[test]
fn stored_tables_of_the_upper_side_come_back() {
    let poset: Poset = "chains:2x2x2x3".parse().expect("a poset");
    let ranks = Ranks::new();
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    for isa in Isa::all() {
        let split = Split::halves(&poset, isa).expect("self-dual");
        let board = Board::new(&split, &ranks, poset.len() / 2).with_margin(Room { low: 1, high: 2 });
        let (lower, _) = lower_side::<Grundy<1>, 1>(&board, isa);
        let (upper, _) = upper_side::<Grundy<1>>(&board, &lower, isa);
        let lower_values: Vec<_> = lower.iter().map(layer_values).collect();
        let none = vec![None; lower.len()];
        let crossings = CrossingPool::default();
        let sides = Sides { board: &board, lower: &lower_values, upper: &none, crossings: &crossings };
        for (layer, stored) in upper.iter().zip(lower.iter().rev()) {
            let survey = survey(&split, &ranks, &layer.bases, board.top, 1);
            let stored_places = Places { places: survey.places, slots: survey.slots };
            let whole = upper_places(&board, &layer.bases, 1);
            let blocks = blocks(&layer.bases, &stored_places, &survey.stabilisers);
            let narrow = narrow(&board, (blocks, &whole), &layer.values, 2);
            assert_eq!(narrow.len(), stored.values.len());
            let mut values = vec![9; layer.values.len()];
            let means = Means { threads: 2, isa, watch: &watch };
            widen(&sides, (blocks, &whole), &narrow, &mut values, means).expect("not stopped");
            assert_eq!(values, layer.values);
        }
    }
}
