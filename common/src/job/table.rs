//! Tables of values as shards: their cuts, their digests, their way into files and back.

use std::cell::OnceCell;
use std::ops::Range;

use blake3::Hasher;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::JobId;
use super::records::{ValueLayer, ValueShard, values_key};
use crate::huge::Words;
use crate::parallel::crew;
use crate::space::layer::BaseLayer;
use crate::store::{ShardKey, Store, StoreError, Values, Written};

/// The slots of each shard of a layer, given the places of its blocks and the slots of all.
pub(super) fn shard_slots<const W: usize>(layer: &BaseLayer<W>, places: &[u64], all: u64) -> Vec<Range<usize>> {
    let mut first = 0;
    let place = |base: usize| places.get(base).copied().unwrap_or(all) as usize;
    let mut slots = Vec::with_capacity(layer.shards.len());
    for shard in &layer.shards {
        let end = first + shard.len();
        slots.push(place(first)..place(end));
        first = end;
    }
    slots
}

/// BLAKE3 of values as they are stored: little-endian.
fn digest(limbs: &[u64]) -> [u8; 32] {
    digest_with(limbs, alone)
}

fn alone(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update(bytes);
}

fn together(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update_rayon(bytes);
}

fn digest_with(limbs: &[u64], update: fn(&mut Hasher, &[u8])) -> [u8; 32] {
    let mut hasher = Hasher::new();
    if cfg!(target_endian = "little") {
        update(&mut hasher, bytemuck::cast_slice(limbs));
    } else {
        for limb in limbs {
            hasher.update(&limb.to_le_bytes());
        }
    }
    *hasher.finalize().as_bytes()
}

/// Limbs of a table that is worth more than one thread.
const LARGE: usize = 1 << 20;

/// Threads that compute the digests of a table together. They begin when they are first needed.
pub(super) struct DigestThreads {
    threads: usize,
    pool: OnceCell<Option<ThreadPool>>,
}

impl DigestThreads {
    /// So many, of which none has begun.
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, pool: OnceCell::new() }
    }

    /// The digests of the shards of a table. (Layers of few bases have one shard, however large: so threads share each
    /// shard, not only the shards.)
    pub(super) fn digests(&self, table: &[u64], width: usize, slots: &[Range<usize>]) -> Vec<ValueShard> {
        let shard = |slots: &Range<usize>, update| {
            let digest = digest_with(&table[slots.start * width..slots.end * width], update);
            ValueShard { slots: slots.len() as u64, digest: hex(&digest) }
        };
        // Without threads to be had, this one does it.
        let pool =
            || self.pool.get_or_init(|| ThreadPoolBuilder::new().num_threads(self.threads).build().ok()).as_ref();
        match (self.threads > 1 && table.len() >= LARGE).then(pool).flatten() {
            Some(pool) => pool.install(|| slots.iter().map(|slots| shard(slots, together)).collect()),
            None => slots.iter().map(|slots| shard(slots, alone)).collect(),
        }
    }
}

/// Writes a shard of `width` limbs a value from a table that may have become wider since.
pub(super) fn write_shard(
    store: &Store,
    job: &JobId,
    (layer, shard): (usize, usize),
    limbs: &[u64],
    (table_width, width): (usize, usize),
) -> Result<Written, StoreError> {
    let key = values_key(job, layer, shard);
    if table_width == width {
        return store.write_values(&key, width, limbs);
    }
    let mut writer = store.create_values(&key, width)?;
    for value in limbs.chunks_exact(table_width) {
        writer.extend(&value[..width])?;
    }
    writer.finish()
}

/// Reads the table of a layer, after its record; `None` if it is damaged or gone, after damaged files were set aside.
pub(super) fn read_table(
    store: &Store,
    job: &JobId,
    record: &ValueLayer,
    threads: usize,
) -> Result<Option<Words>, StoreError> {
    let mut table = Words::zeroed(record.slots as usize * record.width);
    let mut parts = Vec::new();
    let mut rest = &mut table[..];
    for (number, shard) in record.shards.iter().enumerate() {
        let length = shard.slots as usize * record.width;
        if length > rest.len() {
            return Ok(None);
        }
        let (part, after) = rest.split_at_mut(length);
        parts.push((number, shard, part));
        rest = after;
    }
    let faults = crew(threads, parts.into_iter(), Vec::new, |faults, (number, shard, part)| {
        let key = values_key(job, record.layer, number);
        match store.read_values(&key) {
            Ok(Values { width, limbs })
                if width == record.width && limbs.len() == part.len() && hex(&digest(&limbs)) == shard.digest =>
            {
                part.copy_from_slice(&limbs);
            }
            Ok(_) => faults.push((key, None)),
            Err(error) => faults.push((key, Some(error))),
        }
    });
    let whole = set_aside_faulty(store, faults.into_iter().flatten())?;
    Ok(whole.then_some(table))
}

/// Sets shards aside that could not be read because of damage, or that were read but are not what they should be
/// (`None`); whether there were none, and none missing.
///
/// # Errors
/// Errors of reading that are no damage.
pub(super) fn set_aside_faulty(
    store: &Store,
    faults: impl Iterator<Item = (ShardKey, Option<StoreError>)>,
) -> Result<bool, StoreError> {
    let mut whole = true;
    for (key, fault) in faults {
        whole = false;
        match fault {
            Some(StoreError::NoShard(_)) => continue,
            Some(error) if error.damaged_file().is_some() => {
                tracing::warn!("{error}; it is set aside and its values are computed again");
            }
            Some(error) => return Err(error),
            None => tracing::warn!("{key} does not match its digest; it is set aside and computed again"),
        }
        store.set_aside(&key)?;
    }
    Ok(whole)
}

/// Makes the first values of a table wider in place, from the last one down.
pub(super) fn widen(table: &mut Words, values: usize, from: usize, to: usize) {
    if table.len() < values * to {
        let mut larger = Words::zeroed(values * to);
        larger[..values * from].copy_from_slice(&table[..values * from]);
        *table = larger;
    }
    for i in (0..values).rev() {
        // The new place lies behind every value that is still to move.
        table.copy_within(i * from..(i + 1) * from, i * to);
        table[i * to + from..(i + 1) * to].fill(0);
    }
}

/// Hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrence::limbs::widened;

    #[test]
    fn widening_in_place_is_widening() {
        for (from, to) in [(1, 2), (2, 3), (4, 8), (8, 16)] {
            let table: Vec<u64> = (1..=5 * from as u64).collect();
            for room in [0, 100] {
                let mut wide = Words::zeroed(table.len() + room);
                wide[..table.len()].copy_from_slice(&table);
                widen(&mut wide, 5, from, to);
                assert_eq!(wide[..5 * to], widened(&table, from, to));
            }
        }
    }
}
