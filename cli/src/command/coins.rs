//! `antichain coins`: value and moves of a position of a coin-turning game.

use std::collections::BTreeSet;

use antichain_common::game::coins::{CoinMove, CoinPosition, TurningGame};
use antichain_common::poset::covers::{Coordinates, CoverPoset, CoverRelation};
use serde::Serialize;

use super::budget;
use crate::args::{CoinsArgs, CoinsCommand, CoinsMovesArgs, CoinsPositionArgs, Global};
use crate::inputs::coins::{CoinsInputError, most_elements, turning_game, within_reach};
use crate::output::{document, note, result, table, warning};
use crate::remote::place;

/// How a position without heads is shown.
const NONE: &str = "{}";

/// Coins that the moves of a position are listed with, at most: of further moves only what tells them apart is said.
const LISTED_COINS: usize = 1_000_000;
/// Elements below all coins, at most: more take longer than a moment.
const MOST_BELOW: usize = 1_000_000;
/// The same below a coin of the ruler, which looks at all pairs of them.
const MOST_BELOW_OF_RULER: usize = 30_000;
/// Coins that a line of text has.
const COINS_OF_A_LINE: usize = 40;

/// Runs the command.
pub fn execute(global: &Global, args: &CoinsArgs) -> anyhow::Result<()> {
    // So that nobody is answered here who asked a coordinator.
    place::here(global)?;
    match &args.command {
        CoinsCommand::Value(args) => value(global, args),
        CoinsCommand::Moves(args) => moves(global, args),
    }
}

/// The elements that words name, each once.
fn heads(poset: &CoverPoset, args: &CoinsPositionArgs) -> anyhow::Result<Vec<Coordinates>> {
    let (mut heads, mut seen) = (Vec::with_capacity(args.elements.len()), BTreeSet::new());
    for word in &args.elements {
        let x = poset.relation().read(word)?;
        if !seen.insert(x.clone()) {
            return Err(CoinsInputError::Twice { word: word.clone(), element: poset.relation().label(&x) }.into());
        }
        heads.push(x);
    }
    Ok(heads)
}

fn value(global: &Global, args: &CoinsPositionArgs) -> anyhow::Result<()> {
    let game = turning_game(&args.game)?;
    let poset: CoverPoset = args.poset.parse()?;
    let heads = heads(&poset, args)?;
    within_reach(game, &poset, &heads)?;
    let position = CoinPosition::new(game, &poset, heads.clone());
    let coin = |x: &Coordinates| ElementValue { element: poset.relation().label(x), value: position.value_of(x) };
    let coins: Vec<ElementValue> = heads.iter().map(coin).collect();
    if global.json {
        let (game, poset, value) = (game.name(), poset.relation().name(), position.value());
        return document(&ValueDocument { game, poset, value, coins });
    }
    result(&format!("{}\n", position.value()))?;
    if coins.len() > 1 {
        let shown: Vec<String> = coins.iter().map(|coin| format!("{} has {}", coin.element, coin.value)).collect();
        note(&format!("the nim-sum of the values of its coins: {}", shown.join(", ")));
    }
    Ok(())
}

/// An element with its value.
#[derive(Debug, Serialize)]
pub(super) struct ElementValue {
    /// As users write it.
    pub element: String,
    /// Its Grundy value.
    pub value: u64,
}

/// The value of a position as a JSON document.
#[derive(Debug, Serialize)]
struct ValueDocument {
    game: &'static str,
    poset: String,
    value: u64,
    coins: Vec<ElementValue>,
}

fn moves(global: &Global, args: &CoinsMovesArgs) -> anyhow::Result<()> {
    let game = turning_game(&args.position.game)?;
    let poset: CoverPoset = args.position.poset.parse()?;
    let heads = heads(&poset, &args.position)?;
    within_reach(game, &poset, &heads)?;
    let bound = if game == TurningGame::Ruler { MOST_BELOW_OF_RULER } else { MOST_BELOW };
    let most = most_elements(&poset, budget(args.memory)).min(bound);
    let position = CoinPosition::new(game, &poset, heads);
    let relation = poset.relation();
    let too_many = |_| CoinsInputError::TooManyBelow { poset: relation.name(), most };
    let (mut rows, mut total, mut listed) = (Vec::new(), 0, 0);
    let mut left = MOST_BELOW;
    for head in position.heads() {
        let below = position.below(head, most.min(left)).map_err(too_many)?;
        left -= below.elements().len();
        let moves = position.moves(&below);
        total += moves.len();
        for coin_move in moves.iter().filter(|coin_move| args.all || coin_move.value == 0) {
            let turned = (listed < LISTED_COINS).then(|| position.turned(coin_move, &below));
            listed += turned.as_ref().map_or(0, |turned| turned.len() + position.len());
            rows.push(MoveDocument::new(relation, coin_move, turned.as_deref(), &position));
        }
    }
    if listed >= LISTED_COINS {
        warning(global.json, "what a move leaves is listed for the first moves only: the coins are too many");
    }
    if global.json {
        let (game, poset, value) = (game.name(), relation.name(), position.value());
        return document(&MovesDocument { game, poset, value, moves: rows });
    }
    let mut lines = vec![["coin", "other", "value", "leaves"].map(str::to_owned).to_vec()];
    for row in &rows {
        let leaves = match row.leads_to.as_deref() {
            None => String::new(),
            Some([]) => NONE.to_owned(),
            Some(coins) if coins.len() > COINS_OF_A_LINE => {
                let rest = coins.len() - COINS_OF_A_LINE;
                format!("{} and {rest} more", coins[..COINS_OF_A_LINE].join(" "))
            }
            Some(coins) => coins.join(" "),
        };
        let other = row.other.clone().unwrap_or_default();
        lines.push(vec![row.greatest.clone(), other, row.value.to_string(), leaves]);
    }
    result(&table(&lines, 4))?;
    let winning = rows.iter().filter(|row| row.wins).count();
    note(&format!("value {}; of {total} moves {winning} win", position.value()));
    Ok(())
}

/// The moves of a position as a JSON document.
#[derive(Debug, Serialize)]
struct MovesDocument {
    game: &'static str,
    poset: String,
    value: u64,
    moves: Vec<MoveDocument>,
}

#[derive(Debug, Serialize)]
struct MoveDocument {
    /// The greatest coin that is turned.
    greatest: String,
    /// The other coin of a pair, or the least one of an interval.
    other: Option<String>,
    /// Left out where the coins of all moves are too many.
    turns: Option<Vec<String>>,
    leads_to: Option<Vec<String>>,
    value: u64,
    wins: bool,
}

impl MoveDocument {
    fn new(
        relation: &dyn CoverRelation,
        coin_move: &CoinMove,
        turned: Option<&[Coordinates]>,
        position: &CoinPosition<'_>,
    ) -> Self {
        let label = |x: &Coordinates| relation.label(x);
        Self {
            greatest: label(&coin_move.greatest),
            other: coin_move.other.as_ref().map(label),
            turns: turned.map(|turned| turned.iter().map(label).collect()),
            leads_to: turned.map(|turned| position.after(turned).iter().map(label).collect()),
            value: coin_move.value,
            wins: coin_move.value == 0,
        }
    }
}
