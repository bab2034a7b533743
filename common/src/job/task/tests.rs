//! Jobs done task by task, in odd orders, against runs in one go.

use std::collections::BTreeMap;

use super::*;
use crate::huge::Words;
use crate::job::certificate::Certificate;
use crate::job::conclude::Found;
use crate::job::records::{SpaceLayer, ValueLayer, ValueShard, add_counts};
use crate::job::table::{hex, widen};
use crate::job::{Question, RunOptions, SizeLimits, method, run};
use crate::poset::Poset;
use crate::recurrence::limbs::value;
use crate::store::{ShardKind, Store, decode_values, values_image};

/// Runs a job in one go, values kept.
fn in_one_go(spec: &JobSpec) -> Certificate {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let poset: Poset = spec.poset.parse().expect("a poset");
    let interrupt = Interrupt::new();
    let options = RunOptions {
        threads: 2,
        memory: 4 << 30,
        checkpoint: std::time::Duration::MAX,
        keep_values: true,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let answer = run(&store, spec.question, &poset, spec.limits, &options).expect("an answer");
    Certificate::load(&store, &answer.job).expect("a store").expect("a certificate")
}

/// Values of a layer, where slots that nobody said to need are spoilt.
fn table(shards: &[BlockImage], needed: &Needed, width: usize) -> Words {
    let values: Vec<_> =
        shards.iter().map(|image| decode_values(&image.head, image.blocks()).expect("values").limbs).collect();
    let slots = values.iter().map(|limbs| limbs.len() / width).sum::<usize>();
    let mut words = Words::zeroed(slots * width);
    words.copy_from_slice(&values.concat());
    for slot in 0..slots {
        if !needed.is_any(slot as u64..slot as u64 + 1) {
            words[slot * width..][..width].fill(u64::MAX >> 8);
        }
    }
    words
}

/// Does a job task by task, the shards of a layer backwards, and concludes it.
fn by_tasks(spec: &JobSpec, threads: usize) -> Certificate {
    let engine = engine(spec).expect("an engine");
    let (interrupt, scratch) = (Interrupt::new(), tempfile::tempdir().expect("a folder"));
    let effort = Effort { threads, memory: 4 << 30, interrupt: &interrupt, scratch: scratch.path() };
    let mut indices: Vec<LayerIndex> = Vec::new();
    let mut tables: Vec<(Vec<BlockImage>, usize)> = Vec::new();
    let (mut spaces, mut values) = (Vec::new(), Vec::new());
    let mut merged = engine.first_layer().expect("the empty base");
    let mut edges = 0;
    for layer in 0..=engine.last_layer() {
        let shards: Vec<BlockImage> = merged.shards.iter().map(|shard| shard.image.clone()).collect();
        indices.push(engine.index(&shards, layer, threads).expect("an index"));
        let mut solved: BTreeMap<usize, (Solved, Option<BlockImage>)> = BTreeMap::new();
        for number in (0..shards.len()).rev() {
            let below = layer.checked_sub(1).map(|below| &indices[below]);
            let task = engine.prepare_solve(&shards[number], layer, below, &effort).expect("prepared");
            let words: Vec<(Words, usize)> = task
                .needed()
                .iter()
                .map(|(layer, needed)| (table(&tables[*layer].0, needed, tables[*layer].1), tables[*layer].1))
                .collect();
            let read: Vec<Table<'_>> = words.iter().map(|(words, width)| Table { words, width: *width }).collect();
            let (findings, image) = task.finish(&read, &effort).expect("solved");
            let Findings::Solved(findings) = findings else { panic!("solved") };
            solved.insert(number, (findings, image));
        }
        let mut space = SpaceLayer {
            size: layer,
            shards: merged.shards.iter().map(|shard| shard.bases).collect(),
            edges,
            top: method(spec.question, &spec.poset.parse().expect("a poset"), spec.limits).top(),
            slots: merged.shards.iter().map(|shard| shard.slots).sum(),
            counts: Vec::new(),
        };
        solved.values().for_each(|(solved, _)| add_counts(&mut space.counts, &solved.counts));
        if engine.has_values() {
            // Wide shards make all of the layer wide.
            let width = solved.values().filter_map(|(s, _)| s.values.as_ref()).map(|v| v.width).max().expect("a shard");
            let mut record = ValueLayer::empty(layer, &space, width);
            let mut images = Vec::new();
            for (solved, image) in solved.values() {
                let (values, image) = (solved.values.as_ref().expect("values"), image.as_ref().expect("a file"));
                let mut words = Words::zeroed(image.head.count() as usize * width);
                let limbs = decode_values(&image.head, image.blocks()).expect("values").limbs;
                words[..limbs.len()].copy_from_slice(&limbs);
                widen(&mut words, solved.slots as usize, values.width, width);
                let image = values_image(ShardKind::Values, width, &words).expect("an image");
                record.add_sums(&values.sums);
                record.shards.push(ValueShard { slots: solved.slots, digest: hex(&image.head.payload_digest()) });
                images.push(image);
            }
            tables.push((images, width));
            if let Some(duals) = engine.layer_of_duals(layer) {
                for number in 0..shards.len() {
                    let task =
                        engine.prepare_join(number, &indices[layer], &indices[duals], &effort).expect("prepared");
                    let words: Vec<(Words, usize)> = task
                        .needed()
                        .iter()
                        .map(|(layer, needed)| (table(&tables[*layer].0, needed, tables[*layer].1), tables[*layer].1))
                        .collect();
                    let read: Vec<Table<'_>> =
                        words.iter().map(|(words, width)| Table { words, width: *width }).collect();
                    let (Findings::Joined { joined }, None) = task.finish(&read, &effort).expect("joined") else {
                        panic!("joined")
                    };
                    record.joined += joined;
                }
            }
            values.push(record);
        }
        spaces.push(space);
        if layer < engine.last_layer() {
            let mut found: Vec<_> =
                shards.iter().map(|shard| engine.enumerate(shard, layer + 1, &effort).expect("candidates")).collect();
            edges = found.iter().map(|(f, _)| if let Findings::Enumerated { edges } = f { *edges } else { 0 }).sum();
            found.reverse();
            let images: Vec<_> = found.into_iter().map(|(_, image)| image).collect();
            merged = engine.merge(&images, layer + 1).expect("a layer");
        }
    }
    let poset: Poset = spec.poset.parse().expect("a poset");
    let values = engine.has_values().then(|| {
        let joined: BigUint = values.iter().map(|layer| &layer.joined).sum();
        let (images, width) = tables.last().expect("a layer");
        let top = || value(&decode_values(&images[0].head, images[0].blocks()).expect("values").limbs[..*width]);
        (if engine.layer_of_duals(engine.last_layer()).is_some() { joined } else { top() }, values)
    });
    let (spec, method) = (engine.spec(), method(spec.question, &poset, spec.limits));
    let found = Found {
        poset: &poset,
        spec,
        method,
        space: engine.space(),
        layers: spaces.iter().collect(),
        values,
        positions: None,
    };
    found.certificate().expect("all checks hold")
}

#[test]
fn a_job_done_by_tasks_is_the_job_done_in_one_go() {
    for (question, poset, max) in [
        (Question::Extensions, "boolean:4", None),
        (Question::Extensions, "boolean:5", None),
        (Question::Extensions, "chains:3x3x3", None),
        (Question::Extensions, "chains:5x4x4", None),
        (Question::Extensions, "chains:3x3x3x2", Some(20)),
        (Question::Extensions, "boolean:7", Some(20)),
        (Question::Extensions, "antichain:30", None),
        (Question::Extensions, "divisors:720", None),
        (Question::Ideals, "boolean:6", None),
        (Question::Ideals, "chains:4x4x4", None),
    ] {
        let poset: Poset = poset.parse().expect("a poset");
        let spec = JobSpec::new(question, &poset, SizeLimits { min: 0, max });
        let expected = in_one_go(&spec);
        for threads in [1, 3] {
            assert_eq!(by_tasks(&spec, threads), expected, "{spec:?}");
        }
    }
}

#[test]
fn a_small_job_is_one_task() {
    let poset: Poset = "boolean:5".parse().expect("a poset");
    let spec = JobSpec::new(Question::Extensions, &poset, SizeLimits::NONE);
    let (interrupt, scratch) = (Interrupt::new(), tempfile::tempdir().expect("a folder"));
    let effort = Effort { threads: 2, memory: 1 << 30, interrupt: &interrupt, scratch: scratch.path() };
    let Findings::Whole(certificate) = engine(&spec).expect("an engine").whole(&effort).expect("done") else {
        panic!("a certificate")
    };
    assert_eq!(certificate.digest, in_one_go(&spec).digest);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("a folder").count(), 0, "nothing stays");
}
