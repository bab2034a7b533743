//! Searches of single positions: answers, proofs, plans, merging, and what is refused.

mod support;

use std::fs;

use support::{Lab, Outcome};

/// All sets of `k` of `n` points.
fn sets(n: usize, k: u32) -> String {
    let label = |mask: usize| (0..n).filter(|p| mask >> p & 1 == 1).map(|p| p.to_string()).collect::<String>();
    let masks = (0..1usize << n).filter(|mask| mask.count_ones() == k);
    masks.map(label).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_position_is_settled_and_its_proof_holds() {
    let lab = Lab::new();
    let (won, lost) = (sets(6, 4), sets(6, 5));
    let document = lab.json(&["run", "outcome", "boolean:8", "--position", &won]);
    assert_eq!((&document["value"], &document["poset"]), (&"N".into(), &"boolean:8".into()));
    assert!(document["winning_move"].is_string() && document["proof"]["entries"].as_u64() > Some(0));
    assert_eq!(lab.value(&["run", "outcome", "boolean:6", "--position", &lost]), "P");
    let job = document["job"].as_str().expect("a job").to_owned();
    lab.run(&["export", &job, "--format", "proof", "--output", "p.proof"]).assert_code(0);
    let checked = lab.bare_command(&["check-proof", "p.proof"]).output().expect("it starts");
    assert!(String::from_utf8_lossy(&checked.stdout).starts_with("boolean:6:4: outcome N by "), "{checked:?}");
    lab.run(&["verify", &job]).assert_code(0);
    for format in ["csv", "bfile", "truncations", "table"] {
        let refused = lab.run(&["export", &job, "--format", format]);
        refused.assert_code(2);
        assert!(refused.stderr.contains("--format proof"), "{}", refused.stderr);
    }
    let again = lab.json(&["run", "outcome", "boolean:7", "--position", &won]);
    assert_eq!((&again["resumed"], &again["digest"]), (&true.into(), &document["digest"]));
    // An entry that is altered is refused with its position.
    let proof = fs::read_to_string(lab.folder().join("p.proof")).expect("a proof");
    let lines: Vec<_> = proof.lines().collect();
    let at = (0..lines.len()).rev().find(|&at| lines[at].split(' ').nth(1).is_some_and(|replies| replies.len() > 8));
    let at = at.expect("an entry with replies");
    let (position, replies) = lines[at].split_once(' ').expect("two words");
    let altered = proof.replace(lines[at], &format!("{position} {}{}", &replies[2..], &replies[..2]));
    fs::write(lab.folder().join("q.proof"), altered).expect("written");
    let refused = lab.run(&["check-proof", "q.proof"]);
    refused.assert_code(1);
    assert!(refused.stderr.contains(&format!("line {}", at + 1)), "{}", refused.stderr);
}

#[test]
fn answers_are_found_by_query_and_merged() {
    let lab = Lab::new();
    // Seven points: more than are quick to compute.
    let position = "0123 0145 0246 356 012456";
    lab.run(&["run", "outcome", "boolean:7", "--position", position, "--budget", "1ms"]);
    let value = lab.value(&["run", "outcome", "boolean:7", "--position", position]);
    assert_eq!(lab.value(&["query", "outcome", "boolean:8", position]), value);
    let other = lab.folder().join("other");
    let merged = lab.bare_command(&["merge", "data", "--data", "other", "--json"]).output().expect("it starts");
    let merged: serde_json::Value = serde_json::from_slice(&merged.stdout).expect("JSON");
    assert_eq!(merged[0]["positions"], merged[0]["new"]);
    assert_eq!(
        (merged[0]["answers"].as_array().map(Vec::len), &merged[0]["refused"]),
        (Some(1), &serde_json::json!([]))
    );
    let words = ["run", "outcome", "boolean:7", "--position", position, "--data", "other", "--json"];
    let there = Outcome::of(lab.bare_command(&words).output().expect("it starts"));
    assert_eq!(there.document()["resumed"], true, "{}", there.stderr);
    assert!(other.join("VERSION").exists());
}

#[test]
fn plans_and_refusals() {
    let lab = Lab::new();
    let plan = lab.json(&["plan", "outcome", "boolean:7", "--position", &sets(7, 3)]);
    let classes: f64 = plan["classes"].as_str().expect("a number").parse().expect("a number");
    assert!((1.2e7..2.4e7).contains(&classes), "{classes}");
    let fours = sets(8, 4);
    for command in ["plan", "run"] {
        let outcome = lab.run(&[command, "outcome", "boolean:8", "--position", &fours]);
        outcome.assert_code(2);
        assert!(outcome.stderr.contains("can be reached") && outcome.stderr.contains("--force"), "{}", outcome.stderr);
    }
    assert_eq!(lab.json(&["plan", "outcome", "boolean:8", "--position", &fours, "--force"])["out_of_reach"], true);
    // More memory than there are addresses for.
    let plan = lab.run(&["plan", "outcome", "boolean:8", "--position", &sets(8, 7), "--force"]).stdout;
    assert!(plan.contains("* 10^19 bytes") && plan.contains("years"), "{plan}");
    for (words, reason) in [
        (&["grundy", "boolean:7", "--position", "012"][..], "only the outcome"),
        (&["outcome", "boolean:7", "--position", "018"], "point"),
        (&["outcome", "boolean:7", "--position", "012", "--budget", "0"], "budget"),
        (&["outcome", "boolean:7", "--budget", "1s"], "--position"),
        (&["outcome", "boolean:7", "--position", "012", "--max-elements", "4"], "--max-elements"),
        (&["outcome", "boolean:7", "--position", "012", "--min-elements", "0"], "--min-elements"),
        (&["outcome", "boolean:7", "--position", "012", "--keep-values"], "--keep-values"),
    ] {
        let outcome = lab.run(&[&["run"], words].concat());
        outcome.assert_code(2);
        assert!(outcome.stderr.contains(reason) && outcome.stderr.contains("hint: "), "{words:?}: {}", outcome.stderr);
    }
    let outcome = lab.run(&["export", "outcome-boolean-7", "--format", "proof"]);
    outcome.assert_code(2);
}
