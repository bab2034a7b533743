//! How a group of point permutations acts on the elements of a poset.
//!
//! A group element is named by the rank of its sequence of points: the permutation that puts point `s[p]` at position
//! `p` has the sequence `s`, and its number is the lexicographic rank of `s` among all sequences. So sorting the points of
//! an ideal yields the name of the permutation that sorts them, without a search.

use crate::ideal::{Element, Ideal};
use crate::poset::FactorGroup;

/// Largest number of points; the group order is then at most 40,320.
pub const MAX_POINTS: usize = 8;

/// A group element: the rank of its sequence of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupElement(pub u16);

impl GroupElement {
    /// The element that moves nothing.
    pub const IDENTITY: Self = Self(0);

    /// The element as an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The action on a range of at most 256 elements of a poset, numbered from 0.
///
/// Rows that belong to no member of the group (points of different kinds exchanged) are never used.
pub struct Action {
    stride: usize,
    /// Row `g`: for each element `e` the element that `g` maps to `e`.
    preimages: Vec<u8>,
    inverse: Vec<u16>,
}

impl Action {
    /// The action on the elements `range` of the group's poset, where `number[x - range.start]` is the number of element
    /// `x` in this action. `words` is the number of 64-bit words of the sets it will act on.
    ///
    /// # Panics
    /// If the group does not map the range to itself.
    pub fn new(group: &FactorGroup, range: std::ops::Range<Element>, number: &[u8], words: usize) -> Self {
        let points = group.points();
        let stride = 64 * words;
        let rows = (1..=points).product::<usize>();
        // Numbers beyond the range are fixed, so that a whole word can be moved at once.
        let mut preimages: Vec<u8> = (0..rows * stride).map(|i| (i % stride) as u8).collect();
        let mut inverse = vec![0; rows];
        let positions = positions_by_class(group);
        for permutation in group.elements() {
            // `permutation[i]` is where point i goes; the sequence lists the points by position.
            let mut sequence = [0; MAX_POINTS];
            let mut inverse_sequence = [0; MAX_POINTS];
            for (p, &point) in positions.iter().enumerate() {
                let target = positions.iter().position(|&q| q == permutation[usize::from(point)]).unwrap_or(p);
                sequence[target] = p as u8;
                inverse_sequence[p] = target as u8;
            }
            let g = rank(&sequence[..points]);
            inverse[g] = rank(&inverse_sequence[..points]) as u16;
            let row = &mut preimages[g * stride..][..stride];
            let images = group.act(&permutation);
            for x in range.clone() {
                let image = usize::from(images[x]);
                assert!(range.contains(&image), "the group maps the elements {range:?} to themselves");
                row[usize::from(number[image - range.start])] = number[x - range.start];
            }
        }
        Self { stride, preimages, inverse }
    }

    /// For each element the one that `g` maps to it.
    #[inline(always)]
    pub fn preimages(&self, g: GroupElement) -> &[u8] {
        &self.preimages[g.index() * self.stride..][..self.stride]
    }

    /// The group element that undoes `g`.
    #[inline(always)]
    pub fn inverse(&self, g: GroupElement) -> GroupElement {
        GroupElement(self.inverse[g.index()])
    }

    /// The image of a set under `g`.
    #[inline]
    pub fn apply<const W: usize>(&self, g: GroupElement, set: Ideal<W>) -> Ideal<W> {
        let images = self.preimages(self.inverse(g));
        let mut image = Ideal::empty();
        for x in set.iter() {
            image.insert(usize::from(images[x]));
        }
        image
    }
}

/// The points in the order in which a sorted ideal has them: classes of equal factors one after the other.
pub fn positions_by_class(group: &FactorGroup) -> Vec<u8> {
    group.classes().iter().flatten().copied().collect()
}

/// Lexicographic rank of a sequence of distinct numbers `0..n` among its rearrangements.
pub fn rank(sequence: &[u8]) -> usize {
    let n = sequence.len();
    sequence
        .iter()
        .enumerate()
        .fold(0, |rank, (p, s)| rank * (n - p) + sequence[p + 1..].iter().filter(|later| *later < s).count())
}
