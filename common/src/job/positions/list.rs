//! The positions of a game that have a given value.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};

use super::of_value::{Stored, Unread, ValuedShards};
use crate::ideal::Ideal;
use crate::job::certificate::Certificate;
use crate::job::{JobError, JobId, Method, SizeLimits, catalogue};
use crate::poset::{Poset, PosetError, format_position};
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
    match poset.words() {
        1 => list::<1>(store, &certificate, &poset, value, sizes, most),
        2 => list::<2>(store, &certificate, &poset, value, sizes, most),
        _ => list::<4>(store, &certificate, &poset, value, sizes, most),
    }
}

fn list<const W: usize>(
    store: &Store,
    certificate: &Certificate,
    poset: &Poset,
    value: u8,
    sizes: RangeInclusive<usize>,
    most: usize,
) -> Result<Vec<String>, JobError> {
    let Certificate { job, space, method, .. } = certificate;
    let is_plain = matches!(method, Method::Plain { .. });
    let shards = ValuedShards::new(store, (job, space), (poset, *method));
    let symmetry = (!is_plain).then(|| Canonicaliser::new(poset, Isa::detect()));
    let layers = certificate.positions.iter().flat_map(|positions| &positions.layers);
    let wanted = layers.filter(|layer| !is_plain || sizes.contains(&layer.layer));
    let mut list = List::<W> { symmetry, found: BTreeSet::new(), sizes: sizes.clone(), most };
    'layers: for layer in wanted {
        for shard in 0..layer.shards.len() {
            let read = shards.each((layer, shard), value, &mut |stored| list.add(stored));
            if read.map_err(|error| unread(error, job))?.is_break() {
                break 'layers;
            }
        }
    }
    let text = |(_, ideal): &(usize, Ideal<W>)| format_position(poset, &ideal.iter().collect::<Vec<_>>());
    Ok(list.found.iter().map(text).collect())
}

fn unread(error: Unread, job: &JobId) -> JobError {
    match error {
        Unread::NotStored => JobError::NoTable(job.clone()),
        Unread::Other => JobError::SelfCheck(format!("a shard of the values of {job} is not what was recorded")),
        Unread::Store(error) => error.into(),
    }
}

/// Up to so many positions, those with few elements first.
struct List<const W: usize> {
    /// Where orbits are stored more than once, their canonical forms are found.
    symmetry: Option<Canonicaliser<W>>,
    found: BTreeSet<(usize, Ideal<W>)>,
    sizes: RangeInclusive<usize>,
    most: usize,
}

impl<const W: usize> List<W> {
    fn add(&mut self, stored: Stored<'_, W>) -> ControlFlow<()> {
        let is_late = self.found.len() >= self.most && self.found.last().is_none_or(|last| last.0 <= stored.size);
        match &self.symmetry {
            // They come in the order in which they are wanted.
            None if is_late => return ControlFlow::Break(()),
            None => drop(self.found.insert((stored.size, stored.position()))),
            Some(_) if !self.sizes.contains(&stored.size) => {}
            Some(_) if self.found.last().is_some_and(|last| is_late && last.0 < stored.size) => {}
            Some(symmetry) => {
                self.found.insert((stored.size, symmetry.canonical(stored.position()).ideal));
                if self.found.len() > self.most {
                    self.found.pop_last();
                }
            }
        }
        ControlFlow::Continue(())
    }
}
