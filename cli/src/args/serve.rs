//! Arguments of the commands that serve: the coordinator and its workers.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use super::parse_threads;
use crate::sizes::{Bytes, parse_duration, parse_duration_or_none};

/// Arguments of `coordinator`.
#[derive(Debug, clap::Args)]
pub struct CoordinatorArgs {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7461")]
    pub listen: SocketAddr,
    /// Listen beyond this machine without TLS: whoever can listen in on the network learns the token
    #[arg(long)]
    pub insecure: bool,
    /// The certificate to show, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// How long a worker may be silent before its tasks are handed out again
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "15s")]
    pub lease: Duration,
}

/// Arguments of `worker`.
#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    /// Threads that compute [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// With --data: disk for a cache of what was made and fetched, which a worker started again goes on with
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    pub cache: Bytes,
    /// Let other workers fetch from this one what it made, here; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    pub peer_listen: Option<SocketAddr>,
    /// How long tasks in hand may go on when the worker is told to stop
    #[arg(long, value_name = "TIME", value_parser = parse_duration_or_none, default_value = "20s")]
    pub drain: Duration,
}
