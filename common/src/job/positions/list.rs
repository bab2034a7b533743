//! The positions of a game that have a given value.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::records::{PositionLayer, Side};
use crate::ideal::{Bits, Element, Ideal};
use crate::job::certificate::Certificate;
use crate::job::records::bases_key;
use crate::job::{JobError, Method, SizeLimits, catalogue};
use crate::poset::{Poset, PosetError, format_position};
use crate::space::code::{Ranks, codes_up_to};
use crate::space::split::Split;
use crate::store::Store;
use crate::symmetry::{Canonicaliser, Isa};

/// Up to `most` positions of a finished game with that value and within limits, one of each orbit, those with few elements first; read from the
/// stored tables.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`]; [`JobError::NoGame`]; [`JobError::NoTable`] where the values
/// are not stored; errors of reading.
pub fn positions_of_value(
    store: &Store,
    job: &str,
    value: u8,
    limits: SizeLimits,
    most: usize,
) -> Result<Vec<String>, JobError> {
    let certificate = catalogue::find(store, job)?;
    if certificate.positions.is_none() {
        return Err(JobError::NoGame(certificate.spec.question));
    }
    let poset: Poset =
        certificate.spec.poset.parse().map_err(|error: PosetError| JobError::SelfCheck(error.to_string()))?;
    let min = limits.min.max(certificate.spec.limits.min);
    let sizes = min..=limits.max.unwrap_or(poset.len());
    let list = List { store, certificate: &certificate, poset: &poset, value, sizes, most };
    match (certificate.method, poset.words()) {
        (Method::Halves { top }, 1) => list.of_halves::<1>(top),
        (Method::Halves { top }, _) => list.of_halves::<2>(top),
        (Method::Plain { .. }, 1) => list.plain::<1>(),
        (Method::Plain { .. }, 2) => list.plain::<2>(),
        (Method::Plain { .. }, _) => list.plain::<4>(),
    }
}

/// The bases of a shard, and its values.
type Shard<const W: usize> = (Vec<Ideal<W>>, Vec<u8>);

struct List<'a> {
    store: &'a Store,
    certificate: &'a Certificate,
    poset: &'a Poset,
    value: u8,
    sizes: RangeInclusive<usize>,
    most: usize,
}

impl List<'_> {
    fn layers(&self) -> impl Iterator<Item = &PositionLayer> {
        self.certificate.positions.iter().flat_map(|positions| &positions.layers)
    }

    /// The bases of a shard of a layer, and its values, if the value is among them.
    fn shard<const W: usize>(&self, layer: &PositionLayer, shard: usize) -> Result<Option<Shard<W>>, JobError> {
        let key = layer.side.key(&self.certificate.job, layer.layer, shard);
        if self.store.shard(&key)?.is_none() {
            return Err(JobError::NoTable(self.certificate.job.clone()));
        }
        let values = self.store.read_bytes(&key)?;
        if !values.contains(&self.value) {
            return Ok(None);
        }
        let bases = self.store.read_bases::<W>(&bases_key(&self.certificate.space, layer.layer, shard))?;
        Ok(Some((bases, values)))
    }

    fn plain<const W: usize>(&self) -> Result<Vec<String>, JobError> {
        let mut found = Vec::new();
        for layer in self.layers().filter(|layer| self.sizes.contains(&layer.layer)) {
            for shard in 0..layer.shards.len() {
                let Some((bases, values)) = self.shard::<W>(layer, shard)? else { continue };
                let here = bases.iter().zip(values).filter(|(_, value)| *value == self.value);
                for (base, _) in here {
                    if found.len() == self.most {
                        return Ok(found);
                    }
                    found.push(format_position(self.poset, &base.iter().collect::<Vec<_>>()));
                }
            }
        }
        Ok(found)
    }

    fn of_halves<const W: usize>(&self, top: usize) -> Result<Vec<String>, JobError> {
        let isa = Isa::detect();
        let Some(split) = Split::halves(self.poset, isa) else { return Ok(Vec::new()) };
        let (ranks, symmetry) = (Ranks::new(), Canonicaliser::<W>::new(self.poset, isa));
        let Some(uppers) = &split.uppers else { return Ok(Vec::new()) };
        // By size, for a layer holds ideals of many sizes.
        let mut found: BTreeSet<(usize, Ideal<W>)> = BTreeSet::new();
        let mut facets = Vec::new();
        for layer in self.layers() {
            for shard in 0..layer.shards.len() {
                let Some((bases, values)) = self.shard::<1>(layer, shard)? else { continue };
                let mut first = 0;
                for base in &bases {
                    let base = base.0[0];
                    let room = (top - layer.layer) as u32;
                    let slots = uppers.facets(&ranks, uppers.available(base), room, &mut facets) as usize;
                    let block = &values[first..first + slots];
                    first += slots;
                    if !block.contains(&self.value) {
                        continue;
                    }
                    for facet in &facets {
                        for code in codes_up_to(facet.shape.q, facet.shape.cap) {
                            let size = layer.layer + (facet.fixed + code.count_ones()) as usize;
                            let slot = facet.offset + facet.shape.address(&ranks, code);
                            // What is in the middle is on both sides.
                            let is_copy = layer.side == Side::Upper && size == top;
                            if is_copy || block[slot as usize] != self.value {
                                continue;
                            }
                            let own = if layer.side == Side::Upper { self.poset.len() - size } else { size };
                            let is_late = found.len() >= self.most && found.last().is_none_or(|last| last.0 < own);
                            if is_late || !self.sizes.contains(&own) {
                                continue;
                            }
                            let members = members(&split, layer.side, base, facet.upper(code));
                            let ideal = members.iter().fold(Ideal::<W>::empty(), |set, &x| set.with(x));
                            found.insert((members.len(), symmetry.canonical(ideal).ideal));
                            if found.len() > self.most {
                                found.pop_last();
                            }
                        }
                    }
                }
            }
        }
        let text = |(_, ideal): &(usize, Ideal<W>)| format_position(self.poset, &ideal.iter().collect::<Vec<_>>());
        Ok(found.iter().map(text).collect())
    }
}

/// The members of a position given as a pair of base and upper part of its side.
fn members(split: &Split<1>, side: Side, base: u64, upper: u64) -> Vec<Element> {
    let (base, upper) = match side {
        Side::Lower => (base, upper),
        Side::Upper => split.dual(base, upper),
    };
    let element = |i: usize| split.uppers.as_ref().map_or(0, |uppers| usize::from(uppers.element[i]));
    let mut members: Vec<Element> = Bits(base).chain(Bits(upper).map(element)).collect();
    members.sort_unstable();
    members
}
