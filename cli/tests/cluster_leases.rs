//! Workers that fall silent, that are no help, or that are ended by what they are given.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/fake.rs"]
mod fake;
mod support;

use std::time::Duration;

use antichain_proto::v1::Verdict;
use cluster::{Cluster, PATIENCE, within_time};
use fake::{Fake, Parcel, register, registration};
use rustix::process::Signal;
use tonic::Code;

const LONG: &str = "extensions chains:5x4x4";

#[test]
fn a_worker_that_is_stopped_past_its_lease_changes_nothing_when_it_goes_on() {
    let mut cluster = Cluster::start("1s");
    let job = cluster.submit(LONG);
    let mut stopped = cluster.worker(&[]);
    for done in [3, 12] {
        cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(done));
        stopped.signal(Signal::STOP);
        cluster.wait_for_state(&job, "waiting for workers");
        let helper = cluster.worker(&[]);
        cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(done + 6));
        stopped.signal(Signal::CONT);
        std::thread::sleep(Duration::from_millis(300));
        helper.kill();
    }
    cluster.expect_answer(&job, LONG);
    assert!(stopped.is_running());
    cluster.assert_nothing_twice();
}

#[test]
fn a_task_that_ends_every_worker_is_set_aside_and_the_others_go_on() {
    let mut cluster = Cluster::start("1s");
    // One task.
    let deadly = cluster.submit("extensions boolean:3");
    let target = cluster.target();
    for name in ["one", "two", "three"] {
        let mut fake = Fake::new(&target, name);
        let lease = within_time(PATIENCE, || fake.acquire(1).expect("registered").pop()).expect("a task");
        assert_eq!(lease.job, deadly);
        // And nothing is heard of it any more.
        drop(fake);
        let lost = || cluster.status(&deadly)["progress"]["leased"] == 0;
        within_time(PATIENCE, || lost().then_some(())).expect("the lease ends");
    }
    let other = cluster.submit("extensions boolean:4");
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&other, "extensions boolean:4");
    let status = cluster.status(&deadly);
    assert_eq!(status["state"], "waiting for workers", "{status:#}");
    assert_eq!(status["troubled"][0]["workers"], serde_json::json!(["one/1", "three/1", "two/1"]), "{status:#}");
    assert!(status["reason"].as_str().is_some_and(|reason| reason.contains("antichain resume")), "{status:#}");
    // As it says.
    cluster.ask(&["pause", &deadly]).assert_code(0);
    cluster.ask(&["resume", &deadly]).assert_code(0);
    cluster.expect_answer(&deadly, "extensions boolean:3");
}

/// How a call is refused, once the connection is there again.
fn code_after_reconnection<T>(mut call: impl FnMut() -> Result<T, tonic::Status>) -> Code {
    let refused =
        || call().err().map(|status| status.code()).filter(|&code| code != Code::Unavailable && code != Code::Unknown);
    within_time(PATIENCE, refused).expect("refused")
}

#[test]
fn a_worker_is_not_taken_for_another_after_a_restart_of_the_coordinator() {
    let mut cluster = Cluster::start("15s");
    let job = cluster.submit("extensions boolean:5 --keep-values");
    let mut before = Fake::new(&cluster.target(), "before");
    let leases = before.acquire(1).expect("a task");
    cluster.kill_coordinator();
    cluster.start_coordinator();
    let mut other = Fake::new(&cluster.target(), "other");
    assert_ne!(before.number, other.number);
    // Nothing that the other one is given is this one's, and a result is not late that comes before a new lease does.
    let result = Parcel::of(&leases[0]);
    assert_eq!(code_after_reconnection(|| before.acquire(1)), Code::NotFound, "it is to register again");
    assert_eq!(code_after_reconnection(|| before.deliver(&leases[0], &result)), Code::NotFound);
    // Its task is kept for it.
    let request = antichain_proto::v1::RegisterRequest { held: vec![leases[0].task], ..registration("before") };
    let renewed = before.register_again(request).leases;
    let theirs = other.acquire(64).expect("tasks");
    assert!(theirs.iter().all(|lease| lease.task != leases[0].task));
    assert_eq!(renewed[0].task, leases[0].task);
    assert_eq!(before.deliver(&renewed[0], &result).expect("an answer").verdict(), Verdict::Accepted);
    assert_eq!(cluster.status(&job)["progress"]["done"], 1);
}

#[test]
fn a_worker_with_too_little_memory_gets_nothing_and_the_job_says_so() {
    let mut cluster = Cluster::start("15s");
    let job = cluster.submit(LONG);
    let mut small = cluster.worker(&["--memory", "1MiB"]);
    let status = cluster.wait_until(&job, |status| status["workers"] == 1);
    assert_eq!(status["state"], "waiting for workers", "{status:#}");
    assert!(status["reason"].as_str().is_some_and(|reason| reason.contains("memory")), "{status:#}");
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, LONG);
    assert!(small.is_running());
    let workers = cluster.ask(&["workers", "--json"]).document();
    let delivered: Vec<u64> =
        workers.as_array().expect("an array").iter().filter_map(|worker| worker["delivered"].as_u64()).collect();
    assert!(delivered.contains(&0) && delivered.iter().sum::<u64>() > 0, "{workers:#}");
}

#[test]
fn a_worker_that_is_gone_is_no_reason_to_hope_for_its_memory() {
    let mut cluster = Cluster::start("1s");
    cluster.worker(&[]).kill();
    let large = cluster.worker(&[]);
    let _small = cluster.worker(&["--memory", "1MiB"]);
    let both = || cluster.ask(&["workers", "--json"]).document().as_array().is_some_and(|workers| workers.len() >= 2);
    assert!(within_time(PATIENCE, || both().then_some(())).is_some());
    large.kill();
    let job = cluster.submit(LONG);
    let status = cluster.wait_until(&job, |status| status["reason"].as_str().is_some_and(|r| r.contains("memory")));
    assert_eq!(status["state"], "waiting for workers", "{status:#}");
    assert!(cluster.ask(&["workers"]).stdout.contains("gone"));
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, LONG);
}

#[test]
fn a_worker_of_another_version_is_refused_and_both_are_named() {
    let cluster = Cluster::start("15s");
    let target = cluster.target();
    let mut other = registration("old");
    other.protocol = 99;
    other.engine = "1776".to_owned();
    let status = register(&target, other).map(|fake| fake.number).expect_err("refused");
    let text = status.message();
    let own = (antichain_proto::PROTOCOL.to_string(), antichain_proto::ENGINE);
    assert!(text.contains("protocol 99 with engine 1776"), "{text}");
    assert!(text.contains(&format!("protocol {} with engine {}", own.0, own.1)), "{text}");
    for (protocol, engine) in [(99, antichain_proto::ENGINE), (antichain_proto::PROTOCOL, "1776")] {
        let request =
            antichain_proto::v1::RegisterRequest { protocol, engine: engine.to_owned(), ..registration("old") };
        assert!(register(&target, request).is_err());
    }
    assert_eq!(cluster.ask(&["workers", "--json"]).document(), serde_json::json!([]));
}

#[test]
fn a_coordinator_that_is_stopped_past_all_leases_goes_on() {
    let mut cluster = Cluster::start("1s");
    let job = cluster.submit(LONG);
    let mut workers = [cluster.worker(&[]), cluster.worker(&[])];
    for done in [5, 15] {
        cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(done));
        let coordinator = cluster.coordinator.as_ref().expect("a coordinator");
        coordinator.signal(Signal::STOP);
        std::thread::sleep(Duration::from_secs(2));
        coordinator.signal(Signal::CONT);
    }
    cluster.expect_answer(&job, LONG);
    assert!(workers.iter_mut().all(cluster::Process::is_running));
    cluster.assert_nothing_twice();
}
