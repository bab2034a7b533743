//! Full disks: the coordinator pauses and says why, and goes on when there is room; a worker that has none is no harm.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/disk.rs"]
mod disk;
mod support;

use std::fs;
use std::time::Duration;

use cluster::{Cluster, PATIENCE, within_time};
use disk::SmallDisk;

const LONG: &str = "extensions chains:5x4x4";

#[test]
fn a_coordinator_on_a_full_disk_pauses_and_goes_on() {
    let mut cluster = Cluster::stopped("15s");
    let Some(disk) = SmallDisk::mount(cluster.lab.folder().join("disk"), 64) else { return };
    cluster.data = disk.folder().join("data");
    cluster.start_coordinator();
    let job = cluster.submit(LONG);
    let mut worker = cluster.worker(&[]);
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(5));
    let ballast = disk.fill(34);
    let paused = cluster.wait_for_state(&job, "paused");
    let reason = paused["reason"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("full") && reason.contains("MiB"), "{reason}");
    // A moment for what is under way; then nothing is stored, and nothing new is taken on.
    std::thread::sleep(Duration::from_secs(1));
    let before = cluster.stored();
    let refused = cluster.ask(&["submit", "extensions", "boolean:4"]);
    assert!(refused.code != Some(0) && refused.stderr.contains("full"), "{refused:?}");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(cluster.stored(), before);
    fs::remove_file(ballast).expect("removed");
    cluster.expect_answer(&job, LONG);
    assert!(worker.is_running());
    cluster.assert_nothing_twice();
}

#[test]
fn a_disk_that_is_full_to_the_last_byte_costs_nothing_that_is_stored() {
    let mut cluster = Cluster::stopped("15s");
    let Some(disk) = SmallDisk::mount(cluster.lab.folder().join("disk"), 64) else { return };
    cluster.data = disk.folder().join("data");
    cluster.start_coordinator();
    let job = cluster.submit(LONG);
    let _worker = cluster.worker(&[]);
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(5));
    let ballast = disk.fill_up();
    std::thread::sleep(Duration::from_secs(2));
    let status = cluster.status(&job);
    assert_eq!(status["state"], "paused", "{status:#}");
    fs::remove_file(ballast).expect("removed");
    cluster.expect_answer(&job, LONG);
    cluster.assert_nothing_twice();
    // And it opens again.
    cluster.kill_coordinator();
    cluster.start_coordinator();
    assert_eq!(cluster.status(&job)["state"], "finished");
}

#[test]
fn a_worker_on_a_full_disk_gives_back_what_it_cannot_do() {
    let mut cluster = Cluster::start("15s");
    let Some(disk) = SmallDisk::mount(cluster.lab.folder().join("worker-1"), 2) else { return };
    // The job is one task, for which a worker needs a folder.
    let job = cluster.submit("extensions boolean:4");
    let ballast = disk.fill_up();
    let mut worker = cluster.worker(&[]);
    within_time(PATIENCE, || worker.log_text().contains("not done").then_some(())).expect("it says so");
    assert_ne!(cluster.status(&job)["state"], "failed");
    fs::remove_file(ballast).expect("removed");
    cluster.expect_answer(&job, "extensions boolean:4");
    assert!(worker.is_running());
}
