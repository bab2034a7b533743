//! How tables of distinct types are laid out, and how many types there are of each kind.
//!
//! Parts come in *classes*: class c holds the odd number o = 2c + 1 and its doubles 2o, 4o, ... What a distinct type has in a
//! class is told by one number w, whose binary digit k says whether o 2^k is a part: it adds o w to the total. So distinct
//! types with parts in the classes up to c and a total of at most m are sequences (w_c, ..., w_0) with
//! `sum o w <= m`, and are listed in lexicographic order. What follows a given w_c is again such a list, of the classes up to
//! c - 1 and totals up to m - o w_c: a contiguous range that depends on these two numbers alone. In class 0 it is one entry
//! for every w_0 from 0 to m.

/// The lists of classes and totals up to some n.
pub(super) struct Shapes {
    n: usize,
    /// For every class and total, one list after the other: where in it the entries with w = 0, 1, ... begin, and its length.
    starts: Vec<u32>,
    /// Where these begin for a class and a total.
    lists: Vec<u32>,
    /// `types[c][k][m]`: number of types of total m, of the parts o 2^k, o 2^(k+1), ... of class c and of all smaller classes.
    types: Vec<Vec<Vec<u64>>>,
}

/// The odd number of a class.
pub(super) fn odd(class: usize) -> usize {
    2 * class + 1
}

/// The largest class up to `class` that can have parts in a total of m > 0.
pub(super) fn class_within(class: usize, total: usize) -> usize {
    class.min(total.saturating_sub(1) / 2)
}

impl Shapes {
    /// For totals up to n.
    pub fn new(n: usize) -> Self {
        let mut shapes = Self { n, starts: Vec::new(), lists: Vec::new(), types: Vec::new() };
        for class in 0..=class_within(usize::MAX, n) {
            for total in 0..=n {
                shapes.add_list(class, total);
            }
            shapes.types.push(Vec::new());
            let levels = (0..).take_while(|&level| odd(class) << level <= n.max(1)).count();
            // From the largest parts of the class down to the smallest.
            let mut of_level: Vec<u64> = (0..=n).map(|total| shapes.types_below(class, total)).collect();
            let mut by_level = vec![of_level.clone()];
            for level in (0..levels).rev() {
                let part = odd(class) << level;
                for total in part..=n {
                    of_level[total] += of_level[total - part];
                }
                by_level.push(of_level.clone());
            }
            by_level.reverse();
            shapes.types[class] = by_level;
        }
        shapes
    }

    fn add_list(&mut self, class: usize, total: usize) {
        self.lists.push(self.starts.len() as u32);
        let mut start = 0;
        self.starts.push(start);
        for w in 0..=total / odd(class) {
            start += match class.checked_sub(1) {
                Some(below) => self.len(below, total - odd(class) * w) as u32,
                None => 1,
            };
            self.starts.push(start);
        }
    }

    fn types_below(&self, class: usize, total: usize) -> u64 {
        match class.checked_sub(1) {
            Some(below) => self.types(below, 0, total),
            None => u64::from(total == 0),
        }
    }

    /// Length of the list of a class and a total.
    pub fn len(&self, class: usize, total: usize) -> usize {
        let class = class_within(class, total);
        self.start(class, total, total / odd(class) + 1)
    }

    /// Where the entries with a given w begin; after the last w, the length. The class must be [within](class_within) the total.
    #[inline(always)]
    pub fn start(&self, class: usize, total: usize, w: usize) -> usize {
        self.starts[self.lists[class * (self.n + 1) + total] as usize + w] as usize
    }

    /// Number of types of that total, of the parts from level `level` on of a class, and of all smaller classes.
    #[inline(always)]
    pub fn types(&self, class: usize, level: usize, total: usize) -> u64 {
        let levels = &self.types[class];
        levels[level.min(levels.len() - 1)][total]
    }
}

#[cfg(test)]
mod tests {
    use super::super::number_of_types;
    use super::*;

    /// Partitions of n into distinct parts, OEIS A000009.
    const DISTINCT: [usize; 14] = [1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18];

    #[test]
    fn lists_have_all_types() {
        let n = DISTINCT.len() - 1;
        let shapes = Shapes::new(n);
        let top = class_within(usize::MAX, n);
        for total in 0..=n {
            assert_eq!(shapes.len(top, total), DISTINCT[..=total].iter().sum::<usize>());
            assert_eq!(shapes.types(top, 0, total), number_of_types(total));
        }
        // Partitions into powers of two, OEIS A018819.
        let binary: Vec<u64> = (0..=n).map(|total| shapes.types(0, 0, total)).collect();
        assert_eq!(binary, [1, 1, 2, 2, 4, 4, 6, 6, 10, 10, 14, 14, 20, 20]);
        assert_eq!(shapes.types(0, 1, 6), 2, "4 + 2 and 2 + 2 + 2");
    }
}
