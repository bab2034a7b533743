//! Commands that follow a job: to its end, through absences of the coordinator, until they are interrupted.

#[path = "support/coordinator.rs"]
mod coordinator;
mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use antichain_proto::v1::{JobState, JobStatus};
use coordinator::{Coordinator, JOB, Script, ask, command, finished, running, with_jobs, write_access};
use rustix::process::{Pid, Signal, kill_process};
use support::{Lab, Outcome};

#[test]
fn submit_and_wait_answers_as_run_does() {
    let lab = Lab::new();
    let news = || [vec![running(), finished()]].into();
    let coordinator = Coordinator::start(Script { news: news(), ..Default::default() });
    let text = ask(&lab, &coordinator, &["submit", "extensions", "boolean:4", "--wait"]);
    text.assert_code(0);
    assert_eq!(text.stdout, "1680384\n");
    assert!(text.stderr.contains("running, layer 3 of 16, 25 %"), "{text:?}");
    assert!(text.stderr.contains("30 up to symmetry, in 17 base layers"), "{text:?}");

    coordinator.script.lock().expect("no panic").news = news();
    let json = ask(&lab, &coordinator, &["submit", "extensions", "boolean:4", "--wait", "--json"]);
    json.assert_code(0);
    let local = lab.json(&["run", "extensions", "boolean:4"]);
    let fields =
        |document: &serde_json::Value| document.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&json.document()), fields(&local));
    assert_eq!(json.document()["value"], local["value"]);
}

#[test]
fn a_job_that_fails_is_an_error() {
    let failed = JobStatus { state: JobState::Failed.into(), reason: "two results differ".into(), ..running() };
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    for words in [&["submit", "extensions", "boolean:4", "--wait"][..], &["watch", JOB]] {
        coordinator.script.lock().expect("no panic").news = [vec![running(), failed.clone()]].into();
        let outcome = ask(&lab, &coordinator, words);
        outcome.assert_code(1);
        assert!(outcome.stderr.contains(&format!("error: {JOB} failed: two results differ\nhint: ")), "{outcome:?}");
    }
}

#[test]
fn watch_writes_a_line_for_each_change() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    let news = || [vec![running(), running(), finished()]].into();
    coordinator.script.lock().expect("no panic").news = news();
    let text = ask(&lab, &coordinator, &["watch", JOB]);
    text.assert_code(0);
    let lines: Vec<_> = text.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[1], format!("{JOB}: finished, value 1680384"));

    coordinator.script.lock().expect("no panic").news = news();
    let json = ask(&lab, &coordinator, &["watch", JOB, "--json"]);
    let states: Vec<_> = json
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a document a line")["state"].clone())
        .collect();
    assert_eq!(states, ["running", "finished"]);
}

#[test]
fn watch_goes_on_when_the_coordinator_was_away() {
    let lab = Lab::new();
    let mut script = with_jobs([running()]);
    script.news = [vec![running()], vec![running(), finished()]].into();
    script.breaks_off = true;
    let coordinator = Coordinator::start(script);
    let outcome = ask(&lab, &coordinator, &["watch", JOB]);
    outcome.assert_code(0);
    assert!(outcome.stderr.contains("warning: the coordinator is away"), "{outcome:?}");
    assert_eq!(outcome.stdout.lines().count(), 2, "what is known is not told again: {outcome:?}");
}

#[test]
fn watch_finds_the_coordinator_at_another_address_with_another_token() {
    let lab = Lab::new();
    let mut script = with_jobs([running()]);
    script.news = [vec![running()]].into();
    let first = Coordinator::start(script);
    write_access(&lab, &first);
    let mut child = lab
        .bare_command(&["watch", JOB])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::with_capacity(1, child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("read");
    drop(first);
    let mut script = with_jobs([running()]);
    script.news = [vec![finished()]].into();
    let second = Coordinator::start(script);
    write_access(&lab, &second);
    let outcome = Outcome::of(child.wait_with_output().expect("the program ends"));
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, format!("{JOB}: finished, value 1680384\n"));
    assert!(outcome.stderr.contains("warning: the coordinator is away"), "{outcome:?}");
}

#[test]
fn an_interruption_leaves_the_job_running() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    coordinator.script.lock().expect("no panic").news = [vec![running()], vec![running()]].into();
    for words in [&["watch", JOB][..], &["submit", "extensions", "boolean:4", "--wait"]] {
        let mut command = command(&lab, &coordinator, words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        // It has something to say once it watches: `watch` on standard output, `submit` on standard error.
        let mut said = String::new();
        if words[0] == "watch" {
            BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut said).expect("read");
        } else {
            BufReader::with_capacity(1, child.stderr.as_mut().expect("piped")).read_line(&mut said).expect("read");
        }
        assert!(said.contains("running"), "{said}");
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, Signal::INT).expect("sent");
        let outcome = Outcome::of(child.wait_with_output().expect("the program ends"));
        outcome.assert_code(130);
        assert!(outcome.stderr.contains(&format!("{JOB} goes on")), "{outcome:?}");
        assert!(outcome.stderr.contains(&format!("`antichain watch {JOB}`")), "{outcome:?}");
    }
    let state = coordinator.script.lock().expect("no panic").jobs[JOB].state();
    assert_eq!(state, JobState::Running);
}
