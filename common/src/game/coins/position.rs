//! Positions of coin-turning games: their values and moves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::definition::sums_of_intervals;
use super::{GrundyFunction, TurningGame};
use crate::poset::covers::{Coordinates, CoverPoset, Hasse, TooManyElements};

/// A position: the coins that show heads.
pub struct CoinPosition<'a> {
    game: TurningGame,
    poset: &'a CoverPoset,
    heads: BTreeSet<Coordinates>,
    grundy: GrundyFunction<'a>,
    value: u64,
}

/// A move: the turning set with a given greatest element and, but in the order ideal game, another element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoinMove {
    /// The greatest element of the turning set.
    pub greatest: Coordinates,
    /// The other coin, or the least element of the interval; none where that is the greatest one, and in the order ideal game.
    pub other: Option<Coordinates>,
    /// Value of the position it leads to.
    pub value: u64,
}

impl<'a> CoinPosition<'a> {
    /// The position in which these coins show heads; coins given twice count once.
    pub fn new(game: TurningGame, poset: &'a CoverPoset, heads: Vec<Coordinates>) -> Self {
        let grundy = GrundyFunction::below(game, poset, &heads);
        let heads: BTreeSet<Coordinates> = heads.into_iter().collect();
        let value = heads.iter().fold(0, |sum, x| sum ^ grundy.of(x));
        Self { game, poset, heads, grundy, value }
    }

    /// The coins that show heads, in the order of their coordinates.
    pub fn heads(&self) -> impl Iterator<Item = &Coordinates> {
        self.heads.iter()
    }

    /// Number of coins that show heads.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether all coins show tails.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The value of a coin alone.
    pub fn value_of(&self, x: &[u32]) -> u64 {
        self.grundy.of(x)
    }

    /// Its value: the nim-sum of those of its coins.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// A coin with all that is below it, on which its moves depend.
    ///
    /// # Errors
    /// [`TooManyElements`] if these are more than `most`.
    pub fn below(&self, x: &[u32], most: usize) -> Result<Hasse, TooManyElements> {
        Hasse::below(self.poset.relation(), vec![x.to_vec()], most)
    }

    /// The moves whose greatest coin is one that shows heads, given that coin with all [below](Self::below) it. With twins, a coin on
    /// a minimal element cannot be turned.
    pub fn moves(&self, below: &Hasse) -> Vec<CoinMove> {
        let place = below.elements().len() - 1;
        let greatest = &below.elements()[place];
        let without = self.value ^ self.grundy.of(greatest);
        let values: Vec<u64> = below.elements().iter().map(|y| self.grundy.of(y)).collect();
        let coin_move = |other: Option<usize>, sum: u64| CoinMove {
            greatest: greatest.clone(),
            other: other.map(|y| below.elements()[y].clone()),
            value: without ^ sum,
        };
        let pairs = (0..place).map(|y| coin_move(Some(y), values[y]));
        match self.game {
            TurningGame::TurningTurtles => std::iter::once(coin_move(None, 0)).chain(pairs).collect(),
            TurningGame::Twins => pairs.collect(),
            TurningGame::OrderIdealGame => {
                vec![coin_move(None, values[..place].iter().fold(0, |sum, value| sum ^ value))]
            }
            TurningGame::Ruler => {
                let ideal = below.principal_ideal(place);
                let sums = sums_of_intervals(&ideal, |t| Cow::Owned(below.principal_ideal(t)), |t| values[t]);
                sums.into_iter().enumerate().map(|(y, sum)| coin_move((y < place).then_some(y), sum)).collect()
            }
        }
    }

    /// The coins that a move turns, given its greatest one with all below it.
    pub fn turned(&self, coin_move: &CoinMove, below: &Hasse) -> Vec<Coordinates> {
        let CoinMove { greatest, other, .. } = coin_move;
        match (self.game, other) {
            (TurningGame::OrderIdealGame, _) => below.elements().to_vec(),
            (TurningGame::Ruler, Some(least)) => {
                let is_between = |t: &&Coordinates| self.poset.relation().is_at_most(least, t);
                below.elements().iter().filter(is_between).cloned().collect()
            }
            (_, other) => other.iter().cloned().chain([greatest.clone()]).collect(),
        }
    }

    /// The coins that show heads after some are turned.
    pub fn after(&self, turned: &[Coordinates]) -> BTreeSet<Coordinates> {
        let mut heads = self.heads.clone();
        for x in turned {
            if !heads.remove(x) {
                heads.insert(x.clone());
            }
        }
        heads
    }
}
