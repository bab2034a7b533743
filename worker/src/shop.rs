//! What a worker has at hand: engines, bases, indices, tables, and the files of values that it made itself.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use antichain_common::huge::{self, Words};
use antichain_common::job::task::{Engine, LayerIndex};
use antichain_common::store::{BlockHead, BlockImage, Damage};
use antichain_proto::v1;

use crate::cache::BlockCache;
use crate::error::Undone;
use crate::fetch::{Fetcher, Place};
use crate::made::Made;
use crate::replicas::Replicas;
use crate::search::Searches;
use crate::table::LayerTable;

/// Layers whose bases and indices are at hand, at most: a task reads two, and the next one may read another.
const LAYERS: usize = 6;

/// A layer of a job: how it is cut, its bases as far as they were needed, its index.
pub struct Layer {
    /// How it is cut.
    pub reply: v1::LayerReply,
    bases: Vec<OnceLock<Arc<BlockImage>>>,
    index: Mutex<Option<LayerIndex>>,
}

/// A layer of a job.
type LayerName = (String, usize);

#[derive(Default)]
struct Shelves {
    engines: HashMap<String, Arc<dyn Engine>>,
    /// The one used last is at the end.
    layers: VecDeque<(LayerName, Arc<Layer>)>,
    /// The newest one only: when it is read, nearly all is done that reads an older one.
    table: Option<(LayerName, Arc<LayerTable>)>,
    /// Memory of the table that was let go last: the first touch of a page costs more than any later use of it.
    spare: Option<Words>,
}

/// See the head of this file.
pub struct Shop {
    /// Fetches what is not at hand.
    pub fetcher: Fetcher,
    /// What was made here.
    pub made: Arc<Made>,
    /// What was made or fetched before, on the disk.
    pub cache: Option<BlockCache>,
    /// The valued layers of games.
    pub replicas: Replicas,
    /// The search at hand.
    pub searches: Searches,
    shelves: Mutex<Shelves>,
}

impl Shop {
    /// Nothing at hand yet, of a worker with so many bytes of memory.
    pub fn new(fetcher: Fetcher, made: Arc<Made>, cache: Option<BlockCache>, memory: u64) -> Self {
        let (replicas, searches) = (Replicas::new(memory), Searches::default());
        Self { fetcher, made, cache, replicas, searches, shelves: Mutex::default() }
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of a job.
    ///
    /// # Errors
    /// [`Undone::Task`] if the job cannot be done.
    pub fn engine(
        &self,
        job: &str,
        make: impl FnOnce() -> Result<Arc<dyn Engine>, Undone>,
    ) -> Result<Arc<dyn Engine>, Undone> {
        if let Some(engine) = self.shelves().engines.get(job) {
            return Ok(engine.clone());
        }
        let engine = make()?;
        let mut shelves = self.shelves();
        if shelves.engines.len() >= LAYERS {
            shelves.engines.clear();
        }
        Ok(shelves.engines.entry(job.to_owned()).or_insert(engine).clone())
    }

    /// A layer of a job. With `settled` its values must all be there.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn layer(
        &self,
        job: &str,
        layer: usize,
        settled: bool,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Layer>, Undone> {
        let name = (job.to_owned(), layer);
        if let Some(known) = touch(&mut self.shelves().layers, &name)
            && (!settled || known.is_settled())
        {
            return Ok(known);
        }
        let reply = self.fetcher.layer(job, v1::FileKind::Values, layer, is_wanted)?;
        let bases = reply.shards.iter().map(|_| OnceLock::new()).collect();
        let fresh = Arc::new(Layer { reply, bases, index: Mutex::default() });
        let mut shelves = self.shelves();
        if let Some(at) = shelves.layers.iter().position(|(other, _)| *other == name) {
            // The same layer, only with more known of its values: its bases stay good.
            if let Some((_, before)) = shelves.layers.remove(at) {
                before.hand_over(&fresh);
            }
        }
        shelves.layers.push_back((name, fresh.clone()));
        while shelves.layers.len() > LAYERS {
            shelves.layers.pop_front();
        }
        Ok(fresh)
    }

    /// The bases of a shard.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn bases(
        &self,
        job: &str,
        (number, layer): (usize, &Layer),
        shard: usize,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<BlockImage>, Undone> {
        let missing = || Undone::Gone(format!("shard {shard} of the bases of layer {number}"));
        let (slot, cut) = layer.bases.get(shard).zip(layer.reply.shards.get(shard)).ok_or_else(missing)?;
        if let Some(image) = slot.get() {
            return Ok(image.clone());
        }
        let place = Place { job: job.to_owned(), kind: v1::FileKind::Bases, layer: number, shard };
        let image = self.image(&place, (&cut.bases_digest, &[]), None, is_wanted)?;
        Ok(slot.get_or_init(|| Arc::new(image)).clone())
    }

    /// The file of the values of a shard that are all there, given what is known of it.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn values(
        &self,
        place: &Place,
        cut: &v1::LayerShard,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<BlockImage>, Undone> {
        if let Some(image) = self.made.get(place, &cut.values_digest) {
            return Ok(image);
        }
        let image = self.image(place, (&cut.values_digest, &cut.peers), self.cache.as_ref(), is_wanted)?;
        Ok(Arc::new(image))
    }

    /// A file with that digest, from a cache as far as it has it, and for the rest from peers or the coordinator.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn image(
        &self,
        place: &Place,
        (digest, peers): (&[u8], &[String]),
        cache: Option<&BlockCache>,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<BlockImage, Undone> {
        let frame = self.fetcher.frame(place, is_wanted)?;
        let head = BlockHead::parse(&frame.header, &frame.tail, frame.file_bytes)?;
        if head.file_digest()[..] != digest[..] {
            return Err(Damage::NotRecorded.into());
        }
        let mut bytes = huge::filled(0, head.file_bytes() as usize);
        bytes[..frame.header.len()].copy_from_slice(&frame.header);
        let tail = bytes.len() - frame.tail.len();
        bytes[tail..].copy_from_slice(&frame.tail);
        let mut take = |block: usize, stored: &[u8]| {
            bytes[head.meta(block).offset as usize..][..stored.len()].copy_from_slice(stored);
            Ok(())
        };
        let all = std::iter::once(0..head.len()).collect();
        let rest = match cache {
            Some(cache) => cached(cache, &head, all, &mut take)?,
            None => all,
        };
        if !rest.is_empty() {
            self.fetcher.blocks(place, &head, peers, &rest, is_wanted, |block, stored| {
                take(block, stored)?;
                if let Some(cache) = cache {
                    cache.put(&head.file_digest(), block as u32, stored);
                }
                Ok(())
            })?;
        }
        Ok(BlockImage { bytes, head })
    }

    /// The index of a layer.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn index(
        &self,
        engine: &dyn Engine,
        job: &str,
        (number, layer): (usize, &Layer),
        threads: usize,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<LayerIndex, Undone> {
        // Held while it is made: nobody else is to make it too.
        let mut index = layer.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*index {
            return Ok(index.clone());
        }
        let mut images = Vec::with_capacity(layer.bases.len());
        for shard in 0..layer.bases.len() {
            images.push(BlockImage::clone(&*self.bases(job, (number, layer), shard, is_wanted)?));
        }
        Ok(index.insert(engine.index(&images, number, threads)?).clone())
    }

    /// The table of a layer, whose values are all there.
    pub fn table(&self, job: &str, number: usize, layer: &Layer, width: usize) -> Arc<LayerTable> {
        let name = (job.to_owned(), number);
        let mut shelves = self.shelves();
        if let Some((_, table)) = shelves.table.as_ref().filter(|(known, _)| *known == name) {
            return table.clone();
        }
        let is_older = shelves.table.as_ref().is_some_and(|((other, newest), _)| other == job && *newest > number);
        if is_older {
            // A latecomer gets one for itself: the newest has taken long to fill in.
            drop(shelves);
            return Arc::new(LayerTable::new(&layer.reply, width, None));
        }
        // Whoever still reads the one before keeps it until the task is done.
        if let Some(before) = shelves.table.take().and_then(|(_, before)| Arc::into_inner(before)) {
            shelves.spare = Some(before.into_words());
        }
        let table = Arc::new(LayerTable::new(&layer.reply, width, shelves.spare.take()));
        shelves.table = Some((name, table.clone()));
        drop(shelves);
        self.made.forget_below(job, number);
        table
    }

    /// The table of a layer is not what it should be: it is filled in anew.
    pub fn forget_table(&self, job: &str, number: usize) {
        let mut shelves = self.shelves();
        shelves.table.take_if(|((other, layer), _)| other == job && *layer == number);
        shelves.layers.retain(|((other, layer), _)| other != job || *layer != number);
    }
}

impl Layer {
    /// Whether all values are there.
    pub fn is_settled(&self) -> bool {
        self.reply.shards.iter().all(|shard| shard.width > 0 && !shard.values_digest.is_empty())
    }

    /// Gives what is known of the bases to a newer view of the same layer.
    fn hand_over(&self, newer: &Self) {
        for (old, new) in self.bases.iter().zip(&newer.bases) {
            if let Some(image) = old.get() {
                // Empty, as it is new.
                let _ = new.set(image.clone());
            }
        }
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner).clone();
        *newer.index.lock().unwrap_or_else(PoisonError::into_inner) = index;
    }
}

/// Gives the blocks of a file that a cache has to `take`; returns the rest of those that are wanted.
///
/// # Errors
/// What `take` says.
pub fn cached(
    cache: &BlockCache,
    head: &BlockHead,
    wanted: Vec<Range<usize>>,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), Undone>,
) -> Result<Vec<Range<usize>>, Undone> {
    let mut rest: Vec<Range<usize>> = Vec::new();
    let mut stored = Vec::new();
    for block in wanted.into_iter().flatten() {
        if cache.get(&head.file_digest(), block as u32, &mut stored) && head.check(block, &stored).is_ok() {
            take(block, &stored)?;
            continue;
        }
        match rest.last_mut() {
            Some(range) if range.end == block => range.end += 1,
            _ => rest.push(block..block + 1),
        }
    }
    Ok(rest)
}

/// Finds something and makes it the one used last.
fn touch<K: PartialEq, V: Clone>(shelf: &mut VecDeque<(K, V)>, key: &K) -> Option<V> {
    let at = shelf.iter().position(|(other, _)| other == key)?;
    let entry = shelf.remove(at)?;
    let value = entry.1.clone();
    shelf.push_back(entry);
    Some(value)
}
