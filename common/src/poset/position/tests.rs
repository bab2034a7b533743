//! Positions there and back, and what bad ones get.

use proptest::prelude::*;

use super::*;
use crate::oracle;

fn poset(text: &str) -> Poset {
    text.parse().expect("a poset")
}

/// The ideal a text means, written in the normal form.
fn normal(name: &str, text: &str) -> String {
    let poset = poset(name);
    let position = parse_position(&poset, text).expect(text);
    assert!(position.warnings.is_empty(), "{:?}", position.warnings);
    format_position(&poset, &position.members)
}

fn fault(name: &str, text: &str) -> PositionFault {
    parse_position(&poset(name), text).expect_err(text).fault().clone()
}

fn reason(name: &str, text: &str) -> String {
    fault(name, text).to_string()
}

#[test]
fn positions_are_sorted_by_size_then_text() {
    assert_eq!(normal("boolean:5", "012 34"), "34 012");
    assert_eq!(normal("boolean:5", "  21,03 , "), "03 12");
    assert_eq!(normal("boolean:7", "540 321\t06,15"), "06 15 045 123");
    assert_eq!(normal("boolean:3", "-"), "-");
    assert_eq!(normal("boolean:0", "-"), "-");
    assert_eq!(normal("boolean:3", " {} "), "{}");
    assert_eq!(normal("chain:5", "3"), "3");
    assert_eq!(normal("chain:5", "{}"), "{}");
    assert_eq!(normal("chains:3x3x2", "3.1.2, 1.2.2"), "1.2.2 3.1.2");
    assert_eq!(normal("chains:12x2", "12.1 3.2"), "3.2 12.1");
    assert_eq!(normal("divisors:360", "12 5"), "5 12");
    assert_eq!(normal("divisors:210", "21 10 6"), "6 10 21");
    assert_eq!(normal("antichain:12", "11 2 4"), "2 4 11");
}

#[test]
fn sets_that_are_no_antichain_generate_an_ideal_and_a_warning() {
    let poset = poset("boolean:4");
    for text in ["01 012", "012 01", "- 012"] {
        let position = parse_position(&poset, text).expect(text);
        assert_eq!(format_position(&poset, &position.members), "012");
        assert_eq!(position.warnings.len(), 1);
    }
    let warning = parse_position(&poset, "012 01").expect("a position").warnings.remove(0);
    let expected = "`012 01` is not an antichain (01 lies below 012): it is taken as the ideal it generates";
    assert_eq!(warning, expected);
}

#[test]
fn points_out_of_range() {
    assert_eq!(reason("boolean:7", "017"), "point 7 in `017` is out of range: the points are 0 to 6");
    assert_eq!(reason("boolean:1", "1"), "point 1 in `1` is out of range: the only point is 0");
    assert_eq!(reason("boolean:0", "0"), "point 0 in `0` is out of range: there are no points");
    assert_eq!(reason("boolean:7", "0x1"), "`x` in `0x1` is out of range: the points are 0 to 6");
    assert_eq!(reason("boolean:7", "01-23"), "`-` in `01-23` is out of range: the points are 0 to 6");
    assert_eq!(reason("chain:4", "5"), "5 in `5` is out of range: the numbers are 1 to 4");
    assert_eq!(reason("chain:4", "0"), "0 in `0` is out of range: the numbers are 1 to 4");
    assert_eq!(reason("antichain:4", "7"), "7 in `7` is out of range: the numbers are 1 to 4");
    assert_eq!(reason("chains:3x2", "3.3"), "3 in `3.3` is out of range: the numbers are 1 to 2");
}

#[test]
fn repetitions() {
    assert_eq!(reason("boolean:5", "34 011"), "`011` repeats point 1");
    assert_eq!(reason("boolean:5", "01 34 10"), "`01` is given twice");
    assert_eq!(reason("boolean:5", "- -"), "`-` is given twice");
    assert_eq!(reason("antichain:5", "2 02"), "`2` is given twice");
}

#[test]
fn elements_that_are_not_there() {
    assert_eq!(reason("boolean:5:2", "012"), "`012` is not an element of boolean:5:2");
    assert_eq!(reason("divisors:360", "7"), "`7` is not an element of divisors:360");
    assert_eq!(reason("divisors:360", "0"), "`0` is not an element of divisors:360");
    assert_eq!(reason("chains:3x3x2", "3.1"), "`3.1` has 2 coordinates instead of 3");
    assert_eq!(fault("chains:3x3", "3.x"), PositionFault::Number(NumberFault::NotDigits("x".to_owned())));
    assert_eq!(fault("chains:3x3", "3."), PositionFault::Number(NumberFault::Missing));
    assert_eq!(fault("chain:3", "-"), PositionFault::Number(NumberFault::NotDigits("-".to_owned())));
    let truncated = poset("chains:3x3").truncate_to_rank(1);
    assert!(parse_position(&truncated, "2.2").is_err() && parse_position(&truncated, "2.1").is_ok());
}

#[test]
fn texts_without_elements() {
    for text in ["", "  ", ",", " , "] {
        assert_eq!(fault("boolean:3", text), PositionFault::Empty);
    }
    assert_eq!(fault("boolean:3", "{} 01"), PositionFault::EmptyIdealAmongElements);
    assert_eq!(fault("chain:3", "{} {}"), PositionFault::EmptyIdealAmongElements);
}

#[test]
fn every_error_has_a_hint_in_the_notation_of_the_family() {
    for (name, example) in [("boolean:3", "012 34"), ("chains:2x2", "3.1.2"), ("divisors:6", "divisors")] {
        let error = parse_position(&poset(name), "?").expect_err("no element");
        assert!(error.hint().contains(example) && error.hint().contains("{}"));
        assert_eq!(error.input(), "?");
    }
}

/// Families with one, two and three kinds of notation, all of at most 64 elements.
const NAMES: [&str; 9] = [
    "boolean:0",
    "boolean:4",
    "boolean:6",
    "boolean:6:3",
    "chain:12",
    "chains:3x12",
    "chains:3x3x2",
    "divisors:5040",
    "antichain:20",
];

proptest! {
    #[test]
    fn formatted_ideals_read_back(name in prop::sample::select(&NAMES[..]), seeds in prop::collection::vec(0usize..64, 0..8)) {
        let poset = poset(name);
        let ideal = seeds.iter().fold(Ideal::<1>::empty(), |ideal, seed| ideal.union(&poset.principal_ideal(seed % poset.len())));
        let members: Vec<Element> = ideal.iter().collect();
        let text = format_position(&poset, &members);
        let read = parse_position(&poset, &text).expect("what was written reads");
        prop_assert_eq!(&read.members, &members);
        prop_assert!(read.warnings.is_empty());
        let maximal: Vec<String> = oracle::maximal(&poset, ideal.0[0]).iter().map(|&x| poset.label(x)).collect();
        let mut words: Vec<String> = text.split(' ').filter(|&word| word != "{}").map(str::to_owned).collect();
        words.sort();
        prop_assert_eq!(words, { let mut maximal = maximal; maximal.sort(); maximal });
    }

    #[test]
    fn no_text_makes_the_parsers_panic(name in prop::sample::select(&NAMES[..]), text in "[-{}0-9.x, \\pL]{0,12}") {
        let poset = poset(name);
        if let Ok(position) = parse_position(&poset, &text) {
            prop_assert!(parse_position(&poset, &format_position(&poset, &position.members)).is_ok());
        }
        if let Ok(other) = text.parse::<crate::poset::PosetSpec>() {
            prop_assert_eq!(other.to_string().parse(), Ok(other));
        }
    }
}
