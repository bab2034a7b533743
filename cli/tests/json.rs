//! Under `--json` every command writes one document with the promised fields, and nothing but JSON on standard error.

mod support;

use support::{Lab, Outcome};

#[test]
fn run_has_every_field() {
    let answer = Lab::new().json(&["run", "extensions", "boolean:4"]);
    for field in ["question", "poset", "value", "orbits", "labelled", "job", "digest"] {
        assert!(answer[field].is_string(), "{field} in {answer}");
    }
    assert!(answer["base_layers"].is_u64() && answer["elapsed_seconds"].is_f64() && answer["resumed"].is_boolean());
}

#[test]
fn standard_error_is_empty_or_json() {
    let lab = Lab::new();
    for words in [
        &["run", "extensions", "boolean:4"][..],
        &["layers", "boolean:4"],
        &["plan", "ideals", "boolean:4"],
        &["query", "extensions", "boolean:4", "01", "23"],
        &["verify", "extensions-boolean-4"],
        &["jobs"],
    ] {
        let outcome = Outcome::of(lab.command(words).arg("--json").output().expect("the program starts"));
        outcome.assert_code(0);
        outcome.document();
        for line in outcome.stderr.lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{words:?}: {line}");
        }
    }
}
