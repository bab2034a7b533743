//! `antichain:n`: the numbers 1 to n, no two comparable. Every subset is an ideal.

use super::error::PosetFault;
use super::group::AutomorphismGroup;
use super::position::PositionFault;
use super::spec::{Family, PosetSpec};
use super::{Description, Poset, chains};

pub(super) fn parse(parameters: &str) -> Result<Family, PosetFault> {
    chains::parse_len(parameters).map(Family::Antichain)
}

pub(super) fn build(spec: PosetSpec, len: usize) -> Poset {
    Poset::complete(Description {
        spec,
        labels: (1..=len).map(|x| x.to_string()).collect(),
        lower: vec![Vec::new(); len],
        group: AutomorphismGroup::AllPermutations,
        // Every bijection reverses the empty order; only this one commutes with all permutations.
        duality: Some((0..len as u16).collect()),
    })
}

/// The label of the element that a word means.
pub(super) fn normal_label(len: usize, word: &str) -> Result<String, PositionFault> {
    chains::normal_label(&[len], word)
}
