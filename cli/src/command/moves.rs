//! `antichain moves`: where the moves of a position lead, and which win.

use antichain_common::job::{self, QueryTables, Question};
use antichain_common::poset::{Poset, parse_position};
use antichain_common::store::Store;
use antichain_proto::v1;
use serde::Serialize;

use super::budget;
use super::query::not_finished;
use crate::args::{Global, MovesArgs};
use crate::output::{self, document, note, result, table};
use crate::remote::{Place, Remote, place};
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: MovesArgs) -> anyhow::Result<()> {
    let question = args.question.as_deref().map(inputs::question).transpose()?;
    let poset = inputs::given::poset(&args.poset, global.json)?;
    let parsed = parse_position(&poset, &args.position)?;
    parsed.warnings.iter().for_each(|warning| output::warning(global.json, warning));
    let unfinished;
    let moves: Vec<MoveDocument> = match place::either(global)? {
        Place::Here(directory) => {
            let store = data::open_if_there(&directory)?;
            let (mut tables, memory) = (QueryTables::default(), budget(args.memory).0);
            let found = job::moves(&mut tables, store.as_ref(), question, &poset, &parsed.members, memory)?;
            unfinished = found.unfinished.map(|job| job.0);
            found.moves.into_iter().map(|one| MoveDocument::new(found.question, one)).collect()
        }
        Place::There(target) => {
            let found = Remote::connect(target)?.moves(&poset, args.position.clone(), question)?;
            unfinished = Some(found.unfinished).filter(|job| !job.is_empty());
            found.moves.into_iter().map(MoveDocument::from).collect()
        }
    };
    if let Some(job) = unfinished {
        output::warning(global.json, &not_finished(&job));
    }
    if global.json {
        return document(&moves);
    }
    result(&shown(&moves))?;
    note(&summary(&args.position, &moves));
    Ok(())
}

/// Tells on standard error which moves of a position win, if that is known; for questions about the game.
pub(super) fn tell_winning(
    tables: &mut QueryTables,
    store: Option<&Store>,
    question: Question,
    poset: &Poset,
    position: &str,
) {
    let Ok(parsed) = parse_position(poset, position) else { return };
    // Who asked for a value has it; without this there is a line less.
    if let Ok(found) = job::moves(tables, store, Some(question), poset, &parsed.members, budget(None).0) {
        let moves: Vec<_> = found.moves.into_iter().map(|one| MoveDocument::new(question, one)).collect();
        note(&summary(position, &moves));
    }
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
    fn new(question: Question, one: job::PositionMove) -> Self {
        let value = question.show(&one.value);
        let job::PositionMove { element, leads_to, multiplicity, wins, .. } = one;
        Self { element, leads_to, value, multiplicity, wins }
    }
}

impl From<v1::PositionMove> for MoveDocument {
    fn from(one: v1::PositionMove) -> Self {
        let v1::PositionMove { element, leads_to, value, multiplicity, wins } = one;
        Self { element, leads_to, value, multiplicity, wins }
    }
}

/// A line for each move: the element, the value it leads to, how many moves are like it, whether it wins, the position.
fn shown(moves: &[MoveDocument]) -> String {
    let row = |one: &MoveDocument| {
        let wins = if one.wins { "wins" } else { "" };
        let like_it = format!("x{}", one.multiplicity);
        vec![one.element.clone(), one.value.clone(), like_it, wins.to_owned(), one.leads_to.clone()]
    };
    table(&moves.iter().map(row).collect::<Vec<_>>(), 1)
}

/// Who wins, and how.
fn summary(position: &str, moves: &[MoveDocument]) -> String {
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

    fn one(element: &str, value: &str, wins: bool) -> MoveDocument {
        MoveDocument { element: element.into(), leads_to: "01".into(), value: value.into(), multiplicity: 2, wins }
    }

    #[test]
    fn winning_moves_are_marked_and_named() {
        let moves = [one("0", "3", false), one("012", "0", true)];
        assert_eq!(shown(&moves), "0    3  x2        01\n012  0  x2  wins  01\n");
        assert!(summary("012", &moves).ends_with("of 4 moves these win, and those like them: 012"));
        assert!(summary("012", &moves[..1]).contains("none of the 2 moves wins"));
        assert!(summary("-", &[]).contains("no move"));
    }

    #[test]
    fn outcomes_are_letters() {
        let one = job::PositionMove {
            element: "0".into(),
            leads_to: "-".into(),
            value: 0u8.into(),
            multiplicity: 1,
            wins: true,
        };
        assert_eq!(MoveDocument::new(Question::Outcome, one).value, "P");
    }
}
