//! Jobs with limits on the size of ideals: a larger limit goes on from a smaller one, positions within the largest are
//! answered, and large ideals are counted by their duals where that helps.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use cluster::{Cluster, answer_of_run};
use serde_json::Value;
use support::Lab;

/// With room for no position, values are read and not searched for.
const NO_SEARCH: [&str; 2] = ["--memory", "1KiB"];

fn run(lab: &Lab, words: &str) -> Value {
    let words: Vec<&str> = std::iter::once("run").chain(words.split(' ')).collect();
    lab.json(&words)
}

#[test]
fn a_larger_limit_goes_on_from_a_smaller_one() {
    for question in ["grundy", "outcome", "remoteness", "extensions", "ideals"] {
        let lab = Lab::new();
        let words = |max: usize| format!("{question} boolean:6 --max-elements {max} --keep-values");
        let first = run(&lab, &words(12));
        assert_eq!(first["resumed"], false);
        for max in [17, 15] {
            let answer = run(&lab, &words(max));
            assert_eq!(answer["digest"], answer_of_run(&words(max))["digest"], "{question} {max}");
            assert_eq!(answer["resumed"], true, "{question} {max}");
        }
        lab.run(&["rm", &format!("{question}-boolean-6-max12")]).assert_code(0);
        lab.run(&["rm", &format!("{question}-boolean-6-max17")]).assert_code(0);
        lab.run(&["verify", &format!("{question}-boolean-6-max15")]).assert_code(0);
    }
}

#[test]
fn positions_within_the_frontier_are_answered_and_those_beyond_are_refused_with_a_way_on() {
    let lab = Lab::new();
    for question in ["grundy", "extensions"] {
        for max in ["10", "16"] {
            lab.json(&["run", question, "boolean:8", "--max-elements", max, "--keep-values"]);
        }
        // 16 elements; any labelling.
        for (position, like_it) in [("0123", "4567"), ("01 12 20 3 4", "75 53 37 1 0")] {
            let ask = |position| lab.value(&[&["query", question, "boolean:8", position][..], &NO_SEARCH].concat());
            assert_eq!(ask(position), ask(like_it), "{question}");
        }
        let beyond = lab.run(&[&["query", question, "boolean:8", "01234"][..], &NO_SEARCH].concat());
        beyond.assert_code(1);
        let (job, command) = (
            format!("{question}-boolean-8-max16 has ideals of at most 16 elements, and this one has 32"),
            format!("`antichain plan {question} boolean:8 --max-elements 32`"),
        );
        assert!(beyond.stderr.contains(&job) && beyond.stderr.contains(&command), "{}", beyond.stderr);
    }
    // All that is left after a move is within the frontier, though the position is not.
    let moves = lab.run(&[&["moves", "boolean:8", "0123 4", "--json"][..], &NO_SEARCH].concat());
    moves.assert_code(0);
    // The outcomes follow from the Grundy values.
    let outcome = lab.value(&[&["query", "outcome", "boolean:8", "0123"][..], &NO_SEARCH].concat());
    assert_eq!(outcome, "N");
    let moves = lab.run(&[&["moves", "boolean:8", "01234"][..], &NO_SEARCH].concat());
    moves.assert_code(1);
    assert!(moves.stderr.contains("grundy-boolean-8-max16"), "{}", moves.stderr);
}

#[test]
fn plans_name_the_largest_limit_that_there_is_enough_for() {
    let lab = Lab::new();
    let there_is = ["--cores", "2", "--memory", "16GiB", "--within"];
    let reach = |question: &str, poset: &str, within: &str| {
        lab.json(&[&["plan", question, poset][..], &there_is, &[within]].concat())
    };
    let found = reach("grundy", "boolean:8", "2h");
    assert_eq!((&found["max_elements"], &found["ends_first"]), (&41.into(), &"memory".into()), "{found}");
    let most = (1u64 << 34) as f64;
    let memory = |plan: &Value| plan["memory_bytes"].as_f64().expect("a number");
    assert!(memory(&found["plan"]) <= most && memory(&found["next"]) > most, "{found}");
    let plan = lab.json(&["plan", "grundy", "boolean:8", "--max-elements", "41"]);
    assert_eq!(plan, found["plan"], "the same plan as that of the limit it names");
    let hurried = reach("extensions", "boolean:8", "1s");
    assert_eq!(hurried["ends_first"], "time");
    let most = hurried["max_elements"].as_u64().expect("a limit").to_string();
    let seconds = |max: &str| {
        let plan = lab.json(&["plan", "extensions", "boolean:8", "--max-elements", max]);
        plan["cpu_seconds"].as_f64().expect("a number")
    };
    assert!(seconds(&most) <= 2.0, "{hurried}");
    let all = reach("ideals", "boolean:7", "1h");
    assert_eq!((&all["all"], &all["max_elements"], &all["ends_first"]), (&true.into(), &128.into(), &Value::Null));
    for words in [
        &["plan", "grundy", "boolean:8", "--within", "2h", "--max-elements", "4"][..],
        &["plan", "outcome", "boolean:8", "--position", "012", "--cores", "4"],
        &["plan", "ruler", "partitions:90", "--within", "2h"],
        &["plan", "grundy", "boolean:8", "--cores", "0"],
    ] {
        let refused = lab.run(words);
        refused.assert_code(2);
        assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
    }
}

#[test]
fn moves_without_a_question_name_what_is_there() {
    let lab = Lab::new();
    lab.json(&["run", "outcome", "boolean:8", "--max-elements", "16", "--keep-values"]);
    let moves = lab.run(&[&["moves", "boolean:8", "01234"][..], &NO_SEARCH].concat());
    moves.assert_code(1);
    let way_on = "outcome-boolean-8-max16 has ideals of at most 16 elements";
    assert!(moves.stderr.contains(way_on) && !moves.stderr.contains("grundy"), "{}", moves.stderr);
}

#[test]
fn hints_name_commands_that_work_or_say_why_not() {
    let lab = Lab::new();
    let ask = |question: &str, position: &str| {
        let outcome = lab.run(&[&["query", question, "boolean:8", position][..], &NO_SEARCH].concat());
        outcome.assert_code(1);
        outcome.stderr
    };
    // Of 23 elements and of 238.
    let (small, large) = ("012 034 135 245", "012345 0123467 0123567 1234567 024567 134567");
    for question in ["grundy", "remoteness", "outcome", "extensions"] {
        let hint = ask(question, small);
        assert!(hint.contains(&format!("`antichain plan {question} boolean:8 --max-elements 23`")), "{hint}");
        lab.run(&["plan", question, "boolean:8", "--max-elements", "23"]).assert_code(0);
        let hint = ask(question, large);
        assert!(hint.contains("--max-elements 238") && hint.contains("if anybody can"), "{hint}");
        if question != "extensions" {
            assert!(hint.contains(&format!("`antichain plan outcome boolean:8 --position '{large}'`")), "{hint}");
        }
    }
    // With a frontier, and a position beyond what anybody can value.
    lab.json(&["run", "grundy", "boolean:8", "--max-elements", "10", "--keep-values"]);
    let hint = ask("grundy", large);
    assert!(hint.contains("grundy-boolean-8-max10") && hint.contains("--position"), "{hint}");
}

#[test]
fn large_ideals_are_counted_by_their_duals() {
    let lab = Lab::new();
    let above = lab.json(&["run", "ideals", "boolean:8", "--min-elements", "240"]);
    let below = lab.json(&["run", "ideals", "boolean:8", "--max-elements", "16"]);
    for field in ["value", "orbits", "labelled"] {
        assert_eq!(above[field], below[field], "{field}");
    }
    lab.json(&["run", "ideals", "boolean:6", "--min-elements", "48"]);
    lab.run(&["verify", "ideals-boolean-6-min48"]).assert_code(0);
    let words = ["layers", "boolean:8", "--min-elements", "250", "--max-elements", "254"];
    let layers = lab.json(&words);
    let sizes: Vec<(u64, &str)> = layers["sizes"]
        .as_array()
        .expect("sizes")
        .iter()
        .map(|size| (size["size"].as_u64().expect("a number"), size["orbits"].as_str().expect("digits")))
        .collect();
    assert_eq!(sizes, [(250, "3"), (251, "2"), (252, "2"), (253, "1"), (254, "1")]);
    let plan = lab.json(&["plan", "ideals", "boolean:8", "--min-elements", "240"]);
    assert!(plan["memory_bytes"].as_f64().expect("a number") < 1e8);
    for (words, reason) in [
        (["run", "extensions", "boolean:8"], "counted from those of the ideals in it"),
        (["run", "grundy", "boolean:8"], "follows from those of the positions in it"),
        (["plan", "outcome", "boolean:8"], "follows from those of the positions in it"),
        (["run", "ideals", "boolean:8:4"], "where the poset is self-dual"),
    ] {
        let refused = lab.run(&[&words[..], &["--min-elements", "100"]].concat());
        refused.assert_code(2);
        assert!(refused.stderr.contains(reason) && refused.stderr.contains("hint: "), "{words:?} {}", refused.stderr);
    }
}

#[test]
fn limits_beyond_the_poset_are_refused_and_nothing_is_lost() {
    let lab = Lab::new();
    let before = run(&lab, "grundy boolean:8 --max-elements 14 --keep-values");
    for limits in [
        &["--max-elements", "257"][..],
        &["--max-elements", "-1"],
        &["--max-elements", "many"],
        &["--min-elements", "257"],
        &["--min-elements", "9", "--max-elements", "8"],
    ] {
        for command in [&["run", "grundy"][..], &["plan", "grundy"], &["submit", "outcome"], &["layers"]] {
            let refused = lab.run(&[command, &["boolean:8"], limits].concat());
            refused.assert_code(2);
            assert!(refused.stderr.contains("hint: "), "{command:?} {limits:?} {}", refused.stderr);
        }
    }
    assert_eq!(run(&lab, "grundy boolean:8 --max-elements 0")["labelled"], "1");
    let after = run(&lab, "grundy boolean:8 --max-elements 14 --keep-values");
    assert_eq!((&after["digest"], &after["resumed"]), (&before["digest"], &true.into()));
}

#[test]
fn a_cluster_goes_on_from_a_smaller_limit() {
    let mut cluster = Cluster::start("15s");
    let _workers = [cluster.worker(&[]), cluster.worker(&[])];
    for (number, question) in ["grundy", "outcome", "extensions"].into_iter().enumerate() {
        let words = |max: usize| format!("{question} boolean:8 --max-elements {max} --keep-values");
        let first = cluster.submit(&words(12));
        cluster.expect_answer(&first, &words(12));
        for max in [18, 15] {
            let before = cluster.computed();
            let job = cluster.submit(&words(max));
            cluster.expect_answer(&job, &words(max));
            // One shard a layer, valued, and for the first question found.
            let computed = cluster.computed() - before;
            let expected = match (max, number) {
                (18, 0) => 2 * (18 - 12),
                (18, _) => 18 - 12,
                _ => 0,
            };
            assert_eq!(computed, expected, "{question} {max}");
        }
        cluster.ask(&["rm", &first]).assert_code(0);
        let within = cluster.ask(&["query", question, "boolean:8", "0123 4 5"]);
        within.assert_code(0);
    }
    let beyond = cluster.ask(&["query", "grundy", "boolean:8", "01234567"]);
    beyond.assert_code(1);
    assert!(beyond.stderr.contains("grundy-boolean-8-max18 has ideals of at most 18"), "{}", beyond.stderr);
    let refused = cluster.ask(&["submit", "extensions", "boolean:8", "--min-elements", "100"]);
    refused.assert_code(2);
    cluster.assert_nothing_twice();
}

#[test]
fn what_a_coordinator_has_taken_over_survives_its_death() {
    let mut cluster = Cluster::start("15s");
    let words = |max: usize| format!("grundy boolean:6 --max-elements {max} --keep-values");
    let worker = cluster.worker(&[]);
    let first = cluster.submit(&words(14));
    cluster.expect_answer(&first, &words(14));
    worker.kill();
    let job = cluster.submit(&words(20));
    cluster.kill_coordinator();
    // A file that was taken over is lost meanwhile: it is valued again, and what is beyond it.
    let shared = cluster.lab.data().join("shards").join(&job);
    let file = std::fs::read_dir(&shared)
        .expect("its files")
        .flatten()
        .find(|file| file.file_name().to_string_lossy().starts_with("values-0009"));
    std::fs::remove_file(file.expect("of layer 9").path()).expect("removed");
    cluster.start_coordinator();
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, &words(20));
    cluster.ask(&["verify", &job]).assert_code(0);
    cluster.ask(&["verify", &first]).assert_code(0);
}
