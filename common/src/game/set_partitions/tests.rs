use super::*;
use crate::known;
use crate::watch::{Interrupt, Watch};

/// h(1), ..., h(n), each from a survey of so many parts.
fn heights(n: usize, parts: usize) -> Vec<u32> {
    let interrupt = Interrupt::new();
    let watch = Watch::new(&interrupt);
    let (mut heights, mut types) = (Heights::default(), DistinctTypes::new());
    for n in 1..=n {
        types.grow(&heights, parts.min(3), &watch).expect("not stopped");
        let mut seen = Seen::below(1 << 10);
        let mut visited = 0;
        for part in 0..parts {
            let range = shard_of_types(n, part, parts);
            let survey = Survey::of(&types, &heights, range, 1 << 10, &watch).expect("not stopped");
            seen.join(&survey.seen);
            visited += survey.types;
        }
        assert_eq!(visited, number_of_types(n), "all types of {n}, each once, in {parts} parts");
        heights.push(seen.least_missing().expect("below the bound") as u32);
    }
    heights.values().to_vec()
}

#[test]
fn values_are_the_known_ones_however_the_types_are_divided() {
    assert_eq!(heights(40, 1), known::SET_PARTITIONS_RULER);
    for parts in [2, 3, 7] {
        assert_eq!(heights(30, parts), known::SET_PARTITIONS_RULER[..30]);
    }
}

#[test]
fn the_first_values_are_those_of_the_papers_formula() {
    let expected: Vec<u64> = known::SET_PARTITIONS_RULER[..12].iter().map(|&h| h.into()).collect();
    assert_eq!(paper::heights(12), expected);
}
