use std::fs;
use std::path::PathBuf;

use num_bigint::BigUint;
use tempfile::TempDir;

use super::*;
use crate::job::digest::job_digest;
use crate::job::records::{CERTIFICATE, bases_key, values_key};
use crate::job::sample::{read_samples, sample_key, write_samples};
use crate::job::table::hex;
use crate::job::trial::{HALVES, finished, fresh};
use crate::job::{Question, SizeLimits};
use crate::store::{Commit, ShardKey, ShardKind};

const EXTENSIONS: Question = Question::Extensions;

/// A finished job whose values were kept.
struct Trial {
    _directory: TempDir,
    store: Store,
    job: JobId,
}

impl Trial {
    fn of(spec: &str) -> Self {
        let (_directory, store) = fresh();
        let (_, answer) = finished(&store, EXTENSIONS, spec, SizeLimits::NONE, true);
        Self { _directory, store, job: answer.job }
    }

    fn verify(&self) -> Verification {
        verify(&self.store, &self.job.0, &Interrupt::new()).expect("readable")
    }

    /// Verifies, and returns the only fault.
    #[track_caller]
    fn only_fault(&self) -> String {
        let failed = self.verify().failed;
        assert_eq!(failed.len(), 1, "{failed:?}");
        failed.into_iter().next().unwrap_or_default()
    }

    fn certificate(&self) -> Certificate {
        catalogue::find(&self.store, &self.job.0).expect("a certificate")
    }

    fn put(&self, certificate: &Certificate) {
        let mut commit = Commit::new();
        commit.put_document(&self.job.0, CERTIFICATE, certificate).expect("JSON");
        self.store.commit(commit).expect("committed");
    }

    /// Changes the certificate, and its digest along with it.
    fn forge(&self, change: impl FnOnce(&mut Certificate)) {
        let mut forged = self.certificate();
        change(&mut forged);
        let (value, positions) = (forged.value.as_ref(), forged.positions.as_ref());
        forged.digest = job_digest(&forged.spec, &forged.sizes, value, &forged.value_layers, positions);
        self.put(&forged);
    }

    fn file(&self, key: &ShardKey) -> PathBuf {
        self.store.directory().join(self.store.shard(key).expect("readable").expect("recorded").file)
    }

    /// Writes over one byte of the file of a shard.
    fn flip(&self, key: &ShardKey, at: impl FnOnce(usize) -> usize) -> String {
        let file = self.file(key);
        let mut bytes = fs::read(&file).expect("read");
        let at = at(bytes.len());
        bytes[at] ^= 0x10;
        fs::write(&file, bytes).expect("written");
        file.display().to_string()
    }
}

#[test]
fn sound_jobs_pass() {
    for (question, spec, limits, keep) in [
        (EXTENSIONS, HALVES, SizeLimits::NONE, false),
        (EXTENSIONS, "chains:4x4x4", SizeLimits::NONE, false),
        (EXTENSIONS, "boolean:4", SizeLimits::NONE, true),
        (EXTENSIONS, "boolean:5", SizeLimits { min: 3, max: None }, false),
        (EXTENSIONS, "boolean:6", SizeLimits { min: 0, max: Some(20) }, true),
        (EXTENSIONS, "boolean:5:2", SizeLimits::NONE, true),
        (EXTENSIONS, "chains:3x3x3", SizeLimits::NONE, true),
        (EXTENSIONS, "divisors:72", SizeLimits::NONE, true),
        (EXTENSIONS, "antichain:20", SizeLimits::NONE, true),
        (EXTENSIONS, "chain:1", SizeLimits::NONE, true),
        (Question::Ideals, "boolean:6", SizeLimits::NONE, false),
        (Question::Ideals, "antichain:130", SizeLimits::NONE, false),
        (Question::Ideals, "boolean:5", SizeLimits { min: 2, max: Some(12) }, false),
    ] {
        let (_directory, store) = fresh();
        let (_, answer) = finished(&store, question, spec, limits, keep);
        let verification = verify(&store, &answer.job.0, &Interrupt::new()).expect("readable");
        assert_eq!(verification.failed, [""; 0], "{question} {spec} {keep}");
        assert!(verification.passed.len() >= 5, "{:?}", verification.passed);
    }
}

#[test]
fn it_says_what_it_did() {
    let passed = Trial::of("boolean:5").verify().passed.join("\n");
    for part in
        ["sampled blocks in 17 layers", "kept values are right", "the whole value was computed again", "digests"]
    {
        assert!(passed.contains(part), "{passed}");
    }
}

#[test]
fn a_damaged_file_is_named_whatever_it_holds() {
    let trial = Trial::of("boolean:5");
    for kind in [ShardKind::Bases, ShardKind::Values, ShardKind::Sample] {
        let owner = if kind == ShardKind::Bases { trial.certificate().space } else { trial.job.0.clone() };
        let shards: Vec<_> = trial.store.shards_of(&owner, kind).expect("readable").collect();
        let (key, _) = shards.into_iter().max_by_key(|(_, record)| record.bytes).expect("a shard");
        for place in [|_| 40, |len: usize| len / 2, |len: usize| len - 20] {
            let file = trial.flip(&key, place);
            let fault = trial.only_fault();
            assert!(fault.contains(&file) && fault.contains("damaged"), "{fault}");
            trial.flip(&key, place);
        }
    }
    assert_eq!(trial.verify().failed, [""; 0]);
}

#[test]
fn a_missing_file_is_named() {
    let trial = Trial::of("boolean:4");
    let file = trial.file(&values_key(&trial.job, 5, 0));
    fs::remove_file(&file).expect("removed");
    assert!(trial.only_fault().contains(&file.display().to_string()));
}

#[test]
fn a_changed_digit_of_the_certificate_does_not_add_up() {
    type Change = fn(&mut Certificate);
    let changes: [(&str, Change); 7] = [
        ("value", |forged| forged.value = forged.value.take().map(|value| value + 1u8)),
        ("orbits", |forged| forged.orbits += 1u8),
        ("sizes", |forged| forged.sizes[20].labelled += 1u8),
        ("counts", |forged| forged.base_layers[10].counts[0].orbits += 1u8),
        ("joined", |forged| forged.value_layers[16].joined += 1u8),
        ("sums", |forged| forged.value_layers[10].sums[0].values += 1u8),
        ("extended", |forged| forged.value_layers[10].sums[0].extended += 1u8),
    ];
    let trial = Trial::of("boolean:5");
    let sound = trial.certificate();
    for (what, change) in changes {
        trial.forge(change);
        assert_ne!(trial.verify().failed, [""; 0], "{what}");
        trial.put(&sound);
    }
    let mut forged = sound;
    forged.value_layers[3].shards[0].digest = "0".repeat(64);
    trial.put(&forged);
    let failed = trial.verify().failed.join("\n");
    assert!(failed.contains("values-0003-000000") && failed.contains("the digest of values and counts"), "{failed}");
}

#[test]
fn an_unreadable_certificate_is_named() {
    let trial = Trial::of("boolean:4");
    let mut commit = Commit::new();
    commit.put_document(&trial.job.0, CERTIFICATE, &"nothing").expect("JSON");
    trial.store.commit(commit).expect("committed");
    assert!(trial.only_fault().contains("the document `certificate` of `extensions-boolean-4`"));
}

#[test]
fn a_wrong_value_in_a_sound_sample_is_found_by_computing_it_again() {
    let trial = Trial::of(HALVES);
    // A value of a block, and one of a block below it: both spoil a sum.
    for source in [false, true] {
        let key = sample_key(&trial.job, 20);
        let all = read_samples(&trial.store, &trial.job).expect("readable");
        let mut samples: Vec<_> = all.into_iter().filter(|sample| sample.layer == 20).collect();
        let sound = samples.clone();
        let states = if source { &mut samples[0].sources[0].states } else { &mut samples[0].states };
        states[0].value += 1u8;
        let put = |samples| {
            let written = write_samples(&trial.store, &key, samples).expect("written");
            let mut commit = Commit::new();
            commit.put_shard(key.clone(), written.record());
            trial.store.commit(commit).expect("committed");
        };
        put(&samples);
        let failed = trial.verify().failed.join("\n");
        assert!(failed.contains("in layer 20") && failed.contains("its predecessors add up to"), "{failed}");
        put(&sound);
    }
    assert_eq!(trial.verify().failed, [""; 0]);
}

#[test]
fn a_wrong_value_in_a_sound_table_is_found_where_it_is_small_or_sampled() {
    let trial = Trial::of("boolean:4");
    let layer = 8;
    let key = values_key(&trial.job, layer, 0);
    let mut values = trial.store.read_values(&key).expect("readable");
    values.limbs[0] += 1;
    let written = trial.store.write_values(&key, values.width, &values.limbs).expect("written");
    let digest = hex(&written.payload_digest);
    let mut commit = Commit::new();
    commit.put_shard(key, written.record());
    trial.store.commit(commit).expect("committed");
    trial.forge(|forged| forged.value_layers[layer].shards[0].digest = digest);
    let failed = trial.verify().failed.join("\n");
    assert!(failed.contains("in the sample") && failed.contains("is right"), "{failed}");
}

#[test]
fn a_base_left_out_is_found_by_the_edges_that_lead_to_it() {
    let trial = Trial::of("boolean:5");
    let certificate = trial.certificate();
    let key = bases_key(&certificate.space, 10, 0);
    let mut bases = trial.store.read_bases::<1>(&key).expect("readable");
    bases.pop();
    let written = trial.store.write_bases(&key, &bases, |i| i as u64).expect("written");
    let mut commit = Commit::new();
    commit.put_shard(key, written.record());
    trial.store.commit(commit).expect("committed");
    trial.forge(|forged| forged.base_layers[10].shards[0] -= 1);
    let failed = trial.verify().failed.join("\n");
    assert!(failed.contains("labelled pairs with a base of the layer below"), "{failed}");
}

#[test]
fn what_is_not_finished_or_not_there_is_an_error() {
    let (_directory, store) = fresh();
    finished(&store, EXTENSIONS, "boolean:3", SizeLimits::NONE, false);
    let none = verify(&store, "extensions-boolean-4", &Interrupt::new()).expect_err("no such job");
    assert!(matches!(none, JobError::NoSuchJob { nearest, .. } if nearest[0].0 == "extensions-boolean-3"));
    let interrupt = Interrupt::new();
    interrupt.request();
    let stopped = verify(&store, "extensions-boolean-3", &interrupt).expect_err("stopped");
    assert!(matches!(stopped, JobError::Interrupted));
    let mut commit = Commit::new();
    commit.remove_document("extensions-boolean-3", CERTIFICATE);
    store.commit(commit).expect("committed");
    let unfinished = verify(&store, "extensions-boolean-3", &Interrupt::new()).expect_err("unfinished");
    assert!(matches!(unfinished, JobError::Unfinished(_)));
}

#[test]
fn a_number_too_many_is_not_hidden_by_a_forged_digest() {
    let trial = Trial::of("antichain:12");
    trial.forge(|forged| forged.value = Some(BigUint::from(1u8)));
    let failed = trial.verify().failed.join("\n");
    assert!(failed.contains("the value is 1"), "{failed}");
}
