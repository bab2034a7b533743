//! The values of distinct types: one number for each, from which all other types follow.

use super::Heights;
use super::shapes::{Shapes, class_within, odd};

/// E of the distinct types of total less than n, and s (without the one block) of those of total n, in the order that
/// [`super::shapes`] describes.
pub struct DistinctTypes {
    n: usize,
    pub(super) shapes: Shapes,
    pub(super) values: Vec<u32>,
}

/// The parts of a distinct type in one class, by their sum in units of its odd number.
type Parts = (usize, usize);

impl DistinctTypes {
    /// Of total 0: the empty type, of value 1.
    pub fn new() -> Self {
        Self { n: 0, shapes: Shapes::new(0), values: vec![1] }
    }

    /// Of totals up to n, given h(1), ..., h(n - 1).
    ///
    /// # Panics
    /// If fewer are given.
    pub fn up_to(n: usize, heights: &Heights) -> Self {
        let mut types = Self::new();
        while types.n < n {
            types.grow(heights);
        }
        types
    }

    /// The largest total.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Goes on to the next total, n + 1, given h(1), ..., h(n).
    ///
    /// # Panics
    /// If fewer are given.
    pub fn grow(&mut self, heights: &Heights) {
        if self.n > 0 {
            self.add_one_block(heights.values()[self.n - 1]);
        }
        let shapes = Shapes::new(self.n + 1);
        let values = vec![0; shapes.len(usize::MAX, self.n + 1)];
        let mut growth = Growth { old: self, shapes: &shapes, heights, values, parts: Vec::new() };
        growth.fill(usize::MAX, self.n + 1, 0, 0);
        let values = growth.values;
        *self = Self { n: self.n + 1, shapes, values };
    }

    /// Turns s into E for the types of total n: the partition into one block counts too.
    fn add_one_block(&mut self, height: u32) {
        let (shapes, values) = (&self.shapes, &mut self.values);
        shapes.each_row(usize::MAX, self.n, 0, &mut |total, at| values[at + total] ^= height);
    }
}

impl Default for DistinctTypes {
    fn default() -> Self {
        Self::new()
    }
}

impl Shapes {
    /// Calls `visit` with the total and the place of every row of a list: of its lists of class 0.
    fn each_row(&self, class: usize, total: usize, at: usize, visit: &mut impl FnMut(usize, usize)) {
        let class = class_within(class, total);
        if class == 0 {
            return visit(total, at);
        }
        for (w, start) in self.starts(class, total).iter().enumerate().take(total / odd(class) + 1) {
            self.each_row(class - 1, total - odd(class) * w, at + start, visit);
        }
    }
}

struct Growth<'a> {
    old: &'a DistinctTypes,
    shapes: &'a Shapes,
    heights: &'a Heights,
    values: Vec<u32>,
    /// What leads to the list that is being filled, the largest class first.
    parts: Vec<Parts>,
}

impl Growth<'_> {
    /// Fills the list (class, total) at `at` from the list (class, total - 1) at `from` of the old ones, which has all of
    /// its types but those of total n + 1.
    fn fill(&mut self, class: usize, total: usize, at: usize, from: usize) {
        let class = class_within(class, total);
        if class == 0 {
            self.values[at..at + total].copy_from_slice(&self.old.values[from..from + total]);
            if total > 0 {
                self.parts.push((0, total));
            }
            self.values[at + total] = self.value_of_parts();
            if total > 0 {
                self.parts.pop();
            }
            return;
        }
        for w in 0..=total / odd(class) {
            let rest = total - odd(class) * w;
            let begin = if w == 0 || rest == 0 { 0 } else { self.old.shapes.starts(class, total - 1)[w] };
            if w > 0 {
                self.parts.push((class, w));
            }
            self.fill(class - 1, rest, at + self.shapes.starts(class, total)[w], from + begin);
            if w > 0 {
                self.parts.pop();
            }
        }
    }

    /// s of the type with these parts: over all unions of the block of the largest one with some of the others, but not all.
    fn value_of_parts(&self) -> u32 {
        let largest = |&(class, w): &Parts| odd(class) << w.ilog2();
        let Some(block) = self.parts.iter().map(largest).max() else { return 0 };
        let mut others = self.parts.clone();
        for (class, w) in &mut others {
            if odd(*class) << w.ilog2() == block {
                *w -= 1 << w.ilog2();
            }
        }
        others.retain(|&(_, w)| w > 0);
        self.sum_over_unions(&others, block, 0, self.old.n)
    }

    /// Adds up, over all ways to divide the parts between the block and the rest, h(block) E(rest), where the rest so far
    /// leads to the list of totals up to `room` at `at`.
    fn sum_over_unions(&self, parts: &[Parts], block: usize, at: usize, room: usize) -> u32 {
        let Some((&(class, w), smaller)) = parts.split_first() else {
            return if block > self.old.n { 0 } else { self.heights.scale(block).of(self.old.values[at]) };
        };
        let mut sum = 0;
        let mut apart = w;
        loop {
            let taken = odd(class) * apart;
            let start = if apart == 0 { 0 } else { self.old.shapes.starts(class, room)[apart] };
            sum ^= self.sum_over_unions(smaller, block + odd(class) * (w - apart), at + start, room - taken);
            if apart == 0 {
                return sum;
            }
            apart = (apart - 1) & w;
        }
    }
}
