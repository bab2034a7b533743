//! A small file system in memory, until it is dropped.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// See the head of this file.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None`, with a notice, where that needs rights that there are not.
    pub fn mount(at: PathBuf, mebibytes: usize) -> Option<Self> {
        fs::create_dir_all(&at).expect("a folder");
        let size = format!("size={mebibytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "antichain-test"]).arg(&at).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(at));
        }
        eprintln!("skipped: a file system can be mounted by root only");
        None
    }

    /// Takes room away; the file that does so.
    pub fn fill(&self, mebibytes: usize) -> PathBuf {
        let file = self.ballast();
        fs::write(&file, vec![1; mebibytes << 20]).expect("written");
        file
    }

    /// Takes all the room there is.
    pub fn fill_up(&self) -> PathBuf {
        let file = self.ballast();
        // Until it fails, as it is to.
        let _ = fs::write(&file, vec![1; 256 << 20]);
        file
    }

    /// Gives the room back.
    pub fn clear(&self) {
        // It may not be there.
        let _ = fs::remove_file(self.ballast());
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: whoever still uses it is about to be killed.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
