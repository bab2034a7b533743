//! Flipping Coins from the command line: positions, sums, sweeps.

mod support;

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use support::{Lab, Outcome};

#[test]
fn values_stand_on_the_first_line() {
    let lab = Lab::new();
    for (position, value) in [
        ("10011110110110111011110011", "10257/16384"),
        ("01001110110111011101", "-893/1024"),
        ("0101011111", "-11/16"),
        ("1101100111", "3/4"),
        ("0110110110111", "0"),
        ("000", "0"),
        ("0111101", "1/8"),
        ("0001", "-3"),
        ("0101011111 + 1101100111 + 0110110110111", "1/16"),
    ] {
        assert_eq!(lab.value(&["flip", position]), value, "{position}");
    }
    assert_eq!(lab.value(&["flip", "01", "+", "11"]), "0", "a sum without quotes");
    assert!(!lab.data().exists(), "nothing is stored");
}

#[test]
fn a_line_is_explained() {
    let outcome = Lab::new().run(&["flip", "10011110110110111011110011"]);
    outcome.assert_code(0);
    let lines: Vec<_> = outcome.stdout.lines().collect();
    assert_eq!(lines[1], "reduced         1010110001010011");
    assert_eq!(lines[2], "decomposition   101 : 1/2 : 1/64 : 1/8");
    assert_eq!(lines[3], "outcome         Left wins, whoever moves first");
    assert!(lines[4].starts_with("best for Left   coins 25 and 26, to 1001111011011011101111 = "), "{}", lines[4]);
    assert!(lines[5].starts_with("best for Right  coins 24 and 25, to 10011110110110111011110101 = "), "{}", lines[5]);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_line_as_a_document() {
    let document = Lab::new().json(&["flip", "10110"]);
    let expected = serde_json::json!({
        "position": "1011",
        "value": "1/4",
        "reduced": "1011",
        "outcome": "L",
        "decomposition": { "base": "1011", "base_value": "1/4", "exponents": [] },
        "best_moves": [
            { "player": "L", "coins": [3, 4], "to": "1", "value": "0" },
            { "player": "R", "coins": [2, 3], "to": "1101", "value": "1/2" },
        ],
        "winning_moves": [{ "player": "L", "term": 1, "to": "1" }],
    });
    assert_eq!(document, expected);
}

#[test]
fn the_question_of_the_paper_is_answered() {
    let lab = Lab::new();
    let document = lab.json(&["flip", "0101011111 + 1101100111 + 0110110110111"]);
    assert_eq!(document["value"], "1/16");
    assert_eq!(document["outcome"], "L");
    assert_eq!(document["reduced"], serde_json::json!(["01011011", "1101101", "1"]));
    assert_eq!(document["winning_moves"], serde_json::json!([{ "player": "L", "term": 1, "to": "01010111" }]));
    assert_eq!(
        document["terms"][0],
        serde_json::json!({ "position": "0101011111", "value": "-11/16", "reduced": "01011011" })
    );
    let text = lab.run(&["flip", "0101011111 + 1101100111 + 0110110110111"]).stdout;
    assert!(text.contains("winning moves of Left, moving first: 1 of 78\n  term 1 to 01010111\n"), "{text}");
    assert!(text.contains("winning moves of Right, moving first: none of 53\n"), "{text}");
}

#[test]
fn long_lines_are_answered_at_once() {
    let lab = Lab::new();
    let line = "01".repeat(5000);
    let outcome = Outcome::of(lab.command(&["flip", &line, "--json"]).output().expect("the program starts"));
    outcome.assert_code(0);
    assert!(outcome.document()["winning_moves"].is_null());
    let warning: serde_json::Value = serde_json::from_str(outcome.stderr.trim()).expect("JSON");
    assert!(warning["warning"].as_str().is_some_and(|text| text.contains("too many moves")), "{warning}");
}

#[test]
fn sweeps_by_the_rules_of_the_paper() {
    let lab = Lab::new();
    let document = lab.json(&["flip-sweep", "--length", "14", "--threads", "2"]);
    assert_eq!(document["positions"], 1 << 14);
    assert_eq!((&document["all_numbers"], &document["theorem_holds"]), (&true.into(), &true.into()));
    assert_eq!((&document["left"], &document["right"]), (&serde_json::json!(["11"]), &serde_json::json!(["01"])));
    assert!(document["first_exception"].is_null() && document["elapsed_seconds"].is_f64());
    let text = lab.value(&["flip-sweep", "--length", "14"]);
    assert_eq!(text, "all 16,384 positions of up to 14 coins are numbers (Left 11, Right 01)");
}

#[test]
fn sweeps_by_other_rules_show_what_is_no_number() {
    let lab = Lab::new();
    let words = ["flip-sweep", "--length", "12", "--left", "111", "--right", "001"];
    let document = lab.json(&words);
    let exception = serde_json::json!({ "position": "0011001", "value": "*", "left": "0", "right": "0" });
    assert_eq!(document["first_exception"], exception);
    assert_eq!(document["positions"], 77);
    assert_eq!((&document["all_numbers"], document["theorem_holds"].is_null()), (&false.into(), true));
    let text = lab.run(&words).stdout;
    assert_eq!(
        text,
        "0011001 is *, which is no number: its canonical options are {0 | 0} (Left 111, Right 001)\nall 76 before it, by code, are numbers\n"
    );
    let document = lab.json(&["flip-sweep", "--length", "10", "--right", "001,01", "--contiguous"]);
    assert_eq!(document["left"], serde_json::json!(["11"]));
    assert_eq!(document["right"], serde_json::json!(["001", "01"]));
    assert_eq!(document["contiguous"], true);
}

#[test]
fn mistakes_are_explained() {
    let lab = Lab::new();
    let long = "1".repeat(10_001);
    for (words, input, reason, hint) in [
        (&["flip", "01x1"][..], "01x1", "`x`, character 3", "0101 + 1101"),
        (&["flip", ""], "", "is missing", "0101"),
        (&["flip", "0101 +"], "0101 +", "missing before or after a +", "each +"),
        (&["flip", "01 + + 11"], "01 + + 11", "missing before or after a +", "each +"),
        (&["flip", "01 11"], "01 11", "space", "join"),
        (&["flip", &long], "111...", "10001 coins are too many", "trailing"),
        (&["flip-sweep", "--length", "0"], "--length 0", "from 1 to 31", "--length 20"),
        (&["flip-sweep", "--length", "32"], "--length 32", "from 1 to 31", "--length 20"),
        (&["flip-sweep", "--length", "many"], "many", "invalid", "--help"),
        (&["flip-sweep", "--length", "24", "--memory", "1MiB"], "--length 24", "128 MiB", "--memory 128MiB"),
        (&["flip-sweep", "--length", "8", "--left", "110"], "110", "ends in 0", "be a 1"),
        (&["flip-sweep", "--length", "8", "--right", "0a1"], "0a1", "`a` is no coin", "patterns"),
        (&["flip-sweep", "--length", "8", "--right", "01,,1"], "", "missing", "patterns"),
        (&["flip-sweep", "--length", "8", "--coordinator", "http://localhost"], "--coordinator", "works here", "leave"),
    ] {
        let text = Outcome::of(lab.bare_command(words).output().expect("the program starts"));
        text.assert_code(2);
        assert_eq!(text.stdout, "", "{words:?}");
        let lines: Vec<_> = text.stderr.lines().collect();
        let [error, help] = lines.as_slice() else { panic!("{words:?}: {}", text.stderr) };
        assert!(error.starts_with("error: ") && error.contains(reason), "{words:?}: {error}");
        assert!(help.starts_with("hint: ") && help.contains(hint), "{words:?}: {help}");
        let document = Outcome::of(lab.bare_command(words).arg("--json").output().expect("the program starts"));
        document.assert_code(2);
        let said = document.error();
        for (field, part) in [("input", input), ("reason", reason), ("hint", hint)] {
            assert!(said[field].as_str().is_some_and(|text| text.contains(part)), "{words:?}: {field} in {said}");
        }
    }
}

#[test]
fn an_interrupted_sweep_ends_with_130() {
    let lab = Lab::new();
    let mut command = lab.command(&["flip-sweep", "--length", "27", "--memory", "2GiB", "--threads", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    sleep(Duration::from_millis(700));
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, Signal::INT).expect("sent");
    let outcome = Outcome::of(child.wait_with_output().expect("the program ends"));
    outcome.assert_code(130);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.contains("stopped on request"), "{}", outcome.stderr);
}
