//! Every fault is found, and named.

use super::prover::Prover;
use super::{checked, sealed};
use crate::search::proof::error::{Fault, ProofError};

/// A proof about the whole of a poset, with these entries, that claims it is won by taking `by`.
fn won(poset: &str, whole: &str, by: &str, entries: &[&str]) -> String {
    let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    let count = entries.len();
    format!("antichain-proof 1\nposet {poset}\nposition {whole}\noutcome N\nmove {by}\nentries {count}\n{lines}")
}

/// The fault of a proof that the subsets of two points are won, and its line.
#[track_caller]
fn fault(entries: &[&str]) -> (u64, String) {
    refused(&won("boolean:2", "01", "01", entries))
}

#[track_caller]
fn refused(lines: &str) -> (u64, String) {
    match checked(&sealed(lines), 2) {
        Err(error @ ProofError::Refused { line, .. }) => {
            assert!(error.is_refusal());
            (line, error.to_string().split_once(": ").expect("a line").1.to_owned())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_points() {
    for entry in ["7 0201", "7 ~0100"] {
        let report = checked(&sealed(&won("boolean:2", "01", "01", &[entry])), 1).expect("a proof");
        assert_eq!((report.outcome, report.entries, report.winning_move.as_deref()), ("N", 1, Some("01")));
    }
    // A position without a move is lost by definition.
    let nothing = "antichain-proof 1\nposet boolean:2\nposition -\noutcome P\nentries 0\n";
    assert_eq!(checked(&sealed(nothing), 1).map(|report| report.entries).ok(), Some(0));
    assert!(checked(&sealed(&won("boolean:2", "0", "0", &[])), 1).is_ok());
}

#[test]
fn replies_that_are_none() {
    let of = |entry: &str| fault(&[entry]);
    let none = "is not shown to be lost: the reply";
    assert_eq!(of("7 0202"), (7, format!("`0 1` {none} 1 to the move 1 is no move, since it is not there any more")));
    assert_eq!(
        of("7 0200"),
        (7, format!("`0 1` {none} - to the move 1 is no move, since the least element cannot be taken"))
    );
    assert_eq!(
        of("7 ff01"),
        (7, format!("`0 1` {none} number 255 to the move 0 is no move, since the poset has no such element"))
    );
    assert_eq!(of("7 02"), (7, "`0 1` has 2 moves, but the number of replies listed is 1".to_owned()));
    assert_eq!(of("7 020101"), (7, "`0 1` has 2 moves, but the number of replies listed is 3".to_owned()));
}

#[test]
fn a_reply_that_leads_nowhere() {
    let (line, text) = fault(&["7 0201", "f 020101"]);
    assert_eq!(line, 8);
    assert_eq!(
        text,
        "`01` is not shown to be lost: the move 01 and the reply 0 leave `1`, which is not listed as lost"
    );
    // What comes later cannot be rested on.
    let (line, text) =
        refused(&won("antichain:4", "1 2 3 4", "1", &["f 01000302", "0"]).replace("0\nentries", "entries"));
    assert_eq!(
        (line, text.starts_with("`1 2 3 4` is not shown to be lost: the move 1 and the reply 2 leave `3 4`")),
        (7, true)
    );
}

#[test]
fn entries_that_are_no_positions() {
    assert_eq!(fault(&["d 0203"]).1, "`01` is listed, but is no position: it has 01 without 0, which is below it");
    assert_eq!(fault(&["1 01"]).1, "`-` is listed, but has no move: it is lost by definition");
    let twice =
        "is listed a second time, or out of order: entries are sorted by number of members, then as binary numbers";
    assert_eq!(fault(&["7 0201", "7 ~0100"]), (8, format!("`0 1` {twice}")));
    assert_eq!(fault(&["7 0201", "3 01"]), (8, format!("`0` {twice}")));
}

#[test]
fn mirrors_that_are_none() {
    let of = |entry: &str| fault(&[entry]).1;
    for images in ["0000", "01", "0102", "010002"] {
        let text = of(&format!("7 ~{images}"));
        assert_eq!(text, "`0 1` is not shown to be lost: the images of its mirror are no automorphism of the poset");
    }
    assert_eq!(of("7 ~0001"), "`0 1` is not shown to be lost: its mirror moves no member");
    assert_eq!(of("3 ~0100"), "`0` is not mirrored to itself: 0 goes to 1, which is not in it");
    assert_eq!(of("f ~0100"), "`01` is not shown to be lost: its mirror fixes 01, but moves 1, which is below it");
    let three = |entry: &str| refused(&won("boolean:3", "0 1 2", "0", &[entry])).1;
    assert_eq!(three("f ~010200"), "`0 1 2` is not shown to be lost: its mirror, applied twice, moves 0");
    assert_eq!(
        three("f ~010002"),
        "`0 1 2` is not shown to be lost: its mirror fixes `2`, which is not listed as lost"
    );
}

#[test]
fn claims_that_do_not_follow() {
    let root = "is the position that the proof is about, but";
    let (line, text) = fault(&[]);
    assert_eq!((line, text), (3, format!("`01` {root} the winning move 01 leaves `0 1`, which is not listed as lost")));
    assert_eq!(refused(&won("boolean:2", "0", "1", &[])).1, format!("`0` {root} the winning move 1 is no move in it"));
    assert_eq!(refused(&won("boolean:2", "0", "-", &[])).1, format!("`0` {root} the winning move - is no move in it"));
    let lost = "antichain-proof 1\nposet boolean:2\nposition 01\noutcome P\nentries 1\n7 0201\n";
    assert_eq!(refused(lost).1, format!("`01` {root} is not listed as lost"));
}

#[test]
fn the_first_fault_is_named() {
    // Many entries with equally many members, of which threads find different ones wrong first.
    let prover = Prover::new("boolean:5:3");
    let all = prover.positions().max().expect("positions");
    let text = String::from_utf8(prover.prove(all, false)).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let (head, entries) = lines[..lines.len() - 1].split_at(if prover.is_lost(all) { 5 } else { 6 });
    let wrong =
        entries.iter().enumerate().map(|(i, entry)| if i >= 5 { format!("{entry}00") } else { (*entry).to_owned() });
    let lines: String = head.iter().map(|&line| line.to_owned()).chain(wrong).map(|line| line + "\n").collect();
    for threads in [1, 2, 7] {
        let error = checked(&sealed(&lines), threads);
        let line = head.len() as u64 + 6;
        assert!(
            matches!(error, Err(ProofError::Refused { line: found, fault: Fault::Replies { .. }, .. }) if found == line)
        );
    }
}

#[test]
fn files_that_are_no_proofs() {
    let good = won("boolean:2", "01", "01", &["7 0201"]);
    let of = |file: &[u8]| {
        let error = checked(file, 1).expect_err("no proof");
        assert!(!error.is_refusal(), "{error}");
        error.to_string()
    };
    let no_proof = "this is no proof: the first line is not `antichain-proof 1`";
    for file in [
        &b""[..],
        b"\n",
        b"\x7fELF\x02\x01",
        b"antichain-proof 1",
        b"antichain-proof one\n",
        b"antichain-proof\n1\n",
        &[255; 9000],
    ] {
        assert_eq!(of(file), no_proof);
    }
    assert_eq!(of(b"antichain-proof 2\n"), "this is a proof of version 2; this program reads 1");
    assert_eq!(of(good.as_bytes()), "the proof is cut short: it ends in line 8, without the last line `end ...`");
    let whole = sealed(&good);
    // Cut anywhere, it is no proof, and nothing is believed of it.
    for len in 0..whole.len() {
        let text = of(&whole[..len]);
        assert!(text == no_proof || text.starts_with("the proof is cut short"), "{text}");
    }
    assert_eq!(of(&[&whole[..], b"\n"].concat()), "the file goes on after line 8, which ends the proof");
    let changed = |from: &str, to: &str| of(&sealed(&good.replace(from, to)));
    assert!(changed("boolean:2", "boolean:9").contains("9 points are too many"));
    assert!(changed("boolean:2", "lattice:2").contains("there is no family of posets `lattice`"));
    assert!(changed("position 01", "position 0x").contains("in `0x` is out of range"));
    assert!(changed("boolean:2", "boolean:2:2").starts_with("line 2 is not `poset ` and the poset in its normal form"));
    for position in ["01 0", "01,", " 01", "10"] {
        let text = changed("position 01", &format!("position {position}"));
        assert!(text.starts_with("line 3 is not `position ` and the maximal elements"), "{text}");
    }
    assert!(changed("poset ", "posset ").starts_with("line 2 is not `poset ` and the poset"));
    assert!(changed("outcome N", "outcome n").starts_with("line 4 is not `outcome N` or `outcome P`"));
    assert!(changed("move 01", "move 10").starts_with("line 5 is not `move ` and the winning move"));
    assert!(changed("entries 1", "entries -1").starts_with("line 6 is not `entries `"));
    assert!(changed("entries 1", "entries 99999999999999999999").starts_with("line 6 is not `entries `"));
    for entry in ["", "7", "7 ", "07 0201", "7 02 01", "7 0Z01", "7  0201", "G 0201", " 7 0201", "7\t0201", "7 0201\r"]
    {
        let text = changed("7 0201", entry);
        assert!(text.starts_with("line 7 is not an entry"), "{entry}: {text}");
    }
    assert!(changed("7 0201", "17 0201").starts_with("line 7 is not about a position"));
    assert_eq!(changed("7 0201", &"7".repeat(5000)), "line 7 has more than 4096 bytes");
    assert_eq!(changed("position 01", &"position ".repeat(600)), "line 3 has more than 4096 bytes");
    for end in [
        "end",
        "end 1",
        "end 1 00",
        "end one 00",
        &format!("end 1 {}", "0".repeat(63)),
        &format!("end 1 {}", "A".repeat(64)),
    ] {
        assert!(of(format!("{good}{end}\n").as_bytes()).starts_with("line 8 is not "), "{end}");
    }
}

#[test]
fn wrong_numbers_and_digests() {
    let good = won("boolean:2", "01", "01", &["7 0201"]);
    let of = |file: &[u8]| {
        let error = checked(file, 1).expect_err("no proof");
        assert!(error.is_refusal(), "{error}");
        error.to_string()
    };
    // What a header says costs nothing, however much it is.
    let many = good.replace("entries 1", "entries 18446744073709551615");
    assert_eq!(of(&sealed(&many)), "line 6 says that there are 18446744073709551615 entries, but 1 were read");
    let digest = blake3::hash(good.as_bytes());
    assert_eq!(
        of(format!("{good}end 2 {digest}\n").as_bytes()),
        "line 8 says that there are 2 entries, but 1 were read"
    );
    let damaged = format!("{good}end 1 {}\n", blake3::hash(b"something else"));
    assert!(of(damaged.as_bytes()).starts_with("the file is damaged"));
}
