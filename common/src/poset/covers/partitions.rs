//! `partitions:n`: the partitions of the set of the numbers 1 to n, finer ones below coarser ones.

use num_bigint::BigUint;

use super::read::number_within;
use super::{Coordinates, CoverRelation, ElementFault};

/// Elements of blocks that are written as digits without commas.
const DIGITS: usize = 9;

/// The set partitions of n elements. The coordinates say of every element the number of its block, blocks being numbered by
/// their least elements (a restricted growth string).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetPartitions {
    n: usize,
}

impl SetPartitions {
    pub(super) fn new(n: usize) -> Self {
        Self { n }
    }

    /// Number of elements of the set.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Sizes of the blocks, descending.
    pub fn type_of(x: &[u32]) -> Vec<usize> {
        let mut sizes: Vec<usize> = blocks(x).iter().map(Vec::len).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }
}

/// Number of set partitions of n elements (OEIS A000110), by the Bell triangle.
pub fn bell_number(n: usize) -> BigUint {
    let mut row = vec![BigUint::from(1u8)];
    for _ in 0..n {
        let mut next = vec![row[row.len() - 1].clone()];
        for above in &row {
            next.push(&next[next.len() - 1] + above);
        }
        row = next;
    }
    row.swap_remove(0)
}

/// The blocks by number, each with its elements from 0.
fn blocks(x: &[u32]) -> Vec<Vec<usize>> {
    let mut blocks = vec![Vec::new(); x.iter().max().map_or(0, |&last| last as usize + 1)];
    x.iter().enumerate().for_each(|(element, &block)| blocks[block as usize].push(element));
    blocks
}

/// Numbers the blocks by their least elements.
fn renumbered(x: &[u32]) -> Coordinates {
    let mut numbers: Vec<Option<u32>> = vec![None; x.len() + 1];
    let mut next = 0;
    let number = |&block: &u32| {
        *numbers[block as usize].get_or_insert_with(|| {
            next += 1;
            next - 1
        })
    };
    x.iter().map(number).collect()
}

impl CoverRelation for SetPartitions {
    fn name(&self) -> String {
        format!("partitions:{}", self.n)
    }

    fn len(&self) -> BigUint {
        bell_number(self.n)
    }

    fn coordinates(&self) -> usize {
        self.n
    }

    fn height(&self) -> usize {
        self.n - 1
    }

    fn len_by_rank(&self) -> Vec<BigUint> {
        // Stirling numbers of the second kind, row by row.
        let mut row = vec![BigUint::from(1u8)];
        for _ in 0..self.n {
            let mut next = vec![BigUint::ZERO; row.len() + 1];
            for (blocks, count) in row.iter().enumerate() {
                next[blocks] += count * blocks;
                next[blocks + 1] += count;
            }
            row = next;
        }
        row.into_iter().skip(1).rev().collect()
    }

    /// A block is divided in two: its least element stays, and some of the others become a block of their own.
    fn len_of_lower_covers(&self, x: &[u32]) -> BigUint {
        blocks(x).iter().map(|block| (BigUint::from(1u8) << (block.len() - 1)) - 1u8).sum()
    }

    fn rank(&self, x: &[u32]) -> usize {
        self.n - blocks(x).len()
    }

    fn maximal(&self) -> Vec<Coordinates> {
        vec![vec![0; self.n]]
    }

    fn lower_covers(&self, x: &[u32]) -> Vec<Coordinates> {
        let new = x.len() as u32;
        let mut lower = Vec::new();
        for block in blocks(x) {
            for chosen in 1..1u64 << (block.len() - 1) {
                let mut finer = x.to_vec();
                for (i, &element) in block[1..].iter().enumerate() {
                    if chosen >> i & 1 == 1 {
                        finer[element] = new;
                    }
                }
                lower.push(renumbered(&finer));
            }
        }
        lower
    }

    fn is_at_most(&self, x: &[u32], y: &[u32]) -> bool {
        blocks(x).iter().all(|block| block.iter().all(|&element| y[element] == y[block[0]]))
    }

    fn label(&self, x: &[u32]) -> String {
        let separator = if self.n <= DIGITS { "" } else { "," };
        let label = |block: &Vec<usize>| {
            let elements: Vec<String> = block.iter().map(|element| (element + 1).to_string()).collect();
            elements.join(separator)
        };
        blocks(x).iter().map(label).collect::<Vec<_>>().join("|")
    }

    fn element(&self, word: &str) -> Result<Coordinates, ElementFault> {
        if word.is_empty() {
            return Err(ElementFault::Empty);
        }
        let mut of = vec![None; self.n];
        for (number, block) in (0..).zip(word.split('|')) {
            let parts: Vec<String> = match self.n <= DIGITS {
                true => block.chars().map(String::from).collect(),
                false => block.split(',').map(|part| part.trim().to_owned()).collect(),
            };
            if parts.is_empty() {
                return Err(ElementFault::EmptyPart);
            }
            for part in parts {
                let element = number_within(&part, 1, self.n as u64)?;
                if of[element as usize - 1].replace(number).is_some() {
                    return Err(ElementFault::Twice(element.to_string()));
                }
            }
        }
        let missing = |element: usize| ElementFault::Missing((element + 1).to_string());
        let of = of.into_iter().enumerate().map(|(element, block)| block.ok_or_else(|| missing(element)));
        Ok(renumbered(&of.collect::<Result<Coordinates, _>>()?))
    }

    fn usage(&self) -> String {
        // The two halves.
        let middle = self.n.div_ceil(2);
        let blocks = (0..self.n).map(|element| u32::from(element >= middle)).collect::<Coordinates>();
        format!("the blocks with all numbers from 1 to {}, separated by `|`, as in {}", self.n, self.label(&blocks))
    }
}
