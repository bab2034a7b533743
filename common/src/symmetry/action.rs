//! How a group of point permutations acts on the elements of a poset.
//!
//! A group element is named by the rank of its list of positions: the permutation that puts point `i` at position `t[i]`
//! has the number of lists before `t` in lexicographic order. In mixed radix the digits of that number count, for each
//! point, the later points that come to stand before it: so comparing the keys of the points of an ideal yields the name
//! of the permutation that sorts them, without sorting.

use std::sync::Arc;

use crate::huge::Words;
use crate::ideal::{Element, Ideal};
use crate::poset::FactorGroup;
use crate::prefetch::prefetch;

/// Largest number of points; the group order is then at most 40,320.
pub const MAX_POINTS: usize = 8;

/// A group element: the rank of its list of positions.
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
    /// For each position but the first the exchange with the one before. They generate the group.
    exchanges: Vec<Exchange>,
    /// Row `g`: for each element `e` the element that `g` maps to `e`.
    preimages: Words,
    inverse: Vec<u16>,
}

/// For each element the one it is exchanged with.
type Exchange = [u8; 256];

impl Action {
    /// The action on the elements `range` of the group's poset, where `number[x - range.start]` is the number of element
    /// `x` in this action. `words` is the number of 64-bit words of the sets it will act on.
    ///
    /// # Panics
    /// If the group does not map the range to itself.
    pub fn new(group: &FactorGroup, range: std::ops::Range<Element>, number: &[u8], words: usize) -> Self {
        Self::generated(exchanges(group, range, number), words)
    }

    /// As [`new`](Self::new), or `like` if that is the same.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn shared(
        like: Option<&Arc<Self>>,
        group: &FactorGroup,
        range: std::ops::Range<Element>,
        number: &[u8],
        words: usize,
    ) -> Arc<Self> {
        let exchanges = exchanges(group, range, number);
        match like {
            Some(like) if (&like.exchanges, like.stride) == (&exchanges, 64 * words) => Arc::clone(like),
            _ => Arc::new(Self::generated(exchanges, words)),
        }
    }

    fn generated(exchanges: Vec<Exchange>, words: usize) -> Self {
        let points = exchanges.len() + 1;
        let stride = 64 * words;
        let rows = (1..=points).product::<usize>();
        let mut words = Words::zeroed(rows * stride / size_of::<u64>());
        let preimages: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        preimages[..stride].iter_mut().enumerate().for_each(|(element, to)| *to = element as u8);
        let mut inverse = vec![0; rows];
        for (g, inverse) in inverse.iter_mut().enumerate().skip(1) {
            let mut list = [0; MAX_POINTS];
            unrank(g, &mut list[..points]);
            *inverse = rank(&inverse_list(&list[..points])[..points]) as u16;
            // Without its first descent the list has a smaller rank, so that its row is there already.
            let descent = (1..points).find(|&i| list[i - 1] > list[i]).unwrap_or(1);
            list.swap(descent - 1, descent);
            let (done, row) = preimages.split_at_mut(g * stride);
            let before = &done[rank(&list[..points]) * stride..][..stride];
            // Two points are exchanged first, and then all are put in place.
            let exchange = &exchanges[descent - 1];
            for (to, &preimage) in row.iter_mut().zip(before) {
                *to = exchange[usize::from(preimage)];
            }
        }
        Self { stride, exchanges, preimages: words, inverse }
    }

    /// For each element the one that `g` maps to it.
    #[inline(always)]
    pub fn preimages(&self, g: GroupElement) -> &[u8] {
        &bytemuck::cast_slice(&self.preimages)[g.index() * self.stride..][..self.stride]
    }

    /// Starts to bring the preimages under `g` into the cache.
    #[inline(always)]
    pub fn prefetch(&self, g: GroupElement) {
        prefetch(&self.preimages, g.index() * self.stride / size_of::<u64>());
    }

    /// The group element that undoes `g`.
    #[inline(always)]
    pub fn inverse(&self, g: GroupElement) -> GroupElement {
        GroupElement(self.inverse[g.index()])
    }

    /// The image of a set under `g`.
    #[inline(always)]
    pub fn apply<const W: usize>(&self, g: GroupElement, set: Ideal<W>) -> Ideal<W> {
        let images = self.preimages(self.inverse(g));
        let mut image = Ideal::empty();
        for x in set.iter() {
            image.insert(usize::from(images[x]));
        }
        image
    }
}

/// For each position but the first what its exchange with the one before does to the elements `range`, numbered by
/// `number`; nothing where points of different kinds would be exchanged. Numbers beyond the range are fixed, so that a
/// whole word can be moved at once.
fn exchanges(group: &FactorGroup, range: std::ops::Range<Element>, number: &[u8]) -> Vec<Exchange> {
    let points = group.points();
    let positions = positions_by_class(group);
    let class: Vec<usize> = group.classes().iter().enumerate().flat_map(|(c, of)| of.iter().map(move |_| c)).collect();
    let exchange = |p: usize| {
        let mut exchange: Exchange = std::array::from_fn(|i| i as u8);
        if class[p - 1] == class[p] {
            let mut permutation: Vec<u8> = (0..points as u8).collect();
            permutation.swap(usize::from(positions[p - 1]), usize::from(positions[p]));
            let images = group.act(&permutation);
            for x in range.clone() {
                let image = usize::from(images[x]);
                assert!(range.contains(&image), "the group maps the elements {range:?} to themselves");
                exchange[usize::from(number[image - range.start])] = number[x - range.start];
            }
        }
        exchange
    };
    (1..points).map(exchange).collect()
}

/// The points in the order in which a sorted ideal has them: classes of equal factors one after the other.
pub fn positions_by_class(group: &FactorGroup) -> Vec<u8> {
    group.classes().iter().flatten().copied().collect()
}

/// The list of points by position, given their positions, or the other way round.
pub(super) fn inverse_list(list: &[u8]) -> [u8; MAX_POINTS] {
    let mut inverse = [0; MAX_POINTS];
    for (i, &t) in list.iter().enumerate() {
        inverse[usize::from(t)] = i as u8;
    }
    inverse
}

/// Lexicographic rank of a list of distinct numbers `0..n` among its rearrangements.
pub(super) fn rank(list: &[u8]) -> usize {
    let n = list.len();
    list.iter()
        .enumerate()
        .fold(0, |rank, (i, t)| rank * (n - i) + list[i + 1..].iter().filter(|later| *later < t).count())
}

/// Writes the list of that rank.
fn unrank(mut rank: usize, list: &mut [u8]) {
    let n = list.len();
    let mut left: [u8; MAX_POINTS] = std::array::from_fn(|i| i as u8);
    let mut block = (1..=n).product::<usize>();
    for (i, position) in list.iter_mut().enumerate() {
        block /= n - i;
        let chosen = rank / block;
        rank %= block;
        *position = left[chosen];
        left.copy_within(chosen + 1..n - i, chosen);
    }
}
