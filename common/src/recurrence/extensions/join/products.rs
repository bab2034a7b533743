//! Sums of weighted products of values.

use num_bigint::BigUint;

use super::pairs::Pairs;
use crate::ideal::Labelled;
use crate::prefetch::prefetch;
use crate::recurrence::limbs::{LIMB_BITS, LIMB_MASK, to_biguint, value};

/// Products added up in lanes before a carry: each lane gets at most 32 times as many, of 114 bits each.
const MOST_PRODUCTS: usize = 128;
/// Pairs that are asked for ahead.
const AHEAD: usize = 16;

/// A sum over pairs of values of any width that evaluation is compiled for.
pub(super) enum Sum {
    W1(Products<1>),
    W2(Products<2>),
    W4(Products<4>),
    W8(Products<8>),
    W32(Box<Products<32>>),
}

impl Sum {
    /// Nothing yet, for values of `width` limbs.
    ///
    /// # Panics
    /// If there is no such width.
    pub(super) fn new(width: usize) -> Self {
        match width {
            1 => Self::W1(Products::new()),
            2 => Self::W2(Products::new()),
            4 => Self::W4(Products::new()),
            8 => Self::W8(Products::new()),
            32 => Self::W32(Box::new(Products::new())),
            _ => panic!("width {width} is none of those compiled"),
        }
    }

    /// Adds the products of pairs.
    pub(super) fn add(&mut self, pairs: &Pairs, own: &[u64], other: &[u64]) {
        match self {
            Self::W1(products) => products.add_pairs(pairs, own, other),
            Self::W2(products) => products.add_pairs(pairs, own, other),
            Self::W4(products) => products.add_pairs(pairs, own, other),
            Self::W8(products) => products.add_pairs(pairs, own, other),
            Self::W32(products) => products.add_pairs(pairs, own, other),
        }
    }

    /// The sum.
    pub(super) fn total(self) -> BigUint {
        match self {
            Self::W1(products) => products.total(),
            Self::W2(products) => products.total(),
            Self::W4(products) => products.total(),
            Self::W8(products) => products.total(),
            Self::W32(products) => products.total(),
        }
    }
}

/// Sums of products of values, lane `k` collecting limbs `i + j = k`.
pub(super) struct Products<const D: usize> {
    lanes: [[u128; D]; 2],
    waiting: usize,
    /// The total, weighted, in lanes with room for many more.
    total: Vec<u128>,
    /// The total of what is weighted too heavily for a lane.
    heavy: BigUint,
}

impl<const D: usize> Products<D> {
    fn new() -> Self {
        Self { lanes: [[0; D]; 2], waiting: 0, total: vec![0; 2 * D + 1], heavy: BigUint::ZERO }
    }

    fn total(self) -> BigUint {
        self.heavy + to_biguint(self.total.into_iter())
    }

    fn add_pairs(&mut self, pairs: &Pairs, own: &[u64], other: &[u64]) {
        let (own, other) = (own.as_chunks::<D>().0, other.as_chunks::<D>().0);
        for (slots, weight) in pairs.runs() {
            let Some(weight) = u32::try_from(weight).ok().map(u64::from) else {
                self.add_heavy(slots, weight, own, other);
                continue;
            };
            for (number, &(slot, dual)) in slots.iter().enumerate() {
                if let Some(&(slot, dual)) = slots.get(number + AHEAD) {
                    prefetch(own, slot as usize);
                    prefetch(other, dual as usize);
                }
                self.add(&own[slot as usize], &other[dual as usize], weight);
            }
            self.flush(weight);
        }
    }

    #[inline(always)]
    fn add(&mut self, a: &[u64; D], b: &[u64; D], weight: u64) {
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                let k = i + j;
                self.lanes[k / D][k % D] += u128::from(a) * u128::from(b);
            }
        }
        self.waiting += 1;
        if self.waiting == MOST_PRODUCTS {
            self.flush(weight);
        }
    }

    /// Adds products whose orbits are those of a group of more than machine words.
    #[cold]
    fn add_heavy(&mut self, slots: &[(u64, u64)], weight: Labelled, own: &[[u64; D]], other: &[[u64; D]]) {
        let products = slots.iter().map(|&(slot, dual)| value(&own[slot as usize]) * value(&other[dual as usize]));
        self.heavy += products.sum::<BigUint>() * BigUint::from_bytes_le(weight.as_le_slice());
    }

    /// Carries and adds to the total; `weight` (below 2^32) is that of all products since the last time.
    fn flush(&mut self, weight: u64) {
        let mut carry = 0;
        for k in 0..=2 * D {
            let lane = if k < 2 * D { self.lanes[k / D][k % D] } else { 0 } + carry;
            self.total[k] += u128::from(lane as u64 & LIMB_MASK) * u128::from(weight);
            carry = lane >> LIMB_BITS;
        }
        self.lanes = [[0; D]; 2];
        self.waiting = 0;
    }
}
