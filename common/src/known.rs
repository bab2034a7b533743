//! Golden values, each with its source: what a finished computation is compared with.
//!
//! Boolean lattices are complete ones unless a comment says otherwise, and contain the empty set.

use num_bigint::BigUint;

/// Ideals of `boolean:n` for n = 0, 1, ...: the Dedekind numbers, OEIS A000372.
const BOOLEAN_IDEALS: [&str; 10] = [
    "2",
    "3",
    "6",
    "20",
    "168",
    "7581",
    "7828354",
    "2414682040998",
    "56130437228687557907788",
    "286386577668298411128469151667598498812366",
];

/// Orbits of ideals of `boolean:n` under permutations of the points: OEIS A003182.
const BOOLEAN_IDEAL_ORBITS: [&str; 10] = [
    "2",
    "3",
    "5",
    "10",
    "30",
    "210",
    "16353",
    "490013148",
    "1392195548889993358",
    "789204635842035040527740846300252680",
];

/// Linear extensions of `boolean:n`: OEIS A046873; n = 7 from Brouwer and Christensen, "Counterexamples to conjectures about
/// Subset Takeaway and counting linear extensions of a Boolean lattice", and found again in two other ways.
const BOOLEAN_EXTENSIONS: [&str; 8] = [
    "1",
    "1",
    "2",
    "48",
    "1680384",
    "14807804035657359360",
    "141377911697227887117195970316200795630205476957716480",
    "630470261306055898099742878692134361829979979674711225065761605059425237453564989302659882866111738567871048772795838071474370002961694720",
];

/// Orbits of ideals of `boolean:5` by number of elements, up to the middle: found by two independent programs; with the
/// other half, which mirrors this one, they sum to A003182.
const BOOLEAN_5_ORBITS: [u64; 17] = [1, 1, 1, 1, 2, 2, 3, 4, 6, 7, 9, 10, 12, 12, 13, 13, 16];

/// The same for `boolean:6`.
const BOOLEAN_6_ORBITS: [u64; 33] = [
    1, 1, 1, 1, 2, 2, 3, 5, 7, 9, 14, 20, 29, 39, 53, 69, 93, 116, 146, 180, 225, 269, 328, 387, 459, 529, 611, 686,
    769, 832, 892, 923, 951,
];

/// The same for `boolean:7`.
const BOOLEAN_7_ORBITS: [u64; 65] = [
    1, 1, 1, 1, 2, 2, 3, 5, 8, 10, 16, 25, 40, 62, 101, 156, 249, 385, 594, 899, 1367, 2036, 3032, 4468, 6571, 9572,
    13933, 20131, 29014, 41556, 59306, 84099, 118719, 166406, 231794, 320296, 439068, 596093, 801197, 1064468, 1396828,
    1807837, 2305705, 2894434, 3574182, 4338853, 5177869, 6075361, 7013439, 7971830, 8931651, 9874300, 10784604,
    11648558, 12456475, 13199408, 13872321, 14470219, 14991439, 15433196, 15795759, 16077423, 16279195, 16399768,
    16440466,
];

/// The same for `boolean:8`, of up to 30 elements; found by two independent programs.
const BOOLEAN_8_ORBITS: [u64; 31] = [
    1, 1, 1, 1, 2, 2, 3, 5, 8, 11, 17, 27, 45, 74, 127, 219, 388, 682, 1217, 2165, 3851, 6804, 11972, 20895, 36295,
    62616, 107510, 183623, 312424, 529286, 893816,
];

/// Ideals of `boolean:7` with 64 elements; found by two independent programs.
pub const BOOLEAN_7_MIDDLE_LABELLED: u64 = 81_203_064_840;

/// Orbits of ideals of `boolean:7:3`, the bases of `boolean:7`, the empty one included; found by two independent programs.
pub const BOOLEAN_7_3_ORBITS: u64 = 15_466_912;

/// Edges between them: pairs of a canonical base and an element that can be added to it; found by two independent programs.
pub const BOOLEAN_7_3_EDGES: u64 = 251_389_137;

/// Linear extensions of other posets. `chains:5x5` is the hook length formula's; those of the Boolean truncations count
/// the empty set among the elements; all found by two independent programs.
pub const EXTENSIONS: [(&str, &str); 10] = [
    ("boolean:4:2", "34560"),
    ("boolean:5:2", "1383782400"),
    ("boolean:6:2", "4914953551872000"),
    ("chains:3x3x2", "4877756"),
    ("chains:3x3x3", "6405442434150"),
    ("chains:2x2x2x3", "409158464142"),
    ("chains:5x5", "701149020"),
    ("divisors:60", "2452"),
    ("divisors:210", "1680384"),
    ("divisors:360", "20071150430"),
];

/// Linear extensions of `chains:2x2xn` for n = 1, 2, ...: OEIS A114714 (whose first term is that of n = 0).
pub const CHAINS_2_2_N_EXTENSIONS: [u64; 6] = [2, 48, 2452, 183_958, 17_454_844, 1_941_406_508];

/// Linear extensions of `divisors:n` for n = 1, 2, ...: OEIS A114717.
pub const DIVISORS_EXTENSIONS: [u64; 30] =
    [1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 1, 5, 1, 2, 2, 1, 1, 5, 1, 5, 2, 2, 1, 14, 1, 2, 1, 5, 1, 48];

/// The ruler on the posets of set partitions: h(1), h(2), ... To n = 17 by Ishikawa, Ohmoto, Tagawa and Takayama, "Coin Turning
/// Games on Partially Ordered Sets", Table 4; further ones by two independent programs.
pub const SET_PARTITIONS_RULER: [u32; 40] = [
    1, 2, 1, 4, 1, 2, 1, 7, 15, 16, 8, 5, 19, 5, 37, 17, 14, 1, 11, 26, 92, 21, 256, 95, 18, 90, 48, 277, 25, 322, 285,
    99, 140, 9, 329, 41, 352, 10, 16, 284,
];

/// The ruler on the posets A_n by rank s and z = t: row s has t = 0 to s. Found by two independent programs; with n = 16, Table 3
/// of Ishikawa, Ohmoto, Tagawa and Takayama.
const ASM_RULER: [&[u64]; 15] = [
    &[1],
    &[2, 2],
    &[4, 3, 4],
    &[3, 7, 7, 3],
    &[6, 5, 6, 5, 6],
    &[7, 8, 8, 8, 8, 7],
    &[8, 16, 10, 9, 10, 16, 8],
    &[11, 11, 9, 12, 12, 9, 11, 11],
    &[16, 9, 15, 20, 16, 20, 15, 9, 16],
    &[24, 23, 17, 19, 26, 26, 19, 17, 23, 24],
    &[5, 18, 26, 18, 24, 22, 24, 18, 26, 18, 5],
    &[17, 25, 32, 22, 32, 32, 32, 32, 22, 32, 25, 17],
    &[13, 10, 34, 29, 35, 34, 17, 34, 35, 29, 34, 10, 13],
    &[12, 21, 20, 14, 21, 38, 13, 13, 38, 21, 14, 20, 21, 12],
    &[32, 32, 14, 42, 38, 43, 33, 33, 33, 43, 38, 42, 14, 32, 32],
];

/// The rows of the ruler on A_16, as vectors.
pub fn asm_ruler() -> Vec<Vec<u64>> {
    ASM_RULER.iter().map(|row| row.to_vec()).collect()
}

/// Ideals of `boolean:n`, for n up to 9.
pub fn boolean_ideals(n: usize) -> Option<BigUint> {
    BOOLEAN_IDEALS.get(n)?.parse().ok()
}

/// Orbits of ideals of `boolean:n` under permutations of the points, for n up to 9.
pub fn boolean_ideal_orbits(n: usize) -> Option<BigUint> {
    BOOLEAN_IDEAL_ORBITS.get(n)?.parse().ok()
}

/// Linear extensions of `boolean:n`, for n up to 7.
pub fn boolean_extensions(n: usize) -> Option<BigUint> {
    BOOLEAN_EXTENSIONS.get(n)?.parse().ok()
}

/// Orbits of ideals of `boolean:n` by number of elements from 0 to 2^(n-1), for n = 5, 6 and 7; for n = 8 to 30 only. The
/// orbits of size 2^n - k are as many as those of size k.
pub fn boolean_orbits_by_size(n: usize) -> Option<&'static [u64]> {
    match n {
        5 => Some(&BOOLEAN_5_ORBITS),
        6 => Some(&BOOLEAN_6_ORBITS),
        7 => Some(&BOOLEAN_7_ORBITS),
        8 => Some(&BOOLEAN_8_ORBITS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use crate::poset::Poset;

    fn poset(text: &str) -> Poset {
        text.parse().expect("a poset")
    }

    #[test]
    fn every_number_reads() {
        assert!((0..10).all(|n| boolean_ideals(n).is_some()));
        assert!((0..10).all(|n| boolean_ideal_orbits(n).is_some()));
        assert!((0..8).all(|n| boolean_extensions(n).is_some()));
        assert_eq!(boolean_extensions(7).map(|value| value.to_string().len()), Some(138));
        assert_eq!(boolean_extensions(8), None);
    }

    #[test]
    fn orbits_by_size_sum_to_all_orbits() {
        for n in 5..=7 {
            let half = boolean_orbits_by_size(n).expect("a table");
            assert_eq!(half.len(), (1 << (n - 1)) + 1);
            let (middle, below) = half.split_last().expect("a middle");
            assert_eq!(boolean_ideal_orbits(n), Some((2 * below.iter().sum::<u64>() + middle).into()));
        }
    }

    #[test]
    fn the_definitions_give_the_numbers_of_ideals() {
        for n in 0..=5 {
            let counts = oracle::counts_by_size(&poset(&format!("boolean:{n}")));
            let (orbits, labelled) =
                counts.iter().fold((0, 0), |(a, b), (orbits, labelled)| (a + orbits, b + labelled));
            assert_eq!(boolean_ideal_orbits(n), Some(orbits.into()), "n = {n}");
            assert_eq!(boolean_ideals(n), Some(labelled.into()), "n = {n}");
            if let Some(half) = boolean_orbits_by_size(n) {
                assert!(half.iter().enumerate().all(|(size, &orbits)| counts[size].0 as u64 == orbits));
            }
        }
    }

    #[test]
    fn the_definition_gives_the_numbers_of_linear_extensions() {
        let check = |spec: &str, expected: BigUint| {
            assert_eq!(oracle::extensions(&poset(spec)).into_values().next_back(), Some(expected), "{spec}");
        };
        for n in 0..=5 {
            check(&format!("boolean:{n}"), boolean_extensions(n).expect("a number"));
        }
        // boolean:6:2 has millions of ideals.
        for (spec, value) in EXTENSIONS.iter().filter(|(spec, _)| *spec != "boolean:6:2") {
            check(spec, value.parse().expect("a number"));
        }
        for (n, &value) in (1..).zip(&CHAINS_2_2_N_EXTENSIONS) {
            check(&format!("chains:2x2x{n}"), value.into());
        }
        for (n, &value) in (1..).zip(&DIVISORS_EXTENSIONS) {
            check(&format!("divisors:{n}"), value.into());
        }
    }
}
