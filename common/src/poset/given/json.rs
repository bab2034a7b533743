//! `{"elements": ["a", "b"], "covers": [["a", "b"]]}`: any relations, covers or not. Names are strings or numbers.

use serde::Deserialize;

use super::order::Relations;
use super::{GivenError, GivenFault};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    elements: Vec<Name>,
    #[serde(default)]
    covers: Vec<(Name, Name)>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(serde_json::Number),
}

impl Name {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

pub(super) fn read(text: &str) -> Result<Relations, GivenError> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or_default();
        GivenFault::Json(reason.to_owned()).at(error.line().max(1))
    })?;
    let mut relations = Relations::default();
    for name in document.elements {
        relations.add(name.text(), 1).map_err(without_line)?;
    }
    for (x, y) in document.covers {
        let number = |name: Name| {
            let label = name.text();
            relations.number(&label).ok_or(GivenFault::Unknown(label))
        };
        let (x, y) = (number(x)?, number(y)?);
        relations.relate(x, y, 0).map_err(without_line)?;
    }
    Ok(relations)
}

/// The lines of a document say nothing.
fn without_line(error: GivenError) -> GivenError {
    GivenError { line: None, ..error }
}
