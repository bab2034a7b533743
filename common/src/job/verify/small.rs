//! Small sizes computed again from nothing: all labelled ideals with few elements, their values, their orbits. A small
//! poset is done with altogether.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::{Kept, Report, Subject};
use crate::job::checks::sums_by_size;
use crate::job::plain::Set;
use crate::job::{JobError, Question};
use crate::poset::format_position;

/// Labelled ideals of one size, at most.
const MOST_IDEALS: usize = 20_000;
/// Images of sets that are formed to count the orbits of one size, at most.
const MOST_IMAGES: usize = 1_000_000;
/// Kept values of one size that are looked up, at most: each is some reads of files.
const MOST_COMPARED: usize = 64;

pub(super) fn check(subject: &Subject<'_>, kept: &Kept<'_>, report: &mut Report) -> Result<(), JobError> {
    let (certificate, poset, plain) = (subject.certificate, subject.poset, &subject.plain);
    let sums = sums_by_size(&certificate.value_layers);
    let before = report.failures();
    let mut done = Done::default();
    let mut values = BTreeMap::from([(Set::empty(), BigUint::from(1u8))]);
    let last = certificate.spec.limits.max.unwrap_or(poset.len());
    while done.sizes <= last && (1..=MOST_IDEALS).contains(&values.len()) {
        subject.go_on()?;
        let size = done.sizes;
        let orbits = plain.representatives(values.keys(), MOST_IMAGES);
        count(subject, size, values.len(), orbits.as_ref().map(Vec::len), report);
        if let Some((expected, _)) = sums.get(size) {
            let sum: BigUint = values.values().sum();
            if sum != *expected {
                report.fail(format!(
                    "the values of all labelled ideals of size {size} add up to {sum}, the certificate says {expected}"
                ));
            }
            done.sums += 1;
        }
        let compared = orbits.iter().flat_map(|orbits| orbits.iter().step_by(orbits.len().div_ceil(MOST_COMPARED)));
        for ideal in compared.filter(|_| certificate.spec.question == Question::Extensions) {
            let Some(Some(found)) = report.tolerate(kept(ideal))? else { break };
            if found != values[ideal] {
                let members = ideal.iter().collect::<Vec<_>>();
                let position = format_position(poset, &members);
                report.fail(format!("the kept value of {position} is {found}, {} is right", values[ideal]));
            }
            done.kept += 1;
        }
        if size == poset.len() {
            whole(subject, values.values().next(), report);
        }
        done.sizes += 1;
        done.ideals += values.len();
        values = plain.next_size(&values);
    }
    report.pass_unless_failed_since(before, || done.sentence());
    Ok(())
}

/// What was computed again.
#[derive(Default)]
struct Done {
    sizes: usize,
    ideals: usize,
    sums: usize,
    kept: usize,
}

impl Done {
    fn sentence(&self) -> String {
        let Self { sizes, ideals, sums, kept } = self;
        let mut sentence =
            format!("all {ideals} labelled ideals of sizes 0 to {} were found again by plain code", sizes - 1);
        if *sums > 0 {
            sentence += &format!(", their values add up as certified for {sums} sizes");
        }
        if *kept > 0 {
            sentence += &format!(", and {kept} kept values are right");
        }
        sentence
    }
}

fn count(subject: &Subject<'_>, size: usize, labelled: usize, orbits: Option<usize>, report: &mut Report) {
    let Some(certified) = subject.certificate.sizes.iter().find(|count| count.size == size) else { return };
    if certified.labelled != labelled.into() || orbits.is_some_and(|orbits| certified.orbits != orbits.into()) {
        report.fail(format!(
            "there are {labelled} labelled ideals of size {size}{}, the certificate says {} in {} orbits",
            orbits.map_or(String::new(), |orbits| format!(" in {orbits} orbits")),
            certified.labelled,
            certified.orbits
        ));
    }
}

/// All sizes are done with, so the value is known.
fn whole(subject: &Subject<'_>, value: Option<&BigUint>, report: &mut Report) {
    let certificate = subject.certificate;
    let Some(found) = &certificate.value else { return };
    if certificate.spec.question == Question::Extensions && Some(found) != value {
        let value = value.map_or("nothing".to_owned(), ToString::to_string);
        report.fail(format!("the value computed again is {value}, the certificate says {found}"));
    } else if certificate.spec.question == Question::Extensions {
        report.pass(format!("the whole value was computed again by plain code: {found}"));
    }
}
