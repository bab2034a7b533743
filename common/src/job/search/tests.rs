use std::time::Duration;

use super::*;
use crate::job::trial::fresh;
use crate::job::{Answer, Interrupt, RunOptions, verify};
use crate::search::{Crew, Entry, Finding, Lines, Rules, Settled, prove};
use crate::store::{Commit, ShardKind, Store};

fn spec(poset: &str, position: &str) -> JobSpec {
    let poset: Poset = poset.parse().expect("a poset");
    let members = parse_position(&poset, position).expect("a position").members;
    JobSpec::search(&poset, &members)
}

fn run(store: &Store, spec: &JobSpec, budget: Option<Duration>) -> Result<Answer, JobError> {
    let options = RunOptions {
        threads: 1,
        memory: 64 << 20,
        checkpoint: Duration::from_millis(10),
        keep_values: false,
        interrupt: &Interrupt::new(),
        progress: &|_| {},
    };
    run_search(store, spec, SearchLimits { budget }, &options)
}

#[test]
fn a_position_is_the_same_job_however_it_is_written() {
    let expected = spec("boolean:5:3", "012 34");
    for (poset, position) in [("boolean:8", "701 23"), ("boolean:6", "34 125"), ("boolean:5", "012 34")] {
        assert_eq!(spec(poset, position), spec("boolean:5:3", "012 34"), "{poset} {position}");
    }
    assert_eq!((&*expected.poset, expected.id()), ("boolean:5:3", spec("boolean:7:4", "012 34").id()));
    assert_ne!(expected.id(), spec("boolean:5", "012 23 34").id());
    assert_eq!(spec("boolean:4", "-").poset, "boolean:0");
    assert_eq!(spec("boolean:4", "{}").poset, "boolean:0");
    let chains = spec("chains:3x3", "3.1 2.2");
    assert_eq!(chains, spec("chains:3x3", "1.3 2.2"));
    let (poset, members) = chains.root().expect("it reads back").expect("a search");
    assert_eq!(JobSpec::search(&poset, &members), chains);
}

#[test]
fn outcomes_with_proofs_that_verify_finds_right() {
    let (_directory, store) = fresh();
    let cases =
        [("boolean:5", "01234", "N"), ("boolean:5", "0123 0124 0134 0234 1234", "P"), ("chains:4x4", "4.4", "N")];
    for (poset, position, outcome) in cases {
        let spec = spec(poset, position);
        let answer = run(&store, &spec, None).expect("settled");
        assert_eq!(answer.value.map(|value| Question::Outcome.show(&value)).as_deref(), Some(outcome));
        let report = verify(&store, &answer.job.0, &Interrupt::new()).expect("verified");
        assert_eq!((report.failed, report.passed.len()), (Vec::new(), 2));
        assert!(run(&store, &spec, None).expect("it is there").resumed);
    }
}

#[test]
fn the_winning_move_is_one_of_the_position_that_was_asked() {
    let (_directory, store) = fresh();
    let poset: Poset = "boolean:8".parse().expect("a poset");
    let members = parse_position(&poset, "73 765 12").expect("a position").members;
    let spec = JobSpec::search(&poset, &members);
    let answer = run(&store, &spec, None).expect("settled");
    let by = winning_move(&poset, &members, &spec, &answer.proof.expect("a proof")).expect("it is won");
    let left: Vec<Element> = members.iter().copied().filter(|&x| !poset.is_at_most(by, x)).collect();
    let left = run(&store, &JobSpec::search(&poset, &left), None).expect("settled");
    assert_eq!(left.value, Some(0u8.into()));
}

#[test]
fn the_only_element_wins() {
    let (_directory, store) = fresh();
    let poset: Poset = "antichain:5".parse().expect("a poset");
    let spec = JobSpec::search(&poset, &[2]);
    let answer = run(&store, &spec, None).expect("settled");
    assert_eq!(winning_move(&poset, &[2], &spec, &answer.proof.expect("a proof")), Some(2));
}

#[test]
fn a_proof_that_is_damaged_is_made_again() {
    let (_directory, store) = fresh();
    let spec = spec("boolean:5", "0123 0124 0134 0234 1234");
    let digest = run(&store, &spec, None).expect("settled").digest;
    let record = store.shard(&proof::proof_key(&spec.id())).expect("readable").expect("a proof");
    let file = store.directory().join(record.file);
    let mut bytes = std::fs::read(&file).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    let failed = |store: &Store| verify(store, &spec.id().0, &Interrupt::new()).expect("verified").failed.len();
    assert_eq!(failed(&store), 1);
    let again = run(&store, &spec, None).expect("settled again");
    assert_eq!((again.digest, failed(&store)), (digest, 0));
}

#[test]
fn a_proof_goes_on_from_what_is_stored_of_it() {
    let (_directory, store) = fresh();
    let spec = spec("boolean:6", "01234 01235 01245 01345 02345 12345");
    let lines = lines_of(&spec);
    // Beside a part of the proof something that nobody needs, and something that is not true.
    let strange = Entry { position: Ideal([0b1011]), bytes: Box::new([9, 9]), is_mirrored: false };
    let mut untrue = lines.entries[700].clone();
    untrue.bytes.iter_mut().for_each(|reply| *reply = 255);
    let part: Vec<Entry<1>> = lines.entries[..600].iter().cloned().chain([strange, untrue]).collect();
    let mut commit = Commit::new();
    partial::write(&store, &spec.id(), &part, &mut commit).expect("written");
    store.commit(commit).expect("stored");
    let answer = run(&store, &spec, None).expect("settled");
    assert!(answer.resumed && answer.proof.is_some_and(|proof| proof.entries > 900));
    assert!(partial::read_all::<1>(&store, &spec.id()).expect("readable").is_empty(), "it is not needed any more");
    let report = verify(&store, &answer.job.0, &Interrupt::new()).expect("verified");
    assert_eq!((report.failed, report.passed.len()), (Vec::new(), 2));
}

/// The proof of a search of positions of one word.
fn lines_of(spec: &JobSpec) -> Lines<1> {
    let (poset, members) = spec.root().expect("it reads back").expect("a search");
    let root = members.iter().fold(Ideal::empty(), |root: Ideal<1>, &x| root.with(x));
    let mut crew = Crew::new(std::sync::Arc::new(Rules::new(&poset)), 1, (1 << 20, 0));
    prove(&mut crew, root, &mut |_| true).expect("a proof")
}

#[test]
fn a_search_out_of_budget_goes_on_from_what_is_stored() {
    let (_directory, store) = fresh();
    // It takes millions of positions.
    let spec = spec("boolean:8", "0137 0147 023 0246 0467 1457 4567");
    let error = run(&store, &spec, Some(Duration::from_millis(1))).expect_err("too short");
    assert!(matches!(error, JobError::OutOfBudget { nodes: 1.., .. }), "{error}");
    let mut stored = 0;
    settled::read_all::<4>(&store, &spec.poset, |_| stored += 1).expect("readable");
    assert!(stored > 0);
    // A damaged checkpoint is set aside.
    let (_, record) = store.shards_of(&spec.id().0, ShardKind::Settled).expect("readable").next().expect("a shard");
    let file = store.directory().join(record.file);
    let mut bytes = std::fs::read(&file).expect("read");
    bytes[60] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    settled::read_all::<4>(&store, &spec.poset, |_| {}).expect("readable");
    assert!(!file.exists());
}

#[test]
fn findings_survive_their_records() {
    let finding = |word: u64, settled, nodes| Finding { position: Ideal([word, !word]), settled, nodes };
    let findings = [finding(3, Settled::Lost, 17), finding(7, Settled::Won(200), u64::from(u32::MAX))];
    let bytes = settled::encode(&findings);
    assert_eq!(settled::decode::<2>(&bytes).collect::<Vec<_>>(), findings);
    let mut wrong = bytes.clone();
    wrong[16] = 2;
    assert_eq!(settled::decode::<2>(&wrong).collect::<Vec<_>>(), findings[1..]);
}

#[test]
fn stores_are_merged_unless_they_contradict_each_other() {
    let (_here, store) = fresh();
    let (_there, other) = fresh();
    let spec = spec("boolean:5", "012 34");
    let put = |store: &Store, findings: &[Finding<1>]| {
        let mut commit = Commit::new();
        settled::write(store, &spec.id(), findings, &mut commit).expect("written");
        commit.put_document(&spec.id().0, crate::job::records::JOB, &run::record(&spec, 9)).expect("a record");
        store.commit(commit).expect("stored");
    };
    let finding = |len, settled| Finding { position: Ideal::first(len), settled, nodes: 20 };
    put(&store, &[finding(6, Settled::Lost)]);
    put(&other, &[finding(6, Settled::Lost), finding(7, Settled::Won(6))]);
    let merged = merge(&store, &other, &Interrupt::new()).expect("they agree");
    assert_eq!(merged, Merged { jobs: 1, positions: 2, new: 1, ..Merged::default() });
    assert_eq!(merge(&store, &other, &Interrupt::new()).expect("nothing is new").new, 0);
    put(&other, &[finding(5, Settled::Lost)]);
    put(&store, &[finding(5, Settled::Won(4))]);
    let error = merge(&store, &other, &Interrupt::new()).expect_err("one is wrong");
    assert!(matches!(&error, JobError::Contradiction { position, .. } if position == "0 1 2 3"), "{error}");
    let mut here = 0;
    settled::read_all::<1>(&store, &spec.poset, |_| here += 1).expect("readable");
    assert_eq!(here, 3, "both stay as they were");
}

#[test]
fn finished_answers_are_taken_in_if_their_proofs_hold() {
    let (_there, other) = fresh();
    let right = spec("boolean:5", "01234");
    let damaged = spec("boolean:5", "0123 0124 0134 0234 1234");
    let digest = run(&other, &right, None).expect("settled").digest;
    run(&other, &damaged, None).expect("settled");
    let record = other.shard(&proof::proof_key(&damaged.id())).expect("readable").expect("a proof");
    let file = other.directory().join(record.file);
    let mut bytes = std::fs::read(&file).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");

    let (_here, store) = fresh();
    let merged = merge(&store, &other, &Interrupt::new()).expect("no contradiction");
    assert_eq!(merged.answers, [right.id()]);
    assert!(matches!(&merged.refused[..], [(job, why)] if *job == damaged.id() && why.contains("proof")), "{merged:?}");
    let answer = run(&store, &right, None).expect("it is there");
    assert_eq!((answer.resumed, answer.digest), (true, digest));
    assert_eq!(verify(&store, &right.id().0, &Interrupt::new()).expect("verified").failed, Vec::<String>::new());
    assert!(verify(&store, &damaged.id().0, &Interrupt::new()).is_err(), "not finished here");
    // What is here already is not taken again.
    assert!(merge(&store, &other, &Interrupt::new()).expect("no contradiction").answers.is_empty());
}

#[test]
fn a_proof_of_something_else_is_refused() {
    let (_there, other) = fresh();
    let (one, two) = (spec("boolean:5", "01234"), spec("boolean:5", "0123 0124 0134 0234 1234"));
    run(&other, &one, None).expect("settled");
    run(&other, &two, None).expect("settled");
    let record = other.shard(&proof::proof_key(&two.id())).expect("readable").expect("a proof");
    let mut commit = Commit::new();
    let key = proof::proof_key(&one.id());
    commit.put_shard(key.clone(), other.share_file(&record, &key).expect("a second name"));
    other.commit(commit).expect("stored");
    let (_here, store) = fresh();
    let merged = merge(&store, &other, &Interrupt::new()).expect("no contradiction");
    assert_eq!(merged.answers, [two.id()]);
    assert_eq!(merged.refused.len(), 1);
}
