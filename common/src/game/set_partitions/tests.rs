use std::collections::HashMap;

use super::*;
use crate::game::nimber::{mex, product};
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

/// The sum over all set partitions above one of a type, by the block that holds its largest part b: that is joined with some of the
/// other blocks, of which those of one size are told apart, so that a choice occurs as often as a product of binomial
/// coefficients says. Nothing here knows that equal blocks can be exchanged.
struct ByBlocks {
    heights: Vec<u32>,
    /// E of the types of less than n.
    sums: HashMap<Vec<usize>, u32>,
}

impl ByBlocks {
    /// The sum for the blocks `block` and `apart`, and `rest`, groups of equal parts, divided among them in every way.
    fn divided(&self, block: usize, apart: &mut Vec<usize>, rest: &[&[usize]]) -> u32 {
        let Some((group, rest)) = rest.split_first() else {
            let Some(height) = self.heights.get(block - 1) else { return 0 };
            return product((*height).into(), self.sums[apart].into()) as u32;
        };
        let before = apart.len();
        let mut sum = 0;
        for joined in 0..=group.len() {
            // A binomial coefficient is odd if no digit of the lower number is missing in the upper one (Lucas).
            if joined & !group.len() == 0 {
                apart.extend(&group[joined..]);
                sum ^= self.divided(block + group[..joined].iter().sum::<usize>(), apart, rest);
                apart.truncate(before);
            }
        }
        sum
    }

    /// Finds h(n) for the next n.
    fn next(&mut self) {
        let value = |mu: &Vec<usize>| {
            let rest: Vec<&[usize]> = mu[1..].chunk_by(PartialEq::eq).collect();
            self.divided(mu[0], &mut Vec::new(), &rest)
        };
        let types = types(self.heights.len() + 1);
        let values: Vec<u32> = types.iter().map(value).collect();
        let height = mex(values.iter().map(|&value| value.into())) as u32;
        self.heights.push(height);
        self.sums.extend(types.into_iter().zip(values.into_iter().map(|value| value ^ height)));
    }
}

#[test]
fn values_follow_from_blocks_alone() {
    const N: usize = 36;
    let mut by_blocks = ByBlocks { heights: Vec::new(), sums: HashMap::from([(Vec::new(), 1)]) };
    (0..N).for_each(|_| by_blocks.next());
    assert_eq!(by_blocks.heights, super::heights(N));
}
