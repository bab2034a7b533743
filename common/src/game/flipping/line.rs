//! A line of coins: what a position is.
//!
//! Trailing 0s are deleted, as no move can touch them: a move flips a 1 after all other coins that it flips.

use std::fmt;
use std::str::FromStr;

/// More coins than this are refused.
pub const MAX_COINS: usize = 10_000;

/// Of a text that is refused, so much is repeated.
const SHOWN: usize = 40;

/// A line of coins without trailing 0s; the line without any coin is written `0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// `true` is 1; the last one, if any, is.
    coins: Vec<bool>,
}

impl Line {
    /// The line with these coins, `true` for 1.
    pub fn new(mut coins: Vec<bool>) -> Self {
        let kept = coins.iter().rposition(|&coin| coin).map_or(0, |last| last + 1);
        coins.truncate(kept);
        Self { coins }
    }

    /// The line whose coin `i`, from 0, is bit `i` of a code.
    pub fn from_code(code: u64) -> Self {
        Self::new((0..u64::BITS).map(|bit| code >> bit & 1 == 1).collect())
    }

    /// The code of which coin `i` is bit `i`: every move makes it less. `None` if there are more than 64 coins.
    pub fn code(&self) -> Option<u64> {
        let bits = self.coins.iter().enumerate().map(|(bit, &coin)| u64::from(coin) << bit);
        (self.coins.len() <= 64).then(|| bits.sum())
    }

    /// The coins, without trailing 0s; `true` is 1.
    pub fn coins(&self) -> &[bool] {
        &self.coins
    }

    /// The line after two coins have been flipped.
    pub(super) fn flipped(&self, first: usize, second: usize) -> Self {
        let mut coins = self.coins.clone();
        coins[first] = !coins[first];
        coins[second] = !coins[second];
        Self::new(coins)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.coins.is_empty() {
            return f.write_str("0");
        }
        let text: String = self.coins.iter().map(|&coin| if coin { '1' } else { '0' }).collect();
        f.write_str(&text)
    }
}

impl FromStr for Line {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Self, LineError> {
        let text = text.trim();
        let fault = |fault| LineError { input: beginning(text), fault };
        if text.is_empty() {
            return Err(fault(LineFault::Missing));
        }
        let coin = |(place, character)| match character {
            '0' => Ok(false),
            '1' => Ok(true),
            space if char::is_whitespace(space) => Err(fault(LineFault::Space)),
            other => Err(fault(LineFault::Character { character: other, place: place + 1 })),
        };
        let coins = text.chars().enumerate().map(coin).collect::<Result<Vec<_>, _>>()?;
        if coins.len() > MAX_COINS {
            return Err(fault(LineFault::TooLong(coins.len())));
        }
        Ok(Self::new(coins))
    }
}

/// A text, or its beginning where it is long.
pub(super) fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text that is no line of coins, or no sum of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct LineError {
    pub(super) input: String,
    /// What is wrong with it.
    pub fault: LineFault,
}

impl LineError {
    /// What was typed, or its beginning.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// What to type instead.
    pub fn hint(&self) -> &'static str {
        match self.fault {
            LineFault::TooLong(_) => "trailing 0s may be left out",
            LineFault::Missing => "a line of coins is written like 0101, the line without any 1 is 0",
            LineFault::MissingTerm => "write a line of coins before and after each +, as in \"0101 + 1101\"",
            LineFault::Space => "join the lines of a sum by +, as in \"0101 + 1101\"",
            LineFault::Character { .. } => "write lines of coins as 0s and 1s, and sums of lines as \"0101 + 1101\"",
        }
    }
}

/// The ways in which a text is no line of coins, or no sum of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// There is no text.
    #[error("a line of coins is missing")]
    Missing,
    /// A sum without one of its terms.
    #[error("a line of coins is missing before or after a +")]
    MissingTerm,
    /// Space amid a line.
    #[error("there is space within a line of coins")]
    Space,
    /// Something other than coins.
    #[error("`{character}`, character {place}, is no coin: coins are 0 and 1")]
    Character {
        /// What stands there.
        character: char,
        /// Where in the line, from 1.
        place: usize,
    },
    /// More coins than [`MAX_COINS`].
    #[error("{0} coins are too many: the limit is {MAX_COINS}")]
    TooLong(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_written() {
        for (text, written) in [("0", "0"), ("000", "0"), ("1", "1"), ("0100", "01"), (" 1011 ", "1011")] {
            assert_eq!(text.parse::<Line>().map(|line| line.to_string()), Ok(written.to_owned()));
        }
        let longest = "1".repeat(MAX_COINS);
        assert_eq!(longest.parse::<Line>().map(|line| line.to_string()), Ok(longest));
    }

    #[test]
    fn codes_and_lines_are_each_other() {
        assert_eq!("1011".parse::<Line>().map(|line| line.code()), Ok(Some(13)));
        for code in (0..300).chain([u64::MAX, 1 << 63]) {
            assert_eq!(Line::from_code(code).code(), Some(code));
        }
        assert_eq!(Line::new(vec![true; 65]).code(), None);
    }

    #[test]
    fn other_texts_are_refused() {
        let fault = |text: &str| text.parse::<Line>().map_err(|error| error.fault);
        assert_eq!(fault(""), Err(LineFault::Missing));
        assert_eq!(fault("  "), Err(LineFault::Missing));
        assert_eq!(fault("01 01"), Err(LineFault::Space));
        assert_eq!(fault("01x"), Err(LineFault::Character { character: 'x', place: 3 }));
        assert_eq!(fault("-1"), Err(LineFault::Character { character: '-', place: 1 }));
        assert_eq!(fault(&"1".repeat(MAX_COINS + 1)), Err(LineFault::TooLong(MAX_COINS + 1)));
        let error = "é".repeat(1000).parse::<Line>().expect_err("no coins");
        assert_eq!(error.input(), format!("{}...", "é".repeat(SHOWN)));
    }
}
