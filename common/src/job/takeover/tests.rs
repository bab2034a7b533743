use super::*;
use crate::job::certificate::Certificate;
use crate::job::records::{CERTIFICATE, JobState};
use crate::job::trial::{HALVES, finished as run, fresh};
use crate::job::{Interrupt, SizeLimits, query, remove, verify};
use crate::poset::format_position;

const QUESTIONS: [Question; 4] = [Question::Extensions, Question::Grundy, Question::Outcome, Question::Remoteness];

fn at_most(max: usize) -> SizeLimits {
    SizeLimits { min: 0, max: Some(max) }
}

/// The digest of a job that nothing was stored for.
fn digest_of_fresh(question: Question, poset: &str, limits: SizeLimits) -> String {
    let (_directory, store) = fresh();
    run(&store, question, poset, limits, true).1.digest
}

/// For each layer of a job whether all files of its values are shared with another job.
fn shared(store: &Store, job: &JobId) -> Vec<bool> {
    let shards = store.shards_of(&job.0, ShardKind::Values).expect("readable");
    let mut layers = Vec::new();
    for (key, record) in shards {
        layers.resize(layers.len().max(usize::from(key.layer) + 1), true);
        layers[usize::from(key.layer)] &= store.is_shared(&record);
    }
    layers
}

fn assert_verified(store: &Store, job: &JobId) {
    let verification = verify(store, &job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new(), "{job}");
}

#[test]
fn larger_and_smaller_limits_go_on_from_what_is_stored() {
    for question in QUESTIONS {
        let (_directory, store) = fresh();
        let (_, small) = run(&store, question, "boolean:6", at_most(9), true);
        assert!(!small.resumed);
        let (poset, large) = run(&store, question, "boolean:6", at_most(14), true);
        assert!(large.resumed);
        assert_eq!(large.digest, digest_of_fresh(question, "boolean:6", at_most(14)), "{question}");
        let (_, between) = run(&store, question, "boolean:6", at_most(12), true);
        assert_eq!(between.digest, digest_of_fresh(question, "boolean:6", at_most(12)), "{question}");
        if cfg!(unix) {
            let expected: Vec<bool> = (0..=14).map(|layer| layer <= 12).collect();
            assert_eq!(shared(&store, &large.job), expected, "{question}");
            assert_eq!(shared(&store, &between.job), [true; 13], "{question}");
        }
        // Each of them stands alone when the others are gone.
        remove(&store, &small.job.0).expect("removed");
        assert_verified(&store, &between.job);
        remove(&store, &large.job.0).expect("removed");
        assert_verified(&store, &between.job);
        assert!(shared(&store, &between.job).iter().all(|shared| !shared));
        let space = crate::job::records::space_owner("boolean:6", 64);
        let layers = store.shards_of(&space, ShardKind::Bases).expect("readable").map(|(key, _)| key.layer).max();
        assert_eq!(layers, Some(12), "bases that no job wants any more are gone");
        let position = (format_position(&poset, &(0..12).collect::<Vec<_>>()), (0..12).collect());
        query(Some(&store), question, &poset, &[position], 0).expect("stored");
    }
}

#[test]
fn what_an_unfinished_job_has_valued_is_taken_over() {
    for question in QUESTIONS {
        let (_directory, store) = fresh();
        let (_, small) = run(&store, question, "boolean:6", at_most(12), true);
        // As a run leaves it that was stopped after layer 7.
        let certificate = Certificate::load(&store, &small.job).expect("readable").expect("finished");
        let record = JobRecord::load(&store, &small.job).expect("readable").expect("a job");
        let mut commit = Commit::new();
        let owner = &small.job.0;
        commit.put_document(owner, JOB, &JobRecord { state: JobState::Running, ..record }).expect("JSON");
        commit.remove_document(owner, CERTIFICATE);
        for (key, _) in store.shards_of(owner, ShardKind::Values).expect("readable").filter(|(key, _)| key.layer > 7) {
            commit.remove_shard(key);
        }
        for layer in certificate.value_layers.iter().take(8) {
            commit.put_document(owner, &layer_document(layer.layer), layer).expect("JSON");
        }
        if let Some(positions) = &certificate.positions {
            commit.put_document(owner, POSITIONS, positions).expect("JSON");
        }
        store.commit(commit).expect("committed");
        let (_, large) = run(&store, question, "boolean:6", at_most(13), true);
        assert_eq!(large.digest, digest_of_fresh(question, "boolean:6", at_most(13)), "{question}");
        if cfg!(unix) {
            let expected: Vec<bool> = (0..=13).map(|layer| layer <= 7).collect();
            assert_eq!(shared(&store, &large.job), expected, "{question}");
        }
        // And the other way: the smaller job goes on with what the larger one has.
        let (_, again) = run(&store, question, "boolean:6", at_most(12), true);
        assert_eq!(again.digest, small.digest);
        assert_verified(&store, &again.job);
    }
}

#[test]
fn a_damaged_file_that_was_taken_over_is_computed_again() {
    for question in QUESTIONS {
        let (_directory, store) = fresh();
        let (_, small) = run(&store, question, "boolean:6", at_most(10), true);
        let key = ShardKey { owner: small.job.0.clone(), kind: ShardKind::Values, layer: 6, shard: 0 };
        let file = store.directory().join(store.shard(&key).expect("readable").expect("stored").file);
        let mut bytes = std::fs::read(&file).expect("read");
        bytes[35] ^= 1;
        std::fs::write(&file, bytes).expect("written");
        let (_, large) = run(&store, question, "boolean:6", at_most(13), true);
        assert_eq!(large.digest, digest_of_fresh(question, "boolean:6", at_most(13)), "{question}");
        assert_verified(&store, &large.job);
    }
}

#[test]
fn nothing_is_taken_over_where_layers_depend_on_the_limits() {
    // Halves have more ideals over a base the larger these may be.
    let (_directory, store) = fresh();
    run(&store, Question::Grundy, HALVES, SizeLimits::NONE, false);
    let (_, limited) = run(&store, Question::Grundy, HALVES, at_most(12), true);
    assert_eq!(limited.digest, digest_of_fresh(Question::Grundy, HALVES, at_most(12)));
    assert!(shared(&store, &limited.job).iter().all(|shared| !shared));
    // What the middle layers give to e(P) is not known of a limited job.
    let (_directory, store) = fresh();
    run(&store, Question::Extensions, "boolean:5", at_most(20), true);
    let (_, whole) = run(&store, Question::Extensions, "boolean:5", SizeLimits::NONE, true);
    assert_eq!(whole.value, crate::known::boolean_extensions(5));
    let (_, limited) = run(&store, Question::Extensions, "boolean:5", at_most(25), true);
    assert_eq!(limited.digest, digest_of_fresh(Question::Extensions, "boolean:5", at_most(25)));
    // Games have no such thing: all of it goes on from a part, and a part from all of it.
    let (_directory, store) = fresh();
    run(&store, Question::Grundy, "boolean:5", at_most(10), true);
    let (_, whole) = run(&store, Question::Grundy, "boolean:5", SizeLimits::NONE, true);
    assert_eq!(whole.digest, digest_of_fresh(Question::Grundy, "boolean:5", SizeLimits::NONE));
    let (_, part) = run(&store, Question::Grundy, "boolean:5", SizeLimits { min: 3, max: Some(20) }, true);
    let limits = SizeLimits { min: 3, max: Some(20) };
    assert_eq!(part.digest, digest_of_fresh(Question::Grundy, "boolean:5", limits));
}

#[test]
fn a_frontier_of_linear_extensions_keeps_its_values() {
    let (_directory, store) = fresh();
    let (poset, answer) = run(&store, Question::Extensions, HALVES, at_most(34), false);
    assert!(answer.value.is_none() && answer.orbits > 50_000u32.into());
    let members: Vec<_> = (0..34).collect();
    let position = (format_position(&poset, &members), members);
    let stored = query(Some(&store), Question::Extensions, &poset, std::slice::from_ref(&position), 0);
    let computed = query(None, Question::Extensions, &poset, &[position], 1 << 30).expect("few enough");
    assert_eq!(stored.expect("stored")[0].value, computed[0].value);
    assert_verified(&store, &answer.job);
}

/// Positions of eight points that touch seven only are those of seven points.
#[test]
fn positions_of_fewer_points_have_the_values_of_the_smaller_lattice() {
    let (_directory, store) = fresh();
    for question in QUESTIONS {
        let (large, _) = run(&store, question, "boolean:8", at_most(15), true);
        let small: Poset = "boolean:7".parse().expect("a poset");
        let plain = crate::job::plain::Plain::new(&small);
        let mut random = 3u64;
        let mut positions = Vec::new();
        for size in 0..=15 {
            let mut set = crate::job::plain::Set::empty();
            for _ in 0..size {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let addable: Vec<_> = plain.addable(set, 0).collect();
                set.insert(addable[(random >> 33) as usize % addable.len()]);
            }
            positions.push(format_position(&small, &set.iter().collect::<Vec<_>>()));
        }
        let read = |poset: &Poset| -> Vec<_> {
            let members = |text: &String| crate::poset::parse_position(poset, text).expect("a position").members;
            positions.iter().map(|text| (text.clone(), members(text))).collect()
        };
        // With room for no position, all values are read from the tables.
        let stored = query(Some(&store), question, &large, &read(&large), 0).expect("stored");
        let searched = query(None, question, &small, &read(&small), 1 << 30).expect("few");
        for (stored, searched) in stored.into_iter().zip(searched) {
            assert_eq!(stored.value, searched.value, "{question} {}", stored.position);
        }
    }
}

#[test]
fn layers_of_boolean_8_have_the_known_numbers_from_below_and_from_above() {
    let (_directory, store) = fresh();
    let known = crate::known::boolean_orbits_by_size(8).expect("known");
    for limits in [at_most(22), SizeLimits { min: 234, max: None }, SizeLimits { min: 240, max: Some(250) }] {
        let (_, answer) = run(&store, Question::Ideals, "boolean:8", limits, false);
        let sizes = crate::job::finished(&store, &answer.job.0).expect("finished").1;
        let expected: Vec<usize> = (limits.min..=limits.max.unwrap_or(256)).collect();
        assert_eq!(sizes.iter().map(|count| count.size).collect::<Vec<_>>(), expected);
        for count in &sizes {
            assert_eq!(count.orbits, known[count.size.min(256 - count.size)].into(), "size {}", count.size);
        }
    }
    let (_, above) = run(&store, Question::Ideals, "boolean:6", SizeLimits { min: 50, max: None }, false);
    let (_, below) = run(&store, Question::Ideals, "boolean:6", at_most(14), false);
    assert_eq!((above.value, above.orbits), (below.value, below.orbits));
}
