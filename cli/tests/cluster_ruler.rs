//! The ruler on set partitions on a cluster: one n after the other, the types of each divided among workers.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use cluster::Cluster;

/// Far enough for several shards of an n.
const JOB: &str = "ruler partitions:80";

#[test]
fn a_small_one_is_one_task() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let job = cluster.submit("ruler partitions:30");
    cluster.expect_answer(&job, "ruler partitions:30");
    let answer = cluster.ask(&["submit", "ruler", "partitions:30", "--wait", "--json"]).document();
    assert_eq!(answer["h"].as_array().map(Vec::len), Some(30));
    let refused = cluster.ask(&["submit", "ruler", "asm:5"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("answered at once"), "{}", refused.stderr);
}

#[test]
fn workers_and_coordinators_that_are_killed_cost_nothing_but_time() {
    let mut cluster = Cluster::start("2s");
    let worker = cluster.worker(&[]);
    let mut others = vec![cluster.worker(&[])];
    let job = cluster.submit(JOB);
    cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() >= Some(70));
    worker.kill();
    cluster.kill_coordinator();
    others.push(cluster.worker(&[]));
    cluster.start_coordinator();
    cluster.expect_answer(&job, JOB);
    cluster.assert_nothing_twice();
    cluster.ask(&["verify", &job]).assert_code(0);
    // More values go on from those that are there.
    let further = cluster.submit("ruler partitions:81");
    cluster.expect_answer(&further, "ruler partitions:81");
}
