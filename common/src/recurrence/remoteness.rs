//! The remoteness (Steinhaus, "Definitions for a theory of games and pursuit"): how many moves a game lasts if the winner
//! wants it short and the loser wants it long. A finished game has remoteness 0; a position with an option of even
//! remoteness (a lost one) has one more than the least of those; any other has one more than the greatest of all its
//! options. So the player to move wins exactly where it is odd.

use super::rule::Rule;

/// The number of moves that are left under best play.
#[derive(Clone, Copy, Debug)]
pub struct Remoteness;

/// The least even and the greatest odd remoteness among the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// 255, which is odd, where there is none.
    least_even: u8,
    /// 0 where there is none.
    greatest_odd: u8,
}

impl Default for Extremes {
    #[inline(always)]
    fn default() -> Self {
        Self { least_even: u8::MAX, greatest_odd: 0 }
    }
}

impl Rule for Remoteness {
    type Seen = Extremes;
    type Wider = Self;

    #[inline(always)]
    fn see(seen: &mut Extremes, value: u8) {
        if value % 2 == 0 {
            seen.least_even = seen.least_even.min(value);
        } else {
            seen.greatest_odd = seen.greatest_odd.max(value);
        }
    }

    /// A win in one move cannot be bettered.
    #[inline(always)]
    fn is_settled(seen: Extremes) -> bool {
        seen.least_even == 0
    }

    #[inline(always)]
    fn value(seen: Extremes) -> Option<u8> {
        match seen {
            Extremes { least_even: u8::MAX, greatest_odd: 0 } => Some(0),
            // 256 moves do not fit: the game on an antichain of as many elements.
            Extremes { least_even: u8::MAX, greatest_odd } => greatest_odd.checked_add(1),
            Extremes { least_even, .. } => Some(least_even + 1),
        }
    }

    #[inline(always)]
    fn is_lost(value: u8) -> bool {
        value % 2 == 0
    }
}
