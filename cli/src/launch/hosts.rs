//! The file of hosts: a host a line, with options of the worker there.
//!
//! ```text
//! # name or user@name, and what is different there
//! node1
//! node2 port=2222 threads=16 memory=60GiB
//! me@node3 folder=/scratch/me/antichain peer-listen=10.0.0.3:7463
//! ```

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::sizes::Bytes;

/// Where the worker has its files, below the home directory there.
const FOLDER: &str = ".antichain/worker";

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// What ssh is told: a name, or a user and a name.
    pub name: String,
    /// The port of ssh.
    pub port: Option<u16>,
    /// Where the worker has its files.
    pub folder: String,
    /// Options of the worker.
    pub options: Vec<String>,
}

/// A file of hosts that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostsError {
    /// It cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It names nobody.
    #[error("{} names no host", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A line that is not understood.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The word.
        word: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Reads a file of hosts.
///
/// # Errors
/// [`HostsError`].
pub fn read(file: &Path) -> Result<Vec<Host>, HostsError> {
    let text = std::fs::read_to_string(file).map_err(|source| HostsError::Read { file: file.to_owned(), source })?;
    let hosts = parse(&text)?;
    if hosts.is_empty() { Err(HostsError::Empty { file: file.to_owned() }) } else { Ok(hosts) }
}

fn parse(text: &str) -> Result<Vec<Host>, HostsError> {
    let mut hosts: Vec<Host> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let wrong = |word: &str, reason| HostsError::Line { line: number, word: word.to_owned(), reason };
        if !is_destination(name) {
            return Err(wrong(name, "not a name, or user@name, that ssh could be told"));
        }
        let mut host = Host { name: name.to_owned(), port: None, folder: FOLDER.to_owned(), options: Vec::new() };
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| wrong(word, "not an option like threads=4"))?;
            let mut option = |name: &str, fits: bool, reason| {
                host.options.extend([format!("--{name}"), value.to_owned()]);
                if fits { Ok(()) } else { Err(wrong(word, reason)) }
            };
            match key {
                "port" => host.port = Some(value.parse().map_err(|_| wrong(word, "not a port"))?),
                "folder" => value.clone_into(&mut host.folder),
                "threads" => option("threads", value.parse::<u16>().is_ok_and(|n| n > 0), "not a number of threads")?,
                "memory" => option("memory", value.parse::<Bytes>().is_ok(), "not an amount of memory")?,
                "cache" => option("cache", value.parse::<Bytes>().is_ok(), "not an amount of disk")?,
                "peer-listen" => option("peer-listen", value.parse::<SocketAddr>().is_ok(), "not an address")?,
                _ => return Err(wrong(word, "there are port, folder, threads, memory, cache and peer-listen")),
            }
        }
        if hosts.iter().any(|other| (&other.name, other.port, &other.folder) == (&host.name, host.port, &host.folder)) {
            return Err(wrong(name, "the same host and folder twice"));
        }
        hosts.push(host);
    }
    Ok(hosts)
}

/// What ssh cannot take for an option, nor a shell for anything else.
fn is_destination(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_@:".contains(&byte);
    !name.starts_with('-') && name.bytes().all(fits) && !name.contains("@-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_a_line() {
        let hosts =
            parse("# all\nnode1\n\n me@node2 port=22 threads=4 memory=8GiB # large\nnode1 folder=/b\n").expect("read");
        assert_eq!(hosts.len(), 3);
        assert_eq!((hosts[0].name.as_str(), hosts[0].folder.as_str()), ("node1", FOLDER));
        assert_eq!(hosts[1].options, ["--threads", "4", "--memory", "8GiB"]);
        assert_eq!((hosts[1].port, hosts[2].folder.as_str()), (Some(22), "/b"));
    }

    #[test]
    fn a_line_that_is_not_understood_is_named() {
        for (text, line, word) in [
            ("-oProxyCommand=x", 1, "-oProxyCommand=x"),
            ("a\nb;c", 2, "b;c"),
            ("a@-b", 1, "a@-b"),
            ("a threads", 1, "threads"),
            ("a threads=0", 1, "threads=0"),
            ("a memory=lots", 1, "memory=lots"),
            ("a port=99999", 1, "port=99999"),
            ("a colour=red", 1, "colour=red"),
            ("a\na", 2, "a"),
        ] {
            match parse(text) {
                Err(HostsError::Line { line: found, word: named, .. }) => assert_eq!((found, &*named), (line, word)),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
