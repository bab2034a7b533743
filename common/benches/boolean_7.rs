//! What the hot loops cost on B_7, in time a canonical form and a base edge.
//!
//! `cargo bench -p antichain-common` prints, for each instruction set of this machine, the time of a batch and the number
//! of items a second: canonical forms of bases, canonical forms of whole ideals near the middle, and base edges of layer
//! 32 (enumerated; discovered with what they lead to; then evaluated; or looked up and evaluated). Besides, for one, two and
//! four words, the canonical forms by which proofs are checked, which know no instruction sets.

use antichain_common::huge::Words;
use antichain_common::ideal::Ideal;
use antichain_common::poset::Poset;
use antichain_common::recurrence::extensions::{Evaluated, evaluate_layer};
use antichain_common::search::proof::checker::automorphisms::Automorphisms;
use antichain_common::search::proof::checker::canonical::Forms;
use antichain_common::space::code::Ranks;
use antichain_common::space::discover::Discovery;
use antichain_common::space::enumerate::next_layer;
use antichain_common::space::index::BaseIndex;
use antichain_common::space::layer::BaseLayer;
use antichain_common::space::lookup::look_up;
use antichain_common::space::split::Split;
use antichain_common::space::survey::survey;
use antichain_common::symmetry::{Canonicaliser, Isa};
use antichain_common::watch::{Interrupt, Watch};
use divan::counter::ItemsCount;

/// Forms in a batch.
const BATCH: usize = 4096;
/// The layer whose edges are timed: its tables still fit the cache.
const LAYER: usize = 32;
/// Elements of the ideals that are evaluated, at most.
const TOP: usize = 64;

fn main() {
    divan::main();
}

fn boolean_7() -> Poset {
    "boolean:7".parse().expect("a poset")
}

/// Ideals grown at random to a size, from a fixed seed (splitmix64).
fn random_ideals<const W: usize>(poset: &Poset, elements: usize, size: usize) -> Vec<Ideal<W>> {
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % below as u64) as usize
    };
    let grow = |_| {
        let mut ideal = Ideal::empty();
        for _ in 0..size {
            let covers_are_in = |&x: &usize| poset.lower_covers(x).iter().all(|&y| ideal.contains(usize::from(y)));
            let addable: Vec<usize> = (0..elements).filter(|&x| !ideal.contains(x)).filter(covers_are_in).collect();
            ideal.insert(addable[random(addable.len())]);
        }
        ideal
    };
    (0..BATCH).map(grow).collect()
}

#[divan::bench(args = Isa::all())]
fn canonical_form_of_a_base(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    let poset = boolean_7();
    let symmetry = Canonicaliser::<1>::for_prefix(&poset, 64, isa);
    let bases = random_ideals(&poset, 64, 46);
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(Vec::new).bench_local_refs(|forms| {
        symmetry.canonical_batch(&bases, forms);
    });
}

#[divan::bench(args = Isa::all())]
fn canonical_form_of_an_ideal(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    let poset = boolean_7();
    let symmetry = Canonicaliser::<2>::new(&poset, isa);
    let ideals = random_ideals(&poset, 128, 64);
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(Vec::new).bench_local_refs(|forms| {
        symmetry.canonical_batch(&ideals, forms);
    });
}

#[divan::bench(consts = [1, 2, 4])]
fn canonical_form_of_the_checker<const W: usize>(bencher: divan::Bencher<'_, '_>) {
    let (poset, size) = match W {
        1 => ("boolean:7:3", 46),
        2 => ("boolean:7", 64),
        _ => ("boolean:8", 128),
    };
    let poset: Poset = poset.parse().expect("a poset");
    let forms = Forms::<W>::new(&poset, &Automorphisms::new(&poset));
    let ideals = random_ideals::<W>(&poset, poset.len(), size);
    bencher
        .counter(ItemsCount::new(BATCH))
        .bench_local(|| ideals.iter().fold(Ideal::<W>::empty(), |least, &ideal| least.union(&forms.of(ideal))));
}

fn layer(split: &Split<1>, size: usize, watch: &Watch<'_>) -> BaseLayer<1> {
    let mut layer = BaseLayer::empty_base();
    while layer.size < size {
        layer = next_layer(split, &layer, 1, watch).expect("nobody asks for a stop").0;
    }
    layer
}

#[divan::bench(args = Isa::all(), sample_count = 10)]
fn base_edge_enumerated(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    let split = Split::halves(&boolean_7(), isa).expect("self-dual");
    let nobody = Interrupt::new();
    let watch = Watch::new(&nobody);
    let below = layer(&split, LAYER - 1, &watch);
    let edges = next_layer(&split, &below, 1, &watch).expect("nobody asks for a stop").1;
    bencher.counter(ItemsCount::new(edges)).bench_local(|| next_layer(&split, &below, 1, &watch));
}

#[divan::bench(args = Isa::all(), sample_count = 10)]
fn base_edge_discovered(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    let split = Split::halves(&boolean_7(), isa).expect("self-dual");
    let nobody = Interrupt::new();
    let watch = Watch::new(&nobody);
    let below = layer(&split, LAYER - 1, &watch);
    let places: Vec<u64> = (0..below.len() as u64).collect();
    let mut discovery = Discovery::default();
    let edges = discovery.next_layer(&split, &below, &places, 1, &watch).expect("nobody asks for a stop").1;
    bencher
        .counter(ItemsCount::new(edges))
        .bench_local(|| discovery.next_layer(&split, &below, &places, 1, &watch).map(|(layer, _)| layer));
}

#[divan::bench(args = Isa::all(), sample_count = 10)]
fn base_edge_evaluated(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    evaluate(bencher, isa, true);
}

#[divan::bench(args = Isa::all(), sample_count = 10)]
fn base_edge_looked_up_and_evaluated(bencher: divan::Bencher<'_, '_>, isa: Isa) {
    evaluate(bencher, isa, false);
}

fn evaluate(bencher: divan::Bencher<'_, '_>, isa: Isa, discovered: bool) {
    let split = Split::halves(&boolean_7(), isa).expect("self-dual");
    let nobody = Interrupt::new();
    let watch = Watch::new(&nobody);
    let ranks = Ranks::new();
    let below = layer(&split, LAYER - 1, &watch);
    let lower = survey(&split, &ranks, &below, TOP, 1);
    let mut discovery = Discovery::default();
    let (above, _) = discovery.next_layer(&split, &below, &lower.places, 1, &watch).expect("nobody asks for a stop");
    let upper = survey(&split, &ranks, &above, TOP, 1);
    let index = BaseIndex::new(&below, &lower.places, 1);
    // The time of an addition does not depend on the numbers, so zeros serve.
    let values = Words::zeroed(lower.slots as usize * 4);
    let below = Evaluated { layer: below, index, survey: lower, table: values, width: 4 };
    let mut table = Words::zeroed(upper.slots as usize * 4);
    let edges: usize = above.iter().map(|&base| split.removable(base).count()).sum();
    bencher.counter(ItemsCount::new(edges)).bench_local(|| {
        let looked_up = (!discovered).then(|| look_up(&split, &above, &below.index, 1, &watch)).transpose()?;
        let from = Some((below.as_below(), looked_up.as_ref().unwrap_or_else(|| discovery.edges())));
        let to = (&mut table[..], 4);
        evaluate_layer(&split, &ranks, from, (&above, &upper), TOP, to, 1, isa, &watch)
    });
}
