//! Posets as users name them: by family, or by the file that has them.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use antichain_common::poset::given::{Format, GivenError, Reading, read};
use antichain_common::poset::{Poset, PosetError, PosetFault, PosetSpec};

use crate::output;

/// What stands before the path.
const FAMILY: &str = "file:";
/// The path that means standard input.
const STANDARD_INPUT: &str = "-";
/// Bytes of a file, at most: a matrix of 4,096 rows has half of that.
const MOST_BYTES: u64 = 64 << 20;

/// A file that has no poset.
#[derive(Debug, thiserror::Error)]
pub enum GivenInputError {
    /// It cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is longer than any poset.
    #[error("{} has more than {} MiB", file.display(), MOST_BYTES >> 20)]
    TooLong {
        /// The file.
        file: PathBuf,
    },
    /// It tells no poset.
    #[error("{}: {source}", file.display())]
    Given {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        source: GivenError,
    },
    /// It tells one that is too large.
    #[error("{}: {fault}", file.display())]
    Limits {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        fault: PosetFault,
    },
}

impl GivenInputError {
    /// The file.
    pub fn input(&self) -> String {
        let (Self::Read { file, .. } | Self::TooLong { file } | Self::Given { file, .. } | Self::Limits { file, .. }) =
            self;
        file.display().to_string()
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => "name a file that you may read, or `file:-` for standard input",
            Self::TooLong { .. } => "give covers only, a line each",
            Self::Given { source, .. } => source.hint(),
            Self::Limits { .. } => {
                "leave out what decides nothing, or count parts that have nothing to do with each other apart"
            }
        }
    }
}

/// The poset that a word means. The file of `file:PATH` is read, and what its author may not have meant is told.
///
/// # Errors
/// [`PosetError`], [`GivenInputError`].
pub fn poset(word: &str, json: bool) -> anyhow::Result<Poset> {
    let error = match word.parse::<Poset>() {
        Ok(poset) => return Ok(poset),
        Err(error) => error,
    };
    let Some(path) = word.strip_prefix(FAMILY).filter(|path| is_named(&error, path)) else { return Err(error.into()) };
    let file = PathBuf::from(path);
    let text = text_of(&file, path == STANDARD_INPUT)?;
    let format = Format::of_name(path);
    let Reading { poset, notes } =
        read(&text, format).map_err(|source| GivenInputError::Given { file: file.clone(), source })?;
    notes.iter().for_each(|note| output::warning(json, &format!("{path}: {note}")));
    let spec = PosetSpec::given(poset).map_err(|fault| GivenInputError::Limits { file, fault })?;
    Ok(Poset::new(&spec))
}

/// Whether what follows `file:` is a path, since it is no poset itself.
fn is_named(error: &PosetError, path: &str) -> bool {
    !path.is_empty() && matches!(error.fault(), PosetFault::NotGiven)
}

fn text_of(file: &PathBuf, is_standard_input: bool) -> Result<String, GivenInputError> {
    let failed = |source| GivenInputError::Read { file: file.clone(), source };
    let mut bytes = Vec::new();
    let reading = if is_standard_input {
        io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|open| open.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    if reading.map_err(failed)? as u64 > MOST_BYTES {
        return Err(GivenInputError::TooLong { file: file.clone() });
    }
    // What is no text is told with the line where that shows.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        text.push('\0');
        text
    }))
}

/// What a poset is called where people read it: as it was named, if that is its file.
pub fn called(word: &str, poset: &Poset) -> String {
    if word.starts_with(FAMILY) { word.to_owned() } else { poset.name() }
}
