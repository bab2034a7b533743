//! Data directories that cannot be used: one clear sentence each, and nothing in them is touched.

mod support;

use std::fs;
use std::path::Path;

use antichain_common::store::Store;
use support::{Lab, Outcome};

/// Runs `run extensions boolean:3` on a data directory.
fn run_on(lab: &Lab, data: &Path) -> Outcome {
    let mut command = lab.bare_command(&["run", "extensions", "boolean:3", "--data"]);
    Outcome::of(command.arg(data).output().expect("the program starts"))
}

#[track_caller]
fn assert_refused(outcome: &Outcome, code: i32, parts: &[&str]) {
    outcome.assert_code(code);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.starts_with("error: ") && outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
    for part in parts {
        assert!(outcome.stderr.contains(part), "`{part}` in {}", outcome.stderr);
    }
}

#[test]
fn a_path_that_cannot_be_made() {
    let lab = Lab::new();
    let file = lab.folder().join("file");
    fs::write(&file, "mine").expect("written");
    assert_refused(&run_on(&lab, &file.join("data")), 2, &["file"]);
    assert_refused(&run_on(&lab, &file), 2, &["file"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "mine");
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_that_nobody_may_write() {
    assert_refused(&run_on(&Lab::new(), Path::new("/proc/antichain-data")), 2, &["/proc/antichain-data"]);
}

#[test]
fn a_directory_that_is_not_ours() {
    let lab = Lab::new();
    fs::create_dir(lab.data()).expect("made");
    fs::write(lab.data().join("thesis.txt"), "mine").expect("written");
    assert_refused(&run_on(&lab, &lab.data()), 2, &["not a data directory", "--data"]);
    let names: Vec<_> =
        fs::read_dir(lab.data()).expect("there").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(names, ["thesis.txt"], "nothing was added");
}

#[test]
fn a_directory_of_another_format() {
    let lab = Lab::new();
    drop(Store::open(&lab.data()).expect("opens"));
    let version = lab.data().join("VERSION");
    let text = fs::read_to_string(&version).expect("there");
    let other: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    fs::write(&version, &other).expect("written");
    assert_refused(&run_on(&lab, &lab.data()), 2, &["version 9"]);
    fs::write(&version, text).expect("written");
    drop(Store::open(&lab.data()).expect("nothing is lost"));
}

#[test]
fn a_directory_in_use_names_the_process() {
    let lab = Lab::new();
    let held = Store::open(&lab.data()).expect("opens");
    assert_refused(&run_on(&lab, &lab.data()), 1, &["in use", &std::process::id().to_string()]);
    let outcome = lab.run(&["verify", "extensions-boolean-3", "--json"]);
    outcome.assert_code(1);
    assert!(outcome.error()["reason"].as_str().is_some_and(|reason| reason.contains("in use")));
    drop(held);
}

#[test]
fn a_directory_that_is_not_there() {
    let lab = Lab::new();
    for words in [&["verify", "some-job"][..], &["export", "some-job", "--format", "csv"]] {
        assert_refused(&lab.run(words), 2, &["there is no data directory", "--data"]);
    }
    assert!(!lab.data().exists());
}

#[test]
fn a_job_that_is_not_there_brings_up_the_nearest() {
    let lab = Lab::new();
    lab.value(&["run", "extensions", "boolean:3"]);
    let outcome = lab.run(&["verify", "extension-boolean-3"]);
    assert_refused(&outcome, 2, &["extension-boolean-3", "did you mean extensions-boolean-3?"]);
}
