//! `antichain certs`: makes a small authority for a cluster, certificates and tokens.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use antichain_proto::secret;
use antichain_proto::token::Token;
use serde::Serialize;

use crate::args::{CertsArgs, Global};
use crate::authority::{Authority, AuthorityError, Holder};
use crate::output::{document, result};
use crate::remote::{PlaceError, place};

/// The authority's files.
const CA: (&str, &str) = ("ca.pem", "ca.key");

/// Certificates cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CertsError {
    /// Something is there already.
    #[error("there is an authority in {} already", folder.display())]
    Made {
        /// The folder.
        folder: PathBuf,
    },
    /// There is nothing to renew.
    #[error("there is no authority in {}", folder.display())]
    NotMade {
        /// The folder.
        folder: PathBuf,
    },
    /// Others could put their own files there.
    #[error("others may write in {} (mode {mode:04o})", folder.display())]
    Shared {
        /// The folder.
        folder: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The authority.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

/// What was made.
#[derive(Debug, Serialize)]
struct Made<'a> {
    directory: &'a Path,
    files: Vec<String>,
    hosts: &'a [String],
    days: u16,
}

/// Runs the command.
pub fn execute(global: &Global, args: &CertsArgs) -> anyhow::Result<()> {
    let out = &args.out;
    let authority = out.join(CA.0);
    let pairs = [("coordinator", Holder::Coordinator(&args.hosts)), ("worker", Holder::Worker), ("user", Holder::User)];
    let mut files = Vec::new();
    let authority = match (authority.exists(), args.renew) {
        (true, false) => return Err(CertsError::Made { folder: out.clone() }.into()),
        (false, true) => return Err(CertsError::NotMade { folder: out.clone() }.into()),
        (true, true) => {
            let read = |file: &Path| fs::read_to_string(file);
            let certificate = read(&authority).map_err(|source| PlaceError::Certificate { file: authority, source })?;
            let key = secret::read(&out.join(CA.1)).map_err(PlaceError::from)?;
            Authority::of(certificate, &key).map_err(CertsError::from)?
        }
        (false, false) => Authority::new().map_err(CertsError::from).and_then(|(authority, key)| {
            // All names are looked at before anything is written.
            authority.certify(pairs[0].1, args.days)?;
            make_folder(out)?;
            write_secret(&out.join(CA.1), &key)?;
            write(&out.join(CA.0), &authority.certificate)?;
            files.extend([CA.0, CA.1].map(str::to_owned));
            Ok(authority)
        })?,
    };
    for (name, holder) in pairs {
        let pair = authority.certify(holder, args.days).map_err(CertsError::from)?;
        let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
        write_secret(&out.join(&key), &pair.key)?;
        write(&out.join(&certificate), &pair.certificate)?;
        files.extend([certificate, key]);
    }
    for name in ["owner.token", "worker.token", "reader.token"] {
        let file = out.join(name);
        if file.exists() {
            // One that others may read, or that is none, is not to be taken for good.
            place::token_in(&file)?;
        } else {
            write_secret(&file, &format!("{}\n", Token::random()?.secret()))?;
            files.push(name.to_owned());
        }
    }
    let made = Made { directory: out, files, hosts: &args.hosts, days: args.days };
    if global.json {
        return document(&made);
    }
    let lines: String = made.files.iter().map(|file| format!("{}\n", out.join(file).display())).collect();
    Ok(result(&lines)?)
}

fn make_folder(folder: &Path) -> Result<(), CertsError> {
    let failed = |source| CertsError::Write { file: folder.to_owned(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let mode = fs::metadata(folder).map_err(failed)?.permissions().mode();
    if mode & 0o022 == 0 { Ok(()) } else { Err(CertsError::Shared { folder: folder.to_owned(), mode: mode & 0o7777 }) }
}

/// Writes what everybody may read.
fn write(file: &Path, text: &str) -> Result<(), CertsError> {
    put(file, text, 0o644)
}

/// Writes a secret, in the place of one that is there.
fn write_secret(file: &Path, text: &str) -> Result<(), CertsError> {
    put(file, text, 0o600)
}

/// Puts a file in the place of what is there, a symbolic link too.
fn put(file: &Path, text: &str, mode: u32) -> Result<(), CertsError> {
    let part = file.with_extension("part");
    // Of a process that was killed, if at all.
    let _ = fs::remove_file(&part);
    let written = secret::write_new(&part, text)
        .and_then(|()| fs::set_permissions(&part, fs::Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&part, file));
    written.map_err(|source| CertsError::Write { file: file.to_owned(), source })
}
