//! Tables of values as shards: their cuts, their digests, their way into files and back.

use std::ops::Range;

use super::JobId;
use super::records::{ValueLayer, ValueShard, values_key};
use crate::huge::Words;
use crate::parallel::crew;
use crate::space::layer::BaseLayer;
use crate::space::survey::Survey;
use crate::store::{Store, StoreError, Values, Written};

/// The slots of each shard of a layer.
pub(super) fn shard_slots<const W: usize>(layer: &BaseLayer<W>, survey: &Survey) -> Vec<Range<usize>> {
    let mut first = 0;
    let place = |base: usize| survey.places.get(base).copied().unwrap_or(survey.slots) as usize;
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
    if cfg!(target_endian = "little") {
        return *blake3::hash(bytemuck::cast_slice(limbs)).as_bytes();
    }
    let mut hasher = blake3::Hasher::new();
    for limb in limbs {
        hasher.update(&limb.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// The digests of the shards of a table.
pub(super) fn digests(table: &[u64], width: usize, slots: &[Range<usize>], threads: usize) -> Vec<ValueShard> {
    let hashed = crew(threads, slots.iter().enumerate(), Vec::new, |hashed, (number, slots)| {
        hashed.push((number, digest(&table[slots.start * width..slots.end * width])));
    });
    let mut shards: Vec<ValueShard> =
        slots.iter().map(|slots| ValueShard { slots: slots.len() as u64, digest: String::new() }).collect();
    for (number, digest) in hashed.into_iter().flatten() {
        shards[number].digest = hex(&digest);
    }
    shards
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
    let mut whole = true;
    for (key, fault) in faults.into_iter().flatten() {
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
    Ok(whole.then_some(table))
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
