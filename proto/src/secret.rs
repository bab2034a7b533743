//! Files that hold a secret, a token or a private key: read only where nobody else may.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Bytes of a secret, at most: a key in PEM has some thousand.
const MOST_BYTES: u64 = 1 << 20;

/// Who but the owner may do what: nobody anything.
const OTHERS: u32 = 0o077;

/// What nobody may do with a file of root's: services get theirs readable for the group that they run in.
const OTHERS_OF_ROOT: u32 = 0o037;

/// A secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Others may read it, or put another one there.
    #[error("others may read or write {} (mode {mode:04o})", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl SecretError {
    /// The file that it is about.
    pub fn file(&self) -> &Path {
        match self {
            Self::Open { file, .. } | Self::Read { file, .. } => file,
        }
    }
}

/// Reads a secret.
///
/// # Errors
/// [`SecretError::Open`] before anything is read; [`SecretError::Read`], also for what is no text.
pub fn read(file: &Path) -> Result<String, SecretError> {
    let failed = |source| SecretError::Read { file: file.to_owned(), source };
    // Nobody waits for the other end of a pipe.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let open = OpenOptions::new().read(true).custom_flags(flags).open(file).map_err(failed)?;
    // Of the file that is open: another one may have taken its name.
    let metadata = open.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")));
    }
    if !is_private(&metadata) {
        return Err(SecretError::Open { file: file.to_owned(), mode: metadata.permissions().mode() & 0o7777 });
    }
    let mut text = String::new();
    open.take(MOST_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Writes a secret to a file that is not there yet, for its owner alone.
///
/// # Errors
/// The system's; if the file is there, [`io::ErrorKind::AlreadyExists`].
pub fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()
}

fn is_private(metadata: &Metadata) -> bool {
    let others = if metadata.uid() == 0 { OTHERS_OF_ROOT } else { OTHERS };
    metadata.permissions().mode() & others == 0
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_others_may_read_is_no_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        fs::write(&file, "secret\n").expect("written");
        let with_mode = |mode| {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("changed");
            read(&file)
        };
        for mode in [0o644, 0o604, 0o666, 0o620, 0o607] {
            assert!(matches!(with_mode(mode), Err(SecretError::Open { mode: found, .. }) if found == mode), "{mode:o}");
        }
        for mode in [0o600, 0o400] {
            assert_eq!(with_mode(mode).expect("private"), "secret\n", "{mode:o}");
        }
        let is_of_root = fs::metadata(&file).expect("there").uid() == 0;
        assert_eq!(with_mode(0o440).is_ok(), is_of_root);
        fs::remove_file(&file).expect("removed");
        assert!(matches!(read(&file), Err(SecretError::Read { .. })));
        let pipe = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&file).status().expect("mkfifo");
        assert!(pipe.success() && matches!(read(&file), Err(SecretError::Read { .. })), "nobody waits for a pipe");
    }
}
