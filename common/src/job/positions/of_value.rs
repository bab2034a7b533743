//! The positions of a given value in one shard of a stored table.

use std::ops::ControlFlow;

use super::records::{PositionLayer, Side};
use crate::ideal::{Bits, Element, Ideal};
use crate::job::records::bases_key;
use crate::job::table::hex;
use crate::job::{JobId, Method};
use crate::poset::Poset;
use crate::space::code::{Ranks, codes_up_to};
use crate::space::split::Split;
use crate::store::{Store, StoreError};
use crate::symmetry::Isa;

/// The stored values of a game, to be gone through shard by shard.
pub(in crate::job) struct ValuedShards<'a> {
    store: &'a Store,
    job: &'a JobId,
    space: &'a str,
    poset: &'a Poset,
    top: usize,
    /// The poset taken apart, where positions are stored so.
    halves: Option<(Split<1>, Ranks)>,
}

/// A shard whose values are not those that are recorded, or that is not there.
#[derive(Debug, thiserror::Error)]
pub(in crate::job) enum Unread {
    /// There is no such shard.
    #[error("it is not stored")]
    NotStored,
    /// Its values or bases are others than the job has recorded.
    #[error("it is not what was recorded")]
    Other,
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A position in a table, before it is written out.
#[derive(Clone, Copy)]
pub(in crate::job) struct Stored<'a, const W: usize> {
    /// Number of its elements.
    pub(in crate::job) size: usize,
    of: Pair<'a, W>,
}

#[derive(Clone, Copy)]
enum Pair<'a, const W: usize> {
    Whole(Ideal<W>),
    /// Base and upper part, of the position or of its dual.
    Halves(&'a Split<1>, Side, u64, u64),
}

impl<const W: usize> Stored<'_, W> {
    /// The position; of those that are alike only some are canonical.
    #[inline(always)]
    pub(in crate::job) fn position(&self) -> Ideal<W> {
        let (split, base, upper) = match self.of {
            Pair::Whole(position) => return position,
            Pair::Halves(split, Side::Lower, base, upper) => (split, base, upper),
            Pair::Halves(split, Side::Upper, base, upper) => {
                let (base, upper) = split.dual(base, upper);
                (split, base, upper)
            }
        };
        let element = |i: Element| split.uppers.as_ref().map_or(0, |uppers| usize::from(uppers.element[i]));
        let mut position = Ideal::empty();
        position.0[0] = base;
        Bits(upper).fold(position, |position, i| position.with(element(i)))
    }
}

impl<'a> ValuedShards<'a> {
    /// Of a job with its space.
    pub(in crate::job) fn new(
        store: &'a Store,
        (job, space): (&'a JobId, &'a str),
        (poset, method): (&'a Poset, Method),
    ) -> Self {
        let halves = match method {
            Method::Halves { .. } => Split::halves(poset, Isa::detect()).map(|split| (split, Ranks::new())),
            Method::Plain { .. } => None,
        };
        Self { store, job, space, poset, top: method.top(), halves }
    }

    /// Goes through the positions of a shard that have the value, until `each` says that it is enough.
    ///
    /// # Errors
    /// [`Unread`]; what was gone through before is right.
    pub(in crate::job) fn each<const W: usize>(
        &self,
        (layer, shard): (&PositionLayer, usize),
        value: u8,
        each: &mut dyn FnMut(Stored<'_, W>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Unread> {
        let key = layer.side.key(self.job, layer.layer, shard);
        if self.store.shard(&key)?.is_none() {
            return Err(Unread::NotStored);
        }
        let values = self.store.read_bytes(&key)?;
        let recorded = layer.shards.get(shard).ok_or(Unread::Other)?;
        if values.len() as u64 != recorded.slots || hex(blake3::hash(&values).as_bytes()) != recorded.digest {
            return Err(Unread::Other);
        }
        if !values.contains(&value) {
            return Ok(ControlFlow::Continue(()));
        }
        let bases = bases_key(self.space, layer.layer, shard);
        match &self.halves {
            None => {
                let bases = self.store.read_bases::<W>(&bases)?;
                if bases.len() != values.len() {
                    return Err(Unread::Other);
                }
                for (&base, _) in bases.iter().zip(values).filter(|(_, known)| *known == value) {
                    if each(Stored { size: layer.layer, of: Pair::Whole(base) }).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            Some((split, ranks)) => {
                let bases = self.store.read_bases::<1>(&bases)?;
                self.of_halves((split, ranks), layer, (&bases, &values), value, each).ok_or(Unread::Other)
            }
        }
    }

    /// The same of blocks of upper parts; `None` if there are not as many slots as values.
    fn of_halves<const W: usize>(
        &self,
        (split, ranks): (&Split<1>, &Ranks),
        layer: &PositionLayer,
        (bases, values): (&[Ideal<1>], &[u8]),
        value: u8,
        each: &mut dyn FnMut(Stored<'_, W>) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let uppers = split.uppers.as_ref()?;
        let room = self.top.checked_sub(layer.layer)? as u32;
        let (mut facets, mut rest) = (Vec::new(), values);
        for base in bases {
            let base = base.0[0];
            let slots = uppers.facets(ranks, uppers.available(base), room, &mut facets) as usize;
            let block;
            (block, rest) = rest.split_at_checked(slots)?;
            if !block.contains(&value) {
                continue;
            }
            for facet in &facets {
                for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                    let size = layer.layer + (facet.fixed + code.count_ones()) as usize;
                    let slot = facet.offset + facet.shape.address(ranks, code);
                    // What is in the middle is on both sides.
                    let is_copy = layer.side == Side::Upper && size == self.top;
                    if is_copy || block[slot as usize] != value {
                        continue;
                    }
                    let size = if layer.side == Side::Upper { self.poset.len() - size } else { size };
                    let of = Pair::Halves(split, layer.side, base, facet.upper(code));
                    if each(Stored { size, of }).is_break() {
                        return Some(ControlFlow::Break(()));
                    }
                }
            }
        }
        rest.is_empty().then_some(ControlFlow::Continue(()))
    }
}
