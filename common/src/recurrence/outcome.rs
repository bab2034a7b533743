//! Who wins: a position is lost for the player to move if no option is lost.

use super::rule::Rule;

/// 1 if the player to move wins (an N-position), 0 if not (a P-position).
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome;

impl Rule for Outcome {
    /// Whether some option is lost.
    type Seen = bool;
    type Wider = Self;
    const ROUNDS: usize = 4;

    #[inline(always)]
    fn see(seen: &mut bool, value: u8) {
        *seen |= Self::is_lost(value);
    }

    #[inline(always)]
    fn is_settled(seen: bool) -> bool {
        seen
    }

    #[inline(always)]
    fn value(seen: bool) -> Option<u8> {
        Some(u8::from(seen))
    }

    #[inline(always)]
    fn is_lost(value: u8) -> bool {
        value == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::definition;
    use crate::poset::Poset;

    fn by_rule(options: &[u8]) -> u8 {
        let mut seen = false;
        options.iter().for_each(|&option| Outcome::see(&mut seen, option));
        assert_eq!(Outcome::is_settled(seen), options.contains(&0), "a lost option settles it");
        Outcome::value(seen).expect("a bit")
    }

    #[test]
    fn a_position_is_won_where_its_grundy_value_is_not_0() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let game = definition::Game::new(&poset);
            let outcomes = game.values(by_rule);
            assert_eq!(outcomes, game.values(definition::outcome), "{spec}");
            for (position, value) in game.values(definition::mex) {
                assert_eq!(Outcome::is_lost(outcomes[&position]), value == 0, "{spec} {position:b}");
            }
        }
    }
}
