//! Wall clocks that lie, by a library that is put before the system's own.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library that lies about the time, where it is installed (package `faketime` of Debian).
pub fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let found = folders.map(|folder| folder.join("faketime/libfaketime.so.1")).find(|file| file.exists());
    if found.is_none() {
        eprintln!("skipped: libfaketime is not installed (package `faketime`)");
    }
    found
}

/// A wall clock that can be set while a process runs by it.
pub struct Clock {
    library: PathBuf,
    file: PathBuf,
}

impl Clock {
    pub fn new(library: &Path, file: PathBuf) -> Self {
        let clock = Self { library: library.to_owned(), file };
        clock.set("+0");
        clock
    }

    pub fn set(&self, offset: &str) {
        let part = self.file.with_extension("part");
        fs::write(&part, offset).expect("written");
        fs::rename(&part, &self.file).expect("renamed");
    }

    pub fn worn_by(&self, mut command: Command) -> Command {
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.env("FAKETIME_NO_CACHE", "1");
        // A step of the wall clock leaves the monotonic one alone.
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
        command
    }
}
