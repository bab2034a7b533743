//! Calls of ssh: a script to run there, and what it reads.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Host;

/// Seconds that a connection may take.
const CONNECT_SECONDS: u32 = 15;
/// How long a script may take, beyond what it waits for: copying the program over a slow line is the longest.
const PATIENCE: Duration = Duration::from_secs(300);
/// Bytes that are kept of what a script says.
const MOST_BYTES: u64 = 1 << 16;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// How hosts are reached.
#[derive(Clone, Debug)]
pub struct Ssh {
    /// The program and its options.
    command: Vec<String>,
    /// How long a script may take.
    patience: Duration,
}

/// A host did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// There is no such program.
    #[error("`{program}` cannot be started: {source}")]
    Program {
        /// The program.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// It cannot be told anything.
    #[error("{0}")]
    Failed(String),
    /// It takes too long.
    #[error("no answer within {} s", .0.as_secs())]
    TooLong(Duration),
    /// The program to copy cannot be read.
    #[error("the program cannot be read: {0}")]
    Read(io::Error),
}

impl Ssh {
    /// By this command line, `ssh` with options that ask nobody anything; scripts wait for so long on purpose.
    pub fn new(command: &str, waits: Duration) -> Self {
        let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            words.push("ssh".to_owned());
        }
        words.extend(["-o", "BatchMode=yes", "-o"].map(str::to_owned));
        words.push(format!("ConnectTimeout={CONNECT_SECONDS}"));
        Self { command: words, patience: PATIENCE + waits }
    }

    /// Runs a script there that reads these bytes; what it writes.
    ///
    /// # Errors
    /// [`SshError`].
    pub fn run(&self, host: &Host, script: &str, input: &[u8]) -> Result<String, SshError> {
        let input = input.to_vec();
        self.call(host, script, Stdio::piped(), move |mut stdin| stdin.write_all(&input))
    }

    /// Runs a script there that reads a file.
    ///
    /// # Errors
    /// [`SshError`].
    pub fn copy(&self, host: &Host, file: &Path, script: &str) -> Result<String, SshError> {
        let file = File::open(file).map_err(SshError::Read)?;
        self.call(host, script, Stdio::from(file), |_| Ok(()))
    }

    fn call(
        &self,
        host: &Host,
        script: &str,
        input: Stdio,
        write: impl FnOnce(std::process::ChildStdin) -> io::Result<()> + Send + 'static,
    ) -> Result<String, SshError> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        if let Some(port) = host.port {
            command.args(["-p", &port.to_string()]);
        }
        command.arg("--").arg(&host.name).arg(script);
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = self.command[0].clone();
        let mut child = command.spawn().map_err(|source| SshError::Program { program, source })?;
        // That the other side reads no more is seen by its exit code.
        let writer = child.stdin.take().map(|stdin| std::thread::spawn(move || write(stdin)));
        // Both at once, or the other side waits for somebody to read.
        let said = child.stdout.take().map(|out| std::thread::spawn(|| beginning(out)));
        let complained = child.stderr.take().map(|out| std::thread::spawn(|| beginning(out)));
        let start = Instant::now();
        while child.try_wait().map_err(|error| SshError::Failed(error.to_string()))?.is_none() {
            if start.elapsed() > self.patience {
                // It has ended by itself, or ends now.
                let _ = child.kill();
                let _ = child.wait();
                return Err(SshError::TooLong(self.patience));
            }
            std::thread::sleep(LOOK);
        }
        let status = child.wait().map_err(|error| SshError::Failed(error.to_string()))?;
        let text = |reader: Option<std::thread::JoinHandle<String>>| reader.and_then(|reader| reader.join().ok());
        let (said, complained) = (text(said).unwrap_or_default(), text(complained).unwrap_or_default());
        if let Some(writer) = writer {
            // The same.
            let _ = writer.join();
        }
        if !status.success() {
            let last = complained.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a word");
            return Err(SshError::Failed(last.trim().to_owned()));
        }
        Ok(said)
    }
}

/// The beginning of what comes; the rest is read, and dropped.
fn beginning(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read until it failed is all there is.
    let _ = from.by_ref().take(MOST_BYTES).read_to_end(&mut bytes);
    let _ = io::copy(&mut from, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}
