//! A set of hashes for many threads at once: twelve bytes for each.
//!
//! The upper bits of a hash say where it is, or how far to go from there; 0 stands for nothing. Half of each would be enough for a
//! search; but a large proof asks for 10^10 positions, and with 32 bits it took some that were won for lost, and came to nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::prefetch::prefetch;

/// Places for each hash: of two thirds taken, about two are looked at for a hash that is there, and five for one that is
/// not, nearly always in one cache line.
const ROOM: f64 = 1.5;

/// See the [module](self).
pub struct Fingerprints {
    cells: Vec<AtomicU64>,
}

impl Fingerprints {
    /// With room for so many hashes; `None` if there is no memory for that.
    pub fn new(hashes: u64) -> Option<Self> {
        let cells = usize::try_from(Self::bytes_for(hashes)).ok()? / size_of::<AtomicU64>();
        Some(Self { cells: bytemuck::try_zeroed_vec(cells).ok()? })
    }

    /// Bytes of a set with room for so many hashes.
    pub fn bytes_for(hashes: u64) -> u64 {
        let cells = ((hashes as f64 * ROOM) as u64).saturating_add(1).max(64);
        cells.saturating_mul(size_of::<AtomicU64>() as u64)
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.cells.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn tag(hash: u64) -> u64 {
        hash.max(1)
    }

    fn places(&self, hash: u64) -> impl Iterator<Item = &AtomicU64> {
        let (before, from) = self.cells.split_at(self.home(hash));
        from.iter().chain(before)
    }

    /// Puts a hash in; `false` if every place is taken.
    #[inline(always)]
    pub fn insert(&self, hash: u64) -> bool {
        let tag = Self::tag(hash);
        self.places(hash).any(|cell| match cell.compare_exchange(0, tag, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(other) => other == tag,
        })
    }

    /// Starts to bring the place of a hash into the cache.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.cells, self.home(hash));
    }

    /// Whether the hash was put in.
    #[inline(always)]
    pub fn contains(&self, hash: u64) -> bool {
        let tag = Self::tag(hash);
        let mut found = self.places(hash).map(|cell| cell.load(Ordering::Relaxed));
        found.find(|&other| other == tag || other == 0) == Some(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ideal::Ideal;
    use crate::space::layer::hash;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let set = Fingerprints::new(100_000).expect("memory");
        let hash = |number| hash(&Ideal([number]));
        assert!((0..100_000).all(|number| set.insert(hash(number)) && set.insert(hash(number))));
        assert!((0..100_000).all(|number| set.contains(hash(number))));
        assert_eq!((100_000..1_000_000).filter(|&number| set.contains(hash(number))).count(), 0);
    }

    #[test]
    fn a_full_set_says_so() {
        let set = Fingerprints::new(1).expect("memory");
        let places = Fingerprints::bytes_for(1) / 8;
        let put_in = (1..=2 * places).filter(|&number| set.insert(number << 40 | number)).count();
        assert_eq!(put_in as u64, places);
        assert!(!set.contains(u64::MAX), "and a look-up ends");
        assert!(Fingerprints::new(u64::MAX).is_none());
    }
}
