//! Estimates from the command line: the same on any number of threads, after any interruption, and as precise as they
//! say.

mod support;

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{Lab, Outcome};

/// Some tenths of a second.
const SMALL: [&str; 5] = ["estimate", "extensions", "boolean:5", "--frontier", "0"];

/// A document without what differs from one run to another.
fn lasting(mut document: Value) -> Value {
    let fields = document.as_object_mut().expect("an object");
    for field in ["elapsed_seconds", "resumed"] {
        fields.remove(field).expect("a field of every estimate");
    }
    document
}

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

#[test]
fn an_estimate_does_not_depend_on_the_threads() {
    let one = lasting(Lab::new().json(&with(&SMALL, &["--samples", "30000", "--threads", "1"])));
    let three = lasting(Lab::new().json(&with(&SMALL, &["--samples", "30000", "--threads", "3"])));
    assert_eq!(one, three);
    assert_eq!((&one["samples"], &one["batches"], &one["seed"]), (&30720.into(), &30.into(), &0.into()));
    let number = |field: &str| one[field].as_str().expect("a string").parse::<f64>().expect("a number");
    // The same digits on every machine.
    let first = Lab::new().json(&with(&SMALL, &["--samples", "20480"]));
    assert_eq!(first["value"], "1.48092951869e19");
    assert_eq!(first["standard_error"], "4.01154486484e15");
    let known = 14_807_804_035_657_359_360.0;
    assert!((number("value") / known - 1.0).abs() < 0.01, "{one:#}");
    assert!(number("low") < number("value") && number("value") < number("high"));
    let other = Lab::new().json(&with(&SMALL, &["--samples", "30000", "--seed", "1"]));
    assert_ne!(other["value"], one["value"]);
}

#[test]
fn what_is_small_enough_is_exact_and_said_to_be() {
    let outcome = Lab::new().run(&["estimate", "extensions", "boolean:5"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "14807804035657359360\n");
    assert!(outcome.stderr.contains("the number itself"), "{}", outcome.stderr);
    let document = Lab::new().json(&["estimate", "extensions", "antichain:30"]);
    assert_eq!(document["exact"], true);
    assert_eq!(document["value"], "265252859812191058636308480000000");
    assert_eq!((&document["samples"], &document["relative_standard_error"]), (&0.into(), &0.0.into()));
}

#[test]
fn an_interruption_loses_nothing_that_is_finished() {
    let words = ["estimate", "extensions", "boolean:6", "--frontier", "10", "--samples", "4000000"];
    let lab = Lab::new();
    let mut command = lab.command(&with(&words, &["--checkpoint", "100ms", "--json"]));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    sleep(Duration::from_secs(4));
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, Signal::INT).expect("sent");
    let stopped = Outcome::of(child.wait_with_output().expect("the program ends"));
    stopped.assert_code(130);
    assert_eq!(stopped.stdout, "");
    let words = with(&words[..5], &["--samples", "30000"]);
    let resumed = lab.json(&words);
    assert_eq!(resumed["resumed"], true);
    let fresh = Lab::new().json(&words);
    assert_eq!(fresh["resumed"], false);
    assert_eq!(lasting(resumed), lasting(fresh));
}

#[test]
fn more_samples_go_on_from_fewer_and_fewer_keep_the_others() {
    let lab = Lab::new();
    lab.json(&with(&SMALL, &["--samples", "25000"]));
    let more = with(&SMALL, &["--samples", "50000"]);
    let first = lab.json(&more);
    assert_eq!(first["resumed"], true);
    lab.json(&with(&SMALL, &["--samples", "21000"]));
    assert_eq!(lasting(lab.json(&more)), lasting(first.clone()));
    assert_eq!(lasting(Lab::new().json(&more)), lasting(first));
    lab.run(&["rm", "estimate-boolean-5-frontier0-seed0"]).assert_code(0);
    assert_eq!(lab.json(&more)["resumed"], false);
}

#[test]
fn an_error_is_come_to_and_a_time_is_kept() {
    let precise = Lab::new().json(&with(&SMALL, &["--error", "0.01%"]));
    let error = precise["relative_standard_error"].as_f64().expect("a number");
    assert!(error < 0.000_12, "{error}");
    assert!(precise["samples"].as_u64() > Some(20_480), "{precise:#}");
    let lab = Lab::new();
    let outcome = lab.run(&with(&SMALL, &["--budget", "1s", "--seed", "5"]));
    outcome.assert_code(0);
    let again =
        outcome.stderr.lines().find_map(|line| line.strip_prefix("the same again: antichain ")).expect("a line");
    let repeated = Lab::new().run(&again.split(' ').collect::<Vec<_>>());
    assert_eq!(repeated.stdout, outcome.stdout);
}

#[test]
fn bad_input_ends_with_2_and_a_hint() {
    let lab = Lab::new();
    for (words, part) in [
        (&["estimate", "ideals", "boolean:5"][..], "extensions"),
        (&["estimate", "extensions", "boolean:9"], "boolean:9"),
        (&["estimate", "extensions", "boolean:5", "--error", "0"], "0.1%"),
        (&["estimate", "extensions", "boolean:5", "--confidence", "100%"], "95%"),
        (&["estimate", "extensions", "boolean:5", "--samples", "9", "--error", "1%"], "cannot be used with"),
        (&["estimate", "extensions", "boolean:5", "--frontier", "9999999"], "1000000"),
        (&["estimate", "extensions", "boolean:5", "--frontier", "0", "--error", "0.000001%"], "larger --error"),
    ] {
        let outcome = lab.run(words);
        outcome.assert_code(2);
        assert!(outcome.stderr.contains(part), "{words:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
    // The time of workers is nobody's to tell beforehand.
    let outcome = Outcome::of(
        lab.bare_command(&["estimate", "extensions", "boolean:5", "--budget", "1m", "--coordinator", "127.0.0.1:1"])
            .output()
            .expect("the program starts"),
    );
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("--samples or --error"), "{}", outcome.stderr);
    let outcome = lab.run(&["run", "estimate", "boolean:5"]);
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("antichain estimate extensions"), "{}", outcome.stderr);
}
