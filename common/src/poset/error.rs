//! What is wrong with the text of a poset.

use num_bigint::BigUint;

use super::MAX_ELEMENTS;
use super::spec::FamilyHelp;

/// A text that names no poset: what was typed, why not, and what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: {fault}")]
pub struct PosetError {
    pub(super) input: String,
    pub(super) family: Option<&'static FamilyHelp>,
    /// The families to choose from.
    pub(super) known: &'static [FamilyHelp],
    pub(super) fault: PosetFault,
}

impl PosetError {
    /// Set partitions of more elements than the ruler can be worked out for.
    pub(crate) fn too_far(input: &str, n: usize, most: usize) -> Self {
        let fault = PosetFault::TooFar { n, most };
        Self { input: input.to_owned(), family: None, known: &super::covers::COVER_FAMILIES, fault }
    }

    /// A poset of which nothing takes long enough to be a job.
    pub(crate) fn not_a_job(input: &str) -> Self {
        let fault = PosetFault::NotAJob(input.to_owned());
        Self { input: input.to_owned(), family: None, known: &super::covers::COVER_FAMILIES, fault }
    }

    /// What was typed.
    pub fn input(&self) -> String {
        self.input.clone()
    }

    /// What is wrong with it.
    pub fn reason(&self) -> String {
        self.fault.to_string()
    }

    /// What to type instead.
    pub fn hint(&self) -> String {
        match self.family {
            Some(family) => format!("write {}", family.usage),
            None if matches!(self.fault, PosetFault::OnlyCoins(_)) => {
                "ask for turning-turtles, twins, order-ideal-game or ruler there".to_owned()
            }
            None if matches!(self.fault, PosetFault::TooFar { .. }) => {
                "take fewer elements; `antichain coins value` has set partitions with blocks of up to 90".to_owned()
            }
            None if matches!(self.fault, PosetFault::NotAJob(_)) => {
                "use `antichain run`; only `ruler partitions:n` is a job".to_owned()
            }
            None => {
                let forms: Vec<&str> = self.known.iter().map(|family| family.form).collect();
                format!("posets are {}", forms.join(", "))
            }
        }
    }

    /// The fault, for those who want to tell faults apart.
    pub fn fault(&self) -> &PosetFault {
        &self.fault
    }
}

/// The ways in which a text names no poset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PosetFault {
    /// There is no text.
    #[error("a poset is missing")]
    Empty,
    /// The word before the colon is no family.
    #[error("there is no family of posets `{0}`")]
    UnknownFamily(String),
    /// A file that is named where none is read, or something else than a poset's normal form.
    #[error("this is not the text of a poset from a file; files are read by the command that names them")]
    NotGiven,
    /// A family for whose ideals nothing can be asked yet.
    #[error("of `{0}` posets this version answers questions on coin-turning games only")]
    OnlyCoins(String),
    /// A parameter outside its range.
    #[error("{number} is out of range: the numbers are {least} to {most}")]
    OutOfRange {
        /// The number.
        number: u64,
        /// The least possible.
        least: u64,
        /// The largest possible.
        most: u64,
    },
    /// There is no field of so many elements.
    #[error("there is no field of {0} elements: {0} is not a prime power")]
    NotAPrimePower(u64),
    /// Set partitions of more elements than the ruler can be worked out for.
    #[error("the ruler on partitions of {n} elements is out of reach: {most} are the most")]
    TooFar {
        /// Elements of the set.
        n: usize,
        /// The most there can be.
        most: usize,
    },
    /// A coin-turning game that is no job.
    #[error("coin-turning games on {0} are answered at once, and are no jobs")]
    NotAJob(String),
    /// Nothing follows the family.
    #[error("`{0}` needs a parameter")]
    MissingParameter(&'static str),
    /// More parts than the family takes.
    #[error("`{0}` is one part too many")]
    ExtraPart(String),
    /// A parameter is no number.
    #[error(transparent)]
    Number(#[from] NumberFault),
    /// A Boolean lattice with too many elements.
    #[error("{0} points are too many: the limit is 8 (2^8 = 256 elements)")]
    TooManyPoints(u64),
    /// A limit on the size of subsets that no subset reaches.
    #[error("no subset of {points} points has {size} elements")]
    SizeAbovePoints {
        /// The limit.
        size: u64,
        /// Number of points.
        points: u64,
    },
    /// A chain or antichain of no elements.
    #[error("a poset has at least one element")]
    NoElements,
    /// More elements than a bit set holds.
    #[error("{0} elements are too many: the limit is {MAX_ELEMENTS}")]
    TooManyElements(BigUint),
    /// The divisors of 0.
    #[error("every number divides 0")]
    DivisorsOfZero,
}

/// The ways in which a text is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberFault {
    /// Nothing there.
    #[error("a number is missing")]
    Missing,
    /// Something other than digits.
    #[error("`{0}` is not a number")]
    NotDigits(String),
    /// More than 64 bits.
    #[error("{0} is too large")]
    TooLarge(String),
}

/// The number that a text of decimal digits means; leading zeros are ignored.
pub(super) fn parse_number(text: &str) -> Result<u64, NumberFault> {
    if text.is_empty() {
        return Err(NumberFault::Missing);
    }
    // `u64::from_str` alone would take a plus sign.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberFault::NotDigits(text.to_owned()));
    }
    text.parse().map_err(|_| NumberFault::TooLarge(text.to_owned()))
}
