//! Products of chains, of which Boolean lattices, chains and divisor lattices are cases.

use super::group::{AutomorphismGroup, FactorGroup};
use super::spec::PosetSpec;
use super::{Description, Poset};

/// The product of chains of the given lengths (each at least 1), cut to the elements of rank at most `max_rank`.
///
/// `label` is given the level of an element in each factor, from 0.
pub(super) fn build(spec: PosetSpec, lengths: &[usize], max_rank: usize, label: impl Fn(&[u8]) -> String) -> Poset {
    let rank = |levels: &[u8]| levels.iter().map(|&l| usize::from(l)).sum::<usize>();
    let full_rank: usize = lengths.iter().map(|length| length - 1).sum();
    let mut elements: Vec<Vec<u8>> =
        all_levels(lengths).into_iter().filter(|levels| rank(levels) <= max_rank).collect();
    // A stable sort: within a rank the mixed-radix order stays.
    elements.sort_by_key(|levels| rank(levels));

    let group = FactorGroup::new(lengths, &elements);
    let lower = elements.iter().map(|levels| {
        let steps = (0..lengths.len()).filter(|&i| levels[i] > 0);
        steps.map(|i| group.element_with(levels.iter().enumerate().map(|(j, &l)| l - u8::from(i == j)))).collect()
    });
    // Complementing every level reverses both the rank and the mixed-radix number, hence the numbering.
    let duality = (max_rank >= full_rank).then(|| (0..elements.len() as u16).rev().collect());
    Poset::complete(Description {
        spec,
        labels: elements.iter().map(|levels| label(levels)).collect(),
        lower: lower.collect(),
        group: AutomorphismGroup::Factors(group),
        duality,
    })
}

/// The levels of all elements by ascending mixed-radix number, the first factor being the least significant digit.
fn all_levels(lengths: &[usize]) -> Vec<Vec<u8>> {
    lengths.iter().fold(vec![Vec::new()], |shorter, &length| {
        let extend = |level: usize| {
            shorter.iter().map(move |levels| {
                let mut levels = levels.clone();
                levels.push(level as u8);
                levels
            })
        };
        (0..length).flat_map(extend).collect()
    })
}
