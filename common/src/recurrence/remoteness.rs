//! The remoteness (Steinhaus, "Definitions for a theory of games and pursuit"): how many moves a game lasts if the winner
//! wants it short and the loser wants it long. A finished game has remoteness 0; a position with an option of even
//! remoteness (a lost one) has one more than the least of those; any other has one more than the greatest of all its
//! options. So the player to move wins exactly where it is odd.

use super::rule::Rule;

/// The number of moves that are left under best play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remoteness;

/// The least even and the greatest odd remoteness among the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// 255, which is odd, where there is none.
    least_even: u8,
    /// 0 where there is none.
    greatest_odd: u8,
}

impl Default for Extremes {
    #[inline(always)]
    fn default() -> Self {
        Self { least_even: u8::MAX, greatest_odd: 0 }
    }
}

impl Rule for Remoteness {
    type Seen = Extremes;
    type Wider = Self;
    const ROUNDS: usize = 1;

    #[inline(always)]
    fn see(seen: &mut Extremes, value: u8) {
        if value.is_multiple_of(2) {
            seen.least_even = seen.least_even.min(value);
        } else {
            seen.greatest_odd = seen.greatest_odd.max(value);
        }
    }

    /// A win in one move cannot be bettered.
    #[inline(always)]
    fn is_settled(seen: Extremes) -> bool {
        seen.least_even == 0
    }

    #[inline(always)]
    fn value(seen: Extremes) -> Option<u8> {
        match seen {
            Extremes { least_even: u8::MAX, greatest_odd: 0 } => Some(0),
            // 256 moves do not fit: the game on an antichain of as many elements.
            Extremes { least_even: u8::MAX, greatest_odd } => greatest_odd.checked_add(1),
            Extremes { least_even, .. } => Some(least_even + 1),
        }
    }

    #[inline(always)]
    fn is_lost(value: u8) -> bool {
        value.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::definition;
    use crate::poset::Poset;

    fn by_rule(options: &[u8]) -> Option<u8> {
        let mut seen = Extremes::default();
        options.iter().for_each(|&option| Remoteness::see(&mut seen, option));
        Remoteness::value(seen)
    }

    #[test]
    fn the_winner_hurries_and_the_loser_delays_in_whole_games() {
        for spec in definition::POSETS {
            let poset: Poset = spec.parse().expect("a poset");
            let game = definition::Game::new(&poset);
            let values = game.values(|options| by_rule(options).expect("a short game"));
            assert_eq!(values, game.values(definition::remoteness), "{spec}");
            for (position, outcome) in game.values(definition::outcome) {
                assert_eq!(Remoteness::is_lost(values[&position]), outcome == 0, "{spec} {position:b}");
            }
        }
    }

    #[test]
    fn a_win_in_one_move_settles_it_and_nothing_else_does() {
        let settled = |options: &[u8]| {
            let mut seen = Extremes::default();
            options.iter().for_each(|&option| Remoteness::see(&mut seen, option));
            Remoteness::is_settled(seen)
        };
        assert!(settled(&[7, 0]));
        assert!(!settled(&[]) && !settled(&[1, 2, 3]) && !settled(&[255]));
        assert_eq!(by_rule(&[4, 0, 9]), Some(1));
    }

    #[test]
    fn games_of_255_moves_fit_and_longer_ones_are_not_told() {
        assert_eq!(by_rule(&[]), Some(0));
        assert_eq!(by_rule(&[253, 1]), Some(254));
        assert_eq!(by_rule(&[254]), Some(255));
        assert_eq!(by_rule(&[255]), None);
        assert_eq!(by_rule(&[255, 254]), Some(255));
    }
}
