//! Positions of coin-turning games: their values and moves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::definition::sums_of_intervals;
use super::{GrundyFunction, TurningGame};
use crate::poset::covers::{Coordinates, CoverPoset, CoverRelation, Hasse, TooManyElements};

/// A position: the coins that show heads.
pub struct CoinPosition<'a> {
    game: TurningGame,
    poset: &'a CoverPoset,
    heads: BTreeSet<Coordinates>,
    grundy: GrundyFunction<'a>,
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
        Self { game, poset, heads: heads.into_iter().collect(), grundy }
    }

    /// The coins that show heads, in the order of their coordinates.
    pub fn heads(&self) -> impl Iterator<Item = &Coordinates> {
        self.heads.iter()
    }

    /// The value of a coin alone.
    pub fn value_of(&self, x: &[u32]) -> u64 {
        self.grundy.of(x)
    }

    /// Its value: the nim-sum of those of its coins.
    pub fn value(&self) -> u64 {
        self.heads.iter().fold(0, |sum, x| sum ^ self.grundy.of(x))
    }

    /// All moves, coin by coin. With twins, a coin on a minimal element cannot be turned.
    ///
    /// # Errors
    /// [`TooManyElements`] if more than `most` elements are below a coin.
    pub fn moves(&self, most: usize) -> Result<Vec<CoinMove>, TooManyElements> {
        let value = self.value();
        let mut moves = Vec::new();
        for x in &self.heads {
            let without = value ^ self.grundy.of(x);
            let diagram = Hasse::below(self.poset.relation(), vec![x.clone()], most)?;
            let place = diagram.elements().len() - 1;
            let values: Vec<u64> = diagram.elements().iter().map(|y| self.grundy.of(y)).collect();
            let mut put = |other: Option<usize>, sum: u64| {
                let other = other.map(|y| diagram.elements()[y].clone());
                moves.push(CoinMove { greatest: x.clone(), other, value: without ^ sum });
            };
            match self.game {
                TurningGame::TurningTurtles => {
                    put(None, 0);
                    (0..place).for_each(|y| put(Some(y), values[y]));
                }
                TurningGame::Twins => (0..place).for_each(|y| put(Some(y), values[y])),
                TurningGame::OrderIdealGame => put(None, values[..place].iter().fold(0, |sum, value| sum ^ value)),
                TurningGame::Ruler => {
                    let ideal = diagram.principal_ideal(place);
                    let sums = sums_of_intervals(&ideal, |t| Cow::Owned(diagram.principal_ideal(t)), |t| values[t]);
                    for (y, sum) in sums.into_iter().enumerate() {
                        put((y < place).then_some(y), sum);
                    }
                }
            }
        }
        Ok(moves)
    }

    /// The coins that a move turns.
    ///
    /// # Errors
    /// [`TooManyElements`] if more than `most` elements are below its greatest one.
    pub fn turned(&self, coin_move: &CoinMove, most: usize) -> Result<Vec<Coordinates>, TooManyElements> {
        let CoinMove { greatest, other, .. } = coin_move;
        let relation: &dyn CoverRelation = self.poset.relation();
        let below = || Hasse::below(relation, vec![greatest.clone()], most).map(|diagram| diagram.elements().to_vec());
        Ok(match (self.game, other) {
            (TurningGame::OrderIdealGame, _) => below()?,
            (TurningGame::Ruler, Some(least)) => {
                below()?.into_iter().filter(|t| relation.is_at_most(least, t)).collect()
            }
            (_, other) => other.iter().cloned().chain([greatest.clone()]).collect(),
        })
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
