//! `query`: values of positions.

mod support;

use support::Lab;

#[test]
fn a_small_poset_needs_no_job_before() {
    let lab = Lab::new();
    for (poset, position, value) in [
        ("boolean:3", "012", "48"),
        ("boolean:4", "0 1 2 3", "24"),
        ("boolean:4", "-", "1"),
        ("boolean:4", "{}", "1"),
        ("boolean:4", "01", "2"),
        ("chain:5", "3", "1"),
        ("chains:3x3", "3.3", "42"),
        ("chains:3x3", "2.2", "2"),
        ("divisors:60", "60", "2452"),
        ("antichain:6", "1 2 3", "6"),
    ] {
        assert_eq!(lab.value(&["query", "extensions", poset, position]), value, "{poset} {position}");
    }
    assert!(!lab.data().exists(), "a query stores nothing");
}

#[test]
fn documents_have_a_position_each_with_its_canonical_form() {
    let lab = Lab::new();
    let answers = lab.json(&["query", "extensions", "boolean:4", "23 1", "01 2"]);
    let answers = answers.as_array().expect("an array");
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["position"], "23 1");
    assert_eq!(answers[0]["canonical"], answers[1]["canonical"], "they are one up to symmetry");
    assert_eq!(answers[0]["value"], answers[1]["value"]);
    assert!(answers[0]["value"].is_string());
}

#[test]
fn values_are_read_from_a_job_that_kept_them() {
    let lab = Lab::new();
    lab.value(&["run", "extensions", "boolean:6", "--keep-values"]);
    assert_eq!(lab.value(&["query", "extensions", "boolean:6", "01234"]), "14807804035657359360");
}

#[test]
fn several_positions_get_a_line_each() {
    let outcome = Lab::new().run(&["query", "extensions", "boolean:3", "012", "0 1"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "012  48\n0 1   2\n");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn forgotten_quotes_are_warned_about() {
    let lab = Lab::new();
    let outcome = lab.run(&["query", "extensions", "boolean:5", "012", "34"]);
    outcome.assert_code(0);
    assert!(outcome.stderr.contains("warning: ") && outcome.stderr.contains("'012 34'"), "{}", outcome.stderr);
    assert_eq!(outcome.stdout.lines().count(), 2, "and taken as they are");
}

#[test]
fn what_is_no_antichain_is_taken_as_the_ideal_it_generates() {
    let lab = Lab::new();
    let outcome = lab.run(&["query", "extensions", "boolean:4", "01 012"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "48\n");
    assert!(outcome.stderr.starts_with("warning: ") && outcome.stderr.contains("antichain"), "{}", outcome.stderr);
}

#[test]
fn what_is_neither_stored_nor_quick_is_refused() {
    let outcome = Lab::new().run(&["query", "extensions", "boolean:7", "0123456"]);
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("error: ") && outcome.stderr.contains("hint: "), "{}", outcome.stderr);
}
