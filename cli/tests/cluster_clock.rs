//! Wall clocks that are stepped by an hour while a job runs: nothing that counts goes by them.

#[path = "support/clock.rs"]
mod clock;
#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::time::Duration;

use clock::{Clock, library};
use cluster::Cluster;
use serde_json::Value;

const LONG: &str = "extensions chains:5x4x4";

/// Minutes of the day at which the lines of a log were written.
fn minutes(log: &str) -> Vec<i32> {
    let stamps = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let minute = |stamp: Value| {
        let text = stamp["timestamp"].as_str()?.to_owned();
        Some(text.get(11..13)?.parse::<i32>().ok()? * 60 + text.get(14..16)?.parse::<i32>().ok()?)
    };
    stamps.filter_map(minute).collect()
}

fn assert_stepped(log: &str) {
    let minutes = minutes(log);
    let stepped = minutes
        .windows(2)
        .filter(|pair| (pair[0] - pair[1]).rem_euclid(1440).min((pair[1] - pair[0]).rem_euclid(1440)) >= 50);
    assert!(stepped.count() >= 2, "the clock was not stepped: {minutes:?}");
}

#[test]
fn clocks_that_are_stepped_by_an_hour_end_no_lease() {
    let Some(library) = library() else { return };
    let mut cluster = Cluster::stopped("3s");
    let clocks =
        ["coordinator", "worker"].map(|name| Clock::new(&library, cluster.lab.folder().join(format!("{name}.clock"))));
    cluster.start_coordinator_as(clocks[0].worn_by(cluster.coordinator_command()));
    let job = cluster.submit(LONG);
    let command = clocks[1].worn_by(cluster.worker_command(&[]));
    let worker = cluster.worker_as(command);
    // Now ahead, now behind, and never both the same.
    for (step, offsets) in
        [["+1h", "+0"], ["-1h", "+1h"], ["+0", "-1h"], ["+1h", "+1h"], ["+0", "+0"]].iter().enumerate()
    {
        cluster.wait_until(&job, |status| {
            status["progress"]["done"].as_u64() > Some(4 * step as u64 + 2) || status["state"] == "finished"
        });
        clocks.iter().zip(offsets).for_each(|(clock, offset)| clock.set(offset));
        std::thread::sleep(Duration::from_millis(100));
    }
    cluster.expect_answer(&job, LONG);
    let took = cluster.status(&job)["elapsed_seconds"].as_f64().expect("seconds");
    assert!(took < 600.0, "an hour was counted in: {took}");
    let log = cluster.coordinator.as_ref().expect("a coordinator").log_text();
    assert!(!log.contains("not heard of"), "a lease ended");
    assert_stepped(&log);
    assert_stepped(&worker.log_text());
    cluster.assert_nothing_twice();
}
