//! `check-proof`: proofs that hold, that do not, and files that are none.

mod support;

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use antichain_common::ideal::Ideal;
use antichain_common::poset::Poset;
use antichain_common::search::proof::{Claim, ProofWriter, Step, Verdict};
use rustix::process::{Pid, Signal, kill_process};
use support::{Lab, Outcome};

/// A proof that the subsets of two points are won by taking the largest: what is left is lost.
fn two_points(step: Step<'_>) -> Vec<u8> {
    let poset: Poset = "boolean:2".parse().expect("a poset");
    let claim = Claim { position: vec![0, 1, 2, 3], verdict: Verdict::Won { by: 3 } };
    let mut proof = ProofWriter::new(Vec::new(), &poset, &claim, 1).expect("memory takes everything");
    proof.write(&Ideal::<1>::first(3), step).expect("memory takes everything");
    proof.finish().expect("one entry").0
}

/// A proof that an antichain of 40 elements is lost: takes its entries from the end.
fn antichain() -> Vec<u8> {
    let poset: Poset = "antichain:40".parse().expect("a poset");
    let claim = Claim { position: (0..40).collect(), verdict: Verdict::Lost };
    let mut proof = ProofWriter::new(Vec::new(), &poset, &claim, 20).expect("memory takes everything");
    for len in (2..=40).step_by(2) {
        let replies: Vec<u8> = (0..len as u8).map(|x| x ^ 1).collect();
        proof.write(&Ideal::<1>::first(len), Step::Answered(&replies)).expect("memory takes everything");
    }
    proof.finish().expect("all entries").0
}

/// A folder with this file in it.
fn with(file: &[u8]) -> Lab {
    let lab = Lab::new();
    fs::write(lab.folder().join("a.proof"), file).expect("written");
    lab
}

fn check(file: &[u8]) -> Outcome {
    with(file).run(&["check-proof", "a.proof"])
}

/// A proof with a part replaced.
fn altered(from: &str, to: &str) -> Outcome {
    let text = String::from_utf8(two_points(Step::Answered(&[2, 1]))).expect("UTF-8");
    assert!(text.contains(from), "{text}");
    check(text.replace(from, to).as_bytes())
}

#[test]
fn proofs_that_hold() {
    for step in [Step::Answered(&[2, 1]), Step::Mirrored(&[1, 0])] {
        let outcome = check(&two_points(step));
        outcome.assert_code(0);
        assert_eq!(outcome.stdout, "boolean:2: outcome N by 01: proved by 1 lost position\n");
    }
    for threads in ["1", "3"] {
        let outcome = with(&antichain()).run(&["check-proof", "a.proof", "--threads", threads]);
        outcome.assert_code(0);
        assert_eq!(outcome.stdout, "antichain:40: outcome P: proved by 20 lost positions\n");
    }
}

#[test]
fn a_proof_as_a_document() {
    let file = two_points(Step::Answered(&[2, 1]));
    let digest = String::from_utf8(file[file.len() - 65..file.len() - 1].to_vec()).expect("UTF-8");
    let mut document = with(&file).json(&["check-proof", "a.proof"]);
    assert!(document["elapsed_seconds"].take().as_f64().is_some_and(|seconds| seconds >= 0.0));
    let expected = serde_json::json!({
        "poset": "boolean:2", "position": "01", "outcome": "N", "winning_move": "01", "entries": 1, "mirrored": 0,
        "replies": 2, "elapsed_seconds": null, "digest": digest,
    });
    assert_eq!(document, expected);
    assert_eq!(with(&antichain()).json(&["check-proof", "a.proof"])["winning_move"], serde_json::Value::Null);
}

#[test]
fn a_proof_from_a_pipe() {
    let lab = with(&two_points(Step::Mirrored(&[1, 0])));
    let input = File::open(lab.folder().join("a.proof")).expect("there");
    let output = lab.command(&["check-proof", "-"]).stdin(input).output().expect("the program starts");
    Outcome::of(output).assert_code(0);
}

#[test]
fn a_proof_that_does_not_hold_has_failed() {
    let outcome = altered("7 0201", "7 0202");
    outcome.assert_code(1);
    assert_eq!(outcome.stdout, "");
    assert_eq!(
        outcome.stderr,
        "error: `a.proof`: line 7: `0 1` is not shown to be lost: the reply 1 to the move 1 is no move, since it is not there \
         any more\nhint: do not trust what it claims: the proof does not hold as it stands\n"
    );
    let outcome = altered("outcome N\nmove 01", "outcome P");
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("line 3: `01` is the position that the proof is about"), "{}", outcome.stderr);
    // The same proof in another wording is not what the digest is of.
    let outcome = altered("7 0201", "7 ~0100");
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("the file is damaged: every step holds"), "{}", outcome.stderr);
    let outcome = altered("entries 1", "entries 2");
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("line 6 says that there are 2 entries, but 1 were read"), "{}", outcome.stderr);
}

#[test]
fn what_is_no_proof_is_bad_input() {
    let bad = |outcome: Outcome, reason: &str| {
        outcome.assert_code(2);
        assert_eq!(outcome.stdout, "");
        assert!(outcome.stderr.starts_with("error: ") && outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    };
    bad(altered("antichain-proof 1", "antichain-proof 2"), "this is a proof of version 2; this program reads 1");
    bad(altered("boolean:2", "boolean:12"), "12 points are too many");
    bad(check(b""), "this is no proof");
    bad(check(&[0xff; 100_000]), "this is no proof");
    let whole = antichain();
    bad(check(&whole[..whole.len() / 2]), "the proof is cut short");
    bad(check(&[&whole[..], b"more"].concat()), "the file goes on after line 26");
    bad(Lab::new().run(&["check-proof", "nowhere.proof"]), "nowhere.proof");
    bad(Lab::new().run(&["check-proof", "."]), "cannot be read");
    let lab = Lab::new();
    bad(lab.run(&["check-proof", "a.proof", "--threads", "0"]), "not a number of threads");
}

#[test]
fn errors_as_documents() {
    let lab = with(b"antichain-proof 9\n");
    let output = lab.command(&["check-proof", "a.proof", "--json"]).output().expect("the program starts");
    let outcome = Outcome::of(output);
    outcome.assert_code(2);
    let error = outcome.error();
    assert_eq!(error["input"], "a.proof");
    assert_eq!(error["reason"], "this is a proof of version 9; this program reads 1");
    assert_eq!(error["hint"], "check it with the program that wrote it");
}

#[test]
fn an_interrupted_check_says_so() {
    let lab = Lab::new();
    let mut command = lab.command(&["check-proof", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    // The check waits for the rest of the file, and hears the signal when it comes.
    let file = antichain();
    let (head, rest) = file.split_at(file.len() / 2);
    input.write_all(head).expect("it is read");
    std::thread::sleep(Duration::from_millis(500));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let mut line = String::new();
    stderr.read_line(&mut line).expect("it is told");
    assert_eq!(line, "stopping at the next safe point; once more to stop at once\n");
    input.write_all(rest).expect("it is read");
    drop(input);
    let mut told = String::new();
    stderr.read_to_string(&mut told).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(told.starts_with("error: stopped on request\nhint: "), "{told}");
}
