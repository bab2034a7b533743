//! How many types, and set partitions, there are.

use num_bigint::BigUint;

/// Number of types of set partitions of n elements: of integer partitions of n (OEIS A000041), by Euler's recurrence with
/// pentagonal numbers.
///
/// # Panics
/// If it does not fit 64 bits, which is above n = 400.
pub fn number_of_types(n: usize) -> u64 {
    let mut counts: Vec<i128> = vec![1];
    for n in 1..=n as i128 {
        let mut count = 0;
        for k in 1.. {
            let pentagonals = [k * (3 * k - 1) / 2, k * (3 * k + 1) / 2];
            let terms = pentagonals.into_iter().filter(|&pentagonal| pentagonal <= n);
            let sum: i128 = terms.map(|pentagonal| counts[(n - pentagonal) as usize]).sum();
            if pentagonals[0] > n {
                break;
            }
            count += if k % 2 == 1 { sum } else { -sum };
        }
        counts.push(count);
    }
    u64::try_from(counts[n]).expect("integer partitions that fit 64 bits")
}

/// All types of set partitions of n elements, their parts descending, in descending lexicographic order.
pub fn types(n: usize) -> Vec<Vec<usize>> {
    types_within(n, n)
}

/// Those with parts up to `largest`.
fn types_within(n: usize, largest: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        types_within(n - first, first).into_iter().map(move |rest| std::iter::once(first).chain(rest).collect())
    };
    (1..=largest.min(n)).rev().flat_map(with_first).collect()
}

/// Number of set partitions of n elements (OEIS A000110), by the Bell triangle.
pub fn bell_number(n: usize) -> BigUint {
    let mut row = vec![BigUint::from(1u8)];
    for _ in 0..n {
        let mut next = vec![row[row.len() - 1].clone()];
        for above in &row {
            next.push(&next[next.len() - 1] + above);
        }
        row = next;
    }
    row.swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_types_are_listed_once() {
        assert_eq!(types(4), [vec![4], vec![3, 1], vec![2, 2], vec![2, 1, 1], vec![1, 1, 1, 1]]);
        for n in 0..20 {
            let types = types(n);
            assert!(types.is_sorted_by(|a, b| a > b));
            assert_eq!(types.len() as u64, number_of_types(n));
        }
    }

    #[test]
    fn published_numbers() {
        let types: Vec<u64> = (0..13).map(number_of_types).collect();
        assert_eq!(types, [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77]);
        assert_eq!((number_of_types(90), number_of_types(200)), (56_634_173, 3_972_999_029_388));
        let bells: Vec<u32> = (0..9).map(|n| u32::try_from(bell_number(n)).expect("small")).collect();
        assert_eq!(bells, [1, 1, 2, 5, 15, 52, 203, 877, 4140]);
    }
}
