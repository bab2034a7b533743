//! The moves of the game, and the best of them (Theorem 4.2 of the paper): for Left the last two 1s, for Right the last 0
//! that has a 1 after it, with the 1 right after it.

use std::cmp::Ordering;
use std::fmt;

use super::dyadic::Dyadic;
use super::line::Line;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Turns two 1s into 0s.
    Left,
    /// Swaps a 0 with a 1 after it.
    Right,
}

impl Player {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// `L` or `R`.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Left => "L",
            Self::Right => "R",
        }
    }

    /// Whether the player wins by a move to a position of this value.
    pub fn wins_by_moving_to(self, value: &Dyadic) -> bool {
        match self {
            Self::Left => value.sign() != Ordering::Less,
            Self::Right => value.sign() != Ordering::Greater,
        }
    }
}

/// `Left` or `Right`.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Who wins. The next player does in no position whose value is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A player, whoever moves first.
    Player(Player),
    /// Whoever moves second.
    Previous,
}

impl Outcome {
    /// The outcome of a position of this value.
    pub fn of(value: &Dyadic) -> Self {
        match value.sign() {
            Ordering::Less => Self::Player(Player::Right),
            Ordering::Equal => Self::Previous,
            Ordering::Greater => Self::Player(Player::Left),
        }
    }

    /// `L`, `R` or `P`.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Player(player) => player.letter(),
            Self::Previous => "P",
        }
    }
}

/// In words.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Player(player) => write!(f, "{player} wins, whoever moves first"),
            Self::Previous => f.write_str("whoever moves second wins"),
        }
    }
}

/// A move in a line: the two coins that are flipped, the first of them first, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub(super) first: usize,
    pub(super) second: usize,
}

impl Move {
    /// The coins, counted from 1.
    pub fn places(self) -> [usize; 2] {
        [self.first + 1, self.second + 1]
    }
}

impl Line {
    /// All moves of a player.
    pub fn moves(&self, player: Player) -> impl Iterator<Item = Move> {
        let first_is_one = player == Player::Left;
        let coins = self.coins();
        let firsts = (0..coins.len()).filter(move |&first| coins[first] == first_is_one);
        firsts.flat_map(move |first| {
            let seconds = (first + 1..coins.len()).filter(|&second| coins[second]);
            seconds.map(move |second| Move { first, second })
        })
    }

    /// How many moves a player has.
    pub fn move_count(&self, player: Player) -> u64 {
        let first_is_one = player == Player::Left;
        let (mut ones, mut count) = (0, 0);
        for &coin in self.coins().iter().rev() {
            count += if coin == first_is_one { ones } else { 0 };
            ones += u64::from(coin);
        }
        count
    }

    /// The best move of a player; `None` if there is no move.
    pub fn best_move(&self, player: Player) -> Option<Move> {
        let coins = self.coins();
        match player {
            Player::Left => {
                let second = coins.iter().rposition(|&coin| coin)?;
                let first = coins[..second].iter().rposition(|&coin| coin)?;
                Some(Move { first, second })
            }
            Player::Right => {
                // The line ends in a 1, so that one follows.
                let first = coins.iter().rposition(|&coin| !coin)?;
                Some(Move { first, second: first + 1 })
            }
        }
    }

    /// The line after a move in it.
    pub fn after(&self, one: Move) -> Self {
        self.flipped(one.first, one.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        text.parse().expect("a line")
    }

    fn options(text: &str, player: Player) -> Vec<String> {
        let line = line(text);
        line.moves(player).map(|one| line.after(one).to_string()).collect()
    }

    #[test]
    fn the_options_of_the_example() {
        assert_eq!(options("1011", Player::Left), ["0001", "001", "1"]);
        assert_eq!(options("1011", Player::Right), ["1101", "111"]);
        assert_eq!(options("0001", Player::Left), [""; 0]);
        assert_eq!(options("11", Player::Left), ["0"]);
        assert_eq!(options("11", Player::Right), [""; 0]);
    }

    #[test]
    fn moves_are_counted() {
        for code in 0..512 {
            let line = Line::from_code(code);
            for player in Player::BOTH {
                assert_eq!(line.move_count(player), line.moves(player).count() as u64, "{line} {player}");
                assert_eq!(line.best_move(player).is_some(), line.move_count(player) > 0, "{line} {player}");
            }
        }
    }

    #[test]
    fn best_moves_are_best() {
        for code in 0..1 << 11 {
            let line = Line::from_code(code);
            let values = |player| line.moves(player).map(|one| line.after(one).value());
            let best = |player| line.best_move(player).map(|one| line.after(one).value());
            assert_eq!(best(Player::Left), values(Player::Left).max(), "{line}");
            assert_eq!(best(Player::Right), values(Player::Right).min(), "{line}");
        }
        assert_eq!(line("10110").best_move(Player::Left).map(Move::places), Some([3, 4]));
        assert_eq!(line("10110").best_move(Player::Right).map(Move::places), Some([2, 3]));
    }

    #[test]
    fn outcomes_are_signs() {
        for (text, letter, words) in [
            ("0", "P", "whoever moves second wins"),
            ("0111", "P", "whoever moves second wins"),
            ("011", "L", "Left wins, whoever moves first"),
            ("01", "R", "Right wins, whoever moves first"),
        ] {
            let outcome = Outcome::of(&line(text).value());
            assert_eq!((outcome.letter(), outcome.to_string().as_str()), (letter, words), "{text}");
        }
    }
}
