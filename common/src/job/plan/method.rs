//! Which split a job uses, and how far up.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::space::Space;
use crate::job::{Question, SizeLimits};
use crate::poset::Poset;
use crate::space::split::Split;
use crate::symmetry::Isa;

/// Orbits of ideals below which fibres are not worth their set-up.
const WORTH_HALVES: f64 = 200_000.0;

/// How the ideals of a poset are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Canonical ideals by layers.
    Plain {
        /// Number of elements of the largest ideals visited. If the limits are not the reason, larger ideals follow by
        /// duality.
        top: usize,
    },
    /// Base and fibre, the base being the lower half of a self-dual poset; larger ideals follow by duality, or are
    /// represented by their duals.
    Halves {
        /// Number of elements of the largest ideals visited: half of all.
        top: usize,
    },
}

impl Method {
    /// Number of elements of the largest ideals visited.
    pub fn top(self) -> usize {
        match self {
            Self::Plain { top } | Self::Halves { top } => top,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain { top } => write!(f, "canonical ideals of up to {top} elements, layer by layer"),
            Self::Halves { top } => {
                write!(f, "canonical bases in the lower half and the fibres over them, ideals of up to {top} elements")
            }
        }
    }
}

/// How a question is answered: the same decision on every machine.
///
/// Duality is used where there is one and no largest size is asked for. A least size only filters, unless nothing but ideals
/// beyond the middle are to be counted.
pub fn method(question: Question, poset: &Poset, limits: SizeLimits) -> Method {
    let limits = visited(question, poset, limits);
    choose(question, poset, limits, &Space::new(poset, limits))
}

/// The limits on the ideals that are visited. Large ones of a self-dual poset are as many as their duals, so where only
/// these are to be counted, small ones are.
pub fn visited(question: Question, poset: &Poset, limits: SizeLimits) -> SizeLimits {
    let (len, min) = (poset.len(), limits.min);
    if question == Question::Ideals && poset.duality().is_some() && 2 * min > len && min <= len {
        SizeLimits { min: len - largest(poset, limits), max: Some(len - min) }
    } else {
        limits
    }
}

/// As [`method`], with what is known of the space already.
pub(super) fn choose(question: Question, poset: &Poset, limits: SizeLimits, space: &Space<'_>) -> Method {
    if !by_duality(poset, limits) {
        return Method::Plain { top: largest(poset, limits) };
    }
    let top = poset.len().div_ceil(2);
    // The second question builds tables; the first may need estimates.
    let could = poset.len() == 2 * top && top <= 64;
    if could && space.all_orbits() > WORTH_HALVES && Split::halves(poset, Isa::detect()).is_some() {
        Method::Halves { top }
    } else if question.is_game() {
        // The value of an ideal says nothing about that of its dual.
        Method::Plain { top: poset.len() }
    } else {
        Method::Plain { top }
    }
}

/// Whether only the lower half is visited.
pub(super) fn by_duality(poset: &Poset, limits: SizeLimits) -> bool {
    poset.duality().is_some() && largest(poset, limits) == poset.len()
}

/// The largest size within the limits.
pub(super) fn largest(poset: &Poset, limits: SizeLimits) -> usize {
    limits.max.map_or(poset.len(), |max| max.min(poset.len()))
}
