//! Opening the data directory.

use std::path::{Path, PathBuf};

use antichain_common::store::{Store, StoreError};

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

/// The data directory, made where it is not there yet.
pub fn open(directory: &Path) -> Result<Store, DataError> {
    Store::open(directory).map_err(DataError::of(directory))
}

/// The data directory, which must be there, to be changed.
pub fn open_existing(directory: &Path) -> Result<Store, DataError> {
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
