//! Storing layers of positions.

use std::ops::Range;
use std::sync::Arc;

use super::Evaluation;
use super::records::{POSITIONS, Positions, Side};
use super::side;
use crate::job::JobError;
use crate::job::context::Context;
use crate::job::records::JOB;
use crate::store::Commit;

/// A layer that is to be stored.
pub(super) struct Unsaved {
    pub(super) side: Side,
    pub(super) layer: usize,
    /// The slots of its shards.
    pub(super) shards: Vec<Range<usize>>,
    /// Its table as it is stored.
    pub(super) table: Arc<Vec<u8>>,
}

impl<'a, const W: usize> Evaluation<'a, W> {
    /// Takes the layers that are not stored; what is returned writes them.
    pub(super) fn take_writer(&mut self) -> impl FnOnce() -> Result<(), JobError> + Send + use<'a, W> {
        let (context, mut positions) = (self.context, self.now.clone());
        // What an earlier process has counted is in the counts: its layers stay recorded until they are reached.
        positions.layers.extend(self.before.iter().skip(positions.layers.len()).cloned());
        let unsaved = std::mem::take(&mut self.unsaved);
        move || write(context, &positions, unsaved)
    }

    /// Writes the layers that are not stored.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn save_now(&mut self) -> Result<(), JobError> {
        if self.unsaved.is_empty() { Ok(()) } else { self.take_writer()() }
    }
}

fn write(context: &Context<'_>, positions: &Positions, unsaved: Vec<Unsaved>) -> Result<(), JobError> {
    let (store, job) = (context.store, &context.job);
    let mut commit = Commit::new();
    for Unsaved { side, layer, shards, table } in unsaved {
        for (number, slots) in shards.iter().enumerate() {
            // What lies there may be left from something else.
            let stored = store.shard(&side.key(job, layer, number))?;
            if stored.is_none_or(|stored| stored.digest != *blake3::hash(&table[slots.clone()]).as_bytes()) {
                let (key, written) = side::write(store, job, (side, layer), &table, (number, slots))?;
                commit.put_shard(key, written.record());
            }
        }
    }
    if let Some(record) = &context.new_record {
        commit.put_document(&job.0, JOB, record)?.put_document(&job.0, POSITIONS, positions)?;
    }
    if commit.is_empty() { Ok(()) } else { Ok(store.commit(commit)?) }
}
