//! Input that can never work gets exit code 2, a reason and a hint, and changes nothing.

mod support;

use support::{Lab, Outcome};

/// Arguments; what `input`, `reason` and `hint` contain.
const MISTAKES: &[(&[&str], &str, &str, &str)] = &[
    (&["run", "extensions", "boolean:9"], "boolean:9", "9", "boolean:n"),
    (&["run", "extensions", "boolean:x"], "boolean:x", "not a number", "boolean:n"),
    (&["run", "extensions", "boolean"], "boolean", "needs a parameter", "boolean:n"),
    (&["run", "extensions", "chains:"], "chains:", "", "chains:3x3x2"),
    (&["plan", "ideals", "chains:3x"], "chains:3x", "number", "chains:3x3x2"),
    (&["layers", "divisors:0"], "divisors:0", "divides 0", "divisors:360"),
    (&["run", "extensions", "tree:4"], "tree:4", "tree", "boolean:7"),
    (&["run", "extension", "boolean:3"], "extension", "no such question", "extensions, ideals"),
    (&["query", "ruler", "boolean:3", "01"], "ruler", "no question about ideals", "antichain coins value"),
    (&["run", "ruler", "subspaces:3:6"], "subspaces:3:6", "not a prime power", "subspaces:n:q"),
    (&["run", "order-ideal-game", "asm:1"], "asm:1", "2 to 202", "asm:n"),
    (&["run", "extensions", "asm:5"], "asm:5", "coin-turning games only", "ruler"),
    (&["run", "twins", "tree:4"], "tree:4", "no family", "partitions:4"),
    (&["run", "ruler", "partitions:0"], "partitions:0", "out of range", "partitions:n"),
    (&["run", "ruler", "partitions:151"], "partitions:151", "150 are the most", "fewer elements"),
    (&["run", "ruler", "asm:5", "--max-elements", "4"], "--max-elements 4", "about elements", "leave"),
    (&["run", "twins", "chain:4000000000", "--elements"], "chain:4000000000", "too many", "coins value"),
    (&["plan", "twins", "asm:5"], "twins", "no question about ideals", "antichain run twins"),
    (&["plan", "ruler", "asm:5"], "asm:5", "answered at once", "antichain run"),
    (&["coins", "value", "nimble", "chain:5", "3"], "nimble", "no such coin-turning game", "turning-turtles"),
    (&["coins", "value", "ruler", "divisors:12", "3", "03"], "03", "named twice", "once"),
    (&["coins", "moves", "ruler", "asm:5", "1,1"], "1,1", "parts: 2, where there should be 3", "x,y,z"),
    (&["coins", "value", "ruler", "partitions:4", "12|3"], "12|3", "4 is missing", "blocks"),
    (&["nim", "0x10"], "0x10", "hexadecimal", "5 x 9"),
    (&["coins", "value", "ruler", "boolean:12", "01"], "01", "commas", "0,5,12"),
    (&["coins", "value", "ruler", "subspaces:3:2", "000"], "000", "depend on each other", "zero space"),
    (&["coins", "moves", "ruler", "chain:65536", "65536"], "chain:65536", "below its coins", "coins value"),
    (&["nim", "5", "x"], "5 x", "a number is missing", "5 x 9"),
    (&["nim", "5", "y", "9"], "5 y 9", "not a number", "5 x 9"),
    (&["show", "table9"], "table9", "table1", "--help"),
    (&["query", "extensions", "boolean:4", "04"], "04", "out of range", "digits"),
    (&["query", "extensions", "boolean:4", "011"], "011", "repeats", "digits"),
    (&["query", "extensions", "boolean:4", "01 01"], "01 01", "twice", "digits"),
    (&["query", "extensions", "chain:5", "6"], "6", "out of range", ""),
    (&["query", "extensions", "boolean:4", "01 23", "--max-elements", "4"], "01 23", "7 elements", "--max-elements"),
    (&["layers", "boolean:4", "--min-elements", "5", "--max-elements", "4"], "--min-elements 5", "no ideal", "at most"),
    (&["run", "extensions", "boolean:4", "--memory", "8Gx"], "8Gx", "no unit", "--help"),
    (&["run", "extensions", "boolean:4", "--memory", "0"], "0", "more than zero", "--help"),
    (&["run", "extensions", "boolean:4", "--checkpoint", "soon"], "soon", "10s", "--help"),
    (&["run", "extensions", "boolean:4", "--threads", "0"], "0", "threads", "--help"),
    (&["run", "extensions", "boolean:4", "--fast"], "--fast", "unexpected", "--help"),
    (&["rum", "extensions", "boolean:4"], "rum", "unrecognized", "run"),
    (&["export", "some-job", "--format", "xml"], "xml", "csv, json, bfile", "--help"),
];

#[test]
fn mistakes_are_explained_in_text() {
    let lab = Lab::new();
    for (words, input, reason, hint) in MISTAKES {
        let outcome = lab.run(words);
        outcome.assert_code(2);
        assert_eq!(outcome.stdout, "", "{words:?}");
        let mut lines = outcome.stderr.lines().filter(|line| !line.starts_with("warning: "));
        let first = lines.next().unwrap_or_default();
        assert!(first.starts_with("error: ") && first.contains(input) && first.contains(reason), "{words:?}: {first}");
        let second = lines.next().unwrap_or_default();
        assert!(second.starts_with("hint: ") && second.contains(hint), "{words:?}: {second}");
    }
    assert!(!lab.data().exists(), "bad input makes no data directory");
}

#[test]
fn mistakes_are_explained_in_json() {
    let lab = Lab::new();
    for (words, input, reason, hint) in MISTAKES {
        let outcome = Outcome::of(lab.command(words).arg("--json").output().expect("the program starts"));
        outcome.assert_code(2);
        assert_eq!(outcome.stdout, "", "{words:?}");
        let error = outcome.error();
        for (field, part) in [("input", input), ("reason", reason), ("hint", hint)] {
            let text = error[field].as_str().unwrap_or_else(|| panic!("{words:?}: {field} in {error}"));
            assert!(text.contains(part), "{words:?}: {field} is {text}");
        }
    }
}

#[test]
fn without_a_command_the_help_is_shown() {
    let lab = Lab::new();
    let outcome = Outcome::of(lab.bare_command(&[]).output().expect("the program starts"));
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("Usage:"), "{}", outcome.stderr);
    let outcome = Outcome::of(lab.bare_command(&["--json"]).output().expect("the program starts"));
    outcome.assert_code(2);
    assert!(outcome.error()["reason"].as_str().is_some_and(|reason| reason.contains("subcommand")));
}

#[test]
fn a_missing_argument_is_named() {
    let outcome = Lab::new().run(&["run", "extensions"]);
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("<POSET>") && outcome.stderr.contains("hint: "), "{}", outcome.stderr);
}

#[test]
fn what_has_too_many_ideals_for_anybody_is_refused_with_a_hint() {
    let lab = Lab::new();
    for words in
        [["run", "extensions", "boolean:8"], ["plan", "extensions", "boolean:8"], ["run", "ideals", "boolean:8"]]
    {
        let outcome = lab.run(&words);
        outcome.assert_code(2);
        assert!(
            outcome.stderr.contains("boolean:8") && outcome.stderr.contains("--max-elements"),
            "{}",
            outcome.stderr
        );
    }
    let outcome = lab.run(&["layers", "boolean:8"]);
    outcome.assert_code(2);
}

#[test]
fn help_and_version_succeed() {
    let lab = Lab::new();
    for words in [&["--help"][..], &["-h"], &["--version"], &["run", "--help"], &["help", "export"]] {
        let outcome = Outcome::of(lab.bare_command(words).output().expect("the program starts"));
        outcome.assert_code(0);
        assert!(!outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{words:?}");
    }
}
