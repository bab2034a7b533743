//! Jobs run for tests, in data directories of their own.

use std::time::Duration;

use tempfile::TempDir;

use super::{Answer, Interrupt, Question, RunOptions, SizeLimits, run};
use crate::poset::Poset;
use crate::store::Store;

/// A self-dual poset of 90 elements that is taken apart into halves: 592,000 orbits, just enough to be worth it.
pub(super) const HALVES: &str = "chains:3x3x10";

/// A fresh data directory.
pub(super) fn fresh() -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(directory.path()).expect("a store");
    (directory, store)
}

/// Runs a job to its end.
pub(super) fn finished(
    store: &Store,
    question: Question,
    poset: &str,
    limits: SizeLimits,
    keep_values: bool,
) -> (Poset, Answer) {
    let poset: Poset = poset.parse().expect("a poset");
    let options = RunOptions {
        threads: 2,
        memory: 1 << 30,
        checkpoint: Duration::from_secs(10),
        keep_values,
        interrupt: &Interrupt::new(),
        progress: &|_| {},
    };
    let answer = run(store, question, &poset, limits, &options).expect("the job ends well");
    (poset, answer)
}
