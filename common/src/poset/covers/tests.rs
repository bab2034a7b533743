use std::collections::HashSet;

use super::*;
use crate::poset::{Poset, PosetFault};

/// Posets of every family, small enough to look at all of.
const SMALL: [&str; 22] = [
    "chain:1",
    "chain:7",
    "chains:3x3x2",
    "chains:1x1",
    "boolean:0",
    "boolean:4",
    "boolean:5:2",
    "boolean:5:0",
    "divisors:1",
    "divisors:360",
    "antichain:4",
    "asm:2",
    "asm:5",
    "asm:7",
    "partitions:1",
    "partitions:4",
    "partitions:6",
    "subspaces:0:5",
    "subspaces:3:2",
    "subspaces:2:9",
    "subspaces:3:4",
    "subspaces:2:8",
];

fn poset(text: &str) -> CoverPoset {
    text.parse().expect("a poset")
}

#[test]
fn covers_and_ranks_are_those_of_the_order() {
    for text in SMALL {
        let poset = poset(text);
        let relation = poset.relation();
        let diagram = Hasse::of(relation, 1000).expect("small");
        let elements = diagram.elements();
        assert_eq!(relation.len(), elements.len().into(), "{text}");
        let is_below = |x: usize, y: usize| x != y && relation.is_at_most(&elements[x], &elements[y]);
        for y in 0..elements.len() {
            let below: Vec<usize> = (0..elements.len()).filter(|&x| is_below(x, y)).collect();
            let covered: HashSet<u32> =
                below.iter().filter(|&&x| !below.iter().any(|&z| is_below(x, z))).map(|&x| x as u32).collect();
            assert_eq!(diagram.lower_covers(y).len(), covered.len(), "{text}: each cover once");
            assert_eq!(diagram.lower_covers(y).iter().copied().collect::<HashSet<u32>>(), covered, "{text}");
            let rank = below.iter().map(|&x| diagram.rank(x) + 1).max().unwrap_or(0);
            assert_eq!((diagram.rank(y), relation.rank(&elements[y])), (rank, rank), "{text}");
            let ideal: Vec<u32> = below.iter().map(|&x| x as u32).chain([y as u32]).collect();
            assert_eq!(diagram.principal_ideal(y), ideal, "{text}");
        }
    }
}

#[test]
fn counts_by_rank_are_those_of_the_elements() {
    for text in SMALL {
        let poset = poset(text);
        let diagram = Hasse::of(poset.relation(), 1000).expect("small");
        let count = |rank| (0..diagram.elements().len()).filter(|&x| diagram.rank(x) == rank).count();
        let counts: Vec<BigUint> = (0..=poset.relation().height()).map(|rank| count(rank).into()).collect();
        assert_eq!(poset.relation().len_by_rank(), counts, "{text}");
        assert!(!counts.contains(&BigUint::ZERO));
        for x in diagram.elements() {
            let covers = poset.relation().lower_covers(x).len();
            assert_eq!(poset.relation().len_of_lower_covers(x), covers.into(), "{text}");
        }
    }
    assert_eq!(poset("subspaces:4:3").relation().len_by_rank(), [1u32, 40, 130, 40, 1].map(BigUint::from));
    let bells: Vec<BigUint> = (0..9).map(bell_number).collect();
    assert_eq!(bells, [1u32, 1, 2, 5, 15, 52, 203, 877, 4140].map(BigUint::from));
}

#[test]
fn elements_that_cover_more_than_memory_holds_are_refused_and_not_tried() {
    for text in
        ["partitions:65", "partitions:200", "subspaces:65:2", "subspaces:200:31", "boolean:64", "chain:4000000000"]
    {
        let poset = poset(text);
        assert!(Hasse::below(poset.relation(), poset.relation().maximal(), 1000).is_err(), "{text}");
    }
}

#[test]
fn elements_are_read_as_they_are_written() {
    for text in SMALL.into_iter().chain(["boolean:12", "partitions:12", "asm:30", "subspaces:5:16"]) {
        let poset = poset(text);
        let relation = poset.relation();
        assert_eq!(relation.name().parse(), Ok(poset.clone()));
        let mut some = relation.maximal();
        for _ in 0..40 {
            some.extend(relation.lower_covers(&some[some.len() - 1]).pop());
        }
        let labels: HashSet<String> = some.iter().map(|x| relation.label(x)).collect();
        assert_eq!(labels.len(), some.iter().collect::<HashSet<_>>().len());
        for x in &some {
            assert_eq!(relation.read(&relation.label(x)).as_ref(), Ok(x), "{text}");
        }
    }
    let space = poset("subspaces:2:4");
    assert_eq!(space.relation().label(&space.relation().read("ba/0b").expect("a basis")), "10/01");
    let partitions = poset("partitions:4");
    assert_eq!(partitions.relation().label(&partitions.relation().read("4|31|2").expect("all of them")), "13|2|4");
}

#[test]
fn where_sets_of_elements_are_kept_too_the_order_and_the_names_are_the_same() {
    for text in ["boolean:4", "boolean:5:2", "chains:3x3x2", "divisors:360", "chain:7", "antichain:4"] {
        let kept: Poset = text.parse().expect("a poset");
        let poset = poset(text);
        let diagram = Hasse::of(poset.relation(), 1000).expect("small");
        let labels: Vec<String> = diagram.elements().iter().map(|x| poset.relation().label(x)).collect();
        assert_eq!(labels, (0..kept.len()).map(|x| kept.label(x)).collect::<Vec<_>>(), "{text}");
        for x in 0..kept.len() {
            let covers: HashSet<u32> = kept.lower_covers(x).iter().map(|&y| y.into()).collect();
            assert_eq!(diagram.lower_covers(x).iter().copied().collect::<HashSet<u32>>(), covers);
        }
    }
}

#[test]
fn words_that_are_no_elements_say_why() {
    for (text, word, reason) in [
        ("asm:5", "0,0", "parts: 2, where there should be 3"),
        ("asm:5", "1,1,2", "it is not an element of asm:5"),
        ("asm:5", "1,1,9", "9 is out of range: the numbers are 0 to 3"),
        ("partitions:4", "12|3", "4 is missing"),
        ("partitions:4", "12|34|1", "1 is there twice"),
        ("partitions:4", "12||34", "a part of it is empty"),
        ("partitions:4", "12|35", "5 is out of range: the numbers are 1 to 4"),
        ("subspaces:3:2", "102", "`2` stands for nothing here"),
        ("subspaces:3:2", "10", "parts: 2, where there should be 3"),
        ("subspaces:3:2", "100/100", "its rows depend on each other"),
        ("divisors:360", "7", "it is not an element of divisors:360"),
        ("boolean:3", "3", "3 is out of range: the numbers are 0 to 2"),
        ("boolean:4:2", "012", "it is not an element of boolean:4:2"),
        ("boolean:3", "00", "point 0 is there twice"),
        ("chain:3", "", "an element is missing"),
        ("chain:3", "0", "0 is out of range: the numbers are 1 to 3"),
    ] {
        let error = poset(text).relation().read(word).expect_err(word);
        assert_eq!(error.reason(), reason, "{text} {word}");
        assert!(error.hint().starts_with("write "));
    }
}

#[test]
fn words_that_are_no_posets_say_why() {
    for (text, fault) in [
        ("subspaces:3:6", PosetFault::NotAPrimePower(6)),
        ("subspaces:3:1", PosetFault::NotAPrimePower(1)),
        ("asm:1", PosetFault::OutOfRange { number: 1, least: 2, most: 202 }),
        ("partitions:0", PosetFault::OutOfRange { number: 0, least: 1, most: 200 }),
        ("boolean:3:4", PosetFault::SizeAbovePoints { size: 4, points: 3 }),
        ("boolean:3:2:1", PosetFault::ExtraPart("1".to_owned())),
        ("divisors:0", PosetFault::DivisorsOfZero),
        ("lattice:3", PosetFault::UnknownFamily("lattice".to_owned())),
        ("asm", PosetFault::MissingParameter("asm")),
    ] {
        let error = text.parse::<CoverPoset>().expect_err(text);
        assert_eq!(*error.fault(), fault);
        assert!(!error.hint().is_empty());
    }
    assert!("subspaces:3".parse::<CoverPoset>().is_err());
}
