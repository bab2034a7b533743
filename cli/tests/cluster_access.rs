//! Who may do what: one coordinator a directory, the token, jobs by their names, and steering them.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::time::Duration;

use cluster::{Cluster, within_time};
use support::Outcome;

const LONG: &str = "extensions chains:5x4x4";

#[test]
fn a_second_coordinator_on_one_directory_is_refused() {
    let cluster = Cluster::start("15s");
    let mut second = cluster.lab.bare_command(&["coordinator", "--listen", "127.0.0.1:0"]);
    let other = cluster.lab.folder().join("other.json");
    second.arg("--data").arg(&cluster.data).arg("--access-file").arg(&other);
    let outcome = Outcome::of(second.output().expect("the program starts"));
    outcome.assert_code(1);
    let pid = cluster.coordinator.as_ref().expect("a coordinator").id().to_string();
    assert!(outcome.stderr.contains(&pid), "{outcome:?}");
    assert!(!other.exists());
    cluster.ask(&["jobs"]).assert_code(0);
}

#[test]
fn nobody_gets_in_without_the_token() {
    let mut cluster = Cluster::start("15s");
    let url = cluster.access().url().to_string();
    let with = |words: &[&str], token: Option<&str>| {
        let mut command = cluster.lab.bare_command(words);
        command.args(["--coordinator", &url]);
        if let Some(token) = token {
            command.env("ANTICHAIN_TOKEN", token);
        }
        command
    };
    for (words, token, said) in [
        (&["jobs"][..], None, "wants a token"),
        (&["jobs"], Some("guessed"), "refuses the token"),
        (&["submit", "extensions", "boolean:3"], Some("guessed"), "refuses the token"),
        (&["worker", "--threads", "1"], None, "wants a token"),
        (&["worker", "--threads", "1"], Some("guessed"), "refuses the token"),
    ] {
        let outcome = Outcome::of(with(words, token).output().expect("the program starts"));
        outcome.assert_code(1);
        assert!(outcome.stderr.contains(said), "{words:?}: {outcome:?}");
    }
    let token = cluster.access().token.secret().to_owned();
    Outcome::of(with(&["jobs"], Some(&token)).output().expect("the program starts")).assert_code(0);
    // It is the same after a restart: workers elsewhere show it still.
    cluster.kill_coordinator();
    cluster.start_coordinator();
    assert!(cluster.access().token.secret() == token);
    let mut coordinator = cluster.coordinator.take().expect("a coordinator");
    coordinator.signal(rustix::process::Signal::TERM);
    assert_eq!(coordinator.exit_code(Duration::from_secs(10)), Some(0));
    cluster.start_coordinator();
    assert!(cluster.access().token.secret() == token);
}

#[test]
fn a_worker_whose_token_is_not_the_right_one_any_more_ends() {
    let mut cluster = Cluster::start("1s");
    let mut worker = cluster.worker(&[]);
    within_time(Duration::from_secs(10), || worker.log_text().contains("registered").then_some(()))
        .expect("it is there");
    cluster.kill_coordinator();
    std::fs::remove_file(cluster.data.join("access.json")).expect("removed");
    cluster.start_coordinator();
    assert_eq!(worker.exit_code(Duration::from_secs(20)), Some(1), "{}", worker.log_text());
    assert!(worker.log_text().contains("refuses the token"), "{}", worker.log_text());
}

#[test]
fn a_job_that_is_not_there_brings_up_the_nearest() {
    let cluster = Cluster::start("15s");
    let job = cluster.submit("extensions boolean:4");
    for verb in ["status", "watch", "pause", "resume", "cancel", "rm", "verify"] {
        let outcome = cluster.ask(&[verb, "extension-boolean-4"]);
        outcome.assert_code(2);
        assert!(outcome.stderr.contains("extension-boolean-4") && outcome.stderr.contains(&job), "{verb}: {outcome:?}");
    }
}

#[test]
fn a_job_is_paused_resumed_cancelled_and_removed() {
    let mut cluster = Cluster::start("15s");
    let job = cluster.submit(LONG);
    let _worker = cluster.worker(&[]);
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(5));
    let paused = cluster.ask(&["pause", &job]);
    assert_eq!((paused.code, paused.stdout), (Some(0), format!("{job}: paused (by the user)\n")));
    // What was being stored is stored.
    std::thread::sleep(Duration::from_millis(500));
    let before = cluster.stored();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(cluster.stored(), before, "nothing is handed out");
    let status = cluster.status(&job);
    assert_eq!((&status["state"], &status["reason"]), (&"paused".into(), &"by the user".into()));
    // It stays paused through a restart.
    cluster.kill_coordinator();
    cluster.start_coordinator();
    assert_eq!(cluster.status(&job)["state"], "paused");
    cluster.ask(&["resume", &job]).assert_code(0);
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(before as u64 / 2));

    let cancelled = cluster.ask(&["cancel", &job]);
    assert_eq!((cancelled.code, cancelled.stdout), (Some(0), format!("{job}: cancelled\n")));
    cluster.ask(&["pause", &job]).assert_code(1);
    cluster.kill_coordinator();
    cluster.start_coordinator();
    assert_eq!(cluster.status(&job)["state"], "cancelled");
    // The worker has other things to do, and what is cancelled may go on after all.
    let other = cluster.submit("extensions boolean:4");
    cluster.expect_answer(&other, "extensions boolean:4");
    assert_eq!(cluster.submit(LONG), job);
    cluster.expect_answer(&job, LONG);
    cluster.assert_nothing_twice();

    let removed = cluster.ask(&["rm", &job]);
    removed.assert_code(0);
    cluster.ask(&["status", &job]).assert_code(2);
    let shards = || std::fs::read_dir(cluster.data.join("shards")).expect("a folder").count();
    within_time(Duration::from_secs(5), || (shards() == 0).then_some(())).expect("the disk is given back");
}

#[test]
fn a_job_is_removed_while_workers_are_at_it() {
    let mut cluster = Cluster::start("15s");
    let mut worker = cluster.worker(&[]);
    for layers in [2, 9, 17] {
        let job = cluster.submit(LONG);
        cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() > Some(layers));
        cluster.ask(&["rm", &job]).assert_code(0);
        cluster.ask(&["status", &job]).assert_code(2);
        assert!(!cluster.ask(&["jobs"]).stdout.contains(&job));
    }
    let job = cluster.submit(LONG);
    cluster.expect_answer(&job, LONG);
    assert!(worker.is_running());
}

#[test]
fn a_directory_that_the_coordinator_has_is_asked_about_there() {
    let mut cluster = Cluster::stopped("15s");
    cluster.data = cluster.lab.folder().join("antichain-data");
    cluster.start_coordinator();
    let _worker = cluster.worker(&[]);
    cluster.ask(&["submit", "extensions", "boolean:4", "--wait"]).assert_code(0);
    let here = |cluster: &Cluster, words: &[&str]| {
        let mut command = cluster.lab.bare_command(words);
        command.env("ANTICHAIN_ACCESS_FILE", cluster.access_file());
        Outcome::of(command.output().expect("the program starts"))
    };
    let jobs = here(&cluster, &["jobs"]);
    jobs.assert_code(0);
    assert!(jobs.stdout.contains("extensions-boolean-4"), "{jobs:?}");
    let value = here(&cluster, &["query", "extensions", "boolean:4", "0123"]);
    assert_eq!((value.code, value.stdout.trim()), (Some(0), "1680384"));
    // Without the coordinator the same words are about the directory itself.
    cluster.kill_coordinator();
    let removed = here(&cluster, &["rm", "extensions-boolean-4"]);
    removed.assert_code(0);
    assert!(!here(&cluster, &["jobs"]).stdout.contains("extensions-boolean-4"));
}
