//! The valued layers of a game, in memory: what the next ones are valued from.

use std::sync::Arc;

use super::side::{Bases, Valued};
use crate::huge;
use crate::job::JobError;
use crate::job::positions::records::Side;
use crate::recurrence::chomp::{
    Board, CrossingPool, Means, Places, Sides, Unvalued, narrow, upper_places, value_lower, value_upper, value_whole,
    widen,
};
use crate::recurrence::rule::Rule;
use crate::space::survey::Count;
use crate::space::value_map::ValueMap;

/// Layers of the lower side from the empty base up, then of the upper side from the whole base down.
pub(in crate::job) struct ValuedLayers<const W: usize> {
    /// Where bases are whole ideals: of each layer the values, and nothing else of what follows.
    whole: Vec<ValueMap>,
    bases: Vec<Arc<Bases<W>>>,
    lower: Vec<Valued<W>>,
    /// By the size of bases.
    upper: Vec<Option<Valued<W>>>,
    crossings: CrossingPool<W>,
    /// The first value of the newest layer of the lower side.
    newest: Option<u8>,
}

/// Blocks of the upper side.
pub(in crate::job) struct UpperBlocks<'a, const W: usize> {
    bases: &'a Bases<W>,
    places: Places,
}

impl<'a, const W: usize> UpperBlocks<'a, W> {
    /// Over these bases.
    pub(in crate::job) fn new(board: &Board<'_, W>, bases: &'a Bases<W>, threads: usize) -> Self {
        Self { bases, places: upper_places(board, &bases.layer, threads) }
    }

    /// Slots in memory.
    pub(super) fn slots(&self) -> u64 {
        self.places.slots
    }
}

impl<const W: usize> ValuedLayers<W> {
    /// No layer yet.
    pub(in crate::job) fn new() -> Self {
        let (whole, bases, lower, upper) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { whole, bases, lower, upper, crossings: CrossingPool::default(), newest: None }
    }

    /// The bases of a layer that is valued on the lower side and has an upper side.
    pub(in crate::job) fn bases(&self, layer: usize) -> Option<&Arc<Bases<W>>> {
        self.bases.get(layer)
    }

    /// Bytes of all of it, given those that an indexed base takes on both sides.
    pub(in crate::job) fn bytes(&self, of_a_base: u64) -> u64 {
        let tables = self.lower.iter().chain(self.upper.iter().flatten()).map(|valued| valued.values.len() as u64);
        let bases = self.bases.iter().map(|bases| bases.layer.len() as u64);
        self.whole.iter().map(ValueMap::bytes).sum::<u64>() + tables.sum::<u64>() + bases.sum::<u64>() * of_a_base
    }

    /// The value of the largest ideal.
    pub(super) fn largest(&self) -> Option<u8> {
        match self.upper.first() {
            Some(upper) => upper.as_ref()?.values.first().copied(),
            None => self.newest,
        }
    }

    /// Values blocks of the lower side, and counts their positions by size and value. The layers below must be there.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], [`JobError::TooLarge`].
    pub(in crate::job) fn value_lower<R: Rule>(
        &self,
        board: &Board<'_, W>,
        bases: &Bases<W>,
        means: Means<'_>,
    ) -> Result<(Vec<u8>, Vec<Count>), JobError> {
        let size = bases.layer.size;
        let mut table = huge::filled(0, bases.slots() as usize);
        if board.split.uppers.is_none() {
            let below = &self.whole[..size.min(self.whole.len())];
            let counts = represented(
                size,
                &mut table,
                |table| value_whole::<R, W>(board, below, bases.blocks(), table, means),
                |table| value_whole::<R::Wider, W>(board, below, bases.blocks(), table, means),
            )?;
            return Ok((table, counts));
        }
        let below: Vec<_> = self.lower.iter().take(size).map(Valued::layer_values).collect();
        let counts = represented(
            size,
            &mut table,
            |table| value_lower::<R, W>(board, &below, bases.blocks(), table, means),
            |table| value_lower::<R::Wider, W>(board, &below, bases.blocks(), table, means),
        )?;
        Ok((table, counts))
    }

    /// The same of the upper side: the table as it is in memory, and positions by the size of their duals. The lower side
    /// and the layers above must be there.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], [`JobError::TooLarge`].
    pub(in crate::job) fn value_upper<R: Rule>(
        &self,
        board: &Board<'_, W>,
        blocks: &UpperBlocks<'_, W>,
        means: Means<'_>,
    ) -> Result<(Vec<u8>, Vec<Count>), JobError> {
        let UpperBlocks { bases, places } = blocks;
        let at = bases.blocks_at(places);
        let mut table = huge::filled(0, places.slots as usize);
        let counts = self.with_sides(board, |sides| {
            represented(
                bases.layer.size,
                &mut table,
                |table| value_upper::<R, W>(sides, at, table, means),
                |table| value_upper::<R::Wider, W>(sides, at, table, means),
            )
        })?;
        Ok((table, counts))
    }

    /// The table of blocks of the upper side as it is stored.
    pub(in crate::job) fn stored_upper(
        board: &Board<'_, W>,
        blocks: &UpperBlocks<'_, W>,
        table: &[u8],
        threads: usize,
    ) -> Vec<u8> {
        narrow(board, (blocks.bases.blocks(), &blocks.places), table, threads)
    }

    /// The table of blocks of the upper side as it is in memory, from the stored one.
    ///
    /// # Errors
    /// [`JobError::Interrupted`].
    pub(in crate::job) fn upper_from_stored(
        &self,
        board: &Board<'_, W>,
        blocks: &UpperBlocks<'_, W>,
        stored: &[u8],
        means: Means<'_>,
    ) -> Result<Vec<u8>, JobError> {
        let mut table = huge::filled(0, blocks.places.slots as usize);
        let of = (blocks.bases.blocks(), &blocks.places);
        self.with_sides(board, |sides| widen(sides, of, stored, &mut table, means))
            .map_err(|_| JobError::Interrupted)?;
        Ok(table)
    }

    fn with_sides<T>(&self, board: &Board<'_, W>, work: impl FnOnce(&Sides<'_, W>) -> T) -> T {
        let lower: Vec<_> = self.lower.iter().map(Valued::layer_values).collect();
        let mut upper: Vec<_> = self.upper.iter().map(|layer| layer.as_ref().map(Valued::layer_values)).collect();
        upper.resize(self.lower.len(), None);
        work(&Sides { board, lower: &lower, upper: &upper, crossings: &self.crossings })
    }

    /// Adds the next layer of the lower side; returns its table.
    pub(in crate::job) fn add_lower(
        &mut self,
        board: &Board<'_, W>,
        bases: Arc<Bases<W>>,
        table: Vec<u8>,
        threads: usize,
    ) -> Arc<Vec<u8>> {
        self.newest = table.first().copied();
        if board.split.uppers.is_none() {
            let is_last = bases.layer.size == board.split.base.min(board.top);
            // Nothing is valued from the last layer.
            if !is_last {
                self.whole.push(ValueMap::new(&bases.layer, &table, threads));
            }
            return Arc::new(table);
        }
        let valued = Valued::new(board, Side::Lower, &bases.layer, &bases.places, table, threads);
        let values = valued.values.clone();
        self.lower.push(valued);
        self.bases.push(bases);
        values
    }

    /// Adds the next layer of the upper side, given its table as it is in memory.
    pub(in crate::job) fn add_upper(
        &mut self,
        board: &Board<'_, W>,
        blocks: &UpperBlocks<'_, W>,
        table: Vec<u8>,
        threads: usize,
    ) {
        let layer = &blocks.bases.layer;
        let valued = Valued::new(board, Side::Upper, layer, &blocks.places, table, threads);
        self.upper.resize_with(self.lower.len(), || None);
        self.upper[layer.size] = Some(valued);
    }
}

/// Values a table by a rule, or by the wider one if the first cannot represent a value.
fn represented(
    layer: usize,
    table: &mut [u8],
    first: impl Fn(&mut [u8]) -> Result<Vec<Count>, Unvalued>,
    wider: impl Fn(&mut [u8]) -> Result<Vec<Count>, Unvalued>,
) -> Result<Vec<Count>, JobError> {
    let result = match first(table) {
        Err(Unvalued::Unrepresentable) => wider(table),
        other => other,
    };
    result.map_err(|error| match error {
        Unvalued::Stopped(_) => JobError::Interrupted,
        Unvalued::Unrepresentable => JobError::TooLarge(layer),
    })
}
