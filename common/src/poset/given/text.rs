//! The normal form of a poset from a file: one line that tells all of it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::order::Relations;
use super::{GivenError, GivenFault, GivenPoset};

/// Stands before the name.
const FAMILY: &str = "file:";
/// Digits of the digest in a name.
pub(super) const DIGEST_DIGITS: usize = 12;

#[derive(Serialize)]
struct Document<'a> {
    elements: &'a [String],
    covers: Vec<(u16, u16)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedDocument {
    elements: Vec<String>,
    covers: Vec<(usize, usize)>,
}

/// The poset of these elements, which are numbered by rank, with their lower covers.
pub(super) fn with_digest(labels: Vec<String>, lower: Vec<Vec<u16>>) -> GivenPoset {
    let mut poset = GivenPoset { labels, lower, digest: String::new() };
    let digest = blake3::hash(poset.document().as_bytes()).to_hex();
    digest[..DIGEST_DIGITS].clone_into(&mut poset.digest);
    poset
}

impl GivenPoset {
    fn document(&self) -> String {
        let covers = |(y, lower): (usize, &Vec<u16>)| lower.iter().map(move |&x| (x, y as u16)).collect::<Vec<_>>();
        let document =
            Document { elements: &self.labels, covers: self.lower.iter().enumerate().flat_map(covers).collect() };
        // Strings and numbers can always be written.
        serde_json::to_string(&document).unwrap_or_default()
    }
}

impl fmt::Display for GivenPoset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FAMILY}{}={}", self.digest, self.document())
    }
}

/// The short name of a poset that is given by its text: that of a poset from a file is shorter than the text.
pub fn short_name(text: &str) -> Cow<'_, str> {
    match text.split_once('=') {
        Some((name, _)) if text.starts_with(FAMILY) => Cow::Borrowed(name),
        _ => Cow::Borrowed(text),
    }
}

/// Reads what follows `file:` in the normal form.
///
/// # Errors
/// [`GivenError`] if it is none.
pub(super) fn parse(parameters: &str) -> Result<GivenPoset, GivenError> {
    let not_normal = || GivenError::from(GivenFault::Json("it is not the normal form of a poset".to_owned()));
    let (digest, document) = parameters.split_once('=').ok_or_else(not_normal)?;
    let OwnedDocument { elements, covers } = serde_json::from_str(document).map_err(|_| not_normal())?;
    let len = elements.len();
    let mut relations = Relations::default();
    for label in elements {
        relations.add(label, 1)?;
    }
    for (x, y) in covers {
        if x >= len || y >= len {
            return Err(not_normal());
        }
        relations.relate(x, y, 1)?;
    }
    let (poset, _) = relations.order()?;
    // Whatever else says the same is not told by this name.
    if poset.digest == digest && poset.document() == document { Ok(poset) } else { Err(not_normal()) }
}
