//! The ruler on the posets of set partitions: h(n), its value on the partition of n elements into one block.
//!
//! The value of a set partition is the nim-product of h over the sizes of its blocks (Ishikawa, Ohmoto, Tagawa, Takayama,
//! "Coin Turning Games on Partially Ordered Sets", Theorem 6.1), and h(n) is the least number that is no s(mu), where mu is
//! a type (an integer partition of n) and s(mu) adds up the values of all set partitions above one of that type, but for
//! the one of one block. All sums and products here are those of [nimbers](super::nimber).
//!
//! **An algebra.** Let E(mu) = s(mu) + h(n), the sum with the one block, and E = 1 for the empty type. Read types as monomials
//! in x_1, x_2, ..., one variable for each size of a block, and E as a linear map from polynomials to nimbers. Exchanging two
//! blocks A and A' of size i is an involution on the partitions above, which keeps the type; what it moves cancels. A partition
//! that it fixes has A and A' in one block (these are the partitions above the one where they are joined), or in blocks A + S
//! and A' + S' with S = S', which are disjoint, so empty: A and A' are blocks by themselves. So
//!
//! E(x_i x_i m) = E(x_2i m) + h(i) h(i) E(m) for every monomial m;
//!
//! with s on both sides, which leaves h(n) out, it holds too. E lives on the quotient by x_i^2 = x_2i + h(i)^2, whose basis are
//! the monomials without repeated factors. So the values of the *distinct* types, which have no part twice, determine all
//! others (`walk.rs`): 2 * 10^6 of them up to n = 90, where there are 5 * 10^8 types. And the block that holds the largest part
//! gives
//!
//! E(x_b m) = sum over sub-monomials d of m of h(b + |d|) E(m / d) for distinct types (`distinct.rs`).
//!
//! So everything follows from h(1), ..., h(n - 1), and any part of the types of n can be surveyed by itself ([`Survey`]).

mod distinct;
mod heights;
pub mod paper;
mod powers;
mod seen;
mod shapes;
mod types;
mod walk;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use distinct::DistinctTypes;
pub use heights::{Heights, heights, next_height};
pub use seen::Seen;
pub use types::{number_of_binary_types, number_of_types, types};
pub use walk::Survey;

/// The part of the types of n that is shard number `shard` of `shards` equal ones.
pub fn shard_of_types(n: usize, shard: usize, shards: usize) -> Range<u64> {
    walk::part_of(&(0..number_of_types(n)), shard, shards)
}
