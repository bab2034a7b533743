//! The table of a layer, filled as far as tasks have needed it.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use antichain_common::huge::Words;
use antichain_common::space::needed::Needed;
use antichain_common::store::{BlockHead, states_in_block};
use antichain_proto::v1;

use crate::error::Undone;

/// A shard within a table.
struct Shard {
    first_slot: u64,
    slots: u64,
    head: Option<BlockHead>,
    /// Which blocks of the file are filled in.
    filled: Vec<bool>,
}

/// See the head of this file.
pub struct Filling {
    words: Words,
    width: usize,
    shards: Vec<Shard>,
}

/// A table that tasks read while no other fills it in.
pub struct LayerTable {
    inner: RwLock<Filling>,
    /// Held by who fills in: what one is about to fetch another must not fetch too.
    turn: Mutex<()>,
}

impl LayerTable {
    /// Nothing filled in yet, for a layer that is cut like this, in memory that may have been used before.
    pub fn new(layer: &v1::LayerReply, width: usize, spare: Option<Words>) -> Self {
        let mut slots = 0;
        let states = states_in_block(width);
        let shard = |shard: &v1::LayerShard| {
            let first_slot = slots;
            slots += shard.slots;
            let filled = vec![false; shard.slots.div_ceil(states) as usize];
            Shard { first_slot, slots: shard.slots, head: None, filled }
        };
        let shards = layer.shards.iter().map(shard).collect();
        let length = slots as usize * width;
        let words = match spare.filter(|spare| spare.len() >= length) {
            Some(spare) => spare,
            // Untouched memory costs nothing, and the next table may be larger.
            None => Words::zeroed(length + length / 2),
        };
        let turn = Mutex::new(());
        Self { inner: RwLock::new(Filling { words, width, shards }), turn }
    }

    /// Its memory, for another one.
    pub fn into_words(self) -> Words {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).words
    }

    /// The turn to fill in.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To read.
    pub fn read(&self) -> RwLockReadGuard<'_, Filling> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To fill in.
    pub fn write(&self) -> RwLockWriteGuard<'_, Filling> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Filling {
    /// The values.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Limbs of a value.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The head of a shard's file, if it is known.
    pub fn head(&self, shard: usize) -> Option<&BlockHead> {
        self.shards[shard].head.as_ref()
    }

    /// The head of a shard's file is this.
    ///
    /// # Errors
    /// [`Undone::Damaged`] if it is not of so many values of this width.
    pub fn set_head(&mut self, shard: usize, head: BlockHead) -> Result<(), Undone> {
        let known = &mut self.shards[shard];
        if head.count() != known.slots || head.spec().record_bytes as usize != 8 * self.width {
            return Err(antichain_common::store::Damage::Inconsistent.into());
        }
        known.head = Some(head);
        Ok(())
    }

    /// The blocks of a shard's file that are needed and not filled in, as ranges.
    pub fn missing(&self, shard: usize, needed: &Needed) -> Vec<std::ops::Range<usize>> {
        let states = states_in_block(self.width);
        let Shard { first_slot, slots, filled, .. } = &self.shards[shard];
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, _) in filled.iter().enumerate().filter(|&(_, &filled)| !filled) {
            let start = first_slot + number as u64 * states;
            if !needed.is_any(start..(start + states).min(first_slot + slots)) {
                continue;
            }
            match ranges.last_mut() {
                Some(range) if range.end == number => range.end += 1,
                _ => ranges.push(number..number + 1),
            }
        }
        ranges
    }

    /// Fills in a block as it is stored.
    ///
    /// # Errors
    /// [`Undone::Damaged`] if it is none.
    pub fn fill(&mut self, shard: usize, number: usize, stored: &[u8]) -> Result<(), Undone> {
        let Shard { first_slot, slots, head, filled } = &mut self.shards[shard];
        let head = head.as_ref().ok_or(antichain_common::store::Damage::Inconsistent)?;
        let states = states_in_block(self.width);
        let start = number as u64 * states;
        let count = states.min(slots.saturating_sub(start)) as usize;
        let values = &mut self.words[(*first_slot + start) as usize * self.width..][..count * self.width];
        let raw: &mut [u8] = bytemuck::cast_slice_mut(values);
        if raw.len() != head.meta(number).raw_bytes as usize {
            return Err(antichain_common::store::Damage::Inconsistent.into());
        }
        head.decode(number, stored, raw)?;
        if cfg!(target_endian = "big") {
            values.iter_mut().for_each(|limb| *limb = u64::from_le(*limb));
        }
        filled[number] = true;
        Ok(())
    }
}
