//! Values by the definition of the game alone: each from all options, by the simplest-number rule, for any rules. It knows no
//! reduction and no ordinal sum, and serves short lines and tests.
//!
//! ```
//! use antichain_common::game::flipping::{Definition, Rules};
//! let mut game = Definition::new(Rules::original());
//! // 0101 as a code: coins 1 and 3.
//! assert_eq!(game.value(0b1010).map(|value| value.to_string()), Ok("1/8".to_owned()));
//! ```

use std::collections::HashMap;

use super::dyadic::Dyadic;
use super::line::Line;
use super::moves::Player;
use super::rules::Rules;
use super::simplest::simplest_between;

/// A game and the values that are known of it.
#[derive(Clone, Debug)]
pub struct Definition {
    rules: Rules,
    values: HashMap<u32, Dyadic>,
}

/// A position whose options are all numbers and which is none itself: in canonical form `{left | right}`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is {{{left} | {right}}}, which is no number", Line::from_code((*.code).into()))]
pub struct NotANumber {
    /// The code of the position.
    pub code: u32,
    /// The best Left option.
    pub left: Dyadic,
    /// The best Right option, at most the Left one.
    pub right: Dyadic,
}

impl Definition {
    /// The game of these rules.
    pub fn new(rules: Rules) -> Self {
        Self { rules, values: HashMap::new() }
    }

    /// The value of the position whose coin `i` is bit `i` of the code. Remembers the values of all positions that can be
    /// reached, of which there may be as many as codes up to this one.
    ///
    /// # Errors
    /// The position that was found to be no number, itself or reached from it.
    pub fn value(&mut self, code: u32) -> Result<Dyadic, NotANumber> {
        // Positions to do, each above those that wait for it.
        let mut open = vec![code];
        while let Some(&top) = open.last() {
            let before = open.len();
            let mut best = [None, None];
            for (player, best) in Player::BOTH.into_iter().zip(&mut best) {
                self.rules.for_each_option(player, top, |option| match (self.values.get(&option), &best) {
                    (None, _) => open.push(option),
                    (Some(value), Some(other)) if (player == Player::Left) == (value <= other) => {}
                    (Some(value), _) => *best = Some(value.clone()),
                });
            }
            if open.len() == before {
                let [left, right] = best;
                let value = match (simplest_between(left.as_ref(), right.as_ref()), left, right) {
                    (None, Some(left), Some(right)) => return Err(NotANumber { code: top, left, right }),
                    // Without bounds on both sides there always is one.
                    (value, ..) => value.unwrap_or(Dyadic::ZERO),
                };
                self.values.insert(top, value);
                open.pop();
            }
        }
        Ok(self.values[&code].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_algorithm_is_right_on_all_lines_of_up_to_16_coins() {
        let mut game = Definition::new(Rules::original());
        for code in 0..1 << 16 {
            let line = Line::from_code(code.into());
            assert_eq!(game.value(code), Ok(line.value()), "{line}");
        }
    }

    #[test]
    fn a_single_value_needs_no_order() {
        let mut game = Definition::new(Rules::original());
        assert_eq!(game.value(0x3fff), Ok(Dyadic::from(7)));
        assert_eq!(game.value(1 << 9), Ok(Dyadic::from(-9)));
    }

    #[test]
    fn what_is_no_number_is_told() {
        // Left takes a 1, Right takes two: the first position where both can move is 11.
        let patterns = |text: &str| vec![text.parse().expect("a pattern")];
        let mut game = Definition::new(Rules::new(patterns("1"), patterns("11"), false));
        let (one, zero) = (Dyadic::from(1), Dyadic::ZERO);
        assert_eq!(game.value(0b10), Ok(one.clone()));
        let error = NotANumber { code: 0b11, left: one, right: zero };
        assert_eq!(error.to_string(), "11 is {1 | 0}, which is no number");
        assert_eq!(game.value(0b11), Err(error));
    }
}
