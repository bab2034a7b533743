//! What is wrong with the file of a poset.

use super::MOST_ELEMENTS;

/// A file that tells no poset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct GivenError {
    /// Number of the line, from 1.
    pub line: Option<usize>,
    /// What is wrong there.
    pub fault: GivenFault,
}

/// The ways in which a file tells no poset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenFault {
    /// No element.
    #[error("there is no element in it")]
    Empty,
    /// No text.
    #[error("this is no text")]
    Binary,
    /// More elements than anything here takes.
    #[error("more than {MOST_ELEMENTS} elements are too many")]
    TooManyElements,
    /// Elements that are below themselves.
    #[error("the relation has a cycle: {}", .0.join(" < "))]
    Cycle(Vec<String>),
    /// An element that is below itself, and others that are not.
    #[error("`{0}` is below itself")]
    BelowItself(String),
    /// Two elements of the same name.
    #[error("there are two elements `{0}`")]
    Duplicate(String),
    /// A relation of an element that is not in the list of elements.
    #[error("`{0}` is not among the elements")]
    Unknown(String),
    /// A quotation without its end.
    #[error("a quotation has no end")]
    Unclosed,
    /// A line that is no relation.
    #[error("`{0}` is no relation")]
    NoRelation(String),
    /// A matrix with rows of different lengths, or more or fewer of them.
    #[error("the matrix is not square: {found} entries, where there should be {expected}")]
    NotSquare {
        /// Entries of the row, or rows.
        found: usize,
        /// As many as there should be.
        expected: usize,
    },
    /// An entry of a matrix that is neither 0 nor 1.
    #[error("`{0}` is neither 0 nor 1")]
    Entry(String),
    /// A graph without directions.
    #[error("a graph without directions is no order")]
    Undirected,
    /// Something else than a digraph of Graphviz.
    #[error("{0}")]
    Dot(&'static str),
    /// Something else than the document that it should be.
    #[error("{0}")]
    Json(String),
}

impl GivenFault {
    /// In this line.
    pub(super) fn at(self, line: usize) -> GivenError {
        GivenError { line: Some(line), fault: self }
    }
}

impl From<GivenFault> for GivenError {
    fn from(fault: GivenFault) -> Self {
        Self { line: None, fault }
    }
}

impl GivenError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self.fault {
            GivenFault::Empty => "write a relation a line, as in `a < b`, or an element alone",
            GivenFault::Binary => {
                "give lines `a < b`, a matrix of 0 and 1, a digraph of Graphviz, or JSON {\"elements\": [...], \"covers\": [...]}"
            }
            GivenFault::TooManyElements => "no count here takes so many; leave out what decides nothing",
            GivenFault::Cycle(_) | GivenFault::BelowItself(_) => "leave one of these relations out, or turn it round",
            GivenFault::Duplicate(_) => "give one of them another name, or leave it out",
            GivenFault::Unknown(_) => "add it to the elements, or correct its name",
            GivenFault::Unclosed => "end it with `\"`; within quotes a quote is written `\\\"`",
            GivenFault::NoRelation(_) => {
                "write `a < b`, `a b` or `a < b < c`; a name with spaces stands in double quotes"
            }
            GivenFault::NotSquare { .. } => "give as many rows as columns: entry (i, j) is 1 if i is below j",
            GivenFault::Entry(_) => "entry (i, j) of a matrix is 1 if i is below j, and 0 if not",
            GivenFault::Undirected => "write `digraph`, and `a -> b` where a is below b",
            GivenFault::Dot(_) => "write `digraph { a -> b; c }`, where a is below b",
            GivenFault::Json(_) => {
                "write {\"elements\": [\"a\", \"b\"], \"covers\": [[\"a\", \"b\"]]}, where a is below b"
            }
        }
    }
}
