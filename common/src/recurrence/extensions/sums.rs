//! Sums over a layer that a certificate is made of.
//!
//! For every size, the sum of orbit * e, and the sum of orbit * e * (number of elements that can be added). Every linear
//! extension of an ideal with one more element arises from one of the latter, so the second sum over size k equals the
//! first over size k + 1: a check that no path of the evaluation shares with another.

use num_bigint::BigUint;

use crate::ideal::Labelled;
use crate::recurrence::limbs::to_biguint;
use crate::space::code::GROUP;

/// Sums of a layer, by number of elements of the ideals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerSums {
    /// Sum of orbit * e.
    pub values: Vec<BigUint>,
    /// Sum of orbit * e * (elements that can be added).
    pub extended: Vec<BigUint>,
}

impl LayerSums {
    /// Adds another layer's or thread's sums.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.values, &other.values), (&mut self.extended, &other.extended)] {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), BigUint::ZERO);
            }
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
    }
}

/// Sums over one block, by number of upper elements, not yet weighted.
pub struct BlockSums<const D: usize> {
    lanes: Vec<[u128; D]>,
    /// Extensions by a high upper, which only some ideals of a size admit.
    high: Vec<[u128; D]>,
    used: usize,
}

impl<const D: usize> BlockSums<D> {
    /// No ideal yet; at most `uppers` upper elements.
    pub fn new(uppers: usize) -> Self {
        // A group adds to four sizes, of which the last may lie beyond the last size and stays zero.
        Self { lanes: vec![[0; D]; uppers + 4], high: vec![[0; D]; uppers + 4], used: 0 }
    }

    /// Adds a value of an ideal with that many upper elements.
    #[inline(always)]
    pub fn add(&mut self, uppers: usize, value: &[u64; D]) {
        add_wide(&mut self.lanes[uppers], value);
        self.used = self.used.max(uppers + 1);
    }

    /// Adds the values of a group whose code 0 has that many upper elements.
    #[inline(always)]
    pub fn add_group(&mut self, uppers: usize, v: &[[u64; D]; GROUP]) {
        let mut once = [0; D];
        let mut twice = [0; D];
        for i in 0..D {
            once[i] = v[1][i] + v[2][i] + v[4][i];
            twice[i] = v[3][i] + v[5][i] + v[6][i];
        }
        for (number, sum) in [&v[0], &once, &twice, &v[7]].into_iter().enumerate() {
            add_wide(&mut self.lanes[uppers + number], sum);
        }
        self.used = self.used.max(uppers + 4);
    }

    /// Adds a value of an ideal with that many upper elements that some high upper can be added to.
    #[inline(always)]
    pub fn add_high(&mut self, uppers: usize, value: &[u64; D]) {
        add_wide(&mut self.high[uppers], value);
    }
}

#[inline(always)]
fn add_wide<const D: usize>(sum: &mut [u128; D], value: &[u64; D]) {
    for i in 0..D {
        sum[i] += u128::from(value[i]);
    }
}

/// Weighted sums of a thread, by number of upper elements.
pub struct ThreadSums<const D: usize> {
    values: Vec<[u128; D]>,
    extended: Vec<[u128; D]>,
    /// Those of orbits too large for a lane.
    large: LayerSums,
}

impl<const D: usize> ThreadSums<D> {
    /// Nothing yet; at most `uppers` upper elements.
    pub fn new(uppers: usize) -> Self {
        let sums = vec![[0; D]; uppers + 4];
        Self { values: sums.clone(), extended: sums, large: LayerSums::default() }
    }

    /// Adds a block whose base has orbits of `weight` members, and clears it. An ideal with `u` upper elements admits
    /// `addable - u` base and low upper elements.
    #[inline(always)]
    pub fn add_block(&mut self, block: &mut BlockSums<D>, weight: Labelled, addable: usize) {
        // Lanes stay below 2^128: values of 2^57, at most 2^22 in a block, weights and numbers of elements to 2^24,
        // and 2^25 blocks.
        let small = weight < Labelled::from(1u64 << 16);
        if !small {
            return self.add_large_block(block, weight, addable);
        }
        let weight = weight.to::<u64>();
        for u in 0..block.used {
            // Modulo 2^128, for with high uppers `addable - u` alone may be negative; what they give back is in `high`.
            let more = (addable as u128).wrapping_sub(u as u128);
            for i in 0..D {
                let extended = block.lanes[u][i].wrapping_mul(more).wrapping_add(block.high[u][i]);
                self.values[u][i] += block.lanes[u][i] * u128::from(weight);
                self.extended[u][i] = self.extended[u][i].wrapping_add(extended.wrapping_mul(u128::from(weight)));
            }
            block.lanes[u] = [0; D];
            block.high[u] = [0; D];
        }
        block.used = 0;
    }

    #[cold]
    fn add_large_block(&mut self, block: &mut BlockSums<D>, weight: Labelled, addable: usize) {
        let weight: BigUint = weight.to_string().parse().unwrap_or_default();
        let mut sums = LayerSums::default();
        for u in 0..block.used {
            let value = to_biguint(block.lanes[u].into_iter()) * &weight;
            let high = to_biguint(block.high[u].into_iter()) * &weight;
            sums.extended.push(&value * addable + high - &value * u);
            sums.values.push(value);
            block.lanes[u] = [0; D];
            block.high[u] = [0; D];
        }
        block.used = 0;
        self.large.add(&sums);
    }

    /// The sums by number of elements, for a base layer of that size and ideals up to `top`.
    pub fn total(self, base_size: usize, top: usize) -> LayerSums {
        let sized = |sums: Vec<BigUint>| {
            let mut sized = vec![BigUint::ZERO; base_size];
            sized.extend(sums);
            sized.truncate(top + 1);
            sized
        };
        let numbers = |lanes: Vec<[u128; D]>| lanes.into_iter().map(|lanes| to_biguint(lanes.into_iter())).collect();
        let mut total = LayerSums { values: numbers(self.values), extended: numbers(self.extended) };
        total.add(&self.large);
        LayerSums { values: sized(total.values), extended: sized(total.extended) }
    }
}
