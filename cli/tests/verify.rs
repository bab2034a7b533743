//! `verify`, and what becomes of damaged files.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::Lab;

#[test]
fn a_sound_job_passes() {
    let lab = Lab::new();
    lab.value(&["run", "extensions", "boolean:5"]);
    let report = lab.json(&["verify", "extensions-boolean-5"]);
    assert_eq!(report["ok"], true);
    assert!(report["passed"].as_array().is_some_and(|checks| !checks.is_empty()));
    assert_eq!(report["failed"], serde_json::json!([]));
    let outcome = lab.run(&["verify", "extensions-boolean-5"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.lines().all(|line| line.starts_with("ok  ") || line.starts_with("extensions-boolean-5: ")));
}

#[test]
fn a_damaged_file_is_named_and_computed_again() {
    let lab = Lab::new();
    let value = "141377911697227887117195970316200795630205476957716480";
    assert_eq!(lab.value(&["run", "extensions", "boolean:6", "--keep-values"]), value);
    let files = files_below(&lab.data().join("shards"));
    let victim = files.iter().max_by_key(|file| fs::metadata(file).map_or(0, |data| data.len())).expect("a shard file");
    let mut bytes = fs::read(victim).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(victim, bytes).expect("written");

    let outcome = lab.run(&["verify", "extensions-boolean-6"]);
    outcome.assert_code(1);
    let name = victim.file_name().expect("a name").to_string_lossy();
    assert!(outcome.stdout.contains("FAILED") && outcome.stdout.contains(&*name), "{}", outcome.stdout);
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);

    assert_eq!(lab.value(&["query", "extensions", "boolean:6", "012345"]), value, "never a wrong number");
    assert_eq!(lab.value(&["run", "extensions", "boolean:6", "--keep-values"]), value);
}

/// All files in a folder and its folders.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("read").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The files of an owner whose names begin so, but for those set aside.
fn files(lab: &Lab, owner: &str, prefix: &str) -> Vec<PathBuf> {
    let folder = lab.data().join("shards").join(owner);
    let entries = fs::read_dir(folder).expect("a folder of shards");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| {
        file.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(prefix) && !name.ends_with(".damaged"))
    });
    files.sort();
    files
}

#[test]
fn a_finished_job_gets_back_what_is_gone_or_damaged() {
    let lab = Lab::new();
    let run = ["run", "extensions", "boolean:5", "--keep-values"];
    let answer = lab.json(&run);
    for (owner, prefix) in [
        ("extensions-boolean-5", "values-0007"),
        ("space-boolean-5-32", "bases-0009"),
        ("extensions-boolean-5", "sample"),
    ] {
        for damage in [true, false] {
            let victims = files(&lab, owner, prefix);
            let file = victims.first().unwrap_or_else(|| panic!("{owner} has {prefix}"));
            if damage {
                let mut bytes = fs::read(file).expect("readable");
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(file, bytes).expect("writable");
            } else {
                fs::remove_file(file).expect("removed");
            }
            assert_eq!(lab.run(&["verify", "extensions-boolean-5"]).code, Some(1), "{prefix}");
            let again = lab.json(&run);
            assert_eq!((&again["value"], &again["digest"]), (&answer["value"], &answer["digest"]));
            lab.run(&["verify", "extensions-boolean-5"]).assert_code(0);
        }
    }
}

#[test]
fn a_small_job_needs_no_files_of_another_one() {
    let lab = Lab::new();
    lab.json(&["run", "extensions", "boolean:4"]);
    lab.json(&["run", "extensions", "boolean:4", "--max-elements", "5", "--keep-values"]);
    lab.run(&["verify", "extensions-boolean-4"]).assert_code(0);
    lab.run(&["verify", "extensions-boolean-4-max5"]).assert_code(0);
}

#[test]
fn keeping_values_later_leaves_the_samples() {
    let lab = Lab::new();
    let before = {
        lab.json(&["run", "extensions", "chains:10x11"]);
        files(&lab, "extensions-chains-10x11", "sample")
    };
    assert!(!before.is_empty());
    lab.json(&["run", "extensions", "chains:10x11", "--keep-values"]);
    assert_eq!(files(&lab, "extensions-chains-10x11", "sample"), before);
    lab.run(&["verify", "extensions-chains-10x11"]).assert_code(0);
}
