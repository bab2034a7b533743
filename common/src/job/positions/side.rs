//! A base layer of a side with its values: in memory, to files and back.

use std::ops::Range;
use std::sync::Arc;

use crate::huge;
use crate::job::records::ValueShard;
use crate::job::table::{hex, set_aside_faulty, shard_slots};
use crate::job::{JobError, JobId};
use crate::parallel::crew;
use crate::recurrence::chomp::{Blocks, Board, HighFacets, LayerValues, Places};
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::survey::Survey;
use crate::store::{ShardKey, Store, Written};

use super::records::{PositionLayer, Side};

/// The bases of a layer, or of a shard of it, and where their blocks lie on the lower side and in all files.
pub(in crate::job) struct Bases<const W: usize> {
    pub(in crate::job) layer: Arc<BaseLayer<W>>,
    pub(super) places: Places,
    /// Orders of the stabilisers of the bases.
    pub(super) stabilisers: Vec<u16>,
}

impl<const W: usize> Bases<W> {
    /// Bases that were surveyed.
    pub(in crate::job) fn new(layer: Arc<BaseLayer<W>>, survey: Survey) -> Self {
        let places = Places { places: survey.places, slots: survey.slots };
        Self { layer, places, stabilisers: survey.stabilisers }
    }

    /// One shard alone, if there is one of that number.
    pub(in crate::job) fn shard(&self, shard: usize) -> Option<Self> {
        let bases = self.layer.shards.get(shard)?.clone();
        let first: usize = self.layer.shards[..shard].iter().map(Vec::len).sum();
        let end = first + bases.len();
        let place = |base: usize| self.places.places.get(base).copied().unwrap_or(self.places.slots);
        let places = self.places.places[first..end].iter().map(|slot| slot - place(first)).collect();
        Some(Self {
            layer: Arc::new(BaseLayer { size: self.layer.size, shards: vec![bases] }),
            places: Places { places, slots: place(end) - place(first) },
            stabilisers: self.stabilisers[first..end].to_vec(),
        })
    }

    /// Number of slots.
    pub(in crate::job) fn slots(&self) -> u64 {
        self.places.slots
    }

    pub(super) fn blocks(&self) -> Blocks<'_, W> {
        self.blocks_at(&self.places)
    }

    /// The blocks with other places.
    pub(super) fn blocks_at<'a>(&'a self, places: &'a Places) -> Blocks<'a, W> {
        let Places { places, slots } = places;
        Blocks { layer: &self.layer, places, slots: *slots, stabilisers: &self.stabilisers }
    }

    /// The slots of each shard.
    pub(in crate::job) fn shards(&self) -> Vec<Range<usize>> {
        shard_slots(&self.layer, &self.places.places, self.places.slots)
    }
}

/// A valued layer, ready to be read.
pub(super) struct Valued<const W: usize> {
    index: BaseIndex<W>,
    high: HighFacets,
    /// The table as it is in memory.
    pub(super) values: Arc<Vec<u8>>,
}

impl<const W: usize> Valued<W> {
    pub(super) fn new(
        board: &Board<'_, W>,
        side: Side,
        layer: &BaseLayer<W>,
        places: &Places,
        values: Vec<u8>,
        threads: usize,
    ) -> Self {
        let room = match side {
            Side::Lower => board.lower_room(layer.size),
            Side::Upper => board.upper_room(layer.size),
        };
        let index = BaseIndex::new(layer, &places.places, threads);
        let high = HighFacets::new(board, layer.iter(), &places.places, room);
        Self { index, high, values: Arc::new(values) }
    }

    pub(super) fn layer_values(&self) -> LayerValues<'_, W> {
        LayerValues { index: &self.index, high: &self.high, values: &self.values }
    }
}

/// What is stored of the values of a layer.
pub(super) fn record(side: Side, layer: usize, table: &[u8], shards: &[Range<usize>], threads: usize) -> PositionLayer {
    let mut digests = vec![ValueShard { slots: 0, digest: String::new() }; shards.len()];
    let work = digests.iter_mut().zip(shards);
    crew(
        threads,
        work,
        || (),
        |(), (digest, slots)| {
            let found = blake3::hash(&table[slots.clone()]);
            *digest = ValueShard { slots: slots.len() as u64, digest: hex(found.as_bytes()) };
        },
    );
    PositionLayer { side, layer, slots: table.len() as u64, shards: digests }
}

/// Writes a shard of a layer; it is not recorded yet.
///
/// # Errors
/// Errors of writing.
pub(super) fn write(
    store: &Store,
    job: &JobId,
    (side, layer): (Side, usize),
    table: &[u8],
    (number, slots): (usize, &Range<usize>),
) -> Result<(ShardKey, Written), JobError> {
    let key = side.key(job, layer, number);
    let written = store.write_bytes(&key, &table[slots.clone()])?;
    Ok((key, written))
}

/// The stored table of a layer; `None` if it is damaged or gone, after damaged files were set aside.
///
/// # Errors
/// Errors of reading.
pub(super) fn read(
    store: &Store,
    job: &JobId,
    record: &PositionLayer,
    threads: usize,
) -> Result<Option<Vec<u8>>, JobError> {
    let mut table = huge::filled(0, record.slots as usize);
    let mut rest = &mut table[..];
    let mut parts = Vec::new();
    for (number, shard) in record.shards.iter().enumerate() {
        let Some((part, after)) = rest.split_at_mut_checked(shard.slots as usize) else { return Ok(None) };
        parts.push((number, shard, part));
        rest = after;
    }
    let faults = crew(threads, parts.into_iter(), Vec::new, |faults, (number, shard, part)| {
        let key = record.side.key(job, record.layer, number);
        match store.read_bytes(&key) {
            Ok(bytes) if bytes.len() == part.len() && hex(blake3::hash(&bytes).as_bytes()) == shard.digest => {
                part.copy_from_slice(&bytes);
            }
            Ok(_) => faults.push((key, None)),
            Err(error) => faults.push((key, Some(error))),
        }
    });
    let whole = set_aside_faulty(store, faults.into_iter().flatten())?;
    Ok(whole.then_some(table))
}
