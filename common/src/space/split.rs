//! A poset taken apart into a base Q and the upper elements P \ Q.
//!
//! Q is an order ideal that the group maps to itself, made of the first elements of the poset. An ideal I is a pair
//! (B, U): its base B = I & Q, an ideal of Q, and its upper part U = I \ Q. Only B is made canonical; U keeps its labels.
//! With Q = P there is no upper element, and this is the plain layered recursion.
//!
//! Upper elements are numbered from 0 in a word of their own. In a self-dual split (an anti-automorphism exchanges Q and
//! P \ Q) upper number `i` is the dual of base element `i`, so the dual of (B, U) is (complement of U, complement of B)
//! and one action serves both words. "Low" uppers are the minimal elements of P \ Q, "high" ones the others.

use std::sync::Arc;

use crate::ideal::{Bits, Ideal};
use crate::poset::{AutomorphismGroup, Poset};
use crate::symmetry::{Action, Canonicaliser, Isa};

/// A poset, its base, and the tables that the space is enumerated and evaluated with.
pub struct Split<const W: usize> {
    /// Number of elements of the poset.
    pub elements: usize,
    /// Number of elements of the base.
    pub base: usize,
    /// The set of all base elements.
    pub whole_base: Ideal<W>,
    /// Canonical forms of bases.
    pub symmetry: Canonicaliser<W>,
    /// For each base element its lower covers.
    pub lower_covers: Vec<Ideal<W>>,
    /// For each base element the base elements that cover it.
    pub upper_covers: Vec<Ideal<W>>,
    /// The upper elements; `None` where Q = P.
    pub uppers: Option<Uppers>,
    /// Whether the poset is self-dual and the split respects it.
    pub duality: Option<Duality>,
}

/// How duals of ideals are formed.
pub enum Duality {
    /// Q = P: the element each element is exchanged with.
    Plain(Vec<u16>),
    /// Upper number `i` is the dual of base element `i`.
    Exchanging,
}

/// The elements outside the base, at most 64.
pub struct Uppers {
    /// The element of the poset that an upper number stands for.
    pub element: Vec<u16>,
    /// Upper numbers of the minimal elements of P \ Q.
    pub low: u64,
    /// For each upper number the base elements below it.
    pub base_below: Vec<u64>,
    /// For each upper number the upper elements strictly below it.
    pub upper_below: Vec<u64>,
    /// For each base element the upper elements above it.
    pub above_base: Vec<u64>,
    /// High uppers in an order in which lower ones come first.
    pub high_ascending: Vec<u8>,
    /// Fewest uppers in an upper part with a high one.
    pub least_fixed: u32,
    /// Fewest low uppers that a high one rests on.
    pub least_forced: u32,
    /// The action on upper numbers; the very table of the base where the two agree, so that it is in the cache already.
    pub action: Arc<Action>,
}

impl<const W: usize> Split<W> {
    /// The plain split, Q = P.
    ///
    /// # Panics
    /// If `W` words are too few for the poset.
    pub fn plain(poset: &Poset, isa: Isa) -> Self {
        Self::new(poset, poset.len(), poset.duality().map(|d| Duality::Plain(d.to_vec())), isa)
    }

    fn new(poset: &Poset, base: usize, duality: Option<Duality>, isa: Isa) -> Self {
        let within = |covers: &[u16]| {
            covers.iter().map(|&y| usize::from(y)).filter(|&y| y < base).fold(Ideal::empty(), |set, y| set.with(y))
        };
        Self {
            elements: poset.len(),
            base,
            whole_base: Ideal::first(base),
            symmetry: Canonicaliser::for_prefix(poset, base, isa),
            lower_covers: (0..base).map(|x| within(poset.lower_covers(x))).collect(),
            upper_covers: (0..base).map(|x| within(poset.upper_covers(x))).collect(),
            uppers: None,
            duality,
        }
    }

    /// The base elements that can be taken out of a base: its maximal ones.
    #[inline(always)]
    pub fn removable(&self, base: Ideal<W>) -> impl Iterator<Item = usize> {
        base.iter().filter(move |&x| self.upper_covers[x].intersection(&base).is_empty())
    }

    /// The base elements that can be added to a base.
    #[inline(always)]
    pub fn addable(&self, base: Ideal<W>) -> impl Iterator<Item = usize> {
        self.whole_base.difference(&base).iter().filter(move |&x| self.lower_covers[x].is_subset(&base))
    }

    /// The dual of (B, U) as a base and an upper word, both still labelled.
    ///
    /// Only for [`Duality::Exchanging`]: x is in the dual of I when the dual of x is not in I.
    #[inline(always)]
    pub fn dual(&self, base: u64, upper: u64) -> (u64, u64) {
        let all = self.whole_base.0[0];
        (all & !upper, all & !base)
    }
}

impl Split<1> {
    /// The self-dual split in the middle, where there is one: the first half of the elements, at most 64, is a union of
    /// ranks and an anti-automorphism exchanges it with the second half.
    pub fn halves(poset: &Poset, isa: Isa) -> Option<Self> {
        let base = poset.len() / 2;
        let dual = poset.duality()?;
        let AutomorphismGroup::Factors(group) = poset.group() else { return None };
        let whole_ranks = base > 0 && poset.rank(base - 1) < poset.rank(base);
        let exchanging =
            (0..base).all(|x| usize::from(dual[x]) >= base && usize::from(dual[usize::from(dual[x])]) == x);
        if poset.len() != 2 * base || base > 64 || !whole_ranks || !exchanging {
            return None;
        }
        let element = dual[..base].to_vec();
        let mut number = vec![0; base];
        for (i, &x) in element.iter().enumerate() {
            number[usize::from(x) - base] = i as u8;
        }
        let upper = |x: usize| usize::from(number[x - base]);
        let below = |i: usize| poset.principal_ideal::<2>(usize::from(element[i]));
        let base_below: Vec<u64> =
            (0..base).map(|i| below(i).iter().filter(|&x| x < base).fold(0, |set, x| set | 1 << x)).collect();
        let upper_below: Vec<u64> = (0..base)
            .map(|i| below(i).iter().filter(|&x| x >= base && upper(x) != i).fold(0, |set, x| set | 1 << upper(x)))
            .collect();
        let low = (0..base).filter(|&i| upper_below[i] == 0).fold(0, |set, i| set | 1 << i);
        let above_base = (0..base)
            .map(|x| (0..base).filter(|&i| base_below[i] >> x & 1 == 1).fold(0, |set, i| set | 1 << i))
            .collect();
        let mut high_ascending: Vec<u8> = (0..base).filter(|&i| low >> i & 1 == 0).map(|i| i as u8).collect();
        high_ascending.sort_by_key(|&i| element[usize::from(i)]);
        let least = |count: &dyn Fn(u64) -> u32| {
            high_ascending.iter().map(|&i| count(upper_below[usize::from(i)])).min().unwrap_or(u32::MAX)
        };
        let least_fixed = least(&|below| below.count_ones() + 1);
        let least_forced = least(&|below| (below & low).count_ones());
        let mut split = Self::new(poset, base, Some(Duality::Exchanging), isa);
        let action = Action::shared(split.symmetry.action(), group, base..2 * base, &number, 1);
        split.uppers = Some(Uppers {
            element,
            low,
            base_below,
            upper_below,
            above_base,
            high_ascending,
            least_fixed,
            least_forced,
            action,
        });
        Some(split)
    }
}

impl Uppers {
    /// The low uppers whose lower elements all lie in the base: those that are above no element outside.
    #[inline(always)]
    pub fn available(&self, base: u64) -> u64 {
        let outside = (u64::MAX >> (64 - self.above_base.len())) & !base;
        Bits(outside).fold(self.low, |available, x| available & !self.above_base[x])
    }
}
