//! Chomp: a move takes an element other than a least one, and everything above it; whoever cannot move loses.
//!
//! The value of an ideal follows by a [`Rule`](super::rule::Rule) from the values of the ideals that moves lead to, which
//! lie in all layers below: so all tables are read, not the last one only.
//!
//! Where the base is the lower half of a self-dual poset there are two sides. The *lower side* has the ideals with at most
//! half of the elements as pairs (B, U) of a canonical base and a labelled upper part. A larger ideal is represented by
//! its dual T = {dual of x : x not in I}, which is another such pair: these are the *upper side*. (As pairs themselves
//! they would be far too many: the fibres over bases with large stabilisers explode.)
//!
//! Lower side, layers from the empty base up: a move in B leads to the block of a smaller base, with one canonical form for
//! all upper parts; a move in U stays in the block. Upper side, layers from the whole base down: taking x adds to T the
//! ideal below the dual of x, and leads to one block of a larger base in the same way, but for one thing: T may become
//! larger than half, and then it is an ideal of the lower side, whose base depends on U. Followed one by one, with a
//! canonical form each, these moves are nearly all of the work (4.1 * 10^9 for B_7). So the upper side has slots for
//! somewhat larger T too, and their values are *copied* from the lower side before a block is valued, with one canonical
//! form a state instead of one a state and a move. Only moves that lead still further are followed one by one.

mod board;
mod crossing;
mod evaluate;
mod finish;
mod high;
mod lower;
mod machine;
mod narrow;
mod places;
mod spread;
mod tally;
#[cfg(test)]
mod tests;
mod upper;
mod whole;

pub use board::{Board, LayerValues};
pub use crossing::CrossingPool;
pub use evaluate::{Blocks, Means, Unvalued, value_lower, value_upper, value_whole};
pub use high::HighFacets;
pub use narrow::{narrow, widen};
pub use places::{Places, upper_places};
pub use upper::Sides;
