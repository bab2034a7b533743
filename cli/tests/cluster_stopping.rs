//! Stopping and starting: SIGTERM, Ctrl-C, and how soon a coordinator is there again.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use cluster::{Cluster, within_time};
use rustix::process::{Pid, Signal, kill_process};
use support::Outcome;

const LONG: &str = "extensions chains:5x4x4";

/// Time that a coordinator has for its last words, with some for a busy machine.
const DRAIN: Duration = Duration::from_secs(10);

#[test]
fn sigterm_ends_a_coordinator_in_time_whatever_is_open() {
    let mut cluster = Cluster::start("15s");
    let job = cluster.submit(LONG);
    let _worker = cluster.worker(&[]);
    let watch = cluster.command(&["watch", &job, "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut watch = watch.expect("the program starts");
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(2));
    let mut coordinator = cluster.coordinator.take().expect("a coordinator");
    let start = Instant::now();
    coordinator.signal(Signal::TERM);
    assert_eq!(coordinator.exit_code(DRAIN), Some(0), "after {:?}:\n{}", start.elapsed(), coordinator.log_text());
    assert!(!cluster.access_file().exists(), "nobody is to find it any more");
    cluster.start_coordinator();
    // Both go on by themselves.
    cluster.expect_answer(&job, LONG);
    let watched = within_time(DRAIN, || watch.try_wait().expect("a process"));
    assert!(watched.is_some_and(|status| status.success()), "{watched:?}");
    cluster.assert_nothing_twice();
}

#[test]
fn sigterm_ends_an_idle_worker_and_one_at_work() {
    let mut cluster = Cluster::start("600s");
    let mut idle = cluster.worker(&[]);
    within_time(DRAIN, || idle.log_text().contains("registered").then_some(())).expect("registered");
    idle.signal(Signal::TERM);
    assert_eq!(idle.exit_code(DRAIN), Some(0), "{}", idle.log_text());
    let job = cluster.submit(LONG);
    let mut busy = cluster.worker(&["--drain", "1s"]);
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(2));
    busy.signal(Signal::TERM);
    assert_eq!(busy.exit_code(DRAIN), Some(0), "{}", busy.log_text());
    // Nobody waits ten minutes for the leases it had.
    let _other = cluster.worker(&[]);
    cluster.expect_answer(&job, LONG);
    cluster.assert_nothing_twice();
}

#[test]
fn tasks_of_a_worker_that_has_no_time_to_end_them_are_handed_out_at_once() {
    let mut cluster = Cluster::start("600s");
    let job = cluster.submit("ideals boolean:7 --max-elements 34");
    let mut busy = cluster.worker(&["--drain", "1ms"]);
    cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() > Some(20));
    busy.signal(Signal::TERM);
    assert_eq!(busy.exit_code(DRAIN), Some(0), "{}", busy.log_text());
    let _other = cluster.worker(&[]);
    cluster.expect_answer(&job, "ideals boolean:7 --max-elements 34");
    cluster.assert_nothing_twice();
}

#[test]
fn ctrl_c_leaves_the_job_running_and_says_how_to_watch_it() {
    let mut cluster = Cluster::start("15s");
    let command = cluster
        .command(&["submit", "extensions", "chains:5x4x4", "--wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let submit = command.expect("the program starts");
    let job = "extensions-chains-5x4x4";
    within_time(DRAIN, || cluster.ask(&["jobs"]).stdout.contains(job).then_some(())).expect("submitted");
    // The job is there before the farewell is; a moment later both are.
    std::thread::sleep(Duration::from_millis(500));
    kill_process(Pid::from_raw(submit.id() as i32).expect("a process"), Signal::INT).expect("sent");
    let outcome = Outcome::of(submit.wait_with_output().expect("it ends"));
    outcome.assert_code(130);
    assert!(outcome.stderr.contains(&format!("antichain watch {job}")), "{outcome:?}");
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(job, LONG);
}

#[test]
fn a_coordinator_with_a_finished_job_is_there_again_soon() {
    let mut cluster = Cluster::start("15s");
    let start = Instant::now();
    let worker = cluster.worker(&[]);
    let outcome = cluster.ask(&["submit", "extensions", "boolean:6", "--wait", "--json"]);
    outcome.assert_code(0);
    let took = start.elapsed();
    assert_eq!(outcome.document()["value"], "141377911697227887117195970316200795630205476957716480");
    println!("boolean:6 took {took:?}");
    assert!(took < Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 3 }), "{took:?}");
    worker.kill();
    cluster.kill_coordinator();
    let start = Instant::now();
    cluster.start_coordinator();
    let status = cluster.status("extensions-boolean-6");
    let took = start.elapsed();
    assert_eq!(status["value"], outcome.document()["value"]);
    println!("ready after {took:?}");
    assert!(took < Duration::from_secs(if cfg!(debug_assertions) { 6 } else { 2 }), "{took:?}");
}
