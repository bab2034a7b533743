use std::collections::HashSet;
use std::sync::Arc;

use super::*;
use crate::game::definition;
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::search::proof::{CheckOptions, check};
use crate::watch::Interrupt;

fn poset(spec: &str) -> Poset {
    spec.parse().expect("a poset")
}

#[test]
fn outcomes_are_those_of_the_definition() {
    for spec in definition::POSETS.into_iter().chain(["boolean:5", "boolean:5:2", "boolean:3:0", "chains:4x4x2"]) {
        let poset = poset(spec);
        let rules = Arc::new(Rules::<1>::new(&poset));
        for threads in [1, 2] {
            // So small a table forgets.
            let mut crew = Crew::new(rules.clone(), threads, (0, threads as u64));
            for (position, value) in definition::Game::new(&poset).values(definition::outcome).into_iter().step_by(3) {
                assert_eq!(crew.settle(Ideal([position]), &mut |_| true), Some(value == 0), "{spec} {position:b}");
            }
        }
    }
}

#[test]
fn known_outcomes_of_games_on_few_points() {
    // P_{n,k} for k = 0..n from the table of Grundy values up to n = 5, and the lost ones that the paper names.
    let lost = ["1:0", "2:0", "2:1", "3:0", "3:2", "4:0", "4:1", "4:3", "5:0", "5:4", "6:5", "7:0"];
    for n in 1..=6 {
        for k in 0..=n {
            let poset = poset(&format!("boolean:{n}:{k}"));
            let rules = Arc::new(Rules::<1>::new(&poset));
            let is_lost = Crew::new(rules, 1, (0, 0)).settle(Ideal::first(poset.len()), &mut |_| true);
            if n < 6 || k == 5 {
                assert_eq!(is_lost, Some(lost.contains(&&*format!("{n}:{k}"))), "P_{n},{k}");
            }
        }
    }
}

#[test]
fn proofs_are_accepted_by_the_checker() {
    let interrupt = Interrupt::new();
    let options = CheckOptions { threads: 1, interrupt: &interrupt, progress: &|_| {} };
    let specs =
        ["boolean:4", "boolean:5:3", "boolean:6:4", "boolean:6:5", "chains:3x3x3", "divisors:720", "antichain:7"];
    for spec in specs {
        let poset = poset(spec);
        let rules = Arc::new(Rules::<1>::new(&poset));
        let mut crew = Crew::new(rules, 1, (1 << 20, 0));
        let everything = Ideal::first(poset.len());
        let proof = prove(&mut crew, everything, &mut |_| true).expect("a proof");
        let mut file = Vec::new();
        proof.write(&poset, &mut file).expect("it can be written");
        let checked = check(&file[..], &options).unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert_eq!(checked.entries, proof.entries.len() as u64);
    }
}

#[test]
fn a_proof_that_is_stopped_goes_on_with_what_is_made() {
    let poset = poset("boolean:6:5");
    let everything = Ideal::<1>::first(poset.len());
    let rules = Arc::new(Rules::new(&poset));
    let mut crew = Crew::new(rules, 2, (1 << 20, 0));
    let whole = prove(&mut crew, everything, &mut |_| true).expect("a proof");
    let mut made = Vec::new();
    let stopped = prove(&mut crew, everything, &mut |turn| {
        made = turn.proof.map_or(Vec::new(), |proof| proof.entries.to_vec());
        made.len() < 300
    });
    assert_eq!(stopped.err(), Some(ProveError::Stopped));
    let before: HashSet<Ideal<1>> = made.iter().map(|entry| entry.position).collect();
    let further = go_on_proving(&mut crew, everything, made, &mut |turn| {
        let proof = turn.proof.expect("it is proved, not searched");
        assert!(proof.entries.iter().all(|entry| !before.contains(&entry.position)), "explained once");
        proof.explained >= proof.entries.len() && proof.explained <= proof.listed
    });
    assert_eq!(further, Ok(whole));
}
