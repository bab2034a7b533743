//! Jobs from end to end on small posets: interrupted, damaged, repeated.

use std::time::Duration;

use super::records::{ValueLayer, bases_key, values_key};
use super::sample::read_samples;
use super::*;
use crate::poset::Poset;
use crate::store::{Commit, ShardKind, Store};

const POSET: &str = "chains:8x8";
/// By the hook length formula.
const VALUE: &str = "22081374992701950398847674830857600";

struct Lab {
    folder: tempfile::TempDir,
    store: Store,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("opens");
        Self { folder, store }
    }

    /// `keep` makes even small jobs write files, and a checkpoint after every layer.
    fn run_with(&self, interrupt: &Interrupt, threads: usize, keep: bool) -> Result<Answer, JobError> {
        let options = RunOptions {
            threads,
            memory: 1 << 30,
            checkpoint: Duration::ZERO,
            keep_values: keep,
            interrupt,
            progress: &|_| (),
        };
        run(&self.store, Question::Extensions, &poset(POSET), SizeLimits::NONE, &options)
    }

    fn run(&self, keep: bool) -> Answer {
        self.run_with(&Interrupt::new(), 2, keep).expect("an answer")
    }

    fn certificate(&self) -> certificate::Certificate {
        catalogue::find(&self.store, "extensions-chains-8x8").expect("finished")
    }

    /// Changes a byte in the middle of a shard's file.
    fn damage(&self, key: &crate::store::ShardKey) {
        let record = self.store.shard(key).expect("read").expect("there");
        let path = self.folder.path().join(&record.file);
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).expect("written");
    }

    fn forget(&self, keys: impl IntoIterator<Item = crate::store::ShardKey>) {
        let mut commit = Commit::new();
        for key in keys {
            commit.remove_shard(key);
        }
        self.store.commit(commit).expect("committed");
    }

    fn files(&self) -> usize {
        let kinds = [ShardKind::Bases, ShardKind::Values, ShardKind::Sample];
        let owners = ["extensions-chains-8x8", "space-chains-8x8-64"];
        let count = |owner, kind| self.store.shards_of(owner, kind).expect("read").len();
        owners.into_iter().flat_map(|owner| kinds.map(|kind| count(owner, kind))).sum()
    }
}

fn poset(spec: &str) -> Poset {
    spec.parse().expect("a poset")
}

#[test]
fn a_small_job_leaves_no_files() {
    let lab = Lab::new();
    let answer = lab.run(false);
    assert_eq!(answer.value.expect("a value").to_string(), VALUE);
    assert!(!answer.resumed);
    assert_eq!(lab.files(), 0);
    let again = lab.run(false);
    assert!(again.resumed);
    assert_eq!(again.digest, answer.digest);
}

#[test]
fn interrupted_runs_go_on_to_the_same_digest() {
    let expected = Lab::new().run(false);
    let lab = Lab::new();
    let mut interruptions = 0;
    let answer = loop {
        let interrupt = Interrupt::new();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(500 << interruptions.min(12)));
                interrupt.request();
            });
            lab.run_with(&interrupt, 1 + interruptions % 2, true)
        });
        match result {
            Ok(answer) => break answer,
            Err(JobError::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(interruptions > 0 && answer.resumed);
    assert_eq!(answer.digest, expected.digest);
    assert_eq!(lab.certificate(), {
        let other = Lab::new();
        other.run(true);
        other.certificate()
    });
}

#[test]
fn kept_values_are_those_of_the_certificate() {
    let lab = Lab::new();
    lab.run(false);
    assert_eq!(lab.certificate().value_layers.len(), 33);
    // Asked for now, they are computed again, and must be the same.
    lab.run(true);
    let certificate = lab.certificate();
    for layer in &certificate.value_layers {
        assert!(layer.is_kept(&lab.store, &certificate.job).expect("read"));
        for (number, shard) in layer.shards.iter().enumerate() {
            let key = values_key(&certificate.job, layer.layer, number);
            let record = lab.store.shard(&key).expect("read").expect("kept");
            assert_eq!((table::hex(&record.digest), record.count), (shard.digest.clone(), shard.slots));
        }
        assert_eq!(
            ValueLayer::load(&lab.store, &certificate.job, layer.layer).expect("read"),
            None,
            "in there already"
        );
    }
    assert!(lab.run(true).resumed);
}

#[test]
fn damaged_values_are_set_aside_and_computed_again() {
    let lab = Lab::new();
    let answer = lab.run(true);
    let key = |layer| values_key(&answer.job, layer, 0);
    lab.forget([key(32)]);
    lab.damage(&key(31));
    let again = lab.run(true);
    assert_eq!((again.value, again.digest), (answer.value, answer.digest));
    assert!(again.resumed);
    let damaged = walk(lab.folder.path()).into_iter().filter(|name| name.ends_with(".damaged")).count();
    assert_eq!(damaged, 1);
    lab.store.read_values(&key(31)).expect("whole again");
}

#[test]
fn damaged_bases_are_set_aside_and_found_again() {
    let lab = Lab::new();
    let answer = lab.run(true);
    lab.forget((0..=32).map(|layer| values_key(&answer.job, layer, 0)));
    let key = bases_key("space-chains-8x8-64", 20, 0);
    lab.damage(&key);
    let again = lab.run(true);
    assert_eq!((again.value, again.digest), (answer.value, answer.digest));
    lab.store.read_bases::<1>(&key).expect("whole again");
}

#[test]
fn samples_obey_the_recurrence() {
    let lab = Lab::new();
    let answer = lab.run(true);
    let samples = read_samples(&lab.store, &answer.job).expect("read");
    assert_eq!(samples.iter().map(|sample| sample.layer).max(), Some(32));
    assert!((0..=32).all(|layer| samples.iter().any(|sample| sample.layer == layer)));
    for sample in samples.iter().filter(|sample| sample.layer > 0) {
        let sum: BigUint = sample.sources.iter().map(|source| &source.states[0].value).sum();
        assert_eq!(sample.states[0].value, sum);
    }
}

#[test]
fn limits_that_limit_nothing_are_no_other_job() {
    let poset = poset("chain:4");
    let limits = SizeLimits { min: 0, max: Some(4) };
    assert_eq!(JobSpec::new(Question::Ideals, &poset, limits).id().0, "ideals-chain-4");
}

#[test]
fn layers_use_what_is_there() {
    let lab = Lab::new();
    lab.run(false);
    let interrupt = Interrupt::new();
    interrupt.request();
    let options = RunOptions {
        threads: 1,
        memory: 1 << 30,
        checkpoint: Duration::from_secs(1),
        keep_values: false,
        interrupt: &interrupt,
        progress: &|_| (),
    };
    let limits = SizeLimits { min: 3, max: Some(40) };
    let sizes = layers(&lab.store, &poset(POSET), limits, &options).expect("nothing is left to do");
    assert_eq!(sizes.iter().map(|count| count.size).collect::<Vec<_>>(), (3..=40).collect::<Vec<_>>());
}

/// Names of all files in a folder and its folders.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            names.extend(walk(&entry.path()));
        } else {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names
}
