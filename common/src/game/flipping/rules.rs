//! Rules: which coins a move may flip (section 5 of the paper asks for variants).
//!
//! A move chooses coins that read as one of the player's patterns, anywhere in the line or next to each other, and flips all
//! of them. In the original game Left's pattern is `11` and Right's `01`.
//!
//! Every pattern ends in a 1. That makes the code of the line, of which coin `i` is bit `i`, less with every move, so that
//! play ends, and lets trailing 0s be deleted.

use std::fmt;
use std::str::FromStr;

use super::line::beginning;
use super::moves::Player;

/// Coins of the longest pattern, and of the longest lines that rules are applied to.
pub const MAX_PATTERN: usize = 31;

/// The coins of a move, in the order of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Coin `i` is bit `i`.
    coins: u32,
    length: u32,
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let coins = text.trim();
        let fault = |fault| PatternError { input: beginning(coins), fault };
        if coins.is_empty() {
            return Err(fault(PatternFault::Missing));
        }
        if let Some(other) = coins.chars().find(|coin| !matches!(coin, '0' | '1')) {
            return Err(fault(PatternFault::Character(other)));
        }
        if coins.len() > MAX_PATTERN {
            return Err(fault(PatternFault::TooLong(coins.len())));
        }
        if !coins.ends_with('1') {
            return Err(fault(PatternFault::Endless));
        }
        let bits = coins.bytes().enumerate().map(|(bit, coin)| u32::from(coin == b'1') << bit);
        Ok(Self { coins: bits.sum(), length: coins.len() as u32 })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.length).try_for_each(|bit| write!(f, "{}", self.coins >> bit & 1))
    }
}

impl Pattern {
    /// Visits the codes after each move that flips coins next to each other.
    #[inline]
    fn next_to_each_other(self, code: u32, visit: &mut impl FnMut(u32)) {
        let window = (1 << self.length) - 1;
        for start in 0..(u32::BITS - code.leading_zeros()).saturating_sub(self.length - 1) {
            if code >> start & window == self.coins {
                visit(code ^ window << start);
            }
        }
    }

    /// Visits the codes after each move that flips coins anywhere: coin `place` of the pattern and those before it are to be
    /// chosen among `below`, `code` has the others flipped.
    #[inline]
    fn anywhere(self, place: u32, original: u32, below: u32, code: u32, visit: &mut impl FnMut(u32)) {
        let wanted = if self.coins >> place & 1 == 1 { original } else { !original };
        // Room for the coins before.
        let mut candidates = (wanted & below) >> place << place;
        while candidates != 0 {
            let coin = candidates & candidates.wrapping_neg();
            candidates ^= coin;
            if place == 0 {
                visit(code ^ coin);
            } else {
                self.anywhere(place - 1, original, coin - 1, code ^ coin, visit);
            }
        }
    }
}

/// The rules of a game of flipping coins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    left: Vec<Pattern>,
    right: Vec<Pattern>,
    contiguous: bool,
}

impl Rules {
    /// The rules with these patterns; `contiguous` if the coins of a move are next to each other. A pattern that is given
    /// twice counts once.
    pub fn new(left: Vec<Pattern>, right: Vec<Pattern>, contiguous: bool) -> Self {
        let distinct = |patterns: Vec<Pattern>| {
            patterns.into_iter().fold(Vec::new(), |mut kept, pattern| {
                if !kept.contains(&pattern) {
                    kept.push(pattern);
                }
                kept
            })
        };
        Self { left: distinct(left), right: distinct(right), contiguous }
    }

    /// The rules of the paper.
    pub fn original() -> Self {
        let [left, right] = [Player::Left, Player::Right].map(|player| vec![Self::original_pattern(player)]);
        Self { left, right, contiguous: false }
    }

    /// The pattern of a player in the original game: `11` for Left, `01` for Right.
    pub fn original_pattern(player: Player) -> Pattern {
        match player {
            Player::Left => Pattern { coins: 0b11, length: 2 },
            Player::Right => Pattern { coins: 0b10, length: 2 },
        }
    }

    /// Whether these are the rules of the paper.
    pub fn is_original(&self) -> bool {
        *self == Self::original()
    }

    /// The patterns of a player.
    pub fn patterns(&self, player: Player) -> &[Pattern] {
        match player {
            Player::Left => &self.left,
            Player::Right => &self.right,
        }
    }

    /// Whether the coins of a move are next to each other.
    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// Visits the code after each move of a player; a code may be visited more than once. All are less than `code`.
    #[inline]
    pub fn for_each_option(&self, player: Player, code: u32, mut visit: impl FnMut(u32)) {
        for pattern in self.patterns(player) {
            if self.contiguous {
                pattern.next_to_each_other(code, &mut visit);
            } else {
                pattern.anywhere(pattern.length - 1, code, u32::MAX, code, &mut visit);
            }
        }
    }
}

/// `Left 11, Right 01`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for player in Player::BOTH {
            let patterns: Vec<_> = self.patterns(player).iter().map(Pattern::to_string).collect();
            let separator = if player == Player::Left { "" } else { ", " };
            write!(f, "{separator}{player} {}", patterns.join(" or "))?;
        }
        f.write_str(if self.contiguous { ", next to each other" } else { "" })
    }
}

/// A text that is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct PatternError {
    input: String,
    /// What is wrong with it.
    pub fault: PatternFault,
}

impl PatternError {
    /// What was typed, or its beginning.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// What to type instead.
    pub fn hint(&self) -> &'static str {
        match self.fault {
            PatternFault::Endless => "let the last coin of each pattern be a 1, as in 001",
            _ => "write patterns of 0s and 1s that end in 1, several separated by commas, as in 111,11",
        }
    }
}

/// The ways in which a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// There is no text.
    #[error("a pattern is missing")]
    Missing,
    /// Something other than coins.
    #[error("`{0}` is no coin: coins are 0 and 1")]
    Character(char),
    /// More coins than [`MAX_PATTERN`].
    #[error("a pattern of {0} coins is too long: the limit is {MAX_PATTERN}")]
    TooLong(usize),
    /// The last coin is a 0.
    #[error("the pattern ends in 0: flipping it would not bring the line nearer to its end, and play need not end")]
    Endless,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        text.parse().expect("a pattern")
    }

    /// The codes after all moves, by looking at every set of coins.
    fn by_subsets(rules: &Rules, player: Player, code: u32) -> Vec<u32> {
        let mut codes = Vec::new();
        for set in 1u32..1 << (u32::BITS - code.leading_zeros()) {
            let next_to_each_other = set.count_ones() == u32::BITS - set.leading_zeros() - set.trailing_zeros();
            let chosen = (0..u32::BITS).filter(|bit| set >> bit & 1 == 1);
            let read: String = chosen.map(|bit| if code >> bit & 1 == 1 { '1' } else { '0' }).collect();
            let fits = rules.patterns(player).iter().any(|pattern| pattern.to_string() == read);
            if fits && (next_to_each_other || !rules.is_contiguous()) {
                codes.push(code ^ set);
            }
        }
        codes
    }

    #[test]
    fn moves_are_the_sets_of_coins_that_read_as_a_pattern() {
        for (left, right) in [(vec!["11"], vec!["01"]), (vec!["111", "1"], vec!["001", "0101"])] {
            let [left, right] = [left, right].map(|texts| texts.into_iter().map(pattern).collect::<Vec<_>>());
            for contiguous in [false, true] {
                let rules = Rules::new(left.clone(), right.clone(), contiguous);
                for (player, code) in
                    Player::BOTH.into_iter().flat_map(|player| (0..512).map(move |code| (player, code)))
                {
                    let mut codes = Vec::new();
                    rules.for_each_option(player, code, |next| codes.push(next));
                    assert!(codes.iter().all(|&next| next < code));
                    codes.sort_unstable();
                    let mut expected = by_subsets(&rules, player, code);
                    expected.sort_unstable();
                    assert_eq!(codes, expected, "{rules}, {player} {code:b}");
                }
            }
        }
    }

    #[test]
    fn patterns_as_long_as_the_longest_line() {
        let ones = pattern(&"1".repeat(MAX_PATTERN));
        for contiguous in [false, true] {
            let mut codes = Vec::new();
            Rules::new(vec![ones], vec![ones], contiguous)
                .for_each_option(Player::Left, (1 << 31) - 1, |next| codes.push(next));
            assert_eq!(codes, [0]);
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        let fault = |text: &str| text.parse::<Pattern>().map_err(|error| error.fault);
        assert_eq!(fault(""), Err(PatternFault::Missing));
        assert_eq!(fault("10"), Err(PatternFault::Endless));
        assert_eq!(fault("1é"), Err(PatternFault::Character('é')));
        assert_eq!(fault(&"1".repeat(32)), Err(PatternFault::TooLong(32)));
    }

    #[test]
    fn rules_are_shown_and_compared() {
        assert_eq!(Rules::original().to_string(), "Left 11, Right 01");
        let (ones, swap) = (pattern("11"), pattern("01"));
        assert!(Rules::new(vec![ones, ones], vec![swap], false).is_original());
        assert!(!Rules::new(vec![ones], vec![swap], true).is_original());
        let rules = Rules::new(vec![pattern("111"), ones], vec![swap], true);
        assert_eq!(rules.to_string(), "Left 111 or 11, Right 01, next to each other");
    }
}
