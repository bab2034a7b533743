//! The number of linear extensions of a poset, estimated without bias, with a confidence interval.
//!
//! Random ideals grow from the exact numbers of the small ideals (`frontier`) to those of the large ones. Which element
//! is added next follows from a formula, learnt beforehand (`formula`, `learn`), for the number of ways to complete an
//! ideal; were it exact, every ideal would give the number itself. As it is, one random ideal of `boolean:8` has a
//! standard error of some 14 %, and a *batch* of 1,024 of them (`population`) one of 0.4 %. Batches have
//! seeds of their own and are independent, so that they can be made anywhere in any order; their mean is the estimate
//! (`interval`).
//!
//! Everything is a function of poset, seed and number of batches: numbers are computed in IEEE arithmetic, in a fixed
//! order, and with exponentials and logarithms of our own (`elementary`).
//!
//! ```
//! use antichain_common::{estimate::{Estimator, Interval, Stream}, watch::{Interrupt, Watch}};
//! let interrupt = Interrupt::new();
//! let watch = Watch::new(&interrupt);
//! let estimator = Estimator::new(&"boolean:5".parse()?, 10, &watch)?;
//! let batches = (0..30).map(|batch| estimator.batch(Stream::Answer, 1, batch, &watch)).collect::<Result<Vec<_>, _>>()?;
//! let interval = Interval::of(&batches, 0.95);
//! assert!((interval.mean.ln() - 14807804035657359360f64.ln()).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod elementary;
mod formula;
mod frontier;
mod interval;
mod learn;
mod least_squares;
mod population;
mod rest;
mod scaled;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;

use crate::poset::Poset;
use crate::random::Random;
use crate::watch::{Stopped, Watch};
use formula::Formula;
use frontier::Frontier;
pub use interval::{Interval, relative_variance};
use population::Start;
use rest::Elements;
pub use scaled::{NotScaled, Scaled};

/// Random ideals of a batch.
pub const BATCH: u64 = 1024;

/// Batches that an interval is made from, at least.
pub const LEAST_BATCHES: u64 = 20;

/// Batches of an estimate at most: all of them are kept, and 64 million samples are enough.
pub const MOST_BATCHES: u64 = 1 << 16;

/// Canonical ideals that an exact layer may have, at most: more would not fit into any memory.
pub const LARGEST_FRONTIER: usize = 1_000_000;

/// What batches are for: those of one stream are independent of those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// For the answer.
    Answer,
    /// To find out beforehand how many are needed.
    Trial,
}

/// Makes estimates of the number of linear extensions of one poset.
pub struct Estimator {
    elements: Elements,
    frontier: Frontier,
    ends: Ends,
}

/// What lies between the exact layers at both ends.
enum Ends {
    /// Nothing: they have met, and the number is known.
    Met(BigUint),
    /// Random ideals, by a formula for each size.
    Apart { start: Start, formulas: Vec<Formula> },
}

impl Estimator {
    /// For a poset; layers at both ends with at most `frontier` canonical ideals each are exact.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new(poset: &Poset, frontier: usize, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let elements = Elements::new(poset);
        let frontier = Frontier::new(poset, frontier, watch)?;
        let ends = match frontier.exact() {
            Some(exact) => Ends::Met(exact),
            None => {
                let formulas = learn::learn(&elements, &frontier, watch)?;
                Ends::Apart { start: Start::new(&elements, &frontier, &formulas[0]), formulas }
            }
        };
        Ok(Self { elements, frontier, ends })
    }

    /// The number itself, if the exact layers from both ends have met.
    pub fn exact(&self) -> Option<&BigUint> {
        match &self.ends {
            Ends::Met(exact) => Some(exact),
            Ends::Apart { .. } => None,
        }
    }

    /// The sizes between which ideals are random: smaller and larger ones are counted exactly.
    pub fn random_sizes(&self) -> std::ops::RangeInclusive<usize> {
        self.frontier.first..=self.frontier.last
    }

    /// An estimate from [`BATCH`] random ideals; the number itself if it is known.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn batch(&self, stream: Stream, seed: u64, batch: u64, watch: &Watch<'_>) -> Result<Scaled, Stopped> {
        self.batch_of(BATCH as usize, (stream, seed, batch), watch)
    }

    /// The same from any number of them.
    fn batch_of(
        &self,
        size: usize,
        (stream, seed, batch): (Stream, u64, u64),
        watch: &Watch<'_>,
    ) -> Result<Scaled, Stopped> {
        let (start, formulas) = match &self.ends {
            Ends::Met(exact) => return Ok(exact.into()),
            Ends::Apart { start, formulas } => (start, formulas),
        };
        let mut random = Random::of_words(&[stream as u64, seed, batch]);
        let ends = (start, &self.frontier);
        population::estimate(&self.elements, ends, formulas, size, &mut random, watch)
    }
}
