//! The game by its definition, for tests: labelled ideals as bit masks, every option of every one of them.

use std::collections::BTreeMap;

use crate::oracle::{self, Mask};
use crate::poset::Poset;

/// Posets of several kinds with few ideals.
pub const POSETS: [&str; 7] =
    ["boolean:3", "boolean:4", "boolean:4:2", "chains:3x3x2", "divisors:60", "antichain:6", "chain:7"];

/// The game on a poset of at most 64 elements.
pub struct Game<'a> {
    poset: &'a Poset,
    /// For each element those at least as great.
    above: Vec<Mask>,
}

impl<'a> Game<'a> {
    /// The game on `poset`.
    pub fn new(poset: &'a Poset) -> Self {
        let elements = || 0..poset.len();
        let above = |x| elements().filter(|&y| oracle::at_most(poset, x, y)).fold(0, |above, y| above | 1 << y);
        Self { poset, above: elements().map(above).collect() }
    }

    /// What every move leaves, by the element taken.
    pub fn options(&self, position: Mask) -> Vec<Mask> {
        let takes_all = |x: usize| self.above[x].count_ones() as usize == self.poset.len();
        oracle::members(position).filter(|&x| !takes_all(x)).map(|x| position & !self.above[x]).collect()
    }

    /// A value for each ideal, made from those of its options.
    pub fn values(&self, value: impl Fn(&[u8]) -> u8) -> BTreeMap<Mask, u8> {
        let mut values = BTreeMap::new();
        // An option is a subset, hence a smaller number.
        for position in oracle::ideals(self.poset) {
            let options: Vec<u8> = self.options(position).iter().map(|option| values[option]).collect();
            values.insert(position, value(&options));
        }
        values
    }
}

/// The least number that is not among `options`.
pub fn mex(options: &[u8]) -> u8 {
    (0..=u8::MAX).find(|value| !options.contains(value)).expect("fewer than 256 options")
}

/// 1 if the player to move wins: some option is lost.
pub fn outcome(options: &[u8]) -> u8 {
    u8::from(options.contains(&0))
}

/// The number of moves if the winner hurries and the loser delays.
pub fn remoteness(options: &[u8]) -> u8 {
    let lost = options.iter().filter(|&option| option.is_multiple_of(2)).min();
    let longest = options.iter().max();
    lost.or(longest).map_or(0, |option| option + 1)
}
