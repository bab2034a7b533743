//! Running the program on a data directory of its own.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use num_bigint::BigUint;
use tempfile::TempDir;

/// A folder for one test, with a data directory in it that is not there yet.
pub struct Lab {
    folder: TempDir,
}

impl Lab {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// The folder, in which the program runs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// The program with these arguments and the data directory.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare_command(words);
        command.arg("--data").arg(self.data());
        command
    }

    /// The program with these arguments alone.
    pub fn bare_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antichain"));
        command.args(words).current_dir(self.folder()).env_remove("RUST_LOG").stdin(Stdio::null());
        // A coordinator that the user runs is none of a test's business.
        command.env("HOME", self.folder()).env_remove("ANTICHAIN_ACCESS_FILE").env_remove("ANTICHAIN_TOKEN");
        command.env_remove("ANTICHAIN_TOKEN_FILE");
        command
    }

    /// Runs the program with these arguments.
    pub fn run(&self, words: &[&str]) -> Outcome {
        Outcome::of(self.command(words).output().expect("the program starts"))
    }

    /// Runs the program with these arguments and `--json`, which must succeed.
    pub fn json(&self, words: &[&str]) -> serde_json::Value {
        let outcome = Outcome::of(self.command(words).arg("--json").output().expect("the program starts"));
        outcome.assert_code(0);
        outcome.document()
    }

    /// The value alone that the program prints on its first line; it must succeed.
    pub fn value(&self, words: &[&str]) -> String {
        let outcome = self.run(words);
        outcome.assert_code(0);
        outcome.stdout.lines().next().unwrap_or_default().to_owned()
    }
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    pub fn assert_code(&self, code: i32) {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
    }

    /// Standard output as a JSON document.
    #[track_caller]
    pub fn document(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// The error that standard error ends with, under `--json`.
    #[track_caller]
    pub fn error(&self) -> serde_json::Value {
        let last = self.stderr.lines().last().unwrap_or_default();
        let mut document: serde_json::Value =
            serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {}", self.stderr));
        document["error"].take()
    }
}

/// The number of linear extensions of `chains:AxB`, by the hook length formula.
pub fn standard_tableaux(rows: u32, columns: u32) -> BigUint {
    let hooks: BigUint = (1..=rows).flat_map(|i| (1..=columns).map(move |j| BigUint::from(i + j - 1))).product();
    (1..=rows * columns).map(BigUint::from).product::<BigUint>() / hooks
}

/// The number of ideals of `chains:AxB`: lattice paths round them.
pub fn lattice_paths(rows: u32, columns: u32) -> BigUint {
    (1..=columns).fold(BigUint::from(1u32), |paths, j| paths * (rows + j) / j)
}
