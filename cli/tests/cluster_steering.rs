//! What a user decides while a job runs stays decided, whatever the coordinator was about to store at that moment.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/dice.rs"]
mod dice;
mod support;

use std::time::Duration;

use cluster::Cluster;
use dice::Dice;

/// Layers that are complete every few milliseconds, for a second.
const LONG: &str = "extensions chains:5x4x4";
const ROUNDS: usize = 5;

/// Steers the job at random moments, again and again, each time kills the coordinator soon after, and starts it again.
fn steered(verb: &str, check: impl Fn(&Cluster, &str)) {
    let mut dice = Dice::new();
    let mut cluster = Cluster::start("15s");
    let _workers = [cluster.worker(&[]), cluster.worker(&[])];
    for _ in 0..ROUNDS {
        let job = cluster.submit(LONG);
        cluster.wait_until(&job, |status| status["progress"]["leased"].as_u64() > Some(0));
        std::thread::sleep(Duration::from_millis(dice.below(250)));
        let steered = cluster.ask(&[verb, &job]);
        if steered.code == Some(1) {
            assert!(steered.stderr.contains("finished"), "{steered:?}");
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
        cluster.kill_coordinator();
        cluster.start_coordinator();
        check(&cluster, &job);
    }
    let job = cluster.submit(LONG);
    cluster.expect_answer(&job, LONG);
}

#[test]
fn a_pause_is_not_forgotten() {
    steered("pause", |cluster, job| assert_eq!(cluster.status(job)["state"], "paused"));
}

#[test]
fn a_cancellation_is_not_forgotten() {
    steered("cancel", |cluster, job| assert_eq!(cluster.status(job)["state"], "cancelled"));
}

#[test]
fn a_job_that_was_removed_does_not_come_back() {
    steered("rm", |cluster, job| {
        cluster.ask(&["status", job]).assert_code(2);
        assert_eq!(cluster.ask(&["jobs", "--json"]).document(), serde_json::json!([]));
        let events = cluster.events();
        let start = events.iter().rposition(|event| event["fields"]["message"] == "ready").expect("ready");
        assert_ne!(events[start - 1]["fields"]["message"], "taken up");
    });
}
