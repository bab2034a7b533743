//! `antichain layers`: ideals by number of elements.

use antichain_common::job::{self, JobSpec, Question, SizeCount, SizeLimits};
use antichain_common::poset::Poset;
use num_bigint::BigUint;
use serde::Serialize;

use super::{submit, with_effort};
use crate::args::{Global, LayersArgs};
use crate::output::{document, result, table};
use crate::remote::{Place, Remote, place};
use crate::{data, inputs, interrupt};

/// Runs the command.
pub fn execute(global: &Global, args: &LayersArgs) -> anyhow::Result<()> {
    let poset = inputs::given::poset(&args.poset, global.json)?;
    let limits = inputs::limits_for(&poset, args.limits)?;
    let sizes = match place::either(global)? {
        Place::Here(directory) => {
            let store = data::open(&directory)?;
            with_effort(global, &args.effort, false, |options| job::layers(&store, &poset, limits, options))?
        }
        Place::There(target) => {
            interrupt::stop_at_once();
            job::check(Question::Ideals, &poset, limits)?;
            let mut sizes = counted_there(global, &mut Remote::connect(target)?, &poset, limits)?;
            sizes.retain(|count| inputs::is_within(limits, count.size));
            sizes
        }
    };
    if global.json {
        return document(&LayersDocument::new(inputs::given::called(&args.poset, &poset), &sizes));
    }
    Ok(result(&shown(&sizes))?)
}

/// The counts of a finished job of a coordinator; of a job that is begun for them where there is none.
fn counted_there(
    global: &Global,
    remote: &mut Remote,
    poset: &Poset,
    limits: SizeLimits,
) -> anyhow::Result<Vec<SizeCount>> {
    let counted = job::limits_of_counts(poset, limits);
    for question in Question::ABOUT_IDEALS {
        for limits in counted {
            match remote.certificate(&JobSpec::new(question, poset, limits).id().0) {
                Ok((certificate, _)) => return Ok(certificate.sizes),
                Err(error) if error.is_not_there() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    let [.., asked] = counted;
    let job = remote.submit(&JobSpec::new(Question::Ideals, poset, asked), false, None)?.job;
    submit::to_the_end(global, remote, &job)?;
    Ok(remote.certificate(&job)?.0.sizes)
}

/// The layers as a JSON document.
#[derive(Debug, Serialize)]
struct LayersDocument<'a> {
    poset: String,
    orbits: String,
    labelled: String,
    sizes: &'a [SizeCount],
}

impl<'a> LayersDocument<'a> {
    fn new(poset: String, sizes: &'a [SizeCount]) -> Self {
        let (orbits, labelled) = totals(sizes);
        Self { poset, orbits: orbits.to_string(), labelled: labelled.to_string(), sizes }
    }
}

/// Orbits and labelled ideals of all sizes.
fn totals(sizes: &[SizeCount]) -> (BigUint, BigUint) {
    (sizes.iter().map(|count| &count.orbits).sum(), sizes.iter().map(|count| &count.labelled).sum())
}

/// The layers for people: a line a size, and one of totals.
fn shown(sizes: &[SizeCount]) -> String {
    let (orbits, labelled) = totals(sizes);
    let mut rows = vec![vec!["size".to_owned(), "orbits".to_owned(), "labelled".to_owned()]];
    rows.extend(sizes.iter().map(|c| vec![c.size.to_string(), c.orbits.to_string(), c.labelled.to_string()]));
    rows.push(vec!["total".to_owned(), orbits.to_string(), labelled.to_string()]);
    table(&rows, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ideals of `boolean:1`: empty, the empty set, everything.
    fn sizes() -> Vec<SizeCount> {
        (0..3).map(|size| SizeCount { size, orbits: 1u32.into(), labelled: 1u32.into() }).collect()
    }

    #[test]
    fn totals_close_the_table() {
        assert_eq!(
            shown(&sizes()),
            " size  orbits  labelled\n    0       1         1\n    1       1         1\n    2       1         1\ntotal       3         3\n"
        );
    }

    #[test]
    fn counts_are_strings_and_sizes_numbers() {
        let json = serde_json::to_value(LayersDocument::new("boolean:1".into(), &sizes())).expect("JSON");
        assert_eq!(json["orbits"], "3");
        assert_eq!(json["labelled"], "3");
        assert_eq!(json["sizes"][2], serde_json::json!({ "size": 2, "orbits": "1", "labelled": "1" }));
    }
}
