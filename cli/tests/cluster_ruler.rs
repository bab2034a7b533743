//! The ruler on set partitions on a cluster: one n after the other, the types of each divided among workers.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use cluster::Cluster;

/// Far enough for several shards of an n.
const JOB: &str = "ruler partitions:82";

#[test]
fn a_small_one_takes_no_worker() {
    let cluster = Cluster::start("15s");
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
    let before = cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() >= Some(70));
    assert_eq!(before["state"], "running");
    worker.kill();
    cluster.kill_coordinator();
    others.push(cluster.worker(&[]));
    cluster.start_coordinator();
    cluster.expect_answer(&job, JOB);
    assert_eq!(cluster.status(&job)["resumed"], true);
    cluster.assert_nothing_twice();
    cluster.ask(&["verify", &job]).assert_code(0);
    // More values go on from those that are there.
    let further = cluster.submit("ruler partitions:83");
    cluster.expect_answer(&further, "ruler partitions:83");
}

#[test]
fn a_job_rests_goes_on_and_goes_away() {
    let mut cluster = Cluster::start("15s");
    let worker = cluster.worker(&[]);
    let (job, other) = (cluster.submit(JOB), cluster.submit("ruler partitions:80"));
    cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() >= Some(70));
    cluster.ask(&["pause", &job]).assert_code(0);
    let paused = cluster.wait_for_state(&job, "paused");
    // The other one needs what this one has found no more: it finds it itself.
    cluster.expect_answer(&other, "ruler partitions:80");
    let still = cluster.status(&job);
    assert_eq!(still["progress"]["layer"], paused["progress"]["layer"]);
    cluster.ask(&["resume", &job]).assert_code(0);
    cluster.expect_answer(&job, JOB);
    worker.kill();
    let third = cluster.submit("ruler partitions:90");
    let status = cluster.wait_for_state(&third, "waiting for workers");
    assert_eq!(status["progress"]["layer"], 83, "from the values to 82: {status:#}");
    cluster.ask(&["cancel", &third]).assert_code(0);
    for job in [&job, &other, &third] {
        cluster.ask(&["rm", job]).assert_code(0);
    }
    assert_eq!(cluster.ask(&["jobs", "--json"]).document().as_array().map(Vec::len), Some(0));
}
