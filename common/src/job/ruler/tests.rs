use std::path::Path;
use std::time::Duration;

use super::*;
use crate::job::certificate::Certificate;
use crate::job::task::{Effort, Engine, Findings};
use crate::job::verify::verify as verify_job;
use crate::job::{JobError, RunOptions};
use crate::known;
use crate::store::Commit;
use crate::watch::Interrupt;

fn options(interrupt: &Interrupt) -> RunOptions<'_> {
    RunOptions {
        threads: 2,
        memory: 1 << 30,
        checkpoint: Duration::ZERO,
        keep_values: false,
        interrupt,
        progress: &|_| {},
    }
}

#[test]
fn values_are_found_stored_and_gone_on_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let interrupt = Interrupt::new();
    let first = run_ruler(&store, 20, &options(&interrupt)).expect("an answer");
    assert_eq!(first.heights.as_deref(), Some(&known::SET_PARTITIONS_RULER[..20]));
    assert_eq!((first.value, first.resumed), (Some(26u8.into()), false));
    let further = run_ruler(&store, 40, &options(&interrupt)).expect("an answer");
    assert_eq!(further.heights.as_deref(), Some(&known::SET_PARTITIONS_RULER[..]));
    assert!(further.resumed, "from the values to 20");
    let fewer = run_ruler(&store, 30, &options(&interrupt)).expect("an answer");
    assert_eq!(fewer.heights.as_deref(), Some(&known::SET_PARTITIONS_RULER[..30]));
    let again = run_ruler(&store, 40, &options(&interrupt)).expect("an answer");
    assert_eq!((again.digest, again.resumed), (further.digest, true));
    let verification = verify_job(&store, "ruler-partitions-40", &interrupt).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
    assert_eq!(verification.passed.len(), 6, "{verification:?}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let interrupt = Interrupt::new();
    let progress = |progress: crate::job::Progress| {
        if progress.layer > 55 {
            interrupt.request();
        }
    };
    let stopped = run_ruler(&store, 120, &RunOptions { progress: &progress, ..options(&interrupt) });
    assert!(matches!(stopped, Err(JobError::Interrupted)));
    let stored = stored_heights(&store, &JobSpec::ruler(120).id()).expect("readable");
    assert!(stored.len() >= 40 && stored.len() < 120, "{}", stored.len());
    let interrupt = Interrupt::new();
    let answer = run_ruler(&store, stored.len() + 1, &options(&interrupt)).expect("an answer");
    assert!(answer.resumed);
    assert_eq!(answer.heights.expect("values")[..stored.len()], stored);
}

#[test]
fn a_changed_value_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let interrupt = Interrupt::new();
    run_ruler(&store, 45, &options(&interrupt)).expect("an answer");
    let job = JobSpec::ruler(45).id();
    let mut certificate = Certificate::load(&store, &job).expect("readable").expect("there");
    let heights = certificate.heights.as_mut().expect("values");
    heights[42] += 1;
    certificate.digest = crate::job::digest::ruler_digest(&certificate.spec, &certificate.sizes, heights);
    let mut commit = Commit::new();
    commit.put_document(&job.0, crate::job::records::CERTIFICATE, &certificate).expect("a document");
    store.commit(commit).expect("stored");
    let verification = verify_job(&store, &job.0, &interrupt).expect("readable");
    assert_eq!(verification.failed.len(), 1, "{verification:?}");
    assert!(verification.failed[0].starts_with("h(43) is not"), "{verification:?}");
}

#[test]
fn values_that_do_not_match_their_digest_are_not_gone_on_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let interrupt = Interrupt::new();
    let answer = run_ruler(&store, 50, &options(&interrupt)).expect("an answer");
    assert_eq!(values_at_hand(&store, 60).expect("readable").len(), 50);
    let mut certificate = Certificate::load(&store, &answer.job).expect("readable").expect("there");
    certificate.heights.as_mut().expect("values")[45] += 1;
    let mut commit = Commit::new();
    commit.put_document(&answer.job.0, crate::job::records::CERTIFICATE, &certificate).expect("a document");
    store.commit(commit).expect("stored");
    assert!(values_at_hand(&store, 60).expect("readable").is_empty());
    let right = run_ruler(&store, 51, &options(&interrupt)).expect("an answer");
    assert_eq!(right.heights.expect("values")[..50], answer.heights.expect("values"));
}

#[test]
fn a_value_with_fewer_types_than_that_is_none() {
    assert!(check_heights(&known::SET_PARTITIONS_RULER).is_ok());
    let mut heights = known::SET_PARTITIONS_RULER.to_vec();
    heights.push(number_of_types(41) as u32 + 1);
    assert!(matches!(check_heights(&heights), Err(JobError::SelfCheck(_))));
    heights[3] = 5;
    assert!(matches!(check_heights(&heights[..40]), Err(JobError::SelfCheck(_))));
}

#[test]
fn tasks_find_what_a_run_does() {
    let interrupt = Interrupt::new();
    let effort = Effort { threads: 2, memory: 1 << 30, interrupt: &interrupt, scratch: Path::new(".") };
    let engine = RulerEngine::new(78);
    assert_eq!(cut(78).iter().sum::<u64>(), number_of_types(78));
    assert_eq!(cut(78).len(), 2);
    let known = crate::game::set_partitions::heights(78);
    let mut seen: Option<Seen> = None;
    let mut types = 0;
    for shard in [1, 0] {
        let Ok(Findings::Surveyed(found)) = engine.survey(78, shard, &known[..77], &effort) else {
            panic!("a shard of the types of 78")
        };
        types += found.types;
        let more = found.seen.read().expect("readable");
        match &mut seen {
            Some(seen) => seen.join(&more),
            None => seen = Some(more),
        }
    }
    assert_eq!(types, number_of_types(78));
    assert_eq!(seen.and_then(|seen| seen.least_missing()), Some(known[77].into()));
    // The engine goes back too, and knows its limits.
    assert!(matches!(engine.survey(40, 0, &known[..39], &effort), Ok(Findings::Surveyed(_))));
    assert!(engine.survey(40, 1, &known[..39], &effort).is_err(), "no such shard");
    assert!(engine.survey(40, 0, &known[..38], &effort).is_err(), "a value is missing");
    assert!(engine.survey(79, 0, &known, &effort).is_err(), "more than was asked");
}

#[test]
fn bits_are_read_as_they_were_written_or_not_at_all() {
    let mut seen = Seen::below(BOUND);
    [0, 1, 5, 77_777, (BOUND - 1) as u32].into_iter().for_each(|number| seen.put(number));
    let bits = SeenBits::from(&seen);
    assert_eq!(bits.read(), Ok(seen));
    for wrong in ["", "0", "zz", "ffffffffff", &bits.0[2..], &SeenBits::from(&Seen::below(64)).0] {
        assert_eq!(SeenBits(wrong.to_owned()).read(), Err(UnreadableBits), "{wrong:.10}");
    }
}

#[test]
fn only_set_partitions_of_so_many_elements_make_a_job() {
    assert_eq!(JobSpec::ruler(60).ruler_n(), Ok(Some(60)));
    assert_eq!(JobSpec::ruler(60).id().0, "ruler-partitions-60");
    for (poset, reason) in [
        ("asm:5", "coin-turning games on asm:5 are answered at once, and are no jobs"),
        ("partitions:151", "the ruler on partitions of 151 elements is out of reach: 150 are the most"),
    ] {
        let error = JobSpec { poset: poset.to_owned(), ..JobSpec::ruler(1) }.ruler_n().expect_err(poset);
        assert_eq!(error.reason(), reason);
    }
}
