//! Estimates on a cluster: groups of batches divided among workers, and the same digits as in one process.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::process::Stdio;

use cluster::{Cluster, Process};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{Lab, Outcome};

/// Thirteen tasks of some tenths of a second.
const ESTIMATE: [&str; 9] =
    ["estimate", "extensions", "boolean:6", "--samples", "400384", "--seed", "3", "--frontier", "10"];
const JOB: &str = "estimate-boolean-6-frontier10-seed3-batches391";

/// A document without what differs from one run to another.
fn lasting(mut document: Value) -> Value {
    let fields = document.as_object_mut().expect("an object");
    for field in ["elapsed_seconds", "resumed"] {
        fields.remove(field).expect("a field of every estimate");
    }
    document
}

/// The same estimate at a coordinator, not waited for.
fn begun(cluster: &Cluster, words: &[&str]) -> std::process::Child {
    let mut command = cluster.command(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until some of the tasks are done, and not all.
fn wait_for_tasks(cluster: &Cluster, tasks: u64) {
    // Until it is submitted there is no such job.
    let submitted = || cluster.ask(&["status", JOB]).code == Some(0);
    cluster::within_time(cluster::PATIENCE, || submitted().then_some(())).expect("submitted");
    let status = cluster.wait_until(JOB, |status| status["progress"]["done"].as_u64() >= Some(tasks));
    assert_eq!(status["state"], "running", "{status:#}");
}

#[test]
fn workers_and_coordinators_that_are_killed_change_no_digit() {
    let mut cluster = Cluster::start("2s");
    let workers: [Process; 2] = [cluster.worker(&[]), cluster.worker(&[])];
    let words = [&ESTIMATE[..], &["--json"]].concat();
    let asked = begun(&cluster, &words);
    wait_for_tasks(&cluster, 2);
    let [worker, _other] = workers;
    worker.kill();
    cluster.kill_coordinator();
    cluster.start_coordinator();
    let outcome = Outcome::of(asked.wait_with_output().expect("the program ends"));
    outcome.assert_code(0);
    assert_eq!(lasting(outcome.document()), lasting(Lab::new().json(&ESTIMATE)));
    assert_eq!(cluster.assert_nothing_twice(), 13);
    cluster.ask(&["verify", JOB]).assert_code(0);
    let again = cluster.ask(&words);
    assert_eq!(again.document()["resumed"], true);
    assert_eq!(lasting(again.document()), lasting(outcome.document()));
    let status = cluster.ask(&["status", JOB]);
    assert!(status.stdout.contains(&ESTIMATE.join(" ")), "{}", status.stdout);
}

#[test]
fn an_estimate_rests_goes_on_and_goes_away() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let asked = begun(&cluster, &ESTIMATE);
    wait_for_tasks(&cluster, 1);
    // Who asked goes away, and the job stays.
    let pid = i32::try_from(asked.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, Signal::INT).expect("sent");
    let stopped = Outcome::of(asked.wait_with_output().expect("the program ends"));
    stopped.assert_code(130);
    assert!(stopped.stderr.contains(JOB), "{}", stopped.stderr);
    cluster.ask(&["pause", JOB]).assert_code(0);
    let paused = cluster.wait_for_state(JOB, "paused");
    cluster.ask(&["resume", JOB]).assert_code(0);
    cluster.wait_until(JOB, |status| status["progress"]["done"].as_u64() > paused["progress"]["done"].as_u64());
    cluster.ask(&["cancel", JOB]).assert_code(0);
    cluster.ask(&["rm", JOB]).assert_code(0);
    assert_eq!(cluster.ask(&["jobs", "--json"]).document().as_array().map(Vec::len), Some(0));
}

#[test]
fn what_is_small_enough_is_exact_there_too() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let by_workers = ["estimate", "extensions", "boolean:5", "--samples", "20480"];
    for words in [&by_workers[..], &by_workers[..3]] {
        let outcome = cluster.ask(words);
        outcome.assert_code(0);
        assert_eq!(outcome.stdout, "14807804035657359360\n");
        assert!(outcome.stderr.contains("the number itself"), "{}", outcome.stderr);
    }
    let jobs = cluster.ask(&["jobs", "--json"]).document();
    assert_eq!(jobs.as_array().map(Vec::len), Some(1), "the other one was found here: {jobs:#}");
    let trial = ["estimate", "extensions", "boolean:5", "--frontier", "0", "--error", "0.05%"];
    assert_eq!(cluster.ask(&trial).stdout, Lab::new().run(&trial).stdout);
}
