//! Base layers as files.

use std::sync::Arc;

use crate::ideal::Ideal;
use crate::job::JobError;
use crate::job::records::{SpaceLayer, bases_key, layer_document};
use crate::parallel::crew;
use crate::space::layer::BaseLayer;
use crate::store::{Commit, ShardKind, Store, StoreError, bases_in_block};

/// A layer to be written.
pub struct Unsaved<const W: usize> {
    /// What is known of it.
    pub record: SpaceLayer,
    /// Its bases.
    pub bases: Arc<BaseLayer<W>>,
    /// For each shard the number of its states before each block of bases.
    pub starts: Vec<Vec<u64>>,
}

/// For each shard the number of its states before each block of bases in its file.
pub fn starts<const W: usize>(bases: &BaseLayer<W>, places: &[u64]) -> Vec<Vec<u64>> {
    let mut first = 0;
    let mut starts = Vec::new();
    for shard in &bases.shards {
        let blocks = (0..shard.len()).step_by(bases_in_block::<W>());
        starts.push(blocks.map(|i| places[first + i] - places[first]).collect());
        first += shard.len();
    }
    starts
}

/// Writes layers, and makes them known together.
///
/// # Errors
/// Errors of writing.
pub fn write_layers<const W: usize>(store: &Store, owner: &str, layers: &[Unsaved<W>]) -> Result<(), JobError> {
    let mut commit = Commit::new();
    for Unsaved { record, bases, starts } in layers {
        for (number, (shard, starts)) in bases.shards.iter().zip(starts).enumerate() {
            let key = bases_key(owner, record.size, number);
            let written = store.write_bases(&key, shard, |i| starts[i / bases_in_block::<W>()])?;
            commit.put_shard(key, written.record());
        }
        commit.put_document(owner, &layer_document(record.size), record)?;
    }
    store.commit(commit)?;
    tracing::debug!(layers = layers.len(), "bases stored");
    Ok(())
}

/// The bases of a stored layer; `None` if they are damaged or gone, after damaged files were set aside.
///
/// # Errors
/// Errors of the store other than damage.
pub fn read_bases<const W: usize>(
    store: &Store,
    owner: &str,
    record: &SpaceLayer,
    threads: usize,
) -> Result<Option<BaseLayer<W>>, JobError> {
    let stored = store.shards_in_layer(owner, ShardKind::Bases, record.size as u16)?;
    if stored.len() != record.shards.len() {
        return Ok(None);
    }
    type Read<const W: usize> = (usize, Result<Vec<Ideal<W>>, StoreError>);
    let read = crew(threads, stored.iter().enumerate(), Vec::new, |read: &mut Vec<Read<W>>, (number, (key, _))| {
        read.push((number, store.read_bases::<W>(key)));
    });
    let mut shards = vec![Vec::new(); stored.len()];
    let mut whole = true;
    for (number, shard) in read.into_iter().flatten() {
        match shard {
            Ok(bases) => shards[number] = bases,
            Err(error) if error.damaged_file().is_some() => {
                tracing::warn!("{error}; it is set aside and its bases are computed again");
                store.set_aside(&stored[number].0)?;
                whole = false;
            }
            Err(error) => return Err(error.into()),
        }
    }
    whole &= shards.iter().map(|shard| shard.len() as u64).eq(record.shards.iter().copied());
    Ok(whole.then_some(BaseLayer { size: record.size, shards }))
}
