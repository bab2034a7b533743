//! What can go wrong with a data directory, each fault in one sentence for the user.

use std::io;
use std::path::{Path, PathBuf};

use super::record::ShardKey;

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the directory open.
    #[error("the data directory {directory} is in use by {}", holder(.pid))]
    InUse {
        /// The data directory.
        directory: PathBuf,
        /// The process that has it open, where its lock file names one.
        pid: Option<u32>,
    },
    /// There is no data directory (only of [`super::Store::open_existing`]).
    #[error("there is no data directory {directory}")]
    Missing {
        /// The data directory.
        directory: PathBuf,
    },
    /// The directory holds something else.
    #[error("{directory} is not empty and not a data directory of antichain (it has no VERSION file); choose another")]
    NotOurs {
        /// The directory.
        directory: PathBuf,
    },
    /// The directory was made by a program with another format.
    #[error("the data directory {directory} has format version {found}, this program reads version {supported}")]
    OtherVersion {
        /// The data directory.
        directory: PathBuf,
        /// The version its VERSION file names.
        found: u32,
        /// The version of this program.
        supported: u32,
    },
    /// It would be where other machines write, too.
    #[error(
        "the data directory {directory} would be on a network file system ({kind}), which does not keep what it needs"
    )]
    Network {
        /// The directory.
        directory: PathBuf,
        /// The type of the file system.
        kind: String,
    },
    /// The directory, or something in it, may not be written.
    #[error("{path} is not writable: {source}")]
    NotWritable {
        /// What may not be written.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The disk is full, or a quota is used up.
    #[error("no room on the disk to write {path}: free some and start again; what was committed is safe")]
    NoRoom {
        /// What could not be written.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another input or output error.
    #[error("cannot access {path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The catalogue cannot be opened or read.
    #[error("the catalogue of the data directory {directory} is unusable: {fault}")]
    Catalogue {
        /// The data directory.
        directory: PathBuf,
        /// What is wrong with it.
        fault: CatalogueFault,
    },
    /// A document of the catalogue is not what the program expects there.
    #[error("the document `{name}` of `{owner}` cannot be understood: {source}")]
    Document {
        /// The owner of the document.
        owner: String,
        /// The name of the document.
        name: String,
        /// Where it departs from what is expected.
        source: serde_json::Error,
    },
    /// A shard file is damaged; [`super::Store::set_aside`] makes room for computing it again.
    #[error("{file} is damaged: {what}")]
    Damaged {
        /// The shard file.
        file: PathBuf,
        /// What is wrong with it.
        what: Damage,
    },
    /// No such shard is recorded.
    #[error("{0} is not stored")]
    NoShard(ShardKey),
    /// The bases to be written were not strictly ascending, or a block was not made of whole records, or it was too
    /// large: a fault of the caller.
    #[error("{file} cannot be written: {what}")]
    Unfit {
        /// The file that was to be written.
        file: PathBuf,
        /// What is wrong with what was to be written.
        what: Unfit,
    },
    /// Values were asked for that the shard does not have.
    #[error("{file} has {states} states, asked for {count} from number {first}")]
    OutOfRange {
        /// The shard file.
        file: PathBuf,
        /// States the shard has.
        states: u64,
        /// The first state asked for.
        first: u64,
        /// How many were asked for.
        count: u64,
    },
    /// A name that cannot be part of a key or of a file name.
    #[error("`{name}` cannot name anything in a data directory (letters, digits, `-`, `_`, `.` and at most 200 bytes)")]
    Name {
        /// The name.
        name: String,
    },
}

/// What is wrong with a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueFault {
    /// Its files are corrupt, by sled's own checksums.
    #[error("its files are corrupt; move the data directory aside and start again")]
    Corrupt,
    /// sled gave up on it, which it does on some kinds of corruption.
    #[error("its files are corrupt (sled stopped: {0}); move the data directory aside and start again")]
    Panicked(String),
    /// sled refuses it.
    #[error("sled refuses it ({0})")]
    Refused(String),
    /// A record in it cannot be decoded.
    #[error("it holds a record that cannot be decoded; move the data directory aside and start again")]
    Record,
    /// It is a copy, which says what there is and takes nothing new.
    #[error("it was opened to be read only")]
    Copy,
    /// An earlier write failed, so nothing more is accepted in this process.
    #[error("an earlier write to it failed; start again")]
    Stopped,
}

/// What is wrong with a shard file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It is not there.
    #[error("it is missing")]
    Missing,
    /// The disk cannot read it.
    #[error("the disk cannot read it")]
    Unreadable,
    /// It is shorter or longer than its own trailer says.
    #[error("its length is wrong")]
    Length,
    /// Its first or last bytes are not those of a shard file.
    #[error("it does not begin and end like a shard file")]
    Magic,
    /// It was written in another format.
    #[error("its container version is {0}, which this program does not read")]
    Version(u16),
    /// Header, index or trailer do not match the digest over them.
    #[error("its index does not match its digest")]
    Index,
    /// Header, index or trailer contradict each other or the limits of the format.
    #[error("its index is inconsistent")]
    Inconsistent,
    /// A block does not match its checksum.
    #[error("block {0} does not match its checksum")]
    Block(usize),
    /// A block matches its checksum and yet cannot be decoded.
    #[error("block {0} cannot be decoded")]
    Decode(usize),
    /// The contents do not match their digest, though every block matches its checksum.
    #[error("its contents do not match their digest")]
    Contents,
    /// It is sound, but not the file that the catalogue recorded.
    #[error("it is not the file that was recorded")]
    NotRecorded,
    /// It holds something else than what was asked for.
    #[error("it holds another kind or width of data than expected")]
    Kind,
}

/// Why data cannot become a shard file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The keys do not ascend.
    #[error("its records are not strictly ascending")]
    NotAscending,
    /// A block is empty, cuts a record, or is larger than the format allows.
    #[error("a block of {0} bytes does not fit the format")]
    BlockLength(usize),
    /// A record has a width that the codec cannot code.
    #[error("records of {0} bytes do not fit the codec")]
    RecordLength(u32),
    /// There are too many blocks.
    #[error("it has too many blocks")]
    Blocks,
}

impl StoreError {
    /// The error for a failed operation on `path`, by the system's reason.
    pub(super) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NotWritable { path, source },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoom { path, source },
            _ => Self::Io { path, source },
        }
    }

    pub(super) fn damaged(file: &Path, what: Damage) -> Self {
        Self::Damaged { file: file.to_owned(), what }
    }

    /// The damaged file, if that is what this error is about: the caller may set it aside and compute it again.
    pub fn damaged_file(&self) -> Option<&Path> {
        match self {
            Self::Damaged { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Whether the disk is full, or a quota used up: what was committed is safe, and more room is all that is needed.
    pub fn is_out_of_room(&self) -> bool {
        matches!(self, Self::NoRoom { .. })
    }
}

/// Names the process that holds a lock.
fn holder(pid: &Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}
