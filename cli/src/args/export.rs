//! Arguments of `export` and `import`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::LimitArgs;

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// The job, by the name `run` and `jobs` give it
    pub job: String,
    /// csv: size,orbits,labelled, of a game size,value,orbits,labelled; json: the certificate; bfile: lines `size count`,
    /// as the OEIS takes them; truncations: the values of the game on all sets of at most k of n points, and after its
    /// first moves; positions: those of a game with a --value, a line each; table: all values of a game, for `import`; proof: that of a
    /// search, for `check-proof`
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// With positions: the value, of outcomes N or P
    #[arg(long, value_name = "VALUE")]
    pub value: Option<String>,
    /// With positions: so many at most
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pub most: usize,
    /// With bfile: labelled counts instead of orbits
    #[arg(long)]
    pub labelled: bool,
    /// Write to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Limits on sizes.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// The file
    pub file: PathBuf,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// `size,orbits,labelled`, with a header.
    Csv,
    /// Answer, certificate and counts by size in one document.
    Json,
    /// Lines `n a(n)`.
    Bfile,
    /// `n,k,value,...` of the games on sets of few points.
    Truncations,
    /// The positions of a value.
    Positions,
    /// All values of a game.
    Table,
    /// The proof of what a search has found, for `check-proof`.
    Proof,
}
