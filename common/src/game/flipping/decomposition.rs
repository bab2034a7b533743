//! Decomposition: a reduced line as an iterated ordinal sum, and its value (Theorem 3.3 of the paper, steps 3 to 6 of its
//! algorithm).
//!
//! Of a reduced line `α 0 1^a 0^p 1 0^q 1` with `a ≥ 1` the value is `(α 0 1^a) : 2^-(2p+q-1)` (Lemma 4.5): its last two 1s
//! are cut off, and what they are worth is kept as an exponent. At the end a base is left (Lemma 4.6): `0^r 1`, worth `-r`,
//! or `1^a 0^p 1 0^q 1`, worth `⌊a/2⌋ + 2^-(2p+q)`.
//!
//! Reduced it must be, and stays: of `0111101`, worth 1/8, one could cut off `101`, but `0111 : 2^0` is 1.
//!
//! ```
//! use antichain_common::game::flipping::{Decomposition, Line, Reduced};
//! let line: Line = "10011110110110111011110011".parse()?;
//! let decomposition = Decomposition::from(&Reduced::from(&line));
//! assert_eq!(decomposition.to_string(), "101 : 1/2 : 1/64 : 1/8");
//! assert_eq!(decomposition.value().to_string(), "10257/16384");
//! # Ok::<(), antichain_common::game::flipping::LineError>(())
//! ```

use std::fmt;

use super::dyadic::Dyadic;
use super::line::Line;
use super::reduction::Reduced;
use super::signs::SignExpansion;

/// What is left when nothing more can be cut off, by its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `0^r 1` and the line without a 1 (`r` = 0): `-r`.
    Zeros(u32),
    /// `1^a 0^p 1 0^q 1`: `⌊a/2⌋ + 2^-(2p+q)`.
    Ones {
        /// `⌊a/2⌋`.
        pairs: u32,
        /// `2p + q`.
        halvings: u32,
    },
}

impl Base {
    /// Its sign expansion.
    fn signs(self) -> SignExpansion {
        match self {
            // Lines are shorter than 2^31.
            Self::Zeros(zeros) => SignExpansion::of_integer(-(zeros as i32)),
            Self::Ones { pairs, halvings } => {
                // `k + 2^-m` is the ordinal sum of the integer k, not negative, and of `2^-m`.
                let mut signs = SignExpansion::of_integer(pairs as i32);
                signs.push_power_of_half(halvings as usize);
                signs
            }
        }
    }
}

/// Cuts pairs of 1s off the end of a reduced line.
#[derive(Clone, Copy)]
pub(super) struct Cutter<'a> {
    runs: &'a [u32],
    /// The run that the line ends in now.
    end: usize,
    /// The 1s that are left of it.
    ones: u32,
}

/// What one cut shows.
pub(super) enum Cut {
    /// The exponent `2^-halvings`; what is left can be cut again.
    Exponent {
        /// See [`Cut::Exponent`].
        halvings: u32,
    },
    /// Nothing more can be cut off.
    Base(Base),
}

impl<'a> Cutter<'a> {
    /// At the end of a line.
    #[inline]
    pub(super) fn new(runs: &'a [u32]) -> Self {
        let end = runs.len() - 1;
        Self { runs, end, ones: runs[end] }
    }

    /// The next cut. After the base there is none.
    #[inline]
    pub(super) fn cut(&mut self) -> Cut {
        if self.ones == 0 {
            return Cut::Base(Base::Zeros(0));
        }
        self.ones -= 1;
        let Some(q) = self.back() else { return Cut::Base(Base::Zeros(self.end as u32)) };
        self.ones -= 1;
        let Some(p) = self.back() else {
            return Cut::Base(Base::Ones { pairs: 0, halvings: 2 * self.end as u32 + q });
        };
        if self.end == 0 {
            return Cut::Base(Base::Ones { pairs: self.ones / 2, halvings: 2 * p + q });
        }
        // p + q ≥ 1: otherwise three 1s would stand here, with the pairs cut off before behind them.
        Cut::Exponent { halvings: 2 * p + q - 1 }
    }

    /// How many coins are left.
    fn coins(&self) -> usize {
        let before: u32 = self.runs[..self.end].iter().sum();
        (before + self.ones) as usize + self.end
    }

    /// Goes back to the 1 before; returns how many 0s were passed. `None`, and stays, if there is no further 1.
    #[inline]
    fn back(&mut self) -> Option<u32> {
        if self.ones > 0 {
            return Some(0);
        }
        let before = self.runs[..self.end].iter().rposition(|&run| run > 0)?;
        let passed = self.end - before;
        (self.end, self.ones) = (before, self.runs[before]);
        Some(passed as u32)
    }
}

/// A reduced line as an iterated ordinal sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposition {
    base: Base,
    base_line: Line,
    /// `m` for `2^-m`, from the last one cut off to the first, as they are added.
    halvings: Vec<u32>,
}

impl Decomposition {
    /// What is left of the line when nothing more can be cut off.
    pub fn base(&self) -> &Line {
        &self.base_line
    }

    /// The value of the base.
    pub fn base_value(&self) -> Dyadic {
        self.base.signs().number()
    }

    /// The exponents, in the order in which they are added to the base.
    pub fn exponents(&self) -> impl ExactSizeIterator<Item = Dyadic> {
        self.halvings.iter().map(|&halvings| Dyadic::power_of_half(halvings.into()))
    }

    /// The value: the ordinal sum of all. Linear in the number of coins.
    pub fn value(&self) -> Dyadic {
        let mut signs = self.base.signs();
        self.halvings.iter().for_each(|&halvings| signs.push_power_of_half(halvings as usize));
        signs.number()
    }
}

impl From<&Reduced> for Decomposition {
    fn from(reduced: &Reduced) -> Self {
        let mut cutter = Cutter::new(reduced.runs());
        let mut halvings = Vec::new();
        loop {
            let uncut = cutter;
            match cutter.cut() {
                Cut::Exponent { halvings: more } => halvings.push(more),
                Cut::Base(base) => {
                    halvings.reverse();
                    let mut coins = reduced.line().coins().to_vec();
                    coins.truncate(uncut.coins());
                    return Self { base, base_line: Line::new(coins), halvings };
                }
            }
        }
    }
}

/// `101 : 1/2 : 1/64 : 1/8`.
impl fmt::Display for Decomposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base_line)?;
        self.exponents().try_for_each(|exponent| write!(f, " : {exponent}"))
    }
}

impl Line {
    /// The exact value of the position, by the algorithm of the paper: reduce, decompose, add. Linear in the number of
    /// coins.
    pub fn value(&self) -> Dyadic {
        Decomposition::from(&Reduced::from(self)).value()
    }
}
