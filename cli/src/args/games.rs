//! Arguments of the commands about games on single positions: nimbers, coin-turning games, the papers' tables.

use clap::{Subcommand, ValueEnum};

use crate::sizes::Bytes;

/// Posets of coin-turning games, for help texts.
pub const COIN_POSETS: &str = "\
Posets of coin-turning games:
  chain:N            a chain of N elements
  chains:AxBx...     a product of chains of A, B, ... elements
  boolean:N          all subsets of N points
  boolean:N:K        its subsets with at most K points
  divisors:N         the divisors of N
  subspaces:N:Q      the subspaces of the N-dimensional space over the field of Q elements
  asm:N              the poset A_N of alternating sign matrices
  partitions:N       the partitions of a set of N elements
  antichain:N        N elements, no two comparable";

/// The coin-turning games, for help texts.
pub const COIN_GAMES: &str = "\
Coin-turning games: a coin on every element; a move turns the coins of a turning set whose greatest coin shows heads; whoever
cannot move loses. The turning sets are
  turning-turtles    {x, y} with x <= y, x = y allowed
  twins              {x, y} with x < y
  order-ideal-game   the principal order ideals
  ruler              the intervals";

/// Elements of the posets, for help texts.
pub const COIN_ELEMENTS: &str = "\
Elements: one argument each.
  chain, antichain   3 (from 1)
  chains             3.1.2 (from 1)
  boolean            a set as digits, 012; with more than 10 points 0,5,12; `-` is the empty set
  divisors           12
  subspaces          a basis, 100/012; 0 is the zero space; elements of the field are the digits of its prime field, then
                     a, b, ...: of F_4 they are 0 1 a b with b = a + 1
  asm                1,0,2: x, y, z from 0 with a sum of at most N - 2; the rank is N - 2 - x - y
  partitions         the blocks, 13|2|4; with more than 9 elements with commas, 1,3|2,10|4,5,6,7,8,9";

/// Arguments of `nim`.
#[derive(Debug, clap::Args)]
pub struct NimArgs {
    /// Numbers up to 2^64 - 1 with `+` and `x` between them; products come first
    #[arg(required = true, value_name = "EXPRESSION")]
    pub words: Vec<String>,
}

/// Arguments of `coins`.
#[derive(Debug, clap::Args)]
pub struct CoinsArgs {
    /// What to say of the position.
    #[command(subcommand)]
    pub command: CoinsCommand,
}

/// What can be asked about a position of a coin-turning game.
#[derive(Debug, Subcommand)]
pub enum CoinsCommand {
    /// The Grundy value of a position, and of each of its coins
    #[command(after_long_help = format!("{COIN_GAMES}\n\n{COIN_ELEMENTS}\n\n{COIN_POSETS}\n\nExample:
  antichain coins value ruler divisors:360 24 120"))]
    Value(CoinsPositionArgs),
    /// The winning moves of a position, or all of them
    ///
    /// Lines: the greatest coin that is turned; the other coin, or the least one of the interval (empty where no other is turned,
    /// and in the order ideal game, where all below are); the value of what is left; what is left. For at most a million
    /// elements below all coins, of the ruler 30,000 below each.
    #[command(after_long_help = format!("{COIN_GAMES}\n\n{COIN_ELEMENTS}\n\n{COIN_POSETS}\n\nExamples:
  antichain coins moves ruler divisors:12 12 4
  antichain coins moves turning-turtles partitions:4 '12|34' --all"))]
    Moves(CoinsMovesArgs),
}

/// A position of a coin-turning game.
#[derive(Debug, clap::Args)]
pub struct CoinsPositionArgs {
    /// The game: turning-turtles, twins, order-ideal-game or ruler
    pub game: String,
    /// The poset, such as divisors:360; --help lists them
    pub poset: String,
    /// The elements whose coins show heads, one argument each
    #[arg(required = true, value_name = "ELEMENT")]
    pub elements: Vec<String>,
}

/// Arguments of `coins moves`.
#[derive(Debug, clap::Args)]
pub struct CoinsMovesArgs {
    /// The position.
    #[command(flatten)]
    pub position: CoinsPositionArgs,
    /// All moves, not the winning ones only
    #[arg(long)]
    pub all: bool,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The table or figure of the paper on coin-turning games
    #[arg(value_enum)]
    pub exhibit: Exhibit,
}

/// The tables and figures of "Coin Turning Games on Partially Ordered Sets".
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Exhibit {
    /// The ruler sequence
    Table1,
    /// The ruler on subspace lattices, by dimension
    Table2,
    /// The ruler on A_16, by rank and z
    Table3,
    /// The ruler on set partitions into one block
    Table4,
    /// The order ideal game and the ruler on the divisors of 12
    Figure4,
    /// The ruler on the subspaces of the 3-dimensional space over F_2
    Figure5,
    /// The order ideal game on A_n, by rank and z
    Figure7,
}
