//! Order ideals (down-sets) as bit sets: bit `x` is set when element `x` is a member.
//!
//! The elements of a [`crate::poset::Poset`] are numbered along a linear extension, so the highest set bit is always a
//! maximal element.
//!
//! ```
//! use antichain_common::ideal::Ideal;
//! let ideal = Ideal::<1>::empty().with(0).with(3);
//! assert_eq!(ideal.len(), 2);
//! assert_eq!(ideal.iter().collect::<Vec<_>>(), [0, 3]);
//! ```

use ruint::Uint;

/// An element of a poset, by its number along the poset's linear extension.
pub type Element = usize;

/// A number of labelled ideals. A poset of the bit-set engine has at most 256 elements, hence at most 2^256 ideals.
pub type Labelled = Uint<320, 5>;

/// A set of at most `64 * W` elements, meant for an order ideal.
///
/// The order is that of the sets as binary numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ideal<const W: usize>(pub [u64; W]);

impl<const W: usize> Ideal<W> {
    /// The ideal without elements.
    #[inline(always)]
    pub const fn empty() -> Self {
        Self([0; W])
    }

    /// The set of the elements below 64 that a word tells.
    #[inline(always)]
    pub const fn of_word(word: u64) -> Self {
        let mut words = [0; W];
        words[0] = word;
        Self(words)
    }

    /// The set of the elements `0..len`.
    pub fn first(len: usize) -> Self {
        let mut set = Self::empty();
        for x in 0..len {
            set.insert(x);
        }
        set
    }

    /// Whether `x` is a member.
    #[inline(always)]
    pub fn contains(&self, x: Element) -> bool {
        self.0[x / 64] >> (x % 64) & 1 == 1
    }

    /// Adds `x`.
    #[inline(always)]
    pub fn insert(&mut self, x: Element) {
        self.0[x / 64] |= 1 << (x % 64);
    }

    /// Takes `x` out.
    #[inline(always)]
    pub fn remove(&mut self, x: Element) {
        self.0[x / 64] &= !(1 << (x % 64));
    }

    /// The set with `x` besides.
    #[inline(always)]
    pub fn with(mut self, x: Element) -> Self {
        self.insert(x);
        self
    }

    /// The set without `x`.
    #[inline(always)]
    pub fn without(mut self, x: Element) -> Self {
        self.remove(x);
        self
    }

    /// Number of members.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is no member.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }

    /// Whether every member is one of `other` too.
    #[inline(always)]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// The member with the highest number, a maximal element; 0 where there is none.
    #[inline(always)]
    pub fn last(&self) -> Element {
        (0..W).rev().find(|&w| self.0[w] != 0).map_or(0, |w| 64 * w + 63 - self.0[w].leading_zeros() as usize)
    }

    /// Union.
    #[inline(always)]
    pub fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
        self
    }

    /// Intersection.
    #[inline(always)]
    pub fn intersection(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
        self
    }

    /// The members that `other` lacks.
    #[inline(always)]
    pub fn difference(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    /// The members in ascending order.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Element> + use<W> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(i, word)| Bits(word).map(move |b| 64 * i + b))
    }
}

impl<const W: usize> PartialOrd for Ideal<W> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const W: usize> Ord for Ideal<W> {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const W: usize> std::fmt::Debug for Ideal<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The set bits of a word in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
