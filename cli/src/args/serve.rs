//! Arguments of the commands that serve: the coordinator and its workers.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use antichain_coordinator::server::MOST_CONNECTIONS;

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
    /// Whoever connects must show a certificate that this one, in PEM, vouches for
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,
    /// A token that may work and nothing else: a file that nobody else may read
    #[arg(long, value_name = "FILE")]
    pub worker_token_file: Option<PathBuf>,
    /// A token that may ask and change nothing: a file that nobody else may read
    #[arg(long, value_name = "FILE")]
    pub reader_token_file: Option<PathBuf>,
    /// Where to serve /metrics (for who may ask), /healthz and /readyz over HTTP, or HTTPS with --tls-cert; such as
    /// 127.0.0.1:7462 [default: nowhere]
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// Connections at a time, a quarter of them from one address
    #[arg(long, value_name = "N", default_value_t = MOST_CONNECTIONS, value_parser = parse_connections)]
    pub max_connections: usize,
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
    /// Listen for other workers beyond this machine without TLS: whoever can listen in on the network learns the token
    #[arg(long)]
    pub insecure: bool,
    /// How long tasks in hand may go on when the worker is told to stop
    #[arg(long, value_name = "TIME", value_parser = parse_duration_or_none, default_value = "20s")]
    pub drain: Duration,
}

/// Reads a number of connections.
fn parse_connections(text: &str) -> Result<usize, String> {
    const MOST: usize = 1 << 20;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("not a number of connections between 1 and {MOST}"))
}
