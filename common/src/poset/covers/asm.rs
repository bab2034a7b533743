//! `asm:n`: the posets A_n whose order ideals are the alternating sign matrices of n rows (Striker).
//!
//! A_n has the points (x, y, z) of numbers from 0 with x + y + z <= n - 2. Each covers (x + 1, y, z), (x, y + 1, z),
//! (x + 1, y, z - 1) and (x, y + 1, z - 1) as far as these exist, and its rank is n - 2 - x - y.

use num_bigint::BigUint;

use super::read::number_within;
use super::{Coordinates, CoverRelation, ElementFault};

/// The poset A_n; the coordinates are x, y and z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmPoset {
    /// n - 2, the largest sum of coordinates.
    largest: u32,
}

impl AsmPoset {
    /// A_n, for n from 2 on.
    pub(super) fn new(n: u32) -> Self {
        Self { largest: n - 2 }
    }
}

impl CoverRelation for AsmPoset {
    fn name(&self) -> String {
        format!("asm:{}", self.largest + 2)
    }

    fn len(&self) -> BigUint {
        super::binomial(self.largest as usize + 3, 3)
    }

    fn coordinates(&self) -> usize {
        3
    }

    fn height(&self) -> usize {
        self.largest as usize
    }

    fn len_by_rank(&self) -> Vec<BigUint> {
        // So many x and y of a sum, and z from 0 to the rank.
        (0..=self.height()).map(|rank| BigUint::from(self.height() - rank + 1) * (rank + 1)).collect()
    }

    fn rank(&self, x: &[u32]) -> usize {
        (self.largest - x[0] - x[1]) as usize
    }

    fn maximal(&self) -> Vec<Coordinates> {
        (0..=self.largest).map(|z| vec![0, 0, z]).collect()
    }

    fn lower_covers(&self, point: &[u32]) -> Vec<Coordinates> {
        let [x, y, z] = *point else { return Vec::new() };
        let same = (x + y + z < self.largest).then_some(z);
        let heights = same.into_iter().chain(z.checked_sub(1));
        heights.flat_map(|z| [vec![x + 1, y, z], vec![x, y + 1, z]]).collect()
    }

    fn is_at_most(&self, lower: &[u32], upper: &[u32]) -> bool {
        let sum = |point: &[u32]| point.iter().sum::<u32>();
        lower[0] >= upper[0] && lower[1] >= upper[1] && lower[2] <= upper[2] && sum(lower) >= sum(upper)
    }

    fn label(&self, x: &[u32]) -> String {
        format!("{},{},{}", x[0], x[1], x[2])
    }

    fn element(&self, word: &str) -> Result<Coordinates, ElementFault> {
        let parts: Vec<&str> = word.split(',').collect();
        if parts.len() != 3 {
            return Err(ElementFault::Parts { found: parts.len(), expected: 3 });
        }
        let number = |part: &&str| number_within(part.trim(), 0, self.largest.into());
        let point = parts.iter().map(number).collect::<Result<Coordinates, _>>()?;
        if point.iter().map(|&c| u64::from(c)).sum::<u64>() > self.largest.into() {
            return Err(ElementFault::NotAnElement(self.name()));
        }
        Ok(point)
    }

    fn usage(&self) -> String {
        format!("three numbers x,y,z with a sum of at most {}, as in 0,0,{}", self.largest, self.largest)
    }
}
