//! Searches on a cluster: positions handed out, what is settled told to all, and a proof at the end.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use antichain_common::poset::{Poset, format_position, parse_position};
use cluster::Cluster;
use serde_json::Value;
use support::Lab;

/// The sets of at most four points whose pairs are edges of a graph: some 60,000 positions are visited, and the next player wins.
const GRAPH: &str = "0126 0127 0167 0267 1267 145 146 157 237 357";
/// Another one, that takes minutes.
const LARGER: &str = "0137 0147 023 0246 0467 1457 4567";

fn submitted(cluster: &Cluster, words: &[&str]) -> String {
    let outcome = cluster.ask(&[&["submit", "outcome", "boolean:8", "--position"], words].concat());
    outcome.assert_code(0);
    outcome.stdout.trim().to_owned()
}

fn nodes(status: &Value) -> u64 {
    status["search"]["nodes"].as_u64().unwrap_or(0)
}

/// Whether a job has a result that counts.
fn has_results(status: &Value) -> bool {
    status["progress"]["done"].as_u64() > Some(0) && nodes(status) > 0
}

#[test]
fn workers_settle_and_prove_a_position() {
    let mut cluster = Cluster::start("15s");
    let _workers = [cluster.worker(&[]), cluster.worker(&[])];
    let asked = ["submit", "outcome", "boolean:8", "--position", GRAPH, "--wait", "--json"];
    let document = cluster.ask(&asked).document();
    assert_eq!(document["value"], "N", "{document:#}");
    assert!(document["proof"]["entries"].as_u64() > Some(100), "{document:#}");
    let job = document["job"].as_str().expect("a job");
    cluster.ask(&["verify", job]).assert_code(0);
    assert_eq!(cluster.ask(&["query", "outcome", "boolean:8", GRAPH]).stdout, "N\n");
    // What the winning move leaves is lost, by a search of its own.
    let poset: Poset = "boolean:8".parse().expect("a poset");
    let by = document["winning_move"].as_str().expect("a move");
    let taken = parse_position(&poset, by).expect("an element").members.pop().expect("it is not empty");
    let members = parse_position(&poset, GRAPH).expect("a position").members;
    let left: Vec<usize> = members.into_iter().filter(|&x| !poset.is_at_most(taken, x)).collect();
    let left = format_position(&poset, &left);
    assert_eq!(Lab::new().value(&["run", "outcome", "boolean:8", "--position", &left]), "P");
    let again = cluster.ask(&asked).document();
    assert_eq!((&again["resumed"], &again["digest"]), (&true.into(), &document["digest"]));
    // One that a theorem settles needs no orders.
    let small =
        cluster.ask(&["submit", "outcome", "boolean:6", "--position", "0123 45", "--wait", "--json"]).document();
    assert_eq!(small["value"], Lab::new().json(&["run", "outcome", "boolean:6", "--position", "0123 45"])["value"]);
}

#[test]
fn what_was_stored_outlasts_kills_of_everybody() {
    let mut cluster = Cluster::start("2s");
    let worker = cluster.worker(&[]);
    let job = submitted(&cluster, &[GRAPH]);
    let before = cluster.wait_until(&job, has_results);
    assert_eq!(before["state"], "running", "{before:#}");
    cluster.kill_coordinator();
    worker.kill();
    cluster.start_coordinator();
    let after = cluster.status(&job);
    assert!(nodes(&after) >= nodes(&before) && after["search"]["options"]["all"] == before["search"]["options"]["all"]);
    let _workers = [cluster.worker(&[]), cluster.worker(&[])];
    let finished = cluster.wait_for_state(&job, "finished");
    assert_eq!(finished["value"], "N", "{finished:#}");
    cluster.ask(&["verify", &job]).assert_code(0);
    assert!(cluster.logs().iter().all(|(_, log)| !log.contains("corrupt")));
}

#[test]
fn a_search_rests_when_its_time_is_over_and_goes_on() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let words = ["submit", "outcome", "boolean:8", "--position", LARGER, "--budget", "2s", "--wait"];
    let outcome = cluster.ask(&words);
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("is not settled after"), "{}", outcome.stderr);
    let jobs = cluster.ask(&["jobs", "--json"]).document();
    let job = jobs[0]["job"].as_str().expect("a job").to_owned();
    let paused = cluster.status(&job);
    assert_eq!(paused["state"], "paused", "{paused:#}");
    assert!(paused["reason"].as_str().is_some_and(|reason| reason.contains("antichain resume")), "{paused:#}");
    cluster.ask(&["resume", &job]).assert_code(0);
    let going = cluster.wait_until(&job, |status| has_results(status) && nodes(status) > nodes(&paused));
    assert_eq!(going["state"], "running");
    let shown = cluster.ask(&["status", &job]).stdout;
    for row in ["position", "visited", "predicted", "moves", "at work on"] {
        assert!(shown.lines().any(|line| line.starts_with(row)), "{shown}");
    }
    let predicted = going["search"]["predicted_now"].as_f64().expect("a number");
    assert!(predicted >= nodes(&going) as f64, "{going:#}");
    cluster.ask(&["cancel", &job]).assert_code(0);
    cluster.ask(&["rm", &job]).assert_code(0);
}

#[test]
fn what_is_no_search_is_refused() {
    let cluster = Cluster::start("15s");
    let poset: Poset = "boolean:8:4".parse().expect("a poset");
    let everything = format_position(&poset, &(0..poset.len()).collect::<Vec<_>>());
    for words in [
        &["submit", "grundy", "boolean:8", "--position", GRAPH][..],
        &["submit", "outcome", "boolean:8", "--position", "0129"],
        &["submit", "outcome", "boolean:8", "--budget", "2h"],
        &["submit", "outcome", "boolean:8", "--position", "01", "--max-elements", "5"],
        // All sets of four points: out of reach.
        &["submit", "outcome", "boolean:8:4", "--position", &everything],
    ] {
        let outcome = cluster.ask(words);
        outcome.assert_code(2);
        assert!(outcome.stderr.contains("hint:"), "{words:?}: {}", outcome.stderr);
    }
    assert_eq!(cluster.ask(&["jobs", "--json"]).document().as_array().map(Vec::len), Some(0));
}
