//! Products of chains, with the names that chains, Boolean lattices and divisors give to their elements.

use num_bigint::BigUint;

use super::read::number_within;
use super::{Coordinates, CoverRelation, ElementFault, binomial};
use crate::poset::error::parse_number;

/// How many points of a Boolean lattice are written as digits without commas.
const DIGITS: usize = 10;

/// How users write the elements of a product of chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// One chain: numbers from 1.
    Chain,
    /// Coordinates from 1, joined by points.
    Chains,
    /// Subsets of points, of at most so many.
    Boolean { most: usize },
    /// Divisors of a number: the primes of the factors.
    Divisors { number: u64, primes: Vec<u64> },
}

/// A product of chains, or the subsets of a set with at most k elements. Coordinates are levels from 0, of the last factor
/// first, so that elements of a rank are in the order of their mixed-radix numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chains {
    lengths: Vec<u32>,
    naming: Naming,
}

impl Chains {
    pub(super) fn new(lengths: Vec<u32>, naming: Naming) -> Self {
        Self { lengths, naming }
    }

    /// Whether it is a single chain.
    pub fn is_chain(&self) -> bool {
        self.lengths.len() == 1
    }

    /// Whether it is a Boolean lattice, possibly without its larger sets.
    pub fn is_boolean(&self) -> bool {
        self.lengths.iter().all(|&length| length == 2)
    }

    /// The levels of an element from 0, first factor first.
    fn levels<'a>(&self, x: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        x.iter().rev().copied()
    }
}

impl CoverRelation for Chains {
    fn name(&self) -> String {
        match &self.naming {
            Naming::Chain => format!("chain:{}", self.lengths[0]),
            Naming::Chains => {
                let lengths: Vec<String> = self.lengths.iter().map(u32::to_string).collect();
                format!("chains:{}", lengths.join("x"))
            }
            Naming::Boolean { most } if *most == self.lengths.len() => format!("boolean:{most}"),
            Naming::Boolean { most } => format!("boolean:{}:{most}", self.lengths.len()),
            Naming::Divisors { number, .. } => format!("divisors:{number}"),
        }
    }

    fn len(&self) -> BigUint {
        match self.naming {
            Naming::Boolean { most } => (0..=most).map(|rank| binomial(self.lengths.len(), rank)).sum(),
            _ => self.lengths.iter().copied().map(BigUint::from).product(),
        }
    }

    fn coordinates(&self) -> usize {
        self.lengths.len()
    }

    fn height(&self) -> usize {
        match self.naming {
            Naming::Boolean { most } => most,
            _ => self.lengths.iter().map(|&length| length as usize - 1).sum(),
        }
    }

    fn len_by_rank(&self) -> Vec<BigUint> {
        let height = self.height();
        // Of a growing number of factors: each adds up to `length - 1` to the rank.
        let mut counts = vec![BigUint::ZERO; height + 1];
        counts[0] = 1u8.into();
        for &length in &self.lengths {
            let mut sums = vec![BigUint::ZERO];
            counts.iter().for_each(|count| sums.push(&sums[sums.len() - 1] + count));
            for (rank, count) in counts.iter_mut().enumerate() {
                *count = &sums[rank + 1] - &sums[(rank + 1).saturating_sub(length as usize)];
            }
        }
        counts
    }

    fn rank(&self, x: &[u32]) -> usize {
        x.iter().map(|&level| level as usize).sum()
    }

    fn maximal(&self) -> Vec<Coordinates> {
        let top = self.lengths.iter().rev().map(|length| length - 1);
        match self.naming {
            Naming::Boolean { most } => subsets(self.lengths.len(), most),
            _ => vec![top.collect()],
        }
    }

    fn lower_covers(&self, x: &[u32]) -> Vec<Coordinates> {
        let steps = (0..x.len()).filter(|&i| x[i] > 0);
        let lower = |i: usize| x.iter().enumerate().map(|(j, &level)| level - u32::from(i == j)).collect();
        steps.map(lower).collect()
    }

    fn is_at_most(&self, x: &[u32], y: &[u32]) -> bool {
        x.iter().zip(y).all(|(x, y)| x <= y)
    }

    fn label(&self, x: &[u32]) -> String {
        let levels = self.levels(x);
        match &self.naming {
            Naming::Chain | Naming::Chains => {
                let coordinates: Vec<String> = levels.map(|level| (level + 1).to_string()).collect();
                coordinates.join(".")
            }
            Naming::Boolean { .. } => {
                let points: Vec<String> =
                    levels.enumerate().filter(|&(_, level)| level == 1).map(|(point, _)| point.to_string()).collect();
                match points.is_empty() {
                    true => crate::poset::boolean::EMPTY_SET.to_owned(),
                    false => points.join(if self.lengths.len() <= DIGITS { "" } else { "," }),
                }
            }
            Naming::Divisors { primes, .. } => {
                primes.iter().zip(levels).map(|(prime, level)| prime.pow(level)).product::<u64>().to_string()
            }
        }
    }

    fn element(&self, word: &str) -> Result<Coordinates, ElementFault> {
        if word.is_empty() {
            return Err(ElementFault::Empty);
        }
        let mut levels = match &self.naming {
            Naming::Chain | Naming::Chains => self.numbers(word)?,
            Naming::Boolean { most } => self.set(word, *most)?,
            Naming::Divisors { primes, .. } => self.divisor(word, primes)?,
        };
        levels.reverse();
        Ok(levels)
    }

    fn usage(&self) -> String {
        match &self.naming {
            Naming::Chain => "the number of the element, counting from 1".to_owned(),
            Naming::Chains => "coordinates from 1, as in 3.1.2".to_owned(),
            Naming::Boolean { .. } if self.lengths.len() > DIGITS => {
                "a set as its points, separated by commas, as in 0,5,12; `-` is the empty set".to_owned()
            }
            Naming::Boolean { .. } => "a set as digits, as in 012; `-` is the empty set".to_owned(),
            Naming::Divisors { number, .. } => format!("a divisor of {number}"),
        }
    }
}

/// What the words of each naming mean, as levels, first factor first.
impl Chains {
    fn numbers(&self, word: &str) -> Result<Coordinates, ElementFault> {
        let parts: Vec<&str> = word.split('.').collect();
        if parts.len() != self.lengths.len() {
            return Err(ElementFault::Parts { found: parts.len(), expected: self.lengths.len() });
        }
        let level = |(part, &length): (&str, &u32)| Ok(number_within(part, 1, length.into())? - 1);
        parts.into_iter().zip(&self.lengths).map(level).collect()
    }

    fn set(&self, word: &str, most: usize) -> Result<Coordinates, ElementFault> {
        let mut levels = vec![0; self.lengths.len()];
        if word == crate::poset::boolean::EMPTY_SET {
            return Ok(levels);
        }
        let last = (levels.len() as u64).saturating_sub(1);
        let mut put = |point: u32| match levels.get_mut(point as usize) {
            Some(level) if *level == 0 => {
                *level = 1;
                Ok(())
            }
            Some(_) => Err(ElementFault::Twice(format!("point {point}"))),
            None => Err(ElementFault::OutOfRange { number: point.into(), least: 0, most: last }),
        };
        if self.lengths.len() <= DIGITS {
            word.chars().try_for_each(|c| put(c.to_digit(10).ok_or(ElementFault::Character(c))?))?;
        } else {
            word.split(',').try_for_each(|part| match part {
                "0" => put(0),
                // A set of digits, as lattices of fewer points have them.
                _ if part.starts_with('0') => Err(ElementFault::Digits),
                _ => put(number_within(part, 0, last)?),
            })?;
        }
        match levels.iter().sum::<u32>() as usize {
            size if size > most => Err(ElementFault::NotAnElement(self.name())),
            _ => Ok(levels),
        }
    }

    fn divisor(&self, word: &str, primes: &[u64]) -> Result<Coordinates, ElementFault> {
        let mut rest = parse_number(word)?;
        let mut levels = Vec::with_capacity(primes.len());
        for (&prime, &length) in primes.iter().zip(&self.lengths) {
            let mut level = 0;
            while level + 1 < length && rest != 0 && rest.is_multiple_of(prime) {
                rest /= prime;
                level += 1;
            }
            levels.push(level);
        }
        if rest == 1 { Ok(levels) } else { Err(ElementFault::NotAnElement(self.name())) }
    }
}

/// The indicators of all sets of so many of the points.
fn subsets(points: usize, size: usize) -> Vec<Coordinates> {
    if size == 0 || size == points {
        return vec![vec![u32::from(size > 0); points]];
    }
    let with = |level: u32, size: usize| {
        subsets(points - 1, size).into_iter().map(move |rest| std::iter::once(level).chain(rest).collect())
    };
    with(0, size).chain(with(1, size - 1)).collect()
}
