//! Arguments of the commands about Flipping Coins.

use std::num::NonZeroUsize;

use super::parse_threads;
use crate::sizes::Bytes;

/// Help on the game.
pub const COINS: &str = "\
The game: a position is a line of coins, 0 and 1, such as 0101; trailing 0s count for nothing. Left turns two 1s into 0s;
Right takes a 0 and a 1 somewhere after it and flips both. Whoever cannot move loses. A position above 0 is won by Left and
one below 0 by Right, whoever moves first; at 0 whoever moves second wins.";

/// Arguments of `flip`.
#[derive(Debug, clap::Args)]
pub struct FlipArgs {
    /// A line of coins, or several joined by +; up to 10000 coins a line
    #[arg(required = true, value_name = "POSITION")]
    pub position: Vec<String>,
}

/// Arguments of `flip-sweep`.
#[derive(Debug, clap::Args)]
pub struct FlipSweepArgs {
    /// Coins of the longest lines, up to 31
    #[arg(long, value_name = "N")]
    pub length: u32,
    /// What the coins that a Left move flips read, before it; several patterns separated by commas [default: 11]
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',')]
    pub left: Option<Vec<String>>,
    /// What the coins that a Right move flips read, before it; several patterns separated by commas [default: 01]
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',')]
    pub right: Option<Vec<String>>,
    /// The coins that a move flips are next to each other
    #[arg(long)]
    pub contiguous: bool,
    /// Threads that check the theorems; other rules are worked out by one [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}
