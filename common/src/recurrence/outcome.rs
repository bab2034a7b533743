//! Who wins: a position is lost for the player to move if no option is lost.

use super::rule::Rule;

/// 1 if the player to move wins (an N-position), 0 if not (a P-position).
#[derive(Clone, Copy, Debug)]
pub struct Outcome;

impl Rule for Outcome {
    /// Whether some option is lost.
    type Seen = bool;
    type Wider = Self;

    #[inline(always)]
    fn see(seen: &mut bool, value: u8) {
        *seen |= Self::is_lost(value);
    }

    #[inline(always)]
    fn is_settled(seen: bool) -> bool {
        seen
    }

    #[inline(always)]
    fn value(seen: bool) -> Option<u8> {
        Some(u8::from(seen))
    }

    #[inline(always)]
    fn is_lost(value: u8) -> bool {
        value == 0
    }
}
