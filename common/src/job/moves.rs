//! The moves of a position of the game: where each leads, and which win.
//!
//! ```
//! use antichain_common::job::{QueryTables, Question, moves};
//! use antichain_common::poset::{Poset, parse_position};
//! let poset: Poset = "boolean:3".parse()?;
//! let members = parse_position(&poset, "012").expect("a position").members;
//! let moves = moves(&mut QueryTables::default(), None, Some(Question::Grundy), &poset, &members, 1 << 20)?;
//! let values: Vec<_> = moves.moves.iter().map(|one| (one.element.as_str(), one.multiplicity, &one.value)).collect();
//! assert_eq!(values, [("0", 3, &2u8.into()), ("01", 3, &1u8.into()), ("012", 1, &0u8.into())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use num_bigint::BigUint;

use super::{JobError, JobId, QueryTables, Question, query_with};
use crate::game::move_classes;
use crate::ideal::Element;
use crate::poset::{Poset, format_position};
use crate::store::Store;

/// The moves of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// What the values are.
    pub question: Question,
    /// The moves, one of each orbit of the symmetries of the position, smaller elements first.
    pub moves: Vec<PositionMove>,
    /// A job whose table has some of the values, if that is not finished.
    pub unfinished: Option<JobId>,
}

/// A move, and all that are like it by a symmetry of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionMove {
    /// The element that is taken.
    pub element: String,
    /// The position that is left.
    pub leads_to: String,
    /// The value of that.
    pub value: BigUint,
    /// Number of moves like it.
    pub multiplicity: u64,
    /// Whether the player who makes it wins.
    pub wins: bool,
}

/// The moves of a position given by its members, with what earlier questions have read, and values of a question about the
/// game; without one, Grundy values where these are known, otherwise outcomes.
///
/// # Errors
/// As [`query`](super::query()), and [`JobError::NoGame`] for a question that is not about the game.
pub fn moves(
    tables: &mut QueryTables,
    store: Option<&Store>,
    question: Option<Question>,
    poset: &Poset,
    members: &[Element],
    memory: u64,
) -> Result<Moves, JobError> {
    match question {
        Some(question) if !question.is_game() => Err(JobError::NoGame(question)),
        Some(question) => moves_with(tables, store, question, poset, members, memory),
        None => match moves_with(tables, store, Question::Grundy, poset, members, memory) {
            // Outcomes are looked for in the tables of both questions, so what is said of them is said of all that is there.
            Err(JobError::NotStored { .. }) => moves_with(tables, store, Question::Outcome, poset, members, memory),
            other => other,
        },
    }
}

fn moves_with(
    tables: &mut QueryTables,
    store: Option<&Store>,
    question: Question,
    poset: &Poset,
    members: &[Element],
    memory: u64,
) -> Result<Moves, JobError> {
    let classes = move_classes(poset, members);
    let left: Vec<_> =
        classes.iter().map(|class| (format_position(poset, &class.leads_to), class.leads_to.clone())).collect();
    let values = query_with(tables, store, question, poset, (&left, false), memory)?;
    let unfinished = values.iter().find_map(|value| value.unfinished.clone());
    let moves = classes.iter().zip(left).zip(values).map(|((class, (leads_to, _)), value)| PositionMove {
        element: poset.label(class.element),
        leads_to,
        wins: question.is_lost(&value.value),
        value: value.value,
        multiplicity: class.multiplicity,
    });
    Ok(Moves { question, moves: moves.collect(), unfinished })
}
