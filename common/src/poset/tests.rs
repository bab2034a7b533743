//! The order, the groups and the dualities against their definitions.

use num_bigint::BigUint;

use super::*;
use crate::oracle;

fn poset(text: &str) -> Poset {
    text.parse().expect("a poset")
}

/// Posets of every family, small enough for the definitions.
const SMALL: [&str; 28] = [
    "boolean:0",
    "boolean:1",
    "boolean:3",
    "boolean:4",
    "boolean:5",
    "boolean:2:1",
    "boolean:4:1",
    "boolean:4:2",
    "boolean:5:2",
    "boolean:5:3",
    "boolean:6:2",
    "boolean:6:1",
    "chain:1",
    "chain:2",
    "chain:9",
    "chains:1",
    "chains:2x2",
    "chains:3x3x2",
    "chains:2x3x2",
    "chains:2x3x2x3",
    "chains:5x5",
    "chains:3x3x3",
    "antichain:1",
    "antichain:6",
    "divisors:1",
    "divisors:36",
    "divisors:360",
    "divisors:210",
];

#[test]
fn every_poset_is_described_consistently() {
    for name in SMALL {
        let poset = poset(name);
        assert_eq!(poset.name(), name);
        for x in 0..poset.len() {
            assert!(poset.lower_covers(x).is_sorted() && poset.upper_covers(x).is_sorted(), "{name}");
            assert!(poset.lower_covers(x).iter().all(|&y| poset.upper_covers(y.into()).contains(&(x as u16))));
            assert!(poset.upper_covers(x).iter().all(|&y| poset.lower_covers(y.into()).contains(&(x as u16))));
            let longest = poset.lower_covers(x).iter().map(|&y| poset.rank(y.into()) + 1).max();
            assert_eq!(poset.rank(x), longest.unwrap_or(0), "{name}");
            assert!(x == 0 || poset.rank(x - 1) <= poset.rank(x), "{name}");
            for y in 0..poset.len() {
                let below = oracle::at_most(&poset, y, x);
                assert!(y <= x || !below, "{name} is numbered along a linear extension");
                assert_eq!(poset.is_at_most(y, x), below);
                assert_eq!(poset.principal_ideal::<1>(x).contains(y), below);
                assert_eq!(poset.principal_filter::<1>(y).contains(x), below);
            }
        }
    }
}

#[test]
fn subsets_are_ordered_by_size_then_bit_mask() {
    let poset = poset("boolean:4");
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("factors") };
    let mask = |x| (0..4).map(|i| usize::from(group.level(x, i)) << i).sum::<usize>();
    let masks: Vec<usize> = (0..16).map(mask).collect();
    assert_eq!(masks, [0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15]);
    let labels: Vec<String> = (0..16).map(|x| poset.label(x)).collect();
    let expected = "- 0 1 2 3 01 02 12 03 13 23 012 013 023 123 0123";
    assert_eq!(labels.join(" "), expected);
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        assert_eq!(poset.is_at_most(x, y), masks[x] & masks[y] == masks[x]);
    }
}

#[test]
fn the_order_of_divisors_is_divisibility() {
    for number in [1u64, 7, 12, 360, 30030, 4_294_967_291 * 4_294_967_279, u64::MAX, 4_294_967_291 * 4_294_967_291] {
        let poset = poset(&format!("divisors:{number}"));
        let labels: Vec<u64> = (0..poset.len()).map(|x| poset.label(x).parse().expect("a number")).collect();
        for (x, y) in (0..poset.len()).flat_map(|x| (0..poset.len()).map(move |y| (x, y))) {
            assert_eq!(poset.is_at_most(x, y), labels[y].is_multiple_of(labels[x]), "{number}");
        }
        assert_eq!(labels.last(), Some(&number));
        if number <= 360 {
            assert_eq!(labels.len(), (1..=number).filter(|&d| number.is_multiple_of(d)).count());
        }
    }
}

#[test]
fn primes_of_every_size_have_two_divisors() {
    for prime in [2u64, 3, 65_537, 4_294_967_291, 1_000_000_007, 18_446_744_073_709_551_557] {
        assert_eq!(poset(&format!("divisors:{prime}")).len(), 2, "{prime}");
    }
    // A product of two primes just above the limit of trial division.
    assert_eq!(poset(&format!("divisors:{}", 4_194_319u64 * 4_194_329)).len(), 4);
}

#[test]
fn order_and_levels_agree_in_products() {
    let poset = poset("chains:3x4x2");
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("factors") };
    for (x, y) in (0..24).flat_map(|x| (0..24).map(move |y| (x, y))) {
        assert_eq!(poset.is_at_most(x, y), (0..3).all(|i| group.level(x, i) <= group.level(y, i)));
    }
    let rank = |x| (0..3).map(|i| usize::from(group.level(x, i))).sum::<usize>();
    let number = |x| usize::from(group.level(x, 0) + 3 * group.level(x, 1) + 12 * group.level(x, 2));
    assert!((0..24).map(|x| (rank(x), number(x))).is_sorted());
    assert_eq!(poset.label(0), "1.1.1");
    assert_eq!(poset.label(23), "3.4.2");
}

#[test]
fn group_elements_are_automorphisms_and_move_levels_as_documented() {
    for name in SMALL {
        let poset = poset(name);
        for p in oracle::group_elements(&poset) {
            for (x, y) in (0..poset.len()).flat_map(|x| (0..poset.len()).map(move |y| (x, y))) {
                let (image_x, image_y) = (usize::from(p[x]), usize::from(p[y]));
                assert_eq!(poset.is_at_most(x, y), poset.is_at_most(image_x, image_y), "{name}");
            }
        }
        let AutomorphismGroup::Factors(group) = poset.group() else { continue };
        for permutation in group.elements() {
            let moved = group.act(&permutation);
            for (x, i) in (0..poset.len()).flat_map(|x| (0..group.points()).map(move |i| (x, i))) {
                assert_eq!(group.level(moved[x].into(), permutation[i].into()), group.level(x, i), "{name}");
            }
        }
    }
}

#[test]
fn groups_are_listed_in_lexicographic_order() {
    for (name, order) in [("boolean:5", 120), ("boolean:8:2", 40320), ("chains:2x3x2x3", 4), ("divisors:30030", 720)] {
        let poset = poset(name);
        let AutomorphismGroup::Factors(group) = poset.group() else { panic!("factors") };
        let elements: Vec<Vec<u8>> = group.elements().collect();
        assert_eq!(elements.len() as u64, order);
        assert_eq!(group.order(), order);
        assert!(elements[0].iter().enumerate().all(|(i, &image)| i == usize::from(image)));
        assert!(elements.is_sorted_by(|a, b| a < b), "{name}");
        assert!(elements.iter().all(|p| group.contains(p)));
    }
    let poset = poset("chains:2x3x2x3");
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("factors") };
    assert_eq!(group.classes(), [[0, 2], [1, 3]]);
    assert!(!group.contains(&[1, 0, 2, 3]) && !group.contains(&[0, 1, 2]) && !group.contains(&[0, 1, 0, 3]));
    assert!(!group.contains(&[9, 1, 2, 3]));
}

#[test]
fn the_group_is_the_whole_automorphism_group() {
    for name in SMALL {
        let poset = poset(name);
        assert_eq!(poset.group_order(), BigUint::from(oracle::count_automorphisms(&poset)), "{name}");
    }
}

#[test]
fn the_group_of_a_single_empty_set_acts_trivially() {
    let poset = poset("boolean:4:0");
    assert_eq!((poset.len(), poset.group_order()), (1, 24u8.into()));
    assert!(oracle::group_elements(&poset).iter().all(|p| p == &[0]));
}

#[test]
fn dualities_reverse_the_order_and_commute_with_the_group() {
    for name in SMALL {
        let poset = poset(name);
        let truncated = matches!(poset.spec().family(), Family::Boolean { points, max_size } if max_size < points);
        assert_eq!(poset.duality().is_none(), truncated, "{name}");
        let Some(dual) = poset.duality() else { continue };
        for x in 0..poset.len() {
            assert_eq!(usize::from(dual[usize::from(dual[x])]), x);
            for y in 0..poset.len() {
                assert_eq!(poset.is_at_most(x, y), poset.is_at_most(dual[y].into(), dual[x].into()), "{name}");
            }
        }
        for p in oracle::group_elements(&poset) {
            assert!((0..poset.len()).all(|x| dual[usize::from(p[x])] == p[usize::from(dual[x])]), "{name}");
        }
    }
}

#[test]
fn truncations_are_prefixes_on_which_the_group_acts_alike() {
    for name in SMALL {
        let poset = poset(name);
        let height = poset.rank(poset.len() - 1);
        assert_eq!(poset.truncate_to_rank(height).name(), name);
        for r in 0..height {
            let part = poset.truncate_to_rank(r);
            assert!((0..poset.len()).all(|x| (x < part.len()) == (poset.rank(x) <= r)), "{name}");
            for x in 0..part.len() {
                assert_eq!(part.principal_ideal::<4>(x), poset.principal_ideal(x));
                assert_eq!(part.lower_covers(x), poset.lower_covers(x));
                assert_eq!((part.label(x), part.rank(x)), (poset.label(x), poset.rank(x)));
            }
            let (all, cut) = (oracle::group_elements(&poset), oracle::group_elements(&part));
            assert!(all.len() == cut.len() && all.iter().zip(&cut).all(|(all, cut)| all[..part.len()] == *cut));
            let rebuilt = Poset::new(part.spec());
            assert_eq!((rebuilt.spec(), rebuilt.len()), (part.spec(), part.len()));
        }
    }
    assert_eq!(poset("boolean:5").truncate_to_rank(2).name(), "boolean:5:2");
    assert_eq!(poset("chains:3x3").truncate_to_rank(2).name(), "chains:3x3 up to rank 2");
    assert_eq!(poset("chains:3x3").truncate_to_rank(2).truncate_to_rank(1).name(), "chains:3x3 up to rank 1");
}

#[test]
fn the_largest_posets_fit() {
    for (name, len, words) in [
        ("boolean:8", 256, 4),
        ("boolean:7", 128, 2),
        ("boolean:6", 64, 1),
        ("boolean:7:3", 64, 1),
        ("boolean:8:3", 93, 2),
        ("chain:256", 256, 4),
        ("antichain:256", 256, 4),
        ("antichain:65", 65, 2),
        ("chains:16x16", 256, 4),
        ("chains:2x2x2x2x2x2x2x2", 256, 4),
        ("divisors:9699690", 256, 4),
    ] {
        let poset = poset(name);
        assert_eq!((poset.len(), poset.words()), (len, words), "{name}");
        let all = |x: Element| (poset.principal_ideal::<4>(x).len(), poset.principal_filter::<4>(x).len());
        if !name.starts_with("antichain") {
            assert_eq!(all(0), (1, len));
        }
        if !name.starts_with("antichain") && poset.duality().is_some() {
            assert_eq!(all(len - 1), (len, 1));
        }
    }
}

#[test]
#[should_panic(expected = "1 words hold no ideal of 128 elements")]
fn narrow_bit_sets_are_refused() {
    poset("boolean:7").principal_ideal::<1>(0);
}

#[test]
fn the_oracle_agrees_with_itself() {
    for name in ["boolean:3", "chains:3x3", "divisors:60", "boolean:3:1", "antichain:5", "chain:6"] {
        let poset = poset(name);
        let all = (1u64 << poset.len()) - 1;
        let listed = BigUint::from(oracle::extensions_by_listing(&poset));
        assert_eq!(oracle::extensions(&poset)[&all], listed, "{name}");
        assert_eq!(oracle::ideals(&poset).len(), (0..=all).filter(|&set| oracle::is_ideal(&poset, set)).count());
    }
    assert_eq!(oracle::counts_by_size(&poset("antichain:4")), [(1, 1), (1, 4), (1, 6), (1, 4), (1, 1)]);
}
