//! Ctrl-C and kill -9 at any moment: the next run goes on from the last checkpoint and gives the same answer.

mod support;

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::{Lab, Outcome, standard_tableaux};

/// Products of two chains of so many elements, from seconds of work to minutes: the first one that is still at work when
/// it is to be stopped serves the test, however fast the machine.
const SIDES: [u32; 4] = [11, 12, 13, 14];

fn poset(side: u32) -> String {
    format!("chains:{side}x{side}")
}

/// Starts `run extensions` with checkpoints in quick succession.
fn start(lab: &Lab, side: u32) -> Child {
    let poset = poset(side);
    let mut command = lab.command(&["run", "extensions", &poset, "--checkpoint", "100ms", "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("sent");
}

/// Lets the program work for a while; `false` if it is done before.
fn works_for(child: &mut Child, span: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < span {
        if child.try_wait().expect("waited").is_some() {
            return false;
        }
        sleep(Duration::from_millis(5));
    }
    true
}

fn finish(child: Child) -> Outcome {
    Outcome::of(child.wait_with_output().expect("the program ends"))
}

#[test]
fn an_interrupted_run_ends_with_130_and_goes_on() {
    for signal in [Signal::INT, Signal::TERM] {
        let (lab, side, outcome) = SIDES
            .into_iter()
            .find_map(|side| {
                let lab = Lab::new();
                let mut child = start(&lab, side);
                if !works_for(&mut child, Duration::from_millis(700)) {
                    return None;
                }
                send(&child, signal);
                let outcome = finish(child);
                // It may have ended in the meantime.
                (outcome.code != Some(0)).then_some((lab, side, outcome))
            })
            .expect("a job that takes longer than a moment");
        outcome.assert_code(130);
        assert_eq!(outcome.stdout, "");
        assert!(outcome.error()["reason"].as_str().is_some_and(|reason| reason.contains("interrupted")));

        let answer = lab.json(&["run", "extensions", &poset(side)]);
        assert_eq!(answer["resumed"], true);
        assert_eq!(answer["value"], standard_tableaux(side, side).to_string());
    }
}

#[test]
fn killed_runs_lose_nothing_that_was_committed() {
    let undisturbed = Lab::new().json(&["run", "extensions", &poset(SIDES[0])]);
    let lab = Lab::new();
    for milliseconds in [20, 90, 150, 230, 310, 470] {
        let mut child = start(&lab, SIDES[0]);
        works_for(&mut child, Duration::from_millis(milliseconds));
        child.kill().expect("killed");
        finish(child);
    }
    let answer = lab.json(&["run", "extensions", &poset(SIDES[0])]);
    assert_eq!(answer["value"], standard_tableaux(SIDES[0], SIDES[0]).to_string());
    for field in ["value", "digest", "orbits", "labelled", "base_layers"] {
        assert_eq!(answer[field], undisturbed[field], "{field}");
    }
    let report = lab.json(&["verify", answer["job"].as_str().expect("a name")]);
    assert_eq!(report["ok"], true, "{report}");
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let lab = Lab::new();
    let mut child = start(&lab, SIDES[3]);
    assert!(works_for(&mut child, Duration::from_millis(300)));
    send(&child, Signal::INT);
    sleep(Duration::from_millis(20));
    // The first signal may have been enough by now.
    if child.try_wait().expect("waited").is_none() {
        send(&child, Signal::INT);
    }
    assert_eq!(finish(child).code, Some(130));
}
