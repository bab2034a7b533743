//! `antichain query`: values of positions.

use antichain_common::job::{self, PositionValue};
use antichain_common::poset::Poset;
use serde::Serialize;

use super::budget;
use crate::args::{Global, QueryArgs};
use crate::output::{document, result, table};
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: QueryArgs) -> anyhow::Result<()> {
    let question = inputs::question(&args.question)?;
    let poset: Poset = args.poset.parse()?;
    let limits = inputs::limits(args.limits)?;
    let positions = inputs::positions(&poset, args.positions, limits, global.json)?;
    let store = data::open_if_there(&global.data)?;
    let values = job::query(store.as_ref(), question, &poset, &positions, budget(args.memory).0)?;
    if global.json {
        let documents: Vec<_> = values.iter().map(PositionDocument::from).collect();
        return document(&documents);
    }
    Ok(result(&shown(&values))?)
}

/// One position as a JSON document.
#[derive(Debug, Serialize)]
struct PositionDocument<'a> {
    position: &'a str,
    canonical: &'a str,
    value: String,
}

impl<'a> From<&'a PositionValue> for PositionDocument<'a> {
    fn from(value: &'a PositionValue) -> Self {
        Self { position: &value.position, canonical: &value.canonical, value: value.value.to_string() }
    }
}

/// A single value alone; several with their positions, a line each.
fn shown(values: &[PositionValue]) -> String {
    match values {
        [only] => format!("{}\n", only.value),
        _ => table(&values.iter().map(|v| vec![v.position.clone(), v.value.to_string()]).collect::<Vec<_>>(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(position: &str, value: u32) -> PositionValue {
        PositionValue { position: position.into(), canonical: position.into(), value: value.into() }
    }

    #[test]
    fn one_value_alone_and_several_with_their_positions() {
        assert_eq!(shown(&[value("01", 2)]), "2\n");
        assert_eq!(shown(&[value("01 2", 12), value("-", 1)]), "01 2  12\n-      1\n");
    }
}
