//! Looking after an installation: certificates, the doctor, completions, manual pages, the version.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use support::{Lab, Outcome};

fn outcome(lab: &Lab, words: &[&str]) -> Outcome {
    Outcome::of(lab.bare_command(words).output().expect("the program starts"))
}

#[test]
fn secrets_are_for_their_owner_alone() {
    let lab = Lab::new();
    let words = ["certs", "--out", "certs", "--host", "cluster.example", "--host", "10.0.0.1"];
    let made = outcome(&lab, &[&words[..], &["--json"]].concat());
    made.assert_code(0);
    let files = made.document()["files"].as_array().expect("files").len();
    assert_eq!(files, 11);
    let folder = lab.folder().join("certs");
    let mode = |name: &str| fs::metadata(folder.join(name)).expect("there").permissions().mode() & 0o777;
    for secret in ["ca.key", "coordinator.key", "worker.key", "user.key", "owner.token", "worker.token", "reader.token"]
    {
        assert_eq!(mode(secret), 0o600, "{secret}");
    }
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("read");
    let (authority, certificate, token) = (text("ca.pem"), text("coordinator.pem"), text("owner.token"));
    outcome(&lab, &words).assert_code(2);
    assert_eq!(text("coordinator.pem"), certificate, "nothing is written over");
    outcome(&lab, &[&words[..], &["--renew"]].concat()).assert_code(0);
    assert_eq!((text("ca.pem"), text("owner.token")), (authority, token));
    assert_ne!(text("coordinator.pem"), certificate);
    fs::set_permissions(folder.join("ca.key"), fs::Permissions::from_mode(0o644)).expect("changed");
    let refused = outcome(&lab, &[&words[..], &["--renew", "--json"]].concat());
    refused.assert_code(2);
    assert!(refused.error()["hint"].as_str().expect("a hint").contains("chmod 600"), "{refused:?}");
}

#[test]
fn certificates_are_for_machines() {
    let lab = Lab::new();
    for (words, input) in [
        (&["certs", "--out", "c", "--host", "http://a"][..], "http://a"),
        (&["certs", "--out", "c", "--host", "a:7461"], "a:7461"),
        (&["certs", "--out", "c", "--host", "a", "--days", "0"], "0"),
        (&["certs", "--out", "c", "--host", "a", "--renew"], "c"),
    ] {
        let refused = outcome(&lab, &[words, &["--json"]].concat());
        refused.assert_code(2);
        assert_eq!(refused.error()["input"], input, "{words:?}");
        assert!(refused.error()["hint"].is_string(), "{words:?}");
    }
    assert!(!lab.folder().join("c").exists());
}

/// The findings of the doctor about something, by health.
fn findings(report: &Value, health: &str) -> Vec<String> {
    let all = report["findings"].as_array().expect("findings").iter();
    let of = all.filter(|finding| finding["health"] == health);
    of.map(|finding| format!("{}: {}", finding["about"].as_str().unwrap_or(""), finding["seen"].as_str().unwrap_or("")))
        .collect()
}

#[test]
fn the_doctor_finds_what_is_damaged_and_mends_it() {
    let lab = Lab::new();
    let missing = lab.run(&["doctor", "--json"]);
    missing.assert_code(1);
    assert!(findings(&missing.document(), "wrong")[0].contains("there is none"), "{missing:?}");
    let before = lab.json(&["run", "extensions", "chains:4x4x4", "--keep-values"]);
    let well = lab.json(&["doctor", "--thorough"]);
    assert_eq!((&well["well"], findings(&well, "wrong").len()), (&Value::Bool(true), 0));

    let shards = lab.data().join("shards");
    let folders = fs::read_dir(&shards).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = folders
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort_by_key(|file| std::cmp::Reverse(fs::metadata(file).expect("there").len()));
    let mut bytes = fs::read(&files[0]).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&files[0], bytes).expect("written");
    fs::remove_file(&files[1]).expect("removed");
    let sick = lab.run(&["doctor", "--thorough", "--json"]);
    sick.assert_code(1);
    let wrong = findings(&sick.document(), "wrong");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(
        wrong.iter().any(|line| line.contains(&*files[0].file_name().expect("a name").to_string_lossy())),
        "{wrong:?}"
    );

    lab.run(&["doctor", "--thorough", "--repair"]).assert_code(0);
    lab.run(&["doctor", "--repair"]).assert_code(0);
    assert!(findings(&lab.json(&["doctor"]), "doubtful").iter().all(|line| !line.contains("set aside")));
    let after = lab.json(&["run", "extensions", "chains:4x4x4", "--keep-values"]);
    assert_eq!((&after["value"], &after["digest"]), (&before["value"], &before["digest"]));
    lab.run(&["verify", before["job"].as_str().expect("a job")]).assert_code(0);
}

#[test]
fn the_doctor_says_in_words_what_to_do() {
    let lab = Lab::new();
    let refused = outcome(&lab, &["doctor", "--coordinator", "127.0.0.1:1"]);
    refused.assert_code(1);
    assert!(refused.stdout.contains("WRONG") && refused.stdout.contains("antichain coordinator"), "{refused:?}");
    fs::create_dir(lab.data()).expect("made");
    fs::write(lab.data().join("VERSION"), "antichain 99\n").expect("written");
    let other = lab.run(&["doctor"]);
    other.assert_code(1);
    assert!(other.stdout.contains("format version 99"), "{other:?}");
}

#[test]
fn shells_and_readers_are_told_of_every_command() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = outcome(&lab, &["completions", shell]);
        script.assert_code(0);
        assert!(script.stdout.contains("check-proof") && script.stdout.contains("max-elements"), "{shell}");
    }
    outcome(&lab, &["completions", "csh"]).assert_code(2);
    outcome(&lab, &["man", "--out", "man"]).assert_code(0);
    let page = |name: &str| fs::read_to_string(lab.folder().join("man").join(name)).expect("a page");
    assert!(page("antichain.1").contains("antichain\\-check\\-proof"));
    assert!(page("antichain-coordinator.1").contains("tls\\-client\\-ca"));
}

#[test]
fn the_version_says_what_the_program_is() {
    let lab = Lab::new();
    assert_eq!(outcome(&lab, &["-V"]).stdout, format!("antichain {}\n", env!("CARGO_PKG_VERSION")));
    let long = outcome(&lab, &["--version"]).stdout;
    for word in [env!("CARGO_PKG_VERSION"), "commit:", "target:", "features:"] {
        assert!(long.contains(word), "{long}");
    }
}
