use std::path::Path;

use super::*;
use crate::job::certificate::Certificate;
use crate::job::conclude::commit_certificate;
use crate::job::records::CERTIFICATE;
use crate::job::task::{Effort, Findings, TaskError, engine};
use crate::job::verify::verify as verify_job;
use crate::job::{Phase, Progress, RunOptions, Verification};
use crate::store::{Commit, Store};
use crate::watch::Interrupt;

fn poset(spec: &str) -> Poset {
    spec.parse().expect("a poset")
}

fn effort(interrupt: &Interrupt, threads: usize) -> Effort<'_> {
    Effort { threads, memory: 1 << 30, interrupt, scratch: Path::new(".") }
}

/// The certificate of a job done group by group, the last one first, on machines that know nothing of each other.
fn by_groups(spec: &JobSpec) -> Certificate {
    let interrupt = Interrupt::new();
    let (poset, sampling) = spec.estimated().expect("an estimate").expect("an estimate");
    let mut found = Vec::new();
    let (one, other) = (engine(spec).expect("an engine"), engine(spec).expect("an engine"));
    for group in (0..groups(sampling, poset.len()).len()).rev() {
        let (engine, threads) = if group % 2 == 0 { (&one, 1) } else { (&other, 3) };
        let Findings::Sampled(sampled) = engine.sample(group, &effort(&interrupt, threads)).expect("done") else {
            panic!("batches")
        };
        found.insert(0, sampled);
    }
    estimate_certificate(spec, &found).expect("a certificate")
}

/// The same in one process.
fn in_one_go(poset: &Poset, sampling: Sampling) -> Estimate {
    let interrupt = Interrupt::new();
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let options = RunOptions {
        threads: 2,
        memory: 1 << 30,
        checkpoint: Duration::MAX,
        keep_values: false,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let Sampling { frontier, seed, batches } = sampling;
    let spec = EstimateSpec { poset, frontier, seed };
    estimate(&store, &spec, Extent::Samples(batches * BATCH), 0.95, &options).expect("an estimate")
}

/// The phases that are told until the first of them asks for a stop.
fn phases_told_at_first(poset: &Poset) -> Vec<Phase> {
    let (interrupt, phases) = (Interrupt::new(), Mutex::new(Vec::new()));
    let report = |progress: Progress| {
        phases.lock().expect("no panic").push(progress.phase);
        interrupt.request();
    };
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let options = RunOptions {
        threads: 1,
        memory: 1 << 30,
        checkpoint: Duration::MAX,
        keep_values: false,
        interrupt: &interrupt,
        progress: &report,
    };
    let spec = EstimateSpec { poset, frontier: 20_000, seed: 0 };
    let stopped = estimate(&store, &spec, Extent::Samples(1), 0.95, &options);
    assert!(matches!(stopped, Err(JobError::Interrupted)), "{stopped:?}");
    phases.into_inner().expect("no panic")
}

#[test]
fn an_estimate_says_that_it_learns() {
    // A second or more of counting and learning.
    assert_eq!(phases_told_at_first(&poset("boolean:8")).first(), Some(&Phase::Learn));
}

fn of_certificate(certificate: &Certificate) -> Option<Estimate> {
    Estimate::of_certificate(certificate, 0.95, false, Duration::ZERO)
}

#[test]
fn an_estimate_by_groups_is_the_estimate_in_one_go() {
    for (name, frontier, batches) in [("boolean:5", 0, 300), ("divisors:720", 3, 20), ("boolean:4", 1000, 40)] {
        let poset = poset(name);
        let sampling = Sampling { frontier, seed: 7, batches };
        let certificate = by_groups(&JobSpec::estimate(&poset, sampling));
        let found = of_certificate(&certificate).expect("an estimate");
        let expected = in_one_go(&poset, sampling);
        assert_eq!((found.interval, &found.exact), (expected.interval, &expected.exact), "{name}");
        assert_eq!((found.batches, found.random_sizes), (expected.batches, expected.random_sizes), "{name}");
    }
}

#[test]
fn groups_have_every_batch_once_and_are_not_many() {
    for elements in [1, 4, 32, 64, 128, 256] {
        for batches in [LEAST_BATCHES, 1000, MOST_BATCHES] {
            let groups = groups(Sampling { frontier: 0, seed: 0, batches }, elements);
            let all: Vec<u64> = groups.iter().cloned().flatten().collect();
            assert!(all.into_iter().eq(0..batches), "{elements} {batches}");
            assert!(groups.len() as u64 <= MOST_BATCHES / LEAST_GROUP);
        }
    }
}

#[test]
fn estimates_that_nobody_makes_are_refused() {
    let sampling = Sampling { frontier: 0, seed: 0, batches: 20 };
    let spec = JobSpec::estimate(&poset("boolean:5"), sampling);
    assert_eq!(spec.id().0, "estimate-boolean-5-frontier0-seed0-batches20");
    let text = serde_json::to_string(&JobSpec::ruler(9)).expect("JSON");
    assert!(!text.contains("sampling"), "documents of other jobs stay what they were: {text}");
    let with = |sampling| JobSpec { sampling, ..spec.clone() };
    let limits = SizeLimits { min: 0, max: Some(3) };
    for wrong in [
        with(None),
        with(Some(Sampling { batches: 0, ..sampling })),
        with(Some(Sampling { batches: u64::MAX, ..sampling })),
        with(Some(Sampling { frontier: usize::MAX, ..sampling })),
        JobSpec { question: Question::Extensions, ..spec.clone() },
        JobSpec { limits, ..spec.clone() },
        JobSpec { position: Some("0".into()), ..spec.clone() },
    ] {
        assert!(matches!(wrong.normal(), Err(JobError::NoEstimate(_))), "{wrong:?}");
        assert!(wrong.plan().is_err() && engine(&wrong).is_err(), "{wrong:?}");
    }
    let elsewhere = JobSpec { poset: "boolean:9".into(), ..spec.clone() };
    assert!(matches!(elsewhere.normal(), Err(JobError::Poset(_))));
    assert_eq!(
        JobSpec { poset: "boolean:05".into(), ..spec.clone() }.normal().map(|spec| spec.id()).ok(),
        Some(spec.id())
    );
}

#[test]
fn a_group_that_is_not_there_and_a_wish_to_stop() {
    let spec = JobSpec::estimate(&poset("boolean:5"), Sampling { frontier: 0, seed: 0, batches: 20 });
    let (engine, interrupt) = (engine(&spec).expect("an engine"), Interrupt::new());
    assert!(matches!(engine.sample(1, &effort(&interrupt, 1)), Err(TaskError::NotOfThisJob)));
    interrupt.request();
    assert!(matches!(engine.sample(0, &effort(&interrupt, 1)), Err(TaskError::Stopped)));
}

#[test]
fn findings_that_cannot_be_are_noticed() {
    let right = Sampled { exact: None, random_sizes: Some((2, 30)), batches: vec![Scaled::ONE; 3] };
    assert_eq!(right.check(3, 32), Ok(()));
    let exact = Sampled { exact: Some(48u8.into()), random_sizes: None, batches: Vec::new() };
    assert_eq!(exact.check(3, 32), Ok(()));
    for wrong in [
        Sampled { batches: vec![Scaled::ONE; 2], ..right.clone() },
        Sampled { batches: vec![Scaled::ONE, Scaled::ONE, Scaled::ZERO], ..right.clone() },
        Sampled { random_sizes: None, ..right.clone() },
        Sampled { random_sizes: Some((2, 33)), ..right.clone() },
        Sampled { random_sizes: Some((4, 4)), ..right.clone() },
        Sampled { exact: Some(48u8.into()), ..right.clone() },
        Sampled { exact: Some(0u8.into()), ..exact.clone() },
    ] {
        assert!(wrong.check(3, 32).is_err(), "{wrong:?}");
    }
    // Numbers that are none are not even read.
    let text = serde_json::to_string(&right).expect("JSON");
    for number in ["[9218868437227405312,0]", "[4503599627370496,9223372036854775807]", "[1,0]", "1e999", "null"] {
        let wrong = text.replacen("[4503599627370496,0]", number, 1);
        assert_ne!(wrong, text);
        assert!(serde_json::from_str::<Sampled>(&wrong).is_err(), "{wrong}");
    }
    let spec = JobSpec::estimate(&poset("boolean:5"), Sampling { frontier: 0, seed: 0, batches: 20 });
    let group =
        |sizes, batches| Sampled { exact: None, random_sizes: Some(sizes), batches: vec![Scaled::ONE; batches] };
    assert!(estimate_certificate(&spec, &[group((0, 32), 10), group((0, 32), 10)]).is_ok());
    assert!(estimate_certificate(&spec, &[group((0, 32), 10), group((0, 31), 10)]).is_err(), "other exact layers");
    assert!(estimate_certificate(&spec, &[group((0, 32), 10), group((0, 32), 9)]).is_err(), "a batch is missing");
    assert!(estimate_certificate(&spec, &[]).is_err());
}

/// What `verify` says of a certificate that is stored.
fn verified(certificate: &Certificate) -> Verification {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut commit = Commit::new();
    commit_certificate(&store, certificate, false, &mut commit).expect("readable");
    commit.put_document(&certificate.job.0, CERTIFICATE, certificate).expect("a document");
    store.commit(commit).expect("stored");
    verify_job(&store, &certificate.job.0, &Interrupt::new()).expect("readable")
}

#[test]
fn a_changed_batch_is_noticed() {
    let spec = JobSpec::estimate(&poset("boolean:5"), Sampling { frontier: 4, seed: 1, batches: 20 });
    let right = by_groups(&spec);
    let verification = verified(&right);
    assert_eq!((verification.failed, verification.passed.len()), (Vec::new(), 4));
    let mut wrong = right.clone();
    wrong.estimate.as_mut().expect("batches").batches[19] = Scaled::ONE;
    assert_eq!(verified(&wrong).failed.len(), 2, "digest and batch");
    wrong.digest = crate::job::digest::estimate_digest(&spec, None, wrong.estimate.as_ref().expect("batches"));
    assert_eq!(verified(&wrong).failed, ["batch 19 is not what it is when it is made again"]);
    wrong.estimate.as_mut().expect("batches").batches.pop();
    assert!(of_certificate(&wrong).is_none());
    assert!(!verified(&wrong).failed.is_empty());
}
