//! What tables of positions know, for searches: which are lost, and of which positions that is known of all.
//!
//! A position in the reach of the tables that is not among the lost ones is won. Positions are known by fingerprints, so the
//! oracle may take one for another, as the table of a search may: nothing rests on it.

use super::fingerprints::Fingerprints;
use crate::ideal::Ideal;
use crate::space::layer::seeded_hash;

/// The most points that the subsets of a Boolean lattice have.
const MOST_POINTS: usize = 8;

/// Which positions are known: of those on so many points, of posets other than Boolean lattices on 0, the ones with fewer
/// members than this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach([usize; MOST_POINTS + 1]);

impl Reach {
    /// The positions on at most so many points with at most so many members.
    pub fn of(points: usize, members: usize) -> Self {
        let mut reach = Self::default();
        reach.0.iter_mut().take(points + 1).for_each(|limit| *limit = members + 1);
        reach
    }

    /// Those that either has.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(limit, other)| *limit = other.max(*limit));
        self
    }

    /// Whether a position on so many points with so many members is among them.
    #[inline(always)]
    pub fn has(&self, points: usize, members: usize) -> bool {
        self.0.get(points).is_some_and(|&limit| members < limit)
    }
}

/// See the [module](self).
pub struct Oracle {
    lost: Fingerprints,
    seed: u64,
    reach: Reach,
}

impl Oracle {
    /// With room for so many lost positions; `None` if there is no memory for that. Oracles of different seeds confuse
    /// different positions.
    pub fn new(lost: u64, seed: u64) -> Option<Self> {
        Some(Self { lost: Fingerprints::new(lost)?, seed, reach: Reach::default() })
    }

    /// Bytes of one with room for so many.
    pub fn bytes_for(lost: u64) -> u64 {
        Fingerprints::bytes_for(lost)
    }

    /// Records a lost position by its canonical form; `false` if there is no room.
    #[inline(always)]
    pub fn add_lost<const W: usize>(&self, form: &Ideal<W>) -> bool {
        self.lost.insert(seeded_hash(form, self.seed))
    }

    /// Says which positions are known: all lost ones of these were added.
    pub fn reach_to(&mut self, reach: Reach) {
        self.reach = reach;
    }

    /// Starts to bring what is known of a canonical form into the cache.
    #[inline(always)]
    pub fn prefetch<const W: usize>(&self, form: &Ideal<W>) {
        self.lost.prefetch(seeded_hash(form, self.seed));
    }

    /// Whether the position with this canonical form, on so many points, is lost; `None` if it is out of reach.
    #[inline(always)]
    pub fn is_lost<const W: usize>(&self, points: usize, form: &Ideal<W>) -> Option<bool> {
        self.reach.has(points, form.len()).then(|| self.lost.contains(seeded_hash(form, self.seed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_out_of_reach() {
        let reach = Reach::of(7, 20).or(&Reach::of(6, 64));
        assert!(reach.has(6, 64) && reach.has(7, 20) && !reach.has(7, 21) && !reach.has(8, 0));
        assert!(!Reach::default().has(0, 0) && !reach.has(99, 0));
        let mut oracle = Oracle::new(100, 5).expect("memory");
        let [lost, won] = [Ideal([0b111u64]), Ideal([0b1011])];
        assert!(oracle.add_lost(&lost));
        assert_eq!(oracle.is_lost(3, &lost), None);
        oracle.reach_to(Reach::of(3, 3));
        assert_eq!((oracle.is_lost(3, &lost), oracle.is_lost(3, &won)), (Some(true), Some(false)));
        assert_eq!(oracle.is_lost(3, &Ideal([0b1111])), None);
    }
}
