//! `boolean:n` and `boolean:n:k`: the subsets of n points by inclusion, all or those of size at most k.

use super::error::{PosetFault, parse_number};
use super::position::PositionFault;
use super::spec::{Family, PosetSpec};
use super::{Poset, product};

/// With more points, a complete lattice has more than 256 elements; truncations keep to the same limit because their
/// groups, of order n!, are walked element by element.
pub(super) const MAX_POINTS: usize = 8;

/// The label of the empty set.
pub(super) const EMPTY_SET: &str = "-";

pub(super) fn parse(parameters: &str) -> Result<Family, PosetFault> {
    let (points, size) = match parameters.split_once(':') {
        Some((points, size)) => (points, Some(size)),
        None => (parameters, None),
    };
    if let Some((_, extra)) = size.and_then(|size| size.split_once(':')) {
        return Err(PosetFault::ExtraPart(extra.to_owned()));
    }
    let points = parse_number(points)?;
    let size = size.map_or(Ok(points), parse_number)?;
    if points > MAX_POINTS as u64 {
        return Err(PosetFault::TooManyPoints(points));
    }
    if size > points {
        return Err(PosetFault::SizeAbovePoints { size, points });
    }
    Ok(Family::Boolean { points: points as usize, max_size: size as usize })
}

pub(super) fn build(spec: PosetSpec, points: usize, max_size: usize) -> Poset {
    product::build(spec, &vec![2; points], max_size, label)
}

/// The sets of at most `max_size` of `points` points as bit masks, by number of element.
pub(super) fn masks(points: usize, max_size: usize) -> Vec<usize> {
    let mut masks: Vec<usize> = (0..1usize << points).filter(|mask| mask.count_ones() as usize <= max_size).collect();
    masks.sort_unstable_by_key(|mask| (mask.count_ones(), *mask));
    masks
}

/// The points of the set as digits, ascending.
fn label(levels: &[u8]) -> String {
    let points: String = (0..levels.len()).filter(|&i| levels[i] == 1).map(|i| i.to_string()).collect();
    if points.is_empty() { EMPTY_SET.to_owned() } else { points }
}

/// The label of the set that a word means, whose points may be in any order.
pub(super) fn normal_label(points: usize, word: &str) -> Result<String, PositionFault> {
    if word == EMPTY_SET {
        return Ok(word.to_owned());
    }
    let mut set: Vec<char> = word.chars().collect();
    set.sort_unstable();
    let in_range = |point: char| point.to_digit(10).is_some_and(|point| (point as usize) < points);
    if let Some(point) = word.chars().find(|&point| !in_range(point)) {
        return Err(PositionFault::PointOutOfRange { set: word.to_owned(), point, points });
    }
    match set.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PositionFault::RepeatedPoint { set: word.to_owned(), point: pair[0] }),
        None => Ok(set.into_iter().collect()),
    }
}
