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
