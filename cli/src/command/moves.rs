//! `antichain moves`: where the moves of a position lead, and which win.

use antichain_common::job::{self, Moves, PositionMove, Question};
use antichain_common::poset::Poset;
use serde::Serialize;

use super::budget;
use crate::args::{Global, MovesArgs};
use crate::output::{document, note, result, table};
use crate::remote::place;
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: MovesArgs) -> anyhow::Result<()> {
    let question = args.question.as_deref().map(inputs::question).transpose()?;
    let poset: Poset = args.poset.parse()?;
    let limits = inputs::limits(args.limits)?;
    let positions = inputs::positions(&poset, vec![args.position], limits, global.json)?;
    let store = data::open_if_there(&place::here(global)?)?;
    for (position, members) in positions {
        let Moves { question, moves } = job::moves(store.as_ref(), question, &poset, &members, budget(args.memory).0)?;
        if global.json {
            return document(&moves.iter().map(|one| MoveDocument::new(question, one)).collect::<Vec<_>>());
        }
        result(&shown(question, &moves))?;
        note(&summary(&position, &moves));
    }
    Ok(())
}

/// One move as a JSON document.
#[derive(Debug, Serialize)]
struct MoveDocument {
    #[serde(rename = "move")]
    element: String,
    leads_to: String,
    value: String,
    multiplicity: u64,
    wins: bool,
}

impl MoveDocument {
    fn new(question: Question, one: &PositionMove) -> Self {
        Self {
            element: one.element.clone(),
            leads_to: one.leads_to.clone(),
            value: question.show(&one.value),
            multiplicity: one.multiplicity,
            wins: one.wins,
        }
    }
}

/// A line for each move: the element, the value it leads to, how many moves are like it, whether it wins, the position.
fn shown(question: Question, moves: &[PositionMove]) -> String {
    let row = |one: &PositionMove| {
        let wins = if one.wins { "wins" } else { "" };
        let (value, like_it) = (question.show(&one.value), format!("x{}", one.multiplicity));
        vec![one.element.clone(), value, like_it, wins.to_owned(), one.leads_to.clone()]
    };
    table(&moves.iter().map(row).collect::<Vec<_>>(), 1)
}

/// Who wins, and how.
fn summary(position: &str, moves: &[PositionMove]) -> String {
    let all: u64 = moves.iter().map(|one| one.multiplicity).sum();
    let winning: Vec<&str> = moves.iter().filter(|one| one.wins).map(|one| one.element.as_str()).collect();
    match winning.as_slice() {
        [] if all == 0 => format!("{position}: there is no move, so the player to move has lost"),
        [] => format!("{position}: none of the {all} moves wins"),
        winning => format!("{position}: of {all} moves these win, and those like them: {}", winning.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(element: &str, value: u8, wins: bool) -> PositionMove {
        PositionMove { element: element.into(), leads_to: "01".into(), value: value.into(), multiplicity: 2, wins }
    }

    #[test]
    fn winning_moves_are_marked_and_named() {
        let moves = [one("0", 3, false), one("012", 0, true)];
        assert_eq!(shown(Question::Grundy, &moves), "0    3  x2        01\n012  0  x2  wins  01\n");
        assert_eq!(shown(Question::Outcome, &moves), "0    N  x2        01\n012  P  x2  wins  01\n");
        assert!(summary("012", &moves).ends_with("of 4 moves these win, and those like them: 012"));
        assert!(summary("012", &moves[..1]).contains("none of the 2 moves wins"));
        assert!(summary("-", &[]).contains("no move"));
    }
}
