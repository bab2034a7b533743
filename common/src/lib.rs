//! Posets, their canonical antichain spaces, recurrences over them, the store and the jobs.
//!
//! This crate knows no network and no async: everything here runs the same in one process and on a cluster.

pub mod estimate;
pub mod game;
pub mod huge;
pub mod ideal;
pub mod job;
pub mod known;
#[cfg(test)]
pub mod oracle;
pub mod parallel;
pub mod poset;
mod prefetch;
mod random;
pub mod recurrence;
pub mod search;
pub mod space;
pub mod store;
pub mod symmetry;
pub mod watch;
