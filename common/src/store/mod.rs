//! The data directory: a sled catalogue that decides what exists, and immutable files for what is large.
/// A data directory, open for this process alone.
pub struct Store {}
/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {}
