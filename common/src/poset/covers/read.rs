//! Elements as users write them, and what can be wrong with that.

use crate::poset::error::{NumberFault, parse_number};

/// A word that is no element: what was typed, why not, and what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: {fault}")]
pub struct ElementError {
    pub(super) input: String,
    pub(super) fault: ElementFault,
    pub(super) usage: String,
}

impl ElementError {
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
        format!("write {}", self.usage)
    }
}

/// The ways in which a word is no element of a poset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElementFault {
    /// There is no text.
    #[error("an element is missing")]
    Empty,
    /// A part is no number.
    #[error(transparent)]
    Number(#[from] NumberFault),
    /// A number outside its range.
    #[error("{number} is out of range: the numbers are {least} to {most}")]
    OutOfRange {
        /// The number.
        number: u64,
        /// The least possible.
        least: u64,
        /// The largest possible.
        most: u64,
    },
    /// Another number of parts than the poset has.
    #[error("parts: {found}, where there should be {expected}")]
    Parts {
        /// Parts it has.
        found: usize,
        /// Parts it should have.
        expected: usize,
    },
    /// A character that stands for nothing.
    #[error("`{0}` stands for nothing here")]
    Character(char),
    /// Points of a set without the commas that many points need.
    #[error("among so many points, those of a set are separated by commas")]
    Digits,
    /// Rows that are no basis.
    #[error("its rows depend on each other")]
    Dependent,
    /// Something given twice within an element.
    #[error("{0} is there twice")]
    Twice(String),
    /// Something left out.
    #[error("{0} is missing")]
    Missing(String),
    /// A well-formed element that the poset lacks.
    #[error("it is not an element of {0}")]
    NotAnElement(String),
    /// A block of a set partition, or a row of a basis, without anything in it.
    #[error("a part of it is empty")]
    EmptyPart,
}

/// The number that a text of decimal digits means, if it is from `least` to `most`.
pub(super) fn number_within(text: &str, least: u64, most: u64) -> Result<u32, ElementFault> {
    let number = parse_number(text)?;
    match u32::try_from(number) {
        Ok(small) if (least..=most).contains(&number) => Ok(small),
        _ => Err(ElementFault::OutOfRange { number, least, most }),
    }
}
