//! kill -9, at any moment, of workers and of the coordinator: the answer is right, and nothing that is stored is computed again.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/dice.rs"]
mod dice;
mod support;

use std::time::Duration;

use cluster::{Cluster, PATIENCE, Process, within_time};
use dice::Dice;
use rustix::process::Signal;

/// Many small tasks one after the other: enumeration, values, joins.
const HALVES: &str = "extensions chains:5x4x4";
/// Layers of several shards, as its last ones have more than 131,072 bases.
const WIDE: &str = "ideals boolean:7 --max-elements 36";
/// A game of two sides: every worker needs all that is valued.
const GAME: &str = "grundy chains:3x3x10 --keep-values";

fn pause(dice: &mut Dice, most: u64) {
    std::thread::sleep(Duration::from_millis(dice.below(most)));
}

/// Kills a worker and starts another, at random moments, so many times.
fn kill_workers(job: &str, kills: usize) {
    let mut dice = Dice::new();
    let mut cluster = Cluster::start("1s");
    let id = cluster.submit(job);
    let mut workers: Vec<Process> = (0..2).map(|_| cluster.worker(&[])).collect();
    for _ in 0..kills {
        pause(&mut dice, 700);
        workers.swap_remove(dice.below(2) as usize).kill();
        workers.push(cluster.worker(&[]));
    }
    cluster.see_to_the_end_of(&id);
    cluster.expect_answer(&id, job);
    // At rest they can be killed, too.
    workers.into_iter().for_each(Process::kill);
    let stored = cluster.assert_nothing_twice();
    println!("{kills} kills: {stored} results stored, {} computed", cluster.computed());
}

#[test]
fn workers_that_are_killed_at_random_cost_only_what_they_had_in_hand() {
    kill_workers(HALVES, 12);
}

#[test]
fn workers_that_are_killed_at_random_while_others_share_the_layer() {
    kill_workers(WIDE, 6);
}

#[test]
fn workers_that_are_killed_at_random_in_a_game() {
    kill_workers(GAME, 10);
}

#[test]
fn a_worker_is_killed_in_every_phase() {
    let mut cluster = Cluster::start("1s");
    let id = cluster.submit(HALVES);
    let handed_out = |cluster: &Cluster, worker: &Process, task: &str| {
        let name = format!("/{}", worker.id());
        cluster.events().iter().any(|event| {
            let field = |name: &str| event["fields"][name].as_str().unwrap_or_default();
            field("message") == "handed out" && field("worker").ends_with(&name) && field("task").starts_with(task)
        })
    };
    for phase in ["enumeration", "values", "delivery", "enumeration", "delivery", "values", "delivery", "join"] {
        let mut worker = cluster.worker(&[]);
        let reached = within_time(PATIENCE, || {
            let now = match phase {
                "delivery" => worker.log_text().contains(r#""message":"done""#),
                task => handed_out(&cluster, &worker, task),
            };
            now.then_some(())
        });
        assert!(reached.is_some() && worker.is_running(), "never at {phase}: {}", worker.log_text());
        worker.kill();
        // What is lost with three workers is set aside; so somebody does it, and gives the rest back.
        let done = cluster.status(&id)["progress"]["done"].as_u64();
        let mut healer = cluster.worker(&["--drain", "1ms"]);
        cluster.wait_until(&id, |status| {
            status["state"] == "finished" || status["progress"]["done"].as_u64() >= done.map(|done| done + 4)
        });
        healer.signal(Signal::TERM);
        assert_eq!(healer.exit_code(PATIENCE), Some(0));
    }
    // And idle: the job is over when it is killed.
    let worker = cluster.worker(&[]);
    cluster.expect_answer(&id, HALVES);
    worker.kill();
    let again = cluster.submit("extensions boolean:4");
    cluster.wait_for_state(&again, "waiting for workers");
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&again, "extensions boolean:4");
    let stored = cluster.assert_nothing_twice();
    println!("{stored} results stored, {} computed", cluster.computed());
}

#[test]
fn without_any_worker_a_job_waits_and_says_so() {
    let mut cluster = Cluster::start("1s");
    let job = cluster.submit(HALVES);
    let workers: Vec<Process> = (0..2).map(|_| cluster.worker(&[])).collect();
    cluster.wait_until(&job, |status| status["progress"]["done"].as_u64() > Some(10));
    workers.into_iter().for_each(Process::kill);
    let waiting = cluster.wait_for_state(&job, "waiting for workers");
    assert!(waiting["reason"].as_str().is_some_and(|reason| reason.contains("antichain worker")), "{waiting:#}");
    let before = cluster.stored();
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, HALVES);
    assert!(cluster.stored() > before);
    cluster.assert_nothing_twice();
}

/// Whether a worker has registered since the coordinator was started last.
fn is_registered(cluster: &Cluster) -> bool {
    let events = cluster.events();
    let since = events.iter().rev().take_while(|event| event["fields"]["message"] != "ready");
    since.into_iter().any(|event| event["fields"]["message"] == "registered")
}

/// Tasks and work that are done of a job that is not over.
fn progress(cluster: &Cluster, job: &str) -> Option<(u64, u64)> {
    let status = cluster.status(job);
    let number = |name: &str| status["progress"][name].as_u64();
    (status["state"] != "finished").then_some((number("done")?, number("work_done")?))
}

#[test]
fn a_coordinator_that_is_killed_twenty_times_loses_nothing() {
    let mut dice = Dice::new();
    let mut cluster = Cluster::start("15s");
    let mut workers: Vec<Process> = (0..2).map(|_| cluster.worker(&[])).collect();
    let jobs = [GAME, HALVES, WIDE, "extensions chains:4x4x4", "ideals chains:5x4x4", "extensions chains:5x4x3"];
    let mut waiting = jobs.iter();
    let mut submitted: Vec<(String, &str)> = Vec::new();
    for kill in 1..=20 {
        // One job after the other, so that there is work whenever it is killed.
        let is_idle = submitted.last().is_none_or(|(id, _)| cluster.status(id)["state"] == "finished");
        if is_idle && let Some(job) = waiting.next() {
            submitted.push((cluster.submit(job), job));
        }
        // Not before somebody works again, or nothing would be under way.
        within_time(PATIENCE, || is_registered(&cluster).then_some(())).expect("the workers come back");
        pause(&mut dice, 300);
        let before = submitted.last().and_then(|(id, _)| progress(&cluster, id));
        cluster.kill_coordinator();
        println!("kill {kill}: {} results stored so far", cluster.stored());
        cluster.start_coordinator();
        let after = submitted.last().and_then(|(id, _)| progress(&cluster, id));
        if let (Some(before), Some(after)) = (before, after) {
            assert!(before.0 <= after.0 && before.1 <= after.1, "from {before:?} to {after:?}");
        }
    }
    for (id, job) in &submitted {
        cluster.expect_answer(id, job);
    }
    assert!(workers.iter_mut().all(Process::is_running), "the workers live through it");
    let results = cluster.assert_nothing_twice();
    for (id, _) in &submitted {
        cluster.ask(&["verify", id]).assert_code(0);
    }
    println!("{} jobs: {results} results stored, {} computed", submitted.len(), cluster.computed());
}
