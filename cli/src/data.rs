//! Opening the data directory.

use std::path::{Path, PathBuf};

use antichain_common::store::{Store, StoreError, network_file_system};

/// The data directory cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct DataError {
    /// The directory as it was given.
    pub directory: PathBuf,
    /// Why not.
    pub source: StoreError,
}

impl DataError {
    fn of(directory: &Path) -> impl FnOnce(StoreError) -> Self {
        |source| Self { directory: directory.to_owned(), source }
    }
}

/// Set to anything by who wants a data directory on a network file system all the same.
pub const ALLOW_NETWORK: &str = "ANTICHAIN_ALLOW_NETWORK_DISK";

/// Refuses a directory that is on a network file system, unless that is wanted.
pub fn refuse_network(directory: &Path) -> Result<(), DataError> {
    match network_file_system(directory) {
        Some(kind) if std::env::var_os(ALLOW_NETWORK).is_none() => {
            let source = StoreError::Network { directory: directory.to_owned(), kind };
            Err(DataError { directory: directory.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// The data directory, made where it is not there yet.
pub fn open(directory: &Path) -> Result<Store, DataError> {
    refuse_network(directory)?;
    Store::open(directory).map_err(DataError::of(directory))
}

/// The data directory, which must be there, to be changed.
pub fn open_existing(directory: &Path) -> Result<Store, DataError> {
    refuse_network(directory)?;
    Store::open_existing(directory).map_err(DataError::of(directory))
}

/// The data directory, which must be there, to be read.
pub fn open_to_read(directory: &Path) -> Result<Store, DataError> {
    Store::open_to_read(directory).map_err(DataError::of(directory))
}

/// The data directory, if there is one, to be read.
pub fn open_if_there(directory: &Path) -> Result<Option<Store>, DataError> {
    match Store::open_to_read(directory) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(DataError::of(directory)(error)),
    }
}
