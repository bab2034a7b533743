//! Hostile text: whatever stands where a poset, a position, a question or a number is expected, the answer is a value or an error
//! with a reason, in no time, and never a panic.
//!
//! Texts are made from the pieces that parsers look for, with numbers of all sizes, and of any characters at all. More of them with
//! `PROPTEST_CASES`.

use std::time::{Duration, Instant};

use antichain_common::game::coins::TurningGame;
use antichain_common::game::flipping::{Line, LineSum, Pattern};
use antichain_common::game::nimber::evaluate;
use antichain_common::ideal::Ideal;
use antichain_common::job::{Interrupt, JobSpec, Question, SizeLimits};
use antichain_common::poset::covers::CoverPoset;
use antichain_common::poset::given::{self, Format};
use antichain_common::poset::{Poset, parse_position};
use antichain_common::search::proof::{CheckOptions, check};
use proptest::prelude::*;

/// A text takes no longer, on a slow machine with other things to do.
const PATIENCE: Duration = Duration::from_secs(5);

/// What parsers look for.
const PIECES: [&str; 44] = [
    "boolean:",
    "chains:",
    "chain:",
    "antichain:",
    "divisors:",
    "subspaces:",
    "partitions:",
    "asm:",
    "x",
    ":",
    ",",
    " ",
    ".",
    "|",
    "/",
    "-",
    "+",
    "{}",
    "(",
    ")",
    "*",
    "^",
    "=",
    "0",
    "1",
    "2",
    "9",
    "01",
    "007",
    "012",
    "255",
    "256",
    "4294967296",
    "18446744073709551616",
    "-1",
    "1e9",
    "0x10",
    "\n",
    "\t",
    "\0",
    "é",
    "𝄞",
    "'",
    "--",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12).prop_map(|pieces| pieces.concat());
    // A word that is nearly right goes deepest.
    let nearly =
        (prop::sample::select(&PIECES[..8]), pieces.clone()).prop_map(|(family, rest)| family.to_owned() + &rest);
    prop_oneof![pieces, nearly, any::<String>()]
}

/// Does it in time.
fn in_time<T>(what: &str, text: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let read = read();
    assert!(start.elapsed() < PATIENCE, "{what} took {:?} for {text:?}", start.elapsed());
    read
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn posets_are_read_or_refused(text in text()) {
        if let Err(error) = in_time("a poset", &text, || text.parse::<Poset>()) {
            prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
        if let Err(error) = in_time("a poset by its covers", &text, || text.parse::<CoverPoset>()) {
            prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
    }

    #[test]
    fn positions_are_read_or_refused(
        name in prop::sample::select(&["boolean:8", "boolean:5:2", "chains:3x3x2", "chain:9", "divisors:360", "antichain:200"][..]),
        text in text(),
    ) {
        let poset: Poset = name.parse().expect("a poset");
        match in_time("a position", &text, || parse_position(&poset, &text)) {
            Ok(position) => {
                let ideal: Ideal<4> = position.members.iter().fold(Ideal::empty(), |ideal, &x| ideal.with(x));
                let is_closed = (0..poset.len())
                    .all(|x| !ideal.contains(x) || (0..poset.len()).all(|y| !poset.is_at_most(y, x) || ideal.contains(y)));
                prop_assert!(is_closed, "what is read is an order ideal");
            }
            Err(error) => prop_assert!(!error.hint().is_empty()),
        }
    }

    #[test]
    fn files_are_read_or_refused(
        pieces in prop::collection::vec(
            prop::sample::select(
                &["a", "b", "c d", "\"", "\\", "<", " ", "\n", "0", "1", "#", "digraph", "subgraph", "{", "}", "[", "]", "->", "--",
                    ";", ",", ":", "=", "/*", "*/", "//", "{\"elements\":[", "\"covers\":[", "\"a\"", "\0", "é", "𝄞", "\u{feff}"][..],
            ),
            0..40,
        ),
        format in prop::sample::select(&[Format::Any, Format::Lines, Format::Matrix, Format::Dot, Format::Json][..]),
    ) {
        let text = pieces.concat();
        match in_time("a file", &text, || given::read(&text, format)) {
            Ok(reading) => {
                let read_back = reading.poset.to_string().parse::<Poset>();
                prop_assert!(read_back.is_ok_and(|poset| poset.len() == reading.poset.labels().len()));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
        }
    }

    #[test]
    fn questions_and_games_are_read_or_refused(question in text(), poset in text(), max in any::<Option<usize>>()) {
        // Their errors are what the command line shows.
        let _ = in_time("a game", &question, || question.parse::<TurningGame>().is_ok());
        let _ = in_time("a line", &question, || question.parse::<Line>().is_ok());
        let _ = in_time("a sum of lines", &question, || question.parse::<LineSum>().is_ok());
        let _ = in_time("a pattern", &question, || question.parse::<Pattern>().is_ok());
        let _ = in_time("an expression", &question, || evaluate(&question).is_ok());
        for question in question.parse::<Question>().into_iter().chain([Question::Extensions, Question::Grundy, Question::Ruler]) {
            let limits = SizeLimits { min: 0, max };
            let _ = in_time("a job", &poset, || JobSpec::read(question, &poset, limits).is_ok());
        }
    }

    #[test]
    fn proofs_are_read_or_refused(lines in prop::collection::vec(text(), 0..8), begins in any::<bool>()) {
        let header = if begins { "antichain-proof 1\nposet boolean:4\nposition 0123\noutcome N\nmove 0123\n" } else { "" };
        let text = format!("{header}{}", lines.join("\n"));
        let options = CheckOptions { threads: 1, interrupt: &Interrupt::new(), progress: &|_| {} };
        let refused = in_time("a proof", &text, || check(text.as_bytes(), &options).is_err());
        prop_assert!(refused, "no proof of anything: {text}");
    }
}
