//! Arguments of the command about proofs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::parse_threads;

/// Arguments of `check-proof`.
#[derive(Debug, clap::Args)]
pub struct CheckProofArgs {
    /// The proof; `-` is standard input
    pub file: PathBuf,
    /// Threads that check [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
}
