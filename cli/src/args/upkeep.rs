//! Arguments of the commands that look after an installation.

use std::path::PathBuf;
use std::time::Duration;

use clap_complete::Shell;

use crate::sizes::parse_duration_or_none;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Read every block of every file, and not only what files say of themselves
    #[arg(long)]
    pub thorough: bool,
    /// Remove what killed processes left behind and files that were set aside, and set damaged files aside: the next run, or
    /// `resume`, computes them again
    #[arg(long)]
    pub repair: bool,
}

/// Days that certificates are good for, where nothing else is said.
const DAYS: u16 = 397;

/// Arguments of `certs`.
#[derive(Debug, clap::Args)]
pub struct CertsArgs {
    /// Where to write; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Name or address of the coordinator's machine, as others call it; once for each. localhost is always among them
    #[arg(long = "host", value_name = "HOST", required = true)]
    pub hosts: Vec<String>,
    /// Days that certificates are good for; the authority is for ten years
    #[arg(long, value_name = "N", default_value_t = DAYS, value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub days: u16,
    /// Make new certificates by the authority that is there
    #[arg(long)]
    pub renew: bool,
}

/// Arguments of `launch`.
#[derive(Debug, clap::Args)]
pub struct LaunchArgs {
    /// A host a line: name or user@name, then options of the worker there: port=, folder=, threads=, memory=, cache=,
    /// peer-listen=; what comes after a # is not read
    #[arg(long, value_name = "FILE")]
    pub hosts: PathBuf,
    /// Only say where workers run
    #[arg(long, conflicts_with = "stop")]
    pub list: bool,
    /// Stop the workers
    #[arg(long)]
    pub stop: bool,
    /// The program to copy, if the hosts are of another kind than this one [default: this program]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// How to call ssh, such as 'ssh -J gateway'
    #[arg(long, value_name = "COMMAND", default_value = "ssh")]
    pub ssh: String,
    /// How long tasks in hand may go on when a worker is told to stop
    #[arg(long, value_name = "TIME", value_parser = parse_duration_or_none, default_value = "20s")]
    pub drain: Duration,
    /// The hosts reach the coordinator by an address of their own loopback, as through a tunnel
    #[arg(long)]
    pub loopback: bool,
}

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Where to write; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}
