//! The values of distinct types: one number for each, from which all other types follow.

use super::Heights;
use super::shapes::{Shapes, class_within, odd};
use crate::parallel::crew;
use crate::watch::{Stopped, Watch};

/// E of the distinct types of total less than n, and s (without the one block) of those of total n, in the order that
/// `shapes.rs` describes.
pub struct DistinctTypes {
    n: usize,
    pub(super) shapes: Shapes,
    pub(super) values: Vec<u32>,
}

/// Types that a thread values before it leaves as many to each of the others.
const RUN: usize = 64;

/// Classes that a type has parts in, at most: k different odd numbers add up to k^2 or more.
const MOST_CLASSES: usize = 20;

/// The parts of a distinct type in one class, by their sum in units of its odd number.
type Parts = (usize, usize);

impl DistinctTypes {
    /// Of total 0: the empty type, of value 1.
    pub fn new() -> Self {
        Self { n: 0, shapes: Shapes::new(0), values: vec![1] }
    }

    /// Of totals up to n, given h(1), ..., h(n - 1), on so many threads.
    ///
    /// # Errors
    /// [`Stopped`].
    ///
    /// # Panics
    /// If fewer are given.
    pub fn up_to(n: usize, heights: &Heights, threads: usize, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let mut types = Self::new();
        while types.n < n {
            types.grow(heights, threads, watch)?;
        }
        Ok(types)
    }

    /// The largest total.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Goes on to the next total, n + 1, given h(1), ..., h(n), on so many threads.
    ///
    /// # Errors
    /// [`Stopped`]; then nothing has changed.
    ///
    /// # Panics
    /// If fewer are given.
    pub fn grow(&mut self, heights: &Heights, threads: usize, watch: &Watch<'_>) -> Result<(), Stopped> {
        let shapes = Shapes::new(self.n + 1);
        let new = self.new_values(&shapes, heights, threads.max(1), watch)?;
        let mut values = vec![0; shapes.len(usize::MAX, self.n + 1)];
        // For the types of total n, the partition into one block counts too from now on.
        let height = self.n.checked_sub(1).map_or(0, |last| heights.values()[last]);
        self.copy_into(&mut values, (&shapes, height), usize::MAX, (self.n + 1, 0), 0);
        for (at, value) in new {
            values[at as usize] = value;
        }
        *self = Self { n: self.n + 1, shapes, values };
        Ok(())
    }

    /// Copies the list (class, total - 1) at `from` to where its entries are in the list (class, total) at `at` of the next
    /// shapes. That one has one entry more in every row, a type of total n + 1.
    fn copy_into(
        &self,
        values: &mut [u32],
        (shapes, height): (&Shapes, u32),
        class: usize,
        (total, at): (usize, usize),
        from: usize,
    ) {
        let class = class_within(class, total);
        if class == 0 {
            values[at..at + total].copy_from_slice(&self.values[from..from + total]);
            if let Some(last) = total.checked_sub(1) {
                values[at + last] ^= height;
            }
            return;
        }
        for w in 0..=total / odd(class) {
            let rest = total - odd(class) * w;
            let begin = if w == 0 || rest == 0 { 0 } else { self.shapes.start(class, total - 1, w) };
            let to = (rest, at + shapes.start(class, total, w));
            self.copy_into(values, (shapes, height), class - 1, to, from + begin);
        }
    }

    /// Places and values of the types of total n + 1.
    fn new_values(
        &self,
        shapes: &Shapes,
        heights: &Heights,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<(u32, u32)>, Stopped> {
        // Each thread goes through all of them, which is little, and values every so many.
        let found = crew(threads, 0..threads, Vec::new, |found: &mut Vec<(u32, u32)>, thread| {
            let mut number = 0;
            each_new(shapes, usize::MAX, (self.n + 1, 0), &mut Vec::new(), &mut |at, parts| {
                if number / RUN % threads == thread && !watch.is_stopped() {
                    found.push((at as u32, self.value_of(parts, heights)));
                }
                number += 1;
            });
        });
        watch.check()?;
        Ok(found.concat())
    }
}

impl Default for DistinctTypes {
    fn default() -> Self {
        Self::new()
    }
}

/// Calls `visit` with the place and the parts of every type of the largest total of a list, the largest class first.
fn each_new(
    shapes: &Shapes,
    class: usize,
    (total, at): (usize, usize),
    parts: &mut Vec<Parts>,
    visit: &mut impl FnMut(usize, &[Parts]),
) {
    let class = class_within(class, total);
    if class == 0 {
        let count = parts.len();
        parts.extend((total > 0).then_some((0, total)));
        visit(at + total, parts);
        return parts.truncate(count);
    }
    for w in 0..=total / odd(class) {
        let start = shapes.start(class, total, w);
        let count = parts.len();
        parts.extend((w > 0).then_some((class, w)));
        each_new(shapes, class - 1, (total - odd(class) * w, at + start), parts, visit);
        parts.truncate(count);
    }
}

/// Values of types of total n + 1, from those of smaller totals.
impl DistinctTypes {
    /// s of the type with these parts: over all unions of the block of the largest one with some of the others, but not all.
    fn value_of(&self, parts: &[Parts], heights: &Heights) -> u32 {
        let largest = |&(class, w): &Parts| odd(class) << w.ilog2();
        let Some(block) = parts.iter().map(largest).max() else { return 0 };
        let mut all = [(0, 0); MOST_CLASSES];
        let others = &mut all[..parts.len()];
        others.copy_from_slice(parts);
        for (class, w) in others.iter_mut() {
            if odd(*class) << w.ilog2() == block {
                *w -= 1 << w.ilog2();
            }
        }
        self.sum_over_unions(heights, others, block, (self.n, 0))
    }

    /// Adds up, over all ways to divide the parts between the block and the rest, h(block) E(rest), where the rest so far
    /// leads to the list of totals up to `room` at `at`.
    fn sum_over_unions(&self, heights: &Heights, parts: &[Parts], block: usize, (room, at): (usize, usize)) -> u32 {
        let Some((&(class, w), smaller)) = parts.split_first() else {
            return if block > self.n { 0 } else { heights.scale(block).of(self.values[at]) };
        };
        let mut sum = 0;
        let mut apart = w;
        loop {
            let start = if apart == 0 { 0 } else { self.shapes.start(class, room, apart) };
            let rest = (room - odd(class) * apart, at + start);
            sum ^= self.sum_over_unions(heights, smaller, block + odd(class) * (w - apart), rest);
            if apart == 0 {
                return sum;
            }
            apart = (apart - 1) & w;
        }
    }
}
