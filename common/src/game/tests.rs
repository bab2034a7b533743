//! Published values of Subset Takeaway, and what theorems make of them. P_{n,k} is the game on the subsets of n points of
//! size at most k.

use std::sync::Arc;

use super::reductions::involution::delete_moved;
use super::*;
use crate::ideal::{Element, Ideal};
use crate::poset::{AutomorphismGroup, Poset, parse_position};
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;

/// A limit that no search of these tests reaches.
const MOST: usize = 100_000;

fn truncation(n: usize, k: usize) -> Poset {
    format!("boolean:{n}:{k}").parse().expect("a poset")
}

fn all(poset: &Poset) -> Vec<Element> {
    (0..poset.len()).collect()
}

/// The labels of elements, which name sets alike for any number of points.
fn labels(poset: &Poset, elements: impl IntoIterator<Item = Element>) -> Vec<String> {
    elements.into_iter().map(|x| poset.label(x)).collect()
}

fn element(poset: &Poset, label: &str) -> Element {
    (0..poset.len()).find(|&x| poset.label(x) == label).expect("an element")
}

/// Who wins P_{n,k}, by the plain search.
fn is_lost(n: usize, k: usize) -> bool {
    let poset = truncation(n, k);
    value::<Outcome>(&poset, &all(&poset), MOST) == Ok(0)
}

/// Grundy values of P_{n,k}, and after a first move of size 1, 2, ..., k, for n = 1, 2, ... and k = 0, 1, ..., n. From
/// the paper of Brouwer and Christensen, and found independently.
const TABLE: [&[(u8, &[u8])]; 5] = [
    &[(0, &[]), (1, &[0])],
    &[(0, &[]), (0, &[1]), (2, &[1, 0])],
    &[(0, &[]), (1, &[0]), (0, &[2, 1]), (3, &[2, 1, 0])],
    &[(0, &[]), (0, &[1]), (1, &[0, 2]), (0, &[3, 2, 4]), (1, &[3, 2, 4, 0])],
    &[(0, &[]), (1, &[0]), (2, &[1, 0]), (1, &[0, 3, 5]), (0, &[1, 3, 6, 7]), (2, &[1, 3, 6, 7, 0])],
];

#[test]
fn small_games_have_the_published_values() {
    for (n, row) in (1..).zip(TABLE) {
        for (k, (expected, after)) in row.iter().enumerate() {
            let poset = truncation(n, k);
            for solve in [value::<Grundy<1>>, reduced_value::<Grundy<1>>] {
                assert_eq!(solve(&poset, &all(&poset), MOST), Ok(*expected), "P_{n},{k}");
                let moves = move_classes(&poset, &all(&poset));
                let found: Vec<_> = moves.iter().map(|class| solve(&poset, &class.leads_to, MOST)).collect();
                assert_eq!(found, after.iter().map(|&value| Ok(value)).collect::<Vec<_>>(), "P_{n},{k}");
            }
        }
    }
}

#[test]
fn points_alone_are_won_if_they_are_odd_in_number() {
    for n in 1..=8 {
        let poset = truncation(n, 1);
        for solve in [value::<Grundy<1>>, reduced_value::<Grundy<1>>] {
            assert_eq!(solve(&poset, &all(&poset), MOST), Ok((n % 2) as u8));
        }
    }
}

#[test]
fn p_6_5_is_lost_by_either_search_and_every_rule() {
    let poset = truncation(6, 5);
    let everything = all(&poset);
    assert_eq!(value::<Outcome>(&poset, &everything, MOST), Ok(0));
    assert_eq!(value::<Grundy<1>>(&poset, &everything, MOST), Ok(0));
    assert_eq!(reduced_value::<Outcome>(&poset, &everything, MOST), Ok(0));
    assert_eq!(reduced_value::<Grundy<1>>(&poset, &everything, MOST), Ok(0));
}

#[test]
fn a_point_more_or_two_turn_a_lost_game_into_a_won_one() {
    let lost: Vec<_> = (1..=6).flat_map(|n| (0..=n).map(move |k| (n, k))).filter(|&(n, k)| is_lost(n, k)).collect();
    assert!(lost.contains(&(3, 2)) && lost.contains(&(4, 3)) && lost.contains(&(5, 4)) && lost.contains(&(6, 5)));
    for &(n, k) in &lost {
        assert!(k == 0 || n >= 6 || !lost.contains(&(n + 1, k)), "take the point: P_{n},{k}");
        assert!(k < 2 || n >= 5 || !lost.contains(&(n + 2, k)), "take the pair: P_{n},{k}");
    }
}

/// If P_{7,3} is lost, which takes longer to compute than a test may, then P_{8,3} is won: taking a point leaves it.
#[test]
fn taking_a_point_of_p_8_3_leaves_p_7_3() {
    let (larger, smaller) = (truncation(8, 3), truncation(7, 3));
    let left = Chomp::<2>::new(&larger).take(Ideal::first(larger.len()), element(&larger, "7"));
    assert_eq!(labels(&larger, left.iter()), labels(&smaller, all(&smaller)));
}

/// P_{6,5} is lost, so P_{8,5} is won by a pair of points: their exchange is then an involution that fixes P_{6,5}.
#[test]
fn p_8_5_is_won_by_a_pair_of_points() {
    let (larger, smaller) = (truncation(8, 5), truncation(6, 5));
    let pair = element(&larger, "67");
    let left = Chomp::<4>::new(&larger).take(Ideal::first(larger.len()), pair);
    let AutomorphismGroup::Factors(group) = larger.group() else { panic!("a group of point permutations") };
    let images = group.act(&[0, 1, 2, 3, 4, 5, 7, 6]);
    let reduced = delete_moved(&larger, left, |x| usize::from(images[x])).expect("an involution");
    assert_eq!(labels(&larger, reduced.iter()), labels(&smaller, all(&smaller)));
    assert!(is_lost(6, 5));

    // The search finds the same.
    let mut solver = ReducingSolver::<4, Outcome>::new(&larger);
    assert_eq!(solver.value(left, MOST), Ok(0));
}

/// As P_{8,5}: the exchange of the two points reduces P_{8,3} without a pair to P_{6,3}, so that this pair loses where
/// P_{6,3} is won. (The same with seven points and two more says that P_{9,3} is won if P_{7,3} is lost.)
#[test]
fn taking_a_pair_of_p_8_3_leaves_the_value_of_p_6_3() {
    let (larger, smaller) = (truncation(8, 3), truncation(6, 3));
    let symmetry = Arc::new(crate::symmetry::Canonicaliser::<2>::new(&larger, crate::symmetry::Isa::detect()));
    let left = Chomp::<2>::new(&larger).take(Ideal::first(larger.len()), element(&larger, "67"));
    let involutions = reductions::involution::Involutions::new(&larger, &symmetry);
    let reduced = involutions.reduce(&symmetry.canonical(left)).expect("an involution");
    let members = parse_position(&larger, &complete(6, 3)).expect("a position").members;
    let expected = members.iter().fold(Ideal::empty(), |set: Ideal<2>, &x| set.with(x));
    assert_eq!(symmetry.canonical(reduced).ideal, symmetry.canonical(expected).ideal);
    assert_eq!(members.len(), smaller.len());
}

/// The sets of size k of n points, as a text.
fn complete(n: usize, k: usize) -> String {
    let poset = truncation(n, k);
    labels(&poset, (0..poset.len()).filter(|&x| poset.rank(x) == k)).join(" ")
}
