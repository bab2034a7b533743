//! Facets with high uppers, found without listing those before them.
//!
//! One base of B_7 in a hundred has any, but listing the facets of such a base takes microseconds, and many moves lead to
//! them. So they are listed once a layer.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::board::Board;
use crate::ideal::Ideal;
use crate::space::fibre::{Facet, Room};

/// The facets with high uppers of all blocks of a layer.
#[derive(Default)]
pub struct HighFacets {
    /// For the first slot of a block where its facets lie: from and to.
    lists: HashMap<u64, (u32, u32), BuildHasherDefault<PlaceHasher>>,
    /// Of each block by their high uppers.
    facets: Vec<Facet>,
}

impl HighFacets {
    /// Lists them for bases, given the first slots of their blocks.
    pub fn new<'b, const W: usize>(
        board: &Board<'_, W>,
        bases: impl Iterator<Item = &'b Ideal<W>>,
        places: &[u64],
        room: Room,
    ) -> Self {
        let mut high = Self::default();
        let Some(uppers) = &board.split.uppers else { return high };
        let mut facets = Vec::new();
        for (base, &place) in bases.zip(places) {
            uppers.facets_within(board.ranks, uppers.available(base.0[0]), room, &mut facets);
            if facets.len() > 1 {
                let first = high.facets.len() as u32;
                facets.sort_unstable_by_key(|facet| facet.high);
                high.facets.extend(facets.drain(1..));
                high.lists.insert(place, (first, high.facets.len() as u32));
            }
        }
        high
    }

    /// The facet of the block at a place with those high uppers, if it has slots.
    pub fn find(&self, place: u64, high: u64) -> Option<&Facet> {
        let &(first, end) = self.lists.get(&place)?;
        let facets = &self.facets[first as usize..end as usize];
        facets.binary_search_by_key(&high, |facet| facet.high).ok().map(|at| &facets[at])
    }
}

/// Places are ours, so no adversary chooses them: one multiplication is enough.
#[derive(Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, place: u64) {
        self.0 = place.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(20);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 << 8 | u64::from(byte)));
    }
}
