//! What workers read: how layers are cut, and the files of their shards.

use antichain_common::job::records::bases_key;
use antichain_common::job::search::settled::settled_key;
use antichain_common::job::{JobId, Side};
use antichain_common::store::{BlockFile, ShardKind, StoreError};

use super::Desk;

/// The shards of a layer of a job.
pub struct LayerOfShards {
    /// In order.
    pub shards: Vec<ShardFiles>,
}

/// A shard with its files.
pub struct ShardFiles {
    /// Number of bases.
    pub bases: u64,
    /// Number of slots.
    pub slots: u64,
    /// File digest of the bases.
    pub bases_digest: [u8; 32],
    /// File digest of the values, once they are there.
    pub values_digest: Option<[u8; 32]>,
    /// Limbs of a value, once all shards are there.
    pub width: usize,
    /// Where the values can be fetched too.
    pub peer: Option<String>,
}

impl Desk {
    /// The shards of a layer with their values, or those of the duals over them, if the job is there and the layer is cut.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn layer(&self, id: &JobId, side: Side, layer: usize) -> Result<Option<LayerOfShards>, StoreError> {
        let found = {
            let state = self.state();
            state.job(id).and_then(|job| {
                let course = job.course.as_ref()?;
                let cut = course.cut(layer)?.clone();
                let maker = |shard| state.workers.get(job.makers.get(&(side, layer, shard))?)?.peer.clone();
                let peers: Vec<_> = (0..cut.shards.len()).map(maker).collect();
                let width = match side {
                    Side::Lower => course.width(layer).unwrap_or(0),
                    Side::Upper => usize::from(course.has_all_duals(layer)),
                };
                Some((cut, width, job.engine.space().to_owned(), peers))
            })
        };
        let Some((cut, width, space, mut peers)) = found else { return Ok(None) };
        let bases = self.store.shards_in_layer(&space, ShardKind::Bases, layer as u16)?;
        let values = self.store.shards_in_layer(&id.0, side.kind(), layer as u16)?;
        let mut shards = Vec::with_capacity(cut.shards.len());
        for (number, (shard, (_, record))) in cut.shards.iter().zip(&bases).enumerate() {
            let values = values.iter().find(|(key, _)| key.shard as usize == number);
            shards.push(ShardFiles {
                bases: shard.bases,
                slots: shard.slots,
                bases_digest: record.file_digest,
                values_digest: values.map(|(_, record)| record.file_digest),
                width,
                peer: peers[number].take(),
            });
        }
        Ok((shards.len() == cut.shards.len()).then_some(LayerOfShards { shards }))
    }

    /// A file of settled positions. One that is damaged is set aside: a search goes on without it.
    fn settled_file(&self, id: &JobId, number: usize) -> Result<Option<BlockFile>, StoreError> {
        let key = settled_key(id, number);
        match self.store.open_shard(&key) {
            Ok(file) => Ok(Some(file)),
            Err(StoreError::NoShard { .. }) => Ok(None),
            Err(error) if error.damaged_file().is_some() => {
                tracing::warn!("{error}; it is set aside");
                self.store.set_aside(&key)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The file of a shard of bases, of values, or of those of duals.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of reading.
    pub fn file(
        &self,
        id: &JobId,
        kind: ShardKind,
        layer: usize,
        shard: usize,
    ) -> Result<Option<BlockFile>, StoreError> {
        let key = match kind {
            ShardKind::Values => Side::Lower.key(id, layer, shard),
            ShardKind::Duals => Side::Upper.key(id, layer, shard),
            ShardKind::Bases => {
                let space = self.state().job(id).map(|job| job.engine.space().to_owned());
                let Some(space) = space else { return Ok(None) };
                bases_key(&space, layer, shard)
            }
            ShardKind::Settled => return self.settled_file(id, shard),
            ShardKind::Candidates | ShardKind::Sample | ShardKind::Proof => return Ok(None),
        };
        if self.store.shard(&key)?.is_none() { Ok(None) } else { self.store.open_shard(&key).map(Some) }
    }
}
