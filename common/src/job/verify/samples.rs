//! Sampled blocks computed again from the blocks below them, plainly: a block is a set of labelled ideals with their values,
//! and what is left of an ideal without a maximal element is brought onto a source block by trying automorphisms.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use super::{Kept, Report, Subject};
use crate::ideal::Element;
use crate::job::plain::{Set, image, set_of_words};
use crate::job::sample::{Sample, SampleState, read_samples};
use crate::job::space::WORTH_FILES;
use crate::job::{JobError, Question};

/// Values of a sample that are compared with the kept tables, which are read once for each.
const COMPARED: usize = 4;
/// Ideals in a sampled block, at most.
const MOST_STATES: usize = 1 << 16;

/// A labelled ideal's value by the ideal.
type Block = BTreeMap<Set, BigUint>;

pub(super) fn check(subject: &Subject<'_>, kept: &Kept<'_>, report: &mut Report) -> Result<(), JobError> {
    let certificate = subject.certificate;
    if certificate.spec.question != Question::Extensions {
        return Ok(());
    }
    let before = report.failures();
    let Some(samples) = report.tolerate(read_samples(subject.store, &certificate.job))? else { return Ok(()) };
    if samples.is_empty() {
        let slots: u64 = certificate.value_layers.iter().map(|layer| layer.slots).sum();
        // Whether there are files was decided by an estimate.
        if slots >= 2 * WORTH_FILES {
            report.fail(format!("no samples of the {slots} values are stored"));
        }
        return Ok(());
    }
    let (mut states, mut sources, mut compared) = (0, 0, 0);
    for sample in &samples {
        subject.go_on()?;
        match recompute(subject, sample) {
            Ok(block) => {
                states += block.len();
                sources += sample.sources.len();
                compared += compare(subject, kept, sample, &block, report)?;
            }
            Err(fault) => report.fail(format!(
                "the sampled block of base {:x?} in layer {} of {}: {fault}",
                sample.base, sample.layer, certificate.job
            )),
        }
    }
    let layers = samples.iter().map(|sample| sample.layer).collect::<BTreeSet<_>>().len();
    report.pass_unless_failed_since(before, || {
        let tables = if compared > 0 { format!("; {compared} of them are in the kept tables") } else { String::new() };
        format!(
            "{} sampled blocks in {layers} layers follow from the {sources} blocks below them: {states} values computed \
             again{tables}",
            samples.len()
        )
    });
    Ok(())
}

/// Why a sample is wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("its base is no ideal of {0} elements of the base")]
    Base(usize),
    #[error("its base has a stabiliser of {found} elements, not {claimed}")]
    Stabiliser { found: usize, claimed: u16 },
    #[error("it does not hold the values of exactly the ideals over its base")]
    States,
    #[error("no block for the base without element {0} is stored with it, or more than one")]
    Sources(Element),
    #[error("no automorphism maps the base without element {0} to that of the block stored for it")]
    Automorphism(Element),
    #[error("the block below for element {0} lacks an ideal that is needed")]
    Incomplete(Element),
    #[error("the ideal with upper part {upper:x} has value {found}, its predecessors add up to {sum}")]
    Value { upper: u64, found: BigUint, sum: BigUint },
}

/// Computes all values of a sample again, and returns them by labelled ideal.
fn recompute(subject: &Subject<'_>, sample: &Sample) -> Result<Block, Fault> {
    let plain = &subject.plain;
    let in_base = |set: &Set| plain.is_ideal(set) && set.iter().all(|x| x < subject.base());
    let base = set_of_words(&sample.base).filter(|base| in_base(base) && base.len() == sample.layer);
    let base = base.ok_or(Fault::Base(sample.layer))?;
    if let Some(found) = plain.stabiliser(&base).filter(|&found| found != usize::from(sample.stabiliser)) {
        return Err(Fault::Stabiliser { found, claimed: sample.stabiliser });
    }
    let block = block(subject, base, &sample.states).ok_or(Fault::States)?;
    let top = subject.certificate.method.top();
    let fibre = plain.ideals_over(base, subject.base(), top, MOST_STATES).ok_or(Fault::States)?;
    if !fibre.iter().eq(block.keys()) {
        return Err(Fault::States);
    }
    let mut sources = BTreeMap::new();
    for x in plain.maximal(base) {
        let mut here = sample.sources.iter().filter(|source| source.removed == x);
        let (Some(source), None) = (here.next(), here.next()) else { return Err(Fault::Sources(x)) };
        let target = set_of_words(&source.base).ok_or(Fault::Automorphism(x))?;
        let images = plain.carrying(&base.without(x), &target).ok_or(Fault::Automorphism(x))?;
        sources.insert(x, (images, self::block(subject, target, &source.states).ok_or(Fault::States)?));
    }
    for (&ideal, found) in &block {
        let mut sum = BigUint::from(u8::from(ideal.is_empty()));
        for x in plain.maximal(ideal) {
            let smaller = ideal.without(x);
            let value = match sources.get(&x) {
                Some((images, source)) => source.get(&image(images, &smaller)),
                None => block.get(&smaller),
            };
            sum += value.ok_or(Fault::Incomplete(x))?;
        }
        if sum != *found {
            let upper = sample.states.iter().find(|state| ideal_of(subject, base, state) == Some(ideal));
            return Err(Fault::Value { upper: upper.map_or(0, |state| state.upper), found: found.clone(), sum });
        }
    }
    Ok(block)
}

/// The labelled ideal of a state: upper number i stands for the dual of base element i.
fn ideal_of(subject: &Subject<'_>, base: Set, state: &SampleState) -> Option<Set> {
    let mut ideal = base;
    for i in (0..64).filter(|i| state.upper >> i & 1 == 1) {
        let x = usize::from(*subject.poset.duality()?.get(i)?);
        if i >= subject.base() || x < subject.base() {
            return None;
        }
        ideal.insert(x);
    }
    Some(ideal)
}

/// The labelled ideals of a block; `None` if a state is none, or there twice.
fn block(subject: &Subject<'_>, base: Set, states: &[SampleState]) -> Option<Block> {
    let ideals = states.iter().map(|state| Some((ideal_of(subject, base, state)?, state.value.clone())));
    ideals.collect::<Option<Block>>().filter(|block| block.len() == states.len())
}

/// Compares some values of a sample with the kept tables, and returns how many are there.
fn compare(
    subject: &Subject<'_>,
    kept: &Kept<'_>,
    sample: &Sample,
    block: &Block,
    report: &mut Report,
) -> Result<usize, JobError> {
    let mut compared = 0;
    for (ideal, value) in block.iter().step_by(block.len().div_ceil(COMPARED)) {
        let Some(Some(other)) = report.tolerate(kept(ideal))? else { break };
        compared += 1;
        if other != *value {
            report.fail(format!(
                "an ideal over base {:x?} in layer {} of {} has value {value} in the sample and {other} in the kept table",
                sample.base, sample.layer, subject.certificate.job
            ));
        }
    }
    Ok(compared)
}
