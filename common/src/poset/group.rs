//! Groups of automorphisms that a poset brings along.
//!
//! For every family that has a name, the group is the whole automorphism group (of a poset from a file none is looked for): connected posets factor uniquely into
//! irreducible ones (Hashimoto 1951) and chains are rigid, so an automorphism of a product of chains permutes equal factors;
//! one of a truncated Boolean lattice is determined by what it does to the singletons. The one exception is `boolean:n:0`,
//! a single element on which all n! permutations of the points act trivially; orbit sizes, the index of a stabiliser, stay
//! right.

use super::MAX_ELEMENTS;
use crate::ideal::Element;

/// Automorphisms of a poset.
#[derive(Clone, Debug)]
pub enum AutomorphismGroup {
    /// Every permutation of the elements.
    AllPermutations,
    /// None but the identity.
    Trivial,
    /// Permutations of equal factors of a product; the trivial group where no two factors are equal.
    Factors(FactorGroup),
}

impl AutomorphismGroup {
    /// The same group acting on the first `len` elements, which it must map to themselves.
    pub(super) fn restricted(&self, len: usize) -> Self {
        match self {
            Self::AllPermutations => Self::AllPermutations,
            Self::Trivial => Self::Trivial,
            Self::Factors(group) => Self::Factors(group.restricted(len)),
        }
    }
}

/// Permutations of the factors ("points") of a product of chains among factors of equal length.
///
/// A permutation is written as the list of images: point `i` goes to `permutation[i]`.
#[derive(Clone, Debug)]
pub struct FactorGroup {
    points: usize,
    classes: Vec<Vec<u8>>,
    /// `levels[x * points + i]`: coordinate of element `x` in factor `i`.
    levels: Vec<u8>,
    /// Place values of the mixed-radix number of an element.
    strides: Vec<usize>,
    /// The element with a given mixed-radix number; `u16::MAX` where it is cut off.
    element_of_code: Vec<u16>,
    /// For each element but the least one, whose entry means nothing: an element one level lower, and in which factor.
    lower: Vec<(u16, u8)>,
    elements: usize,
}

impl FactorGroup {
    /// The group for chains of the given lengths and the elements with these levels, which are given in order.
    pub(super) fn new(lengths: &[usize], elements: &[Vec<u8>]) -> Self {
        let points = lengths.len();
        let mut classes: Vec<Vec<u8>> = Vec::new();
        let mut strides = Vec::with_capacity(points);
        let mut codes = 1;
        for (i, &length) in lengths.iter().enumerate() {
            match classes.iter_mut().find(|class| lengths[usize::from(class[0])] == length) {
                Some(class) => class.push(i as u8),
                None => classes.push(vec![i as u8]),
            }
            strides.push(codes);
            codes *= length;
        }
        let mut group = Self {
            points,
            classes,
            levels: elements.concat(),
            strides,
            element_of_code: vec![u16::MAX; codes],
            lower: Vec::with_capacity(elements.len()),
            elements: elements.len(),
        };
        for (x, levels) in elements.iter().enumerate() {
            let code = group.code(levels.iter().copied());
            group.element_of_code[code] = x as u16;
            let factor = levels.iter().position(|&level| level > 0);
            let step = factor.map(|i| (group.element_of_code[code - group.strides[i]], i as u8));
            group.lower.push(step.unwrap_or_default());
        }
        group
    }

    fn code(&self, levels: impl Iterator<Item = u8>) -> usize {
        self.strides.iter().zip(levels).map(|(stride, level)| stride * usize::from(level)).sum()
    }

    /// The element with the given levels, which must not be cut off.
    pub(super) fn element_with(&self, levels: impl Iterator<Item = u8>) -> u16 {
        self.element_of_code[self.code(levels)]
    }

    /// Number of factors; n for `boolean:n`.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The factors that may be permuted among each other, each class ascending, classes by their first point; classes of
    /// a single point included.
    pub fn classes(&self) -> &[Vec<u8>] {
        &self.classes
    }

    /// Coordinate of element `x` in factor `point`, from 0; in `boolean:n`, 1 where the point belongs to the set.
    ///
    /// # Panics
    /// If there is no such element or point.
    pub fn level(&self, x: Element, point: usize) -> u8 {
        assert!(point < self.points, "point {point} of {}", self.points);
        self.levels[x * self.points + point]
    }

    /// Number of permutations: the product of the factorials of the class sizes. At most 8 points, so at most 40320.
    pub fn order(&self) -> u64 {
        self.classes.iter().map(|class| (1..=class.len() as u64).product::<u64>()).product()
    }

    /// All permutations of the points, lexicographically; the identity comes first.
    pub fn elements(&self) -> Permutations<'_> {
        Permutations { classes: &self.classes, next: Some((0..self.points as u8).collect()) }
    }

    /// How a permutation of the points moves the elements: `x` goes to `act(p)[x]`, whose level in factor `p[i]` is the
    /// level of `x` in factor `i`.
    ///
    /// # Panics
    /// If the permutation is not in the group.
    pub fn act(&self, permutation: &[u8]) -> Vec<u16> {
        assert!(self.contains(permutation), "{permutation:?} is not in the group");
        // Codes of images: elements ascend by rank, so that of the lower element is there already. Action tables are made
        // of all rows of large groups, and this is most of their cost.
        let mut codes = [0u16; MAX_ELEMENTS];
        let mut images = Vec::with_capacity(self.elements);
        for (x, &(lower, factor)) in self.lower.iter().enumerate() {
            if x > 0 {
                let stride = self.strides[usize::from(permutation[usize::from(factor)])];
                codes[x] = codes[usize::from(lower)] + stride as u16;
            }
            images.push(self.element_of_code[usize::from(codes[x])]);
        }
        images
    }

    /// Whether the list of images is a permutation of the points that keeps every class.
    pub fn contains(&self, permutation: &[u8]) -> bool {
        let set = |points: &mut dyn Iterator<Item = u8>| points.fold(0u64, |set, i| set | 1 << i);
        permutation.len() == self.points
            && permutation.iter().all(|&i| usize::from(i) < self.points)
            && self.classes.iter().all(|class| {
                set(&mut class.iter().map(|&i| permutation[usize::from(i)])) == set(&mut class.iter().copied())
            })
    }

    fn restricted(&self, len: usize) -> Self {
        let mut group = self.clone();
        group.elements = len;
        group.levels.truncate(len * self.points);
        group.lower.truncate(len);
        group.element_of_code.iter_mut().filter(|x| usize::from(**x) >= len).for_each(|x| *x = u16::MAX);
        group
    }
}

/// The elements of a [`FactorGroup`] in lexicographic order.
#[derive(Clone, Debug)]
pub struct Permutations<'a> {
    classes: &'a [Vec<u8>],
    next: Option<Vec<u8>>,
}

impl Iterator for Permutations<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let current = self.next.take()?;
        self.next = self.successor(current.clone());
        Some(current)
    }
}

impl Permutations<'_> {
    /// The next list of images: the rightmost image that can grow does, by as little as possible, and every class is
    /// ascending after it.
    fn successor(&self, mut images: Vec<u8>) -> Option<Vec<u8>> {
        let class_of = |point: usize| self.classes.iter().find(|class| class.contains(&(point as u8)));
        for i in (0..images.len()).rev() {
            let later = class_of(i)?.iter().map(|&j| usize::from(j)).filter(|&j| j > i && images[j] > images[i]);
            let Some(j) = later.min_by_key(|&j| images[j]) else { continue };
            images.swap(i, j);
            for class in self.classes {
                let places: Vec<usize> = class.iter().map(|&p| usize::from(p)).filter(|&p| p > i).collect();
                let mut values: Vec<u8> = places.iter().map(|&p| images[p]).collect();
                values.sort_unstable();
                places.into_iter().zip(values).for_each(|(p, value)| images[p] = value);
            }
            return Some(images);
        }
        None
    }
}
