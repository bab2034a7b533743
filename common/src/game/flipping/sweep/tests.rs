//! Sweeps against the definition, their limits, and how they are stopped.

use super::*;
use crate::game::flipping::{Definition, NotANumber};

fn rules(left: &str, right: &str, contiguous: bool) -> Rules {
    let patterns = |texts: &str| texts.split(',').map(|text| text.parse().expect("a pattern")).collect();
    Rules::new(patterns(left), patterns(right), contiguous)
}

fn run(rules: &Rules, coins: u32, memory: u64) -> Result<SweepReport, SweepError> {
    let interrupt = Interrupt::new();
    sweep(rules, coins, &SweepOptions { threads: 2, memory, interrupt: &interrupt, progress: &|_| {} })
}

#[test]
fn the_theorems_hold() {
    let report = SweepReport { positions: 1 << 14, all_numbers: true, theorem_holds: Some(true), exception: None };
    assert_eq!(run(&Rules::original(), 14, 1 << 20), Ok(report));
    for coins in [1, 2, 3] {
        assert_eq!(run(&Rules::original(), coins, 1 << 20).map(|report| report.positions), Ok(1 << coins));
    }
}

#[test]
fn other_rules_end_where_the_definition_does() {
    let mut exceptions = 0;
    for (left, right) in
        [("11", "01"), ("111", "001"), ("1111", "0001"), ("11", "001"), ("1", "11"), ("11,111", "01,1")]
    {
        for contiguous in [false, true] {
            let rules = rules(left, right, contiguous);
            let mut game = Definition::new(rules.clone());
            let first = (0..1 << 11).find_map(|code| game.value(code).err());
            let report = variant::sweep(&rules, 11, &options_of_one_thread()).expect("swept");
            assert_eq!(report.all_numbers, first.is_none(), "{rules}");
            assert_eq!(report.positions, first.as_ref().map_or(1 << 11, |first| u64::from(first.code) + 1), "{rules}");
            let found = report.exception.map(|exception| (exception.line, exception.left, exception.right));
            let expected =
                first.map(|NotANumber { code, left, right }| (Line::from_code(code.into()), Some(left), Some(right)));
            assert_eq!(found, expected, "{rules}");
            exceptions += usize::from(expected.is_some());
        }
    }
    assert!((1..12).contains(&exceptions), "both kinds of rules are among these: {exceptions}");
}

/// The first exception if Left flips `ones` 1s, and Right `zeros` 0s and a 1 after them.
fn first_exception(ones: usize, zeros: usize, coins: u32) -> Option<(String, String)> {
    let rules = rules(&"1".repeat(ones), &format!("{}1", "0".repeat(zeros)), false);
    let exception = run(&rules, coins, 1 << 24).expect("swept").exception?;
    Some((exception.line.to_string(), exception.value()))
}

#[test]
fn with_one_0_less_than_1s_an_odd_number_of_them_gives_other_values_than_numbers() {
    for ones in [3, 5] {
        let zeros = "0".repeat(ones - 1);
        let line = format!("{zeros}{}1", format!("11{zeros}").repeat(ones / 2));
        assert_eq!(first_exception(ones, ones - 1, 17), Some((line, "*".to_owned())));
    }
    for ones in [2, 4, 6] {
        assert_eq!(first_exception(ones, ones - 1, 15), None, "{ones}");
    }
}

#[test]
fn which_numbers_of_1s_and_0s_give_numbers() {
    for (ones, zeros) in
        (2..=4).flat_map(|ones| (1..=4).map(move |zeros| (ones, zeros))).chain([(5, 2), (5, 3), (6, 2), (6, 3)])
    {
        // A round of one move each takes so many 1s away, more than none. From as many as Left needs they must get to 0.
        let numbers = match (ones + 1usize).checked_sub(zeros) {
            None | Some(0) => true,
            Some(fewer) => ones.is_multiple_of(fewer),
        };
        assert_eq!(first_exception(ones, zeros, 12).is_none(), numbers, "{ones} {zeros}");
    }
}

/// For what is not to be stopped.
fn options_of_one_thread() -> SweepOptions<'static> {
    static INTERRUPT: Interrupt = Interrupt::new();
    SweepOptions { threads: 1, memory: 1 << 26, interrupt: &INTERRUPT, progress: &|_| {} }
}

#[test]
fn values_that_do_not_fit_a_narrow_table_are_kept_in_a_wide_one() {
    // Right counts down to 0, and Left never moves: the value is the code, which for 17 coins takes more than 16 bits.
    let right: Vec<String> = (0..17).map(|zeros| format!("{}1", "0".repeat(zeros))).collect();
    let rules = rules(&"1".repeat(18), &right.join(","), true);
    let mut game = Definition::new(rules.clone());
    assert_eq!(game.value(1 << 16), Ok(Dyadic::from(-(1 << 16))));
    let narrow = 8 << 17;
    let refused = run(&rules, 17, narrow);
    assert_eq!(refused, Err(SweepError::Memory { coins: 17, needed: 2 * narrow, budget: narrow }));
    assert_eq!(run(&rules, 17, 2 * narrow).map(|report| report.all_numbers), Ok(true));
}

#[test]
fn lengths_and_memory_have_limits() {
    for coins in [0, MAX_SWEEP + 1, u32::MAX] {
        assert_eq!(run(&Rules::original(), coins, u64::MAX), Err(SweepError::Length(coins)));
    }
    let budget = table_bytes(10);
    assert!(run(&Rules::original(), 10, budget).is_ok());
    let refused = Err(SweepError::Memory { coins: 11, needed: 2 * budget, budget });
    assert_eq!(run(&Rules::original(), 11, budget), refused);
    assert_eq!(run(&rules("111", "001", false), 11, budget), refused);
}

#[test]
fn a_sweep_stops_when_asked_and_tells_how_far_it_is() {
    let others = rules("1", "01", false);
    for (rules, stage) in
        [(Rules::original(), Stage::Tabulate), (Rules::original(), Stage::Check), (others, Stage::Check)]
    {
        for threads in [1, 2] {
            let interrupt = Interrupt::new();
            let progress = |progress: SweepProgress| {
                assert!(progress.done <= progress.total && progress.total == 1 << 16);
                if progress.stage == stage {
                    interrupt.request();
                }
            };
            let options = SweepOptions { threads, memory: 1 << 30, interrupt: &interrupt, progress: &progress };
            assert_eq!(sweep(&rules, 16, &options), Err(SweepError::Stopped(Stopped)));
        }
    }
}

#[test]
fn exceptions_are_written_in_canonical_form() {
    let exception = |left: i64, right: i64| Exception {
        line: Line::from_code(0b110),
        left: Some(left.into()),
        right: Some(right.into()),
        kind: ExceptionKind::NotANumber,
    };
    assert_eq!(exception(2, 1).to_string(), "011 is {2 | 1}");
    assert_eq!(exception(2, 2).to_string(), "011 is 2 + *");
    assert_eq!(exception(0, 0).to_string(), "011 is *");
    let algorithm = Dyadic::from(7);
    let wrong = Exception { kind: ExceptionKind::Value { algorithm }, right: None, ..exception(2, 1) };
    assert_eq!(wrong.to_string(), "011 is 3, and the algorithm gives 7");
    let wrong = Exception { kind: ExceptionKind::BestMove(Player::Left), ..exception(0, 1) };
    assert_eq!(wrong.to_string(), "011 is 1/2, and Left has a better move than Theorem 4.2 says");
}
