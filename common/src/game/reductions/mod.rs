//! Theorems that tell the value of a position without looking at its options, or from fewer elements. One file each:
//! statement, proof, reference, and tests against plain values.

pub mod components;
pub mod involution;
pub mod strategy_stealing;
