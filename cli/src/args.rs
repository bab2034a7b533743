//! The command line: every command, argument and help text.

mod cluster;
mod estimate;
mod export;
mod flip;
mod games;
mod plan;
mod proof;
mod query;
mod search;
mod serve;
mod upkeep;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use antichain_proto::url::CoordinatorUrl;
use clap::{Parser, Subcommand, ValueEnum};

use crate::sizes::{Bytes, parse_duration};
pub use cluster::{JobArgs, SubmitArgs};
pub use estimate::{EstimateArgs, Estimated};
pub use export::{ExportArgs, ExportFormat, ImportArgs};
use flip::COINS;
pub use flip::{FlipArgs, FlipSweepArgs};
use games::{COIN_GAMES, COIN_POSETS};
pub use games::{CoinsArgs, CoinsCommand, CoinsMovesArgs, CoinsPositionArgs, Exhibit, NimArgs, ShowArgs};
pub use plan::{PlanArgs, ResourceArgs};
pub use proof::CheckProofArgs;
pub use query::{MovesArgs, QueryArgs};
pub use search::{BudgetArgs, MergeArgs, SearchArgs};
pub use serve::{CoordinatorArgs, WorkerArgs};
pub use upkeep::{CertsArgs, CompletionsArgs, DoctorArgs, LaunchArgs, ManArgs};

/// Exact answers about the order ideals of finite posets.
///
/// Order ideals (equivalently, antichains) are enumerated up to symmetry once for each poset and kept in a data directory;
/// questions such as the number of linear extensions are answered from there.
#[derive(Debug, Parser)]
#[command(name = "antichain", version, long_version = crate::build::DESCRIPTION, after_help = EXIT_CODES, after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  antichain run extensions boolean:6       linear extensions of the subsets of 6 points
  antichain layers boolean:5               ideals by size, up to symmetry and labelled
  antichain plan extensions boolean:7      what that will cost, before starting
  antichain query extensions boolean:4 '012 13'
                                           linear extensions of one ideal
  antichain submit extensions boolean:7 --wait
                                           the same as run, by a coordinator and its workers
  antichain run ruler divisors:360         Grundy values of a coin-turning game
  antichain nim 5 x 9                      a nim-product";

const EXIT_CODES: &str = "Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted.";

const POSETS: &str = "\
Posets:
  boolean:N        all subsets of N points
  boolean:N:K      its subsets with at most K points
  chain:N          a chain of N elements
  chains:AxBx...   a product of chains of A, B, ... elements
  antichain:N      N elements, no two comparable
  divisors:N       the divisors of N
  file:PATH        one from a file, or with file:- from standard input: lines `a < b`, a matrix of 0 and 1, a digraph of
                   Graphviz, or JSON {\"elements\": [...], \"covers\": [[a, b], ...]}";

const QUESTIONS: &str = "\
Questions:
  extensions       the number of linear extensions
  ideals           the number of order ideals, labelled and up to symmetry
Questions about the game Chomp (Subset Takeaway on boolean:N), in which a move takes an element, but never a least one,
and all above it, and whoever cannot move loses; the values of all positions are stored, of small games with --keep-values:
  outcome          who wins: N, the next player, or P, the previous one
  grundy           the Sprague-Grundy value
  remoteness       how many moves are left, if the winner is in a hurry and the loser is not";

const POSITIONS: &str = "\
Positions: one argument each, the maximal elements of the ideal separated by spaces; `{}` is the empty ideal.
  boolean          sets as strings of digits, '012 34'; `-` is the empty set
  chain            3 (from 1)
  chains           3.1.2 (from 1)
  divisors         12
  antichain        4 (from 1)";

/// Options of every command.
#[derive(Debug, clap::Args)]
pub struct Global {
    /// Write one JSON document to standard output (big integers as strings); errors are JSON on standard error
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// The data directory [default: ./antichain-data]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data: Option<PathBuf>,
    /// Ask the coordinator at this address instead of a data directory; http:// and port 7461 may be left out. Where
    /// neither this nor --data is given and ./antichain-data is not there, or in use, the coordinator of the access file is asked
    #[arg(long, global = true, value_name = "URL", help_heading = "Global options")]
    pub coordinator: Option<CoordinatorUrl>,
    /// Where a coordinator of this user leaves its address and token [default: $HOME/.antichain/access.json]. The
    /// variable ANTICHAIN_TOKEN, where set, is the token instead
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ANTICHAIN_ACCESS_FILE",
        hide_env_values = true,
        help_heading = "Global options"
    )]
    pub access_file: Option<PathBuf>,
    /// The token to show, or of a coordinator its owner's: a file that nobody else may read
    #[arg(long, global = true, value_name = "FILE", env = "ANTICHAIN_TOKEN_FILE", help_heading = "Global options")]
    pub token_file: Option<PathBuf>,
    /// The certificate, in PEM, that vouches for a coordinator at https:// [default: the one in the access file]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub tls_ca: Option<PathBuf>,
    /// The certificate to show, in PEM: of a coordinator its own, of a worker its own, of others where the coordinator
    /// wants to see one
    #[arg(long, global = true, value_name = "FILE", requires = "tls_key", help_heading = "Global options")]
    pub tls_cert: Option<PathBuf>,
    /// The key of that certificate, in PEM: a file that nobody else may read
    #[arg(long, global = true, value_name = "FILE", requires = "tls_cert", help_heading = "Global options")]
    pub tls_key: Option<PathBuf>,
    /// Log more; twice for everything. The variable RUST_LOG, where set, decides instead
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Form of the log lines on standard error
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORM",
        default_value = "pretty",
        help_heading = "Global options"
    )]
    pub log_format: LogFormat,
}

/// Form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON document a line.
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a question here, in this process
    ///
    /// An interrupted run goes on where its last checkpoint was; a finished one is answered from the data directory.
    /// The answer alone is written to standard output, everything else to standard error.
    #[command(after_long_help = format!("{QUESTIONS}\n\n{POSETS}\n\n{COIN_GAMES}\n\n{COIN_POSETS}\n\nExamples:
  antichain run extensions boolean:6
  antichain run extensions boolean:7 --threads 2 --memory 4GiB
  antichain run ideals boolean:8 --max-elements 20 --json
  antichain run outcome boolean:8 --position '0123 0145 67' --budget 2h
  antichain run ruler asm:16
  antichain run ruler partitions:60        h(1) to h(60), with checkpoints"))]
    Run(RunArgs),
    /// Say what a question will need before it is started: ideals, time, memory, disk
    ///
    /// With --cores, --within, --memory or --disk: how large the ideals may be for what there is, and what ends first.
    #[command(after_long_help = format!("{QUESTIONS}\n\n{POSETS}\n\nExamples:
  antichain plan extensions boolean:7
  antichain plan grundy boolean:8 --max-elements 40
  antichain plan grundy boolean:8 --within 2h --cores 2 --memory 16GiB
  antichain plan grundy boolean:8 --within 2w --cores 1000 --memory 4TB
  antichain plan outcome boolean:8 --position '0123 0145 67'"))]
    Plan(PlanArgs),
    /// Estimate a number of linear extensions that is out of reach, with an interval
    Estimate(EstimateArgs),
    /// List ideals by number of elements, up to symmetry and labelled
    ///
    /// Computes, and stores, what is not stored yet.
    #[command(after_long_help = format!("{POSETS}\n\nExamples:
  antichain layers boolean:5
  antichain layers boolean:8 --max-elements 20 --json"))]
    Layers(LayersArgs),
    /// Give the values of positions: stored ones, or computed at once where the poset is small
    #[command(after_long_help = format!("{POSITIONS}\n\n{QUESTIONS}\n\n{POSETS}\n\nExamples:
  antichain query extensions boolean:4 '012 13'
  antichain query extensions chains:3x3 2.3 '3.1 1.2' '{{}}'"))]
    Query(QueryArgs),
    /// List the moves of a position of the game Chomp up to its symmetry, where each leads, and which win
    ///
    /// Lines: the element taken, the value of what is left, how many moves are like it, whether it wins, what is left.
    #[command(after_long_help = format!("{POSETS}\n\n{POSITIONS}\n\nExamples:
  antichain moves boolean:5 01234
  antichain moves boolean:5 '012 34' --question outcome --json"))]
    Moves(MovesArgs),
    /// Check a finished job again: digests, totals, a recomputed sample
    #[command(after_long_help = "Example:
  antichain verify extensions-boolean-6")]
    Verify(VerifyArgs),
    /// Write a finished job's counts by size, its certificate, or all values of a game
    #[command(after_long_help = "Examples:
  antichain export ideals-boolean-6 --format bfile
  antichain export grundy-boolean-5 --format truncations
  antichain export grundy-boolean-7 --format positions --value 44
  antichain export grundy-boolean-7 --format table --output grundy-7.table
  antichain export extensions-boolean-6 --format json --output certificate.json")]
    Export(ExportArgs),
    /// Take in all values of a game, as `export --format table` has written them on another machine
    ///
    /// Nothing is stored before the whole file has been read and found right.
    #[command(after_long_help = "Example:
  antichain import grundy-7.table")]
    Import(ImportArgs),
    /// Check a proof of who wins a position of the game Chomp, entry by entry
    ///
    /// FORMATS.md describes the file.
    #[command(after_long_help = "Examples:
  antichain check-proof p73.proof
  zstd -dc p73.proof.zst | antichain check-proof -")]
    CheckProof(CheckProofArgs),
    /// Take in what searches on other machines have settled, and their answers
    ///
    /// An answer is taken in if its proof holds, which is checked while it is copied. Each directory is taken in whole or not at
    /// all: if a position is lost in one place and won in another, the command stops and names it, and both stay as they are.
    #[command(after_long_help = "Example:
  antichain merge /mnt/other/antichain-data")]
    Merge(MergeArgs),
    /// Add and multiply nimbers
    #[command(after_long_help = "Examples:
  antichain nim 5 x 9
  antichain nim 5 + 9 x 3 --json")]
    Nim(NimArgs),
    /// Value and moves of a position of a coin-turning game
    Coins(CoinsArgs),
    /// Show a table or figure of the paper on coin-turning games, computed anew
    #[command(after_long_help = "Example:
  antichain show table3")]
    Show(ShowArgs),
    /// Give the value of a position of Flipping Coins, and the moves that win
    ///
    /// The value is exact: the line is reduced and decomposed into an iterated ordinal sum. It stands on the first line.
    /// Then follow, of a line, its reduced form, its decomposition (the base, then the exponents) and the best move of each
    /// player, of a sum its terms; who wins; and the winning moves of each player moving first, where there are not too many
    /// to try.
    #[command(after_long_help = format!("{COINS}\n\nExamples:
  antichain flip 10011110110110111011110011
  antichain flip '0101011111 + 1101100111 + 0110110110111' --json"))]
    Flip(FlipArgs),
    /// Look at all positions of Flipping Coins up to a length, by the rules of the paper or others
    ///
    /// By the rules of the paper: checks against all options of each position that the algorithm gives its value, and that
    /// the best moves are those of Theorem 4.2. By other rules: works out all values, as long as they are numbers, and shows
    /// the first position, by its code in binary (the first coin counts least), that is none, with its canonical options.
    ///
    /// A move flips coins that read as one of the player's patterns, anywhere in the line or, with --contiguous, next to each
    /// other. Every pattern ends in a 1.
    #[command(after_long_help = format!("{COINS}\n\nExamples:
  antichain flip-sweep --length 20
  antichain flip-sweep --length 20 --left 111 --right 001
  antichain flip-sweep --length 20 --left 11,111 --contiguous --json"))]
    FlipSweep(FlipSweepArgs),
    /// List the jobs of the data directory, or of a coordinator
    Jobs,
    /// Hand a question to a coordinator, whose workers answer it
    ///
    /// Writes the name of the job. One that is there already goes on; a finished one stays finished.
    #[command(after_long_help = format!("{QUESTIONS}\n\n{POSETS}\n\nExamples:
  antichain submit extensions boolean:7
  antichain submit extensions boolean:7 --wait --json
  antichain submit ideals boolean:8 --max-elements 20 --coordinator cluster.example:7461"))]
    Submit(SubmitArgs),
    /// Say where a job of a coordinator stands
    #[command(after_long_help = "Example:
  antichain status extensions-boolean-7")]
    Status(JobArgs),
    /// Follow a job of a coordinator until it ends
    ///
    /// Shows a bar on a terminal, elsewhere a line whenever something changes, with --json one document a line. Goes on
    /// when the coordinator was away. Ctrl-C ends the watching, not the job.
    #[command(after_long_help = "Examples:
  antichain watch extensions-boolean-7
  antichain watch extensions-boolean-7 --json | jq .progress.layer")]
    Watch(JobArgs),
    /// Let a job of a coordinator rest: its tasks are taken back, what is stored stays
    #[command(after_long_help = "Example:
  antichain pause extensions-boolean-7")]
    Pause(JobArgs),
    /// Let a job of a coordinator go on that was paused
    #[command(after_long_help = "Example:
  antichain resume extensions-boolean-7")]
    Resume(JobArgs),
    /// End a job of a coordinator; what is stored of it stays until `rm`
    #[command(after_long_help = "Example:
  antichain cancel extensions-boolean-7")]
    Cancel(JobArgs),
    /// Take a job away, with everything that is stored of it: gives the disk back
    #[command(after_long_help = "Example:
  antichain rm extensions-boolean-7")]
    Rm(JobArgs),
    /// Look whether a data directory, this machine and a coordinator are well, and say what to do where not
    ///
    /// Looks at the data directory and, with --coordinator or where there is an access file, at the coordinator. Exit code 1 if
    /// anything is wrong.
    #[command(after_long_help = "Examples:
  antichain doctor
  antichain doctor --data /var/lib/antichain --repair
  antichain doctor --coordinator https://cluster.example:7461 --tls-ca ca.pem --token-file reader.token --json")]
    Doctor(DoctorArgs),
    /// Make what the machines of a cluster trust each other by: a small authority, certificates, tokens
    ///
    /// Files: ca.pem (everybody), ca.key (keep it elsewhere), coordinator.pem and .key, worker.pem and .key, user.pem and .key (for
    /// --tls-client-ca), owner.token, worker.token, reader.token.
    #[command(after_long_help = "Examples:
  antichain certs --out certs --host cluster.example --host 10.0.0.1
  antichain certs --out certs --host cluster.example --renew     new certificates, the same authority and tokens")]
    Certs(CertsArgs),
    /// Run workers on plain hosts, over ssh: copies this program there, starts it, lists and stops it
    ///
    /// A host needs a shell and a user whom ssh lets in without a question. Its worker has its files in ~/.antichain/worker, the
    /// token among them, which only its user may read; it goes on when this command has ended.
    #[command(after_long_help = "Examples:
  antichain launch --hosts hosts --coordinator https://cluster.example --tls-ca ca.pem --token-file worker.token
  antichain launch --hosts hosts --list
  antichain launch --hosts hosts --stop --drain 2m")]
    Launch(LaunchArgs),
    /// Write what a shell needs to complete commands and options
    #[command(after_long_help = "Examples:
  antichain completions bash > ~/.local/share/bash-completion/completions/antichain
  antichain completions zsh > ~/.zfunc/_antichain
  antichain completions fish > ~/.config/fish/completions/antichain.fish")]
    Completions(CompletionsArgs),
    /// Write manual pages, one for each command
    #[command(after_long_help = "Example:
  antichain man --out ~/.local/share/man/man1")]
    Man(ManArgs),
    /// List the workers of a coordinator
    #[command(after_long_help = "Example:
  antichain workers --coordinator cluster.example:7461")]
    Workers,
    /// Serve jobs to workers and users, until told to stop
    ///
    /// Jobs that were not over go on. The address and the token are written to the access file, where the other commands
    /// of the same user find them.
    #[command(after_long_help = "Examples:
  antichain coordinator
  antichain coordinator --listen 0.0.0.0:7461 --tls-cert cert.pem --tls-key key.pem --data /var/lib/antichain")]
    Coordinator(CoordinatorArgs),
    /// Work for a coordinator, until told to stop
    ///
    /// Takes tasks, computes and delivers; nothing that matters is kept here. Told to stop, it lets the tasks in hand end.
    #[command(after_long_help = "Examples:
  antichain worker
  antichain worker --coordinator https://cluster.example:7461 --threads 8 --memory 16GiB")]
    Worker(WorkerArgs),
}

/// Only ideals of some sizes.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct LimitArgs {
    /// Only ideals with at most K elements; goes on from what is stored for another K
    #[arg(long, value_name = "K")]
    pub max_elements: Option<usize>,
    /// Only ideals with at least K elements. Of `ideals` and `layers`, beyond the middle of a self-dual poset, their duals are
    /// counted instead; other questions take all smaller ideals too
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub min_elements: usize,
}

/// How much of the machine to use.
#[derive(Clone, Debug, clap::Args)]
pub struct EffortArgs {
    /// Threads that compute [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Time between checkpoints: what an interruption may cost, such as 10s or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub checkpoint: Duration,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The question; --help lists them
    pub question: String,
    /// The poset, such as boolean:6; --help lists them
    pub poset: String,
    /// Limits on sizes.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// One position instead of all.
    #[command(flatten)]
    pub search: SearchArgs,
    /// How long to search.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Threads, memory, checkpoints.
    #[command(flatten)]
    pub effort: EffortArgs,
    /// Keep the values of all ideals, for `query`
    #[arg(long, conflicts_with = "position")]
    pub keep_values: bool,
    /// Of a coin-turning game: list all elements, even if there are more than 10,000
    #[arg(long)]
    pub elements: bool,
}

/// Arguments of `layers`.
#[derive(Debug, clap::Args)]
pub struct LayersArgs {
    /// The poset, such as boolean:6; --help lists them
    pub poset: String,
    /// Limits on sizes.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Threads, memory, checkpoints.
    #[command(flatten)]
    pub effort: EffortArgs,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// The job, by the name `run` and `jobs` give it
    pub job: String,
}

/// More threads than any machine this is meant for has; a larger number is a slip of the finger.
const MAX_THREADS: usize = 1024;

/// Reads a number of threads.
fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= MAX_THREADS => Ok(threads),
        _ => Err(format!("not a number of threads between 1 and {MAX_THREADS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn global_options_may_stand_anywhere() {
        for words in [
            ["antichain", "--json", "verify", "j", "--data", "d"],
            ["antichain", "verify", "--data", "d", "j", "--json"],
        ] {
            let args = Args::try_parse_from(words).expect("parses");
            assert!(args.global.json);
            assert_eq!(args.global.data, Some(PathBuf::from("d")));
        }
    }

    #[test]
    fn threads_are_at_least_one_and_not_absurd() {
        assert_eq!(parse_threads("2").map(NonZeroUsize::get), Ok(2));
        for text in ["0", "-1", "two", "1025"] {
            assert!(parse_threads(text).is_err(), "{text}");
        }
    }
}
