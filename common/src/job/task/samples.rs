//! Samples of a layer whose values are in a store.

use num_bigint::BigUint;

use super::TaskError;
use super::engine::Tasks;
use super::layers::bases_of;
use crate::ideal::Ideal;
use crate::job::records::values_key;
use crate::job::sample::Sample;
use crate::job::sampling::{Sampled, take_samples};
use crate::recurrence::limbs::value;
use crate::space::needed::places;
use crate::store::{ShardKind, Store, StoreError};

/// A layer whose values are in a store.
struct StoredLayer<'a> {
    store: &'a Store,
    job: String,
    size: usize,
    /// First slot of each shard.
    starts: Vec<u64>,
    places: Vec<u64>,
    slots: u64,
}

struct View<'a, const W: usize> {
    layer: StoredLayer<'a>,
    bases: Vec<Ideal<W>>,
}

/// The samples of a layer.
///
/// # Errors
/// [`TaskError::Store`], [`TaskError::Input`].
pub(super) fn take<const W: usize>(tasks: &Tasks<W>, store: &Store, layer: usize) -> Result<Vec<Sample>, TaskError> {
    let own = View::new(tasks, store, layer)?;
    let below = layer.checked_sub(1).map(|below| View::new(tasks, store, below)).transpose()?;
    Ok(take_samples(&tasks.split, &tasks.ranks, tasks.top(), &own, below.as_ref())?)
}

impl<'a, const W: usize> View<'a, W> {
    fn new(tasks: &Tasks<W>, store: &'a Store, size: usize) -> Result<Self, TaskError> {
        let mut bases: Vec<Ideal<W>> = Vec::new();
        let mut firsts = Vec::new();
        for (key, _) in store.shards_in_layer(&tasks.space, ShardKind::Bases, size as u16)? {
            firsts.push(bases.len());
            bases.extend(bases_of::<W>(&store.read_image(&key)?)?);
        }
        let (places, slots) = places(&tasks.split, &tasks.ranks, &bases, size, tasks.top());
        let starts = firsts.into_iter().map(|first| places.get(first).copied().unwrap_or(slots)).collect();
        let layer = StoredLayer { store, job: tasks.spec.id().0, size, starts, places, slots };
        Ok(Self { layer, bases })
    }
}

impl<const W: usize> Sampled<W> for View<'_, W> {
    fn size(&self) -> usize {
        self.layer.size
    }

    fn bases(&self) -> impl Iterator<Item = Ideal<W>> {
        self.bases.iter().copied()
    }

    fn places(&self) -> (&[u64], u64) {
        (&self.layer.places, self.layer.slots)
    }

    fn place(&self, base: &Ideal<W>) -> u64 {
        let number = self.bases.binary_search(base).expect("every canonical base of the layer is stored");
        self.layer.places[number]
    }

    fn values(&self, first: u64, count: u64) -> Result<Vec<BigUint>, StoreError> {
        let StoredLayer { store, job, size, starts, .. } = &self.layer;
        // A block lies in one shard, the last that begins no later.
        let shard = starts.partition_point(|&start| start <= first).saturating_sub(1);
        let start = starts.get(shard).copied().unwrap_or(0);
        let key = values_key(&crate::job::JobId(job.clone()), *size, shard);
        let values = store.read_value_range(&key, first - start, count)?;
        Ok(values.limbs.chunks_exact(values.width).map(value).collect())
    }
}
