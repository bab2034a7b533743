//! `antichain query`: values of positions.

use antichain_common::job::{self, JobSpec, PositionValue, QueryTables, Question};
use antichain_proto::v1;
use serde::Serialize;

use super::budget;
use super::moves::tell_winning;
use crate::args::{Global, QueryArgs};
use crate::output::{self, document, result, table};
use crate::remote::{Place, Remote, place};
use crate::{data, inputs};

/// Runs the command.
pub fn execute(global: &Global, args: QueryArgs) -> anyhow::Result<()> {
    let question = inputs::question(&args.question)?;
    let poset = inputs::given::poset(&args.poset, global.json)?;
    let limits = inputs::limits_for(&poset, args.limits)?;
    let values: Vec<PositionDocument> = match place::either(global)? {
        Place::Here(directory) => {
            let positions = inputs::positions(&poset, args.positions, limits, global.json)?;
            let store = data::open_if_there(&directory)?;
            let (mut tables, memory) = (QueryTables::default(), budget(args.memory).0);
            let values =
                job::query_with(&mut tables, store.as_ref(), question, &poset, (&positions, global.json), memory)?;
            if let ([(position, _)], Question::Outcome, false) = (&positions[..], question, global.json) {
                tell_winning(&mut tables, store.as_ref(), question, &poset, position);
            }
            values.into_iter().map(|value| PositionDocument::new(question, value)).collect()
        }
        Place::There(target) => {
            let values =
                Remote::connect(target)?.query(&JobSpec::new(question, &poset, limits), args.positions, global.json)?;
            values.into_iter().map(PositionDocument::from).collect()
        }
    };
    if let Some(job) = values.iter().find_map(|value| value.unfinished.as_deref()) {
        output::warning(global.json, &not_finished(job));
    }
    if global.json { document(&values) } else { Ok(result(&shown(&values))?) }
}

/// One position as a JSON document.
#[derive(Debug, Serialize)]
struct PositionDocument {
    position: String,
    /// Shown in documents only.
    canonical: String,
    value: String,
    /// The job whose table has it, if that is not finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<String>,
}

/// What is said of values from the table of such a job.
pub(super) fn not_finished(job: &str) -> String {
    format!("{job} is not finished: what it has found so far is answered, the rest is not known yet")
}

impl PositionDocument {
    fn new(question: Question, value: PositionValue) -> Self {
        let PositionValue { position, canonical, value, unfinished } = value;
        let canonical = canonical.unwrap_or_default();
        Self { position, canonical, value: question.show(&value), unfinished: unfinished.map(|job| job.0) }
    }
}

impl From<v1::PositionValue> for PositionDocument {
    fn from(value: v1::PositionValue) -> Self {
        let v1::PositionValue { position, canonical, value, unfinished } = value;
        Self { position, canonical, value, unfinished: Some(unfinished).filter(|job| !job.is_empty()) }
    }
}

/// A single value alone; several with their positions, a line each.
fn shown(values: &[PositionDocument]) -> String {
    match values {
        [only] => format!("{}\n", only.value),
        _ => table(&values.iter().map(|v| vec![v.position.clone(), v.value.clone()]).collect::<Vec<_>>(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(position: &str, value: u32) -> PositionDocument {
        let position = position.into();
        let value = PositionValue { position, canonical: None, value: value.into(), unfinished: None };
        PositionDocument::new(Question::Extensions, value)
    }

    #[test]
    fn one_value_alone_and_several_with_their_positions() {
        assert_eq!(shown(&[value("01", 2)]), "2\n");
        assert_eq!(shown(&[value("01 2", 12), value("-", 1)]), "01 2  12\n-      1\n");
    }
}
