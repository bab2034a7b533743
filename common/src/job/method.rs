//! Which split a job uses, and how far up.

use serde::{Deserialize, Serialize};

use super::{Question, SizeLimits};
use crate::poset::Poset;
use crate::space::split::Split;
use crate::symmetry::Isa;

/// How the ideals of a poset are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Canonical ideals by layers.
    Plain {
        /// Number of elements of the largest ideals visited. If it is half of all and the limits are not the reason, the
        /// larger ideals follow by duality.
        top: usize,
    },
    /// Base and fibre, the base being the lower half of a self-dual poset; larger ideals follow by duality.
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

/// How a question is answered: the same decision on every machine.
pub fn method(_question: Question, poset: &Poset, limits: SizeLimits) -> Method {
    if let Some(max) = limits.max.filter(|&max| max < poset.len()) {
        return Method::Plain { top: max };
    }
    if poset.duality().is_none() {
        return Method::Plain { top: poset.len() };
    }
    let top = poset.len().div_ceil(2);
    let halves = poset.len() > 64 && Split::halves(poset, Isa::detect()).is_some();
    if halves { Method::Halves { top } } else { Method::Plain { top } }
}
