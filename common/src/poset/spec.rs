//! Specifications of posets: the text users type, in its normal form.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::covers::COVER_FAMILIES;
use super::error::{PosetError, PosetFault};
use super::given::{self, GivenPoset};
use super::{Poset, antichain, boolean, chains, divisors};

/// Which poset: a family with its parameters, all within the limits.
///
/// It is read from text; `Display` gives the normal form, which reads back as an equal specification (but for a
/// truncation of another family than `boolean`, which no text names).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PosetSpec {
    family: Family,
    max_rank: Option<usize>,
}

/// The families of posets with their parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `boolean:n`, or `boolean:n:k` where `max_size < points`.
    Boolean {
        /// Number of points, at most 8.
        points: usize,
        /// Largest size of a subset, at most `points`.
        max_size: usize,
    },
    /// `chain:n`, the numbers 1 to n.
    Chain(usize),
    /// `chains:3x3x2`: lengths of the factors, those of 1 dropped unless it is the only one.
    Chains(Vec<usize>),
    /// `antichain:n`, the numbers 1 to n.
    Antichain(usize),
    /// `divisors:n`, by divisibility.
    Divisors(u64),
    /// `file:...`: one that a user brought along.
    Given(Arc<GivenPoset>),
}

/// How a family is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FamilyHelp {
    pub name: &'static str,
    /// One example or form, for a list of all.
    pub form: &'static str,
    /// The form and its limits; follows the word "write".
    pub usage: &'static str,
}

/// The families of this version.
pub(super) static FAMILIES: [FamilyHelp; 6] = [
    FamilyHelp {
        name: "boolean",
        form: "boolean:7 (all subsets of 7 points), boolean:7:3 (those of size at most 3)",
        usage: "`boolean:n` with n from 0 to 8, or `boolean:n:k` for the subsets of size at most k",
    },
    FamilyHelp { name: "chain", form: "chain:5", usage: "`chain:n` with n from 1 to 256" },
    FamilyHelp {
        name: "chains",
        form: "chains:3x3x2 (a product of chains)",
        usage: "the numbers of elements of the chains, as in `chains:3x3x2`; their product is at most 256",
    },
    FamilyHelp { name: "antichain", form: "antichain:6", usage: "`antichain:n` with n from 1 to 256" },
    FamilyHelp {
        name: "divisors",
        form: "divisors:360",
        usage: "`divisors:n`, as in `divisors:360`, for an n of 64 bits that has at most 256 divisors",
    },
    FamilyHelp {
        name: "file",
        form: "file:tasks.txt (lines `a < b`; a matrix, a digraph or JSON too)",
        usage: "`file:PATH`, or `file:-` for standard input, at a command that may read files",
    },
];

impl PosetSpec {
    fn whole(family: Family) -> Self {
        Self { family, max_rank: None }
    }

    /// The subsets of so many points of at most a size.
    ///
    /// # Panics
    /// If there are more than 8 points, or fewer than the size.
    pub fn boolean(points: usize, max_size: usize) -> Self {
        assert!(max_size <= points && points <= boolean::MAX_POINTS);
        Self::whole(Family::Boolean { points, max_size })
    }

    /// A poset from a file.
    ///
    /// # Errors
    /// [`PosetFault::TooManyElements`] if it is larger than a bit set.
    pub fn given(poset: GivenPoset) -> Result<Self, PosetFault> {
        given::within_limits(poset).map(Self::whole)
    }

    /// The family and its parameters.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// The elements of rank at most `r` of this poset, where that is not all of it.
    pub(super) fn truncated(&self, r: usize) -> Self {
        match self.family {
            Family::Boolean { points, .. } => Self::whole(Family::Boolean { points, max_size: r }),
            _ => Self { family: self.family.clone(), max_rank: Some(r) },
        }
    }

    pub(super) fn build(&self) -> Poset {
        let spec = Self::whole(self.family.clone());
        let poset = match &self.family {
            Family::Boolean { points, max_size } => boolean::build(spec, *points, *max_size),
            Family::Chain(len) => chains::build(spec, &[*len]),
            Family::Chains(lengths) => chains::build(spec, lengths),
            Family::Antichain(len) => antichain::build(spec, *len),
            Family::Divisors(number) => divisors::build(spec, *number),
            Family::Given(given) => given::build(spec, given),
        };
        match self.max_rank {
            Some(rank) => poset.truncate_to_rank(rank),
            None => poset,
        }
    }
}

impl fmt::Display for PosetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.family {
            Family::Boolean { points, max_size } if max_size == points => write!(f, "boolean:{points}")?,
            Family::Boolean { points, max_size } => write!(f, "boolean:{points}:{max_size}")?,
            Family::Chain(len) => write!(f, "chain:{len}")?,
            Family::Chains(lengths) => {
                let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
                write!(f, "chains:{}", lengths.join("x"))?;
            }
            Family::Antichain(len) => write!(f, "antichain:{len}")?,
            Family::Divisors(number) => write!(f, "divisors:{number}")?,
            Family::Given(given) => given.fmt(f)?,
        }
        match self.max_rank {
            Some(rank) => write!(f, " up to rank {rank}"),
            None => Ok(()),
        }
    }
}

impl FromStr for PosetSpec {
    type Err = PosetError;

    fn from_str(text: &str) -> Result<Self, PosetError> {
        let unknown = |name: &str| {
            if COVER_FAMILIES.iter().any(|family| family.name == name) {
                PosetFault::OnlyCoins(name.to_owned())
            } else {
                PosetFault::UnknownFamily(name.to_owned())
            }
        };
        let family = read_family(text, &FAMILIES, unknown, |family, parameters| match family {
            "boolean" => boolean::parse(parameters),
            "chain" => chains::parse_one(parameters),
            "chains" => chains::parse_product(parameters),
            "antichain" => antichain::parse(parameters),
            "file" => given::parse_family(parameters),
            _ => divisors::parse(parameters),
        });
        family.map(Self::whole)
    }
}

/// Reads `family:parameters`, where the family is one of those known; `unknown` says what is wrong with the name of another.
///
/// # Errors
/// [`PosetError`].
pub(super) fn read_family<T>(
    text: &str,
    known: &'static [FamilyHelp],
    unknown: impl FnOnce(&str) -> PosetFault,
    read: impl FnOnce(&'static str, &str) -> Result<T, PosetFault>,
) -> Result<T, PosetError> {
    let fail = |family, fault| PosetError { input: text.to_owned(), family, known, fault };
    if text.is_empty() {
        return Err(fail(None, PosetFault::Empty));
    }
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let Some(family) = known.iter().find(|family| family.name == name) else {
        return Err(fail(None, unknown(name)));
    };
    if parameters.is_empty() {
        return Err(fail(Some(family), PosetFault::MissingParameter(family.name)));
    }
    read(family.name, parameters).map_err(|fault| fail(Some(family), fault))
}

#[cfg(test)]
mod tests;
