//! The positions of a game: those of few elements valued again from nothing, and random stored ones held against the
//! values of all their options.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use super::{Report, Subject};
use crate::game::Chomp;
use crate::ideal::{Element, Ideal};
use crate::job::plain::Set;
use crate::job::query::{Stored, plain_search};
use crate::job::{JobError, Question};
use crate::poset::format_position;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;

/// Labelled ideals of one size, at most.
const MOST_IDEALS: usize = 20_000;
/// Images of sets that are formed to find the orbits of one size, at most.
const MOST_IMAGES: usize = 1_000_000;
/// Positions that the search remembers, at most.
const MOST_POSITIONS: usize = 1_000_000;
/// Stored positions that are checked.
const SAMPLED: usize = 200;

pub(super) fn check<const W: usize>(
    subject: &Subject<'_>,
    stored: &Stored<'_>,
    report: &mut Report,
) -> Result<(), JobError> {
    let certificate = subject.certificate;
    if !certificate.spec.question.is_game() {
        return Ok(());
    }
    if certificate.positions.is_none() {
        report.fail(format!("the certificate of {} has no positions", certificate.job));
        return Ok(());
    }
    few_elements::<W>(subject, report)?;
    match certificate.spec.question {
        Question::Outcome => sample::<Outcome, W>(subject, stored, report),
        Question::Remoteness => sample::<Remoteness, W>(subject, stored, report),
        _ => sample::<Grundy<4>, W>(subject, stored, report),
    }
}

fn ideal_of<const W: usize>(set: &Set) -> Ideal<W> {
    let mut ideal = Ideal::empty();
    ideal.0.copy_from_slice(&set.0[..W]);
    ideal
}

/// Counts the orbits of positions by value again, size by size as long as there are few.
fn few_elements<const W: usize>(subject: &Subject<'_>, report: &mut Report) -> Result<(), JobError> {
    let (certificate, plain) = (subject.certificate, &subject.plain);
    let Some(mut search) = plain_search::<W>(certificate.spec.question, subject.poset) else { return Ok(()) };
    let counts = certificate.positions.iter().flat_map(|positions| &positions.counts);
    let mut certified: BTreeMap<usize, BTreeMap<BigUint, BigUint>> = BTreeMap::new();
    for count in counts {
        certified.entry(count.size).or_default().insert(count.value.into(), count.orbits.clone());
    }
    let before = report.failures();
    let (mut sizes, mut positions) = (0, 0);
    let mut ideals = BTreeSet::from([Set::empty()]);
    let last = certificate.spec.limits.max.unwrap_or(subject.poset.len());
    while sizes <= last && (1..=MOST_IDEALS).contains(&ideals.len()) {
        subject.go_on()?;
        let Some(orbits) = plain.representatives(ideals.iter(), MOST_IMAGES) else { break };
        let mut found: BTreeMap<BigUint, BigUint> = BTreeMap::new();
        for ideal in &orbits {
            let Some(value) = search(ideal_of(ideal), MOST_POSITIONS) else { break };
            *found.entry(value).or_default() += 1u32;
            positions += 1;
        }
        if certified.get(&sizes) != Some(&found) {
            report.fail(format!("the positions of size {sizes} have other values than the certificate says"));
        }
        ideals = ideals.iter().flat_map(|&ideal| plain.addable(ideal, 0).map(move |x| ideal.with(x))).collect();
        sizes += 1;
    }
    report.pass_unless_failed_since(before, || {
        format!(
            "all {positions} positions up to symmetry of sizes 0 to {} have the values that a plain search finds",
            sizes - 1
        )
    });
    Ok(())
}

/// Holds stored values against those of the options, which are read too.
fn sample<R: Rule, const W: usize>(
    subject: &Subject<'_>,
    stored: &Stored<'_>,
    report: &mut Report,
) -> Result<(), JobError> {
    let (certificate, poset) = (subject.certificate, subject.poset);
    let chomp = Chomp::<W>::new(poset);
    let largest = certificate.spec.limits.max.unwrap_or(poset.len());
    let before = report.failures();
    let (mut positions, mut options) = (0, 0);
    let mut random = Random(0x5EED);
    for _ in 0..SAMPLED {
        subject.go_on()?;
        let mut ideal = Set::empty();
        for _ in 0..random.below(largest + 1) {
            let addable: Vec<_> = subject.plain.addable(ideal, 0).collect();
            ideal.insert(addable[random.below(addable.len())]);
        }
        let members = |ideal: &Ideal<W>| ideal.iter().collect::<Vec<Element>>();
        let ideal = ideal_of::<W>(&ideal);
        let Some(Some(value)) = report.tolerate(stored.position(&members(&ideal)))? else { continue };
        let value = value.value;
        let mut seen = R::Seen::default();
        let mut whole = true;
        for (_, left) in chomp.moves(ideal) {
            let option = report.tolerate(stored.position(&members(&left)))?.flatten().map(|found| found.value);
            let option = option.and_then(|option| u8::try_from(option).ok());
            whole &= option.is_some();
            R::see(&mut seen, option.unwrap_or_default());
            options += 1;
        }
        // An option in a file that is missing says nothing of this value; what is wrong with the file is told already.
        if !whole && report.failures() > 0 {
            continue;
        }
        positions += 1;
        if !whole || R::value(seen).map(BigUint::from) != Some(value.clone()) {
            let position = format_position(poset, &members(&ideal));
            report.fail(format!("the stored value of {position}, {value}, does not follow from those of its options"));
        }
    }
    if positions > 0 {
        report.pass_unless_failed_since(before, || {
            format!("{positions} random stored positions follow from the stored values of their {options} options")
        });
    }
    Ok(())
}

/// The same numbers every time (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}
