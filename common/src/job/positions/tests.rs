use std::time::Duration;

use num_bigint::BigUint;

use super::records::{POSITIONS, Side};
use crate::game::{Solver, Unsolved};
use crate::ideal::{Element, Ideal};
use crate::job::plain::{Plain, Set};
use crate::job::records::bases_key;
use crate::job::trial::{HALVES, finished, fresh};
use crate::job::{
    Answer, Interrupt, JobError, Question, RunOptions, SizeLimits, certificate, export_table, import_table, jobs,
    positions, positions_of_value, query, run, verify,
};
use crate::poset::{Poset, format_position, parse_position};
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;
use crate::recurrence::rule::Rule;
use crate::store::{Commit, Store, StoreError};

/// Random positions of a poset, by adding elements to the empty ideal.
fn random_positions(poset: &Poset, count: usize) -> Vec<(String, Vec<Element>)> {
    let plain = Plain::new(poset);
    let mut random = 7u64;
    let mut below = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let position = |_| {
        let mut set = Set::empty();
        for _ in 0..below(poset.len() + 1) {
            let addable: Vec<_> = plain.addable(set, 0).collect();
            set.insert(addable[below(addable.len())]);
        }
        let members: Vec<_> = set.iter().collect();
        (format_position(poset, &members), members)
    };
    (0..count).map(position).collect()
}

/// Compares stored values of random positions with those that a plain search finds.
fn check_stored<R: Rule, const W: usize>(store: &Store, question: Question, poset: &Poset) {
    let positions = random_positions(poset, 200);
    // With room for no position to be searched, all values are read.
    let values = query(Some(store), question, poset, &positions, 0).expect("stored");
    let mut solver = Solver::<W, R>::new(poset);
    let mut compared = 0;
    for ((text, members), value) in positions.iter().zip(values) {
        let ideal = members.iter().fold(Ideal::<W>::empty(), |set, &x| set.with(x));
        match solver.value(ideal, 400_000) {
            Ok(expected) => assert_eq!(value.value, BigUint::from(expected), "{text}"),
            Err(Unsolved::TooManyPositions) => continue,
            Err(error) => panic!("{error}"),
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn values_of_both_sides_are_stored_and_found() {
    for question in [Question::Grundy, Question::Outcome, Question::Remoteness] {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, question, HALVES, SizeLimits::NONE, false);
        match question {
            Question::Grundy => check_stored::<Grundy<1>, 2>(&store, question, &poset),
            Question::Outcome => check_stored::<Outcome, 2>(&store, question, &poset),
            _ => check_stored::<Remoteness, 2>(&store, question, &poset),
        }
        let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
        assert_eq!(verification.failed, Vec::<String>::new());
        assert!(verification.passed.iter().any(|sentence| sentence.contains("200 random stored positions")));
    }
}

#[test]
fn values_of_the_plain_layers_are_stored_and_found() {
    // 65 thousand ideals, without a least element.
    let (_directory, store) = fresh();
    let (poset, answer) = finished(&store, Question::Grundy, "boolean:7:2", SizeLimits::NONE, true);
    check_stored::<Grundy<1>, 1>(&store, Question::Grundy, &poset);
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
}

fn run_with(store: &Store, interrupt: &Interrupt) -> Result<Answer, JobError> {
    let options = RunOptions {
        threads: 2,
        memory: 1 << 30,
        checkpoint: Duration::ZERO,
        keep_values: false,
        interrupt,
        progress: &|_| (),
    };
    let poset: Poset = HALVES.parse().expect("a poset");
    run(store, Question::Grundy, &poset, SizeLimits::NONE, &options)
}

#[test]
fn interrupted_and_damaged_games_end_with_the_same_digest() {
    let (_directory, expected) = fresh();
    let expected = finished(&expected, Question::Grundy, HALVES, SizeLimits::NONE, false).1;
    let (_directory, store) = fresh();
    let mut interruptions = 0;
    let answer = loop {
        let interrupt = Interrupt::new();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100 << interruptions));
                interrupt.request();
            });
            run_with(&store, &interrupt)
        });
        match result {
            Ok(answer) => break answer,
            Err(JobError::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(interruptions > 0 && answer.resumed);
    assert_eq!(answer.digest, expected.digest);
    let left: Result<Option<super::Positions>, StoreError> = store.document(&answer.job.0, POSITIONS);
    assert!(left.expect("readable").is_none(), "the certificate has them");

    let damaged = [Side::Lower.key(&answer.job, 30, 0), Side::Upper.key(&answer.job, 31, 0)];
    for key in &damaged {
        let file = store.directory().join(store.shard(key).expect("readable").expect("stored").file);
        let mut bytes = std::fs::read(&file).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).expect("written");
    }
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert!(verification.failed.len() >= 2, "{verification:?}");
    let again = run_with(&store, &Interrupt::new()).expect("repaired");
    assert_eq!(again.digest, expected.digest);
    for key in &damaged {
        assert!(store.shard(key).expect("readable").is_some());
    }
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
}

/// Runs the game for some time only, if it takes longer.
fn run_for(store: &Store, time: Duration) {
    let interrupt = Interrupt::new();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(time);
            interrupt.request();
        });
        run_with(store, &interrupt)
    });
    assert!(matches!(result, Ok(_) | Err(JobError::Interrupted)), "{result:?}");
}

#[test]
fn a_game_that_is_interrupted_before_it_is_where_it_was_counts_nothing_twice() {
    let (_directory, expected) = fresh();
    let expected = finished(&expected, Question::Grundy, HALVES, SizeLimits::NONE, false).1;
    for far in [400, 700, 1000] {
        let (_directory, store) = fresh();
        for near in [80, 160] {
            run_for(&store, Duration::from_millis(far));
            run_for(&store, Duration::from_millis(near));
        }
        assert_eq!(run_with(&store, &Interrupt::new()).expect("an answer").digest, expected.digest);
    }
}

#[test]
fn bases_without_a_record_are_found_again() {
    let (_directory, store) = fresh();
    let (_, answer) = finished(&store, Question::Grundy, HALVES, SizeLimits::NONE, true);
    let document = certificate(&store, &answer.job.0).expect("finished");
    let key = bases_key(document["space"].as_str().expect("an owner"), 31, 0);
    let mut commit = Commit::new();
    commit.remove_shard(key.clone());
    store.commit(commit).expect("committed");
    let again = run_with(&store, &Interrupt::new()).expect("repaired");
    assert_eq!(again.digest, answer.digest);
    assert!(store.shard(&key).expect("readable").is_some());
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
}

#[test]
fn positions_are_listed_by_value() {
    for (spec, keep) in [(HALVES, false), ("boolean:5", true)] {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, Question::Grundy, spec, SizeLimits::NONE, keep);
        let counts = positions(&store, &answer.job.0).expect("finished");
        let largest = counts.iter().map(|count| count.value).max().expect("positions");
        for value in [largest, largest - 1] {
            let expected: BigUint = counts.iter().filter(|count| count.value == value).map(|count| &count.orbits).sum();
            let listed = positions_of_value(&store, &answer.job.0, value, SizeLimits::NONE, 5000).expect("stored");
            assert_eq!(BigUint::from(listed.len()), expected, "{spec} {value}");
            let first = positions_of_value(&store, &answer.job.0, value, SizeLimits::NONE, 3).expect("stored");
            assert_eq!(first[..], listed[..listed.len().min(3)]);
            let size = |text: &String| parse_position(&poset, text).expect("a position").members.len();
            let middle = size(&listed[listed.len() / 2]);
            let limits = SizeLimits { min: middle, max: Some(middle) };
            let within = positions_of_value(&store, &answer.job.0, value, limits, 5000).expect("stored");
            assert!(within.iter().eq(listed.iter().filter(|text| size(text) == middle)));
            for text in listed.iter().take(20) {
                let members = parse_position(&poset, text).expect("a position").members;
                let found = query(Some(&store), Question::Grundy, &poset, &[(text.clone(), members)], 0);
                assert_eq!(found.expect("stored")[0].value, value.into());
            }
        }
    }
}

#[test]
fn small_games_have_the_published_values() {
    let (_directory, store) = fresh();
    // g(P_{n,k}) for k = 0 .. n.
    let known: [&[u8]; 6] = [&[0], &[0, 1], &[0, 0, 2], &[0, 1, 0, 3], &[0, 0, 1, 0, 1], &[0, 1, 2, 1, 0, 2]];
    for (n, values) in known.iter().enumerate() {
        for (k, &value) in values.iter().enumerate() {
            let (_, answer) = finished(&store, Question::Grundy, &format!("boolean:{n}:{k}"), SizeLimits::NONE, false);
            assert_eq!(answer.value, Some(value.into()), "P_{{{n},{k}}}");
            let (_, answer) = finished(&store, Question::Outcome, &format!("boolean:{n}:{k}"), SizeLimits::NONE, false);
            assert_eq!(answer.value, Some(u8::from(value > 0).into()), "P_{{{n},{k}}}");
        }
    }
    let positions = certificate(&store, "grundy-boolean-5").expect("finished");
    let orbits: u64 = positions["positions"]["counts"]
        .as_array()
        .expect("counts")
        .iter()
        .map(|count| count["orbits"].as_str().expect("decimal").parse::<u64>().expect("decimal"))
        .sum();
    assert_eq!(orbits, 210);
}

#[test]
fn truncations_are_answered_from_the_whole_game() {
    let (_directory, store) = fresh();
    finished(&store, Question::Grundy, "boolean:5", SizeLimits::NONE, true);
    let poset: Poset = "boolean:5:3".parse().expect("a poset");
    check_stored::<Grundy<1>, 1>(&store, Question::Grundy, &poset);
}

#[test]
fn limits_leave_the_smaller_positions() {
    let (_directory, store) = fresh();
    let limits = SizeLimits { min: 3, max: Some(20) };
    let (_, answer) = finished(&store, Question::Grundy, "boolean:5", limits, false);
    assert_eq!(answer.value, None);
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
}

#[test]
fn a_small_game_is_stored_when_its_values_are_wanted() {
    let (_directory, store) = fresh();
    let (_, answer) = finished(&store, Question::Grundy, "boolean:4", SizeLimits::NONE, false);
    assert!(matches!(positions_of_value(&store, &answer.job.0, 0, SizeLimits::NONE, 9), Err(JobError::NoTable(_))));
    let (_, again) = finished(&store, Question::Grundy, "boolean:4", SizeLimits::NONE, true);
    assert_eq!(again.digest, answer.digest);
    // The two without a move, and others.
    let lost = positions_of_value(&store, &answer.job.0, 0, SizeLimits::NONE, 9).expect("stored");
    assert_eq!(lost[..2], ["{}", "-"]);
}

/// The tablebase of a game of two sides.
fn tablebase() -> (Answer, Vec<u8>) {
    let (_directory, store) = fresh();
    let (_, answer) = finished(&store, Question::Outcome, HALVES, SizeLimits::NONE, false);
    let mut bytes = Vec::new();
    export_table(&store, &answer.job.0, &mut bytes).expect("exported");
    (answer, bytes)
}

#[test]
fn tablebases_are_taken_in_whole_or_not_at_all() {
    let (answer, bytes) = tablebase();
    let (_directory, store) = fresh();
    assert_eq!(import_table(&store, &bytes[..]).expect("imported"), answer.job);
    let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
    assert_eq!(verification.failed, Vec::<String>::new());
    let poset: Poset = HALVES.parse().expect("a poset");
    check_stored::<Outcome, 2>(&store, Question::Outcome, &poset);
    // A second time changes nothing, and `run` has nothing to do.
    import_table(&store, &bytes[..]).expect("imported");
    let (_, again) = finished(&store, Question::Outcome, HALVES, SizeLimits::NONE, false);
    assert_eq!((again.digest, again.resumed), (answer.digest, true));

    let header = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    let (_directory, store) = fresh();
    for wrong in [
        &b""[..],
        b"{}\n",
        b"size,orbits\n",
        &bytes[..header],
        &bytes[..header + 1],
        &bytes[..bytes.len() / 2],
        &bytes[..bytes.len() - 1],
        &[&bytes[..], b"x"].concat(),
    ] {
        assert!(import_table(&store, wrong).is_err());
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 150) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 4;
        assert!(import_table(&store, &wrong[..]).is_err(), "byte {at}");
    }
    assert!(jobs(&store).expect("readable").is_empty());
}

/// Two ways that share nothing but the poset: tables of bases, or a search with memory.
#[test]
fn ten_thousand_positions_of_six_points_have_the_values_of_a_plain_search() {
    let (_directory, store) = fresh();
    let (poset, _) = finished(&store, Question::Grundy, "boolean:6", SizeLimits::NONE, true);
    let positions = random_positions(&poset, 10_000);
    let values = query(Some(&store), Question::Grundy, &poset, &positions, 0).expect("stored");
    let mut solver = Solver::<1, Grundy<1>>::new(&poset);
    for ((text, members), value) in positions.iter().zip(values) {
        let ideal = members.iter().fold(Ideal::<1>::empty(), |set, &x| set.with(x));
        assert_eq!(value.value, solver.value(ideal, 1 << 20).expect("few").into(), "{text}");
    }
}

#[test]
fn small_positions_of_seven_points_have_the_values_of_a_plain_search() {
    let (_directory, store) = fresh();
    let limits = SizeLimits { min: 0, max: Some(26) };
    let (poset, _) = finished(&store, Question::Grundy, "boolean:7", limits, true);
    let mut positions = random_positions(&poset, 4000);
    positions.retain(|(_, members)| members.len() <= 26);
    assert!(positions.len() > 500);
    let values = query(Some(&store), Question::Grundy, &poset, &positions, 0).expect("stored");
    let mut solver = Solver::<2, Grundy<1>>::new(&poset);
    for ((text, members), value) in positions.iter().zip(values) {
        let ideal = members.iter().fold(Ideal::<2>::empty(), |set, &x| set.with(x));
        assert_eq!(value.value, solver.value(ideal, 1 << 20).expect("few").into(), "{text}");
    }
}

/// A tablebase with another certificate, and the digest that belongs to it.
fn forged(bytes: &[u8], change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[..end]).expect("JSON");
    change(&mut header["certificate"]);
    let mut forged = serde_json::to_vec(&header).expect("JSON");
    forged.extend_from_slice(&bytes[end..bytes.len() - 32]);
    let digest = *blake3::hash(&forged).as_bytes();
    [&forged[..], &digest].concat()
}

#[test]
fn a_certificate_that_this_program_would_not_write_is_not_taken_in() {
    let (_, bytes) = tablebase();
    let (_directory, store) = fresh();
    let changes: [fn(&mut serde_json::Value); 9] = [
        |certificate| certificate["labelled"] = "1".into(),
        |certificate| certificate["orbits"] = "1".into(),
        |certificate| certificate["elements"] = 99.into(),
        |certificate| certificate["group_order"] = "0".into(),
        |certificate| certificate["value"] = "0".into(),
        |certificate| certificate["base_layers"][2]["counts"] = serde_json::json!([]),
        |certificate| certificate["base_layers"][2]["shards"] = serde_json::json!([1u64 << 63]),
        |certificate| certificate["base_layers"][2]["top"] = 1.into(),
        |certificate| certificate["checks"] = serde_json::json!(["all is well"]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(import_table(&store, &forged(&bytes, change)[..]).is_err(), "change {number}");
    }
    assert!(jobs(&store).expect("readable").is_empty());
    // Who made it is nobody's business.
    let other = forged(&bytes, |certificate| certificate["software"] = "0.0.0".into());
    import_table(&store, &other[..]).expect("imported");
}

#[test]
fn outcomes_follow_from_grundy_values() {
    let (_directory, store) = fresh();
    let (poset, _) = finished(&store, Question::Grundy, HALVES, SizeLimits::NONE, false);
    check_stored::<Outcome, 2>(&store, Question::Outcome, &poset);
}

#[test]
fn a_value_beyond_a_byte_is_refused() {
    let (_directory, store) = fresh();
    let options = RunOptions {
        threads: 1,
        memory: 1 << 30,
        checkpoint: Duration::from_secs(10),
        keep_values: false,
        interrupt: &Interrupt::new(),
        progress: &|_| (),
    };
    let poset: Poset = "antichain:256".parse().expect("a poset");
    let refused = run(&store, Question::Remoteness, &poset, SizeLimits::NONE, &options);
    assert!(matches!(refused, Err(JobError::TooLarge(256))), "{refused:?}");
    let answer = run(&store, Question::Grundy, &poset, SizeLimits::NONE, &options).expect("fits");
    assert_eq!(answer.value, Some(0u8.into()));
}
