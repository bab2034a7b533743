//! The data directory as a folder: recognising one, making one, clearing what a killed process left behind.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::block::{FINISHED_SUFFIX, PARTIAL_SUFFIX};
use super::error::StoreError;
use super::lock::LOCK_FILE;
use super::{CATALOGUE_FOLDER, FORMAT_VERSION, SHARDS_FOLDER};

const VERSION_FILE: &str = "VERSION";
const VERSION_PARTIAL: &str = "VERSION.part";
/// The word before the number in the VERSION file.
const VERSION_WORD: &str = "antichain";

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing is there.
    Absent,
    /// A folder with nothing in it, or not more than a process killed while making a data directory leaves.
    Unmade,
    /// A data directory of this format.
    Ours,
}

/// Looks without touching anything.
///
/// # Errors
/// [`StoreError::NotOurs`], [`StoreError::OtherVersion`], errors of reading.
pub(super) fn recognise(directory: &Path) -> Result<State, StoreError> {
    let failed = |source| StoreError::io(directory, source);
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Absent),
        Err(error) => return Err(failed(error)),
    };
    match fs::read_to_string(directory.join(VERSION_FILE)) {
        Ok(text) => {
            let number = text.trim_end().strip_prefix(VERSION_WORD).and_then(|rest| rest.trim().parse().ok());
            return match number {
                Some(FORMAT_VERSION) => Ok(State::Ours),
                Some(found) => {
                    Err(StoreError::OtherVersion { directory: directory.to_owned(), found, supported: FORMAT_VERSION })
                }
                None => Err(StoreError::NotOurs { directory: directory.to_owned() }),
            };
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // Not text: whatever it is, this program did not write it.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(StoreError::NotOurs { directory: directory.to_owned() });
        }
        Err(error) => return Err(failed(error)),
    }
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        if name != LOCK_FILE && name != VERSION_PARTIAL {
            return Err(StoreError::NotOurs { directory: directory.to_owned() });
        }
    }
    Ok(State::Unmade)
}

/// Makes a data directory of an [`State::Unmade`] folder that is locked, or completes one. The VERSION file comes first:
/// it says that everything else is ours.
///
/// # Errors
/// Errors of writing.
pub(super) fn make(directory: &Path, state: State) -> Result<(), StoreError> {
    if state != State::Ours {
        let partial = directory.join(VERSION_PARTIAL);
        let write = || {
            let mut file = File::create(&partial)?;
            writeln!(file, "{VERSION_WORD} {FORMAT_VERSION}")?;
            file.sync_all()?;
            fs::rename(&partial, directory.join(VERSION_FILE))
        };
        write().map_err(|source| StoreError::io(directory, source))?;
    }
    let mut made = state != State::Ours;
    for folder in [CATALOGUE_FOLDER, SHARDS_FOLDER] {
        let path = directory.join(folder);
        match fs::create_dir(&path) {
            Ok(()) => made = true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io(path, error)),
        }
    }
    if made { sync_folder(directory).map_err(|source| StoreError::io(directory, source)) } else { Ok(()) }
}

/// Removes unfinished files, finished ones that no record names, and folders left empty. Files set aside, and files
/// that are none of ours, stay.
///
/// # Errors
/// Errors of listing. A file that cannot be removed is logged, and tried again at the next start.
pub(super) fn sweep(directory: &Path, named: &HashSet<String>) -> Result<(), StoreError> {
    let shards = directory.join(SHARDS_FOLDER);
    let list = |path: &Path| {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        entries.map_err(|source| StoreError::io(path, source))
    };
    for owner in list(&shards)? {
        if !owner.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let files = list(&owner.path())?;
        let mut left = files.len();
        for file in files {
            let Ok(name) = file.file_name().into_string() else { continue };
            let relative = format!("{SHARDS_FOLDER}/{}/{name}", owner.file_name().display());
            let unnamed = name.ends_with(FINISHED_SUFFIX) && !named.contains(&relative);
            if unnamed || name.ends_with(PARTIAL_SUFFIX) {
                match fs::remove_file(file.path()) {
                    Ok(()) => left -= 1,
                    Err(error) => tracing::warn!(file = relative, %error, "a leftover file cannot be removed"),
                }
            }
        }
        if left == 0 {
            // Only to keep the folder tidy: the next start tries again.
            let _ = fs::remove_dir(owner.path());
        }
    }
    Ok(())
}

/// Waits until the names in `folder` are on the disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Bytes that this user may still write on the disk of `path`.
///
/// # Errors
/// If `path`, and every folder above it, is missing or cannot be asked.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let absolute = std::path::absolute(path)?;
    // A directory that is still to be made will be on the disk of the nearest folder that exists.
    let existing = absolute.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&absolute);
    let status = rustix::fs::statvfs(existing)?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}
