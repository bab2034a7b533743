//! Recurrences over the options of a position: the value of a position of a game follows from the values of the positions
//! that one move leads to.
//!
//! A rule is all that the engine must know of such a recurrence, so a new one is one file: see `outcome.rs`, the
//! shortest. Values are bytes.

/// How the value of a position follows from the values of its options.
pub trait Rule: Copy + Default + Send + Sync + 'static {
    /// What is known of the options seen so far; by default, nothing.
    type Seen: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug;

    /// In how many parts the options of a position are best looked at: more than one where the first few often settle it.
    const ROUNDS: usize;

    /// Takes an option of that value into account. The order of options does not matter.
    fn see(seen: &mut Self::Seen, value: u8);

    /// Whether no further option can change the value.
    fn is_settled(seen: Self::Seen) -> bool;

    /// The value of a position with these options; `None` if this rule cannot represent it, see [`Self::Wider`].
    fn value(seen: Self::Seen) -> Option<u8>;

    /// Whether the player to move loses a position of that value.
    fn is_lost(value: u8) -> bool;

    /// The same recurrence for positions whose values this one cannot represent. Every value that this one has is the
    /// same there.
    type Wider: Rule;
}
