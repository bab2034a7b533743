//! The types whose parts in the classes above 0 are given: what is left is divided into powers of two in every way.

use super::super::nimber::Scale;
use super::Heights;

/// Divides what is left of a total into powers of two.
pub(super) struct Powers<'a> {
    /// Multiplication by the squares of h(1), h(2), h(4), ...
    squares: Vec<&'a Scale>,
    scratch: Vec<u32>,
}

impl<'a> Powers<'a> {
    /// For totals up to n, given h(1), ..., h(n - 1).
    pub fn new(n: usize, heights: &'a Heights) -> Self {
        let squares = (0..).map(|level| 1 << level).take_while(|part| 2 * part <= n);
        Self { squares: squares.map(|part| heights.square(part)).collect(), scratch: vec![0; 4 * (n + 2)] }
    }

    /// Calls `put` with the values of all types that complete a given one by powers of two, where `row[w]` is the value with
    /// the distinct powers of two that w adds up, and the last entry has the whole total.
    pub fn each(&mut self, row: &[u32], put: &mut impl FnMut(u32)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.level(0, row, &mut scratch, put);
        self.scratch = scratch;
    }

    /// As [`each`](Self::each), with parts from 2^level on: `row[w]` has the powers that add up to w 2^level.
    ///
    /// With two more of these parts, x_i x_i = x_2i + h(i)^2, the row of the even (or odd) w becomes the one of x_2i times it
    /// and h(i)^2 times it.
    fn level(&self, level: usize, row: &[u32], scratch: &mut [u32], put: &mut impl FnMut(u32)) {
        match *row {
            [only] | [_, only] => return put(only),
            [first, _, last] | [_, first, _, last] => {
                put(last);
                return put(last ^ self.squares[level].of(first));
            }
            _ => {}
        }
        let (odd, half) = ((row.len() - 1) % 2, (row.len() - 1) / 2);
        let (mut list, rest) = scratch.split_at_mut(half + 1);
        let (mut next, rest) = rest.split_at_mut(half + 1);
        list.iter_mut().zip(row[odd..].iter().step_by(2)).for_each(|(to, from)| *to = *from);
        for left in (0..=half).rev() {
            self.level(level + 1, &list[..=left], rest, put);
            for (v, next) in next[..left].iter_mut().enumerate() {
                *next = list[v + 1] ^ self.constants(level, list, v);
            }
            std::mem::swap(&mut list, &mut next);
        }
    }

    /// What x_i x_i times the distinct powers that add up to v has besides those that add up to v + 1, in units of 2i:
    /// x_i x_i = x_2i + h(i)^2; where 2i is among them already, x_2i x_2i = x_4i + h(2i)^2, and so on upwards.
    #[inline(always)]
    fn constants(&self, level: usize, list: &[u32], v: usize) -> u32 {
        let term = |carry: usize| self.squares[level + carry].of(list[v + 1 - (1 << carry)]);
        // h(1) = 1.
        let first = if level == 0 { list[v] } else { term(0) };
        (1..=(v + 1).trailing_zeros() as usize).fold(first, |sum, carry| sum ^ term(carry))
    }
}
