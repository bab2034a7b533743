use proptest::prelude::*;

use super::text::{DIGEST_DIGITS, parse};
use super::*;
use crate::poset::{Poset, format_position, parse_position};

fn poset(text: &str, format: Format) -> GivenPoset {
    read(text, format).unwrap_or_else(|error| panic!("{text}: {error}")).poset
}

/// The covers by name, sorted.
fn covers(poset: &GivenPoset) -> Vec<String> {
    let labels = poset.labels();
    let pairs = poset.lower_covers().iter().enumerate().flat_map(|(y, lower)| lower.iter().map(move |&x| (x, y)));
    let mut covers: Vec<String> = pairs.map(|(x, y)| format!("{}<{}", labels[usize::from(x)], labels[y])).collect();
    covers.sort();
    covers
}

fn error(text: &str) -> (Option<usize>, GivenFault) {
    let error = read(text, Format::Any).expect_err(text);
    assert!(!error.hint().is_empty());
    (error.line, error.fault)
}

#[test]
fn all_formats_tell_the_same_poset() {
    let expected = ["1<2", "1<3", "2<4", "3<4"];
    for text in [
        "1 < 2\n1 3\n2 < 4 # a remark\n\n3<4\n1 < 4\n",
        "1 < 2 < 4\n1 < 3 < 4\n",
        "0 1 1 1\n0 0 0 1\n0 0 0 1\n0 0 0 0\n",
        "0110\n0001\n0001\n0000\n",
        "1,1,1,1\n0,1,0,1\n0,0,1,1\n0,0,0,1\n",
        "digraph { 1 -> {2 3} -> 4 [color=red]; node [shape=box]; rankdir=BT; 1 -> 4 }",
        "/* a */ strict digraph \"G\" {\n1->2->4 // b\nsubgraph cluster_0 { 1; 3 } 1 -> 3; 3:n -> 4:s }",
        r#"{"elements": [1, 2, "3", 4], "covers": [[1, 2], [1, 3], [2, 4], [3, 4], [1, 4]]}"#,
    ] {
        let poset = poset(text, Format::Any);
        assert_eq!(
            (poset.labels(), covers(&poset)),
            (&["1", "2", "3", "4"].map(str::to_owned)[..], expected.map(str::to_owned).to_vec()),
            "{text}"
        );
    }
    let notes = |text| read(text, Format::Any).expect("a poset").notes;
    assert_eq!(notes("0 1 0\n0 0 1\n0 0 0\n").len(), 1, "a matrix that is not transitive");
    assert_eq!(notes("0 1 1\n0 0 1\n0 0 0\n").len() + notes("a b\nb c\n").len(), 0);
}

#[test]
fn names_are_any_text() {
    let poset = poset("\"put on shoes\" < go\ngo < \"say \\\"hi\\\"\"\nalone\n", Format::Any);
    assert_eq!(poset.labels(), ["put on shoes", "alone", "go", "say \"hi\""]);
    let whole: Poset = poset.to_string().parse().expect("a poset");
    assert_eq!((whole.len(), whole.rank(3)), (4, 2));
    let position = parse_position(&whole, "\"say \\\"hi\\\"\", alone").expect("a position");
    assert_eq!(position.members, [0, 1, 2, 3]);
    assert_eq!(format_position(&whole, &[0, 1, 2]), "alone go");
    assert_eq!(format_position(&whole, &[0]), "\"put on shoes\"");
}

#[test]
fn an_element_is_not_taken_for_the_empty_ideal() {
    let whole: Poset = poset("\"{}\" < a\n", Format::Any).to_string().parse().expect("a poset");
    assert_eq!(format_position(&whole, &[0]), "\"{}\"");
    assert_eq!(parse_position(&whole, "\"{}\"").expect("an element").members, [0]);
    assert!(parse_position(&whole, " {} ").expect("the empty ideal").members.is_empty());
}

#[test]
fn what_is_no_poset_is_told_by_line() {
    assert_eq!(error(""), (None, GivenFault::Empty));
    assert_eq!(error("# nothing\n\n"), (None, GivenFault::Empty));
    assert_eq!(error("a < b\nb < a\n"), (Some(2), GivenFault::Cycle(["a", "b", "a"].map(str::to_owned).to_vec())));
    let cycle = ["b", "c", "d", "b"].map(str::to_owned).to_vec();
    assert_eq!(error("a b\nb c\nc d\nd b\nd e\n"), (Some(4), GivenFault::Cycle(cycle)));
    assert_eq!(error("a < a\n"), (Some(1), GivenFault::BelowItself("a".into())));
    assert_eq!(error("a < b\nc < \"d\n"), (Some(2), GivenFault::Unclosed));
    assert_eq!(error("a b\na b c\n"), (Some(2), GivenFault::NoRelation("a b c".into())));
    assert_eq!(error("a <= b\n"), (Some(1), GivenFault::NoRelation("a <= b".into())));
    assert_eq!(error("a <\n"), (Some(1), GivenFault::NoRelation("a <".into())));
    assert_eq!(error("0 1 1\n0 0 1\n"), (Some(1), GivenFault::NotSquare { found: 3, expected: 2 }));
    assert_eq!(error("0 1 1\n0 0\n0 0 0\n"), (Some(2), GivenFault::NotSquare { found: 2, expected: 3 }));
    assert_eq!(error("1 0\n0 0\n"), (Some(1), GivenFault::BelowItself("1".into())));
    assert_eq!(error("graph { a -- b }"), (Some(1), GivenFault::Undirected));
    assert_eq!(error("digraph {\na -> b"), (Some(2), GivenFault::Dot("`}` is missing")));
    assert_eq!(error(r#"{"elements": ["a", "a"]}"#), (None, GivenFault::Duplicate("a".into())));
    assert_eq!(error(r#"{"elements": ["a"], "covers": [["a", "b"]]}"#), (None, GivenFault::Unknown("b".into())));
    assert!(matches!(error("{\n\"elements\": 5}"), (Some(2), GivenFault::Json(_))));
    assert_eq!(error("a b\nc\0d\n"), (Some(2), GivenFault::Binary));
    let many: String = (0..=MOST_ELEMENTS).map(|i| format!("x{i}\n")).collect();
    assert_eq!(error(&many), (Some(MOST_ELEMENTS + 1), GivenFault::TooManyElements));
}

#[test]
fn a_pair_of_digits_is_no_matrix() {
    assert_eq!(covers(&poset("0 1\n", Format::Any)), ["0<1"]);
    assert_eq!(covers(&poset("0 1\n0 0\n", Format::Any)), ["1<2"], "two rows of two are one");
    assert_eq!(poset("1\n", Format::Any).labels(), ["1"]);
    assert_eq!(covers(&poset("101 110\n", Format::Any)), ["101<110"]);
}

#[test]
fn the_normal_form_reads_back_and_nothing_else_does() {
    let poset = poset("b < a\nc < a\n\"x=y\"\n", Format::Any);
    let text = poset.to_string();
    let parameters = text.strip_prefix("file:").expect("a family");
    assert_eq!(parse(parameters), Ok(poset.clone()));
    assert_eq!(short_name(&text).len(), "file:".len() + DIGEST_DIGITS);
    assert_eq!(short_name("boolean:7"), "boolean:7");
    for wrong in [
        parameters.replace("[0,3]", "[1,3]"),
        parameters.replacen('0', "1", 1),
        parameters.replace(",[1,3]", ",[1,3] "),
        parameters.replace("[0,3]", "[0,9]"),
        "orders.txt".to_owned(),
        String::new(),
    ] {
        assert!(wrong == parameters || parse(&wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn orders_are_closed_and_covers_are_all_that_is_needed(
        len in 1..12usize,
        pairs in proptest::collection::vec((0..12usize, 0..12usize), 0..30),
    ) {
        // Relations that go up in the order of the numbers have no cycle.
        let pairs: Vec<(usize, usize)> = pairs
            .into_iter()
            .map(|(x, y)| (x.min(y) % len, x.max(y) % len))
            .map(|(x, y)| (x.min(y), x.max(y)))
            .filter(|(x, y)| x < y)
            .collect();
        let lines: String = (0..len)
            .map(|x| format!("{x}\n"))
            .chain(pairs.iter().map(|(x, y)| format!("{x} < {y}\n")))
            .collect();
        let given = poset(&lines, Format::Lines);
        let whole: Poset = given.to_string().parse().expect("a poset");
        // By the definition: whatever can be reached is above.
        let mut is_below = vec![vec![false; len]; len];
        pairs.iter().for_each(|&(x, y)| is_below[x][y] = true);
        for k in 0..len {
            for x in 0..len {
                for y in 0..len {
                    is_below[x][y] |= is_below[x][k] && is_below[k][y];
                }
            }
        }
        let number = |x: usize| given.labels().iter().position(|label| *label == x.to_string()).expect("an element");
        for x in 0..len {
            for y in 0..len {
                prop_assert_eq!(whole.is_at_most(number(x), number(y)), x == y || is_below[x][y]);
                let covers = is_below[x][y] && !(0..len).any(|k| is_below[x][k] && is_below[k][y]);
                prop_assert_eq!(whole.lower_covers(number(y)).contains(&(number(x) as u16)), covers);
            }
        }
    }
}
