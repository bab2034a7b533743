//! Sums of lines: a move is one in any of them.
//!
//! The value of a sum is the sum of the values, so it needs no search to say who wins and by which moves: Left moving first
//! wins by a move to a sum of at least 0, Right by one to a sum of at most 0.
//!
//! ```
//! use antichain_common::game::flipping::{LineSum, Player};
//! let sum: LineSum = "0101011111 + 1101100111 + 0110110110111".parse()?;
//! assert_eq!(sum.value().to_string(), "1/16");
//! let winning: Vec<_> = sum.winning_moves(Player::Left).map(|(term, line)| (term, line.to_string())).collect();
//! assert_eq!(winning, [(0, "01010111".to_owned())]);
//! # Ok::<(), antichain_common::game::flipping::LineError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::dyadic::Dyadic;
use super::line::{Line, LineError, LineFault, beginning};
use super::moves::Player;

/// A sum of at least one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSum {
    terms: Vec<Line>,
}

impl LineSum {
    /// The lines.
    pub fn terms(&self) -> &[Line] {
        &self.terms
    }

    /// The value.
    pub fn value(&self) -> Dyadic {
        self.terms.iter().map(Line::value).collect::<Vec<_>>().iter().sum()
    }

    /// The moves by which a player wins who moves first: the term, from 0, and what it becomes. By terms, and within each
    /// by the coins flipped.
    pub fn winning_moves(&self, player: Player) -> impl Iterator<Item = (usize, Line)> {
        let values: Vec<_> = self.terms.iter().map(Line::value).collect();
        let total: Dyadic = values.iter().sum();
        self.terms.iter().zip(values).enumerate().flat_map(move |(term, (line, value))| {
            let others = &total + &-value;
            line.moves(player).filter_map(move |one| {
                let next = line.after(one);
                player.wins_by_moving_to(&(&others + &next.value())).then_some((term, next))
            })
        })
    }

    /// The coins that all moves of both players together leave to be looked at: what [`winning_moves`](Self::winning_moves)
    /// takes, in some nanoseconds a coin.
    pub fn effort(&self) -> u64 {
        let moves = |line: &Line| Player::BOTH.map(|player| line.move_count(player)).iter().sum::<u64>();
        self.terms.iter().map(|line| moves(line).saturating_mul(line.coins().len() as u64)).fold(0, u64::saturating_add)
    }
}

impl FromStr for LineSum {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let terms: Vec<_> = text.split('+').collect();
        if terms.len() > 1 && terms.iter().any(|term| term.trim().is_empty()) {
            return Err(LineError { input: beginning(text), fault: LineFault::MissingTerm });
        }
        Ok(Self { terms: terms.into_iter().map(str::parse).collect::<Result<_, _>>()? })
    }
}

/// `0101 + 1101`.
impl fmt::Display for LineSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            write!(f, "{}{term}", if i > 0 { " + " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::flipping::Outcome;

    fn sum(text: &str) -> LineSum {
        text.parse().expect("a sum")
    }

    #[test]
    fn read_and_written() {
        assert_eq!(sum("0100+ 1101").to_string(), "01 + 1101");
        assert_eq!(sum(" 0 ").to_string(), "0");
        for (text, missing) in [("0101 +", true), ("+ 1", true), ("1 ++ 1", true), ("+", true), ("", false)] {
            let expected = if missing { LineFault::MissingTerm } else { LineFault::Missing };
            assert_eq!(text.parse::<LineSum>().map_err(|error| error.fault), Err(expected), "{text}");
        }
        let error = "01 + 0a".parse::<LineSum>().expect_err("no sum");
        assert_eq!(
            (error.input(), error.to_string().as_str()),
            ("0a", "`a`, character 2, is no coin: coins are 0 and 1")
        );
    }

    #[test]
    fn the_question_of_the_paper() {
        let sum = sum("0101011111 + 1101100111 + 0110110110111");
        assert_eq!(sum.terms().iter().map(|line| line.value().to_string()).collect::<Vec<_>>(), ["-11/16", "3/4", "0"]);
        assert_eq!(sum.terms().iter().map(|line| line.move_count(Player::Left)).sum::<u64>(), 78);
        assert_eq!(sum.winning_moves(Player::Left).count(), 1);
        assert_eq!(sum.winning_moves(Player::Right).count(), 0);
    }

    /// Whether a player who moves first wins a sum, by search.
    fn wins(terms: &[Line], player: Player) -> bool {
        let other = if player == Player::Left { Player::Right } else { Player::Left };
        terms.iter().enumerate().any(|(term, line)| {
            line.moves(player).any(|one| {
                let mut next = terms.to_vec();
                next[term] = line.after(one);
                !wins(&next, other)
            })
        })
    }

    #[test]
    fn winners_and_winning_moves_are_found_by_search_too() {
        for code in 0..1 << 10 {
            let sum = LineSum { terms: vec![Line::from_code(code & 31), Line::from_code(code >> 5)] };
            let [left, right] = Player::BOTH.map(|player| wins(&sum.terms, player));
            let expected = match (left, right) {
                (true, false) => "L",
                (false, true) => "R",
                (false, false) => "P",
                (true, true) => "N",
            };
            assert_eq!(Outcome::of(&sum.value()).letter(), expected, "{sum}");
            for (player, other) in [(Player::Left, Player::Right), (Player::Right, Player::Left)] {
                let mut searched = Vec::new();
                for (term, line) in sum.terms.iter().enumerate() {
                    for one in line.moves(player) {
                        let mut next = sum.terms.clone();
                        next[term] = line.after(one);
                        if !wins(&next, other) {
                            searched.push((term, line.after(one)));
                        }
                    }
                }
                assert_eq!(sum.winning_moves(player).collect::<Vec<_>>(), searched, "{sum} {player}");
            }
        }
    }
}
