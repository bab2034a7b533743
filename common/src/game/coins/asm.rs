//! The ruler on the posets A_n: values depend on rank and z alone, and not on n (section 6.1 of the paper).
//!
//! Let x = (0, 0, t) be the element of rank s = n - 2. An interval [y, x] with y = (a, b, c) has, at rank s - m, those
//! (i, m - i, z) with max(0, m - b) <= i <= min(a, m) and max(c, t - m) <= z <= min(t, a + b + c - m). So its sum is that of
//! R(m) over the m from 1 for which the number of i is odd, where R(m) sums the values of rank s - m in that range of z: a
//! difference of prefix sums, which depends on a + b alone. From (a, b) to (a + 1, b - 1) the i from m - b on are replaced by
//! those up to a + 1, which changes the sum by R(a + 1) + ... + R(b - 1). So each interval takes a few operations, and all
//! values to rank s take s^5 / 60 or so.

use std::collections::HashSet;

/// Rows of values: row s has gbar(s, 0), ..., gbar(s, s), for s from 0 to `last`.
pub fn ruler_rows(last: usize) -> Vec<Vec<u64>> {
    let mut ruler = Ruler::default();
    for rank in 0..=last {
        ruler.add_row(rank);
    }
    ruler.rows
}

#[derive(Default)]
struct Ruler {
    rows: Vec<Vec<u64>>,
    /// `prefixes[s][t]`: the sum of the first t values of row s.
    prefixes: Vec<Vec<u64>>,
}

/// Which numbers were seen, forgotten all at once.
#[derive(Default)]
struct Marks {
    round: u32,
    small: Vec<u32>,
    large: HashSet<u64>,
}

/// Numbers that have a place of their own.
const SMALL: usize = 1 << 16;

impl Marks {
    fn forget(&mut self) {
        self.round += 1;
        self.small.resize(SMALL, 0);
        self.large.clear();
    }

    fn put(&mut self, number: u64) {
        match self.small.get_mut(number as usize) {
            Some(mark) => *mark = self.round,
            None => {
                self.large.insert(number);
            }
        }
    }

    fn least_missing(&self) -> u64 {
        let small = self.small.iter().position(|&mark| mark != self.round).map(|at| at as u64);
        let large = || (SMALL as u64..).find(|number| !self.large.contains(number));
        small.or_else(large).unwrap_or(u64::MAX)
    }
}

impl Ruler {
    fn add_row(&mut self, rank: usize) {
        let mut marks = Marks::default();
        let mut row = vec![0; rank + 1];
        // The map (x, y, z) to (x, y, n - 2 - x - y - z) is an automorphism.
        for t in 0..=rank / 2 {
            let value = self.value(rank, t, &mut marks);
            row[t] = value;
            row[rank - t] = value;
        }
        let mut prefixes = vec![0];
        row.iter().for_each(|value| prefixes.push(prefixes[prefixes.len() - 1] ^ value));
        self.rows.push(row);
        self.prefixes.push(prefixes);
    }

    fn value(&self, rank: usize, t: usize, marks: &mut Marks) -> u64 {
        marks.forget();
        // The interval of one element.
        marks.put(0);
        // Sums of R(1), ..., R(m).
        let mut sums = vec![0; rank + 1];
        for ab in 1..=rank {
            for c in t.saturating_sub(ab)..=t.min(rank - ab) {
                for m in 1..=ab {
                    let prefixes = &self.prefixes[rank - m];
                    let (least, most) = (c.max(t.saturating_sub(m)), t.min(ab + c - m));
                    sums[m] = sums[m - 1] ^ prefixes[most + 1] ^ prefixes[least];
                }
                // At a = 0 there is one i for every m.
                let mut sum = sums[ab];
                marks.put(sum);
                for a in 0..ab / 2 {
                    sum ^= sums[ab - a - 1] ^ sums[a];
                    marks.put(sum);
                }
            }
        }
        marks.least_missing()
    }
}
