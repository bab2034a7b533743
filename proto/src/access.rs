//! The access file: how the commands of a user find the coordinator that the same user started, and its token.
//!
//! It is a JSON document that only its owner may read: whoever has it may use the coordinator. It is written to a
//! temporary name and renamed, so a reader sees the whole of it or nothing.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::token::Token;
use crate::url::CoordinatorUrl;

/// Where it is below the home directory.
const BELOW_HOME: &str = ".antichain/access.json";

/// Bytes of an access file, at most: it is a few hundred, and a chain of certificates some thousand.
const MOST_BYTES: u64 = 1 << 20;

/// Who but the owner may do what: nobody anything.
const OTHERS: u32 = 0o077;

/// What an access file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Host on which the coordinator listens.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The token that it wants to see.
    pub token: Token,
    /// Version of the coordinator's software.
    pub version: String,
    /// With TLS: the certificate, in PEM, that vouches for the coordinator's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_ca: Option<String>,
}

/// The access file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The default file is below the home directory, and there is none.
    #[error("HOME is not set, so there is no default access file")]
    NoHome,
    /// There is no such file: no coordinator of this user runs here.
    #[error("there is no access file {}", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// Others may read the token, or put another one there.
    #[error("others may read or write the access file {} (mode {mode:04o})", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is not what a coordinator writes.
    #[error("the access file {} is not understood: {source}", file.display())]
    NotUnderstood {
        /// The file.
        file: PathBuf,
        /// Where the reading ended.
        source: serde_json::Error,
    },
    /// It cannot be read.
    #[error("the access file {} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("the access file {} cannot be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The access file of this user: `$HOME/.antichain/access.json`.
///
/// # Errors
/// [`AccessError::NoHome`].
pub fn default_file() -> Result<PathBuf, AccessError> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).ok_or(AccessError::NoHome)?;
    Ok(Path::new(&home).join(BELOW_HOME))
}

impl Access {
    /// Where the coordinator is.
    pub fn url(&self) -> CoordinatorUrl {
        CoordinatorUrl::new(self.tls_ca.is_some(), self.host.clone(), self.port)
    }

    /// Reads an access file.
    ///
    /// # Errors
    /// [`AccessError::Missing`]; [`AccessError::Open`] before anything is read; [`AccessError::NotUnderstood`];
    /// [`AccessError::Read`].
    pub fn read(file: &Path) -> Result<Self, AccessError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => AccessError::Missing { file: file.to_owned() },
            _ => AccessError::Read { file: file.to_owned(), source },
        };
        let open = File::open(file).map_err(failed)?;
        // Of the file that is open: another one may have taken its name.
        let mode = open.metadata().map_err(failed)?.permissions().mode() & 0o7777;
        if mode & OTHERS != 0 {
            return Err(AccessError::Open { file: file.to_owned(), mode });
        }
        let mut text = Vec::new();
        open.take(MOST_BYTES).read_to_end(&mut text).map_err(failed)?;
        serde_json::from_slice(&text).map_err(|source| AccessError::NotUnderstood { file: file.to_owned(), source })
    }

    /// Writes an access file, in the place of one that is there. A folder that is not there is made, for the owner alone.
    ///
    /// # Errors
    /// [`AccessError::Write`]; what was there before is left as it was.
    pub fn write(&self, file: &Path) -> Result<(), AccessError> {
        self.replace(file).map_err(|source| AccessError::Write { file: file.to_owned(), source })
    }

    fn replace(&self, file: &Path) -> io::Result<()> {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let part = folder.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        // Of an earlier process with the same number, if at all.
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)
            .and_then(|mut open| open.write_all(&text).and_then(|()| open.sync_all()))
            .and_then(|()| fs::rename(&part, file));
        if written.is_err() {
            // The error that counts is the one that came first.
            let _ = fs::remove_file(&part);
        }
        written
    }

    /// Takes the access file away, if it is still the one that this coordinator wrote; says whether it was. Another
    /// coordinator, started later, may have put its own in that place.
    ///
    /// # Errors
    /// [`AccessError::Write`] if it is ours and cannot be removed.
    pub fn remove(&self, file: &Path) -> Result<bool, AccessError> {
        match Self::read(file) {
            Ok(there) if there.token == self.token => fs::remove_file(file)
                .map(|()| true)
                .map_err(|source| AccessError::Write { file: file.to_owned(), source }),
            // What we cannot read, we have not written.
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests;
