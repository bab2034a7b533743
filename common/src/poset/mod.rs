//! Finite posets: elements, order, labels and automorphisms.
//!
//! Elements are numbers `0..len()`, ordered by rank (the longest chain strictly below), so the numbering is a linear
//! extension and the elements of rank at most `r` are a prefix `0..k` of it. In products of chains, elements of equal rank
//! follow their mixed-radix number, the first factor being the least significant digit: in `boolean:n` by size, then by
//! the bit mask in which point `i` is bit `i`.
//!
//! ```
//! use antichain_common::poset::Poset;
//! let poset: Poset = "boolean:3".parse()?;
//! assert_eq!(poset.len(), 8);
//! assert_eq!(poset.label(4), "01");
//! assert_eq!(poset.lower_covers(4), [1, 2]);
//! assert_eq!(poset.principal_ideal::<1>(4).iter().collect::<Vec<_>>(), [0, 1, 2, 4]);
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

use std::collections::HashMap;
use std::str::FromStr;

use num_bigint::BigUint;

use crate::ideal::{Element, Ideal};

mod antichain;
mod boolean;
mod chains;
pub mod covers;
mod divisors;
mod error;
pub mod given;
mod group;
mod position;
mod product;
mod spec;
mod words;

pub use error::{NumberFault, PosetError, PosetFault};
pub use group::{AutomorphismGroup, FactorGroup, Permutations};
pub use position::{ParsedPosition, PositionError, PositionFault, format_position, parse_position};
pub use spec::{Family, PosetSpec};

/// The largest number of elements of a [`Poset`].
pub const MAX_ELEMENTS: usize = 256;

/// A finite poset with a group of automorphisms.
#[derive(Clone, Debug)]
pub struct Poset {
    spec: PosetSpec,
    labels: Vec<String>,
    /// The elements by their labels.
    elements: HashMap<String, Element>,
    ranks: Vec<usize>,
    lower: Vec<Vec<u16>>,
    upper: Vec<Vec<u16>>,
    below: Vec<Ideal<4>>,
    above: Vec<Ideal<4>>,
    group: AutomorphismGroup,
    duality: Option<Vec<u16>>,
}

/// What a family says of its poset; the rest follows.
struct Description {
    spec: PosetSpec,
    labels: Vec<String>,
    /// Lower covers of each element, in any order.
    lower: Vec<Vec<u16>>,
    group: AutomorphismGroup,
    duality: Option<Vec<u16>>,
}

impl Poset {
    /// Builds the poset of a specification.
    pub fn new(spec: &PosetSpec) -> Self {
        spec.build()
    }

    /// Completes a description. Its elements must be numbered by rank.
    fn complete(description: Description) -> Self {
        let Description { spec, labels, mut lower, group, duality } = description;
        let len = lower.len();
        assert!(len <= MAX_ELEMENTS && labels.len() == len);
        let mut upper = vec![Vec::new(); len];
        let mut below = Vec::<Ideal<4>>::with_capacity(len);
        let mut ranks = Vec::<usize>::with_capacity(len);
        for (x, covers) in lower.iter_mut().enumerate() {
            covers.sort_unstable();
            let mut ideal = Ideal::empty().with(x);
            let mut rank = 0;
            for &y in covers.iter() {
                ideal = ideal.union(&below[usize::from(y)]);
                rank = rank.max(ranks[usize::from(y)] + 1);
                upper[usize::from(y)].push(x as u16);
            }
            below.push(ideal);
            ranks.push(rank);
        }
        assert!(ranks.is_sorted(), "elements are numbered by rank");
        let mut above = vec![Ideal::empty(); len];
        for (x, ideal) in below.iter().enumerate() {
            ideal.iter().for_each(|y| above[y].insert(x));
        }
        let elements = labels.iter().cloned().zip(0..).collect();
        Self { spec, labels, elements, ranks, lower, upper, below, above, group, duality }
    }

    /// The specification; its `Display` is the normal form, for example `boolean:7`.
    pub fn spec(&self) -> &PosetSpec {
        &self.spec
    }

    /// The specification's normal form.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// All subsets of so many points.
    ///
    /// # Panics
    /// If there are more than 8 points.
    pub fn boolean(points: usize) -> Self {
        Self::new(&PosetSpec::boolean(points, points))
    }

    /// Of a Boolean lattice, truncated or not: the number of points, and the elements as bit masks of points.
    pub fn sets(&self) -> Option<(usize, Vec<usize>)> {
        match *self.spec.family() {
            Family::Boolean { points, max_size } => Some((points, boolean::masks(points, max_size))),
            _ => None,
        }
    }

    /// Number of elements, 1 to [`MAX_ELEMENTS`].
    #[expect(clippy::len_without_is_empty, reason = "no family has an empty poset")]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// How users write the element.
    ///
    /// # Panics
    /// If there is no element `x`, as all methods that take an element.
    pub fn label(&self, x: Element) -> String {
        self.labels[x].clone()
    }

    /// The elements that `x` covers, ascending.
    pub fn lower_covers(&self, x: Element) -> &[u16] {
        &self.lower[x]
    }

    /// The elements that cover `x`, ascending.
    pub fn upper_covers(&self, x: Element) -> &[u16] {
        &self.upper[x]
    }

    /// Whether `x <= y`.
    pub fn is_at_most(&self, x: Element, y: Element) -> bool {
        self.below[y].contains(x)
    }

    /// Every element at most `x`.
    ///
    /// # Panics
    /// If `W` words are too few for the poset; see [`Self::words`].
    pub fn principal_ideal<const W: usize>(&self, x: Element) -> Ideal<W> {
        self.narrow(&self.below[x])
    }

    /// Every element at least `x`.
    ///
    /// # Panics
    /// If `W` words are too few for the poset; see [`Self::words`].
    pub fn principal_filter<const W: usize>(&self, x: Element) -> Ideal<W> {
        self.narrow(&self.above[x])
    }

    fn narrow<const W: usize>(&self, set: &Ideal<4>) -> Ideal<W> {
        assert!(64 * W >= self.len(), "{W} words hold no ideal of {} elements", self.len());
        let mut words = [0; W];
        words.iter_mut().zip(set.0).for_each(|(to, from)| *to = from);
        Ideal(words)
    }

    /// Length of the longest chain strictly below `x`.
    pub fn rank(&self, x: Element) -> usize {
        self.ranks[x]
    }

    /// The words a bit set of elements takes: 1, 2 or 4.
    pub fn words(&self) -> usize {
        match self.len() {
            0..=64 => 1,
            65..=128 => 2,
            _ => 4,
        }
    }

    /// The automorphisms in use.
    pub fn group(&self) -> &AutomorphismGroup {
        &self.group
    }

    /// Number of elements of the group.
    pub fn group_order(&self) -> BigUint {
        match &self.group {
            AutomorphismGroup::AllPermutations => (1..=self.len()).map(BigUint::from).product(),
            AutomorphismGroup::Trivial => 1u8.into(),
            AutomorphismGroup::Factors(group) => group.order().into(),
        }
    }

    /// An order-reversing bijection `x -> duality[x]` that is its own inverse and commutes with the group, where the
    /// family has one: complete Boolean lattices, products of chains, divisors, antichains.
    pub fn duality(&self) -> Option<&[u16]> {
        self.duality.as_deref()
    }

    /// The subposet of the elements of rank at most `r`, a prefix of this one, with the same group acting on it.
    ///
    /// The group is the restriction of this poset's group, so that both act alike. It may be smaller than the
    /// automorphism group of the result, and at `r = 0` of a product it acts trivially.
    pub fn truncate_to_rank(&self, r: usize) -> Self {
        let len = self.ranks.partition_point(|&rank| rank <= r);
        if len == self.len() {
            return self.clone();
        }
        Self::complete(Description {
            spec: self.spec.truncated(r),
            labels: self.labels[..len].to_vec(),
            lower: self.lower[..len].to_vec(),
            group: self.group.restricted(len),
            duality: None,
        })
    }
}

impl FromStr for Poset {
    type Err = PosetError;

    fn from_str(text: &str) -> Result<Self, PosetError> {
        Ok(Self::new(&text.parse()?))
    }
}

#[cfg(test)]
mod tests;
