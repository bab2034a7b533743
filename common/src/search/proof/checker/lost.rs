//! The lost positions seen so far, by their canonical forms: all that the checker keeps of a proof.

use crate::ideal::Ideal;

/// Slots of a set that nothing has been added to.
const FIRST_SLOTS: usize = 64;

/// A set of positions that have a move, hence a member: the empty set marks a free slot.
#[derive(Clone, Debug)]
pub struct LostSet<const W: usize> {
    /// A power of two of them, at most three quarters in use. A position is in the first free slot from its own on.
    slots: Vec<Ideal<W>>,
    len: usize,
}

impl<const W: usize> LostSet<W> {
    /// Without positions.
    pub fn new() -> Self {
        Self { slots: vec![Ideal::empty(); FIRST_SLOTS], len: 0 }
    }

    /// Whether the position was added.
    #[inline]
    pub fn contains(&self, position: &Ideal<W>) -> bool {
        !position.is_empty() && self.slots[self.slot(position)] == *position
    }

    /// Adds a position that has a member; nothing happens if it is there.
    pub fn insert(&mut self, position: Ideal<W>) {
        debug_assert!(!position.is_empty(), "a position without a move is not listed");
        let slot = self.slot(&position);
        if self.slots[slot] == position {
            return;
        }
        self.slots[slot] = position;
        self.len += 1;
        if 4 * self.len > 3 * self.slots.len() {
            let larger = vec![Ideal::empty(); 2 * self.slots.len()];
            for position in std::mem::replace(&mut self.slots, larger).into_iter().filter(|p| !p.is_empty()) {
                let slot = self.slot(&position);
                self.slots[slot] = position;
            }
        }
    }

    /// The slot of the position, or the free one where it belongs.
    #[inline]
    fn slot(&self, position: &Ideal<W>) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash(position) as usize & last;
        while !self.slots[slot].is_empty() && self.slots[slot] != *position {
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// Spreads positions evenly over the low bits.
#[inline(always)]
pub fn hash<const W: usize>(position: &Ideal<W>) -> u64 {
    position.0.iter().fold(0, |hash: u64, &word| {
        let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_and_nothing_else() {
        let mut set = LostSet::<2>::new();
        // Positions that share their low bits, so that slots are wanted by many.
        let position = |i: u64| Ideal([i << 40, i % 3 + 1]);
        (0..10_000).step_by(2).for_each(|i| set.insert(position(i)));
        (0..10_000).step_by(4).for_each(|i| set.insert(position(i)));
        assert_eq!(set.len, 5000);
        assert!((0..10_000).all(|i| set.contains(&position(i)) == (i % 2 == 0)));
        assert!(!set.contains(&Ideal::empty()));
    }
}
