//! A data directory: whether it may be there, is whole, and has room.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use antichain_common::store::{Inspection, Store, StoreError, free_space, is_in_use, network_file_system};

use super::Finding;
use crate::data::{self, ALLOW_NETWORK};
use crate::sizes::Bytes;

/// With less room a directory is full soon, and with less than the second nothing is taken any more.
const LITTLE_ROOM: (Bytes, Bytes) = (Bytes(1 << 30), Bytes(32 << 20));
/// Damaged files that are named.
const NAMED: usize = 10;

/// What is done besides looking.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness {
    /// Every byte of every file is read.
    pub is_thorough: bool,
    /// What can be mended is.
    pub repairs: bool,
}

/// Looks at it. One that is not there is worth a word only if it `must_be` there.
pub fn look(directory: &Path, must_be: bool, how: Thoroughness) -> Vec<Finding> {
    let about = format!("data directory {}", directory.display());
    let mut found = vec![place(directory), room(directory)];
    if !directory.exists() {
        found.push(match must_be {
            true => Finding::wrong(about, "there is none", "`antichain run` and `antichain coordinator` make one"),
            false => Finding::well(about, "there is none yet"),
        });
        return found;
    }
    if let Ok(metadata) = fs::metadata(directory)
        && metadata.permissions().mode() & 0o022 != 0
    {
        let hint = format!("`chmod go-w {}`", directory.display());
        found.push(Finding::doubtful("permissions", "others may write into the data directory", hint));
    }
    if is_in_use(directory) {
        let hint = "a process has it open; end it to look at its files";
        found.push(if how.repairs { Finding::wrong(about, "in use", hint) } else { Finding::well(about, hint) });
        return found;
    }
    let opened = if how.repairs {
        data::open_existing(directory).map(drop).and_then(|()| data::open(directory))
    } else {
        data::open_to_read(directory)
    };
    match opened {
        Err(error) => found.push(Finding::of_error(about, error)),
        Ok(store) => match store.inspect(how.is_thorough, &mut || true) {
            Err(error) => {
                found.push(Finding::of_error(about, data::DataError { directory: directory.to_owned(), source: error }))
            }
            Ok(seen) => {
                let kept = format!("{} files, {}", seen.files, Bytes(seen.bytes));
                let read = if how.is_thorough { "every block read" } else { "their ends read" };
                found.push(Finding::well(about, format!("{kept}; {read}")));
                found.extend(files(&store, &seen, how.repairs));
            }
        },
    }
    found
}

fn place(directory: &Path) -> Finding {
    match network_file_system(directory) {
        None => Finding::well("file system", "a disk of this machine"),
        Some(kind) if std::env::var_os(ALLOW_NETWORK).is_some() => Finding::doubtful(
            "file system",
            format!("a network file system ({kind}), which is wanted"),
            "copy the directory to a disk of this machine",
        ),
        Some(kind) => Finding::wrong(
            "file system",
            format!("a network file system ({kind})"),
            "name a directory on a disk of this machine with --data",
        ),
    }
}

fn room(directory: &Path) -> Finding {
    match free_space(directory) {
        Err(error) => Finding::wrong("room", error.to_string(), "see that the folder round it is there"),
        Ok(free) => {
            let seen = format!("{} are free", Bytes(free));
            if Bytes(free) < LITTLE_ROOM.1 {
                Finding::wrong("room", seen, "free some: nothing is stored before that")
            } else if Bytes(free) < LITTLE_ROOM.0 {
                Finding::doubtful("room", seen, "free some, or `antichain rm` what is not needed")
            } else {
                Finding::well("room", seen)
            }
        }
    }
}

/// What is wrong with files, and what was done about it.
fn files(store: &Store, seen: &Inspection, repairs: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, fault) in seen.damaged.iter().take(NAMED) {
        found.push(match repairs.then(|| store.set_aside(key)) {
            None => Finding::wrong("file", fault.to_string(), "--repair sets it aside; the next run computes it again"),
            Some(Ok(_)) => Finding::well("file", format!("{fault}: set aside; the next run computes it again")),
            Some(Err(error)) => Finding::of_error("file", error),
        });
    }
    let rest = seen.damaged.iter().skip(NAMED);
    if seen.damaged.len() > NAMED {
        let more = format!("{} more are damaged", seen.damaged.len() - NAMED);
        found.push(if repairs {
            let failed: Vec<StoreError> = rest.filter_map(|(key, _)| store.set_aside(key).err()).collect();
            match failed.into_iter().next() {
                None => Finding::well("files", format!("{more}: set aside")),
                Some(error) => Finding::of_error("files", error),
            }
        } else {
            Finding::wrong("files", more, "--repair sets them aside")
        });
    }
    if !seen.leftovers.is_empty() {
        // Opening the directory to change something has removed them.
        let left = format!("{} files that killed processes left", seen.leftovers.len());
        found.push(Finding::doubtful("leftovers", left, "the next `antichain run` removes them, or --repair"));
    }
    if !seen.set_aside.is_empty() {
        let aside = format!("{} damaged files that were set aside", seen.set_aside.len());
        found.push(if repairs {
            let failed = seen.set_aside.iter().filter(|file| fs::remove_file(file).is_err()).count();
            match failed {
                0 => Finding::well("set aside", format!("{aside}: removed")),
                _ => Finding::wrong("set aside", format!("{aside}: {failed} cannot be removed"), "see who owns them"),
            }
        } else {
            Finding::doubtful("set aside", aside, "--repair removes them")
        });
    }
    found
}
