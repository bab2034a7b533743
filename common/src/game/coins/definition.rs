//! Values from the definition: the mex over all turning sets, element by element.

use std::borrow::Cow;

use super::TurningGame;
use crate::game::nimber::mex;
use crate::poset::covers::Hasse;

/// The values of all elements of a diagram, in its order.
pub fn values(game: TurningGame, diagram: &Hasse) -> Vec<u64> {
    let len = diagram.elements().len();
    let ideals: Vec<Vec<u32>> = (0..len).map(|x| diagram.principal_ideal(x)).collect();
    let mut values: Vec<u64> = Vec::with_capacity(len);
    for ideal in &ideals {
        let below = &ideal[..ideal.len() - 1];
        let sums = match game {
            TurningGame::TurningTurtles => below.iter().map(|&y| values[y as usize]).chain([0]).collect(),
            TurningGame::Twins => below.iter().map(|&y| values[y as usize]).collect(),
            TurningGame::OrderIdealGame => vec![below.iter().fold(0, |sum, &y| sum ^ values[y as usize])],
            TurningGame::Ruler => sums_of_intervals(ideal, |t| Cow::Borrowed(&ideals[t]), |t| values[t]),
        };
        values.push(mex(sums));
    }
    values
}

/// For each y of a principal ideal, given with its greatest element x as the last one: the sum of the values in [y, x], but
/// that of x.
pub(super) fn sums_of_intervals<'a>(
    ideal: &[u32],
    ideal_of: impl Fn(usize) -> Cow<'a, Vec<u32>>,
    value: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let mut sums = vec![0; ideal.len()];
    for &t in &ideal[..ideal.len() - 1] {
        let value = value(t as usize);
        let mut at = 0;
        for y in ideal_of(t as usize).iter() {
            // Both are ascending, and all of this one is in the other.
            at += ideal[at..].partition_point(|other| other < y);
            sums[at] ^= value;
        }
    }
    sums
}
