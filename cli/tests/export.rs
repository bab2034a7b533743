//! `export` and `jobs`: what leaves the data directory.

mod support;

use std::fs;
use std::process::Stdio;

use support::{Lab, Outcome};

/// A finished count of the ideals of `boolean:4`.
fn finished() -> Lab {
    let lab = Lab::new();
    lab.value(&["run", "ideals", "boolean:4"]);
    lab
}

#[test]
fn comma_separated_values() {
    let outcome = finished().run(&["export", "ideals-boolean-4", "--format", "csv"]);
    outcome.assert_code(0);
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines[..6], ["size,orbits,labelled", "0,1,1", "1,1,1", "2,1,4", "3,1,6", "4,2,10"]);
    assert_eq!(lines.len(), 1 + 17);
}

#[test]
fn files_for_the_encyclopedia() {
    let lab = finished();
    let outcome = lab.run(&["export", "ideals-boolean-4", "--format", "bfile"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.starts_with("0 1\n1 1\n2 1\n3 1\n4 2\n"), "{}", outcome.stdout);
    let outcome = lab.run(&["export", "ideals-boolean-4", "--format", "bfile", "--labelled", "--max-elements", "3"]);
    assert_eq!(outcome.stdout, "0 1\n1 1\n2 4\n3 6\n");
}

#[test]
fn the_certificate() {
    let outcome = finished().run(&["export", "ideals-boolean-4", "--format", "json"]);
    outcome.assert_code(0);
    let document = outcome.document();
    assert_eq!(document["job"], "ideals-boolean-4");
    assert_eq!(document["value"], "168");
    assert_eq!(document["sizes"].as_array().map(Vec::len), Some(17));
    assert!(document["certificate"].is_object());
}

#[test]
fn into_a_file() {
    let lab = finished();
    let outcome = lab.run(&["export", "ideals-boolean-4", "--format", "csv", "--output", "counts.csv"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "");
    let text = fs::read_to_string(lab.folder().join("counts.csv")).expect("written");
    assert!(text.starts_with("size,orbits,labelled\n"));
    let outcome = lab.run(&["export", "ideals-boolean-4", "--format", "csv", "--output", "no/such/folder/counts.csv"]);
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("no/such/folder/counts.csv"), "{}", outcome.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let lab = finished();
    let mut command = lab.command(&["export", "ideals-boolean-4", "--format", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    let outcome = Outcome::of(child.wait_with_output().expect("the program ends"));
    outcome.assert_code(0);
    assert_eq!(outcome.stderr, "");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_standard_output_is_a_failure() {
    let lab = finished();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("there");
    let output = lab.command(&["export", "ideals-boolean-4", "--format", "csv"]).stdout(full).output();
    let outcome = Outcome::of(output.expect("the program starts"));
    outcome.assert_code(1);
    assert!(outcome.stderr.starts_with("error: standard output cannot be written"), "{}", outcome.stderr);
}

#[test]
fn jobs_are_listed() {
    let lab = Lab::new();
    assert_eq!(lab.json(&["jobs"]), serde_json::json!([]));
    lab.value(&["run", "ideals", "boolean:4"]);
    lab.value(&["run", "extensions", "boolean:3"]);
    let jobs = lab.json(&["jobs"]);
    let names: Vec<_> = jobs.as_array().expect("an array").iter().map(|job| job["job"].as_str()).collect();
    assert_eq!(names, [Some("extensions-boolean-3"), Some("ideals-boolean-4")]);
    assert_eq!(jobs[0]["state"], "finished");
}
