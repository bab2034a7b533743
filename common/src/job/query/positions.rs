//! Values of positions read from the tables of a game.

use super::stored::{Found, Stored};
use crate::ideal::{Element, Ideal};
use crate::job::Method;
use crate::job::positions::records::Side;
use crate::job::records::JobRecord;
use crate::poset::{Family, Poset};
use crate::space::code::Ranks;
use crate::space::fibre::Facet;
use crate::space::split::Split;
use crate::store::StoreError;
use crate::symmetry::{Canonicaliser, Isa};

/// The poset of whose game all positions of a poset are positions too, if that is another one: the whole Boolean lattice
/// for its sets of few points, whose numbers are the same there.
pub(super) fn larger_game(poset: &Poset) -> Option<Poset> {
    match *poset.spec().family() {
        Family::Boolean { points, max_size } if max_size < points => format!("boolean:{points}").parse().ok(),
        _ => None,
    }
}

impl Stored<'_> {
    /// The value of a position, given by its members, if a job of the game has stored it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub(in crate::job) fn position(&self, members: &[Element]) -> Result<Option<Found>, StoreError> {
        for job in &self.tables.jobs {
            let value = match (job.method, self.poset.words()) {
                (Method::Halves { top }, _) => self.position_of_halves(job, members, top)?,
                (Method::Plain { top }, _) if members.len() > top => None,
                (Method::Plain { .. }, 1) => self.plain_position::<1>(job, members)?,
                (Method::Plain { .. }, 2) => self.plain_position::<2>(job, members)?,
                (Method::Plain { .. }, _) => self.plain_position::<4>(job, members)?,
            };
            if let Some(value) = value {
                return Ok(Some(Found::of(value, job)));
            }
        }
        Ok(None)
    }

    fn plain_position<const W: usize>(&self, job: &JobRecord, members: &[Element]) -> Result<Option<u8>, StoreError> {
        let ideal = members.iter().fold(Ideal::<W>::empty(), |set, &x| set.with(x));
        let form = Canonicaliser::<W>::new(self.poset, Isa::detect()).canonical(ideal);
        let Some((shard, place)) = self.find(job, members.len(), &form.ideal, |_| 1)? else { return Ok(None) };
        self.byte(job, (Side::Lower, members.len(), shard), place)
    }

    fn position_of_halves(&self, job: &JobRecord, members: &[Element], top: usize) -> Result<Option<u8>, StoreError> {
        let Some((split, ranks)) = self.halves() else { return Ok(None) };
        let Some(uppers) = &split.uppers else { return Ok(None) };
        let is_member = |x: Element| members.binary_search(&x).is_ok();
        let word = |is_there: &dyn Fn(usize) -> bool| {
            (0..split.base).filter(|&i| is_there(i)).fold(0u64, |set, i| set | 1 << i)
        };
        let (mut base, mut upper) = (word(&is_member), word(&|i| is_member(usize::from(uppers.element[i]))));
        let mut side = Side::Lower;
        if members.len() > top {
            side = Side::Upper;
            (base, upper) = split.dual(base, upper);
        }
        let form = split.symmetry.canonical(Ideal([base]));
        let upper = uppers.action.apply(form.by, Ideal([upper])).0[0];
        let layer = form.ideal.len();
        let room = top - layer;
        let mut facets = Vec::new();
        let slots = |base: &Ideal<1>| slots(split, ranks, base.0[0], room, &mut facets);
        let Some((shard, place)) = self.find(job, layer, &form.ideal, slots)? else { return Ok(None) };
        let slot = place + slot_within(split, ranks, (form.ideal.0[0], upper), room);
        self.byte(job, (side, layer, shard), slot)
    }

    fn byte(
        &self,
        job: &JobRecord,
        (side, layer, shard): (Side, usize, usize),
        slot: u64,
    ) -> Result<Option<u8>, StoreError> {
        let key = side.key(&job.spec.id(), layer, shard);
        self.tables.byte(self.store, (key, job.method.top()), slot)
    }
}

/// The number of slots over a base; `facets` only lends its memory.
pub(super) fn slots(split: &Split<1>, ranks: &Ranks, base: u64, room: usize, facets: &mut Vec<Facet>) -> u64 {
    let Some(uppers) = &split.uppers else { return 1 };
    uppers.facets(ranks, uppers.available(base), room as u32, facets)
}

/// The slot of an upper part among those over its base.
pub(super) fn slot_within(split: &Split<1>, ranks: &Ranks, (base, upper): (u64, u64), room: usize) -> u64 {
    let Some(uppers) = &split.uppers else { return 0 };
    let mut facets = Vec::new();
    uppers.facets(ranks, uppers.available(base), room as u32, &mut facets);
    let facet = facets.iter().find(|facet| facet.high == upper & !uppers.low);
    facet.map_or(0, |facet| facet.offset + facet.shape.address(ranks, facet.code(upper)))
}
