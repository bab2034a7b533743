//! What a search knows of the game: moves, canonical forms, and the theorems that settle a position or make it smaller.

use std::sync::{Arc, OnceLock};

use super::mirrors::Mirrors;
use super::oracle::Oracle;
use super::small::{SMALL, SmallPositions};
use crate::game::Chomp;
use crate::game::reductions::involution::Involutions;
use crate::game::reductions::strategy_stealing::StrategyStealing;
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::symmetry::{Canonicaliser, GroupElement, Isa};

/// A position as far as theorems know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known<const W: usize> {
    /// The player to move loses.
    Lost,
    /// The player to move wins.
    Won,
    /// It has the value of this position, of which no theorem in use says more.
    Open(Ideal<W>),
}

/// The game on the ideals of one poset.
pub struct Rules<const W: usize> {
    game: Chomp<W>,
    symmetry: Arc<Canonicaliser<W>>,
    stealing: StrategyStealing<W>,
    theorems: Theorems<W>,
    oracle: OnceLock<Oracle>,
}

/// How positions are made smaller.
enum Theorems<const W: usize> {
    Boolean(Box<Boolean<W>>),
    Any(Box<Involutions<W>>),
}

/// Of a Boolean lattice, truncated or not.
struct Boolean<const W: usize> {
    mirrors: Mirrors<W>,
    small: SmallPositions,
    /// For each set of points its subsets.
    subsets: Vec<Ideal<W>>,
}

impl<const W: usize> Rules<W> {
    /// The game on `poset`.
    ///
    /// # Panics
    /// If `W` words are too few for it.
    pub fn new(poset: &Poset) -> Self {
        let symmetry = Arc::new(Canonicaliser::new(poset, Isa::detect()));
        let theorems = match poset.sets() {
            // With fewer points, or no set of one point, there is nothing that could be exchanged.
            Some((points, masks)) if points >= 3 && masks.len() > points => {
                let subsets_of = |set: usize| {
                    let subsets = masks.iter().enumerate().filter(|&(_, mask)| mask & !set == 0);
                    subsets.fold(Ideal::empty(), |subsets: Ideal<W>, (x, _)| subsets.with(x))
                };
                Theorems::Boolean(Box::new(Boolean {
                    mirrors: Mirrors::new(poset, points, &symmetry),
                    small: SmallPositions::new(points, &masks),
                    subsets: (0..1 << points).map(subsets_of).collect(),
                }))
            }
            _ => Theorems::Any(Box::new(Involutions::new(poset, &symmetry))),
        };
        Self {
            game: Chomp::new(poset),
            stealing: StrategyStealing::new(poset),
            theorems,
            symmetry,
            oracle: OnceLock::new(),
        }
    }

    /// The moves.
    pub fn game(&self) -> &Chomp<W> {
        &self.game
    }

    /// The canonical forms.
    pub fn symmetry(&self) -> &Canonicaliser<W> {
        &self.symmetry
    }

    /// The number of points of a Boolean lattice of three points or more; of others 0.
    pub fn points(&self) -> usize {
        match &self.theorems {
            Theorems::Boolean(boolean) => boolean.subsets.len().ilog2() as usize,
            Theorems::Any(_) => 0,
        }
    }

    /// What the theorems say of a position, canonical or not.
    #[inline(always)]
    pub fn know(&self, position: Ideal<W>) -> Known<W> {
        let mut position = position;
        loop {
            if self.stealing.wins(&position) {
                return Known::Won;
            }
            let smaller = match &self.theorems {
                Theorems::Boolean(boolean) => {
                    if let Some(is_lost) = boolean.settles(&position) {
                        return if is_lost { Known::Lost } else { Known::Won };
                    }
                    boolean.mirrors.find(&position).map(|(_, left)| left)
                }
                Theorems::Any(involutions) => involutions.reduce(&self.symmetry.canonical(position)),
            };
            match smaller {
                Some(smaller) => position = smaller,
                None => return Known::Open(position),
            }
        }
    }

    /// Has an oracle asked from now on; `false` if there is one.
    pub fn consult(&self, oracle: Oracle) -> bool {
        self.oracle.set(oracle).is_ok()
    }

    /// Starts to bring what the oracle knows of a canonical form into the cache.
    #[inline(always)]
    pub fn prefetch(&self, form: &Ideal<W>) {
        if let Some(oracle) = self.oracle.get() {
            oracle.prefetch(form);
        }
    }

    /// Whether a position is lost, given its canonical form, as far as the oracle knows.
    #[inline(always)]
    pub fn ask(&self, form: &Ideal<W>) -> Option<bool> {
        self.oracle.get()?.is_lost(self.points_of(form), form)
    }

    /// The number of points that members of a position contain; of posets other than Boolean lattices 0.
    #[inline(always)]
    pub fn points_of(&self, position: &Ideal<W>) -> usize {
        match &self.theorems {
            Theorems::Boolean(boolean) => boolean.mirrors.points(position).count_ones() as usize,
            Theorems::Any(_) => 0,
        }
    }

    /// An involution of a position of a Boolean lattice, and what it leaves; `None` if there is none.
    pub fn mirror(&self, position: &Ideal<W>) -> Option<(GroupElement, Ideal<W>)> {
        match &self.theorems {
            Theorems::Boolean(boolean) => boolean.mirrors.find(position),
            Theorems::Any(_) => None,
        }
    }
}

impl<const W: usize> Boolean<W> {
    /// Whether a position is lost, if it falls into components of few points; `None` if it does not.
    #[inline(always)]
    fn settles(&self, position: &Ideal<W>) -> Option<bool> {
        let points = self.mirrors.points(position);
        let apart = self.mirrors.pairs_apart(position);
        // To cut a point off takes as many pairs as there are other points.
        if apart.count_ones() + 1 < points.count_ones() || points == 0 {
            return match points.count_ones() {
                ..=SMALL => self.small.value(points, position).map(|value| value == 0),
                _ => None,
            };
        }
        let (mut rest, mut sum) = (points, 0);
        while rest != 0 {
            let component = self.component(rest, apart);
            sum ^= self.small.value(component, &position.intersection(&self.subsets[component]))?;
            rest &= !component;
        }
        Some(sum == 0)
    }

    /// The component of the last of these points.
    fn component(&self, points: usize, apart: u64) -> usize {
        let joined = || self.mirrors.pairs().enumerate().filter(|(p, _)| apart >> p & 1 == 0);
        let mut component = 1 << points.ilog2();
        loop {
            let before = component;
            for (_, [i, j]) in joined() {
                let pair = 1 << i | 1 << j;
                if pair & !points == 0 && pair & component != 0 {
                    component |= pair;
                }
            }
            if component == before {
                return component;
            }
        }
    }
}
