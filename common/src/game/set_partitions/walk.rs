//! All types of n, in an order of which any part can be visited by itself.
//!
//! The walk goes from the largest class down. It carries the values of what was chosen so far together with every distinct
//! type that the smaller classes could add: a list as [`super::shapes`] describes, which for distinct choices is part of the
//! table. Where a choice repeats a part, its list is made from two others.

use std::ops::Range;

use super::super::nimber::Scale;
use super::powers::Powers;
use super::shapes::{Shapes, class_within, odd};
use super::{DistinctTypes, Heights, Seen};
use crate::parallel::crew;
use crate::watch::{Stopped, Watch};

/// Types visited between two signs of life.
const BETWEEN_SIGNS: u64 = 1 << 16;

/// What was found of a part of the types of n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The s(mu) below the bound.
    pub seen: Seen,
    /// Number of types visited.
    pub types: u64,
}

impl Survey {
    /// Visits the types of n with numbers in a range, and notes the values below a bound. Types that differ in powers of two
    /// only are visited together, where the first of them is in the range.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn of(
        types: &DistinctTypes,
        heights: &Heights,
        range: Range<u64>,
        bound: u64,
        watch: &Watch<'_>,
    ) -> Result<Self, Stopped> {
        let mut walk = Walk {
            shapes: &types.shapes,
            table: &types.values,
            heights,
            powers: Powers::new(types.n(), heights),
            range,
            made: Vec::new(),
            lists: Vec::new(),
            passed: 0,
            visited: 0,
            told: 0,
            seen: Seen::below(bound),
            watch,
        };
        walk.classes(usize::MAX, types.n(), 0)?;
        watch.advance(walk.visited - walk.told);
        Ok(Self { seen: walk.seen, types: walk.visited })
    }

    /// The same in so many parts, on so many threads.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn in_parts(
        types: &DistinctTypes,
        heights: &Heights,
        range: Range<u64>,
        parts: usize,
        (threads, bound): (usize, u64),
        watch: &Watch<'_>,
    ) -> Result<Self, Stopped> {
        let new = || Ok(Self { seen: Seen::below(bound), types: 0 });
        let found = crew(threads, 0..parts, new, |found: &mut Result<Self, Stopped>, part| {
            let Ok(before) = found else { return };
            match Self::of(types, heights, part_of(&range, part, parts), bound, watch) {
                Ok(survey) => before.join(&survey),
                Err(stopped) => *found = Err(stopped),
            }
        });
        let mut whole = Self { seen: Seen::below(bound), types: 0 };
        for survey in found {
            whole.join(&survey?);
        }
        Ok(whole)
    }

    fn join(&mut self, other: &Self) {
        self.seen.join(&other.seen);
        self.types += other.types;
    }
}

/// The part of a range of types that is number `part` of `parts` equal ones.
pub(super) fn part_of(range: &Range<u64>, part: usize, parts: usize) -> Range<u64> {
    let length = u128::from(range.end - range.start);
    let begin = |part: usize| range.start + (length * part as u128 / parts.max(1) as u128) as u64;
    begin(part)..begin(part + 1)
}

struct Walk<'a> {
    shapes: &'a Shapes,
    table: &'a [u32],
    heights: &'a Heights,
    powers: Powers<'a>,
    range: Range<u64>,
    /// Lists that are not in the table; their places are counted on from its end.
    made: Vec<u32>,
    /// Places of lists: a stack.
    lists: Vec<usize>,
    /// Types before those at hand.
    passed: u64,
    visited: u64,
    /// Those of the visited that the watch knows of.
    told: u64,
    seen: Seen,
    watch: &'a Watch<'a>,
}

impl Walk<'_> {
    /// Passes over so many types, if none of them is in the range.
    fn passes_over(&mut self, types: u64) -> bool {
        let is_outside = self.passed >= self.range.end || self.passed + types <= self.range.start;
        if is_outside {
            self.passed += types;
        }
        is_outside
    }

    /// Completes a choice by parts of total `total` in the classes up to `class`; its list is at `at`.
    fn classes(&mut self, class: usize, total: usize, at: usize) -> Result<(), Stopped> {
        let class = class_within(class, total);
        if class == 0 {
            return self.powers(total, at);
        }
        let from = self.lists.len();
        self.lists.extend((0..=total / odd(class)).map(|w| at + self.shapes.start(class, total, w)));
        self.level(class, 0, total, from)?;
        self.lists.truncate(from);
        Ok(())
    }

    /// The same with parts in class `class` from o 2^level on. `lists[from + w]` is the list with those distinct parts that
    /// add up to o w 2^level.
    fn level(&mut self, class: usize, level: usize, total: usize, from: usize) -> Result<(), Stopped> {
        if self.passes_over(self.shapes.types(class, level, total)) {
            return Ok(());
        }
        let part = odd(class) << level;
        if part > total {
            return self.classes(class - 1, total, self.lists[from]);
        }
        for ones in 0..=1 {
            let Some(mut total) = total.checked_sub(ones * part) else { break };
            let (lists, made) = (self.lists.len(), self.made.len());
            let mut base = lists;
            for w in 0..=total / (2 * part) {
                self.lists.push(self.lists[from + 2 * w + ones]);
            }
            loop {
                self.level(class, level + 1, total, base)?;
                // Two more of this part.
                let Some(left) = total.checked_sub(2 * part).filter(|_| self.passed < self.range.end) else { break };
                total = left;
                let next = self.lists.len();
                for w in 0..=total / (2 * part) {
                    let list = self.raised(class, level, total, base, w);
                    self.lists.push(list);
                }
                base = next;
            }
            self.lists.truncate(lists);
            self.made.truncate(made);
        }
        Ok(())
    }

    /// Makes a list of x_i x_i = x_2i + h(i)^2 times the choice whose lists begin at `base`: that of the distinct multiples of
    /// 2i that add up to 2i w, where a total of `total` is left for these and all smaller classes.
    fn raised(&mut self, class: usize, level: usize, total: usize, base: usize, w: usize) -> usize {
        let part = odd(class) << level;
        let total = total - 2 * part * w;
        let at = self.table.len() + self.made.len();
        let same = self.lists[base + w + 1];
        let len = self.shapes.len(class - 1, total);
        match same.checked_sub(self.table.len()) {
            None => self.made.extend_from_slice(&self.table[same..same + len]),
            Some(same) => self.made.extend_from_within(same..same + len),
        }
        // Where 2i is among the parts already, x_2i x_2i = x_4i + h(2i)^2, and so on upwards.
        for carry in 0..=(w + 1).trailing_zeros() {
            let scale = self.heights.square(part << carry);
            let from = (total + ((2 * part) << carry), self.lists[base + w + 1 - (1 << carry)]);
            self.add(class - 1, (total, at), from, scale);
        }
        at
    }

    /// Adds to the list of a total the entries of another, with a larger total, that are in both, times a factor.
    fn add(&mut self, class: usize, (total, to): (usize, usize), (room, from): (usize, usize), scale: &Scale) {
        let class = class_within(class, total);
        if class > 0 {
            for w in 0..=total / odd(class) {
                let taken = odd(class) * w;
                let to = (total - taken, to + self.shapes.start(class, total, w));
                let from = (room - taken, from + self.shapes.start(class, room, w));
                self.add(class - 1, to, from, scale);
            }
            return;
        }
        let (made, row) = self.made.split_at_mut(to - self.table.len());
        let from = match from.checked_sub(self.table.len()) {
            None => &self.table[from..],
            Some(from) => &made[from..],
        };
        row[..=total].iter_mut().zip(from).for_each(|(to, from)| *to ^= scale.of(*from));
    }

    /// All types that complete a choice by powers of two.
    fn powers(&mut self, total: usize, at: usize) -> Result<(), Stopped> {
        let types = self.shapes.types(0, 0, total);
        let is_in_range = self.range.contains(&self.passed);
        self.passed += types;
        if !is_in_range {
            return Ok(());
        }
        let row = match at.checked_sub(self.table.len()) {
            None => &self.table[at..=at + total],
            Some(at) => &self.made[at..=at + total],
        };
        let (seen, visited) = (&mut self.seen, &mut self.visited);
        self.powers.each(row, &mut |value| {
            seen.put(value);
            *visited += 1;
        });
        if self.visited - self.told >= BETWEEN_SIGNS {
            self.watch.check()?;
            self.watch.advance(self.visited - self.told);
            self.told = self.visited;
        }
        Ok(())
    }
}
