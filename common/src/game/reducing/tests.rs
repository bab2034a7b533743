use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::game::{Solver, definition};
use crate::ideal::Ideal;
use crate::oracle;

#[test]
fn every_position_has_its_plain_value() {
    for spec in definition::POSETS.into_iter().chain(["boolean:5", "boolean:5:3", "chains:3x3x3"]) {
        let poset: Poset = spec.parse().expect("a poset");
        let mut grundy = ReducingSolver::<1, Grundy<1>>::new(&poset);
        let mut outcome = ReducingSolver::<1, Outcome>::new(&poset);
        for (position, value) in definition::Game::new(&poset).values(definition::mex) {
            assert_eq!(grundy.value(Ideal([position]), usize::MAX), Ok(value), "{spec} {position:b}");
            assert_eq!(outcome.value(Ideal([position]), usize::MAX), Ok(u8::from(value != 0)), "{spec} {position:b}");
        }
    }
}

/// Compares random positions of a large poset.
fn compare<const W: usize>(spec: &str, cases: u32, most_generators: usize) {
    let poset: Poset = spec.parse().expect("a poset");
    let plain = RefCell::new(Solver::<W, Grundy<1>>::new(&poset));
    let grundy = RefCell::new(ReducingSolver::<W, Grundy<4>>::new(&poset));
    let outcome = RefCell::new(ReducingSolver::<W, Outcome>::new(&poset));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let generators = prop::collection::vec(0..poset.len(), 0..most_generators);
    let result = runner.run(&generators, |generators| {
        let position = generators.iter().fold(Ideal::empty(), |set: Ideal<W>, &x| set.union(&poset.principal_ideal(x)));
        let value = plain.borrow_mut().value(position, usize::MAX).expect("a value");
        prop_assert_eq!(grundy.borrow_mut().value(position, usize::MAX), Ok(value));
        prop_assert_eq!(outcome.borrow_mut().value(position, usize::MAX), Ok(u8::from(value != 0)));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{spec}: {error}"));
}

#[test]
fn random_positions_have_their_plain_values() {
    compare::<1>("boolean:6", 60, 10);
    compare::<2>("boolean:7:2", 60, 12);
    compare::<4>("antichain:256", 20, 40);
}

/// The positions that the value of a whole poset takes by either search.
fn positions<R: Reducible>(spec: &str) -> [usize; 2] {
    let poset: Poset = spec.parse().expect("a poset");
    let everything = Ideal::first(poset.len());
    let mut plain = Solver::<1, R>::new(&poset);
    let mut reducing = ReducingSolver::<1, R>::new(&poset);
    assert_eq!(plain.value(everything, usize::MAX), reducing.value(everything, usize::MAX), "{spec}");
    [plain.remembered(), reducing.remembered()]
}

#[test]
fn theorems_save_positions() {
    let [plain, reducing] = positions::<Grundy<1>>("boolean:6:2");
    assert!(10 * reducing < plain, "{reducing} of {plain}");
    let [plain, reducing] = positions::<Outcome>("boolean:6:3");
    assert!(10 * reducing < plain, "{reducing} of {plain}");
    assert_eq!(positions::<Outcome>("boolean:6")[1], 1, "strategy stealing alone");
}

#[test]
fn what_is_remembered_of_parts_counts() {
    // Two edges, one of which has another point: neither theorem cancels one of the parts.
    let poset: Poset = "boolean:5".parse().expect("a poset");
    let part = |text: &str| crate::poset::parse_position(&poset, text).expect("a position").members;
    let members = part("01 12 34");
    let mut needed = 0;
    while reduced_value::<Outcome>(&poset, &members, needed) == Err(Unsolved::TooManyPositions) {
        needed += 1;
    }
    let position = members.iter().fold(Ideal::empty(), |set: Ideal<1>, &x| set.with(x));
    let mut solver = ReducingSolver::<1, Outcome>::new(&poset);
    assert_eq!(solver.value(position, needed - 1), Err(Unsolved::TooManyPositions));
    assert!(solver.remembered() < needed && needed > 2);
    let mut solver = ReducingSolver::<1, Outcome>::new(&poset);
    assert_eq!(solver.value(position, needed), Ok(definition_outcome(&poset, position)));
    assert_eq!(solver.remembered(), needed);
}

fn definition_outcome(poset: &Poset, position: Ideal<1>) -> u8 {
    assert!(oracle::is_ideal(poset, position.0[0]));
    definition::Game::new(poset).values(definition::outcome)[&position.0[0]]
}
