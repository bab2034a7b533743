//! The numbers of a certificate: they add up, obey the identities they must, and are the published ones.

use num_bigint::BigUint;

use super::{Report, Subject};
use crate::job::checks::{Findings, check as published, sums_by_size};
use crate::job::conclude::with_duals;
use crate::job::digest::job_digest;
use crate::job::{JobError, Question, SizeCount};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    counts(subject, report);
    layers(subject, report);
    value(subject, report);
    let certificate = subject.certificate;
    let digest = job_digest(
        &certificate.spec,
        &certificate.sizes,
        certificate.value.as_ref(),
        &certificate.value_layers,
        certificate.positions.as_ref(),
    );
    if digest == certificate.digest {
        report.pass(format!("the digest of values and counts is {digest}"));
    } else {
        report
            .fail(format!("the digest of values and counts is {digest}, the certificate says {}", certificate.digest));
    }
}

/// Ideals by size: the counts of all base layers added up, those of dual ideals besides.
fn counts(subject: &Subject<'_>, report: &mut Report) {
    let (certificate, poset) = (subject.certificate, subject.poset);
    let top = certificate.method.top();
    let none = |size| SizeCount { size, orbits: BigUint::ZERO, labelled: BigUint::ZERO };
    let mut counted: Vec<SizeCount> = (0..=top).map(none).collect();
    for count in certificate.base_layers.iter().flat_map(|layer| &layer.counts) {
        match counted.get_mut(count.size) {
            Some(sum) => {
                sum.orbits += &count.orbits;
                sum.labelled += &count.labelled;
            }
            None => {
                return report.fail(format!("ideals of size {} were counted, beyond the largest, {top}", count.size));
            }
        }
    }
    let mut sizes = with_duals(poset, &certificate.spec, &counted);
    let layers: Vec<_> = certificate.base_layers.iter().collect();
    let findings = Findings {
        poset,
        method: certificate.method,
        counted: &counted,
        sizes: &sizes,
        space: &layers,
        values: &certificate.value_layers,
        extensions: certificate.value.as_ref().filter(|_| certificate.spec.question == Question::Extensions),
        positions: certificate.positions.as_ref(),
    };
    match published(&findings) {
        Ok(sentences) => sentences.into_iter().for_each(|sentence| report.pass(sentence)),
        Err(JobError::SelfCheck(fault)) => report.fail(fault),
        Err(error) => report.fail(error.to_string()),
    }
    sizes.retain(|count| count.size >= certificate.spec.limits.min);
    let before = report.failures();
    if let Some((sum, count)) = sizes.iter().zip(&certificate.sizes).find(|(sum, count)| sum != count) {
        report.fail(format!(
            "base layers add up to {} orbits and {} labelled ideals of size {}, the certificate says {} and {} of size {}",
            sum.orbits, sum.labelled, sum.size, count.orbits, count.labelled, count.size
        ));
    } else if sizes.len() != certificate.sizes.len() {
        report.fail(format!("the certificate counts {} sizes instead of {}", certificate.sizes.len(), sizes.len()));
    }
    let orbits: BigUint = sizes.iter().map(|count| &count.orbits).sum();
    let labelled: BigUint = sizes.iter().map(|count| &count.labelled).sum();
    if (&orbits, &labelled) != (&certificate.orbits, &certificate.labelled) {
        report.fail(format!(
            "sizes add up to {orbits} orbits and {labelled} labelled ideals, the certificate says {} and {}",
            certificate.orbits, certificate.labelled
        ));
    }
    report.pass_unless_failed_since(before, || {
        format!(
            "{} base layers add up to {orbits} orbits and {labelled} labelled ideals of {} sizes",
            certificate.base_layers.len(),
            sizes.len()
        )
    });
}

/// Layers of values follow each other and have a slot for every state that was counted.
fn layers(subject: &Subject<'_>, report: &mut Report) {
    let certificate = subject.certificate;
    if certificate.spec.question != Question::Extensions {
        return;
    }
    let fits = certificate.value_layers.len() == certificate.base_layers.len()
        && certificate.value_layers.iter().zip(&certificate.base_layers).enumerate().all(|(layer, (values, bases))| {
            (values.layer, values.bases, values.slots) == (layer, bases.bases(), bases.slots)
                && bases.size == layer
                && values.shards.len() == bases.shards.len()
                && values.shards.iter().map(|shard| shard.slots).sum::<u64>() == values.slots
        });
    if fits {
        let slots: u64 = certificate.value_layers.iter().map(|layer| layer.slots).sum();
        report.pass(format!("every base layer has its values: {slots} in all"));
    } else {
        report.fail("the layers of values are not those of the bases");
    }
}

/// The value: joined from the layers, or that of the largest ideal, or the number of ideals.
fn value(subject: &Subject<'_>, report: &mut Report) {
    let certificate = subject.certificate;
    let limits = certificate.spec.limits;
    let (expected, how) = match certificate.spec.question {
        Question::Ruler | Question::Estimate => (None, "about no ideals"),
        Question::Ideals => (Some(certificate.labelled.clone()), "the number of labelled ideals"),
        Question::Outcome | Question::Grundy | Question::Remoteness => {
            let mut positions = certificate.positions.iter().flat_map(|positions| &positions.counts);
            let whole = positions.find(|count| count.size == subject.poset.len());
            (whole.map(|count| count.value.into()), "that of the only position with all elements")
        }
        Question::Extensions if limits.max.is_some() => (None, "left out, for the limits exclude it"),
        Question::Extensions if subject.poset.duality().is_some() => {
            let parts = certificate.value_layers.iter().map(|layer| &layer.joined);
            (Some(parts.sum()), "the sum of what the base layers join")
        }
        Question::Extensions => {
            let sums = sums_by_size(&certificate.value_layers);
            (sums.into_iter().nth(subject.poset.len()).map(|(values, _)| values), "that of the ideal of all elements")
        }
    };
    let shown = |value: &Option<BigUint>| value.as_ref().map_or("none".to_owned(), ToString::to_string);
    if expected == certificate.value {
        report.pass(format!("the value is {how}: {}", shown(&expected)));
    } else {
        let (found, expected) = (shown(&certificate.value), shown(&expected));
        report.fail(format!("the value is {found}, but {how} is {expected}"));
    }
}
