//! Finite posets of the bit-set engine: at most 256 elements, numbered along a linear extension.
/// A finite poset.
pub struct Poset {}
