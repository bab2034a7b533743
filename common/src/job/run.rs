//! Answering a question: from the certificate where there is one, else layer by layer with checkpoints.

use std::time::Instant;

use num_bigint::BigUint;

use super::budget::check_fits;
use super::certificate::Certificate;
use super::checkpoint::Checkpoints;
use super::conclude::{Found, commit_certificate};
use super::context::Context;
use super::extensions::Evaluation;
use super::plan::visited;
use super::positions::{self, records::Positions};
use super::progress::{Meter, reporting};
use super::records::{JOB_FORMAT, JobRecord, JobState, ValueLayer, space_owner};
use super::repair::set_aside_damaged;
use super::sample::{Sample, sample_key, write_samples};
use super::space::{Space, WORTH_FILES, Wishes};
use super::{Answer, JobError, JobSpec, Method, Question, RunOptions, SizeCount, SizeLimits, Takeover, method};
use crate::known;
use crate::poset::Poset;
use crate::space::code::Ranks;
use crate::space::split::Split;
use crate::store::{Commit, ShardKind, Store, StoreError};
use crate::symmetry::Isa;

/// Answers `question` about `poset`, going on from what the store holds.
///
/// # Errors
/// See [`JobError`]; a job that cannot fit fails before it starts.
pub fn run(
    store: &Store,
    question: Question,
    poset: &Poset,
    limits: SizeLimits,
    options: &RunOptions<'_>,
) -> Result<Answer, JobError> {
    let start = Instant::now();
    let (certificate, resumed) = certify(store, JobSpec::new(question, poset, limits), poset, options)?;
    Ok(certificate.answer(resumed, start.elapsed()))
}

/// Ideals by size, from the store or computed (and stored).
///
/// # Errors
/// See [`JobError`].
pub fn layers(
    store: &Store,
    poset: &Poset,
    limits: SizeLimits,
    options: &RunOptions<'_>,
) -> Result<Vec<SizeCount>, JobError> {
    let counted = limits_of_counts(poset, limits);
    let within = |mut sizes: Vec<SizeCount>| {
        sizes.retain(|count| count.size >= limits.min && limits.max.is_none_or(|max| count.size <= max));
        sizes
    };
    for question in Question::ABOUT_IDEALS {
        for limits in counted {
            if let Some(certificate) = finished(store, &JobSpec::new(question, poset, limits))? {
                return Ok(within(certificate.sizes));
            }
        }
    }
    let [.., asked] = counted;
    let (certificate, _) = certify(store, JobSpec::new(Question::Ideals, poset, asked), poset, options)?;
    Ok(within(certificate.sizes))
}

/// The limits of jobs that count the ideals within limits, those with more sizes first; the last is the one to begin, if
/// none is there. A lower limit saves nothing, unless duals are counted instead.
pub fn limits_of_counts(poset: &Poset, limits: SizeLimits) -> [SizeLimits; 3] {
    let from_below = SizeLimits { min: 0, ..limits };
    let asked = if visited(Question::Ideals, poset, limits) == limits { from_below } else { limits };
    [SizeLimits::NONE, from_below, asked]
}

/// The certificate of a job, if it is finished and this program understands it.
pub(super) fn finished(store: &Store, spec: &JobSpec) -> Result<Option<Certificate>, JobError> {
    match Certificate::load(store, &spec.id()) {
        Ok(certificate) => {
            Ok(certificate.filter(|certificate| certificate.format == JOB_FORMAT && certificate.spec == *spec))
        }
        Err(error @ StoreError::Document { .. }) => {
            tracing::warn!("{error}; the job is done again");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The certificate of a job, and whether anything of it came from an earlier process.
fn certify(
    store: &Store,
    spec: JobSpec,
    poset: &Poset,
    options: &RunOptions<'_>,
) -> Result<(Certificate, bool), JobError> {
    let job = spec.id();
    let certificate = finished(store, &spec)?;
    let mut only_bases = false;
    if let Some(certificate) = &certificate {
        let threads = options.threads.max(1);
        let mut kept = !set_aside_damaged(store, &job.0, ShardKind::Sample, threads)?;
        if !kept {
            // They are taken all together.
            let mut commit = Commit::new();
            store.shards_of(&job.0, ShardKind::Sample)?.for_each(|(key, _)| {
                commit.remove_shard(key);
            });
            store.commit(commit)?;
        }
        if options.keep_values {
            set_aside_damaged(store, &job.0, ShardKind::Values, threads)?;
        }
        if let Some(positions) = &certificate.positions {
            kept = kept && positions::is_kept(store, &job, positions, threads, options.keep_values)?;
        }
        for layer in &certificate.value_layers {
            kept = kept && (!options.keep_values || layer.is_kept(store, &job)?);
        }
        set_aside_damaged(store, &certificate.space, ShardKind::Bases, threads)?;
        if kept && has_bases(store, certificate)? {
            return Ok((certificate.clone(), true));
        }
        tracing::info!("{job} is finished, but not all of its files are there: what is missing is computed again");
        only_bases = kept;
    }
    let method = method(spec.question, poset, spec.limits);
    let base = match method {
        Method::Plain { .. } => poset.len(),
        Method::Halves { .. } => poset.len() / 2,
    };
    let record = JobRecord {
        spec: spec.clone(),
        state: JobState::Running,
        format: JOB_FORMAT,
        software: env!("CARGO_PKG_VERSION").to_owned(),
        method,
        space: space_owner(&spec.poset, base),
    };
    let takeover = if certificate.is_none() { Takeover::find(store, &record)? } else { None };
    let taken_over = takeover.as_ref().map_or(0, Takeover::bytes);
    let plan = check_fits(store, &spec, poset, (&record, taken_over), options)?;
    if let Some(takeover) = takeover {
        takeover.apply(store, &record)?;
    }
    let options = &RunOptions { keep_values: plan.keeps_values(options.keep_values), ..*options };
    let stored = JobRecord::load(store, &job)?
        .filter(|stored| (stored.format, stored.method, &stored.space) == (JOB_FORMAT, method, &record.space));
    let new_record = if certificate.is_some() { None } else { Some(record) };
    let meter = Meter::new(options.interrupt);
    let isa = Isa::detect();
    let context = Context {
        store,
        options,
        job,
        spec,
        method,
        plan,
        isa,
        meter: &meter,
        stored,
        certificate,
        new_record,
        only_bases,
    };
    reporting(&meter, options.progress, || match (method, poset.words()) {
        (Method::Halves { .. }, _) => {
            let split = Split::halves(poset, isa).expect("the method was chosen because there is such a split");
            compute(&context, poset, &split)
        }
        (Method::Plain { .. }, 1) => compute(&context, poset, &Split::<1>::plain(poset, isa)),
        (Method::Plain { .. }, 2) => compute(&context, poset, &Split::<2>::plain(poset, isa)),
        (Method::Plain { .. }, _) => compute(&context, poset, &Split::<4>::plain(poset, isa)),
    })
}

/// Whether all bases of a finished job are recorded in the store, or none because the job is small.
fn has_bases(store: &Store, certificate: &Certificate) -> Result<bool, StoreError> {
    let (space, layers) = (&certificate.space, &certificate.base_layers);
    if store.shards_of(space, ShardKind::Bases)?.len() == 0 {
        // Whether there are files was decided by an estimate.
        return Ok(layers.iter().map(|layer| layer.slots).sum::<u64>() < 2 * WORTH_FILES);
    }
    for layer in layers {
        if store.shards_in_layer(space, ShardKind::Bases, layer.size as u16)?.len() != layer.shards.len() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn compute<const W: usize>(
    context: &Context<'_>,
    poset: &Poset,
    split: &Split<W>,
) -> Result<(Certificate, bool), JobError> {
    let ranks = Ranks::new();
    let halves = matches!(context.method, Method::Halves { .. });
    let wishes = Wishes {
        published_edges: (poset.name() == "boolean:7" && halves).then_some(known::BOOLEAN_7_3_EDGES),
        has_files: context.only_bases || context.options.keep_values || context.plan.states >= WORTH_FILES as f64,
    };
    let mut space = Space::new(
        context.store,
        poset,
        (split, &ranks),
        context.method.top(),
        context.threads(),
        context.meter,
        wishes,
    );
    let by_duality = context.spec.limits.max.is_none() && poset.duality().is_some();
    std::thread::scope(|scope| {
        let mut checkpoints = Checkpoints::new(scope, context.options.checkpoint);
        if let (true, Some(certificate)) = (context.only_bases, &context.certificate) {
            space.begin()?;
            space.repair()?;
            space.save_now()?;
            return Ok((certificate.clone(), true));
        }
        let mut resumed = false;
        let mut evaluated = None;
        let mut valued = None;
        match context.spec.question {
            other @ (Question::Ruler | Question::Estimate) => return Err(JobError::NotAboutIdeals(other)),
            Question::Ideals => space.enumerate(&mut checkpoints)?,
            Question::Outcome | Question::Grundy | Question::Remoteness => {
                space.enumerate(&mut checkpoints)?;
                let found = positions::evaluate(context, (split, &ranks), &mut space, &mut checkpoints)?;
                resumed = found.resumed;
                valued = Some((found.value, found.positions));
            }
            Question::Extensions => {
                space.begin()?;
                let mut evaluation = Evaluation::resume(context, (split, &ranks), by_duality, &mut space)?;
                resumed = evaluation.is_resumed();
                evaluation.run(&mut space, &mut checkpoints)?;
                evaluated = Some(evaluation.finish());
            }
        }
        resumed |= space.is_resumed();
        checkpoints.wait()?;
        space.repair()?;
        space.save_now()?;
        Ok((finish(context, poset, &space, evaluated, valued)?, resumed))
    })
}

/// Makes the certificate, and stores it instead of what only an unfinished job needs.
fn finish<const W: usize>(
    context: &Context<'_>,
    poset: &Poset,
    space: &Space<'_, W>,
    evaluated: Option<(BigUint, Vec<ValueLayer>, Vec<Sample>)>,
    positions: Option<(u8, Positions)>,
) -> Result<Certificate, JobError> {
    let Context { store, spec, job, method, .. } = context;
    let (values, samples) = match evaluated {
        Some((value, layers, samples)) => (Some((value, layers)), samples),
        None => (None, Vec::new()),
    };
    let found = Found {
        poset,
        spec,
        method: *method,
        space: space.owner(),
        layers: space.records().collect(),
        values,
        positions,
    };
    let certificate = found.certificate()?;
    if let Some(before) = &context.certificate
        && before.digest != certificate.digest
    {
        let (before, now) = (&before.digest, &certificate.digest);
        return Err(JobError::SelfCheck(format!("the digest of {job} was {before} and is now {now}")));
    }
    let mut commit = Commit::new();
    if !samples.is_empty() {
        let key = sample_key(job, space.last_layer());
        let written = write_samples(store, &key, &samples)?;
        commit.put_shard(key, written.record());
    }
    commit_certificate(store, &certificate, context.options.keep_values, &mut commit)?;
    store.commit(commit)?;
    Ok(certificate)
}
