//! `antichain flip`: a position of Flipping Coins, its value, and how it is won.

use antichain_common::game::flipping::{Decomposition, Dyadic, Line, LineSum, Outcome, Player, Reduced};
use serde::Serialize;

use crate::args::{FlipArgs, Global};
use crate::output::{document, grouped, result, table, warning};
use crate::remote::place;

/// Moves of both players are tried where there are no more coins to look at than this in all: about a second's work.
const MOST_EFFORT: u64 = 1 << 26;

/// Winning moves of each player that are shown to people.
const MOST_SHOWN: usize = 50;

/// Runs the command.
pub fn execute(global: &Global, args: &FlipArgs) -> anyhow::Result<()> {
    place::here(global)?;
    let sum: LineSum = args.position.join(" ").parse()?;
    let position = FlipDocument::new(&sum);
    if position.winning_moves.is_none() {
        warning(
            global.json,
            "there are too many moves to try them all; winning moves are listed of lines of up to about 500 coins",
        );
    }
    if global.json { document(&position) } else { Ok(result(&shown(&sum, &position))?) }
}

/// A position as a JSON document. What only lines have is left out of sums, and the other way round.
#[derive(Debug, Serialize)]
struct FlipDocument {
    position: String,
    value: String,
    reduced: ReducedDocument,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decomposition: Option<DecompositionDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_moves: Option<Vec<BestMoveDocument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<Vec<TermDocument>>,
    /// `null` where there are too many moves to try.
    winning_moves: Option<Vec<WinningMoveDocument>>,
}

/// The reduced form of a line, or those of the terms of a sum.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ReducedDocument {
    Line(String),
    Sum(Vec<String>),
}

/// An iterated ordinal sum.
#[derive(Debug, Serialize)]
struct DecompositionDocument {
    base: String,
    base_value: String,
    exponents: Vec<String>,
}

/// The best move of a player in a line.
#[derive(Debug, Serialize)]
struct BestMoveDocument {
    player: &'static str,
    /// The coins flipped, from 1.
    coins: [usize; 2],
    to: String,
    value: String,
}

/// One line of a sum.
#[derive(Debug, Serialize)]
struct TermDocument {
    position: String,
    value: String,
    reduced: String,
}

/// A move by which a player wins who moves first.
#[derive(Debug, Serialize)]
struct WinningMoveDocument {
    player: &'static str,
    /// From 1.
    term: usize,
    to: String,
}

impl FlipDocument {
    fn new(sum: &LineSum) -> Self {
        let value = sum.value();
        let reduced = sum.terms().iter().map(|line| Reduced::from(line).to_string());
        let (reduced, decomposition, best_moves, terms) = match sum.terms() {
            [line] => {
                let decomposition = DecompositionDocument::from(&Decomposition::from(&Reduced::from(line)));
                (ReducedDocument::Line(reduced.collect()), Some(decomposition), Some(best_moves(line)), None)
            }
            lines => {
                let terms = lines.iter().map(TermDocument::from).collect();
                (ReducedDocument::Sum(reduced.collect()), None, None, Some(terms))
            }
        };
        Self {
            position: sum.to_string(),
            value: value.to_string(),
            reduced,
            outcome: Outcome::of(&value).letter(),
            decomposition,
            best_moves,
            terms,
            winning_moves: (sum.effort() <= MOST_EFFORT).then(|| winning_moves(sum)),
        }
    }
}

impl From<&Decomposition> for DecompositionDocument {
    fn from(decomposition: &Decomposition) -> Self {
        Self {
            base: decomposition.base().to_string(),
            base_value: decomposition.base_value().to_string(),
            exponents: decomposition.exponents().map(|exponent| exponent.to_string()).collect(),
        }
    }
}

impl From<&Line> for TermDocument {
    fn from(line: &Line) -> Self {
        Self { position: line.to_string(), value: line.value().to_string(), reduced: Reduced::from(line).to_string() }
    }
}

fn best_moves(line: &Line) -> Vec<BestMoveDocument> {
    let best = |player: Player| {
        let one = line.best_move(player)?;
        let next = line.after(one);
        let value = next.value().to_string();
        Some(BestMoveDocument { player: player.letter(), coins: one.places(), to: next.to_string(), value })
    };
    Player::BOTH.into_iter().filter_map(best).collect()
}

fn winning_moves(sum: &LineSum) -> Vec<WinningMoveDocument> {
    let of = |player: Player| {
        sum.winning_moves(player).map(move |(term, line)| WinningMoveDocument {
            player: player.letter(),
            term: term + 1,
            to: line.to_string(),
        })
    };
    Player::BOTH.into_iter().flat_map(of).collect()
}

/// The position for people: the value alone on the first line.
fn shown(sum: &LineSum, position: &FlipDocument) -> String {
    let value: Dyadic = sum.value();
    let mut text = format!("{value}\n");
    let mut rows: Vec<Vec<String>> = Vec::new();
    if let [line] = sum.terms() {
        let reduced = Reduced::from(line);
        rows.push(vec!["reduced".to_owned(), reduced.to_string()]);
        rows.push(vec!["decomposition".to_owned(), Decomposition::from(&reduced).to_string()]);
    }
    for (i, TermDocument { position, value, reduced }) in position.terms.iter().flatten().enumerate() {
        rows.push(vec![format!("term {}", i + 1), format!("{position} = {value}, reduced {reduced}")]);
    }
    rows.push(vec!["outcome".to_owned(), Outcome::of(&value).to_string()]);
    for player in Player::BOTH {
        if let Some(best_moves) = &position.best_moves {
            let best = best_moves.iter().find(|best| best.player == player.letter());
            let best = best.map_or("none, there is no move".to_owned(), |best| {
                let [first, second] = best.coins;
                format!("coins {first} and {second}, to {} = {}", best.to, best.value)
            });
            rows.push(vec![format!("best for {player}"), best]);
        }
    }
    text += &table(&rows, 2);
    if let Some(winning_moves) = &position.winning_moves {
        Player::BOTH.into_iter().for_each(|player| text += &shown_winning(sum, player, winning_moves));
    }
    text
}

/// How a player wins who moves first.
fn shown_winning(sum: &LineSum, player: Player, winning_moves: &[WinningMoveDocument]) -> String {
    let all: u64 = sum.terms().iter().map(|line| line.move_count(player)).sum();
    let winning: Vec<_> = winning_moves.iter().filter(|one| one.player == player.letter()).collect();
    let count = if winning.is_empty() { "none".to_owned() } else { grouped(&winning.len()) };
    let mut text = format!("winning moves of {player}, moving first: {count} of {}\n", grouped(&all));
    for one in winning.iter().take(MOST_SHOWN) {
        text += &if sum.terms().len() > 1 {
            format!("  term {} to {}\n", one.term, one.to)
        } else {
            format!("  to {}\n", one.to)
        };
    }
    if winning.len() > MOST_SHOWN {
        text += &format!("  and {} more, all in --json\n", grouped(&(winning.len() - MOST_SHOWN)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> LineSum {
        text.parse().expect("a sum")
    }

    #[test]
    fn a_line_for_people() {
        let sum = sum("1011");
        let text = shown(&sum, &FlipDocument::new(&sum));
        let expected = "\
1/4
reduced         1011
decomposition   1011
outcome         Left wins, whoever moves first
best for Left   coins 3 and 4, to 1 = 0
best for Right  coins 2 and 3, to 1101 = 1/2
winning moves of Left, moving first: 1 of 3
  to 1
winning moves of Right, moving first: none of 2
";
        assert_eq!(text, expected);
    }

    #[test]
    fn many_winning_moves_are_cut_short() {
        let sum = sum(&"1".repeat(20));
        let text = shown(&sum, &FlipDocument::new(&sum));
        assert!(text.contains("winning moves of Left, moving first: 190 of 190\n"), "{text}");
        assert!(text.contains("  and 140 more, all in --json\n"), "{text}");
        assert!(text.ends_with("winning moves of Right, moving first: none of 0\n"), "{text}");
    }

    #[test]
    fn lines_too_long_for_all_moves_have_the_rest() {
        let document = FlipDocument::new(&sum(&"01".repeat(2000)));
        assert!(document.winning_moves.is_none() && document.best_moves.is_some_and(|best| best.len() == 2));
    }
}
