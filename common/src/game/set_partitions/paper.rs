//! The paper's own way to h(n) (section 6.2): types of unions, each as often as it occurs. Slow, and independent of the rest.

use std::collections::BTreeMap;

use super::super::nimber::{mex, product};
use super::types;

/// A type: its parts, descending.
type Type = Vec<usize>;

/// h(1), ..., h(n), from the numbers M(lambda, mu) of set partitions of type lambda above one of type mu.
pub fn heights(n: usize) -> Vec<u64> {
    let mut heights: Vec<u64> = Vec::new();
    for n in 1..=n {
        let value = |parts: &Type| parts.iter().fold(1, |value, &part| product(value, heights[part - 1]));
        let sum = |mu: &Type| {
            let above = unions(mu).into_iter().filter(|(lambda, count)| count % 2 == 1 && lambda.len() > 1);
            above.fold(0, |sum, (lambda, _)| sum ^ value(&lambda))
        };
        let least = mex(types(n).iter().map(sum));
        heights.push(least);
    }
    heights
}

/// M(lambda, mu) for every lambda that is not 0: sums over the multisets nu of types that divide mu, grouped by the sums of
/// their members, of `mu! / (product of nu_j! and of the multiplicities of nu!)`, where `mu!` is the product of the factorials
/// of the multiplicities of the parts of mu.
fn unions(mu: &Type) -> BTreeMap<Type, u128> {
    let mut counts = BTreeMap::new();
    let all = symmetries(mu);
    for nu in divisions(mu) {
        let mut lambda: Type = nu.iter().map(|part| part.iter().sum()).collect();
        lambda.sort_unstable_by(|a, b| b.cmp(a));
        let fixed = nu.iter().map(|part| symmetries(part)).product::<u128>() * symmetries(&nu);
        *counts.entry(lambda).or_insert(0) += all / fixed;
    }
    counts
}

/// The product of the factorials of the multiplicities of equal neighbours.
fn symmetries<T: PartialEq>(sorted: &[T]) -> u128 {
    let groups = sorted.chunk_by(PartialEq::eq);
    groups.map(|group| (1..=group.len() as u128).product::<u128>()).product()
}

/// All multisets of non-empty types that together have the parts of mu, each once, with equal members side by side.
fn divisions(mu: &Type) -> Vec<Vec<Type>> {
    let mut divisions = std::collections::BTreeSet::from([Vec::new()]);
    for &part in mu {
        let mut larger = std::collections::BTreeSet::new();
        for division in &divisions {
            for at in 0..=division.len() {
                let mut division: Vec<Type> = division.clone();
                match division.get_mut(at) {
                    Some(member) => member.push(part),
                    None => division.push(vec![part]),
                }
                division.sort_unstable();
                larger.insert(division);
            }
        }
        divisions = larger;
    }
    divisions.into_iter().collect()
}
