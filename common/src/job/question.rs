//! The questions that jobs answer.

use std::str::FromStr;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// What is asked about a poset, most of it about its order ideals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// The number of linear extensions.
    Extensions,
    /// The numbers of ideals: orbits and labelled, by size and in total.
    Ideals,
    /// Chomp: who wins.
    Outcome,
    /// Chomp: the Sprague-Grundy value.
    Grundy,
    /// Chomp: how many moves are left under best play.
    Remoteness,
    /// The ruler on set partitions: values of the partitions into one block. It is about no ideals, but as much work.
    Ruler,
    /// The number of linear extensions, estimated from random ideals.
    Estimate,
}

impl Question {
    /// All questions about ideals, in the order help texts list them.
    pub const ABOUT_IDEALS: [Self; 5] = [Self::Extensions, Self::Ideals, Self::Outcome, Self::Grundy, Self::Remoteness];

    /// The word users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extensions => "extensions",
            Self::Ideals => "ideals",
            Self::Outcome => "outcome",
            Self::Grundy => "grundy",
            Self::Remoteness => "remoteness",
            Self::Ruler => "ruler",
            Self::Estimate => "estimate",
        }
    }

    /// Whether it is about the game: then ideals are positions, and values are bytes.
    pub fn is_game(self) -> bool {
        matches!(self, Self::Outcome | Self::Grundy | Self::Remoteness)
    }

    /// Why it takes small ideals to answer it for large ones.
    pub(super) fn why_from_below(self) -> &'static str {
        match self {
            Self::Extensions | Self::Estimate => {
                "the linear extensions of an ideal are counted from those of the ideals in it"
            }
            Self::Ideals | Self::Ruler => {
                "large ideals are counted by their duals, where the poset is self-dual and these have less than half of the \
                 elements"
            }
            Self::Outcome | Self::Grundy | Self::Remoteness => {
                "the value of a position follows from those of the positions in it"
            }
        }
    }

    /// A value as users read it: "N" or "P" (the next or the previous player wins) for an outcome, a number otherwise.
    pub fn show(self, value: &BigUint) -> String {
        match self {
            Self::Outcome if *value == BigUint::ZERO => "P".to_owned(),
            Self::Outcome => "N".to_owned(),
            _ => value.to_string(),
        }
    }

    /// The value that is shown so: the inverse of [`show`](Self::show).
    pub fn read(self, shown: &str) -> Option<BigUint> {
        match (self, shown) {
            (Self::Outcome, "P") => Some(BigUint::ZERO),
            (Self::Outcome, "N") => Some(1u8.into()),
            (Self::Outcome, _) => None,
            _ => shown.parse().ok(),
        }
    }

    /// Whether the player to move loses a position of that value, if the question is about the game.
    pub fn is_lost(self, value: &BigUint) -> bool {
        match self {
            Self::Remoteness => !value.bit(0),
            _ => *value == BigUint::ZERO,
        }
    }
}

impl std::fmt::Display for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no question.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no question `{0}`")]
pub struct UnknownQuestion(pub String);

impl FromStr for Question {
    type Err = UnknownQuestion;

    fn from_str(word: &str) -> Result<Self, UnknownQuestion> {
        Self::ABOUT_IDEALS
            .into_iter()
            .chain([Self::Ruler, Self::Estimate])
            .find(|q| q.name() == word)
            .ok_or_else(|| UnknownQuestion(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_again() {
        for question in Question::ABOUT_IDEALS {
            assert_eq!(question.name().parse(), Ok(question));
            for value in [0u8, 1] {
                assert_eq!(question.read(&question.show(&value.into())), Some(value.into()));
            }
        }
        assert_eq!((Question::Outcome.read("1"), Question::Grundy.read("N")), (None, None));
        assert!(Question::Outcome.is_lost(&0u8.into()) && !Question::Outcome.is_lost(&1u8.into()));
        assert!(Question::Remoteness.is_lost(&44u8.into()) && !Question::Remoteness.is_lost(&3u8.into()));
    }
}
