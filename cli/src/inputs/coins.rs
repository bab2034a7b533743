//! The user's words about coin-turning games.

use antichain_common::game::coins::TurningGame;
use antichain_common::job::SizeLimits;
use antichain_common::poset::covers::{Coordinates, CoverPoset, SetPartitions};

use super::given;
use crate::sizes::Bytes;

/// Bytes that an element of a poset takes that is listed with all others, besides its coordinates.
const BYTES_OF_AN_ELEMENT: usize = 700;
/// Bytes of a coordinate of it.
const BYTES_OF_A_COORDINATE: usize = 40;
/// The largest block of a set partition whose value is found on the way to something else: in some seconds.
const LARGEST_BLOCK: usize = 90;

/// Input about coin-turning games that is refused by the command line itself.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CoinsInputError {
    /// A word that is no coin-turning game.
    #[error("there is no such coin-turning game")]
    NoGame(String),
    /// A coin named twice.
    #[error("{element} is named twice")]
    Twice {
        /// The word that names it again.
        word: String,
        /// The element.
        element: String,
    },
    /// Limits on sizes of ideals where there are none.
    #[error("coin-turning games are about elements, and not about ideals of some sizes")]
    NoIdeals(SizeLimits),
    /// More elements below a coin than memory holds.
    #[error("more than {most} elements are below its coins: the moves take too long, or more memory than there is")]
    TooManyBelow {
        /// The poset.
        poset: String,
        /// The most there can be.
        most: usize,
    },
    /// More elements than memory holds.
    #[error("{elements} elements are too many to list: with this memory, {most} can be")]
    TooManyElements {
        /// The poset.
        poset: String,
        /// Number of elements.
        elements: String,
        /// The most that can be listed.
        most: usize,
    },
    /// A set with more elements than memory allows.
    #[error("its types take about {needed} of memory, the budget is {budget}")]
    Memory {
        /// The poset.
        poset: String,
        /// What they take.
        needed: Bytes,
        /// What they may take.
        budget: Bytes,
    },
    /// A poset whose elements have no names.
    #[error("elements of spaces over fields of more than 31 elements have no names")]
    NoNames(String),
    /// A set partition with a block so large that its value is a job of its own.
    #[error("a block has {size} elements: its value takes long to find")]
    LargeBlock {
        /// The poset.
        poset: String,
        /// Elements of the block.
        size: usize,
    },
}

impl CoinsInputError {
    /// What the user typed.
    pub fn input(&self) -> String {
        match self {
            Self::NoGame(word) | Self::Twice { word, .. } => word.clone(),
            Self::NoIdeals(limits) => given(*limits),
            Self::TooManyBelow { poset, .. }
            | Self::TooManyElements { poset, .. }
            | Self::Memory { poset, .. }
            | Self::NoNames(poset)
            | Self::LargeBlock { poset, .. } => poset.clone(),
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::NoGame(_) => format!("games are {}", TurningGame::ALL.map(TurningGame::name).join(", ")),
            Self::Twice { .. } => "name every coin that shows heads once".to_owned(),
            Self::NoIdeals(_) => "leave the limit out".to_owned(),
            Self::TooManyBelow { .. } => "`antichain coins value` has the value, and needs none of them".to_owned(),
            Self::TooManyElements { .. } => {
                "leave --elements out, give it more with --memory if this machine has it, or \
                 ask for single elements with `antichain coins value`"
                    .to_owned()
            }
            Self::Memory { needed, .. } => format!(
                "give it more with --memory {}MiB if this machine has it, or take fewer elements",
                needed.0.div_ceil(1 << 20)
            ),
            Self::NoNames(_) => "leave --elements out: values by dimension are there for every field".to_owned(),
            Self::LargeBlock { size, .. } => format!(
                "`antichain run ruler partitions:{size}` finds it, and the value of a partition is the nim-product over \
                 its blocks"
            ),
        }
    }
}

/// The coin-turning game of that name.
pub fn turning_game(word: &str) -> Result<TurningGame, CoinsInputError> {
    word.parse().map_err(|_| CoinsInputError::NoGame(word.to_owned()))
}

/// That no limits on ideals are given where there are none.
pub fn no_limits(limits: SizeLimits) -> Result<(), CoinsInputError> {
    if limits == SizeLimits::NONE { Ok(()) } else { Err(CoinsInputError::NoIdeals(limits)) }
}

/// Elements that can be listed within a memory budget.
pub fn most_elements(poset: &CoverPoset, memory: Bytes) -> usize {
    memory.0 as usize / (BYTES_OF_AN_ELEMENT + BYTES_OF_A_COORDINATE * poset.relation().coordinates())
}

/// That the values of elements are found in a moment.
pub fn within_reach(game: TurningGame, poset: &CoverPoset, elements: &[Coordinates]) -> Result<(), CoinsInputError> {
    let CoverPoset::Partitions(_) = poset else { return Ok(()) };
    let largest = elements.iter().map(|x| SetPartitions::type_of(x)[0]).max().unwrap_or(0);
    match game {
        TurningGame::Ruler if largest > LARGEST_BLOCK => {
            Err(CoinsInputError::LargeBlock { poset: poset.relation().name(), size: largest })
        }
        _ => Ok(()),
    }
}
