//! The game on all sets of at most k of n points, P_{n,k}: its value, and those after each first move.

use num_bigint::BigUint;

use super::{JobError, QueryTables, Question, moves, query_with};
use crate::ideal::Element;
use crate::poset::{Family, Poset, format_position};
use crate::store::Store;

/// P_{n,k}.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Number of points n.
    pub points: usize,
    /// Points of the largest sets, k.
    pub largest: usize,
    /// Its value.
    pub value: BigUint,
    /// The values after a first move of 1, 2, ..., k points.
    pub first_moves: Vec<BigUint>,
}

/// All P_{n,k} that are positions of a Boolean lattice, or of its sets of few points; nothing for other posets.
///
/// # Errors
/// As [`query`](super::query()).
pub fn truncations(
    store: Option<&Store>,
    question: Question,
    poset: &Poset,
    memory: u64,
) -> Result<Vec<Truncation>, JobError> {
    let Family::Boolean { points, max_size } = *poset.spec().family() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let mut tables = QueryTables::default();
    for n in 0..=points {
        for k in 0..=n.min(max_size) {
            // The label of a set is as long as the set, but for that of the empty set.
            let size = |x: Element| poset.rank(x);
            let within = |x: Element| poset.label(x).bytes().all(|point| point < b'0' + n as u8);
            let members: Vec<Element> =
                (0..poset.len()).filter(|&x| size(x) <= k && (size(x) == 0 || within(x))).collect();
            let text = format_position(poset, &members);
            let value = query_with(&mut tables, store, question, poset, (&[(text, members.clone())], false), memory)?;
            let moves = moves(&mut tables, store, Some(question), poset, &members, memory)?.moves;
            found.push(Truncation {
                points: n,
                largest: k,
                value: value.into_iter().next().map(|value| value.value).unwrap_or_default(),
                first_moves: moves.into_iter().map(|one| one.value).collect(),
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_five_points_is_the_published_one() {
        let poset: Poset = "boolean:5".parse().expect("a poset");
        let table = truncations(None, Question::Grundy, &poset, 1 << 30).expect("small");
        let row = |n, k| {
            let row = table.iter().find(|row| (row.points, row.largest) == (n, k)).expect("there");
            let numbers = |value: &BigUint| u8::try_from(value).expect("small");
            (numbers(&row.value), row.first_moves.iter().map(numbers).collect::<Vec<_>>())
        };
        assert_eq!(table.len(), 21);
        assert_eq!(row(5, 0), (0, vec![]));
        assert_eq!(row(5, 2), (2, vec![1, 0]));
        assert_eq!(row(5, 4), (0, vec![1, 3, 6, 7]));
        assert_eq!(row(5, 5), (2, vec![1, 3, 6, 7, 0]));
        assert_eq!(row(4, 3), (0, vec![3, 2, 4]));
        assert_eq!(row(3, 3), (3, vec![2, 1, 0]));
        let few: Poset = "boolean:5:2".parse().expect("a poset");
        let few = truncations(None, Question::Grundy, &few, 1 << 30).expect("small");
        assert!(few.iter().all(|row| table.contains(row)) && few.len() == 15);
    }
}
