//! The number of linear extensions: e(I) = sum over maximal x of I of e(I - x), e(empty) = 1.
//!
//! A layer is evaluated block by block from the table of the layer below. For every base element y that can be removed,
//! the block of the base without y is gathered through one permutation of its codes (`gather.rs`); then, in ascending order
//! of codes, every value adds those of its own block with one upper element less (`finish.rs`). Where the poset is
//! self-dual only ideals up to the middle are evaluated, and e(P) is joined from both halves (`join.rs`).

mod ahead;
mod block;
mod evaluate;
mod finish;
mod gather;
mod join;
mod sums;
#[cfg(test)]
mod tests;
mod wide;
mod worker;

pub use evaluate::{Below, Evaluated, Unevaluated, evaluate_layer};
pub use join::{Own, Pairs, join_layer, layer_of_duals, pair_with_duals};
pub use sums::LayerSums;
