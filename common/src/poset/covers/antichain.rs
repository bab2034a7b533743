//! `antichain:n`: the numbers 1 to n, no two comparable.

use num_bigint::BigUint;

use super::read::number_within;
use super::{Coordinates, CoverRelation, ElementFault};

/// The numbers 1 to n, no two comparable; the only coordinate is the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Antichain {
    len: u32,
}

impl Antichain {
    pub(super) fn new(len: u32) -> Self {
        Self { len }
    }
}

impl CoverRelation for Antichain {
    fn name(&self) -> String {
        format!("antichain:{}", self.len)
    }

    fn len(&self) -> BigUint {
        self.len.into()
    }

    fn coordinates(&self) -> usize {
        1
    }

    fn height(&self) -> usize {
        0
    }

    fn len_by_rank(&self) -> Vec<BigUint> {
        vec![self.len.into()]
    }

    fn rank(&self, _x: &[u32]) -> usize {
        0
    }

    fn maximal(&self) -> Vec<Coordinates> {
        (1..=self.len).map(|x| vec![x]).collect()
    }

    fn lower_covers(&self, _x: &[u32]) -> Vec<Coordinates> {
        Vec::new()
    }

    fn is_at_most(&self, x: &[u32], y: &[u32]) -> bool {
        x == y
    }

    fn label(&self, x: &[u32]) -> String {
        x[0].to_string()
    }

    fn element(&self, word: &str) -> Result<Coordinates, ElementFault> {
        Ok(vec![number_within(word, 1, self.len.into())?])
    }

    fn usage(&self) -> String {
        "the number of the element, counting from 1".to_owned()
    }
}
