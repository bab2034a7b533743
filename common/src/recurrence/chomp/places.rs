//! Where the blocks of a layer lie on the upper side.

use super::board::Board;
use crate::parallel::crew;
use crate::space::layer::BaseLayer;

/// Bases a thread takes at a time.
const CHUNK: usize = 4096;

/// Where the blocks of a layer lie in its table.
#[derive(Default)]
pub struct Places {
    /// First slot of each block, in the order of the layer.
    pub places: Vec<u64>,
    /// Number of slots of the table.
    pub slots: u64,
}

/// The places of a layer on the upper side.
pub fn upper_places<const W: usize>(board: &Board<'_, W>, layer: &BaseLayer<W>, threads: usize) -> Places {
    let Some(uppers) = &board.split.uppers else { return Places::default() };
    let room = board.upper_room(layer.size);
    let mut places = vec![0; layer.len()];
    let mut rest = &mut places[..];
    let mut work = Vec::new();
    for bases in layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK)) {
        let part;
        (part, rest) = rest.split_at_mut(bases.len());
        work.push((bases, part));
    }
    crew(threads, work.into_iter(), Vec::new, |facets, (bases, places)| {
        for (base, place) in bases.iter().zip(places) {
            *place = uppers.facets_within(board.ranks, uppers.available(base.0[0]), room, facets);
        }
    });
    // Slots so far are what each block needs; running totals are where it starts.
    let mut slots = 0;
    for place in &mut places {
        slots += std::mem::replace(place, slots);
    }
    Places { places, slots }
}
