//! One process at a time, or any number of readers: a `flock` on `antichain.lock`, which names the last process that held
//! it for itself.
//!
//! The kernel releases the lock when the process ends, however it ends; the number left in the file means nothing then.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::error::StoreError;

/// Name of the lock file in a data directory.
pub(super) const LOCK_FILE: &str = "antichain.lock";
/// Bytes of the lock file: a process number right-aligned, and a line feed. A fixed length is overwritten at one go.
const LOCK_BYTES: usize = 12;

/// Whether a process has `directory` open. Whatever else may be wrong with it, opening it says.
pub fn is_in_use(directory: &Path) -> bool {
    let Ok(file) = File::open(directory.join(LOCK_FILE)) else { return false };
    flock(&file, FlockOperation::NonBlockingLockShared) == Err(rustix::io::Errno::WOULDBLOCK)
}

/// Held as long as the data directory is open.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Locks `directory`, which must exist.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process, or this one, has it open; errors of writing the lock file.
    pub fn acquire(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(LOCK_FILE);
        let failed = |source| StoreError::io(&path, source);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                // Readers leave no number, and do not mind each other.
                let is_read = flock(&file, FlockOperation::NonBlockingLockShared).is_ok();
                let pid = if is_read { None } else { holder(&mut file) };
                return Err(StoreError::InUse { directory: directory.to_owned(), pid });
            }
            Err(error) => return Err(failed(error.into())),
        }
        let line = format!("{:>width$}\n", std::process::id(), width = LOCK_BYTES - 1);
        file.write_all_at(line.as_bytes(), 0).and_then(|()| file.flush()).map_err(failed)?;
        Ok(Self { _file: file })
    }

    /// Locks `directory` together with others who only read, if there is a lock file.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if a process has it open for itself.
    pub fn share(directory: &Path) -> Result<Option<Self>, StoreError> {
        let Ok(mut file) = File::open(directory.join(LOCK_FILE)) else { return Ok(None) };
        match lock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                Err(StoreError::InUse { directory: directory.to_owned(), pid: holder(&mut file) })
            }
            Err(_) => Ok(None),
        }
    }
}

/// Tries for a moment: a process that is just ending, or one that its holder is just starting (which has the file open
/// until it runs its own program), keeps the lock a little longer than the holder.
fn lock(file: &File, operation: FlockOperation) -> rustix::io::Result<()> {
    for _ in 0..20 {
        match flock(file, operation) {
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
    flock(file, operation)
}

/// The process named in the lock file. It may have taken the lock and not written its number yet: wait a little.
fn holder(file: &mut File) -> Option<u32> {
    for _ in 0..10 {
        if let Some(pid) = read_pid(file) {
            return Some(pid);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    io::Seek::rewind(file).ok()?;
    file.take(LOCK_BYTES as u64).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
