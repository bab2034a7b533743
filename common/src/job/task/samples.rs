//! Samples of a layer whose values are in a store.

use std::sync::Arc;

use num_bigint::BigUint;

use super::engine::Tasks;
use super::layers::{Indexed, LayerIndex};
use crate::ideal::Ideal;
use crate::job::JobId;
use crate::job::records::values_key;
use crate::job::sample::Sample;
use crate::job::sampling::{Sampled, take_samples};
use crate::recurrence::limbs::value;
use crate::store::{Store, StoreError};

/// A layer whose values are in a store.
pub struct StoredTable<'a> {
    /// The store.
    pub store: &'a Store,
    /// Owner of the values.
    pub job: &'a JobId,
    /// The bases.
    pub index: &'a LayerIndex,
}

struct View<'a, const W: usize> {
    table: &'a StoredTable<'a>,
    indexed: Arc<Indexed<W>>,
}

/// The samples of a layer.
///
/// # Errors
/// Errors of reading the store.
pub(super) fn take<const W: usize>(
    tasks: &Tasks<W>,
    own: &StoredTable<'_>,
    below: Option<&StoredTable<'_>>,
) -> Result<Vec<Sample>, StoreError> {
    let own = View::<W> { table: own, indexed: own.index.indexed() };
    let below = below.map(|table| View::<W> { table, indexed: table.index.indexed() });
    take_samples(&tasks.split, &tasks.ranks, tasks.top(), &own, below.as_ref())
}

impl<const W: usize> Sampled<W> for View<'_, W> {
    fn size(&self) -> usize {
        self.indexed.layer.size
    }

    fn bases(&self) -> impl Iterator<Item = Ideal<W>> {
        self.indexed.layer.iter().copied()
    }

    fn places(&self) -> (&[u64], u64) {
        (&self.indexed.places, self.indexed.slots)
    }

    fn place(&self, base: &Ideal<W>) -> u64 {
        self.indexed.index.get(base).expect("every canonical base of the layer is indexed")
    }

    fn values(&self, first: u64, count: u64) -> Result<Vec<BigUint>, StoreError> {
        // A block lies in one shard, the last that begins no later.
        let starts =
            (0..self.indexed.layer.shards.len()).filter_map(|shard| Some((shard, self.indexed.shard(shard)?.1)));
        let (shard, start) = starts.take_while(|&(_, start)| start <= first).last().unwrap_or((0, 0));
        let StoredTable { store, job, .. } = self.table;
        let values = store.read_value_range(&values_key(job, self.size(), shard), first - start, count)?;
        Ok(values.limbs.chunks_exact(values.width).map(value).collect())
    }
}
