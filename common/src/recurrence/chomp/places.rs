//! Where the blocks of a layer lie on the upper side.

use super::board::Board;
use crate::parallel::crew;
use crate::space::layer::BaseLayer;

/// Bases a thread takes at a time.
const CHUNK: usize = 4096;

/// Where the blocks of a layer lie in its table, and the symmetries of its bases.
#[derive(Default)]
pub struct Places {
    /// First slot of each block, in the order of the layer.
    pub places: Vec<u64>,
    /// Number of slots of the table.
    pub slots: u64,
    /// Order of the stabiliser of each base.
    pub stabilisers: Vec<u16>,
}

/// The places of a layer on the upper side.
pub fn upper_places<const W: usize>(board: &Board<'_, W>, layer: &BaseLayer<W>, threads: usize) -> Places {
    let Some(uppers) = &board.split.uppers else { return Places::default() };
    let room = board.upper_room(layer.size);
    let mut places = vec![0; layer.len()];
    let mut stabilisers = vec![0; layer.len()];
    let chunks = layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK));
    let mut work = Vec::new();
    let (mut rest, mut orders) = (&mut places[..], &mut stabilisers[..]);
    for bases in chunks {
        let place;
        let order;
        (place, rest) = rest.split_at_mut(bases.len());
        (order, orders) = orders.split_at_mut(bases.len());
        work.push((bases, place, order));
    }
    let state = || (Vec::new(), Vec::new());
    crew(threads, work.into_iter(), state, |(forms, facets), (bases, places, orders)| {
        forms.clear();
        board.split.symmetry.canonical_batch(bases, forms);
        for (number, form) in forms.iter().enumerate() {
            orders[number] = form.stabiliser;
            let available = uppers.available(form.ideal.0[0]);
            places[number] = uppers.facets_within(board.ranks, available, room, facets);
        }
    });
    // Slots so far are what each block needs; running totals are where it starts.
    let mut slots = 0;
    for place in &mut places {
        slots += std::mem::replace(place, slots);
    }
    Places { places, slots, stabilisers }
}
