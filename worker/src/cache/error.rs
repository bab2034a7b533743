//! Why there is no cache.

use std::io;
use std::path::PathBuf;

/// Why a cache cannot be opened. Once it is open, nothing can go wrong that its owner has to know.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Another worker has the folder.
    #[error("another worker uses the cache in {}", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder cannot be made, locked or read.
    #[error("the cache in {} cannot be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
