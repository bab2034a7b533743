use std::collections::BTreeSet;

use super::*;
use crate::game::nimber::mex;
use crate::known;
use crate::poset::covers::{Coordinates, CoverPoset, Hasse};

/// Posets of every family, small enough to take the definition at its word.
const SMALL: [&str; 26] = [
    "chain:1",
    "chain:40",
    "chains:3x3x2",
    "chains:5x4",
    "boolean:0",
    "boolean:5",
    "boolean:6:3",
    "divisors:1",
    "divisors:12",
    "divisors:360",
    "divisors:1260",
    "antichain:4",
    "asm:2",
    "asm:3",
    "asm:6",
    "asm:9",
    "partitions:1",
    "partitions:3",
    "partitions:4",
    "partitions:6",
    "subspaces:0:2",
    "subspaces:4:2",
    "subspaces:3:3",
    "subspaces:3:4",
    "subspaces:2:9",
    "subspaces:3:5",
];

fn poset(text: &str) -> CoverPoset {
    text.parse().expect("a poset")
}

fn element(poset: &CoverPoset, word: &str) -> Coordinates {
    poset.relation().read(word).expect("an element")
}

#[test]
fn theorems_give_what_the_definition_does() {
    for text in SMALL {
        let poset = poset(text);
        let diagram = Hasse::of(poset.relation(), 1000).expect("small");
        for game in TurningGame::ALL {
            let function = GrundyFunction::new(game, &poset);
            let by_theorem: Vec<u64> = diagram.elements().iter().map(|x| function.of(x)).collect();
            assert_eq!(by_theorem, definition::values(game, &diagram), "{game} {text}");
            if let Some(by_rank) = function.by_rank() {
                let by_rank: Vec<u64> = (0..by_theorem.len()).map(|x| by_rank(diagram.rank(x))).collect();
                assert_eq!(by_theorem, by_rank, "{game} {text}");
            }
        }
    }
}

#[test]
fn values_of_positions_are_those_of_play() {
    for text in ["chain:4", "boolean:2", "asm:3", "partitions:3", "divisors:12", "chains:3x2"] {
        let poset = poset(text);
        let diagram = Hasse::of(poset.relation(), 10).expect("small");
        let elements = diagram.elements();
        for game in TurningGame::ALL {
            // A move takes its greatest coin away and changes smaller ones only, so that codes get smaller.
            let mut values = vec![0];
            for code in 0usize..1 << elements.len() {
                let heads: Vec<Coordinates> =
                    (0..elements.len()).filter(|x| code >> x & 1 == 1).map(|x| elements[x].clone()).collect();
                let position = CoinPosition::new(game, &poset, heads);
                let mut options = Vec::new();
                for head in position.heads() {
                    let below = position.below(head, 10).expect("small");
                    for coin_move in position.moves(&below) {
                        let after = position.after(&position.turned(&coin_move, &below));
                        let place = |x: &Coordinates| diagram.place(x).expect("an element");
                        let option = after.iter().map(|x| 1 << place(x)).sum::<usize>();
                        assert_eq!(coin_move.value, values[option], "{game} {text}");
                        options.push(values[option]);
                    }
                }
                values.truncate(code);
                values.push(mex(options));
                assert_eq!(values[code], position.value(), "{game} {text} {code:b}");
            }
        }
    }
}

#[test]
fn known_values_of_the_ruler() {
    for (number, expected) in [(12, 2), (30, 1), (36, 1), (60, 3), (64, 1), (72, 4)] {
        let poset = poset(&format!("divisors:{number}"));
        assert_eq!(GrundyFunction::new(TurningGame::Ruler, &poset).of(&poset.relation().maximal()[0]), expected);
    }
    let asm = poset("asm:16");
    assert_eq!(GrundyFunction::new(TurningGame::Ruler, &asm).rows(), Some(known::asm_ruler()));
    let long = poset("chain:4294967295");
    let function = GrundyFunction::new(TurningGame::Ruler, &long);
    assert_eq!(function.of(&element(&long, "2147483648")), 1 << 31);
}

#[test]
fn winning_moves_of_the_ruler_on_divisors() {
    let poset = poset("divisors:12");
    let heads: Vec<Coordinates> = ["12", "3"].map(|word| element(&poset, word)).to_vec();
    let position = CoinPosition::new(TurningGame::Ruler, &poset, heads);
    assert_eq!(position.value(), 0);
    let twelve = element(&poset, "12");
    let alone = CoinPosition::new(TurningGame::Ruler, &poset, vec![twelve.clone()]);
    let moves = alone.moves(&alone.below(&twelve, 10).expect("small"));
    let winning: BTreeSet<String> = (moves.iter())
        .filter(|coin_move| coin_move.value == 0)
        .map(|coin_move| poset.relation().label(coin_move.other.as_ref().unwrap_or(&coin_move.greatest)))
        .collect();
    // 12 alone, and [2, 12]: the values of 2, 4 and 6 are 2, 1 and 3.
    assert_eq!(winning, BTreeSet::from(["12".to_owned(), "2".to_owned()]));
}

#[test]
fn values_beyond_the_definition_are_the_mex_of_their_moves() {
    for (text, words) in [
        ("asm:42", &["0,0,0", "0,0,9", "0,0,20", "5,7,11"][..]),
        ("partitions:8", &["12345678", "123456|78"]),
        ("chains:9x8x7", &["9.8.7", "8.8.4"]),
        ("subspaces:4:3", &["1000/0100/0010/0001"]),
    ] {
        let poset = poset(text);
        for word in words {
            let position = CoinPosition::new(TurningGame::Ruler, &poset, vec![element(&poset, word)]);
            let below = position.below(&element(&poset, word), 10_000).expect("not too many");
            let options = position.moves(&below).into_iter().map(|coin_move| coin_move.value);
            assert_eq!(mex(options), position.value(), "{text} {word}");
        }
    }
}
