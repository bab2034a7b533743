//! Layers as tasks see them: merged and cut into shards, or indexed.

use std::any::Any;
use std::sync::Arc;

use super::TaskError;
use super::engine::Tasks;
use crate::ideal::Ideal;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::needed::places;
use crate::store::{BlockImage, ShardKind, bases_image, decode_bases};

/// The bases of an image.
///
/// # Errors
/// [`TaskError::Input`].
pub(super) fn bases_of<const W: usize>(image: &BlockImage) -> Result<Vec<Ideal<W>>, TaskError> {
    Ok(decode_bases::<W>(&image.head, image.blocks())?)
}

/// A layer whose bases are all found, cut into shards.
pub struct Merged {
    /// Its shards, in order.
    pub shards: Vec<MergedShard>,
}

/// A shard of a layer.
pub struct MergedShard {
    /// The file of its bases: the same bytes as a run in one process writes.
    pub image: BlockImage,
    /// Number of bases.
    pub bases: u64,
    /// Number of slots of their values.
    pub slots: u64,
}

impl Merged {
    pub(super) fn of<const W: usize>(tasks: &Tasks<W>, layer: BaseLayer<W>) -> Result<Self, TaskError> {
        let bases: Vec<_> = layer.iter().copied().collect();
        let (all, slots) = places(&tasks.split, &tasks.ranks, &bases, layer.size, tasks.top());
        let mut first = 0;
        let mut shards = Vec::new();
        for shard in layer.cut(&all, slots).shards {
            let here = &all[first..first + shard.len()];
            first += shard.len();
            let end = all.get(first).copied().unwrap_or(slots);
            let start = here.first().copied().unwrap_or(end);
            let image = bases_image(ShardKind::Bases, &shard, |i| here[i] - start)?;
            shards.push(MergedShard { image, bases: shard.len() as u64, slots: end - start });
        }
        Ok(Self { shards })
    }
}

/// The bases of a layer, with the places of their blocks, and an index of both.
pub(super) struct Indexed<const W: usize> {
    pub layer: BaseLayer<W>,
    pub places: Vec<u64>,
    pub slots: u64,
    pub index: BaseIndex<W>,
}

impl<const W: usize> Indexed<W> {
    pub(super) fn new(tasks: &Tasks<W>, layer: BaseLayer<W>, threads: usize) -> Self {
        let bases: Vec<_> = layer.iter().copied().collect();
        let (places, slots) = places(&tasks.split, &tasks.ranks, &bases, layer.size, tasks.top());
        let index = BaseIndex::new(&layer, &places, threads);
        Self { layer, places, slots, index }
    }

    /// First base and first slot of a shard.
    pub(super) fn shard(&self, shard: usize) -> Option<(usize, u64)> {
        self.layer.shards.get(shard)?;
        let first = self.layer.shards[..shard].iter().map(Vec::len).sum::<usize>();
        Some((first, self.places.get(first).copied().unwrap_or(self.slots)))
    }
}

/// An indexed layer, of whatever words. To be used with the engine that made it only.
#[derive(Clone)]
pub struct LayerIndex {
    inner: Arc<dyn Any + Send + Sync>,
    slots: u64,
    bytes: u64,
}

impl LayerIndex {
    pub(super) fn of<const W: usize>(indexed: Indexed<W>) -> Self {
        let slots = indexed.slots;
        let bytes = indexed.layer.len() as u64 * (3 * 8 * W as u64 + 20);
        Self { inner: Arc::new(indexed), slots, bytes }
    }

    /// Number of slots of the layer's table.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Bytes of memory, about.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// # Panics
    /// If another engine made it.
    pub(super) fn indexed<const W: usize>(&self) -> Arc<Indexed<W>> {
        Arc::downcast(self.inner.clone()).expect("an index is used with the engine that made it")
    }
}
