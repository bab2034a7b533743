//! The table against the exact algorithm, and that a wrong entry does not pass.

use super::*;
use crate::game::flipping::Dyadic;
use crate::watch::Interrupt;

static INTERRUPT: Interrupt = Interrupt::new();

const COINS: u32 = 14;

fn options() -> SweepOptions<'static> {
    SweepOptions { threads: 2, memory: 1 << 30, interrupt: &INTERRUPT, progress: &|_| {} }
}

fn table() -> Table<i64> {
    let table = Table::new(COINS, places(COINS), 1 << 30).expect("room");
    tabulate(table, &options()).expect("a table")
}

#[test]
fn the_table_has_the_exact_values() {
    let table = table();
    for (code, value) in table.values.iter().enumerate() {
        let line = Line::from_code(code as u64);
        assert_eq!(value.dyadic(table.places), Some(line.value()), "{line}");
    }
}

#[test]
fn the_longest_lines_fit() {
    let places = places(super::super::MAX_SWEEP);
    let long = [1 << 30, 3 << 29, (1 << 31) - 1, 0x2aaa_aaaa, 0x5555_5555, 0x4000_0001, 0x6000_0001, 0x4800_0000];
    for code in long.into_iter().chain((0..500).map(|i| i * 4_294_967 % (1 << 31))) {
        let line = Line::from_code(u64::from(code));
        assert_eq!(by_algorithm(code, places).and_then(|value| value.dyadic(places)), Some(line.value()), "{line}");
    }
    assert_eq!(by_algorithm(3 << 29, places - 1), None, "2^-58 needs all places");
}

#[test]
fn best_moves_by_codes_are_those_of_lines() {
    for code in 0..1 << 10 {
        let line = Line::from_code(u64::from(code));
        let after = |player| line.best_move(player).and_then(|one| line.after(one).code());
        assert_eq!(best_left(code).map(u64::from), after(Player::Left), "{line}");
        assert_eq!(best_right(code).map(u64::from), after(Player::Right), "{line}");
    }
}

#[test]
fn the_first_wrong_entry_is_found() {
    let rules = Rules::original();
    for (code, place) in [(0, 3), (1, 0), (0b1100, 5), (9_999, 0), (12_345, 9), (16_383, 2)] {
        let mut table = table();
        let algorithm = table.values[code] + (1 << place);
        table.values[code] = algorithm;
        let found = check(&rules, &table, &options()).expect("checked").expect("an exception");
        assert_eq!(found.line, Line::from_code(code as u64));
        assert_eq!(found.value(), found.line.value().to_string());
        let algorithm = Dyadic::new(algorithm.into(), places(COINS).into());
        assert_eq!(found.kind, ExceptionKind::Value { algorithm });
    }
    assert_eq!(check(&rules, &table(), &options()), Ok(None));
}

#[test]
fn a_better_move_than_the_theorem_says_is_found() {
    // By other rules, of which one is not among the patterns, the named moves are not the best, or none at all.
    let mut table = table();
    table.values.fill(0);
    let patterns = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("a pattern")).collect();
    table.values[0b11] = 1 << table.places;
    let only_left = Rules::new(patterns(&["1111"]), patterns(&["0000001"]), false);
    let first = |rules: &Rules| check_one(rules, &table, 0b11);
    assert_eq!(first(&only_left).map(|exception| exception.kind), Some(ExceptionKind::Value { algorithm: 1.into() }));
    table.values[0b11] = 0;
    let found = check_one(&only_left, &table, 0b11);
    assert_eq!(found.map(|exception| exception.kind), Some(ExceptionKind::BestMove(Player::Left)));
    let found = check_one(&only_left, &table, 0b10);
    assert_eq!(found.map(|exception| exception.kind), Some(ExceptionKind::BestMove(Player::Right)));
}
