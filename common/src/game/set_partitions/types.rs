//! Types of set partitions: integer partitions.

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

/// Number of types of n that have powers of two only (OEIS A018819): no more types differ in these alone.
pub fn number_of_binary_types(n: usize) -> u64 {
    let mut counts = vec![1; n + 1];
    for power in (1..).map(|level| 1 << level).take_while(|&power| power <= n) {
        for total in power..=n {
            counts[total] += counts[total - power];
        }
    }
    counts[n]
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
    fn numbers_of_binary_types() {
        let counts: Vec<u64> = (0..13).map(number_of_binary_types).collect();
        assert_eq!(counts, [1, 1, 2, 2, 4, 4, 6, 6, 10, 10, 14, 14, 20]);
    }

    #[test]
    fn published_numbers() {
        let types: Vec<u64> = (0..13).map(number_of_types).collect();
        assert_eq!(types, [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77]);
        assert_eq!((number_of_types(90), number_of_types(200)), (56_634_173, 3_972_999_029_388));
    }
}
