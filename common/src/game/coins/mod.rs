//! Coin-turning games on a poset (Lenstra; Ishikawa, Ohmoto, Tagawa, Takayama, "Coin Turning Games on Partially Ordered
//! Sets", 2026).
//!
//! A coin lies on every element. A position is the set of those that show heads. A game has a family of turning sets, each
//! with a greatest element; a move turns all coins of one whose greatest coin shows heads. Who cannot move loses.
//!
//! The value of a position is the nim-sum of those of its elements, and
//! `g(x) = mex { sum of g(t) over t in T but x : T has the greatest element x }` (Theorem 4.1). [`definition`] computes that
//! for all elements; [`GrundyFunction`] knows, by the theorems of the paper, the value of any element of the families of posets.
//!
//! ```
//! use antichain_common::game::coins::{GrundyFunction, TurningGame};
//! use antichain_common::poset::covers::CoverPoset;
//! let poset: CoverPoset = "divisors:360".parse()?;
//! let ruler = GrundyFunction::new(TurningGame::Ruler, &poset);
//! let value = |word| ruler.of(&poset.relation().read(word).expect("a divisor"));
//! assert_eq!((value("24"), value("120")), (8, 12));
//! # Ok::<(), antichain_common::poset::PosetError>(())
//! ```

pub mod asm;
pub mod definition;
mod position;
mod theorems;

#[cfg(test)]
mod tests;

use std::str::FromStr;

pub use position::{CoinMove, CoinPosition};
pub use theorems::{GrundyFunction, ruler_sequence};

/// The families of turning sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurningGame {
    /// {x, y} with x <= y; x = y is allowed (section 4.4).
    TurningTurtles,
    /// {x, y} with x < y.
    Twins,
    /// The principal order ideals.
    OrderIdealGame,
    /// The intervals [y, x].
    Ruler,
}

impl TurningGame {
    /// All games, in the order help texts list them.
    pub const ALL: [Self; 4] = [Self::TurningTurtles, Self::Twins, Self::OrderIdealGame, Self::Ruler];

    /// The word users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::TurningTurtles => "turning-turtles",
            Self::Twins => "twins",
            Self::OrderIdealGame => "order-ideal-game",
            Self::Ruler => "ruler",
        }
    }
}

impl std::fmt::Display for TurningGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no coin-turning game.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no coin-turning game `{0}`")]
pub struct UnknownTurningGame(pub String);

impl FromStr for TurningGame {
    type Err = UnknownTurningGame;

    fn from_str(word: &str) -> Result<Self, UnknownTurningGame> {
        Self::ALL.into_iter().find(|game| game.name() == word).ok_or_else(|| UnknownTurningGame(word.to_owned()))
    }
}
