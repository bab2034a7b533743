//! From relations to a poset: cycles, what follows by transitivity, covers, numbers by rank.

use std::collections::HashMap;

use super::text::with_digest;
use super::{GivenError, GivenFault, GivenPoset, MOST_ELEMENTS};

/// Elements by name, and which of them are said to be below which.
#[derive(Debug, Default)]
pub(super) struct Relations {
    labels: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Of each element those above it, with the lines that say so.
    above: Vec<Vec<(usize, usize)>>,
}

/// A set of elements.
type Set = Box<[u64]>;

fn has(set: &Set, x: usize) -> bool {
    set[x / 64] >> (x % 64) & 1 == 1
}

impl Relations {
    /// The number of the element of this name, a new one if there is none yet.
    ///
    /// # Errors
    /// [`GivenFault::TooManyElements`].
    pub fn element(&mut self, label: &str, line: usize) -> Result<usize, GivenError> {
        match self.number(label) {
            Some(number) => Ok(number),
            None => self.add(label.to_owned(), line),
        }
    }

    /// A new element.
    ///
    /// # Errors
    /// [`GivenFault::Duplicate`], [`GivenFault::TooManyElements`].
    pub fn add(&mut self, label: String, line: usize) -> Result<usize, GivenError> {
        let number = self.labels.len();
        if number == MOST_ELEMENTS {
            return Err(GivenFault::TooManyElements.at(line));
        }
        if self.numbers.contains_key(&label) {
            return Err(GivenFault::Duplicate(label).at(line));
        }
        self.numbers.insert(label.clone(), number);
        self.labels.push(label);
        self.above.push(Vec::new());
        Ok(number)
    }

    /// The number of the element of this name.
    pub fn number(&self, label: &str) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    /// How an element is called.
    pub fn label(&self, x: usize) -> &str {
        &self.labels[x]
    }

    /// Says that x is below y.
    ///
    /// # Errors
    /// [`GivenFault::BelowItself`].
    pub fn relate(&mut self, x: usize, y: usize, line: usize) -> Result<(), GivenError> {
        if x == y {
            return Err(GivenFault::BelowItself(self.labels[x].clone()).at(line));
        }
        self.above[x].push((y, line));
        Ok(())
    }

    /// The poset, and how many relations follow from those that were given without being among them.
    ///
    /// # Errors
    /// [`GivenFault::Cycle`], [`GivenFault::Empty`].
    pub fn order(mut self) -> Result<(GivenPoset, usize), GivenError> {
        let len = self.labels.len();
        if len == 0 {
            return Err(GivenFault::Empty.into());
        }
        for above in &mut self.above {
            above.sort_unstable();
            above.dedup_by_key(|(y, _)| *y);
        }
        let ascending = self.ascending()?;
        let mut given: Vec<Vec<usize>> = vec![Vec::new(); len];
        for (x, above) in self.above.iter().enumerate() {
            above.iter().for_each(|&(y, _)| given[y].push(x));
        }
        // Strictly below each element, in an order in which lower ones come first.
        let mut below: Vec<Set> = vec![vec![0; len.div_ceil(64)].into(); len];
        let mut ranks = vec![0; len];
        let mut lower: Vec<Vec<usize>> = vec![Vec::new(); len];
        let mut pairs = 0;
        for &y in &ascending {
            let mut further = below[y].clone();
            for &x in &given[y] {
                further.iter_mut().zip(&below[x]).for_each(|(to, from)| *to |= from);
                ranks[y] = ranks[y].max(ranks[x] + 1);
            }
            lower[y] = given[y].iter().copied().filter(|&x| !has(&further, x)).collect();
            given[y].iter().for_each(|&x| further[x / 64] |= 1 << (x % 64));
            pairs += further.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            below[y] = further;
        }
        let added = pairs - given.iter().map(Vec::len).sum::<usize>();
        Ok((self.numbered(&ranks, &lower), added))
    }

    /// The elements, lower ones first.
    fn ascending(&self) -> Result<Vec<usize>, GivenError> {
        let len = self.labels.len();
        let mut waits_for = vec![0; len];
        self.above.iter().flatten().for_each(|&(y, _)| waits_for[y] += 1);
        let mut ascending: Vec<usize> = (0..len).filter(|&x| waits_for[x] == 0).collect();
        let mut next = 0;
        while let Some(&x) = ascending.get(next) {
            next += 1;
            for &(y, _) in &self.above[x] {
                waits_for[y] -= 1;
                if waits_for[y] == 0 {
                    ascending.push(y);
                }
            }
        }
        match waits_for.iter().position(|&waits| waits > 0) {
            Some(start) => Err(self.cycle(start, &waits_for)),
            None => Ok(ascending),
        }
    }

    /// The cycle that is found by going down from an element that waits for others, to elements that do so too.
    fn cycle(&self, start: usize, waits_for: &[usize]) -> GivenError {
        // What waits does so for something that waits itself.
        let mut below: Vec<Option<usize>> = vec![None; self.labels.len()];
        for (x, above) in self.above.iter().enumerate().filter(|&(x, _)| waits_for[x] > 0) {
            above.iter().for_each(|&(y, _)| below[y] = below[y].or(Some(x)));
        }
        let mut path = Vec::new();
        let mut seen = HashMap::new();
        let mut next = Some(start);
        while let Some(x) = next {
            if let Some(&at) = seen.get(&x) {
                path.drain(..at);
                break;
            }
            seen.insert(x, path.len());
            path.push(x);
            next = below[x];
        }
        // Downwards so far.
        path.reverse();
        let least = (0..path.len()).min_by_key(|&i| path[i]).unwrap_or(0);
        path.rotate_left(least);
        path.push(path[0]);
        let last = path.windows(2).filter_map(|pair| self.line(pair[0], pair[1])).max();
        let labels = path.into_iter().map(|x| self.labels[x].clone()).collect();
        GivenError { line: last, fault: GivenFault::Cycle(labels) }
    }

    /// The line that says that x is below y.
    fn line(&self, x: usize, y: usize) -> Option<usize> {
        self.above[x].iter().find(|(above, _)| *above == y).map(|&(_, line)| line)
    }

    /// The poset with its elements by rank.
    fn numbered(&self, ranks: &[usize], lower: &[Vec<usize>]) -> GivenPoset {
        let mut by_rank: Vec<usize> = (0..ranks.len()).collect();
        by_rank.sort_by_key(|&x| ranks[x]);
        let mut number = vec![0u16; ranks.len()];
        by_rank.iter().enumerate().for_each(|(to, &x)| number[x] = to as u16);
        let covers = |&x: &usize| {
            let mut covers: Vec<u16> = lower[x].iter().map(|&y| number[y]).collect();
            covers.sort_unstable();
            covers
        };
        let labels = by_rank.iter().map(|&x| self.labels[x].clone()).collect();
        with_digest(labels, by_rank.iter().map(covers).collect())
    }
}
