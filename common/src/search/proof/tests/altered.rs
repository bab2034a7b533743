//! Proofs that somebody or something has altered: refused, or still right.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::prover::Prover;
use super::{checked, sealed};
use crate::oracle::Mask;
use crate::poset::parse_position;

static PROVERS: LazyLock<Vec<Prover>> = LazyLock::new(|| {
    ["boolean:4", "boolean:5:2", "chains:3x3x2", "antichain:5", "divisors:60"].map(Prover::new).into_iter().collect()
});

/// Some prover and a proof of it.
fn proofs() -> impl Strategy<Value = (usize, Vec<u8>)> {
    (0..PROVERS.len(), any::<prop::sample::Index>(), any::<bool>()).prop_map(|(which, index, with_mirrors)| {
        let positions: Vec<Mask> = PROVERS[which].positions().collect();
        (which, PROVERS[which].prove(positions[index.index(positions.len())], with_mirrors))
    })
}

/// Whether what is accepted is true.
fn is_true_if_accepted(prover: &Prover, file: &[u8]) -> bool {
    checked(file, 1).is_ok_and(|report| {
        let members = parse_position(&prover.poset, &report.position).expect("a position").members;
        let position = members.iter().fold(0, |set, x| set | 1 << x);
        report.poset != prover.poset.name() || prover.is_lost(position) == (report.outcome == "P")
    }) || checked(file, 1).is_err()
}

/// The lines before the last one.
fn lines(file: &[u8]) -> String {
    let text = String::from_utf8(file.to_vec()).expect("UTF-8");
    text[..text.rfind("end").expect("a last line")].to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_byte_that_is_altered_is_noticed((_, mut file) in proofs(), at in any::<prop::sample::Index>(), bits in 1..=255u8) {
        let at = at.index(file.len());
        file[at] ^= bits;
        prop_assert!(checked(&file, 2).is_err());
    }

    #[test]
    fn a_byte_that_is_lost_or_added_is_noticed((_, file) in proofs(), at in any::<prop::sample::Index>(), byte: u8) {
        let at = at.index(file.len());
        let (mut shorter, mut longer) = (file.clone(), file);
        shorter.remove(at);
        longer.insert(at, byte);
        prop_assert!(checked(&shorter, 1).is_err());
        prop_assert!(checked(&longer, 1).is_err());
    }

    #[test]
    fn what_is_altered_and_sealed_again_is_refused_or_true(
        (which, file) in proofs(),
        at in any::<prop::sample::Index>(),
        digit in prop::sample::select(b"0123456789abcdef~NP \n".to_vec()),
    ) {
        let mut text = lines(&file).into_bytes();
        let at = at.index(text.len());
        text[at] = digit;
        prop_assert!(is_true_if_accepted(&PROVERS[which], &sealed(&String::from_utf8(text).expect("UTF-8"))));
    }

    #[test]
    fn a_line_that_is_missing_or_doubled_is_refused_or_not_needed(
        (which, file) in proofs(),
        at in any::<prop::sample::Index>(),
        doubled: bool,
    ) {
        let text = lines(&file);
        let mut all: Vec<&str> = text.lines().collect();
        let at = at.index(all.len());
        if doubled { all.insert(at, all[at]) } else { all.remove(at); }
        let altered: String = all.iter().map(|line| format!("{line}\n")).collect();
        let file = sealed(&altered);
        prop_assert!(checked(&file, 1).is_err());
        prop_assert!(is_true_if_accepted(&PROVERS[which], &file));
    }

    #[test]
    fn the_opposite_is_not_proved((which, file) in proofs(), by in 0..30usize) {
        let text = lines(&file);
        let poset = &PROVERS[which].poset;
        let opposite = if text.contains("\noutcome P\n") {
            let by = poset.label(by % poset.len());
            text.replace("\noutcome P\n", &format!("\noutcome N\nmove {by}\n"))
        } else {
            let start = text.find("\nmove ").expect("a winning move");
            let end = start + 1 + text[start + 1..].find('\n').expect("the end of its line");
            text[..start].replace("outcome N", "outcome P") + &text[end..]
        };
        prop_assert!(checked(&sealed(&opposite), 1).is_err_and(|error| error.is_refusal()));
    }

    #[test]
    fn no_bytes_are_too_much_for_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), head in 0..7usize) {
        // After the beginning of a proof come bytes of any kind.
        let whole = PROVERS[0].prove(0xffff, true);
        let start: Vec<u8> = whole.split_inclusive(|&byte| byte == b'\n').take(head).flatten().copied().collect();
        prop_assert!(checked(&[start, bytes].concat(), 1).is_err());
    }
}
