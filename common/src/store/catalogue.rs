//! The catalogue: sled, its traps fenced in.
//!
//! - All keys are in one tree, so a commit is one batch, which sled recovers whole or not at all.
//! - sled's `flush` hands the log to the disk without waiting for the file's new length to get there
//!   (`sync_file_range`), so every commit syncs the log file itself once more.
//! - sled panics on some kinds of corruption; a panic becomes an error here.
//! - sled writes a snapshot only when it opens. Without one, opening reads the log since the last, and takes whatever
//!   follows a wrong byte for a torn tail; with one, it is quick, and a wrong byte is an error. So after more than a few
//!   changes the catalogue is opened once more when it is closed.
//! - It takes a snapshot that it never finished, for it was killed or the disk was full, for the newest one, and itself for
//!   corrupt. So what is left of such a one is removed before it opens.
//! - An error while writing leaves sled's memory ahead of its disk, so the first one ends writing in this process.
//!
//! Who only reads takes a copy instead, where there is one: see `copy.rs`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Once, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::CATALOGUE_FOLDER;
use super::copy::{self, Copy};
use super::directory::sync_folder;
use super::error::{CatalogueFault, StoreError};

/// Memory for pages of the catalogue, which holds kilobytes of records for gigabytes of shards.
const CACHE_BYTES: u64 = 32 << 20;
/// How long a handle to sled's files may outlive the catalogue it belonged to: its threads let go of it when they are
/// done.
const LINGERING: Duration = Duration::from_secs(5);

/// Bytes of changes from which on closing leaves a snapshot.
const SNAPSHOT_AFTER: u64 = 64 << 10;

/// Changes to the catalogue by key: a new value, or none any more.
pub(super) type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// The catalogue of a data directory whose lock is held.
pub(super) struct Catalogue {
    directory: PathBuf,
    source: Source,
}

enum Source {
    Sled(Box<Sled>),
    Copy(Copy),
}

struct Sled {
    directory: PathBuf,
    db: sled::Db,
    log: File,
    /// Held shared by readers of several keys, exclusively while a batch is applied.
    whole: RwLock<()>,
    stopped: AtomicBool,
    // Dropped after `db`, whose files it opens again.
    snapshot: Snapshot,
}

/// Leaves a snapshot when it is dropped, if enough has changed.
struct Snapshot {
    directory: PathBuf,
    changed: AtomicU64,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if *self.changed.get_mut() >= SNAPSHOT_AFTER {
            // Everything is on the disk already: without a snapshot the next start only takes longer.
            if let Err(error) = open_sled(&self.directory) {
                tracing::debug!(%error, "no snapshot of the catalogue");
            }
        }
    }
}

impl Drop for Sled {
    fn drop(&mut self) {
        if !self.stopped.load(Ordering::Acquire) {
            let entries = || self.db.iter().map(|entry| entry.map_err(std::io::Error::from));
            let written = guarded(&self.directory, || Ok(copy::write(&self.directory, entries())?));
            // Without a copy the next reader only takes longer.
            if let Err(error) = written {
                tracing::debug!(%error, "no copy of the catalogue");
            }
        }
    }
}

impl Catalogue {
    /// Opens, or creates, the catalogue of `directory`.
    ///
    /// # Errors
    /// [`StoreError::Catalogue`]; errors of reading and writing: sled writes even to open.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let source = Source::Sled(Box::new(Sled::open(directory)?));
        Ok(Self { directory: directory.to_owned(), source })
    }

    /// The copy, if there is one: nothing can be changed in it.
    pub fn open_copy(directory: &Path) -> Option<Self> {
        Some(Self { directory: directory.to_owned(), source: Source::Copy(Copy::read(directory)?) })
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`StoreError::Catalogue`]; errors of reading.
    pub fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, StoreError> {
        match &self.source {
            Source::Sled(sled) => guarded(&self.directory, || sled.db.get(key)),
            Source::Copy(copy) => Ok(copy.get(key).map(sled::IVec::from)),
        }
    }

    /// The keys with that prefix and their values, ascending, as of one moment.
    ///
    /// # Errors
    /// [`StoreError::Catalogue`]; errors of reading.
    pub fn scan(&self, prefix: &[u8]) -> Result<Vec<(sled::IVec, sled::IVec)>, StoreError> {
        match &self.source {
            Source::Sled(sled) => sled.scan(prefix),
            Source::Copy(copy) => Ok(copy.scan(prefix).map(|(key, value)| (key.into(), value.into())).collect()),
        }
    }

    /// Makes all changes or none, and returns when they are on the disk.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] and other errors of writing; after one, every further call fails. [`CatalogueFault::Copy`]
    /// of a copy.
    pub fn apply(&self, changes: Changes) -> Result<(), StoreError> {
        match &self.source {
            Source::Sled(sled) => sled.apply(changes),
            Source::Copy(_) => Err(self.fault(CatalogueFault::Copy)),
        }
    }

    /// The error that the catalogue is unusable.
    pub fn fault(&self, fault: CatalogueFault) -> StoreError {
        StoreError::Catalogue { directory: self.directory.clone(), fault }
    }
}

impl Sled {
    fn open(directory: &Path) -> Result<Self, StoreError> {
        copy::remove(directory).map_err(|source| StoreError::io(directory, source))?;
        let path = directory.join(CATALOGUE_FOLDER);
        let db = open_sled(directory)?;
        let failed = |source| StoreError::io(&path, source);
        let log = File::open(path.join("db")).map_err(failed)?;
        if !db.was_recovered() {
            log.sync_all().and_then(|()| sync_folder(&path)).map_err(failed)?;
        }
        let (whole, stopped) = (RwLock::new(()), AtomicBool::new(false));
        let snapshot = Snapshot { directory: directory.to_owned(), changed: AtomicU64::new(0) };
        Ok(Self { directory: directory.to_owned(), db, log, whole, stopped, snapshot })
    }

    fn scan(&self, prefix: &[u8]) -> Result<Vec<(sled::IVec, sled::IVec)>, StoreError> {
        let _whole = self.whole.read().unwrap_or_else(PoisonError::into_inner);
        guarded(&self.directory, || self.db.scan_prefix(prefix).collect())
    }

    fn apply(&self, changes: Changes) -> Result<(), StoreError> {
        if self.stopped.load(Ordering::Acquire) {
            let directory = self.directory.clone();
            return Err(StoreError::Catalogue { directory, fault: CatalogueFault::Stopped });
        }
        let result = self.apply_inner(changes);
        if result.is_err() {
            self.stopped.store(true, Ordering::Release);
            self.snapshot.changed.store(0, Ordering::Relaxed);
        }
        result
    }

    fn apply_inner(&self, changes: Changes) -> Result<(), StoreError> {
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            let bytes = key.len() + value.as_ref().map_or(0, Vec::len);
            self.snapshot.changed.fetch_add(bytes as u64, Ordering::Relaxed);
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        {
            let _whole = self.whole.write().unwrap_or_else(PoisonError::into_inner);
            guarded(&self.directory, || self.db.apply_batch(batch))?;
        }
        guarded(&self.directory, || self.db.flush())?;
        self.log.sync_data().map_err(|source| StoreError::io(self.directory.join(CATALOGUE_FOLDER), source))
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue").field("directory", &self.directory).finish_non_exhaustive()
    }
}

/// Opens sled, and waits for the threads of one that was just closed.
fn open_sled(directory: &Path) -> Result<sled::Db, StoreError> {
    let path = directory.join(CATALOGUE_FOLDER);
    let config = sled::Config::new().path(&path).cache_capacity(CACHE_BYTES).flush_every_ms(None);
    remove_unfinished_snapshots(&path).map_err(|source| StoreError::io(&path, source))?;
    let start = Instant::now();
    loop {
        match guarded(directory, || config.open()) {
            Err(StoreError::Io { source, .. }) if is_locked(&source) && start.elapsed() < LINGERING => {
                std::thread::sleep(Duration::from_millis(2));
            }
            other => return other,
        }
    }
}

/// Removes what is left of snapshots that were being written: a finished one has another name.
fn remove_unfinished_snapshots(path: &Path) -> std::io::Result<()> {
    let files = match std::fs::read_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        files => files?,
    };
    for file in files {
        let file = file?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

/// sled has no kind of its own for this error.
fn is_locked(error: &std::io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

/// Runs a call of sled and gives its failure, a panic too, as one of ours.
fn guarded<T>(directory: &Path, call: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
    let fault = |fault| StoreError::Catalogue { directory: directory.to_owned(), fault };
    match quietly(call) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(match error {
            sled::Error::Io(source) => StoreError::io(directory.join(CATALOGUE_FOLDER), source),
            sled::Error::Corruption { .. } | sled::Error::CollectionNotFound(_) => fault(CatalogueFault::Corrupt),
            sled::Error::Unsupported(what) => fault(CatalogueFault::Refused(what)),
            sled::Error::ReportableBug(what) => fault(CatalogueFault::Panicked(what)),
        }),
        Err(message) => Err(fault(CatalogueFault::Panicked(message))),
    }
}

thread_local! {
    /// Whether a panic of this thread is caught and told as an error.
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

/// Catches a panic and returns its message, without the report that the user would see besides our own.
fn quietly<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !TOLD.get() {
                report(panic);
            }
        }));
    });
    TOLD.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    TOLD.set(false);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        text.lines().next().unwrap_or_default().to_owned()
    })
}
