//! What a proof file says, and how its parts are spelt.
//!
//! The file is text, so that a checker can be written in any language: a few lines of header, a line for each lost
//! position, and a last line with their number and a digest of all that stands before it.

use std::cmp::Ordering;

use crate::ideal::{Element, Ideal};

/// The word that a proof begins with; a space and the version follow.
pub const MAGIC: &str = "antichain-proof";

/// The version of the format.
pub const VERSION: u32 = 1;

/// No line has more bytes, its line feed included: the longest ones, of an antichain of 256 elements, have some 900.
pub const MAX_LINE: usize = 4096;

/// What stands before the images of a mirrored position, in place of replies.
pub const MIRROR: u8 = b'~';

/// What a proof says of its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The members of the position, ascending.
    pub position: Vec<Element>,
    /// Who wins it.
    pub verdict: Verdict,
}

/// Who wins, seen from the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The player to move wins, outcome N, by taking this element.
    Won {
        /// The element.
        by: Element,
    },
    /// The player to move loses, outcome P.
    Lost,
}

impl Verdict {
    /// The outcome as it is written: `N` if the next player wins, `P` if the previous one does.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Won { .. } => "N",
            Self::Lost => "P",
        }
    }
}

/// Why a position is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A reply to every move, by the element taken, in the order of the moves: ascending members, the least element of
    /// the poset left out.
    Answered(&'a [u8]),
    /// The automorphism of order two that fixes a smaller position: in a product of chains the images of its factors, so
    /// of the points of a Boolean lattice, in an antichain the images of its elements.
    Mirrored(&'a [u8]),
}

/// The order of entries in a file: by number of members, then as binary numbers. So what an entry rests on comes before it.
pub fn entry_order<const W: usize>(a: &Ideal<W>, b: &Ideal<W>) -> Ordering {
    a.len().cmp(&b.len()).then(a.cmp(b))
}

/// Appends bytes as two hexadecimal digits each.
pub fn push_hex(line: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        line.extend([digit(byte >> 4), digit(byte & 15)]);
    }
}

/// Appends a set as a hexadecimal number without leading zeros.
pub fn push_set<const W: usize>(line: &mut Vec<u8>, set: &Ideal<W>) {
    let first = set.last() / 4;
    line.extend((0..=first).rev().map(|place| digit((set.0[place / 16] >> (4 * (place % 16)) & 15) as u8)));
}

fn digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value)]
}

/// The bytes that pairs of hexadecimal digits spell, appended; false where that is not what is there.
pub fn read_hex(text: &[u8], bytes: &mut Vec<u8>) -> bool {
    let (pairs, rest) = text.as_chunks::<2>();
    let before = bytes.len();
    bytes.extend(pairs.iter().map_while(|&[high, low]| Some(value(high)? << 4 | value(low)?)));
    rest.is_empty() && bytes.len() - before == pairs.len()
}

/// The set that a hexadecimal number spells; `None` where it is none, has leading zeros, or does not fit.
pub fn read_set<const W: usize>(text: &[u8]) -> Option<Ideal<W>> {
    if text.is_empty() || text.len() > 16 * W || text.len() > 1 && text[0] == b'0' {
        return None;
    }
    let mut set = Ideal::empty();
    for (place, &digit) in text.iter().rev().enumerate() {
        set.0[place / 16] |= u64::from(value(digit)?) << (4 * (place % 16));
    }
    Some(set)
}

/// The value of a lower-case hexadecimal digit: numbers have one spelling.
fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_one_spelling() {
        let spelt = |set: Ideal<2>| {
            let mut line = Vec::new();
            push_set(&mut line, &set);
            String::from_utf8(line).expect("ASCII")
        };
        for (set, text) in [
            (Ideal([0, 0]), "0"),
            (Ideal([0xf3, 0]), "f3"),
            (Ideal([1, 1]), "10000000000000001"),
            (Ideal([u64::MAX, u64::MAX]), "ffffffffffffffffffffffffffffffff"),
        ] {
            assert_eq!(spelt(set), text);
            assert_eq!(read_set(text.as_bytes()), Some(set));
        }
        for text in ["", "00", "0f", "F", "g", "-1", "1 ", "100000000000000000000000000000000"] {
            assert_eq!(read_set::<2>(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_two_digits_each() {
        let mut line = Vec::new();
        push_hex(&mut line, &[0, 10, 255]);
        assert_eq!(line, b"000aff");
        let read = |text: &str| {
            let mut bytes = Vec::new();
            read_hex(text.as_bytes(), &mut bytes).then_some(bytes)
        };
        assert_eq!(read("000aff"), Some(vec![0, 10, 255]));
        assert_eq!(read(""), Some(Vec::new()));
        assert!(["0", "0A", "000", "0x", " 00"].into_iter().all(|text| read(text).is_none()));
    }

    #[test]
    fn fewer_members_come_first() {
        let order = |a, b| entry_order::<1>(&Ideal([a]), &Ideal([b]));
        assert_eq!(order(8, 3), Ordering::Less);
        assert_eq!(order(5, 6), Ordering::Less);
        assert_eq!(order(6, 6), Ordering::Equal);
    }
}
