//! Canonical forms under permutations of points (equal factors of a product), one ideal at a time.

use super::Canonical;
use std::sync::Arc;

use super::action::{Action, GroupElement, MAX_POINTS, positions_by_class};
use super::ties::Ties;
use crate::ideal::Ideal;
use crate::poset::FactorGroup;

/// What is known of a point permutation group and its elements' members.
pub struct Points<const W: usize> {
    /// Number of points.
    pub(super) points: usize,
    /// `together[i * MAX_POINTS + j]`: the elements that contain both positions `i` and `j` (are above the least level of
    /// both factors).
    pub(super) together: [Ideal<W>; MAX_POINTS * MAX_POINTS],
    /// The same for three positions, in the order of [`triples`].
    pub(super) in_triples: Vec<Ideal<W>>,
    /// For points of more than two levels: the point's position, a level, and the elements at or above it.
    higher_levels: Vec<(usize, u8, Ideal<W>)>,
    /// The class of equal factors of each position.
    class: [u8; MAX_POINTS],
    pub(super) ties: Ties,
    pub(super) action: Arc<Action>,
}

/// A multiplier that spreads small numbers; odd, from the golden ratio.
pub(super) const SPREAD: u64 = 0x9E37_79B1;

/// Where a key has the number of members that contain the point, above all scrambled sums: at most 8 * 2^8 * 2^32, shifted
/// by three.
pub(super) const COUNT_SHIFT: u32 = 46;

/// Bits of a key between that number and the point; a finer key is cut to them.
pub(super) const SUM_MASK: u64 = (1 << (COUNT_SHIFT - 3)) - 1;

/// What sums over triples count for in a finer key.
pub(super) const TRIPLE_WEIGHT: u64 = 3;

/// How fine a key is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fineness {
    /// From counts of pairs: enough for four of five bases of B_7.
    Pairs,
    /// From counts of triples besides: hardly more than true symmetries stay tied.
    Triples,
}

/// The triples of points.
pub(super) fn triples(points: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..points).flat_map(move |i| (i + 1..points).flat_map(move |j| (j + 1..points).map(move |k| [i, j, k])))
}

/// Scrambles a number of members; the low 32 bits count.
#[inline(always)]
fn scramble(count: u64) -> u64 {
    let product = count * SPREAD;
    (product ^ (product >> 13)) & 0xFFFF_FFFF
}

impl<const W: usize> Points<W> {
    /// For ideals within the first `len` elements of the group's poset.
    pub fn new(group: &FactorGroup, len: usize) -> Self {
        let positions = positions_by_class(group);
        let points = positions.len();
        let level = |x: usize, p: usize| group.level(x, usize::from(positions[p]));
        let elements = |test: &dyn Fn(usize) -> bool| {
            (0..len).filter(|&x| test(x)).fold(Ideal::empty(), |set: Ideal<W>, x| set.with(x))
        };
        let mut together = [Ideal::empty(); MAX_POINTS * MAX_POINTS];
        let mut higher_levels = Vec::new();
        for i in 0..points {
            for j in 0..points {
                together[i * MAX_POINTS + j] = elements(&|x| level(x, i) > 0 && level(x, j) > 0);
            }
            let top = (0..len).map(|x| level(x, i)).max().unwrap_or(0);
            higher_levels.extend((2..=top).map(|l| (i, l, elements(&|x| level(x, i) >= l))));
        }
        let in_triples =
            triples(points).map(|[i, j, k]| elements(&|x| [i, j, k].iter().all(|&p| level(x, p) > 0))).collect();
        let mut class = [0; MAX_POINTS];
        let sizes = group.classes().iter().enumerate().flat_map(|(c, class)| class.iter().map(move |_| c as u8));
        class.iter_mut().zip(sizes).for_each(|(to, c)| *to = c);
        let number: Vec<u8> = (0..len).map(|x| x as u8).collect();
        Self {
            points,
            together,
            in_triples,
            higher_levels,
            class,
            ties: Ties::new(points),
            action: Arc::new(Action::new(group, 0..len, &number, W)),
        }
    }

    /// Whether every point has two levels and all points are of one class, as in a Boolean lattice.
    pub(super) fn is_boolean(&self) -> bool {
        self.higher_levels.is_empty() && self.class == [0; MAX_POINTS]
    }

    /// The number of the group element that sorts the points, and the tie mask.
    #[inline(always)]
    fn sort_by(&self, ideal: Ideal<W>, fineness: Fineness) -> (u16, u8) {
        let n = self.points;
        let mut counts = [0u64; MAX_POINTS * MAX_POINTS];
        for i in 0..n {
            for j in i..n {
                let count = ideal.intersection(&self.together[i * MAX_POINTS + j]).len() as u64;
                counts[i * MAX_POINTS + j] = count;
                counts[j * MAX_POINTS + i] = count;
            }
        }
        let mut scrambled = [0u64; MAX_POINTS];
        for i in 0..n {
            scrambled[i] = scramble(counts[i * MAX_POINTS + i]);
        }
        let mut sums = [0u64; MAX_POINTS];
        for i in 0..n {
            sums[i] = (0..n).map(|j| counts[i * MAX_POINTS + j] * scrambled[j]).sum();
        }
        for (i, level, elements) in &self.higher_levels {
            let count = ideal.intersection(elements).len() as u64;
            sums[*i] += scramble(count << 8 | u64::from(*level));
        }
        if fineness == Fineness::Triples {
            for ([i, j, k], elements) in triples(n).zip(&self.in_triples) {
                let count = ideal.intersection(elements).len() as u64;
                for [one, a, b] in [[i, j, k], [j, i, k], [k, i, j]] {
                    sums[one] += TRIPLE_WEIGHT * count * scramble(counts[a * MAX_POINTS + b]);
                }
            }
            sums.iter_mut().for_each(|sum| *sum &= SUM_MASK);
        }
        let mut keys = [0u64; MAX_POINTS];
        for i in 0..n {
            // The class stays apart: at most 8 * 2^8 * 2^32 from the counts, and 256 terms of 2^32 from the levels.
            let count = counts[i * MAX_POINTS + i] << COUNT_SHIFT;
            keys[i] = u64::from(self.class[i]) << 56 | (count + (sums[i] << 3)) | i as u64;
        }
        let (mut number, mut sorted) = (0, [0; MAX_POINTS]);
        for i in 0..n {
            let mut before = [0, 0];
            for j in 0..n {
                before[usize::from(j > i)] += usize::from(keys[j] < keys[i]);
            }
            number = number * (n - i) + before[1];
            sorted[before[0] + before[1]] = keys[i];
        }
        let mut tied = 0;
        for p in 0..n - 1 {
            tied |= u8::from(sorted[p] >> 3 == sorted[p + 1] >> 3) << p;
        }
        (number as u16, tied)
    }

    /// Sorts by the finer key if the coarser one leaves ties.
    #[inline(always)]
    fn sort(&self, ideal: Ideal<W>) -> (u16, u8) {
        match self.sort_by(ideal, Fineness::Pairs) {
            (first, 0) => (first, 0),
            _ => self.sort_by(ideal, Fineness::Triples),
        }
    }

    /// The canonical form of an ideal.
    #[inline(always)]
    pub fn canonical(&self, ideal: Ideal<W>) -> Canonical<W> {
        let (first, tied) = self.sort(ideal);
        least_image(&self.ties, first, tied, |g| self.action.apply(g, ideal))
    }

    /// The group elements that fix a canonical ideal, the identity first.
    pub fn stabiliser(&self, canonical: Ideal<W>) -> Vec<GroupElement> {
        let (first, tied) = self.sort(canonical);
        let mut g = first;
        let mut fixing = Vec::new();
        let mut consider = |g: u16| {
            if self.action.apply(GroupElement(g), canonical) == canonical {
                fixing.push(GroupElement(g));
            }
        };
        consider(g);
        for &p in self.ties.walk(tied) {
            g = self.ties.step(g, p);
            consider(g);
        }
        fixing.sort_unstable();
        fixing
    }
}

/// The least of the images that a tie mask leaves open, starting from the group element `first`.
#[inline(always)]
pub(super) fn least_image<const W: usize>(
    ties: &Ties,
    first: u16,
    tied: u8,
    image: impl Fn(GroupElement) -> Ideal<W>,
) -> Canonical<W> {
    let mut best = Canonical { ideal: image(GroupElement(first)), by: GroupElement(first), stabiliser: 1 };
    if tied != 0 {
        let mut g = first;
        for &p in ties.walk(tied) {
            g = ties.step(g, p);
            let candidate = image(GroupElement(g));
            if candidate == best.ideal {
                best.stabiliser += 1;
            } else if candidate < best.ideal {
                best = Canonical { ideal: candidate, by: GroupElement(g), stabiliser: 1 };
            }
        }
    }
    best
}
