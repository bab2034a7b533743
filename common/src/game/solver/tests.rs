use super::*;
use crate::game::definition;
use crate::oracle;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;

/// Compares the values of all labelled ideals.
fn check<R: Rule>(spec: &str, definition: impl Fn(&[u8]) -> u8) {
    let poset: Poset = spec.parse().expect("a poset");
    let values = definition::Game::new(&poset).values(definition);
    let mut solver = Solver::<1, R>::new(&poset);
    for (&position, &value) in &values {
        assert_eq!(solver.value(Ideal([position]), usize::MAX), Ok(value), "{spec} {position:b}");
    }
    assert_eq!(solver.remembered(), oracle::orbits(&poset).len(), "{spec}: one for each orbit");
    // A search that starts with the largest position finds the same.
    for (&position, &value) in values.iter().rev().step_by(5) {
        let members: Vec<Element> = oracle::members(position).collect();
        assert_eq!(super::value::<R>(&poset, &members, usize::MAX), Ok(value), "{spec} {position:b}");
    }
}

#[test]
fn every_position_has_the_grundy_value_of_the_definition() {
    for spec in definition::POSETS {
        check::<Grundy<1>>(spec, definition::mex);
        check::<Grundy<4>>(spec, definition::mex);
    }
}

#[test]
fn every_position_has_the_outcome_of_the_definition() {
    for spec in definition::POSETS {
        check::<Outcome>(spec, definition::outcome);
    }
}

#[test]
fn every_position_has_the_remoteness_of_the_definition() {
    for spec in definition::POSETS {
        check::<Remoteness>(spec, definition::remoteness);
    }
}

/// Grundy values of one bit, so that nearly every position needs the wider rule.
#[derive(Clone, Copy, Debug, Default)]
struct Narrow;

impl Rule for Narrow {
    type Seen = [bool; 2];
    type Wider = Grundy<1>;
    const ROUNDS: usize = 1;

    fn see(seen: &mut [bool; 2], value: u8) {
        if let Some(seen) = seen.get_mut(usize::from(value)) {
            *seen = true;
        }
    }

    fn is_settled(_: [bool; 2]) -> bool {
        false
    }

    fn value(seen: [bool; 2]) -> Option<u8> {
        seen.iter().position(|seen| !seen).map(|value| value as u8)
    }

    fn is_lost(value: u8) -> bool {
        value == 0
    }
}

#[test]
fn what_a_rule_cannot_represent_is_told_by_its_wider_one() {
    for spec in definition::POSETS {
        check::<Narrow>(spec, definition::mex);
    }
    // A Nim heap of 255.
    let poset: Poset = "chain:256".parse().expect("a poset");
    let all: Vec<Element> = (0..256).collect();
    assert_eq!(value::<Grundy<1>>(&poset, &all, 256), Ok(255));
    assert_eq!(value::<Grundy<4>>(&poset, &all, 256), Ok(255));
}

#[test]
fn a_value_that_fits_no_rule_is_an_error() {
    let poset: Poset = "antichain:256".parse().expect("a poset");
    let mut solver = Solver::<4, Remoteness>::new(&poset);
    assert_eq!(solver.value(Ideal::first(256), 1000), Err(Unsolved::TooLarge));
    assert_eq!(solver.value(Ideal::first(255), 1000), Ok(255));
    assert_eq!(solver.value(Ideal::first(256), 1000), Err(Unsolved::TooLarge));
    let all: Vec<Element> = (0..256).collect();
    assert_eq!(value::<Grundy<1>>(&poset, &all, 1000), Ok(0));
    assert_eq!(value::<Outcome>(&poset, &all, 1000), Ok(0));
}

#[test]
fn a_search_that_remembers_too_much_is_given_up_and_taken_up_again() {
    let poset: Poset = "boolean:5".parse().expect("a poset");
    let mut solver = Solver::<1, Grundy<1>>::new(&poset);
    let everything = Ideal::first(32);
    for most in [0, 1, 50, 208] {
        assert_eq!(solver.value(everything, most), Err(Unsolved::TooManyPositions));
        assert_eq!(solver.remembered(), most);
    }
    // All orbits but that of the empty ideal: the least element is never taken.
    assert_eq!(solver.value(everything, 209), Ok(2));
    // What is remembered needs no room.
    assert_eq!(solver.value(everything, 0), Ok(2));
}

#[test]
fn deep_games_need_no_deep_stack() {
    let deep = || {
        for spec in ["chain:256", "antichain:256", "chains:128x2"] {
            let poset: Poset = spec.parse().expect("a poset");
            let value = Solver::<4, Outcome>::new(&poset).value(Ideal::first(256), 100_000);
            assert_eq!(value, Ok(u8::from(spec != "antichain:256")), "{spec}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(deep).expect("a thread");
    thread.join().expect("the stack was large enough");
}

#[test]
fn the_only_elements_of_the_smallest_posets_cannot_be_taken() {
    for spec in ["boolean:0", "chain:1", "antichain:1", "divisors:1", "boolean:8:0"] {
        let poset: Poset = spec.parse().expect("a poset");
        assert_eq!(value::<Grundy<1>>(&poset, &[0], 1), Ok(0), "{spec}");
        assert_eq!(value::<Remoteness>(&poset, &[], 1), Ok(0), "{spec}");
    }
}
