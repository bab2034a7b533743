//! Joining two halves of a self-dual poset.
//!
//! A linear extension of P passes exactly one ideal I of each size, so e(P) = sum over the ideals I with `top` elements of
//! e(I) * e(dual of I), where the dual has the other half of the elements. In orbits: orbit(B) times the sum over the
//! upper parts U with |B| + |U| = top. In a split that exchanges Q and P \ Q the dual of (B, U) has a base of the same
//! size, and exchanging an ideal with its dual is a bijection, so only those whose canonical base is not the larger one
//! are looked up.

mod pairs;
mod products;

use num_bigint::BigUint;

use super::evaluate::Evaluated;
use crate::parallel::crew;
use crate::space::code::Ranks;
use crate::space::split::{Duality, Split};
use crate::watch::{Stopped, Watch};
pub use pairs::{Own, Pairs};
use pairs::{Pairing, chunks};
use products::Sum;

/// Which layer the duals of the ideals of a layer are in, where e(P) is joined over this layer: itself or, where Q = P and
/// the number of elements is odd, the one below. `None` where nothing is joined.
///
/// # Panics
/// If the split has no duality.
pub fn layer_of_duals<const W: usize>(split: &Split<W>, layer: usize, top: usize) -> Option<usize> {
    match split.duality.as_ref().expect("only self-dual posets are joined") {
        Duality::Plain(_) => (layer == top).then(|| split.elements - top),
        Duality::Exchanging => Some(layer),
    }
}

/// The part of e(P) that passes through an evaluated layer; `below` is the layer below it.
///
/// # Errors
/// [`Stopped`] on request.
///
/// # Panics
/// If the split has no duality, or values have a width that is none of those compiled.
pub fn join_layer<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    evaluated: &Evaluated<W>,
    below: Option<&Evaluated<W>>,
    top: usize,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<BigUint, Stopped> {
    let Some(layer) = layer_of_duals(split, evaluated.layer.size, top) else { return Ok(BigUint::ZERO) };
    let other = if layer == evaluated.layer.size { evaluated } else { below.expect("a layer below the middle") };
    let own = Own { layer: &evaluated.layer, survey: &evaluated.survey, first_slot: 0 };
    let start = || (Pairing::new(split, ranks, &other.index, top), Pairs::default(), Sum::new(evaluated.width));
    let parts = crew(threads, chunks(own), start, |(pairing, pairs, sum), chunk| {
        if !watch.is_stopped() {
            pairs.clear();
            pairing.find(own, chunk, pairs);
            sum.add(pairs, &evaluated.table, &other.table);
        }
    });
    watch.check()?;
    Ok(parts.into_iter().map(|(.., sum)| sum.total()).sum())
}

/// The pairs of all middle ideals over the bases of `own`, whose duals are indexed by `index`.
///
/// # Errors
/// [`Stopped`] on request.
///
/// # Panics
/// If the split has no duality, or the index lacks a base.
pub fn pair_with_duals<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    own: Own<'_, W>,
    index: &crate::space::index::BaseIndex<W>,
    top: usize,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Pairs, Stopped> {
    let start = || (Pairing::new(split, ranks, index, top), Pairs::default());
    let parts = crew(threads, chunks(own), start, |(pairing, pairs), chunk| {
        if !watch.is_stopped() {
            pairing.find(own, chunk, pairs);
        }
    });
    watch.check()?;
    let mut all = Pairs::default();
    parts.into_iter().for_each(|(_, pairs)| all.append(pairs));
    Ok(all)
}

impl Pairs {
    /// The sum of the products of all pairs, the first of each from `own` and the second from `other`, of `width` limbs.
    ///
    /// # Panics
    /// If the width is none of those compiled, or a table has not the slots.
    pub fn sum(&self, own: &[u64], other: &[u64], width: usize) -> BigUint {
        let mut sum = Sum::new(width);
        sum.add(self, own, other);
        sum.total()
    }
}
