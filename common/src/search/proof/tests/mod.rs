//! Proofs of all small positions, and what is no proof.

mod altered;
mod faults;
mod prover;

use self::prover::Prover;
use super::{CheckOptions, Checked, ProofError, check};
use crate::oracle;
use crate::watch::Interrupt;

/// Checks a file in memory.
fn checked(file: &[u8], threads: usize) -> Result<Checked, ProofError> {
    check(file, &CheckOptions { threads, interrupt: &Interrupt::new(), progress: &|_| {} })
}

/// A file with these lines and a last line that fits them.
fn sealed(lines: &str) -> Vec<u8> {
    let entries = lines.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_hexdigit()) && line.contains(' '));
    let entries = entries.filter(|line| !["antichain", "entries"].iter().any(|word| line.starts_with(word))).count();
    format!("{lines}end {entries} {}\n", blake3::hash(lines.as_bytes())).into_bytes()
}

#[test]
fn the_truth_about_every_small_position_can_be_proved() {
    for spec in ["boolean:3", "boolean:4", "boolean:4:3", "chains:3x3x2", "chains:3x2x3", "antichain:5", "divisors:60"]
    {
        let prover = Prover::new(spec);
        // Of the largest ones every third position.
        for (i, position) in prover.positions().enumerate() {
            for with_mirrors in [false, true] {
                if i % 3 > 0 && prover.poset.len() > 17 {
                    continue;
                }
                let file = prover.prove(position, with_mirrors);
                let threads = 1 + usize::from(position % 5 == 0);
                let report = checked(&file, threads).unwrap_or_else(|error| panic!("{spec} {position:b}: {error}"));
                assert_eq!(report.outcome, if prover.is_lost(position) { "P" } else { "N" });
                assert_eq!(report.winning_move.is_none(), prover.is_lost(position));
                assert_eq!((report.poset, with_mirrors || report.mirrored == 0), (prover.poset.name(), true));
                let members: Vec<_> = oracle::members(position).collect();
                assert_eq!(report.position, crate::poset::format_position(&prover.poset, &members));
                let lines = String::from_utf8(file).expect("UTF-8").lines().count();
                assert_eq!(report.entries as usize, lines - if prover.is_lost(position) { 6 } else { 7 });
            }
        }
    }
}

#[test]
fn larger_positions_are_proved_up_to_symmetry() {
    for spec in ["boolean:5", "boolean:5:2", "boolean:5:3", "chains:3x3x3"] {
        let prover = Prover::new(spec);
        for position in prover.orbits() {
            for with_mirrors in [false, true] {
                let report = checked(&prover.prove(position, with_mirrors), 2);
                let report = report.unwrap_or_else(|error| panic!("{spec} {position:b}: {error}"));
                assert_eq!(report.outcome, if prover.is_lost(position) { "P" } else { "N" });
            }
        }
    }
}

#[test]
fn the_proof_in_the_description_of_the_format_holds() {
    let text = include_str!("../../../../../FORMATS.md");
    let start = text.find("antichain-proof 1\n").expect("an example");
    let file = text[start..].split("```").next().expect("its end");
    assert_eq!(Prover::new("boolean:5:3").prove((1 << 26) - 1, true), file.as_bytes());
    let report = checked(file.as_bytes(), 1).expect("a proof");
    assert_eq!((report.entries, report.mirrored, report.winning_move.as_deref()), (7, 4, Some("0")));
}

#[test]
fn threads_change_nothing() {
    let prover = Prover::new("boolean:5:3");
    let all = prover.positions().max().expect("positions");
    let file = prover.prove(all, false);
    let one = checked(&file, 1).expect("a proof");
    assert!((2..9).all(|threads| checked(&file, threads).expect("a proof") == one));
    assert_eq!((one.mirrored, one.replies > one.entries), (0, true));
}

#[test]
fn a_stop_is_heard() {
    let file = Prover::new("antichain:4").prove(15, false);
    let interrupt = Interrupt::new();
    interrupt.request();
    let stopped = check(&file[..], &CheckOptions { threads: 2, interrupt: &interrupt, progress: &|_| {} });
    assert!(matches!(stopped, Err(ProofError::Stopped)), "{stopped:?}");
}

#[test]
fn positions_of_many_words_are_proved() {
    // An antichain of 200 elements is lost: what one player takes, the other answers with one more.
    let poset: crate::poset::Poset = "antichain:200".parse().expect("a poset");
    let claim = super::Claim { position: (0..200).collect(), verdict: super::Verdict::Lost };
    let write = |mirrored: bool| {
        let mut proof =
            super::ProofWriter::new(Vec::new(), &poset, &claim, if mirrored { 1 } else { 100 }).expect("memory");
        for len in if mirrored { vec![200] } else { (2..=200).step_by(2).collect() } {
            let others: Vec<u8> = (0..200u8).map(|x| x ^ 1).collect();
            let step = if mirrored { super::Step::Mirrored(&others) } else { super::Step::Answered(&others[..len]) };
            proof.write(&crate::ideal::Ideal::<4>::first(len), step).expect("sorted");
        }
        proof.finish().expect("all entries").0
    };
    assert_eq!(checked(&write(false), 2).map(|report| report.replies).ok(), Some((2..=200).step_by(2).sum()));
    assert_eq!(checked(&write(true), 2).map(|report| report.mirrored).ok(), Some(1));
}
