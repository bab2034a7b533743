//! Estimates against numbers that are known: were there a bias, or intervals too short, these would fail.

use num_bigint::BigUint;

use super::*;
use crate::known;
use crate::watch::Interrupt;

/// Intervals that are counted.
const REPETITIONS: u64 = 200;

/// An estimator, and so many batches of `size` random ideals each.
fn batches(spec: &str, frontier: usize, size: usize, count: u64) -> Vec<Scaled> {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let estimator = Estimator::new(&spec.parse().expect("a poset"), frontier, &watch).expect("not stopped");
    assert!(estimator.exact().is_none(), "{spec}: some ideals are random");
    let batch = |batch| estimator.batch_of(size, (Stream::Answer, 11, batch), &watch).expect("not stopped");
    (0..count).map(batch).collect()
}

/// How many intervals with 95 % confidence, each from so many batches, have a number in them.
fn covered(batches: &[Scaled], number: Scaled) -> usize {
    let has = |batches: &&[Scaled]| {
        let interval = Interval::of(batches, 0.95);
        let (low, high) = (interval.low.ratio(number), interval.high.ratio(number));
        low <= 1.0 && 1.0 <= high
    };
    batches.chunks(LEAST_BATCHES as usize).filter(has).count()
}

/// How many standard errors the mean of all batches is away from a number.
fn deviation(batches: &[Scaled], number: Scaled) -> f64 {
    let interval = Interval::of(batches, 0.95);
    (interval.mean.ratio(number) - 1.0) / interval.relative_error
}

/// Of 200 intervals, 190 are promised; 181 or fewer, and 199 or more, have a chance below one in a hundred.
fn covers(n: usize, frontier: usize, size: usize) {
    let spec = &*format!("boolean:{n}");
    let batches = batches(spec, frontier, size, REPETITIONS * LEAST_BATCHES);
    let number = Scaled::from(&known::boolean_extensions(n).expect("known"));
    let hits = covered(&batches, number);
    let away = deviation(&batches, number);
    assert!((182..=198).contains(&hits), "{spec}: {hits} of {REPETITIONS} intervals have the number");
    assert!(away.abs() < 3.0, "{spec}: the mean is {away} standard errors away");
    // The same intervals would not pass with a bias of one standard error of theirs.
    let error = Interval::of(&batches[..LEAST_BATCHES as usize], 0.95).relative_error;
    assert!(covered(&batches, number.times(1.0 + error)) < 182, "{spec}: this test could not fail");
}

#[test]
fn intervals_of_boolean_5_have_the_number_as_often_as_promised() {
    covers(5, 0, 64);
}

#[test]
fn intervals_of_boolean_6_have_the_number_as_often_as_promised() {
    covers(6, 10, 64);
}

#[test]
fn intervals_of_boolean_7_have_the_number_as_often_as_promised() {
    covers(7, 1000, 32);
}

#[test]
fn other_posets_are_estimated_without_bias() {
    // Without symmetry, duality or levels of equal elements; by the hook length formula, and from `known`.
    for (spec, number) in [
        ("chains:5x5", "701149020"),
        ("divisors:360", "20071150430"),
        ("boolean:5:2", "1383782400"),
        ("chains:3x3x3", "6405442434150"),
        ("chains:2x2x6", "1941406508"),
    ] {
        let number = Scaled::from(&number.parse::<BigUint>().expect("a number"));
        for frontier in [0, 3] {
            let away = deviation(&batches(spec, frontier, 256, 40), number);
            assert!(away.abs() < 3.5, "{spec}, {frontier}: {away} standard errors away");
        }
    }
}

#[test]
fn small_populations_of_a_bad_formula_are_right_in_the_mean() {
    // What was learnt only makes estimates precise: by the hook formula of trees they are rough, and resampled.
    let poset: Poset = "boolean:4".parse().expect("a poset");
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let elements = Elements::new(&poset);
    let frontier = Frontier::new(&poset, 1, &watch).expect("not stopped");
    let formulas = vec![Formula::of_trees(&elements); frontier.last - frontier.first + 1];
    let start = Start::new(&elements, &frontier, &formulas[0]);
    let batch = |batch| {
        let mut random = Random::of_words(&[batch]);
        population::estimate(&elements, (&start, &frontier), &formulas, 5, &mut random, &watch).expect("not stopped")
    };
    let batches: Vec<Scaled> = (0..4000).map(batch).collect();
    let away = deviation(&batches, Scaled::from(&BigUint::from(1_680_384u32)));
    assert!(away.abs() < 3.0, "{away} standard errors away");
}

#[test]
fn batches_are_the_same_again_and_differ_by_stream_seed_and_number() {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let estimator = Estimator::new(&"boolean:5".parse().expect("a poset"), 10, &watch).expect("not stopped");
    let batch = |stream, seed, batch| estimator.batch(stream, seed, batch, &watch).expect("not stopped");
    let first = batch(Stream::Answer, 1, 0);
    assert_eq!(batch(Stream::Answer, 1, 0), first);
    for other in [batch(Stream::Trial, 1, 0), batch(Stream::Answer, 2, 0), batch(Stream::Answer, 1, 1)] {
        assert_ne!(other, first);
    }
}

#[test]
fn a_stop_is_heard() {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let poset: Poset = "boolean:5".parse().expect("a poset");
    let estimator = Estimator::new(&poset, 10, &watch).expect("not stopped");
    interrupt.request();
    assert!(estimator.batch(Stream::Answer, 1, 0, &watch).is_err());
    assert!(Estimator::new(&poset, 10, &watch).is_err());
}
